"""What shuffled rounds found so far, and what follows from it for each text: the same whatever was found first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .rounds import Chunk, Score, place_effects, without_places
from .types import SCALES, PlaceEffects, ScaleMean, ScoredChunk

MIDDLE = 5.5


@dataclass(frozen=True)
class RoundMeans:
    """``of``: by text what it was given on each scale; ``effects``: what was taken out of it."""

    of: Mapping[str, tuple[ScaleMean, ...]] = field(default_factory=dict)
    effects: tuple[PlaceEffects, ...] = ()

    def humor(self, text: str) -> float:
        """By how many points a text's humor lies above the middle of the scale; 0 where it wasn't scored."""
        return next((each.mean - MIDDLE for each in self.of.get(text, ()) if each.scale == "humor"), 0.0)


class RoundTable:
    """Chunks by their texts. Those of an earlier run are spare until their turn comes in this one."""

    def __init__(self) -> None:
        self._taken: dict[Chunk, ScoredChunk] = {}
        self._spare: dict[Chunk, ScoredChunk] = {}
        self._means: RoundMeans | None = None

    def spare(self, texts: Chunk, chunk: ScoredChunk) -> None:
        """Keep a chunk of an earlier run."""
        self._spare[texts] = chunk
        self._means = None

    def known(self, texts: Chunk) -> list[tuple[Chunk, ScoredChunk]] | None:
        """A chunk that was asked already, or its halves; None if it has to be asked."""
        found = self._taken.get(texts) or self._spare.get(texts)
        if found is not None:
            return [(texts, found)]
        middle = len(texts) // 2
        if not middle:
            return None
        one, other = self.known(texts[:middle]), self.known(texts[middle:])
        return one + other if one is not None and other is not None else None

    def take(self, texts: Chunk, chunk: ScoredChunk) -> None:
        """Let a chunk count."""
        self._spare.pop(texts, None)
        self._taken[texts] = chunk
        self._means = None

    def leave_spares(self) -> None:
        """Forget what is spare: all rounds are over, or their list is another one."""
        self._spare.clear()
        self._means = None

    def chunks(self) -> list[tuple[Chunk, ScoredChunk]]:
        """All chunks, round by round."""
        return sorted((self._spare | self._taken).items(), key=lambda each: (each[1].round, each[0]))

    def means(self) -> RoundMeans:
        """What follows from all chunks."""
        if self._means is None:
            self._means = _means(self.chunks())
        return self._means


def _means(chunks: Iterable[tuple[Chunk, ScoredChunk]]) -> RoundMeans:
    found: dict[str, list[ScaleMean]] = {}
    effects = []
    chunks = list(chunks)
    for scale in SCALES:
        scores = [
            Score(text, place, value)
            for texts, chunk in chunks
            for place, (text, value) in enumerate(zip(texts, chunk.scores.get(scale, ()), strict=False))
            if value is not None
        ]
        if not scores:
            continue
        of_places = place_effects(scores)
        effects.append(PlaceEffects(scale=scale, effects=of_places))
        for text, each in without_places(scores, of_places).items():
            found.setdefault(text, []).append(ScaleMean(scale=scale, mean=each.mean, sd=each.sd, times=each.times))
    return RoundMeans({text: tuple(each) for text, each in found.items()}, tuple(effects))
