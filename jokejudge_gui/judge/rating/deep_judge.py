"""Deep mode of a rating: a tree of factors (nodes) and their further readings (branches; METHODS, reasoning).

Doubt opens branches, agreement closes them: a node is settled when the standard error of its mean is small, or when it
was asked about in every way. Contradictions with the joke's kinds lead back to factors, at most twice. Only factors
about which the model was asked are asked about again; without any, Deep says so."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from statistics import fmean as mean

from ...core.events import Stage, StageProgress
from ..asking.questions import LEAST_MASS, ORDERS, OTHER_CUE, Measure, deviation, expectation, level_distribution
from ..judged_kind import staged
from ..main_judge import MainJudge
from .factor_scorer import level_of, put_scores
from .record import Branch, Ended, FactorScore, How, Node, RatingResult, ReasoningTree, Step

MOST_LOOPS = 2
NOTHING_MORE = "Deep gives the same result as Quick with this model."
_EVEN = 0.85
"""Least entropy of a factor's levels, over ln 6, at which they count as nearly even."""
_LOW = 1.0
"""Highest score, of 5, at which a factor counts as missing."""
_CLOSE = 0.25
"""Standard error of a factor 0…5 that is small enough."""
_WAYS: dict[How, tuple[str, tuple[str, str]]] = {
    "as in quick mode": ("scoring", ORDERS),
    "another wording": ("scoring_reworded", ORDERS),
    "another form": ("scoring", OTHER_CUE),
    "a strict reader": ("scoring_strict", ORDERS),
}
"""The further questions about a factor in the order in which they are tried: prompt and answers."""


