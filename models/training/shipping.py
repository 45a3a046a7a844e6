"""What all steps of ``ship.py`` share: the model with its scans of texts, the inputs, and the files that ship."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from second import first_and_second

from jokejudge_gui.core.files import atomic_write, sha256_of
from jokejudge_gui.engine.base import CancelToken, Engine, Scan
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.heads.editor import EditorHeads
from jokejudge_gui.learning.editor_data import Draft, Readings, read_drafts
from jokejudge_gui.learning.teacher import Lesson, Part, Teacher, digest, save_head, today

MODELS = Path(__file__).resolve().parents[1]
_SHARD = 100


class Reads(Teacher):
    """A model's scans of texts, kept in CACHE for all steps, with states in half precision; no text is read twice."""

    def __init__(self, engine: Engine, cache: Path) -> None:
        super().__init__(engine, cache)
        self._shard = lru_cache(16)(_load)
        self._place: dict[str, tuple[Path, int]] = {}
        for path in sorted((self.folder / "scans").glob("*.npz")):
            self._add(path)

    def _add(self, path: Path) -> None:
        with np.load(path) as shard:
            self._place |= {text: (path, number) for number, text in enumerate(map(str, shard["texts"]))}

    def each(self, texts: Sequence[str]) -> Iterator[tuple[str, Scan]]:
        """Yield each text, once, with its scan; states as they are kept."""
        unread = [text for text in dict.fromkeys(texts) if text not in self._place]
        for start in range(0, len(unread), _SHARD):
            part = sorted(unread[start : start + _SHARD])  # neighbours share their beginnings, which are read once
            scans = self.engine.scan_together(part)
            path = self.folder / "scans" / f"{digest(chr(0).join(part))}.npz"
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(".part")
            with draft.open("wb") as stream:
                np.savez(
                    stream,
                    texts=np.array(part),
                    ends=np.cumsum([len(scan.spans) for scan in scans]),
                    states=np.concatenate([scan.states for scan in scans]).astype(np.float16),
                    logprobs=np.concatenate([scan.logprobs for scan in scans]).astype(np.float32),
                    spans=np.concatenate([np.array(scan.spans, np.int32) for scan in scans]),
                )
            draft.replace(path)
            self._add(path)
            print(f"read {start + len(part)} of {len(unread)}", flush=True)
        for text in sorted(dict.fromkeys(texts), key=lambda text: self._place[text]):
            path, number = self._place[text]
            yield text, self._shard(path)[number]

    def scans(self, texts: Sequence[str]) -> list[Scan]:
        """Return the scan of each text, with states in single precision."""
        scans = {text: wide(scan) for text, scan in self.each(texts)}
        return [scans[text] for text in texts]

    def reader(self, part: Part) -> Callable[[Sequence[str], CancelToken], list[Scan | None]]:
        return lambda texts, _token: [*self.scans(texts)]

    def forget(self, part: Part) -> None:
        """Keep everything for the next steps."""


def wide(scan: Scan) -> Scan:
    """Return a scan with states in single precision."""
    return Scan(scan.states.astype(np.float32), scan.logprobs, scan.spans)


def _load(path: Path) -> list[Scan]:
    with np.load(path) as shard:
        states, logprobs, spans, ends = (shard[name] for name in ("states", "logprobs", "spans", "ends"))
    parts = [slice(int(start), int(end)) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return [Scan(states[at], logprobs[at], tuple((int(a), int(b)) for a, b in spans[at])) for at in parts]


@dataclass(frozen=True)
class Shipping:
    """The model to ship, the inputs, and the folder that the files go to."""

    model: Path
    cache: Path
    name: str
    readings: Path = MODELS / "readings" / "readings.jsonl"
    drafts: Path = MODELS / "drafts" / "drafts.jsonl"
    second: Path | None = None
    contrasts: Path | None = None
    models: Path = MODELS

    @cached_property
    def sha256(self) -> str:
        return sha256_of(self.model)

    @cached_property
    def reads(self) -> Reads:
        return Reads(load_engine(self.model, name=self.name, sha256=self.sha256, threads=1), self.cache)

    @cached_property
    def both_rounds(self) -> Readings:
        """The readings of both rounds."""
        return first_and_second(self.readings, self.second)

    @cached_property
    def every_draft(self) -> list[Draft]:
        return read_drafts(self.drafts)

    @property
    def held_out(self) -> Path:
        """The folder of the audience head that was fitted without the held-out texts."""
        return self.cache / "held_out"

    @property
    def head(self) -> AudienceHead:
        return AudienceHead.load(self.path("heads", "npz"))

    @property
    def editor(self) -> EditorHeads:
        return EditorHeads.load(self.path("editor", "npz"))

    def families(self) -> list[dict[str, Any]]:
        """Return the families of texts around one joke. Raises ``SystemExit`` where none were given."""
        if self.contrasts is None:
            raise SystemExit("this step needs --contrasts families.jsonl")
        return [json.loads(line) for line in self.contrasts.read_text("utf-8").splitlines()]

    def path(self, folder: str, ending: str) -> Path:
        """Return the path of the model's file in a folder of ``models``."""
        return self.models / folder / f"{self.sha256[:16]}.{ending}"

    def teach(self, lesson: Lesson[Any]) -> None:
        """Teach one of the program's own lessons."""
        for _ in self.reads.teach(lesson, self.models / lesson.part):
            pass

    def save(
        self,
        folder: str,
        write: Callable[[IO[bytes]], None],
        card: Mapping[str, Any],
        models: Path | None = None,
        cards: str = "",
    ) -> None:
        """Write a head and its card to a folder of ``models``, or the card to the folder ``cards``."""
        heads, of_cards = ((models or self.models) / name for name in (folder, cards or folder))
        whole = {"model": {"name": self.name, "sha256": self.sha256}, "date": today(), **card}
        save_head(heads, of_cards, self.sha256, write, whole)
        for path in (heads / f"{self.sha256[:16]}.npz", of_cards / f"{self.sha256[:16]}.json"):
            path.chmod(0o644)

    def amend(self, folder: str, changes: Mapping[str, Any]) -> None:
        """Change entries of a card."""
        path = self.path(folder, "json")
        content = json.loads(path.read_text("utf-8")) | dict(changes)
        atomic_write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        path.chmod(0o644)
