"""Everything that was measured of a model, from files alone: no model is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from ...core.errors import CriteriaError, JokeJudgeError, info
from ...core.files import atomic_write
from ...core.pages import Page, as_html, as_markdown
from ...core.paths import Profile, models_dir
from ...core.texts import json_line
from ...core.verdicts import ModelRef
from ...core.words import of_100
from ...heads.editor_file import EditorCard
from ...heads.files import heads_figures, share_of
from ...judge.asking.measured import Calibration, MeasuredFiles
from ...judge.asking.question_keys import QuestionKeys, question_keys
from ...judge.asking.worth import TURN, ItemWorth
from ...judge.audit.record import AuditResult, audit_for
from ...judge.audit.words import effects, summary
from ...learning.trust_cards import TrustCard, card_for, kind_name, read_cards
from ...rubric.overlay import Rubric
from ...rubric.own_file import OwnFile
from ...rubric.prompts import parse_prompts
from ..kept import KeptEvaluation, KeptEvaluations
from .words import (
    Answers,
    ModelTrust,
    across_summary,
    agrees,
    answers,
    card_line,
    habit_words,
    headline,
    limits,
    report,
)

UNPLANNED = "This model has no plan yet: everything is asked, and nothing counts as measured."
Section = Literal["audience", "drafts", "check", "factor", "kind", "fault", "turn", "duel"]
SECTIONS: tuple[Section, ...] = get_args(Section)
_ALWAYS_READ = ("intent",)
"""Checks that use the heads' estimate."""


class TrustFiles:
    """Reads the program's folders and the profile's, the profile's first; nothing is cached in memory except the
    wording of the questions."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.kept = KeptEvaluations(profile.evaluations)

    def of(self, model: ModelRef) -> ModelTrust:
        """Return all figures of one model. Unreadable files are reported in ``fault`` or left out; nothing is
        raised."""
        card, fault = self._card(model.sha256)
        return ModelTrust(
            model=model, card=card, fault=fault, calibration=self._calibration(model.sha256),
            measured=tuple(self.kept.of(model.sha256)), own_head=self._own_head(model.sha256),
            sense=self.sense(model.sha256),
        )  # fmt: skip

    def models(self) -> list[ModelRef]:
        """Return the models with any figures, each once, by name."""
        named = {kept.model.sha256: kept.model for kept in self.kept.all() if kept.model}
        for folder, own in ((models_dir() / "cards", False), (self.profile.cards, True)):
            named |= {card.model.sha256: card.model for card in read_cards(folder, own=own)}
        return sorted(named.values(), key=lambda model: (model.name.casefold(), model.sha256))

    def line(self, sha256: str) -> str:
        """Return the agreement of a model in one line, as ``agrees`` writes it; empty where nothing was measured."""
        card, _ = self._card(sha256)
        line = card_line(card) if card is not None else ""
        return line or next(filter(None, map(measured_line, self.kept.of(sha256))), "")

    def sense_shares(self, sha256: str) -> tuple[float, float] | None:
        """Return the shares of pairs in which a model prefers a joke to the same without its end, and to a plain text
        on its subject; None where its verdicts don't recognise texts that aren't jokes."""
        figures = heads_figures(sha256, self.profile.sense, models_dir() / "sense")
        with suppress(KeyError, TypeError, ValueError):
            end, plain = (share_of(figures["pairs"][sort][1]) for sort in ("torso", "plain"))
            if end is not None and plain is not None:
                return end, plain
        return None

    def sense(self, sha256: str) -> str:
        """Return the same in a sentence; empty for a model without any figures."""
        if (shares := self.sense_shares(sha256)) is not None:
            end, plain = map(of_100, shares)
            return f"Prefers a joke to the same one without its end in {end} of 100 pairs, to a plain text in {plain}."
        if not self.line(sha256):
            return ""
        return (
            "Can't recognise what isn't a joke until it is taught: “Teach it to read jokes” in Trust, "
            "or jokejudge models fit --editor."
        )

    def fields(self, trust: ModelTrust) -> dict[str, object]:
        """Return the figures of a model as a JSON object."""
        card = trust.card
        return {
            "model": trust.model.model_dump(),
            "line": self.line(trust.model.sha256) or None,
            "headline": headline(card) if card is not None else None,
            "unseen": across_summary(card) or None if card is not None else None,
            "sense": trust.sense or None,
            "habits": habit_words(trust.calibration, card),
            "card": card.model_dump(mode="json") if card is not None else None,
            "measured": [
                {"file": kept.source, "moment": kept.moment, "line": measured_line(kept) or None,
                 "evaluation": kept.found}
                for kept in trust.measured
            ],
            "error": info(trust.fault).model_dump() if trust.fault is not None else None,
        }  # fmt: skip

    def _card(self, sha256: str) -> tuple[TrustCard | None, JokeJudgeError | None]:
        shipped = models_dir() / "cards"
        own = self._own_head(sha256)  # a card belongs to its head, and the user's own is preferred
        try:
            card = card_for(sha256, self.profile.cards if own else shipped, own=own)
        except JokeJudgeError as error:
            return None, error
        if own and card is not None:
            with suppress(JokeJudgeError):
                # Whether a text is a joke is still estimated by the shipped head.
                beside = card_for(sha256, shipped, own=False)
                card = card.replaced(joke=beside.joke) if beside is not None else card
        return card, None

    def _own_head(self, sha256: str) -> bool:
        return (self.profile.heads / f"{sha256[:16]}.npz").is_file()

    @cached_property
    def _questions(self) -> QuestionKeys | None:
        """The questions that models are asked; None where the criteria can't be read, which every verdict reports."""
        try:
            return question_keys(parse_prompts(), OwnFile(self.profile.criteria).in_use()[0].criteria)
        except CriteriaError:
            return None

    def _calibration(self, sha256: str) -> Calibration | None:
        if self._questions is None:
            return None
        calibration = MeasuredFiles(models_dir(), self.profile.models).calibration(sha256, self._questions)
        return None if calibration == Calibration(model_sha256=sha256, keys=self._questions) else calibration


