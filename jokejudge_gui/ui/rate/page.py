"""The page of one joke: the marked text with remarks and proposed edits in the margin, and below it the answer, the
outstanding factors, and the rest of its words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...core.pages import Row
from ...core.verdicts import Audience
from ...core.words import facts_of
from ...heads.intent import form_of
from ...judge.rating import words
from ...judge.rating.record import FactorScore, RatingResult, Remark
from ..look.theme import px, theme
from ..trust.trust_figures import TrustLink
from ..verdict.tab import VerdictState
from ..votes import TasteLine
from ..widgets.base import KeyActs, Painted, Surface, box, elided, text_width, write
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton, SmallButton
from ..widgets.labels import Chip, Flow
from ..widgets.layout import HBox, VBox, single_shot
from ..widgets.line import Line, LineLabels
from ..widgets.marked_text import MarkedText
from ..widgets.page import RowsView
from ..widgets.text import Caption, Heading, Label, Paragraph

MARGIN_FROM = 580
"""Least width of the page, in pixels at 100 %, that has notes in a margin."""
_NOTES = 192
_SIZES = ((80, 28), (160, 24), (400, 20))
"""Pairs of a text's greatest length in characters and its font size in pixels at 100 %; 15 for longer texts."""
_GONE_MS = 6000
_NARROW_BAND = 60.0
"""Width from which on a band, of 100, has no ring."""
SELECT = "If there is one, select its words on the page, and the text is read as a joke that turns there."
OTHER_END = "If not, write another end: each Rate is kept as a version."


class Section(Painted):
    """A part of the page, as wide as the card. ``lined``: it has a hairline above it."""

    def __init__(self, name: str, *, gap: int = 10, margin: int = 18) -> None:
        super().__init__()
        self.say(name)
        self.lined = False
        self.column = VBox(parent=self, gap=gap, margins=(20, margin, 20, margin))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.follow_theme()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.lined:
            with self.painter() as (painter, width, _):
                painter.fillRect(QRectF(0, 0, width, 1), QColor(theme().tokens.line))


class NoteRow(KeyActs, QWidget):
    """A remark in the margin. ``pointed``: the pointer or the focus entered (true) or left it; ``accepted`` and
    ``dismissed``: its proposed edit was; ``undone``: the dismissal was undone; ``stepped``: go to the next note (1) or
    to the one before (−1)."""

    pointed = Signal(bool)
    accepted = Signal()
    dismissed = Signal()
    undone = Signal()
    stepped = Signal(int)

    def __init__(self, remark: Remark, row: Row, *, wide: bool, busy: bool) -> None:
        super().__init__()
        self.remark = remark
        edits = bool(row.rows)
        self._edits = edits and not busy
        self.sentence = Paragraph(row.text, 14, 400, "text", 20 / 14)
        self.caption = Caption(row.beside)
        self.accept_button = SmallButton(
            "", "check", name=f"Accept: {row.text}", tip="Accept this edit and rate it", act=self.accepted
        )
        self.dismiss_button = SmallButton(
            "", "cross", name=f"Dismiss: {row.text}", tip="Don't propose this again", act=self.dismissed
        )
        self.undo_link = LinkButton("Undo", name="Bring the dismissed edit back", act=self.undone)
        self._gone = QWidget()
        HBox(Label("Dismissed.", 14, 400, "text3"), self.undo_link, 1, parent=self._gone, gap=6)
        self._gone.hide()
        foot = HBox(self.caption, 1, self.accept_button, self.dismiss_button, gap=6)
        # Under the joke, caption and buttons are at the right of the sentence.
        self._box = HBox((self.sentence, 1), foot, gap=12) if wide else VBox(self.sentence, foot, gap=2)
        VBox(self._gone, self._box, parent=self)
        if not wide:
            # Wrap it now: a layout that was never shown would give it the height of a single line.
            self.sentence.resize(px(_NOTES), 10)
        for button in (self.accept_button, self.dismiss_button):
            button.setVisible(edits)
            button.setEnabled(not busy)
        self.caption.setVisible(bool(row.beside))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring", True)
        self.setAccessibleName(" ".join(filter(None, (row.text, row.beside))))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        moves = {Qt.Key.Key_Down: lambda: self.stepped.emit(1), Qt.Key.Key_Up: lambda: self.stepped.emit(-1)}
        if not self._edits:
            return moves
        accept, dismiss = self.accepted.emit, self.dismissed.emit
        return {**moves, Qt.Key.Key_Return: accept, Qt.Key.Key_Enter: accept, Qt.Key.Key_Delete: dismiss}

    def show_dismissed(self) -> None:
        """Replace the note by the line that it was dismissed."""
        for widget in (self.sentence, self.caption, self.accept_button, self.dismiss_button):
            widget.hide()
        self._gone.show()
        self.undo_link.setFocus()

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


