"""The plot of an audit's report: how far each form pulls a voice, with its interval, as inline SVG."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TypeAlias

from ..judging.audit.statistics import STRONG_EFFECT
from ..judging.audit.types import ADMISSIONS, Finding, VoiceAudit
from ..judging.audit.words import VOICE, Names

Scale: TypeAlias = Callable[[float], float]

_BEGIN, _WIDTH, _STEP, _TOP, _FOOT = 270, 460, 22, 14, 44
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
    high = _TOP + _STEP * len(rows)

    def x(value: float) -> float:
        held = max(-reach, min(reach, value / unit))
        return _BEGIN + _WIDTH * (held + reach) / (2 * reach)

    parts = []
    marks = (0.0, -STRONG_EFFECT * unit, STRONG_EFFECT * unit) if voice.voice not in ADMISSIONS else (0.0, -0.1, 0.1)
    for mark in marks:
        kind = "axis" if mark == 0 else "guide"
        at = x(mark)
        parts.append(f'<line class="{kind}" x1="{at:.1f}" y1="{_TOP - 6}" x2="{at:.1f}" y2="{high}"/>')
    for number, row in enumerate(rows):
        parts.append(_row(row, names.form(row), x, _TOP + _STEP * (number + 0.5)))
    what = "share admitted" if voice.voice in ADMISSIONS else f"log-odds; a spread is {unit:.2f}"
    parts.append(f'<text x="{x(0):.1f}" y="{high + 18}" text-anchor="middle">0</text>')
    parts.append(
        f'<text x="{_BEGIN + _WIDTH}" y="{high + 36}" text-anchor="end">'
        f"left: away from the changed joke, right: towards it ({escape(what)}). Dashed: strong.</text>"
    )
    width, height = _BEGIN + _WIDTH + 16, high + _FOOT
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
