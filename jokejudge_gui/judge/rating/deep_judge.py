"""Deep mode of a rating: a tree of factors (nodes) and their further readings (branches; METHODS, reasoning).

Doubt opens branches, agreement closes them: a node is settled when the standard error of its mean is small, or when it
was asked about in every way. Contradictions with the joke's kinds lead back to factors, at most twice. Only questions
that are worth asking on the model are asked again; without any, Deep says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...core.errors import Cancelled
from ...core.events import Stage, StageProgress
from ...engine.base import CancelToken
from ...rubric.prompts import PromptBuilder
from ..asking.questions import LEAST_MASS, ORDERS, OTHER_CUE, deviation, expectation, level_distribution, mean
from ..judged_kind import staged
from ..main_judge import MainJudge
from .factor_scorer import level_of, put_scores
from .record import Branch, FactorScore, How, Node, RatingResult, ReasoningTree, Step

MOST_LOOPS = 2
NOTHING_MORE = "Deep gives the same result as Quick with this model."
_EVEN = 0.85
"""Least entropy of a factor's levels, over ln 6, at which they count as nearly even."""
_LOW = 1.0
"""Highest score, of 5, at which a factor counts as missing."""
_CLOSE = 0.25
"""Standard error of a factor 0…5 that is small enough."""
Answers = Mapping[str, tuple[float, float, tuple[float, ...]]]
"""By factor: the answer's label mass, its value, and the distribution of levels."""