class JokeSection(Section):
    """The joke with its marks, the notes in the margin or under it, and the facts. ``accepted`` carries the edited
    text, ``dismissed`` that text and whether it was dismissed (true) or brought back."""

    accepted = Signal(str)
    dismissed = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__("The joke", gap=0)
        self.text, self.facts = MarkedText(size=28), Paragraph("", 13)
        self.rows: list[NoteRow] = []
        joke = QWidget()
        VBox(self.text, 1, self.facts, parent=joke, gap=14)
        self._notes, self._note_column = QWidget(), VBox(gap=18)
        VBox(self._note_column, 1, parent=self._notes, margins=(0, 6, 0, 0))
        self._side = HBox((joke, 1), self._notes, gap=38)
        self.column.add(self._side)
        self._shown: tuple[str, RatingResult | None, str, frozenset[str], bool] | None = None
        self._beside = True
        self._gone = ""
        """The text of the edit that was just dismissed, which can be brought back."""
        self._fade = single_shot(self, self._drop_dismissed, _GONE_MS)
        self.text.pointed.connect(self._on_pointed)
        self.restyle()

    def show_result(
        self, text: str, record: RatingResult | None, facts: str, dismissed: Collection[str], *, busy: bool
    ) -> None:
        """Show a joke and its rating. ``record``: None where only the text is known."""
        shown = text, record, facts, frozenset(dismissed), busy
        if shown != self._shown:
            self._shown = shown
            self._draw()

    def _draw(self) -> None:
        if self._shown is None:
            return
        text, record, facts, dismissed, busy = self._shown
        self.facts.show_text(facts)
        size = next((size for most, size in _SIZES if len(text) <= most), 15)
        size = size if self._beside and record is not None else min(size, 24)
        play = record.wordplay if record is not None else None
        marks = words.marks_of(record, dismissed) if record is not None else ()
        self.text.set_text(text, marks, above=play.second or "" if play is not None else "", size=size)
        remarks = words.remarks_of(record, dismissed - {self._gone}) if record is not None else ()
        self.rows = [self._row(record, remark, busy) for remark in remarks if record is not None]
        for row, other in zip(self.rows, self.rows[1:], strict=False):
            row.stepped.connect(lambda step, other=other: other.setFocus() if step > 0 else None)
            other.stepped.connect(lambda step, row=row: row.setFocus() if step < 0 else None)
        self._notes.setVisible(bool(remarks))
        self._note_column.show_only(*self.rows)
        self.update()

    def _row(self, record: RatingResult, remark: Remark, busy: bool) -> NoteRow:
        row, trial = words.remark_row(record, remark), words.trial_of(record, remark)
        note = NoteRow(remark, row, wide=not self._beside, busy=busy)
        note.pointed.connect(lambda on: self.text.emphasise(row.span if on else None))
        if trial is not None:
            note.accepted.connect(lambda: self.accepted.emit(trial.text))
            note.dismissed.connect(lambda: self._dismiss(trial.text, True))
            note.undone.connect(lambda: self._dismiss(trial.text, False))
            if trial.text == self._gone:
                note.show_dismissed()
        return note

    def _dismiss(self, text: str, dismissed: bool) -> None:
        self._gone = text if dismissed else ""
        self._fade.start() if dismissed else self._fade.stop()
        self.dismissed.emit(text, dismissed)

    def _drop_dismissed(self) -> None:
        self._gone = ""
        self._draw()

    def _on_pointed(self, place: int) -> None:
        for row in self.rows:
            span = words.span_of(row.remark)
            row.sentence.set_token("accent" if span is not None and span[0] <= place < span[1] else "text")

    def set_beside(self, beside: bool) -> None:
        """Set whether the notes are in a margin or under the joke."""
        if beside != self._beside:
            self._beside = beside
            self._side.stack(not beside)
            self.restyle()
            self._draw()

    def restyle(self) -> None:
        if hasattr(self, "_notes"):
            self._notes.setMaximumWidth(px(_NOTES) if self._beside else 16_777_215)
            self._notes.setMinimumWidth(px(_NOTES) if self._beside else 0)
            self._side.setSpacing(px(38 if self._beside else 14))
        super().restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._beside and not self._notes.isHidden():
            with self.painter() as (painter, width, height):
                painter.fillRect(QRectF(width - 20 - _NOTES - 20, 0, 1, height), QColor(theme().tokens.line))


