"""A rating's findings as nodes of deep mode's tree, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from pydantic import BaseModel, Field

from ...core.statistics import logit, sigmoid
from ...core.verdicts import CheckResult
from ...engine.base import CancelToken, Prompt, Sampling
from ...rubric.prompts import PromptBuilder
from ..asking.explanation import flaws, written, written_as
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
from ..main_judge import MainJudge
from .admissibility_checker import REJECT_BELOW, check_result
from .record import Branch, CategoryScore, FactorScore, How, Node, NodeKind
from .scores import level_of
from .tree import CORE, AskBeside, Source, lives_by_turn, nearest, shipped_examples

_EVEN = 0.85
"""Least entropy of a factor's levels, over ln 6, at which they count as nearly even."""
_NEAR = 1.0
"""A yes or no within this many log-odds of the boundary is in doubt."""
_LOW = 1.0
"""Highest score, of 5, at which a factor counts as missing."""
MIDDLE = 2.5
"""The middle of a factor's levels: the default of a model's typical score where that wasn't measured."""


def id_of(kind: NodeKind, part: str) -> str:
    """Return a node's id."""
    return f"{kind}:{part}"


def part_of(id: str) -> str:
    """Return the id of a node's check, kind or factor."""
    return id.partition(":")[2]


def kind_of(id: str) -> str:
    return id.partition(":")[0]


def beyond_the_limit(p_admit: float) -> float:
    """Return the log-odds of "admit" less the limit under which a text is rejected."""
    return logit(p_admit) - REJECT_BELOW


def check_node(check: CheckResult, name: str) -> Node:
    """``before``: log-odds beyond the limit of rejection, so that every boundary is 0."""
    odds = beyond_the_limit(check.p_admit)
    asked = check.reliable and check.source == "asked"
    doubts = ("it is near the limit of admission",) if asked and abs(odds) < _NEAR else ()
    return _node("check", check.check, name, odds, doubts)


def kind_node(category: CategoryScore, asked: bool) -> Node:
    """``before``: log-odds that the joke is of this kind; ``asked``: whether the model is asked about it."""
    odds = logit(category.p)
    doubts = ("it may or may not be of this kind",) if asked and abs(odds) < _NEAR else ()
    return _node("kind", category.id, category.name, odds, doubts, usual=0.0)


def factor_node(factor: FactorScore, asked: bool, usual: float = MIDDLE) -> Node:
    """``asked``: whether the model is asked about it; ``usual``: its score of a typical joke."""
    doubts: tuple[str, ...] = ()
    if asked and (factor.score is None or factor.label_mass < LEAST_MASS):
        doubts = ("the model hardly answered",)
    elif asked and factor.entropy is not None and factor.entropy > _EVEN:
        doubts = ("its answer is nearly even between the levels",)
    elif asked and factor.entropy is None:
        doubts = ("how sure the answer was isn't known",)
    return _node("factor", factor.id, factor.name, factor.expected, doubts, usual=usual)


def _node(
    kind: NodeKind, part: str, name: str, value: float | None, doubts: tuple[str, ...], usual: float | None = None
) -> Node:
    return Node(
        id=id_of(kind, part), kind=kind, name=name, before=value, after=value, doubts=doubts, settled=not doubts,
        usual=usual,
    )  # fmt: skip


def contradictions(
    nodes: Mapping[str, Node], kinds: Sequence[CategoryScore], factors: Mapping[str, Collection[str]]
) -> list[tuple[str, tuple[str, ...]]]:
    """Return contradictions, each in words with the ids of its nodes: a joke was assigned to a kind, but all
    ``factors`` on which that kind depends were found missing."""
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
    """Return the ids of the nodes whose value must fall without the joke's turn: kinds that it was assigned to, by the
    ``factors`` of each kind, and factors that score higher than for a typical joke."""
    found = []
    for id, node in nodes.items():
        if node.kind not in ("factor", "kind") or not node.branches or node.after is None:
            continue
        own = factors.get(part_of(id), ()) if node.kind == "kind" else (part_of(id),)
        if lives_by_turn(own) and node.after > (node.usual or 0.0):
            found.append(id)
    return found


