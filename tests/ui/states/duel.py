"""States of the Duel tab."""

from __future__ import annotations

from collections.abc import Callable

import canned

from jokejudge_gui.core.verdicts import ProbabilityA
from jokejudge_gui.judge.asking.explanation import TOO_CLOSE
from jokejudge_gui.ui.main_window import MainWindow
from states.frame import voted


def duel_same(window: MainWindow) -> None:
    window.show_tab("duel")
    window.by_kind["duel"].set_texts(canned.PARALLEL, canned.PARALLEL)


def duel_open(**changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("duel")
        window.by_kind["duel"].open(
            canned.entry(canned.duel(**changes), note="For the second half", tags=("set", "closer"))
        )

    return act


def duel_topic(window: MainWindow) -> None:
    window.show_tab("duel")
    window.by_kind["duel"].open(canned.entry(canned.duel(context="#RuinADinnerIn4Words")))


STATES: dict[str, Callable[[MainWindow], object]] = {
    "duel_topic": duel_topic,
    "duel_empty": lambda window: window.show_tab("duel"),
    "duel_same": duel_same,
    "duel_clear": duel_open(),
    "duel_inconsistent": duel_open(**canned.INCONSISTENT),
    "duel_noise": duel_open(
        p_a=0.52, confidence_factor=1.07, measured_factor=1.24, band="nearly identical", within_noise=True,
        explanation=TOO_CLOSE,
    ),
    "duel_b": duel_open(
        winner="B", p_a=0.04, confidence_factor=24.0, band="overwhelming", length_controlled=ProbabilityA(p_a=0.1)
    ),
    "duel_versions": duel_open(**canned.VERSIONS),
    "duel_tie": duel_open(
        **canned.VERSIONS | {"winner": "tie", "p_a": 0.5, "confidence_factor": 1.0, "band": "nearly identical"}
    ),
    "duel_voted": lambda window: voted(window, "duel"),
}  # fmt: skip
