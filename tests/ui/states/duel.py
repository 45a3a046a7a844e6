"""States of the Duel tab."""

from __future__ import annotations

from collections.abc import Callable

import canned

from jokejudge_gui.ui.main_window import MainWindow
from states.frame import voted


def duel_same(window: MainWindow) -> None:
    window.show_tab("duel")
    window.by_kind["duel"].set_texts(canned.PARALLEL, canned.PARALLEL)


def duel_open(**changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("duel")
        window.by_kind["duel"].open(canned.entry(canned.duel(**changes)))

    return act


def duel_drafts(**changes: object) -> Callable[[MainWindow], None]:
    return duel_open(**canned.WORD | changes)


def duel_noted(window: MainWindow) -> None:
    window.show_tab("duel")
    result = canned.duel(**canned.WORD, context="#RuinADinnerIn4Words")
    window.by_kind["duel"].open(canned.entry(result, note="For the second half", tags=("set", "closer")))


def duel_edited(window: MainWindow) -> None:
    duel_drafts()(window)
    window.by_kind["duel"].jokes[0].editor.insertPlainText("And so: ")


STATES: dict[str, Callable[[MainWindow], object]] = {
    "duel_empty": lambda window: window.show_tab("duel"),
    "duel_same": duel_same,
    "duel_word": duel_drafts(),
    "duel_noted": duel_noted,
    "duel_edited": duel_edited,
    "duel_cut": duel_drafts(
        text_a=canned.PARALLEL, text_b="Parallel lines have so much in common.", edit="cut", p_a=0.93, people=94,
        read_b=canned.read(None, said="unsure"),
    ),
    "duel_no_turn": duel_drafts(text_b="I went to the shop. It was open.", read_b=canned.read(None, said="no turn"),
                                edit="different", people=None),
    "duel_different": duel_open(**canned.READ_APART),
    "duel_long": duel_drafts(text_a=canned.LONG, text_b=canned.LONG.replace("bus", "tram"), edit="word"),
    "duel_asked": duel_open(),
    "duel_inconsistent": duel_open(**canned.INCONSISTENT),
    "duel_voted": lambda window: voted(window, "duel"),
}  # fmt: skip
