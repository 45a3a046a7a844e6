"""``jokejudge contest``, which ranks a list, and ``screen``, which tells the jokes of one that people needn't see from
those that they should vote on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ..batch.export import export_contest, format_of
from ..batch.lists import JokeList
from ..core.errors import InputError
from ..core.events import Finished, Stage
from ..core.outputs import keep_foreign
from ..core.pages import Page, Table
from ..judge.contest.kind import CONTEST
from ..judge.contest.record import ContestRequest, ContestResult, Screening, Thresholds, written_by
from ..judge.contest.screening import proposed
from ..judge.contest.screening import screen as screened
from ..judge.contest.words import decision_on, screening_sentences, why_decided
from ..session.session import Session
from . import options
from .context import Context, given_or_piped, options_given, refuse, stored
from .options import command, option
from .running import end, follow, interruptible, judge

_FIRST_LINES = {"html": b"<!DOCTYPE html><!-- JokeJudge -->", "text": b"text"}
_ONE_LIST = "Give a file, or - for standard input; jokejudge rate rates a single joke."


@command("contest", judges=True)
@options.joke_list
@options.generator
@option("--top K", "Number of best jokes to find (3).")
@option("--duels N", "Hold at most N duels; without it, as many as were measured to help.", type=options.count)
@option(
    "--rounds K",
    "Also have the model score the jokes from 1 to 10, several together, in K rounds of shuffled order.",
    type=click.IntRange(0, 20),
)
@option(
    "-o --out FILE",
    "Write the ranking to a file whose name ends in .txt, .csv, .md, .html, .jsonl or .dpo.jsonl (pairs to train on); "
    "may be given several times.",
    multiple=True,
)
@option("--resume ID|last", "Go on with a contest of the history; LIST adds jokes.")
@options.ask
def contest(context: Context) -> int:
    """Rank the jokes of a list. Exit status 0 when the ranking is complete, 1 for a failure, 130 when it was stopped;
    the partial ranking is printed then, too."""
    rankings = [Path(name) for name in context.args.out]
    for path in rankings:
        if form := _FIRST_LINES.get(format_of(path)):  # raises before anything is read
            keep_foreign(path, form)

    def write(result: ContestResult) -> None:
        for path in rankings:
            count = export_contest(result, path)
            context.console.note(f"Wrote {count:,} {'pairs' if format_of(path) == 'dpo' else 'jokes'} to {path}.")

    return judge(
        context, "contest", ranking(context), usable=_ranked, write=write, paced=tuple(Stage),
        note=lambda result: _how_to_go_on(context, result) if _ranked(result) else "",
    )  # fmt: skip


def _ranked(result: ContestResult) -> bool:
    return any(entry.rank is not None for entry in result.entries)


def ranking(context: Context) -> Any:
    """Read the list that the arguments name, and return a function that ranks it in a session."""
    args = context.args
    if args.resume is None:
        args.lists = given_or_piped(list(args.lists))
    _check(context)
    listed = options.read_jokes(context, args.lists[0]) if args.lists else None

    return lambda session, **how: session.run(CONTEST, _request(context, session, listed), **how)


def _check(context: Context) -> None:
    args = context.args
    refuse(
        (not (args.lists or args.resume), "There's no list of jokes to rank.", _ONE_LIST),
        (len(args.lists) > 1, "contest takes one list.", _ONE_LIST),
        (args.generator and not args.lists, "--generator belongs to LIST.", "Give the file that it wrote."),
    )


def _request(context: Context, session: Session, listed: JokeList | None) -> ContestRequest:
    args = context.args
    asked = {"context": args.context or None, "title": args.title or None, "top": args.top, "budget": args.duels}
    asked["shuffled"] = args.rounds
    changed: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    if args.resume is None and listed is not None:
        entries = written_by(args.generator, listed.items)
        seen = {} if args.no_history else session.store.seen([item.text for item in listed.jokes])
        return session.request(CONTEST, entries=entries, seen=seen, **changed)
    sentence = "This verdict isn't a contest that can be continued."
    earlier = stored(session.store, args.resume, ContestResult, "E_CONTEST_RESUME", sentence)
    added = [(item.text, item.columns) for item in listed.jokes] if listed is not None else []
    request = ContestRequest.going_on(earlier, added, **changed, **options_given(args))
    old = len(request.entries) - len(added)
    return request.replaced(entries=(*request.entries[:old], *written_by(args.generator, request.entries[old:])))


def _how_to_go_on(context: Context, result: ContestResult) -> str:
    if context.args.no_history:
        return "Without --no-history it could go on from there."
    return f"Go on with: {context.with_models(f'jokejudge contest --resume {result.id}')}"


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
@options.ask
def screen(context: Context) -> int:
    """Screen a list. Exit status 0 when every joke has its decision, 1 for a failure, 130 when it was stopped."""
    args, console = context.args, context.console
    vars(args).update(resume=None, duels=None, rounds=None, top=3, generator="")
    refuse(
        (args.vote is not None and args.of is None, "--vote needs --of: the history keeps the votes.", _VOTE),
        (args.of is not None and args.lists, "--of screens a contest of the history and takes no list.", "Give one."),
        (args.voter and args.vote is None, "--voter belongs to --vote.", _VOTE),
    )
    _limits(context, None)  # raises before anything is read
    if args.of is not None:
        sentence = "This verdict isn't a contest, so it can't be screened."
        with context.history() as store:
            result = stored(store, args.of, ContestResult, "E_SCREEN_OF", sentence)
    else:
        ask = ranking(context)
        with context.session() as session, interruptible() as cancel:
            last = follow(ask(session, record=not args.no_history, cancel=cancel), console, tuple(Stage))
        if not isinstance(last, Finished) or not isinstance(last.result, ContestResult):
            none = ContestResult(id="")
            return end(console, last, _object(screened(none, Thresholds(), ballots=(), now=datetime.now(UTC)), none))
        result = last.result
    screening = _screened(context, result)
    hint = "--propose takes limits that this list justifies." if screening.fallback and not args.propose else ""
    return console.answer(_object(screening, result), hint, _page(screening, result))


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
        ballots = (*screening.ballots, screening.ballot(args.vote, now, args.voter))
        screening = screened(result, limits, ballots=ballots, now=now)
    if args.of is not None or not args.no_history:
        with context.history() as store:
            store.revise(result.id, lambda _stored: result.replaced(screening=screening))
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
    ballots = [ballot.model_dump(mode="json") for ballot in screening.ballots]
    return {
        "id": result.id or None,
        "topic": result.context or None,
        "entries": [entry.model_dump() for entry in screening.entries],
        "promoted": screening.promoted,
        **{name: getattr(screening, name) for name in ("fallback", "missed", "wasted")},
        "thresholds": screening.thresholds.model_dump(),
        "summary": screening_sentences(screening),
        "votes": {
            "count": len(ballots), "leader": screening.ahead, "promote": screening.decided, "ballots": ballots,
        },
        "usage": result.usage.model_dump(),
        "model": result.model.model_dump() if result.model else None,
    }  # fmt: skip


def _page(screening: Screening, result: ContestResult) -> Page:
    headline, *lead = screening_sentences(screening) or ["There is nothing to screen"]
    if count := len(screening.ballots):
        ahead = screening.ahead
        state = "promoted" if screening.decided else "ahead"
        leader = "no joke is ahead" if ahead is None else f"joke {ahead} is {state}"
        lead.append(f"{count} vote{'s' * (count > 1)}: {leader}.")
    if len(screening.shown) > 1:
        lead.append("Let people choose among those to be voted on without the chances in sight.")
    rows = (
        ("" if one.p is None else f"{one.p:.2f}", decision_on(one, screening), one.id, one.text,
         why_decided(one, screening))
        for one in screening.entries
    )  # fmt: skip
    table = Table("", ("chance", "decision", "id", "joke", ""), tuple(rows))
    return Page(headline, lead=tuple(lead), notes=result.warnings, tables=(table,))
