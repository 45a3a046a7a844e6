"""Printing of verdicts for people."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import JokeJudgeError
from ..core.pages import Row
from ..core.verdict_kinds import of_audience
from ..core.verdicts import Audience, Span, VerdictResult
from ..core.words import facts_of
from ..heads.intent import form_of
from ..judge.contest import words as contests
from ..judge.contest.types import ContestResult, RankedEntry
from ..judge.ensemble_words import panel_rows
from ..judge.kinds import kind_of
from ..judge.rating import words as trees
from ..judge.rating.record import CategoryScore, FactorScore, RatingResult, ReasoningTree
from ..judge.rating.references import beside
from ..judge.rating.words import NO_TURN, listener_in_words, own_fault_in_words, prose_mark
from ..learning.taste import about
from .console import Console, Style, printable, shorten
from .context import Context

if TYPE_CHECKING:
    from ..session.session import Session


def taste_line(context: Context, session: Session, result: VerdictResult | None) -> str:
    """Return the line on the user's own taste, if it is enabled and known; empty otherwise. Never an error: the verdict
    matters more. With ``--no-history`` the file of the votes isn't opened: it may not exist, or be locked."""
    unasked = context.console.json or context.args.no_history or not context.settings.use_taste
    if unasked or result is None or result.model is None:
        return ""
    try:
        line = about(kind_of(result).vote_score(result), session.taste(result.model.sha256))
    except JokeJudgeError:
        return ""
    return "".join(line) if line else ""


# -- lines shared by verdicts of all kinds -----------------------------------------------------------------------------

_LABEL = 12
_LEAST_ROOM = 20


def probability(value: float) -> str:
    """Return 0…1 with two decimals."""
    return f"{value:.2f}"


def label(console: Console, name: str, text: str) -> None:
    """Print one line with a name before it."""
    console.text(f"{console.style.paint(f'{name:<{_LABEL}}', 'dim')}{text}")


def labelled_items(console: Console, name: str, text: str) -> None:
    """Print a name and items, separated by two spaces, as many to a line as fit."""
    room = max(_LEAST_ROOM, console.width - _LABEL)
    line = ""
    for item in text.split("  "):
        if line and len(line) + 2 + len(item) > room:
            label(console, name, line)
            line, name = item, ""
        else:
            line = f"{line}  {item}" if line else item
    label(console, name, line)


def labelled_text(console: Console, name: str, text: str) -> None:
    """Print a name and sentences, wrapped beside it."""
    room = max(_LEAST_ROOM, console.width - _LABEL)
    for line in textwrap.wrap(printable(text, lines=False), room, break_long_words=False):
        label(console, name, line)
        name = ""


def warnings(console: Console, result: VerdictResult) -> None:
    """Print the warnings, which are shown before the verdict."""
    for warning in result.warnings:
        console.paragraph(f"Note: {warning}", paint="amber")
    if result.warnings:
        console.text("")


def start_of(console: Console, text: str) -> str:
    """Return as much of a text as fits beside a label."""
    return shorten(printable(text, lines=False), max(_LEAST_ROOM, console.width - _LABEL)).rstrip()


def yours(console: Console, taste: str) -> None:
    """Print the line on the user's own taste, if it is known."""
    if taste:
        label(console, "Yours", taste.removeprefix("Your taste: "))


def tail(console: Console, result: VerdictResult) -> None:
    """Print the explanation, unless the note contains it, the error, and the cost."""
    explained = any(getattr(result, name, None) is not None for name in ("note", "prose"))
    if result.explanation and result.explanation != NO_TURN and not explained:
        console.text("")
        console.paragraph(result.explanation)
    if result.error:
        console.text("")
        console.paragraph(f"It ended early: {result.error.sentence} {result.error.hint}".strip())
    parts = [printable(result.model.name, lines=False)] if result.model else []
    if result.seconds:
        parts.append(f"{result.seconds:.1f} s")
    if result.usage.tokens_evaluated or result.usage.tokens_reused:
        parts.append(f"{result.usage.tokens_evaluated} tokens evaluated, {result.usage.tokens_reused} reused")
    parts.append(f"verdict {result.id}" if console.kept else "not kept")
    console.text("")
    console.painted(" · ".join(parts), "dim")


