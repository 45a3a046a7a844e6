"""The strip above a list: its name and the time that judging took, its parts as tiles, and the cut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSlider, QButtonGroup, QSizePolicy, QWidget

from ...judge.contest.desk import Cut, Part, Tile
from ...judge.contest.record import RankedEntry
from ...judge.contest.words import LITTLE_BETTER, NO_ESTIMATE, by_place
from ..look import wording
from ..look.theme import Room, font, px, theme
from ..widgets.base import Themed, disc, elided, line, plain_tooltip, text_width, write
from ..widgets.cards import Card
from ..widgets.controls import Button, ChoiceButton, GhostButton, IconButton, SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Caption, Label, Paragraph

_SIDE, _WIDEST = 13, 290
"""Pixels at 100 % beside the words of a tile, and its width from which on a description is elided."""


class TileButton(Button):
    """A part of the list with its count. A ``tall`` one has its description below, the tooltip of any has it whole."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self.part = part
        self.tile = Tile(part, 0, "", "")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_tile(self, tile: Tile, number: int, *, tall: bool) -> None:
        """Show a part. ``number``: the digit that chooses it together with Alt."""
        self.tile = tile
        self.setText(tile.title)
        if tall != self.property("tall"):
            self.setProperty("tall", tall)
            self.style().polish(self)
        self.setAccessibleName(", ".join(filter(None, (tile.title, tile.about))))
        self.setToolTip(plain_tooltip(f"{tile.title}: {tile.about}\nAlt+{number}"))

    def sizeHint(self) -> QSize:
        hint = self.minimumSizeHint()
        about = round(text_width(self.tile.about, font(12))) + px(2 * _SIDE) + 2 if self.property("tall") else 0
        return hint.expandedTo(QSize(min(about, px(_WIDEST)), 0))

    def minimumSizeHint(self) -> QSize:
        return super().sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.property("tall"):
            painter, place = QPainter(self), QRectF(px(_SIDE), px(28), self.width() - px(2 * _SIDE), px(18))
            about = elided(self.tile.about, font(12), place.width())
            write(painter, place, about, font(12), theme().tokens.text2)
            painter.end()


class CutLine(Themed, QAbstractSlider):
    """A slider with one tick per joke, funnier to the right; its ring separates the first ones. Its value is their
    number: the arrow keys change it by one, the page keys by ten."""

    def __init__(self) -> None:
        super().__init__()
        self._at: list[float] = []
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setInvertedControls(True)  # fewer to the right
        self.setSingleStep(1)
        self.setPageStep(10)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Cut")
        self.setProperty("ring", False)
        self.follow_theme()

    def show_jokes(self, jokes: Sequence[RankedEntry], first: int) -> None:
        """Show these jokes, best first, and the ring after the ``first`` ones."""
        of_100 = by_place(jokes) and all(entry.percentile is not None for entry in jokes)
        values = [(entry.percentile if of_100 else entry.score) or 0.0 for entry in jokes]
        low, high = (0.0, 100.0) if of_100 else (min(values, default=0.0), max(values, default=0.0))
        self._at = [0.5 if high <= low else 0.02 + 0.96 * (value - low) / (high - low) for value in values]
        with QSignalBlocker(self):
            self.setRange(0, len(self._at))
            self.setValue(first)
        self.update()

    def restyle(self) -> None:
        self.setFixedHeight(px(40))
        super().restyle()

    def sizeHint(self) -> QSize:
        return QSize(px(300), px(40))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), px(40))

    def sliderChange(self, change: QAbstractSlider.SliderChange) -> None:
        super().sliderChange(change)
        self.update()

    def _x(self, share: float) -> float:
        edge = px(9)
        return edge + share * (self.width() - 2 * edge)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # While a button is pressed: the widget doesn't track the mouse.
        self.setValue(sum(self._x(at) >= event.position().x() for at in self._at))

    mouseMoveEvent = mousePressEvent

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t, middle, first = theme().tokens, self.height() / 2, self.value() if self.isEnabled() else 0
        line(painter, QPointF(0, middle), QPointF(self.width(), middle), t.line)
        for high, share, token, jokes in (
            (12, 0.55, t.field, self._at[first:]), (24, 0.8, t.accent, self._at[:first])
        ):  # fmt: skip
            colour = QColor(token)
            colour.setAlphaF(share)
            painter.setPen(QPen(colour, max(1.0, px(1.4))))
            half = px(high) / 2
            painter.drawLines([QLineF(x, middle - half, x, middle + half) for x in map(self._x, jokes)])
        if self.isEnabled() and self._at:
            left = self._at[first] if first < len(self._at) else 0.0
            ring = QPointF(self._x((left + (self._at[first - 1] if first else 1.0)) / 2), middle)
            line(painter, QPointF(ring.x(), 0), QPointF(ring.x(), self.height()), t.accent, px(2))
            if self.hasFocus():
                disc(painter, ring, px(13), t.soft, t.accent, px(2))
            disc(painter, ring, px(9), t.surface, t.accent, px(4))
        painter.end()


