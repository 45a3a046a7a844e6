"""The model's own sentences about a joke, with what they are worth on this model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...engine.base import CancelToken
from ...verdicts import FactorScore, Prose
from ..asking.critique import Critic
from ..asking.explanation import Explainer, extremes, in_paragraphs
from ..plan.prose import ProseFigures


@dataclass(frozen=True)
class Writer:
    """``tested``: what the prose test found of this model, None where it wasn't made; ``critic``: what is written goes
    through one critique and one revision, None where it doesn't."""

    explainer: Explainer
    tested: ProseFigures | None = None
    critic: Critic | None = None

    def write(self, joke: str, scores: Sequence[FactorScore], cancel: CancelToken | None = None) -> Prose | None:
        """What works, what weakens, what to try, a paragraph each; None where the model finds no words. Raises what
        the engine raises."""
        said = self.explainer.sentences(joke, *extremes(scores), cancel)
        revised = False
        if self.critic is not None:
            revision = self.critic.revise(joke, said, cancel)
            said, revised = revision.sentences, revision.changed
        text = "".join(piece.text for piece in in_paragraphs(said)).strip()
        if not text:
            return None
        return Prose(text=text, passed=self.tested.passed if self.tested is not None else None, revised=revised)
