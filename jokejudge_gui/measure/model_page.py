"""Trust's report on a model: four questions, its measured figures and its limits, as pages for every surface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from ..core.errors import JokeJudgeError
from ..core.files import atomic_write
from ..core.pages import Page, Row, Table, as_html, as_markdown
from ..core.paths import Profile, models_dir
from ..core.texts import json_line, listed
from ..core.verdicts import ModelRef
from ..heads.editor_file import EditorCard, EditorFigures
from ..judge.asking.measured import LEAST_POWER, Calibration
from ..judge.asking.worth import Measured, Source
from ..judge.audit.findings import Strength
from ..judge.audit.record import AuditResult, audit_for
from ..judge.audit.words import STRENGTH, VOICE, effects, summary
from ..learning import trust_cards as words
from ..learning.trust_cards import TrustCard
from .kept import KeptEvaluation
from .questions import QUESTIONS, UNMEASURED, Answer, Answers, answers_for
from .words import in_words, validation_table
from .worths import ItemRow, ModelPlan, ModelTrust, Section, TrustFiles, editor_card, plan_of

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
_LONG: tuple[Section, ...] = ("kind", "fault")
"""Sections too long for a report: only summarised."""
_SLICES = {"jokes": "real jokes", "strong jokes": "real jokes, clear", "all": "all pairs", "strong": "clear pairs"}
_HOW_TO = "In the terminal: jokejudge evaluate --pairs FILE.csv --html report.html"


@dataclass(frozen=True)
class ModelPage:
    """The report on a model: its ``pages``, and its figures. ``effects``: strengths of the biases that an audit found,
    by voice and probe; ``not_for``: its limits."""

    model: ModelRef
    agreement: TrustCard | None
    items: tuple[ItemRow, ...]
    editor: EditorFigures | None
    audit: tuple[str, ...]
    effects: dict[str, dict[str, Strength]]
    not_for: tuple[str, ...]
    sense: str
    pages: tuple[Page, ...]

    def fields(self) -> dict[str, Any]:
        """Return the figures, for JSON."""
        return {
            "model": self.model.model_dump(),
            "agreement": self.agreement.model_dump(mode="json") if self.agreement is not None else None,
            "items": [row.model_dump(mode="json") for row in self.items],
            "editor": self.editor.model_dump(mode="json") if self.editor is not None else None,
            "audit": list(self.audit),
            "effects": self.effects,
            "not_for": list(self.not_for),
            "sense": self.sense,
        }


def model_page(model: ModelRef, profile: Profile) -> ModelPage:
    """Return the report on a model from all files on this machine, the user's own measurements first. No model is
    loaded. Raises ``CriteriaError``; other unreadable files are reported in it."""
    trust = TrustFiles(profile).of(model)
    plan = plan_of(model, profile)
    audit = audit_for(model.sha256, profile.audits, models_dir() / "audits")
    try:
        editor = editor_card(model.sha256, profile)
    except JokeJudgeError:
        editor = None  # the plan's faults report it
    card = trust.card if trust.fault is None else None
    moved = {voice.voice: effects(voice) for voice in audit.voices} if audit is not None else {}
    lines = summary(audit) if audit is not None else ()
    not_for = tuple(_not_for(card, plan, moved, trust.calibration))
    habits = words.habit_words(trust.calibration, card)
    pages = (
        _in_short(trust, plan),
        _questions(answers_for(model.sha256, card, audit, profile)),
        *_agreement(card),
        *_worths(plan, editor),
        _moved(audit, lines, moved),
        *((_listed("What it can't tell when it is asked", habits),) if habits else ()),
        _listed("What it is not for", not_for),
        *(_own(kept) for kept in trust.measured),
        *_made(card, editor, audit),
    )
    return ModelPage(
        model=model, agreement=trust.card, items=plan.rows, editor=editor.figures if editor is not None else None,
        audit=lines, effects={str(voice): some for voice, some in moved.items()}, not_for=not_for,
        sense=trust.sense, pages=pages,
    )  # fmt: skip


def _listed(title: str, sentences: Sequence[str]) -> Page:
    return Page(title, rows=tuple(map(Row, sentences)))


def _in_short(trust: ModelTrust, plan: ModelPlan) -> Page:
    notes = [str(trust.fault)] if trust.fault is not None else []
    notes += [str(fault) for fault in plan.faults if str(fault) not in notes]
    lead = "" if trust.fault is not None else f"How far it agrees with people hasn't been measured. {_how_to()}"
    if trust.card is not None and trust.fault is None:
        lead = words.headline(trust.card)
    elif trust.own_head and trust.fault is None:
        lead = f"Its audience head was fitted on this machine and has no card. {_how_to()}"
    rows = filter(None, (trust.sense, plan_summary(plan)))
    return Page(
        "In short", lead=(lead,) if lead else (), notes=tuple(notes), rows=tuple(map(Row, rows)),
        foot=(f"SHA-256 {trust.model.sha256}",),
    )  # fmt: skip


def _how_to() -> str:
    return f"{words.HOW_TO_MEASURE} {_HOW_TO}"


def _questions(answers: Answers) -> Page:
    kind = next(iter(answers.kinds.values()), None)
    given = {"kind": kind, "broken": answers.broken, "drafts": answers.drafts, "moves": answers.moves}
    return Page("Four questions", rows=tuple(_answer(QUESTIONS[key], answer) for key, answer in given.items()))


def _answer(question: str, answer: Answer | None) -> Row:
    if answer is None:
        return Row(f"{question} {UNMEASURED}")
    more = tuple(Row(text, about, quiet=True) for about, text in answer.more)
    return Row(f"{question} {answer.first}: {answer.rest}", rows=more)


def _agreement(card: TrustCard | None) -> Iterator[Page]:
    if card is None or not card.kinds:
        return
    rows: list[tuple[str, ...]] = []
    for kind in card.kinds:
        slices = [(name, kind.head.get(part), kind.longer.get(part), kind.ngrams.get(part), kind.pairs.get(part))
                  for part, name in _SLICES.items()]  # fmt: skip
        across = (kind.head_across.get("all"), kind.longer.get("all"), kind.ngrams_across.get("all"))
        for name, judge, longer, ngrams, pairs in (*slices, ("not learned from", *across, kind.pairs.get("all"))):
            if judge is not None:
                count = f"{pairs:,}" if pairs is not None else "–"
                shares = map(words.between, (judge, longer, ngrams))
                rows.append((words.title(kind.name), name, *shares, count))
    head = ("Kind of text", "of them", "JokeJudge", "“longer wins”", "word statistics", "pairs")
    text = (
        "Right in 100 pairs that it hadn't learned from, with 95 % intervals; a coin is right in 50. “Not learned "
        "from”: a judge that learned nothing from this kind of text."
    )
    odds = ((words.title(kind.name), words.calibration_words(kind)) for kind in card.kinds)
    yield Page(
        "Agreement with people", lead=(text,), rows=tuple(Row(sentence, name) for name, sentence in odds if sentence),
        tables=(Table("", head, tuple(rows)),),
    )  # fmt: skip
    if unseen := words.across_summary(card):
        yield _listed("A kind of joke it never saw", (unseen,))


def _own(kept: KeptEvaluation) -> Page:
    return Page(
        f"Measured on your own file {kept.source}",
        rows=tuple(Row(in_words(report)) for report in kept.found["pairs"]),
        tables=validation_table(kept.found, ("Measure", "found", "threshold", "verdict"), every=False),
        foot=(f"{kept.moment[:10]}, {kept.extent}",),
    )


# What each part of a verdict is worth


def plan_summary(plan: ModelPlan) -> str:
    """Return a sentence on the cost of a verdict with this model."""
    if not plan.planned:
        return UNPLANNED
    if plan.tokens:
        return f"The questions that help cost {plan.tokens:,} tokens beyond the reading of the joke."
    return "A verdict reads the joke once and asks nothing."


def tried(plan: ModelPlan) -> str:
    """Return a sentence on the texts of the measurement of the gain from asking; empty where there was none."""
    return f"What asking adds was measured on {plan.texts} texts that an editor read." if plan.texts else ""


def prose_test(plan: ModelPlan) -> str:
    """Return the result of the prose test; empty where it wasn't made."""
    remark = next((row.remark for row in plan.rows if row.remark), "")
    result, _, figures = remark.partition(": ")
    if result == "passed":
        return f"Written explanations from this model are shown: {figures}."
    return (
        f"Written explanations from this model were not good enough, so none are shown: {figures}." if figures else ""
    )


