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
from ..core.words import of_100
from ..heads.editor_file import EditorCard, EditorFigures
from ..judge.asking.measured import LEAST_POWER, Calibration, MeasuredFiles
from ..judge.asking.worth import Measured, Source
from ..judge.audit.findings import Strength
from ..judge.audit.record import AuditResult, audit_for
from ..judge.audit.words import effects, summary
from ..learning.trust_cards import TrustCard, kind_name, title
from . import card_words as words
from .kept import KeptEvaluation
from .questions import QUESTIONS, UNMEASURED, Answers, answers_for
from .trust import Item, ModelTrust, Section, TrustFiles, editor_card, plan_of
from .words import in_words, validation_table

Plan = dict[str, Any]
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


@dataclass(frozen=True)
class ModelPage:
    """The report on a model: its ``pages``, and its figures as a JSON object (``fields``): ``agreement``, the card;
    ``items``; ``effects``: strengths of the biases that an audit found, by voice and probe; ``not_for``: its limits."""

    model: ModelRef
    fields: dict[str, Any]
    pages: tuple[Page, ...]


def model_page(model: ModelRef, profile: Profile) -> ModelPage:
    """Return the report on a model from all files on this machine, the user's own measurements first. No model is
    loaded. Raises ``CriteriaError``; other unreadable files are reported in it."""
    trust = TrustFiles(profile).of(model)
    plan, faults = plan_of(model, profile)
    audit = audit_for(model.sha256, MeasuredFiles(models_dir(), profile.models))
    try:
        editor = editor_card(model.sha256, profile)
    except JokeJudgeError:
        editor = None  # the plan's faults report it
    card = trust.card
    moved = {str(voice.voice): effects(voice) for voice in audit.voices} if audit is not None else {}
    not_for = tuple(_not_for(card, plan, moved, trust.calibration))
    habits = words.habit_words(trust.calibration, card)
    pages = (
        _in_short(trust, plan, faults),
        _questions(answers_for(model.sha256, card, audit, profile)),
        *_agreement(card),
        *_worths(plan, editor),
        _moved(audit),
        *((_listed("What it can't tell when it is asked", habits),) if habits else ()),
        _listed("What it is not for", not_for),
        *(_own(kept) for kept in trust.measured),
        *_made(card, editor, audit),
    )
    fields = {
        "model": model.model_dump(), "agreement": card.model_dump(mode="json") if card is not None else None,
        "items": plan["items"], "editor": editor.figures.model_dump(mode="json") if editor is not None else None,
        "audit": list(summary(audit)) if audit is not None else [], "effects": moved, "not_for": list(not_for),
        "sense": trust.sense,
    }  # fmt: skip
    return ModelPage(model, fields, pages)


def _listed(title: str, sentences: Sequence[str]) -> Page:
    return Page(title, rows=tuple(map(Row, sentences)))


def _in_short(trust: ModelTrust, plan: Plan, faults: Sequence[JokeJudgeError]) -> Page:
    lead = f"How far it agrees with people hasn't been measured. {words.HOW_TO_MEASURE}"
    if trust.card is not None:
        lead = words.headline(trust.card)
    elif trust.own_head:
        lead = f"Its audience head was fitted on this machine and has no card. {words.HOW_TO_MEASURE}"
    rows = filter(None, (trust.sense, plan_summary(plan)))
    return Page(
        "In short", lead=(lead,) if trust.fault is None else (), notes=tuple(map(str, faults)),
        rows=tuple(map(Row, rows)), foot=(f"SHA-256 {trust.model.sha256}",),
    )  # fmt: skip


def _questions(answers: Answers) -> Page:
    rows = []
    for key, question in QUESTIONS.items():
        answer = next(iter(answers[key].values()), None)
        text = f"{answer.first}: {answer.rest}" if answer is not None else UNMEASURED
        # What there is to say of kinds of text is a table of its own.
        more = answer.more if answer is not None and key != "kind" else ()
        rows.append(Row(f"{question} {text}", rows=tuple(Row(said, about, quiet=True) for about, said in more)))
    return Page("Four questions", rows=tuple(rows))


