"""States of the window, by tab: each puts a window that was just opened on a filled profile into one."""

from __future__ import annotations

from collections.abc import Callable

from jokejudge_gui.ui.main_window import MainWindow
from states import contest, criteria, duel, frame, library, rate, set, trust

STATES: dict[str, Callable[[MainWindow], object]] = {
    **rate.STATES,
    **duel.STATES,
    **contest.STATES,
    **set.STATES,
    **trust.STATES,
    **criteria.STATES,
    **library.STATES,
    **frame.STATES,
}