def _read_again(nodes: Mapping[str, Node], kind: NodeKind, part: str) -> float | None:
    """The value of a node that was asked again; None where it wasn't."""
    node = nodes.get(id_of(kind, part))
    return node.after if node is not None and node.branches else None


def checks_after(checks: Sequence[CheckResult], nodes: Mapping[str, Node]) -> tuple[CheckResult, ...]:
    """Return the checks with the final values of their nodes."""
    values = [_read_again(nodes, "check", check.check) for check in checks]
    return tuple(
        check if value is None else check.replaced(p_admit=sigmoid(value + REJECT_BELOW), passed=value >= 0.0)
        for check, value in zip(checks, values, strict=True)
    )


def kinds_after(kinds: Sequence[CategoryScore], nodes: Mapping[str, Node]) -> tuple[CategoryScore, ...]:
    """Return the kinds with the final values of their nodes, the chosen ones first."""
    values = [_read_again(nodes, "kind", kind.id) for kind in kinds]
    found = [
        kind if value is None else kind.replaced(p=sigmoid(value), chosen=value >= 0.0)
        for kind, value in zip(kinds, values, strict=True)
    ]
    return tuple(sorted(found, key=lambda kind: not kind.chosen))


def factors_after(
    factors: Sequence[FactorScore], nodes: Mapping[str, Node], joined: Callable[[str, float], float]
) -> tuple[FactorScore, ...]:
    """Return the factors with the mean of their branches; ``joined``: combines a mean answer with the heads'
    estimate."""
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
                score=level_of(expected),
                probabilities=mean or factor.probabilities,
                label_mass=max(b.mass for b in counted),
            )
        )
    return tuple(found)


# -- A model's reasons for its answers, each in a clause, where it passed the prose test. The answer is fixed before its
# reason is asked for, so a reason changes no score. A reason that repeats the joke, quotes words that aren't in it,
# breaks off or was already given for the same finding is left out.

_TOKENS = 40
GRAMMAR = r"""root ::= " " [A-Za-z“"‘'] [^\n\r.!?]{12,90} [.!?]"""
"""GBNF of one short, complete clause."""


class Reasons:
    """Asks one model for reasons about one joke. ``seed``: of the verdict."""

    def __init__(self, judge: MainJudge, joke: str, seed: int) -> None:
        self._judge = judge
        self._joke = joke
        self._seed = seed
        self._given: dict[str, set[str]] = {}

    def add(self, prompt: Prompt, found: Mapping[str, Branch], cancel: CancelToken | None) -> dict[str, Branch]:
        """Return the branches by id of their node, each with its reason if it is sound. ``prompt``: the one with which
        they were asked; all reasons are written together behind it. Raises the engine's errors."""
        values = {id: branch.value for id, branch in found.items() if branch.value is not None}
        if not values:
            return dict(found)
        openings = [self._opening(id, value) for id, value in values.items()]
        texts = written(self._judge.engine, prompt, openings, _TOKENS, self._seed, cancel, grammar=GRAMMAR)
        reasons = {id: self._holding(id, text) for id, text in zip(values, texts, strict=True)}
        return {id: branch.replaced(reason=reasons.get(id, "")) for id, branch in found.items()}

    def _opening(self, id: str, value: float) -> Prompt:
        prompts, criteria, part = self._judge.deep_prompts, self._judge.criteria, part_of(id)
        answer = "yes" if value >= 0.0 else "no"
        match kind_of(id):
            case "factor":
                level = str(level_of(value))
                return prompts.answer("reasons", "factor", {"factor": criteria.factor(part).name, "level": level})
            case "kind":
                name = next(kind.name.lower() for kind in criteria.categories if kind.id == part)
                return prompts.answer("reasons", "kind", {"kind": name, "answer": answer})
        question = next(check.admits for check in criteria.template.checks if check.id == part)
        return prompts.answer("reasons", "check", {"question": question, "answer": answer})

    def _holding(self, id: str, text: str) -> str:
        reason = " ".join(text.split())
        given = self._given.setdefault(id, set())
        if flaws(reason, self._joke) or reason.lower() in given:
            return ""
        given.add(reason.lower())
        return reason


