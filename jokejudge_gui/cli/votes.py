"""``jokejudge votes …``."""

from __future__ import annotations

from pathlib import Path

import click

from ..core.errors import HistoryError, UsageError
from ..core.pages import Page, Table
from ..history.votes import Vote, export_votes, vote_object
from . import options
from .context import Context, counted, moment, stored
from .options import Group, argument, option

_NONE = "There are no votes yet. Vote on a verdict: jokejudge votes add last up."


votes = Group("votes")


@votes.command("add")
@options.verdict_id
@argument("choice up|down|A|B", type=click.Choice(["up", "down", "A", "B"], case_sensitive=False))
@option("--blind", "You made up your mind before you saw the verdict.")
@option(
    "--joke JOKE",
    "Of a contest: the id of a joke (up or down), given twice for two (A is the first).",
    to="jokes",
    multiple=True,
)
def add(context: Context) -> int:
    """Say what you think of a verdict: up or down of a rating, A or B of a duel."""
    from ..judge.contest.record import ContestResult
    from ..learning.taste import cast_vote, taste_of, vote_on_entry, vote_on_pair
    from ..learning.words import progress

    args = context.args
    with context.history() as store:
        no_list = "This verdict isn't a contest, so it has no list of jokes."
        contest = stored(store, args.id, ContestResult, "E_CONTEST_NONE", no_list) if args.jokes else None
        match args.jokes:
            case ():
                vote = cast_vote(store, store.named(args.id), args.choice, blind=args.blind)
            case (joke,) if contest is not None:
                vote = vote_on_entry(store, contest, joke, args.choice, blind=args.blind)
            case (_, _) as pair if contest is not None:
                vote = vote_on_pair(store, contest, pair, args.choice, blind=args.blind)
            case _:
                raise UsageError("E_VOTE_JOKES", "A vote is on one joke or two.", "Give --joke once or twice.")
        taste = taste_of(store, vote.model.sha256)
        others = store.votes.count(but_for=vote.model.sha256)
    return context.console.answer({"vote": vote_object(vote)}, f"Counted. {progress(taste, others)}")


@votes.command("undo")
@argument("id ID|last", "Id of the vote or of its verdict; last: the newest vote.")
def undo(context: Context) -> int:
    """Take a vote back."""
    with context.history() as store:
        id, given = context.args.id, store.votes.find()
        if not store.votes.remove(given[-1].id if id == "last" and given else store.named(id)):
            raise HistoryError("E_VOTE_NOT_FOUND", "There is no such vote.", "See jokejudge votes list.")
        count = store.votes.count()
    return context.console.answer({"count": count}, "The vote is taken back.")


@votes.command("list")
@options.limit
def show_newest(context: Context) -> int:
    """The newest votes."""
    with context.history() as store:
        given = store.votes.find()[::-1]
    shown = given[: context.args.limit]
    more = f"{len(shown)} of {len(given)}; --limit shows more." if len(given) > len(shown) else ""
    fields = {"count": len(given), "votes": [vote_object(vote) for vote in shown]}
    return context.console.answer(fields, more if given else _NONE, Table("", (), tuple(map(_cells, shown))))


@votes.command("fit")
def fit(context: Context) -> int:
    """What your votes say about your taste, and how sure that is."""
    from ..learning.taste import taste_of
    from ..learning.words import agreement, progress

    with context.history() as store:
        tastes = [(model, taste_of(store, model.sha256)) for model in store.votes.models()]
    fields = [
        {"model": model.model_dump(), "fitted": taste.fitted, "kept": taste.kept,
         **taste.model_dump(exclude={"scales", "covariance"})}
        for model, taste in tastes
    ]  # fmt: skip
    pages = (
        Page(
            f"On verdicts of {' '.join(model.name.split())}",
            lead=tuple(filter(None, (progress(taste), agreement(taste)))),
        )
        for model, taste in tastes
    )
    used = context.settings.use_taste
    return context.console.answer({"used": used, "tastes": fields}, "" if tastes else _NONE, *pages)


def _cells(vote: Vote) -> tuple[str, ...]:
    text = " / ".join(subject.text for subject in vote.subjects)
    return (vote.verdict_id or vote.id, moment(vote.created), vote.choice, "blind" if vote.blind else "", text[:500])


@votes.command("export")
@argument("out FILE.csv|FILE.jsonl")
def export(context: Context) -> int:
    """Write all votes to a file."""
    path = Path(context.args.out)
    with context.history() as store:
        count = export_votes(store.votes.find(), path)
    return context.console.answer({"count": count}, f"Wrote {counted(count, 'vote')} to {path}.")


@votes.command("delete")
@option("--yes", "Without this nothing is removed.")
def delete(context: Context) -> int:
    """Remove all votes for good."""
    if not context.args.yes:
        raise UsageError(
            "E_VOTES_DELETE",
            "This removes every vote for good.",
            "Add --yes if you mean it; jokejudge votes export keeps a copy.",
        )
    with context.history() as store:
        count = len(store.votes.delete_all())
    return context.console.answer({"count": count}, f"Removed {counted(count, 'vote')} for good.")
