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
from .ranking import DRAWS, Strengths, families, of_people, strengths
from .record import ContestRequest, ContestResult, HeldDuel, Reading, ScoredChunk, Texts
from .rounds import MIDDLE, means_of

_LOWEST, _HIGHEST = 1.0, 10.0
_NINETY = NormalDist().inv_cdf(0.95)
_ROUGH_DRAWS = 200


class RankingState:
    """``texts``: the contest's texts, each once, in alphabetical order; ``ranked``: those that were read, in the same
    order; ``fit``: their strengths; ``order``: their indices, best first. ``errors``: why a text couldn't be read;
    ``alike``: texts that look like versions of one joke."""

    def __init__(self, draft: ContestResult, request: ContestRequest, by_judge: bool) -> None:
        """``by_judge``: intervals show the judge's consistency, as duels move them, or people's aren't known."""
        self._draft, self._request, self._by_judge = draft, request, by_judge
        self.holders: defaultdict[str, list[int]] = defaultdict(list)
        for place, entry in enumerate(request.entries):
            if entry.error is None:
                self.holders[entry.text].append(place)
        self.texts = sorted(self.holders)
        self.readings: dict[str, Reading] = {}
        self.errors: dict[str, ErrorInfo] = {}
        self.duels: dict[Texts, HeldDuel | None] = {}
        """Duels that count, by their two texts in order; None: a duel without a result."""
        self.spares: dict[Texts, HeldDuel] = {}
        """Duels of an earlier run. They count when they are held again, or at the end."""
        self.chunks: dict[Texts, ScoredChunk] = {}
        """Chunks of shuffled rounds, by their texts."""
        self.alike: dict[str, list[str]] = {}
        self.ranked: list[str] = []
        self.order: list[int] = []
        self.fit: Strengths

    def mark_alike(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Store the pairs of ``texts`` that look like versions of one joke. Called when all were read."""
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for i, j, _ in pairs:
            alike[self.texts[i]].append(self.texts[j])
            alike[self.texts[j]].append(self.texts[i])
        self.alike = dict(alike)

    def families(self) -> list[list[str]]:
        """Return groups of similar texts that were read, the best first in each; the best group first."""
        best = sorted(self.ranked, key=lambda text: (-self.readings[text].value, text))
        order = {text: at for at, text in enumerate(best)}
        tied = families((text, other) for text, others in self.alike.items() for other in others)
        ordered = (sorted(order[text] for text in family if text in order) for family in tied)
        return [[best[at] for at in family] for family in sorted(filter(None, ordered))]

    def pair(self, one: int, other: int) -> Texts:
        """Return the key of a duel between two of ``ranked``."""
        return self.ranked[min(one, other)], self.ranked[max(one, other)]

    def finish(self) -> None:
        """Count the duels of an earlier run that weren't held again, too."""
        self.rank()
        whole = {pair: duel for pair, duel in self.spares.items() if {*pair} <= self.readings.keys()}
        self.duels |= whole
        self.spares = {pair: duel for pair, duel in self.spares.items() if pair not in whole}
        self.rank()

    def rank(self, *, rough: bool = False) -> None:
        """Update the order and the draft. ``rough``: for an interim ranking."""
        draft, by_judge = self._draft, self._by_judge
        draft.interval = "judge" if by_judge else "people"
        self.ranked = [text for text in self.texts if text in self.readings]
        means, draft.place_effects = means_of(self.chunks)
        place = {text: at for at, text in enumerate(self.ranked)}
        readings = [self.readings[text] for text in self.ranked]
        humor = [
            next((one["mean"] - MIDDLE for one in means.get(text, ()) if one["scale"] == "humor"), 0.0)
            for text in self.ranked
        ]
        prior = [one.value + draft.rounds_weight * more for one, more in zip(readings, humor, strict=True)]
        counted = self._counted()
        duels = [(place[one], place[other], duel.p_a) for (one, other), duel in counted] if by_judge else []
        # Where people's estimate makes the order, duels only choose the better version of a joke.
        fit = self.fit = strengths(np.array(prior, dtype=np.float64), duels)
        self.order = sorted(range(len(prior)), key=lambda place: (-fit.theta[place], place))
        # Without an estimate nothing is known of people's opinion, and each joke may have any rank.
        crowd = of_people(
            [50.0 if reading.percentile is None else reading.percentile for reading in readings],
            [reading.agreement for reading in readings],
            [(float(theta) - one.value) / one.unit for theta, one in zip(fit.theta, readings, strict=True)],
        )
        opinion = fit if by_judge else crowd
        low, high, among = opinion.ranks(self._request.top, _ROUGH_DRAWS if rough else DRAWS)
        if by_judge:
            low, high = fit.rank_intervals()
        group = opinion.groups(self.order)
        placed: dict[str, dict[str, Any]] = {}
        for rank, at in enumerate(self.order, start=1):
            reading, score = readings[at], float(fit.theta[at])
            ends = reading.low, reading.high
            if by_judge:
                half = _NINETY * math.sqrt(float(fit.variance[at]))
                ends = score - half, score + half
            elif reading.low is not None and reading.high is not None:
                ends = reading.low + (score - reading.value), reading.high + (score - reading.value)
            placed[self.ranked[at]] = {
                "score": score, "low": ends[0], "high": ends[1], "rank": rank, "rank_low": int(min(low[at], rank)),
                "rank_high": int(max(high[at], rank)), "group": group[at], "p_top": float(among[at]),
            }  # fmt: skip
        self._fill(placed, means, counted)
        estimated = sum(reading.agreement is not None for reading in readings)
        # A joke without an estimate counts as 0.5.
        draft.agreement = crowd.agreement() if not rough and 2 * estimated > len(readings) else None

    def _counted(self) -> list[tuple[Texts, HeldDuel]]:
        """The duels with a result, in an order that doesn't depend on when they were held."""
        return sorted(((pair, duel) for pair, duel in self.duels.items() if duel), key=lambda item: item[0])

    def _fill(
        self,
        placed: Mapping[str, Any],
        means: Mapping[str, Any],
        counted: Sequence[tuple[Texts, HeldDuel]],
    ) -> None:
        """Update the draft's entries and duels. ``placed``: the ranks of the texts that were read, best first;
        ``means``: their scores in shuffled rounds."""
        draft, entries = self._draft, self._request.entries
        ids = {text: entries[holders[0]].id for text, holders in self.holders.items()}
        counts = Counter(text for pair, _ in counted for text in pair)
        listed = []
        for text in (*placed, *(text for text in self.texts if text not in placed)):
            like = tuple(sorted(ids[other] for other in self.alike.get(text, ())))
            rounds, reading = means.get(text, ()), self.readings.get(text)
            original = originality(reading, len(like), bool(self.alike)) if reading is not None else None
            fields = {
                **placed.get(text, {}), "reading": reading, "like": like, "rounds": rounds,
                "relevance": relevance(rounds), "originality": original, "duels": counts[text],
            }  # fmt: skip
            for number, place in enumerate(self.holders[text]):
                entry = self._request.unread(entries[place], self.errors.get(text))
                listed.append(entry.replaced(**fields, same_as=ids[text] if number else None))
        draft.entries = (*listed, *(self._request.unread(entry) for entry in entries if entry.error is not None))
        chunks = sorted(self.chunks.items(), key=lambda item: (item[1].round, item[0]))
        draft.scored = tuple(chunk.replaced(ids=tuple(ids[text] for text in texts)) for texts, chunk in chunks)
        held = (*counted, *self.spares.items())
        draft.held = tuple(duel.replaced(a=ids[one], b=ids[other]) for (one, other), duel in held)


def relevance(rounds: Sequence[Mapping[str, Any]]) -> float | None:
    """The mean score of shuffled rounds as a share 0…1; the correction for places may have pushed it past an end."""
    score = next((one["mean"] for one in rounds if one["scale"] == "relevance"), None)
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
