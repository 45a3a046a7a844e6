"""Which answer words a model is asked with: chosen on texts whose answer people gave, by what they are worth on texts
that they weren't chosen on.

The choice of the opposite word alone moved a judge by up to 26 points (Crowd Score, arXiv 2212.11214), in directions
that differ from model to model. But the best of several forms on few texts is partly luck. So the texts are halved,
each half names its best form, and that one is tried on the other half: only if forms so chosen beat the default there
is the form that is best on all texts adopted.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from pydantic import Field

from ...core.errors import ModelError
from ...core.statistics import Vector
from ...core.verdicts import Frozen
from ...core.vote_sets import Rated, shipped_votes
from ...engine.base import CancelToken
from ...rubric.prompts import PromptSet, constant_texts
from ...rubric.xml_parser import Criteria, Factor
from ..asking.named_references import reference_prompts
from ..asking.questions import LEAST_MASS, LogOdds, Measure, deviation, mean

TEXTS = 80
"""Rated texts that are read: the funniest and the dullest, as many of each."""
MARGIN = 1.645
"""Standard errors by which a form must beat the default, and chance, on the texts that it wasn't chosen on: one-sided
5 %. Shuffled ratings changed the words .03 of the time, with one standard error .08 (tests/bench/README.md)."""
ANSWERED = 0.9
"""Share of texts on which a form must have label mass enough: where a model answers every second text only, every
second verdict would have to call itself a guess."""


class Measured(Frozen):
    """A figure with its standard error."""

    value: float = Field(allow_inf_nan=False)
    error: float = Field(ge=0, allow_inf_nan=False)

    def above(self, limit: float) -> bool:
        """Whether it is larger by the margin."""
        return self.value > limit and self.value - limit >= MARGIN * self.error


class FormPower(Frozen):
    """What one form is worth. ``mass``: mean label mass (0…1); ``answered``: share of answers with enough of it;
    ``power`` on either half of the texts, and ``gain``, by how much that is more than the default's."""

    form: str
    mass: float = Field(ge=0, allow_inf_nan=False)
    answered: float = Field(ge=0, le=1)
    power: tuple[Measured, Measured]
    gain: tuple[Measured, Measured]


class AnswerWords(Frozen):
    """The form that a model is asked with (``form``) and the forms tried, the default first. ``named``: the best form
    on either half; ``apart``: what these are worth on the other half, mean of both, ``default`` what the default is
    worth there, ``gain`` the difference. ``chance``: power without knowledge. ``texts``: how many were read."""

    form: str
    named: tuple[str, str]
    apart: Measured
    default: Measured
    gain: Measured
    chance: float = Field(allow_inf_nan=False)
    texts: int = Field(ge=0)
    forms: tuple[FormPower, ...] = Field(min_length=1)

    @property
    def changed(self) -> bool:
        """Whether another form than the default was adopted."""
        return self.form != self.forms[0].form


def choose_words(forms: Sequence[FormPower], *, texts: int, chance: float) -> AnswerWords:
    """Decide between measured forms, the default first. Only forms that the model answers are named (label mass,
    METHODS); ties go to the earlier one."""
    default = forms[0]
    answered = [form for form in forms if form.mass >= LEAST_MASS and form.answered >= ANSWERED] or [default]
    named = [max(answered, key=lambda form: form.power[half].value) for half in (0, 1)]
    apart = _mean_of([named[0].power[1], named[1].power[0]])
    gain = _mean_of([named[0].gain[1], named[1].gain[0]])
    best = max(answered, key=lambda form: math.fsum(half.value for half in form.power))
    adopted = best if gain.above(0.0) and apart.above(chance) else default
    return AnswerWords(
        form=adopted.form,
        named=(named[0].form, named[1].form),
        apart=apart,
        default=_mean_of(default.power),
        gain=gain,
        chance=chance,
        texts=texts,
        forms=tuple(forms),
    )


def _mean_of(halves: Sequence[Measured]) -> Measured:
    """The mean of figures from different texts."""
    error = math.sqrt(math.fsum(half.error**2 for half in halves)) / len(halves)
    return Measured(value=mean([half.value for half in halves]), error=error)


