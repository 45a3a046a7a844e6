"""Deep mode of a rating: a tree of findings (nodes) and their further readings (branches; METHODS, reasoning).

Doubt opens branches, agreement closes them: a node is settled when the standard error of its mean is small, or when it
was asked about in every way. Contradictions lead back to kinds and factors, at most twice. Only questions that are
worth asking on the model are asked again; without any, Deep says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...core.errors import Cancelled
from ...core.events import Stage, StageProgress
from ...core.statistics import logit, sigmoid
from ...engine.base import CancelToken
from ...rubric.prompts import PromptBuilder
from ..asking.questions import (
    LEAST_MASS,
    ORDERS,
    OTHER_CUE,
    deviation,
    expectation,
    level_distribution,
    mean,
    yes_log_odds,
)
from ..judged_kind import staged
from ..main_judge import MainJudge
from .factor_scorer import level_of, put_scores
from .record import Branch, CategoryScore, FactorScore, How, Node, NodeKind, RatingResult, ReasoningTree, Step

MOST_LOOPS = 2
NOTHING_MORE = "Deep gives the same result as Quick with this model."
_EVEN = 0.85
"""Least entropy of a factor's levels, over ln 6, at which they count as nearly even."""
_NEAR = 1.0
"""A yes or no within this many log-odds of the boundary is in doubt."""
_LOW = 1.0
"""Highest score, of 5, at which a factor counts as missing."""
_CLOSE = 0.25
"""Standard error of a factor 0…5 that is small enough."""
_NEUTRAL = "The library is open from nine to five on weekdays."
"""The answer about a text of no kind is the answer's own bias, and is subtracted (contextual calibration, arXiv
2102.09690)."""

Answers = Mapping[str, tuple[float, float, tuple[float, ...]]]
"""By a node's id: the answer's label mass, its value, and the distribution of levels."""
Way = tuple[NodeKind, How]


