"""Verdicts for people to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..verdicts import DuelResult, ErrorInfo, FactorScore, RatingResult, Side, VerdictResult
from .console import Console, printable, shorten

_PATHS = {
    "standard": "factors of its categories",
    "independent": "no category fits, factors chosen from all of them",
    "dynamic": "factors written for this joke",
}


def show_verdict(console: Console, result: VerdictResult, taste: str = "") -> None:
    """A verdict on stdout, whole or as far as it came; ``taste``: the user's own line."""
    _SHOWN.get(result.kind, _any)(console, result, taste)


def _p(value: float) -> str:
    return f"{value:.2f}"


def _heading(console: Console, text: str, *names: str) -> None:
    console.text(console.style.paint(text, "bold", *names))


def _label(console: Console, name: str, text: str) -> None:
    console.text(f"{console.style.paint(f'{name:<12}', 'dim')}{text}")


def _warnings(console: Console, warnings: tuple[str, ...]) -> None:
    for warning in warnings:
        console.paragraph(f"Note: {warning}", paint="amber")
    if warnings:
        console.text("")


def _rating(console: Console, result: RatingResult, taste: str) -> None:
    style = console.style
    _warnings(console, result.warnings)
    if result.mean_score is not None:
        best = f"best factor {result.max_score:.1f}" if result.max_score is not None else ""
        spread = f"give or take {result.spread:.1f}" if result.spread is not None else ""
        detail = ", ".join(part for part in (best, spread) if part)
        _heading(console, f"{result.mean_score:.1f} of 5" + (f"  ({detail})" if detail else ""))
        console.text(style.paint(style.bar(result.mean_score / 5, 30), "green"))
    elif result.admissible is False:
        _heading(console, "Not rated: not admitted as a joke", "amber")
        if result.rejection:
            console.paragraph(result.rejection)
        console.paragraph("To rate it anyway, add --anyway.")
    else:
        _heading(console, "No score")
    console.text("")
    if result.admissibility:
        checks = "  ".join(
            f"{c.check} {_p(c.p_admit)}{'' if c.passed else ' (failed)'}{'' if c.reliable else ' (no power)'}"
            for c in result.admissibility
        )
        _wrapped_label(console, "Admission", checks + ("  (rated anyway)" if result.forced else ""))
    chosen = [c for c in result.categories if c.chosen]
    if chosen:
        _wrapped_label(console, "Categories", "  ".join(f"{c.name} {_p(c.p)}" for c in chosen))
    if result.pathway:
        _wrapped_label(console, "Path", f"{result.pathway}: {_PATHS[result.pathway]}")
    if result.audience:
        _label(console, "Audience", f"percentile {result.audience.percentile:.0f} among jokes that people voted on")
    _yours(console, taste)
    if result.factors:
        console.text("")
        columns = min(34, max(len(f.name) for f in result.factors))
        for factor in result.factors:
            console.text(_factor_line(console, factor, columns))
    _tail(console, result)


def _wrapped_label(console: Console, name: str, text: str) -> None:
    room = max(20, console.width - 12)
    line = ""
    first = True
    for item in text.split("  "):
        if line and len(line) + 2 + len(item) > room:
            _label(console, name if first else "", line)
            line, first = item, False
        else:
            line = f"{line}  {item}" if line else item
    _label(console, name if first else "", line)


def _factor_line(console: Console, factor: FactorScore, columns: int) -> str:
    name = shorten(printable(factor.name, lines=False), columns)
    if factor.score is None or factor.expected is None:
        return f"  {name}  -  no answer"
    note = "  written for this joke" if factor.origin == "dynamic" else ""
    if factor.separates is False:
        note += "  (this model hardly tells jokes apart here)"
    spread = f" ± {factor.sd:.1f}" if factor.sd is not None else ""
    bar = console.style.bar(factor.expected / 5, 20)
    return f"  {name}  {factor.score}  {bar}  {factor.expected:.1f}{spread}{console.style.paint(note, 'dim')}"


