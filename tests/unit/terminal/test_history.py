"""The history from the terminal."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
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


@pytest.mark.parametrize("width", [20, 40])
def test_a_narrow_list_shows_whole_ids_and_as_much_of_the_text_as_fits(
    run: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    id = run("rate", "an old pun about a baker who lost his dough", "--json").object["id"]
    monkeypatch.setenv("COLUMNS", str(width))
    (line,) = run("history", "list").out.splitlines()
    assert line.startswith(f"{id[:8]}   an old")
    assert len(line) <= width


@pytest.mark.parametrize(
    ("where", "to", "code"),
    [
        ("kind = 'contest'", {"top": 0}, "E_REQUEST"),
        ("kind = 'rate'", {"context": "\0"}, "E_INPUT_NUL"),
        ("kind = 'duel'", None, "E_HISTORY_ENTRY"),
    ],
)
def test_a_crafted_verdict_that_cannot_be_asked_for_again_is_a_failure_in_words(
    run: Run, tmp_path: Path, where: str, to: dict[str, object] | None, code: str
) -> None:
    run("rate", "an old pun")
    run("duel", "left one", "right one")
    run("contest", "-", stdin=b"One old pun.\nAnother new pun.\n")
    with closing(sqlite3.connect(tmp_path / "profile" / "history.sqlite3")) as database:
        seq, id, body = database.execute(
            f"SELECT seq, id, body FROM verdicts JOIN results USING (seq) WHERE {where}"
        ).fetchone()
        if to is None:
            database.execute("DELETE FROM results WHERE seq = ?", (seq,))
            database.execute("UPDATE words SET texts = 'one', parts = '' WHERE seq = ?", (seq,))
        else:
            database.execute("UPDATE results SET body = ? WHERE seq = ?", (json.dumps(json.loads(body) | to), seq))
        database.commit()
    outcome = run("history", "rerun", id, "--json")
    assert outcome.object["error"]["code"] == code


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


@pytest.mark.parametrize(
    "command",
    [
        ("duel", "left", "right", "--ask", "all"),
        ("duel", "left", "right", "--context", "sides", "--generator", "Qwen 3", "--no-explain"),
        ("rate", "an old pun", "--listener", "my aunt", "--mode", "deep", "--budget", "2"),
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
