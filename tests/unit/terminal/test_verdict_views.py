"""How the terminal draws a verdict's words, and what a call asks for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from jokejudge_gui.cli.console import Console
from jokejudge_gui.core.pages import Mark, MarkedText, Page, Row, Table

if TYPE_CHECKING:
    pass

JOKE = "I told my plants a joke.\nThey were rooting for me."
PAGE = Page(
    headline="Probably in the upper half",
    lead=("People would put it between 70 and 98 of 100.",),
    notes=("It doesn't seem to be English.",),
    texts=(MarkedText(JOKE, marks=(Mark(35, 46, "turn"),)),),
    rows=(
        Row("in the mood of [bold]markup[/bold]", "Quiet", quiet=True),
        Row("Pun", "Kinds", beside="right in 9 of 10", rows=(Row("below it", shares=(("0", 0.25), ("5", 0.75))),)),
    ),
    tables=(Table("Factors", ("name", "score"), (("Wit", "4.0"), ("A long name " * 12, "3.0"))),),
    foot=("a model", "0.3 s"),
)


def drawn(capsys: pytest.CaptureFixture[str], page: Page = PAGE) -> str:
    capsys.readouterr()
    Console().page(page, "verdict v1")
    return capsys.readouterr().out


def test_a_page_is_drawn_from_its_notes_to_its_foot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert drawn(capsys).splitlines() == [
        "Note: It doesn't seem to be English.",
        "",
        "Probably in the upper half",
        "People would put it between 70 and 98 of 100.",
        "",
        "I told my plants a joke.",
        "They were «rooting for» me.",
        "",
        "Kinds  Pun (right in 9 of 10)",
        "         below it (0: 25 %, 5: 75 %)",
        "Quiet  in the mood of [bold]markup[/bold]",
        "",
        "Factors",
        "name                                                   score",
        "Wit                                                      4.0",
        "A long name A long name A long name A long name A l…     3.0",
        "",
        "a model · 0.3 s · verdict v1",
    ]


def test_on_a_terminal_the_words_that_it_turns_on_are_underlined(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    out = drawn(capsys)
    assert "They were \x1b[4mrooting for\x1b[0m me." in out
    assert "\x1b[1mProbably in the upper half\x1b[0m" in out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in drawn(capsys)