def measured_line(kept: KeptEvaluation) -> str:
    """Return one of the user's own measurements in one line; empty where it has no pairs."""
    report = next((report for report in kept.found["pairs"] if report["judged"]), None)
    share = report["agreement"][0]["judge"]["share"] if report is not None else None
    if report is None or share is None:
        return ""
    return agrees(share, (report["one_person"] or {}).get("share"), f"“{kept.source}”")


def editor_card(sha256: str, profile: Profile) -> EditorCard | None:
    """Return the card of the editor's heads in use. Raises ``ModelError``."""
    for folder in (profile.editor, models_dir() / "editor"):
        if (folder / f"{sha256[:16]}.npz").is_file():
            card = EditorCard.load(folder / f"{sha256[:16]}.json")
            if card.model.sha256 == sha256:
                return card
    return None


# What each part of a verdict is worth

Item = dict[str, Any]


def plan_of(model: ModelRef, profile: Profile) -> tuple[dict[str, Any], list[JokeJudgeError]]:
    """Return the items of a model as a JSON object, from the user's own measurements or, where there are none, the
    shipped ones; and the errors of unreadable files. Raises ``CriteriaError``.

    ``planned``: the editor's heads or a plan decide which questions are worth asking; ``tokens``: the cost of those;
    ``texts``: number of texts on which the gain from asking was measured, 0 where it wasn't. ``items``, by section:
    ``source``: an item's source in a verdict that asks only questions worth asking, None where it has none; ``worth``
    with its 95 % interval, None where that wasn't measured; ``tokens``: the cost of asking, 0 where it isn't asked;
    ``ways``: the worth by each measured source, ``added``: the gain from asking. ``unmeasured``: items that the user
    added or reworded, for which there are no labels to measure with; ``always``: it is asked about in each rating,
    otherwise only where every question is asked."""
    faults: list[JokeJudgeError] = []
    trust = TrustFiles(profile).of(model)
    if trust.fault is not None:
        faults.append(trust.fault)
    card = None
    try:
        card = editor_card(model.sha256, profile)
    except JokeJudgeError as error:
        faults.append(error)
    rubric, fault = OwnFile(profile.criteria).in_use()
    if fault:
        faults.append(CriteriaError("E_CRITERIA_OWN", fault))
    names = _names(rubric)
    keys = question_keys(parse_prompts(), rubric.criteria)
    plan = MeasuredFiles(models_dir(), profile.models).plan(model.sha256).today(card, keys)
    plan = plan.without(rubric.criteria.unread)
    items = [*_audience(trust.card), *_drafts(model.sha256, profile)]
    items += [item for worth in plan.items if (item := _planned(worth, names)) is not None]
    items.sort(key=lambda item: SECTIONS.index(item["section"]))
    unmeasured = [
        {"section": section, "id": id, "name": names[section, id],
         "always": section == "factor" and id in rubric.criteria.always}
        for section, ids in rubric.criteria.unread.items()
        for id in ids
        if (section, id) in names  # it isn't switched off
    ]  # fmt: skip
    fields = {
        "model": model.model_dump(), "planned": plan.decides, "line": None if plan.decides else UNPLANNED,
        "items": items, "tokens": sum(item["tokens"] for item in items), "texts": plan.texts if plan.planned else 0,
        "unmeasured": unmeasured, "error": info(faults[0]).model_dump() if faults else None,
    }  # fmt: skip
    return fields, faults


