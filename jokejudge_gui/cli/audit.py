"""``jokejudge audit``: changes of a text that change the judge's verdict though they shouldn't."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.errors import JokeJudgeError, info
from ..core.events import Cancelled, Stage
from ..core.files import atomic_write
from ..core.outputs import keep_foreign
from ..core.pages import as_html
from ..judge.audit.audit_judge import chosen
from ..judge.audit.kind import AUDIT
from ..judge.audit.record import MOST_ASKED, AuditResult
from ..judge.audit.words import VOICE, form_name, is_base
from ..measure.audit import SHIPPED, USUAL, own_cases, shipped_cases
from ..measure.audit import audit as run_audit
from . import options
from .context import Context, check_files
from .options import command, option
from .running import STOPPED, Progress, end, failure, follow, interruptible, under
from .verdicts import show_verdict

_GO_ON = "What was read is kept. Run the same command again to go on from there."


@command("audit", judges=True)
@option("--pairs FILE", "Pairs that people judged, as for evaluate; without it, jokes that come with the program.")
@option("--probe NAME", "Only this probe; may be given several times.", multiple=True)
@option("-n --limit N", "Audit on at most N pairs (200; of a file, all).")
@option("--asked N", "Pairs that the model itself is asked about, where it is asked (60).")
@options.html
@option(
    "--fail-under N",
    "Exit status 1 where a part of the judge keeps fewer than N of 100 verdicts under a change that shouldn't move it.",
    type=options.percentage,
)
@options.ask
def audit(context: Context) -> int:
    """Audit the model. Exit status 0 when the audit is complete, 1 for a failure, 130 when it was stopped; readings are
    kept then, and the same command continues from there."""
    args, console = context.args, context.console
    fields = _fields(context)
    with context.session() as session, interruptible() as cancel:
        request = session.request(AUDIT, **fields)
        events = run_audit(session, request, record=not args.no_history, cancel=cancel)
        last = follow(events, Progress(console, paced=(Stage.READING, Stage.DUELS, Stage.SCORES)))
    partial = last.result if isinstance(last.result, AuditResult) else None
    result = partial if partial is not None and partial.voices else None
    error = failure(last) or under(args, _kept(result))
    if args.html is not None and result is not None:
        try:
            atomic_write(Path(args.html), as_html([AUDIT.words(result)], "JokeJudge: audit"))
        except JokeJudgeError as fault:
            error = error or info(fault)
    fields = AUDIT.contract(partial) if partial is not None else AUDIT.unread((), error or STOPPED)

    def show() -> None:
        if result is not None:
            show_verdict(console, result)

    return end(console, last, fields, show, error=error, note=_GO_ON if isinstance(last, Cancelled) else "")


def _fields(context: Context) -> dict[str, Any]:
    """Return the fields of the request that the call gives."""
    args = context.args
    check_files(html=args.html)
    if args.html is not None:
        keep_foreign(Path(args.html), as_html([], "JokeJudge:").encode("utf-8"))
    probes = tuple(dict.fromkeys(args.probe))
    chosen(probes)
    cases, source = shipped_cases(args.limit or USUAL) if args.pairs is None else (), SHIPPED
    if args.pairs is not None:
        source = "standard input" if args.pairs == "-" else Path(args.pairs).name
        cases = own_cases(args.pairs, args.limit)
    return {"cases": cases, "probes": probes, "source": source, "most_asked": args.asked or MOST_ASKED}


def _kept(result: AuditResult | None) -> Iterator[tuple[str, float | None]]:
    """Yield the percentage of verdicts that each voice keeps under each change that shouldn't affect it."""
    for voice in result.voices if result is not None else ():
        for finding in voice.findings:
            if finding["role"] in ("bias", "injection") and not is_base(finding):
                share = finding["kept"]["share"]
                name = f"{VOICE[voice.voice]}: what is kept under {form_name(finding)}"
                yield name, None if share is None else 100 * share
