"""A model's card: all its measured figures on one page, and its limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from ..core.errors import JokeJudgeError
from ..core.files import atomic_write
from ..core.pages import Part, Table, document, markdown_cell, paragraph, part_html, part_markdown
from ..core.paths import Profile, models_dir
from ..core.texts import json_line, listed
from ..core.verdicts import Frozen, ModelRef
from ..heads.editor_file import EditorCard, EditorFigures
from ..judge.asking.measured import LEAST_POWER, Calibration
from ..judge.asking.worth import Measured, Source
from ..judge.audit.findings import answers_left
from ..judge.audit.record import AuditResult, audit_for
from ..judge.audit.statistics import Strength
from ..judge.audit.words import STRENGTH, VOICE, effects, left_lines
from ..judge.audit.words import summary as audit_summary
from ..learning import trust_cards as words
from ..learning.trust_cards import KindFigures, TrustCard, habit_words
from .worths import ItemRow, ModelPlan, Section, TrustFiles, editor_card, plan_of

# -- a model's plan in words, for the window and the terminal ----------------------------------------------------------

UNPLANNED = "This model has no plan yet: everything is asked, and nothing counts as measured."
TITLES: dict[Section, str] = {
    "audience": "Audience, by kind of text",
    "drafts": "Drafts",
    "check": "Checks",
    "factor": "Factors",
    "kind": "Kinds",
    "fault": "Faults",
    "turn": "Turn",
    "duel": "Duels",
    "prose": "Sentences",
}
MEASURED: dict[Measured, str] = {
    "r": "correlation with an editor's readings; 0: chance",
    "auc": "area under the curve against labelled texts; .50: chance",
    "share": "share that is right",
}
SOURCES: dict[Source | None, str] = {"asked": "asked", "read": "read", "both": "asked and read", None: "not asked"}


def summary(found: ModelPlan) -> str:
    """Return a sentence on the cost of a verdict with this model."""
    if not found.planned:
        return UNPLANNED
    if found.tokens:
        return f"The questions that help cost {found.tokens:,} tokens beyond the reading of the joke."
    return "A verdict reads the joke once and asks nothing."


def tried(found: ModelPlan) -> str:
    """Return a sentence on the texts of the measurement of the gain from asking; empty where there was none."""
    return f"What asking adds was measured on {found.texts} texts that an editor read." if found.texts else ""


def prose_test(found: ModelPlan) -> str:
    """Return the result of the prose test; empty where it wasn't made."""
    remark = next((row.remark for row in found.rows if row.remark), "")
    result, _, figures = remark.partition(": ")
    if result == "passed":
        return f"Written explanations from this model are shown: {figures}."
    return (
        f"Written explanations from this model were not good enough, so none are shown: {figures}." if figures else ""
    )


def figure(value: float) -> str:
    """Format as ``.57``, ``-.02``, ``1.00``."""
    text = f"{value:.2f}"
    return ("0.00" if text == "-0.00" else text).replace("0.", ".", 1)


def worth_in_words(row: ItemRow) -> str:
    """Return ``.57 (.54–.60)``."""
    interval = f" ({figure(row.low)}–{figure(row.high)})" if row.low is not None and row.high is not None else ""
    return figure(row.worth) + interval


def plan_row(row: ItemRow) -> tuple[str, ...]:
    """Return an item's name, worth, source, and the cost of asking."""
    source = SOURCES[row.source] if row.shown else f"{SOURCES[row.source]}, not shown"
    return row.name, worth_in_words(row), source, f"{row.tokens:,} tokens" if row.tokens else ""


def plan_parts(found: ModelPlan) -> Iterator[Part]:
    """Yield all items, by section and measure; those that are shown first."""
    for (section, measured), some in groupby(found.rows, key=lambda row: (row.section, row.measured)):
        items = sorted(some, key=lambda row: (not row.shown, -row.worth))
        rows = ((*plan_row(row), f"asking adds {figure(row.added.value)}" if row.added else "") for row in items)
        tests = tuple(f"Prose test {row.remark}." for row in items if row.remark)
        yield Part(TITLES[section], (MEASURED[measured], *tests), (Table("", (), tuple(rows)),))


def unmeasured(found: ModelPlan) -> tuple[str, ...]:
    """Return a sentence for each group of items that the user added or reworded, by the way in which they are asked
    about."""
    ways = ((True, "asked about in each rating"), (False, "only asked about where every question is asked"))
    named = [(how, [item.name for item in found.unmeasured if item.always is always]) for always, how in ways]
    return tuple(f"Your own, not measured, {how}: {', '.join(names)}." for how, names in named if names)


_LONG: tuple[Section, ...] = ("kind", "fault")
"""Sections too long for a page: only summarised."""


