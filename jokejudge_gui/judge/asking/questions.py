"""The raw questions to a model, before any calibration, and what is made of its answers. All answers are read from
logits: yes or no, a level from 0 to 5, one of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean as mean

from ...engine.base import CancelToken, Choice, Engine, Prompt, Question
from ...rubric.prompts import PromptBuilder
from ...rubric.xml_parser import Criteria, Factor

YES_NO = (" yes", " no", " Yes", " No")
LEVELS = ("0", "1", "2", "3", "4", "5")
ONE_TWO = ("1", "2")
LEAST_MASS = 0.5
"""With less label mass the model didn't answer (METHODS, label mass)."""
ORDERS = ("ascending", "descending")
OTHER_CUE = ("ascending_again", "descending_again")
"""The same question with another cue, for a model that didn't answer the first one."""
Distribution = tuple[float, ...]
"""Probabilities of the levels 0…5."""


class DynamicFactor(Factor):
    """A factor that the model wrote for one joke."""


@dataclass(frozen=True)
class LogOdds:
    """Log-odds in nats, and the least label mass (0…1) of the answers behind it."""

    value: float
    mass: float


@dataclass(frozen=True)
class Levels:
    """Log-probabilities of the levels 0…5, asked with the levels ascending and descending; least label mass."""

    ascending: tuple[float, ...]
    descending: tuple[float, ...]
    mass: float


class Measure:
    """Questions to one model about one text, until ``cancel`` stops them. The batches never depend on the cache."""

    def __init__(
        self, engine: Engine, prompts: PromptBuilder, criteria: Criteria, cancel: CancelToken | None = None
    ) -> None:
        self.engine, self.prompts, self.criteria, self.cancel = engine, prompts, criteria, cancel

    def reading(self, joke: str, *, kinds: bool = True) -> tuple[dict[str, LogOdds], dict[str, float]]:
        """Ask the checks and, with ``kinds``, the categories on one reading of the text. Return by check the log-odds
        of "admit", averaged over two phrasings of opposite polarity (METHODS, a), and the log-probability (nats) of
        each category's name. The categories are the labels of one question: a category counts by how much likelier its
        name is here than after the average joke."""
        checks, form = self.criteria.template.checks, self.prompts.form("reading", "check")
        wordings = [wording for check in checks for wording in (check.admits, check.rejects)]
        questions = [self.prompts.question(form, {"question": wording}) for wording in wordings]
        categories = self.criteria.categories if kinds else ()
        if kinds:
            names = tuple(f" {category.name.lower()}" for category in categories)
            questions.append(Question(self.prompts.answer("reading", "category"), names))
        answers = self.engine.choose(self.prompts.prompt("reading", {"joke": joke}), questions, self.cancel)
        odds = for_and_against(answers[: len(wordings)])
        named = zip(categories, answers[-1].logprobs, strict=True) if kinds else ()
        return {c.id: one for c, one in zip(checks, odds, strict=True)}, {c.id: value for c, value in named}

    def appraisal(
        self, joke: str, factors: Sequence[Factor], *, scored: bool = True
    ) -> tuple[dict[str, LogOdds], dict[str, Levels]]:
        """Return the log-odds that each factor matters for this joke and, if ``scored``, ``levels`` of shared factors
        from one batch, which is quicker for a few factors than scoring the relevant ones afterwards."""
        answer, count = self.prompts.answer, len(factors)
        questions = [yes_no(answer("scoring", "relevance", {"factor": factor.name.lower()})) for factor in factors]
        levels = self._level_questions("scoring", ORDERS, factors) if scored else []
        choices = self.engine.choose(self.prompts.prompt("scoring", {"joke": joke}), questions + levels, self.cancel)
        odds = (LogOdds(yes_log_odds(choice), choice.mass) for choice in choices[:count])
        relevance = {factor.id: one for factor, one in zip(factors, odds, strict=True)}
        return relevance, _levels(factors, choices[count:]) if scored else {}

    def levels(self, joke: str, factors: Sequence[Factor]) -> dict[str, Levels]:
        """Return the log-probabilities of 0…5 for each factor. Shared factors are asked together on one reading of the
        joke; a factor written for this joke gets a prompt with its definition."""
        shared = [factor for factor in factors if not isinstance(factor, DynamicFactor)]
        levels = self.levels_in("scoring", {"joke": joke}, shared) if shared else {}
        for factor in factors:
            if isinstance(factor, DynamicFactor):
                variables = {"joke": joke, "factor_definition": definition_of(factor)}
                levels |= self.levels_in("own_factor", variables, [factor])
        return levels

    def levels_in(
        self, prompt: str, variables: dict[str, str], factors: Sequence[Factor], orders: tuple[str, str] = ORDERS
    ) -> dict[str, Levels]:
        """Ask the levels with a ``prompt``, in the answers that ``orders`` names."""
        questions = self._level_questions(prompt, orders, factors)
        return _levels(factors, self.engine.choose(self.prompts.prompt(prompt, variables), questions, self.cancel))

    def _level_questions(self, prompt: str, orders: tuple[str, str], factors: Sequence[Factor]) -> list[Question]:
        return [
            Question(self.prompts.answer(prompt, order, {"factor": factor.name}), LEVELS)
            for order in orders
            for factor in factors
        ]

    def pair(self, texts: Sequence[str]) -> tuple[LogOdds, LogOdds]:
        """Return the log-odds that the joke in first place is the funnier one: with the first of ``texts`` there, and
        with the second. Both orders are read together, so the pair must come in its canonical order (METHODS, numbers
        depend on batches)."""
        question = Question(self.prompts.answer("duel", "choice"), ONE_TWO)
        one, other = texts
        cases = [
            (self.prompts.prompt("duel", {"first": first, "second": second}), [question])
            for first, second in ((one, other), (other, one))
        ]
        first, second = (
            LogOdds(choice.logprobs[0] - choice.logprobs[1], choice.mass)
            for (choice,) in self.engine.choose_each(cases, self.cancel)
        )
        return first, second

    def alone(self, jokes: Sequence[str]) -> list[LogOdds]:
        """Return the log-odds that people find each joke funny by itself."""
        question = self.prompts.question(self.prompts.form("alone", "verdict"))
        cases = [(self.prompts.prompt("alone", {"joke": joke}), [question]) for joke in jokes]
        return [LogOdds(yes_log_odds(choice), choice.mass) for (choice,) in self.engine.choose_each(cases, self.cancel)]