# -- Evaluation steps that a model writes for itself, once for each version of the criteria (G-Eval, arXiv 2303.16634)

_STEP_TOKENS = 320


class WrittenSteps(BaseModel):
    steps: list[Annotated[str, Field(min_length=12, max_length=140)]] = Field(min_length=3, max_length=3)


def written_steps(judge: MainJudge, cancel: CancelToken | None = None) -> str:
    """Return the steps as numbered lines; empty where the model couldn't write any. Written once and stored. Raises
    the engine's errors."""
    key = f"{judge.criteria.version}/{judge.deep_prompts.version}"
    known = judge.files.steps(judge.model.sha256, key)
    if known is None:
        known = _write(judge, cancel)
        judge.files.save_steps(judge.model.sha256, key, known)
    return known


def _write(judge: MainJudge, cancel: CancelToken | None) -> str:
    prompts = judge.deep_prompts
    prompt, start = prompts.prompt("write_steps"), prompts.answer("write_steps", "json")
    found = written_as(WrittenSteps, judge.engine, prompt, start, Sampling(max_tokens=_STEP_TOKENS), cancel)
    lines = [" ".join(step.split()) for step in found.steps] if found is not None else [""]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1)) if all(lines) else ""


# -- Deep mode's alternative questions about a rating's factors, checks and kinds

_EXAMPLES = 3
_NEUTRAL = "The library is open from nine to five on weekdays."
"""The answer about a text of no kind is the answer's own bias, and is subtracted (contextual calibration, arXiv
2102.09690)."""


