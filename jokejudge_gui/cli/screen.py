"""``jokejudge screen``: selects from a list the jokes that people needn't see, and those that they should vote on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ..batch.screening import (
    OwnScoreFiles,
    OwnScores,
    calibration_object,
    of_list,
    read_scores,
    write_to_score,
)
from ..core.errors import InputError
from ..core.events import Finished
from ..core.pages import Page, Table
from ..judge.contest.notes import Ballot, OwnScale, Thresholds, digest_of
from ..judge.contest.record import ContestResult
from ..judge.contest.screening import Screening, kept_screening, proposed
from ..judge.contest.screening import screen as screened
from ..learning.words import scale_lines
from ..library.probe import last
from ..session.loading import identify
from . import options
from .console import Console
from .contest import ranked_list
from .context import Context, misuse, stored
from .options import command, option
from .running import end, fail, interruptible, put, under


def calibration(context: Context) -> int:
    """Show or delete the calibration from the user's own scores. Exit status 0."""
    args, console, files = context.args, context.console, OwnScoreFiles(context.profile)
    if args.lists or args.of is not None or args.scores is not None:
        raise misuse("--calibration takes no list.", "See jokejudge screen --help.")
    if args.calibration == "forget":
        count = files.forget(_sha256(context))
        words = f"Forgot {count} score{'s' * (count > 1)}." if count else "There was no score to forget."
        return console.answer({"forgotten": count}, "", words)
    all_scores = files.all()
    begin = "" if all_scores else f"Begin with: {context.with_models('jokejudge screen LIST --to-score scores.csv')}"
    lines = [
        line
        for scores in all_scores
        for line in (f"{' '.join(scores.model.split())}:", *scale_lines(scores.scale(), len(scores.scores)))
    ]
    fields = {"calibrations": [calibration_object(scores) for scores in all_scores]}
    return console.answer(fields, begin, *(lines or ["No joke is scored yet."]))


def _sha256(context: Context) -> str | None:
    """Return the SHA-256 of the model that this call names; None if it names none."""
    if not context.args.models:
        return None
    with interruptible() as cancel:
        return str(last(identify(context.settings.model, context.profile, cancel))[1])


@dataclass(frozen=True)
class _Outcome:
    """A screened list, with the votes on it and the user's own scores."""

    result: ContestResult
    screening: Screening
    ballots: list[Ballot]
    scores: OwnScores


@command("screen", judges=True)
@options.joke_list
@option("--reject P", "Reject a joke whose chance is below P (0.70).", type=float)
@option("--high P", "Call a joke high whose chance is P or more (0.85).", type=float)
@option("--promote P", "A single high joke needs no vote if its chance is P or more (0.90).", type=float)
@option("--length-penalty", "Take .01 off the chance of a text for each word over 50.")
@option("--vote ID", "With --of: add a vote for this joke among those shown.")
@option("--voter NAME", "Whose vote it is.", default="")
@option("--more", "When a vote is decided, show those next in line.")
@option("--fail-under N", "Exit status 1 where no joke has a chance of N in 100 or more.", type=options.percentage)
@option("--propose", "Take limits that the list itself justifies.")
@option("--of ID|last", "Screen a contest of the history, which keeps the votes.")
@option("--to-score FILE.csv", "Write jokes for you to score from 0 to 10.")
@option("--scores FILE.csv", "Your own scores (columns id and score): from 20 scores on the chances become your own.")
@option("--good-from N", "The score from which a joke is good to you (6).", type=click.IntRange(1, 10))
@option("--most-people", "Use most people's chances, whatever you scored.")
@option("--calibration", "Show or forget what your own scores say.", type=click.Choice(["show", "forget"]))
@options.run_file
@options.shard
@options.ask
def screen(context: Context) -> int:
    """Screen a list. Exit status 0 when every joke has its decision, 1 for a failure, 130 when it was stopped."""
    args, console = context.args, context.console
    vars(args).update(resume=None, duels=None, rounds=None, top=3, generator="")
    if args.calibration is not None:
        return calibration(context)
    _check(context)
    if args.of is not None:
        sentence = "This verdict isn't a contest, so it can't be screened."
        with context.history() as store:
            result = stored(store, args.of, ContestResult, "E_SCREEN_OF", sentence)
    else:
        last = ranked_list(context)
        if not isinstance(last, Finished) or not isinstance(last.result, ContestResult):  # no joke in this part
            return end(console, last, _object(None, last.result))
        result = last.result
    if args.to_score is not None:
        count = write_to_score(result, Path(args.to_score))
        console.note(f"Wrote {count} jokes to {args.to_score}; give each a score from 0 to 10, then use --scores.")
    outcome = _screened(context, result)
    best = max((entry.p for entry in outcome.screening.entries if entry.p is not None), default=None)
    error = under(args, [("The best joke's chance", None if best is None else 100 * best)])
    put(console, _object(outcome, result), error, lambda: _show(console, outcome))
    return fail(console, Finished(), error)


def _check(context: Context) -> None:
    args = context.args
    if args.vote is not None and args.of is None:
        raise misuse("--vote needs --of: the history keeps the votes.", "For instance: --of last --vote 3")
    if args.of is not None and (args.lists or args.out is not None or args.shard is not None):
        raise misuse("--of screens a contest of the history and takes no list.", "Give one of them.")
    if args.voter and args.vote is None:
        raise misuse("--voter belongs to --vote.", "See jokejudge screen --help.")
    _limits(context, None)