class DeepJudge:
    """Continues a rating that quick mode has filled. ``draft.tree`` grows; Stop keeps it. ``budget``: the most
    branches."""

    def __init__(self, draft: RatingResult, judge: MainJudge, budget: int, cancel: CancelToken | None) -> None:
        self._draft, self._judge, self._budget, self._cancel = draft, judge, budget, cancel
        self._tree = ReasoningTree(budget=budget, prompts=judge.deep_prompts.version)
        self._nodes: dict[str, Node] = {}
        self._asked = {factor.id for factor in draft.factors if factor.origin == "shared"}
        if not draft.everything_asked:
            self._asked &= set(judge.plan.asked("factor"))
        usual, deep = judge.prompts, judge.deep_prompts
        self._ways: dict[How, Callable[[Sequence[str]], Answers]] = {
            "as in quick mode": partial(self._scores, usual, "scoring", corrected=True),
            "another wording": partial(self._scores, deep, "scoring_reworded"),
            "another form": partial(self._scores, usual, "scoring", orders=OTHER_CUE),
            "a strict reader": partial(self._scores, deep, "scoring_strict"),
        }
        """The further questions about a factor, in the order in which they are tried."""

    def reason(self) -> Iterator[Step]:
        """Ask again about factors in doubt, and about contradictory ones. Raises the engine's errors."""
        yield from staged(self._draft, Stage.REASONING, self._reasoned(), total=self._budget)

    def _reasoned(self) -> Generator[Step, None, None]:
        draft = self._draft
        for factor in draft.factors:
            node = Node(id=factor.id, name=factor.name, before=factor.expected, after=factor.expected)
            doubt = _doubt_of(factor) if factor.id in self._asked else ""
            self._nodes[node.id] = node.replaced(doubts=(doubt,), settled=False) if doubt else node
        try:
            yield from self._grow()
            for _ in range(MOST_LOOPS):
                if not self._contradicted():
                    break
                yield from self._grow()
            if not (draft.everything_asked or self._judge.plan.asked("factor")):
                self._tree = self._tree.replaced(ended="nothing to ask")
                draft.warn(NOTHING_MORE)
        except Cancelled:
            self._tree = self._tree.replaced(ended="stopped")
            raise
        finally:
            factors = tuple(map(self._factor_after, draft.factors))
            if factors != draft.factors:
                put_scores(draft, factors, draft.weights)
            draft.tree = self._grown()

    # -- The tree

    def _grown(self) -> ReasoningTree:
        return self._tree.replaced(nodes=tuple(self._nodes.values()), used_branches=self._used)

    @property
    def _used(self) -> int:
        return sum(len(node.branches) for node in self._nodes.values())

    def _grow(self) -> Iterator[Step]:
        """Open branches until everything is settled or the budget is spent."""
        while wanted := self._wanted():
            if self._used >= self._budget:
                self._tree = self._tree.replaced(ended="branches")
                return
            how, ids = wanted
            for id, (mass, value, shares) in self._ways[how](ids[: self._budget - self._used]).items():
                branch = Branch(how=how, mass=mass)
                if mass >= LEAST_MASS:
                    branch = branch.replaced(value=value, distribution=shares)
                self._nodes[id] = with_branch(self._nodes[id], branch)
            self._draft.tree = self._grown()
            note = "Reading what is in doubt again"
            yield StageProgress(stage=Stage.REASONING, done=self._used, total=self._budget, note=note)
            yield self._draft
        self._tree = self._tree.replaced(ended="settled")

    def _wanted(self) -> tuple[How, list[str]] | None:
        """The next way of any open node, with all nodes that need it next; settles nodes without one."""
        wants: dict[How, list[str]] = {}
        for node in [node for node in self._nodes.values() if not node.settled]:
            if (how := self._next(node)) is not None:
                wants.setdefault(how, []).append(node.id)
            else:
                self._nodes[node.id] = node.replaced(settled=True)
        return next(((how, wants[how]) for how in self._ways if how in wants), None)

    def _next(self, node: Node) -> How | None:
        tried = {branch.how for branch in node.branches}
        return next((how for how in self._ways if how not in tried), None)

    def _contradicted(self) -> bool:
        """Open contradictory findings again: a joke was assigned to a kind, but both factors on which that kind depends
        most were found missing. False where there are none, or no way is left."""
        core = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        reopened = False
        for kind in self._draft.categories:
            own = [self._nodes[id] for id in core.get(kind.id, ()) if id in self._nodes]
            scores = {node.name.lower(): node.after for node in own if node.after is not None}
            if not kind.chosen or not scores or max(scores.values()) > _LOW:
                continue
            again = [one for one in own if one.after is not None and one.id in self._asked and self._next(one)]
            for one in again:
                doubts = (*one.doubts, "it contradicts what else was found")
                self._nodes[one.id] = one.replaced(settled=False, loops=one.loops + 1, doubts=doubts)
            if again:
                names = ", ".join(f"{name} {score:.1f}" for name, score in scores.items())
                why = f"It was taken for {kind.name.lower()}, but {names}."
                self._tree = self._tree.replaced(contradictions=(*self._tree.contradictions, why))
                reopened = True
        return reopened

    def _scores(
        self,
        prompts: PromptBuilder,
        name: str,
        ids: Sequence[str],
        *,
        orders: tuple[str, str] = ORDERS,
        corrected: bool = False,
    ) -> Answers:
        """Ask about factors, the levels ascending and descending, all in one batch. ``corrected``: by the labels' bias,
        which was measured with quick mode's cue."""
        measure = replace(self._judge.measure, prompts=prompts)
        factors = [*map(measure.criteria.factor, ids)]
        levels = measure.levels_in(name, {"joke": self._draft.text}, factors, self._cancel, orders)
        answers = {}
        for id in ids:
            calibration = self._judge.calibration.scores.get(id) if corrected else None
            shares = level_distribution(levels[id], calibration.bias if calibration else None)
            answers[id] = levels[id].mass, expectation(shares), shares
        return answers

    def _factor_after(self, factor: FactorScore) -> FactorScore:
        """The factor with the mean of its branches, combined with the heads' estimate by the plan's weights."""
        node = self._nodes[factor.id]
        answered = [branch for branch in node.branches if branch.value is not None]
        if not answered or node.after is None:
            return factor
        expected, item = node.after, None if self._draft.everything_asked else self._judge.plan.of("factor", factor.id)
        if item is not None and item.ask:
            predicted = self._judge.reader.read(self._draft.text, self._cancel, context=self._draft.context)
            read = predicted.editor.factors.get(factor.id) if predicted.editor is not None else None
            joined = item.joined(expected, read.expected if read is not None else None)
            expected = expected if joined is None else joined
        expected = max(0.0, min(5.0, expected))
        columns = zip(*(branch.distribution for branch in answered), strict=True)
        return factor.replaced(
            expected=expected,
            score=level_of(expected),
            probabilities=tuple(map(mean, columns)),
            label_mass=max(branch.mass for branch in answered),
        )


def _doubt_of(factor: FactorScore) -> str:
    if factor.score is None or factor.label_mass < LEAST_MASS:
        return "the model hardly answered"
    if factor.entropy is None:
        return "how sure the answer was isn't known"
    return "its answer is nearly even between the levels" if factor.entropy > _EVEN else ""


def with_branch(node: Node, branch: Branch) -> Node:
    """Return the node with one more branch, the new mean and standard error, and whether it is settled."""
    branches = (*node.branches, branch)
    middle, error = _mean_of([one.value for one in branches if one.value is not None])
    after = node.after if middle is None else middle
    return node.replaced(branches=branches, after=after, error=error, settled=error is not None and error <= _CLOSE)


def _mean_of(values: Sequence[float]) -> tuple[float | None, float | None]:
    """The mean and its standard error; None where there are too few values."""
    if len(values) < 2:
        return values[0] if values else None, None
    return mean(values), deviation(values) / math.sqrt(len(values))
