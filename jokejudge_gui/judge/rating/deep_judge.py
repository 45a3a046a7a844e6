"""Deep mode of a rating: the findings in doubt are asked again in other ways until they are settled (METHODS,
reasoning).

Each finding is a node, each further reading of it a branch. Doubt opens branches, agreement closes them: a node is
settled when its mean lies clearly on one side of its boundary, after six branches, or when two more of them hardly
moved the mean. Contradictions lead back to kinds and factors, at most twice. Only questions that are worth asking on
the model are asked again; without any, Deep says so. The joke is also read once without its turn, to see the effect on
the audience's estimate."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from ...core.errors import Cancelled, EngineError
from ...core.events import Stage, StageProgress
from ...core.paths import models_dir
from ...core.statistics import logit, sigmoid
from ...core.verdicts import Budget, CheckResult, Span, Usage
from ...engine.base import CancelToken, Prompt, Sampling
from ...heads.editor_file import CORE
from ...rubric.audiences import Listener
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
from ..judged_kind import staged
from ..main_judge import MainJudge
from .admissibility_checker import REJECT_BELOW, check_result
from .factor_scorer import level_of, put_scores
from .listeners import ALL, who_is_asked
from .record import (
    AUDIENCE,
    LAUGHS,
    Branch,
    CategoryScore,
    Ended,
    FactorScore,
    How,
    Node,
    NodeKind,
    RatingDraft,
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
MIDDLE = 2.5
"""The middle of a factor's levels: the default of a model's typical score where that wasn't measured."""
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


def kind_of(id: str) -> str:
    return id.partition(":")[0]


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
    return _node("kind", category.id, category.name, odds, doubt, usual=0.0)


def factor_node(factor: FactorScore, asked: bool, usual: float = MIDDLE) -> Node:
    """``asked``: whether the model is asked about it; ``usual``: its score of a typical joke."""
    doubt = ""
    if asked and (factor.score is None or factor.label_mass < LEAST_MASS):
        doubt = "the model hardly answered"
    elif asked and factor.entropy is not None and factor.entropy > _EVEN:
        doubt = "its answer is nearly even between the levels"
    elif asked and factor.entropy is None:
        doubt = "how sure the answer was isn't known"
    return _node("factor", factor.id, factor.name, factor.expected, doubt, usual=usual)


def _node(kind: NodeKind, part: str, name: str, value: float | None, doubt: str, usual: float | None = None) -> Node:
    doubts = (doubt,) if doubt else ()
    return Node(
        id=f"{kind}:{part}", kind=kind, name=name, before=value, after=value, doubts=doubts, settled=not doubts,
        usual=usual,
    )  # fmt: skip


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


# -- A joke's mirror: the same words without its turn. A finding that a joke owes to its turn must fall there, or it
# isn't based on the joke. A finding counts by its fall in the mirror: fully from ``FULL`` of its scale on, by half
# where it doesn't fall. The rest of its weight goes to the model's value for typical jokes.

LIVES_BY_TURN = frozenset(["wordplay", "surprise", "punchline", "wit", "misdirection", "logic"])
"""Factors, by their meaning, on which a joke scores less without its turn; it may be as clear, short or daring as
before."""
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


def to_mirror(nodes: Mapping[str, Node], factors: Mapping[str, Collection[str]]) -> list[str]:
    """Return the ids of the nodes whose value must fall without the joke's turn: kinds that it was assigned to, by the
    ``factors`` of each kind, and factors that score higher than for a typical joke."""
    ids = []
    for id, node in nodes.items():
        if node.kind not in ("factor", "kind") or not node.branches or node.after is None:
            continue
        own = factors.get(part_of(id), ()) if node.kind == "kind" else (part_of(id),)
        if not LIVES_BY_TURN.isdisjoint(own) and node.after > (node.usual or 0.0):
            ids.append(id)
    return ids


