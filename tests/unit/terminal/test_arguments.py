"""What can be typed, what is refused, what is piped in, and what a shell completes."""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.core import tables

from .conftest import Outcome, Run, Stage, commands, typed


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


@pytest.mark.parametrize(
    "words",
    [
        "rate", "rate one two", "rate one --file two", "rate one --picture p.png", "rate text --out x.jsonl",
        "rate text --shard 1/2", "rate --batch LIST", "rate --batch LIST --out - --json",
        "rate x --batch LIST --out OUT",
        "duel one", "duel one two three", "duel - -", "duel a b --retry-errors",
        "contest", "contest a b", "contest LIST --out x.docx",
        "contest LIST --out -", "contest LIST --rounds 21",
        "contest --resume last --generator x",
        "screen", "screen LIST --reject 0.9 --high 0.5", "screen LIST --vote 1", "screen LIST --reject much",
        "workshop", "workshop joke --from 1", "workshop - -", "set", "set LIST --out sheet.doc", "set LIST --order 2,2",
        "set LIST --minutes 0", "audit --html -", "audit --limit 0", "evaluate",
        "evaluate --pairs LIST --limit 0", "evaluate --pairs LIST --seed -1", "evaluate --pairs LIST --out -",
        "evaluate --pairs LIST --html .", "votes add last maybe", "votes add last", "votes delete",
        "votes export votes.txt", "template run seeds", "models fit --again", "models fit --editor --remove",
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_status_2_before_anything_is_loaded(
    run: Run, stage: Stage, words: str, csv_file: Path, out: Path
) -> None:
    named = {"LIST": str(csv_file), "OUT": str(out)}
    outcome = run(*(named.get(word, word) for word in words.split()), "--json")
    assert (outcome.status, outcome.object["error"]["kind"]) == (2, "UsageError"), outcome.err
    assert 1 <= len(outcome.err.strip().splitlines()) <= 3
    assert stage.loaded == []


def test_an_unknown_option_hints_at_texts_that_begin_with_a_dash(run: Run) -> None:
    assert "Put -- before" in run("rate", "-ha!").err


@pytest.mark.parametrize(
    "argv", [["--help"], ["rate", "--help"], ["history", "-h"], ["models", "get", "-h"], ["--version"]]
)
def test_help_and_version_end_without_an_error(run: Run, argv: list[str]) -> None:
    outcome = run(*argv)
    assert (outcome.status, outcome.err) == (0, "")
    assert "jokejudge" in outcome.out


JOKE = "I used to be a banker, but I lost interest."


OTHER = "A horse walks into a bar."


@pytest.fixture
def pipe(run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Outcome]]:
    """``pipe("text", "rate")``: the command with the text in a real pipe as its standard input."""
    ends: list[io.TextIOWrapper] = []

    def call(text: str, *arguments: str) -> Outcome:
        there, here = os.pipe()
        os.write(here, text.encode())
        os.close(here)
        stream = os.fdopen(there, encoding="utf-8")
        ends.append(stream)
        piped = tables._standard_input
        with monkeypatch.context() as patch:
            patch.setattr(tables, "_standard_input", lambda: stream.buffer)
            found = run(*arguments)
        assert tables._standard_input is piped
        return found

    yield call
    for end in ends:
        end.close()


def test_a_joke_that_is_piped_in_needs_no_dash(pipe: Callable[..., Outcome]) -> None:
    assert pipe(f"{JOKE}\n", "rate", "--json").object["text"] == JOKE
    duel = pipe(f"{OTHER}\n", "duel", JOKE, "--json").object
    assert (duel["text_a"], duel["text_b"]) == (JOKE, OTHER)
    ranked = pipe(f"{JOKE}\n{OTHER}\n", "contest", "--json").object
    assert {entry["text"] for entry in ranked["entries"]} == {JOKE, OTHER}
    assert pipe(f"{JOKE}\n", "workshop", "--json").object["versions"][0]["text"] == JOKE


def test_an_id_may_be_given_by_its_beginning(run: Run) -> None:
    first, second = (run("rate", text, "--json").object["id"] for text in (JOKE, OTHER))
    assert run("history", "show", second[:8], "--json").object["text_a"] == OTHER
    assert run("history", "star", first[:8]).status == 0
    assert run("votes", "add", first[:8], "up").status == 0
    assert run("votes", "undo", first[:8]).status == 0
    assert run("history", "show", first[:3]).status == 1  # too short to be meant
    assert run("history", "delete", first[:8]).status == 0
    assert run("history", "show", first[:8]).status == 1


def test_a_short_option_means_one_thing_in_all_commands() -> None:
    long: dict[str, set[str]] = {}
    for _, command in commands():
        for parameter in command.params:
            for name in parameter.opts:
                if re.fullmatch("-[a-z]", name):
                    long.setdefault(name, set()).add(next(one for one in parameter.opts if one.startswith("--")))
    assert {name: len(meanings) for name, meanings in long.items()} == dict.fromkeys(long, 1)
    assert {"-o", "-q", "-n", "-m", "-f", "-c"} <= set(long)
    options = typed("-q", "history", "list", "-n", "3").options
    assert (options["quiet"], options["limit"]) == (True, 3)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("hi",), "history"),
        (("history", "se"), "search"),
        (("--json", "history", "list", "--so"), "--sort"),
        (("history", "list", "--sort", "new"), "newest"),
        (("rate", "a joke", "--pic"), "--picture"),
        (("criteria", "show", "k"), "kind"),
    ],
)
def test_a_shell_completes_commands_options_and_choices(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], offered: str
) -> None:
    monkeypatch.setenv("_JOKEJUDGE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", shlex.join(("jokejudge", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    assert main([]) == 0
    assert capsys.readouterr().out.split() == [f"plain,{offered}"]
