"""JokeJudge's own sessions: cold, after a restart with states on disk, and warm."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import DuelResult, RatingResult, Usage
from jokejudge_gui.engine.base import CancelToken, Engine
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.judge.asking.questions import Measure, deviation, mean
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.calibration import (
    Baseline,
    Calibration,
    CalibrationFiles,
    CheckCalibration,
    DuelCalibration,
    ScoreCalibration,
)
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.session.session import Session

from ..questions import Job, Note, Recorder

Texts = tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """One verdict: seconds of wall time, tokens, and its questions."""

    seconds: float
    usage: Usage
    note: Note
    job: Job


class Ours:
    """A session over one model. ``states``: the folder of saved states, or None for none."""

    def __init__(self, profile: Profile, model: ModelFile, *, states: Path | None) -> None:
        self._model = model
        self._states = states
        self._recorder: Recorder | None = None
        self.session = Session(profile, Settings(), loader=self._load)
        begin = time.perf_counter()
        list(self.session.load())
        self.loading = time.perf_counter() - begin

    @property
    def judge(self) -> MainJudge:
        assert self.session.judge is not None
        return self.session.judge

    def verdict(self, texts: Texts, *, explain: bool) -> Verdict:
        """Rate one text, or compare two."""
        assert self._recorder is not None
        self.judge.head = self.judge.head  # a new reader, without cached jokes: this verdict is measured several times
        self._recorder.note = note = Note()
        begin = time.perf_counter()
        events = list(
            self.session.rate(texts[0], force=True, explain=explain)
            if len(texts) == 1
            else self.session.duel(texts[0], texts[1], explain=explain)
        )
        seconds = time.perf_counter() - begin
        last = events[-1]
        if not isinstance(last, Finished) or not isinstance(last.result, RatingResult | DuelResult):
            raise RuntimeError(f"the verdict ended otherwise: {last}")
        kind = "rate" if len(texts) == 1 else "duel"
        text = texts[0] if len(texts) == 1 else f"Joke 1: {texts[0]}\nJoke 2: {texts[1]}"
        return Verdict(seconds, last.result.usage, note, Job(kind, text, tuple(note.calls), tuple(note.answers)))

    def close(self) -> None:
        self.session.close()

    def _load(self, _file: ModelFile, settings: Settings, cancel: CancelToken | None) -> Engine:
        engine = load_engine(
            self._model.path,
            name=self._model.name,
            sha256=self._model.sha256,
            context=settings.context,
            state_folder=self._states,
            state_limit=settings.state_cache_bytes if self._states else 0,
            cancel=cancel,
        )
        self._recorder = Recorder(engine)
        return cast(Engine, self._recorder)


def rough_calibration(judge: MainJudge, jokes: Texts) -> Calibration:
    """A calibration from a few jokes, for a model without a shipped one: good enough to choose as many categories and
    factors as a real one would, so that the cost is right. The verdicts have no meaning."""
    measure = Measure(judge.engine, judge.prompts, judge.criteria)
    flat = (-1.8,) * 6
    kinds = [measure.reading(joke).categories for joke in jokes]
    factors = [measure.relevance(joke, measure.shared_factors()) for joke in jokes]

    def baselines(rows: list[dict[str, float]]) -> dict[str, Baseline]:
        return {
            name: Baseline(mean=mean([row[name] for row in rows]), sd=max(deviation([row[name] for row in rows]), 0.3))
            for name in rows[0]
        }

    return judge.calibration.model_copy(
        update={
            "checks": {
                c.id: CheckCalibration(centre=0.0, half=2.0, sd=1.0, least=0.0) for c in judge.criteria.template.checks
            },
            "categories": baselines(kinds),
            "relevance": baselines([{name: odds.value for name, odds in row.items()} for row in factors]),
            "scores": {
                factor.id: ScoreCalibration(ascending=flat, descending=flat, mean_expected=2.5, sd_expected=1.0)
                for factor in judge.criteria.factors
            },
            "duel": DuelCalibration(mean_bias=0.0, sd_pair=1.0, sd_alone=1.0, gamma=0.0, length_sd=40.0),
        }
    )


def make_ready(profile: Profile, model: ModelFile, jokes: Texts, *, states: Path) -> bool:
    """Put a complete calibration for the model into the profile; return True if a shipped one was there already."""
    ours = Ours(profile, model, states=states)
    try:
        found = ours.judge.calibration
        if found.rates and found.duel is not None:
            return True
        CalibrationFiles(profile.calibrations, profile.calibrations).save(rough_calibration(ours.judge, jokes))
        return False
    finally:
        ours.close()