def alone_words(
    measure: Measure, cancel: CancelToken | None = None, *, texts: int = TEXTS
) -> Iterator[AnswerWords | None]:
    """Choose the form in which a joke alone is asked about. Yields None after each text that was read, and the choice
    last. Where the rated texts can't be read, nothing: the default serves then."""
    try:
        rated = shipped_votes().ratings
    except ModelError:
        return
    funny, dull = extremes(rated, texts)
    answers: dict[str, dict[str, LogOdds]] = {}
    for row in (*funny, *dull):
        answers[row.text] = measure.alone_in_all_forms(row.text, cancel)
        yield None
    yield words_from(answers, [row.text for row in funny], [row.text for row in dull])


def words_from(answers: Mapping[str, Mapping[str, LogOdds]], funny: Sequence[str], dull: Sequence[str]) -> AnswerWords:
    """``answers``: text → form → log-odds of "funny", the default form first. Texts of odd and of even places make the
    halves. Power is the share of pairs, one funny text and one dull one, that a form orders rightly."""
    names = list(next(iter(answers.values())))
    halves = [(funny[half::2], dull[half::2]) for half in (0, 1)]
    placed = {name: [_placements(answers, name, *half) for half in halves] for name in names}
    found = []
    for name in names:
        power = [_share(*half) for half in placed[name]]
        gain = [
            _share(above - its_above, below - its_below)
            for (above, below), (its_above, its_below) in zip(placed[name], placed[names[0]], strict=True)
        ]
        found.append(_form_power(name, [row[name].mass for row in answers.values()], power, gain))
    return choose_words(found, texts=len(answers), chance=0.5)


def _form_power(name: str, masses: Sequence[float], power: Sequence[Measured], gain: Sequence[Measured]) -> FormPower:
    return FormPower(
        form=name,
        mass=mean(masses),
        answered=mean([float(mass >= LEAST_MASS) for mass in masses]),
        power=(power[0], power[1]),
        gain=(gain[0], gain[1]),
    )


def extremes(rated: Sequence[Rated], count: int) -> tuple[list[Rated], list[Rated]]:
    """The ``count``/2 funniest and as many dullest texts, each in an order that nothing in the text or its rating
    tells: a digest's. It also decides between equal ratings at the border, so that the same texts are always read."""
    mixed = sorted(rated, key=lambda row: hashlib.sha256(row.text.encode("utf-8", "surrogatepass")).digest())
    ranked = sorted(mixed, key=lambda row: row.value)
    side = min(count, len(ranked)) // 2
    dull, funny = set(ranked[:side]), set(ranked[len(ranked) - side :])
    return [row for row in mixed if row in funny], [row for row in mixed if row in dull]


def _placements(
    answers: Mapping[str, Mapping[str, LogOdds]], name: str, funny: Sequence[str], dull: Sequence[str]
) -> tuple[Vector, Vector]:
    """For each funny text the share of dull ones that it stands above, and for each dull one the share of funny ones
    that stand above it; a tie counts half."""
    high = np.array([answers[text][name].value for text in funny])
    low = np.array([answers[text][name].value for text in dull])
    right = (np.sign(high[:, None] - low[None, :]) + 1.0) / 2.0
    return right.mean(axis=1), right.mean(axis=0)


def _share(above: Vector, below: Vector) -> Measured:
    """A share of pairs from its placements, or the difference of two such shares from the differences (standard error
    by DeLong, DeLong and Clarke-Pearson 1988)."""
    variance = math.fsum(float(part.var(ddof=1)) / len(part) for part in (above, below) if len(part) > 1)
    return Measured(value=float(above.mean()), error=math.sqrt(variance))


# -- checks ----------------------------------------------------------------------------------------------------------

Odds = Mapping[str, Sequence[float]]
"""Log-odds of "admit" by check, text by text, of one side of the contrast texts."""


