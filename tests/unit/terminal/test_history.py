"""The history and votes from the terminal, what purging leaves, and verdicts without a history."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings, save_settings
from jokejudge_gui.core.paths import Profile

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
    assert re.search(r"rate \d\.\d", second)


@pytest.mark.parametrize("width", [20, 40])
def test_a_narrow_list_shows_whole_ids_and_as_much_of_the_text_as_fits(
    run: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    id = run("rate", "an old pun about a baker who lost his dough", "--json").object["id"]
    monkeypatch.setenv("COLUMNS", str(width))
    (line,) = run("history", "list").out.splitlines()
    assert line.startswith(f"{id[:8]}   an old")
    assert len(line) <= width


def test_a_purge_leaves_nothing_of_a_deleted_text(run: Run, profile: Profile) -> None:
    secret = "zebrafinch"
    assert run("rate", f"A {secret} walks into a bar, and the bar walks out.").status == 0
    rows = run("history", "list", "--json").object["rows"]
    assert run("history", "delete", *(row["id"] for row in rows)).status == 0
    (profile.cache / "audits").mkdir(parents=True)  # where earlier versions kept unfinished audits
    (profile.cache / "audits" / "1.jsonl").write_text(secret, encoding="utf-8")
    assert run("history", "purge").status == 0
    files = [path for folder in (profile.data, profile.cache) for path in folder.rglob("*") if path.is_file()]
    assert [str(path) for path in files if secret.encode() in path.read_bytes()] == []


def test_what_was_typed_and_never_judged_is_purged_too(run: Run, tmp_path: Path) -> None:
    profile = Profile.at(tmp_path / "profile")
    run("rate", "an old pun")
    profile.typed.write_text('{"typed": {"rate": ["a secret pun"]}}', encoding="utf-8")
    assert "never judged is removed" in run("history", "purge").err
    assert not profile.typed.exists()
    assert "never judged" not in run("history", "purge").err
    (profile.typed / "in the way").mkdir(parents=True)
    refused = run("history", "purge", "--json")
    assert (refused.status, refused.object["error"]["code"]) == (1, "E_SYSTEM")


@pytest.mark.parametrize(
    "command",
    [
        ("duel", "left", "right", "--ask", "all"),
        ("duel", "left", "right", "--context", "sides", "--generator", "Qwen 3", "--no-explain"),
        ("rate", "an old pun", "--listener", "my aunt", "--mode", "deep", "--budget", "2"),
        ("rate", "an old pun", "--ask", "all", "--anyway"),
        ("workshop", "an old pun", "a new pun", "--ask", "all", "--context", "puns"),
        ("contest", "-", "--topic", "puns", "--top", "1", "--duels", "1", "--ask", "all", "--title", "Mine"),
        ("audit", "-n", "2", "--ask", "all", "--asked", "1"),
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


def agree(run: Run, stage: Stage, number: int = 20) -> None:
    """Votes of someone who goes with the judge nearly every time."""
    for place in range(number):
        stage.winner, stage.by = "A" if place % 2 else "B", 0.5 + place % 4
        run("duel", f"left {place}", f"right {place}")
        sign = place % 2 if place % 10 else 1 - place % 2
        assert run("votes", "add", "last", "A" if sign else "B").status == 0
    stage.winner, stage.by = "A", 3.0


def test_a_taste_that_holds_out_is_said_with_its_figures_and_shown_under_a_verdict(run: Run, stage: Stage) -> None:
    agree(run, stage)
    fitted = run("votes", "fit")
    assert "test-model" in fitted.out
    assert "20 votes" in fitted.out
    assert "also fits votes that it was not learned from" in fitted.out
    assert "You agree with the judge in 18 of 20 duels (95 %: 70 to 97 %)." in fitted.out
    assert "You had seen its verdict" in fitted.out
    (taste,) = run("votes", "fit", "--json").object["tastes"]
    assert (taste["votes"], taste["fitted"], taste["kept"]) == (20, True, True)
    assert taste["g_low"] < taste["g"] < taste["g_high"]
    assert taste["loss"] < min(taste["coin_loss"], taste["prior_loss"])
    assert taste["agreement"]["right"] == 18
    verdict = run("duel", "one", "two")
    (line,) = [line for line in verdict.out.splitlines() if line.startswith("Yours")]
    assert "A, " in line
    assert "from 20 votes" in line
    assert line in run("history", "show", "last").out


Spoil = Callable[[Path], AbstractContextManager[None]]


def newer(path: Path) -> AbstractContextManager[None]:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    return nullcontext()


def older(path: Path) -> AbstractContextManager[None]:
    """It would be set aside as soon as it is opened."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 4")
    database.close()
    return nullcontext()


def damaged(path: Path) -> AbstractContextManager[None]:
    path.write_bytes(b"not a database" * 100)
    return nullcontext()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        database.close()


@pytest.mark.parametrize("spoil", [newer, older, damaged, locked])
@pytest.mark.parametrize("command", [["rate", "a joke"], ["duel", "one", "two"], ["batch"]])
def test_a_verdict_needs_no_history(run: Run, tmp_path: Path, out: Path, spoil: Spoil, command: list[str]) -> None:
    path = tmp_path / "profile" / "history.sqlite3"
    run("history", "list")
    assert path.exists()
    if command == ["batch"]:
        (tmp_path / "in.txt").write_text("one joke\n", encoding="utf-8")
        command = ["rate", "--batch", str(tmp_path / "in.txt"), "--out", str(out)]
    with spoil(path):
        before = path.read_bytes() if path.is_file() else None
        outcome = run(*command, "--no-history")
        assert outcome.status == 0, outcome.err
        assert "istory" not in outcome.err
        assert (path.read_bytes() if path.is_file() else None) == before


def test_a_list_cut_to_nothing_is_not_called_empty(run: Run) -> None:
    assert "The history is empty." in run("history", "list", "--limit", "0").err
    run("rate", "an old pun")
    assert "0 of 1; --limit shows more." in run("history", "list", "--limit", "0").err


def test_what_is_not_voted_on_says_what_is(run: Run) -> None:
    run("workshop", "an old pun", "an older pun")
    refused = run("votes", "add", "last", "up")
    assert refused.status == 2
    assert "Vote on a rating or a duel." in refused.err


@pytest.mark.parametrize(("id", "hint"), [("ab", "Give at least 4 characters"), ("abcdef", "may have been deleted")])
def test_an_id_that_is_not_there_or_too_short_says_which(run: Run, id: str, hint: str) -> None:
    refused = run("history", "show", id)
    assert refused.status == 1
    assert hint in refused.err
