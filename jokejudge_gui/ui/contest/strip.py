"""The strip above a list: its name and reading time, its parts as tiles, and the cut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSlider, QButtonGroup, QSizePolicy, QWidget

from ...judge.contest.desk import Cut, Part, Tile
from ...judge.contest.record import RankedEntry
from ..look import wording
from ..look.theme import Room, px, theme
from ..widgets.base import LEFT, Themed, disc, elided, line, plain_tooltip, text_width, write
from ..widgets.cards import Card
from ..widgets.controls import Button, ChoiceButton, GhostButton, IconButton, SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Caption, Label, Paragraph

NO_ESTIMATE = "No estimate for this kind: the order is chance."
_TILE, _LOW_TILE, _TILE_GAP = 54, 38, 8


class TileButton(Button):
    """A part of the list: its title with the count, and a description; the current part is soft with an accent edge."""

    PADDING = 13

    def __init__(self, part: Part, parent: QWidget | None = None) -> None:
        super().__init__("", None, parent)
        self.part = part
        self.tile = Tile(part, 0, "", "")
        self.low = False
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_tile(self, tile: Tile, number: int) -> None:
        """Show a part. ``number``: the digit that chooses it together with Alt."""
        self.tile = tile
        self.setAccessibleName(f"{tile.title}, {tile.about}" if tile.about else tile.title)
        self.setToolTip(plain_tooltip(f"{tile.title}: {tile.about}\nAlt+{number}"))
        self.updateGeometry()
        self.update()

    def set_low(self, low: bool) -> None:
        """Set whether the tile has one line, without the description."""
        self.low = low
        self.updateGeometry()

    def _wide(self, *widths: float) -> QSize:
        return QSize(px(max(widths) + 2 * self.PADDING + 1), px(_LOW_TILE if self.low else _TILE))

    def sizeHint(self) -> QSize:
        about = 0.0 if self.low else text_width(self.tile.about, theme().raw_font(12))
        return self._wide(text_width(self.tile.title, theme().raw_font(15, 600)), about)

    def minimumSizeHint(self) -> QSize:
        return self._wide(text_width(self.tile.title, theme().raw_font(15, 600)))

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        if self.isChecked():
            return t.soft, t.accent, t.accent
        return (
            (t.track if self.state == "pressed" else t.surface),
            (t.field if self.state in ("hover", "pressed") else t.line2),
            t.text,
        )

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        t = theme()
        room = rect.width() - 2 * self.PADDING
        face, small = t.raw_font(15, 600), t.raw_font(12)
        top, high = (0.0, rect.height()) if self.low else (8.0, 20.0)
        title = QRectF(self.PADDING, top, room, high)
        write(painter, title, elided(self.tile.title, face, room + 1), face, colour, LEFT)
        if not self.low:
            about = QRectF(self.PADDING, 28, room, 18)
            write(painter, about, elided(self.tile.about, small, room + 1), small, t.tokens.text2, LEFT)


class CutLine(Themed, QAbstractSlider):
    """A slider with one tick per joke, funnier to the right; its ring separates the kept jokes. Its value is their
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

    def show_jokes(self, jokes: Sequence[RankedEntry], keep: int) -> None:
        """Show these jokes, best first, and the ring after the first ``keep``."""
        known = [entry.percentile for entry in jokes]
        of_100 = [value for value in known if value is not None]
        if len(of_100) == len(known) and of_100 == sorted(of_100, reverse=True):
            low, high, values = 0.0, 100.0, of_100
        else:
            values = [entry.score or 0.0 for entry in jokes]
            low, high = (min(values), max(values)) if values else (0.0, 1.0)
        self._at = [0.5 if high <= low else 0.02 + 0.96 * (value - low) / (high - low) for value in values]
        self.blockSignals(True)
        self.setRange(0, len(self._at))
        self.setValue(keep)
        self.blockSignals(False)
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

    # Position

    def _share(self) -> float:
        """Return the ring's position, 0…1 from the left."""
        keep = self.value()
        if not self._at:
            return 1.0
        left = self._at[keep] if keep < len(self._at) else 0.0
        right = self._at[keep - 1] if keep else 1.0
        return (left + right) / 2

    def _x(self, share: float) -> float:
        edge = px(9)
        return edge + share * (self.width() - 2 * edge)

    def _keep_at(self, x: float) -> int:
        return sum(self._x(at) >= x for at in self._at)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self._keep_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._keep_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t, middle = theme().tokens, self.height() / 2
        line(painter, QPointF(0, middle), QPointF(self.width(), middle), t.line)
        keep = self.value() if self.isEnabled() else 0
        for high, share, token, jokes in (
            (12, 0.55, t.field, self._at[keep:]), (24, 0.8, t.accent, self._at[:keep])
        ):  # fmt: skip
            colour = QColor(token)
            colour.setAlphaF(share)
            painter.setPen(QPen(colour, max(1.0, px(1.4))))
            half = px(high) / 2
            painter.drawLines([QLineF(x, middle - half, x, middle + half) for x in map(self._x, jokes)])
        if self.isEnabled() and self._at:
            x = self._x(self._share())
            line(painter, QPointF(x, 0), QPointF(x, self.height()), t.accent, px(2))
            if self.hasFocus():
                disc(painter, QPointF(x, middle), px(13), t.soft, t.accent, px(2))
            disc(painter, QPointF(x, middle), px(9), t.surface, t.accent, px(4))
        painter.end()


