"""The verdict at a glance: the gauge, what it says in words, and what an editor would say; of a rating whose questions
were asked its best factor and pathway, and the explanation under a line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ...verdicts import RatingResult
from ..look import wording
from ..look.theme import px, theme
from ..taste.vote_card import TasteLine
from ..trust.line import TrustLine
from ..verdict.explanation_view import ExplanationView
from ..widgets.badge import ScoreBadge
from ..widgets.cards import Card, Rule
from ..widgets.gauge import Gauge
from ..widgets.progress import ProgressLine
from ..widgets.text import Heading, Label, Paragraph
from .audience_words import audience_words
from .note_view import NoteView
from .state import RateState, best_factor, was_read

_NARROW = 480
"""Under this width, in pixels at 100 %, the note stands under the gauge."""


class VerdictCard(Card):
    """``show_running`` while there is no mean yet, ``show_verdict`` from then on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setAccessibleName("Verdict")
        self.gauge = Gauge()
        self.heading = Heading("", 3)
        self.sentence = Paragraph("", 13)
        self.progress = ProgressLine(name="Progress")
        self._best_label = Label("Best factor", 14, 400, "text2")
        self._path_label = Label("Pathway", 14, 400, "text2")
        self.best = Paragraph("", 15, 600, "text")
        self.badge = ScoreBadge()
        self.pathway = Paragraph("", 14, 400, "text")
        self._notes = NoteView(), NoteView()
        self._narrow = False
        self._told: RatingResult | None = None
        self.taste = TasteLine()
        self.trust_line = TrustLine()
        self.rule = Rule("line")
        self.explanation = ExplanationView()
        self.writing = Paragraph("", 14, 400, "text3")

        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._best_row = QHBoxLayout()
        self.best.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._best_row.addWidget(self.best)
        self._best_row.addWidget(self.badge)
        self._best_row.addStretch(1)
        self._grid.addWidget(self._best_label, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addLayout(self._best_row, 0, 1)
        self._grid.addWidget(self._path_label, 1, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(self.pathway, 1, 1)
        self._beside = QVBoxLayout()
        self._beside.addStretch(1)
        for widget in (self.heading, self.sentence, self.progress, self._facts, self._notes[0]):
            self._beside.addWidget(widget)
        self._beside.addWidget(self.taste)
        self._beside.addWidget(self.trust_line)
        self._beside.addStretch(1)
        self._head = QHBoxLayout()
        self._head.addWidget(self.gauge, 0, Qt.AlignmentFlag.AlignTop)
        self._head.addLayout(self._beside, 1)
        self.add_layout(self._head)
        self.add(self._notes[1])
        for widget in (self.rule, self.explanation, self.writing):
            self.add(widget)
        self._lay_out()
        theme().changed.connect(self._lay_out)

    @property
    def editor(self) -> NoteView:
        """What an editor would say: beside the gauge, or under it where the card is narrow, for a column of a few words
        is hard to read."""
        return self._notes[self._narrow]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_note()

    def _place_note(self) -> None:
        narrow = self.width() < px(_NARROW)
        if narrow != self._narrow:
            self._narrow = narrow
            self._show_note()

    def _show_note(self) -> None:
        for view in self._notes:
            view.show_note(self._told if view is self.editor else None)

    def _lay_out(self) -> None:
        self._place_note()
        self._head.setSpacing(px(24))
        self._beside.setSpacing(px(6))
        self._grid.setHorizontalSpacing(px(16))
        self._grid.setVerticalSpacing(px(2))
        self._best_row.setSpacing(px(9))

    def _show_words(self, heading: str, sentence: str) -> None:
        for widget, words in ((self.heading, heading), (self.sentence, sentence)):
            if widget.text() != words:
                widget.set_content(words)
            widget.setVisible(bool(words))

    def show_running(self, heading: str, sentence: str, fraction: float | None, reads: bool = True) -> None:
        """What is going on; ``fraction`` 0…1 of it, or None for no line; ``reads``: whether no question is asked."""
        self._told = None
        for hidden in (self._facts, *self._notes, self.trust_line, self.rule, self.explanation, self.writing):
            hidden.hide()
        self.gauge.show()
        most = 100.0 if reads else 5.0
        if (self.gauge.state, self.gauge.most) != ("running", most):
            self.gauge.set_running(most)
        self._show_words(heading, sentence)
        self.progress.setVisible(fraction is not None)
        if fraction is not None:
            self.progress.set_fraction(fraction)

    def show_verdict(self, state: RateState) -> None:
        """Everything known of a rating that has a verdict, with the explanation as far as it is written."""
        result = state.result
        assert result is not None
        self.progress.hide()
        self._show_gauge(result)
        read = was_read(result)
        self._show_words(*audience_words(result))
        self._facts.setVisible(not read)
        if not read:
            self._show_facts(result)
        self._told = result
        self._show_note()
        self.trust_line.show_for(result)
        # What it would say of the estimate stands above already; a verdict without an estimate needs no such words.
        self.trust_line.text.setVisible(not read)
        text = state.explanation.strip()
        note = ""
        if result.note is not None:
            text = result.prose.text if result.prose is not None else ""
        elif state.explaining and not text:
            note = "Writing the explanation…"
        elif state.phase in ("stopped", "interrupted") and not (result.explanation or "").strip():
            note = "Stopped while the explanation was being written. The scores are whole."
        elif state.phase == "failed" and state.error is not None:
            note = f"{state.error.sentence} {state.error.hint}".strip()
        if text and not note and result.prose is not None:
            note = result.prose.mark
        self.explanation.setVisible(bool(text))
        self.explanation.set_text(text, [result.text])
        self.writing.setVisible(bool(note))
        self.writing.set_content(note)
        self.rule.setVisible(bool(text or note))

    def _show_gauge(self, result: RatingResult) -> None:
        audience = result.audience
        if audience is not None and not audience.heard:
            audience = None
        self.gauge.setVisible(audience is not None or (result.mean_score is not None and not was_read(result)))
        if audience is not None:
            shown = (audience.percentile, 100.0)
            if (self.gauge.value, self.gauge.most) != shown:
                self.gauge.set_place(audience.percentile, audience.low, audience.high)
        elif result.mean_score is not None and (self.gauge.value, self.gauge.most, self.gauge.spread) != (
            result.mean_score,
            5.0,
            result.spread,
        ):
            self.gauge.set_value(result.mean_score, result.spread)

    def _show_facts(self, result: RatingResult) -> None:
        best = best_factor(result)
        self.best.set_content(best.name if best else "–")
        self.badge.setVisible(best is not None)
        if best is not None:
            self.badge.set_score(best.score)
        self.pathway.set_content(wording.pathway_words(result))
