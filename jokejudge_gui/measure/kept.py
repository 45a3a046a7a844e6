"""Evaluations made on this machine, kept in the profile: their figures, and the answers to continue from."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from .. import __version__
from ..batch.build import made_by
from ..batch.lines import LinesFile
from ..core.errors import ModelError, SettingsError, UsageError
from ..core.files import atomic_write, parse_json, private_folder, read_json, remove
from ..core.verdicts import Frozen, ModelRef
from ..judge.templates.scoring import text_of
from ..learning.trust_cards import plain
from ..session.session import Session
from .evaluating import AnswersFile
from .evaluation import Report, judged
from .words import evaluation_pages

_STEM = re.compile(r"[0-9a-f]{16}-[0-9a-f]{16}")
_MOST_BYTES = 4 << 20
_Lines = TypeVar("_Lines", bound=LinesFile)
_MOST_FILES = 100
_TEXTS = ("text", "text_a", "text_b", "input", "reasoning")


class KeptEvaluation(Frozen):
    """A kept evaluation. ``stem``: the name of its files; ``moment`` in ISO 8601 (UTC); ``program``: the version that
    measured it; ``source``: the name of the labelled file, without its folder; ``found``: its figures."""

    stem: str
    moment: str
    program: str
    source: str
    found: Report

    @property
    def model(self) -> ModelRef | None:
        """The model that was measured."""
        model = self.found["model"]
        return ModelRef.model_validate(model) if model is not None else None

    @property
    def extent(self) -> str:
        """How many rows were judged, and whether that was all."""
        return f"{judged(self.found):,} judged{'' if self.found['whole'] else ', not finished'}"


class KeptEvaluations:
    """A folder with a summary (``.json``) and the answers (``.jsonl``) of each evaluation, which are removed
    together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, stem: str, found: Report, source: str) -> KeptEvaluation:
        """Write a summary in one step. Raises ``SettingsError`` ``E_WRITE``."""
        moment = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        kept = KeptEvaluation(stem=stem, moment=moment, program=__version__, source=plain(source)[:200], found=found)
        data = kept.model_dump(mode="json", exclude={"stem"})
        atomic_write(
            self.folder / f"{stem}.json", json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        )
        return kept

    def of(self, sha256: str) -> list[KeptEvaluation]:
        """Return the evaluations of one model, the newest first; unreadable files are left out."""
        mine = [kept for kept in self.all(f"{sha256[:16]}-") if kept.model is not None and kept.model.sha256 == sha256]
        return sorted(mine, key=lambda kept: kept.moment, reverse=True)

    def all(self, begin: str = "") -> list[KeptEvaluation]:
        """Return the evaluations of every model whose files' names ``begin`` so; unreadable files are left out."""
        try:
            paths = [p for p in self.folder.iterdir() if p.suffix == ".json" and _STEM.fullmatch(p.stem)]
        except OSError:
            return []
        mine = sorted(path for path in paths if path.name.startswith(begin))[:_MOST_FILES]
        return [kept for path in mine if (kept := _read(path)) is not None]

    def forget(self, stem: str) -> None:
        """Delete an evaluation and its answers. Raises ``SettingsError`` ``E_WRITE``."""
        for suffix in (".json", ".jsonl"):
            remove(self.folder / f"{stem}{suffix}")

    def stem_for(self, session: Session, labelled: bytes) -> str:
        """Return the name of the evaluation of the session's model on a labelled file: it changes with the model,
        its heads, plan, criteria, mode, the program, and content of the file."""
        if session.judges is None:
            raise ModelError("E_MODEL_MISSING", "No model is loaded.", "Choose a model first.")
        parts = (*made_by(session).values(), __version__)
        digest = hashlib.sha256("\0".join(parts).encode() + b"\0" + labelled).hexdigest()
        return f"{session.judges.judge.model.sha256[:16]}-{digest[:16]}"

    def answers(self, stem: str) -> AnswersFile:
        """Open the answers of an evaluation, for reading and adding. Any other file is replaced by an empty one: only
        time is lost. Raises ``SettingsError`` or ``OutputError`` where it can't be written."""
        return open_anew(AnswersFile, self.folder / f"{stem}.jsonl", lambda: self.forget(stem))


def open_anew(kind: Callable[[Path], _Lines], path: Path, forget: Callable[[], None]) -> _Lines:
    """Open a file of answers in a private folder; any other file is removed and replaced by an empty one. Raises
    ``SettingsError`` ``E_WRITE`` and what ``LinesFile`` raises."""
    try:
        private_folder(path.parent)
    except OSError as error:
        raise SettingsError(
            "E_WRITE",
            f"{path.parent} can't be made: {error.strerror or error}.",
            "Free some disk space, or remove the file that is in the way.",
        ) from error
    try:
        return kind(path)
    except UsageError:
        forget()
        return kind(path)


def forget_texts(folders: Iterable[Path], gone: Collection[str]) -> None:
    """Delete the files of answers (``.jsonl``) in these folders that contain one of the
    deleted texts (``gone``), by itself or among others; figures stay. Raises ``SettingsError`` ``E_WRITE``."""
    exact = {text for text in gone if "\n" not in text}
    several = "\n".join(text for text in gone if "\n" in text)
    for path in (path for folder in folders for path in sorted(folder.glob("*.jsonl")) if gone):
        if any(text and (text in exact or text in several) for text in _texts(path)):
            remove(path)


def _texts(path: Path) -> Iterator[str]:
    """Yield the texts in a file of answers; unreadable lines are ignored."""
    with suppress(OSError), path.open("rb") as stream:
        for line in stream:
            with suppress(ValueError, AttributeError, TypeError):
                value = parse_json(line)
                yield from (text_of(value[name]) for name in _TEXTS if value.get(name))


def _read(path: Path) -> KeptEvaluation | None:
    """Read a summary; None where its figures can't be shown."""
    try:
        data = read_json(path, _MOST_BYTES)
        kept = KeptEvaluation.model_validate({**data, "stem": path.stem})
        if kept.model is not None:
            list(evaluation_pages(kept.found))
    except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None
    name = plain(kept.source)[:200]
    return kept.replaced(source=name, moment=plain(kept.moment)[:40], program=plain(kept.program)[:40])