def _duel(console: Console, result: DuelResult, taste: str) -> None:
    style = console.style
    _warnings(console, result.warnings)
    if result.winner is None or result.confidence_factor is None:
        _heading(console, "No answer")
    else:
        band = f"{result.band}, " if result.band else ""
        factor = f"({band}confidence factor {result.confidence_factor:.2f})"
        if result.winner == "tie":
            _heading(console, f"A tie  {factor}")
        elif result.within_noise:
            _heading(console, f"Too close to call, {result.winner} ahead by less than the model's noise  {factor}")
        else:
            _heading(console, f"{result.winner} is the funnier one  {factor}")
        if result.p_a is not None:
            left, right = _p(result.p_a), _p(1 - result.p_a)
            console.text(f"A {left} {style.paint(style.bar(result.p_a, 30), 'green')} {right} B")
    console.text("")
    for side, text in (("A", result.text_a), ("B", result.text_b)):
        _label(console, side, _start_of(console, text))
    if result.orders:
        orders = "  ".join(f"{_first(o.first)}: A {_p(o.p_a)}" for o in result.orders)
        lean = "the audience estimate decides" if result.audience else "don't lean on it"
        agree = {True: "  (the orders agree)", False: f"  (the orders disagree: {lean})", None: ""}
        _label(console, "Orders", orders + agree[result.consistent])
    if result.position_bias is not None:
        _label(console, "Position", f"bias {result.position_bias:+.2f} in probability, taken out")
    if result.shares:
        _label(console, "Shares", "  ".join(f"{s.name} {s.share:.0%}" for s in result.shares))
    if result.measured_factor is not None and result.measured_factor != result.confidence_factor:
        _label(console, "Measured", f"factor {result.measured_factor:.2f} before the cap")
    if result.length_controlled:
        _label(console, "Length", f"A {_p(result.length_controlled.p_a)} with length taken out")
    if result.audience:
        _label(console, "Audience", f"A {_p(result.audience.p_a)} from people's votes alone")
    _yours(console, taste)
    _tail(console, result)


def _any(console: Console, result: VerdictResult, taste: str) -> None:
    """A verdict of a kind that has no view of its own here: what its kind says of it."""
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.kinds import kind_of

    kind = kind_of(result)
    _warnings(console, result.warnings)
    _heading(console, kind.headline(result).sentence)
    console.text("")
    for subject in kind.subjects(kind.request_of(result)):
        _label(console, subject.label or "Text", _start_of(console, subject.text))
    for fact in kind.facts(result):
        _wrapped_label(console, fact.name, fact.text)
    _yours(console, taste)
    _tail(console, result)


def _start_of(console: Console, text: str) -> str:
    return shorten(printable(text, lines=False), max(20, console.width - 12)).rstrip()


def _yours(console: Console, taste: str) -> None:
    if taste:
        _label(console, "Yours", taste.removeprefix("Your taste: "))


def _first(side: Side) -> str:
    return f"{side} first"


def _tail(console: Console, result: VerdictResult) -> None:
    if result.explanation:
        console.text("")
        console.paragraph(result.explanation)
    if result.error:
        console.text("")
        console.paragraph(f"It ended early: {_said(result.error)}")
    parts = [printable(result.model.name, lines=False)] if result.model else []
    if result.usage.seconds:
        parts.append(f"{result.usage.seconds:.1f} s")
    if result.usage.tokens_evaluated or result.usage.tokens_reused:
        parts.append(f"{result.usage.tokens_evaluated} tokens evaluated, {result.usage.tokens_reused} reused")
    parts.append(f"verdict {result.id}")
    console.text("")
    console.text(console.style.paint(" · ".join(parts), "dim"))


def _said(error: ErrorInfo) -> str:
    return f"{error.sentence} {error.hint}".strip()


_SHOWN: dict[str, Callable[[Console, Any, str], None]] = {RatingResult.kind: _rating, DuelResult.kind: _duel}
"""How the kinds are shown that have a view of their own."""
