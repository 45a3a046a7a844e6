"""The tree of deep mode: findings in doubt are nodes, their further readings branches (METHODS, reasoning).

Doubt opens branches, agreement closes them: a node is settled when its mean lies clearly on one side of its boundary,
after six branches, or when two more of them hardly moved the mean."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...core.statistics import logit, sigmoid
from ...core.verdicts import Budget, CheckResult, Span, Usage
from ...engine.base import CancelToken
from ..asking.questions import LEAST_MASS
from .admissibility_checker import REJECT_BELOW
from .factor_scorer import level_of
from .record import Branch, CategoryScore, Ended, FactorScore, How, Node, NodeKind, ReasoningTree

_EVEN = 0.85
"""Least entropy of a factor's levels, over ln 6, at which they count as nearly even."""
_NEAR = 1.0
"""A yes or no within this many log-odds of the boundary is in doubt."""
_LOW = 1.0
"""Highest score, of 5, at which a factor counts as missing."""
SURE = 1.64
"""Standard errors from the boundary at which a yes or no is settled, with one in ten wrong."""
MOST_BRANCHES = 6
HARDLY = 0.1
"""A branch that changes the mean by less adds nothing new; two in a row settle a node."""
_CLOSE = 0.25
"""Standard error of a factor 0…5 that is small enough."""
_NOISE = 0.1
"""Least standard error used: a label's log-probability has a numerical noise of that order."""

# -- Findings as nodes, and back. Checks and kinds are log-odds beyond their boundary, so that every boundary is 0.


def part_of(id: str) -> str:
    """Return the id of a node's check, kind or factor."""
    return id.partition(":")[2]


def check_node(check: CheckResult, name: str) -> Node:
    odds = logit(check.p_admit) - REJECT_BELOW
    asked = check.reliable and check.source == "asked"
    return _node("check", check.check, name, odds, "it is near the limit of admission" if asked and abs(odds) < _NEAR
                 else "")  # fmt: skip


def kind_node(category: CategoryScore, asked: bool) -> Node:
    """``asked``: whether the model is asked about it."""
    odds = logit(category.p)
    doubt = "it may or may not be of this kind" if asked and abs(odds) < _NEAR else ""
    return _node("kind", category.id, category.name, odds, doubt)


def factor_node(factor: FactorScore, asked: bool) -> Node:
    """``asked``: whether the model is asked about it."""
    doubt = ""
    if asked and (factor.score is None or factor.label_mass < LEAST_MASS):
        doubt = "the model hardly answered"
    elif asked and factor.entropy is not None and factor.entropy > _EVEN:
        doubt = "its answer is nearly even between the levels"
    elif asked and factor.entropy is None:
        doubt = "how sure the answer was isn't known"
    return _node("factor", factor.id, factor.name, factor.expected, doubt)


def _node(kind: NodeKind, part: str, name: str, value: float | None, doubt: str) -> Node:
    doubts = (doubt,) if doubt else ()
    return Node(id=f"{kind}:{part}", kind=kind, name=name, before=value, after=value, doubts=doubts, settled=not doubts)


def _read_again(nodes: Mapping[str, Node], id: str) -> float | None:
    """The value of a node that was asked again; None where it wasn't."""
    node = nodes.get(id)
    return node.after if node is not None and node.branches else None


def checks_after(checks: Sequence[CheckResult], nodes: Mapping[str, Node]) -> tuple[CheckResult, ...]:
    """Return the checks with the final values of their nodes."""
    values = [_read_again(nodes, f"check:{check.check}") for check in checks]
    return tuple(
        check if value is None else check.replaced(p_admit=sigmoid(value + REJECT_BELOW), passed=value >= 0.0)
        for check, value in zip(checks, values, strict=True)
    )


def kinds_after(kinds: Sequence[CategoryScore], nodes: Mapping[str, Node]) -> tuple[CategoryScore, ...]:
    """Return the kinds with the final values of their nodes, the chosen ones first."""
    values = [_read_again(nodes, f"kind:{kind.id}") for kind in kinds]
    after = [
        kind if value is None else kind.replaced(p=sigmoid(value), chosen=value >= 0.0)
        for kind, value in zip(kinds, values, strict=True)
    ]
    return tuple(sorted(after, key=lambda kind: not kind.chosen))


