"""The user's own votes: where the history that keeps them and the fits that learn from them meet."""

from __future__ import annotations

import math

from ..ballots import VoteSet, own_sets
from ..errors import InputError
from ..history.store import HistoryStore
from ..history.votes import Choice, Vote
from .taste import Answer, Taste, fit, measured


def cast_vote(store: HistoryStore, id: str, choice: Choice, *, blind: bool) -> Vote:
    """Keep a vote on a stored verdict with what the verdict had measured. See ``Session.vote``."""
    entry = store.get(id)
    row, found = entry.row, measured(entry.result) if entry.result is not None else None
    if found is None or entry.model is None or not math.isfinite(found[1]):
        raise InputError(
            "E_VOTE_UNSCORED",
            "This verdict has no score, so a vote on it would tell nothing.",
            "Judge the text again, and vote on that verdict.",
        )
    if row.text_a == row.text_b:
        raise InputError("E_VOTE_SAME", "The two jokes are the same.", "Vote on a duel of two different jokes.")
    return store.votes.add(
        verdict_id=row.id, kind=row.kind, choice=choice, blind=blind, measure=found[0], value=found[1],
        model=entry.model, prompt_version=entry.prompt_version, criteria_version=entry.criteria_version,
        text_a=row.text_a, text_b=row.text_b,
    )  # fmt: skip


def taste_of(store: HistoryStore, model_sha256: str) -> Taste:
    """What the votes on one model's verdicts say of the user's taste."""
    return fit([_answer(vote) for vote in store.votes.find(model_sha256)])


def kept_votes(store: HistoryStore) -> tuple[VoteSet, ...]:
    """All votes as a head can be fitted on them."""
    return own_sets((vote.choice, vote.text_a, vote.text_b) for vote in store.votes.find())


def _answer(vote: Vote) -> Answer:
    question = sorted(text for text in (vote.text_a, vote.text_b) if text is not None)
    return Answer(vote.measure, vote.value, vote.choice in ("A", "up"), tuple(question), vote.blind)
