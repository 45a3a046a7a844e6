"""Fits the draft heads of a model on the user's machine, from the drafts that ship; readings are kept until the end, so
that a job that was stopped or closed continues where it was."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ..core.events import Event, Stage, StageFinished, StageStarted
from ..engine.base import CancelToken, Engine
from ..heads.drafts import DraftHeads, reading
from .drafts_fit import FOLDS, DraftFigures, draft_card, fit_draft_heads, load_drafts
from .jobs import read_texts, save_head, scans, today, too_few

LEAST_JOKES = 10 * FOLDS


class DraftsFitted(Event):
    """The heads are written; ``figures``: their quality."""

    figures: DraftFigures


def fit_drafts(
    engine: Engine, drafts: Path, own: Path, cache: Path, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Read every draft of the file ``drafts``, fit, measure out of fold, write heads and card to the folder ``own``;
    the last event is ``DraftsFitted``. Until then the readings are in ``cache``, in a folder of the model's own.

    Raises ``InputError`` ``E_FIT_FEW`` when the model can read too few of them, ``ModelError`` when the drafts can't be
    read, ``Cancelled``, ``SettingsError`` when it can't be written, and what the engine raises, except that a joke with
    a draft too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    jokes = load_drafts(drafts)
    texts = list(dict.fromkeys(text for joke in jokes for text in joke.texts))
    folder = cache / engine.info.sha256[:16] / "drafts"
    yield StageStarted(stage=Stage.FITTING, total=len(texts))
    note = "reading jokes in several drafts"
    read = yield from read_texts(texts, partial(scans, engine, folder), reading, note, token)
    found = {text: each for text, each in zip(texts, read, strict=True) if each is not None}
    known = sum(all(text in found for text in joke.texts) for joke in jokes)
    if known < LEAST_JOKES:
        raise too_few(f"the drafts of {known} jokes", "learn from", LEAST_JOKES)
    fitted = yield from fit_draft_heads(jokes, found, engine.info.sha256, token)
    token.check()
    sha256 = engine.info.sha256
    card = draft_card(fitted.figures, sha256, engine.info.name, today())
    save_head(own, own, sha256, lambda stream: DraftHeads.write(stream, fitted.meta, fitted.arrays), card)
    shutil.rmtree(folder.parent, ignore_errors=True)
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield DraftsFitted(figures=fitted.figures)
