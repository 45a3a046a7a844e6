"""Deep mode of a rating: a tree of findings (nodes) and their further readings (branches; METHODS, reasoning).

Doubt opens branches, agreement closes them: a node is settled when its mean lies clearly on one side of its boundary,
after six branches, or when two more of them hardly moved the mean. Contradictions lead back to kinds and factors, at
most twice. Only questions that are worth asking on the model are asked again; without any, Deep says so."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...core.errors import Cancelled
from ...core.events import Stage, StageProgress
from ...core.paths import models_dir
from ...core.statistics import logit, sigmoid
from ...core.verdicts import Budget, CheckResult, Usage
from ...engine.base import CancelToken, Prompt
from ...heads.editor_file import CORE
from ...heads.near_duplicates import likeness
from ...rubric.prompts import PromptBuilder
from ..asking.explanation import flaws, written
from ..asking.questions import (
    LEAST_MASS,
    ORDERS,
    OTHER_CUE,
    Measure,
    expectation,
    factor_ref,
    level_distribution,
    yes_log_odds,
)
from ..judged_kind import staged
from ..main_judge import MainJudge
from .admissibility_checker import REJECT_BELOW, check_result
from .factor_scorer import level_of, put_scores
from .listeners import ALL, laughs, who, why_silent
from .record import (
    LAUGHS,
    Branch,
    CategoryScore,
    Ended,
    FactorScore,
    How,
    Node,
    NodeKind,
    RatingResult,
    ReasoningTree,
    Step,
)

MOST_LOOPS = 2
NOTHING_MORE = "Deep gives the same result as Quick with this model."
_EVEN = 0.85
"""Least entropy of a factor's levels, over ln 6, at which they count as nearly even."""
_NEAR = 1.0
"""A yes or no within this many log-odds of the boundary is in doubt."""
_LOW = 1.0
"""Highest score, of 5, at which a factor counts as missing."""
_SURE = 1.64
"""Standard errors from the boundary at which a yes or no is settled, with one in ten wrong."""
MOST_BRANCHES = 6
_HARDLY = 0.1
"""A branch that changes the mean by less adds nothing new; two in a row settle a node."""
_CLOSE = 0.25
"""Standard error of a factor 0…5 that is small enough."""
_NOISE = 0.1
"""Least standard error used: a label's log-probability has a numerical noise of that order."""

Ask = Callable[[Sequence[str], CancelToken | None], Mapping[str, Branch]]
"""Asks about nodes, by their ids, together."""
Ways = Mapping[tuple[NodeKind, How], Ask]
"""The further questions about nodes of a kind, in the order in which they are tried."""


class Reasoner:
    """A tree that grows in ``ways`` within a ``budget``; ``usage``: totals of the engine."""

    def __init__(
        self,
        ways: Ways,
        budget: Budget,
        usage: Callable[[], Usage],
        *,
        prompts: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.nodes: dict[str, Node] = {}
        self._ways, self._budget, self._prompts = ways, budget, prompts
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
            way, ids = wanted
            for id, branch in self._ways[way](ids[: self._budget.branches - self.used], cancel).items():
                self.add(with_branch(self.nodes[id], branch.replaced(how=way[1])))
            yield self.used
        self.ended = "settled"

    def reopen(self, ids: Sequence[str], why: str) -> bool:
        """Open these nodes again because of a contradiction; False where no way is left."""
        again = [self.nodes[id] for id in ids if id in self.nodes and self._next(self.nodes[id]) is not None]
        if again:
            self._contradictions.append(why)
        for node in again:
            doubts = (*node.doubts, "it contradicts what else was found")
            self.add(node.replaced(settled=False, loops=node.loops + 1, doubts=doubts))
        return bool(again)

    def _wanted(self) -> tuple[tuple[NodeKind, How], list[str]] | None:
        """The next way of any open node, with all nodes that need it next; settles nodes without one."""
        wants: dict[tuple[NodeKind, How], list[str]] = {}
        for node in [node for node in self.nodes.values() if not node.settled]:
            if (way := self._next(node)) is not None:
                wants.setdefault(way, []).append(node.id)
            else:
                self.add(node.replaced(settled=True))
        return next(((way, wants[way]) for way in self._ways if way in wants), None)

    def _next(self, node: Node) -> tuple[NodeKind, How] | None:
        tried = {branch.how for branch in node.branches}
        return next((way for way in self._ways if way[0] == node.kind and way[1] not in tried), None)

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
    values = [one.value for one in branches if one.value is not None]
    mean, error = _mean_of(values)
    return node.replaced(
        branches=branches,
        after=mean if mean is not None else node.after,
        error=error,
        settled=_settled(node.kind, values) or len(branches) >= MOST_BRANCHES,
    )


def _mean_of(values: Sequence[float]) -> tuple[float | None, float | None]:
    """The mean and its standard error; None where there are too few values."""
    if not values:
        return None, None
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))


