"""What a reader must know, asked of a model that was measured to tell it.

The model writes under a grammar, and what it writes counts only where words of the text point at it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, Field

from ...core.paths import criteria_dir
from ...core.verdicts import Reference
from ...engine.base import CancelToken, Engine, Sampling
from ...rubric.audiences import CommonNames
from ...rubric.prompts import PromptBuilder, PromptSet, parse_prompts
from .explanation import telling_words, written_as

MOST = 3
_TOKENS = 200
"""More than three references of the longest form take."""
_YEARS = range(1, 2100)
KNOWN = "knowledge"
"""The one item of the plan's kind ``reference``."""


class Written(BaseModel):
    """One reference as a model writes it; ``year`` 0 for none."""

    words: str = Field(min_length=2, max_length=60)
    name: str = Field(min_length=2, max_length=60)
    kind: Literal[
        "person", "film", "series", "book", "song", "game", "brand", "place", "event", "saying", "thing"
    ]  # fmt: skip
    year: int


class WrittenReferences(BaseModel):
    """All that a model writes."""

    references: list[Written] = Field(max_length=MOST)


def reference_prompts() -> PromptSet:
    """The prompts that ship. Raises ``CriteriaError``."""
    return parse_prompts(criteria_dir() / "reference_prompts.xml", criteria_dir() / "prompts.rng")


class ReferenceAsker:
    """Asks one model. Raises ``CriteriaError``."""

    def __init__(self, engine: Engine, common: CommonNames) -> None:
        self._engine = engine
        self._common = common
        self._prompts = PromptBuilder(reference_prompts(), engine.frame, {})

    def ask(self, text: str, seed: int, cancel: CancelToken | None = None) -> tuple[Reference, ...]:
        """The references of a cleaned text that words of it point at, in its order, at most three. Raises what the
        engine raises."""
        prompt, start = self._prompts.prompt("references", {"joke": text}), self._prompts.answer("references", "json")
        sampling = Sampling(max_tokens=_TOKENS, seed=seed)
        found = written_as(WrittenReferences, self._engine, prompt, start, sampling, cancel)
        return tuple(sorted(self._pointed_at(text, found), key=lambda each: each.start)) if found is not None else ()

    def _pointed_at(self, text: str, found: WrittenReferences) -> Iterator[Reference]:
        told: set[str] = set()
        for each in found.references:
            name = " ".join(each.name.split())
            span = _place(text, each.words) or _place(text, each.name)
            if span is None or name.lower() in told or not telling_words(name):
                continue
            words = text[span[0] : span[1]]
            if not telling_words(words) or " ".join(words.lower().split()) in self._common.known:
                continue
            told.add(name.lower())
            yield Reference(
                text=words, start=span[0], end=span[1], why="name", source="model", name=name, kind=each.kind,
                year=each.year if each.year in _YEARS else None,
            )  # fmt: skip


def _place(text: str, words: str) -> tuple[int, int] | None:
    """Where whole words stand in a text, whatever their case and the blanks between them."""
    whole = r"\s+".join(re.escape(word) for word in words.split())
    match = re.search(rf"(?<!\w){whole}(?!\w)", text, re.IGNORECASE) if whole else None
    return match.span() if match is not None else None