def factors_after(
    factors: Sequence[FactorScore], nodes: Mapping[str, Node], joined: Callable[[str, float], float]
) -> tuple[FactorScore, ...]:
    """Return the factors with the mean of their branches; ``joined``: combines a mean answer with the heads'
    estimate."""
    after = []
    for factor in factors:
        node = nodes.get(f"factor:{factor.id}")
        counted = [b for b in node.branches if b.counts and b.value is not None] if node is not None else []
        if node is None or not counted or node.after is None:
            after.append(factor)
            continue
        expected = max(0.0, min(5.0, joined(factor.id, node.after)))
        shares = [branch.distribution for branch in counted if branch.distribution]
        mean = tuple(math.fsum(column) / len(shares) for column in zip(*shares, strict=True)) if shares else ()
        after.append(
            factor.replaced(
                expected=expected,
                score=level_of(expected),
                probabilities=mean or factor.probabilities,
                label_mass=max(branch.mass for branch in counted),
            )
        )
    return tuple(after)


def contradictions(
    nodes: Mapping[str, Node], kinds: Sequence[CategoryScore], factors: Mapping[str, Collection[str]]
) -> list[tuple[str, tuple[str, ...]]]:
    """Return contradictions, each in words with the ids of its nodes: a joke was assigned to a kind, but all
    ``factors`` on which that kind depends were found missing."""
    against = []
    for kind in kinds:
        node = nodes.get(f"kind:{kind.id}")
        own = [nodes[f"factor:{id}"] for id in factors.get(kind.id, ()) if f"factor:{id}" in nodes]
        scored = [one for one in own if one.after is not None]
        if node is None or (node.after or 0.0) <= 0.0 or not scored or any((n.after or 0.0) > _LOW for n in scored):
            continue
        names = ", ".join(f"{one.name.lower()} {one.after:.1f}" for one in scored)
        against.append((f"It was taken for {kind.name.lower()}, but {names}.", (node.id, *(one.id for one in scored))))
    return against


_LEAST_WORDS = 3
_WORD = re.compile(r"\S+")
_SENTENCE = re.compile(r"[.!?…:;–—]+[\"”’')]*\s+|\n+")


def without_turn(text: str, turn: Span | None) -> tuple[str, str] | None:
    """Return a cleaned text without its turn, and the removed words: the ``turn``, or for None the last sentence, or
    the last two words of a single one. None where hardly a word would be left."""
    if turn is not None:
        start, end = turn.start, turn.end
    else:
        sentences = [match.end() for match in _SENTENCE.finditer(text) if text[match.end() :].strip()]
        words = list(_WORD.finditer(text))
        if not words:
            return None
        start, end = sentences[-1] if sentences else words[-min(2, len(words))].start(), len(text)
    rest = f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()
    if len(rest.split()) < _LEAST_WORDS or not text[start:end].strip():
        return None
    return rest, " ".join(text[start:end].split())


# -- The tree

Ask = Callable[[Sequence[str], CancelToken | None], Mapping[str, Branch]]


@dataclass(frozen=True)
class Source:
    """An alternative question about nodes of one kind. ``ask`` takes the ids of nodes and asks about them together."""

    how: How
    kind: NodeKind
    ask: Ask


