"""States of the page of sets."""

from __future__ import annotations

from collections.abc import Callable

import canned
import canned_profile
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jokejudge_gui.core.room import RoomLaugh
from jokejudge_gui.core.verdicts import Laugh, Span, Status
from jokejudge_gui.judge.set.record import Bit, SetResult
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow

_LONG = (
    "I love how at airport security they make you take off your shoes. One guy, one time, tried something with his "
    "shoe, and now we all walk barefoot through a hallway like we're visiting a very strict mosque. And it's always "
    "the guy in front of me. He's wearing boots. He's unlacing them like he's defusing them."
)
_TEXTS = (
    ("AIRPORT", _LONG, "defusing them"),
    ("", "My wife is a lawyer, so I haven't won an argument since 2009. The dog ruled against me.", "ruled against me"),
    ("GYM", "I joined a gym. I've been twice, once to join and once to ask how to cancel.", "to ask how to cancel"),
    ("A VERY LONG TITLE OF A BIT THAT NEEDS ALL THE ROOM THERE IS", "Our cat ran for mayor. She lost.", "She lost"),
    ("", "The dog has a lawyer now. He ruled that I defuse the boots.", ""),
)


def made_set(count: int = 12, **changes: object) -> SetResult:
    """Bits of all sorts, some again in other words."""
    bits = []
    for number in range(count):
        title, text, punchline = _TEXTS[number % len(_TEXTS)]
        at = text.find(punchline) if punchline else -1
        turn = Span(start=at, end=at + len(punchline), text=punchline, p=0.9) if at >= 0 else None
        laughs = (Laugh(start=0, end=65, p=0.2), Laugh(start=66, end=len(text), p=0.8)) if text == _LONG else ()
        room = (RoomLaugh(at=65), RoomLaugh(at=204, strength=3)) if number == 0 else ()
        bits.append(Bit(id=str(number + 1), title=title, text=f"{text}{' Again.' * (number // 5)}", punchline=turn,
                        laughs=laughs, room=room, rating=f"r{number}"))  # fmt: skip
    values = {"id": "set1", "title": "Friday at the Stand", "bits": tuple(bits), "minutes": 5.0, "model": canned.MODEL}
    return SetResult.model_validate({**values, **changes})


def opened(result: SetResult, row: int = 0) -> Callable[[MainWindow], object]:
    """The page of a set that the history holds, with the bit of a row chosen."""

    def act(window: MainWindow) -> None:
        window.show_tab("contest")
        canned_profile.record(window.session.store, result, Status.FINISHED)
        window.sets.open(canned.entry(result))
        page = window.sets
        for _ in range(row):
            QTest.keyClick(page.list, Qt.Key.Key_Down)

    return act


def reading(window: MainWindow) -> None:
    opened(made_set(3, id="set3"))(window)
    page, bits = window.sets, tuple(bit.given for bit in made_set(12).bits)
    page.expect({"bits": bits, "title": "Friday at the Stand", "minutes": 5.0})
    page.begin(Job("set", lambda _token: ()))


STATES: dict[str, Callable[[MainWindow], object]] = {
    "set_open": opened(made_set()),
    "set_callback": opened(made_set(minutes=None), 4),
    "set_short": opened(made_set(2, id="set2", title="")),
    "set_reading": reading,
}