def ring_of(audience: Audience) -> float | None:
    """Return the ring's percentile; None where the band is unknown or too wide for a ring."""
    low, high = audience.low, audience.high
    return audience.percentile if low is not None and high is not None and high - low < _NARROW_BAND else None


class AnswerSection(Section):
    """The headline with its sentences, the audience's line, and what can be done where nothing was found.
    ``turn_chosen`` carries a span in characters; ``forced``: rate the text nevertheless; ``library_asked``: open the
    library to choose another model."""

    turn_chosen = Signal(object)
    forced = Signal()
    library_asked = Signal()

    def __init__(self, text: MarkedText) -> None:
        super().__init__("What people would say", gap=8)
        self._text = text
        self.heading, self.caption, self.lead = Heading("", 3), Caption(""), Paragraph("", gap=4)
        self.line = Line()
        self.line.set_labels(LineLabels(ends=("funnier than none", "than all"), tick="than half of jokes"))
        self.known, self.trust_link, self.taste = Label("", 13, token="text2"), TrustLink(), TasteLine()
        self._foot = Flow(gap=8)
        self._foot.add(self.known, self.trust_link)
        self.select_button = SecondaryButton("Select the turn", "pencil", act=self._select)
        self.read_button = PrimaryButton("Read it so", act=self._read)
        self.cancel_link = LinkButton("Cancel", act=self.stop_choosing)
        self.force_button = SecondaryButton("Rate anyway", act=self.forced)
        self.library_button = SecondaryButton("Choose model", act=self.library_asked)
        self._buttons = QWidget()
        buttons = (self.select_button, self.read_button, self.cancel_link, self.force_button, self.library_button)
        HBox(*buttons, 1, parent=self._buttons, gap=10, margins=(0, 6, 0, 6))
        self.other = Paragraph(OTHER_END, 13)
        self.column.add(
            self.heading, self.caption, self.lead, self.line, self.taste, self._foot, self._buttons, self.other
        )
        self._text.chosen.connect(lambda: self.read_button.setEnabled(self._text.choice is not None))
        self.stop_choosing()

    def show_result(self, record: RatingResult, came_to: words.Outcome, phase: str, *, busy: bool) -> None:
        headline, *lead = words.headline_of(record)
        if came_to in ("nothing", "no answer") and phase in ("stopped", "interrupted"):
            came_to, cut = "nothing", phase == "interrupted"
            headline, lead = ("This rating was cut off." if cut else "Stopped."), ["There is no verdict."]
        no_turn = came_to == "no turn"
        audience = record.audience if came_to == "page" else None
        trust = words.known_of(audience) if audience is not None and headline != words.FOREIGN else ""
        between = words.between(audience) if audience is not None else ""
        shown = [line for line in lead if line not in (trust, between)]
        self.heading.set_content(headline)
        self.lead.show_text("\n".join([*shown[:-1], f"{shown[-1]} {SELECT}"] if no_turn else shown))
        self.caption.setText(next((words.right_in(one.right) for one in record.remarks if one.right), ""))
        self.caption.setVisible(no_turn and bool(self.caption.text()))
        self.line.setVisible(bool(between))
        if audience is not None and between:
            self.line.set_values(audience.low, audience.high, ring_of(audience), accessible=between)
            self.line.setToolTip(between)
        self.known.setText(trust)
        self.known.setVisible(bool(trust))
        scored = came_to == "page" and record.mean_score is not None
        self.trust_link.show_for(record if audience is not None or scored else None)
        self._foot.setVisible(bool(trust) or not self.trust_link.isHidden())
        form = came_to == "no text" and record.sense is not None and bool(form_of(record.text))
        self.force_button.setVisible(came_to == "rejected" or form)
        self.library_button.setVisible(came_to == "no answer")
        if not no_turn:
            self._choose(False)
        self.select_button.setVisible(no_turn and self.read_button.isHidden())
        self.other.setVisible(no_turn)
        self._buttons.setVisible(came_to in ("no turn", "rejected", "no answer") or form)
        for button in (self.select_button, self.force_button):
            button.setEnabled(not busy)

    def _select(self) -> None:
        self._choose(True)
        self.read_button.setEnabled(False)
        self._text.setFocus()

    def stop_choosing(self) -> None:
        """End the choice of a turn and leave the text unmarked."""
        focused = self.cancel_link.hasFocus() or self._text.hasFocus()
        self._choose(False)
        if focused:
            self.select_button.setFocus()

    def _choose(self, on: bool) -> None:
        self._text.choose(on)
        self.select_button.setVisible(not on)
        self.read_button.setVisible(on)
        self.cancel_link.setVisible(on)

    def _read(self) -> None:
        if self._text.choice is not None:
            self.turn_chosen.emit(self._text.choice)


