"""``jokejudge models fit``: an audience head from votes, kept only if it is worth it; or, with ``--editor``, heads that
read jokes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import UsageError, restore
from ..evaluation.evaluation_types import LabelledPair
from ..evaluation.labelled import PairsFile, RatingsFile, read_pairs, read_ratings
from ..events import Cancelled, Event, Failed
from ..learning.fit_report import AgainstRivals, HeadFitted, HeadRemoved, HeadReport
from ..library.catalogue import load_catalogue
from ..statistics import one_against_the_others
from ..verdicts import ErrorInfo
from ..vote_sets import PairVote, Rated, VoteSet
from .console import Console, printable, shorten
from .context import Context
from .editor_command import fit_editor
from .judge_commands import INTERRUPTED
from .running import Progress, follow, interruptible

if TYPE_CHECKING:
    from ..engine.base import CancelToken
    from ..session import Session

_STOPPED = ErrorInfo(code="E_INTERRUPTED", sentence="Stopped: nothing was fitted, and nothing was changed.")
_HINT = "Votes of your own (--pairs, --ratings) or a larger model may tell more."


def fit(context: Context) -> int:
    """Fit, or delete what was fitted; exit status 0 whether the head was kept or not."""
    args, console = context.args, context.console
    if args.editor:
        if args.remove or args.pairs or args.ratings or args.only_given:
            raise UsageError(
                "E_USAGE", "--editor learns from an editor's readings; it takes no votes.", "Leave the others out."
            )
        return fit_editor(with_model(context, context.args.name))
    if args.again:
        raise UsageError("E_USAGE", "--again belongs to --editor.", "Write: jokejudge models fit --editor --again")
    if args.remove and (args.pairs or args.ratings or args.only_given):
        raise UsageError("E_USAGE", "--remove deletes what was fitted; it takes no votes.", "Leave the files out.")
    votes = _votes(context)
    seen: list[HeadFitted | HeadRemoved] = []
    with with_model(context, context.args.name).session() as session, interruptible() as cancel:
        last = follow(_noting(_job(context, session, votes, cancel), seen), Progress(console))
        model = session.model
    error = last.error if isinstance(last, Failed) else _STOPPED if isinstance(last, Cancelled) else None
    outcome = seen[-1] if seen else None
    if console.json:
        found = outcome.model if isinstance(outcome, HeadRemoved) else model
        report = outcome.report if isinstance(outcome, HeadFitted) else None
        console.object(
            {
                "model": found.model_dump() if found else None,
                "kept": report.kept if report else None,
                "removed": outcome.removed if isinstance(outcome, HeadRemoved) else None,
                "report": report.model_dump(mode="json") if report else None,
                "sentences": list(report.sentences) if report else [],
                "error": error.model_dump() if error else None,
            }
        )
    if error is not None:
        console.error(restore(error))
        return INTERRUPTED if isinstance(last, Cancelled) else 1
    if not console.json and outcome is not None:
        _show(console, outcome)
    return 0


def with_model(context: Context, name: str | None) -> Context:
    """The call with ``name`` in the place of the model in use."""
    if name is None:
        return context
    entry = load_catalogue().find(name)
    spec = None if name == "embedded" or (entry is not None and entry.embedded) else name
    return replace(context, settings=context.settings.for_this_call(model=spec or "embedded"))


def _job(context: Context, session: Session, votes: list[VoteSet], cancel: CancelToken) -> Iterator[Event]:
    if context.args.remove:
        return session.remove_head(cancel=cancel)
    return session.fit(votes, shipped=not context.args.only_given, cancel=cancel)


def _noting(events: Iterator[Event], seen: list[HeadFitted | HeadRemoved]) -> Iterator[Event]:
    for event in events:
        if isinstance(event, HeadFitted | HeadRemoved):
            seen.append(event)
        yield event


def _votes(context: Context) -> list[VoteSet]:
    """The files' votes; rows that can't be used are told. Raises ``UsageError`` and ``InputError``."""
    args, console = context.args, context.console
    found: list[VoteSet] = []
    for pairs in [read_pairs(source) for source in args.pairs or ()]:
        _tell_bad(console, pairs)
        found.append(_pair_votes(pairs))
    for ratings in [read_ratings(source) for source in args.ratings or ()]:
        _tell_bad(console, ratings)
        rated = tuple(Rated(row.text, row.rating) for row in ratings.rows if row.rating is not None)
        if not rated:
            raise UsageError(
                "E_FIT_RATINGS",
                f"{ratings.name} says which texts are jokes, but not how funny they are.",
                "Give --ratings a file with a column of ratings.",
            )
        found.append(VoteSet(ratings.name, ratings=rated))
    names = [votes.name for votes in found]
    return [
        replace(votes, name=f"{votes.name} ({number})") if names.count(votes.name) > 1 else votes
        for number, votes in enumerate(found, 1)
    ]


def _pair_votes(file: PairsFile) -> VoteSet:
    counted = [
        one_against_the_others(r.votes_a, r.votes_b)
        for r in file.rows
        if r.votes_a is not None and r.votes_b is not None
    ]
    return VoteSet(
        file.name,
        pairs=tuple(map(_pair_vote, file.rows)),
        agreeing=sum(agreeing for agreeing, _ in counted),
        asked=sum(asked for _, asked in counted),
    )


def _pair_vote(row: LabelledPair) -> PairVote:
    winner, loser = (row.text_a, row.text_b) if row.winner == "A" else (row.text_b, row.text_a)
    if row.votes_a is None or row.votes_b is None:
        return PairVote(winner, loser)
    return PairVote(winner, loser, abs(row.votes_a - row.votes_b) / (row.votes_a + row.votes_b + 1.0))


def _tell_bad(console: Console, file: PairsFile | RatingsFile) -> None:
    if file.bad:
        console.note(f"{file.name}: {len(file.bad)} row{'s' * (len(file.bad) > 1)} left out; {file.bad[0]}.")


def _show(console: Console, outcome: HeadFitted | HeadRemoved) -> None:
    if isinstance(outcome, HeadRemoved):
        console.paragraph(outcome.sentence)
        return
    report = outcome.report
    for sentence in report.sentences:
        console.paragraph(sentence)
    if report.left_out:
        console.note(f"{report.left_out:,} texts weren't read: too many, or too long for the model.")
    _table(console, report)
    if not report.kept:
        console.note(_HINT)


def _table(console: Console, report: HeadReport) -> None:
    console.text("")
    console.text(f"{'Right in 100 held-out pairs':30} {'head':>14} {'length':>8} {'wording':>8} {'pairs':>8}")
    rows: list[tuple[str, AgainstRivals]] = [(part.name, part) for part in report.sets]
    if len(rows) > 1:
        rows.append(("all, every text alike", report))
    for name, found in rows:
        head = found.head
        interval = f"{100 * head.share:.0f} ({100 * head.low:.0f}–{100 * head.high:.0f})"
        console.text(
            f"{shorten(printable(name, lines=False), 30)} {interval:>14} {100 * found.length.share:>8.0f} "
            f"{100 * found.wording.share:>8.0f} {head.pairs:>8,}"
        )
