"""Everything that was measured of a model, from files alone: no model is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, Literal, get_args

from ...core.errors import CriteriaError, JokeJudgeError, info
from ...core.paths import Profile, models_dir
from ...core.verdicts import ModelRef
from ...heads.editor_file import EditorCard
from ...heads.files import heads_figures, share_of
from ...judge.asking.calibration import question_keys
from ...judge.asking.measured import TURN, ItemWorth, MeasuredFiles
from ...judge.audit.record import AuditResult, audit_for
from ...judge.audit.words import effects
from ...learning.trust_cards import TrustCard, card_for, kind_name, read_cards
from ...rubric.overlay import Rubric
from ...rubric.own_file import OwnFile
from ...rubric.prompts import parse_prompts

UNPLANNED = "This model has no plan yet: everything is asked, and nothing counts as measured."
Section = Literal["audience", "drafts", "check", "factor", "kind", "fault", "turn", "duel"]
SECTIONS: tuple[Section, ...] = get_args(Section)
_ALWAYS_READ = ("intent",)
"""Checks that use the heads' estimate."""
Item = dict[str, Any]


class ModelTrust:
    """All figures of one model, each read when it is first asked for, the profile's files before the program's.
    Unreadable files are left out, and their errors are in ``faults``; only ``plan`` and what contains it raise
    ``CriteriaError``."""

    def __init__(self, model: ModelRef, profile: Profile) -> None:
        self.model, self._profile = model, profile
        self._stem = model.sha256[:16]
        self._errors: dict[str, JokeJudgeError] = {}
        self._files = MeasuredFiles(models_dir(), profile.models)

    @property
    def own_head(self) -> bool:
        """Whether verdicts use a head of the user's own, which a shipped card isn't about."""
        return (self._profile.heads / f"{self._stem}.npz").is_file()

    @cached_property
    def card(self) -> TrustCard | None:
        shipped, own, sha256 = models_dir() / "cards", self.own_head, self.model.sha256
        try:
            card = card_for(sha256, self._profile.cards if own else shipped, own=own)
            if own and card is not None and (beside := card_for(sha256, shipped, own=False)) is not None:
                card = card.replaced(joke=beside.joke)  # that is still estimated by the shipped head
        except JokeJudgeError as error:
            self._errors["card"] = error
            return None
        return card

    @property
    def fault(self) -> JokeJudgeError | None:
        """The error of an unreadable card."""
        return self._errors.get("card") if self.card is None else None

    @cached_property
    def editor(self) -> EditorCard | None:
        """The card of the editor's heads in use."""
        for folder in (self._profile.editor, models_dir() / "editor"):
            if (folder / f"{self._stem}.npz").is_file():
                try:
                    card = EditorCard.load(folder / f"{self._stem}.json")
                except JokeJudgeError as error:
                    self._errors["editor"] = error
                    return None
                if card.model.sha256 == self.model.sha256:
                    return card
        return None

    @cached_property
    def audit(self) -> AuditResult | None:
        return audit_for(self.model.sha256, self._files)

    @cached_property
    def effects(self) -> dict[str, dict[str, Any]]:
        """Strengths of the biases that the audit found, by voice and probe."""
        return {voice.voice: effects(voice) for voice in self.audit.voices} if self.audit is not None else {}

    @cached_property
    def draft_figures(self) -> dict[str, Any]:
        return heads_figures(self.model.sha256, self._profile.drafts, models_dir() / "drafts")

    @cached_property
    def _rubric(self) -> tuple[Rubric, str]:
        return OwnFile(self._profile.criteria).in_use()

    @cached_property
    def sense_shares(self) -> tuple[float, float] | None:
        """The shares of pairs in which the model prefers a joke to the same without its end, and to a plain text on its
        subject; None where its verdicts don't recognise texts that aren't jokes."""
        figures = heads_figures(self.model.sha256, self._profile.sense, models_dir() / "sense")
        with suppress(KeyError, TypeError, ValueError):
            end, plain = (share_of(figures["pairs"][sort][1]) for sort in ("torso", "plain"))
            if end is not None and plain is not None:
                return end, plain
        return None

    @property
    def faults(self) -> list[JokeJudgeError]:
        """The errors of unreadable files."""
        own = CriteriaError("E_CRITERIA_OWN", self._rubric[1]) if self._rubric[1] else None
        of_editor = self._errors.get("editor") if self.editor is None else None
        return [fault for fault in (self.fault, of_editor, own) if fault is not None]

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The worth of each part of a verdict as the JSON object of ``models plan``, from the user's own measurements
        or, where there are none, the shipped ones. Raises ``CriteriaError``.

        ``planned``: the editor's heads or a plan decide which questions are worth asking; ``tokens``: the cost of
        those; ``texts``: number of texts on which the answers' worth was measured, 0 where it wasn't. ``items``, by
        section: ``source``: an item's source in a verdict that asks only questions worth asking, None where it has
        none; ``worth`` with its 95 % interval, None where that wasn't measured; ``tokens``: the cost of asking, 0 where
        it isn't asked; ``ways``: the worth by each measured source; ``added``: None, kept for scripts. ``unmeasured``:
        items that the user added or reworded, for which there are no labels to measure with; ``always``: it is asked
        about in each rating, otherwise only where every question is asked."""
        criteria, names = self._rubric[0].criteria, _names(self._rubric[0])
        plan = self._files.plan(self.model.sha256).today(self.editor, question_keys(parse_prompts(), criteria))
        plan = plan.without(criteria.unread)
        items = [*self._read_items(), *(item for worth in plan.items if (item := _planned(worth, names)) is not None)]
        items.sort(key=lambda item: SECTIONS.index(item["section"]))
        unmeasured = [
            {"section": section, "id": id, "name": names[section, id],
             "always": section == "factor" and id in criteria.always}
            for section, ids in criteria.unread.items()
            for id in ids
            if (section, id) in names  # it isn't switched off
        ]  # fmt: skip
        return {
            "model": self.model.model_dump(), "planned": plan.decides, "line": None if plan.decides else UNPLANNED,
            "items": items, "tokens": sum(item["tokens"] for item in items),
            "texts": plan.texts if plan.planned else 0, "unmeasured": unmeasured,
            "error": info(self.faults[0]).model_dump() if self.faults else None,
        }  # fmt: skip

    def _read_items(self) -> Iterator[Item]:
        """Yield the share of pairs in people's order, for each kind of text, and of drafts in the editor's."""
        for kind in self.card.kinds if self.card is not None else ():
            stated = kind.stated
            yield _read("audience", kind.name, kind_name(kind.name), stated.value, stated.low, stated.high)
        with suppress(KeyError, TypeError, ValueError):
            figures = self.draft_figures
            share, ends = share_of(figures["edited"]["share"]), figures.get("interval")
            low, high = map(share_of, ends) if isinstance(ends, list) and len(ends) == 2 else (None, None)
            if share is not None:
                yield _read("drafts", "edited", "Two drafts of one joke", share, low, high)


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


def _planned(item: ItemWorth, names: dict[tuple[str, str], str]) -> Item | None:
    worth = item.read if item.source == "read" else item.asked or item.read
    if worth is None:
        return None
    ways = {"asked": item.asked, "read": item.read}
    idle = item.kind == "check" and item.source == "read" and item.id not in _ALWAYS_READ
    name = names.get((item.kind, item.id), item.id)
    return _read(item.kind, item.id, name, worth.value, worth.low, worth.high) | {
        "source": item.source,
        "measured": item.measured,
        "shown": item.shown and not idle,
        "tokens": item.tokens if item.source == "asked" else 0,
        "ways": {source: way.model_dump() for source, way in ways.items() if way is not None},
    }


def measured_models(profile: Profile) -> list[ModelRef]:
    """Return the models with any figures, each once, by name."""
    named: dict[str, ModelRef] = {}
    for folder, own in ((models_dir() / "cards", False), (profile.cards, True)):
        named |= {card.model.sha256: card.model for card in read_cards(folder, own=own)}
    return sorted(named.values(), key=lambda model: (model.name.casefold(), model.sha256))
