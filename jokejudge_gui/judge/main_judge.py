"""Everything that the judges share for one loaded model: prompts, criteria, calibration and heads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Literal

from ..core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ..core.paths import criteria_dir
from ..core.verdict_kinds import MadeBy
from ..core.verdicts import Asked, ModelRef, Usage
from ..engine.base import CancelToken, Engine
from ..heads.audience import AudienceHead
from ..heads.editor_file import EditorCard
from ..rubric.audiences import Audiences, CommonNames, parse_audiences, parse_common_names
from ..rubric.notes import EditorWords, load_editor_words
from ..rubric.overlay import Rubric
from ..rubric.prompts import PromptBuilder, constant_texts, load_constitution, parse_prompts
from ..rubric.xml_parser import Criteria, load_criteria
from .asking.calibration import Calibrator
from .asking.explanation import Explainer
from .asking.measured import Calibration, DuelWeights, MeasuredFiles
from .asking.question_keys import question_keys
from .asking.questions import Measure
from .asking.worth import Plan, ShownItems
from .reader import Reader

WARMED = ("reading", "scoring", "explanation", "duel", "alone", "duel_explanation")
"""Prompts of ratings and duels whose constant parts are read when a model is loaded."""


Route = Literal["read", "planned", "asked"]
"""What a rating asks the model besides reading the joke: nothing, as reading gives everything that this model can
estimate; the questions that are worth their tokens, and the factors that the user wants asked about; or everything."""


class MainJudge:
    """One loaded model with its heads, calibration and plan. Owned by the engine's thread."""

    def __init__(
        self,
        engine: Engine,
        files: MeasuredFiles,
        reader: Reader | None = None,
        *,
        editor_card: EditorCard | None = None,
        rubric: Rubric | None = None,
    ) -> None:
        """``reader``: with heads that were fitted on this very model, None: none; ``editor_card``: measured worth of
        its editor heads; ``files``: of what was measured of models; ``rubric``: the criteria for jokes, None: the
        shipped ones. Raises ``CriteriaError`` when a criteria or prompt file is wrong."""
        self.engine = engine
        self._rubric = rubric
        self.criteria: Criteria = rubric.criteria if rubric is not None else load_criteria()
        prompts = parse_prompts()
        self.prompts = PromptBuilder(prompts, engine.frame, constant_texts(self.criteria))
        self.model = ModelRef(name=engine.info.name, sha256=engine.info.sha256)
        self.reader = reader or Reader(engine)
        self.files = files
        self.duel_weights: DuelWeights | None = files.weights(engine.info.sha256)
        """Weights of its answers in duels, fitted on votes with the shipped audience head."""
        self.scales: dict[str, tuple[float, ...]] = {}
        """Scores of the known factors on varied jokes, for comparison with factors that the model writes
        (``FactorAnalyzer``)."""
        self.usual_faults: dict[str, float | None] = {}
        """The model's answers about typical jokes on the user's own faults, by the fault's text
        (``ask_own_faults``)."""
        self.measure = Measure(engine, self.prompts, self.criteria)
        self._calibrator = Calibrator(self.measure, files)
        self.questions = question_keys(prompts, self.criteria)
        self.calibration: Calibration = files.calibration(self.model.sha256, self.questions)
        self.editor_card = editor_card
        self.plan_again()

    @property
    def head(self) -> AudienceHead | None:
        """The audience head of this model; it can be replaced between verdicts."""
        return self.reader.head

    @head.setter
    def head(self, head: AudienceHead | None) -> None:
        self.reader = replace(self.reader, head=head)

    @property
    def usage(self) -> Usage:
        """What its verdicts have cost so far, wherever their texts were read; take differences."""
        return self.engine.usage + self.reader.elsewhere

    @property
    def made_by(self) -> MadeBy:
        """The versions on which its readings and answers depend."""
        return MadeBy(
            model=self.model.sha256, head=self.reader.version, prompts=self.prompts.version,
            criteria=self.criteria.version,
        )  # fmt: skip

    @cached_property
    def words(self) -> EditorWords:
        """The texts of the editor's notes, read once for all verdicts. Raises ``CriteriaError``."""
        if self._rubric is not None:
            return self._rubric.words
        return load_editor_words()

    @cached_property
    def audiences(self) -> Audiences:
        """All listeners, the user's own too, read once for all verdicts. Raises ``CriteriaError``."""
        return self._rubric.audiences if self._rubric is not None else parse_audiences()

    @cached_property
    def common_names(self) -> CommonNames:
        """Names that everybody knows, read once for all verdicts. Raises ``CriteriaError``."""
        return parse_common_names()

    @cached_property
    def deep_prompts(self) -> PromptBuilder:
        """The questions of deep mode, read once for all verdicts. Raises ``CriteriaError``."""
        prompts = parse_prompts(criteria_dir() / "deep_prompts.xml", criteria_dir() / "prompts.rng")
        return PromptBuilder(prompts, self.engine.frame, constant_texts(self.criteria))

    def plan_again(self) -> None:
        """Update the plan with later measurements."""
        plan = self.files.plan(self.model.sha256).today(self.editor_card, self.questions)
        self.plan: Plan = plan.without(self.criteria.unread)
        self.shown = ShownItems.of(self.plan)

    def route(self, ask: Asked) -> Route:
        """Return what ratings ask this model: what its plan says, or everything."""
        if ask == "all" or not self.plan.decides:
            return "asked"
        return "planned" if self.plan.asks_of_ratings or self.criteria.always else "read"

    @property
    def asks(self) -> bool:
        """Whether a rating or a duel asks the model anything."""
        return self.route("plan") != "read" or self.writes or self.duels_ask

    @property
    def writes(self) -> bool:
        """Whether the model's own sentences are shown beside the editor's note: it passed the prose test."""
        return self.plan.prose is not None and self.plan.prose.passed

    @property
    def duels_ask(self) -> bool:
        """Whether a duel asks the model: without an audience head, or where asking was measured to help."""
        return not self.plan.decides or self.head is None or bool(self.plan.asked("duel"))

    def calibrate(self, *, duel: bool, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Measure what a rating (or a duel) still needs on this model."""
        for step in self._calibrator.complete(self.calibration, duel=duel, cancel=cancel):
            if isinstance(step, Calibration):
                self.calibration = step
            else:
                yield step

    def warm(self, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Decode and store the constant prompts, as a stage."""
        yield StageStarted(stage=Stage.LOADING)
        for done, name in enumerate((*WARMED, "")):
            note = "reading the constant prompts, once"
            yield StageProgress(stage=Stage.LOADING, done=done, total=len(WARMED), note=note)
            if name:
                self.engine.warm(self.prompts.constant_part(name), cancel)
        yield StageFinished(stage=Stage.LOADING, seconds=0.0)

    def explainer(self, seed: int, *, critique: bool = False) -> Explainer:
        """Return the writer of explanations. ``critique``: each sentence about a rated joke gets one critique and one
        revision. Raises ``CriteriaError``."""
        prompts = None
        if critique:
            rules = "\n".join(f"- {principle}" for principle in load_constitution(criteria_dir()))
            asked = parse_prompts(criteria_dir() / "critique_prompts.xml", criteria_dir() / "prompts.rng")
            prompts = PromptBuilder(asked, self.engine.frame, {"constitution": rules})
        passed = self.plan.prose.passed if self.plan.prose is not None else None
        return Explainer(self.engine, self.prompts, seed, prompts, passed)