def unmeasured(plan: ModelPlan) -> tuple[str, ...]:
    """Return a sentence for each group of items that the user added or reworded, by the way in which they are asked
    about."""
    ways = ((True, "asked about in each rating"), (False, "only asked about where every question is asked"))
    named = [(how, [item.name for item in plan.unmeasured if item.always is always]) for always, how in ways]
    return tuple(f"Your own, not measured, {how}: {', '.join(names)}." for how, names in named if names)


def plan_row(row: ItemRow) -> tuple[str, ...]:
    """Return an item's name, worth, source, and the cost of asking."""
    source = SOURCES[row.source] if row.shown else f"{SOURCES[row.source]}, not shown"
    return row.name, _worth(row), source, f"{row.tokens:,} tokens" if row.tokens else ""


def figure(value: float) -> str:
    """Format as ``.57``, ``-.02``, ``1.00``."""
    text = f"{value:.2f}"
    return ("0.00" if text == "-0.00" else text).replace("0.", ".", 1)


def _worth(row: ItemRow) -> str:
    """Return ``.57 (.54–.60)``."""
    interval = f" ({figure(row.low)}–{figure(row.high)})" if row.low is not None and row.high is not None else ""
    return figure(row.worth) + interval


def _sections(plan: ModelPlan) -> Iterator[tuple[Section, Measured, list[ItemRow]]]:
    """Yield the items by section and measure; those that are shown first."""
    for (section, measured), some in groupby(plan.rows, key=lambda row: (row.section, row.measured)):
        yield section, measured, sorted(some, key=lambda row: (not row.shown, -row.worth))


