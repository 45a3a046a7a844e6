"""The pane of the current joke: its text with the turn marked, facts, remarks, twins and buttons."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from ...core.pages import Mark
from ...core.words import differing, facts_of
from ...judge.contest.desk import Desk, Part
from ...judge.contest.record import RankedEntry
from ...judge.contest.words import left_out, well_known
from ..look import wording
from ..look.theme import px, theme
from ..widgets.base import CENTRE, box, write
from ..widgets.cards import Card, Rule
from ..widgets.controls import Button, GhostButton, IconButton, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.labels import ProgressLine
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.marked_text import MarkedText
from ..widgets.text import Caption, Heading, Label, Paragraph

_SENTENCE = re.compile(r"(?<=[.!?”])\s+(?=[A-Z“])")
_LARGE, _SMALL, _LONG = 20, 15, 400
"""Font sizes of the joke's text; texts of more than ``_LONG`` characters use the smaller one."""
_TWINS = 3
"""Number of other versions that are shown in full."""


class KeyedButton(Button):
    """A button that shows its shortcut key at the right end. ``primary``: it is the main action of its view."""

    KEY = 20

    def __init__(self, text: str, icon: str, key: str, *, primary: bool = False) -> None:
        self.key = key
        self.LOOK = PrimaryButton.LOOK if primary else SecondaryButton.LOOK  # type: ignore[misc]

        super().__init__(text, icon, tip=f"{text} ({key})")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def content_width(self) -> float:
        return super().content_width() + self.KEY + 10

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        super().paint_content(painter, rect, colour)
        right = rect.center().x() + self.content_width() / 2
        cap = QRectF(right - self.KEY, rect.center().y() - self.KEY / 2, self.KEY, self.KEY)
        painter.setOpacity(0.6)
        box(painter, cap, 5, None, colour)
        painter.setOpacity(1.0)
        write(painter, cap, self.key, theme().raw_font(12, 500), colour, CENTRE)


class TwinText(QWidget):
    """Another version of the joke in full, with the differing words marked. ``chosen`` carries its id."""

    chosen = Signal(str)

    def __init__(self, title: str, twin: RankedEntry, text: str) -> None:
        super().__init__()
        self.link = LinkButton("Keep this one instead", act=lambda: self.chosen.emit(twin.id))
        self.text = MarkedText(size=_SMALL, token="text2")
        _, own = differing(text, twin.text)
        if 2 * sum(end - start for start, end in own) > len(twin.text):
            own = ()  # where most of the text differs, marks say nothing
        self.text.set_text(twin.text, [Mark(start, end, "differs") for start, end in own])
        VBox(HBox(Label(title, 15, 600), 1, self.link), self.text, parent=self, gap=4)


