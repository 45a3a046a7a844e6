"""NumPy, imported on first use: it takes longer to load than most commands take to answer."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _NumPy:
    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("numpy"), name)
        setattr(self, name, value)
        return value


numpy = _NumPy()
