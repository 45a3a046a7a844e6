"""``jokejudge contest``: a list in, a ranking out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from ..batch.contest import ContestFile
from ..batch.contest import contest as run_contest
from ..batch.contest_export import export_contest, format_of
from ..batch.leaderboard import column_named, leaderboard
from ..batch.lines import Shard, contract, failed_object, pace
from ..batch.lists import JokeList, read_list, seen_before
from ..core.errors import JokeJudgeError, UsageError, restore
from ..core.events import Cancelled, Failed, Finished, Stage, StageProgress, StageStarted
from ..core.tables import read_whole
from ..core.texts import clean_generator
from ..history.query import HistoryQuery
from ..judge.contest.kind import CONTEST
from ..judge.contest.types import ContestRequest, ContestResult, Entry, RankedEntry, generator_of
from ..session.session import Session
from .context import Context
from .rate import INTERRUPTED, STOPPED, manner_given
from .running import Progress, interruptible
from .verdicts import show_leaderboard, show_verdict


def contest(context: Context) -> int:
    """Rank the jokes of a list. Exit status 0 when the ranking is whole, 1 for a failure, 130 when it was stopped; the
    ranking as far as it came is printed then, too."""
    last, _ = ranked_list(context)
    return _ended(context, last)


def ranked_list(context: Context) -> tuple[Finished | Failed | Cancelled, JokeList | None]:
    """Rank the list that the arguments name, its progress shown: the last event, and the list as it was read."""
    args = context.args
    _check(context)
    found = None
    if args.lists:
        found = read_list(read_whole(args.lists[0]), args.lists[0], text_column=args.text_column)
    if found is not None:
        context.console.note(found.sentence + ".")
    with ExitStack() as stack:
        session = stack.enter_context(context.session())
        request = _request(context, session, found)
        _check_column(context, request.entries)
        if args.shard is not None and not request.entries:
            context.console.note("This part of the list holds no joke.")
            return Finished(), found
        file = None
        if args.out is not None:
            file = stack.enter_context(closing(ContestFile(Path(args.out), request.context)))
        cancel = stack.enter_context(interruptible())
        follower = _Follower(context)
        for event in run_contest(session, request, file, record=not (args.no_history or args.shard), cancel=cancel):
            follower.show(event)
        return follower.end(), found


def _check_column(context: Context, entries: Sequence[Entry | RankedEntry]) -> None:
    """Say before anything is read that ``--by`` names no column of the list."""
    if context.args.by is not None:
        column_named(entries, context.args.by)


def _check(context: Context) -> None:
    args = context.args
    if len(args.lists) > 1 or not (args.lists or args.resume):
        raise UsageError(
            "E_USAGE",
            "There's no list of jokes to rank." if not args.lists else "contest takes one list.",
            "Give a file, or - for standard input; jokejudge rate rates a single joke.",
        )
    if args.out == "-":
        raise UsageError("E_USAGE", "--out needs the name of a file.", "The ranking is printed anyway.")
    if args.export is not None and args.format is None:
        format_of(Path(args.export))
    if args.shard is not None and (args.out is None or args.resume is not None):
        raise UsageError(
            "E_USAGE", "A part of a list needs --out for its readings.", "Merge the parts, and run without --shard."
        )
    if args.shard is not None and args.rounds:
        raise UsageError(
            "E_USAGE",
            "Shuffled rounds compare the jokes of the whole list, so a part of it can't have them.",
            "Merge the parts, and run with --rounds and without --shard.",
        )
    if args.format is not None and args.export is None:
        raise UsageError("E_USAGE", "--format belongs to --export.", "See jokejudge contest --help.")
    if args.generator and not args.lists:
        raise UsageError("E_USAGE", "--generator belongs to LIST.", "Give the file with the jokes that it wrote.")


def _request(context: Context, session: Session, found: JokeList | None) -> ContestRequest:
    args = context.args
    if args.resume is None and found is not None:
        entries = _written_by(args.generator, found.entries(all_items=True))
        if args.shard is not None:
            shard = Shard.parse(args.shard)
            entries = tuple(entry for entry in entries if shard.holds(entry.text))
        seen = {} if args.no_history else seen_before(session.store, [item.text for item in found.jokes])
        given = {
            "entries": entries,
            "context": args.context,
            "title": args.title,
            "top": args.top or 3,
            "budget": args.duels,
            "shuffled": args.rounds,
            "seen": seen,
        }
        return session.request(CONTEST, **given)
    entry = session.store.get(_newest(session) if args.resume == "last" else args.resume)
    if not isinstance(entry.result, ContestResult):
        raise UsageError(
            "E_CONTEST_RESUME",
            "This verdict is no contest that could go on.",
            "See jokejudge history list --kind contest.",
        )
    added = [item.text for item in found.jokes] if found is not None else []
    columns = [item.fields for item in found.jokes] if found is not None else []
    asked = {
        "context": args.context or None,
        "title": args.title or None,
        "top": args.top,
        "budget": args.duels,
        "shuffled": args.rounds,
    }
    changed: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    request = ContestRequest.going_on(entry.result, added, columns=columns, **changed, **manner_given(args))
    old = len(request.entries) - len(added)
    return request.replaced(entries=(*request.entries[:old], *_written_by(args.generator, request.entries[old:])))


def _written_by(generator: str, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries, with the model that wrote those whose list doesn't say it."""
    name = clean_generator(generator)
    if not name:
        return entries
    return tuple(
        entry if generator_of(entry) else entry.replaced(columns={**entry.columns, "generator": name})
        for entry in entries
    )


