"""Contests made by hand, and a window whose embedded model is one in name only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import canned
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.verdicts import Heard, Span, Usage
from jokejudge_gui.judge.contest.record import ContestResult, HeldDuel, RankedEntry, Reading
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.main_window import MainWindow
from tests.ranked_entries import ranked_entry

LONG = 30_000
JOKES = (
    "If smoking is bad, how come it cures salmon?",
    "My therapist says I have trouble accepting endings, so I’ve booked her every week until I do.",
    "I bought running shoes; they are resting well.",
    "I used to be indecisive. Now I’m not so sure.",
    "We named our Wi-Fi Martin Router King. I have a stream.",
    "The meeting could decide nothing, and took minutes.",
    "Parallel lines have so much in common. It’s a shame they’ll never meet.",
    "Mondays, am I right?",
    "What do you call a cow that is funny? A funny cow!",
)
PLACES = (91, 88, 86, 71, 66, 63, 58, 31, 12)
HALF = (20, 21, 25, 25, 26, 26, 25, 22, 18)


def ranked(place: int, text: str, percentile: float, half: float, **changes: Any) -> RankedEntry:
    low, high = max(0.0, percentile - half), min(100.0, percentile + half / 2)
    values = {
        "id": str(place), "text": text, "score": (percentile - 50) / 20, "low": (low - 50) / 20,
        "high": (high - 50) / 20, "rank": place, "rank_low": max(1, place - 2), "rank_high": place + 2,
        "percentile": percentile, "percentile_low": low, "percentile_high": high,
        "group": 1 if place <= 3 else 2 if place <= 7 else 3, "p_top": 0.5,
        "reading": Reading(value=(percentile - 50) / 20, percentile=percentile, upper=percentile / 100),
    }  # fmt: skip
    return ranked_entry(**{**values, **changes})


HEARD = Heard(where="4 of 9 collections", likeness=0.9, collections=4, of=9)


def contest(identity: str = "c1", **changes: Any) -> ContestResult:
    """Nine jokes, two of them kept, one binned."""
    rows = list(zip(range(1, 10), JOKES, PLACES, HALF, strict=True))
    extra: dict[int, dict[str, Any]] = {
        1: {"mark": "keep", "duels": 2}, 2: {"mark": "keep", "starred": True, "duels": 2, "like": ("3",)},
        3: {"like": ("2",)}, 6: {"heard": HEARD}, 9: {"mark": "bin"},
    }  # fmt: skip
    entries = [ranked(place, text, of_100, half, **extra.get(place, {})) for place, text, of_100, half in rows]
    values = {
        "id": identity, "title": "Friday set", "context": "everyday life", "entries": tuple(entries),
        "held": (HeldDuel(a="1", b="2", p_a=0.7, drafts=True),),
        "agreement": 0.66, "model": canned.MODEL, "stage_seconds": {"reading": 1.4},
        "usage": Usage(tokens_evaluated=412, tokens_reused=96, seconds=1.4),
    }  # fmt: skip
    return ContestResult.model_validate({**values, **changes})


_WHO = ("My neighbour", "Our dentist", "The new lift", "My umbrella", "The village choir", "Her sat nav", "Our cat")
_DOES = ("has opinions about", "apologised to", "is saving up for", "refuses to discuss", "was promoted over")
_WHAT = ("the weather", "a second breakfast", "my handwriting", "the meeting", "its own reflection", "the good chairs")
_DEVICES = ("", "misdirection", "pun: minutes", "", "exaggeration")
_END = ("It seems to help.", "Nobody asked.", "We pay it by the hour.", "I took minutes.", "I have the receipt.")


def long_list(count: int = 200, **changes: Any) -> ContestResult:
    """A list with everything in it: what is left out, twins, well-known ones and turns."""
    chance = random.Random(7)
    entries = []
    for place in range(1, count + 1):
        parts = [each[(place * step) % len(each)] for each, step in ((_WHO, 3), (_DOES, 7), (_WHAT, 5))]
        start, end = f"{' '.join(parts)} on day {place}. ", _END[place % len(_END)]
        percentile = max(1.0, min(99.0, 98.0 - 96.0 * place / count + chance.uniform(-0.2, 0.2)))
        turn = Span(start=len(start), end=len(start) + len(end) - 1, text=end[:-1], p=0.8)
        reading = Reading(value=percentile / 20 - 2.5, percentile=percentile, agreement=0.65, turn=turn)
        reading = reading.replaced(upper=0.3 + 0.4 * percentile / 100, device=_DEVICES[place % len(_DEVICES)])
        extra: dict[str, Any] = {"reading": reading, "score": reading.value}
        spread = count // 3 + chance.randrange(count // 10 + 1)
        extra |= {
            "rank_low": max(1, place - spread),
            "rank_high": min(count, place + spread),
            "group": 1 + (place > 40) + (place > 150),
        }
        if place % 29 == 5:
            extra["reason"] = ("a heading", "a refusal", "a remark")[place % 3]
        if place % 33 in (8, 9):
            extra["like"] = (str(place + 1 if place % 33 == 8 else place - 1),)
        entries.append(ranked(place, start + end, percentile, 20.0, **extra))
    values = {"entries": tuple(entries), "held": (), "stage_seconds": {"reading": 31.2}, "context": ""}
    return contest(**{**values, **changes})


def shown_tab(qtbot: QtBot, tab: ContestTab) -> ContestTab:
    """Show a tab of its own."""
    qtbot.addWidget(tab)
    tab.resize(1060, 800)
    tab.show()
    return tab


def tab_of(window: MainWindow) -> ContestTab:
    tab = window.by_kind["contest"]
    assert isinstance(tab, ContestTab)
    return tab


def rank(qtbot: QtBot, window: MainWindow, texts: Sequence[str]) -> ContestTab:
    """Read a list as a user would, and wait for the end."""
    tab = tab_of(window)
    window.show_tab("contest")
    tab.new_list()
    tab.list_page.set_text("\n".join(texts))
    window.run_current()
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    return tab


def open_list(qtbot: QtBot, window: MainWindow, identity: str = "c1") -> ContestTab:
    """Open a stored contest as from the history, and wait until it is shown."""
    tab = tab_of(window)
    before = tab.state
    window.open_verdict(identity)
    qtbot.waitUntil(lambda: tab.state is not before and window.tabs.current() == "contest", timeout=LONG)
    return tab


def press(tab: ContestTab, *keys: Qt.Key) -> None:
    """Press keys in the table of the desk, or at the desk where the table isn't shown."""
    for key in keys:
        tab.desk.focus_first()
        QTest.keyClick(tab.desk.table, key)


def drag(view: QTreeView, row: int, before: int) -> None:
    """Drop a row above another one."""
    index = view.model().index(row, 1)
    view.setCurrentIndex(index)
    at = view.visualRect(view.model().index(before, 1)).topLeft() + QPoint(4, 1)
    data = view.model().mimeData([index])
    drop = QDropEvent(at, Qt.DropAction.MoveAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    view.dropEvent(drop)
