"""Keys of calibrated values by question: a digest of the question's words and of the texts that it is measured on. A
reworded factor changes its own key and no other."""

from __future__ import annotations

import hashlib

from pydantic import Field

from ...core.verdicts import Frozen
from ...rubric.prompts import PromptSet, constant_texts
from ...rubric.xml_parser import Criteria, Factor

BASELINE_JOKES = 20
"""Varied jokes read for the means of categories and factors (METHODS, e)."""
_LISTS = ("checks", "categories", "factors")
"""Slots that list all items. Only the line of the item in question counts: other lines change its answer by less than
the noise of twenty jokes, and measuring everything again for one of them would take minutes."""


class QuestionKeys(Frozen):
    """Keys by item, as in a calibration's file; ``duel`` is one question. Empty: nothing is stored."""

    checks: dict[str, str] = Field(default_factory=dict)
    categories: dict[str, str] = Field(default_factory=dict)
    relevance: dict[str, str] = Field(default_factory=dict)
    scores: dict[str, str] = Field(default_factory=dict)
    duel: str = ""


def question_keys(prompts: PromptSet, criteria: Criteria) -> QuestionKeys:
    """Return the keys for these prompts and criteria. Raises ``CriteriaError``."""
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
    )  # fmt: skip


def _defined(factor: Factor) -> tuple[str, ...]:
    middle = (factor.middle,) if factor.middle else ()
    return factor.name, factor.explanation, factor.zero, *middle, factor.five


def _key(kind: str, item: str, *words: object) -> str:
    digest = hashlib.sha256(repr(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return ":".join(part for part in (kind, item, digest) if part)
