"""The history from the terminal."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jokejudge_gui.core.config import Settings, save_settings
from jokejudge_gui.core.paths import Profile

if TYPE_CHECKING:
    from .conftest import Run, Stage


def test_what_was_judged_is_listed_newest_first(run: Run) -> None:
    run("rate", "an old pun")
    run("duel", "left one", "right one")
    outcome = run("history", "list")
    assert outcome.status == 0
    first, second = outcome.out.splitlines()
    assert "left one / right one" in first
    assert "duel A" in first
    assert "an old pun" in second
    assert re.search(r"rating \d\.\d", second)


def test_an_empty_history_says_so(run: Run) -> None:
    outcome = run("history", "list")
    assert (outcome.status, outcome.out) == (0, "")
    assert "empty" in outcome.err


def test_a_verdict_is_found_by_its_words(run: Run) -> None:
    run("rate", "the café is closed")
    run("rate", "a dog")
    assert [row["text_a"] for row in run("history", "search", "cafe", "--json").object["rows"]] == [
        "the café is closed"
    ]
    assert "Nothing matches" in run("history", "search", "elephant").err


def test_the_list_is_filtered_and_paged(run: Run) -> None:
    for number in range(5):
        run("rate", f"joke {number}")
    run("duel", "a", "b")
    assert run("history", "list", "--kind", "duel", "--json").object["count"] == 1
    page = run("history", "list", "--kind", "rate", "--sort", "oldest", "--limit", "2", "--offset", "1")
    assert [line.split()[-1] for line in page.out.splitlines()] == ["1", "2"]
    assert "2 of 5" in page.err


def test_a_verdict_is_shown_as_it_was_given(run: Run) -> None:
    given = run("rate", "an old pun").out
    shown = run("history", "show", "last")
    assert shown.status == 0
    assert given.strip() in shown.out
    assert "an old pun" in shown.out


def test_a_shown_verdict_as_json_holds_the_object_of_the_contract(run: Run) -> None:
    given = run("rate", "an old pun", "--json").object
    shown = run("history", "show", given["id"], "--json").object
    assert shown["result"] == given
    assert (shown["status"], shown["mode"], shown["starred"]) == ("finished", "quick", False)


@pytest.mark.parametrize("command", [["show"], ["star"], ["tag"], ["note"], ["delete"], ["rerun"]])
def test_an_unknown_verdict_is_a_failure_in_words(run: Run, command: list[str]) -> None:
    more = ["text"] if command == ["note"] else []
    outcome = run("history", *command, "nothing", *more, "--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_HISTORY_NOT_FOUND"


def test_last_of_an_empty_history_is_a_failure_in_words(run: Run) -> None:
    outcome = run("history", "show", "last")
    assert outcome.status == 1
    assert "The history is empty." in outcome.err


def test_stars_tags_and_notes_are_set_and_taken_away(run: Run) -> None:
    run("rate", "an old pun")
    run("history", "star", "last")
    run("history", "tag", "last", "set one", "keep")
    run("history", "note", "last", "use on Friday")
    row = run("history", "list", "--starred", "--tag", "keep", "--json").object["rows"][0]
    assert (row["starred"], row["tags"], row["note"]) == (True, ["set one", "keep"], "use on Friday")
    shown = run("history", "show", "last").out
    assert "starred" in shown
    assert "use on Friday" in shown
    run("history", "star", "last", "--off")
    run("history", "tag", "last")
    run("history", "note", "last", "")
    row = run("history", "list", "--json").object["rows"][0]
    assert (row["starred"], row["tags"], row["note"]) == (False, [], "")


def test_a_deleted_verdict_comes_back_until_it_is_purged(run: Run) -> None:
    id = run("rate", "an old pun", "--json").object["id"]
    deleted = run("history", "delete", id)
    assert "history undo" in deleted.err
    assert run("history", "list", "--json").object["count"] == 0
    assert "1 verdict back" in run("history", "undo").err
    assert run("history", "list", "--json").object["count"] == 1
    run("history", "delete", "last")
    assert run("history", "purge", "--json").object == {"count": 1, "error": None}
    assert "nothing" in run("history", "undo").err


def test_what_was_typed_and_never_judged_is_purged_too(run: Run, tmp_path: Path) -> None:
    profile = Profile.at(tmp_path / "profile")
    run("rate", "an old pun")
    profile.typed.write_text('{"rate": ["a secret pun"]}', encoding="utf-8")
    assert "never judged is removed" in run("history", "purge").err
    assert not profile.typed.exists()
    assert "never judged" not in run("history", "purge").err
    (profile.typed / "in the way").mkdir(parents=True)
    refused = run("history", "purge", "--json")
    assert (refused.status, refused.object["error"]["code"]) == (1, "E_SYSTEM")


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.md", "out.html"])
def test_an_export_takes_its_format_from_its_name(run: Run, tmp_path: Path, name: str) -> None:
    run("rate", "an old pun")
    run("duel", "left", "right")
    outcome = run("history", "export", str(tmp_path / name))
    assert outcome.status == 0
    assert "Wrote 2 verdicts" in outcome.err
    text = (tmp_path / name).read_text(encoding="utf-8-sig")
    assert "an old pun" in text
    if name.endswith("jsonl"):
        assert len([json.loads(line) for line in text.splitlines()]) == 2
    if name.endswith("csv"):
        assert len(list(csv.DictReader(text.splitlines()))) == 2


def test_an_export_writes_only_what_was_asked_for(run: Run, tmp_path: Path) -> None:
    run("rate", "an old pun")
    run("rate", "a dog")
    run("history", "export", "--format", "jsonl", "--search", "pun", str(tmp_path / "some"))
    assert [json.loads(line)["text"] for line in (tmp_path / "some").read_text().splitlines()] == ["an old pun"]


def test_an_export_without_a_format_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    assert run("history", "export", str(tmp_path / "some")).status == 2
    assert not (tmp_path / "some").exists()


def test_an_export_that_cannot_be_written_is_told_in_words(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = run("history", "export", str(tmp_path / "file" / "x.csv"))
    assert outcome.status == 1
    assert "can't be written" in outcome.err


def test_a_rerun_judges_the_same_text_as_a_new_verdict(run: Run, stage: Stage) -> None:
    run("rate", "--anyway", "an old pun", "--mode", "deep")
    run("duel", "left", "right")
    ids = [row["id"] for row in run("history", "list", "--sort", "oldest", "--json").object["rows"]]
    assert run("history", "rerun", ids[0]).status == 0
    assert run("history", "rerun", ids[1], "--mode", "deep", "--json").object["text_b"] == "right"
    assert stage.texts[2:] == [("an old pun",), ("left", "right")]
    assert [request.forced for request in (stage.asked[0].request, stage.asked[2].request)] == [True, True]
    assert stage.asked[3].settings.mode == "deep"
    assert run("history", "list", "--json").object["count"] == 4


@pytest.mark.parametrize(
    "command",
    [
        ("duel", "left", "right", "--ask", "all"),
        ("duel", "left", "right", "--context", "sides", "--generator", "Qwen 3", "--no-explain"),
        ("rate", "an old pun", "--listener", "my aunt", "--mode", "deep", "--budget", "branches=2,tokens=900"),
        ("rate", "an old pun", "--ask", "all", "--anyway"),
        ("workshop", "an old pun", "a new pun", "--ask", "all", "--context", "puns"),
        ("contest", "-", "--topic", "puns", "--top", "1", "--duels", "1", "--ask", "all", "--title", "Mine"),
        ("audit", "-n", "2", "--probe", "verbosity", "--ask", "all", "--asked", "1"),
    ],
    ids=" ".join,
)
def test_a_rerun_asks_for_everything_as_it_was(
    run: Run, stage: Stage, tmp_path: Path, command: tuple[str, ...]
) -> None:
    profile = Profile.at(tmp_path / "profile")
    before = Settings()
    before.seed = 7
    save_settings(before, profile)
    assert run(*command, stdin=b"One old pun.\nAnother new pun.\n").status == 0
    first = stage.asked[-1].request
    after = Settings()
    after.seed, after.mode, after.explain = 8, "quick", not first.explain
    save_settings(after, profile)
    assert run("history", "rerun", "last").status == 0
    again = stage.asked[-1].request
    left_out = {*first.not_repeated, "notes"}
    assert again.model_dump(exclude=left_out) == first.model_dump(exclude=left_out)
    assert again.seed == 7
    run("history", "rerun", "last", "--no-explain", "--mode", "deep")
    assert (stage.asked[-1].request.explain, stage.asked[-1].request.mode) == (False, "deep")
