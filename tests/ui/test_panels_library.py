"""Panels in the library: made, changed, chosen as the judge and removed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from driving import LONG, Open, rate
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings, load_settings
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.panels import PanelDialog, PanelsCard
from jokejudge_gui.ui.main_window import MainWindow
from tests.fake_engine import FakeEngine
from tests.gguf_builder import gguf

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two models that the library finds, and the embedded one in name only: making it takes seconds."""
    embedded = tmp_path / "embedded.gguf"
    embedded.write_bytes(gguf())
    monkeypatch.setattr("jokejudge_gui.library.finder.ensure_embedded", lambda _profile, _progress=None: embedded)
    found = []
    for name in ("alpha", "beta"):
        path = tmp_path / f"{name}.gguf"
        path.write_bytes(gguf() + name.encode())
        found.append(FoundModel(path, name.title(), "llama.cpp", path.stat().st_size))
    monkeypatch.setattr(library, "find_models", lambda _profile: found)
    return [str(model.path) for model in found]


def named(_file: object, settings: Settings, _cancel: object) -> FakeEngine:
    name = Path(settings.model or "single").stem
    return FakeEngine(name=name, sha256=hashlib.sha256(name.encode()).hexdigest())


def card_of(window: MainWindow, qtbot: QtBot) -> PanelsCard:
    window.models.open_library()
    dialog = window.models.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: bool(dialog.found_rows), timeout=LONG)
    return dialog.panels


def asked(card: PanelsCard) -> PanelDialog:
    assert card.dialog is not None
    return card.dialog


def make(card: PanelsCard, name: str, *places: int) -> None:
    card.new_button.click()
    dialog = asked(card)
    dialog.field.setText(name)
    for place in places:
        dialog.chips[place].click()
    dialog.save_button.click()


def button(card: PanelsCard, name: str) -> QPushButton:
    return next(each for each in card.findChildren(QPushButton) if each.accessibleName() == name)


def test_a_panel_is_made_and_judges(open_window: Open, qtbot: QtBot, models: list[str]) -> None:
    window = open_window(named)
    card = card_of(window, qtbot)
    make(card, "  Friday   jury ", 1, 2)
    assert card.dialog is None
    saved = load_settings(window.session.profile)
    assert saved.panels == window.settings.panels == {"Friday jury": models}
    button(card, "Use the panel Friday jury").click()
    qtbot.waitUntil(lambda: window.settings.model == "Friday jury", timeout=LONG)
    assert window.models.button.accessibleName().startswith("Model: Friday jury (alpha + beta)")
    assert card.rows[0].use.isHidden()
    assert "In use" in card.rows[0].models.text()
    assert window.models.dialog is not None
    window.models.dialog.accept()
    rate(qtbot, window, "I bought shoes from a drug dealer. I was tripping all day.")
    result = window.by_kind["rate"].state.result
    assert result is not None
    assert result.panel is not None
    assert [member.model.name for member in result.panel.members] == ["alpha", "beta"]


def test_what_is_wrong_is_said_in_the_dialog_and_can_be_mended(
    open_window: Open, qtbot: QtBot, models: list[str]
) -> None:
    window = open_window(named)
    card = card_of(window, qtbot)
    make(card, "", 1, 2)
    dialog = asked(card)
    assert "it is empty" in dialog.note.text()
    dialog.field.setText("Embedded")
    dialog.save_button.click()
    assert "a model's" in dialog.note.text()
    dialog.field.setText("both")
    dialog.chips[2].click()
    dialog.save_button.click()
    assert "two to eight models; here are one" in dialog.note.text()
    dialog.chips[2].click()
    dialog.save_button.click()
    assert window.settings.panels == {"both": models}
    make(card, "both", 0, 1)
    assert "a panel “both” already" in asked(card).note.text()
    asked(card).reject()
    assert window.settings.panels == {"both": models}


def test_a_panel_in_use_is_renamed_and_removed(open_window: Open, qtbot: QtBot, models: list[str]) -> None:
    window = open_window(named)
    card = card_of(window, qtbot)
    make(card, "both", 1, 2)
    make(card, "three", 0, 1, 2)
    button(card, "Use the panel both").click()
    qtbot.waitUntil(lambda: window.settings.model == "both", timeout=LONG)
    button(card, "Change the panel both").click()
    asked(card).field.setText("pair")
    asked(card).save_button.click()
    assert list(window.settings.panels) == ["pair", "three"]
    assert window.settings.model == load_settings(window.session.profile).model == "pair"
    assert window.session.settings.panels["pair"] == models
    button(card, "Remove the panel pair").click()
    assert list(load_settings(window.session.profile).panels) == ["three"]
    qtbot.waitUntil(lambda: window.session.judge is not None, timeout=LONG)
    assert [row.name for row in card.rows] == ["three"]
