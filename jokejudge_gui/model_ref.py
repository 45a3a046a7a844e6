"""Which model a verdict is made with."""

from __future__ import annotations

from .frozen import Frozen


class ModelRef(Frozen):
    """The model that gave a verdict."""

    name: str
    sha256: str