def _agreement(card: TrustCard | None) -> Iterator[Page]:
    if card is None or not card.kinds:
        return
    rows: list[tuple[str, ...]] = []
    for kind in card.kinds:
        for name, judge, longer, ngrams, pairs in words.slices(kind):
            count = f"{pairs:,}" if pairs is not None else "–"
            rows.append((title(kind.name), name, *map(words.between, (judge, longer, ngrams)), count))
    head = ("Kind of text", "of them", "JokeJudge", "“longer wins”", "word statistics", "pairs")
    text = (
        "Right in 100 pairs that it hadn't learned from, with 95 % intervals; a coin is right in 50. “Not learned "
        "from”: a judge that learned nothing from this kind of text."
    )
    odds = ((title(kind.name), words.calibration_words(kind)) for kind in card.kinds)
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


def plan_summary(plan: Plan) -> str:
    """Return a sentence on the cost of a verdict with this model."""
    if plan["line"]:
        return str(plan["line"])
    if plan["tokens"]:
        return f"The questions that help cost {plan['tokens']:,} tokens beyond the reading of the joke."
    return "A verdict reads the joke once and asks nothing."


def figure(value: float) -> str:
    """Format as ``.57``, ``-.02``, ``1.00``."""
    text = f"{value:.2f}"
    return ("0.00" if text == "-0.00" else text).replace("0.", ".", 1)


def _worth(item: Item) -> str:
    """Return ``.57 (.54–.60)``."""
    interval = f" ({figure(item['low'])}–{figure(item['high'])})" if item["low"] is not None else ""
    return figure(item["worth"]) + interval


def _sections(plan: Plan) -> Iterator[tuple[Section, Measured, list[Item]]]:
    """Yield the items by section and measure; those that are shown first."""
    for (section, measured), some in groupby(plan["items"], key=lambda item: (item["section"], item["measured"])):
        yield section, measured, sorted(some, key=lambda item: (not item["shown"], -item["worth"]))


def plan_pages(plan: Plan, faults: Sequence[JokeJudgeError]) -> Iterator[Page]:
    """Yield what is said of a model's plan, and all items of it."""
    more = "" if plan["tokens"] or not plan["planned"] else " To ask every question: --ask all"
    lines = [f"What asking adds was measured on {plan['texts']} texts that an editor read."] if plan["texts"] else []
    ways = {True: "asked about in each rating", False: "only asked about where every question is asked"}
    for always, how in ways.items():
        if names := [item["name"] for item in plan["unmeasured"] if item["always"] is always]:
            lines.append(f"Your own, not measured, {how}: {', '.join(names)}.")
    yield Page(
        plan["model"]["name"], lead=(plan_summary(plan) + more,), notes=tuple(map(str, faults)),
        rows=tuple(map(Row, lines)),
    )  # fmt: skip
    for section, measured, items in _sections(plan):
        rows = tuple(
            (
                item["name"], _worth(item), SOURCES[item["source"]] + ("" if item["shown"] else ", not shown"),
                f"{item['tokens']:,} tokens" if item["tokens"] else "",
                f"asking adds {figure(item['added']['value'])}" if item["added"] else "",
            )
            for item in items
        )  # fmt: skip
        tests = tuple(Row(f"Prose test {item['remark']}.") for item in items if item["remark"])
        yield Page(TITLES[section], lead=(MEASURED[measured],), rows=tests, tables=(Table("", (), rows),))


