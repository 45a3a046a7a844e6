"""Paths of the program's own data and of the user's folders."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from .errors import SettingsError, UsageError

APP = "jokejudge"
_PACKAGE = Path(__file__).resolve().parents[1]


def _data_root() -> Path:
    """Return the folder that holds criteria/, models/ and resources/: that of the bundle, the wheel or the checkout."""
    bundle = getattr(sys, "_MEIPASS", None)
    for root in (Path(bundle) if bundle else None, _PACKAGE / "_data", _PACKAGE.parent):
        if root is not None and (root / "criteria").is_dir():
            return root
    return _PACKAGE.parent


def is_package() -> bool:
    """Whether the program runs from a package (.deb, .rpm, .tar.zst), which has no packaging/run.py and no pip."""
    return bool(getattr(sys, "frozen", False))


def _in_checkout() -> bool:
    return (_PACKAGE.parent / "packaging" / "run.py").is_file()


def how_to_mend(part: str = "") -> str:
    """Return the hint for repairing a damaged installation; ``part``: a package that pip can install alone."""
    if is_package():
        return "Install JokeJudge's package again."
    again = "Run python3 packaging/run.py again" if _in_checkout() else "Install JokeJudge with pip again"
    return f"{again}{f', or install {part} again' if part else ''}."


def how_to_compile() -> str:
    """Return the hint for building llama.cpp for this processor, which needs the program's source."""
    if not is_package() and not _in_checkout():
        return "Build llama.cpp for this computer: pip install 'jokejudge[compiled]'."
    where = " in the program's source" if is_package() else ""
    return f"Build llama.cpp for this computer: python3 packaging/run.py --compile{where}."


def how_to_add(extra: str) -> str:
    """Return the hint for installing an optional part; an installed package can't add one."""
    if is_package():
        return f"The package comes without it; started from its source (python3 packaging/run.py --{extra}) it has it."
    here = f"python3 packaging/run.py --setup-only --{extra}, or " if _in_checkout() and extra != "window" else ""
    return f"Run {here}pip install 'jokejudge[{extra}]'."


def criteria_dir() -> Path:
    """Return the folder of criteria, prompts and their schemas."""
    return _data_root() / "criteria"


def models_dir() -> Path:
    """Return the folder of the shipped catalogue, calibrations, audience heads and cards (no GGUF files)."""
    return _data_root() / "models"


def resources_dir() -> Path:
    """Return the folder of the font, icons and example jokes."""
    return _data_root() / "resources"


def expanded(name: str | Path) -> Path:
    """Return a path with ``~`` and ``~user`` expanded; unchanged if there is no such user. Never raises."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def exists(path: Path) -> bool:
    """Whether the path exists; False too for an impossible name (too long)."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


class _ProfilePath:
    """A path within one of a profile's folders."""

    def __init__(self, folder: str, name: str) -> None:
        self._folder, self._name = folder, name

    def __get__(self, profile: Profile, _kind: object = None) -> Path:
        folder: Path = getattr(profile, self._folder)
        return folder / self._name


@dataclass(frozen=True)
class Profile:
    """One user's folders. Nothing is created until something is written."""

    data: Path
    config: Path
    cache: Path

    @classmethod
    def default(cls) -> Profile:
        """Return the user's own folders. Raises ``SettingsError`` ``E_HOME`` if there is no home folder."""
        dirs = platformdirs.PlatformDirs(APP, appauthor=False)
        try:
            folders = dirs.user_data_path, dirs.user_config_path, dirs.user_cache_path
        except RuntimeError:  # some versions of platformdirs; others return "~/…" unexpanded
            folders = Path(), Path(), Path()
        if not all(folder.is_absolute() for folder in folders):
            hint = "Set HOME to a folder, or use --data-dir FOLDER."
            raise SettingsError("E_HOME", "This user has no home folder here.", hint)
        return cls(*folders)

    @classmethod
    def at(cls, folder: Path | str) -> Profile:
        """Return a temporary profile with everything under one folder (``--data-dir``). Raises ``UsageError`` for a
        name that no folder can have."""
        if not str(folder).strip() or "\0" in str(folder):
            raise UsageError("E_USAGE", "--data-dir needs the name of a folder.", "For instance: --data-dir ./profile")
        try:
            folder = expanded(folder).resolve()
        except (OSError, RuntimeError) as error:
            raise UsageError("E_USAGE", f"--data-dir can't be followed: {error}.", "Give another folder.") from error
        return cls(data=folder, config=folder, cache=folder / "cache")

    log = _ProfilePath("cache", "jokejudge.log")
    """The log of actions and errors, without the user's texts."""
    database = _ProfilePath("data", "history.sqlite3")
    typed = _ProfilePath("data", "drafts.json")
    """Texts typed in the window and not yet judged."""
    dismissed = _ProfilePath("data", "dismissed.json")
    """Edits that the user dismissed, by joke."""
    settings_file = _ProfilePath("config", "settings.json")
    criteria = _ProfilePath("data", "criteria")
    """The user's own criteria, which take precedence over the shipped ones."""
    models = _ProfilePath("data", "models")
    """GGUF files fetched or prepared by the program, and by model a folder of what was measured on this machine."""
    heads = _ProfilePath("data", "heads")
    """Audience heads fitted on this machine."""
    editor = _ProfilePath("data", "editor")
    """Editor's heads fitted on this machine, with their cards."""
    drafts = _ProfilePath("data", "drafts")
    """Draft heads fitted on this machine."""
    sense = _ProfilePath("data", "sense")
    """Sense heads fitted on this machine, with their cards; a card alone for a head that wasn't good enough to keep."""
    texts_read = _ProfilePath("cache", "fitting")
    """Features of texts read while a head is fitted; may be deleted at any time."""
    cards = _ProfilePath("data", "cards")
    """Trust cards of the audience heads."""
    states = _ProfilePath("cache", "states")
    """Saved state of constant prefixes; may be deleted at any time."""
