"""Short options, completion, texts that are piped in, and ids that are given by their beginnings."""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable, Iterator

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.core import tables

from .conftest import Outcome, Run, commands, typed

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


def test_a_beginning_of_several_ids_is_refused_with_them(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = iter((f"beef{'0' * 27}1", f"beef{'0' * 27}2"))
    monkeypatch.setattr("jokejudge_gui.session.recording.new_id", lambda: next(ids))
    run("rate", JOKE)
    run("rate", OTHER)
    found = run("history", "show", "beef", "--json")
    assert found.status == 1
    assert found.object["error"]["code"] == "E_HISTORY_AMBIGUOUS"
    assert f"beef{'0' * 27}1" in found.object["error"]["hint"]
    assert run("history", "show", f"beef{'0' * 27}1").status == 0


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


def test_help_shows_the_options_of_judging_where_a_command_judges(run: Run) -> None:
    words = (("rate",), ("history", "list"), ("merge",), ("history", "rerun"), ("models", "calibrate"))
    shown = ["--mode" in run(*command, "--help").out for command in words]
    assert shown == [True, False, False, True, True]
    assert typed("history", "list", "--mode", "deep").name == "history list"  # passed over, as before


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
