"""What can be typed, and what is refused."""

from __future__ import annotations

import pytest

from jokejudge_gui.cli.arguments import parse, wants
from jokejudge_gui.core.errors import UsageError


def test_without_a_command_the_window_is_meant() -> None:
    assert parse([]).command == "window"
    assert parse(["--data-dir", "d"]).data_dir == "d"


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
    args = parse(argv)
    assert (args.command, args.texts, args.mode, args.json) == ("rate", ["text"], "deep", True)


def test_options_stand_between_two_texts() -> None:
    args = parse(["duel", "A", "--threads", "1", "B", "--json"])
    assert (args.texts, args.threads, args.json) == (["A", "B"], 1, True)


def test_options_stand_between_the_words_of_a_nested_command() -> None:
    args = parse(["history", "--json", "note", "--quiet", "id", "text"])
    assert (args.command, args.id, args.text, args.json, args.quiet) == ("history note", "id", "text", True, True)


@pytest.mark.parametrize("text", ["-x", "--json", "-", "--", "- said", "-5"])
def test_after_two_dashes_everything_is_text(text: str) -> None:
    args = parse(["duel", "--", "A", text]) if text != "--" else parse(["duel", "A", "--", "--", "B"])
    assert text in args.texts
    assert not args.json


@pytest.mark.parametrize("text", ["-", "-5", "-0.5", "- I said", "-I said no"])
def test_a_text_with_a_dash_that_is_no_option_needs_nothing_before_it(text: str) -> None:
    assert parse(["rate", text]).texts == [text]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["rat", "text"], "did you mean rate"),
        (["a whole joke without a command"], "known are rate, duel"),
        (["history", "shwo"], "did you mean show"),
        (["history"], "needs one of these commands: list, search"),
        (["models"], "needs one of these commands: list, use"),
        (["rate", "--frobnicate", "text"], "Unrecognized arguments: --frobnicate"),
        (["rate", "-x"], "Unrecognized arguments: -x"),
        (["rate", "--mode", "fast", "text"], "invalid choice: 'fast'"),
        (["rate", "text", "--threads", "many"], "invalid whole number value: 'many'"),
        (["rate", "text", "--threads", "257"], "must be from 0 to 256"),
        (["rate", "text", "--model"], "expected one argument"),
        (["rate", "--model", "--json", "text"], "expected one argument"),
        (["history", "list", "--limit", "-1"], "limit"),
        (["history", "show"], "required: ID"),
        (["history", "search"], "required: WORD"),
        (["history", "note", "id"], "required: TEXT"),
        (["models", "get"], "required: NAME"),
        (["doctor", "now"], "Unrecognized arguments: now"),
        (["--", "text"], "needs a command before it"),
        (["rate", "--js", "text"], "Unrecognized arguments: --js"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence_with_a_hint(argv: list[str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(argv)
    assert said in caught.value.sentence
    assert "\n" not in caught.value.sentence
    assert "--help" in caught.value.hint


def test_an_unknown_option_hints_at_texts_that_begin_with_a_dash() -> None:
    with pytest.raises(UsageError) as caught:
        parse(["rate", "-ha!"])
    assert "Put -- before" in caught.value.hint


def test_json_is_recognised_even_where_the_rest_makes_no_sense() -> None:
    assert wants(["frob", "--json"], "--json")
    assert not wants(["rate", "--", "--json"], "--json")


@pytest.mark.parametrize(
    "argv", [["--help"], ["rate", "--help"], ["history", "-h"], ["models", "get", "-h"], ["--version"]]
)
def test_help_and_version_end_without_an_error(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(argv)
    assert caught.value.code == 0
    assert "jokejudge" in capsys.readouterr().out
