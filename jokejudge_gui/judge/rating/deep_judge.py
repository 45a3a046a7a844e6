"""Deep mode of a rating: the findings in doubt are asked again in other ways until they are settled.

Contradictions lead back to kinds and factors, at most twice. Only questions that are worth asking on the model are
asked again; without any, Deep says so. The joke is also read once without its turn, to see the effect on the audience's
estimate."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from ...core.errors import Cancelled, EngineError
from ...core.events import Stage, StageProgress
from ...core.paths import models_dir
from ...core.statistics import logit, sigmoid
from ...core.texts import word_set
from ...core.verdicts import Budget
from ...engine.base import CancelToken, Prompt
from ...heads.editor_file import CORE
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
from .listeners import ALL, who, why_silent
from .reasoning import (
    Reasoner,
    Source,
    check_node,
    checks_after,
    contradictions,
    factor_node,
    factors_after,
    kind_node,
    kinds_after,
    mean_of,
    part_of,
    without_turn,
)
from .record import AUDIENCE, LAUGHS, Branch, Node, RatingResult, Step

MOST_LOOPS = 2
NOTHING_MORE = "Deep gives the same result as Quick with this model."

# -- Scored examples similar to a joke, from the readings shipped with the program

_EXAMPLE_WORD = re.compile(r"\w+(?:['’]\w+)*")
_COMMON = word_set(
    "the a an and or but of to in on at for with by from as is are was were be been it its he she they we you i my "
    "your his her our their me him them this that not no do does did have has had will would can could so if then "
    "there what who when where how why which"
)
_EXAMPLES = 3
_LONGEST = 200
"""Characters of an example; longer ones cost too many tokens."""


@dataclass(frozen=True)
class Example:
    """A text with an editor's scores 0…5 by factor."""

    text: str
    scores: dict[str, int]
    words: frozenset[str]


@cache
def shipped_examples(path: Path | None = None) -> tuple[Example, ...]:
    """Return short jokes that an editor read. Invalid lines are skipped."""
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
                examples.append(Example(" ".join(text.split()), scores, _telling_words(text)))
    return tuple(examples)


def nearest(text: str, examples: Sequence[Example], count: int) -> list[Example]:
    """Return the examples that share most content words with a text, as a share of both; never the text itself. Of
    equal ones the first is taken."""
    words, plain = _telling_words(text), " ".join(text.split())
    others = [example for example in examples if example.text != plain]
    alike = {other.text: len(words & other.words) / max(1, len(words) + len(other.words)) for other in others}
    return sorted(others, key=lambda example: -alike[example.text])[:count]


def _telling_words(text: str) -> frozenset[str]:
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

    def add(self, prompt: Prompt, branches: Mapping[str, Branch], cancel: CancelToken | None) -> dict[str, Branch]:
        """Return the branches by id of their node, each with its reason if it is sound. ``prompt``: the one with which
        they were asked; all reasons are written together behind it. Raises the engine's errors."""
        values = {id: branch.value for id, branch in branches.items() if branch.value is not None}
        if not values:
            return dict(branches)
        openings = [self._opening(id, value) for id, value in values.items()]
        texts = written(self._judge.engine, prompt, openings, _TOKENS, self._seed, cancel, grammar=GRAMMAR)
        reasons = {id: self._holding(id, text) for id, text in zip(values, texts, strict=True)}
        return {id: branch.replaced(reason=reasons.get(id, "")) for id, branch in branches.items()}

    def _opening(self, id: str, value: float) -> Prompt:
        prompts, criteria, part = self._judge.deep_prompts, self._judge.criteria, part_of(id)
        answer = "yes" if value >= 0.0 else "no"
        match id.partition(":")[0]:
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