class ModelPage(Frozen):
    """A model's card as ``sheets`` for people, and its figures: ``agreement`` with people, the plan's ``items`` with
    their worth, the figures of the ``editor``'s heads, ``audit`` in sentences, its ``effects``
    by voice, ``not_for``; ``sense``: a sentence on recognising texts that aren't jokes."""

    model: ModelRef
    agreement: TrustCard | None
    items: tuple[ItemRow, ...]
    editor: EditorFigures | None
    audit: tuple[str, ...]
    effects: dict[str, dict[str, Strength]]
    not_for: tuple[str, ...]
    sense: str
    sheets: tuple[Part, ...]

    def fields(self) -> dict[str, Any]:
        """Return the figures, for JSON."""
        return self.model_dump(mode="json", exclude={"sheets"})


def model_page(model: ModelRef, profile: Profile) -> ModelPage:
    """Return the card of a model from all files on this machine, the user's own measurements first. No model is loaded.
    Raises ``CriteriaError``; other unreadable files are reported on the page."""
    files = TrustFiles(profile)
    trust = files.of(model)
    plan = plan_of(model, profile)
    audit = audit_for(model.sha256, profile.audits, models_dir() / "audits")
    try:
        editor = editor_card(model.sha256, profile)
    except JokeJudgeError:
        editor = None  # the plan's faults report it
    moved: dict[str, dict[str, Strength]] = {}
    if audit is not None:
        moved = {voice.voice: dict(effects(voice)) for voice in audit.voices}
    lines = (*audit_summary(audit), *left_lines(answers_left(audit))) if audit is not None else ()
    not_for = tuple(_not_for(trust.card, plan, moved, trust.calibration))
    first = words.headline(trust.card) if trust.card else "How far it agrees with people hasn't been measured."
    faults = (f"{fault.sentence} {fault.hint}".strip() for fault in plan.faults)
    sheets = (
        Part("In short", (first, *filter(None, [trust.sense]), summary(plan), *faults)),
        *_agreement(trust.card),
        *_worths(plan, editor),
        _moved(audit, lines, moved),
        *habit_parts(trust.calibration, trust.card),
        Part("What it is not for", points=not_for),
        *made_parts(trust.card, editor, audit),
    )
    return ModelPage(
        model=model, agreement=trust.card, items=plan.rows, editor=editor.figures if editor is not None else None,
        audit=lines, effects=moved, not_for=not_for, sense=trust.sense, sheets=sheets,
    )  # fmt: skip


def _agreement(card: TrustCard | None) -> Iterator[Part]:
    if card is None or not card.kinds:
        return
    head = ("Kind of text", "JokeJudge", "“longer wins”", "word statistics", "Pairs", "Without having learned from any")
    text = (
        "Right in 100 pairs that it hadn't learned from, with 95 % intervals; a coin is right in 50. The last column: "
        "a judge that learned nothing from this kind of text."
    )
    rows = tuple(_kind(kind) for kind in card.kinds if "all" in kind.head)
    yield Part("Agreement with people", (text,), (Table("", head, rows),))


def _kind(kind: KindFigures) -> tuple[str, ...]:
    pairs = kind.pairs.get("all")
    parts = (kind.head.get("all"), kind.longer.get("all"), kind.ngrams.get("all"))
    shown = (f"{pairs:,}" if pairs is not None else "–", words.between(kind.head_across.get("all")))
    return (words.title(kind.name), *map(words.between, parts), *shown)


def _worths(plan: ModelPlan, editor: EditorCard | None) -> Iterator[Part]:
    rows: list[tuple[str, ...]] = []
    points = list(_editor(editor.figures)) if editor is not None else []
    for (part, measured), found in groupby(plan.rows, key=lambda row: (row.section, row.measured)):
        items = sorted(found, key=lambda row: (not row.shown, -row.worth))
        if part == "audience":
            continue
        if part in _LONG:
            points.append(_many(part, items))
            continue
        unit = {"r": "correlation", "auc": "area under the curve", "share": "share right"}[measured]
        for row in items:
            got = SOURCES[row.source]
            shown = "shown" if row.shown else "not shown"
            rows.append((f"{TITLES[part]}: {row.name}", worth_in_words(row), unit, got, shown))
    if rows or points:
        text = (
            "On texts that an editor read and that the heads hadn't learned from (a large language model's readings, "
            "not people's votes). By chance a correlation is 0, an area under the curve .50."
        )
        table = Table("", ("Part", "Worth (95 %)", "Measured as", "Got", "In a verdict"), tuple(rows))
        yield Part("What each part of a verdict is worth", (text,), (table,), tuple(points))


def _editor(found: EditorFigures) -> Iterator[str]:
    yield (
        f"The likeliest kind is one of the reader's in {words.hundred(found.kinds_first)} of 100 jokes; of kinds "
        f"stated at .5 or more {words.hundred(found.kinds_precision)} in 100 are right, and they are "
        f"{words.hundred(found.kinds_recall)} of 100 that readers name."
    )
    yield (
        f"Of faults stated at .5 or more {words.hundred(found.faults_precision)} in 100 are right; they are "
        f"{words.hundred(found.faults_recall)} of 100 that readers name."
    )
    yield f"The words on which a joke turns are found in {words.hundred(found.turn)} of 100."


