"""The screening of a list before people see it: jokes to leave out, jokes to vote on, and jokes clear without a vote.

A joke's chance is the calibrated probability that people find it funnier than a typical joke, from the audience's
percentile and the measured accuracy of that estimate.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from ...core.errors import InputError
from .desk import Desk, chance
from .record import Ballot, ContestResult, Reason, Screened, Screening, Thresholds, belongs

AT_ONCE = 3
"""The number of jokes that people are shown at a time."""
ENOUGH_VOTES = 15
ENOUGH_DAYS = 5
"""The leader of a vote is promoted after this many votes or days."""


def screen(
    result: ContestResult,
    thresholds: Thresholds | None = None,
    *,
    ballots: Sequence[Ballot] = (),
    now: datetime | None = None,
    more: bool = False,
) -> Screening:
    """Screen a ranked list. ``ballots``: votes so far; ``now``: the time to which the days of a vote are counted (None:
    its last vote). ``more``: after a decided vote, show the next jokes. Raises ``InputError`` ``E_SCREEN_UNKNOWN``
    where no text has a chance."""
    limits = thresholds or Thresholds()
    rows = _first_looks(result, limits)
    if rows and all(row.p is None for row in rows):
        raise InputError(
            "E_SCREEN_UNKNOWN",
            "With this model it isn't known how people like such texts, so none can be rejected or promoted.",
            "Rank them with jokejudge contest, or screen with the embedded model.",
        )
    texts = {row.id: row.text for row in rows}
    ballots = tuple(ballot for ballot in ballots if belongs(ballot, texts))
    passed = [row for row in rows if row.decision != "reject"]
    high = [row for row in passed if row.p is not None and row.p >= limits.high]
    fallback = bool(rows) and not passed
    won, lost, begun = _votes_counted(ballots, now)
    # Where several are high, people choose among these.
    first = [row.id for row in (*(high if len(high) > 1 else ()), *passed)]
    queue = [id for id in dict.fromkeys(first) if id not in lost and id not in won]
    promoted, votes, ahead = None, 0, None
    shown: set[str] = set()
    if begun is not None:
        among, votes, ahead = begun
        shown = {*among}
    elif won and not (more and queue):
        ahead, votes = [*won.items()][-1]
        promoted = ahead
    elif not won and len(high) == 1 and (high[0].p or 0.0) >= limits.promote:
        promoted = high[0].id
    else:
        shown = set(queue[:AT_ONCE]) or ({rows[0].id} if fallback else set())

    def decided(row: Screened) -> Screened:
        if row.id in shown:
            return row.replaced(decision="show")
        if row.id in won or row.id == promoted:
            return row.replaced(decision="promote", reason="vote" if row.id in won else row.reason)
        return row.replaced(decision="reject", reason="vote") if row.id in lost else row

    by_chance = (row.p for row in rows if row.decision == "reject" and not row.reason and row.id not in shown)
    return Screening(
        thresholds=limits,
        ballots=ballots,
        promoted=promoted,
        entries=tuple(map(decided, rows)),
        fallback=fallback and not won,
        missed=math.fsum(p for p in by_chance if p is not None),
        wasted=math.fsum(1.0 - row.p for row in passed if row.p is not None),
        votes=votes,
        ahead=ahead,
        decided=begun is None and ahead is not None,
    )


def proposed(result: ContestResult) -> Thresholds | None:
    """Return limits from the list itself: as many jokes pass as are expected to be good, so that about as many good
    ones are missed as others pass; the first three of them are high. None where no chance is known."""
    rows = _first_looks(result, Thresholds(reject=0.0))
    chances = [row.p for row in rows if row.p is not None and row.decision != "reject"]
    if not chances:
        return None
    passing = min(len(chances), max(1, round(math.fsum(chances))))
    reject, high = (math.floor(100.0 * chances[count - 1] + 1e-9) / 100.0 for count in (passing, min(passing, AT_ONCE)))
    return Thresholds(reject=reject, high=high, promote=max(high, Thresholds().promote))


def _first_looks(result: ContestResult, limits: Thresholds) -> list[Screened]:
    """Judge each ranked joke by itself before any vote, best chance first; an unknown chance counts as 0.5."""
    desk, rows = Desk(result), []
    for entry in result.ranked:
        p, heard = chance(entry), entry.read.heard
        reason: Reason = ""
        if desk.part_of(entry.id) == "out":
            reason = "joke"
        elif not desk.stays(entry.id):
            reason = "version"
        elif heard is not None and heard.widely:
            reason = "stock"
        aside = reason or (p is not None and p < limits.reject)
        rows.append(Screened(id=entry.id, text=entry.text, p=p, decision="reject" if aside else "wait", reason=reason))
    return sorted(rows, key=lambda row: -(row.p if row.p is not None else 0.5))


def _votes_counted(
    ballots: Sequence[Ballot], now: datetime | None
) -> tuple[dict[str, int], set[str], tuple[frozenset[str], int, str | None] | None]:
    """The winners of decided votes with the number of ballots, the jokes that lost them, and of the last undecided vote
    its jokes, its number of ballots and its leader."""
    sets: dict[frozenset[str], list[Ballot]] = {}
    for ballot in ballots:
        sets.setdefault(frozenset(ballot.among) | {ballot.choice}, []).append(ballot)
    won: dict[str, int] = {}
    lost: set[str] = set()
    begun = None
    for among, cast in sets.items():
        times = [ballot.when for ballot in cast]
        (ahead, most), *others = sorted(Counter(ballot.choice for ballot in cast).items(), key=lambda n: (-n[1], n[0]))
        enough = len(cast) >= ENOUGH_VOTES or (now or max(times)) - min(times) >= timedelta(days=ENOUGH_DAYS)
        tied = bool(others) and others[0][1] == most
        if enough and not tied:
            won.pop(ahead, None)  # so that the last winner stands last
            won[ahead] = len(cast)
            lost |= among - {ahead}
        else:
            begun = among, len(cast), None if tied else ahead
    return won, lost - won.keys(), begun
