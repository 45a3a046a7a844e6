"""A profile with verdicts, votes and measurements in it, for screenshots and tests of the window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from canned import DOG, GRAVITY, MODEL, duel, parallel_reading, plain_reading, rating

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdict_kinds import Subject, VoteScore
from jokejudge_gui.core.verdicts import Status, VerdictResult
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.learning.taste import cast_vote
from jokejudge_gui.session.session import Session
from tests import records


def record(store: HistoryStore, result: VerdictResult, status: Status = Status.FINISHED, starred: bool = False) -> None:
    """Put a verdict into a history, unless it is there."""
    if result.id in store.listed([result.id]):
        return
    records.record(store, result, status, model=MODEL)
    if starred:
        store.star(result.id, True)


def fill_history(profile: Profile) -> None:
    """Verdicts of three days."""
    now = datetime.now(UTC)
    moments = iter(now - timedelta(hours=h) for h in (75, 74, 51, 27, 26, 25, 4, 3, 2, 1, 0))
    current = [next(moments)]
    store = HistoryStore(profile.database, KINDS, clock=lambda: current[0])
    verdicts: list[tuple[RatingResult | DuelResult, Status, bool]] = [
        (plain_reading("h1", "There are only two hard things in computing.", 62.0), Status.FINISHED, False),
        (plain_reading("h2", "A skeleton walks into a bar.", 41.0), Status.FINISHED, False),
        (plain_reading("h3", "I told my wife she was drawing her eyebrows too high.", 88.0), Status.FINISHED, True),
        (duel("h4", "A skeleton walks into a bar.", "I told my wife", winner="B", p_a=0.3), Status.FINISHED, False),
        (plain_reading("h5", GRAVITY, 79.0), Status.FINISHED, False),
        (plain_reading("h6", "Why did the chicken cross the road?", 12.0), Status.FINISHED, False),
        (rating("h7", "An unfinished one that was cut off", 2.0, mean_score=None), Status.INTERRUPTED, False),
        (plain_reading("h8", DOG, 84.0), Status.FINISHED, True),
        (duel("h9"), Status.FINISHED, True),
        (parallel_reading("h10"), Status.FINISHED, False),
    ]
    for result, status, starred in verdicts:
        record(store, result, status, starred)
        current[0] = next(moments)
    store.close()


def vote_of(place: int, agrees: bool) -> dict[str, Any]:
    """A vote on a duel (even places) or a rating, with the judge or against it."""
    duels, side = place % 2 == 0, place % 4 < 2
    first = side == agrees
    vote_score = DUEL.vote_score(duel()) if duels else RATING.vote_score(parallel_reading())
    value = (0.4 + place / 20) * (1 if side else -1) if duels else 0.5 + (0.3 if side else -0.3)
    pair = (Subject(text=f"One {place}.", label="A"), Subject(text=f"Two {place}.", label="B"))
    return {
        "verdict_id": None,
        "kind": "duel" if duels else "rate",
        "choice": ("A" if first else "B") if duels else ("up" if first else "down"),
        "blind": place % 3 == 0,
        "vote_score": VoteScore(scale=vote_score.scale, value=value, centred=duels),
        "model": MODEL,
        "prompt_version": "p",
        "criteria_version": "c",
        "subjects": pair if duels else (Subject(text=f"One {place}."),),
    }


def vote(session: Session) -> None:
    """Votes of someone who mostly goes with the judge, the last two on the verdicts h9 and h10."""
    for place in range(23):
        session.store.votes.add(**vote_of(place, agrees=place % 5 > 0))
    cast_vote(session.store, "h9", "A", blind=True)
    cast_vote(session.store, "h10", "up")