def _many(section: Section, items: Sequence[ItemRow]) -> str:
    shown = [row for row in items if row.shown]
    mean = sum(row.worth for row in items) / len(items)
    text = f"{TITLES[section]}: {len(shown)} of {len(items)} are shown; mean area under the curve {figure(mean)}"
    hidden = [row.name for row in items if not row.shown]
    return f"{text}. Not shown: {', '.join(hidden)}." if hidden and shown else f"{text}."


def _moved(audit: AuditResult | None, lines: Sequence[str], moved: dict[str, dict[str, Strength]]) -> Part:
    title = "What moves it though it shouldn't"
    if audit is None:
        return Part(title, ("It hasn't been audited. In the terminal: jokejudge audit",))
    rows = tuple(
        (VOICE[voice.voice], name, STRENGTH[strength])
        for voice in audit.voices
        for name, strength in sorted(moved[voice.voice].items(), key=lambda each: (each[1] != "strong", each[0]))
    )
    of = f"An audit on {len(audit.pairs):,} pairs ({audit.source or 'a list'})."
    return Part(title, (of,), (Table("", ("Voice", "Change", "Effect"), rows),) if rows else (), tuple(lines))


def habit_parts(calibration: Calibration | None, card: TrustCard | None) -> Iterator[Part]:
    """Yield the part about the model's weaknesses."""
    if found := habit_words(calibration, card):
        yield Part("What it can't tell when it is asked", points=tuple(found))


def _not_for(
    card: TrustCard | None,
    plan: ModelPlan,
    moved: dict[str, dict[str, Strength]],
    calibration: Calibration | None,
) -> Iterator[str]:
    """Yield limits that follow from the figures, and uses that no figure here supports."""
    yield "Saying how funny a text is, or that one person will like it: it says which texts a crowd would put higher."
    if card is None:
        yield "Any claim about people: its agreement with them isn't known."
    else:
        ends = {kind.name: (kind.head["all"].low, kind.head["all"].value) for kind in card.kinds}
        unsure = [
            words.kind_name(name) for name, (low, value) in ends.items() if (value if low is None else low) <= 0.5
        ]
        if unsure:
            yield f"Telling {listed(unsure, 'or')} apart: there it isn't surely better than a coin."
        across = [kind.head_across["all"].value for kind in card.kinds if "all" in kind.head_across]
        if across:
            span = f"{words.hundred(min(across))} to {words.hundred(max(across))}"
            yield f"Kinds of joke that it never learned from: there it is right in {span} of 100 pairs."
    if plan.planned and not any(row.shown for row in plan.rows if row.section == "turn"):
        yield "Pointing at the words on which a joke turns: that isn't good enough to be shown."
    strong = sorted({name for found in moved.values() for name, strength in found.items() if strength == "strong"})
    if strong:
        yield f"Comparing texts that differ in what moves it strongly: {', '.join(strong)}."
    if not moved:
        yield "Comparing texts by different people or in different forms without an audit of your own."
    check = calibration.checks.get("appropriateness") if calibration is not None else None
    if check is None or check.d_prime < LEAST_POWER:
        yield "Keeping harmful or hateful texts out: it wasn't found to recognise them."
    yield "Texts that aren't English: nothing was measured on them."
    yield "Deciding about people, such as grading or hiring, by the texts that they wrote."


def made_parts(
    card: TrustCard | None, editor: EditorCard | None = None, audit: AuditResult | None = None
) -> Iterator[Part]:
    """Yield the part about the data and commands behind the figures."""
    points = []
    if card is not None:
        points += [f"{words.title(name)}: {terms}." for name, terms in card.data.items()]
        points += [f"{label}: {text}." for label, text in words.how_made(card)]
    if editor is not None:
        points.append(f"Editor's heads: {editor.date}; {editor.data}; {editor.readings:,} readings; {editor.command}.")
    if audit is not None:
        points.append(f"Audit: JokeJudge {audit.program}, probes {audit.perturbations}, {audit.readings:,} readings.")
    if points:
        yield Part("Where these figures come from", points=tuple(points))


# -- a model's card as Markdown, HTML or JSON --------------------------------------------------------------------------

Form = Literal["markdown", "html", "json"]
ENDINGS: dict[str, Form] = {".md": "markdown", ".html": "html", ".json": "json"}


def as_markdown(page: ModelPage) -> str:
    """Return the card as a Markdown page; names are escaped."""
    lines = [f"# {markdown_cell(page.model.name)}", "", f"SHA-256 `{page.model.sha256}`", ""]
    return "\n".join((*lines, *(line for sheet in page.sheets for line in part_markdown(sheet))))


def as_html(page: ModelPage) -> str:
    """Return the card as a self-contained HTML document; everything is escaped."""
    head = f"<h1>{escape(page.model.name)}</h1>", paragraph(f"SHA-256 {page.model.sha256}", look="small")
    return document(f"JokeJudge: {page.model.name}", (*head, *map(part_html, page.sheets)))


def write_page(page: ModelPage, path: Path, form: Form) -> None:
    """Write the card to a file in one step. Raises ``SettingsError`` and ``OutputError``."""
    if form == "json":
        atomic_write(path, json_line(page.fields(), indent=1))
    else:
        atomic_write(path, as_markdown(page) if form == "markdown" else as_html(page))
