"""One verdict from the terminal."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.core.errors import EngineError, info
from jokejudge_gui.library.pictures import PictureText

from .conftest import fail_at, interrupt_at

if TYPE_CHECKING:
    from .conftest import Run, Stage


def test_a_rejection_is_a_verdict_that_names_its_reason_and_the_way_past_it(run: Run, stage: Stage) -> None:
    stage.reject = True
    outcome = run("rate", "fork fork")
    assert outcome.status == 0
    assert "So nothing was scored." in outcome.out
    assert "--anyway" in outcome.err
    verdict = run("rate", "fork fork", "--json").object
    assert (verdict["admissible"], verdict["error"], verdict["mean_score"]) == (False, None, None)


def test_options_reach_the_session_and_are_not_saved(run: Run, stage: Stage, tmp_path: Path) -> None:
    run("rate", "text", "--mode", "deep", "--threads", "3", "--model", "m.gguf", "--no-explain", "--no-history")
    settings = stage.asked[0].settings
    assert (settings.mode, settings.threads, settings.model, settings.explain) == ("deep", 3, "m.gguf", False)
    assert stage.asked[0].record is False
    assert not (tmp_path / "profile" / "settings.json").exists()
    assert "empty" in run("history", "list").err


def test_the_jokes_of_a_duel_come_from_anywhere(run: Run, stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "joke.txt"
    file.write_text("from a file", encoding="utf-8")
    run("duel", "--file-a", str(file), "typed")
    run("duel", "typed", "--file-b", str(file))
    run("duel", "-", "typed", stdin=b"piped")
    run("duel", "--file-b", str(file), "-", stdin=b"piped")
    assert stage.texts == [
        ("from a file", "typed"),
        ("typed", "from a file"),
        ("piped", "typed"),
        ("piped", "from a file"),
    ]


@pytest.mark.parametrize(
    "argv",
    [
        ["rate"],
        ["rate", "one", "two"],
        ["rate", "one", "--file", "two"],
        ["duel", "one"],
        ["duel", "one", "two", "three"],
        ["duel", "one", "--file-a", "f", "--file-b", "g"],
        ["duel", "-", "-"],
        ["rate", "text", "--out", "x.jsonl"],
        ["rate", "text", "--shard", "1/2"],
        ["duel", "a", "b", "--retry-errors"],
        ["rate", "text", "--mode", "fast"],
    ],
)
def test_a_usage_error_is_status_2_with_a_sentence_and_for_scripts_an_object(
    run: Run, stage: Stage, argv: list[str]
) -> None:
    outcome = run(*argv)
    assert (outcome.status, outcome.out) == (2, "")
    assert 1 <= len(outcome.err.strip().splitlines()) <= 2
    with_json = run(*argv, "--json")
    assert with_json.status == 2
    assert ("audience" if argv[0] == "rate" else "winner") in with_json.object
    assert with_json.object["error"]["code"] == "E_USAGE"
    assert stage.opened == 0


def test_a_failure_is_status_1_with_what_is_known_and_the_error(run: Run, stage: Stage) -> None:
    error = EngineError("E_CONTEXT", "The joke is too long for this model.", "Shorten it.")
    stage.hook = fail_at("text", error)
    outcome = run("rate", "text", "--json")
    assert outcome.status == 1
    assert outcome.object["text"] == "text"
    assert outcome.object["error"] == info(error).model_dump()
    assert "audience" in outcome.object
    for_people = run("rate", "text")
    assert for_people.status == 1
    assert "The joke is too long for this model.\nShorten it.\n" in for_people.err


def test_a_fault_of_the_program_still_gives_scripts_their_object(run: Run, stage: Stage) -> None:
    stage.hook = fail_at("text", ZeroDivisionError("the horse joke"))
    outcome = run("rate", "text", "--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_INTERNAL"
    assert "ZeroDivisionError" in outcome.err
    assert "in hook" in outcome.err
    assert "horse" not in outcome.err + outcome.object["error"]["sentence"]
    assert stage.closed == 1
    assert "ZeroDivisionError: the horse joke" in run("rate", "text", "--debug").err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_verdict_is_status_130_and_marked_cancelled(run: Run, stage: Stage, number: int) -> None:
    stage.hook = interrupt_at("text", number, "generate")
    before = signal.getsignal(number)
    outcome = run("rate", "text", "--json")
    assert outcome.status == 130
    assert outcome.object["error"]["code"] == "E_INTERRUPTED"
    assert outcome.object["mean_score"] is not None
    assert outcome.object["explanation"] is None
    assert signal.getsignal(number) is before
    rows = run("history", "list", "--json").object["rows"]
    assert [row["status"] for row in rows] == ["cancelled"]


def test_a_broken_pipe_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("jokejudge_gui.cli.console.Console.object", broken)
    outcome = run("rate", "text", "--json")
    assert (outcome.status, outcome.out, outcome.err) == (141, "", "")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda profile: (profile / "history.sqlite3").write_bytes(b"not a database" * 20), "E_HISTORY_DAMAGED"),
        (lambda profile: (profile / "settings.json").write_text("{"), "E_SETTINGS_DAMAGED"),
        (lambda profile: (profile / "settings.json").mkdir(), "E_SETTINGS_READ"),
    ],
)
def test_an_unsound_profile_is_told_in_words_and_left_alone(run: Run, tmp_path: Path, spoil: Any, code: str) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    spoil(profile)
    before = {file: file.read_bytes() for file in profile.iterdir() if file.is_file()}
    outcome = run("history" if "HISTORY" in code else "models", "list", "--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == code
    assert outcome.object["error"]["hint"]
    assert {file: file.read_bytes() for file in profile.iterdir() if file.is_file()} == before


def test_without_a_display_the_window_names_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    outcome = run()
    assert outcome.status == 1
    assert "jokejudge rate TEXT" in outcome.err


def test_the_text_of_a_picture_is_rated_and_what_is_not_seen_is_said(
    run: Run, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = PictureText(text="ONE DOES NOT SIMPLY\nWALK INTO MORDOR", sure=0.9)
    monkeypatch.setattr("jokejudge_gui.library.pictures.read_picture", lambda *_: found)
    outcome = run("rate", "--picture", "meme.png", "--context", "A man warns others", "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.object["text"] == found.text
    assert "the picture itself isn't seen" in outcome.err
    assert stage.asked[0].request.context == "A man warns others"
    monkeypatch.undo()
    (tmp_path / "bomb.png").write_bytes(b"\x7fELF" + bytes(100))
    refused = run("rate", "--picture", str(tmp_path / "bomb.png"), "--json")
    assert (refused.status, refused.object["error"]["code"]) == (1, "E_PICTURE_TYPE")
    assert run("rate", "--picture", "a.png", "a joke too").status == 2


def test_a_version_of_an_earlier_text_is_said_to_be_like_yours_but_the_same_text_isn_t(run: Run) -> None:
    first = "My kettle has joined a union, and it only boils on Thursdays."
    run("rate", first)
    run("rate", "My sister's violin sounds like two cats that are getting divorced.")
    assert json.loads(run("rate", first, "--json").out)["yours"] is None
    found = json.loads(run("rate", "Our kettle joined the union: now it boils on Thursdays only.", "--json").out)
    assert found["yours"]["text"] == first
    again = run("rate", "The kettle joined a union and boils only on Thursdays now.")
    assert re.search(r"Like yours of \d+ \w+ \d{4}\. +\(?[0-9a-f]{8}", again.out)
    assert json.loads(run("rate", f"{first} Ha!", "--json", "--no-history").out)["yours"] is None
