"""How much work a contest is to be: how many of the best are to be found, and how many duels may be held for that."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ...config import Settings
from ..look.theme import px, theme
from ..widgets.choice import ChoiceButton

TOPS = (1, 3, 5, 10, 20, 50)
ROUNDS: tuple[int | None, ...] = (None, 0, 3, 5, 10)
BUDGETS: tuple[int | None, ...] = (None, 0, 20, 60, 120, 240, 500)
WHAT_ROUNDS = (
    "In a round the model scores the jokes from 1 to 10, several together and in shuffled order: how funny each is, "
    "how well it fits the topic, and how original it is."
)


class EffortChoices(QWidget):
    """Choices that are remembered in ``settings``. ``changed``: one of them was changed."""

    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.top = ChoiceButton("How many of the best to find", fitted=True)
        self.duels = ChoiceButton("Duels", fitted=True)
        self._tops = _with(TOPS, settings.contest_top)
        self._budgets = _with(BUDGETS, settings.contest_duels)
        self.top.set_options([f"Best {n}" for n in self._tops], self._tops.index(settings.contest_top))
        self.duels.set_options(
            [_duels(budget) for budget in self._budgets], self._budgets.index(settings.contest_duels)
        )
        self.rounds = ChoiceButton("Rounds of scoring", fitted=True)
        self._rounds = _with(ROUNDS, settings.contest_rounds)
        self.rounds.set_options([_rounds(count) for count in self._rounds], self._rounds.index(settings.contest_rounds))
        self.rounds.setToolTip(WHAT_ROUNDS)
        self.rounds.chosen.connect(self._choose_rounds)
        self.top.chosen.connect(self._choose_top)
        self.duels.chosen.connect(self._choose_duels)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self.buttons = [self.top, self.duels, self.rounds]
        for button in self.buttons:
            self._row.addWidget(button)
        self._row.addStretch(1)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._row.setSpacing(px(8))

    def fields(self) -> dict[str, object]:
        """Fields of a contest's request."""
        settings = self._settings
        return {"top": settings.contest_top, "budget": settings.contest_duels, "shuffled": settings.contest_rounds}

    def _choose_top(self, place: int) -> None:
        self._settings.contest_top = self._tops[place] or 1
        self.changed.emit()

    def _choose_duels(self, place: int) -> None:
        self._settings.contest_duels = self._budgets[place]
        self.changed.emit()

    def _choose_rounds(self, place: int) -> None:
        self._settings.contest_rounds = self._rounds[place]
        self.changed.emit()


def _rounds(count: int | None) -> str:
    if count is None:
        return "Rounds as needed"
    return f"{count} rounds" if count else "No rounds"


def _with(options: tuple[int | None, ...], chosen: int | None) -> list[int | None]:
    """The options, and the one that is set if it is another."""
    if chosen in options:
        return list(options)
    return sorted([*options, chosen], key=lambda one: -1 if one is None else one)


def _duels(budget: int | None) -> str:
    if budget is None:
        return "Duels as needed"
    return f"At most {budget} duels" if budget else "No duels"
