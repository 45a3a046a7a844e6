"""The page of one joke: its first line, the marked text, what was found, and proposed edits as differences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...core.pages import Row
from ...core.words import WORD, fact_lines
from ...heads.intent import form_of
from ...judge.rating import words
from ...judge.rating.record import RatingResult
from ..look.theme import px
from ..trust.link import TrustLink
from ..verdict.tab import VerdictState
from ..votes import TasteLine
from ..widgets.actions import add_keys
from ..widgets.base import KeyActs, Surface, plain_tooltip
from ..widgets.cards import Card, Rule
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton, SmallButton
from ..widgets.labels import Chip, Flow
from ..widgets.layout import HBox, VBox, chain_controls
from ..widgets.line import Line
from ..widgets.marked_text import MarkedText, shortened, woven
from ..widgets.page import PageView
from ..widgets.text import Caption, Heading, Paragraph
from .sentences import SentencesView

_SIZES = ((80, 28), (160, 24), (400, 20))
"""Pairs of a text's greatest length in characters and its font size in pixels at 100 %; 15 for longer texts."""
_SMALL = 24
"""The largest size of a text in a narrow page, which is one under ``_WIDE`` pixels at 100 %."""
_WIDE = 580
SELECT = "If there is one, select its words below and press “Rate it so”: it is then rated as a joke that turns there."


