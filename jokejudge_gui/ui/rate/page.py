"""The page of one joke: the marked text with remarks and proposed edits in the margin, and below it the estimate of the
audience and the outstanding factors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...heads.intent import form_of
from ...judge.rating.record import RatingResult, Remark
from ...judge.rating.words import NO_TURN
from ..look.theme import px, theme
from ..trust.trust_figures import TrustLink
from ..votes import TasteLine
from ..widgets.base import KeyActs, Painted, Surface, Themed, box, elided, text_width, write
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton
from ..widgets.labels import Chip, Flow
from ..widgets.layout import HBox, VBox, chain_controls, single_shot
from ..widgets.line import Line, LineLabels
from ..widgets.marked_text import Mark, MarkedText
from ..widgets.text import Caption, Heading, Label, Paragraph
from .state import (
    FOREIGN,
    IN_DOUBT,
    SCORED,
    STILL_NO_TURN,
    SURE_TURN,
    FactorLine,
    Finding,
    RateState,
    audience_line,
    audience_words,
    factor_line,
    facts_words,
    has_factors,
    known_of,
    outstanding,
    remarks_of,
    right_in,
    ring_of,
    span_of,
    trial_of,
    weighted_words,
    words_of,
)

MARGIN_FROM = 580
"""Least width of the page, in pixels at 100 %, that has notes in a margin."""
_NOTES = 192
_SIZES = ((80, 28), (160, 24), (400, 20))
"""Pairs of a text's greatest length in characters and its font size in pixels at 100 %; 15 for longer texts."""
_LEAST_KIND, _MOST_KINDS = 0.65, 3
_GONE_MS = 6000


def size_of(text: str) -> int:
    """Return the font size of a joke's text, in pixels at 100 %."""
    return next((size for most, size in _SIZES if len(text) <= most), 15)


# The parts of the page: each is as wide as the card, with a hairline above all but the first.


class Section(Painted):
    """A part of the page. ``lined``: it has a hairline above it."""

    def __init__(
        self, name: str, *, gap: int = 10, margins: tuple[float, float, float, float] = (20, 18, 20, 18)
    ) -> None:
        super().__init__()
        self.say(name)
        self.lined = False
        self.column = VBox(parent=self, gap=gap, margins=margins)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.follow_theme()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.lined:
            with self.painter() as (painter, width, _):
                painter.fillRect(QRectF(0, 0, width, 1), QColor(theme().tokens.line))


class SmallButton(SecondaryButton):
    """A square button of 24 px with only an icon."""

    HEIGHT = 24
    PADDING = 4
    RADIUS = 6


class NoteRow(KeyActs, Themed, QWidget):
    """A remark in the margin. ``pointed``: the pointer or the focus entered (true) or left it; ``accepted`` and
    ``dismissed``: its proposed edit was; ``undone``: the dismissal was undone; ``stepped``: go to the next note (1) or
    to the one before (−1)."""

    pointed = Signal(bool)
    accepted = Signal()
    dismissed = Signal()
    undone = Signal()
    stepped = Signal(int)

    def __init__(self, remark: Remark, *, edits: bool, wide: bool, busy: bool) -> None:
        super().__init__()
        self.remark = remark
        self._edits = edits and not busy
        self.sentence = Paragraph(remark.text, 14, 400, "text", 20 / 14)
        self.caption = Caption(right_in(remark.right) if remark.right is not None else "")
        self.accept_button = SmallButton("", "check", name=f"Accept: {remark.text}", tip="Accept this edit and rate it")
        self.dismiss_button = SmallButton("", "cross", name=f"Dismiss: {remark.text}", tip="Don't propose this again")
        self.accept_button.clicked.connect(self.accepted)
        self.dismiss_button.clicked.connect(self.dismissed)
        self.gone = Label("Dismissed.", 14, 400, "text3")
        self.undo_link = LinkButton("Undo", name="Bring the dismissed edit back", act=self.undone)
        foot = HBox(self.caption, 1, self.accept_button, self.dismiss_button, gap=6)
        self._gone_row = QWidget()
        HBox(self.gone, self.undo_link, 1, parent=self._gone_row, gap=6)
        self._gone_row.hide()
        # Under the joke, caption and buttons are at the right of the sentence.
        self._box = HBox((self.sentence, 1), foot, gap=12) if wide else VBox(self.sentence, foot, gap=2)
        VBox(self._gone_row, self._box, parent=self)
        if not wide:
            # Wrap it now: a layout that was never shown would give it the height of a single line.
            self.sentence.resize(px(_NOTES), 10)
            self.sentence.restyle()
        for button in (self.accept_button, self.dismiss_button):
            button.setVisible(edits)
            button.setEnabled(not busy)
        self.caption.setVisible(remark.right is not None)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring", True)
        self.setProperty("ringRadius", 6)
        self.setAccessibleName(" ".join(filter(None, (remark.text, self.caption.text()))))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.follow_theme()

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
        self._gone_row.show()
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

    def set_strong(self, strong: bool) -> None:
        """Set whether the pointer is on the words of the note."""
        self.sentence.set_token("accent" if strong else "text")


