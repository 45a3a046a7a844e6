"""What all steps of ``ship.py`` share: the model with its scans of texts, the inputs, and the files that ship."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, Any

import data
import numpy as np
import numpy.typing as npt
from data import HERE, MODELS, lines

from jokejudge_gui.core.files import atomic_write, atomic_writer, sha256_of
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.engine.base import CancelToken, Engine, Scan
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.heads.editor import EditorHeads
from jokejudge_gui.learning.editor_data import Draft, Readings, read_drafts, readings_of
from jokejudge_gui.learning.teacher import Lesson, Part, Teacher, digest, pack, save_head, today, unpack

Array = npt.NDArray[Any]
SECOND_WEIGHT = 0.4
"""Weight of a reading of the second round relative to one of the first: two of its readers agree less (LOG.md)."""
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
            with atomic_writer(path) as stream:
                np.savez(stream, texts=np.array(part), **pack(scans, np.float16))
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
        return [scan for scan in unpack(dict(shard)) if scan is not None]


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
        return lines(self.contrasts)

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

    def card(self, folder: str) -> dict[str, Any]:
        """Return the card in a folder."""
        return dict(json.loads(self.path(folder, "json").read_text("utf-8")))

    def amend_head(self, changes: Mapping[str, Any], arrays: Mapping[str, Array], card: Mapping[str, Any]) -> None:
        """Change metadata, arrays and the card of the audience head; its odds are dropped where the joint map is
        new."""
        path, head = self.path("heads", "npz"), self.head
        kept = {name: a for name, a in head.arrays.items() if "joint" not in changes or not name.startswith("odds_")}
        with atomic_writer(path) as target:
            AudienceHead.write(target, head.meta.model_dump(exclude_none=True) | dict(changes), {**kept, **arrays})
        path.chmod(0o644)
        if card:
            of_card = self.path("cards", "json")
            atomic_write(of_card, json.dumps(self.card("cards") | dict(card), indent=1, ensure_ascii=False) + "\n")
            of_card.chmod(0o644)


# -- The second round of readings (second.jsonl). Its texts are in $JOKEJUDGE_DATA and may not be redistributed, so each
# line names its text by source and row. Kinds that were added to the criteria since are in more_kinds.jsonl, by a
# digest of the text.


def first_and_second(first: Path, second: Path | None = None) -> Readings:
    """Both rounds together, with the kinds that were added since; for a text read in both, only the first counts."""
    read = lines(first)
    added = {line["text"]: line["kinds"] for line in lines(HERE / "more_kinds.jsonl")}
    of_text: dict[str, list[dict[str, Any]]] = {}
    for line in [*read, *(_second_round(second, read) if second else ())]:
        text = clean_text(line["text"])
        name = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
        of_text.setdefault(text, []).append(line | {"kinds": [*line["kinds"], *added.get(name, ())]})
    return readings_of(of_text)


def _second_round(path: Path, first: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the lines with their texts, a reader's scores brought to the mean and spread of the ``first`` round's."""

    def scores_of(read: Sequence[dict[str, Any]]) -> Array:
        return np.array([line["core"] for line in read if line["joke"]], dtype=np.float64)

    rows = lines(path)
    texts = {
        source: {row["id"]: row["text"].replace("\r\n", "\n").strip() for row in data.rows(source)}
        for source in {line["source"] for line in rows}
    }
    usual = scores_of(first)
    for reader in sorted({line["reader"] for line in rows}):
        mine = [line for line in rows if line["reader"] == reader]
        scores = scores_of(mine)
        gain = usual.std(axis=0) / np.maximum(scores.std(axis=0), 0.1)
        for line in mine:
            if (text := texts[line["source"]].get(line["id"])) is not None:
                core = np.clip((np.array(line["core"]) - scores.mean(axis=0)) * gain + usual.mean(axis=0), 0.0, 5.0)
                turn = "" if line["turn"] is None else text[slice(*line["turn"])]
                yield line | {"text": text, "turn": turn, "core": list(core), "weight": SECOND_WEIGHT}
