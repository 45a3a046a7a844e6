"""The page of one joke: its first line, the marked text, what was found, and proposed edits as differences."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from ...core.languages import is_english
from ...core.pages import Page, Row
from ...core.words import WORD, fact_lines
from ...judge.rating import words
from ...judge.rating.record import RatingResult
from ..look.theme import px
from ..verdict.cards import TrustLink
from ..verdict.tab import VerdictState
from ..widgets.base import Surface, plain_tooltip
from ..widgets.cards import Rule
from ..widgets.controls import LinkButton, SecondaryButton, SmallButton
from ..widgets.keyboard import add_keys
from ..widgets.layout import Flow, HBox, VBox, keep_place
from ..widgets.line import Line
from ..widgets.marked_text import MarkedText, shortened, woven
from ..widgets.page import PageView
from ..widgets.text import Caption, Chip, Heading, Paragraph

_SIZES = ((80, 28), (160, 24), (400, 20))
"""Pairs of a text's greatest length in characters and its font size in pixels at 100 %; 15 for longer texts."""
_SMALL = 24
"""The largest size of a text in a narrow page, which is one under ``_WIDE`` pixels at 100 %."""
_WIDE = 580
_SELECT = "Select the words on which it turns, with the mouse or Shift and the arrows, then press “Rate it so”."


