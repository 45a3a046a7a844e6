"""Settings: type, default and meaning of each in one place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .errors import SettingsError
from .files import atomic_write
from .paths import Profile


class Settings(BaseModel):
    """What a user can set. Unknown keys of a newer program are kept."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    model: str | None = Field(None, description="Path or catalogue name of the model; none: the embedded one")
    mode: Literal["quick", "deep"] = Field("quick", description="How a joke is rated")
    explain: bool = Field(True, description="Write a short explanation after the scores")
    threads: int = Field(0, ge=0, le=256, description="Threads for the model; 0: physical cores")
    context: int = Field(4096, ge=1024, le=131072, description="Context size in tokens")
    seed: int = Field(1, ge=0, le=2**31 - 1, description="Seed of generated text")
    state_cache_bytes: int = Field(2 * 10**9, ge=0, description="Most that saved prefix states may take on disk")
    theme: Literal["system", "light", "dark"] = Field("system", description="Colours of the window")
    text_scale: float = Field(1.0, ge=0.8, le=2.0, description="Size of the window's text")
    reduced_motion: bool = Field(False, description="No animation")
    history_open: bool = Field(True, description="History pane unfolded")
    use_taste: bool = Field(True, description="Ask for votes, and show the user's own taste beside verdicts")
    batch_no_history: bool = Field(False, description="Batches leave no rows in the history")


def load_settings(path: Path | Profile) -> Settings:
    """Settings from a JSON file; defaults where there is none. A damaged file is an error that names it."""
    file = path.settings_file if isinstance(path, Profile) else path
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            "E_SETTINGS_READ", f"The settings file {file} can't be read: {error}.", "Check the file, or move it away."
        ) from error
    try:
        return Settings.model_validate(json.loads(text))
    except (json.JSONDecodeError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise SettingsError(
            "E_SETTINGS_DAMAGED",
            f"The settings file {file} is damaged ({first}).",
            "Mend it, or move it away to start with the defaults.",
        ) from error


def save_settings(settings: Settings, path: Path | Profile) -> None:
    """Write the settings in one step."""
    file = path.settings_file if isinstance(path, Profile) else path
    atomic_write(file, settings.model_dump_json(indent=2) + "\n")
