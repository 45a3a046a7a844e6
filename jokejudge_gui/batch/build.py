"""The things that the lines of a long run depend on, as a few short digests: lines that differ in them aren't mixed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .. import __version__
from ..core.errors import ModelError
from ..session.session import Session

_SHORT = 12
WORDS = {
    "run": "kind of run",
    "sha256": "model",
    "program": "version of the program",
    "build": "build of the program",
    "model": "model",
    "head": "heads",
    "heads": "heads",
    "plan": "plan of what is asked",
    "criteria": "criteria or prompts",
    "prompts": "criteria or prompts",
    "weights": "weights",
    "pack": "pack of judge templates",
    "asked": "choice of questions",
    "everything_asked": "choice of questions",
    "mode": "mode",
    "listeners": "choice of listeners",
}
"""Each name in words."""


@cache
def build_id() -> str:
    """Return a name of the running code: 12 hex digits of a digest over the package's source files, which distinguishes
    two checkouts of one version. Where there are no sources (a bundle) only the version counts."""
    digest = hashlib.sha256(__version__.encode())
    root = Path(__file__).resolve().parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(b"\0" + path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:_SHORT]


def made_by(session: Session, options: Mapping[str, Any] = MappingProxyType({})) -> dict[str, str]:
    """Return everything that the verdicts of a session's loaded models depend on, given as in the settings except for
    ``mode`` and ``ask`` in ``options``. ``plan`` and ``criteria`` are digests of their content, ``asked`` is plan or
    all. Raises ``ModelError`` ``E_MODEL_MISSING`` where no model is loaded."""
    judges = session.judges
    if judges is None:
        raise ModelError("E_MODEL_MISSING", "No model is loaded.", "Choose a model first.")
    return {
        "build": build_id(),
        "model": judges.model.sha256[:_SHORT],
        **{name: _name(*versions) for name, versions in judges.versions.items()},
        "asked": options.get("ask") or ("all" if session.settings.ask_everything else "plan"),
        "mode": options.get("mode") or session.settings.mode,
    }


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """Return in words the first difference between two results of ``made_by`` in the keys that both have; None where
    they agree."""
    for name, value in one.items():
        if name in other and other[name] != value:
            return WORDS.get(name, name)
    return None


def _name(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_SHORT]
