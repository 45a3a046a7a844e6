"""Settings: what the user changes is saved, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.core.config import load_settings, save_settings
from jokejudge_gui.core.errors import SettingsError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def test_options_of_one_call_are_not_saved(file: Path) -> None:
    file.write_text('{"threads": 3, "theme": "dark"}')
    settings = load_settings(file).for_this_call(model="X", threads=1, explain=False, mode=None)
    assert (settings.model, settings.threads, settings.explain, settings.mode) == ("X", 1, False, "quick")
    settings.history_open = False
    save_settings(settings, file)
    assert json.loads(file.read_text()) == {"threads": 3, "theme": "dark", "history_open": False}


def test_what_another_window_saved_meanwhile_stays(file: Path) -> None:
    one, other = load_settings(file), load_settings(file)
    one.theme = "dark"
    save_settings(one, file)
    other.use_taste = False
    save_settings(other, file)
    found = load_settings(file)
    assert (found.theme, found.use_taste) == ("dark", False)


def test_a_setting_changed_back_is_saved_too(file: Path) -> None:
    settings = load_settings(file)
    for theme in ("dark", "system"):
        settings.theme = theme  # type: ignore[assignment]
        save_settings(settings, file)
    assert load_settings(file).theme == "system"


def test_keys_of_a_newer_program_stay(file: Path) -> None:
    file.write_text('{"newer": [1], "seed": 5}')
    settings = load_settings(file)
    settings.seed = 6
    save_settings(settings, file)
    assert json.loads(file.read_text()) == {"newer": [1], "seed": 6}


@pytest.mark.parametrize("content", ["{", "[" * 50_000, "[]", '{"threads": "many"}', '{"text_scale": NaN}', "\x00"])
def test_a_damaged_file_is_a_sentence_that_names_it(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(SettingsError) as caught:
        load_settings(file)
    assert caught.value.code == "E_SETTINGS_DAMAGED"
    assert str(file) in caught.value.sentence