class Asking:
    """Asks the loaded model about one text. ``reasons``: its reasons for the answers, None where its prose isn't
    used."""

    def __init__(self, judge: MainJudge, text: str, reasons: Reasons | None = None) -> None:
        self._judge = judge
        self._text = text
        self._reasons = reasons

    def sources(self) -> tuple[Source, ...]:
        """Return the sources in the order in which they are tried."""
        deep = self._judge.deep_prompts
        return (
            Source("as in quick mode", "factor", partial(self._scores, "scoring", corrected=True)),
            Source("another wording", "factor", partial(self._scores, "scoring_reworded", prompts=deep)),
            Source("another form", "factor", partial(self._scores, "scoring", orders=OTHER_CUE)),
            Source("other examples", "factor", self._near),
            Source("a strict reader", "factor", partial(self._scores, "scoring_strict", prompts=deep)),
            Source("written steps", "factor", self._by_steps),
            Source("another form", "check", self._checks_in_another_form),
            Source("another wording", "check", self._checks_reworded),
            Source("another wording", "kind", self._kinds),
        )

    def mirrored(self, rest: str, taken: str) -> AskBeside:
        """Return the same questions about the joke's mirror: ``rest``, without the words ``taken``."""
        other = Asking(self._judge, rest)

        def ask(wanted: Mapping[str, How], cancel: CancelToken | None) -> Mapping[str, Branch]:
            found: dict[str, Branch] = {}
            for source in other.sources():
                ids = [id for id, how in wanted.items() if (how, kind_of(id)) == (source.how, source.kind)]
                for id, branch in (source.ask(ids, cancel) if ids else {}).items():
                    found[id] = branch.replaced(how="without its turn", counts=False, taken=taken, beside=source.how)
            return found

        return ask

    def _because(self, prompt: Prompt, found: dict[str, Branch], cancel: CancelToken | None) -> dict[str, Branch]:
        return self._reasons.add(prompt, found, cancel) if self._reasons is not None else found

    # -- Factors -----------------------------------------------------------------------------------------------------

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
        refs = [factor_ref(part_of(id), measure.criteria) for id in ids]
        levels = measure.levels_in(name, filled, refs, cancel, orders)
        found = {}
        for id in ids:
            each, known = levels[part_of(id)], self._judge.calibration.scores.get(part_of(id))
            found[id] = _silent(each.mass)
            if each.mass >= LEAST_MASS:
                bias = (known.ascending, known.descending) if known is not None and corrected else None
                shares = level_distribution(each, bias)
                found[id] = found[id].replaced(value=expectation(shares), distribution=shares)
        return self._because(measure.prompts.prompt(name, filled), found, cancel)

    def _near(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        known = [id for id in ids if part_of(id) in CORE]
        found = nearest(self._text, shipped_examples(CORE), _EXAMPLES)
        if not known or not found:
            return dict.fromkeys(ids, _silent())
        criteria = self._judge.criteria
        parts = []
        for example in found:
            lines = [
                f"The score for {criteria.factor(part_of(id)).name} is ({example.scores[part_of(id)]})" for id in known
            ]
            parts.append("\n".join((f"Joke: {example.text}", *lines)))
        examples = {"examples": "\n\n".join(parts)}
        prompts = self._judge.deep_prompts
        answered = self._scores("scoring_examples", known, cancel, prompts=prompts, variables=examples)
        return {id: answered.get(id, _silent()) for id in ids}

    def _by_steps(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        steps = written_steps(self._judge, cancel)
        if not steps:
            return dict.fromkeys(ids, _silent())
        prompts = self._judge.deep_prompts_with({"steps": steps})
        return self._scores("scoring_steps", ids, cancel, prompts=prompts)

    # -- Checks and kinds --------------------------------------------------------------------------------------------

    def _checks_in_another_form(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """Ask the same questions with answer words that quick mode doesn't use."""
        _, *others = self._judge.prompts.forms("reading", "check")
        if not others:
            return dict.fromkeys(ids, _silent())
        return self._checks(self._judge.measure, "reading", others[0].name, ids, cancel)

    def _checks_reworded(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        measure = replace(self._judge.measure, prompts=self._judge.deep_prompts)
        form = measure.prompts.form("check_reworded", "check").name
        return self._checks(measure, "check_reworded", form, ids, cancel)

    def _checks(
        self, measure: Measure, prompt: str, form: str, ids: Sequence[str], cancel: CancelToken | None
    ) -> dict[str, Branch]:
        odds = measure.checks(self._text, cancel, only=[part_of(id) for id in ids], form=form, prompt=prompt)
        found = {}
        for check, each in odds.items():
            branch = _silent(each.mass)
            if each.mass >= LEAST_MASS:
                # Log-odds beyond the limit, on the scale of quick mode's question.
                result = check_result(check, each, self._judge.calibration.checks.get(check))
                branch = branch.replaced(value=beyond_the_limit(result.p_admit))
            found[id_of("check", check)] = branch
        return self._because(measure.prompts.prompt(prompt, {"joke": self._text}), found, cancel)

    def _kinds(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """Ask whether the joke is of each kind, relative to the answer about a neutral text."""
        prompts = self._judge.deep_prompts
        form = prompts.form("kind_reworded", "kind")
        names = {category.id: category.name.lower() for category in self._judge.criteria.categories}
        questions = [prompts.question(form, {"kind": names[part_of(id)]}) for id in ids]
        prompt = prompts.prompt("kind_reworded", {"joke": self._text})
        here, neutral = (
            self._judge.engine.choose(each, questions, cancel)
            for each in (prompt, prompts.prompt("kind_reworded", {"joke": _NEUTRAL}))
        )
        found = {}
        for id, one, other in zip(ids, here, neutral, strict=True):
            found[id] = _silent(min(one.mass, other.mass))
            if found[id].mass >= LEAST_MASS:
                found[id] = found[id].replaced(value=yes_log_odds(one) - yes_log_odds(other), mass=one.mass)
        return self._because(prompt, found, cancel)


def _silent(mass: float = 0.0) -> Branch:
    """A branch without an answer; its source replaces ``how``."""
    return Branch(how="as in quick mode", mass=mass)
