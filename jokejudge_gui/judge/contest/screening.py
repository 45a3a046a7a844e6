"""The screening of a list before people see it: jokes to leave out, jokes to vote on, and jokes clear without a vote.

A joke's chance is the calibrated probability that people find it funnier than a typical joke, from the audience's
percentile and the measured accuracy of that estimate. With one person's own scores it is the chance that this person
finds it good.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from ...core.errors import InputError
from ...core.verdicts import Frozen
from .desk import Desk, chance
from .notes import Ballot, ListScreening, OwnScale, Thresholds, belongs
from .record import UNREAD, ContestResult

Decision = Literal["promote", "show", "wait", "reject"]
Reason = Literal["", "version", "stock", "joke", "length", "vote"]

AT_ONCE = 3
"""The number of jokes that people are shown at a time."""
ENOUGH_VOTES = 15
ENOUGH_DAYS = 5
_FEW = 3
"""The leader of a vote is promoted after this many votes or days."""
_ASIDE = {
    "joke": ("as no joke", "as no jokes"),
    "version": ("as a twin of a better one", "as twins of better ones"),
    "stock": ("as widely told", "as widely told"),
    "length": ("for its length", "for their length"),
}
"""By reason, the words for one joke and for several that are set aside."""
_DECISIONS = {"promote": "Promoted", "show": "Vote now", "wait": "Vote later", "reject": "Rejected"}
_REASONS = {
    "version": "a better version is in the list",
    "stock": "widely told",
    "joke": "no joke",
    "length": "falls under the limit for its length",
}
_FREE_WORDS = 50
_PER_WORD = 0.01


class Screened(Frozen):
    """A joke and its decision. ``p``: the chance, None if unknown for texts of its kind; ``reason``: what decided
    beside the chance (``version``: its better twin is in the list, ``stock``: it is widely told, ``joke``: no joke,
    ``length``: the penalty for its length, ``vote``: people's vote). ``show``: to be voted on now, ``wait``: later."""

    id: str
    text: str
    p: float | None
    decision: Decision
    reason: Reason = ""


class Screening(Frozen):
    """``promoted``: id of the joke that needs no vote or has won its vote. ``fallback``: none passed, so the best is
    shown anyway. ``missed``: expected number of jokes rejected by their chance that people would find funnier than a
    typical one; ``wasted``: expected number of those that passed and aren't funnier. ``own``: the person whose scale
    the chances are on, None: most people's. ``votes``: number of votes on the jokes shown, or in the last vote;
    ``ahead``: its leader; ``decided``: there are enough votes, or enough days have passed."""

    thresholds: Thresholds
    entries: tuple[Screened, ...]
    promoted: str | None = None
    fallback: bool = False
    missed: float = 0.0
    wasted: float = 0.0
    own: OwnScale | None = None
    votes: int = 0
    ahead: str | None = None
    decided: bool = False

    @property
    def shown(self) -> tuple[Screened, ...]:
        """The jokes to be voted on now."""
        return tuple(entry for entry in self.entries if entry.decision == "show")

    @property
    def by_chance(self) -> int:
        """Number of jokes that are rejected by their chance alone."""
        return sum(row.decision == "reject" and not row.reason for row in self.entries)

    @property
    def passed(self) -> int:
        """Number of jokes with a chance that aren't rejected by it."""
        passed = (row.p is not None and (row.decision != "reject" or row.reason == "vote") for row in self.entries)
        return 0 if self.fallback else sum(passed)

    def outcome(self) -> list[str]:
        """Return what is decided, in sentences."""
        shown, waiting = len(self.shown), sum(entry.decision == "wait" for entry in self.entries)
        lines = []
        if self.decided and self.promoted is not None:
            votes = "1 vote" if self.votes == 1 else f"{self.votes} votes"
            lines.append(f"People have chosen, after {votes}.")
        elif self.promoted is not None:
            lines.append("One joke stands out and needs no vote.")
        if self.fallback:
            lines.append("None is good enough for the limits; the best of them is shown anyway.")
        elif shown:
            more = f", {waiting:,} later" if waiting else ""
            lines.append(f"Vote on {shown:,} now{more}.")
            unknown = sum(row.p is None and row.decision in ("show", "wait") for row in self.entries)
            if unknown:
                they = "it isn't" if unknown == 1 else "they aren't"
                lines.append(f"For {unknown:,} of these no chance is known, so {they} rejected.")
        elif self.decided and waiting:
            lines.append(f"{waiting:,} more could be voted on.")
        aside = Counter(row.reason for row in self.entries if row.decision == "reject" and row.reason in _ASIDE)
        if aside:
            words = [(count, _ASIDE[reason][count > 1]) for reason, count in aside.most_common()]
            listed = words[0][1] if len(words) == 1 else ", ".join(f"{count:,} {word}" for count, word in words)
            lines.append(f"{aside.total():,} set aside{' ' if len(words) == 1 else ': '}{listed}.")
        return lines

    def costs(self) -> tuple[str, str]:
        """Return both errors in words: good jokes that are missed, and others that pass."""
        good = "good to you" if self.own is not None else "funnier than a typical joke"
        bad = "not good to you" if self.own is not None else "no better than a typical joke"
        rejected, passed = self.by_chance, self.passed
        missed = (
            f"{_about(self.missed, rejected)} of the {rejected:,} rejected would be {good}"
            if rejected
            else "none is rejected"
        )
        wasted = (
            f"{_about(self.wasted, passed)} of the {passed:,} that pass would be {bad}" if passed else "none passes"
        )
        return missed, wasted

    def decision(self, row: Screened) -> str:
        """Return what is decided on a joke, in a word or two."""
        if row.decision == "reject" and row.reason:
            return "Set aside" if row.reason in _ASIDE else "Voted out"
        return "Best" if self.fallback and row.decision == "show" else _DECISIONS[row.decision]

    def why(self, row: Screened) -> str:
        """Return the reason of the decision, without a full stop."""
        limits = self.thresholds
        if row.reason == "vote":
            return "won the vote" if row.decision == "promote" else "another one won the vote"
        if row.reason:
            return _REASONS[row.reason]
        if row.p is None:
            return "nothing is known of texts of its kind"
        if row.decision == "promote":
            return f"the only high one, over {limits.promote:.2f}"
        if row.p < limits.reject:
            return f"under {limits.reject:.2f}" if row.decision == "reject" else "the best, though none passes"
        high = row.p >= limits.high
        return f"high ({limits.high:.2f} or more)" if high else f"good enough ({limits.reject:.2f} or more)"

    def sentences(self) -> list[str]:
        """Return the outcome and both errors, as far as there are any."""
        counts = zip(self.costs(), (self.by_chance, self.passed), strict=True)
        return [*self.outcome(), *(f"{words[0].upper()}{words[1:]}." for words, count in counts if count)]


def _about(number: float, count: int) -> str:
    few = "hardly any" if count > _FEW else "probably none"
    return few if number < 0.5 else f"about {number:.0f}"


def screen(
    result: ContestResult,
    thresholds: Thresholds | None = None,
    *,
    length_penalty: bool = False,
    own: OwnScale | None = None,
    ballots: Sequence[Ballot] = (),
    now: datetime | None = None,
    more: bool = False,
) -> Screening:
    """Screen a ranked list. ``length_penalty``: texts of over 50 words lose .01 for each further word (the seeds').
    ``own``: one person's scale, if it is to be used. ``ballots``: votes so far; ``now``: the time to which the days of
    a vote are counted (None: its last vote). ``more``: after a decided vote, show the next jokes. Raises ``InputError``
    ``E_SCREEN_UNKNOWN`` where no text has a chance."""
    limits = thresholds or Thresholds()
    rows = _first_looks(result, limits, length_penalty=length_penalty, own=own)
    if rows and all(row.p is None for row in rows):
        raise InputError(
            "E_SCREEN_UNKNOWN",
            "With this model it isn't known how people like such texts, so none can be rejected or promoted.",
            "Rank them with jokejudge contest, or screen with the embedded model.",
        )
    passed = [row for row in rows if row.decision != "reject"]
    high = [row for row in passed if row.p is not None and row.p >= limits.high]
    fallback = bool(rows) and not passed
    voted, lost, unsettled = _votes_counted(ballots, {row.id: row.text for row in rows}, now)
    # Where several are high, people choose among these.
    first = [row.id for row in (high if len(high) > 1 else ())]
    queue = [id for id in dict.fromkeys((*first, *(row.id for row in passed))) if id not in {*lost, *voted}]
    promoted: str | None = None
    shown: set[str] = set()
    votes, ahead = 0, None
    if unsettled is not None:
        shown, votes, ahead = set(unsettled[0]), unsettled[1], unsettled[2]
    elif voted and not (more and queue):
        ahead, votes = [*voted.items()][-1]
        promoted = ahead
    elif not voted and len(high) == 1 and (high[0].p or 0.0) >= limits.promote:
        promoted = high[0].id
    else:
        shown = set(queue[:AT_ONCE]) or ({rows[0].id} if fallback else set())
    by_chance = [row.p for row in rows if row.decision == "reject" and not row.reason and row.id not in shown]

    def decided(row: Screened) -> Screened:
        if row.id in shown:
            return row.replaced(decision="show")
        if row.id in voted or row.id == promoted:
            return row.replaced(decision="promote", reason="vote" if row.id in voted else row.reason)
        return row.replaced(decision="reject", reason="vote") if row.id in lost else row

    return Screening(
        thresholds=limits,
        entries=tuple(map(decided, rows)),
        promoted=promoted,
        fallback=fallback and not voted,
        missed=math.fsum(p for p in by_chance if p is not None),
        wasted=math.fsum(1.0 - row.p for row in passed if row.p is not None),
        own=own,
        votes=votes,
        ahead=ahead,
        decided=unsettled is None and ahead is not None,
    )


def screening_lines(result: ContestResult) -> list[str]:
    """Return a stored screening in words; empty where there was none."""
    kept = result.screening
    if kept is None:
        return []
    try:
        screening = screen(
            result, kept.thresholds, length_penalty=kept.length_penalty, own=kept.own, ballots=kept.ballots
        )
    except InputError:
        return []
    names = {entry.id: " ".join(entry.text.split()) for entry in result.entries}
    promoted = [f"Promoted: {names[kept.promoted]}"] if kept.promoted in names else []
    return [*screening.sentences(), *promoted]


def _first_looks(
    result: ContestResult, limits: Thresholds, *, length_penalty: bool, own: OwnScale | None
) -> list[Screened]:
    """Judge each ranked joke by itself before any vote, best chance first; an unknown chance counts as 0.5."""
    desk, rows = Desk(result), []
    for entry in result.ranked:
        p = chance(entry, own)
        reason: Reason = ""
        if length_penalty and p is not None:
            over = max(0, len(entry.text.split()) - _FREE_WORDS)
            if p >= limits.reject > p - _PER_WORD * over:
                reason = "length"
            p = max(0.0, p - _PER_WORD * over)
        if desk.part_of(entry.id) == "out":
            reason = "joke"
        elif not desk.stays(entry.id):
            reason = "version"
        elif (heard := (entry.reading or UNREAD).heard) is not None and heard.widely:
            reason = "stock"
        aside = reason in ("version", "stock", "joke") or (p is not None and p < limits.reject)
        rows.append(Screened(id=entry.id, text=entry.text, p=p, decision="reject" if aside else "wait", reason=reason))
    return sorted(rows, key=lambda row: -(row.p if row.p is not None else 0.5))


def _votes_counted(
    ballots: Sequence[Ballot], texts: Mapping[str, str], now: datetime | None
) -> tuple[dict[str, int], set[str], tuple[frozenset[str], int, str | None] | None]:
    """The winners of decided votes with the number of ballots, the jokes that lost them, and of the last undecided vote
    its jokes, its number of ballots and its leader."""
    sets: dict[frozenset[str], list[Ballot]] = {}
    for ballot in ballots:
        if belongs(ballot, texts):
            sets.setdefault(frozenset(ballot.among) | {ballot.choice}, []).append(ballot)
    won: dict[str, int] = {}
    lost: set[str] = set()
    unsettled = None
    for among, cast in sets.items():
        ahead, enough = leader(cast, now or max(ballot.when for ballot in cast))
        if enough and ahead is not None:
            won.pop(ahead, None)
            won[ahead] = len(cast)
            lost |= among - {ahead}
        else:
            unsettled = among, len(cast), ahead
    return won, lost - won.keys(), unsettled


def leader(ballots: Sequence[Ballot], now: datetime) -> tuple[str | None, bool]:
    """Return the joke with most votes (None for no votes, or a tie), and whether it is to be promoted: after 15 votes,
    or five days after the first vote."""
    order = sorted(Counter(ballot.choice for ballot in ballots).items(), key=lambda item: (-item[1], item[0]))
    if not order or (len(order) > 1 and order[0][1] == order[1][1]):
        return None, False
    waited = now - min(ballot.when for ballot in ballots) >= timedelta(days=ENOUGH_DAYS)
    return order[0][0], len(ballots) >= ENOUGH_VOTES or waited


def kept_screening(screening: Screening, *, length_penalty: bool, ballots: Sequence[Ballot]) -> ListScreening:
    """Return the part of a screening that is stored, from which it can be computed again."""
    return ListScreening(
        thresholds=screening.thresholds,
        length_penalty=length_penalty,
        ballots=tuple(ballots),
        own=screening.own,
        promoted=screening.promoted,
    )


def proposed(result: ContestResult, *, length_penalty: bool = False, own: OwnScale | None = None) -> Thresholds | None:
    """Return limits from the list itself: as many jokes pass as are expected to be good, so that about as many good
    ones are missed as others pass; the first three of them are high. None where no chance is known."""
    rows = _first_looks(result, Thresholds(reject=0.0), length_penalty=length_penalty, own=own)
    chances = [row.p for row in rows if row.p is not None and row.decision != "reject"]
    if not chances:
        return None
    passing = min(len(chances), max(1, round(math.fsum(chances))))
    reject, high = (math.floor(100.0 * chances[count - 1] + 1e-9) / 100.0 for count in (passing, min(passing, AT_ONCE)))
    return Thresholds(reject=reject, high=high, promote=max(high, Thresholds().promote))