# Kinds and factors.


class FactorRows(Painted):
    """Rows of 29 px with a factor's name, five cells and words."""

    NAME, CELLS, ROW = 96, 176, 29
    LEAST = 200

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()
        self._factors: tuple[FactorScore, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_rows(self, factors: Sequence[FactorScore], rows: Sequence[Row]) -> None:
        self._factors, self.rows = tuple(factors), tuple(rows)
        self.say("Factors", ". ".join(map(_said, self.rows)))
        self.setVisible(bool(rows))
        self.updateGeometry()
        self.update()

    def extent(self) -> tuple[float, float]:
        return 480, max(1, self.ROW * len(self.rows))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            place = int(event.pos().y() / theme().scale // self.ROW)  # type: ignore[attr-defined]
            self.setToolTip(_said(self.rows[place]) if 0 <= place < len(self.rows) else "")
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        widest = max((text_width(row.name, t.raw_font(14, 600)) for row in self.rows), default=0.0)
        with self.painter() as (painter, width, _):
            name = min(max(self.NAME - 12, widest), width * 0.34)
            cells = min(float(self.CELLS), max(80.0, width - name - 200))
            for number, (factor, row) in enumerate(zip(self._factors, self.rows, strict=True)):
                top, strong = number * self.ROW, factor.stands_out == "strong"
                face = t.raw_font(14, 600 if strong else 500)
                write(painter, QRectF(0, top, name, self.ROW), elided(row.name, face, name), face, t.tokens.text)
                left, one = name + 12, (cells - 8) / 5
                for cell in range(5):
                    rect = QRectF(left + cell * (one + 2), top + self.ROW / 2 - 4, one, 8)
                    box(painter, rect, 1.5, t.tokens.track)
                    share = min(max((factor.expected or 0.0) - cell, 0.0), 1.0)
                    if share > 0:
                        rect.setWidth(one * share)
                        box(painter, rect, 1.5, t.tokens.accent if strong else t.tokens.tint2)
                x, face = left + cells + 14, t.raw_font(13)
                text = "; ".join(filter(None, (row.text, row.beside)))
                if text_width(text, face) > width - x:
                    text = elided(row.text.removesuffix(" jokes"), face, width - x)
                write(painter, QRectF(x, top, width - x, self.ROW), text, face, t.tokens.text2)


def _said(row: Row) -> str:
    return f"{row.name}: {'; '.join(filter(None, (row.text, row.beside)))}"


class FactorsSection(Section):
    """Kinds and factors; hidden where there are none."""

    def __init__(self) -> None:
        super().__init__("What stands out", gap=6)
        self.kinds = Flow()
        self.kinds.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.head, self.nothing = Label("What stands out", 15, 600), Paragraph("Nothing stands out.")
        self.rows, self.rest, self.weighted = FactorRows(), FactorRows(), RowsView()
        self.all_link = LinkButton("", act=lambda: self.unfold(self.rest.isHidden()))
        self.column.add(
            HBox(self.head, 1, self.kinds), self.nothing, self.rows, self.rest, self.weighted, HBox(self.all_link, 1)
        )
        self._id = ""

    def unfold(self, on: bool) -> None:
        """Show or hide the factors that don't stand out."""
        self.rest.setVisible(on and bool(self.rest.rows))
        count = len(self.rows.rows) + len(self.rest.rows)
        self.all_link.setText("Show fewer" if on else f"All {count}")
        self.all_link.setAccessibleName("Show fewer factors" if on else f"Show all {count} factors")
        self.all_link.setVisible(bool(self.rest.rows))

    def show_result(self, record: RatingResult) -> None:
        unfolded = not self.rest.isHidden() and record.id == self._id
        self._id = record.id
        kinds, weighted = words.kinds_of(record), words.weighted_in_words(record)
        self.kinds.set_items([Chip(kind, chosen=True) for kind in kinds])
        self.kinds.setVisible(bool(kinds))
        for view, factors, rows in zip(
            (self.rows, self.rest), words.factors_of(record), words.factor_rows(record), strict=True
        ):
            view.set_rows(factors, rows)
        self.nothing.setVisible(bool(record.shown_factors) and not self.rows.rows)
        self.weighted.show_rows([Row(weighted, "Weighted")] if weighted else [])
        self.unfold(unfolded)
        self.setVisible(bool(record.shown_factors or kinds))


MORE = "More about this verdict"


class MoreSection(Section):
    """The rest of the rating's words, folded."""

    def __init__(self) -> None:
        super().__init__("More", margin=8)
        self.link = LinkButton(MORE, act=lambda: self.unfold(self.rows.isHidden()))
        self.rows = RowsView()
        self.column.add(HBox(self.link, 1), self.rows)
        self.unfolded = False

    def show_result(self, record: RatingResult) -> None:
        self.rows.show_rows(words.details(record))
        self.setVisible(bool(self.rows.rows))
        self.unfold(self.unfolded)

    def unfold(self, on: bool) -> None:
        self.unfolded = on
        self.rows.setVisible(on)
        self.link.setText("Show less" if on else MORE)


class RatePage(Surface):
    """All sections in one card."""

    def __init__(self) -> None:
        super().__init__()
        self.joke = JokeSection()
        self.answer = AnswerSection(self.joke.text)
        self.factors, self.more = FactorsSection(), MoreSection()
        self._sections = (self.joke, self.answer, self.factors, self.more)
        VBox(*self._sections, parent=self, gap=0, margins=(0, 1, 0, 1))
        self.setAccessibleName("The joke, marked up")

    def show_state(self, state: VerdictState, dismissed: Collection[str], *, busy: bool) -> None:
        """Draw the known parts of a rating. ``busy``: another one runs."""
        record: RatingResult | None = state.result
        text = record.text if record is not None else "".join(state.texts)
        came_to = words.outcome(record) if record is not None else "nothing"
        marked = record if came_to == "page" else None
        facts = words.facts(record) if record is not None else facts_of(text).lines()
        stopped = ("stopped",) if state.phase == "stopped" else ()
        self.joke.show_result(text, marked, " · ".join((*facts, *stopped)), dismissed, busy=busy)
        for section in self._sections[1:]:
            section.setVisible(record is not None)
        if record is not None:
            self.answer.show_result(record, came_to, state.phase, busy=busy)
            self.factors.show_result(record)
            self.more.show_result(record)
            self.factors.setVisible(not self.factors.isHidden() and came_to in ("page", "no answer", "nothing"))
            self.more.setVisible(not self.more.isHidden() and not state.live)
            self.answer.setVisible(came_to == "page" or not state.live)
        for place, shown in enumerate(section for section in self._sections if not section.isHidden()):
            shown.lined = place > 0
            shown.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.joke.set_beside(self.width() >= px(MARGIN_FROM))


# The card before the first verdict: for a new user, a description of the tab and examples.

_EXAMPLES = 3
NEWCOMER = (
    "Is it funny?",
    "A model on this computer reads the joke, marks where it turns, and says where people would probably put it among "
    "other jokes. Nothing is sent anywhere.",
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
