"""Editor's heads fitted to the readings of ``editor_engine``, and the parts of their files."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.editor import EditorHeads, EditorReading, TextRow, measure
from jokejudge_gui.heads.editor_file import EditorCard
from jokejudge_gui.learning.editor_fit import BUCKETS
from jokejudge_gui.learning.editor_lesson import EditorLesson
from jokejudge_gui.learning.teacher import Learned, Teacher
from tests.editor_engine import EditorEngine, drafts, readings, texts

READINGS = readings(240)
DRAFTS = drafts(60)
NEW = texts(700)[600:]
SHA = "f" * 64
NAME = f"{SHA[:16]}.npz"


def fit(engine: EditorEngine, folder: Path, cancel: CancelToken | None = None) -> EditorCard:
    last = None
    teacher = Teacher(engine, folder / "states", cancel)
    for event in teacher.teach(EditorLesson(READINGS, DRAFTS), folder / "editor"):
        last = event
    assert isinstance(last, Learned)
    return EditorCard.model_validate_json(json.dumps(last.card))


def read(heads: EditorHeads, text: str) -> EditorReading:
    scan = EditorEngine().scan(text)
    return heads.found(scan.states, text, scan.spans, scan.logprobs)[0]


def parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, found: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in found.items():
            archive.writestr(name, data)
    return path


def npy(values: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=True)
    return stream.getvalue()


def meta_of(found: dict[str, bytes]) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads(np.load(io.BytesIO(found["meta.npy"])).tobytes())
    return meta


def packed(meta: object) -> dict[str, bytes]:
    """The part of a file with its metadata."""
    return {"meta.npy": npy(np.frombuffer(json.dumps(meta).encode(), np.uint8))}


def rows_of(found: Iterable[str]) -> list[TextRow]:
    """The measurements of texts."""
    engine = EditorEngine()
    scans = [(text, engine.scan(text)) for text in found]
    return [measure(scan.states, text, scan.spans, BUCKETS, scan.logprobs) for text, scan in scans]