def _worths(plan: Plan, editor: EditorCard | None) -> Iterator[Page]:
    rows: list[tuple[str, ...]] = []
    points = list(_editor(editor.figures)) if editor is not None else []
    for section, measured, items in _sections(plan):
        if section in _LONG:
            points.append(_many(section, items))
        elif section != "audience":
            unit = {"r": "correlation", "auc": "area under the curve", "share": "share right"}[measured]
            rows += [
                (f"{TITLES[section]}: {item['name']}", _worth(item), unit, SOURCES[item["source"]],
                 "shown" if item["shown"] else "not shown")
                for item in items
            ]  # fmt: skip
    if rows or points:
        text = (
            "On texts that an editor read and that the heads hadn't learned from (a large language model's readings, "
            "not people's votes). By chance a correlation is 0, an area under the curve .50."
        )
        table = Table("", ("Part", "Worth (95 %)", "Measured as", "Got", "In a verdict"), tuple(rows))
        yield Page("What each part of a verdict is worth", lead=(text,), rows=tuple(map(Row, points)), tables=(table,))


def _editor(figures: EditorFigures) -> Iterator[str]:
    yield (
        f"The likeliest kind is one of the reader's in {of_100(figures.kinds_first)} of 100 jokes; of kinds "
        f"stated at .5 or more {of_100(figures.kinds_precision)} in 100 are right, and they are "
        f"{of_100(figures.kinds_recall)} of 100 that readers name."
    )
    yield (
        f"Of faults stated at .5 or more {of_100(figures.faults_precision)} in 100 are right; they are "
        f"{of_100(figures.faults_recall)} of 100 that readers name."
    )
    yield f"The words on which a joke turns are found in {of_100(figures.turn)} of 100."


def _many(section: Section, items: Sequence[Item]) -> str:
    shown = sum(item["shown"] for item in items)
    mean = sum(item["worth"] for item in items) / len(items)
    text = f"{TITLES[section]}: {shown} of {len(items)} are shown; mean area under the curve {figure(mean)}"
    hidden = [item["name"] for item in items if not item["shown"]]
    return f"{text}. Not shown: {', '.join(hidden)}." if hidden and shown else f"{text}."


# What moves it, what it isn't for, and where the figures come from


def _moved(audit: AuditResult | None) -> Page:
    title = "What moves it though it shouldn't"
    if audit is None:
        return _listed(title, ("It hasn't been audited. In the terminal: jokejudge audit",))
    lead = f"An audit on {len(audit.pairs):,} pairs ({audit.source or 'a list'})."
    return Page(title, lead=(lead,), rows=tuple(map(Row, summary(audit))))


def _not_for(
    card: TrustCard | None, plan: Plan, moved: dict[str, dict[str, Strength]], calibration: Calibration | None
) -> Iterator[str]:
    """Yield limits that follow from the figures, and uses that no figure here supports."""
    yield "Saying how funny a text is, or that one person will like it: it says which texts a crowd would put higher."
    if card is None:
        yield "Any claim about people: its agreement with them isn't known."
    else:
        least = {kind.name: (kind.head["all"].low, kind.head["all"].value) for kind in card.kinds}
        if unsure := [kind_name(id) for id, (low, value) in least.items() if (value if low is None else low) <= 0.5]:
            yield f"Telling {listed(unsure, 'or')} apart: there it isn't surely better than a coin."
        if card.across:
            yield f"Kinds of joke that it never learned from: there it is right in {words.span(card)} of 100 pairs."
    if plan["planned"] and not any(item["shown"] for item in plan["items"] if item["section"] == "turn"):
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
        rows += [Row(f"{terms}.", title(name)) for name, terms in card.data.items()]
        made = (("Measured", card.date), ("Held out", card.split), ("Intervals", card.intervals),
                ("Reads", card.features), ("Fitted on", card.fitted_on), ("Command", card.command))  # fmt: skip
        rows += [Row(f"{text}.", label) for label, text in made if text]
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
        atomic_write(path, json_line(page.fields, indent=1))
    elif form == "markdown":
        atomic_write(path, as_markdown(page.pages, page.model.name))
    else:
        atomic_write(path, as_html(page.pages, page.model.name))
