"""``jokejudge screen``: what people needn't see of a list, and what they should vote on."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import ErrorInfo, InputError, UsageError, restore
from ..events import Cancelled, Failed
from ..judging.contest.types import ContestResult
from ..runs.ballot_file import BallotFile
from ..runs.screening import Ballot, Screening, Thresholds, leader
from ..runs.screening import screen as screened
from .console import Console, printable, shorten
from .contest_command import ranked_list
from .context import Context
from .judge_commands import INTERRUPTED, STOPPED
from .verdict_lines import heading, warnings

_NAMES = {"promote": "promote", "show": "vote now", "wait": "vote later", "reject": "reject"}
_REASONS = {"version": "a better version is in the list", "stock": "an old joke", "length": "for its length", "": ""}
_MOST_ROWS = 50


def screen(context: Context) -> int:
    """Screen a list. Exit status 0 when every joke has its decision, 1 for a failure, 130 when it was stopped."""
    args = context.args
    limits = Thresholds(reject=args.reject, high=args.high, promote=args.promote)
    if args.vote is not None and args.votes is None:
        raise UsageError("E_USAGE", "--vote needs --votes with the name of a file.", "See jokejudge screen --help.")
    last, _ = ranked_list(context)
    if isinstance(last, Failed | Cancelled):
        error = last.error if isinstance(last, Failed) else STOPPED
        if context.console.json:
            context.console.object(_object(last.result, None, [], error))
        context.console.error(restore(error))
        return INTERRUPTED if isinstance(last, Cancelled) else 1
    result = last.result
    assert isinstance(result, ContestResult)
    found = screened(result, limits, length_penalty=args.length_penalty)
    ballots = _ballots(context, found)
    if context.console.json:
        context.console.object(_object(result, found, ballots, None))
    else:
        _show(context.console, result, found, ballots)
    return 0


def _ballots(context: Context, found: Screening) -> list[Ballot]:
    """The votes that are kept, the new one among them. Only votes for jokes of this list count."""
    args = context.args
    if args.votes is None:
        return []
    ids = {entry.id for entry in found.entries}
    with closing(BallotFile(Path(args.votes))) as file:
        if args.vote is not None:
            if args.vote not in ids:
                raise InputError(
                    "E_SCREEN_VOTE", f"No joke of this list has the id {args.vote!r}.", "See jokejudge screen LIST."
                )
            among = tuple(entry.id for entry in found.shown)
            file.add(Ballot(choice=args.vote, among=among, when=datetime.now(UTC)))
        return [ballot for ballot in file.ballots if ballot.choice in ids]


def _object(result: object, found: Screening | None, ballots: list[Ballot], error: ErrorInfo | None) -> dict[str, Any]:
    """The JSON object of a screening."""
    known = result if isinstance(result, ContestResult) else None
    ahead, enough = leader(ballots, datetime.now(UTC))
    return {
        "id": known.id if known else None,
        "topic": (known.context or None) if known else None,
        "entries": [entry.model_dump() for entry in found.entries] if found else [],
        "promoted": found.promoted if found else None,
        "fallback": found.fallback if found else None,
        "thresholds": found.thresholds.model_dump() if found else None,
        "missed": found.missed if found else None,
        "wasted": found.wasted if found else None,
        "votes": {"count": len(ballots), "leader": ahead, "promote": enough},
        "summary": found.sentences() if found else [],
        "usage": known.usage.model_dump() if known else None,
        "model": known.model.model_dump() if known and known.model else None,
        "error": error.model_dump() if error is not None else None,
    }


def _show(console: Console, result: ContestResult, found: Screening, ballots: list[Ballot]) -> None:
    warnings(console, result)
    sentences = found.sentences()
    heading(console, sentences[0] if sentences else "There is nothing to screen")
    for line in sentences[1:]:
        console.paragraph(line)
    ahead, enough = leader(ballots, datetime.now(UTC))
    if ballots:
        votes = "1 vote" if len(ballots) == 1 else f"{len(ballots)} votes"
        told = "no joke is ahead" if ahead is None else f"joke {ahead} is {'promoted' if enough else 'ahead'}"
        console.paragraph(f"{votes}: {told}.")
    console.text("")
    console.text(console.style.paint("chance  decision    id    joke", "dim"))
    for entry in found.entries[:_MOST_ROWS]:
        chance = "" if entry.p is None else f"{entry.p:.2f}"
        head = f"{chance:>6}  {_NAMES[entry.decision]:<10}  {shorten(entry.id, 4)}  "
        ends = f"  ({_REASONS[entry.reason]})" if entry.reason else ""
        room = max(24, console.width - len(head) - len(ends))
        text = shorten(printable(entry.text, lines=False), room).rstrip()
        console.text(head + text + console.style.paint(ends, "dim"))
    if len(found.entries) > _MOST_ROWS:
        console.text(
            console.style.paint(f"… and {len(found.entries) - _MOST_ROWS:,} more; --json holds them all", "dim")
        )
    if len(found.shown) > 1:
        console.text("")
        console.paragraph("Let people choose among those to be voted on without the chances in sight.")