class JokeSection(Section):
    """The joke with its marks, the notes in the margin or under it, and the facts. ``accepted`` carries the trial,
    ``dismissed`` its text and whether it was dismissed (true) or brought back."""

    accepted = Signal(object)
    dismissed = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__("The joke", gap=0, margins=(20, 18, 20, 18))
        self.text = MarkedText(size=28)
        self.facts = Paragraph("", 13)
        self.rows: list[NoteRow] = []
        self._joke = QWidget()
        VBox(self.text, 1, self.facts, parent=self._joke, gap=14)
        self._notes = QWidget()
        self._note_column = VBox(gap=18)
        VBox(self._note_column, 1, parent=self._notes, margins=(0, 6, 0, 0))
        self._side = HBox((self._joke, 1), self._notes, gap=38)
        self.column.add(self._side)
        self._shown: tuple[object, ...] = ()
        self._drawn: Callable[[], None] = lambda: None
        self._beside = True
        self._fade = single_shot(self, self._drop_dismissed, _GONE_MS)
        self._gone: str | None = None
        self.text.pointed.connect(self._on_pointed)
        self.restyle()

    def show_result(
        self, text: str, result: RatingResult | None, facts: Sequence[str], dismissed: Collection[str], *, busy: bool
    ) -> None:
        """Show a joke and its rating. ``result``: None where only the text is known."""
        shown = text, result, tuple(facts), frozenset(dismissed), busy, self._beside
        if shown == self._shown:
            return
        self._shown = shown
        self._drawn = lambda: self.show_result(text, result, facts, dismissed, busy=busy)
        self.facts.show_text(" · ".join(facts))
        remarks = remarks_of(result, {each for each in dismissed if each != self._gone}) if result else ()
        self._show_text(text, result, [each for each in remarks if not self._is_gone(result, each)])
        self._show_notes(result, remarks, busy=busy)

    def _is_gone(self, result: RatingResult | None, remark: Remark) -> bool:
        trial = trial_of(result, remark) if result is not None else None
        return trial is not None and trial.text == self._gone

    def _show_text(self, text: str, result: RatingResult | None, remarks: Sequence[Remark]) -> None:
        size = size_of(text)
        if not self._beside:
            size = min(size, 24)
        if result is None:
            self.text.set_text(text, size=min(size, 24))
            return
        marks: list[Mark] = []
        for remark in remarks:
            if remark.about == "edit":
                marks += [(*span, "cut") for span in words_of(result, remark)]
        turn = result.turn
        above = None
        play = result.wordplay
        if play is not None and play.second:
            above = (play.start, play.end, play.second)
        elif play is not None:
            marks.append((play.start, play.end, "word"))
        sure = turn is not None and turn.p >= SURE_TURN
        self.text.set_text(
            text, turn=(turn.start, turn.end) if turn and sure else None, marks=marks, above=above, size=size
        )

    def _show_notes(self, result: RatingResult | None, remarks: Sequence[Remark], *, busy: bool) -> None:
        self.rows = []
        for place, remark in enumerate(remarks):
            trial = trial_of(result, remark) if result is not None else None
            row = NoteRow(remark, edits=trial is not None, wide=not self._beside, busy=busy)
            row.pointed.connect(lambda on, remark=remark: self.text.emphasise(span_of(remark) if on else None))
            row.stepped.connect(lambda step, place=place: self._step(place + step))
            if trial is not None:
                row.accepted.connect(lambda trial=trial: self.accepted.emit(trial))
                row.dismissed.connect(lambda trial=trial: self._dismiss(trial.text))
                row.undone.connect(lambda trial=trial: self._undo(trial.text))
                if trial.text == self._gone:
                    row.show_dismissed()
            self.rows.append(row)
        self._notes.setVisible(bool(remarks))
        self._note_column.show_only(*self.rows)
        chain_controls(self)
        self.update()

    def _step(self, place: int) -> None:
        if 0 <= place < len(self.rows):
            self.rows[place].setFocus()

    def _dismiss(self, text: str) -> None:
        self._gone = text
        self._fade.start()
        self.dismissed.emit(text, True)

    def _undo(self, text: str) -> None:
        self._gone = None
        self._fade.stop()
        self.dismissed.emit(text, False)

    def _drop_dismissed(self) -> None:
        self._gone = None
        self._shown = ()
        self._drawn()

    def _on_pointed(self, place: int) -> None:
        for row in self.rows:
            span = span_of(row.remark)
            row.set_strong(span is not None and span[0] <= place < span[1])

    def set_beside(self, beside: bool) -> None:
        """Set whether the notes are in a margin or under the joke."""
        if beside != self._beside:
            self._beside = beside
            self._side.stack(not beside)
            self.restyle()
            self._drawn()

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


