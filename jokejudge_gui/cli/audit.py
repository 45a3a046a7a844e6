"""``jokejudge audit``: changes of a text that change the judge's verdict though they shouldn't."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.events import Event, Stage
from ..core.files import atomic_write
from ..core.pages import as_html
from ..judge.audit.audit_judge import chosen
from ..judge.audit.kind import AUDIT
from ..judge.audit.record import MOST_ASKED, AuditResult
from ..measure.audit import SHIPPED, USUAL, own_cases, shipped_cases
from ..measure.audit import audit as run_audit
from ..session.session import Session
from . import options
from .context import Context
from .evaluate import report_file
from .options import command, option
from .running import GO_ON, judge

_TITLE = "JokeJudge: audit"


@command("audit", judges=True)
@option("--pairs FILE", "Pairs that people judged, as for evaluate; without it, jokes that come with the program.")
@option("--probe NAME", "Only this probe; may be given several times.", multiple=True)
@option("-n --limit N", "Audit on at most N pairs (200; of a file, all).")
@option("--asked N", "Pairs that the model itself is asked about, where it is asked (60).", default=MOST_ASKED)
@options.html
@options.ask
def audit(context: Context) -> int:
    """Audit the model. Exit status 0 when the audit is complete, 1 for a failure, 130 when it was stopped; readings are
    kept then, and the same command continues from there."""
    args = context.args
    html = report_file(args.html)
    probes = tuple(dict.fromkeys(args.probe))
    chosen(probes)
    if args.pairs is None:
        cases, source = shipped_cases(args.limit or USUAL), SHIPPED
    else:
        cases = own_cases(args.pairs, args.limit)
        source = "standard input" if args.pairs == "-" else Path(args.pairs).name

    def ask(session: Session, **how: Any) -> Iterator[Event]:
        request = session.request(AUDIT, cases=cases, probes=probes, source=source, most_asked=args.asked)
        return run_audit(session, request, **how)

    def write(result: AuditResult) -> None:
        if html is not None:
            atomic_write(html, as_html([AUDIT.words(result)], _TITLE))

    paced = (Stage.READING, Stage.DUELS, Stage.SCORES)
    return judge(
        context, "audit", ask, usable=lambda result: result.voices, write=write, note=f"What was read is kept. {GO_ON}",
        paced=paced,
    )  # fmt: skip
