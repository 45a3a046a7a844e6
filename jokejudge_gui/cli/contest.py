"""``jokejudge contest``: ranks a list."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import click

from ..batch.contest import ContestFile
from ..batch.contest import contest as run_contest
from ..batch.export import export_contest, format_of
from ..batch.lines import Shard
from ..batch.lists import JokeList
from ..core.events import Event, Finished, Stage
from ..judge.contest.kind import CONTEST
from ..judge.contest.record import ContestRequest, ContestResult, written_by
from ..session.session import Session
from . import options
from .context import Context, given_or_piped, options_given, refuse, stored
from .options import command, option
from .running import GO_ON, judge

_ONE_LIST = "Give a file, or - for standard input; jokejudge rate rates a single joke."
_MERGE = "Merge the parts, and run without --shard"


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
    "Write the ranking to a file whose name ends in .txt, .csv, .md, .html, .ranking.jsonl or .dpo.jsonl (pairs to "
    "train on); any other .jsonl keeps every reading: run again to go on where it stopped; may be given several "
    "times.",
    multiple=True,
)
@options.shard
@option("--resume ID|last", "Go on with a contest of the history; LIST adds jokes.")
@options.ask
def contest(context: Context) -> int:
    """Rank the jokes of a list. Exit status 0 when the ranking is complete, 1 for a failure, 130 when it was stopped;
    the partial ranking is printed then, too."""
    runs = [name for name in context.args.out if _keeps_readings(name)]
    rankings = [Path(name) for name in context.args.out if name not in runs]
    for path in rankings:
        format_of(path)  # raises before anything is read
    others = "End the others in .ranking.jsonl, .csv, .md, .html or .txt."
    refuse((len(runs) > 1, "Readings are kept in one file.", others))
    context.args.out = runs[0] if runs else None

    def write(result: ContestResult) -> None:
        for path in rankings:
            count = export_contest(result, path)
            context.console.note(f"Wrote {count:,} {'pairs' if format_of(path) == 'dpo' else 'jokes'} to {path}.")

    return judge(
        context, "contest", ranking(context), usable=_ranked, write=write, paced=tuple(Stage),
        note=lambda result: _how_to_go_on(context, result) if _ranked(result) else "",
    )  # fmt: skip


def _keeps_readings(name: str) -> bool:
    """Whether this is the name of a file of readings, not of a ranking."""
    return name == "-" or (name.endswith(".jsonl") and not name.endswith((".ranking.jsonl", ".dpo.jsonl")))


def _ranked(result: ContestResult) -> bool:
    return any(entry.rank is not None for entry in result.entries)


def ranking(context: Context) -> Any:
    """Read the list that the arguments name, and return a function that ranks it in a session."""
    args = context.args
    if args.resume is None:
        args.lists = given_or_piped(list(args.lists))
    _check(context)
    listed = options.read_jokes(context, args.lists[0]) if args.lists else None

    def ask(session: Session, *, record: bool, **how: Any) -> Iterator[Event]:
        request = _request(context, session, listed)
        if args.shard is not None and not request.entries:
            context.console.note("This part of the list holds no joke.")
            yield Finished()
            return
        file = ContestFile(Path(args.out), request.context) if args.out is not None else None
        with closing(file) if file else nullcontext():
            yield from run_contest(session, request, file, record=record and not args.shard, **how)

    return ask


def _check(context: Context) -> None:
    args = context.args
    part = args.shard is not None
    refuse(
        (not (args.lists or args.resume), "There's no list of jokes to rank.", _ONE_LIST),
        (len(args.lists) > 1, "contest takes one list.", _ONE_LIST),
        (args.out == "-", "--out needs the name of a file.", "The ranking is printed anyway."),
        (part and (args.out is None or args.resume), "A part of a list needs --out for its readings.", f"{_MERGE}."),
        (part and args.rounds, "Shuffled rounds need the whole list.", f"{_MERGE} and with --rounds."),
        (args.generator and not args.lists, "--generator belongs to LIST.", "Give the file that it wrote."),
    )


def _request(context: Context, session: Session, listed: JokeList | None) -> ContestRequest:
    args = context.args
    asked = {"context": args.context or None, "title": args.title or None, "top": args.top, "budget": args.duels}
    asked["shuffled"] = args.rounds
    changed: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    if args.resume is None and listed is not None:
        entries = written_by(args.generator, listed.entries())
        if args.shard is not None:
            shard = Shard.parse(args.shard)
            entries = tuple(entry for entry in entries if shard.holds(entry.text))
        seen = {} if args.no_history else session.store.seen([item.text for item in listed.jokes])
        return session.request(CONTEST, entries=entries, seen=seen, **changed)
    sentence = "This verdict isn't a contest that can be continued."
    earlier = stored(session.store, args.resume, ContestResult, "E_CONTEST_RESUME", sentence)
    added = [(item.text, item.fields) for item in listed.jokes] if listed is not None else []
    request = ContestRequest.going_on(earlier, added, **changed, **options_given(args))
    old = len(request.entries) - len(added)
    return request.replaced(entries=(*request.entries[:old], *written_by(args.generator, request.entries[old:])))


def _how_to_go_on(context: Context, result: ContestResult) -> str:
    if context.args.out is not None:
        return GO_ON
    if context.args.no_history:
        return "With --out RUN.jsonl it could go on from there."
    return f"Go on with: {context.with_models(f'jokejudge contest --resume {result.id}')}"