class Strip(Card):
    """The strip. ``part_asked`` carries the part to show, ``cut_moved`` the number of jokes that the cut keeps,
    ``cut_held`` whether the cut is being moved. The desk connects the buttons."""

    part_asked = Signal(str)
    cut_moved = Signal(int)
    cut_held = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.heading = Label("", 15, 600)
        self.facts = Label("", 13, token="text2")
        self.stop_button = SecondaryButton("Stop", "stop")
        self.go_on_button = SecondaryButton("Go on")
        self.add_button = GhostButton("Add jokes", "plus")
        self.export_button = SecondaryButton("Export", "export")
        self.more_button = IconButton("more", "More")
        self.part_button = ChoiceButton("Part", fitted=True)
        self.part_button.chosen.connect(lambda at: self.part_asked.emit(self.tiles[at].part))
        self.cut_button = SecondaryButton("", act=self._toggle_cut)
        self.list_button = SecondaryButton("List", tip="Show the list (T)")
        self.tiles: list[TileButton] = []
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(lambda tile: self.part_asked.emit(tile.part))
        self._tiles = QWidget()
        self._tile_row = HBox(parent=self._tiles, gap=_TILE_GAP)
        self.cut = CutLine()
        self.cut.valueChanged.connect(self.cut_moved)
        self.cut.sliderPressed.connect(lambda: self.cut_held.emit(True))
        self.cut.sliderReleased.connect(lambda: self.cut_held.emit(False))
        self.sentence = Paragraph("", 14, token="text")
        self.legend = Caption("one tick a joke, funnier to the right")
        self._room: Room = "wide"
        self._cut_open = False
        self._cut_known = self._ordered = True
        self._title = HBox(self.heading, self.facts, 1, gap=10)
        self._head = HBox(
            (self._title, 1), self.part_button, self.cut_button, self.list_button, self.stop_button, self.go_on_button,
            self.add_button, self.export_button, self.more_button, gap=8,
        )  # fmt: skip
        self._foot = HBox((self.sentence, 1), self.legend, gap=16)
        self._cut_row = VBox(self.cut)
        self._rows = VBox(self._head, self._tiles, self._cut_row, self._foot)
        self.body.add(self._rows)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.restyle()

    def restyle(self) -> None:
        super().restyle()
        room = getattr(self, "_room", "wide")
        if hasattr(self, "_rows"):
            top, bottom = {"wide": (14, 15), "medium": (10, 12), "narrow": (8, 8)}[room]
            self._outer.setContentsMargins(px(19), px(top), px(19), px(bottom))
            self._rows.setSpacing(px(8))
            self._cut_row.setContentsMargins(0, px(6 if room == "wide" else 0), 0, 0)

    def set_room(self, room: Room) -> None:
        """Set the available room, which decides between full tiles, tiles of one line, and a menu."""
        self._room = room
        for tile in self.tiles:
            tile.set_low(room == "medium")
        for widget, shown in (
            (self._tiles, room != "narrow"), (self.part_button, room == "narrow"), (self.list_button, room == "narrow"),
            (self.legend, room == "wide"), (self.facts, room != "narrow"),
        ):  # fmt: skip
            widget.setVisible(shown)
        for button, text in ((self.add_button, "Add jokes"), (self.export_button, "Export")):
            button.setText("" if room == "narrow" else text)
            button.setAccessibleName(text)
            button.setToolTip(text if room == "narrow" else "")
        self._show_cut_row()
        self.restyle()

    def _toggle_cut(self) -> None:
        self._cut_open = not self._cut_open
        self._show_cut_row()
        if self._cut_open:
            self.cut.setFocus()

    def _show_cut_row(self) -> None:
        narrow = self._room == "narrow"
        shown = self._cut_known and (not narrow or self._cut_open)
        for widget in (self.cut, self.sentence):
            widget.setVisible(shown)
        self.legend.setVisible(shown and self._ordered and self._room == "wide")
        self.cut_button.setVisible(narrow and self._cut_known)

    # Contents

    def show_name(self, name: str, facts: str) -> None:
        self.heading.setText(
            elided(name, self.heading.font(), px({"wide": 420, "medium": 220, "narrow": 90}[self._room]))
        )
        self.heading.setToolTip(plain_tooltip(name))
        self.facts.setText(facts)

    def show_parts(self, tiles: Sequence[Tile], part: Part) -> None:
        """Show the parts, with ``part`` checked."""
        parts = [tile.part for tile in tiles]
        if parts != [button.part for button in self.tiles]:
            self.tiles = [TileButton(each, self) for each in parts]
            self._tile_row.show_only(*self.tiles)
            for button in self.tiles:
                self._group.addButton(button)
                button.set_low(self._room == "medium")
        for number, (button, tile) in enumerate(zip(self.tiles, tiles, strict=True), start=1):
            button.show_tile(tile, number)
            button.setChecked(tile.part == part)
        self.part_button.set_options([tile.title for tile in tiles], parts.index(part) if part in parts else -1)

    def show_cut(self, jokes: Sequence[RankedEntry], cut: Cut, *, known: bool, hidden: bool) -> None:
        """Show the cut of these jokes. ``known``: their order follows from an estimate; ``hidden``: there is no cut."""
        self._cut_known, self._ordered = not hidden, known
        self.cut.setEnabled(known)
        self.cut.show_jokes(jokes, cut.keep)
        self.say_cut(cut, known=known)
        self._show_cut_row()

    def say_cut(self, cut: Cut, *, known: bool) -> None:
        """Show the number of jokes that the cut keeps, and its figures."""
        if not known:
            self.sentence.set_content(NO_ESTIMATE)
            self.cut_button.setText("No cut")
            return
        head = f"Keep {cut.keep:,}"
        self.cut_button.setText(f"Cut {cut.keep:,}")
        self.sentence.set_content([(f"{head}: ", "strong"), (cut.figures, "normal")] if cut.figures else head)
        kept = f"Keep {cut.keep} of {wording.count_of(cut.size, 'joke')}"
        self.cut.setAccessibleDescription(f"{kept}. {cut.figures}.".replace(". .", "."))
