"""``jokejudge votes …``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..batch.contest import stored_contest
from ..core.config import load_settings, save_settings
from ..core.errors import HistoryError, UsageError
from ..core.verdicts import ModelRef
from ..history.lookup import LEAST_PREFIX
from ..history.store import HistoryStore
from ..history.votes import Vote, export_votes, vote_object
from ..learning.entry_votes import vote_on_entry, vote_on_pair
from ..learning.taste import Taste, agreement, progress
from .console import printable
from .context import Context

_NO_FIGURES = {"scales", "covariance"}


def _add(context: Context) -> int:
    args = context.args
    with context.session() as session:
        id = session.store.named(args.id)
        if args.jokes:
            vote = _on_jokes(session.store, id, args.jokes, args.choice, args.blind)
        else:
            vote = session.vote(id, args.choice, blind=args.blind)
        taste = session.taste(vote.model.sha256)
        others = session.store.votes.count(but_for=vote.model.sha256)
    return context.console.answer({"vote": vote_object(vote)}, f"Counted. {progress(taste, others)}")


def _on_jokes(store: HistoryStore, id: str, jokes: list[str], choice: str, blind: bool) -> Vote:
    """Vote on one or two jokes of a contest."""
    result = stored_contest(store, id)
    if len(jokes) == 1:
        return vote_on_entry(store, result, jokes[0], choice)
    if len(jokes) > 2:
        raise UsageError("E_VOTE_JOKES", "A vote is on one joke or two.", "Give --joke once or twice.")
    return vote_on_pair(store, result, (jokes[0], jokes[1]), choice, blind=blind)


def _undo(context: Context) -> int:
    with context.session() as session:
        votes = session.store.votes
        id = context.args.id
        if id == "last":
            given = votes.find()
            id = given[-1].id if given else id
        else:
            id = session.store.named(id)
            begun = [vote.id for vote in votes.find() if vote.id.startswith(id)] if len(id) >= LEAST_PREFIX else []
            id = begun[0] if len(begun) == 1 else id
        if not votes.remove(id):
            raise HistoryError("E_VOTE_NOT_FOUND", "There is no such vote.", "See jokejudge votes list.")
        count = votes.count()
    return context.console.answer({"count": count}, "The vote is taken back.")


def _list(context: Context) -> int:
    console = context.console
    with context.session() as session:
        votes = session.store.votes.find()[::-1]
    shown = votes[: context.args.limit]
    if console.json:
        return console.answer({"count": len(votes), "votes": [vote_object(vote) for vote in shown]})
    for vote in shown:
        when = vote.created.astimezone().strftime("%Y-%m-%d %H:%M")
        head = f"{vote.verdict_id or vote.id}  {when}  {vote.choice:<4} {'blind' if vote.blind else '':<5}  "
        text = " / ".join(subject.text for subject in vote.subjects)
        console.row(head, text[:500])
    if not votes:
        console.note("There are no votes yet. Vote on a verdict: jokejudge votes add last up.")
    elif len(votes) > len(shown):
        console.note(f"{len(shown)} of {len(votes)}; --limit shows more.")
    return 0


def _fit(context: Context) -> int:
    console = context.console
    with context.session() as session:
        found = [(model, session.taste(model.sha256)) for model in session.store.votes.models()]
    if console.json:
        tastes = [_taste(model, taste) for model, taste in found]
        return console.answer({"used": context.settings.use_taste, "tastes": tastes})
    for model, taste in found:
        console.heading(f"On verdicts of {printable(model.name, lines=False)}")
        for line in filter(None, (progress(taste), agreement(taste), _figures(taste))):
            console.paragraph(line)
        console.text("")
    if not found:
        console.note("There are no votes yet. Vote on a verdict: jokejudge votes add last up.")
    elif not context.settings.use_taste:
        console.note("Your taste is switched off; `jokejudge votes on` shows it beside verdicts again.")
    return 0


def _figures(taste: Taste) -> str:
    if taste.g is None or taste.loss is None:
        return ""
    return (
        f"g {taste.g:.2f} (95 %: {taste.g_low:.2f} to {taste.g_high:.2f}; most people .35). Log-loss on votes left "
        f"out {taste.loss:.3f}, with g as for most people {taste.prior_loss:.3f}, without the judge "
        f"{taste.coin_loss:.3f}."
    )


def _taste(model: ModelRef, taste: Taste) -> dict[str, Any]:
    return {
        "model": model.model_dump(),
        "fitted": taste.fitted,
        "kept": taste.kept,
        **taste.model_dump(exclude=_NO_FIGURES),
    }


def _export(context: Context) -> int:
    path = Path(context.args.out)
    with context.session() as session:
        count = export_votes(session.store.votes.find(), path)
    return context.console.answer({"count": count}, f"Wrote {_votes(count)} to {path}.")


def _delete(context: Context) -> int:
    if not context.args.yes:
        raise UsageError(
            "E_VOTES_DELETE",
            "This removes every vote for good.",
            "Add --yes if you mean it; jokejudge votes export keeps a copy.",
        )
    with context.session() as session:
        count = len(session.store.votes.delete_all())
    return context.console.answer({"count": count}, f"Removed {_votes(count)} for good.")


def _switch(used: bool) -> Callable[[Context], int]:
    def switch(context: Context) -> int:
        # The settings as saved, without this call's options.
        settings = load_settings(context.profile)
        settings.use_taste = used
        save_settings(settings, context.profile)
        sentence = "Your taste is shown beside verdicts." if used else "Your taste is off; your votes are kept."
        return context.console.answer({"used": used}, sentence)

    return switch


def _votes(count: int) -> str:
    return "1 vote" if count == 1 else f"{count} votes"


COMMANDS: dict[str, Callable[[Context], int]] = {
    "add": _add,
    "undo": _undo,
    "list": _list,
    "fit": _fit,
    "export": _export,
    "delete": _delete,
    "on": _switch(True),
    "off": _switch(False),
}