def plan_pages(plan: ModelPlan) -> Iterator[Page]:
    """Yield what is said of a model's plan, and all items of it."""
    more = "" if plan.tokens or not plan.planned else " To ask every question: --ask all"
    lines = (tried(plan), *unmeasured(plan))
    yield Page(
        plan.model.name,
        lead=(plan_summary(plan) + more,),
        notes=tuple(map(str, plan.faults)),
        rows=tuple(Row(line) for line in lines if line),
    )
    for section, measured, items in _sections(plan):
        rows = tuple((*plan_row(row), f"asking adds {figure(row.added.value)}" if row.added else "") for row in items)
        tests = tuple(Row(f"Prose test {row.remark}.") for row in items if row.remark)
        yield Page(TITLES[section], lead=(MEASURED[measured],), rows=tests, tables=(Table("", (), rows),))


def _worths(plan: ModelPlan, editor: EditorCard | None) -> Iterator[Page]:
    rows: list[tuple[str, ...]] = []
    points = list(_editor(editor.figures)) if editor is not None else []
    for part, measured, items in _sections(plan):
        if part == "audience":
            continue
        if part in _LONG:
            points.append(_many(part, items))
            continue
        unit = {"r": "correlation", "auc": "area under the curve", "share": "share right"}[measured]
        for row in items:
            shown = "shown" if row.shown else "not shown"
            rows.append((f"{TITLES[part]}: {row.name}", _worth(row), unit, SOURCES[row.source], shown))
    if rows or points:
        text = (
            "On texts that an editor read and that the heads hadn't learned from (a large language model's readings, "
            "not people's votes). By chance a correlation is 0, an area under the curve .50."
        )
        table = Table("", ("Part", "Worth (95 %)", "Measured as", "Got", "In a verdict"), tuple(rows))
        yield Page("What each part of a verdict is worth", lead=(text,), rows=tuple(map(Row, points)), tables=(table,))


