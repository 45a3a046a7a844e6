"""An audit as one HTML file that needs nothing else: sentences, plots as inline SVG, and tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..evaluation.report_html import document, table
from ..judging.audit.statistics import FALSE_DISCOVERIES, Pull
from ..judging.audit.types import AuditResult, Finding, VoiceAudit
from ..judging.audit.words import STRENGTH, VOICE, Names, in_hundred, summary
from ..verdicts import ModelRef
from .drift import Drift, drift_lines
from .report_svg import pulls_plot

_MOST_FLIPS = 200
HOW = (
    "One joke of each pair is changed in a way that shouldn't matter. A verdict is unchanged if the same joke is ahead "
    "afterwards. The pull is the mean change of the log-odds towards the changed joke, with what its length alone "
    "does taken out, and a 95 % interval over jokes. An effect is told if it lies above that of the neutral change and "
    "above a tenth of the spread of the judge's log-odds, and if at most one in twenty effects told for this voice is "
    f"expected to be false (q ≤ {FALSE_DISCOVERIES:.2f}, Benjamini and Hochberg). It is strong from half that spread "
    "on, or if it changes 15 verdicts in 100 more than the neutral change does. For admission the pull is a share of "
    "texts, told from 2 in 100 on and strong from 10 in 100 on."
)


def page(result: AuditResult, names: Names, against: Drift | None = None) -> str:
    """The report as a whole HTML document; every name in it is escaped. ``against``: what changed since an earlier
    audit."""
    model = result.model or ModelRef(name="no model", sha256="")
    pairs = f"{len(result.pairs):,} pairs, {escape(result.source or 'a list')}"
    body = [
        "<h1>What moves this judge though it shouldn't</h1>",
        f'<p class="small">{escape(model.name)}, {pairs}, probes {escape(result.perturbations)}, '
        f"JokeJudge {escape(result.program)}<br>SHA-256 {escape(model.sha256)}</p>",
        f"<section><h2>In short</h2>{''.join(f'<p>{escape(line)}</p>' for line in summary(result, names))}</section>",
    ]
    if against is not None:
        body.append(_drift(against))
    ordered = not result.probes or "position" in result.probes
    body += [_voice(voice, names, ordered) for voice in result.voices]
    body.append(f'<p class="small">{escape(HOW)}</p>')
    return document(f"JokeJudge: audit of {model.name}", body)


def _voice(voice: VoiceAudit, names: Names, ordered: bool) -> str:
    parts = [f"<section><h2>{escape(VOICE[voice.voice])}</h2>"]
    if voice.agrees is not None:
        parts.append(f'<p class="small">It agrees with people on {in_hundred(voice.agrees)} pairs.</p>')
    parts.append(pulls_plot(voice, names))
    parts.append(_findings("Changes that shouldn't matter", voice, names, ("control", "bias")))
    parts.append(_rest(voice, ordered))
    parts.append(_findings("Words that speak to the judge", voice, names, ("injection",)))
    return "".join(parts) + "</section>"


def _findings(title: str, voice: VoiceAudit, names: Names, roles: Sequence[str]) -> str:
    rows = [_row(finding, names) for finding in voice.findings if finding.role in roles]
    if not rows:
        return ""
    head = ["Change", "said", "pull", "beyond its length", "unchanged, of 100", "clear pairs", "close pairs", "rating",
            "q", "jokes"]  # fmt: skip
    return f"<h3>{escape(title)}</h3>{table(head, rows)}"


def _row(finding: Finding, names: Names) -> list[str]:
    told = STRENGTH[finding.strength] if finding.role != "control" and not names.is_base(finding) else "beside"
    parts = [
        f"{100 * part.kept.share:.0f}" if part is not None and part.kept.share is not None else "–"
        for part in (finding.clear, finding.close)
    ]
    return [
        f'<span title="{escape(names.says(finding.probe))}">{escape(names.form(finding))}</span>',
        f'<span class="fail">{told}</span>' if finding.strength == "strong" else told,
        _pull(finding.pull),
        _pull(finding.beyond),
        in_hundred(finding.kept),
        *parts,
        _signed(finding.rating, 1),
        f"{finding.q:.3f}" if told != "beside" else "–",
        str(finding.pull.n),
    ]


def _rest(voice: VoiceAudit, ordered: bool) -> str:
    rows = []
    if voice.order is not None:
        rows.append(["Position: pull towards the first place", STRENGTH[voice.order.strength], _pull(voice.order.pull)])
        rows.append(["The same joke ahead in both orders", "", in_hundred(voice.order.same)])
    elif ordered and voice.voice in ("audience", "editor"):
        rows.append(["Position", STRENGTH["none"], "each joke is read alone, so the order can't matter"])
    if voice.own is not None:
        found = voice.own.slope
        shown = f"{_signed(found.value)} ({_signed(found.low)} to {_signed(found.high)})"
        rows.append(["Log-odds for a joke that surprises the model by one nat a token more",
                     STRENGTH[voice.own.strength], shown])  # fmt: skip
    if voice.broken is not None:
        rows.append(["The joke ahead of itself with another one's end", "", in_hundred(voice.broken)])
    return f"<h3>Order, own taste, broken punchlines</h3>{table(['Question', 'said', 'found'], rows)}" if rows else ""


def _drift(found: Drift) -> str:
    lines = "".join(f"<p>{escape(line)}</p>" for line in drift_lines(found))
    rows = [
        [escape(VOICE[voice.voice]), escape(flip.text_a), escape(flip.text_b), flip.was, flip.now]
        for voice in found.voices
        for flip in voice.flips[:_MOST_FLIPS]
    ]
    flips = table(["Voice", "A", "B", "before", "now"], rows) if rows else ""
    return f"<section><h2>Beside the earlier audit</h2>{lines}{flips}</section>"


def _pull(found: Pull) -> str:
    return f"{_signed(found.value)} ({_signed(found.low)} to {_signed(found.high)})"


def _signed(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:+.{digits}f}".replace("-", "−")
