"""Audits as files: what ``jokejudge audit --json`` prints and the window saves, read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files import read_json
from .types import AuditResult

_MOST_BYTES = 32 << 20
_NAMES = {"criteria": "criteria_version", "prompts": "prompt_version", "head": "head_version"}
_FIELDS = (
    "id", "source", "probes", "perturbations", "program", "readings", "unread", "voices", "pairs", "usage", "model",
)  # fmt: skip
_LATER_FIELDS = ("everything_asked", "most_asked", "factors")
"""Not in audits of earlier versions."""


def read_audit(path: Path) -> AuditResult:
    """The audit in a file. Raises ``InputError`` ``E_AUDIT_FILE`` for anything else."""
    try:
        return parse_audit(read_json(path, _MOST_BYTES))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        raise InputError(
            "E_AUDIT_FILE",
            f"No audit can be read from {path.name}{why}.",
            "Give a file that jokejudge audit --json wrote, or a report that the window saved as JSON.",
        ) from error


def parse_audit(data: Any) -> AuditResult:
    """The audit in the terminal's JSON object, in one of ``history show``, or in what the window of earlier versions
    saved. Raises ``ValueError``, ``KeyError``, ``TypeError`` or ``AttributeError``."""
    if "voices" not in data and "result" in data:
        data = data["result"]
    known = {name: data[name] for name in _FIELDS}
    known |= {name: data[name] for name in _LATER_FIELDS if name in data}
    names = {field: data.get(name, data.get(field, "")) for name, field in _NAMES.items()}
    return AuditResult.model_validate(known | names)


def audit_for(sha256: str, *folders: Path) -> AuditResult | None:
    """The audit of the model with this hash in the first folder that holds a sound one (``<16 digits>.json``)."""
    for folder in folders:
        path = folder / f"{sha256[:16]}.json"
        if not path.is_file():
            continue
        try:
            found = read_audit(path)
        except InputError:
            continue
        if found.model is not None and found.model.sha256 == sha256:
            return found
    return None