# The audience.


class AudienceSection(Section):
    def __init__(self) -> None:
        super().__init__("What people would say")
        self.said = Heading("", 3)
        self.why = Paragraph("", 15)
        self.line = Line()
        self.line.set_labels(LineLabels(ends=("funnier than none", "than all"), tick="than half of jokes"))
        self.doubt = Paragraph("", 13)
        self.known = Label("", 13, token="text2")
        self.trust_link = TrustLink()
        self.taste = TasteLine()
        foot = Flow(gap=8)
        foot.add(self.known, self.trust_link)
        self.column.add(self.said, self.why, self.doubt, self.line, self.taste, foot)

    def show_result(self, result: RatingResult) -> None:
        audience = result.audience if result.audience is not None and result.audience.heard else None
        words = audience_words(result)
        self.said.show_text(words if words != STILL_NO_TURN else "")
        self.why.show_text(words if words == STILL_NO_TURN else "")
        unsure = result.sense is not None and result.sense.said == "unsure"
        self.doubt.show_text(IN_DOUBT if unsure else "")
        drawn = audience is not None and audience.low is not None
        self.line.setVisible(drawn)
        if audience is not None and drawn:
            between = audience_line(audience)
            self.line.set_values(audience.low, audience.high, ring_of(audience), accessible=between)
            self.line.setToolTip(f"People would probably put it {between}.")
        self.known.setText(known_of(result.audience) if result.audience is not None and words != FOREIGN else "")
        self.known.setVisible(bool(self.known.text()))
        self.trust_link.show_for(result if result.audience is not None or words.endswith(SCORED) else None)


# Kinds and factors.


