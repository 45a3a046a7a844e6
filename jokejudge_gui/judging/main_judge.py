"""Both judges over one loaded model: prompts, criteria and calibration put together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..engine.base import CancelToken, Engine
from ..errors import JokeJudgeError
from ..events import DuelMeasured, Event
from ..rubric.cache_manager import CacheManager
from ..rubric.constants import constant_texts
from ..rubric.prompts import PromptBuilder, parse_prompts
from ..rubric.types import Criteria
from ..rubric.xml_parser import load_criteria
from ..verdicts import DuelResult, ModelRef, RatingResult
from .asking.explanation import TOO_CLOSE, Explainer
from .asking.questions import Measure
from .duel.confidence_scorer import Weights
from .duel.duel_judge import DuelJudge
from .duel.weights import fitted_weights
from .plan.calibration import Calibrator, asked_as
from .plan.calibration_files import CalibrationFiles
from .plan.calibration_types import Calibration
from .plan.question_keys import question_keys
from .rating.factor_analyzer import WrittenFactors
from .rating.rating_judge import RatingJudge
from .reading.audience import AudienceHead
from .reading.reader import Listener


@dataclass(frozen=True)
class Options:
    """How a verdict is asked for."""

    explain: bool = True
    seed: int = 1


class MainJudge:
    """Rates and compares cleaned texts with one engine. Owned by the engine's thread."""

    def __init__(
        self,
        engine: Engine,
        files: CalibrationFiles,
        *,
        head: AudienceHead | None = None,
        criteria_folder: Path | None = None,
        weights_folder: Path | None = None,
    ) -> None:
        """``head``: fitted on this very model; ``weights_folder``: where a duel's weights may lie that were fitted
        with it. Raises ``CriteriaError`` when a criteria or prompt file is wrong."""
        self.engine = engine
        self.criteria: Criteria = load_criteria(criteria_folder)
        prompts = parse_prompts(criteria_folder / "prompts.xml" if criteria_folder else None)
        self.prompts = PromptBuilder(prompts, engine.frame, constant_texts(self.criteria))
        self.model = ModelRef(name=engine.info.name, sha256=engine.info.sha256)
        self.head = head
        self._files = files
        self._weights_folder = weights_folder
        self._measure = Measure(engine, self.prompts, self.criteria)
        self._calibrator = Calibrator(self._measure, files)
        self._calibration = files.load(self.model.sha256, question_keys(prompts, self.criteria))
        self._weights_read: tuple[str, Weights | None] | None = None

    @property
    def head(self) -> AudienceHead | None:
        """The audience head of this very model; another one can be put in its place between verdicts."""
        return self._listener.head if self._listener is not None else None

    @head.setter
    def head(self, head: AudienceHead | None) -> None:
        self._listener = Listener(head, self.engine) if head is not None else None

    @property
    def measure(self) -> Measure:
        """The questions in the forms that were chosen for this model."""
        return asked_as(self._measure, self._calibration)

    @property
    def calibration(self) -> Calibration:
        return self._calibration

    def calibrate(self, *, duel: bool, noise: bool = False, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Measure what a rating (or a duel) needs and isn't known of this model yet, and the ``noise`` if asked to."""
        for step in self._calibrator.complete(self._calibration, duel=duel, noise=noise, cancel=cancel):
            if isinstance(step, Calibration):
                self._calibration = step
            else:
                yield step

    def warm(self, cancel: CancelToken | None = None) -> Iterator[tuple[int, int]]:
        """Decode and keep the constant prompts; yields (done, total)."""
        yield from CacheManager(self.engine, self.prompts).warm(cancel)

    def rate(
        self, result: RatingResult, options: Options, cancel: CancelToken | None = None
    ) -> Iterator[Event | RatingResult]:
        """Events and the growing result of a rating; the last result is complete."""
        judge = RatingJudge(
            self.measure,
            self._calibration,
            self._explainer(options),
            grammar=grammar_for_factors,
            seed=options.seed,
            listener=self._listener,
        )
        yield from judge.rate(result, cancel)

    def duel(
        self, result: DuelResult, options: Options, cancel: CancelToken | None = None
    ) -> Iterator[Event | DuelResult]:
        """Events and the growing result of a duel; the last result is complete."""
        judge = DuelJudge(self.measure, self._calibration, self._explainer(options), self._listener, self._weights())
        for step in judge.compare(result, cancel):
            if isinstance(step, DuelMeasured) and step.result.within_noise:
                # Of two jokes that it can't tell apart the model would still write why one of them is funnier.
                whole = step.result.model_copy(update={"explanation": TOO_CLOSE if options.explain else None})
                yield DuelMeasured(result=whole)
                yield whole
                return
            yield step

    def _weights(self) -> Weights | None:
        """The fitted weights for the present head, read from their file when the head is another than before."""
        if self.head is None or self._weights_folder is None:
            return None
        version = self.head.version
        if self._weights_read is None or self._weights_read[0] != version:
            question = self._calibration.keys.duel
            found = fitted_weights(self.model.sha256, question, version, self._weights_folder)
            self._weights_read = (version, found)
        return self._weights_read[1]

    def _explainer(self, options: Options) -> Explainer | None:
        return Explainer(self.engine, self.prompts, options.seed) if options.explain else None


@cache
def grammar_for_factors() -> str:
    """GBNF of the factors that a model may write. Raises ``JokeJudgeError`` if llama.cpp's converter is missing."""
    try:
        from ..engine.binding import grammar_of
    except ImportError as error:
        raise JokeJudgeError(
            "E_SETUP", f"llama.cpp can't be loaded: {error}.", "Run python3 packaging/run.py again."
        ) from error
    return grammar_of(json.dumps(WrittenFactors.model_json_schema()))