def _names(rubric: Rubric) -> dict[tuple[str, str], str]:
    """Return the names of items, by section and id."""
    criteria = rubric.criteria
    return {
        **{("check", check.id): check.name[:1].upper() + check.name[1:] for check in criteria.template.checks},
        **{("kind", kind.id): kind.name for kind in criteria.categories},
        **{("factor", factor.id): factor.name for factor in criteria.factors},
        **{("fault", fault.id): fault.name for fault in rubric.words.faults},
        ("turn", TURN): "The words on which it turns",
    }


def _read(section: Section, id: str, name: str, worth: float, low: float | None, high: float | None) -> Item:
    """Return an item that is only read: the share of pairs that are right."""
    return {
        "section": section, "id": id, "name": name, "source": "read", "measured": "share", "worth": worth, "low": low,
        "high": high, "shown": True, "tokens": 0, "ways": {}, "added": None,
    }  # fmt: skip


def _audience(card: TrustCard | None) -> Iterator[Item]:
    """Yield the share of pairs in people's order, for each kind of text."""
    for kind in card.kinds if card is not None else ():
        stated = kind.stated
        yield _read("audience", kind.name, kind_name(kind.name), stated.value, stated.low, stated.high)


def _drafts(sha256: str, profile: Profile) -> Iterator[Item]:
    """Yield the share of pairs of drafts in the editor's order."""
    with suppress(KeyError, TypeError, ValueError):
        figures = heads_figures(sha256, profile.drafts, models_dir() / "drafts")
        share, ends = share_of(figures["edited"]["share"]), figures.get("interval")
        low, high = (share_of(end) for end in ends) if isinstance(ends, list) and len(ends) == 2 else (None, None)
        if share is not None:
            yield _read("drafts", "edited", "Two drafts of one joke", share, low, high)


def _planned(item: ItemWorth, names: dict[tuple[str, str], str]) -> Item | None:
    worth = item.worth or item.asked
    if worth is None:
        return None
    ways = {"asked": item.asked, "read": item.read, "both": item.both}
    idle = item.kind == "check" and item.source == "read" and item.id not in _ALWAYS_READ
    name = names.get((item.kind, item.id), item.id)
    return _read(item.kind, item.id, name, worth.value, worth.low, worth.high) | {
        "source": item.source,
        "measured": item.measured,
        "shown": item.shown and not idle,
        "tokens": item.tokens if item.ask else 0,
        "ways": {source: way.model_dump() for source, way in ways.items() if way is not None},
        "added": item.added.model_dump() if item.added is not None else None,
    }


# The report


def answers_for(sha256: str, card: TrustCard | None, audit: AuditResult | None, profile: Profile) -> Answers:
    """Return the answers to the four questions about a model; unreadable files count as missing."""
    sense = heads_figures(sha256, profile.sense, models_dir() / "sense")
    return answers(card, audit, sense, heads_figures(sha256, profile.drafts, models_dir() / "drafts"))


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
    not_for = tuple(limits(card, plan, moved, trust.calibration))
    given = answers_for(model.sha256, card, audit, profile)
    pages = tuple(report(trust, plan, faults, given, audit, editor, not_for))
    fields = {
        "model": model.model_dump(), "agreement": card.model_dump(mode="json") if card is not None else None,
        "items": plan["items"], "editor": editor.figures.model_dump(mode="json") if editor is not None else None,
        "audit": list(summary(audit)) if audit is not None else [], "effects": moved, "not_for": list(not_for),
        "sense": trust.sense,
    }  # fmt: skip
    return ModelPage(model, fields, pages)


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