def check_words(
    measure: Measure, good: Odds, bad: Odds, masses: Sequence[float], cancel: CancelToken | None = None
) -> Iterator[AnswerWords | None]:
    """Choose the form in which the checks are asked about. ``good``, ``bad`` and ``masses`` (label masses): what the
    default form gave for the contrast texts. Yields None after each text that was read in the other forms, and the
    choice last; all checks are asked in one form, so that one reading serves them. Power is their mean d′."""
    default, *others = [form.name for form in measure.prompts.forms("reading", "check")]
    if not others:
        return
    texts = measure.criteria.contrast
    found: dict[str, tuple[dict[str, list[float]], ...]] = {
        form: tuple({check: [] for check in good} for _ in range(2)) for form in others
    }
    mass: dict[str, list[float]] = {default: list(masses), **{form: [] for form in others}}
    readings = [(0, text, tuple(good)) for text in texts.admissible]
    readings += [(1, text, (check,)) for check, side in texts.inadmissible.items() for text in side]
    for place, text, checks in readings:
        for form, odds in measure.checks_in_forms(text, checks, others, cancel).items():
            for check, answer in odds.items():
                found[form][place][check].append(answer.value)
                mass[form].append(answer.mass)
        yield None
    sides: dict[str, tuple[Odds, Odds]] = {default: (good, bad)}
    sides.update({form: (found[form][0], found[form][1]) for form in others})
    yield words_from_checks(sides, mass, len(readings))


def words_from_checks(
    sides: Mapping[str, tuple[Odds, Odds]], masses: Mapping[str, Sequence[float]], texts: int
) -> AnswerWords:
    """``sides``: form → log-odds of the admissible texts and of the inadmissible ones; the default form first;
    ``masses``: form → label masses of its answers. Texts of odd and of even places make the halves."""
    default = next(iter(sides))
    found = []
    for form in sides:
        halves = [(_half(sides[form], place), _half(sides[default], place)) for place in (0, 1)]
        power = [_jackknifed([mine]) for mine, _ in halves]
        gain = [_jackknifed([mine, its]) for mine, its in halves]
        found.append(_form_power(form, masses[form], power, gain))
    return choose_words(found, texts=texts, chance=0.0)


def signed_d_prime(good: Sequence[float], bad: Sequence[float]) -> float:
    """Distance of two groups' means by their pooled deviation (at least .2 nats, the noise of an answer), negative for
    a check that points the wrong way (METHODS, a)."""
    pooled = math.sqrt(0.5 * (deviation(good) ** 2 + deviation(bad) ** 2))
    return (mean(good) - mean(bad)) / max(pooled, 0.2)


def _half(sides: tuple[Odds, Odds], place: int) -> tuple[Odds, Odds]:
    good, bad = ({check: values[place::2] for check, values in side.items()} for side in sides)
    return good, bad


def _jackknifed(forms: Sequence[tuple[Odds, Odds]]) -> Measured:
    """Mean d′ over the checks, or with a second form by how much the first one's is larger, and its standard error: the
    jackknife over texts, group by group (admissible texts, which all checks share, and each check's own)."""
    checks = list(forms[0][0])

    def value(group: str | None = None, left_out: int | None = None) -> float:
        parts = [
            mean([
                signed_d_prime(
                    _without(good[check], left_out if group == "" else None),
                    _without(bad[check], left_out if group == check else None),
                )
                for check in checks
            ])
            for good, bad in forms
        ]  # fmt: skip
        return parts[0] - math.fsum(parts[1:])

    variance = 0.0
    for group, size in (("", len(forms[0][0][checks[0]])), *((check, len(forms[0][1][check])) for check in checks)):
        found = [value(group, place) for place in range(size)]
        middle = mean(found)
        variance += (size - 1) / size * math.fsum((one - middle) ** 2 for one in found)
    return Measured(value=value(), error=math.sqrt(variance))


def _without(values: Sequence[float], place: int | None) -> Sequence[float]:
    return values if place is None else [*values[:place], *values[place + 1 :]]


# -- What a calibrated figure hangs on, question by question: a digest of the words that the question is asked with and
# of the texts that it is measured on. A reworded factor has another key, and nothing else has.