def _limits(context: Context, kept: Thresholds | None) -> Thresholds:
    """Return the limits of this call, else those kept with the list, else the defaults."""
    args, base = context.args, kept or Thresholds()
    given = {name: getattr(args, name) for name in ("reject", "high", "promote") if getattr(args, name) is not None}
    return Thresholds.model_validate(base.model_dump() | given)


def _screened(context: Context, result: ContestResult) -> _Outcome:
    """Screen the list, count the votes, and keep both with the contest in the history."""
    args, kept = context.args, result.screening
    scores = _own_scores(context, result)
    scale = scores.scale() if not args.most_people else None
    own: OwnScale | None = scale if scale is not None and scale.kept else None
    penalty = args.length_penalty or (kept is not None and kept.length_penalty)
    limits = _limits(context, kept.thresholds if kept is not None else None)
    if args.propose:
        limits = proposed(result, length_penalty=penalty, own=own) or limits
    texts = {entry.id: entry.text for entry in result.entries}
    ballots = of_list(kept.ballots if kept is not None else (), texts)
    now = datetime.now(UTC)

    def decide(more: bool) -> Screening:
        return screened(result, limits, length_penalty=penalty, own=own, ballots=ballots, now=now, more=more)

    outcome = decide(args.more)
    if args.vote is not None:
        ballots.append(_ballot(args.vote, args.voter, outcome, texts, now))
        outcome = decide(False)
    if args.of is not None or not (args.no_history or args.shard):
        kept = kept_screening(outcome, length_penalty=penalty, ballots=ballots)
        with context.history() as store:
            store.revise(result.id, lambda _stored: result.replaced(screening=kept))
    return _Outcome(result, outcome, ballots, scores)


def _own_scores(context: Context, result: ContestResult) -> OwnScores:
    """Return the user's own scores for this model, with the new ones."""
    args, files = context.args, OwnScoreFiles(context.profile)
    scores = files.get(result.made_by, result.model.name if result.model is not None else "")
    changed = scores
    if args.good_from is not None:
        changed = changed.replaced(good_from=args.good_from)
    if args.scores is not None:
        changed = changed.with_scores(read_scores(args.scores, result))
    if changed != scores:
        files.put(result.made_by, changed)
    return changed


def _ballot(choice: str, voter: str, screening: Screening, texts: dict[str, str], now: datetime) -> Ballot:
    if choice not in texts:
        raise InputError("E_SCREEN_VOTE", f"No joke of this list has the id {choice!r}.", "See jokejudge screen LIST.")
    among = tuple(entry.id for entry in screening.shown)
    if choice not in among:
        hint = f"Vote for one of {', '.join(among)}." if among else "The vote is decided; --more shows the next."
        raise InputError("E_SCREEN_VOTE", f"Joke {choice} isn't among those to be voted on now.", hint)
    return Ballot(choice=choice, among=among, when=now, voter=voter, texts=digest_of([texts[id] for id in among]))


def _object(outcome: _Outcome | None, result: object) -> dict[str, Any]:
    """Return the JSON object of a screening; ``outcome``: None where the list wasn't ranked to its end."""
    contest = result if isinstance(result, ContestResult) else None
    names = ("promoted", "fallback", "missed", "wasted")
    fields: dict[str, Any] = {"entries": [], **dict.fromkeys((*names, "thresholds", "calibration")), "summary": []}
    votes: dict[str, Any] = {"count": 0, "leader": None, "promote": False, "ballots": []}
    if outcome is not None:
        screening, ballots = outcome.screening, outcome.ballots
        fields |= {name: getattr(screening, name) for name in names} | {
            "entries": [entry.model_dump() for entry in screening.entries],
            "thresholds": screening.thresholds.model_dump(),
            "calibration": calibration_object(outcome.scores) if outcome.scores.scores else None,
            "summary": screening.sentences(),
        }
        votes = {"count": len(ballots), "leader": screening.ahead, "promote": screening.decided}
        votes["ballots"] = [ballot.model_dump(mode="json") for ballot in ballots]
    return {
        "id": contest.id if contest else None,
        "topic": (contest.context or None) if contest else None,
        **fields,
        "votes": votes,
        "usage": contest.usage.model_dump() if contest else None,
        "model": contest.model.model_dump() if contest and contest.model else None,
    }


def _show(console: Console, outcome: _Outcome) -> None:
    screening, ballots = outcome.screening, outcome.ballots
    headline, *lead = screening.sentences() or ["There is nothing to screen"]
    if ballots:
        ahead = screening.ahead
        state = "promoted" if screening.decided else "ahead"
        leader = "no joke is ahead" if ahead is None else f"joke {ahead} is {state}"
        lead.append(f"{len(ballots)} vote{'s' * (len(ballots) > 1)}: {leader}.")
    if len(screening.shown) > 1:
        lead.append("Let people choose among those to be voted on without the chances in sight.")
    rows = tuple(
        ("" if one.p is None else f"{one.p:.2f}", screening.decision(one), one.id, one.text, screening.why(one))
        for one in screening.entries
    )
    table = Table("", ("chance", "decision", "id", "joke", ""), rows)
    console.page(Page(headline, lead=tuple(lead), notes=outcome.result.warnings, tables=(table,)))
    if screening.fallback:
        console.note("--propose takes limits that this list justifies.")
    if outcome.scores.scores:
        for line in scale_lines(outcome.scores.scale(), len(outcome.scores.scores)):
            console.note(line)
