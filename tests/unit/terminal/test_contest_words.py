"""What one says of a contest's jokes in the terminal: marks, stars, tags, votes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run


@pytest.fixture
def contest(run: Run, tmp_path: Path) -> str:
    """The id of a contest of three jokes."""
    file = tmp_path / "list.txt"
    file.write_text("First joke.\nSecond joke.\nThird joke.\n", encoding="utf-8")
    return str(run("contest", str(file), "--json").object["id"])


def test_jokes_are_kept_starred_and_tagged_and_the_history_finds_them(run: Run, contest: str) -> None:
    said = run("history", "mark", contest, "1", "3", "--keep", "--star", "--tags", "opener, short", "--json").object
    marked = {"id": "3", "mark": "keep", "starred": True, "tags": ["opener", "short"]}
    assert said["entries"][1] == {**marked, "read": False, "back": False, "chosen": False}
    run("history", "mark", contest, "3", "--undecided", "--no-star")
    shown = {entry["id"]: entry for entry in run("history", "show", contest, "--json").object["result"]["entries"]}
    assert [(shown[id]["mark"], shown[id]["starred"], shown[id]["tags"]) for id in ("1", "2", "3")] == [
        ("keep", True, ["opener", "short"]),
        (None, False, []),
        (None, False, ["opener", "short"]),
    ]
    found = run("history", "search", "opener", "--json").object
    assert [row["id"] for row in found["rows"]] == [contest]


def test_one_joke_is_voted_on_with_a_thumb_and_two_by_a_choice(run: Run, contest: str) -> None:
    vote = run("votes", "add", contest, "up", "--joke", "2", "--json").object["vote"]
    assert (vote["kind"], vote["choice"], vote["text_a"]) == ("rate", "up", "Second joke.")
    vote = run("votes", "add", contest, "B", "--joke", "1", "--joke", "3", "--blind", "--json").object["vote"]
    assert (vote["kind"], vote["choice"], vote["blind"], vote["text_b"]) == ("duel", "B", True, "Third joke.")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["history", "mark", "last", "9", "--keep"], "E_CONTEST_ENTRY"),
        (["votes", "add", "last", "up", "--joke", "9"], "E_VOTE_ENTRY"),
        (["votes", "add", "last", "A", "--joke", "1", "--joke", "2", "--joke", "3"], "E_VOTE_JOKES"),
    ],
)
def test_what_there_is_not_is_said(run: Run, contest: str, command: list[str], code: str) -> None:
    outcome = run(*command, "--json")
    assert outcome.status != 0
    assert outcome.object["error"]["code"] == code
