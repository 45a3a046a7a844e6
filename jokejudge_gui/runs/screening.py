"""A list screened before people see it: what to leave out, what to let them vote on, what is clear without a vote.

A joke's chance is the calibrated probability that people find it funnier than a typical joke, from its place in the
audience's estimate and from how often that estimate is right (``judging.reading.estimate``). The thresholds are the
seeds' (llm_as_judge_research, pre-filtering): rejected below .70, high from .85, promoted without a vote from .90.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from statistics import NormalDist
from typing import Literal, Self

from pydantic import model_validator

from ..errors import InputError, UsageError
from ..judging.contest.types import ContestResult, RankedEntry
from ..judging.contest.words import in_words, ranked
from ..judging.reading.estimate import correlation_of
from ..verdicts import Frozen

Decision = Literal["promote", "show", "wait", "reject"]
Reason = Literal["", "version", "stock", "length"]

AT_ONCE = 3
"""People are shown no more than so many at a time."""
ENOUGH_VOTES = 15
ENOUGH_DAYS = 5
"""The leader of a vote is promoted after so many votes or days."""
_STOCK = 0.5
_FREE_WORDS = 50
_PER_WORD = 0.01
_ENDS = 0.5
_NORMAL = NormalDist()


class Thresholds(Frozen):
    """Chances 0…1: rejected below ``reject``, high from ``high``, promoted without a vote from ``promote``."""

    reject: float = 0.70
    high: float = 0.85
    promote: float = 0.90

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not 0.0 <= self.reject <= self.high <= self.promote <= 1.0:
            raise UsageError(
                "E_SCREEN_THRESHOLDS",
                "The thresholds must lie between 0 and 1, reject below high below promote.",
                "Without them they are 0.70, 0.85 and 0.90.",
            )
        return self


class Screened(Frozen):
    """A joke and what is to be done with it. ``p``: the chance, None where nothing is known of texts of its kind;
    ``reason``: what decided beside the chance (a better ``version`` is in the list, the joke is ``stock``, its
    ``length`` took something off). ``show``: to be voted on now, ``wait``: later."""

    id: str
    text: str
    p: float | None
    decision: Decision
    reason: Reason = ""


class Screening(Frozen):
    """``promoted``: id of the one that needs no vote. ``fallback``: none passed, so the best is shown anyway.
    ``missed``: how many of those rejected by their chance people would find funnier than a typical joke; ``wasted``:
    how many of those that passed they wouldn't; both expected numbers."""

    thresholds: Thresholds
    entries: tuple[Screened, ...]
    promoted: str | None = None
    fallback: bool = False
    missed: float = 0.0
    wasted: float = 0.0

    @property
    def shown(self) -> tuple[Screened, ...]:
        """What people vote on now."""
        return tuple(entry for entry in self.entries if entry.decision == "show")

    def sentences(self) -> list[str]:
        """The outcome in words."""
        counts = {name: sum(entry.decision == name for entry in self.entries) for name in ("show", "wait", "reject")}
        told = []
        if self.promoted is not None:
            told.append("One joke stands out and needs no vote.")
        if self.fallback:
            told.append("None is good enough for the thresholds; the best of them is shown anyway.")
        if counts["show"]:
            more = f", {in_words(counts['wait'])} after them" if counts["wait"] else ""
            told.append(f"{in_words(counts['show']).capitalize()} to be voted on now{more}.")
        by_chance = sum(entry.decision == "reject" and not entry.reason for entry in self.entries)
        if by_chance:
            liked = f"people would find about {self.missed:.0f} of them funnier than a typical joke"
            told.append(f"{by_chance:,} rejected; {liked}.")
        aside = counts["reject"] - by_chance
        if aside:
            told.append(f"{aside:,} set aside as versions of another one, as old jokes or for their length.")
        passed = sum(entry.decision != "reject" and entry.p is not None for entry in self.entries)
        if passed and not self.fallback:
            told.append(f"Of {passed:,} that passed, people would find about {self.wasted:.0f} no better than typical.")
        return told


def chance(entry: RankedEntry) -> float | None:
    """The probability that people find a joke funnier than a typical one; None where that isn't known."""
    reading = entry.reading
    if reading is None or reading.percentile is None or reading.agreement is None:
        return None
    rho = correlation_of(reading.agreement)
    z = _NORMAL.inv_cdf(min(100.0 - _ENDS, max(_ENDS, reading.percentile)) / 100.0)
    return _NORMAL.cdf(rho * z / math.sqrt(max(1.0 - rho * rho, 1e-9)))


