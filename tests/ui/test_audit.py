"""The Trust tab audits the model in use: progress, Stop, verdicts first; the audit is a row that opens again."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.audit.kind import AUDIT
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.runs import GO_ON, STOP
from jokejudge_gui.ui.trust.works import BEGIN, AuditCard
from jokejudge_gui.ui.widgets.page import PageDialog
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.planted_judges import answers, cases, emoji_lover

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    rows = [f'"{case.text_a}","{case.text_b}",{case.winner}' for case in cases(8)]
    path.write_text("\n".join(["text_a,text_b,winner", *rows]) + "\n", encoding="utf-8")
    return path


def opened(open_window: Open, qtbot: QtBot) -> tuple[MainWindow, AuditCard]:
    def load(_file: object, _settings: object, _cancel: object) -> FakeEngine:
        return FakeEngine(answers(emoji_lover))

    window = open_window(load)
    files = MeasuredFiles(Path("nowhere"), window.session.profile.models)
    files.save_calibration(known(MainJudge(FakeEngine(), files)))
    window.show_tab("trust")
    window.trust_tab.open_researchers()
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    return window, window.trust_tab.audit


def press(qtbot: QtBot, card: AuditCard) -> None:
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)


def test_a_model_is_audited_and_its_audit_opens_from_the_history(open_window: Open, qtbot: QtBot, pairs: Path) -> None:
    window, card = opened(open_window, qtbot)
    report = window.trust_tab.pages
    assert card.button.text() == BEGIN
    assert "hasn't been audited" in report.text()
    card.start(pairs)
    assert card.button.text() == STOP
    qtbot.waitUntil(lambda: not card.live, timeout=LONG)
    assert "Moved strongly by sentiment" in report.text() or "strongly moved by sentiment" in report.text()
    (row,) = window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))
    window.show_tab("rate")
    window.open_verdict(row.id)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, PageDialog)
    assert "strongly moved by sentiment" in dialog.view.text()
    dialog.close()


def test_ten_thousand_pairs_are_refused_in_a_sentence(
    open_window: Open, qtbot: QtBot, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, card = opened(open_window, qtbot)
    rows = (f"joke {n} of the first kind,joke {n} of the second,A" for n in range(10_000))
    many = pairs.with_name("many.csv")
    many.write_text("\n".join(["text_a,text_b,winner", *rows]) + "\n", encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(many), ""))
    qtbot.mouseClick(card.own_link, Qt.MouseButton.LeftButton)
    auditor = window.trust_tab.audit
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert card.note.text().startswith("10,000 pairs were given; at most 2,000 can be audited at once. Give fewer")
    assert card.button.text() == BEGIN
    assert window.session.store.search(HistoryQuery(kinds=("audit",), limit=5)) == []
    auditor.start(pairs)
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert len(window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))) == 1


def test_a_stopped_audit_leaves_no_row_and_goes_on(open_window: Open, qtbot: QtBot, pairs: Path) -> None:
    window, card = opened(open_window, qtbot)
    auditor = window.trust_tab.audit
    auditor.start(pairs)
    qtbot.waitUntil(lambda: auditor.phase == "running", timeout=LONG)
    press(qtbot, card)
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert card.button.text() == GO_ON
    assert window.session.store.search(HistoryQuery(kinds=("audit",), limit=5)) == []
    press(qtbot, card)
    window.show_tab("rate")
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert window.notices.text == "What moves it though it shouldn't: done."
    assert window.windowTitle() == "JokeJudge"
    assert len(window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))) == 1


def test_an_audit_is_asked_for_as_set_and_again_as_it_was(open_window: Open, qtbot: QtBot, pairs: Path) -> None:
    window, _card = opened(open_window, qtbot)
    window.settings.seed, window.settings.ask_everything = 9, True
    auditor = window.trust_tab.audit
    auditor.start(pairs)
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    (row,) = window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))
    window.settings.seed, window.settings.ask_everything = 1, False
    window.verdicts.run_again(row.id)
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    again, first = window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))
    requests = []
    for each in (first, again):
        result = window.session.store.get(each.id).result
        assert result is not None
        requests.append(AUDIT.request_of(result))
    assert first.id == row.id
    assert requests[0] == requests[1]
    assert (requests[0].seed, requests[0].ask, len(requests[0].cases)) == (9, "all", 8)
