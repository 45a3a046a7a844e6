"""The state of a contest: the readings of each text, the duels, and the ranking that follows from both.

It depends only on the results, not on their order: a contest that was interrupted and resumed ends with the same
ranking, to the last bit.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from ...core.errors import ErrorInfo
from .ranking import Duel, Posterior, Strengths, families, groups, of_judge, of_people, strengths
from .record import ContestRequest, ContestResult, HeldDuel, Reading, ScaleMean, ScoredChunk
from .rounds import MIDDLE, Chunk, Means, means_of

_LOWEST, _HIGHEST = 1.0, 10.0
_NINETY = NormalDist().inv_cdf(0.95)
_ROUGH_DRAWS = 200


class RankingState:
    """``texts``: the contest's texts, each once, in a fixed order; ``ranked``: those that were read, in the same order;
    duels and strengths refer to their indices."""

    def __init__(self, draft: ContestResult, request: ContestRequest, by_judge: bool) -> None:
        """``by_judge``: intervals show the judge's consistency, as duels move them, or people's aren't known."""
        self._draft, self._request, self._by_judge = draft, request, by_judge
        self.holders: defaultdict[str, list[int]] = defaultdict(list)
        for place, entry in enumerate(request.entries):
            if entry.problem is None:
                self.holders[entry.text].append(place)
        self.texts = sorted(self.holders)
        self.readings: dict[str, Reading] = {}
        self.errors: dict[str, ErrorInfo] = {}
        """Why a text couldn't be read."""
        self.ranked: list[str] = []
        self.held: dict[frozenset[int], HeldDuel | None] = {}
        """Duels of two of ``ranked``; None: a duel without a result."""
        self.spares: dict[frozenset[str], HeldDuel] = {}
        """Duels of an earlier run, by their texts. They count when they are held again, or at the end."""
        self.chunks: dict[Chunk, ScoredChunk] = {}
        """Chunks of shuffled rounds, by their texts."""
        self._means: Means = ({}, ())
        self.alike: dict[str, list[str]] = {}
        """Texts that look like versions of one joke."""

    def id_of(self, text: str) -> str:
        """Return the id of the first entry with this text."""
        return self._request.entries[self.holders[text][0]].id

    def mark_alike(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Store the pairs of ``texts`` that look like versions of one joke. Called when all were read."""
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for i, j, _ in pairs:
            alike[self.texts[i]].append(self.texts[j])
            alike[self.texts[j]].append(self.texts[i])
        self.alike = dict(alike)

    def families(self) -> list[list[int]]:
        """Return groups of similar texts, as indices in ``ranked``, the best first in each; the best group first."""
        place = {text: at for at, text in enumerate(self.ranked)}
        best = sorted(self.ranked, key=lambda text: (-self.readings[text].value, text))
        order = {text: at for at, text in enumerate(best)}
        tied = families((text, other) for text, others in self.alike.items() for other in others)
        ordered = [sorted(order[text] for text in family if text in order) for family in tied]
        return [[place[best[at]] for at in family] for family in sorted(filter(None, ordered))]

    # -- Duels --------------------------------------------------------------------------------------------------------

    def hold(self, one: int, other: int, duel: HeldDuel | None) -> None:
        """Store a duel of two of ``ranked``; None: it has no result."""
        self.held[frozenset((one, other))] = duel
        self.spares.pop(frozenset((self.ranked[one], self.ranked[other])), None)

    def spare(self, one: str, other: str, duel: HeldDuel) -> None:
        """Store a duel of an earlier run between two texts."""
        a, b = sorted((one, other))
        self.spares[frozenset((a, b))] = duel.replaced(a=self.id_of(a), b=self.id_of(b))

    def use_spares(self) -> None:
        """Count the duels of an earlier run that weren't held again."""
        place = {text: at for at, text in enumerate(self.ranked)}
        for pair, duel in list(self.spares.items()):
            if pair <= place.keys():
                one, other = sorted(pair)
                self.hold(place[one], place[other], duel)

    def _duels(self) -> list[tuple[Duel, HeldDuel]]:
        """The duels with a result, in an order that doesn't depend on when they were held."""
        place = {self.id_of(text): at for at, text in enumerate(self.ranked)}
        pairs = [((place[duel.a], place[duel.b], duel.p_a), duel) for duel in self.held.values() if duel]
        return sorted(pairs, key=lambda pair: pair[0][:2])

    # -- The ranking --------------------------------------------------------------------------------------------------

    def top(self, count: int) -> frozenset[int]:
        """Return the indices in ``ranked`` of the first ``count``."""
        return frozenset(self._order(self._strengths())[:count])

    def _strengths(self) -> Strengths:
        prior = np.array([self._alone(text) for text in self.ranked], dtype=np.float64)
        # Where people's estimate makes the order, duels only choose the better version of a joke.
        return strengths(prior, [duel for duel, _ in self._duels()] if self._by_judge else [])

    def _alone(self, text: str) -> float:
        """Return a text's estimate without duels, log-odds."""
        humor = next((one.mean - MIDDLE for one in self._means[0].get(text, ()) if one.scale == "humor"), 0.0)
        return self.readings[text].value + self._draft.rounds_weight * humor

    def _order(self, fit: Strengths) -> list[int]:
        return sorted(range(len(self.ranked)), key=lambda place: (-fit.theta[place], place))

    def rank(self, *, rough: bool = False) -> Strengths:
        """Update the draft, and return the strengths. ``rough``: for an interim ranking."""
        if not self.held:
            # Duels begin when all texts are read; from then on the indices are fixed.
            self.ranked = [text for text in self.texts if text in self.readings]
            self._means = means_of(self.chunks)
        fit = self._strengths()
        order = self._order(fit)
        crowd = self._crowd(fit)
        opinion = of_judge(fit) if self._by_judge else crowd
        low, high, among = opinion.ranks(self._request.top, draws=_ROUGH_DRAWS if rough else None)
        if self._by_judge:
            low, high = fit.rank_intervals()
        group = groups(order, (fit if self._by_judge else crowd).chance)
        placed: dict[str, dict[str, Any]] = {}
        for rank, place in enumerate(order, start=1):
            reading, score = self.readings[self.ranked[place]], float(fit.theta[place])
            half, moved = _NINETY * math.sqrt(float(fit.variance[place])), score - reading.value
            placed[self.ranked[place]] = {
                "score": score,
                "low": score - half if self._by_judge else None if reading.low is None else reading.low + moved,
                "high": score + half if self._by_judge else None if reading.high is None else reading.high + moved,
                "rank": rank,
                "rank_low": int(min(low[place], rank)),
                "rank_high": int(max(high[place], rank)),
                "group": group[place],
                "p_top": float(among[place]),
            }
        self._fill(placed)
        estimated = sum(self.readings[text].agreement is not None for text in self.ranked)
        # A joke without an estimate counts as 0.5.
        self._draft.agreement = crowd.agreement() if not rough and 2 * estimated > len(self.ranked) else None
        return fit

    def _crowd(self, fit: Strengths) -> Posterior:
        """Return people's expected opinion. Without an estimate nothing is known of it, and each joke may have any
        rank."""
        readings = [self.readings[text] for text in self.ranked]
        return of_people(
            [50.0 if reading.percentile is None else reading.percentile for reading in readings],
            [reading.agreement for reading in readings],
            [(float(theta) - one.value) / one.unit for theta, one in zip(fit.theta, readings, strict=True)],
        )

    def _fill(self, placed: Mapping[str, Mapping[str, Any]]) -> None:
        """Update the draft's entries, its duels and the fields that follow from them. ``placed``: the ranks of the
        texts that were read, best first."""
        draft, entries = self._draft, self._request.entries
        duels = self._duels()
        counts = Counter(id for _, duel in duels for id in (duel.a, duel.b))
        draft.entries = (
            *(
                self._request.unread(entries[place], self.errors.get(text)).replaced(
                    **placed.get(text, {}), **self._of_text(text, counts), same_as=self.id_of(text) if number else None
                )
                for text in (*placed, *(text for text in self.texts if text not in placed))
                for number, place in enumerate(self.holders[text])
            ),
            *(self._request.unread(entry) for entry in entries if entry.problem is not None),
        )
        draft.place_effects = self._means[1]
        chunks = sorted(self.chunks.items(), key=lambda item: (item[1].round, item[0]))
        draft.scored = tuple(chunk.replaced(ids=tuple(map(self.id_of, texts))) for texts, chunk in chunks)
        draft.held = (*(duel for _, duel in duels), *self.spares.values())
        draft.interval = "judge" if self._by_judge else "people"

    def _of_text(self, text: str, counts: Mapping[str, int]) -> dict[str, Any]:
        like = tuple(sorted(map(self.id_of, self.alike.get(text, ()))))
        rounds = self._means[0].get(text, ())
        reading = self.readings.get(text)
        return {
            "reading": reading,
            "like": like,
            "duels": counts[self.id_of(text)],
            "rounds": rounds,
            "relevance": relevance(rounds),
            "originality": originality(reading, len(like), bool(self.alike)) if reading is not None else None,
        }


def relevance(rounds: Sequence[ScaleMean]) -> float | None:
    """The mean score of shuffled rounds as a share 0…1; the correction for places may have pushed it past an end."""
    score = next((result.mean for result in rounds if result.scale == "relevance"), None)
    return None if score is None else min(1.0, max(0.0, (score - _LOWEST) / (_HIGHEST - _LOWEST)))


def originality(reading: Reading, versions: int, any_versions: bool) -> float | None:
    """Return the originality, 0…1, without a question: the share of jokes that a reader finds less original, at most
    the probability that the joke isn't told already, divided by its number of versions in the list (``versions``
    others; ``any_versions``: whether any joke of the list has some). None if unknown."""
    told = None if reading.heard is None else 1.0 - reading.heard.likeness
    shares = [value for value in (reading.fresh, told) if value is not None]
    if not shares and not any_versions:
        return None
    return min(shares, default=1.0) / (1 + versions)