# -- Deep mode's alternative questions about a rating's factors, checks and kinds

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
            Source("another form", "check", self._checks_in_another_form),
            Source("another wording", "check", self._checks_reworded),
            Source("another wording", "kind", self._kinds),
        )

    def _because(self, prompt: Prompt, branches: dict[str, Branch], cancel: CancelToken | None) -> dict[str, Branch]:
        return self._reasons.add(prompt, branches, cancel) if self._reasons is not None else branches

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
        branches = {}
        for id in ids:
            answer, calibration = levels[part_of(id)], self._judge.calibration.scores.get(part_of(id))
            branches[id] = _silent(answer.mass)
            if answer.mass >= LEAST_MASS:
                bias = (calibration.ascending, calibration.descending) if calibration and corrected else None
                shares = level_distribution(answer, bias)
                branches[id] = branches[id].replaced(value=expectation(shares), distribution=shares)
        return self._because(measure.prompts.prompt(name, filled), branches, cancel)

    def _near(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        names = {id: self._judge.criteria.factor(part_of(id)).name for id in ids if part_of(id) in CORE}
        examples = nearest(self._text, shipped_examples(), _EXAMPLES)
        if not names or not examples:
            return dict.fromkeys(ids, _silent())
        parts = [
            "\n".join(
                (f"Joke: {one.text}", *(f"The score for {names[id]} is ({one.scores[part_of(id)]})" for id in names))
            )
            for one in examples
        ]
        variables, prompts = {"examples": "\n\n".join(parts)}, self._judge.deep_prompts
        answered = self._scores("scoring_examples", list(names), cancel, prompts=prompts, variables=variables)
        return {id: answered.get(id, _silent()) for id in ids}

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
        branches = {}
        for check, answer in odds.items():
            branch = _silent(answer.mass)
            if answer.mass >= LEAST_MASS:
                # Log-odds beyond the limit, on the scale of quick mode's question.
                result = check_result(check, answer, self._judge.calibration.checks.get(check))
                branch = branch.replaced(value=logit(result.p_admit) - REJECT_BELOW)
            branches[f"check:{check}"] = branch
        return self._because(measure.prompts.prompt(prompt, {"joke": self._text}), branches, cancel)

    def _kinds(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """Ask whether the joke is of each kind, relative to the answer about a neutral text."""
        prompts = self._judge.deep_prompts
        form = prompts.form("kind_reworded", "kind")
        names = {category.id: category.name.lower() for category in self._judge.criteria.categories}
        questions = [prompts.question(form, {"kind": names[part_of(id)]}) for id in ids]
        prompt = prompts.prompt("kind_reworded", {"joke": self._text})
        here, neutral = (
            self._judge.engine.choose(asked, questions, cancel)
            for asked in (prompt, prompts.prompt("kind_reworded", {"joke": _NEUTRAL}))
        )
        branches = {}
        for id, one, other in zip(ids, here, neutral, strict=True):
            branches[id] = _silent(min(one.mass, other.mass))
            if branches[id].mass >= LEAST_MASS:
                branches[id] = branches[id].replaced(value=yes_log_odds(one) - yes_log_odds(other), mass=one.mass)
        return self._because(prompt, branches, cancel)


def _silent(mass: float = 0.0) -> Branch:
    """A branch without an answer; its source replaces ``how``."""
    return Branch(how="as in quick mode", mass=mass)


class DeepJudge:
    """Continues a rating that quick mode has filled. ``draft.tree`` grows; Stop keeps it."""

    def __init__(
        self, draft: RatingResult, judge: MainJudge, budget: Budget, cancel: CancelToken | None, *, explain: bool = True
    ) -> None:
        """``explain``: with reasons, if the model passed the prose test."""
        self._draft, self._judge, self._cancel = draft, judge, cancel
        self._everything = draft.everything_asked
        reasons = Reasons(judge, draft.text, draft.seed) if explain and judge.writes else None
        self._asking = Asking(judge, draft.text, reasons)
        self._core = {category.id: category.factors[:2] for category in judge.criteria.categories}
        self._listeners = () if why_silent(judge) else who(judge.listener_asker.audiences, (ALL,))
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
            self._reasoner.add(factor_node(factor, asked))
        yield from self._grow()
        for _ in range(MOST_LOOPS):
            if not self._contradicted():
                break
            yield from self._grow()
        self._take_over()
        yield from self._branches(self._who_laughs(), "Asking for other listeners")
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

    def _who_laughs(self) -> Iterator[int]:
        """Ask who would laugh: an ordinary listener first, then the others, all on one reading of the joke;
        probabilities in 100. It shows how tastes differ, and has no part in the audience's estimate."""
        listeners = self._listeners[: self._reasoner.room()]
        if not listeners:
            return
        asker = self._judge.listener_asker
        words = [asker.audiences.anyone, *(listener.words for listener in listeners)]
        usual, *others = (100.0 * sigmoid(odds) for odds in asker.ask(self._draft.text, words, self._cancel))
        branches = tuple(
            Branch(how="another listener", value=value, listener=listener.name)
            for listener, value in zip(listeners, others, strict=True)
        )
        mean, error = mean_of([usual, *others])
        self._reasoner.add(
            Node(
                id=LAUGHS,
                kind="verdict",
                name="Would laugh",
                before=usual,
                after=mean,
                error=error,
                branches=branches,
                doubts=("tastes differ",),
            )
        )
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
        opened = [self._reasoner.reopen(ids, why) for why, ids in contradictions(nodes, chosen, self._core)]
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
        mirror = without_turn(draft.text, draft.turn) if draft.turn is not None else None
        if mirror is None or draft.audience is None or not draft.audience.heard:
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
