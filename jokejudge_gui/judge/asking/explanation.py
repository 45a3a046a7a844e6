"""Short sentences about a joke or a duel, which a model writes after its verdict is fixed. It criticises its own
sentences once, by the rules of criteria/constitution.xml, and revises them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...engine.base import CancelToken, Engine, Sampling
from ...rubric.prompts import PromptBuilder

_USUAL_TOKENS, _TOKENS = 36, {"critique": 32, "revise": 40}
_LEAST_WORDS = 3
_REPEAT_PENALTY = 1.15
"""Small models fall into loops when they write greedily."""
_RATING = (
    ("works", "Works. The joke works because"),
    ("weakens", "Weakens it. It is weakened because"),
    ("try", "Try. The writer could"),
)
"""The sentences about a rated joke: id and the words that begin each."""
TOO_CLOSE = "The two are too close to call for this model, so it gives no reason for either."
"""Shown instead of reasons where a duel's answer lies within the model's noise."""
_DUEL = (("winner", "The preferred joke is funnier because"), ("loser", "The other joke is less funny because"))


class Explainer:
    """Writes explanations; each sentence is a branch and all branches are decoded together."""

    def __init__(
        self, engine: Engine, prompts: PromptBuilder, seed: int, critique: PromptBuilder | None = None,
        cancel: CancelToken | None = None,
    ) -> None:  # fmt: skip
        """``critique``: prompts of criteria/critique_prompts.xml, the constitution among their constants, where
        sentences about a rated joke go through one critique and one revision."""
        self.engine, self.prompts, self.seed, self.critique, self.cancel = engine, prompts, seed, critique, cancel

    def rating(self, joke: str, ranked: Sequence[str]) -> tuple[str, bool]:
        """Return three paragraphs, and whether they were revised: why the joke works, what weakens it and what to try;
        empty where the model finds no words. ``ranked``: names of its factors, the strongest first. Raises the
        engine's errors."""
        names = [name.lower() for name in ranked] or ["nothing in particular"]
        variables = {"joke": joke, "strongest": names[0], "weakest": names[-1]}
        first = self._write(self.prompts, "explanation", variables, *(answer for answer, _ in _RATING))
        revised = self.revised(joke, first)
        return _paragraphs(revised, _RATING), revised != first

    def duel(self, winner: str, loser: str) -> str:
        """Return two paragraphs that name the jokes by their part, so that swapped duels read the same."""
        variables = {"winner": winner, "loser": loser}
        return _paragraphs(self._write(self.prompts, "duel_explanation", variables, *(one for one, _ in _DUEL)), _DUEL)

    def revised(self, joke: str, sentences: Sequence[str]) -> tuple[str, ...]:
        """Return ``sentences``, each replaced by its revision where the critique led to a sound one. Scores and the
        editor's note don't change. Raises the engine's errors."""
        kept = list(sentences)
        for place, (sentence, (part, label)) in enumerate(zip(sentences, _RATING, strict=True)):
            if self.critique is None or not sentence:
                continue
            given = {"joke": joke, "sentence": f"{label.partition('. ')[2]} {sentence}"}
            (fault,) = self._write(self.critique, "critique", given, "fault")
            if fault:
                (fresh,) = self._write(self.critique, "revise", {**given, "critique": fault}, part)
                # The suggestion may quote new words, which aren't in the joke.
                if is_sound(fresh, joke, may_quote_others=part == "try"):
                    kept[place] = fresh
        return tuple(kept)

    def _write(self, prompts: PromptBuilder, name: str, variables: dict[str, str], *answers: str) -> tuple[str, ...]:
        """The sentence that the model writes behind each answer's beginning."""
        branches = [prompts.answer(name, answer) for answer in answers]
        tokens = _TOKENS.get(name, _USUAL_TOKENS)
        sampling = Sampling(max_tokens=tokens, repeat_penalty=_REPEAT_PENALTY, seed=self.seed, stop=("\n",))
        texts = [""] * len(branches)
        for piece in self.engine.generate(prompts.prompt(name, variables), branches, sampling, self.cancel):
            texts[piece.branch] += piece.text
        return tuple(map(whole_sentence, texts))


def _paragraphs(sentences: Sequence[str], labels: Sequence[tuple[str, str]]) -> str:
    pairs = zip(sentences, labels, strict=True)
    return "\n".join(f"{label} {text}" for text, (_, label) in pairs if len(text.split()) >= _LEAST_WORDS)


def whole_sentence(text: str) -> str:
    """Return the first sentence; one that was cut off ends in an ellipsis. Empty if there are no words."""
    text = re.sub(r"\s+", " ", text).strip(" \"'")
    if not re.search(r"\w", text):
        return ""
    end = re.search(r"[.!?](?=\s|$|[\"”’])", text)
    return text[: end.end()] if end else text.rstrip(" ,;:-") + "…"


_LEAST_SENTENCE_WORDS = 4
_WHOLE = re.compile(r"[.!?][\"”’')]*$")
_QUOTED = re.compile(r"[“\"]([^”\"“]+)[”\"]")
_AROUND = ' .,!?…"“”'


def is_sound(sentence: str, joke: str, *, may_quote_others: bool = False) -> bool:
    """Whether a sentence is whole, isn't a part of the joke, and quotes only words that are in it
    (``may_quote_others``: or others)."""
    sentence, joke = sentence.strip().lower(), joke.lower()
    if len(sentence.split()) < _LEAST_SENTENCE_WORDS or not _WHOLE.search(sentence) or sentence.strip(_AROUND) in joke:
        return False
    return may_quote_others or all(quote.strip(_AROUND) in joke for quote in _QUOTED.findall(sentence))
