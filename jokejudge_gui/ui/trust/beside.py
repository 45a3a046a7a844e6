"""Two models' measurements on the same files, held against each other in the Trust tab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ...engine.base import CancelToken
from ...evaluation.comparison import BY_ROWS, Comparison, comparison_words, rank_words
from ...runs.compare import Labels, SavedRun, compare
from ...runs.kept import Kept, KeptEvaluations
from ...verdicts import ModelRef
from ..frame.judge_worker import JobStart
from ..look.theme import px, theme
from ..widgets.choice import ChoiceButton
from ..widgets.text import Paragraph, Run

ASK = "Compare with another model…"


class HeldBeside:
    """How the measurement ``first`` compares with the one that was chosen."""

    def __init__(self, first: Kept, found: Comparison) -> None:
        self.first = first
        self.found = found


def beside_job(first: Kept, second: Kept, store: KeptEvaluations) -> JobStart:
    """Compares two kept measurements row by row."""

    def start(_token: CancelToken) -> Iterator[object]:
        runs = [SavedRun.read(store.folder / f"{kept.stem}.jsonl", kept.source) for kept in (first, second)]
        yield HeldBeside(first, compare(runs[0], runs[1], Labels()))

    return start


class BesidePart(QWidget):
    """Offers the other models that were measured on the same files, and says how the two compare. ``asked`` carries
    both measurements. Hidden where there is no other."""

    asked = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._kept: Kept | None = None
        self._others: tuple[Kept, ...] = ()
        self.choice = ChoiceButton("Compare with another model")
        self.choice.chosen.connect(self._choose)
        self.text = Paragraph("", 13, token="text", gap=6)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.choice, self.text):
            self._column.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        theme().changed.connect(self._scale)
        self._scale()
        self.offer(None, ())

    def _scale(self) -> None:
        self._column.setSpacing(px(10))

    def offer(self, kept: Kept | None, others: Sequence[Kept]) -> None:
        """Offer to hold ``kept`` against one of the ``others``."""
        self._kept, self._others = kept, tuple(others)
        self.choice.set_options([ASK, *(_model(other) for other in others)], 0)
        self.text.set_content("")
        self.text.hide()
        self.setVisible(kept is not None and bool(others))

    def show_comparison(self, held: HeldBeside) -> None:
        """Say how the two compare, if the first is still the one that is shown."""
        if self._kept is None or held.first.stem != self._kept.stem:
            return
        found = held.found
        names = f"The first is {_name(found.first.model)}, the second {_name(found.second.model)}."
        runs: list[Run] = [(names, "normal")]
        for name, part in found.parts:
            runs += [(f"\n{name}. ", "strong"), (comparison_words(part).replace("p = ", "p\xa0=\xa0"), "normal")]
        if found.ratings is not None:
            runs.append((f"\n{rank_words(found.ratings)}", "normal"))
        self.text.set_content([*runs, (f"\n{BY_ROWS}", "muted")])
        self.text.show()

    def _choose(self, place: int) -> None:
        if place and self._kept is not None:
            self.asked.emit(self._kept, self._others[place - 1])
        else:
            self.text.hide()


def _model(kept: Kept) -> str:
    return _name(kept.found.model)


def _name(model: ModelRef | None) -> str:
    return model.name if model is not None else "no model"