class DeepJudge:
    """Continues a rating that quick mode has filled. ``draft.tree`` grows; Stop keeps it. ``budget``: the most
    branches."""

    def __init__(self, draft: RatingResult, judge: MainJudge, budget: int) -> None:
        self._draft, self._judge, self._budget = draft, judge, budget
        self._nodes: dict[str, Node] = {}
        self._contradictions: list[str] = []
        self._asked = {one.id for one in draft.factors if one.origin == "shared" and one.source == "asked"}

    def reason(self) -> Iterator[Step]:
        """Ask again about factors in doubt, and about contradictory ones. Raises the engine's errors."""
        yield from staged(self._draft, Stage.REASONING, self._reasoned(), total=self._budget)

    def _reasoned(self) -> Generator[Step, None, None]:
        draft = self._draft
        for factor in draft.factors:
            node = Node(id=factor.id, name=factor.name, before=factor.expected, after=factor.expected)
            doubt = _doubt_of(factor) if factor.id in self._asked else ""
            self._nodes[node.id] = node.replaced(doubts=(doubt,), settled=False) if doubt else node
        ended: Ended = "stopped"
        try:
            ended = yield from self._grow()
            for _ in range(MOST_LOOPS):
                if not self._contradicted():
                    break
                ended = yield from self._grow()
            if not (draft.everything_asked or self._asked):
                ended = "nothing to ask"
                draft.warn(NOTHING_MORE)
        finally:
            factors = tuple(map(self._factor_after, draft.factors))
            if factors != draft.factors:
                put_scores(draft, factors, draft.weights)
            draft.tree = self._grown(ended)

    def _grown(self, ended: Ended) -> ReasoningTree:
        return ReasoningTree(
            nodes=tuple(self._nodes.values()), contradictions=tuple(self._contradictions), budget=self._budget,
            used_branches=self._used, ended=ended, prompts=self._judge.deep_prompts.version,
        )  # fmt: skip

    @property
    def _used(self) -> int:
        return sum(len(node.branches) for node in self._nodes.values())

    def _grow(self) -> Generator[Step, None, Ended]:
        """Open branches until everything is settled or the budget is spent, all nodes of one way together."""
        for how in _WAYS:
            nodes = [node for node in self._nodes.values() if not node.settled]
            wanted = [node.id for node in nodes if how not in {branch.how for branch in node.branches}]
            if asked := wanted[: self._budget - self._used]:
                for id, branch in self._branches(how, asked):
                    self._nodes[id] = with_branch(self._nodes[id], branch)
                self._draft.tree = self._grown("settled")
                note = "Reading what is in doubt again"
                yield StageProgress(stage=Stage.REASONING, done=self._used, total=self._budget, note=note)
                yield self._draft
            if asked != wanted:
                return "branches"
        self._nodes = {id: node.replaced(settled=True) for id, node in self._nodes.items()}
        return "settled"

    def _contradicted(self) -> bool:
        """Open contradictory findings again: a joke was assigned to a kind, but both factors on which that kind depends
        most were found missing. False where there are none, or no way is left."""
        core = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        before = len(self._contradictions)
        for kind in self._draft.categories:
            own = [self._nodes[id] for id in core.get(kind.id, ()) if id in self._nodes]
            scores = {node.name.lower(): node.after for node in own if node.after is not None}
            if not kind.chosen or not scores or max(scores.values()) > _LOW:
                continue
            again = [one for one in own if one.after is not None and one.id in self._asked]
            again = [one for one in again if len(one.branches) < len(_WAYS)]
            for one in again:
                doubts = (*one.doubts, "it contradicts what else was found")
                self._nodes[one.id] = one.replaced(settled=False, loops=one.loops + 1, doubts=doubts)
            if again:
                names = ", ".join(f"{name} {score:.1f}" for name, score in scores.items())
                self._contradictions.append(f"It was taken for {kind.name.lower()}, but {names}.")
        return len(self._contradictions) > before

    def _branches(self, how: How, ids: Sequence[str]) -> Iterator[tuple[str, Branch]]:
        """Ask about factors, the levels ascending and descending, all in one batch. With quick mode's cue the labels'
        bias, which was measured with it, is corrected."""
        prompt, orders = _WAYS[how]
        judge, criteria = self._judge, self._judge.criteria
        prompts = judge.prompts if prompt == "scoring" else judge.deep_prompts
        measure, factors = Measure(judge.engine, prompts, criteria, judge.cancel), [*map(criteria.factor, ids)]
        levels = measure.levels_in(prompt, {"joke": self._draft.text}, factors, orders)
        for id in ids:
            usual = self._judge.calibration.scores.get(id) if _WAYS[how] == ("scoring", ORDERS) else None
            shares = level_distribution(levels[id], usual.bias if usual else None)
            answered = levels[id].mass >= LEAST_MASS
            yield id, Branch(
                how=how, mass=levels[id].mass, value=expectation(shares) if answered else None,
                distribution=shares if answered else (),
            )  # fmt: skip

    def _factor_after(self, factor: FactorScore) -> FactorScore:
        """The factor with the mean of its branches."""
        node = self._nodes[factor.id]
        answered = [branch for branch in node.branches if branch.value is not None]
        if not answered or node.after is None:
            return factor
        expected = max(0.0, min(5.0, node.after))
        columns = zip(*(branch.distribution for branch in answered), strict=True)
        return factor.replaced(
            expected=expected, score=level_of(expected), probabilities=tuple(map(mean, columns)),
            label_mass=max(branch.mass for branch in answered),
        )  # fmt: skip


def _doubt_of(factor: FactorScore) -> str:
    if factor.score is None or factor.label_mass < LEAST_MASS:
        return "the model hardly answered"
    return "its answer is nearly even between the levels" if (factor.entropy or 0.0) > _EVEN else ""


def with_branch(node: Node, branch: Branch) -> Node:
    """Return the node with one more branch, the new mean and standard error, and whether it is settled."""
    branches = (*node.branches, branch)
    values = [one.value for one in branches if one.value is not None]
    error = deviation(values) / math.sqrt(len(values)) if len(values) > 1 else None
    after = mean(values) if values else node.after
    return node.replaced(branches=branches, after=after, error=error, settled=error is not None and error <= _CLOSE)
