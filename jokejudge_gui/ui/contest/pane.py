"""The pane of the current joke: its text with the turn marked, facts, remarks, twins and buttons; the end of the list;
and the final duels among the kept jokes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from ...core import pages
from ...judge.contest.desk import KNOWN, Desk
from ...judge.contest.record import RankedEntry
from ...judge.contest.words import marks_of, told
from ..look import wording
from ..look.theme import px
from ..widgets.cards import Card, Rule
from ..widgets.controls import GhostButton, IconButton, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.layout import ColumnScroll, Flow, HBox, VBox
from ..widgets.line import ProgressLine
from ..widgets.marked_text import MarkedText
from ..widgets.text import Heading, Label, Paragraph
from .state import ContestState

_LARGE, _SMALL, _LONG = 20, 15, 400
"""Font sizes of the joke's text; texts of more than ``_LONG`` characters use the smaller one."""
_LEAST, _ROOMY = 524, 591
"""Widths in pixels at 100 % in which its buttons have room, Open in Rate with an icon or with its caption."""
_TOP = Qt.AlignmentFlag.AlignTop


class PairChooser(QWidget):
    """Two jokes, one to be chosen. ``chosen`` carries whether the first one is the funnier; ``equal``: neither is. Its
    owner handles the keys on the buttons, and connects Undo and Stop."""

    chosen = Signal(bool)
    equal = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = Paragraph("", 13)
        self.jokes = [MarkedText(size=17), MarkedText(size=17)]
        self.buttons = [SecondaryButton("This one", key=key) for key in "12"]
        self.equal_button = SecondaryButton("Equal", tip="Leave their order (0 or =)", key="0")
        self.equal_button.clicked.connect(lambda _checked=False: self.equal.emit())
        self.undo_button = GhostButton("Undo", "undo", tip="Undo (U)")
        self.stop_button = GhostButton("Stop", tip="Leave the order as it is so far (Esc)")
        for one in (*self.buttons, self.equal_button):
            one.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        rows: list[QWidget | HBox] = []
        for first, joke, button in zip((True, False), self.jokes, self.buttons, strict=True):
            button.clicked.connect(lambda _checked=False, first=first: self.chosen.emit(first))
            rows += [joke, HBox(button, 1)]
        column = QWidget()
        VBox(
            Heading("Which one is funnier?", 4), self.words, *rows,
            HBox(self.equal_button, self.undo_button, self.stop_button, 1, gap=8), 1,
            parent=column, gap=14, margins=(19, 20, 7, 14),
        )  # fmt: skip
        VBox((ColumnScroll(column), 1), parent=self)

    def show_pair(self, texts: Sequence[str], words: str, *, undo: bool) -> None:
        """Show two jokes, and in ``words`` how many choices are left."""
        self.words.set_content(words)
        self.undo_button.setEnabled(undo)
        for number, (joke, button, text) in enumerate(zip(self.jokes, self.buttons, texts, strict=True), 1):
            joke.set_text(text, size=_SMALL if len(text) > _LONG else 17)
            button.setAccessibleName(f"Choose {number}: {text}")


