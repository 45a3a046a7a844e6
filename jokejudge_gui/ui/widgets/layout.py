"""Rows and columns whose gaps and margins follow the text size."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLayout, QWidget

from ..look.theme import px, theme

Item = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]


class _Box(QBoxLayout):
    """``items``: widgets and layouts in their order, each alone or with its stretch and alignment; a number is empty
    room that stretches so much. ``gap`` and ``margins`` are in pixels at 100 %; None: those of Qt's style."""

    def __init__(
        self,
        direction: QBoxLayout.Direction,
        items: tuple[Item, ...],
        parent: QWidget | None,
        gap: float | None,
        margins: tuple[float, float, float, float] | None,
    ) -> None:
        super().__init__(direction, parent)
        self._gap, self._margins = gap, margins
        self.add(*items)
        theme().changed.connect(self._scale)
        self._scale()

    def add(self, *items: Item) -> None:
        """Put something behind what is there."""
        for item in items:
            if isinstance(item, int):
                self.addStretch(item)
                continue
            what, *how = item if isinstance(item, tuple) else (item,)
            if isinstance(what, QLayout):
                self.addLayout(what, *how)  # type: ignore[arg-type]
            else:
                self.addWidget(what, *how)  # type: ignore[arg-type]

    def _scale(self) -> None:
        if self._gap is not None:
            self.setSpacing(px(self._gap))
        if self._margins is not None:
            self.setContentsMargins(*map(px, self._margins))


class HBox(_Box):
    """From left to right."""

    def __init__(
        self,
        *items: Item,
        parent: QWidget | None = None,
        gap: float | None = None,
        margins: tuple[float, float, float, float] | None = (0, 0, 0, 0),
    ) -> None:
        super().__init__(QBoxLayout.Direction.LeftToRight, items, parent, gap, margins)

    def stack(self, stacked: bool) -> None:
        """Whether its items stand one under the other instead."""
        self.setDirection(QBoxLayout.Direction.TopToBottom if stacked else QBoxLayout.Direction.LeftToRight)


class VBox(_Box):
    """From top to bottom."""

    def __init__(
        self,
        *items: Item,
        parent: QWidget | None = None,
        gap: float | None = None,
        margins: tuple[float, float, float, float] | None = (0, 0, 0, 0),
    ) -> None:
        super().__init__(QBoxLayout.Direction.TopToBottom, items, parent, gap, margins)


class Grid(QGridLayout):
    """``gaps``: between columns and between rows, in pixels at 100 %; ``wide``: the column that takes the rest."""

    def __init__(self, parent: QWidget | None = None, *, gaps: tuple[float, float], wide: int | None = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self._gaps = gaps
        self.setContentsMargins(0, 0, 0, 0)
        if wide is not None:
            self.setColumnStretch(wide, 1)
        theme().changed.connect(self._scale)
        self._scale()

    def _scale(self) -> None:
        self.setHorizontalSpacing(px(self._gaps[0]))
        self.setVerticalSpacing(px(self._gaps[1]))


def single_shot(parent: QObject, act: object, milliseconds: int) -> QTimer:
    """A timer that calls ``act`` once, so long after it was last started."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(act)  # type: ignore[arg-type]
    return timer
