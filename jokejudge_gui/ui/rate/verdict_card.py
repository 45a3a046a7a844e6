"""The verdict at a glance: gauge, best factor, pathway, audience, and the explanation under a line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

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
from .state import RateState, best_factor


class VerdictCard(Card):
    """``show_running`` while there is no mean yet, ``show_verdict`` from then on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setAccessibleName("Verdict")
        self.gauge = Gauge()
        self.heading = Heading("", 3)
        self.sentence = Paragraph("", 14)
        self.progress = ProgressLine(name="Progress")
        self._best_label = Label("Best factor", 14, 400, "text2")
        self._path_label = Label("Pathway", 14, 400, "text2")
        self.best = Paragraph("", 15, 600, "text")
        self.badge = ScoreBadge()
        self.pathway = Paragraph("", 14, 400, "text")
        self.audience_line = ProgressLine(name="Percentile among jokes people voted on", knob=True)
        self.audience_text = Paragraph("")
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
        for widget in (self.heading, self.sentence, self.progress, self._facts, self.audience_line, self.audience_text):
            self._beside.addWidget(widget)
        self._beside.addWidget(self.taste)
        self._beside.addWidget(self.trust_line)
        self._beside.addStretch(1)
        self._head = QHBoxLayout()
        self._head.addWidget(self.gauge, 0, Qt.AlignmentFlag.AlignTop)
        self._head.addLayout(self._beside, 1)
        self.add_layout(self._head)
        for widget in (self.rule, self.explanation, self.writing):
            self.add(widget)
        self._lay_out()
        theme().changed.connect(self._lay_out)

    def _lay_out(self) -> None:
        self._head.setSpacing(px(24))
        self._beside.setSpacing(px(6))
        self._grid.setHorizontalSpacing(px(16))
        self._grid.setVerticalSpacing(px(2))
        self._best_row.setSpacing(px(9))

    def _show_parts(self, verdict: bool) -> None:
        for widget in (self.heading, self.sentence):
            widget.setVisible(not verdict)
        self._facts.setVisible(verdict)
        if verdict:
            self.progress.hide()
        else:
            self.trust_line.hide()
            for hidden in (self.audience_line, self.audience_text, self.rule, self.explanation, self.writing):
                hidden.hide()

    def show_running(self, heading: str, sentence: str, fraction: float | None) -> None:
        """What is going on; ``fraction`` 0…1 of it, or None for no line."""
        self._show_parts(verdict=False)
        if self.gauge.state != "running":
            self.gauge.set_running()
        if self.heading.text() != heading:
            self.heading.set_content(heading)
        if self.sentence.text() != sentence:
            self.sentence.set_content(sentence)
        self.progress.setVisible(fraction is not None)
        if fraction is not None:
            self.progress.set_fraction(fraction)

    def show_verdict(self, state: RateState) -> None:
        """Everything known of a scored rating, with the explanation as far as it is written."""
        result = state.result
        assert result is not None
        assert result.mean_score is not None
        self._show_parts(verdict=True)
        if (self.gauge.value, self.gauge.spread) != (result.mean_score, result.spread):
            self.gauge.set_value(result.mean_score, result.spread)
        best = best_factor(result)
        self.best.set_content(best.name if best else "–")
        self.badge.setVisible(best is not None)
        if best is not None:
            self.badge.set_score(best.score)
        self.pathway.set_content(wording.pathway_words(result))
        audience = result.audience
        self.audience_line.setVisible(audience is not None)
        self.audience_text.setVisible(audience is not None)
        if audience is not None:
            self.audience_line.set_fraction(audience.percentile / 100)
            self.audience_text.set_content(
                [(f"Funnier than {audience.percentile:.0f} %", "strong"), (" of jokes people voted on.", "normal")]
            )
        self.trust_line.show_for(result)
        text = state.explanation.strip()
        note = ""
        if state.explaining and not text:
            note = "Writing the explanation…"
        elif state.phase in ("stopped", "interrupted") and not (result.explanation or "").strip():
            note = "Stopped while the explanation was being written. The scores are whole."
        elif state.phase == "failed" and state.error is not None:
            note = f"{state.error.sentence} {state.error.hint}".strip()
        self.explanation.setVisible(bool(text))
        self.explanation.set_text(text, [result.text])
        self.writing.setVisible(bool(note))
        self.writing.set_content(note)
        self.rule.setVisible(bool(text or note))
