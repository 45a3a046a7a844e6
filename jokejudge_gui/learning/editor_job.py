"""Fits the editor's heads of a model on the user's machine, from the readings that ship; the model's states are kept
until the end, so that a job that was stopped or closed continues where it was."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ..core.events import Event, Stage, StageFinished, StageStarted
from ..core.verdicts import ModelRef
from ..engine.base import CancelToken, Engine, Scan
from ..heads.editor import EditorHeads, TextRow, measure
from ..heads.editor_file import EditorCard, EditorFigures, ItemFigure, NoteFigure
from ..heads.files import FORMAT
from ..judge.rating.tree import CORE
from ..rubric.notes import parse_faults, parse_notes
from ..rubric.xml_parser import load_criteria
from .editor_data import Draft, Readings
from .editor_fit import BUCKETS, Fitted, fit_editor
from .editor_report import figures_of, note_figures, noted
from .jobs import progress, read_texts, save_head, scans, today, too_few

# --------------------------------------------------------------------------------------------------------------------
# The files of the editor's heads.

VERSION = "1"
NOTE = (
    "The readings were made by a large language model with the rubric in hand: an editor's view, not people's votes. "
    "Figures are out of fold over five folds of texts, calibration too; where texts lie (standardising, axes) was "
    "found on all texts without a look at the readings. Intervals: bootstrap over texts."
)


def save_editor(folder: Path, fitted: Fitted, card: EditorCard) -> None:
    """Write heads and card, both or neither. Raises ``SettingsError``."""
    meta = meta_of(fitted, card)
    save_head(
        folder,
        folder,
        card.model.sha256,
        lambda stream: EditorHeads.write(stream, meta, fitted.arrays),
        card.model_dump(mode="json"),
    )


def meta_of(fitted: Fitted, card: EditorCard) -> dict[str, object]:
    """Return the metadata of the heads' file."""
    return {
        **fitted.meta,
        "format": FORMAT,
        "factors": list(CORE),
        "version": card.version,
        "model_sha256": card.model.sha256,
    }


def card_of(
    model: tuple[str, str],
    figures: EditorFigures,
    items: dict[str, dict[str, ItemFigure]],
    counts: tuple[int, int],
    date: str,
    *,
    command: str,
    notes: Mapping[str, NoteFigure] | None = None,
) -> EditorCard:
    """Return the card of heads trained on ``counts`` readings and drafts. ``model``: name and sha256; ``notes``:
    figures of the note's sentences."""
    return EditorCard(
        model=ModelRef(name=model[0], sha256=model[1]),
        version=VERSION,
        date=date,
        command=command,
        data="an editor's readings and drafts (models/readings/README.md)",
        readings=counts[0],
        drafts=counts[1],
        note=NOTE,
        figures=figures,
        items=items,
        notes=dict(notes or {}),
    )


LEAST_READINGS = 100
_COMMAND = "jokejudge models fit --editor"


class EditorFitted(Event):
    """The heads are written; ``card``: their figures."""

    card: EditorCard


def fit_editor_heads(
    engine: Engine,
    readings: Readings,
    drafts: Sequence[Draft],
    own: Path,
    cache: Path,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """Read every text, fit, measure out of fold, write heads and card to the folder ``own``; the last event is
    ``EditorFitted``. Until then states are in ``cache``, in a folder of the model's own, and aren't computed twice.

    Raises ``InputError`` ``E_FIT_FEW`` when the model can read too few of the texts, ``Cancelled``, ``SettingsError``
    when it can't be written, and what the engine raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    texts = [*readings.texts, *(draft.text for draft in drafts)]
    folder = cache / engine.info.sha256[:16]
    yield StageStarted(stage=Stage.FITTING, total=len(texts))
    read = partial(scans, engine, folder)
    rows = yield from read_texts(texts, read, _row, "reading texts that an editor read", token)
    there = np.array([row is not None for row in rows])
    known = np.flatnonzero(there[: len(readings)])
    if len(known) < LEAST_READINGS:
        raise too_few(f"{len(known)} of the texts", "learn from", LEAST_READINGS)
    kept = readings.keep(known)
    mine = [(row, draft) for row, draft in zip(rows[len(readings) :], drafts, strict=True) if row is not None]
    yield progress(len(texts), len(texts), "fitting, and measuring")
    fitted = fit_editor(
        [row for row in rows[: len(readings)] if row is not None],
        kept,
        [row for row, _ in mine],
        [draft for _, draft in mine],
        token.check,
    )
    figures, items = figures_of(kept, fitted)
    token.check()
    model = (engine.info.name, engine.info.sha256)
    notes = note_figures(parse_notes(load_criteria(None), parse_faults()), noted(kept, fitted))
    card = card_of(model, figures, items, (len(kept), len(mine)), today(), command=_COMMAND, notes=notes)
    save_editor(own, fitted, card)
    shutil.rmtree(folder, ignore_errors=True)
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield EditorFitted(card=card)


def _row(text: str, scan: Scan) -> TextRow:
    row = measure(scan.states, text, scan.spans, BUCKETS, scan.logprobs)
    # Half precision halves the memory for thousands of texts, and the states' own noise is larger than the rounding.
    return replace(row, pools=row.pools.astype(np.float32), states=row.states.astype(np.float16))
