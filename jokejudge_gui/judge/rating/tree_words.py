"""Sentences and lines about deep mode's tree."""

from __future__ import annotations

from ...core.pages import Row
from .record import AUDIENCE, LAUGHS, Branch, Node, ReasoningTree
from .tree import first_of

_ENDED = {
    "settled": "nothing was in doubt any more",
    "branches": "the budget of branches was used up",
    "tokens": "the budget of tokens was used up",
    "seconds": "the time was up",
    "stopped": "it was stopped",
    "nothing to ask": "no further question would help on this model",
}


_TAKEN = 60
"""Longest quotation of removed words, in characters."""


def summary(tree: ReasoningTree) -> str:
    """Return a sentence on the number of readings and the reason for the end."""
    count = tree.used_branches
    readings = f"{count} further reading{'' if count == 1 else 's'}"
    opened = len(tree.opened)
    things = f" of {opened} thing{'' if opened == 1 else 's'}" if opened else ""
    return f"{readings}{things}; {_ENDED[tree.ended]}."


def node_line(node: Node) -> str:
    """Return a node's name with its value before and after."""
    before, after = _value(node, node.before), _value(node, node.after)
    if node.id == AUDIENCE:
        return f"{node.name}: {before}"
    if node.id == LAUGHS:
        return f"{node.name}: an ordinary listener {before}; with the others {after}{_error(node)}"
    if not node.branches or before == after:
        return f"{node.name}: {after}{_error(node)}"
    return f"{node.name}: {before} → {after}{_error(node)}"


def branch_line(node: Node, branch: Branch) -> str:
    """Return a branch's question, its answer, and the model's own reason."""
    found = "no answer" if branch.value is None else _value(node, branch.value)
    because = f", because {branch.reason}" if branch.reason else ""
    return f"{how_line(branch)}: {found}{_in_the_mirror(node, branch)}{because}"


def how_line(branch: Branch) -> str:
    if branch.listener:
        return branch.listener
    words = branch.taken if len(branch.taken) <= _TAKEN else f"{branch.taken[: _TAKEN - 1]}…"
    taken = f" (“{words}”)" if words else ""
    return f"{branch.how[:1].upper()}{branch.how[1:]}{taken}"


def difference_line(node: Node, branch: Branch) -> str:
    """Return a branch's difference from the first one with an answer; empty for that one, and where it has no
    answer."""
    first = first_of(node)
    if first is None or branch is first or branch.value is None or first.value is None:
        return ""
    gap = branch.value - first.value
    match node.kind:
        case "factor":
            size = f"{abs(gap):.1f}"
        case "verdict":
            size = f"{abs(gap):.0f} in 100"
        case _:
            same = (branch.value >= 0.0) == (first.value >= 0.0)
            return "says the same as the first" if same else "contradicts the first"
    if float(size.split()[0]) == 0.0:
        return "as the first"
    return f"{size} {'above' if gap > 0 else 'below'} the first"


def doubts_line(node: Node) -> str:
    """Return the reasons for reading the node again; empty where it wasn't."""
    return "; ".join(dict.fromkeys(node.doubts))


def turn_line(tree: ReasoningTree) -> str:
    """Return how the audience's estimate depends on the turn; empty where that wasn't read."""
    node = next((node for node in tree.nodes if node.id == AUDIENCE and node.branches), None)
    if node is None or node.before is None or (without := node.branches[0].value) is None:
        return ""
    before, after = round(node.before), round(without)
    if before > after:
        return f"Without its turn the audience's estimate falls from {before} to {after} in 100."
    return (
        f"Without its turn the audience's estimate doesn't fall ({before} to {after} in 100): "
        "it depends on something else, such as the wording."
    )


def _value(node: Node, value: float | None) -> str:
    if value is None:
        return "no answer"
    match node.kind:
        case "factor":
            return f"{value:.1f} of 5"
        case "verdict":
            return f"{round(value)} in 100"
        case "check":
            return "passes" if value >= 0 else "fails"
    return "yes" if value >= 0 else "no"


def _error(node: Node) -> str:
    if node.error is None or node.kind in ("check", "kind"):
        return ""
    return f" ± {node.error:.1f}" if node.kind == "factor" else f" ± {node.error:.0f}"


def _in_the_mirror(node: Node, branch: Branch) -> str:
    """The consequence of a reading of the joke's mirror for the node."""
    if branch.beside is None or branch.value is None or branch.counts:
        return ""
    if node.power >= 1.0:
        return ", lower, as it must be"
    return f", hardly lower, so what was found counts for only {100 * node.power:.0f} %"


def tree_row(tree: ReasoningTree) -> Row:
    """Return the findings that were read again, each with its readings."""
    lines = (turn_line(tree), *(f"Contradiction: {line}" for line in tree.contradictions))
    return Row(summary(tree), "Deep", rows=(*map(Row, filter(None, lines)), *map(_node_row, tree.answers)))


def _node_row(node: Node) -> Row:
    branches = (
        Row(
            branch_line(node, branch),
            beside=difference_line(node, branch),
            shares=tuple((str(level), share) for level, share in enumerate(branch.distribution)),
        )
        for branch in node.branches
    )
    return Row(node_line(node), beside=doubts_line(node), rows=tuple(branches))
