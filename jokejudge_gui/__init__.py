"""JokeJudge: judges jokes with a language model on this computer. ``from jokejudge_gui import JokeJudge, score``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

# llama.cpp's threads spin while they wait unless OpenMP reads this before the library is loaded; on a shared desktop
# spinning makes every program slow.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# The threads of NumPy's linear algebra spin as well; the matrices here are small.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if TYPE_CHECKING:
    from .api import JokeJudge, best, rank, score

__version__ = "0.1.0"
__all__ = ["JokeJudge", "__version__", "best", "rank", "score"]


def __dir__() -> list[str]:
    """List the module's names with those of ``api``, so that completion finds them before their first use."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Import the names of ``api`` on first use, so that importing the package stays cheap."""
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
