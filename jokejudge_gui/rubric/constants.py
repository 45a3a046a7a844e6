"""The texts that fill the constant slots of the prompts, made from the criteria."""

from __future__ import annotations

from .types import Criteria, Factor


def constant_texts(criteria: Criteria) -> dict[str, str]:
    """Slot name → text, the same for every joke."""
    good, boring = criteria.examples.good, criteria.examples.boring
    return {
        "checks": "\n".join(f"- {check.description}" for check in criteria.template.checks),
        # Names only: what each one means cost twice the tokens and told kinds apart no better (tests/bench/README.md).
        "categories": ", ".join(category.name.lower() for category in criteria.categories),
        "factors": "\n".join(factor_line(factor) for factor in criteria.factors),
        "method": criteria.examples.method,
        "pair_examples": _pairs(good, boring),
        "alone_examples": "\n\n".join(
            f"Text: {text}\nIs it funny? Answer: {answer}"
            for pair in zip(good, boring, strict=True)
            for text, answer in zip(pair, ("yes", "no"), strict=True)
        ),
    }


def factor_line(factor: Factor) -> str:
    """What stands of a factor in the list of all that is scored."""
    middle = f"the middle is {factor.middle}, " if factor.middle else ""
    return f"- {factor.name} ({factor.explanation} 0 is {factor.zero}, {middle}5 is {factor.five}.)"


def _pairs(good: tuple[str, ...], boring: tuple[str, ...]) -> str:
    """Each example pair in both orders, so that the examples themselves favour no place."""
    lines = []
    for index, (funny, dull) in enumerate(zip(good, boring, strict=True)):
        orders = [(funny, dull, "1"), (dull, funny, "2")]
        for first, second, answer in orders if index % 2 == 0 else reversed(orders):
            lines.append(f"Joke 1: {first}\nJoke 2: {second}\nFunnier: ({answer})")
    return "\n\n".join(lines)
