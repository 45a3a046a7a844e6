"""What stands around the tabs: settings, the pane, notices, votes."""

from __future__ import annotations

from collections.abc import Callable

import canned_profile

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.ui.main_window import MainWindow


def voted(window: MainWindow, kind: str) -> None:
    """Twenty-five votes, mostly with the judge, the last of them on the verdict that is shown."""
    canned_profile.vote(window.session)
    window.taste.refresh()
    window.open_verdict("h9" if kind == "duel" else "h10")


def lose_model(window: MainWindow) -> None:
    """The model's file can't be found."""
    window.models.lose(
        ErrorInfo(code="E_MODEL_MISSING", sentence="The model file is missing.", hint="Choose another model.")
    )


STATES: dict[str, Callable[[MainWindow], object]] = {
    "settings": lambda window: window.open_settings(),
    "slow_notice": lambda window: window.notices.say(
        "info", "Q4_1 reads slowly here. A copy of this model in Q8_0 is faster.", "Make a faster copy"
    ),
    "palette": lambda window: window.open_palette(),
    "note": lambda window: window.verdicts.edit_note("h8"),
    "pane": lambda window: window.pane.toggle(),
}  # fmt: skip
