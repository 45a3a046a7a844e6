"""A rating for people to read: what an audience would say, what an editor would say, and what was measured."""

from __future__ import annotations

import textwrap

from ..verdicts import Audience, CategoryScore, FactorScore, RatingResult, Span, Trial
from .console import Console, Style, printable, shorten
from .tree_view import show_tree
from .verdict_lines import by_model, heading, label, labelled_items, labelled_text, probability, tail, warnings, yours

_PATHS = {
    "standard": "factors of its categories",
    "independent": "no category fits, factors chosen from all of them",
    "dynamic": "factors written for this joke",
}
_SURE = 0.8
_STRONGEST, _WEAKEST = 3, 2
_BEGIN, _END = "\ue000", "\ue001"
"""Stand in a text where its turn begins and ends, until its lines are broken."""


def show_rating(console: Console, result: RatingResult, taste: str) -> None:
    """The audience leads; the mean is told where it was asked for, or where there is no audience."""
    warnings(console, result)
    _headline(console, result)
    console.text("")
    _joke(console, result.text, result.turn)
    console.text("")
    _note(console, result)
    _beside(console, result)
    _checks(console, result)
    _kinds(console, result)
    if result.audience and result.mean_score is not None and (result.weights or _asked(result)):
        label(console, "Mean", f"{result.mean_score:.1f} of 5{_detail(result)}")
    if result.weighted_score is not None and (result.weights or _asked(result)):
        how = "by your weights" if result.weights else "by how far each factor can be trusted"
        label(console, "Weighted", f"{result.weighted_score:.1f} of 5  ({how})")
    yours(console, taste)
    _factors(console, result.factors)
    by_model(console, result.panel)
    if result.tree is not None:
        show_tree(console, result.tree)
    _in_its_words(console, result)
    tail(console, result, explained=result.note is not None or result.prose is not None)


def _asked(result: RatingResult) -> bool:
    """Whether the model was asked for scores; verdicts of earlier versions don't say more than their factors."""
    return result.everything_asked or any(factor.source != "read" for factor in result.factors)


def _headline(console: Console, result: RatingResult) -> None:
    style = console.style
    if result.audience:
        _audience(console, result.audience)
    elif result.mean_score is not None:
        heading(console, f"{result.mean_score:.1f} of 5{_detail(result)}")
        console.text(style.paint(style.bar(result.mean_score / 5, 30), "green"))
        console.text(style.paint("No audience estimate", "dim"))
    elif result.admissible is False:
        heading(console, "Not rated: not admitted as a joke", "amber")
        if result.rejection:
            console.paragraph(result.rejection)
        console.paragraph("To rate it anyway, add --anyway.")
    else:
        heading(console, "No audience estimate" if result.admissible else "No score")


def _detail(result: RatingResult) -> str:
    best = f"best factor {result.max_score:.1f}" if result.max_score is not None else ""
    spread = f"give or take {result.spread:.1f}" if result.spread is not None else ""
    parts = ", ".join(part for part in (best, spread) if part)
    return f"  ({parts})" if parts else ""


def _audience(console: Console, audience: Audience) -> None:
    style = console.style
    if not audience.heard:
        heading(console, "No audience estimate")
        console.paragraph("(a kind of text that the program hasn't learned from)", paint="dim")
        return
    heading(console, f"Funnier than {_place(audience.percentile)} in 100 jokes")
    trust = _trust(audience)
    if trust:
        console.paragraph(f"({trust})", paint="dim")
    console.text(style.paint(style.bar(audience.percentile / 100, 30), "green"))


def _trust(audience: Audience) -> str:
    """How far the estimate may be off, and how often such estimates are right."""
    # Imported here: it comes with the heads, which help and complaints about arguments do without.
    from ..trust.ears import UNKNOWN

    low, high = audience.low, audience.high
    parts = [f"{_place(low)} to {_place(high)}"] if low is not None and high is not None else []
    if audience.kind in ("", UNKNOWN):
        parts.append("it hasn't learned this kind of text")
    if audience.agreement is not None:
        kind = f" of {audience.kind}" if audience.kind and audience.kind != UNKNOWN else " of such texts"
        parts.append(f"right in {audience.agreement * 100:.0f} of 100 pairs{kind}")
    return printable("; ".join(parts), lines=False)


def _place(percentile: float) -> int:
    return min(99, max(1, round(percentile)))  # 0 and 100 are never claimed


def _joke(console: Console, text: str, turn: Span | None) -> None:
    """The joke, the words on which it turns underlined, or in quotation marks where there are no colours."""
    shown = text.replace(_BEGIN, "\ufffd").replace(_END, "\ufffd")
    if turn is not None and 0 <= turn.start < turn.end <= len(shown):
        parts = shown[: turn.start], shown[turn.start : turn.end], shown[turn.end :]
        shown = f"{parts[0]}{_BEGIN}{parts[1]}{_END}{parts[2]}"
    inside = False
    for line in printable(shown).split("\n"):
        for row in textwrap.wrap(line, console.width, break_long_words=False) or [""]:
            console.text(_marked(console.style, row, inside))
            inside = (inside or _BEGIN in row) and _END not in row


