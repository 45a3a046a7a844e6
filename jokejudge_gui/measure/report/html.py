"""Evaluations, audits and comparisons as one self-contained HTML file each: their parts, and plots as inline SVG. Every
name in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.pages import Part, document, paragraph, part_html
from ...core.verdicts import ModelRef
from ...judge.audit.kind import Names
from ...judge.audit.statistics import FALSE_DISCOVERIES
from ...judge.audit.types import AuditResult, VoiceAudit
from ..comparison import COMPARED, Comparison
from ..drift import Drift
from ..evaluation import Evaluation, PairsReport, RatingsReport
from ..validation import CAUTION, REFERENCE_CAUTION
from .rows import audit_parts, comparison_parts, evaluation_parts, probe_part
from .svg import agreement_plot, calibration_plot, pulls_plot, ratings_plot


def evaluation_page(found: Evaluation) -> str:
    """Return the report as a whole HTML document."""
    model = found.model.name if found.model else "no model"
    limit = f", at most {found.limit} rows of each file" if found.limit is not None else ""
    hash = f"SHA-256 {found.model.sha256}" if found.model else ""
    body = [
        "<h1>How far to trust this judge</h1>",
        paragraph(f"{model}, {found.mode} mode, seed {found.seed}{limit}", hash, look="small"),
    ]
    if not found.whole:
        body.append(paragraph("Not finished: this is about the rows judged so far.", look="banner"))
    body += _boxes(evaluation_parts(found))
    if found.pairs or found.ratings or not found.reference:
        body.append(paragraph(CAUTION, look="small"))
    if found.reference:
        body.append(paragraph(REFERENCE_CAUTION, look="small"))
    return document(f"JokeJudge: {model}", body)


HOW = (
    "One joke of each pair is changed in a way that shouldn't matter. A verdict is unchanged if the same joke is ahead "
    "afterwards. The pull is the mean change of the log-odds towards the changed joke, with what its length alone "
    "does taken out, and a 95 % interval over jokes. An effect is told if it lies above that of the neutral change and "
    "above a tenth of the spread of the judge's log-odds, and if at most one in twenty effects told for this voice is "
    f"expected to be false (q ≤ {FALSE_DISCOVERIES:.2f}, Benjamini and Hochberg). It is strong from half that spread "
    "on, or if it changes 15 verdicts in 100 more than the neutral change does. For admission the pull is a share of "
    "texts, told from 2 in 100 on and strong from 10 in 100 on."
)


def audit_page(result: AuditResult, names: Names, against: Drift | None = None) -> str:
    """Return the report as a whole HTML document. ``against``: the changes since an earlier audit."""
    model = result.model or ModelRef(name="no model", sha256="")
    about = f"{model.name}, {len(result.pairs):,} pairs, {result.source or 'a list'}, probes {result.perturbations}"
    body = [
        "<h1>What moves this judge though it shouldn't</h1>",
        paragraph(f"{about}, JokeJudge {result.program}", f"SHA-256 {model.sha256}", look="small"),
        *_boxes((*audit_parts(result, names, against), probe_part(result, names)), names),
        paragraph(HOW, look="small"),
    ]
    return document(f"JokeJudge: audit of {model.name}", body)


def comparison_page(found: Comparison) -> str:
    """Return the comparison as a whole HTML document."""
    body = ["<h1>Two judges on the same rows</h1>", *_boxes(comparison_parts(found)), paragraph(COMPARED, look="small")]
    return document("JokeJudge: two judges compared", body)


def _boxes(parts: Iterable[Part], names: Names | None = None) -> list[str]:
    return [part_html(part, *_plots(part, names)) for part in parts]


def _plots(part: Part, names: Names | None) -> list[str]:
    match part.about:
        case PairsReport():
            return [agreement_plot(part.about), calibration_plot(part.about.trust)]
        case RatingsReport():
            return [ratings_plot(part.about)]
        case VoiceAudit() if names is not None:
            return [pulls_plot(part.about, names)]
    return []