# -- a verdict's page --------------------------------------------------------------------------------------------------


def show_page(console: Console, result: VerdictResult, taste: str) -> None:
    """Print the words of a verdict."""
    page = kind_of(result).words(result)
    for note in page.notes:
        console.paragraph(f"Note: {note}", paint="amber")
    if page.notes:
        console.text("")
    console.heading(page.headline)
    for sentence in page.lead:
        console.paragraph(sentence)
    console.text("")
    for text in page.texts:
        label(console, text.label or "Text", start_of(console, text.text))
    for row in (*(row for row in page.rows if not row.quiet), *(row for row in page.rows if row.quiet)):
        _row(console, row)
    for table in page.tables:
        console.text("")
        console.table(table)
    yours(console, taste)
    console.text("")
    kept = f"verdict {result.id}" if console.kept else "not kept"
    console.painted(" · ".join((*(printable(part, lines=False) for part in page.foot), kept)), "dim")


def _row(console: Console, row: Row, depth: int = 0) -> None:
    name = f"{printable(row.name, lines=False)}: " if row.name else ""
    beside = f" ({row.beside})" if row.beside else ""
    console.paragraph(f"{name}{row.text}{beside}", indent=2 * depth, paint="dim" if row.quiet else None)
    for child in row.rows:
        _row(console, child, depth + 1)


# -- the tree of a deep verdict ----------------------------------------------------------------------------------------


def show_tree(console: Console, tree: ReasoningTree) -> None:
    """Print the repeated readings of deep mode and their results."""
    console.text("")
    labelled_text(console, "Deep", trees.summary(tree))
    for line in tree.contradictions:
        labelled_text(console, "", f"Contradiction: {line}")
    if sentence := trees.turn_line(tree):
        labelled_text(console, "", sentence)
    for node in tree.answers:
        doubt = f"  ({trees.doubts_line(node)})" if node.doubts else ""
        console.text(f"  {trees.node_line(node)}{console.style.paint(doubt, 'dim')}")
        for branch in node.branches:
            console.paragraph(trees.branch_line(node, branch), indent=4, paint="dim")


# -- a rating ----------------------------------------------------------------------------------------------------------

_PATHS = {
    "standard": "factors of its categories",
    "independent": "no category fits, factors chosen from all of them",
    "dynamic": "factors written for this joke",
}
_SURE = 0.8
_STRONGEST, _WEAKEST = 3, 2
_STANDING_OUT = 2
"""The number of factors at each end that are shown by their places among jokes."""
_BEGIN, _END = "\ue000", "\ue001"
"""Placeholders for the beginning and end of the turn in a text, until its lines are wrapped."""


def show_rating(console: Console, result: RatingResult, taste: str) -> None:
    """Print the audience estimate first; the mean if it was asked for, or if there is no audience estimate."""
    _headline(console, result)
    console.text("")
    _joke(console, result.text, result.turn)
    _facts(console, result)
    console.text("")
    if result.wordplay is not None:
        labelled_text(console, "Wordplay", f"{result.wordplay.sentence}.")
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
    _factors(console, result.shown_factors)
    for row in panel_rows(result.panel):
        _row(console, row)
    if result.tree is not None:
        show_tree(console, result.tree)
    _in_its_words(console, result)


def _asked(result: RatingResult) -> bool:
    """Whether the model was asked for scores; in verdicts of earlier versions only their factors show it."""
    return result.everything_asked or any(factor.source != "read" for factor in result.factors)


