"""Fits the draft heads of a model on the user's machine, from the drafts that ship; what was read is kept until the
end, so that it goes on where it was stopped or closed."""

from __future__ import annotations

import datetime
import json
import shutil
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from ..core.errors import EngineError, InputError
from ..core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ..core.files import atomic_writer
from ..engine.base import CancelToken, Engine, Scan
from ..heads.drafts import DraftReading, reading, write_draft_file
from .drafts_fit import FOLDS, DraftFigures, FittedDrafts, draft_card, fit_draft_heads, load_drafts
from .kept_scans import TOGETHER, scans

LEAST_JOKES = 10 * FOLDS
VERSION = "1"


class DraftsFitted(Event):
    """The heads are written; ``figures`` say what they are worth."""

    figures: DraftFigures


def fit_drafts(
    engine: Engine, drafts: Path, own: Path, cache: Path, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Read every draft of the file ``drafts``, fit, measure out of fold, write heads and card to the folder ``own``;
    the last event is ``DraftsFitted``. What was read lies in ``cache`` until then, in a folder of the model's own.

    Raises ``InputError`` ``E_FIT_FEW`` when the model can read too few of them, ``ModelError`` when the drafts can't be
    read, ``Cancelled``, ``SettingsError`` when it can't be written, and what the engine raises, except that a joke with
    a draft too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    jokes = load_drafts(drafts)
    texts = list(dict.fromkeys(text for joke in jokes for text in joke.texts))
    folder = cache / engine.info.sha256[:16] / "drafts"
    yield StageStarted(stage=Stage.FITTING, total=len(texts))
    found = yield from _readings(engine, texts, folder, token)
    known = sum(all(text in found for text in joke.texts) for joke in jokes)
    if known < LEAST_JOKES:
        raise InputError(
            "E_FIT_FEW",
            f"The model could read the drafts of {known} jokes: too few to learn from.",
            f"It takes at least {LEAST_JOKES}; choose a model with a larger context.",
        )
    fitted = yield from _fit(fit_draft_heads(jokes, found, engine.info.sha256, VERSION, token))
    token.check()
    _save(own, fitted, engine.info.name)
    shutil.rmtree(folder.parent, ignore_errors=True)
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield DraftsFitted(figures=fitted.figures)


def _fit(steps: Generator[tuple[int, int], None, FittedDrafts]) -> Generator[Event, None, FittedDrafts]:
    while True:
        try:
            done, total = next(steps)
        except StopIteration as stop:
            fitted: FittedDrafts = stop.value
            return fitted
        yield StageProgress(stage=Stage.FITTING, done=done, total=total, note="comparing drafts, and measuring")


def _save(own: Path, fitted: FittedDrafts, name: str) -> None:
    sha256, version = fitted.meta["model_sha256"], fitted.meta["version"]
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    card = draft_card(fitted.figures, version, sha256, name, date)
    own.mkdir(parents=True, exist_ok=True)
    stem = sha256[:16]
    # The inner file is put in its place first: if that fails, the outer one isn't.
    with atomic_writer(own / f"{stem}.json") as outer, atomic_writer(own / f"{stem}.npz") as inner:
        write_draft_file(inner, fitted.meta, fitted.arrays)
        outer.write((json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))


def _readings(
    engine: Engine, texts: Sequence[str], folder: Path, token: CancelToken
) -> Generator[Event, None, dict[str, DraftReading]]:
    found: dict[str, DraftReading] = {}
    for start in range(0, len(texts), TOGETHER):
        token.check()
        part = texts[start : start + TOGETHER]
        for text, scan in zip(part, scans(engine, part, folder, token), strict=True):
            if scan is not None:
                found[text] = _read(text, scan)
        yield StageProgress(
            stage=Stage.FITTING, done=start + len(part), total=len(texts), note="reading jokes in several drafts"
        )
    return found


def _read(text: str, scan: Scan) -> DraftReading:
    try:
        return reading(text, scan)
    except ValueError as error:
        raise EngineError(
            "E_NOT_FINITE", f"The model gave no usable numbers: {error}.", "Choose another model."
        ) from error
