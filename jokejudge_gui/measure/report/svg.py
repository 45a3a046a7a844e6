"""The plots of a report, as inline SVG that takes its colours from the page's classes."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TypeAlias

from ...core.statistics import Fraction
from ...judge.audit.kind import VOICE, Names
from ...judge.audit.statistics import STRONG_EFFECT
from ...judge.audit.types import ADMISSIONS, Finding, VoiceAudit
from ..evaluation import PairsReport, RatingsReport, Reliability

Scale: TypeAlias = Callable[[float], float]
"""From a share to a place in the picture."""

_SIDE = 300
_LEFT, _TOP, _FOOT, _RIGHT = 46, 14, 40, 14
_NAMES = {"all": "all pairs", "clear": "clear votes"}


def agreement_plot(report: PairsReport) -> str:
    """Dots with intervals: the judge and its baselines, for each margin, beside the chance line."""
    rows: list[tuple[str, Fraction, str]] = []
    for row in report.agreement:
        where = f", {_NAMES[row.margin]}" if len(report.agreement) > 1 else ""
        rows.append((f"judge{where}", row.judge, "judge"))
        rows.append((f"longer{where}", row.length, "other"))
        rows.append((f"wording{where}", row.ngrams, "other"))
    if report.one_person is not None:
        rows.append(("one person", report.one_person, "other"))
    rows = [row for row in rows if row[1].n]
    begin, width, step = 150, 480, 24
    low = min([0.4, *(share.low for _, share, _ in rows if share.low is not None)])
    low = int(low * 10) / 10
    high = _TOP + step * len(rows)

    def x(value: float) -> float:
        return begin + width * (value - low) / (1 - low)

    parts = []
    for tick in range(round(low * 10), 11):
        at = x(tick / 10)
        parts.append(f'<line class="axis" x1="{at:.1f}" y1="{_TOP}" x2="{at:.1f}" y2="{high}"/>')
        parts.append(f'<text x="{at:.1f}" y="{high + 18}" text-anchor="middle">{tick * 10}</text>')
    parts.append(f'<line class="guide" x1="{x(0.5):.1f}" y1="{_TOP - 6}" x2="{x(0.5):.1f}" y2="{high}"/>')
    for number, (name, share, kind) in enumerate(rows):
        y = _TOP + step * (number + 0.5)
        strong = ' class="strong"' if kind == "judge" else ""
        parts.append(f'<text{strong} x="{begin - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        parts.append(_whisker_across(kind, x, y, share))
    parts.append(f'<text x="{x(0.5) + 4:.1f}" y="{high + 34}">chance at 50; right in 100 pairs</text>')
    return _svg(begin + width + 20, high + _FOOT, "Agreement with people beside the baselines", parts)


def _whisker_across(kind: str, x: Scale, y: float, share: Fraction) -> str:
    line = ""
    if share.low is not None and share.high is not None:
        line = (
            f'<line class="{kind}" stroke-width="2" x1="{x(share.low):.1f}" y1="{y:.1f}" '
            f'x2="{x(share.high):.1f}" y2="{y:.1f}"/>'
        )
    return line + f'<circle class="{kind}" cx="{x(share.share or 0.0):.1f}" cy="{y:.1f}" r="4.5"/>'


def calibration_plot(trust: Reliability) -> str:
    """Found against stated probability of the winner, with intervals; on the diagonal the judge means what it says."""
    low = 0.5
    bottom = min([0.4, *(part.found.low for part in trust.tenths if part.found.low is not None)])
    bottom = max(0.0, int(bottom * 10) / 10)

    def x(value: float) -> float:
        return _LEFT + _SIDE * (value - low) / (1 - low)

    def y(value: float) -> float:
        return _TOP + _SIDE * (1 - value) / (1 - bottom)

    parts = _frame(x, y, (5, 10), (round(bottom * 10), 10))
    parts.append(f'<line class="guide" x1="{x(0.5):.1f}" y1="{y(0.5):.1f}" x2="{x(1):.1f}" y2="{y(1):.1f}"/>')
    most = max((part.found.n for part in trust.tenths), default=1)
    for part in trust.tenths:
        found = part.found
        if found.share is None or found.low is None or found.high is None:
            continue
        at = x(part.stated)
        radius = 3 + 4 * (found.n / most) ** 0.5
        parts.append(
            f'<line class="judge" stroke-width="2" x1="{at:.1f}" y1="{y(found.low):.1f}" x2="{at:.1f}" '
            f'y2="{y(found.high):.1f}"/>'
        )
        parts.append(
            f'<circle class="judge" cx="{at:.1f}" cy="{y(found.share):.1f}" r="{radius:.1f}">'
            f"<title>says {100 * part.stated:.0f}, right in {100 * found.share:.0f} of 100, {found.n} pairs</title>"
            "</circle>"
        )
    parts += _axis_names("stated probability of the winner, of 100", "right, of 100")
    return _svg(_LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _FOOT, "Stated against found probability", parts)


def ratings_plot(report: RatingsReport) -> str:
    """A dot for each text: people's rating across, the judge's upwards, both on their whole scale."""
    if not report.points:
        return ""

    def x(value: float) -> float:
        return _LEFT + _SIDE * value

    def y(value: float) -> float:
        return _TOP + _SIDE * (1 - value)

    parts = _frame(x, y, (0, 10), (0, 10), every=2)
    parts += [f'<circle class="dot" cx="{x(a):.1f}" cy="{y(b):.1f}" r="3"/>' for a, b in report.points]
    which = "audience percentile" if report.audience is not None else "score"
    parts += _axis_names("people's rating, of 100", f"{which}, of 100")
    return _svg(_LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _FOOT, f"People's ratings and the judge's {which}", parts)


def _frame(x: Scale, y: Scale, across: tuple[int, int], up: tuple[int, int], every: int = 1) -> list[str]:
    left, right, top, foot = x(across[0] / 10), x(across[1] / 10), y(up[1] / 10), y(up[0] / 10)
    parts = []
    for tick in range(across[0], across[1] + 1, every):
        at = x(tick / 10)
        parts.append(f'<line class="axis" x1="{at:.1f}" y1="{top:.1f}" x2="{at:.1f}" y2="{foot:.1f}"/>')
        parts.append(f'<text x="{at:.1f}" y="{foot + 16:.1f}" text-anchor="middle">{tick * 10}</text>')
    for tick in range(up[0], up[1] + 1, every):
        at = y(tick / 10)
        parts.append(f'<line class="axis" x1="{left:.1f}" y1="{at:.1f}" x2="{right:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{left - 6:.1f}" y="{at + 4:.1f}" text-anchor="end">{tick * 10}</text>')
    return parts


def _axis_names(across: str, up: str) -> list[str]:
    middle = _TOP + _SIDE / 2
    return [
        f'<text x="{_LEFT + _SIDE / 2:.1f}" y="{_TOP + _SIDE + 34}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="13" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 13 {middle:.1f})">'
        f"{escape(up)}</text>",
    ]


def _svg(width: float, height: float, name: str, parts: list[str]) -> str:
    return (
        f'<svg role="img" aria-label="{escape(name)}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">' + "".join(parts) + "</svg>"
    )


# --------------------------------------------------------------------------------------------------------------------
# The plot of an audit's report: how far each form pulls a voice, with its interval, as inline SVG.

_BEGIN, _WIDTH, _STEP, _AUDIT_TOP, _AUDIT_FOOT = 270, 460, 22, 14, 44
_LEAST_REACH, _MOST_REACH = 0.75, 3.0


def pulls_plot(voice: VoiceAudit, names: Names) -> str:
    """A row for each form: the pull beyond its length, in the voice's spread over pairs; empty for no forms."""
    unit = voice.spread or 1.0
    if voice.voice in ADMISSIONS:
        unit = 1.0
    rows = [finding for finding in voice.findings if finding.role != "control" and not names.is_base(finding)]
    if not rows:
        return ""
    most = max(max(abs(row.beyond.low), abs(row.beyond.high)) / unit for row in rows)
    reach = min(_MOST_REACH, max(_LEAST_REACH if voice.voice not in ADMISSIONS else 0.2, most))
    high = _AUDIT_TOP + _STEP * len(rows)

    def x(value: float) -> float:
        held = max(-reach, min(reach, value / unit))
        return _BEGIN + _WIDTH * (held + reach) / (2 * reach)

    parts = []
    marks = (0.0, -STRONG_EFFECT * unit, STRONG_EFFECT * unit) if voice.voice not in ADMISSIONS else (0.0, -0.1, 0.1)
    for mark in marks:
        kind = "axis" if mark == 0 else "guide"
        at = x(mark)
        parts.append(f'<line class="{kind}" x1="{at:.1f}" y1="{_AUDIT_TOP - 6}" x2="{at:.1f}" y2="{high}"/>')
    for number, row in enumerate(rows):
        parts.append(_row(row, names.form(row), x, _AUDIT_TOP + _STEP * (number + 0.5)))
    what = "share admitted" if voice.voice in ADMISSIONS else f"log-odds; a spread is {unit:.2f}"
    parts.append(f'<text x="{x(0):.1f}" y="{high + 18}" text-anchor="middle">0</text>')
    parts.append(
        f'<text x="{_BEGIN + _WIDTH}" y="{high + 36}" text-anchor="end">'
        f"left: away from the changed joke, right: towards it ({escape(what)}). Dashed: strong.</text>"
    )
    width, height = _BEGIN + _WIDTH + 16, high + _AUDIT_FOOT
    label = f"How far each change pulls: {VOICE[voice.voice]}"
    return (
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )


def _row(row: Finding, name: str, x: Scale, y: float) -> str:
    kind = "other" if row.strength == "none" else "judge"
    strong = ' class="strong"' if row.strength == "strong" else ""
    return (
        f'<text{strong} x="{_BEGIN - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>'
        f'<line class="{kind}" stroke-width="2" x1="{x(row.beyond.low):.1f}" y1="{y:.1f}" '
        f'x2="{x(row.beyond.high):.1f}" y2="{y:.1f}"/>'
        f'<circle class="{kind}" cx="{x(row.beyond.value):.1f}" cy="{y:.1f}" r="4.5"/>'
    )