def _headline(console: Console, result: RatingResult) -> None:
    style = console.style
    if result.audience:
        _audience(console, result.audience)
    elif result.mean_score is not None:
        console.heading(f"{result.mean_score:.1f} of 5{_detail(result)}")
        console.text(style.paint(style.bar(result.mean_score / 5, 30), "green"))
        console.text(style.paint("No audience estimate", "dim"))
    elif result.admissible is False:
        console.heading("Not rated: not admitted as a joke", "amber")
        if result.rejection:
            console.paragraph(result.rejection)
        console.paragraph("To rate it anyway, add --anyway.")
    elif result.sense is not None and result.sense.said == "no turn":
        console.heading(NO_TURN, "amber")
        console.paragraph("To rate it anyway, add --anyway.")
    else:
        console.heading("No audience estimate" if result.admissible else "No score")


def _detail(result: RatingResult) -> str:
    best = f"best factor {result.max_score:.1f}" if result.max_score is not None else ""
    spread = f"give or take {result.spread:.1f}" if result.spread is not None else ""
    parts = ", ".join(part for part in (best, spread) if part)
    return f"  ({parts})" if parts else ""


def _audience(console: Console, audience: Audience) -> None:
    """Print the half of such jokes that it is probably in, and how far that can be trusted."""
    if not audience.heard:
        console.heading("Can't tell")
        console.paragraph("It hasn't learned this kind of text.", paint="dim")
    else:
        console.heading(of_audience(audience).sentence)
    for sentence in in_plain_words(audience):
        console.paragraph(sentence, paint="dim")


def in_plain_words(audience: Audience) -> list[str]:
    """Return sentences with people's likely percentile for a text, and how often such estimates are right."""
    found = []
    if audience.heard and audience.low is not None and audience.high is not None:
        found.append(f"People would put it between {_place(audience.low)} and {_place(audience.high)} of 100.")
    if audience.agreement is not None:
        kind = f"On {audience.kind}" if audience.kind and audience.heard else "On such texts"
        found.append(f"{kind} it picks the funnier of two {audience.agreement * 100:.0f} times in 100.")
    return [printable(sentence, lines=False) for sentence in found]


def _place(percentile: float) -> int:
    return min(99, max(1, round(percentile)))  # 0 and 100 are never shown


def _facts(console: Console, result: RatingResult) -> None:
    """Print the countable facts, and a note if it is in doubt whether the text works as a joke."""
    lines = facts_of(result.text, result.turn).lines()
    if result.sense is not None and result.sense.said == "no turn" and result.turn is None:
        lines = (*lines, form_of(result.text) or "no turn found")
    chosen = ("turn chosen by you",) if result.asked_turn is not None else ()
    console.paragraph(" · ".join((*lines, *chosen)), paint="dim")
    if result.sense is not None and result.sense.said == "unsure":
        console.paragraph("It is doubtful whether this works as a joke, so nothing is praised.")


def _joke(console: Console, text: str, turn: Span | None) -> None:
    """Print the joke with the words of its turn underlined, or in quotation marks if there are no colours."""
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
    """Return one line of a text with its mark; ``inside``: it begins within the marked words."""
    if not style.colour:
        left, right = ("«", "»") if style.unicode else ("<<", ">>")
        return row.replace(_BEGIN, left).replace(_END, right)
    before, marked, rest = ("", "", row) if inside else row.partition(_BEGIN)
    if not (marked or inside):
        return row
    words, _, after = rest.partition(_END)
    return before + style.paint(words, "underline") + after


_ABOUT = {"heard": "Works", "fault": "Fault", "edit": "Try", "form": "Form"}