class DeepJudge:
    """Continues a rating that quick mode has filled. ``draft.tree`` grows; Stop keeps it. Kinds are nodes by their
    log-odds, so that their boundary is 0. ``budget``: the most branches."""

    def __init__(self, draft: RatingResult, judge: MainJudge, budget: int, cancel: CancelToken | None) -> None:
        self._draft, self._judge, self._budget, self._cancel = draft, judge, budget, cancel
        self._everything = draft.everything_asked
        self._tree = ReasoningTree(budget=budget, prompts=judge.deep_prompts.version)
        self._nodes: dict[str, Node] = {}
        usual, deep = judge.prompts, judge.deep_prompts
        self._ways: dict[Way, Callable[[Sequence[str]], Answers]] = {
            ("factor", "as in quick mode"): partial(self._scores, usual, "scoring", corrected=True),
            ("factor", "another wording"): partial(self._scores, deep, "scoring_reworded"),
            ("factor", "another form"): partial(self._scores, usual, "scoring", orders=OTHER_CUE),
            ("factor", "a strict reader"): partial(self._scores, deep, "scoring_strict"),
            ("kind", "another wording"): self._kinds,
        }
        """The further questions about nodes of a kind, in the order in which they are tried."""

    def reason(self) -> Iterator[Step]:
        """Ask again about kinds and factors in doubt, and about contradictory ones. Raises the engine's errors."""
        yield from staged(self._draft, Stage.REASONING, self._reasoned(), total=self._budget)

    def _reasoned(self) -> Generator[Step, None, None]:
        draft = self._draft
        for kind in draft.categories:
            odds = logit(kind.p)
            near = self._asks("kind", kind.id) and abs(odds) < _NEAR
            self._add("kind", kind.id, kind.name, odds, "it may or may not be of this kind" if near else "")
        for factor in draft.factors:
            asked = factor.origin == "shared" and self._asks("factor", factor.id)
            self._add("factor", factor.id, factor.name, factor.expected, _doubt_of(factor) if asked else "")
        try:
            yield from self._grow()
            for _ in range(MOST_LOOPS):
                if not self._contradicted():
                    break
                yield from self._grow()
            if not (self._everything or self._judge.plan.asked("kind", "factor")):
                self._tree = self._tree.replaced(ended="nothing to ask")
                draft.warn(NOTHING_MORE)
        except Cancelled:
            self._tree = self._tree.replaced(ended="stopped")
            raise
        finally:
            draft.categories = self._kinds_after()
            factors = tuple(map(self._factor_after, draft.factors))
            if factors != draft.factors:
                put_scores(draft, factors, draft.weights)
            draft.tree = self._grown()

    def _asks(self, kind: NodeKind, id: str) -> bool:
        if self._everything:
            return True
        return id in self._judge.plan.asked("kind" if kind == "kind" else "factor")

    def _add(self, kind: NodeKind, id: str, name: str, value: float | None, doubt: str) -> None:
        node = Node(id=f"{kind}:{id}", kind=kind, name=name, before=value, after=value)
        self._nodes[node.id] = node.replaced(doubts=(doubt,), settled=False) if doubt else node

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
            way, ids = wanted
            for id, (mass, value, shares) in self._ways[way](ids[: self._budget - self._used]).items():
                silent = mass < LEAST_MASS
                answer = Branch(how=way[1], mass=mass) if silent else Branch(
                    how=way[1], mass=mass, value=value, distribution=shares
                )  # fmt: skip
                self._nodes[id] = with_branch(self._nodes[id], answer)
            draft = self._draft
            draft.tree = self._grown()
            note = "Reading what is in doubt again"
            yield StageProgress(stage=Stage.REASONING, done=self._used, total=self._budget, note=note)
            yield draft
        self._tree = self._tree.replaced(ended="settled")

    def _wanted(self) -> tuple[Way, list[str]] | None:
        """The next way of any open node, with all nodes that need it next; settles nodes without one."""
        wants: dict[Way, list[str]] = {}
        for node in [node for node in self._nodes.values() if not node.settled]:
            if (way := self._next(node)) is not None:
                wants.setdefault(way, []).append(node.id)
            else:
                self._nodes[node.id] = node.replaced(settled=True)
        return next(((way, wants[way]) for way in self._ways if way in wants), None)

    def _next(self, node: Node) -> Way | None:
        tried = {branch.how for branch in node.branches}
        return next((way for way in self._ways if way[0] == node.kind and way[1] not in tried), None)

    def _contradicted(self) -> bool:
        """Open contradictory findings again: a joke was assigned to a kind, but both factors on which that kind depends
        most were found missing. False where there are none, or no way is left."""
        core = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        reopened = False
        for kind in self._kinds_after():
            node = self._nodes[f"kind:{kind.id}"]
            own = [self._nodes[f"factor:{id}"] for id in core.get(kind.id, ()) if f"factor:{id}" in self._nodes]
            scores = {one.name.lower(): one.after for one in own if one.after is not None}
            sure = kind.chosen and (node.after or 0.0) > 0.0 and self._asks("kind", kind.id)
            if not sure or not scores or max(scores.values()) > _LOW:
                continue
            again = [one for one in (node, *own) if one.name.lower() in scores or one is node]
            again = [one for one in again if self._next(one) is not None]
            for one in again:
                doubts = (*one.doubts, "it contradicts what else was found")
                self._nodes[one.id] = one.replaced(settled=False, loops=one.loops + 1, doubts=doubts)
            if again:
                names = ", ".join(f"{name} {score:.1f}" for name, score in scores.items())
                why = f"It was taken for {kind.name.lower()}, but {names}."
                self._tree = self._tree.replaced(contradictions=(*self._tree.contradictions, why))
                reopened = True
        return reopened

    # -- The further questions

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
        factors = [measure.criteria.factor(_part_of(id)) for id in ids]
        levels = measure.levels_in(name, {"joke": self._draft.text}, factors, self._cancel, orders)
        answers = {}
        for id, factor in zip(ids, factors, strict=True):
            calibration = self._judge.calibration.scores.get(factor.id) if corrected else None
            shares = level_distribution(levels[factor.id], calibration.bias if calibration else None)
            answers[id] = levels[factor.id].mass, expectation(shares), shares
        return answers

    def _kinds(self, ids: Sequence[str]) -> Answers:
        """Ask whether the joke is of each kind, relative to the answer about a neutral text."""
        prompts, choose = self._judge.deep_prompts, self._judge.engine.choose
        form = prompts.form("kind_reworded", "kind")
        names = {category.id: category.name.lower() for category in self._judge.criteria.categories}
        questions = [prompts.question(form, {"kind": names[_part_of(id)]}) for id in ids]
        here, neutral = (
            choose(prompts.prompt("kind_reworded", {"joke": text}), questions, self._cancel)
            for text in (self._draft.text, _NEUTRAL)
        )
        return {
            id: (min(one.mass, other.mass), yes_log_odds(one) - yes_log_odds(other), ())
            for id, one, other in zip(ids, here, neutral, strict=True)
        }

    # -- The findings after all branches

    def _kinds_after(self) -> tuple[CategoryScore, ...]:
        """The kinds, the chosen ones first."""
        after = []
        for kind in self._draft.categories:
            node = self._nodes[f"kind:{kind.id}"]
            if node.branches and node.after is not None:
                kind = kind.replaced(p=sigmoid(node.after), chosen=node.after >= 0.0)
            after.append(kind)
        return tuple(sorted(after, key=lambda kind: not kind.chosen))

    def _factor_after(self, factor: FactorScore) -> FactorScore:
        """The factor with the mean of its branches, combined with the heads' estimate by the plan's weights."""
        node = self._nodes[f"factor:{factor.id}"]
        answered = [branch for branch in node.branches if branch.value is not None]
        if not answered or node.after is None:
            return factor
        expected, item = node.after, None if self._everything else self._judge.plan.of("factor", factor.id)
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


def _part_of(id: str) -> str:
    """The id of a node's kind or factor."""
    return id.partition(":")[2]


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
