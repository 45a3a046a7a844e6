"""The Trust tab audits the model in use: progress, Stop, verdicts first; the audit is a row that opens again."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.engine.fake_engine import FakeEngine
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judging.main_judge import MainJudge
from jokejudge_gui.judging.plan.calibration_files import CalibrationFiles
from jokejudge_gui.ui.frame.main_window import MainWindow
from jokejudge_gui.ui.trust.audit_card import AGAIN, BEGIN, GO_ON, STOP, AuditCard
from tests.known_calibration import known
from tests.planted_judges import answers, cases, emoji_lover

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    rows = [f'"{case.text_a}","{case.text_b}",{case.winner}' for case in cases(12)]
    path.write_text("\n".join(["text_a,text_b,winner", *rows]) + "\n", encoding="utf-8")
    return path


def opened(open_window: Open, qtbot: QtBot) -> tuple[MainWindow, AuditCard]:
    def load(_file: object, _settings: object, _cancel: object) -> FakeEngine:
        return FakeEngine(answers(emoji_lover))

    window = open_window(load)
    files = CalibrationFiles(Path("nowhere"), window.session.profile.calibrations)
    files.save(known(MainJudge(FakeEngine(), files)))
    window.show_tab("trust")
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    return window, window.trust_tab.audit.card


def press(qtbot: QtBot, card: AuditCard) -> None:
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)


def test_a_model_is_audited_and_its_audit_opens_from_the_history(open_window: Open, qtbot: QtBot, pairs: Path) -> None:
    window, card = opened(open_window, qtbot)
    auditor = window.trust_tab.audit.auditor
    assert card.button.text() == BEGIN
    assert "hasn't been audited" in card.text.text()
    auditor.start(pairs)
    assert card.button.text() == STOP
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert card.button.text() == AGAIN
    assert "strongly moved by sentiment" in card.text.text()
    assert "Sentiment: Emoji" in card.table.accessibleDescription()
    (row,) = window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))
    window.show_tab("rate")
    window.open_verdict(row.id)
    assert window.trust_tab.isVisible()
    assert "strongly moved by sentiment" in card.text.text()


def test_a_stopped_audit_leaves_no_row_and_goes_on(open_window: Open, qtbot: QtBot, pairs: Path) -> None:
    window, card = opened(open_window, qtbot)
    auditor = window.trust_tab.audit.auditor
    auditor.start(pairs)
    qtbot.waitUntil(lambda: auditor.phase == "running", timeout=LONG)
    press(qtbot, card)
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert card.button.text() == GO_ON
    assert window.session.store.search(HistoryQuery(kinds=("audit",), limit=5)) == []
    press(qtbot, card)
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert len(window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))) == 1


def test_a_verdict_goes_first_and_the_audit_goes_on_behind_it(open_window: Open, qtbot: QtBot, pairs: Path) -> None:
    window, _ = opened(open_window, qtbot)
    auditor = window.trust_tab.audit.auditor
    auditor.start(pairs)
    qtbot.waitUntil(lambda: auditor.phase == "running", timeout=LONG)
    window.runs.ask("rate", {"text": "I used to be a banker, but I lost interest."})
    jobs = [job.name for job in window.worker.jobs]
    assert jobs[-1] == "rate"
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    rows = window.session.store.search(HistoryQuery(limit=5))
    assert [row.kind for row in rows] == ["audit", "rate"]
