"""Judge templates in the Trust tab: rows are read, judged, counted by module and looked through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driving import LONG, Gate, Open, gated
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.rubric.templates import find_pack
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust import templates as templates_run
from jokejudge_gui.ui.trust.templates import TemplatesCard
from jokejudge_gui.ui.widgets.text import Paragraph

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Two sound rows, a wrong one, and one of no module."""
    path = tmp_path / "rows.jsonl"
    module = find_pack("seeds").module("M01")
    assert module is not None
    case = module.cases[0]
    base = {"module": "M01", "input": case.input, "expected": case.expected, "reasoning": ""}
    made = [
        {"id": "sound", "output": case.output, **base},
        {"id": "wrong", "output": ["Trailfox", "shop", "gear"], **base},
        {"id": "stray", "output": ["x"], **base, "module": "M99"},
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in made))
    return path


def card_of(qtbot: QtBot, window: MainWindow, rows: Path) -> TemplatesCard:
    window.show_tab("trust")
    card = window.trust_tab.templates
    card.run.choose(rows)
    qtbot.waitUntil(lambda: card.run.phase == "ready", timeout=LONG)
    return card


def said(card: TemplatesCard) -> str:
    return "\n".join(part.text() for part in card.browser.parts.findChildren(Paragraph))


def test_rows_are_judged_counted_and_looked_through(
    open_window: Open, qtbot: QtBot, settings: Settings, rows: Path
) -> None:
    settings.batch_history = True
    window = open_window()
    card = card_of(qtbot, window, rows)
    assert "rows.jsonl: 3 rows; 1 of them can't be judged" in card.note.text()
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.run.results is not None, timeout=LONG)
    assert "M01" in card.table.accessibleDescription()
    assert "1 failed" in card.table.accessibleDescription()
    assert card.browser.choice.options[0] == "Failed (1)"
    assert "wrong" in card.browser.heading.text()
    assert "Broken: Include Original Brand" in said(card)
    card.browser.choice.choose(card.browser.choice.options.index("Not judged (1)"))
    assert "no module 'M99'" in said(card)
    window.pane.refresh()
    qtbot.waitUntil(lambda: len(window.pane.model.rows()) == 2, timeout=LONG)


def test_a_run_is_stopped_and_goes_on(open_window: Open, qtbot: QtBot, rows: Path) -> None:
    gate = Gate()
    window = open_window(gated(gate))
    card = card_of(qtbot, window, rows)
    gate.closed.set()
    card.button.click()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    card.button.click()
    gate.opened.set()
    qtbot.waitUntil(lambda: card.run.phase == "stopped", timeout=LONG)
    assert card.button.text() == "Go on"
    gate.closed.clear()
    card.button.click()
    qtbot.waitUntil(lambda: card.run.phase == "idle" and card.run.results is not None, timeout=LONG)
    assert card.run.results is not None
    assert len(card.run.results) == 3


def test_a_pack_that_is_damaged_is_said_and_another_can_be_chosen(
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


def test_rows_of_the_programs_own_stages_are_made_stopped_and_judged(
    open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates_run, "_READINGS", 2)
    gate = Gate()
    window = open_window(gated(gate))
    window.show_tab("trust")
    card = window.trust_tab.templates
    assert card.own.isHidden()
    card.pack.choose(1)
    assert not card.own.isHidden()
    gate.closed.set()
    card.own.click()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    card.button.click()
    gate.closed.clear()
    gate.opened.set()
    qtbot.waitUntil(lambda: card.run.phase == "stopped", timeout=LONG)
    assert card.button.text() == "Go on"
    card.button.click()
    qtbot.waitUntil(lambda: card.run.phase == "ready", timeout=LONG)
    assert card.run.read is not None
    assert card.run.read.count > 2
    assert card.button.text() == "Judge the rows"
    card.button.click()
    qtbot.waitUntil(lambda: card.run.results is not None, timeout=LONG)
    assert card.run.results is not None
    assert len(card.run.results) == card.run.read.count


def test_a_stored_template_verdict_is_shown(open_window: Open, qtbot: QtBot, settings: Settings, rows: Path) -> None:
    settings.batch_history = True
    window = open_window()
    card = card_of(qtbot, window, rows)
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.run.results is not None, timeout=LONG)
    window.show_tab("rate")
    stored = window.session.store.search(HistoryQuery())[0]
    window.open_verdict(stored.id)
    assert window.stack.currentWidget() is window.trust_tab
    assert card.browser.where.text() == "From the history"
    assert not card.browser.after.isVisibleTo(card)
    assert "of 40" in said(card)
