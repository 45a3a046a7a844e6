"""All that is known of how far models can be trusted: cards, habits, and what was measured on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..errors import CriteriaError, JokeJudgeError
from ..judging.plan.calibration_files import CalibrationFiles
from ..judging.plan.calibration_types import Calibration
from ..judging.plan.deep_worth import DeepFiles, questions_mark
from ..judging.plan.question_keys import QuestionKeys, question_keys
from ..paths import Profile, criteria_dir, models_dir
from ..rubric.own_file import OwnFile
from ..rubric.prompts import parse_prompts
from ..trust.card import TrustCard, card_for, read_cards
from ..trust.words import agrees, card_line
from ..verdicts import ModelRef
from .kept import Kept, KeptEvaluations


@dataclass(frozen=True)
class ModelTrust:
    """What is known of one model. ``fault``: why its card can't be read; ``own_head``: verdicts come from a head of the
    user's own, which a shipped card says nothing about."""

    model: ModelRef
    card: TrustCard | None = None
    fault: JokeJudgeError | None = None
    calibration: Calibration | None = None
    measured: tuple[Kept, ...] = ()
    own_head: bool = False

    @property
    def line(self) -> str:
        """What its card says in one line, as ``agrees`` writes it; empty where it says nothing."""
        return card_line(self.card) if self.card is not None else ""


class TrustShelf:
    """Reads the program's folders and the profile's, the profile's first; nothing is kept in memory."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.kept = KeptEvaluations(profile.evaluations)
        self.deep = DeepFiles(models_dir() / "deep", profile.deep)

    def of(self, model: ModelRef) -> ModelTrust:
        """Everything about one model. What can't be read is said in ``fault`` or left out; nothing is raised."""
        card, fault = self._card(model.sha256)
        return ModelTrust(
            model=model,
            card=card,
            fault=fault,
            calibration=self._calibration(model.sha256),
            measured=tuple(self.kept.of(model.sha256)),
            own_head=self._own_head(model.sha256),
        )

    def models(self) -> list[ModelRef]:
        """The models that something is known of, each once, by name."""
        own, _ = read_cards(self.profile.cards, own=True)
        shipped, _ = read_cards(models_dir() / "cards", own=False)
        known = {kept.found.model.sha256: kept.found.model for kept in self.kept.all() if kept.found.model}
        for card in [*shipped, *own]:
            known[card.model.sha256] = card.model
        return sorted(known.values(), key=lambda model: (model.name.casefold(), model.sha256))

    def line(self, sha256: str) -> str:
        """The measured trust of a model in one line, as ``agrees`` writes it; empty where nothing was measured."""
        card, _ = self._card(sha256)
        line = card_line(card) if card is not None else ""
        if line:
            return line
        for kept in self.kept.of(sha256):
            line = measured_line(kept)
            if line:
                return line
        return ""

    def _card(self, sha256: str) -> tuple[TrustCard | None, JokeJudgeError | None]:
        own, shipped = self.profile.cards, models_dir() / "cards"
        try:
            # A card belongs to its head, and a head of the user's own goes before the shipped one.
            if not self._own_head(sha256):
                return card_for(sha256, shipped, own=False), None
            card = card_for(sha256, own, own=True)
        except JokeJudgeError as error:
            return None, error
        try:
            beside = card_for(sha256, shipped, own=False)
        except JokeJudgeError:
            return card, None
        if card is not None and beside is not None:
            # What isn't a joke is still said by the head that comes with the program.
            card = card.replaced(joke=beside.joke)
        return card, None

    def _own_head(self, sha256: str) -> bool:
        return (self.profile.heads / f"{sha256[:16]}.npz").is_file()

    @cached_property
    def _questions(self) -> QuestionKeys | None:
        """The questions that models are asked; None where the criteria can't be read, which every verdict says."""
        try:
            return question_keys(parse_prompts(), OwnFile(self.profile.criteria).in_use()[0].criteria)
        except CriteriaError:
            return None

    @cached_property
    def deep_mark(self) -> str:
        """Today's wording of Quick's and Deep's questions; empty where the criteria can't be read."""
        if self._questions is None:
            return ""
        try:
            version = parse_prompts(criteria_dir() / "deep_prompts.xml", criteria_dir() / "prompts.rng").version
        except CriteriaError:
            return ""
        return questions_mark(version, self._questions)

    def _calibration(self, sha256: str) -> Calibration | None:
        if self._questions is None:
            return None
        found = CalibrationFiles(models_dir() / "calibrations", self.profile.calibrations).load(sha256, self._questions)
        return None if found == Calibration(model_sha256=sha256, keys=self._questions) else found


def measured_line(kept: Kept) -> str:
    """One of the user's own measurements in one line; empty where it holds no pairs."""
    report = next((report for report in kept.found.pairs if report.judged), None)
    share = report.agreement[0].judge.share if report is not None and report.agreement else None
    if report is None or share is None:
        return ""
    one_person = report.one_person.share if report.one_person is not None else None
    return agrees(share, one_person, f"“{kept.source}”")
