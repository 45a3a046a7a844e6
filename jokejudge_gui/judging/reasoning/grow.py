"""Opens branches where there is doubt and closes them where they agree (METHODS, reasoning).

Branches are independent measurements of one node and are averaged; doubt opens them, agreement closes them. A node is
settled when its mean lies clearly on one side of its boundary (|mean − boundary| > 1.64 standard errors), after six
branches, or when two more of them hardly moved the mean."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...engine.base import CancelToken
from ...reasoned import Branch, Budget, Ended, How, Node, NodeKind, ReasoningTree
from ...verdicts import Usage
from .mirror import power

SURE = 1.64
"""Standard errors from the boundary at which a yes or no is settled: one in ten is wrong."""
MOST_BRANCHES = 6
HARDLY = 0.1
"""A change of the mean under which a branch told nothing new; two in a row settle a node."""
_CLOSE = 0.25
"""Standard error of a factor 0…5 that is good enough."""
_NOISE = 0.1
"""No standard error is taken to be less: a label's log-probability has a numerical noise of that order."""

Ask = Callable[[Sequence[str], CancelToken | None], Mapping[str, Branch]]
AskBeside = Callable[[Mapping[str, How], CancelToken | None], Mapping[str, Branch]]
"""Gets the ids of nodes, each with the way in which its mirror is read."""


@dataclass(frozen=True)
class Source:
    """A way to read nodes of one kind anew. ``ask`` gets the ids of nodes and reads them together."""

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
        self._sources = sources
        self._budget = budget
        self._usage = usage
        self._prompts = prompts
        self._clock = clock
        self._first_usage, self._began = usage(), clock()
        self._contradictions: list[str] = []
        self.ended: Ended = "settled"

    @property
    def used(self) -> int:
        """Branches that were opened."""
        return sum(len(node.branches) for node in self.nodes.values())

    @property
    def tree(self) -> ReasoningTree:
        """As far as it has grown."""
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

    def grow(self, cancel: CancelToken | None = None) -> Iterator[int]:
        """Open branches until everything is settled or a budget is spent (``ended`` says which). Yields how many
        branches there are after each batch. Raises what the engine raises; the tree keeps what was known."""
        while True:
            wanted = self._wanted()
            if not wanted:
                self.ended = "settled"
                return
            spent = self._spent()
            if spent is not None:
                self.ended = spent
                return
            source, ids = wanted
            ids = ids[: self._budget.branches - self.used]
            for id, branch in source.ask(ids, cancel).items():
                self.nodes[id] = with_branch(self.nodes[id], branch)
            yield self.used

    def reopen(self, ids: Sequence[str], why: str) -> bool:
        """Read these nodes again, since what was found contradicts itself; False where no way to do so is left."""
        again = [id for id in ids if id in self.nodes and self._next(self.nodes[id]) is not None]
        if not again:
            return False
        self._contradictions.append(why)
        for id in again:
            node = self.nodes[id]
            self.nodes[id] = node.replaced(
                settled=False, loops=node.loops + 1, doubts=(*node.doubts, "it contradicts what else was found")
            )
        return True

    def mirror(self, ids: Sequence[str], ask: AskBeside, cancel: CancelToken | None = None) -> Iterator[int]:
        """Hold these nodes against the joke's mirror, each in the first way that gave an answer, all together, as far
        as the budget goes. A finding that doesn't fall there counts less (``Node.power``). Yields how many branches
        there are then. Raises what the engine raises."""
        wanted: dict[str, How] = {}
        for id in ids:
            node = self.nodes.get(id)
            first = first_of(node) if node is not None else None
            if first is not None and node is not None and not any(each.taken for each in node.branches):
                wanted[id] = first.how
        wanted = dict(list(wanted.items())[: max(0, self._budget.branches - self.used)])
        if not wanted or self._spent() is not None:
            return
        for id, branch in ask(wanted, cancel).items():
            self.nodes[id] = with_mirror(self.nodes[id], branch)
        yield self.used

    def room(self) -> int:
        """How many branches may still be opened; 0 where another budget is spent."""
        return max(0, self._budget.branches - self.used) if self._spent() is None else 0

    def disregard(self, usage: Usage) -> None:
        """Don't count this against the budget: it was paid once for all verdicts."""
        self._first_usage += usage

    def add(self, node: Node) -> None:
        """Put a node beside the others."""
        self.nodes[node.id] = node

    def _wanted(self) -> tuple[Source, list[str]] | None:
        """The first way to read that an open node has left, and all nodes that want it next; closes those without."""
        wants: dict[How, list[str]] = {}
        for node in list(self.nodes.values()):
            if node.settled:
                continue
            source = self._next(node)
            if source is None:
                self.nodes[node.id] = node.replaced(settled=True)
            else:
                wants.setdefault(source.how, []).append(node.id)
        for source in self._sources:
            ids = [id for id in wants.get(source.how, ()) if self.nodes[id].kind == source.kind]
            if ids:
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
    """The node with one more branch, its mean, its standard error, and whether it is settled by them."""
    branches = (*node.branches, branch)
    values = [each.value for each in branches if each.counts and each.value is not None]
    mean, error = mean_of(values)
    return node.replaced(
        branches=branches,
        after=mean if mean is not None else node.after,
        error=error,
        settled=_settled(node.kind, values) or len(branches) >= MOST_BRANCHES,
    )


def first_of(node: Node) -> Branch | None:
    """The first branch that says something."""
    return next((branch for branch in node.branches if branch.counts and branch.value is not None), None)


def with_mirror(node: Node, branch: Branch) -> Node:
    """The node with what the same question found in the joke's mirror, and how far it counts for that."""
    own = next((each for each in node.branches if each.counts and each.how == branch.beside), None)
    branches = (*node.branches, branch)
    if own is None or own.value is None or branch.value is None or node.after is None:
        return node.replaced(branches=branches)
    found = power(node.kind, own.value, branch.value)
    usual = node.usual if node.usual is not None else node.after
    return node.replaced(branches=branches, power=found, after=usual + found * (node.after - usual))


def mean_of(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean and its standard error; None where there are too few values."""
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
    if kind in ("check", "kind"):
        if abs(mean) > SURE * max(error, _NOISE):
            return True
    elif error <= _CLOSE:
        return True
    if len(values) < 4:
        return False
    means = [math.fsum(values[:n]) / n for n in range(len(values) - 2, len(values) + 1)]
    return all(abs(later - earlier) < HARDLY for earlier, later in pairwise(means))
