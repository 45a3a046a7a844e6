"""The file of a contest: every reading, duel and chunk of a shuffled round is a line of its own as soon as it is
known."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UsageError
from ..files import parse_json
from ..judging.contest.types import HeldDuel, Known, MadeBy, Reading, ScoredChunk
from .lines import LinesFile
from .made import build_id


class ContestFile(LinesFile):
    """Opening reads what an earlier run left. Raises ``UsageError`` ``E_CONTEST_OUT`` for a file that isn't a
    contest's, and what ``LinesFile`` raises."""

    run = "contest"

    def __init__(self, path: Path, context: str) -> None:
        """``context``: the topic; readings about another one are kept in the file and not used."""
        self._context = context
        self.readings: dict[str, Reading] = {}
        self.duels: dict[frozenset[str], tuple[str, str, HeldDuel]] = {}
        self.chunks: dict[tuple[str, ...], ScoredChunk] = {}
        self._made: set[MadeBy] = set()
        super().__init__(path)

    def check(self, made_by: MadeBy) -> None:
        """Raise ``UsageError`` ``E_CONTEST_OUT`` where lines come from another model, head or wording."""
        if self._made - {made_by}:
            raise UsageError(
                "E_CONTEST_OUT",
                f"{self.path} holds readings of another model or version, which can't be mixed with these.",
                "Give --out a new name.",
            )

    def known(self, made_by: MadeBy) -> Known:
        """What was found so far."""
        return Known(
            made_by=made_by,
            context=self._context,
            readings=self.readings,
            duels=tuple(self.duels.values()),
            chunks=tuple(self.chunks.items()),
        )

    def add_reading(self, text: str, reading: Reading, made_by: MadeBy) -> None:
        """Write a reading down."""
        self._append({"id": _key(text), "text": text, "reading": reading.model_dump()}, made_by)

    def add_duel(self, text_a: str, text_b: str, duel: HeldDuel, made_by: MadeBy) -> None:
        """Write a duel down."""
        found = duel.model_dump(include={"p_a", "drafts", "verdict"})
        self._append({"id": _key(text_a, text_b), "text_a": text_a, "text_b": text_b, "duel": found}, made_by)

    def add_chunk(self, texts: tuple[str, ...], chunk: ScoredChunk, made_by: MadeBy) -> None:
        """Write down what jokes were given that were shown together."""
        found = chunk.model_dump(include={"round", "scores", "words"})
        self._append({"id": _key(*texts, of="chunk"), "texts": list(texts), "chunk": found}, made_by)

    def _append(self, line: dict[str, Any], made_by: MadeBy) -> None:
        made = {"made_by": made_by.model_dump(), "program": __version__, "build": build_id()}
        self.append({**line, "context": self._context, **made, "error": None})

    def _take(self, line: bytes, number: int) -> None:
        try:
            value = parse_json(line)
            made_by = MadeBy.model_validate(value["made_by"])
            mine = value["context"] == self._context
            if "duel" in value:
                one, other = str(value["text_a"]), str(value["text_b"])
                duel = HeldDuel.model_validate({"a": "", "b": "", **value["duel"]})
                if mine:
                    self.duels[frozenset((one, other))] = (one, other, duel)
            elif "chunk" in value:
                texts = tuple(str(text) for text in value["texts"])
                chunk = ScoredChunk.model_validate({"ids": (), **value["chunk"]})
                if mine:
                    self.chunks[texts] = chunk
            else:
                reading = Reading.model_validate(value["reading"])
                if mine:
                    self.readings[str(value["text"])] = reading
            self._made.add(made_by)
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_CONTEST_OUT",
            f"Line {number} of {self.path} isn't a line of a contest, so nothing was written to it.",
            "Give --out a new name.",
        )


def _key(*texts: str, of: str = "") -> str:
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass"))
    return f"{of or ('duel' if len(texts) > 1 else 'read')}-{digest.hexdigest()[:24]}"
