"""What is said of a tree wherever it is shown."""

from __future__ import annotations

from ...reasoned import Branch, Node, ReasoningTree

_ENDED = {
    "settled": "all doubt was settled",
    "branches": "the budget of branches was spent",
    "tokens": "the budget of tokens was spent",
    "seconds": "the time was up",
    "stopped": "it was stopped",
    "nothing to ask": "no further question is worth its tokens on this model",
}


def summary(tree: ReasoningTree) -> str:
    """What was done and why it ended, in a sentence."""
    count = tree.used_branches
    readings = f"{count} further reading{'' if count == 1 else 's'}"
    opened = len(tree.opened)
    things = f" of {opened} thing{'' if opened == 1 else 's'}" if opened else ""
    return f"{readings}{things}; {_ENDED[tree.ended]}."


def node_line(node: Node) -> str:
    """A node's name, what was thought of it before and what after."""
    before, after = _value(node, node.before), _value(node, node.after)
    if node.kind == "verdict":
        return f"{node.name}: {before}"
    if not node.branches or before == after:
        return f"{node.name}: {after}{_error(node)}"
    return f"{node.name}: {before} → {after}{_error(node)}"


def branch_line(node: Node, branch: Branch) -> str:
    """How a branch read the node, and what it found."""
    found = "no answer" if branch.value is None else _value(node, branch.value)
    how = branch.how[:1].upper() + branch.how[1:]
    return f"{how}: {found}" + (f" ({branch.reason})" if branch.reason else "")


def doubts_line(node: Node) -> str:
    """Why it was read again; empty where it wasn't."""
    return "; ".join(dict.fromkeys(node.doubts))


def turn_line(tree: ReasoningTree) -> str:
    """What the audience's estimate hangs on; empty where that wasn't read."""
    for node in tree.nodes:
        if node.kind != "verdict" or node.before is None or not node.branches:
            continue
        without = node.branches[0].value
        if without is None:
            return ""
        fell = round(node.before) - round(without)
        if fell > 0:
            return (
                f"Without its turn the audience's estimate falls from {round(node.before)} to {round(without)} in 100."
            )
        return (
            f"Without its turn the audience's estimate doesn't fall ({round(node.before)} to {round(without)} in 100): "
            "it hangs on something else, such as the wording."
        )
    return ""


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
    return f" ± {node.error:.1f}" if node.kind == "factor" and node.error is not None else ""
