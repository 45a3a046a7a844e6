"""NumPy, imported on first use: it takes longer to load than most commands take to answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["np", "npt"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:

    class _Lazily:
        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module(self._module), name)
            setattr(self, name, value)
            return value

    np, npt = _Lazily("numpy"), _Lazily("numpy.typing")
