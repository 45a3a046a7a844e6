"""The panels in the settings: models that judge together, under a name."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..core.config import Settings
from ..core.errors import UsageError
from ..core.paths import Profile, exists, expanded
from ..core.texts import number
from .catalogue import load_catalogue
from .finder import ModelFile, resolve_model

MOST_MEMBERS = 8
_LONGEST = 60
_PART, _PARTS = 1 << 16, 64


def check_members(members: Sequence[str]) -> None:
    """Check that there are two to eight different models, given as paths or names. Raises ``UsageError``
    ``E_PANEL_SIZE`` and ``E_PANEL_TWICE``."""
    if not 2 <= len(members) <= MOST_MEMBERS:
        raise UsageError(
            "E_PANEL_SIZE",
            f"A panel has two to {number(MOST_MEMBERS)} models; here are {number(len(members))}.",
            "Name each model once.",
        )
    seen: set[str] = set()
    for member in members:
        if member.strip().casefold() in seen:
            raise twice(member)
        seen.add(member.strip().casefold())


def twice(name: str) -> UsageError:
    """Return the error for a model named twice in a panel."""
    return UsageError(
        "E_PANEL_TWICE",
        f"A model is named twice in the panel: {name}.",
        "A model has only one vote: name it once.",
    )


def keep_panel(
    settings: Settings, name: str, members: Sequence[str], profile: Profile, *, instead_of: str | None = None
) -> str:
    """Add a panel to the settings, which the caller saves, and return its name as stored. ``instead_of``: the panel
    that it replaces, also as the current judge. Raises ``UsageError`` (``E_PANEL_NAME`` also if another panel has the
    name, ``E_PANEL_TWICE`` also for one model under two names) and ``ModelError`` for a missing model."""
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST or not name.isprintable() or _names_a_model(name):
        why = "it is a model's, or too long" if name else "it is empty"
        raise UsageError("E_PANEL_NAME", f"{name!r} can't be a panel's name: {why}.", "Give it another name.")
    if name != instead_of and name in settings.panels:
        raise UsageError("E_PANEL_NAME", f"There is a panel “{name}” already.", "Give this one another name.")
    members = [_kept(member) for member in members]
    check_members(members)
    files = [resolve_model(member, profile) for member in members]
    for at, (member, file) in enumerate(zip(members, files, strict=True)):
        if any(_same(file, earlier) for earlier in files[:at]):
            raise twice(member)
    if instead_of in settings.panels:
        found = {name if old == instead_of else old: kept for old, kept in settings.panels.items()}
        settings.panels = {**found, name: members}
        if settings.model == instead_of:
            settings.model = name
    else:
        settings.panels = {**settings.panels, name: members}
    return name


def remove_panel(settings: Settings, name: str) -> None:
    """Remove a panel from the settings, which the caller saves; if it was the judge, the embedded model becomes the
    judge. Raises ``UsageError`` ``E_PANEL_NONE``."""
    if name not in settings.panels:
        raise no_panel()
    settings.panels = {each: members for each, members in settings.panels.items() if each != name}
    if settings.model == name:
        settings.model = None


def no_panel() -> UsageError:
    """Return the error for an unknown panel's name."""
    return UsageError("E_PANEL_NONE", "There is no panel of that name.", "jokejudge models panel list names them.")


def _same(one: ModelFile, other: ModelFile) -> bool:
    """Whether two files hold the same model, without reading them whole: by their hashes if both are known, else by
    samples of their content."""
    if one.sha256 is not None and other.sha256 is not None:
        return one.sha256 == other.sha256
    try:
        if one.path.samefile(other.path):
            return True
        with one.path.open("rb") as first, other.path.open("rb") as second:
            size = os.fstat(first.fileno()).st_size
            if size != os.fstat(second.fileno()).st_size:
                return False
            return all(
                first.seek(place) == second.seek(place) and first.read(_PART) == second.read(_PART)
                for place in range(0, size, max(_PART, size // _PARTS))
            )
    except OSError:
        return False  # an unreadable file is reported when it is loaded


def _names_a_model(name: str) -> bool:
    return name.casefold() == "embedded" or load_catalogue().find(name) is not None or _is_file(name)


def _kept(member: str) -> str:
    """Return a model's name, or its absolute path if it is a file."""
    path = expanded(member)
    return str(path.absolute()) if load_catalogue().find(member) is None and _is_file(member) else member


def _is_file(name: str) -> bool:
    path = expanded(name)
    return exists(path) and path.is_file()
