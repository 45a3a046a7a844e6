"""The ways in which deep mode reads a rating's factors, checks and kinds anew: each a question of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...engine.base import CancelToken, Prompt, Question
from ...reasoned import Branch, How
from ...rubric.prompts import PromptBuilder
from ..asking.answers import LEAST_MASS, LEVELS, yes_log_odds
from ..asking.factor_scale import expectation, level_distribution
from ..asking.questions import Levels, LogOdds, Measure, factor_ref
from ..main_judge import MainJudge
from ..plan.calibration_types import Calibration
from ..reasoning.examples import CORE, nearest, shipped_examples
from ..reasoning.grow import AskBeside, Source
from .admissibility_checker import check_result
from .deep_nodes import beyond_the_limit, id_of, kind_of, part_of
from .deep_reasons import Reasons

_EXAMPLES = 3
_NEUTRAL = "The library is open from nine to five on weekdays."
"""What is answered about a text that is of no kind is the answer's own leaning, and is taken off (contextual
calibration, arXiv 2102.09690)."""


class Asking:
    """Asks the loaded model about one text. ``steps``: gives the evaluation steps that the model wrote, empty where it
    couldn't; ``reasons``: has it say why, None where its sentences aren't worth it."""

    def __init__(
        self,
        judge: MainJudge,
        text: str,
        steps: Callable[[CancelToken | None], str],
        reasons: Reasons | None = None,
    ) -> None:
        self._judge = judge
        self._text = text
        self._steps = steps
        self._reasons = reasons

    def sources(self) -> tuple[Source, ...]:
        """In the order in which they are tried."""
        ways: tuple[tuple[How, Callable[[Sequence[str], CancelToken | None], dict[str, Branch]]], ...] = (
            ("as in quick mode", self._as_before),
            ("another wording", lambda ids, cancel: self._worded("scoring_reworded", {}, ids, cancel)),
            ("another form", self._other_cue),
            ("other examples", self._near),
            ("a strict reader", lambda ids, cancel: self._worded("scoring_strict", {}, ids, cancel)),
            ("written steps", self._by_steps),
        )
        factors = tuple(Source(how, "factor", _named(how, ask)) for how, ask in ways)
        return (
            *factors,
            Source("another form", "check", self._checks_in_another_form),
            Source("another wording", "check", self._checks_reworded),
            Source("another wording", "kind", self._kinds),
        )

    def mirrored(self, rest: str, taken: str) -> AskBeside:
        """The same questions about the joke's mirror: ``rest``, without the words ``taken``."""
        other = Asking(self._judge, rest, self._steps)

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

    # -- factors -----------------------------------------------------------------------------------------------------

    @property
    def _measure(self) -> Measure:
        return self._judge.measure

    @property
    def _calibration(self) -> Calibration:
        return self._judge.calibration

    def _as_before(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        factors = [factor_ref(part_of(id), self._measure.criteria) for id in ids]
        levels = self._measure.levels(self._text, factors, cancel)
        found = {}
        for id in ids:
            known = self._calibration.scores.get(part_of(id))
            bias = (known.ascending, known.descending) if known is not None else None
            found[id] = _branch(levels[part_of(id)], bias)
        return self._because(self._judge.prompts.prompt("scoring", {"joke": self._text}), found, cancel)

    def _other_cue(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        factors = [factor_ref(part_of(id), self._measure.criteria) for id in ids]
        levels = self._measure.levels_again(self._text, factors, cancel)
        found = {id: _branch(levels[part_of(id)]) for id in ids}
        return self._because(self._judge.prompts.prompt("scoring", {"joke": self._text}), found, cancel)

    def _near(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        known = [id for id in ids if part_of(id) in CORE]
        found = nearest(self._text, shipped_examples(CORE), _EXAMPLES)
        if not known or not found:
            return dict.fromkeys(ids, Branch(how="other examples", mass=0.0))
        criteria = self._measure.criteria
        parts = []
        for example in found:
            lines = [
                f"The score for {criteria.factor(part_of(id)).name} is ({example.scores[part_of(id)]})" for id in known
            ]
            parts.append("\n".join((f"Joke: {example.text}", *lines)))
        answered = self._worded("scoring_examples", {"examples": "\n\n".join(parts)}, known, cancel)
        return {id: answered.get(id, Branch(how="other examples", mass=0.0)) for id in ids}

    def _by_steps(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        steps = self._steps(cancel)
        if not steps:
            return dict.fromkeys(ids, Branch(how="written steps", mass=0.0))
        builder = self._judge.deep_prompts_with({"steps": steps})
        return self._worded("scoring_steps", {}, ids, cancel, builder)

    def _worded(
        self,
        name: str,
        variables: Mapping[str, str],
        ids: Sequence[str],
        cancel: CancelToken | None,
        prompts: PromptBuilder | None = None,
    ) -> dict[str, Branch]:
        """The factors asked about with another prompt, the levels ascending and descending, all in one batch."""
        prompts = prompts or self._judge.deep_prompts
        names = {id: self._measure.criteria.factor(part_of(id)).name for id in ids}
        questions = [
            Question(prompts.answer(name, order, {"factor": names[id]}), LEVELS)
            for order in ("ascending", "descending")
            for id in ids
        ]
        prompt = prompts.prompt(name, {**variables, "joke": self._text})
        choices = self._judge.engine.choose(prompt, questions, cancel)
        found = {}
        for place, id in enumerate(ids):
            up, down = choices[place], choices[len(ids) + place]
            found[id] = _branch(Levels(up.logprobs, down.logprobs, min(up.mass, down.mass)))
        return self._because(prompt, found, cancel)

    # -- checks and kinds --------------------------------------------------------------------------------------------

    def _checks_in_another_form(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """The same questions answered with the words that quick mode doesn't use on this model."""
        prompts = self._judge.prompts
        used = prompts.form("reading", "check", self._measure.check_form).name
        other = next((form.name for form in prompts.forms("reading", "check") if form.name != used), None)
        if other is None:
            return dict.fromkeys(ids, Branch(how="another form", mass=0.0))
        odds = self._measure.checks_in_forms(self._text, [part_of(id) for id in ids], [other], cancel)[other]
        found = {id: self._check(id, odds[part_of(id)].value, odds[part_of(id)].mass, "another form") for id in ids}
        return self._because(prompts.prompt("reading", {"joke": self._text}), found, cancel)

    def _checks_reworded(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        prompts = self._judge.deep_prompts
        form = prompts.form("check_reworded", "check")
        checks = [c for c in self._measure.criteria.template.checks if id_of("check", c.id) in ids]
        questions = [
            prompts.question(form, {"question": wording})
            for check in checks
            for wording in (check.admits, check.rejects)
        ]
        prompt = prompts.prompt("check_reworded", {"joke": self._text})
        choices = self._judge.engine.choose(prompt, questions, cancel)
        found = {}
        for place, check in enumerate(checks):
            admits, rejects = choices[2 * place], choices[2 * place + 1]
            odds = 0.5 * (yes_log_odds(admits) - yes_log_odds(rejects))
            id = id_of("check", check.id)
            found[id] = self._check(id, odds, min(admits.mass, rejects.mass), "another wording")
        return self._because(prompt, found, cancel)

    def _check(self, id: str, odds: float, mass: float, how: How) -> Branch:
        """Log-odds of "admit" beyond the limit, on the scale that was measured with quick mode's question."""
        if mass < LEAST_MASS:
            return Branch(how=how, mass=mass)
        result = check_result(part_of(id), LogOdds(odds, mass), self._calibration.checks.get(part_of(id)))
        return Branch(how=how, value=beyond_the_limit(result.p_admit), mass=mass)

    def _kinds(self, ids: Sequence[str], cancel: CancelToken | None) -> dict[str, Branch]:
        """Is it of this kind? Beside what the model answers of a text that is of none."""
        prompts = self._judge.deep_prompts
        form = prompts.form("kind_reworded", "kind")
        names = {category.id: category.name.lower() for category in self._measure.criteria.categories}
        questions = [prompts.question(form, {"kind": names[part_of(id)]}) for id in ids]
        prompt = prompts.prompt("kind_reworded", {"joke": self._text})
        here, neutral = (
            self._judge.engine.choose(each, questions, cancel)
            for each in (prompt, prompts.prompt("kind_reworded", {"joke": _NEUTRAL}))
        )
        found = {
            id: Branch(how="another wording", mass=min(one.mass, other.mass))
            if min(one.mass, other.mass) < LEAST_MASS
            else Branch(how="another wording", value=yes_log_odds(one) - yes_log_odds(other), mass=one.mass)
            for id, one, other in zip(ids, here, neutral, strict=True)
        }
        return self._because(prompt, found, cancel)


def _named(
    how: How, ask: Callable[[Sequence[str], CancelToken | None], dict[str, Branch]]
) -> Callable[[Sequence[str], CancelToken | None], Mapping[str, Branch]]:
    """The same branches under the name of the way in which they were read."""

    def asked(ids: Sequence[str], cancel: CancelToken | None) -> Mapping[str, Branch]:
        return {id: branch.replaced(how=how) for id, branch in ask(ids, cancel).items()}

    return asked


def _branch(levels: Levels, bias: tuple[Sequence[float], Sequence[float]] | None = None) -> Branch:
    if levels.mass < LEAST_MASS:
        return Branch(how="as in quick mode", mass=levels.mass)
    distribution = level_distribution(levels, bias)
    return Branch(how="as in quick mode", value=expectation(distribution), mass=levels.mass, distribution=distribution)