# -- The tree

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

    def disregard(self, usage: Usage) -> None:
        """Don't count this usage against the budget: it serves all verdicts."""
        self._first_usage += usage

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

    def mirror(self, ids: Sequence[str], ask: AskBeside, cancel: CancelToken | None = None) -> Iterator[int]:
        """Compare these nodes with the joke's mirror, each by the first source that gave an answer, all together, as
        far as the budget allows. A finding that doesn't fall there counts less (``Node.power``). Yields the number of
        branches afterwards. Raises the engine's errors."""
        firsts = {id: first_of(self.nodes[id]) for id in ids if id in self.nodes}
        wanted = {
            id: first.how
            for id, first in firsts.items()
            if first is not None and not any(branch.taken for branch in self.nodes[id].branches)
        }
        wanted = dict(list(wanted.items())[: self.room()])
        if wanted:
            for id, branch in ask(wanted, cancel).items():
                self.nodes[id] = with_mirror(self.nodes[id], branch)
            yield self.used

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


def first_of(node: Node) -> Branch | None:
    """Return the first branch with an answer that counts."""
    return next((branch for branch in node.branches if branch.counts and branch.value is not None), None)


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


def with_mirror(node: Node, branch: Branch) -> Node:
    """Return the node with the answer to the same question about the joke's mirror, and the resulting weight."""
    own = next((one for one in node.branches if one.counts and one.how == branch.beside), None)
    branches = (*node.branches, branch)
    if own is None or own.value is None or branch.value is None or node.after is None:
        return node.replaced(branches=branches)
    weight = power(node.kind, own.value, branch.value)
    usual = node.usual if node.usual is not None else node.after
    return node.replaced(branches=branches, power=weight, after=usual + weight * (node.after - usual))


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
                branch = branch.replaced(value=logit(result.p_admit) - REJECT_BELOW)
            found[f"check:{check}"] = branch
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


# -- Other listeners as branches of deep mode's tree: those that the model distinguishes


def listeners_node(
    judge: MainJudge, text: str, listeners: Sequence[Listener], cancel: CancelToken | None = None
) -> Node:
    """Ask who would laugh: an ordinary listener first, then each of ``listeners``, all on one reading of the joke;
    probabilities in 100. It shows how tastes differ, and has no part in the audience's estimate. Raises the engine's
    errors."""
    asker = judge.listener_asker
    usual, *others = asker.ask(text, [asker.audiences.anyone, *(each.words for each in listeners)], cancel)
    values = [100.0 * sigmoid(odds) for odds in (usual, *others)]
    mean, error = mean_of(values)
    branches = tuple(
        Branch(how="another listener", value=value, listener=each.name)
        for each, value in zip(listeners, values[1:], strict=True)
    )
    return Node(
        id=LAUGHS, kind="verdict", name="Would laugh", before=values[0], after=mean, error=error, branches=branches,
        doubts=("tastes differ",),
    )  # fmt: skip