class Reasoner:
    """Grows a tree over ``nodes`` with ``sources``, in their order, within ``budget``; ``usage``: totals of the
    engine."""

    def __init__(
        self,
        nodes: Sequence[Node],
        sources: Sequence[Source],
        budget: Budget,
        usage: Callable[[], Usage],
        *,
        prompts: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.nodes = {node.id: node for node in nodes}
        self._sources, self._budget, self._prompts = sources, budget, prompts
        self._usage, self._clock = usage, clock
        self._first_usage, self._began = usage(), clock()
        self._contradictions: list[str] = []
        self.ended: Ended = "settled"

    @property
    def used(self) -> int:
        return sum(len(node.branches) for node in self.nodes.values())

    @property
    def tree(self) -> ReasoningTree:
        """The tree as far as it has grown."""
        return ReasoningTree(
            nodes=tuple(self.nodes.values()),
            contradictions=tuple(self._contradictions),
            budget=self._budget,
            used_branches=self.used,
            used_tokens=self._tokens,
            used_seconds=self._clock() - self._began,
            ended=self.ended,
            prompts=self._prompts,
        )

    def add(self, node: Node) -> None:
        self.nodes[node.id] = node

    def room(self) -> int:
        """Return the number of branches that may still be opened; 0 where another budget is spent."""
        return max(0, self._budget.branches - self.used) if self._spent() is None else 0

    def grow(self, cancel: CancelToken | None = None) -> Iterator[int]:
        """Open branches until everything is settled or a budget is spent (``ended`` tells which). Yields the number of
        branches after each batch. Raises the engine's errors; the tree keeps earlier branches."""
        while wanted := self._wanted():
            if (spent := self._spent()) is not None:
                self.ended = spent
                return
            source, ids = wanted
            for id, branch in source.ask(ids[: self._budget.branches - self.used], cancel).items():
                self.nodes[id] = with_branch(self.nodes[id], branch.replaced(how=source.how))
            yield self.used
        self.ended = "settled"

    def reopen(self, ids: Sequence[str], why: str) -> bool:
        """Open these nodes again because of a contradiction; False where no source is left."""
        again = [self.nodes[id] for id in ids if id in self.nodes and self._next(self.nodes[id]) is not None]
        if again:
            self._contradictions.append(why)
        for node in again:
            doubts = (*node.doubts, "it contradicts what else was found")
            self.add(node.replaced(settled=False, loops=node.loops + 1, doubts=doubts))
        return bool(again)

    def _wanted(self) -> tuple[Source, list[str]] | None:
        """The next source of any open node, with all nodes that need it next; settles nodes without one."""
        wants: dict[tuple[NodeKind, How], list[str]] = {}
        for node in list(self.nodes.values()):
            source = None if node.settled else self._next(node)
            if source is not None:
                wants.setdefault((source.kind, source.how), []).append(node.id)
            elif not node.settled:
                self.add(node.replaced(settled=True))
        for source in self._sources:
            if ids := wants.get((source.kind, source.how)):
                return source, ids
        return None

    def _next(self, node: Node) -> Source | None:
        tried = {branch.how for branch in node.branches}
        return next((s for s in self._sources if s.kind == node.kind and s.how not in tried), None)

    def _spent(self) -> Ended | None:
        if self.used >= self._budget.branches:
            return "branches"
        if self._tokens >= self._budget.tokens:
            return "tokens"
        if self._budget.seconds is not None and self._clock() - self._began >= self._budget.seconds:
            return "seconds"
        return None

    @property
    def _tokens(self) -> int:
        spent = self._usage() - self._first_usage
        return spent.tokens_evaluated + spent.tokens_reused


def with_branch(node: Node, branch: Branch) -> Node:
    """Return the node with one more branch, the new mean and standard error, and whether it is settled."""
    branches = (*node.branches, branch)
    values = [one.value for one in branches if one.counts and one.value is not None]
    mean, error = mean_of(values)
    return node.replaced(
        branches=branches,
        after=mean if mean is not None else node.after,
        error=error,
        settled=_settled(node.kind, values) or len(branches) >= MOST_BRANCHES,
    )


def mean_of(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the mean and its standard error; None where there are too few values."""
    if not values:
        return None, None
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))


def _settled(kind: NodeKind, values: Sequence[float]) -> bool:
    mean, error = mean_of(values)
    if mean is None or error is None:
        return False
    if abs(mean) > SURE * max(error, _NOISE) if kind in ("check", "kind") else error <= _CLOSE:
        return True
    if len(values) < 4:
        return False
    means = [math.fsum(values[:n]) / n for n in range(len(values) - 2, len(values) + 1)]
    return all(abs(later - earlier) < HARDLY for earlier, later in pairwise(means))
