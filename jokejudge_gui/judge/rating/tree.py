"""Opens branches where there is doubt and closes them where they agree (METHODS, reasoning).

Branches are independent measurements of one node and are averaged; doubt opens them, agreement closes them. A node is
settled when its mean lies clearly on one side of its boundary (|mean − boundary| > 1.64 standard errors), after six
branches, or when two more of them hardly moved the mean."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from ...core.paths import models_dir
from ...core.verdicts import Budget, Span, Usage
from ...engine.base import CancelToken
from .record import Branch, Ended, How, Node, NodeKind, ReasoningTree

# -- A joke's mirror: the same words without its turn. A finding that a joke owes to its turn must fall there, or it
# isn't based on the joke. A finding counts by its fall in the mirror: fully from ``FULL`` of its scale on, by half
# where it doesn't fall. The rest of its weight goes to the model's value for typical jokes.

LIVES_BY_TURN = frozenset(["wordplay", "surprise", "punchline", "wit", "misdirection", "logic"])
"""Factors, by their meaning, on which a joke scores less without its turn; it may be as clear, short or daring as
before. ``python -m tests.bench.mirror`` prints for each whether a model's heads detect that."""
FULL: dict[NodeKind, float] = {"factor": 0.5, "kind": 0.5}
"""Least fall at which a finding counts fully: points of 5 for a factor, nats for a kind."""
LEAST_POWER = 0.5
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


def power(kind: NodeKind, here: float, there: float) -> float:
    """Return the weight (½…1) of a finding with the value ``here`` for a joke and ``there`` for its mirror."""
    fall = (here - there) / FULL[kind]
    return LEAST_POWER + (1.0 - LEAST_POWER) * min(1.0, max(0.0, fall))


def lives_by_turn(factors: Collection[str]) -> bool:
    """Whether one of these factors, or of a kind's factors, depends on the turn."""
    return not LIVES_BY_TURN.isdisjoint(factors)


SURE = 1.64
"""Standard errors from the boundary at which a yes or no is settled, with one in ten wrong."""
MOST_BRANCHES = 6
HARDLY = 0.1
"""A branch that changes the mean by less adds nothing new; two in a row settle a node."""
_CLOSE = 0.25
"""Standard error of a factor 0…5 that is small enough."""
_NOISE = 0.1
"""Least standard error used: a label's log-probability has a numerical noise of that order."""

Ask = Callable[[Sequence[str], CancelToken | None], Mapping[str, Branch]]
AskBeside = Callable[[Mapping[str, How], CancelToken | None], Mapping[str, Branch]]
"""Takes the ids of nodes, each with the question to ask about its mirror."""


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

    def grow(self, cancel: CancelToken | None = None) -> Iterator[int]:
        """Open branches until everything is settled or a budget is spent (``ended`` tells which). Yields the number of
        branches after each batch. Raises the engine's errors; the tree keeps earlier branches."""
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
                self.nodes[id] = with_branch(self.nodes[id], branch.replaced(how=source.how))
            yield self.used

    def reopen(self, ids: Sequence[str], why: str) -> bool:
        """Open these nodes again because of a contradiction; False where no source is left."""
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
        """Compare these nodes with the joke's mirror, each by the first source that gave an answer, all together, as
        far as the budget allows. A finding that doesn't fall there counts less (``Node.power``). Yields the number of
        branches afterwards. Raises the engine's errors."""
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
        """Return the number of branches that may still be opened; 0 where another budget is spent."""
        return max(0, self._budget.branches - self.used) if self._spent() is None else 0

    def disregard(self, usage: Usage) -> None:
        """Don't count this usage against the budget: it serves all verdicts."""
        self._first_usage += usage

    def add(self, node: Node) -> None:
        self.nodes[node.id] = node

    def _wanted(self) -> tuple[Source, list[str]] | None:
        """The next source of any open node, with all nodes that need it next; settles nodes without one."""
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
    """Return the node with one more branch, the new mean and standard error, and whether it is settled."""
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
    """Return the first branch with an answer that counts."""
    return next((branch for branch in node.branches if branch.counts and branch.value is not None), None)


def with_mirror(node: Node, branch: Branch) -> Node:
    """Return the node with the answer to the same question about the joke's mirror, and the resulting weight."""
    own = next((each for each in node.branches if each.counts and each.how == branch.beside), None)
    branches = (*node.branches, branch)
    if own is None or own.value is None or branch.value is None or node.after is None:
        return node.replaced(branches=branches)
    found = power(node.kind, own.value, branch.value)
    usual = node.usual if node.usual is not None else node.after
    return node.replaced(branches=branches, power=found, after=usual + found * (node.after - usual))


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
    if kind in ("check", "kind"):
        if abs(mean) > SURE * max(error, _NOISE):
            return True
    elif error <= _CLOSE:
        return True
    if len(values) < 4:
        return False
    means = [math.fsum(values[:n]) / n for n in range(len(values) - 2, len(values) + 1)]
    return all(abs(later - earlier) < HARDLY for earlier, later in pairwise(means))


# -- Scored examples similar to a joke, from the readings shipped with the program

_EXAMPLE_WORD = re.compile(r"\w+(?:['’]\w+)*")
_COMMON = frozenset(
    _EXAMPLE_WORD.findall(
        "the a an and or but of to in on at for with by from as is are was were be been it its he she they we you i my "
        "your his her our their me him them this that not no do does did have has had will would can could so if then "
        "there what who when where how why which"
    )
)
_LONGEST = 200
"""Characters of an example; longer ones cost too many tokens."""
CORE = (
    "wordplay", "surprise", "economy", "clarity", "punchline", "setup", "originality", "wit", "logic", "imagery",
    "recognition", "misdirection", "accessibility", "playfulness", "daring", "truth",
)  # fmt: skip
"""The factors of a reading's 16 scores, in their order."""


@dataclass(frozen=True)
class Example:
    """A text with an editor's scores 0…5 by factor."""

    text: str
    scores: dict[str, int]
    words: frozenset[str]


@cache
def shipped_examples(core: tuple[str, ...], path: Path | None = None) -> tuple[Example, ...]:
    """Return short jokes that an editor read; ``core``: the factors in the order of the readings. Invalid lines are
    skipped."""
    found = []
    file = path or models_dir() / "readings" / "readings.jsonl"
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError:
        return ()
    for line in lines:
        try:
            row = json.loads(line)
            text, scores = row["text"], row["core"]
            if row.get("joke") and isinstance(text, str) and len(text) <= _LONGEST and len(scores) == len(core):
                known = {name: int(score) for name, score in zip(core, scores, strict=True)}
                found.append(Example(" ".join(text.split()), known, telling_words(text)))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return tuple(found)


def nearest(text: str, examples: Sequence[Example], count: int) -> list[Example]:
    """Return the examples that share most content words with a text, as a share of both; never the text itself. Of
    equal ones the first is taken."""
    words = telling_words(text)
    plain = " ".join(text.split())
    others = [example for example in examples if example.text != plain]
    alike = {each.text: len(words & each.words) / max(1, len(words) + len(each.words)) for each in others}
    return sorted(others, key=lambda example: -alike[example.text])[:count]


def telling_words(text: str) -> frozenset[str]:
    """Return the content words of a text, in small letters."""
    return frozenset(word for word in _EXAMPLE_WORD.findall(text.lower()) if word not in _COMMON)