def yes_no(suffix: Prompt) -> Question:
    return Question(suffix, YES_NO)


def yes_log_odds(choice: Choice) -> float:
    """log p(yes) − log p(no), all spellings together, in nats. Labels alternate: for, against, for, against …"""
    return log_sum(choice.logprobs[::2]) - log_sum(choice.logprobs[1::2])


def log_sum(values: Sequence[float]) -> float:
    """log Σ exp(values)."""
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


def for_and_against(choices: Sequence[Choice]) -> list[LogOdds]:
    """Return the mean log-odds of each statement from answers to questions for and against it, in turn (METHODS, a)."""
    return [
        LogOdds(0.5 * (yes_log_odds(one) - yes_log_odds(other)), min(one.mass, other.mass))
        for one, other in zip(choices[::2], choices[1::2], strict=True)
    ]


def deviation(values: Sequence[float]) -> float:
    """Sample standard deviation; 0 for fewer than two values."""
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _levels(factors: Sequence[Factor], choices: Sequence[Choice]) -> dict[str, Levels]:
    """``choices``: of all factors with the levels ascending, then descending."""
    return {
        factor.id: Levels(up.logprobs, down.logprobs, min(up.mass, down.mass))
        for factor, up, down in zip(factors, choices, choices[len(factors) :], strict=False)
    }


def definition_of(factor: Factor) -> str:
    """Return a factor's definition as a prompt shows it."""
    levels = f"0: {factor.zero}\n5: {factor.five}"
    examples = f"Does it well: {factor.good_example}\nDoes it badly: {factor.bad_example}"
    return f"{factor.name}: {factor.explanation}\n{levels}\n{examples}"


# -- The scale from 0 to 5


def level_distribution(levels: Levels, bias: tuple[Sequence[float], Sequence[float]] | None = None) -> Distribution:
    """p_k ∝ exp(z_k − ½(b_k − mean b)) in each order, log p averaged over the two orders (METHODS, b). ``bias``: mean
    log-probabilities of the levels over neutral texts, ascending and descending; None: no correction."""
    rows = []
    for index, values in enumerate((levels.ascending, levels.descending)):
        offsets = bias[index] if bias is not None else [0.0] * len(values)
        middle = mean(offsets)
        rows.append(_normalised([z - 0.5 * (b - middle) for z, b in zip(values, offsets, strict=True)]))
    averaged = _normalised([0.5 * (up + down) for up, down in zip(*rows, strict=True)])
    return tuple(math.exp(value) for value in averaged)


def expectation(distribution: Sequence[float], least: int = 0) -> float:
    """The mean level of probabilities of ``least``, and so on upwards."""
    return math.fsum(level * p for level, p in enumerate(distribution, start=least))


def expected(choice: Choice, least: int = 0) -> float | None:
    """The mean of the levels from ``least`` upwards that were the labels; None where the model didn't answer."""
    if choice.mass < LEAST_MASS:
        return None
    return expectation([math.exp(value) for value in _normalised(choice.logprobs)], least)


def spread(distribution: Distribution) -> float:
    middle = expectation(distribution)
    return math.sqrt(math.fsum((level - middle) ** 2 * p for level, p in enumerate(distribution)))


def entropy(distribution: Distribution) -> float:
    """Entropy over its greatest value ln 6: 0 certain, 1 says nothing."""
    return -math.fsum(p * math.log(p) for p in distribution if p > 0) / math.log(len(distribution))


def _normalised(values: Sequence[float]) -> list[float]:
    top = max(values)
    total = top + math.log(math.fsum(math.exp(value - top) for value in values))
    return [value - total for value in values]