class NoteRow(QWidget):
    """A remark, and the edit that it proposes as a difference from ``text``. ``accepted`` and ``dismissed`` carry the
    edited text."""

    accepted = Signal(str)
    dismissed = Signal(str)

    def __init__(self, row: Row, text: str, *, busy: bool) -> None:
        super().__init__()
        self.row, self.edit = row, row.rows[0].text if row.rows else ""
        beside = f"  {row.beside}" if row.beside else ""
        self.sentence = Paragraph([(row.text, "normal"), (beside, "muted")], token="text")
        self.diff = MarkedText(size=15, token="text2")
        if self.edit:
            self.diff.set_text(*shortened(*woven(text, self.edit)))
        accept, dismiss = "Accept this edit and rate it (Enter)", "Don't propose this again (Del)"
        self.accept_button = SmallButton("", "check", name=f"Accept: {row.text}", tip=accept)
        self.dismiss_button = SmallButton("", "cross", name=f"Dismiss: {row.text}", tip=dismiss)
        self.accept_button.clicked.connect(lambda: self.accepted.emit(self.edit))
        self.dismiss_button.clicked.connect(lambda: self.dismissed.emit(self.edit))
        buttons = self.accept_button, self.dismiss_button
        top = Qt.AlignmentFlag.AlignTop
        HBox((VBox(self.sentence, self.diff, gap=2), 1), *((button, 0, top) for button in buttons), parent=self, gap=6)
        for widget in (self.diff, *buttons):
            widget.setVisible(bool(self.edit))
            widget.setEnabled(not busy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring", True)
        self.setAccessibleName(" ".join(filter(None, (row.text, row.beside, self.edit))))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.edit and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept_button.click()
        elif self.edit and event.key() == Qt.Key.Key_Delete:
            self.dismiss_button.click()
        else:
            super().keyPressEvent(event)


class RatePage(Surface):
    """The whole page in one card. ``accepted`` and ``dismissed`` carry an edited text; ``forced``: rate the text
    nevertheless, with more fields of the request; ``library_asked``: open the library to choose another model."""

    accepted = Signal(str)
    dismissed = Signal(str)
    forced = Signal(object)
    library_asked = Signal()

    def __init__(self, taste: QWidget, trust: TrustLink, running: QWidget) -> None:
        """``running``: what goes on now, in the page's last line."""
        super().__init__()
        add_keys(self, "Accept the edit of a note, or dismiss it", "Enter, Delete")
        self.headline, self.lead = Heading("", 3), Paragraph("", gap=4)
        self.text, self.facts = MarkedText(size=28, selectable=True), Paragraph("", 13)
        self.sentences = PageView("The text, sentence by sentence")
        self.notes: list[NoteRow] = []
        self._notes, self.waiting = VBox(gap=12), Caption("Comparing the text with shorter versions of itself…")
        self.kinds, self.rows = Flow(), PageView("Findings", fold=True)
        self.line = Line(("lower half of people's votes", "upper half"), "even")
        self.odds, self.trust_link = Paragraph("", 13, token="text3"), trust
        self.turn_link = LinkButton("", act=self._choose_turn, tip=_SELECT)
        self.text.selectionChanged.connect(self._name_turn_link)
        keep_place(self.turn_link)
        self.force_button = SecondaryButton("Rate anyway", act=lambda: self.forced.emit({}))
        self.library_button = SecondaryButton("Choose model", act=self.library_asked)
        self._found, self._foot = QWidget(), QWidget()
        VBox(Rule(faint=True), self.kinds, self.waiting, self._notes, self.rows, parent=self._found, gap=12)
        VBox(Rule(faint=True), self.line, self.odds, taste, HBox(trust, 1), parent=self._foot, gap=6)
        VBox(
            self.headline, self.lead, self.text, self.sentences, HBox((self.facts, 1), self.turn_link, gap=14),
            HBox(self.force_button, self.library_button, 1), self._found, self._foot, running,
            parent=self, gap=12, margins=(20, 18, 20, 18),
        )  # fmt: skip
        QApplication.instance().focusChanged.connect(self._point)  # type: ignore[union-attr]
        self.setAccessibleName("The joke, marked up")
        self._shown: tuple[object, ...] = ()

    def show_state(
        self, state: VerdictState, dismissed: Collection[str], *, busy: bool, versions: Collection[str] = ()
    ) -> None:
        """Draw the known parts of a rating. ``busy``: another one runs; ``versions``: texts shown elsewhere."""
        record: RatingResult | None = state.result
        if record is not None and record.yours is not None and record.yours.text in versions:
            record = record.replaced(yours=None)
        shown = state.phase, state.texts, record, frozenset(dismissed), busy, self.width() >= px(_WIDE)
        if shown == self._shown:
            return
        self._shown = shown
        text = record.text if record is not None else "".join(state.texts)
        came_to = words.outcome(record) if record is not None else "nothing"
        empty = Page("", rows=(Row(" · ".join(fact_lines(text))),))
        page = words.page(record, dismissed) if record is not None else empty
        self._show_first_line(state, page, came_to)
        self._show_text(text, record, page, came_to)
        may_choose = came_to in ("page", "no turn") and not page.sentences and record is not None
        self.turn_link.setVisible(may_choose and not busy and is_english(text))
        facts = page.rows[0].text if page.rows else ""
        self.facts.show_text(" · ".join([facts, *(["stopped"] if state.phase == "stopped" else [])]))
        self.facts.setToolTip(plain_tooltip(" · ".join(page.foot)))
        self._show_findings(state, record, page, busy, pending=state.live and came_to == "page")
        odds = next((row for row in page.rows if row.name == "Audience"), None)
        self._show_audience(None if state.live else record, odds, came_to)
        self._point()
        self._name_turn_link()

    def _show_first_line(self, state: VerdictState, page: Page, came_to: words.Outcome) -> None:
        headline, lead = page.headline, page.lead
        form = came_to == "no text" and bool(lead)
        if came_to in ("nothing", "no answer") and state.phase in ("stopped", "interrupted"):
            came_to, lead = "nothing", ("There is no verdict.",)
            headline = "This rating was cut off." if state.phase == "interrupted" else "Stopped."
        quiet = state.live and came_to != "page"
        self.headline.show_text("" if quiet else headline)
        self.lead.show_text("" if quiet else "\n".join([*lead, *([_SELECT] if came_to == "no turn" else [])]))
        self.force_button.setVisible((came_to in ("no turn", "rejected") or form) and not quiet)
        self.library_button.setVisible(came_to == "no answer" and not quiet)

    def _show_text(self, text: str, record: RatingResult | None, page: Page, came_to: words.Outcome) -> None:
        size = next((size for most, size in _SIZES if len(text) <= most), 15)
        size = size if self.width() >= px(_WIDE) else min(size, _SMALL)
        # What could go is shown as a difference below.
        marks = [mark for mark in page.texts[0].marks if mark.kind != "cut"] if page.texts else ()
        expected = record.wordplay.second or "" if record is not None and record.wordplay is not None else ""
        self.text.set_text(text, marks, above=expected, size=size)
        self.text.setVisible(not page.sentences)
        self.sentences.show_pages(*([Page("", sentences=page.sentences)] if page.sentences else []))

    def _show_findings(
        self, state: VerdictState, record: RatingResult | None, page: Page, busy: bool, *, pending: bool
    ) -> None:
        rows = [row for row in page.rows if row.name in words.NOTES]
        self.notes = [self._note(row, page, state, busy) for row in rows]
        self._notes.show_only(*self.notes)
        waits = pending and not self.notes
        self.waiting.setVisible(waits)
        self.kinds.set_items([Chip(kind, chosen=True) for kind in words.kinds_of(record)] if record else [])
        self.kinds.setVisible(bool(self.kinds.items()))
        apart = {"Kinds", "Audience", *words.NOTES}
        # What stands below remarks that arrive later appears with them, so that nothing moves.
        below = () if state.live else tuple(row for row in page.rows[1:] if row.name not in apart)
        self.rows.show_pages(*([Page("", rows=below)] if below else []))
        self._found.setVisible(waits or bool(self.notes or self.kinds.items() or self.rows.pages))

    def _note(self, row: Row, page: Page, state: VerdictState, busy: bool) -> NoteRow:
        own = row.name == "Yours"
        note = NoteRow(replace(row, beside="") if own else row, page.texts[0].text, busy=busy)
        if own:  # the user's earlier text, which the page has as its second one
            note.diff.set_text(page.texts[1].text, page.texts[1].marks)
            note.diff.show()
        note.installEventFilter(self)
        note.accepted.connect(self.accepted)
        note.dismissed.connect(self.dismissed)
        return note

    def _show_audience(self, record: RatingResult | None, odds: Row | None, came_to: words.Outcome) -> None:
        audience = record.audience if record is not None and came_to == "page" and words.odds_hold(record) else None
        self.line.setVisible(audience is not None)
        if audience is not None:
            accessible = odds.text if odds is not None else f"{100 * audience.upper:.0f} in 100 for the upper half"
            self.line.set_values(None, None, 100.0 * audience.upper, accessible=accessible, quiet=odds is None)
        sentence = odds.text if odds is not None and odds.text != self.headline.text() else ""
        self.odds.show_text(". ".join(filter(None, (sentence.rstrip("."), odds.beside if odds is not None else ""))))
        scored = record is not None and came_to == "page" and record.mean_score is not None
        self.trust_link.show_for(record if audience is not None or scored else None)
        self._foot.setVisible(audience is not None or odds is not None or scored)

    # The text's words

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._point()
        return super().eventFilter(watched, event)

    def _point(self) -> None:
        """Mark the words of the note that has the pointer, or else the focus."""
        holder = QApplication.focusWidget()
        focused = [note for note in self.notes if holder is not None and (note is holder or note.isAncestorOf(holder))]
        pointed = [note for note in self.notes if note.underMouse()] or focused
        self.text.emphasise(pointed[0].row.span if pointed else None)

    def _name_turn_link(self) -> None:
        start, end = self.text.selection()
        self.turn_link.setText("Rate it so" if start < end else "Select the turn")

    def _choose_turn(self) -> None:
        """Have the text read with the selected words as its turn; without any, the text takes the keyboard."""
        start, end = self.text.selection()
        spans = [word.span() for word in WORD.finditer(self.text.text()) if word.start() < end and word.end() > start]
        if spans:
            self.forced.emit({"turn": (spans[0][0], spans[-1][1])})
        else:
            self.lead.show_text(_SELECT)
            self.text.setFocus()
