"""Everything that the judges share for one loaded model: prompts, criteria, calibration and heads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from ..core.events import Event, Stage, StageProgress, StageStarted
from ..core.paths import criteria_dir
from ..core.verdict_kinds import MadeBy
from ..core.verdicts import ModelRef, Usage
from ..engine.base import CancelToken, Engine
from ..heads.audience import AudienceHead
from ..heads.editor_file import EditorCard
from ..rubric.audiences import Audiences, CommonNames, parse_common_names
from ..rubric.notes import EditorWords
from ..rubric.overlay import Rubric
from ..rubric.prompts import PromptBuilder, constant_texts, load_constitution, parse_prompts, prompts_in
from ..rubric.xml_parser import Criteria
from .asking.calibration import Calibration, complete, question_keys
from .asking.explanation import Explainer
from .asking.measured import DuelWeights, Kind, MeasuredFiles, Plan
from .asking.questions import Measure
from .reader import Reader

WARMED = ("reading", "scoring", "explanation", "duel", "alone", "duel_explanation")
"""Prompts of ratings and duels whose constant parts are read when a model is loaded."""


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
        rubric = rubric or Rubric.shipped()
        self.criteria: Criteria = rubric.criteria
        self.words: EditorWords = rubric.words
        """The texts of the editor's notes."""
        self.audiences: Audiences = rubric.audiences
        """All listeners, the user's own too."""
        prompts = parse_prompts()
        self.prompts = PromptBuilder(prompts, engine.frame, constant_texts(self.criteria))
        self.model = ModelRef(name=engine.info.name, sha256=engine.info.sha256)
        self.reader = reader or Reader(engine)
        self.files = files
        self.duel_weights: DuelWeights | None = files.weights(engine.info.sha256)
        """Weights of its answers in duels, fitted on votes with the shipped audience head."""
        self.usual_answers: dict[str, tuple[float, ...]] = {}
        """The model's answers about varied jokes, for comparison: log-odds by the text of one of the user's faults."""
        self.measure = Measure(engine, self.prompts, self.criteria)
        self.questions = question_keys(prompts, self.criteria)
        self.calibration: Calibration = files.calibration(self.model.sha256, self.questions)
        self.editor_card = editor_card
        self.plan_again()

    @property
    def head(self) -> AudienceHead | None:
        """The audience head of this model."""
        return self.reader.head

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
    def common_names(self) -> CommonNames:
        """Names that everybody knows. Like all that is read on first use, raises ``CriteriaError``."""
        return parse_common_names()

    @cached_property
    def deep_prompts(self) -> PromptBuilder:
        """The questions of deep mode."""
        return prompts_in("deep_prompts.xml", self.engine.frame, constant_texts(self.criteria))

    def plan_again(self) -> None:
        """Update the plan with later measurements."""
        plan = self.files.plan(self.model.sha256).today(self.editor_card, self.questions)
        self.plan: Plan = plan.without(self.criteria.unread)
        kinds: tuple[Kind, ...] = ("factor", "kind", "fault", "turn")
        self.shown: dict[Kind, dict[str, float]] = {kind: self.plan.shown(kind) for kind in kinds}
        """The findings that ratings show, each with its worth."""

    @property
    def asks(self) -> bool:
        """Whether a rating or a duel asks the model anything."""
        return self.plan.asks_everything or bool(self.criteria.always) or self.duels_ask

    @property
    def duels_ask(self) -> bool:
        """Whether a duel asks the model: without an audience head, or where asking was measured to help."""
        return not self.plan.decides or self.head is None or bool(self.plan.asked("duel"))

    @property
    def cancel(self) -> CancelToken | None:
        """The token that stops what is asked or read now."""
        return self.measure.cancel

    @contextmanager
    def under(self, cancel: CancelToken | None) -> Iterator[None]:
        """Let a token stop everything that is asked or read meanwhile."""
        before, self.measure.cancel = self.measure.cancel, cancel
        try:
            yield
        finally:
            self.measure.cancel = before

    def calibrate(self, *, duel: bool) -> Iterator[Event]:
        """Measure what a rating (or a duel) still needs on this model, and keep it."""

        def keep(calibration: Calibration) -> None:
            self.calibration = calibration
            self.files.save_calibration(calibration)

        return complete(self.calibration, self.measure, keep, duel=duel)

    def warm(self) -> Iterator[Event]:
        """Decode and store the constant prompts, as a stage."""
        yield StageStarted(stage=Stage.LOADING)
        for done, name in enumerate((*WARMED, "")):
            note = "reading the constant prompts, once"
            yield StageProgress(stage=Stage.LOADING, done=done, total=len(WARMED), note=note)
            if name:
                self.engine.warm(self.prompts.constant_part(name), self.cancel)

    def explainer(self, seed: int, *, critique: bool = False) -> Explainer:
        """Return the writer of explanations. ``critique``: each sentence about a rated joke gets one critique and one
        revision. Raises ``CriteriaError``."""
        prompts = None
        if critique:
            rules = "\n".join(f"- {principle}" for principle in load_constitution(criteria_dir()))
            prompts = prompts_in("critique_prompts.xml", self.engine.frame, {"constitution": rules})
        return Explainer(self.engine, self.prompts, seed, prompts, self.cancel)
