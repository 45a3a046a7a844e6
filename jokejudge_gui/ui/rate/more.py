"""Further results of a rating, unfolded on demand: the model's explanation, offence and references, the user's own
faults, and the readings of a deep verdict."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ...judge.rating.record import FaultVoice, Node, RatingResult, ReasoningTree
from ...judge.rating.words import (
    NO_TURN,
    beside,
    branch_line,
    doubts_line,
    node_line,
    own_fault_in_words,
    summary,
    turn_line,
)
from ..look import wording
from ..look.wording import Run
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.layout import VBox, chain_controls
from ..widgets.text import Paragraph
from .state import RateState


def words_of(state: RateState) -> list[list[Run]]:
    """Return the paragraphs of results that the page doesn't show."""
    result = state.result
    if result is None:
        return []
    lines: list[list[Run]] = []
    if result.note is None:
        lines += wording.explanation_runs(state.explanation.strip().removeprefix(NO_TURN), [result.text])
    elif result.prose is not None:
        lines += wording.explanation_runs(result.prose.text, [result.text])
    if result.note is not None and not result.remarks:
        for lead, words in (("Works.", result.note.works), ("Weakens.", result.note.weakens)):
            if words:
                lines.append([(f"{lead} ", "strong"), (words, "normal")])
        for trial in result.note.trials:
            lines.append([("Try. ", "strong"), (trial.text, "normal")])
    if result.note is not None and result.note.apart:
        lines.append([(result.note.apart, "normal")])
    return lines + [[(said, "normal")] for said in beside(result) if said]


def has_more(result: RatingResult | None) -> bool:
    """Whether there are results that the page doesn't show."""
    if result is None:
        return False
    parts = (result.listeners, result.own_faults, result.panel, result.tree)
    return any(parts) or bool(words_of(RateState(result=result, explanation=result.explanation or "")))


def own_fault_words(voices: Sequence[FaultVoice]) -> list[Run]:
    """Return the user's own faults, likeliest first, then those without an estimate."""
    ordered = sorted(voices, key=lambda voice: -(voice.p if voice.p is not None else -1.0))
    return wording.labelled(
        (f"{wording.one_line(voice.name)}:", f"{own_fault_in_words(voice).rstrip('.')}.") for voice in ordered
    )


# The readings of a deep verdict.

_BULLET = "• "


class NodeRow(QWidget):
    """One node in a line, with a link to unfold its readings. ``opened``: they were shown or hidden."""

    opened = Signal()

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._count = wording.count_of(len(node.branches), "reading")
        doubts = doubts_line(node)
        self.line = Paragraph([(node_line(node), "strong"), (f"  {doubts}" if doubts else "", "muted")])
        self.link = LinkButton("")
        self.link.setCheckable(True)
        self.link.toggled.connect(self._toggle)
        readings = "\n".join(f"{_BULLET}{branch_line(node, branch)}" for branch in node.branches)
        self.readings = Paragraph(readings, 13, gap=2, hang=_BULLET)
        self._name = node.name
        VBox(self.line, (self.link, 0, Qt.AlignmentFlag.AlignLeft), self.readings, parent=self, gap=1)
        self._toggle(False)

    def _toggle(self, on: bool) -> None:
        self.readings.setVisible(on)
        self.link.setText("Hide" if on else f"{self._count}…")
        self.link.setAccessibleName(f"{'Hide' if on else 'Show'} the {self._count} of {self._name.lower()}")
        self.opened.emit()


class TreeCard(Card):
    """The tree of a deep verdict. ``opened``: a node was opened or closed."""

    opened = Signal()

    def __init__(self) -> None:
        super().__init__("Deep", "read again where there was doubt")
        self.summary = Paragraph("")
        self._column = VBox(gap=10)
        self.add(self.summary, self._column)
        self.rows: list[NodeRow] = []
        self._shown: ReasoningTree | None = None
        self.hide()

    def show_tree(self, tree: ReasoningTree | None) -> None:
        """Draw the tree, and hide the card for a verdict without one."""
        if tree != self._shown:
            self._shown = tree
            if tree is not None:
                said = [summary(tree), turn_line(tree), *(f"Contradiction: {each}" for each in tree.contradictions)]
                self.summary.set_content(" ".join(filter(None, said)))
            self.rows = [NodeRow(node) for node in tree.answers] if tree is not None else []
            for row in self.rows:
                row.opened.connect(self.opened)
            self._column.show_only(*self.rows)
            chain_controls(self)
        self.setVisible(tree is not None)
