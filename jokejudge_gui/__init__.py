"""JokeJudge: judges jokes with a language model on this computer. ``from jokejudge_gui import JokeJudge``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

# llama.cpp's threads spin while they wait unless OpenMP reads this before the library is loaded; on a shared desktop
# spinning makes every program slow.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# The threads of NumPy's linear algebra spin as well; the matrices here are small.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if TYPE_CHECKING:
    from .api import JokeJudge

__version__ = "0.1.0"
__all__ = ["JokeJudge", "__version__"]


def __dir__() -> list[str]:
    """List the module's names with ``JokeJudge``, so that completion finds it before its first use."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Import ``JokeJudge`` on first use, so that importing the package stays cheap."""
    if name == "JokeJudge":
        from .api import JokeJudge

        return JokeJudge
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
