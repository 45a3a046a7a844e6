"""What can be typed, and what is refused."""

from __future__ import annotations

import pytest

from .conftest import Run, typed


def test_without_a_command_the_window_is_meant() -> None:
    assert typed().name == "window"
    assert typed("--data-dir", "d").options["data_dir"] == "d"


@pytest.mark.parametrize(
    "argv",
    [
        ["--mode", "deep", "--json", "rate", "text"],
        ["rate", "--mode", "deep", "--json", "text"],
        ["rate", "text", "--mode", "deep", "--json"],
        ["rate", "text", "--json", "--mode=deep"],
    ],
)
def test_options_stand_before_and_after_the_command_and_its_text(argv: list[str]) -> None:
    call = typed(*argv)
    assert (call.name, call.options["texts"], call.options["mode"], call.options["json"]) == (
        "rate", ("text",), "deep", True,
    )  # fmt: skip


@pytest.mark.parametrize("text", ["-x", "--json", "-", "--", "- said", "-5"])
def test_after_two_dashes_everything_is_text(text: str) -> None:
    options = typed("duel", "--", "A", text).options if text != "--" else typed("duel", "A", "--", "--", "B").options
    assert text in options["texts"]
    assert "json" not in options


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["rat", "text"], "did you mean rate"),
        (["a whole joke without a command"], "known are rate, duel"),
        (["history", "shwo"], "did you mean show"),
        (["history"], "needs one of these commands: list, search"),
        (["models"], "needs one of these commands: trust, plan"),
        (["rate", "--frobnicate", "text"], "No such option '--frobnicate'"),
        (["rate", "-x"], "No such option '-x'"),
        (["rate", "--mode", "fast", "text"], "'fast' is not one of 'quick', 'deep'"),
        (["rate", "text", "--threads", "many"], "'many' is not a valid integer"),
        (["rate", "text", "--threads", "257"], "257 is not in the range"),
        (["rate", "text", "--model"], "'--model' requires an argument"),
        (["history", "list", "--limit", "-1"], "limit"),
        (["history", "show"], "Missing argument 'ID|last'"),
        (["history", "search"], "Missing argument 'WORD...'"),
        (["history", "note", "id"], "Missing argument 'TEXT'"),
        (["models", "get"], "Missing argument 'NAME'"),
        (["merge", "part.jsonl"], "Missing option '-o' / '--out'"),
        (["doctor", "now"], "unexpected extra argument (now)"),
        (["--", "text"], "There's no command 'text'"),
        (["rate", "--js", "text"], "No such option '--js'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence_with_a_hint(run: Run, argv: list[str], said: str) -> None:
    outcome = run("--json", *argv)
    assert outcome.status == 2
    error = outcome.object["error"]
    assert error["code"] == "E_USAGE"
    assert said in error["sentence"]
    assert "\n" not in error["sentence"]
    assert "--help" in error["hint"]


def test_an_unknown_option_hints_at_texts_that_begin_with_a_dash(run: Run) -> None:
    assert "Put -- before" in run("rate", "-ha!").err


@pytest.mark.parametrize(
    "argv", [["--help"], ["rate", "--help"], ["history", "-h"], ["models", "get", "-h"], ["--version"]]
)
def test_help_and_version_end_without_an_error(run: Run, argv: list[str]) -> None:
    outcome = run(*argv)
    assert (outcome.status, outcome.err) == (0, "")
    assert "jokejudge" in outcome.out