class NoteRow(KeyActs, QWidget):
    """A remark, and the edit that it proposes as a difference from ``text``. ``pointed``: the pointer or the focus
    entered (true) or left it; ``accepted`` and ``dismissed`` carry the edited text."""

    pointed = Signal(bool)
    accepted = Signal(str)
    dismissed = Signal(str)

    def __init__(self, row: Row, text: str, *, busy: bool) -> None:
        super().__init__()
        self.row, self.edit = row, row.rows[0].text if row.rows else ""
        self._acts = bool(self.edit) and not busy
        beside = f"  {row.beside}" if row.beside else ""
        self.sentence = Paragraph([(row.text, "normal"), (beside, "muted")], token="text")
        self.diff = MarkedText(size=15, token="text2")
        if self.edit:
            self.diff.set_text(*shortened(*woven(text, self.edit)))
        accept, dismiss = (partial(signal.emit, self.edit) for signal in (self.accepted, self.dismissed))
        self.accept_button = SmallButton(
            "", "check", name=f"Accept: {row.text}", tip="Accept this edit and rate it (Enter)", act=lambda: accept()
        )
        self.dismiss_button = SmallButton(
            "", "cross", name=f"Dismiss: {row.text}", tip="Don't propose this again (Del)", act=lambda: dismiss()
        )
        self._keys = {Qt.Key.Key_Return: accept, Qt.Key.Key_Enter: accept, Qt.Key.Key_Delete: dismiss}
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

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        return self._keys if self._acts else {}

    # Not in ``event``: the note is deleted within it, and Python would return into a deleted object.
    def enterEvent(self, event: QEnterEvent) -> None:
        self.pointed.emit(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit(False)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.pointed.emit(True)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.pointed.emit(False)
        super().focusOutEvent(event)


class RatePage(Surface):
    """The whole page in one card. ``accepted`` and ``dismissed`` carry an edited text, ``turn_chosen`` a span in
    characters; ``forced``: rate the text nevertheless; ``library_asked``: open the library to choose another model."""

    accepted = Signal(str)
    dismissed = Signal(str)
    turn_chosen = Signal(object)
    forced = Signal()
    library_asked = Signal()

    def __init__(self, running: QWidget) -> None:
        """``running``: what goes on now, in the page's last line."""
        super().__init__()
        add_keys(self, "Accept the edit of a note, or dismiss it", "Enter, Delete")
        self.headline, self.lead = Heading("", 3), Paragraph("", gap=4)
        self.text, self.facts = MarkedText(size=28, selectable=True), Paragraph("", 13)
        self.sentences = SentencesView()
        self.notes: list[NoteRow] = []
        self._notes, self.waiting = VBox(gap=12), Caption("Comparing the text with shorter versions of itself…")
        self.kinds, self.rows = Flow(), PageView("Findings", fold=True)
        self.line = Line(("lower half of people's votes", "upper half"), "even")
        self.odds = Paragraph("", 13, token="text3")
        self.trust_link, self.taste = TrustLink(), TasteLine()
        self.turn_button = PrimaryButton("Rate it so", act=self._read)
        self.force_button = SecondaryButton("Rate anyway", act=self.forced)
        self.library_button = SecondaryButton("Choose model", act=self.library_asked)
        self._buttons, self._found, self._foot = QWidget(), QWidget(), QWidget()
        HBox(self.turn_button, self.force_button, self.library_button, 1, parent=self._buttons, gap=10)
        VBox(Rule(faint=True), self.kinds, self.waiting, self._notes, self.rows, parent=self._found, gap=12)
        left = Qt.AlignmentFlag.AlignLeft
        VBox(
            Rule(faint=True), self.line, self.odds, self.taste, (self.trust_link, 0, left), parent=self._foot, gap=6
        )  # fmt: skip
        VBox(
            self.headline, self.lead, self.text, self.sentences, self.facts, self._buttons, self._found,
            self._foot, running, parent=self, gap=12, margins=(20, 18, 20, 18),
        )  # fmt: skip
        self.text.selected.connect(self._on_selected)
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
        if shown != self._shown:
            self._shown = shown
            self._draw(state, record, dismissed, busy)

    def _draw(self, state: VerdictState, record: RatingResult | None, dismissed: Collection[str], busy: bool) -> None:
        text = record.text if record is not None else "".join(state.texts)
        came_to = words.outcome(record) if record is not None else "nothing"
        page = words.page(record, dismissed) if record is not None else None
        rows = list(page.rows) if page is not None else []
        named = {row.name: row for row in rows}
        notes = [row for row in rows if row.name in words.NOTES]
        notes = [replace(row, beside="") if row.name == "Yours" else row for row in notes]
        facts = [rows[0].text] if rows else list(fact_lines(text))
        self._show_first_line(record, came_to, state)
        sentences = page.sentences if page is not None else ()
        self.sentences.show_sentences(sentences)
        self._show_text(text, record, came_to)
        self.text.setVisible(not sentences)
        self.facts.show_text(" · ".join([*facts, *(["stopped"] if state.phase == "stopped" else [])]))
        self.notes = [self._note(row, text, busy) for row in notes]
        own = words.yours(record) if record is not None else ()
        for note, other in zip((note for note in self.notes if note.row.name == "Yours"), own, strict=False):
            note.diff.set_text(other.text, other.marks)
            note.diff.show()
        self._notes.show_only(*self.notes)
        chain_controls(self._found)
        pending = state.live and came_to == "page" and not notes
        self.waiting.setVisible(pending)
        self.kinds.set_items([Chip(kind, chosen=True) for kind in words.kinds_of(record)] if record else [])
        self.kinds.setVisible(bool(self.kinds.items()))
        apart = {"Kinds", "Audience", *words.NOTES}
        # What stands below remarks that arrive later appears with them, so that nothing moves.
        self.rows.show_rows([] if state.live else [row for row in rows[1:] if row.name not in apart])
        self._found.setVisible(pending or bool(notes or self.kinds.items() or self.rows.pages))
        self._show_audience(None if state.live else record, named.get("Audience"))
        self.facts.setToolTip(plain_tooltip(" · ".join(page.foot)) if page is not None and page.foot else "")

    def _show_first_line(self, record: RatingResult | None, came_to: words.Outcome, state: VerdictState) -> None:
        headline, *lead = words.headline_of(record) if record is not None else ("",)
        if came_to in ("nothing", "no answer") and state.phase in ("stopped", "interrupted"):
            came_to, cut = "nothing", state.phase == "interrupted"
            headline, lead = "This rating was cut off." if cut else "Stopped.", ["There is no verdict."]
        quiet = state.live and came_to != "page"
        form = came_to == "no text" and record is not None and record.sense is not None and bool(form_of(record.text))
        self.headline.show_text("" if quiet else headline)
        self.lead.show_text("" if quiet else " ".join([*lead, SELECT]) if came_to == "no turn" else "\n".join(lead))
        shown = {
            self.turn_button: came_to == "no turn", self.force_button: came_to == "rejected" or form,
            self.library_button: came_to == "no answer",
        }  # fmt: skip
        for button, on in shown.items():
            button.setVisible(on)
        self.force_button.setEnabled(not state.live)
        self._buttons.setVisible(any(shown.values()) and not quiet)

    def _show_text(self, text: str, record: RatingResult | None, came_to: words.Outcome) -> None:
        size = next((size for most, size in _SIZES if len(text) <= most), 15)
        size = size if self.width() >= px(_WIDE) else min(size, _SMALL)
        play = record.wordplay if record is not None and came_to == "page" else None
        # What could go is shown as a difference below.
        marks = [mark for mark in words.marks_of(record) if mark.kind != "cut"] if came_to == "page" and record else ()
        self.text.set_text(text, marks, above=(play.second or "") if play is not None else "", size=size)
        self._on_selected()

    def _note(self, row: Row, text: str, busy: bool) -> NoteRow:
        note = NoteRow(row, text, busy=busy)
        note.pointed.connect(lambda on: self.text.emphasise(row.span if on else None))
        note.accepted.connect(self.accepted)
        note.dismissed.connect(self.dismissed)
        return note

    def _show_audience(self, record: RatingResult | None, odds: Row | None) -> None:
        audience = record.audience if record is not None and odds is not None else None
        self.line.setVisible(audience is not None)
        even = audience is not None and audience.said == "unclear"
        if audience is not None and odds is not None:
            self.line.set_values(None, None, 100.0 * audience.upper, accessible=odds.text, quiet=even)
        sentence = odds.text if odds is not None and odds.text != self.headline.text() else ""
        self.odds.show_text(". ".join(filter(None, (sentence.rstrip("."), odds.beside if odds is not None else ""))))
        scored = record is not None and words.outcome(record) == "page" and record.mean_score is not None
        self.trust_link.show_for(record if audience is not None or scored else None)
        self._foot.setVisible(record is not None and (odds is not None or scored))

    def _on_selected(self) -> None:
        start, end = self.text.selection
        self.turn_button.setEnabled(start < end)

    def _read(self) -> None:
        start, end = self.text.selection
        words = [word.span() for word in WORD.finditer(self.text.text()) if word.start() < end and word.end() > start]
        if words:
            self.turn_chosen.emit((words[0][0], words[-1][1]))


# The card before the first verdict: for a new user, a description of the tab and examples.

_EXAMPLES = 3
NEWCOMER = (
    "Does it work, and what could go?",
    "A model on this computer reads the joke, marks where it turns, and says what carries it and which words could go. "
    "Nothing is sent anywhere.",
)
KNOWN = ("Nothing is open.", "Rate a joke, or open one from the history.")


class ExampleRow(Surface):
    """A joke with a link; a click anywhere on the row calls ``act``, which rates it."""

    def __init__(self, joke: str, act: Callable[[], object]) -> None:
        super().__init__()
        self._act = act
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.words = Paragraph(joke, 15, 400, "text", 1.45)
        self.link = LinkButton("Rate", name=f"Rate the example: {joke}", act=act)
        HBox((self.words, 1), self.link, parent=self, gap=12, margins=(15, 10, 13, 10))
        self.say("Example joke", joke)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.underMouse():
            self._act()


class WelcomeCard(Card):
    """The welcome. ``use`` is called with the chosen example."""

    def __init__(self, examples: Sequence[str], use: Callable[[str], object], *, newcomer: bool) -> None:
        super().__init__(padding=28)
        self.setAccessibleName("Welcome")
        heading, text = NEWCOMER if newcomer else KNOWN
        self.add(Heading(heading, 2 if newcomer else 3), Paragraph(text, 15 if newcomer else 14))
        self.rows = [ExampleRow(joke, partial(use, joke)) for joke in (examples[:_EXAMPLES] if newcomer else ())]
        if self.rows:
            self.add(VBox(*self.rows, gap=8, margins=(0, 8, 0, 0)))