def _newest(session: Session) -> str:
    """The id of the newest contest; "last" where there is none, which the history then says."""
    rows = session.store.search(HistoryQuery(kinds=(ContestResult.kind,), limit=1))
    return rows[0].id if rows else "last"


class _Follower:
    """The progress of a contest with the time that it still takes, and its last event."""

    def __init__(self, context: Context) -> None:
        self._progress = Progress(context.console)
        self._began = time.monotonic()
        self._first = 0
        self._stage: Stage | None = None
        self._last: Finished | Failed | Cancelled | None = None

    def show(self, event: object) -> None:
        match event:
            case StageProgress(stage=stage, done=done, total=total, note=note) if total and stage is self._stage:
                if self._first < 0:
                    self._first = done
                speed = pace(done - self._first, total - self._first, time.monotonic() - self._began)
                self._progress.line(f"{speed}{note}", done, total)
            case StageStarted(stage=stage):
                self._stage, self._began, self._first = stage, time.monotonic(), -1
                self._progress.show(event)
            case Finished() | Failed() | Cancelled():
                self._last = event
            case StageProgress():
                self._progress.show(event)

    def end(self) -> Finished | Failed | Cancelled:
        self._progress.clear()
        if self._last is None:
            raise RuntimeError("a contest ended without a last event")
        return self._last


def _ended(context: Context, last: Finished | Failed | Cancelled) -> int:
    console, args = context.console, context.args
    error = last.error if isinstance(last, Failed) else STOPPED if isinstance(last, Cancelled) else None
    result = last.result if isinstance(last.result, ContestResult) else None
    usable = result is not None and any(entry.rank is not None for entry in result.entries)
    if console.json:
        known = contract(result) if result is not None else failed_object("contest", (), error or STOPPED)
        board = (
            {"leaderboard": [each.model_dump() for each in leaderboard(result, args.by)]} if args.by and result else {}
        )
        console.object(known | board | {"error": error.model_dump() if error is not None else None})
    elif result is not None and usable:
        show_verdict(console, result)
        if args.by:
            show_leaderboard(console, leaderboard(result, args.by))
    if result is not None and usable and args.export is not None:
        count = export_contest(result, Path(args.export), args.format, by=args.by)
        console.note(f"Wrote {count:,} {'pairs' if _is_pairs(args) else 'jokes'} to {args.export}.")
    if error is None:
        return 0
    console.error(restore(error))
    if usable and result is not None:
        console.note(_how_to_go_on(context, result))
    return INTERRUPTED if isinstance(last, Cancelled) else 1


def _is_pairs(args: Any) -> bool:
    try:
        return (args.format or format_of(Path(args.export))) == "dpo"
    except JokeJudgeError:
        return False


def _how_to_go_on(context: Context, result: ContestResult) -> str:
    if context.args.out is not None:
        return "Run the same command again to go on from there."
    if context.args.no_history:
        return "With --out FILE it could go on from there."
    return f"Go on with: {context.told(f'jokejudge contest --resume {result.id}')}"
