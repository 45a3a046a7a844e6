"""Reading many texts with a model that may be too small for some of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from ..engine.base import CancelToken
from ..errors import EngineError

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
