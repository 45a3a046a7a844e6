"""What was measured beside readings, in words and as HTML."""

from __future__ import annotations

from html import escape
from itertools import groupby

from ..statistics import Fraction
from .reference import Named, ReferenceItem, ReferenceReport, Section
from .validation import hundred, interval

SECTIONS: dict[Section, str] = {
    "check": "Checks, area under the curve",
    "kind": "Kinds, area under the curve",
    "factor": "Factors, correlation with the readings",
    "fault": "Faults, area under the curve",
}
_HEAD = ("Item", "worth", "texts", "named", "right of 100", "found of 100")
LEARNED = (
    "{count} of these texts come with the program, and the heads that ship learned from them: their figures flatter."
)
REFERENCE_CAUTION = (
    "What a verdict shows is measured: a kind or fault that it doesn't name counts as not found, and a factor that it "
    "doesn't show has no figure. Heads that learned from these texts are flattered by them: measure on readings that "
    "they never saw."
)


def named_words(part: Named) -> str:
    """How kinds or faults that a verdict names go with those that readers name."""
    error = f"; stated chances are off by {part.calibration_error:.3f}" if part.calibration_error is not None else ""
    return (
        f"of those that verdicts name {_share(part.precision)} of 100 are right; of those that readers name "
        f"{_share(part.recall)} of 100 are found{error}."
    )


def reference_words(report: ReferenceReport) -> str:
    """A file of readings in some sentences."""
    factors = [item.worth for item in report.items if item.section == "factor" and item.worth is not None]
    text = f"Beside {report.judged:,} readings of {report.name}: "
    if factors:
        text += f"{len(factors)} factors go with them at {sum(factors) / len(factors):.2f} on average (correlation). "
    text += f"Kinds: {named_words(report.kinds)} Faults: {named_words(report.faults)} "
    text += f"The words on which a joke turns are found in {_share(report.turn)} of 100."
    return text + (f" {LEARNED.format(count=f'{report.learned:,}')}" if report.learned else "")


def _share(share: Fraction) -> str:
    return f"{hundred(share)} ({interval(share)})" if share.share is not None else "–"


def item_worth(item: ReferenceItem) -> str:
    """``.75 (.73 to .76)``; a dash where it can't be told."""
    if item.worth is None:
        return "–"
    spread = f" ({item.low:.2f} to {item.high:.2f})" if item.low is not None and item.high is not None else ""
    return f"{item.worth:.2f}{spread}".replace("-", "−")


def reference_section(report: ReferenceReport) -> str:
    """A section of the HTML report; every name in it is escaped."""
    left = f", {report.errors} without an answer" if report.errors else ""
    parts = [
        f"<section><h2>{escape(report.name)}</h2>",
        f'<p class="small">{report.judged} of {report.rows} texts judged{left}.</p>',
    ]
    if report.learned:
        parts.append(f'<p class="banner">{LEARNED.format(count=f"{report.learned:,}")}</p>')
    parts += [
        f"<p>Kinds: {named_words(report.kinds)}</p><p>Faults: {named_words(report.faults)}</p>",
        f"<p>The likeliest kind is a reader's in {_share(report.first_kind)} of 100 jokes; the words on which a joke "
        f"turns are found in {_share(report.turn)} of 100.</p>",
    ]
    for section, items in groupby(report.items, key=lambda item: item.section):
        rows = "".join(_row(item) for item in items)
        head = "".join(
            f'<th scope="col">{name}</th>'
            for name in ("Item", "worth", "texts", "named", "right of 100", "found of 100")
        )
        parts.append(f'<h3>{SECTIONS[section]}</h3><div class="wide"><table><thead><tr>{head}</tr></thead>')
        parts.append(f"<tbody>{rows}</tbody></table></div>")
    return "".join(parts) + "</section>"


def _row(item: ReferenceItem) -> str:
    shares = [_share(share) if share is not None else "" for share in (item.precision, item.recall)]
    cells = [escape(item.id), item_worth(item), str(item.n), str(item.named), *shares]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
