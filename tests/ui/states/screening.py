"""States of screening in the Contest tab."""

from __future__ import annotations

from collections.abc import Callable

from contest_driving import contest, screenable, tab_of

from jokejudge_gui.ui.main_window import MainWindow
from states.contest import stored


def screening(agreement: float = 0.69, more: int = 11, **changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("contest")
        tab = tab_of(window)
        tab.open(stored(window, screenable(agreement, more, **changes)))
        tab.desk.show_screening()

    return act


def screening_vote(window: MainWindow) -> None:
    screening(0.8)(window)
    page = tab_of(window).desk.screening
    page.vote_button.click()
    for _ in range(3):
        next(iter(page.ballot.choices.values())).click()


def screening_decided(window: MainWindow) -> None:
    screening_vote(window)
    page = tab_of(window).desk.screening
    best = next(iter(page.ballot.choices))
    while page.face == "vote":
        page.ballot.choices[best].click()


STATES: dict[str, Callable[[MainWindow], object]] = {
    "screening_list": screening(0.85),
    "screening_unknown": screening(entries=contest().entries),
    "screening_vote": screening_vote,
    "screening_decided": screening_decided,
}  # fmt: skip
