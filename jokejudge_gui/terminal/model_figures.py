"""What `jokejudge doctor` measures of a model on this machine."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..config import Settings
from ..engine.base import ChatFrame, Segment
from ..engine.loader import load_engine
from ..judging.main_judge import MainJudge
from ..judging.plan.calibration_files import CalibrationFiles
from ..judging.plan.noise import DEFAULT, Noise, measure_noise
from ..library.finder import ModelFile
from ..paths import Profile, models_dir
from ..trust.habits import asked_line

_TEXT = "A man walks into a library and asks for a book about paranoia. The librarian whispers: it's right behind you. "


@dataclass(frozen=True)
class ModelFigures:
    """Seconds that loading took; tokens read in a second; the loader's notes; the numerical noise as measured just
    now, and ``reckoned`` as it was measured when the model's habits were (None: verdicts use the default). ``asked``:
    the answer words that were chosen for it then; empty: none yet."""

    load_seconds: float
    read_rate: float
    notes: tuple[str, ...] = ()
    noise: Noise = DEFAULT
    reckoned: Noise | None = None
    asked: str = ""


def measure_model(file: ModelFile, settings: Settings, profile: Profile, frame: ChatFrame) -> ModelFigures:
    """Load a model as verdicts do, with its chat template as the probe rendered it (``frame``), and measure it, some
    seconds. Nothing is stored. Raises ``JokeJudgeError``."""
    began = time.monotonic()
    engine = load_engine(
        file.path,
        name=file.name,
        sha256=file.sha256,
        threads=settings.threads,
        context=settings.context,
        frame=frame,
    )
    loaded = time.monotonic()
    try:
        before = engine.usage.tokens_evaluated
        engine.warm((Segment(_TEXT * 10, constant=True),))
        tokens = engine.usage.tokens_evaluated - before
        rate = tokens / max(time.monotonic() - loaded, 1e-6)
        noise = [step for step in measure_noise(engine) if step is not None][-1]
        judge = MainJudge(engine, CalibrationFiles(models_dir() / "calibrations", profile.calibrations))
        asked = asked_line(judge.calibration)
        return ModelFigures(loaded - began, rate, engine.info.notes, noise, judge.calibration.noise, asked)
    finally:
        engine.close()