class Strip(Card):
    """The strip. ``part_asked`` carries the part to show, ``cut_moved`` the number of jokes before the cut. The desk
    connects the buttons. Where there is little room the parts are a menu, and a button shows the cut."""

    part_asked = Signal(str)
    cut_moved = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._room: Room = "wide"
        self.has_cut = True
        self.heading, self.facts = Label("", 15, 600), Label("", 13, token="text2")
        self.stop_button, self.go_on_button = SecondaryButton("Stop", "stop"), SecondaryButton("Go on")
        self.add_button, self.export_button = (
            GhostButton("Add jokes", "plus"),
            SecondaryButton("Export", "export", name="Export"),
        )
        self.more_button = IconButton("more", "More")
        self.list_button = SecondaryButton("List", tip="Show the list (T)")
        self.part_button = ChoiceButton("Part")
        self.part_button.chosen.connect(lambda at: self.part_asked.emit(self.tiles[at].part))
        self.cut_button = SecondaryButton(act=self._turn_cut)
        self.cut_button.setCheckable(True)
        self.tiles: list[TileButton] = []
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(lambda tile: self.part_asked.emit(tile.part))
        self._tiles, self._cut_row = QWidget(), QWidget()
        self._tile_row = HBox(parent=self._tiles, gap=8)
        self.cut, self.sentence = CutLine(), Paragraph("", 14, token="text")
        self.cut.valueChanged.connect(self.cut_moved)
        self.legend = Caption("one tick a joke, funnier to the right")
        VBox(self.cut, HBox((self.sentence, 1), self.legend, gap=16), parent=self._cut_row, gap=8)
        head = HBox(
            (HBox(self.heading, self.facts, 1, gap=10), 1), self.part_button, self.cut_button, self.list_button,
            self.stop_button, self.go_on_button, self.add_button, self.export_button, self.more_button, gap=8,
        )  # fmt: skip
        self.body.add(VBox(head, self._tiles, self._cut_row, gap=8))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def set_room(self, room: Room) -> None:
        """Set the available room."""
        self._room = room
        narrow = room == "narrow"
        for widget, shown in (
            (self.part_button, narrow), (self.list_button, narrow), (self._tiles, not narrow), (self.facts, not narrow),
            (self._cut_row, self.has_cut and (not narrow or self.cut_button.isChecked())),
            (self.cut_button, self.has_cut and narrow), (self.legend, self.cut.isEnabled() and room == "wide"),
        ):  # fmt: skip
            widget.setVisible(shown)
        self.export_button.setText("" if narrow else "Export")
        top, bottom = {"wide": (14, 15), "medium": (10, 12), "narrow": (8, 8)}[room]
        self._outer.set_margins(19, top, 19, bottom)

    def _turn_cut(self, shown: bool) -> None:
        self.set_room(self._room)
        if shown:
            self.cut.setFocus()

    # Contents

    def show_name(self, name: str, facts: str) -> None:
        room = px({"wide": 420, "medium": 220, "narrow": 90}[self._room])
        self.heading.setText(elided(name, self.heading.font(), room))
        self.heading.setToolTip(plain_tooltip(name))
        self.facts.setText(facts)

    def show_parts(self, tiles: Sequence[Tile], part: Part) -> None:
        """Show the parts, with ``part`` checked."""
        parts = [tile.part for tile in tiles]
        if parts != [button.part for button in self.tiles]:
            self.tiles = [*map(TileButton, parts)]
            self._tile_row.show_only(*self.tiles)
            for button in self.tiles:
                self._group.addButton(button)
        for number, (button, tile) in enumerate(zip(self.tiles, tiles, strict=True), start=1):
            button.show_tile(tile, number, tall=self._room == "wide")
            button.setChecked(tile.part == part)
        self.part_button.set_options([tile.title for tile in tiles], parts.index(part))

    def show_cut(self, jokes: Sequence[RankedEntry], cut: Cut, *, estimated: bool, hidden: bool) -> None:
        """Show the cut of these jokes. ``estimated``: their order is informative; ``hidden``: there is no cut."""
        self.has_cut = not hidden
        self.cut.setEnabled(estimated and not cut.weak)
        self.cut.show_jokes(jokes, cut.first)
        self.say_cut(cut)
        self.set_room(self._room)

    def say_cut(self, cut: Cut) -> None:
        """Show the number of jokes before the cut, and its figures."""
        head, figures = f"The first {cut.first:,}", f" of {cut.size:,} {cut.figures}" if cut.figures else ""
        without = LITTLE_BETTER if cut.weak else NO_ESTIMATE
        self.sentence.set_content([(head, "strong"), (figures, "normal")] if self.cut.isEnabled() else without)
        self.cut_button.setText(f"Cut {cut.first:,}" if self.cut.isEnabled() else "No cut")
        of = f"{head} of {wording.count_of(cut.size, 'joke')}"
        self.cut.setAccessibleDescription(f"{of} {cut.figures}." if cut.figures else f"{of}.")
        about = f"{self.cut_button.text()}: show or hide the line below the first {wording.count_of(cut.first, 'joke')}"
        self.cut_button.setToolTip(about)
        self.cut_button.setAccessibleName(about)
