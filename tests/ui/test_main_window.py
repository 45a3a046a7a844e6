"""The window whole: its history, settings, room, errors and its end."""

from __future__ import annotations

from pathlib import Path

import canned
import canned_profile
import pytest
from contest_driving import contest
from driving import LONG, Open, held_rating, rate
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import load_settings
from jokejudge_gui.core.errors import ErrorInfo, HistoryError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui import crash
from jokejudge_gui.ui.app import Desktop
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.settings import SettingsDialog
from tests.fake_engine import FakeEngine

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def test_each_tab_shows_its_last_verdict_at_the_next_start(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.models.lose(ErrorInfo(code="E_MODEL_MISSING", sentence="It is gone."))
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.stack.currentWidget() is window.by_kind["duel"]
    assert window.by_kind["duel"].failed.isVisible()
    canned_profile.record(window.session.store, contest())
    assert window.verdicts.open("c1")
    qtbot.waitUntil(lambda: window.tabs.current() == "contest", timeout=LONG)
    assert window.by_kind["contest"].state.id == "c1"
    window.close()
    again = open_window()
    assert again.tabs.current() == "contest"
    assert again.by_kind["contest"].state.id == "c1"
    again.show_tab("rate")
    again.close()
    third = open_window()
    qtbot.waitUntil(lambda: third.by_kind["contest"].state.id == "c1", timeout=LONG)


def test_star_note_and_tags_are_kept(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    rate(qtbot, window, canned.PARALLEL)
    identity = window.pane.model.rows()[0].id
    window.by_kind["rate"].bar.star_button.click()
    assert window.session.store.get(identity).row.starred
    assert window.pane.model.rows()[0].starred
    window.verdicts.edit_note(window.by_kind["rate"].state.id)
    dialog = QApplication.activeModalWidget()
    dialog.editor.setPlainText("For the opener")
    dialog.tags_field.setText("set")
    dialog.save_button.click()
    row = window.session.store.get(identity).row
    assert (row.note, row.tags) == ("For the opener", ("set",))
    assert window.by_kind["rate"].note.text.text() == "For the opener"


def test_a_deleted_verdict_has_no_actions_until_it_is_brought_back(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    rate(qtbot, window, canned.PARALLEL)
    tab = window.by_kind["rate"]
    assert tab.bar.isVisible()
    window.pane.delete_rows(window.pane.model.rows())
    assert not tab.bar.isVisible()
    assert tab.stale_line.isVisible()
    assert tab.stale_line.text.text() == "This verdict was deleted."
    window.undo()
    assert tab.bar.isVisible()
    assert not tab.stale_line.isVisible()
    window.session.store.delete([window.pane.model.rows()[0].id])  # by another window
    window.pane.model.refresh_if_changed()
    assert not tab.bar.isVisible()
    rate(qtbot, window, canned.GRAVITY)
    assert tab.bar.isVisible()


def test_a_verdict_is_copied_as_text(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.by_kind["rate"].open(canned.entry(canned.rating()))
    window.verdicts.copy(window.tabs.current())
    text = QGuiApplication.clipboard().text()
    assert text.startswith(canned.PARALLEL)
    assert "Wordplay: 4.7 of 5" in text


def test_an_export_is_announced_and_a_failed_one_says_why(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    rate(qtbot, window, canned.PARALLEL)
    targets = iter([tmp_path / "out.md", tmp_path / "out.md" / "below.md"])
    monkeypatch.setattr("jokejudge_gui.ui.verdict.verdicts.ask_export", lambda _parent: next(targets))
    window.by_kind["rate"].bar.export_asked.emit()
    qtbot.waitUntil(lambda: "Exported 1 verdict" in window.notices.text, timeout=LONG)
    assert canned.PARALLEL.split(".")[0] in (tmp_path / "out.md").read_text(encoding="utf-8")
    window.pane.export_asked.emit(None)
    qtbot.waitUntil(lambda: "can't be written" in window.notices.text, timeout=LONG)


def test_settings_are_applied_at_once_and_kept(open_window: Open, qtbot: QtBot, profile: Profile) -> None:
    window = open_window()
    window.open_settings()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, SettingsDialog)
    dialog.controls["theme"].segment("Dark").click()
    assert theme.theme().tokens is theme.DARK
    size = dialog.controls["text_scale"]
    size.choose(size.options.index("150 %"))
    assert theme.theme().scale == 1.5
    dialog.controls["explain"].segment("Left out").click()
    dialog.close_button.click()
    kept = load_settings(profile)
    assert (kept.theme, kept.text_scale, kept.explain) == ("dark", 1.5, False)
    rate(qtbot, window, canned.PARALLEL)
    result = window.by_kind["rate"].result
    assert not result.explanation


def test_the_pane_folds_to_a_rail_and_lies_over_the_tab_when_there_is_little_room(
    open_window: Open, qtbot: QtBot, profile: Profile
) -> None:
    window = open_window()
    canned_profile.record(window.session.store, canned.rating("x"))
    window.pane.refresh()
    stack, wide = window.stack, window.pane.width()
    assert not window.pane.folded
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert window.pane.folded
    assert window.pane.width() < wide
    assert load_settings(profile).history_open is False
    window.pane.toggle()
    window.resize(1024, 700)
    qtbot.waitUntil(lambda: window.pane.folded)
    QApplication.processEvents()
    before = stack.geometry()
    window.pane.open_search()
    assert not window.pane.folded
    assert window.pane.search.hasFocus()
    assert (window.pane.x(), window.pane.width(), window.pane.height()) == (0, wide, 700)
    assert stack.geometry() == before
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.pane.folded
    assert window.by_kind["rate"].joke.editor.hasFocus()


def test_opening_a_row_from_the_overlay_closes_it_and_one_that_is_gone_is_told(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(size=(1024, 700))
    rate(qtbot, window, canned.PARALLEL)
    window.pane.toggle()
    window.open_verdict(window.pane.model.rows()[0].id)
    assert window.pane.folded
    window.open_verdict("no such id")
    assert window.notices.text


def test_closing_while_it_rates_ends_the_threads_and_marks_the_row(
    open_window: Open, qtbot: QtBot, profile: Profile
) -> None:
    gate, window = held_rating(open_window, qtbot)
    window.close()
    assert not window.isVisible()
    gate.opened.set()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    store = HistoryStore(profile.database, KINDS)
    assert [row.status for row in store.search(HistoryQuery())] == [Status.CANCELLED]
    store.close()


@pytest.mark.parametrize("damaged", ["database", "database, one byte", "settings_file"])
def test_a_damaged_file_is_shown_left_as_it_is_and_tried_again(
    qapp: QApplication, qtbot: QtBot, profile: Profile, damaged: str
) -> None:
    file: Path = getattr(profile, damaged.partition(",")[0])
    file.parent.mkdir(parents=True, exist_ok=True)
    content = b"{not what it should be" * 400
    if "one byte" in damaged:
        HistoryStore(file, KINDS).close()
        content = file.read_bytes().replace(b"CREATE INDEX", b"CREATE \xffNDEX", 1)
    file.write_bytes(content)
    desktop = Desktop(qapp, profile, None, lambda *_: FakeEngine())
    dialogs: list[QMessageBox] = []

    def again() -> None:
        dialog = desktop.main
        assert isinstance(dialog, QMessageBox)
        assert dialog not in dialogs
        assert "Nothing was changed." in dialog.informativeText()
        assert file.read_bytes() == content
        dialogs.append(dialog)
        if len(dialogs) == 2:
            file.unlink()
        else:
            QTimer.singleShot(0, lambda: QTimer.singleShot(0, again))
        dialog.button(QMessageBox.StandardButton.Retry).click()

    QTimer.singleShot(0, again)
    desktop.open()
    assert len(dialogs) == 2
    assert isinstance(desktop.main, MainWindow)
    desktop.main.close()
    qtbot.waitUntil(desktop.main.is_closed, timeout=LONG)


def test_an_error_of_the_history_while_it_runs_is_told(open_window: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()

    def full(_id: str, _starred: bool) -> None:
        raise HistoryError("E_HISTORY_FULL", "The disk is full.", "Free some space.")

    canned_profile.record(window.session.store, canned.rating("x"))
    window.open_verdict("x")
    monkeypatch.setattr(window.session.store, "star", full)
    window.by_kind["rate"].bar.star_button.click()
    assert window.notices.text == "The disk is full. Free some space."
    window.notices.clear()
    assert not window.notices.isVisible()


def test_a_mistake_shows_a_report_without_the_users_texts(qtbot: QtBot, tmp_path: Path) -> None:
    reporter = crash.CrashReporter(tmp_path / "jokejudge.log")
    try:
        try:
            raise KeyError("why did the horse")
        except KeyError as error:
            raise ValueError("invalid literal: 'why did the horse'") from error
    except ValueError as error:
        error.add_note("why did the horse")
        report = crash.report_text(error)
    reporter.show_report(report)
    reporter.show_report("another")
    dialog = reporter.dialog
    qtbot.addWidget(dialog)
    text = dialog.detailedText()
    assert "builtins.KeyError" in text
    assert "builtins.ValueError, raised at\n  test_main_window.py:" in text
    assert "in test_a_mistake_shows_a_report_without_the_users_texts" in text
    assert "horse" not in text
    assert "jokejudge.log" in dialog.informativeText()
    dialog.accept()
    assert reporter.dialog is None
