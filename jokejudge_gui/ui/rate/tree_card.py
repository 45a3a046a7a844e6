"""The tree of a deep verdict: what was in doubt, how it was read again, and what came of it. Each node opens."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ...core.verdicts import Node, ReasoningTree
from ...judge.rating.tree_words import branch_line, doubts_line, node_line, summary, turn_line
from ..look import wording
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.layout import VBox
from ..widgets.text import Paragraph

_BULLET = "• "


class NodeRow(QWidget):
    """One node in a line; its readings behind a link. ``opened``: they were shown or hidden."""

    opened = Signal()

    def __init__(self, node: Node, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
    """Shown under the factors of a deep verdict. ``opened``: a node was opened or closed."""

    opened = Signal()

    def __init__(self) -> None:
        super().__init__("Deep", "read again where there was doubt")
        self.told = Paragraph("")
        self.add(self.told)
        self.rows: list[NodeRow] = []
        self._shown: ReasoningTree | None = None
        self.hide()

    def show_tree(self, tree: ReasoningTree | None) -> None:
        """Draw the tree; nothing for a verdict without one."""
        if tree != self._shown:
            self._shown = tree
            for row in self.rows:
                self.body.removeWidget(row)
                row.hide()
                row.deleteLater()
            self.rows = []
            if tree is not None:
                said = [summary(tree), turn_line(tree), *(f"Contradiction: {each}" for each in tree.contradictions)]
                self.told.set_content(" ".join(filter(None, said)))
                self.rows = [NodeRow(node) for node in tree.answers]
            before: QWidget = self
            for row in self.rows:
                row.opened.connect(self.opened)
                self.add(row)
                if before is not self:
                    self.setTabOrder(before, row.link)
                before = row.link
        self.setVisible(tree is not None)
