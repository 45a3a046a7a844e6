"""``jokejudge screen``: selects from a list the jokes that people needn't see, and those that they should vote on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ..core.errors import InputError
from ..core.events import Finished, Stage
from ..core.pages import Page, Table
from ..judge.contest.notes import Screening, Thresholds
from ..judge.contest.record import ContestResult
from ..judge.contest.screening import proposed
from ..judge.contest.screening import screen as screened
from ..judge.contest.words import decision_on, screening_sentences, why_decided
from . import options
from .console import Console
from .contest import ranking
from .context import Context, refuse, stored
from .options import command, option
from .running import end, follow, interruptible

_VOTE = "For instance: --of last --vote 3"


@command("screen", judges=True)
@options.joke_list
@option("--reject P", "Reject a joke whose chance is below P (0.70).", type=float)
@option("--high P", "Call a joke high whose chance is P or more (0.85).", type=float)
@option("--promote P", "A single high joke needs no vote if its chance is P or more (0.90).", type=float)
@option("--vote ID", "With --of: add a vote for this joke among those shown.")
@option("--voter NAME", "Whose vote it is.", default="")
@option("--more", "When a vote is decided, show those next in line.")
@option("--propose", "Take limits that the list itself justifies.")
@option("--of ID|last", "Screen a contest of the history, which keeps the votes.")
@options.run_file
@options.shard
@options.ask
def screen(context: Context) -> int:
    """Screen a list. Exit status 0 when every joke has its decision, 1 for a failure, 130 when it was stopped."""
    args, console = context.args, context.console
    vars(args).update(resume=None, duels=None, rounds=None, top=3, generator="")
    _check(context)
    if args.of is not None:
        sentence = "This verdict isn't a contest, so it can't be screened."
        with context.history() as store:
            result = stored(store, args.of, ContestResult, "E_SCREEN_OF", sentence)
    else:
        ask = ranking(context)
        with context.session() as session, interruptible() as cancel:
            last = follow(ask(session, record=not args.no_history, cancel=cancel), console, tuple(Stage))
        if not isinstance(last, Finished) or not isinstance(last.result, ContestResult):  # no joke in this part
            none = ContestResult(id="")
            return end(console, last, _object(screened(none, Thresholds(), ballots=(), now=datetime.now(UTC)), none))
        result = last.result
    screening = _screened(context, result)
    return end(console, Finished(), _object(screening, result), lambda: _show(console, screening, result))


def _check(context: Context) -> None:
    args = context.args
    listed = args.lists or args.out is not None or args.shard is not None
    refuse(
        (args.vote is not None and args.of is None, "--vote needs --of: the history keeps the votes.", _VOTE),
        (args.of is not None and listed, "--of screens a contest of the history and takes no list.", "Give one."),
        (args.voter and args.vote is None, "--voter belongs to --vote.", _VOTE),
    )
    _limits(context, None)


def _limits(context: Context, kept: Thresholds | None) -> Thresholds:
    """Return the limits of this call, else those kept with the list, else the defaults."""
    args, base = context.args, kept or Thresholds()
    given = {name: getattr(args, name) for name in ("reject", "high", "promote") if getattr(args, name) is not None}
    return Thresholds.model_validate(base.model_dump() | given)


def _screened(context: Context, result: ContestResult) -> Screening:
    """Screen the list, count the votes, and keep both with the contest in the history."""
    args, kept = context.args, result.screening
    limits = _limits(context, kept.thresholds if kept is not None else None)
    if args.propose:
        limits = proposed(result) or limits
    now = datetime.now(UTC)
    ballots = kept.ballots if kept is not None else ()
    screening = screened(result, limits, ballots=ballots, now=now, more=args.more)
    if args.vote is not None:
        _check_vote(args.vote, screening)
        ballots = (*screening.kept.ballots, screening.ballot(args.vote, now, args.voter))
        screening = screened(result, limits, ballots=ballots, now=now)
    if args.of is not None or not (args.no_history or args.shard):
        with context.history() as store:
            store.revise(result.id, lambda _stored: result.replaced(screening=screening.kept))
    return screening


def _check_vote(choice: str, screening: Screening) -> None:
    if all(entry.id != choice for entry in screening.entries):
        raise InputError("E_SCREEN_VOTE", f"No joke of this list has the id {choice!r}.", "See jokejudge screen LIST.")
    among = [entry.id for entry in screening.shown]
    if choice not in among:
        hint = f"Vote for one of {', '.join(among)}." if among else "The vote is decided; --more shows the next."
        raise InputError("E_SCREEN_VOTE", f"Joke {choice} isn't among those to be voted on now.", hint)


def _object(screening: Screening, result: ContestResult) -> dict[str, Any]:
    """Return the JSON object of a screening."""
    kept = screening.kept
    ballots = [ballot.model_dump(mode="json") for ballot in kept.ballots]
    return {
        "id": result.id or None,
        "topic": result.context or None,
        "entries": [entry.model_dump() for entry in screening.entries],
        "promoted": kept.promoted,
        **{name: getattr(screening, name) for name in ("fallback", "missed", "wasted")},
        "thresholds": kept.thresholds.model_dump(),
        "summary": screening_sentences(screening),
        "votes": {
            "count": len(ballots), "leader": screening.ahead, "promote": screening.decided, "ballots": ballots,
        },
        "usage": result.usage.model_dump(),
        "model": result.model.model_dump() if result.model else None,
    }  # fmt: skip


def _show(console: Console, screening: Screening, result: ContestResult) -> None:
    headline, *lead = screening_sentences(screening) or ["There is nothing to screen"]
    if count := len(screening.kept.ballots):
        ahead = screening.ahead
        state = "promoted" if screening.decided else "ahead"
        leader = "no joke is ahead" if ahead is None else f"joke {ahead} is {state}"
        lead.append(f"{count} vote{'s' * (count > 1)}: {leader}.")
    if len(screening.shown) > 1:
        lead.append("Let people choose among those to be voted on without the chances in sight.")
    chances = ("" if one.p is None else f"{one.p:.2f}" for one in screening.entries)
    rows = (
        (chance, decision_on(one, screening), one.id, one.text, why_decided(one, screening))
        for chance, one in zip(chances, screening.entries, strict=True)
    )
    table = Table("", ("chance", "decision", "id", "joke", ""), tuple(rows))
    console.page(Page(headline, lead=tuple(lead), notes=result.warnings, tables=(table,)))
    if screening.fallback:
        console.note("--propose takes limits that this list justifies.")
