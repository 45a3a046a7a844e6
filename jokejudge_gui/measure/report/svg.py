"""The plots of a report, as inline SVG that takes its colours from the page's classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import TypeAlias

from ...core.statistics import Fraction
from ...judge.audit.kind import VOICE, Names
from ...judge.audit.statistics import STRONG_EFFECT
from ...judge.audit.types import ADMISSIONS, VoiceAudit
from ..evaluation import PairsReport, RatingsReport, Reliability

Scale: TypeAlias = Callable[[float], float]
"""Maps a share to a coordinate."""

_SIDE = 300
_LEFT, _TOP, _FOOT, _RIGHT = 46, 14, 40, 14
_NAMES = {"all": "all pairs", "clear": "clear votes"}
_LEAST_REACH, _MOST_REACH = 0.75, 3.0


def agreement_plot(report: PairsReport) -> str:
    """Return dots with intervals: the judge and its baselines, for each margin, beside the chance line."""
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
    foot = _TOP + step * len(rows)

    def x(value: float) -> float:
        return begin + width * (value - low) / (1 - low)

    parts = []
    for tick in range(round(low * 10), 11):
        parts += [_line("axis", x(tick / 10), _TOP, x(tick / 10), foot), _text(x(tick / 10), foot + 18, f"{tick * 10}")]
    parts.append(_line("guide", x(0.5), _TOP - 6, x(0.5), foot))
    for number, (name, share, look) in enumerate(rows):
        y = _TOP + step * (number + 0.5)
        parts.append(_row(name, look, x, y, share.share or 0.0, share.low, share.high, strong=look == "judge"))
    parts.append(_text(x(0.5) + 4, foot + 34, "chance at 50; right in 100 pairs", anchor="start"))
    return _svg(begin + width + 20, foot + _FOOT, "Agreement with people beside the baselines", parts)


def calibration_plot(trust: Reliability) -> str:
    """Return the found against the stated probability of the winner, with intervals; on the diagonal calibration is
    perfect."""
    low = 0.5
    bottom = min([0.4, *(part.found.low for part in trust.tenths if part.found.low is not None)])
    bottom = max(0.0, int(bottom * 10) / 10)

    def x(value: float) -> float:
        return _LEFT + _SIDE * (value - low) / (1 - low)

    def y(value: float) -> float:
        return _TOP + _SIDE * (1 - value) / (1 - bottom)

    parts = [*_frame(x, y, (5, 10), (round(bottom * 10), 10)), _line("guide", x(0.5), y(0.5), x(1), y(1))]
    most = max((part.found.n for part in trust.tenths), default=1)
    for part in trust.tenths:
        found, at = part.found, x(part.stated)
        if found.share is None or found.low is None or found.high is None:
            continue
        words = f"says {100 * part.stated:.0f}, right in {100 * found.share:.0f} of 100, {found.n} pairs"
        parts.append(_line("judge", at, y(found.low), at, y(found.high), width=2))
        parts.append(_dot("judge", at, y(found.share), 3 + 4 * (found.n / most) ** 0.5, words))
    parts += _axis_names("stated probability of the winner, of 100", "right, of 100")
    return _svg(_LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _FOOT, "Stated against found probability", parts)


def ratings_plot(report: RatingsReport) -> str:
    """Return a dot for each text: people's rating on the x-axis, the judge's on the y-axis, both on their whole
    scale."""
    if not report.points:
        return ""

    def x(value: float) -> float:
        return _LEFT + _SIDE * value

    def y(value: float) -> float:
        return _TOP + _SIDE * (1 - value)

    parts = list(_frame(x, y, (0, 10), (0, 10), every=2))
    parts += [_dot("dot", x(a), y(b), 3) for a, b in report.points]
    which = "audience percentile" if report.audience is not None else "score"
    parts += _axis_names("people's rating, of 100", f"{which}, of 100")
    return _svg(_LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _FOOT, f"People's ratings and the judge's {which}", parts)


def pulls_plot(voice: VoiceAudit, names: Names) -> str:
    """Return a row for each form of an audit: the pull beyond its length, in units of the voice's spread over pairs;
    empty for no forms."""
    begin, width, step = 270, 460, 22
    admission = voice.voice in ADMISSIONS
    unit = 1.0 if admission else voice.spread or 1.0
    rows = [finding for finding in voice.findings if finding.role != "control" and not names.is_base(finding)]
    if not rows:
        return ""
    most = max(max(abs(row.beyond.low), abs(row.beyond.high)) / unit for row in rows)
    reach = min(_MOST_REACH, max(0.2 if admission else _LEAST_REACH, most))
    foot = _TOP + step * len(rows)

    def x(value: float) -> float:
        return begin + width * (max(-reach, min(reach, value / unit)) + reach) / (2 * reach)

    strong = 0.1 if admission else STRONG_EFFECT * unit
    parts = [_line("guide" if mark else "axis", x(mark), _TOP - 6, x(mark), foot) for mark in (0.0, -strong, strong)]
    for number, row in enumerate(rows):
        look, pull, y = "other" if row.strength == "none" else "judge", row.beyond, _TOP + step * (number + 0.5)
        bold = row.strength == "strong"
        parts.append(_row(names.form(row), look, x, y, pull.value, pull.low, pull.high, strong=bold, begin=begin))
    what = "share admitted" if admission else f"log-odds; a spread is {unit:.2f}"
    words = f"left: away from the changed joke, right: towards it ({what}). Dashed: strong."
    parts += [_text(x(0), foot + 18, "0"), _text(begin + width, foot + 36, words, anchor="end")]
    return _svg(begin + width + 16, foot + 44, f"How far each change pulls: {VOICE[voice.voice]}", parts)


# -- parts -------------------------------------------------------------------------------------------------------------


def _row(
    name: str, look: str, x: Scale, y: float, value: float, low: float | None, high: float | None, *, strong: bool,
    begin: float = 150,
) -> str:  # fmt: skip
    """Return a name with a dot and its interval."""
    line = _line(look, x(low), y, x(high), y, width=2) if low is not None and high is not None else ""
    return (
        _text(begin - 12, y + 4, name, anchor="end", look="strong" if strong else "") + line + _dot(look, x(value), y)
    )


def _line(look: str, x1: float, y1: float, x2: float, y2: float, width: int = 0) -> str:
    thick = f' stroke-width="{width}"' if width else ""
    return f'<line class="{look}"{thick} x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _dot(look: str, x: float, y: float, radius: float = 4.5, words: str = "") -> str:
    title = f"<title>{escape(words)}</title>" if words else ""
    return f'<circle class="{look}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">{title}</circle>'


def _text(x: float, y: float, words: str, *, anchor: str = "middle", look: str = "", upwards: bool = False) -> str:
    more = (f' class="{look}"' if look else "") + (f' transform="rotate(-90 {x:.1f} {y:.1f})"' if upwards else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def _frame(x: Scale, y: Scale, across: tuple[int, int], up: tuple[int, int], every: int = 1) -> Iterator[str]:
    left, right, top, foot = x(across[0] / 10), x(across[1] / 10), y(up[1] / 10), y(up[0] / 10)
    for tick in range(across[0], across[1] + 1, every):
        at = x(tick / 10)
        yield _line("axis", at, top, at, foot) + _text(at, foot + 16, f"{tick * 10}")
    for tick in range(up[0], up[1] + 1, every):
        at = y(tick / 10)
        yield _line("axis", left, at, right, at) + _text(left - 6, at + 4, f"{tick * 10}", anchor="end")


def _axis_names(across: str, up: str) -> list[str]:
    middle = _TOP + _SIDE / 2
    return [_text(_LEFT + _SIDE / 2, _TOP + _SIDE + 34, across), _text(13, middle, up, upwards=True)]


def _svg(width: float, height: float, name: str, parts: list[str]) -> str:
    return (
        f'<svg role="img" aria-label="{escape(name)}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">' + "".join(parts) + "</svg>"
    )
