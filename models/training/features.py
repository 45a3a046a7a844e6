"""Reads texts through the program's own engine and keeps their final hidden states, so that training and use can't
differ by more than the numerical noise of texts that share a batch. It can be stopped and started again, and run
several times side by side; no text is read twice in one cache.

    python models/training/features.py MODEL.gguf CACHE SET[:COUNT|:test] …
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import data
import numpy as np

from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.engine.loader import load_engine

SHARD = 250


def known(place: Path, name: str) -> set[str]:
    """Keys of the texts that the cache holds."""
    found: set[str] = set()
    for path in place.glob(f"{name}-*.npz"):
        with np.load(path) as shard:
            found.update(map(str, shard["texts"]))
    return found


def asked(request: str) -> tuple[str, list[str]]:
    """Return the set and texts of ``SET``, ``SET:COUNT`` or ``SET:test``."""
    name, _, limit = request.partition(":")
    items = data.items(name)
    if limit == "test":
        items = [item for item in items if item.test]
    elif limit:
        items = items[: int(limit)]
    return name, [item.text for item in items]


def shards(texts: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), SHARD):
        yield texts[start : start + SHARD]


def extract(model: Path, cache: Path, requests: list[str]) -> None:
    sha256 = sha256_of(model)
    place = cache / sha256[:16]
    place.mkdir(parents=True, exist_ok=True)
    engine = load_engine(model, sha256=sha256, threads=1)
    number = 0
    try:
        for request in requests:
            name, texts = asked(request)
            for wanted in shards(texts):
                have = known(place, name)
                part = [text for text in wanted if data.key(text) not in have]
                if not part:
                    continue
                begin = time.perf_counter()
                states = engine.embed_together(part)
                lengths = np.array([len(state) for state in states], np.int32)
                path = place / f"{name}-{os.getpid()}-{number:05d}.npz"
                number += 1
                with path.with_suffix(".part").open("wb") as stream:
                    np.savez(
                        stream,
                        texts=np.array([data.key(text) for text in part]),
                        lengths=lengths,
                        states=np.concatenate(states).astype(np.float16),
                    )
                path.with_suffix(".part").replace(path)
                rate = lengths.sum() / (time.perf_counter() - begin)
                print(f"{name}: {len(have) + len(part)} read, {rate:.0f} tokens/s", flush=True)
    finally:
        engine.close()


if __name__ == "__main__":
    extract(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
