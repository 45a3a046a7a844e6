"""The raw questions of both judges: what the model answers before anything is calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..engine.base import CancelToken, Engine, Question
from ..models import FactorRef
from ..rubric.prompts import PromptBuilder
from ..rubric.types import Criteria
from .answers import LEVELS, ONE_TWO, yes_log_odds, yes_no


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


@dataclass(frozen=True)
class Measure:
    """Questions to one model about one text. Which questions share a batch never depends on what is cached."""

    engine: Engine
    prompts: PromptBuilder
    criteria: Criteria

    def checks(self, joke: str, cancel: CancelToken | None = None) -> dict[str, LogOdds]:
        """For each check the log-odds of "admit", averaged over two phrasings of opposite polarity (SCIENCE, a)."""
        checks = self.criteria.template.checks
        questions = []
        for check in checks:
            for wording in (check.admits, check.rejects):
                questions.append(yes_no(self.prompts.answer("reading", "check", {"question": wording})))
        choices = self.engine.choose(self.prompts.prompt("reading", {"joke": joke}), questions, cancel)
        found = {}
        for index, check in enumerate(checks):
            admits, rejects = choices[2 * index], choices[2 * index + 1]
            value = 0.5 * (yes_log_odds(admits) - yes_log_odds(rejects))
            found[check.id] = LogOdds(value, min(admits.mass, rejects.mass))
        return found

    def categories(self, joke: str, cancel: CancelToken | None = None) -> dict[str, LogOdds]:
        """For each category the log-odds that the text is of that kind."""
        categories = self.criteria.categories
        questions = [
            yes_no(self.prompts.answer("reading", "category", {"category": category.name.lower()}))
            for category in categories
        ]
        choices = self.engine.choose(self.prompts.prompt("reading", {"joke": joke}), questions, cancel)
        return {
            category.id: LogOdds(yes_log_odds(choice), choice.mass)
            for category, choice in zip(categories, choices, strict=True)
        }

    def relevance(
        self, joke: str, factors: Sequence[FactorRef], cancel: CancelToken | None = None
    ) -> dict[str, LogOdds]:
        """For each factor the log-odds that it matters for this joke."""
        questions = [
            yes_no(self.prompts.answer("scoring", "relevance", {"factor": factor.name.lower()})) for factor in factors
        ]
        choices = self.engine.choose(self.prompts.prompt("scoring", {"joke": joke}), questions, cancel)
        return {
            factor.id: LogOdds(yes_log_odds(choice), choice.mass)
            for factor, choice in zip(factors, choices, strict=True)
        }

    def levels(self, joke: str, factors: Sequence[FactorRef], cancel: CancelToken | None = None) -> dict[str, Levels]:
        """For each factor the log-probabilities of 0…5. Shared factors are asked together on one reading of the joke;
        one written for this joke gets a prompt with its definition."""
        shared = [factor for factor in factors if factor.origin == "shared"]
        found: dict[str, Levels] = {}
        if shared:
            found.update(self._levels("scoring", ("ascending", "descending"), {"joke": joke}, shared, cancel))
        for factor in factors:
            if factor.origin == "dynamic":
                variables = {"joke": joke, "factor_definition": definition_of(factor)}
                found.update(self._levels("own_factor", ("ascending", "descending"), variables, [factor], cancel))
        return found

    def levels_again(
        self, joke: str, factors: Sequence[FactorRef], cancel: CancelToken | None = None
    ) -> dict[str, Levels]:
        """The same for shared factors with another cue: for a model that didn't answer the first one."""
        return self._levels("scoring", ("ascending_again", "descending_again"), {"joke": joke}, factors, cancel)

    def pair(self, first: str, second: str, cancel: CancelToken | None = None) -> LogOdds:
        """The log-odds that the joke in the first place is the funnier one."""
        question = Question(self.prompts.answer("duel", "choice"), ONE_TWO)
        choice = self.engine.choose(
            self.prompts.prompt("duel", {"first": first, "second": second}), [question], cancel
        )[0]
        return LogOdds(choice.logprobs[0] - choice.logprobs[1], choice.mass)

    def alone(self, joke: str, cancel: CancelToken | None = None) -> LogOdds:
        """The log-odds that people find one joke funny, by itself."""
        question = yes_no(self.prompts.answer("alone", "verdict"))
        choice = self.engine.choose(self.prompts.prompt("alone", {"joke": joke}), [question], cancel)[0]
        return LogOdds(yes_log_odds(choice), choice.mass)

    def shared_factors(self) -> tuple[FactorRef, ...]:
        """All factors of the criteria as references."""
        return tuple(factor_ref(factor.id, self.criteria) for factor in self.criteria.factors)

    def _levels(
        self,
        prompt: str,
        orders: tuple[str, str],
        variables: dict[str, str],
        factors: Sequence[FactorRef],
        cancel: CancelToken | None,
    ) -> dict[str, Levels]:
        questions = [
            Question(self.prompts.answer(prompt, order, {"factor": factor.name}), LEVELS)
            for order in orders
            for factor in factors
        ]
        choices = self.engine.choose(self.prompts.prompt(prompt, variables), questions, cancel)
        return {
            factor.id: Levels(
                choices[index].logprobs,
                choices[index + len(factors)].logprobs,
                min(choices[index].mass, choices[index + len(factors)].mass),
            )
            for index, factor in enumerate(factors)
        }


def factor_ref(identity: str, criteria: Criteria) -> FactorRef:
    """A shared factor as a reference."""
    factor = criteria.factor(identity)
    return FactorRef(
        id=factor.id,
        name=factor.name,
        explanation=factor.explanation,
        good_example=factor.good_example,
        bad_example=factor.bad_example,
    )


def definition_of(factor: FactorRef) -> str:
    """A factor's definition as it stands in a prompt."""
    return (
        f"{factor.name}: {factor.explanation}\nDoes it well: {factor.good_example}\nDoes it badly: {factor.bad_example}"
    )
