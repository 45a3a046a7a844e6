"""The state of a contest: the readings of each text, the duels, and the ranking that follows from both.

It depends only on the results, not on their order: a contest that was interrupted and resumed ends with the same
ranking, to the last bit.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from ...core.errors import ErrorInfo
from .ranking import Duel, Posterior, Strengths, cycles, decisive, families, groups, of_judge, of_people, strengths
from .round_table import RoundTable
from .types import ContestDraft, ContestRequest, Decisive, HeldDuel, RankedEntry, Reading, ScaleMean, as_given

# -- Columns beside the rank: originality, and relevance to the topic --------------------------------------------------

_LOWEST, _HIGHEST = 1.0, 10.0


def qualities(
    reading: Reading | None, versions: int, any_versions: bool, rounds: Sequence[ScaleMean]
) -> dict[str, object]:
    """Return fields of ``RankedEntry`` for a joke with this number of other ``versions`` in the list; ``any_versions``:
    whether any joke of the list has some; ``rounds``: its scores from shuffled rounds."""
    relevance = next((each.mean for each in rounds if each.scale == "relevance"), None)
    return {
        "originality": originality(reading, versions, any_versions) if reading is not None else None,
        # The correction for places may have pushed a score past an end of the scale.
        "relevance": None if relevance is None else min(1.0, max(0.0, (relevance - _LOWEST) / (_HIGHEST - _LOWEST))),
        "rounds": tuple(rounds),
    }


def originality(reading: Reading, versions: int, any_versions: bool) -> float | None:
    """Return the originality, 0…1, without a question: the share of jokes that a reader finds less original, at most
    the probability that the joke isn't an old one, divided by its number of versions in the list. None if unknown."""
    known = [
        value for value in (reading.fresh, None if reading.stock is None else 1.0 - reading.stock) if value is not None
    ]
    if not known and not any_versions:
        return None
    return min(known, default=1.0) / (1 + versions)


_NINETY = NormalDist().inv_cdf(0.95)
_ROUGH_DRAWS = 200
_AS_READ = ("percentile", "percentile_low", "percentile_high", "joke", "stock", "sense", "reason", "note")


