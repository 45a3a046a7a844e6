"""Judge templates in the Trust tab: rows are read, judged and counted by module."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.audit import TemplatesCard
from tests.template_engine import row

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A sound row, a wrong one, and one of no module."""
    path = tmp_path / "rows.jsonl"
    made = [row(id="sound"), row(id="wrong", output=["Trailfox", "shop", "gear"]), row(id="stray", module="M99")]
    path.write_text("".join(json.dumps(one) + "\n" for one in made))
    return path


def card_of(qtbot: QtBot, window: MainWindow, rows: Path) -> TemplatesCard:
    window.show_tab("trust")
    card = window.trust_tab.templates
    card.choose(rows)
    qtbot.waitUntil(lambda: card.run.phase == "ready", timeout=LONG)
    return card


def test_rows_are_judged_counted_and_shown_from_the_history(
    open_window: Open, qtbot: QtBot, settings: Settings, rows: Path
) -> None:
    settings.batch_history = True
    window = open_window()
    card = card_of(qtbot, window, rows)
    assert "rows.jsonl: 3 rows; 1 of them can't be judged" in card.note.text()
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(card.table.tables), timeout=LONG)
    assert "M01 2" in card.table.accessibleDescription()
    window.show_tab("rate")
    window.open_verdict(window.session.store.search(HistoryQuery())[0].id)
    assert window.stack.currentWidget() is window.trust_tab
    assert "of 40" in card.stored.rows.text()


def test_a_damaged_pack_is_named_and_another_can_be_chosen(
    open_window: Open, qtbot: QtBot, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.xml"
    own.write_text("<pack>")
    window = open_window()
    card = card_of(qtbot, window, rows)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(own), ""))
    card.pack.choose(len(card.pack.options) - 1)
    qtbot.waitUntil(lambda: card.run.phase == "failed", timeout=LONG)
    assert "own.xml" in card.note.text()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(rows), ""))
    card.pack.choose(0)
    card.button.click()
    qtbot.waitUntil(lambda: card.run.phase == "ready", timeout=LONG)
