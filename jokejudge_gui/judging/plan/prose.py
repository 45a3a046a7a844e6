"""The prose test: a model whose sentences say the same of every joke, or give the joke back, has nothing to tell a
writer (METHODS, f)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from ...verdicts import Frozen
from ..asking.sentences import Flaw, contradicts, flaws, holds_turn, skeleton

LEAST_TURN = 0.60
"""Share of the sentences that must hold words of what the reference reading says the joke turns on."""
MOST_ALIKE = 3
"""How often the same skeleton may come among the test's sentences."""


class ProseFigures(Frozen):
    """The prose test of a model: over ``texts`` jokes the share of sentences that hold words of the ``turn``, how often
    the commonest skeleton came (``alike``), and in how many texts a sentence gives the joke back (``echoes``),
    contradicts its neighbour (``contradictions``), breaks off (``broken``) or quotes what isn't there (``untrue``)."""

    texts: int = Field(ge=0, le=10**6)
    turn: float = Field(ge=0, le=1)
    alike: int = Field(ge=0, le=10**6)
    echoes: int = Field(ge=0, le=10**6)
    contradictions: int = Field(ge=0, le=10**6)
    broken: int = Field(ge=0, le=10**6)
    untrue: int = Field(default=0, ge=0, le=10**6)

    @property
    def passed(self) -> bool:
        """Whether the model's prose is worth showing beside the editor's note."""
        clean = not (self.echoes or self.contradictions or self.broken)
        return self.texts > 0 and self.turn >= LEAST_TURN and self.alike <= MOST_ALIKE and clean

    @property
    def in_words(self) -> str:
        """``failed: 37 in 100 name the turn, one form came 12 times, 3 of 30 give the joke back``."""
        found = [f"{100 * self.turn:.0f} in 100 name what the joke turns on"]
        if self.alike > 1:
            found.append(f"the commonest form came {self.alike} times")
        counted = (
            (self.echoes, "give the joke back"),
            (self.contradictions, "contradict themselves"),
            (self.broken, "break off"),
            (self.untrue, "quote what isn't there"),
        )
        found += [f"{count} of {self.texts} {what}" for count, what in counted if count]
        return f"{'passed' if self.passed else 'failed'}: {', '.join(found)}"


def figures(rows: Sequence[tuple[str, str, Sequence[str]]]) -> ProseFigures:
    """The test's figures. ``rows``: of each joke its text, its turn, and the sentences about it: first what works,
    then what weakens."""
    shapes = [Counter(skeleton(sentences[at], joke) for joke, _, sentences in rows) for at in (0, 1)]
    wrong = [frozenset[Flaw]().union(*(flaws(sentence, joke) for sentence in said)) for joke, _, said in rows]
    held = sum(holds_turn(sentences[0], turn) for _, turn, sentences in rows)
    return ProseFigures(
        texts=len(rows),
        turn=round(held / len(rows), 4) if rows else 0.0,
        alike=max((count for shape in shapes for count in shape.values()), default=0),
        echoes=sum("echo" in found for found in wrong),
        contradictions=sum(contradicts(said[0], said[1]) for _, _, said in rows),
        broken=sum("broken" in found for found in wrong),
        untrue=sum("untrue" in found for found in wrong),
    )
