"""The tree of a deep verdict as an outline, for exports and for the clipboard."""

from __future__ import annotations

from ...reasoned import Branch, Node, ReasoningTree
from ...verdict_kinds import Outline
from .words import branch_line, difference_line, doubts_line, node_line


def outline_of(tree: ReasoningTree) -> Outline:
    """What was read again: every finding with its readings."""
    return Outline(
        text="What was read again",
        notes=tuple(f"contradiction: {each}" for each in tree.contradictions),
        children=tuple(_node(node) for node in tree.answers),
    )


def _node(node: Node) -> Outline:
    doubts = doubts_line(node)
    return Outline(
        text=node_line(node),
        notes=(doubts,) if doubts else (),
        children=tuple(_branch(node, branch) for branch in node.branches),
    )


def _branch(node: Node, branch: Branch) -> Outline:
    apart = difference_line(node, branch)
    return Outline(
        text=branch_line(node, branch),
        notes=(apart,) if apart else (),
        shares=tuple((str(level), share) for level, share in enumerate(branch.distribution)),
    )