class RankingState:
    """``texts``: the contest's texts, each once, in a fixed order; ``ranked``: those that were read, in the same order;
    duels and strengths refer to their indices."""

    def __init__(
        self,
        draft: ContestDraft,
        request: ContestRequest,
        by_judge: bool,
        table: RoundTable,
        rounds_weight: float,
    ) -> None:
        """``by_judge``: intervals show the judge's consistency, as duels move them, or people's aren't known;
        ``table``: the results of shuffled rounds, whose humor is worth ``rounds_weight`` log-odds a point."""
        self._table = table
        self._rounds_weight = rounds_weight
        self._draft = draft
        self._request = request
        self._by_judge = by_judge
        self.holders: defaultdict[str, list[int]] = defaultdict(list)
        for place, entry in enumerate(request.entries):
            if entry.problem is None:
                self.holders[entry.text].append(place)
        self.texts = sorted(self.holders)
        self.readings: dict[str, Reading] = {}
        """By text."""
        self._errors: dict[str, ErrorInfo] = {}
        self.ranked: list[str] = []
        self.held: dict[frozenset[int], HeldDuel | None] = {}
        """Duels of two of ``ranked``; None: a duel without a result."""
        self.alike: dict[str, list[str]] = {}
        """Texts that look like versions of one joke."""
        self.spares: dict[frozenset[str], HeldDuel] = {}

    # -- Readings -----------------------------------------------------------------------------------------------------

    def put(self, text: str, reading: Reading | None, error: ErrorInfo | None = None) -> None:
        """Store a text's reading, or the error that prevented it. Texts that don't take part are ignored."""
        if text not in self.holders:
            return
        if reading is not None:
            self.readings[text] = reading
        if error is not None:
            self._errors[text] = error

    def id_of(self, text: str) -> str:
        """Return the id of the first entry with this text."""
        return self._request.entries[self.holders[text][0]].id

    def mark_alike(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Store the pairs of ``texts`` that look like versions of one joke. Called when all were read."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for i, j, _ in pairs:
            found[self.texts[i]].append(self.texts[j])
            found[self.texts[j]].append(self.texts[i])
        self.alike = dict(found)

    def families(self) -> list[list[int]]:
        """Return groups of similar texts, as indices in ``ranked``, the best first in each; the best group first."""
        place = {text: at for at, text in enumerate(self.ranked)}
        best = sorted(self.ranked, key=lambda text: (-self.readings[text].value, text))
        order = {text: at for at, text in enumerate(best)}
        tied = families((text, other) for text, others in self.alike.items() for other in others)
        found = [sorted(order[text] for text in family if text in order) for family in tied]
        return [[place[best[at]] for at in family] for family in sorted(filter(None, found))]

    # -- Duels --------------------------------------------------------------------------------------------------------

    def hold(self, one: int, other: int, found: HeldDuel | None) -> None:
        """Store a duel of two of ``ranked``; None: it has no result."""
        self.held[frozenset((one, other))] = found
        self.spares.pop(frozenset((self.ranked[one], self.ranked[other])), None)

    def spare(self, one: str, other: str, duel: HeldDuel) -> None:
        """Store a duel of an earlier run between two texts. It counts when it is held again, or at the end."""
        a, b = sorted((one, other))
        self.spares[frozenset((a, b))] = duel.replaced(a=self.id_of(a), b=self.id_of(b))

    def use_spares(self) -> None:
        """Count the duels of an earlier run that weren't held again."""
        place = {text: at for at, text in enumerate(self.ranked)}
        for pair, duel in list(self.spares.items()):
            one, other = sorted(pair)
            if one in place and other in place:
                self.hold(place[one], place[other], duel)

    def _duels(self) -> list[tuple[Duel, HeldDuel]]:
        """The duels with a result, in an order that doesn't depend on when they were held."""
        place = {self.id_of(text): at for at, text in enumerate(self.ranked)}
        known = [
            (Duel(place[each.a], place[each.b], each.p_a), each) for each in self.held.values() if each is not None
        ]
        return sorted(known, key=lambda pair: (pair[0].i, pair[0].j))

    # -- The ranking --------------------------------------------------------------------------------------------------

    def top(self, count: int) -> frozenset[int]:
        """Return the indices in ``ranked`` of the first ``count``."""
        found = self._strengths()
        return frozenset(self._order(found)[:count])

    def _strengths(self) -> Strengths:
        prior = np.array([self._alone(text) for text in self.ranked], dtype=np.float64)
        return strengths(prior, [duel for duel, _ in self._deciding()])

    def _deciding(self) -> list[tuple[Duel, HeldDuel]]:
        """The duels that move places. Where people's estimate makes the order, duels between versions don't: they only
        choose the better version of a joke."""
        return self._duels() if self._by_judge else []

    def _alone(self, text: str) -> float:
        """Return a text's estimate without duels, log-odds."""
        value = self.readings[text].value
        return value + self._rounds_weight * self._table.means().humor(text) if self._rounds_weight else value

    def _order(self, found: Strengths) -> list[int]:
        return sorted(range(len(self.ranked)), key=lambda place: (-found.theta[place], place))

    def rank(self, *, rough: bool = False) -> Strengths:
        """Update the draft, and return the strengths. ``rough``: for an interim ranking."""
        if not self.held:
            # Duels begin when all texts are read; from then on the indices are fixed.
            self.ranked = [text for text in self.texts if text in self.readings]
        found = self._strengths()
        order = self._order(found)
        crowd = self._crowd(found)
        opinion = of_judge(found) if self._by_judge else crowd
        ranks = opinion.ranks(self._request.top, draws=_ROUGH_DRAWS if rough else None)
        low, high = found.rank_intervals() if self._by_judge else (ranks.low, ranks.high)
        group = groups(order, (found if self._by_judge else crowd).chance)
        placed: dict[str, RankedEntry] = {}
        for rank, place in enumerate(order, start=1):
            text = self.ranked[place]
            reading = self.readings[text]
            moved = float(found.theta[place]) - reading.value
            half = _NINETY * math.sqrt(float(found.variance[place]))
            score = float(found.theta[place])
            placed[text] = RankedEntry(
                id=self.id_of(text),
                text=text,
                score=score,
                low=score - half if self._by_judge else None if reading.low is None else reading.low + moved,
                high=score + half if self._by_judge else None if reading.high is None else reading.high + moved,
                rank=rank,
                rank_low=int(min(low[place], rank)),
                rank_high=int(max(high[place], rank)),
                group=group[place],
                p_top=float(ranks.top[place]),
                reading=reading,
                **{name: getattr(reading, name) for name in _AS_READ},
            )
        self._fill(placed, order, found)
        known = sum(self.readings[text].agreement is not None for text in self.ranked)
        # A joke without an estimate counts as 0.5.
        self._draft.agreement = crowd.agreement() if not rough and 2 * known > len(self.ranked) else None
        return found

    def _crowd(self, found: Strengths) -> Posterior:
        """Return people's expected opinion. Without an estimate nothing is known of it, and each joke may have any
        rank."""
        readings = [self.readings[text] for text in self.ranked]
        shifts = [(float(theta) - each.value) / each.unit for theta, each in zip(found.theta, readings, strict=True)]
        return of_people(
            [50.0 if each.percentile is None else each.percentile for each in readings],
            [each.agreement for each in readings],
            shifts,
        )

    def _fill(self, placed: dict[str, RankedEntry], order: Sequence[int], found: Strengths) -> None:
        """Update the draft's entries, its duels and the fields that follow from them."""
        draft = self._draft
        known = self._duels()
        counts = Counter(id for _, held in known for id in (held.a, held.b))
        entries = []
        for text in [*(self.ranked[place] for place in order), *(text for text in self.texts if text not in placed)]:
            entries += self._entries_of(text, placed.get(text), counts)
        wrong = [
            RankedEntry.model_validate({**as_given(self._request, place), "error": entry.problem})
            for place, entry in enumerate(self._request.entries)
            if entry.problem is not None
        ]
        draft.entries = (*entries, *wrong)
        draft.place_effects = self._table.means().effects
        draft.scored = tuple(chunk.replaced(ids=tuple(map(self.id_of, texts))) for texts, chunk in self._table.chunks())
        draft.held = (*(held for _, held in known), *self.spares.values())
        ids = [self.id_of(text) for text in self.ranked]
        duels = [duel for duel, _ in self._deciding()]
        draft.decisive = tuple(
            Decisive(a=known[at][1].a, b=known[at][1].b, first=ids[first]) for at, first in decisive(found, duels)
        )
        draft.cycles = tuple((ids[a], ids[b], ids[c]) for a, b, c in cycles(duels))
        draft.interval = "judge" if self._by_judge else "people"

    def _entries_of(self, text: str, known: RankedEntry | None, counts: Counter[str]) -> list[RankedEntry]:
        """Return the entries with one text; all but the first refer to the first."""
        first = self.id_of(text)
        like = tuple(sorted(self.id_of(other) for other in self.alike.get(text, ())))
        values = dict(known) if known is not None else {"text": text, "error": self._errors.get(text)}
        values |= qualities(self.readings.get(text), len(like), bool(self.alike), self._table.means().of.get(text, ()))
        values |= {"like": like, "duels": counts[first]}
        return [
            RankedEntry.model_validate(
                {**values, "same_as": None if number == 0 else first, **as_given(self._request, place)}
            )
            for number, place in enumerate(self.holders[text])
        ]
