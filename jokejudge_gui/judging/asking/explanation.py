"""Words after the numbers: short sentences written from a verdict that is already fixed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...engine.base import CancelToken, Engine, Prompt, Sampling
from ...events import TextPiece
from ...rubric.prompts import PromptBuilder
from ...verdicts import FactorScore

_TOKENS = 36
_LEAST_WORDS = 3
_REPEAT_PENALTY = 1.15
"""Small models fall into loops when they write greedily."""
_RATING = (
    ("works", "Works. The joke works because"),
    ("weakens", "Weakens it. It is weakened because"),
    ("try", "Try. The writer could"),
)
PARTS = tuple((part, opening.partition(". ")[2]) for part, opening in _RATING)
"""The sentences about a joke that is rated, each with the words that it is begun with."""
TOO_CLOSE = "The two are too close to call for this model, so it gives no reason for either."
"""Instead of reasons, where a duel's answer lies within the model's noise."""
_DUEL = (("winner", "The preferred joke is funnier because"), ("loser", "The other joke is less funny because"))


@dataclass(frozen=True)
class Explainer:
    """Writes explanations; each sentence is a branch and all branches are decoded together."""

    engine: Engine
    prompts: PromptBuilder
    seed: int

    def sentences(self, joke: str, strongest: str, weakest: str, cancel: CancelToken | None = None) -> tuple[str, ...]:
        """What works, what weakens, what to try, without the words that each was begun with; one that was cut off ends
        in an ellipsis, and one that has no words is empty. ``strongest`` and ``weakest``: names of factors."""
        variables = {"joke": joke, "strongest": strongest, "weakest": weakest}
        return self._write("explanation", variables, _RATING, cancel)

    def duel(self, winner: str, loser: str, cancel: CancelToken | None = None) -> Iterator[TextPiece]:
        """Two paragraphs that name the jokes by their part, so that swapped duels read the same."""
        yield from _told(self._write("duel_explanation", {"winner": winner, "loser": loser}, _DUEL, cancel), _DUEL)

    def _write(
        self,
        name: str,
        variables: dict[str, str],
        paragraphs: Sequence[tuple[str, str]],
        cancel: CancelToken | None,
    ) -> tuple[str, ...]:
        prompt = self.prompts.prompt(name, variables)
        branches: list[Prompt] = [self.prompts.answer(name, answer) for answer, _ in paragraphs]
        texts = [""] * len(branches)
        sampling = Sampling(max_tokens=_TOKENS, repeat_penalty=_REPEAT_PENALTY, seed=self.seed, stop=("\n",))
        for piece in self.engine.generate(prompt, branches, sampling, cancel):
            texts[piece.branch] += piece.text
        return tuple(whole_sentence(text) for text in texts)


def extremes(scores: Sequence[FactorScore]) -> tuple[str, str]:
    """Names of the strongest and the weakest factor, as a model is told them."""
    ranked = sorted((s for s in scores if s.expected is not None), key=lambda s: -(s.expected or 0.0))
    nothing = "nothing in particular"
    return (ranked[0].name.lower(), ranked[-1].name.lower()) if ranked else (nothing, nothing)


def in_paragraphs(sentences: Sequence[str]) -> Iterator[TextPiece]:
    """The sentences about a joke that is rated, each with the words that it was begun with."""
    return _told(sentences, _RATING)


def _told(sentences: Sequence[str], paragraphs: Sequence[tuple[str, str]]) -> Iterator[TextPiece]:
    """The branches grew together; they are told one after the other so that the text reads in order."""
    for index, (sentence, (_, label)) in enumerate(zip(sentences, paragraphs, strict=True)):
        if len(sentence.split()) >= _LEAST_WORDS:
            yield TextPiece(text=f"{label} {sentence}" + ("\n" if index + 1 < len(paragraphs) else ""))


def whole_sentence(text: str) -> str:
    """The first sentence; one that was cut off ends in an ellipsis. Empty if there are no words."""
    text = re.sub(r"\s+", " ", text).strip(" \"'")
    if not re.search(r"\w", text):
        return ""
    end = re.search(r"[.!?](?=\s|$|[\"”’])", text)
    return text[: end.end()] if end else text.rstrip(" ,;:-") + "…"