BASELINE_JOKES = 20
"""Varied jokes read for the means of categories and factors (METHODS, e)."""
_LISTS = ("checks", "categories", "factors")
"""Slots that list all items. A list counts by the line of the item that is asked about alone: other lines move its
answer by less than the noise of twenty jokes, and measuring everything anew for one of them would take minutes."""


class QuestionKeys(Frozen):
    """Keys by item, as they stand in a calibration's file; ``check_words``, ``alone_words``, ``duel``, ``prose``
    and ``references`` are one question each. Empty: nothing can be kept."""

    checks: dict[str, str] = Field(default_factory=dict)
    categories: dict[str, str] = Field(default_factory=dict)
    relevance: dict[str, str] = Field(default_factory=dict)
    scores: dict[str, str] = Field(default_factory=dict)
    duel: str = ""
    check_words: str = ""
    alone_words: str = ""
    prose: str = ""
    references: str = ""


def question_keys(prompts: PromptSet, criteria: Criteria) -> QuestionKeys:
    """The keys under these prompts and criteria, made once for the same objects. Raises ``CriteriaError``."""
    both = id(prompts), id(criteria)
    found = _made.get(both)
    if found is None:
        while len(_made) >= _MOST_MADE:
            _made.pop(next(iter(_made)), None)
        found = _made[both] = prompts, criteria, _keys_of(prompts, criteria)
    return found[2]


_MOST_MADE = 8
_made: dict[tuple[int, int], tuple[PromptSet, Criteria, QuestionKeys]] = {}
"""The objects are held, so that no other ones get their ids. They are frozen."""


def _keys_of(prompts: PromptSet, criteria: Criteria) -> QuestionKeys:
    constants = {name: text for name, text in constant_texts(criteria).items() if name not in _LISTS}
    contrast = criteria.contrast
    reading = prompts.words("reading", constants, ("check",))
    naming = prompts.words("reading", constants, ("category",))
    relevance = prompts.words("scoring", constants, ("relevance",))
    scoring = prompts.words("scoring", constants, ("ascending", "descending"))
    alone = prompts.words("alone", constants, ("verdict",))
    duel = prompts.words("duel", constants, ("choice",))
    jokes = contrast.baseline[:BASELINE_JOKES]
    factors = {factor.id: _defined(factor) for factor in criteria.factors}
    return QuestionKeys(
        checks={
            check.id: _key(
                "check", check.id, reading, check.description, check.admits, check.rejects,
                contrast.admissible, contrast.inadmissible.get(check.id, ()), contrast.baseline,
            )
            for check in criteria.template.checks
        },
        categories={c.id: _key("category", c.id, naming, c.name.lower(), jokes) for c in criteria.categories},
        relevance={name: _key("relevance", name, relevance, words, jokes) for name, words in factors.items()},
        scores={name: _key("score", name, scoring, words, contrast.neutral, jokes) for name, words in factors.items()},
        duel=_key("duel", "", duel, alone, contrast.baseline),
        check_words=_key("check_words", "", reading),
        alone_words=_key("alone_words", "", alone),
        prose=_key("prose", "", prompts.words("explanation", constants, ("works", "weakens", "try"))),
        references=f"references:{reference_prompts().version}",
    )  # fmt: skip


def _defined(factor: Factor) -> tuple[str, ...]:
    middle = (factor.middle,) if factor.middle else ()
    return factor.name, factor.explanation, factor.zero, *middle, factor.five


def in_form(key: str, form: str | None) -> str:
    """The key of a question that was asked in a form (None: the default)."""
    return f"{key}:{form or 'default'}"


def _key(kind: str, item: str, *words: object) -> str:
    digest = hashlib.sha256(repr(_plain(words)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return ":".join(part for part in (kind, item, digest) if part)


def _plain(words: object) -> object:
    """Tuples for all that is in an order, so that equal words have one digest."""
    if isinstance(words, Mapping):
        return tuple((key, _plain(value)) for key, value in sorted(words.items()))
    if isinstance(words, list | tuple):
        return tuple(_plain(word) for word in words)
    return words
