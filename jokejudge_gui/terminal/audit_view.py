"""An audit for people to read in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .console import Console, printable, shorten
from .verdict_lines import heading, tail, warnings

if TYPE_CHECKING:
    from ..audit.drift import Drift
    from ..judging.audit.statistics import Strength
    from ..judging.audit.types import AuditResult, Finding, VoiceAudit
    from ..judging.audit.words import Names

_NAME = 34
_MOST_FLIPS = 20


def show_audit(console: Console, result: AuditResult, taste: str) -> None:
    """The findings in sentences, then a table for each voice."""
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.audit.answers_left import answers_left, left_lines
    from ..judging.audit.words import VOICE, Names, headline, summary
    from ..rubric.perturbations import parse_perturbations

    del taste  # an audit isn't voted on
    names = Names(parse_perturbations())
    warnings(console, result)
    heading(console, headline(result, names)[1])
    source = printable(result.source, lines=False)
    console.paragraph(f"{len(result.pairs):,} pairs of {source}; {result.readings:,} readings", paint="dim")
    console.text("")
    for line in summary(result, names):
        console.paragraph(line)
    for rule in left_lines(answers_left(result)):
        console.paragraph(rule)
    for voice in result.voices:
        console.text("")
        heading(console, VOICE[voice.voice])
        _table(console, voice, names)
    tail(console, result)


def show_drift(console: Console, found: Drift) -> None:
    """What changed since an earlier audit."""
    from ..audit.drift import drift_lines

    console.text("")
    heading(console, "Beside the earlier audit")
    for line in drift_lines(found):
        console.paragraph(line)
    for voice in found.voices:
        for flip in voice.flips[:_MOST_FLIPS]:
            better, worse = (flip.text_b, flip.text_a) if flip.now == "B" else (flip.text_a, flip.text_b)
            row = f"  now ahead: {printable(better, lines=False)}  before: {printable(worse, lines=False)}"
            console.text(shorten(row, console.width).rstrip())


def _table(console: Console, voice: VoiceAudit, names: Names) -> None:
    head = f"  {'':<{_NAME}}{'said':<9}{'pull beyond length':<24}{'unchanged of 100':<18}"
    console.text(console.style.paint(head.rstrip(), "dim"))
    for finding in voice.findings:
        console.text(_row(console, finding, names))
    if voice.order is not None:
        pull, same = voice.order.pull, voice.order.same.share or 0.0
        console.text(
            f"  {'Position: towards the first':<{_NAME}}{_told(console, voice.order.strength)}"
            f"{_span(pull.value, pull.low, pull.high):<24}{100 * same:.0f}"
        )
    if voice.own is not None:
        slope = voice.own.slope
        console.text(
            f"  {'Self-preference: per nat':<{_NAME}}{_told(console, voice.own.strength)}"
            f"{_span(slope.value, slope.low, slope.high)}"
        )
    if voice.broken is not None and voice.broken.share is not None:
        console.text(f"  {'Broken punchline: seen':<{_NAME}}{'':<9}{'':<24}{100 * voice.broken.share:.0f}")


def _row(console: Console, finding: Finding, names: Names) -> str:
    beside = finding.role == "control" or names.is_base(finding)
    told = f"{'–':<9}" if beside else _told(console, finding.strength)
    kept = f"{100 * finding.kept.share:.0f}" if finding.kept.share is not None else "–"
    span = _span(finding.beyond.value, finding.beyond.low, finding.beyond.high)
    name = shorten(printable(names.form(finding), lines=False), _NAME - 1)
    return f"  {name} {told}{span:<24}{kept}"


def _told(console: Console, strength: Strength) -> str:
    from ..judging.audit.words import STRENGTH

    word = f"{STRENGTH[strength]:<9}"
    return console.style.paint(word, {"strong": "red", "some": "amber"}[strength]) if strength != "none" else word


def _span(value: float, low: float, high: float) -> str:
    return f"{value:+.2f} ({low:+.2f} to {high:+.2f})".replace("-", "−")
