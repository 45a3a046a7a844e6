"""The tree of a deep verdict for people to read."""

from __future__ import annotations

from ..reasoned import ReasoningTree
from .console import Console
from .verdict_lines import labelled_text


def show_tree(console: Console, tree: ReasoningTree) -> None:
    """What was read again, how, and what it came to."""
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.reasoning.words import branch_line, doubts_line, node_line, summary, turn_line

    console.text("")
    labelled_text(console, "Deep", summary(tree))
    for line in tree.contradictions:
        labelled_text(console, "", f"Contradiction: {line}")
    if said := turn_line(tree):
        labelled_text(console, "", said)
    for node in tree.answers:
        doubt = f"  ({doubts_line(node)})" if node.doubts else ""
        console.text(f"  {node_line(node)}{console.style.paint(doubt, 'dim')}")
        for branch in node.branches:
            console.paragraph(branch_line(node, branch), indent=4, paint="dim")
