"""Where things lie: the program's own data, and the user's folders."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from .errors import SettingsError, UsageError
from .files import keep_private

APP = "jokejudge"
_PACKAGE = Path(__file__).resolve().parents[1]


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


def expanded(name: str | Path) -> Path:
    """A path that a person wrote, ``~`` and ``~user`` put in; as it is where there is no such user. Raises nothing."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def exists(path: Path) -> bool:
    """Whether there is something of this name; False too where there can't be (a name that is too long)."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


@dataclass(frozen=True)
class Profile:
    """One user's folders. Nothing is created until something is written."""

    data: Path
    config: Path
    cache: Path

    @classmethod
    def default(cls) -> Profile:
        """The user's own folders. Raises ``SettingsError`` ``E_HOME`` where there's no home folder to find them in."""
        nowhere = SettingsError(
            "E_HOME", "This user has no home folder here.", "Set HOME to a folder, or use --data-dir FOLDER."
        )
        try:
            found = cls(
                data=platformdirs.user_data_path(APP, appauthor=False),
                config=platformdirs.user_config_path(APP, appauthor=False),
                cache=platformdirs.user_cache_path(APP, appauthor=False),
            )
        except RuntimeError as error:  # some versions of platformdirs; others give "~/…" as it stands
            raise nowhere from error
        if not all(folder.is_absolute() for folder in (found.data, found.config, found.cache)):
            raise nowhere
        return found

    @classmethod
    def at(cls, folder: Path | str) -> Profile:
        """A throw-away profile: everything under one folder (``--data-dir``). Raises ``UsageError`` for a name that no
        folder can have."""
        if not str(folder).strip() or "\0" in str(folder):
            raise UsageError("E_USAGE", "--data-dir needs the name of a folder.", "For instance: --data-dir ./profile")
        try:
            folder = expanded(folder).resolve()
        except (OSError, RuntimeError) as error:
            raise UsageError("E_USAGE", f"--data-dir can't be followed: {error}.", "Give another folder.") from error
        return cls(data=folder, config=folder, cache=folder / "cache")

    def tighten(self) -> None:
        """Take from other users what an earlier version let them read. A folder that may hold other things than the
        program's (``--data-dir``) keeps its mode; its files don't."""
        keep_private(*(folder for folder in (self.data, self.config, self.cache) if folder.name == APP))
        keep_private(*self.data.glob("history*"), *self.data.glob("*.json"), *self.config.glob("*.json"))
        keep_private(self.evaluations, *self.evaluations.glob("*.json*"), *self.cards.glob("*.json"))
        keep_private(self.own_scores, *self.own_scores.glob("*.json"))

    @property
    def log(self) -> Path:
        """What the program did and what went wrong, without the user's texts."""
        return self.cache / "jokejudge.log"

    @property
    def database(self) -> Path:
        return self.data / "history.sqlite3"

    @property
    def typed(self) -> Path:
        """What was typed in the window and not yet judged."""
        return self.data / "drafts.json"

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.json"

    @property
    def criteria(self) -> Path:
        """The user's own criteria, which lie over those that ship."""
        return self.data / "criteria"

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
    def editor(self) -> Path:
        """Editor's heads fitted on this machine, with their cards."""
        return self.data / "editor"

    @property
    def drafts(self) -> Path:
        """Draft heads fitted on this machine."""
        return self.data / "drafts"

    @property
    def plans(self) -> Path:
        """What asking models was measured to be worth on this machine."""
        return self.data / "plans"

    @property
    def listeners(self) -> Path:
        """Which listeners models tell apart, as measured on this machine."""
        return self.data / "listeners"

    @property
    def deep(self) -> Path:
        """What Deep was measured to be worth beside Quick on this machine, by model."""
        return self.data / "deep"

    @property
    def audits(self) -> Path:
        """The newest whole audit of each model that was audited on this machine."""
        return self.data / "audits"

    @property
    def texts_read(self) -> Path:
        """What was read of texts while heads are fitted, until they are; may be deleted at any time."""
        return self.cache / "fitting"

    @property
    def cards(self) -> Path:
        """Trust cards of those heads."""
        return self.data / "cards"

    @property
    def evaluations(self) -> Path:
        """What was measured on the user's own labelled files."""
        return self.data / "evaluations"

    @property
    def templates(self) -> Path:
        """What models can tell of judge templates' rules, and the window's runs over them."""
        return self.data / "templates"

    @property
    def own_scores(self) -> Path:
        """What the user scored of jokes, to learn what chance a joke has with them; without the texts."""
        return self.data / "own_scores"

    @property
    def states(self) -> Path:
        """Saved state of constant prefixes; may be deleted at any time."""
        return self.cache / "states"