class FactorRows(Painted):
    """Rows of 29 px with a name, five cells and words."""

    NAME, CELLS, ROW = 96, 176, 29
    LEAST = 200

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[FactorLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_rows(self, rows: Sequence[FactorLine]) -> None:
        self.rows = tuple(rows)
        said = ". ".join(f"{row.name}: {row.words}" for row in self.rows)
        self.say("Factors", said)
        self.setToolTip("")
        self.updateGeometry()
        self.update()

    def extent(self) -> tuple[float, float]:
        return 480, max(1, self.ROW * len(self.rows))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            place = int(event.pos().y() / theme().scale // self.ROW)  # type: ignore[attr-defined]
            self.setToolTip(f"{self.rows[place].name}: {self.rows[place].words}" if 0 <= place < len(self.rows) else "")
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c = t.tokens
        widest = max((text_width(row.name, t.raw_font(14, 600)) for row in self.rows), default=0.0)
        with self.painter() as (painter, width, _):
            name = min(max(self.NAME - 12, widest), width * 0.34)
            cells = min(float(self.CELLS), max(80.0, width - name - 200))
            for number, row in enumerate(self.rows):
                top = number * self.ROW
                face = t.raw_font(14, 600 if row.rank == "strong" else 500)
                write(painter, QRectF(0, top, name, self.ROW), elided(row.name, face, name), face, c.text)
                left, one = name + 12, (cells - 8) / 5
                for cell in range(5):
                    rect = QRectF(left + cell * (one + 2), top + self.ROW / 2 - 4, one, 8)
                    box(painter, rect, 1.5, c.track)
                    share = min(max(row.cells - cell, 0.0), 1.0)
                    if share > 0:
                        rect.setWidth(one * share)
                        box(painter, rect, 1.5, c.accent if row.rank == "strong" else c.tint2)
                x, face = left + cells + 14, t.raw_font(13)
                fits = text_width(row.words, face) <= width - x
                words = elided(row.words if fits else row.words.removesuffix(" jokes"), face, width - x)
                write(painter, QRectF(x, top, width - x, self.ROW), words, face, c.text2)


class FactorsSection(Section):
    """Kinds and factors; hidden where there are none."""

    def __init__(self) -> None:
        super().__init__("What stands out", gap=6)
        self.kinds = Flow()
        self.kinds.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.head = Label("What stands out", 15, 600)
        self.rows = FactorRows()
        self.nothing = Paragraph("Nothing stands out.")
        self.rest = FactorRows()
        self.weighted = Paragraph("", 13)
        self.all_link = LinkButton("", act=self._unfold)
        self.column.add(
            HBox(self.head, 1, self.kinds), self.nothing, self.rows, self.rest, self.weighted, HBox(self.all_link, 1)
        )
        self._unfolded = False
        self._result: RatingResult | None = None

    def _unfold(self) -> None:
        self._unfolded = not self._unfolded
        if self._result is not None:
            self.show_result(self._result)

    def show_result(self, result: RatingResult) -> None:
        if self._result is None or result.id != self._result.id:
            self._unfolded = False
        self._result = result
        kinds = [kind for kind in result.categories if kind.chosen and kind.p >= _LEAST_KIND][:_MOST_KINDS]
        kinds = kinds if result.learned else []
        self.kinds.set_items([Chip(kind.name, chosen=True) for kind in kinds])
        self.kinds.setVisible(bool(kinds))
        factors = result.shown_factors
        first = outstanding(factors)
        rest = [each for each in factors if each not in first]
        if factors and not any(each.standing is not None for each in factors):
            rest.sort(key=lambda each: -(each.expected or 0.0))
            first, rest = [*first, *rest[:3]], rest[3:]  # scores by the model, without a comparison with other jokes
        self.rows.set_rows([factor_line(each) for each in first])
        self.rows.setVisible(bool(first))
        self.nothing.setVisible(bool(factors) and not first)
        self.rest.set_rows([factor_line(each) for each in rest])
        self.rest.setVisible(self._unfolded and bool(rest))
        self.weighted.show_text(weighted_words(result))
        self.all_link.setText("Show fewer" if self._unfolded else f"All {len(factors)}")
        self.all_link.setAccessibleName("Show fewer factors" if self._unfolded else f"Show all {len(factors)} factors")
        self.all_link.setVisible(bool(rest))


# A rating without a page, and the user's choice of a turn that wasn't found.

WHAT_TURNS = (
    "A turn is where a reader has to think again. If there is one, select its words on the page, and the text is read "
    "as a joke that turns there."
)
OTHER_END = "If not, write another end: each Rate is kept as a version."
_SAID: dict[Finding, str] = {
    "no turn": NO_TURN,
    "too short": "Too short to read.",
    "no text": "This isn't a text that I can read as a joke.",
    "no answer": "The model gave no usable answer.",
}


class FindingSection(Section):
    """Heading, sentence and one action. ``turn_chosen`` carries a span in characters; ``forced``: rate the text
    nevertheless; ``library_asked``: open the library to choose another model."""

    turn_chosen = Signal(object)
    forced = Signal()
    library_asked = Signal()

    def __init__(self, text: MarkedText) -> None:
        super().__init__("Result", gap=8)
        self._text = text
        self.heading = Heading("", 3)
        self.caption = Caption("")
        self.sentence = Paragraph("")
        self.select_button = SecondaryButton("Select the turn", "pencil", act=self._select)
        self.read_button = PrimaryButton("Read it so", act=self._read)
        self.cancel_link = LinkButton("Cancel", act=self.stop_choosing)
        self.force_button = SecondaryButton("Rate anyway", act=self.forced)
        self.library_button = SecondaryButton("Choose model", act=self.library_asked)
        self.other = Paragraph("", 13)
        self._row = QWidget()
        buttons = (self.select_button, self.read_button, self.cancel_link, self.force_button, self.library_button)
        HBox(*buttons, 1, parent=self._row, gap=10, margins=(0, 6, 0, 6))
        self.column.add(self.heading, self.caption, self.sentence, self._row, self.other)
        self._text.chosen.connect(self._on_chosen)
        self.stop_choosing()

    def show_state(self, state: RateState, finding: Finding, *, busy: bool) -> None:
        """Show the outcome of a rating that has no page."""
        result = state.result
        heading, sentence = _SAID.get(finding, ""), ""
        form = form_of(result.text) if finding == "no text" and result is not None and result.sense is not None else ""
        if finding == "no turn":
            sentence = WHAT_TURNS
        elif form:
            sentence = f"It looks like {form}."
        elif finding == "rejected" and result is not None:
            heading = f"{(result.rejection or 'Not clearly a joke.').rstrip('.')}."
            sentence = "So nothing was scored."
        elif finding == "no answer":
            sentence = "None of its answers could be read as a score. A larger model may do better."
        elif finding == "stopped":
            cut = state.phase == "interrupted"
            heading = "This rating was cut off." if cut else "Stopped."
            sentence = "The program ended before the verdict was known." if cut else "There is no verdict."
        self.heading.set_content(heading)
        rights = [remark.right for remark in result.remarks if remark.right is not None] if result else []
        self.caption.setText(right_in(rights[0]) if rights and finding == "no turn" else "")
        self.caption.setVisible(bool(self.caption.text()))
        self.sentence.show_text(sentence)
        self.other.show_text(OTHER_END if finding == "no turn" else "")
        self.force_button.setVisible(finding == "rejected" or bool(form))
        self.library_button.setVisible(finding == "no answer")
        self.select_button.setVisible(finding == "no turn" and self.read_button.isHidden())
        self._row.setVisible(finding in ("no turn", "rejected", "no answer") or bool(form))
        for button in (self.select_button, self.force_button):
            button.setEnabled(not busy)

    def _select(self) -> None:
        self._text.choose(True)
        self.select_button.hide()
        self.read_button.show()
        self.read_button.setEnabled(False)
        self.cancel_link.show()
        self._text.setFocus()

    def stop_choosing(self) -> None:
        """End the choice of a turn and leave the text unmarked."""
        focused = self.cancel_link.hasFocus() or self._text.hasFocus()
        self._text.choose(False)
        self.read_button.hide()
        self.cancel_link.hide()
        self.select_button.show()
        if focused:
            self.select_button.setFocus()

    def _on_chosen(self) -> None:
        self.read_button.setEnabled(self._text.choice is not None)

    def _read(self) -> None:
        choice = self._text.choice
        if choice is not None:
            self.turn_chosen.emit(choice)


MORE = "More about this verdict"


class Page(Surface):
    """All sections in one card. ``more_toggled``: show (true) or hide the rest of the verdict."""

    RADIUS = 12
    more_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.joke = JokeSection()
        self.audience = AudienceSection()
        self.factors = FactorsSection()
        self.finding = FindingSection(self.joke.text)
        self.more_section = Section("More", margins=(20, 8, 20, 8))
        self.more_link = LinkButton(MORE)
        self.more_link.setCheckable(True)
        self.more_link.toggled.connect(lambda on: self.more_link.setText("Show less" if on else MORE))
        self.more_link.toggled.connect(self.more_toggled)
        self.more_section.column.add(HBox(self.more_link, 1))
        self._sections = (self.joke, self.finding, self.audience, self.factors, self.more_section)
        VBox(*self._sections, parent=self, gap=0, margins=(0, 1, 0, 1))
        self.setAccessibleName("The joke, marked up")
        self.follow_theme()

    def show_state(self, state: RateState, dismissed: Collection[str], *, more: bool, busy: bool) -> None:
        """Draw the known parts of a rating. ``more``: there is more to unfold; ``busy``: another one runs."""
        result = state.result
        finding: Finding = "page" if state.live else state.finding
        turned = finding == "page" and result is not None
        if finding != "no turn":
            self.finding.stop_choosing()
        text = result.text if result is not None else state.text
        self.joke.show_result(text, result if turned else None, facts_words(text, state, finding), dismissed, busy=busy)
        self.finding.setVisible(not state.live and finding != "page")
        if not state.live:
            self.finding.show_state(state, finding, busy=busy)
        self.audience.setVisible(turned)
        read = result is not None and finding in ("page", "stopped", "no answer") and has_factors(result)
        self.factors.setVisible(read)
        if turned and result is not None:
            self.audience.show_result(result)
        if read and result is not None:
            self.factors.show_result(result)
        self.more_section.setVisible(more)
        shown = [section for section in self._sections if not section.isHidden()]
        for place, section in enumerate(shown):
            section.lined = place > 0
            section.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.joke.set_beside(self.width() >= px(MARGIN_FROM))

    def shades(self) -> tuple[str | None, str | None]:
        return theme().tokens.surface, theme().tokens.line


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
        self.follow_theme()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.underMouse():
            self._act()

    def shades(self) -> tuple[str | None, str | None]:
        t = theme().tokens
        return (t.sunken, t.line2) if self.underMouse() else (None, t.line)


class WelcomeCard(Card):
    """The welcome. ``use`` is called with the chosen example."""

    def __init__(self, examples: Sequence[str], use: Callable[[str], object], *, newcomer: bool) -> None:
        super().__init__(padding=28)
        self.setAccessibleName("Welcome")
        heading, words = NEWCOMER if newcomer else KNOWN
        self.add(Heading(heading, 2 if newcomer else 3), Paragraph(words, 15 if newcomer else 14))
        self.rows = [ExampleRow(joke, partial(use, joke)) for joke in (examples[:_EXAMPLES] if newcomer else ())]
        if self.rows:
            self.add(VBox(*self.rows, gap=8, margins=(0, 8, 0, 0)))
