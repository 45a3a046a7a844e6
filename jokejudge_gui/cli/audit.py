"""``jokejudge audit``: changes of a text that change the judge's verdict though they shouldn't."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..core.errors import JokeJudgeError, info
from ..core.events import Cancelled, Stage
from ..core.files import atomic_write
from ..core.outputs import keep_foreign
from ..core.pages import document
from ..judge.audit.judge import chosen
from ..judge.audit.kind import AUDIT, VOICE, Names
from ..judge.audit.types import MOST_ASKED, AuditResult, read_audit
from ..measure.audit import audit as run_audit
from ..measure.audit_pairs import SHIPPED, USUAL, own_cases, shipped_cases
from ..measure.drift import Drift, drift
from ..measure.report.html import audit_page
from ..measure.report.rows import drift_part
from ..rubric.perturbations import parse_perturbations
from . import options
from .context import Context, check_files
from .options import command, option
from .running import STOPPED, Last, Progress, end, failure, follow, interruptible, under
from .verdicts import show_verdict


@command("audit", judges=True)
@option(
    "--pairs",
    metavar="FILE",
    help="Pairs that people judged, as for evaluate; without it, jokes that come with the program.",
)
@option(
    "--probe", metavar="NAME", type=options.text, multiple=True, help="Only this probe; may be given several times."
)
@option("-n", "--limit", metavar="N", type=click.IntRange(1), help="Audit on at most N pairs (200; of a file, all).")
@option(
    "--asked",
    metavar="N",
    type=click.IntRange(1),
    help="Pairs that the model itself is asked about, where it is asked (60).",
)
@options.html
@option(
    "--fail-under",
    metavar="N",
    type=options.percentage,
    help="Exit status 1 where a part of the judge keeps fewer than N of 100 verdicts under a change that shouldn't "
    "move it.",
)
@option(
    "--against",
    metavar="OLD.json",
    help="Compare with an earlier audit that --json wrote: which verdicts flipped.",
)
@options.ask
def audit(context: Context) -> int:
    """Audit the model. Exit status 0 when the audit is complete, 1 for a failure, 130 when it was stopped; readings are
    kept then, and the same command continues from there."""
    args = context.args
    fields = _fields(context)
    earlier = read_audit(Path(args.against)) if args.against is not None else None
    with context.session() as session, interruptible() as cancel:
        request = session.request(AUDIT, **fields)
        events = run_audit(session, request, record=not args.no_history, cancel=cancel)
        last = follow(events, Progress(context.console, paced=(Stage.READING, Stage.DUELS, Stage.SCORES)))
    result = last.result if isinstance(last.result, AuditResult) else None
    found = None
    if result is not None and earlier is not None and result.voices:
        found = drift(earlier, result, Names(parse_perturbations()))
    return _ended(context, last, result, found)


def _fields(context: Context) -> dict[str, Any]:
    """Return the fields of the request that the call gives."""
    args = context.args
    check_files(html=args.html)
    if args.html is not None:
        keep_foreign(Path(args.html), document("JokeJudge:", ()).encode("utf-8"))
    probes = tuple(dict.fromkeys(args.probe))
    chosen(probes)
    if args.pairs is None:
        cases, source = shipped_cases(args.limit or USUAL), SHIPPED
    else:
        cases, source = (
            own_cases(args.pairs, args.limit),
            "standard input" if args.pairs == "-" else Path(args.pairs).name,
        )
    return {"cases": cases, "probes": probes, "source": source, "most_asked": args.asked or MOST_ASKED}


def _ended(context: Context, last: Last, result: AuditResult | None, found: Drift | None) -> int:
    console, args = context.console, context.args
    error = failure(last) or under(args, _kept(result))
    if args.html is not None and result is not None and result.voices:
        try:
            atomic_write(Path(args.html), audit_page(result, Names(parse_perturbations()), found))
        except JokeJudgeError as fault:
            error = error or info(fault)
    known = AUDIT.contract(result) if result is not None else AUDIT.unread((), error or STOPPED)
    against = {"against": found.model_dump(mode="json")} if found is not None else {}

    def show() -> None:
        if result is not None and result.voices:
            show_verdict(console, result)
            if found is not None:
                console.part(drift_part(found))

    go_on = "What was read is kept. Run the same command again to go on from there."
    note = go_on if isinstance(last, Cancelled) else ""
    return end(console, last, known | against, show, error=error, note=note)


def _kept(result: AuditResult | None) -> Iterator[tuple[str, float | None]]:
    """Yield the percentage of verdicts that each voice keeps under each change that shouldn't affect it."""
    names = Names(parse_perturbations())
    for voice in result.voices if result is not None else ():
        for finding in voice.findings:
            if finding.role in ("bias", "injection") and not names.is_base(finding):
                share = finding.kept.share
                name = f"{VOICE[voice.voice]}: what is kept under {names.form(finding)}"
                yield name, None if share is None else 100 * share