class DeepJudge:
    """Continues a rating that quick mode has filled. ``draft.tree`` grows; Stop keeps it."""

    def __init__(
        self,
        draft: RatingDraft,
        judge: MainJudge,
        budget: Budget,
        cancel: CancelToken | None,
        *,
        explain: bool = True,
    ) -> None:
        """``explain``: with reasons, if the model passed the prose test."""
        self._draft = draft
        self._judge = judge
        self._cancel = cancel
        self._everything = draft.everything_asked
        reasons = Reasons(judge, draft.text, draft.seed) if explain and judge.writes else None
        self._asking = Asking(judge, draft.text, reasons)
        self._listeners = [each for each, reason in who_is_asked(judge, (ALL,)) if not reason]
        self._reasoner = Reasoner(
            (), self._asking.sources(), budget, lambda: judge.engine.usage, prompts=judge.deep_prompts.version
        )

    def reconsider(self) -> Iterator[Step]:
        """Repeat the checks that were near their limit. A rejected text may be admitted by that."""
        draft = self._draft
        names = {check.id: check.name for check in self._judge.criteria.template.checks}
        for check in draft.admissibility:
            self._reasoner.add(check_node(check, names.get(check.check, check.check)))
        yield from self._grow()
        draft.admissibility = checks_after(draft.admissibility, self._reasoner.nodes)
        if draft.admissible is False and all(check.passed for check in draft.admissibility):
            draft.admissible, draft.rejection = True, None
        yield from self._keep()

    def reason(self) -> Iterator[Step]:
        """Ask again about kinds and factors in doubt, and about contradictory ones, at most twice."""
        total = self._reasoner.tree.budget.branches
        yield from staged(self._draft, Stage.REASONING, self._reasoned(), total=total)

    def _reasoned(self) -> Generator[Step, None, None]:
        draft = self._draft
        for category in draft.categories:
            self._reasoner.add(kind_node(category, self._asks("kind", category.id)))
        for factor in draft.factors:
            asked = factor.origin == "shared" and self._asks("factor", factor.id)
            known = self._judge.calibration.scores.get(factor.id)
            self._reasoner.add(factor_node(factor, asked, known.mean_expected if known is not None else MIDDLE))
        if any(node.kind == "factor" and not node.settled for node in self._reasoner.nodes.values()):
            before = self._judge.engine.usage
            written_steps(self._judge, self._cancel)
            self._reasoner.disregard(self._judge.engine.usage - before)
        yield from self._grow()
        for _ in range(MOST_LOOPS):
            if not self._contradicted():
                break
            yield from self._grow()
        yield from self._mirror()
        self._take_over()
        yield from self._who_laughs()
        yield from self._without_turn()
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

    def _grow(self) -> Iterator[Step]:
        yield from self._branches(self._reasoner.grow(self._cancel), "Reading what is in doubt again")

    def _mirror(self) -> Iterator[Step]:
        """Compare the model's findings with those on the joke without its turn."""
        factors = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        ids = to_mirror(self._reasoner.nodes, factors)
        mirror = without_turn(self._draft.text, self._draft.turn) if ids else None
        if mirror is not None:
            steps = self._reasoner.mirror(ids, self._asking.mirrored(*mirror), self._cancel)
            yield from self._branches(steps, "Reading the joke without its turn")

    def _who_laughs(self) -> Iterator[Step]:
        """Ask for the listeners that this model distinguishes."""
        listeners = self._listeners[: self._reasoner.room()]
        if listeners:
            yield from self._branches(self._heard(listeners), "Asking for other listeners")

    def _heard(self, listeners: Sequence[Listener]) -> Iterator[int]:
        self._reasoner.add(listeners_node(self._judge, self._draft.text, listeners, self._cancel))
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
        nodes = self._reasoner.nodes
        kinds = kinds_after(self._draft.categories, nodes)
        chosen = [kind for kind in kinds if kind.chosen and self._asks("kind", kind.id)]
        own = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        found = contradictions(nodes, chosen, own)
        opened = [self._reasoner.reopen(ids, why) for why, ids in found]
        return any(opened)

    def _take_over(self) -> None:
        """Replace the draft's findings by those after all branches."""
        draft, nodes = self._draft, self._reasoner.nodes
        draft.categories = kinds_after(draft.categories, nodes)
        factors = factors_after(draft.factors, nodes, self._joined)
        if factors != draft.factors:
            put_scores(draft, factors, draft.weights)

    def _joined(self, id: str, answer: float) -> float:
        """A mean answer about a factor, combined with the heads' estimate by the plan's weights."""
        item = self._judge.plan.of("factor", id) if not self._everything else None
        if item is None or item.weights is None or not item.ask:
            return answer
        predicted = self._judge.reader.read(self._draft.text, self._cancel, context=self._draft.context)
        read = predicted.editor.factors.get(id) if predicted.editor is not None else None
        joined = item.joined(answer, read.expected if read is not None else None)
        return answer if joined is None else joined

    def _without_turn(self) -> Iterator[Step]:
        """Read the joke without its turn, to see how far the audience's estimate depends on it."""
        draft, reader = self._draft, self._judge.reader
        if draft.turn is None or draft.audience is None or not draft.audience.heard:
            return
        mirror = without_turn(draft.text, draft.turn)
        if mirror is None:
            return
        rest, taken = mirror
        try:
            audience = reader.audience(reader.read(rest, self._cancel, context=draft.context))
        except EngineError as error:
            if error.code not in ("E_EMPTY", "E_CONTEXT"):
                raise
            return
        if audience is None:
            return
        before = draft.audience.percentile
        branch = Branch(how="without its turn", value=audience.percentile, counts=False, taken=taken)
        self._reasoner.add(
            Node(id=AUDIENCE, kind="verdict", name="Audience", before=before, after=before, branches=(branch,))
        )
        yield from self._keep()
