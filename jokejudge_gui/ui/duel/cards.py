"""The cards of a duel's result: the answer on its scale, both orders, shares, length, reasons."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from ...core.verdicts import DuelResult, OrderResult
from ..look import wording
from ..look.theme import px, theme
from ..trust.trust_figures import TrustLine
from ..verdict.cards import ParagraphsView
from ..votes import TasteLine
from ..widgets.bars import ProgressLine, ShareBar, ShareRow
from ..widgets.cards import Card
from ..widgets.duel_scale import DuelScale, OrdersPlot, factor_text
from ..widgets.layout import Grid, HBox, VBox
from ..widgets.text import Heading, Label, Paragraph
from .state import DuelState, drafts_words, has_details, heading, length_line, length_words, sentence

_SHARES = {"pair": "Pair", "alone": "Each alone", "audience": "Audience", "drafts": "Drafts"}


class EmptyCard(Card):
    """What a duel is, and the scale of its answers."""

    def __init__(self) -> None:
        super().__init__(padding=40)
        self.setAccessibleName("Welcome")
        self.add(
            Heading("Which one is funnier?", 2),
            Paragraph(
                "Put one joke in A and one in B, or pick them from your history. The result names the funnier joke "
                "and says how sure it is, on this scale:",
                15,
            ),
        )
        self.scale = DuelScale()
        self.add(
            self.scale,
            Paragraph(
                "2× means A is twice as likely to be the funnier one as B. Under 1.1× the two are nearly identical.", 13
            ),
        )


class AnswerCard(Card):
    """The answer, how sure it is, and the scale; while it runs what is going on."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Result")
        self.heading = Heading("", 2)
        self.sentence = Paragraph("")
        self.drafts = Paragraph("", 13)
        self.drafts.hide()
        self.length = Paragraph("", 13)
        self.length.hide()
        self.taste = TasteLine()
        self.progress = ProgressLine(name="Progress")
        self.confidence = Label("", 20, 600, tabular=True)
        self.p_a = Label("", 20, 600, tabular=True)
        self._captions = [Label("Confidence", 12, 400, "text2"), Label("p(A)", 12, 400, "text2")]
        self.scale = DuelScale()
        self._figures = Grid(gaps=(24, 2))
        for column, (caption, figure) in enumerate(zip(self._captions, (self.confidence, self.p_a), strict=True)):
            self._figures.addWidget(caption, 0, column, Qt.AlignmentFlag.AlignRight)
            self._figures.addWidget(figure, 1, column, Qt.AlignmentFlag.AlignRight)
        self.add(
            HBox(
                (VBox(self.heading, self.sentence, self.drafts, self.length, self.taste, self.progress, gap=2), 1),
                self._figures,
                gap=20,
            ),
            self.scale,
        )
        self.trust_line = TrustLine()
        self.add(self.trust_line)

    def _show_figures(self, shown: bool) -> None:
        for widget in (*self._captions, self.confidence, self.p_a):
            widget.setVisible(shown)

    def show_running(self, title: str, text: str, fraction: float | None) -> None:
        self._show_figures(False)
        self.trust_line.hide()
        self.drafts.hide()
        self.length.hide()
        self.heading.set_content(title)
        self.sentence.set_content(text)
        self.progress.setVisible(fraction is not None)
        self.progress.set_fraction(fraction or 0.0)
        self.scale.set_empty()

    def show_result(self, result: DuelResult) -> None:
        self._show_figures(True)
        self.trust_line.show_for(result)
        self.progress.hide()
        self.heading.set_content(heading(result))
        self.sentence.set_content(sentence(result))
        self.drafts.show_text(drafts_words(result))
        # Beside other measurements it has a card of its own.
        self.length.show_text("" if has_details(result) else length_line(result))
        factor = result.confidence_factor or 1.0
        self.confidence.setText(factor_text(factor))
        p_a = result.p_a if result.p_a is not None else 0.5
        self.p_a.setText(wording.probability(p_a))
        self.confidence.setAccessibleName(f"Confidence factor {factor:.1f}")
        self.p_a.setAccessibleName(f"Probability that A is funnier {p_a:.2f}")
        self.scale.set_result(factor, result.winner or "tie", result.measured_factor, result.band)


class OrdersCard(Card):
    def __init__(self) -> None:
        super().__init__("Both orders: p(A)")
        self.plot = OrdersPlot()
        self.add(self.plot)
        _stretch(self)

    def show_orders(self, orders: list[OrderResult], consistent: bool | None, bias: float | None) -> None:
        by_first = {order.first: order.p_a for order in orders}
        self.plot.set_orders(by_first.get("A"), by_first.get("B"), consistent, bias)


class SharesCard(Card):
    def __init__(self) -> None:
        super().__init__("Shares of the measurements")
        self.bar = ShareBar()
        self.add(self.bar)
        _stretch(self)

    def show_result(self, result: DuelResult) -> None:
        split = result.consistent is False
        self.bar.set_rows(
            [
                ShareRow(_SHARES[share.name], share.share, wording.leaning(share, split and share.name == "pair"))
                for share in result.shares
            ]
        )


class LengthCard(Card):
    """What is left of the answer once the longer joke's advantage is taken out."""

    def __init__(self) -> None:
        super().__init__("Length-controlled")
        self.figure = Label("", 24, 600, tabular=True)
        self.text = Paragraph("", 13)
        self.add(self.figure, self.text)
        _stretch(self)

    def show_result(self, result: DuelResult) -> None:
        if result.length_controlled is not None:
            self.figure.setText(f"p(A) {wording.probability(result.length_controlled.p_a)}")
            self.text.set_content(" ".join(length_words(result)))


class WhyCard(Card):
    def __init__(self) -> None:
        super().__init__("Why")
        self.explanation = ParagraphsView()
        self.note = Paragraph("", token="text3")
        self.add(self.explanation, self.note)

    def show_state(self, state: DuelState) -> None:
        text = state.explanation.strip()
        note = ""
        if not text and state.live:
            note = "Writing the explanation…"
        elif state.phase in ("stopped", "interrupted") and state.result is not None and not state.result.explanation:
            note = "Stopped while the explanation was being written. The answer is whole."
        elif state.phase == "failed" and state.error is not None:
            note = f"{state.error.sentence} {state.error.hint}".strip()
        self.explanation.show_paragraphs(wording.explanation_runs(text, [state.text_a, state.text_b]))
        self.note.setVisible(bool(note))
        self.note.set_content(note)
        self.setVisible(bool(text or note))


class DetailRow(QWidget):
    """Cards side by side at one height, or under each other."""

    def __init__(self, cards: list[Card]) -> None:
        super().__init__()
        self.cards = cards
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        for card in cards:
            # A card that isn't laid out yet would open a window of its own when it is shown.
            card.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._grid.setSpacing(px(14))

    def lay_out(self, stacked: bool) -> None:
        """Put the cards that aren't hidden in place."""
        shown = [card for card in self.cards if not card.isHidden()]
        for card in self.cards:
            self._grid.removeWidget(card)
        for column in range(len(self.cards)):
            self._grid.setColumnStretch(column, 0)
        for number, card in enumerate(shown):
            if stacked:
                self._grid.addWidget(card, number, 0)
                self._grid.setColumnStretch(0, 1)
            else:
                self._grid.addWidget(card, 0, number)
                self._grid.setColumnStretch(number, 5 if not isinstance(card, LengthCard) else 4)
        self.setVisible(bool(shown))


def _stretch(card: Card) -> None:
    """Let a card take the height of its neighbours; its content stays at the top."""
    card.body.addStretch(1)
    card.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