def _settled(kind: NodeKind, values: Sequence[float]) -> bool:
    mean, error = _mean_of(values)
    if mean is None or error is None:
        return False
    if abs(mean) > _SURE * max(error, _NOISE) if kind in ("check", "kind") else error <= _CLOSE:
        return True
    if len(values) < 4:
        return False
    means = [math.fsum(values[:n]) / n for n in range(len(values) - 2, len(values) + 1)]
    return all(abs(later - earlier) < _HARDLY for earlier, later in pairwise(means))


# -- The further questions ---------------------------------------------------------------------------------------------

_EXAMPLES = 3
_LONGEST = 200
"""Characters of an example; longer ones cost too many tokens."""
_NEUTRAL = "The library is open from nine to five on weekdays."
"""The answer about a text of no kind is the answer's own bias, and is subtracted (contextual calibration, arXiv
2102.09690)."""
_TOKENS = 40
GRAMMAR = r"""root ::= " " [A-Za-z“"‘'] [^\n\r.!?]{12,90} [.!?]"""
"""GBNF of a reason: one short, complete clause."""


@cache
def shipped_examples(path: Path | None = None) -> tuple[dict[str, Any], ...]:
    """Return short jokes that an editor read: ``text`` and ``scores`` 0…5 by factor. Invalid lines are skipped."""
    examples = []
    try:
        lines = (path or models_dir() / "readings" / "readings.jsonl").read_text("utf-8").splitlines()
    except OSError:
        return ()
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            row = json.loads(line)
            text, scores = row["text"], dict(zip(CORE, map(int, row["core"]), strict=True))
            if row.get("joke") and len(text) <= _LONGEST:
                examples.append({"text": " ".join(text.split()), "scores": scores})
    return tuple(examples)


