"""The user's own votes: where the history that keeps them and the fits that learn from them meet."""

from __future__ import annotations

import math

from ..errors import InputError, UsageError
from ..history.store import HistoryStore
from ..history.votes import Vote
from ..vote_sets import VoteSet, own_sets
from .taste import Taste, TasteVote, fit


def cast_vote(store: HistoryStore, id: str, choice: str, *, blind: bool) -> Vote:
    """Keep a vote on a stored verdict with what the verdict had measured. See ``Session.vote``."""
    entry = store.get(id)
    row, kind = entry.row, store.kinds[entry.row.kind]
    standing = kind.standing(entry.result) if entry.result is not None else None
    if standing is None or entry.model is None or not math.isfinite(standing.value):
        raise InputError(
            "E_VOTE_UNSCORED",
            "This verdict has no score, so a vote on it would tell nothing.",
            "Judge the text again, and vote on that verdict.",
        )
    texts = [subject.text for subject in row.subjects]
    if len(texts) > 1 and len(set(texts)) == 1:
        raise InputError("E_VOTE_SAME", "The two jokes are the same.", "Vote on a duel of two different jokes.")
    if choice not in kind.choices:
        raise UsageError(
            "E_VOTE_CHOICE", f"A {kind.noun} isn't voted on with {choice}.", f"Choose {' or '.join(kind.choices)}."
        )
    return store.votes.add(
        verdict_id=row.id, kind=row.kind, choice=choice, blind=blind, standing=standing, model=entry.model,
        prompt_version=entry.prompt_version, criteria_version=entry.criteria_version, subjects=row.subjects,
    )  # fmt: skip


def taste_of(store: HistoryStore, model_sha256: str) -> Taste:
    """What the votes on one model's verdicts say of the user's taste."""
    return fit([_taste_vote(store, vote) for vote in store.votes.find(model_sha256) if vote.kind in store.kinds])


def kept_votes(store: HistoryStore) -> tuple[VoteSet, ...]:
    """All votes as a head can be fitted on them."""
    return own_sets((vote.choice, vote.text_a, vote.text_b) for vote in store.votes.find())


def _taste_vote(store: HistoryStore, vote: Vote) -> TasteVote:
    question = sorted(subject.text for subject in vote.subjects)
    favourable = vote.choice == store.kinds[vote.kind].choices[0]
    return TasteVote(vote.scale, vote.value, favourable, tuple(question), vote.blind, vote.centred)