class ReadingPane(Card):
    """The current joke. ``step`` carries −1 or 1, ``chosen_twin`` the id of the version that is to stay. The desk
    connects the buttons; ``back_link`` puts back a joke that was left out, or lets this twin stay."""

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
        self.line = ProgressLine("Seen", thick=6)
        steps = HBox((self.progress, 1), self.before_button, self.place_in_list, self.after_button, gap=4)
        self._top = QWidget()
        VBox(steps, self.line, parent=self._top, gap=10, margins=(19, 13, 19, 6))

        self.text = MarkedText(size=_LARGE)
        self.facts = Paragraph("", 13)
        self.place = Label("", 13, token="text2")
        self.place.setToolTip("Where among the jokes of this list people may put it")
        self.notes = Paragraph("", 14, token="text")
        self.back_link = LinkButton("Put back")
        self.twins: list[tuple[MarkedText, LinkButton]] = []
        """The other versions of the joke, each with the link that lets it stay instead."""
        self._twin_rule, self._twin_part = Rule(faint=True), QWidget()
        # No nested layout: Qt would keep the height that a text had before it was wrapped.
        self._twin_rows = VBox(parent=self._twin_part, gap=14, margins=(0, 8, 0, 0))
        column = QWidget()
        facts = HBox((self.facts, 1), (self.place, 0, _TOP), gap=12)
        notes = HBox((self.notes, 1), (self.back_link, 0, _TOP), gap=12)
        VBox(
            self.text, facts, notes, self._twin_rule, self._twin_part, 1,
            parent=column, gap=10, margins=(19, 20, 7, 14),
        )  # fmt: skip
        self.column = ColumnScroll(column)

        self.end_heading, self.end_text = Heading("", 3), Paragraph("")
        self.export_button = PrimaryButton("Export", "export")
        self.final_button = SecondaryButton("Order them by duels", "duel", tip="Choose between two at a time (F)")
        self.copy_button = SecondaryButton("Copy the kept jokes", "copy", tip="Copy them as text (C)")
        self.set_button = SecondaryButton(
            "Make a set", "criteria", tip="Put the kept jokes into an order for the stage (S)"
        )
        self.end = QWidget()
        acts = Flow(gap=8)
        acts.add(self.export_button, self.final_button, self.copy_button, self.set_button)
        VBox(self.end_heading, self.end_text, acts, 1, parent=self.end, gap=12, margins=(19, 24, 19, 14))
        self.final = PairChooser()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.column)
        self.pages.addWidget(self.end)
        self.pages.addWidget(self.final)

        self.keep_button = PrimaryButton("Keep", "check", key="K")
        self.bin_button = SecondaryButton("Bin", "cross", key="B")
        self.later_button = SecondaryButton("Later", "history", key="L")
        self.undo_button = GhostButton("", "undo", name="Undo", tip="Undo (U)")
        self.open_button = GhostButton("Open in Rate", name="Open in Rate", tip="Open in Rate (Enter)")
        marks = self.keep_button, self.bin_button, self.later_button
        for button in (*marks, self.undo_button, self.open_button, self.before_button, self.after_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._bar = QWidget()
        row = HBox(
            self.keep_button, self.bin_button, self.later_button, 1, self.undo_button, self.open_button,
            gap=4, margins=(19, 10, 12, 10),
        )  # fmt: skip
        VBox(Rule(), row, parent=self._bar, gap=0)
        self.body.add(VBox(self._top, (self.pages, 1), self._bar, gap=0))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(_LEAST), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = self.width() >= px(_ROOMY)
        self.open_button.setText("Open in Rate" if roomy else "")
        self.open_button.set_icon(None if roomy else "chevron_right")

    @property
    def at_end(self) -> bool:
        """Whether the pane shows that all jokes are seen."""
        return self.pages.currentWidget() is self.end

    # Contents

    def show_state(self, state: ContestState, *, undo: bool, alone: bool) -> None:
        """Show the current joke, or that all are seen. ``undo``: a change can be undone; ``alone``: without the list
        beside it."""
        desk, entry = state.desk, state.desk.current
        self.show_progress(desk)
        mark = desk.notes[entry.id].mark if entry is not None else None
        for button, its in ((self.keep_button, "keep"), (self.bin_button, "bin"), (self.later_button, "later")):
            button.setVisible(entry is not None)
            button.setAccessibleName(f"{its.capitalize()}, chosen" if mark == its else its.capitalize())
        self.open_button.setVisible(entry is not None)
        self.undo_button.setEnabled(undo)
        self._bar.setVisible(entry is not None or undo)
        if entry is not None:
            self._show_joke(entry, state)
        else:
            self._show_end(state, alone=alone)
        self._top.show()
        self.pages.setCurrentWidget(self.column if entry is not None else self.end)

    def show_final(self, texts: Sequence[str], words: str, *, undo: bool) -> None:
        """Let the user choose between two of the kept jokes."""
        self._top.hide()
        self.final.show_pair(texts, words, undo=undo)
        self._bar.hide()
        self.pages.setCurrentWidget(self.final)

    def show_progress(self, desk: Desk) -> None:
        """Show how much of the part of the list was seen."""
        rows = desk.rows(desk.part)
        at, size = next((at for at, row in enumerate(rows) if row.id == desk.at), -1), len(rows)
        seen, kept, to_go = desk.progress(desk.part)
        left = f", {desk.blind_left} more to keep or bin before places are shown" if desk.blind else ""
        self.progress.set_content([(f"{seen:,} seen", "strong"), (f", {kept:,} kept, {to_go:,} to go{left}", "normal")])
        self.line.set_fraction(seen / max(seen + to_go, 1))
        self.place_in_list.setText(f"{at + 1:,} of {size:,}" if at >= 0 else f"{size:,}")
        self.before_button.setEnabled(at > 0)
        self.after_button.setEnabled(0 <= at < size - 1)

    def _show_joke(self, entry: RankedEntry, state: ContestState) -> None:
        desk, page = state.desk, state.desk.page(entry.id)
        joke, *twins = page.texts
        if self.text.text() != joke.text:
            self.column.verticalScrollBar().setValue(0)
        self.text.set_text(joke.text, joke.marks, size=_SMALL if len(joke.text) > _LONG else _LARGE)
        marks, seen = marks_of(desk.notes[entry.id]), ("in your history",) if entry.seen else ()
        self.facts.set_content(" · ".join((*marks, *page.foot, *seen)))
        self.place.setText(page.headline)
        self.notes.show_text(" ".join(page.lead))
        self.notes.setToolTip(f"Told before: {KNOWN}." if told(entry) else "")
        out = desk.part_of(entry.id) == "out"
        self.back_link.setText("Put back" if out else "Let this one stay")
        self.back_link.setVisible(out or not desk.stays(entry.id))
        self._show_twins(twins, desk)

    def _show_twins(self, twins: Sequence[pages.MarkedText], desk: Desk) -> None:
        parts, self.twins = [], []
        for version, entry in zip(twins, desk.twins_of(desk.at), strict=True) if twins else ():
            text, part = MarkedText(size=_SMALL, token="text2"), QWidget()
            text.set_text(version.text, version.marks)
            link = LinkButton("Let this one stay", act=partial(self.chosen_twin.emit, entry.id))
            VBox(HBox(Label(version.label, 15, 600), 1, link), text, parent=part, gap=4)
            link.setVisible(not desk.stays(entry.id))  # it has a place by now: otherwise it were a window
            self.twins.append((text, link))
            parts.append(part)
        self._twin_rows.show_only(*parts)
        self._twin_rule.setVisible(bool(twins))
        self._twin_part.setVisible(bool(twins))

    def _show_end(self, state: ContestState, *, alone: bool) -> None:
        desk, all_kept = state.desk, state.desk.notes.kept
        seen, kept, to_go = desk.progress(desk.part)
        if desk.part == "kept":
            heading = f"{kept:,} kept, in your order." if kept else "Nothing is kept yet."
            move = "Drag a row to move it, or press Alt+Up or Alt+Down."
            text = f"{'Press T to show the list. ' * alone}{move}" if kept else "Press K on a joke to keep it."
        elif state.live and not to_go:
            heading, text = "The first jokes are being judged.", "They appear here one after another."
        elif not desk.rows(desk.part):
            heading, text = "Nothing to see here.", "Choose another part of the list above."
        elif to_go:
            heading, text = f"{to_go:,} to go.", "Press Space to go on."
        else:
            heading = f"All {seen:,} seen, {kept:,} kept."
            text = "Put them into an order, or copy or export them." if all_kept > 1 else ""
        self.end_heading.set_content(heading)
        self.end_text.show_text(text)
        self.export_button.setText(f"Export {wording.count_of(all_kept, 'kept joke')}")
        for button in (self.export_button, self.copy_button, self.set_button):
            button.setVisible(all_kept > 0)
        self.final_button.setVisible(all_kept > 1)