def _editor(figures: EditorFigures) -> Iterator[str]:
    yield (
        f"The likeliest kind is one of the reader's in {words.hundred(figures.kinds_first)} of 100 jokes; of kinds "
        f"stated at .5 or more {words.hundred(figures.kinds_precision)} in 100 are right, and they are "
        f"{words.hundred(figures.kinds_recall)} of 100 that readers name."
    )
    yield (
        f"Of faults stated at .5 or more {words.hundred(figures.faults_precision)} in 100 are right; they are "
        f"{words.hundred(figures.faults_recall)} of 100 that readers name."
    )
    yield f"The words on which a joke turns are found in {words.hundred(figures.turn)} of 100."


def _many(section: Section, items: Sequence[ItemRow]) -> str:
    shown = [row for row in items if row.shown]
    mean = sum(row.worth for row in items) / len(items)
    text = f"{TITLES[section]}: {len(shown)} of {len(items)} are shown; mean area under the curve {figure(mean)}"
    hidden = [row.name for row in items if not row.shown]
    return f"{text}. Not shown: {', '.join(hidden)}." if hidden and shown else f"{text}."


# What moves it, what it isn't for, and where the figures come from


def _moved(audit: AuditResult | None, lines: Sequence[str], moved: dict[Any, dict[str, Strength]]) -> Page:
    title = "What moves it though it shouldn't"
    if audit is None:
        return _listed(title, ("It hasn't been audited. In the terminal: jokejudge audit",))
    rows = tuple(
        (VOICE[voice.voice], name, STRENGTH[strength])
        for voice in audit.voices
        for name, strength in sorted(moved[voice.voice].items(), key=lambda one: (one[1] != "strong", one[0]))
    )
    return Page(
        title,
        lead=(f"An audit on {len(audit.pairs):,} pairs ({audit.source or 'a list'}).",),
        rows=tuple(map(Row, lines)),
        tables=(Table("", ("Voice", "Change", "Effect"), rows),) if rows else (),
    )


def _not_for(
    card: TrustCard | None, plan: ModelPlan, moved: dict[Any, dict[str, Strength]], calibration: Calibration | None
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
    strong = sorted({name for some in moved.values() for name, strength in some.items() if strength == "strong"})
    if strong:
        yield f"Comparing texts that differ in what moves it strongly: {', '.join(strong)}."
    if not moved:
        yield "Comparing texts by different people or in different forms without an audit of your own."
    check = calibration.checks.get("appropriateness") if calibration is not None else None
    if check is None or check.d_prime < LEAST_POWER:
        yield "Keeping harmful or hateful texts out: it wasn't found to recognise them."
    yield "Texts that aren't English: nothing was measured on them."
    yield "Deciding about people, such as grading or hiring, by the texts that they wrote."


def _made(card: TrustCard | None, editor: EditorCard | None, audit: AuditResult | None) -> Iterator[Page]:
    """Yield the data and commands behind the figures."""
    rows: list[Row] = []
    if card is not None:
        rows += [Row(f"{terms}.", words.title(name)) for name, terms in card.data.items()]
        rows += [Row(f"{text}.", label) for label, text in words.how_made(card)]
    if editor is not None:
        text = f"{editor.date}; {editor.data}; {editor.readings:,} readings; {editor.command}."
        rows.append(Row(text, "Editor's heads"))
    if audit is not None:
        text = f"JokeJudge {audit.program}, probes {audit.perturbations}, {audit.readings:,} readings."
        rows.append(Row(text, "Audit"))
    if rows:
        yield Page("Where these figures come from", rows=tuple(rows))


# The report as Markdown, HTML or JSON

Form = Literal["markdown", "html", "json"]
ENDINGS: dict[str, Form] = {".md": "markdown", ".html": "html", ".json": "json"}


def write_page(page: ModelPage, path: Path, form: Form) -> None:
    """Write the report to a file in one step. Raises ``SettingsError`` and ``OutputError``."""
    if form == "json":
        atomic_write(path, json_line(page.fields(), indent=1))
    elif form == "markdown":
        atomic_write(path, as_markdown(page.pages, page.model.name))
    else:
        atomic_write(path, as_html(page.pages, page.model.name))
