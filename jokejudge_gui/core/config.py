"""The user's settings, each with its type, default and meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from .errors import SettingsError
from .files import atomic_write, read_json
from .paths import Profile

JOINED = " + "
"""Between the names of several models that judge together."""


class Settings(BaseModel):
    """The settings that a user can change. Unknown keys of a newer program are kept.

    The options of one call (``for_this_call``) take precedence; only changes that the user makes in the program are
    saved."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    model: str | None = Field(
        None, description="Path or catalogue name of the model, several joined by ' + '; none: the embedded one"
    )
    mode: Literal["quick", "deep"] = Field("quick", description="How a joke is rated")
    deep_branches: int = Field(48, ge=0, le=1000, description="Deep mode: most further readings of what is in doubt")
    ask_everything: bool = Field(False, description="Ask the model every question, whatever its answers are worth")
    explain: bool = Field(True, description="Write a short explanation after the scores")
    threads: int = Field(0, ge=0, le=256, description="Threads for the model; 0: physical cores")
    jobs: int = Field(0, ge=0, le=256, description="Processes that read a list; 0: as many as are useful")
    context: int = Field(4096, ge=1024, le=131072, description="Context size in tokens")
    seed: int = Field(1, ge=0, le=2**31 - 1, description="Seed of generated text")
    state_cache_bytes: int = Field(2 * 10**9, ge=0, description="Most that saved prefix states may take on disk")
    theme: Literal["system", "light", "dark"] = Field("system", description="Colours of the window")
    text_scale: float = Field(1.0, ge=0.8, le=2.0, description="Size of the window's text")
    listeners: list[str] = Field([], max_length=24, description="Who else is asked whether they would laugh")
    history_open: bool = Field(True, description="History pane unfolded")
    use_taste: bool = Field(True, description="Ask for votes, and show the user's own taste beside verdicts")
    contest_top: int = Field(3, ge=1, description="How many of the best a contest in the window is to find")
    contest_rounds: int | None = Field(
        None, ge=0, le=20, description="Rounds in which such a contest's jokes are scored; none: what is worth it"
    )
    contest_duels: int | None = Field(None, ge=0, description="Most duels of such a contest; none: what is worth it")
    batch_history: bool = Field(False, description="Keep the verdicts of batches in the history, too")

    _read: dict[str, Any] = PrivateAttr(default_factory=dict)  # the file's values
    _given: dict[str, Any] = PrivateAttr(default_factory=dict)  # the options of this call

    def for_this_call(self, **given: Any) -> Settings:
        """Return a copy with the options of one call set; they are not saved unless the user changes them. None: not
        given. Raises ``ValidationError``."""
        copy = self.model_copy()
        options = {name: value for name, value in given.items() if value is not None}
        for name, value in options.items():
            setattr(copy, name, value)
        copy._given = {**self._given, **options}
        return copy

    def changed(self) -> dict[str, Any]:
        """Return the values set since the file was read, without the options of this call."""
        values = {name: getattr(self, name) for name in self.model_fields_set}
        fixed = [*self._read.items(), *self._given.items()]
        return {name: value for name, value in values.items() if (name, value) not in fixed}


def load_settings(path: Path | Profile) -> Settings:
    """Read the settings from a JSON file; defaults where there is none. Raises ``SettingsError``, which names the file,
    for a damaged one."""
    file = _file(path)
    try:
        settings = Settings.model_validate(read_json(file))
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        sentence = f"The settings file {file} can't be read: {error.strerror or error}."
        raise SettingsError("E_SETTINGS_READ", sentence, "Check the file, or move it away.") from error
    except ValueError as error:
        sentence = f"The settings file {file} is damaged ({str(error).splitlines()[0]})."
        hint = "Correct it, or move it away to start with the defaults."
        raise SettingsError("E_SETTINGS_DAMAGED", sentence, hint) from error
    settings._read = {name: getattr(settings, name) for name in settings.model_fields_set}
    return settings


def save_settings(settings: Settings, path: Path | Profile) -> None:
    """Merge the changed values into the file atomically: values that another window or command set since are kept. A
    damaged file is replaced. Raises ``SettingsError`` ``E_WRITE``."""
    file = _file(path)
    try:
        content = read_json(file)
        Settings.model_validate(content)
    except (OSError, ValueError):
        content = {}
    changed = settings.changed()
    atomic_write(file, json.dumps({**content, **changed}, indent=2) + "\n")
    settings._read |= changed
    for name in changed:
        settings._given.pop(name, None)


def _file(path: Path | Profile) -> Path:
    return path.settings_file if isinstance(path, Profile) else path
