"""A rating's findings as nodes that can be doubted, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from ...reasoned import Node, NodeKind
from ...statistics import sigmoid
from ...verdicts import CategoryScore, CheckResult, FactorScore
from ..asking.answers import LEAST_MASS
from ..reasoning.mirror import lives_by_turn
from .admissibility_checker import REJECT_BELOW

_EVEN = 0.85
"""Entropy of a factor's levels over ln 6 from which on they are nearly even."""
_NEAR = 1.0
"""Log-odds from the boundary within which a yes or no is in doubt."""
_LOW = 1.0
"""A factor up to which counts as missing, of 5."""
_EDGE = 1e-6
MIDDLE = 2.5
"""Of a factor's levels: what a model says of jokes at large where that wasn't measured."""


def id_of(kind: NodeKind, part: str) -> str:
    """A node's id."""
    return f"{kind}:{part}"


def part_of(id: str) -> str:
    """The check, kind or factor that a node is about."""
    return id.partition(":")[2]


def kind_of(id: str) -> str:
    """What sort of node it is."""
    return id.partition(":")[0]


def beyond_the_limit(p_admit: float) -> float:
    """Log-odds of "admit" less those at which a text is rejected."""
    return _odds(p_admit) - REJECT_BELOW


def check_node(check: CheckResult, name: str) -> Node:
    """``before``: log-odds beyond those at which a text is rejected, so that every boundary is 0."""
    odds = beyond_the_limit(check.p_admit)
    asked = check.reliable and check.source == "asked"
    doubts = ("it is near the limit of admission",) if asked and abs(odds) < _NEAR else ()
    return Node(
        id=id_of("check", check.check), kind="check", name=name, before=odds, after=odds, doubts=doubts,
        settled=not doubts,
    )  # fmt: skip


def kind_node(category: CategoryScore, asked: bool) -> Node:
    """``before``: log-odds that the joke is of this kind; ``asked``: whether the model is asked about it."""
    odds = _odds(category.p)
    doubts = ("it may or may not be of this kind",) if asked and abs(odds) < _NEAR else ()
    return Node(
        id=id_of("kind", category.id), kind="kind", name=category.name, before=odds, after=odds, doubts=doubts,
        settled=not doubts, usual=0.0,
    )  # fmt: skip


def factor_node(factor: FactorScore, asked: bool, usual: float = MIDDLE) -> Node:
    """``asked``: whether the model is asked about it; ``usual``: what it says of jokes at large."""
    doubts = []
    if asked and (factor.score is None or factor.label_mass < LEAST_MASS):
        doubts.append("the model hardly answered")
    elif asked and factor.entropy is not None and factor.entropy > _EVEN:
        doubts.append("its answer is nearly even between the levels")
    elif asked and factor.entropy is None:
        doubts.append("how sure the answer was isn't known")
    return Node(
        id=id_of("factor", factor.id), kind="factor", name=factor.name, before=factor.expected, after=factor.expected,
        doubts=tuple(doubts), settled=not doubts, usual=usual,
    )  # fmt: skip


def contradictions(
    nodes: Mapping[str, Node], kinds: Sequence[CategoryScore], factors: Mapping[str, Collection[str]]
) -> list[tuple[str, tuple[str, ...]]]:
    """What can't both be so, in words, with the ids of the nodes: a joke was taken for a kind, and all the factors that
    such a joke lives by (``factors`` of each kind) were found missing."""
    found = []
    for kind in kinds:
        node = nodes.get(id_of("kind", kind.id))
        own = [nodes[id_of("factor", id)] for id in factors.get(kind.id, ()) if id_of("factor", id) in nodes]
        known = [each for each in own if each.after is not None]
        if node is None or (node.after or 0.0) <= 0.0 or not known or any((n.after or 0.0) > _LOW for n in known):
            continue
        names = ", ".join(f"{each.name.lower()} {each.after:.1f}" for each in known)
        found.append((f"It was taken for {kind.name.lower()}, but {names}.", (node.id, *(each.id for each in known))))
    return found


def to_mirror(nodes: Mapping[str, Node], factors: Mapping[str, Collection[str]]) -> list[str]:
    """Ids of the nodes that say of the joke what must fall without its turn: kinds that it was taken for, by the
    ``factors`` of each kind, and factors that it is said to have more of than jokes at large."""
    found = []
    for id, node in nodes.items():
        if node.kind not in ("factor", "kind") or not node.branches or node.after is None:
            continue
        own = factors.get(part_of(id), ()) if node.kind == "kind" else (part_of(id),)
        if lives_by_turn(own) and node.after > (node.usual or 0.0):
            found.append(id)
    return found


def checks_after(checks: Sequence[CheckResult], nodes: Mapping[str, Node]) -> tuple[CheckResult, ...]:
    """The checks as they were read in the end."""
    found = []
    for check in checks:
        node = nodes.get(id_of("check", check.check))
        if node is None or not node.branches or node.after is None:
            found.append(check)
            continue
        odds = node.after + REJECT_BELOW
        found.append(check.replaced(p_admit=sigmoid(odds), passed=node.after >= 0.0))
    return tuple(found)


def kinds_after(kinds: Sequence[CategoryScore], nodes: Mapping[str, Node]) -> tuple[CategoryScore, ...]:
    """The kinds as they were read in the end, the chosen ones first."""
    found = []
    for kind in kinds:
        node = nodes.get(id_of("kind", kind.id))
        if node is None or not node.branches or node.after is None:
            found.append(kind)
            continue
        found.append(kind.replaced(p=sigmoid(node.after), chosen=node.after >= 0.0))
    return tuple(sorted(found, key=lambda kind: not kind.chosen))


def factors_after(
    factors: Sequence[FactorScore], nodes: Mapping[str, Node], joined: Callable[[str, float], float]
) -> tuple[FactorScore, ...]:
    """The factors with the mean of their branches; ``joined``: what a mean answer comes to with what was read."""
    found = []
    for factor in factors:
        node = nodes.get(id_of("factor", factor.id))
        counted = [b for b in node.branches if b.counts and b.value is not None] if node is not None else []
        if node is None or not counted or node.after is None:
            found.append(factor)
            continue
        expected = max(0.0, min(5.0, joined(factor.id, node.after)))
        spreads = [b.distribution for b in counted if b.distribution]
        mean = tuple(math.fsum(column) / len(spreads) for column in zip(*spreads, strict=True)) if spreads else ()
        found.append(
            factor.replaced(
                expected=expected,
                score=max(0, min(5, math.floor(expected + 0.5))),
                probabilities=mean or factor.probabilities,
                label_mass=max(b.mass for b in counted),
            )
        )
    return tuple(found)


def _odds(p: float) -> float:
    p = min(max(p, _EDGE), 1.0 - _EDGE)
    return math.log(p / (1.0 - p))