def screen(result: ContestResult, thresholds: Thresholds | None = None, *, length_penalty: bool = False) -> Screening:
    """Screen a ranked list. ``length_penalty``: texts of over 50 words lose .01 for each further word (the seeds').
    Raises ``InputError`` ``E_SCREEN_UNKNOWN`` where nothing is known of how people take any of the texts."""
    limits = thresholds or Thresholds()
    entries = ranked(result)
    if entries and all(chance(entry) is None for entry in entries):
        raise InputError(
            "E_SCREEN_UNKNOWN",
            "Nothing is known of how people take such texts on this model, so none can be rejected or promoted.",
            "Rank them with jokejudge contest, or screen with the embedded model.",
        )
    rows = [_first_look(entry, {e.id: e for e in entries}, limits, length_penalty) for entry in entries]
    rows.sort(key=lambda row: -(row.p if row.p is not None else 0.5))
    high = [row for row in rows if row.decision != "reject" and row.p is not None and row.p >= limits.high]
    promoted = high[0] if len(high) == 1 and (high[0].p or 0.0) >= limits.promote else None
    passed = [row for row in rows if row.decision != "reject"]
    fallback = bool(rows) and not passed
    # Where several are high, people choose between these.
    queue = high if len(high) > 1 else [row for row in passed if row is not promoted]
    queue += [row for row in passed if row not in queue and row is not promoted]
    now = {row.id for row in (queue[:AT_ONCE] if promoted is None else [])} or ({rows[0].id} if fallback else set())
    by_chance = [row.p for row in rows if row.decision == "reject" and not row.reason and row.id not in now]
    return Screening(
        thresholds=limits,
        entries=tuple(_decided(row, promoted, now) for row in rows),
        promoted=promoted.id if promoted is not None else None,
        fallback=fallback,
        missed=math.fsum(p for p in by_chance if p is not None),
        wasted=math.fsum(1.0 - row.p for row in passed if row.p is not None),
    )


def _first_look(
    entry: RankedEntry, entries: Mapping[str, RankedEntry], limits: Thresholds, length_penalty: bool
) -> Screened:
    """A joke by itself: rejected, or not."""
    p, reason = chance(entry), ""
    if length_penalty and p is not None:
        over = max(0, len(entry.text.split()) - _FREE_WORDS)
        if p >= limits.reject > p - _PER_WORD * over:
            reason = "length"
        p = max(0.0, p - _PER_WORD * over)
    better = any((entries[other].rank or 0) < (entry.rank or 0) for other in entry.like if other in entries)
    if better:
        reason = "version"
    elif entry.stock is not None and entry.stock >= _STOCK:
        reason = "stock"
    reject = reason in ("version", "stock") or (p is not None and p < limits.reject)
    return Screened.model_validate(
        {"id": entry.id, "text": entry.text, "p": p, "decision": "reject" if reject else "wait", "reason": reason}
    )


def _decided(row: Screened, promoted: Screened | None, now: set[str]) -> Screened:
    if row is promoted:
        decision: Decision = "promote"
    elif row.id in now:
        decision = "show"
    else:
        decision = row.decision
    return Screened.model_validate({**dict(row), "decision": decision})


class Ballot(Frozen):
    """One person's choice among jokes that they saw side by side, blind: ``choice`` (an id), ``among`` which, when."""

    choice: str
    among: tuple[str, ...]
    when: datetime


def leader(ballots: Sequence[Ballot], now: datetime) -> tuple[str | None, bool]:
    """The joke with most votes (None for none, or for a tie), and whether it is to be promoted: after 15 votes, or five
    days after the first vote."""
    counts: dict[str, int] = {}
    for ballot in ballots:
        counts[ballot.choice] = counts.get(ballot.choice, 0) + 1
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if not order or (len(order) > 1 and order[0][1] == order[1][1]):
        return None, False
    waited = now - min(ballot.when for ballot in ballots) >= timedelta(days=ENOUGH_DAYS)
    return order[0][0], len(ballots) >= ENOUGH_VOTES or waited
