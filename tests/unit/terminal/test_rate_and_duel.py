"""One verdict from the terminal."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.core.errors import EngineError, info

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
    found = "ONE DOES NOT SIMPLY\nWALK INTO MORDOR"
    monkeypatch.setattr("jokejudge_gui.library.pictures.read_picture", lambda *_: found)
    outcome = run("rate", "--picture", "meme.png", "--context", "A man warns others", "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.object["text"] == found
    assert "the picture itself isn't seen" in outcome.err
    assert stage.asked[0].request.context == "A man warns others"
    monkeypatch.undo()
    (tmp_path / "bomb.png").write_bytes(b"\x7fELF" + bytes(100))
    refused = run("rate", "--picture", str(tmp_path / "bomb.png"), "--json")
    assert (refused.status, refused.object["error"]["code"]) == (1, "E_PICTURE_TYPE")
    assert run("rate", "--picture", "a.png", "a joke too").status == 2
