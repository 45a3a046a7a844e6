"""Readings of many texts that lie in a folder, so that a fit which was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..core.errors import EngineError
from ..core.files import atomic_writer
from ..engine.base import CancelToken, Engine, Scan

# --------------------------------------------------------------------------------------------------------------------
# Reading many texts with a model that may be too small for some of them.

T = TypeVar("T")
TOGETHER = 10
"""Texts read in one call: some 200 tokens fill a batch, and Stop and the progress bar don't wait for long."""
TOO_MUCH = ("E_CONTEXT", "E_EMPTY")
"""Codes of the errors that one text alone is to blame for."""


def read_each(
    read: Callable[[Sequence[str], CancelToken], Sequence[T]], texts: Sequence[str], token: CancelToken
) -> list[T | None]:
    """What ``read`` gives for each text; None for one that is too long for the model, or has no token. Raises what else
    ``read`` raises."""
    try:
        return [*read(texts, token)]
    except EngineError as error:
        if error.code not in TOO_MUCH:
            raise
        return [None] if len(texts) == 1 else [read_each(read, [text], token)[0] for text in texts]


def shard(folder: Path, texts: Sequence[str]) -> Path:
    """The file in ``folder`` for what was read of these texts."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    return folder / f"{digest[:32]}.npz"


def scans(engine: Engine, texts: Sequence[str], folder: Path, token: CancelToken) -> list[Scan | None]:
    """What the model reads in each text, from the folder if it lies there; None for one that it can't read."""
    path = shard(folder, texts)
    kept = _load(path, len(texts), engine.info.embedding_size)
    if kept is None:
        kept = read_each(engine.scan_together, texts, token)
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as stream:
            np.savez(stream, allow_pickle=False, **_arrays(kept, engine.info.embedding_size))
    return kept


def _arrays(scans: Sequence[Scan | None], size: int) -> dict[str, Any]:
    read = [scan for scan in scans if scan is not None]
    return {
        "lengths": np.array([0 if scan is None else len(scan.spans) for scan in scans], dtype=np.int32),
        "states": np.concatenate([np.zeros((0, size), np.float32), *(scan.states for scan in read)]),
        "logprobs": np.concatenate([np.zeros(0, np.float32), *(scan.logprobs for scan in read)]).astype(np.float32),
        "spans": np.array([span for scan in read for span in scan.spans], dtype=np.int32).reshape(-1, 2),
    }


def _load(path: Path, count: int, size: int) -> list[Scan | None] | None:
    """Readings of ``count`` texts; None where there is no such file, or one that can't be used."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as shard:
            lengths, states = shard["lengths"], shard["states"]
            logprobs, spans = shard["logprobs"], shard["spans"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    if lengths.shape != (count,) or lengths.dtype != np.int32 or (lengths < 0).any():
        return None
    total = int(lengths.sum())
    if (states.shape, logprobs.shape, spans.shape) != ((total, size), (total,), (total, 2)):
        return None
    if (states.dtype, logprobs.dtype, spans.dtype) != (np.float32, np.float32, np.int32):
        return None
    found: list[Scan | None] = []
    ends = np.cumsum(lengths)
    for end, length in zip(ends, lengths, strict=True):
        some = slice(end - length, end)
        places = tuple((int(first), int(last)) for first, last in spans[some])
        found.append(Scan(states[some], logprobs[some], places) if length else None)
    return found