def _marked(style: Style, row: str, inside: bool) -> str:
    """One line of a text; ``inside``: it begins within the marked words."""
    if not style.colour:
        left, right = ("«", "»") if style.unicode else ("<<", ">>")
        return row.replace(_BEGIN, left).replace(_END, right)
    before, marked, rest = ("", "", row) if inside else row.partition(_BEGIN)
    if not (marked or inside):
        return row
    words, _, after = rest.partition(_END)
    return before + style.paint(words, "underline") + after


def _note(console: Console, result: RatingResult) -> None:
    """What an editor would say."""
    note = result.note
    lines = [("Works", note.works), ("Weakens", note.weakens)] if note else [("Weakens", "")]
    faults = ", ".join(f"{_sure(fault.p)} {fault.name}" for fault in result.faults)
    for name, said in lines:
        if name == "Weakens" and faults:
            said = f"{said} ({faults})" if said else faults
        if said:
            labelled_text(console, name, said)
    if note is None:
        return
    for trial in note.trials:
        labelled_text(console, "Try", _trial(trial))
    if note.apart:
        labelled_text(console, "The crowd", note.apart)


def _beside(console: Console, result: RatingResult) -> None:
    """What has no part in the verdict: offence that some would take, and what a reader must know."""
    # Imported here: it comes with the judges, which help and complaints about arguments do without.
    from ..judging.rating.beside import beside
    from ..judging.rating.listeners import listener_in_words
    from ..judging.rating.own_faults import own_fault_in_words

    for voice in result.listeners:
        labelled_text(console, "Listener", f"{voice.name}: {listener_in_words(voice)}")
    for fault in result.own_faults:
        labelled_text(console, "Your fault", f"{fault.name}: {own_fault_in_words(fault)}")
    for name, said in zip(("Offence", "References"), beside(result), strict=True):
        if said:
            labelled_text(console, name, said)


def _in_its_words(console: Console, result: RatingResult) -> None:
    """What the model wrote of its own, and what that is worth."""
    if result.prose is None:
        return
    console.text("")
    for line in result.prose.text.split("\n"):
        console.paragraph(line)
    console.paragraph(f"({result.prose.mark})", paint="dim")


def _trial(trial: Trial) -> str:
    better = f"an editor prefers it with probability {probability(trial.p_better)}"
    place = f"; funnier than {_place(trial.percentile)} in 100 jokes" if trial.percentile is not None else ""
    return f"{trial.text}  ({trial.kind}: {better}{place})"


def _sure(p: float) -> str:
    return "surely" if p >= _SURE else "probably"


def _checks(console: Console, result: RatingResult) -> None:
    """Those that can tell something on this model, or turned the text away."""
    told = [
        f"{check.check} {probability(check.p_admit)}{'' if check.passed else ' (failed)'}"
        for check in result.admissibility
        if check.reliable or not check.passed
    ]
    if told:
        forced = "  (rated anyway)" if result.forced else ""
        labelled_items(console, "Admission", "  ".join(told) + forced)


def _kinds(console: Console, result: RatingResult) -> None:
    chosen: list[CategoryScore] = [kind for kind in result.categories if kind.chosen]
    if chosen:
        labelled_items(console, "Kinds", "  ".join(f"{_sure(kind.p)} {kind.name}" for kind in chosen))
    if result.pathway and _asked(result):
        labelled_items(console, "Path", f"{result.pathway}: {_PATHS[result.pathway]}")


def _factors(console: Console, factors: tuple[FactorScore, ...]) -> None:
    """The strongest and the weakest; the rest, and those without an answer, are counted where there are many."""
    if not factors:
        return
    console.text("")
    shown = list(factors)
    if len(factors) > _STRONGEST + _WEAKEST:
        known = sorted((f for f in factors if f.expected is not None), key=lambda f: -(f.expected or 0.0))
        shown = known if len(known) <= _STRONGEST + _WEAKEST else [*known[:_STRONGEST], *known[-_WEAKEST:]]
    columns = min(34, max((len(factor.name) for factor in shown), default=0))
    for factor in shown:
        console.text(_factor_line(console, factor, columns))
    if len(shown) < len(factors):
        console.text(console.style.paint(f"  and {len(factors) - len(shown)} more (--json shows all)", "dim"))


def _factor_line(console: Console, factor: FactorScore, columns: int) -> str:
    name = shorten(printable(factor.name, lines=False), columns)
    if factor.score is None or factor.expected is None:
        return f"  {name}  -  no answer"
    note = "  exploratory: written by the model" if factor.origin == "dynamic" else ""
    if factor.separates is False:
        note += "  (this model hardly tells jokes apart here)"
    spread = f" ± {factor.sd:.1f}" if factor.sd is not None else ""
    bar = console.style.bar(factor.expected / 5, 20)
    return f"  {name}  {factor.score}  {bar}  {factor.expected:.1f}{spread}{console.style.paint(note, 'dim')}"