def _note(console: Console, result: RatingResult) -> None:
    """Print the remarks, each with how often such ones are right; verdicts of earlier versions have sentences alone."""
    for remark in result.remarks:
        labelled_text(console, _ABOUT[remark.about], f"{remark.text}{right_in_ten(remark.right)}")
        if remark.trial is not None and result.note is not None:
            labelled_text(console, "", result.note.trials[remark.trial].text)
    if result.note is None or result.remarks:
        return
    for name, sentence in (("Works", result.note.works), ("Weakens", result.note.weakens)):
        if sentence:
            labelled_text(console, name, sentence)
    for trial in result.note.trials:
        labelled_text(console, "Try", trial.text)


def right_in_ten(right: float | None) -> str:
    """Return " (right in 8 of 10)", rounded down; empty if nothing was measured."""
    return "" if right is None else f" (right in {int(10 * right + 1e-9)} of 10)"


def _beside(console: Console, result: RatingResult) -> None:
    """Print findings without influence on the verdict: listeners, the user's own faults, possible offence, and
    references that a reader must know."""
    for voice in result.listeners:
        labelled_text(console, "Listener", f"{voice.name}: {listener_in_words(voice)}")
    for fault in result.own_faults:
        labelled_text(console, "Your fault", f"{fault.name}: {own_fault_in_words(fault)}")
    for name, sentence in zip(("Offence", "References"), beside(result), strict=True):
        if sentence:
            labelled_text(console, name, sentence)


def _in_its_words(console: Console, result: RatingResult) -> None:
    """Print the model's own text, and how far it can be trusted."""
    if result.prose is None:
        return
    console.text("")
    for line in result.prose.text.split("\n"):
        console.paragraph(line)
    console.paragraph(f"({prose_mark(result.prose)})", paint="dim")


def _sure(p: float) -> str:
    return "surely" if p >= _SURE else "probably"


def _checks(console: Console, result: RatingResult) -> None:
    """Print the checks that are reliable on this model, or rejected the text."""
    checks = [
        f"{check.check} {probability(check.p_admit)}{'' if check.passed else ' (failed)'}"
        for check in result.admissibility
        if check.reliable or not check.passed
    ]
    if checks:
        forced = "  (rated anyway)" if result.forced else ""
        labelled_items(console, "Admission", "  ".join(checks) + forced)


def _kinds(console: Console, result: RatingResult) -> None:
    chosen: list[CategoryScore] = [kind for kind in result.categories if kind.chosen and result.learned]
    if chosen:
        labelled_items(console, "Kinds", "  ".join(f"{_sure(kind.p)} {kind.name}" for kind in chosen))
    if result.pathway and _asked(result):
        labelled_items(console, "Path", f"{result.pathway}: {_PATHS[result.pathway]}")


def _factors(console: Console, factors: tuple[FactorScore, ...]) -> None:
    """Print the user's own factors, then those that stand out among jokes; if their places aren't known, the strongest
    and the weakest."""
    if not factors:
        return
    own, factors = [each for each in factors if each.own], tuple(each for each in factors if not each.own)
    if any(factor.standing is not None for factor in factors):
        ranked = sorted(factors, key=lambda factor: -(factor.standing or 0.0))
        strong = [factor for factor in ranked if factor.stands_out == "strong"][:_STANDING_OUT]
        shown = [*strong, *[factor for factor in ranked if factor.stands_out == "weak"][-_STANDING_OUT:]]
    else:
        shown = sorted((f for f in factors if f.expected is not None), key=lambda f: -(f.expected or 0.0))
        if len(shown) > _STRONGEST + _WEAKEST:
            shown = [*shown[:_STRONGEST], *shown[-_WEAKEST:]]
        elif len(factors) <= _STRONGEST + _WEAKEST:
            shown = list(factors)
    console.text("")
    shown, factors = [*own, *shown], (*own, *factors)
    columns = min(34, max((len(factor.name) for factor in shown), default=0))
    for factor in shown:
        console.text(_factor_line(console, factor, columns))
    if not shown:
        console.painted("  No factor stands out (--json shows all).", "dim")
    elif len(shown) < len(factors):
        console.painted(f"  and {len(factors) - len(shown)} more (--json shows all)", "dim")


