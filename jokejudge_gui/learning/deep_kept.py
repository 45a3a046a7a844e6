"""What was found while Deep is measured, in a file, so that a stopped measurement goes on where it was."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import SettingsError
from ..files import atomic_write, parse_json
from .deep_verdicts import Both, BothDuels

_MOST_BYTES = 8 << 20


class KeptVerdicts:
    """Verdicts by text and by pair, and audience scores by text, one JSON line each; those under another ``mark`` than
    the file's aren't used. A line that was cut off, or can't be true, is passed over."""

    def __init__(self, path: Path, mark: str) -> None:
        self._path = path
        self._mark = mark
        self.ratings: dict[str, Both] = {}
        self.duels: dict[str, BothDuels] = {}
        self.scores: dict[str, float] = {}
        self._begun = False
        try:
            if path.stat().st_size > _MOST_BYTES:
                return
            first, *lines = path.read_bytes().split(b"\n")
            self._begun = parse_json(first) == {"mark": mark}
        except (OSError, ValueError):
            return
        if self._begun:
            for line in lines:
                self._take(line)

    def rating(self, text: str, ask: str) -> Both | None:
        return self.ratings.get(f"{ask} {text}")

    def keep_rating(self, text: str, ask: str, found: Both) -> Both:
        """Raises ``SettingsError`` ``E_WRITE``."""
        self.ratings[f"{ask} {text}"] = found
        self._add({"rating": f"{ask} {text}", "found": found.model_dump(mode="json")})
        return found

    def duel(self, first: str, second: str) -> BothDuels | None:
        return self.duels.get(f"{first}\0{second}")

    def keep_duel(self, first: str, second: str, found: BothDuels) -> BothDuels:
        """Raises ``SettingsError`` ``E_WRITE``."""
        self.duels[f"{first}\0{second}"] = found
        self._add({"duel": f"{first}\0{second}", "found": found.model_dump(mode="json")})
        return found

    def keep_scores(self, scores: Mapping[str, float]) -> None:
        """Raises ``SettingsError`` ``E_WRITE``."""
        self.scores = dict(scores)
        self._add({"scores": self.scores})

    def drop(self) -> None:
        self._path.unlink(missing_ok=True)

    def _take(self, line: bytes) -> None:
        try:
            row: Any = parse_json(line)
            if "rating" in row:
                self.ratings[str(row["rating"])] = Both.model_validate(row["found"])
            elif "duel" in row:
                self.duels[str(row["duel"])] = BothDuels.model_validate(row["found"])
            elif "scores" in row:
                scores = {str(text): float(score) for text, score in row["scores"].items()}
                self.scores = scores if all(map(math.isfinite, scores.values())) else {}
        except (ValueError, KeyError, TypeError, AttributeError, ValidationError, RecursionError):
            return

    def _add(self, row: Mapping[str, object]) -> None:
        try:
            # Another run over the same model may have finished, and deleted it.
            if not self._begun or not self._path.is_file():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(self._path, json.dumps({"mark": self._mark}) + "\n")
                self._begun = True
            # A line that the program's end cut off isn't whole; what comes next begins on a line of its own.
            with self._path.open("r+b") as stream:
                end = stream.seek(0, 2)
                stream.seek(max(0, end - 1))
                broken = stream.read(1) not in (b"\n", b"")
                stream.write((b"\n" if broken else b"") + json.dumps(row).encode("utf-8") + b"\n")
        except OSError as error:
            raise SettingsError(
                "E_WRITE", f"{self._path} can't be written ({error.strerror or error}).", "Free some disk space."
            ) from error
