"""Votes on the jokes of a contest: a thumb for one, or a choice between two, compared with the contest's own
numbers."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import InputError, UsageError
from ..core.verdict_kinds import Subject, VoteScore, scale_of
from ..history.store import HistoryStore
from ..history.votes import Vote
from ..judge.contest.record import ContestResult, RankedEntry
from ..judge.duel.kind import DUEL
from ..judge.rating.kind import RATING


def vote_on_entry(store: HistoryStore, result: ContestResult, id: str, choice: str, *, blind: bool = False) -> Vote:
    """Add a thumb, up or down, for the entry with this ``id``, as a vote on a rating of its text. It replaces an
    earlier thumb for the same text. ``blind``: its place and score weren't shown. Raises ``UsageError``
    ``E_VOTE_CHOICE`` and ``E_VOTE_ENTRY``, ``InputError`` ``E_VOTE_UNSCORED``, and what the history raises."""
    if choice not in RATING.choices:
        raise UsageError("E_VOTE_CHOICE", f"A joke isn't voted on with {choice}.", "Choose up or down.")
    entry = _entry(result, id)
    reading = entry.reading
    if reading is None:
        raise _unscored()
    vote_score = VoteScore(
        scale=scale_of("alone" if reading.audience is None else "audience", result),
        value=reading.audience if reading.audience is not None else reading.value,
    )
    earlier = thumbs(store, [entry.text]).get(entry.text)
    verdict_id = earlier.verdict_id if earlier is not None else None
    if earlier is not None and verdict_id is None:
        store.votes.remove(earlier.id)
    subjects = (Subject(text=entry.text),)
    return _add(store, result, RATING.name, choice, vote_score, subjects, verdict_id or _id(result, id), blind=blind)


def vote_on_pair(store: HistoryStore, result: ContestResult, ids: tuple[str, str], choice: str, *, blind: bool) -> Vote:
    """Add a choice between two entries: A is the first of ``ids``, B the second. It replaces another choice between the
    same two. ``blind``: their places and scores weren't shown. Raises what ``vote_on_entry`` raises, and ``InputError``
    ``E_VOTE_SAME`` for two entries with one text."""
    if choice not in DUEL.choices:
        raise UsageError("E_VOTE_CHOICE", f"Two jokes aren't voted on with {choice}.", "Choose A or B.")
    one, other = _entry(result, ids[0]), _entry(result, ids[1])
    if one.text == other.text:
        raise InputError("E_VOTE_SAME", "The two jokes are the same.", "Vote on two different jokes.")
    if one.score is None or other.score is None:
        raise _unscored()
    if one.id > other.id:
        # One order for each pair, so that another vote on it is found, whichever entry was first.
        one, other, choice = other, one, {"A": "B", "B": "A"}[choice]
    assert one.score is not None
    assert other.score is not None
    vote_score = VoteScore(scale=scale_of("odds_contest", result), value=one.score - other.score, centred=True)
    subjects = (Subject(text=one.text, label="A"), Subject(text=other.text, label="B"))
    verdict_id = _id(result, f"{one.id}+{other.id}")
    return _add(store, result, DUEL.name, choice, vote_score, subjects, verdict_id, blind=blind)


def thumbs(store: HistoryStore, texts: Iterable[str]) -> dict[str, Vote]:
    """Return the last thumb for each of ``texts``, from any verdict."""
    wanted = set(texts)
    return {vote.text_a: vote for vote in store.votes.find() if vote.kind == RATING.name and vote.text_a in wanted}


def _add(
    store: HistoryStore,
    result: ContestResult,
    kind: str,
    choice: str,
    vote_score: VoteScore,
    subjects: tuple[Subject, ...],
    verdict_id: str,
    *,
    blind: bool = False,
) -> Vote:
    if result.model is None:
        raise _unscored()
    return store.votes.add(
        verdict_id=verdict_id, kind=kind, choice=choice, blind=blind, vote_score=vote_score, model=result.model,
        prompt_version=result.prompt_version, criteria_version=result.criteria_version, subjects=subjects,
    )  # fmt: skip


def _id(result: ContestResult, part: str) -> str:
    """Return the id of votes on a part of a contest."""
    return f"{result.id}/{part}"


def _entry(result: ContestResult, id: str) -> RankedEntry:
    for entry in result.entries:
        if entry.id == id:
            return entry
    raise UsageError(
        "E_VOTE_ENTRY",
        f"The contest has no joke with the id {id!r}.",
        "jokejudge history show with --json lists the ids.",
    )


def _unscored() -> InputError:
    return InputError(
        "E_VOTE_UNSCORED",
        "This joke has no score yet, so a vote on it couldn't be used.",
        "Go on with the contest, and vote when the joke has been read.",
    )
