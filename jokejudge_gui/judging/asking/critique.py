"""One critique and one revision of what a model wrote about a joke, held against criteria/constitution.xml.

A revision is taken only where nothing that can be checked in it is wrong. Scores and the editor's note stay as they
were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...engine.base import CancelToken, Engine, Sampling
from ...rubric.prompts import PromptBuilder
from .explanation import PARTS, whole_sentence
from .sentences import contradicts, flaws

_CRITIQUE_TOKENS, _TOKENS = 32, 40
_REPEAT_PENALTY = 1.15


@dataclass(frozen=True)
class Revision:
    """``sentences``: as they stand after it; ``critiques``: what was said of each, empty where nothing was;
    ``taken``: which were written anew."""

    sentences: tuple[str, ...]
    critiques: tuple[str, ...]
    taken: tuple[bool, ...]

    @property
    def changed(self) -> bool:
        return any(self.taken)


@dataclass(frozen=True)
class Critic:
    """``prompts``: those of criteria/critique_prompts.xml, the constitution among their constants."""

    engine: Engine
    prompts: PromptBuilder
    seed: int

    def revise(self, joke: str, sentences: Sequence[str], cancel: CancelToken | None = None) -> Revision:
        """``sentences``: what works, what weakens, what to try, without the words that each was begun with
        (``Explainer.sentences``). Raises what the engine raises."""
        kept = list(sentences)
        critiques, taken = [], []
        for place, (sentence, (part, opening)) in enumerate(zip(sentences, PARTS, strict=True)):
            critique, fresh = "", ""
            if sentence:
                critique, fresh = self._rewritten(joke, part, f"{opening} {sentence}", cancel)
            good = bool(fresh) and fresh != sentence and _sound(fresh, joke, kept, place)
            if good:
                kept[place] = fresh
            critiques.append(critique)
            taken.append(good)
        return Revision(tuple(kept), tuple(critiques), tuple(taken))

    def _rewritten(self, joke: str, part: str, sentence: str, cancel: CancelToken | None) -> tuple[str, str]:
        """The critique of a sentence and what is written anew after it; empty where there are no words."""
        told = {"joke": joke, "sentence": sentence}
        critique = self._one("critique", "fault", told, _CRITIQUE_TOKENS, cancel)
        if not critique:
            return "", ""
        return critique, self._one("revise", part, {**told, "critique": critique}, _TOKENS, cancel)

    def _one(self, name: str, answer: str, told: dict[str, str], tokens: int, cancel: CancelToken | None) -> str:
        sampling = Sampling(max_tokens=tokens, repeat_penalty=_REPEAT_PENALTY, seed=self.seed, stop=("\n",))
        branches = [self.prompts.answer(name, answer)]
        pieces = self.engine.generate(self.prompts.prompt(name, told), branches, sampling, cancel)
        return whole_sentence("".join(piece.text for piece in pieces))


def _sound(sentence: str, joke: str, others: Sequence[str], place: int) -> bool:
    """Whether a revision passes what the prose test checks of one sentence."""
    neighbours = [other for at, other in enumerate(others[:2]) if at != place] if place < 2 else []
    # What the writer could say instead is quoted, and isn't in the joke.
    wrong = flaws(sentence, joke) - ({"untrue"} if place == 2 else set())
    return not wrong and not any(contradicts(sentence, other) for other in neighbours)
