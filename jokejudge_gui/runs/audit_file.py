"""What an audit has read so far, kept in the profile's cache until it is whole."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from ..errors import SettingsError, UsageError
from ..files import parse_json, private_folder
from ..judging.audit.types import (
    Asking,
    KnownReadings,
    PairAsked,
    ReadBy,
    TextAnswer,
    TextAsked,
    TextRead,
    TextReading,
    pair_key,
)
from .lines import LinesFile

_FOLDER = "audits"
_MOST_KEPT = 20


class AuditFile(LinesFile):
    """A line for each text read, each one asked about, and each pair. Opening reads what an earlier run left."""

    run = "audit"

    def __init__(self, path: Path) -> None:
        """Raises ``UsageError`` ``E_AUDIT_FILE`` for a file that holds anything else, and what ``LinesFile`` raises."""
        self.texts: dict[str, TextReading] = {}
        self.answers: dict[str, TextAnswer] = {}
        self.pairs: dict[str, Asking] = {}
        super().__init__(path)

    def known(self, read_by: ReadBy) -> KnownReadings:
        """What was read so far."""
        return KnownReadings(read_by=read_by, texts=self.texts, answers=self.answers, pairs=self.pairs)

    def keep(self, event: object) -> None:
        """Write down what an event tells; events that tell nothing new are passed over."""
        if isinstance(event, TextRead):
            self.append({"id": _key(event.text), "text": event.text, "reading": event.reading.model_dump()})
            self.texts[event.text] = event.reading
        elif isinstance(event, TextAsked):
            self.append({"id": _key(event.text), "text": event.text, "answer": event.answer.model_dump()})
            self.answers[event.text] = event.answer
        elif isinstance(event, PairAsked):
            both = pair_key(event.text_a, event.text_b)
            self.append({"id": _key(both), "pair": [event.text_a, event.text_b], "asking": event.asking.model_dump()})
            self.pairs[both] = event.asking

    def _take(self, line: bytes, number: int) -> None:
        try:
            value = parse_json(line)
            if "pair" in value:
                a, b = value["pair"]
                self.pairs[pair_key(str(a), str(b))] = Asking.model_validate(value["asking"])
            elif "answer" in value:
                self.answers[str(value["text"])] = TextAnswer.model_validate(value["answer"])
            else:
                self.texts[str(value["text"])] = TextReading.model_validate(value["reading"])
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_AUDIT_FILE", f"Line {number} of {self.path} isn't a line of an audit.", "Delete that file."
        )


def open_file(cache: Path, read_by: ReadBy, parts: Sequence[str]) -> AuditFile:
    """The file of this audit in the profile's ``cache``. ``parts``: what tells it from others beside the judge. One
    that can't be read is begun anew: only time is lost. Raises ``SettingsError`` ``E_WRITE`` and what ``LinesFile``
    raises."""
    folder = cache / _FOLDER
    try:
        private_folder(folder)
        stale = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)[:-_MOST_KEPT]
        for path in stale:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(
            "E_WRITE",
            f"{folder} can't be made: {error.strerror or error}.",
            "Free some disk space, or remove the file that is in the way.",
        ) from error
    by = (read_by.model, read_by.head, read_by.editor, read_by.prompts, read_by.asked)
    mark = hashlib.sha256("\0".join((*by, *parts)).encode()).hexdigest()[:16]
    path = folder / f"{mark}.jsonl"
    try:
        return AuditFile(path)
    except UsageError:
        path.unlink(missing_ok=True)
        return AuditFile(path)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
