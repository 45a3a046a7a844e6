"""Where things lie: the program's own data, and the user's folders."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

APP = "jokejudge"
_PACKAGE = Path(__file__).resolve().parent


def _data_root() -> Path:
    """The folder that holds criteria/, models/ and resources/: bundle, wheel or checkout."""
    bundle = getattr(sys, "_MEIPASS", None)
    for root in (Path(bundle) if bundle else None, _PACKAGE / "_data", _PACKAGE.parent):
        if root is not None and (root / "criteria").is_dir():
            return root
    return _PACKAGE.parent


def criteria_dir() -> Path:
    """Criteria, prompts and their schemas."""
    return _data_root() / "criteria"


def models_dir() -> Path:
    """Catalogue, calibrations, audience heads and cards that the program ships (no GGUF files)."""
    return _data_root() / "models"


def resources_dir() -> Path:
    """Font, icons and example jokes."""
    return _data_root() / "resources"


@dataclass(frozen=True)
class Profile:
    """One user's folders. Nothing is created until something is written."""

    data: Path
    config: Path
    cache: Path

    @classmethod
    def default(cls) -> Profile:
        return cls(
            data=platformdirs.user_data_path(APP, appauthor=False),
            config=platformdirs.user_config_path(APP, appauthor=False),
            cache=platformdirs.user_cache_path(APP, appauthor=False),
        )

    @classmethod
    def at(cls, folder: Path) -> Profile:
        """A throw-away profile: everything under one folder (``--data-dir``)."""
        folder = folder.expanduser().resolve()
        return cls(data=folder, config=folder, cache=folder / "cache")

    @property
    def database(self) -> Path:
        return self.data / "history.sqlite3"

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.json"

    @property
    def models(self) -> Path:
        """GGUF files fetched or prepared by the program."""
        return self.data / "models"

    @property
    def calibrations(self) -> Path:
        """Per-model measurements made on this machine."""
        return self.data / "calibrations"

    @property
    def heads(self) -> Path:
        """Audience heads fitted on this machine."""
        return self.data / "heads"

    @property
    def cards(self) -> Path:
        """Trust cards of those heads."""
        return self.data / "cards"

    @property
    def evaluations(self) -> Path:
        """What was measured on the user's own labelled files."""
        return self.data / "evaluations"

    @property
    def states(self) -> Path:
        """Saved state of constant prefixes; may be deleted at any time."""
        return self.cache / "states"
