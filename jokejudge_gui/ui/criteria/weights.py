"""How much each factor counts in the weighted score: shares that sum to 100 %."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from ...rubric.own_file import Loaded
from ..look.theme import theme
from ..widgets.base import Themed
from ..widgets.controls import PrimaryButton, SecondaryButton
from ..widgets.scroll import ColumnScroll
from ..widgets.text import Label, Paragraph
from .fields import Line

_STEP = 5.0
_OFF_BY = 0.1
"""Per cent that the sum may be off by: thirds are never written whole."""
_EXPLAINED = (
    "The weighted score is the mean of a joke's factors, each by how far it can be trusted on the model, and by its "
    "weight here. Give the factors that matter to you a share; the shares sum to 100\u00a0%, and the others don't "
    "count. With no share at all they count alike."
)


class _Share(Line):
    """A share in per cent, 0 to 100; the arrow keys move it by five. ``changed`` is sent whenever it is another one."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        numbers = QDoubleValidator(0.0, 100.0, 1, self)
        numbers.setNotation(QDoubleValidator.Notation.StandardNotation)
        numbers.setLocale(QLocale.c())
        self.setValidator(numbers)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setPlaceholderText("0")
        self.textChanged.connect(self.changed)

    def value(self) -> float:
        """What is written, nothing and what is half written as 0."""
        try:
            return min(100.0, max(0.0, float(self.text())))
        except ValueError:
            return 0.0

    def set_value(self, value: float) -> None:
        """Write a share; 0 is nothing."""
        self.setText(f"{round(value, 1):g}" if round(value, 1) else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: _STEP, Qt.Key.Key_Down: -_STEP}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.set_value(min(100.0, max(0.0, self.value() + step)))

    def restyle(self) -> None:
        super().restyle()
        self.setFixedWidth(theme().px(80))


class WeightsPage(Themed, QWidget):
    """``save_asked`` carries shares in 0…1 by id of a factor, none to let all count alike."""

    save_asked = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(Paragraph(_EXPLAINED, 13, token="text2"))
        self.column = ColumnScroll()
        self._column.addWidget(self.column, 1)
        self._body = QWidget()
        self._grid = QGridLayout(self._body)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(0, 1)
        self.column.add(self._body)
        self.boxes: dict[str, _Share] = {}
        self._labels: list[QWidget] = []
        foot = QHBoxLayout()
        self.total = Label("", 14, 600, tabular=True)
        foot.addWidget(self.total, 1)
        self.even_button = SecondaryButton("Bring to 100\u00a0%")
        self.even_button.setToolTip("Keep the proportions and let the shares sum to 100 %")
        self.even_button.clicked.connect(self._even)
        self.clear_button = SecondaryButton("Clear")
        self.clear_button.clicked.connect(self._clear)
        self.save_button = PrimaryButton("Save weights")
        self.save_button.clicked.connect(self._save)
        for button in (self.even_button, self.clear_button, self.save_button):
            foot.addWidget(button)
        self._column.addLayout(foot)
        self._kept: dict[str, float] = {}
        self.follow_theme()

    def show_weights(self, loaded: Loaded) -> None:
        """A row for each factor that takes part, the heaviest first."""
        for widget in (*self._labels, *self.boxes.values()):
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._labels, self.boxes = [], {}
        self._kept = dict(loaded.own.weights)
        factors = [item for item in loaded.items if item.section == "factor" and not item.off]
        for number, item in enumerate(sorted(factors, key=lambda item: -self._kept.get(item.id, 0.0))):
            label = Label(item.name)
            box = _Share(f"Weight of {item.name} in per cent")
            box.set_value(100.0 * self._kept.get(item.id, 0.0))
            box.changed.connect(self._sum)
            label.setBuddy(box)
            self._grid.addWidget(label, number, 0)
            self._grid.addWidget(box, number, 1)
            unit = Label("%")
            self._grid.addWidget(unit, number, 2)
            self._labels += [label, unit]
            self.boxes[item.id] = box
        self._sum()

    @property
    def changed(self) -> bool:
        """Whether something was typed that isn't saved."""
        shown = {id: round(100 * share, 1) for id, share in self._kept.items() if id in self.boxes}
        return {id: round(box.value(), 1) for id, box in self.boxes.items() if box.value()} != shown

    def _sum(self) -> None:
        total = sum(box.value() for box in self.boxes.values())
        fits = not total or abs(total - 100.0) <= _OFF_BY
        self.total.setText(f"Together {total:.1f} %" if total else "All factors count alike")
        self.total.set_token("text" if fits else "bad_text")
        self.save_button.setEnabled(fits and self.changed)
        self.even_button.setEnabled(not fits)
        self.clear_button.setEnabled(bool(total))

    def _even(self) -> None:
        total = sum(box.value() for box in self.boxes.values())
        for box in self.boxes.values():
            box.set_value(100.0 * box.value() / total)

    def _clear(self) -> None:
        for box in self.boxes.values():
            box.set_value(0.0)

    def _save(self) -> None:
        values = {id: box.value() for id, box in self.boxes.items() if box.value()}
        total = sum(values.values())
        self.save_asked.emit({id: value / total for id, value in values.items()})

    def restyle(self) -> None:
        self._column.setSpacing(theme().px(14))
        self._grid.setVerticalSpacing(theme().px(8))
        self._grid.setHorizontalSpacing(theme().px(16))
        super().restyle()