def nearest(text: str, examples: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return the examples that are worded most like a text; never the text itself. Of equal ones the first is taken."""
    plain = " ".join(text.split())
    others = (one for one in examples if one["text"] != plain)
    return sorted(others, key=lambda one: likeness(plain, one["text"]), reverse=True)[:count]


def _part_of(id: str) -> str:
    """The id of a node's check, kind or factor."""
    return id.partition(":")[2]


def _answer(mass: float = 0.0, value: float | None = None, distribution: tuple[float, ...] = ()) -> Branch:
    """A branch; without enough mass it has no answer. The tree sets its ``how``."""
    if mass < LEAST_MASS:
        return Branch(how="as in quick mode", mass=mass)
    return Branch(how="as in quick mode", mass=mass, value=value, distribution=distribution)


class Questions:
    """Deep mode's questions to one model about one text. ``reasons``: each answer gets the model's reason in a clause.
    The answer is fixed before its reason is asked for, so a reason changes no score; one that repeats the joke, quotes
    words that aren't in it, breaks off or was given before for the same finding is left out. ``seed``: of the
    verdict."""

    def __init__(self, judge: MainJudge, text: str, *, reasons: bool = False, seed: int = 1) -> None:
        self._judge, self._text = judge, text
        self._reasons, self._seed = reasons, seed
        self._given: dict[str, set[str]] = {}

    def ways(self) -> Ways:
        deep = self._judge.deep_prompts
        return {
            ("factor", "as in quick mode"): partial(self._scores, "scoring", corrected=True),
            ("factor", "another wording"): partial(self._scores, "scoring_reworded", prompts=deep),
            ("factor", "another form"): partial(self._scores, "scoring", orders=OTHER_CUE),
            ("factor", "other examples"): self._near,
            ("factor", "a strict reader"): partial(self._scores, "scoring_strict", prompts=deep),
            ("check", "another form"): self._checks_in_another_form,
            ("check", "another wording"): self._checks_reworded,
            ("kind", "another wording"): self._kinds,
        }

    def _scores(
        self,
        name: str,
        ids: Sequence[str],
        cancel: CancelToken | None,
        *,
        prompts: PromptBuilder | None = None,
        variables: Mapping[str, str] | None = None,
        orders: tuple[str, str] = ORDERS,
        corrected: bool = False,
    ) -> dict[str, Branch]:
        """Ask about factors with a prompt of quick mode (or of ``prompts``), the levels ascending and descending, all
        in one batch. ``corrected``: by the labels' bias, which was measured with quick mode's cue."""
        measure = self._judge.measure if prompts is None else replace(self._judge.measure, prompts=prompts)
        filled = {**(variables or {}), "joke": self._text}
        refs = [factor_ref(_part_of(id), measure.criteria) for id in ids]
        levels = measure.levels_in(name, filled, refs, cancel, orders)
        branches = {}
        for id in ids:
            answer, calibration = levels[_part_of(id)], self._judge.calibration.scores.get(_part_of(id))
            bias = (calibration.ascending, calibration.descending) if calibration and corrected else None
            shares = level_distribution(answer, bias)
            branches[id] = _answer(answer.mass, expectation(shares), shares)
        return self._because(measure.prompts.prompt(name, filled), branches, cancel)

    def _near(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """Show the scores of similar jokes first."""
        names = {id: self._judge.criteria.factor(_part_of(id)).name for id in ids if _part_of(id) in CORE}
        examples = nearest(self._text, shipped_examples(), _EXAMPLES)
        if not names or not examples:
            return {id: _answer() for id in ids}
        shown = (
            "\n".join(
                [f"Joke: {one['text']}"]
                + [f"The score for {name} is ({one['scores'][_part_of(id)]})" for id, name in names.items()]
            )
            for one in examples
        )
        variables, prompts = {"examples": "\n\n".join(shown)}, self._judge.deep_prompts
        answered = self._scores("scoring_examples", list(names), cancel, prompts=prompts, variables=variables)
        return {id: answered.get(id, _answer()) for id in ids}

    def _checks_in_another_form(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """Ask the same questions with answer words that quick mode doesn't use."""
        _, *others = self._judge.prompts.forms("reading", "check")
        if not others:
            return {id: _answer() for id in ids}
        return self._checks(self._judge.measure, "reading", others[0].name, ids, cancel)

    def _checks_reworded(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        measure = replace(self._judge.measure, prompts=self._judge.deep_prompts)
        form = measure.prompts.form("check_reworded", "check").name
        return self._checks(measure, "check_reworded", form, ids, cancel)

    def _checks(
        self, measure: Measure, prompt: str, form: str, ids: Sequence[str], cancel: CancelToken | None
    ) -> dict[str, Branch]:
        odds = measure.checks(self._text, cancel, only=[_part_of(id) for id in ids], form=form, prompt=prompt)
        branches = {}
        for check, answer in odds.items():
            # Log-odds beyond the limit, on the scale of quick mode's question.
            p = check_result(check, answer, self._judge.calibration.checks.get(check)).p_admit
            branches[f"check:{check}"] = _answer(answer.mass, logit(p) - REJECT_BELOW)
        return self._because(measure.prompts.prompt(prompt, {"joke": self._text}), branches, cancel)

    def _kinds(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """Ask whether the joke is of each kind, relative to the answer about a neutral text."""
        prompts = self._judge.deep_prompts
        form = prompts.form("kind_reworded", "kind")
        names = {category.id: category.name.lower() for category in self._judge.criteria.categories}
        questions = [prompts.question(form, {"kind": names[_part_of(id)]}) for id in ids]
        prompt = prompts.prompt("kind_reworded", {"joke": self._text})
        here = self._judge.engine.choose(prompt, questions, cancel)
        neutral = self._judge.engine.choose(prompts.prompt("kind_reworded", {"joke": _NEUTRAL}), questions, cancel)
        branches = {}
        for id, one, other in zip(ids, here, neutral, strict=True):
            mass = one.mass if other.mass >= LEAST_MASS else min(one.mass, other.mass)
            branches[id] = _answer(mass, yes_log_odds(one) - yes_log_odds(other))
        return self._because(prompt, branches, cancel)

    def _because(self, prompt: Prompt, branches: dict[str, Branch], cancel: CancelToken | None) -> dict[str, Branch]:
        """The branches with their reasons, all written together behind the ``prompt`` with which they were asked."""
        values = {id: branch.value for id, branch in branches.items() if branch.value is not None}
        if not self._reasons or not values:
            return branches
        openings = [self._opening(id, value) for id, value in values.items()]
        texts = written(self._judge.engine, prompt, openings, _TOKENS, self._seed, cancel, grammar=GRAMMAR)
        for id, text in zip(values, texts, strict=True):
            reason, given = " ".join(text.split()), self._given.setdefault(id, set())
            if not flaws(reason, self._text) and reason.lower() not in given:
                given.add(reason.lower())
                branches[id] = branches[id].replaced(reason=reason)
        return branches

    def _opening(self, id: str, value: float) -> Prompt:
        """The beginning of a sentence that the model completes with its reason."""
        criteria, part = self._judge.criteria, _part_of(id)
        answer = "yes" if value >= 0.0 else "no"
        match kind := id.partition(":")[0]:
            case "factor":
                words = {"factor": criteria.factor(part).name, "level": str(level_of(value))}
            case "kind":
                name = next(kind.name.lower() for kind in criteria.categories if kind.id == part)
                words = {"kind": name, "answer": answer}
            case _:
                question = next(check.admits for check in criteria.template.checks if check.id == part)
                words = {"question": question, "answer": answer}
        return self._judge.deep_prompts.answer("reasons", kind, words)


# -- The judge ---------------------------------------------------------------------------------------------------------


class DeepJudge:
    """Continues a rating that quick mode has filled. ``draft.tree`` grows; Stop keeps it. Checks and kinds are nodes by
    their log-odds beyond their boundary, so that every boundary is 0."""

    def __init__(
        self, draft: RatingResult, judge: MainJudge, budget: Budget, cancel: CancelToken | None, *, explain: bool = True
    ) -> None:
        """``explain``: with reasons, if the model passed the prose test."""
        self._draft, self._judge, self._cancel = draft, judge, cancel
        self._everything = draft.everything_asked
        questions = Questions(judge, draft.text, reasons=explain and judge.writes, seed=draft.seed)
        self._listeners = () if why_silent(judge) else who(judge, (ALL,))
        self._reasoner = Reasoner(
            questions.ways(), budget, lambda: judge.engine.usage, prompts=judge.deep_prompts.version
        )

    def reconsider(self) -> Iterator[Step]:
        """Repeat the checks that were near their limit. A rejected text may be admitted by that."""
        draft = self._draft
        names = {check.id: check.name for check in self._judge.criteria.template.checks}
        for check in draft.admissibility:
            odds = logit(check.p_admit) - REJECT_BELOW
            near = check.reliable and check.source == "asked" and abs(odds) < _NEAR
            doubt = "it is near the limit of admission" if near else ""
            self._add("check", check.check, names.get(check.check, check.check), odds, doubt)
        yield from self._grow()
        draft.admissibility = tuple(map(self._check_after, draft.admissibility))
        if draft.admissible is False and all(check.passed for check in draft.admissibility):
            draft.admissible, draft.rejection = True, None
        yield from self._keep()

    def reason(self) -> Iterator[Step]:
        """Ask again about kinds and factors in doubt, and about contradictory ones, at most twice."""
        total = self._reasoner.tree.budget.branches
        yield from staged(self._draft, Stage.REASONING, self._reasoned(), total=total)

    def _reasoned(self) -> Generator[Step, None, None]:
        draft = self._draft
        for kind in draft.categories:
            odds = logit(kind.p)
            near = self._asks("kind", kind.id) and abs(odds) < _NEAR
            self._add("kind", kind.id, kind.name, odds, "it may or may not be of this kind" if near else "")
        for factor in draft.factors:
            asked = factor.origin == "shared" and self._asks("factor", factor.id)
            self._add("factor", factor.id, factor.name, factor.expected, _doubt_of(factor) if asked else "")
        yield from self._grow()
        for _ in range(MOST_LOOPS):
            if not self._contradicted():
                break
            yield from self._grow()
        self._take_over()
        yield from self._branches(self._who_laughs(), "Asking for other listeners")
        if not self._may_ask:
            self._reasoner.ended = "nothing to ask"
            draft.warn(NOTHING_MORE)
        draft.tree = self._reasoner.tree

    @property
    def _may_ask(self) -> bool:
        plan = self._judge.plan
        return self._everything or bool(plan.asked("kind") or plan.asked("factor") or self._listeners)

    def _asks(self, kind: str, id: str) -> bool:
        if self._everything:
            return True
        item = self._judge.plan.of("kind" if kind == "kind" else "factor", id)
        return item is not None and item.ask

    def _add(self, kind: NodeKind, part: str, name: str, value: float | None, doubt: str) -> None:
        doubts = (doubt,) if doubt else ()
        id = f"{kind}:{part}"
        self._reasoner.add(
            Node(id=id, kind=kind, name=name, before=value, after=value, doubts=doubts, settled=not doubts)
        )

    def _grow(self) -> Iterator[Step]:
        yield from self._branches(self._reasoner.grow(self._cancel), "Reading what is in doubt again")

    def _who_laughs(self) -> Iterator[int]:
        """Ask who would laugh: an ordinary listener first, then the others, all on one reading of the joke;
        probabilities in 100. It shows how tastes differ, and has no part in the audience's estimate."""
        listeners = self._listeners[: self._reasoner.room()]
        if not listeners:
            return
        odds = laughs(self._judge, self._draft.text, listeners, self._cancel)
        usual, *others = (100.0 * sigmoid(value) for value in odds)
        branches = tuple(
            Branch(how="another listener", value=value, listener=listener.name)
            for listener, value in zip(listeners, others, strict=True)
        )
        mean, error = _mean_of([usual, *others])
        doubts = ("tastes differ",)
        self._reasoner.add(
            Node(id=LAUGHS, kind="verdict", name="Would laugh", before=usual, after=mean, error=error,
                 branches=branches, doubts=doubts)
        )  # fmt: skip
        yield self._reasoner.used

    def _branches(self, steps: Iterator[int], note: str) -> Iterator[Step]:
        """Open branches; Stop keeps those already opened."""
        try:
            for done in steps:
                total = self._reasoner.tree.budget.branches
                yield StageProgress(stage=Stage.REASONING, done=done, total=total, note=note)
                yield from self._keep()
        except Cancelled:
            self._reasoner.ended = "stopped"
            self._take_over()
            self._draft.tree = self._reasoner.tree
            raise

    def _keep(self) -> Iterator[Step]:
        self._draft.tree = self._reasoner.tree
        yield self._draft

    def _contradicted(self) -> bool:
        """Whether contradictory findings were reopened."""
        chosen = [kind for kind in self._kinds_after() if kind.chosen and self._asks("kind", kind.id)]
        core = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        opened = [self._reasoner.reopen(ids, why) for why, ids in contradictions(self._reasoner.nodes, chosen, core)]
        return any(opened)

    # -- The findings after all branches

    def _take_over(self) -> None:
        """Replace the draft's findings by those after all branches."""
        draft = self._draft
        draft.categories = self._kinds_after()
        factors = tuple(map(self._factor_after, draft.factors))
        if factors != draft.factors:
            put_scores(draft, factors, draft.weights)

    def _read_again(self, id: str) -> float | None:
        """The value of a node that was asked again; None where it wasn't."""
        node = self._reasoner.nodes.get(id)
        return node.after if node is not None and node.branches else None

    def _check_after(self, check: CheckResult) -> CheckResult:
        odds = self._read_again(f"check:{check.check}")
        return check if odds is None else check.replaced(p_admit=sigmoid(odds + REJECT_BELOW), passed=odds >= 0.0)

    def _kinds_after(self) -> tuple[CategoryScore, ...]:
        """The kinds, the chosen ones first."""
        after = []
        for kind in self._draft.categories:
            odds = self._read_again(f"kind:{kind.id}")
            after.append(kind if odds is None else kind.replaced(p=sigmoid(odds), chosen=odds >= 0.0))
        return tuple(sorted(after, key=lambda kind: not kind.chosen))

    def _factor_after(self, factor: FactorScore) -> FactorScore:
        """The factor with the mean of its branches."""
        node = self._reasoner.nodes.get(f"factor:{factor.id}")
        counted = [one for one in node.branches if one.value is not None] if node is not None else []
        if node is None or not counted or node.after is None:
            return factor
        expected = max(0.0, min(5.0, self._joined(factor.id, node.after)))
        shares = [branch.distribution for branch in counted if branch.distribution]
        mean = tuple(math.fsum(column) / len(shares) for column in zip(*shares, strict=True)) if shares else ()
        return factor.replaced(
            expected=expected,
            score=level_of(expected),
            probabilities=mean or factor.probabilities,
            label_mass=max(branch.mass for branch in counted),
        )

    def _joined(self, id: str, answer: float) -> float:
        """A mean answer about a factor, combined with the heads' estimate by the plan's weights."""
        item = self._judge.plan.of("factor", id) if not self._everything else None
        if item is None or item.weights is None or not item.ask:
            return answer
        predicted = self._judge.reader.read(self._draft.text, self._cancel, context=self._draft.context)
        read = predicted.editor.factors.get(id) if predicted.editor is not None else None
        joined = item.joined(answer, read.expected if read is not None else None)
        return answer if joined is None else joined


def _doubt_of(factor: FactorScore) -> str:
    if factor.score is None or factor.label_mass < LEAST_MASS:
        return "the model hardly answered"
    if factor.entropy is None:
        return "how sure the answer was isn't known"
    return "its answer is nearly even between the levels" if factor.entropy > _EVEN else ""


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