class ReadingPane(Card):
    """The current joke. ``step`` carries −1 or 1, ``chosen_twin`` the id of the version to keep. The desk connects the
    buttons; ``back_link`` puts back a joke that was left out, or keeps this twin."""

    step = Signal(int)
    chosen_twin = Signal(str)

    def __init__(self) -> None:
        super().__init__(padding=0)
        self.setAccessibleName("Joke")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.progress = Paragraph("", 14)
        self.before_button = IconButton("chevron_left", "The joke before (Shift+Space)", act=lambda: self.step.emit(-1))
        self.after_button = IconButton("chevron_right", "The next joke (Space)", act=lambda: self.step.emit(1))
        self.place_in_list = Label("", 14, token="text2", tabular=True)
        self.line = ProgressLine("Read", thick=6)
        self._top = QWidget()
        VBox(
            HBox((self.progress, 1), self.before_button, self.place_in_list, self.after_button, gap=4),
            self.line,
            parent=self._top,
            gap=10,
            margins=(19, 13, 19, 6),
        )

        self.text = MarkedText(size=_LARGE)
        self.facts = Paragraph("", 13)
        self.place = Label("", 13, token="text2")
        self.notes = Paragraph("", 14, token="text")
        self.back_link = LinkButton("Put back")
        self._twins_shown: list[TwinText] = []
        self._twin_rule = Rule("line")
        self._twin_part = QWidget()
        # No nested layout: Qt would keep the height that a text had before it was wrapped.
        self._twins = VBox(parent=self._twin_part, gap=14, margins=(0, 8, 0, 0))
        column = QWidget()
        VBox(
            self.text,
            HBox((self.facts, 1), (self.place, 0, Qt.AlignmentFlag.AlignTop), gap=12),
            HBox((self.notes, 1), (self.back_link, 0, Qt.AlignmentFlag.AlignTop), gap=12),
            self._twin_rule,
            self._twin_part,
            1,
            parent=column,
            gap=10,
            margins=(19, 20, 7, 14),
        )
        self.column = ColumnScroll(column)

        self.end_heading = Heading("", 3)
        self.end_text = Paragraph("")
        self.export_button = PrimaryButton("Export", "export")
        ended = QWidget()
        VBox(
            self.end_heading, self.end_text, HBox(self.export_button, 1), 1,
            parent=ended, gap=12, margins=(19, 24, 19, 14),
        )  # fmt: skip
        self.pages = QStackedWidget()
        self.pages.addWidget(self.column)
        self.pages.addWidget(ended)
        self._ended = ended

        self.keep_button = KeyedButton("Keep", "check", "K", primary=True)
        self.bin_button = KeyedButton("Bin", "cross", "B")
        self.later_button = KeyedButton("Later", "history", "L")
        self.undo_button = GhostButton("Undo", "undo", name="Undo", tip="Undo (U)")
        self.open_button = GhostButton("Open in Rate", name="Open in Rate", tip="Open in Rate (Enter)")
        for each in (self.undo_button, self.open_button, self.before_button, self.after_button):
            each.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._bar = QWidget()
        row = HBox(
            self.keep_button, self.bin_button, self.later_button, 1, self.undo_button, self.open_button,
            gap=8, margins=(19, 10, 12, 10),
        )  # fmt: skip
        VBox(Rule(), row, parent=self._bar, gap=0)
        self._bar_row = row
        self.body.add(self._top, (self.pages, 1), self._bar)
        self.body.setSpacing(0)

    def restyle(self) -> None:
        super().restyle()
        self.body.setSpacing(0)

    def set_words(self, *, undo: bool, open: bool) -> None:
        """Set which of these buttons have a caption, not only an icon."""
        self.undo_button.setText("Undo" if undo else "")
        self.open_button.setText("Open in Rate" if open else "")
        self.open_button.set_icon(None if open else "chevron_right")
        self._bar_row.setSpacing(px(8 if undo and open else 4))

    # Contents

    def show_joke(self, entry: RankedEntry, desk: Desk, *, seen: bool, english: bool) -> None:
        """Show a joke. ``seen``: it was rated before; ``english``: whether its text is English."""
        reading = entry.reading
        turn = reading.turn if reading is not None and not left_out(entry) else None
        size = _SMALL if len(entry.text) > _LONG else _LARGE
        span = (turn.start, turn.end) if turn is not None else None
        if self.text.text() != entry.text:
            self.column.verticalScrollBar().setValue(0)
        self.text.set_text(entry.text, [Mark(*span, "turn")] if span is not None else [], size=size)
        facts = " · ".join((*facts_of(entry.text, turn).lines(), *(("rated before",) if seen else ())))
        self.facts.set_content(facts)
        self.place.setText("" if desk.blind or entry.rank is None else _place(entry))
        self.place.setToolTip("Where among the jokes of this list people may put it")
        out = desk.part_of(entry.id) == "out"
        self.notes.show_text(_notes(entry, desk, english=english))
        self.back_link.setText("Put back" if out else "Keep this one instead")
        self.back_link.setVisible(out or not desk.stays(entry.id))
        self._show_twins(entry, desk.twins_of(entry.id) if not out else [], desk)
        self.pages.setCurrentWidget(self.column)
        self._bar.show()

    def _show_twins(self, entry: RankedEntry, twins: Sequence[RankedEntry], desk: Desk) -> None:
        widgets: list[TwinText] = []
        for twin in twins[:_TWINS]:
            widget = TwinText("Its twin" if len(twins) == 1 else "A twin", twin, entry.text)
            widget.chosen.connect(self.chosen_twin)
            widget.link.setVisible(not desk.stays(twin.id))
            widgets.append(widget)
        more = len(twins) - len(widgets)
        rest = [Caption(f"and {more:,} more, which the list shows under this one")] if more else []
        self._twins.show_only(*widgets, *rest)
        self._twins_shown = widgets
        for part in (self._twin_rule, self._twin_part):
            part.setVisible(bool(widgets))

    def show_progress(self, desk: Desk, part: Part, at: int, size: int) -> None:
        """Show the progress of reading a part. ``at``: the position of the current joke, from 0, or −1."""
        read, kept, to_go = desk.progress(part)
        left = f", {desk.blind_left} more to keep or bin before places are shown" if desk.blind else ""
        self.progress.set_content([(f"{read:,} read", "strong"), (f", {kept:,} kept, {to_go:,} to go{left}", "normal")])
        self.line.set_fraction(read / max(read + to_go, 1))
        self.place_in_list.setText(f"{at + 1:,} of {size:,}" if at >= 0 else f"{size:,}")
        self.before_button.setEnabled(at > 0)
        self.after_button.setEnabled(0 <= at < size - 1)

    def show_end(self, heading: str, text: str, kept: int) -> None:
        """Show that all jokes are read. ``kept``: the number of jokes in an export."""
        self.end_heading.set_content(heading)
        self.end_text.show_text(text)
        self.export_button.setText(f"Export {wording.count_of(kept, 'kept joke')}")
        self.export_button.setVisible(kept > 0)
        self.pages.setCurrentWidget(self._ended)
        self._bar.setVisible(self.undo_button.isEnabled())
        for button in (self.keep_button, self.bin_button, self.later_button, self.open_button):
            button.setEnabled(False)

    def show_marks(self, said: str | None, *, undo: bool) -> None:
        """Show the user's mark of the current joke, and whether there is anything to undo."""
        for button, mark in ((self.keep_button, "keep"), (self.bin_button, "bin"), (self.later_button, "later")):
            button.setEnabled(True)
            name = button.text()
            button.setAccessibleName(f"{name}, chosen" if said == mark else name)
        self.open_button.setEnabled(True)
        self.undo_button.setEnabled(undo)

    @property
    def at_end(self) -> bool:
        """Whether the pane shows that all jokes are read."""
        return self.pages.currentWidget() is self._ended


def _place(entry: RankedEntry) -> str:
    if entry.rank_low == entry.rank_high:
        return f"place {entry.rank}"
    return f"place {entry.rank_low:,} to {entry.rank_high:,}"


def _notes(entry: RankedEntry, desk: Desk, *, english: bool) -> str:
    """Return at most two sentences of remarks on a joke."""
    found = []
    part = desk.part_of(entry.id)
    if part == "out":
        found.append(f"Left out: {left_out(entry)}.")
    if not desk.stays(entry.id):
        found.append("Its twin is kept, as the one that is probably better.")
    if part == "known":
        found.append(f"Much like ones that are told often: “{well_known(entry)}”.")
    # At most two, so that the joke stays the main text.
    note = entry.reading.note if entry.reading is not None else ""
    found += _SENTENCE.split(note)[:2] if note else []
    if not english:
        found.append("This may not be English, and the program reads English only.")
    return " ".join(found[:2])