def _factor_line(console: Console, factor: FactorScore, columns: int) -> str:
    name = shorten(printable(factor.name, lines=False), columns)
    if factor.score is None or factor.expected is None:
        return f"  {name}  -  no answer"
    note = "  exploratory: written by the model" if factor.origin == "dynamic" else "  your own" if factor.own else ""
    if factor.stands_out is not None and factor.standing is not None:
        of_ten = int(10 * (factor.standing if factor.stands_out == "strong" else 1.0 - factor.standing))
        note += f"  {'stronger' if factor.stands_out == 'strong' else 'weaker'} than in {of_ten} of 10 jokes"
    if factor.separates is False:
        note += "  (this model hardly tells jokes apart here)"
    spread = f" ± {factor.sd:.1f}" if factor.sd is not None else ""
    bar = console.style.bar(factor.expected / 5, 20)
    return f"  {name}  {factor.score}  {bar}  {factor.expected:.1f}{spread}{console.style.paint(note, 'dim')}"


# -- a contest ---------------------------------------------------------------------------------------------------------

_MOST_ROWS = 50
_LEAST_JOKE = 24
_COLUMNS = ("original", "on topic", "scored")


def show_contest(console: Console, result: ContestResult, _taste: str) -> None:
    """Print the ranking as a table, best first, and its reliability."""
    console.heading(contests.sentence(result))
    console.paragraph(contests.name_of(result), paint="dim")
    console.text("")
    found = contests.ranked(result)
    rows = [entry for entry in result.entries if entry.rank is None or entry.same_as is None]
    columns = [column for column in _COLUMNS if any(_cell(entry, column) for entry in rows)]
    of_100 = contests.by_place(found)
    if found:
        names = "".join(f"{column}  " for column in columns)
        number = "in 100" if of_100 else " score"
        console.painted(f"rank  from–to  {number}  {names}joke", "dim")
    for entry in rows[:_MOST_ROWS]:
        _entry_row(console, entry, columns, of_100)
    if len(rows) > _MOST_ROWS:
        console.painted(f"… and {len(rows) - _MOST_ROWS:,} more; --out FILE writes them all", "dim")
    if sentences := contests.summary(result):
        console.text("")
        console.paragraph(" ".join(sentences))


def _cell(entry: RankedEntry, column: str) -> str:
    """Return the cell of an optional column; "" if nothing is known. Shares of 100, scores 1–10."""
    if column == "scored":
        return next((f"{each.mean:.1f}" for each in entry.rounds if each.scale == "humor"), "")
    value = entry.originality if column == "original" else entry.relevance
    return "" if value is None else str(round(100 * value))


def _entry_row(console: Console, entry: RankedEntry, columns: Sequence[str], of_100: bool) -> None:
    rank = "–" if entry.rank is None else str(entry.rank)
    between = "" if entry.rank is None else f"{entry.rank_low}–{entry.rank_high}"
    number = contests.number_of(entry, of_100=of_100)
    cells = "".join(f"{_cell(entry, column):>{len(column)}}  " for column in columns)
    head = f"{rank:>4}  {between:>7}  {number:>6}  {cells}"
    notes = "; ".join(contests.remarks(entry))
    ends = f"  ({notes})" if notes else ""
    console.row(head, entry.text or "(empty)", ends, _LEAST_JOKE)


def show_verdict(console: Console, result: VerdictResult, taste: str = "") -> None:
    """Print a verdict, whole or partial; ``taste``: the line on the user's own taste."""
    if result.kind not in _SHOWN:
        show_page(console, result, taste)
        return
    warnings(console, result)
    _SHOWN[result.kind](console, result, taste)
    tail(console, result)


_SHOWN: dict[str, Callable[[Console, Any, str], None]] = {
    RatingResult.kind: show_rating,
    ContestResult.kind: show_contest,
}
"""The views of the kinds that have their own."""
