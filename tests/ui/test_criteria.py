"""The criteria in the window: searched, changed, added, weighed, and taken up by the running session."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.ui.criteria.dialog import CriteriaDialog
from jokejudge_gui.ui.main_window import MainWindow

Open = Callable[..., MainWindow]


def settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.side_worker.busy and not window.worker.busy, timeout=20_000)


def open_criteria(qtbot: QtBot, window: MainWindow) -> CriteriaDialog:
    window.criteria.button.click()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, CriteriaDialog)
    settle(qtbot, window)
    return dialog


def write(dialog: CriteriaDialog, **fields: str) -> None:
    for name, value in fields.items():
        row = dialog.form.rows[name]
        row.set_value(value)
        row.edited.emit()


def shown(dialog: CriteriaDialog) -> list[str]:
    return [dialog.list.item(row).text() for row in range(dialog.list.count())]


def own_of(window: MainWindow) -> OwnFile:
    return OwnFile(window.session.profile.criteria)


FACTOR = {
    "name": "Politeness", "explanation": "It is kind.", "zero": "rude", "five": "kind", "good": "Do laugh, please.",
    "bad": "Laugh, you.", "kinds": "pun",
}  # fmt: skip


def test_a_new_factor_is_checked_previewed_saved_and_taken_up(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    before = window.session.judge.criteria.version
    dialog = open_criteria(qtbot, window)
    dialog.sections.set_current("factor")
    dialog.begin_new()
    write(dialog, **FACTOR | {"zero": ""})
    qtbot.waitUntil(lambda: "is empty" in dialog.form.rows["zero"].problem.text())
    assert dialog.form.rows["zero"].problem.text().startswith("“At 0” of the factor")
    assert not dialog.form.save_button.isEnabled()
    assert "score for Politeness is" in dialog.form.preview.text()
    assert "only takes part where every question is asked" in dialog.form.effect.text()
    write(dialog, zero="rude")
    qtbot.waitUntil(dialog.form.save_button.isEnabled)
    dialog.form.save_button.click()
    settle(qtbot, window)
    assert "Politeness  (your own)" in shown(dialog)
    assert dialog.form.title.text() == "Politeness (your own)"
    assert "isn't measured" in dialog.form.effect.text()
    qtbot.waitUntil(lambda: window.session.judge is not None and window.session.judge.criteria.version != before)
    assert window.session.judge.criteria.factor("own_politeness").zero == "rude"
    dialog.close()


def test_what_was_typed_is_saved_or_dropped_before_one_looks_elsewhere_or_closes(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window(start=False)
    dialog = open_criteria(qtbot, window)
    write(dialog, name="Quibble")
    assert not dialog.list.isEnabled()
    assert not dialog.sections.isEnabled()
    dialog.accept()
    assert dialog.isVisible()
    assert "isn't saved" in dialog.notice.text()
    dialog.drop_link.click()
    assert dialog.form.rows["name"].value() == "Pun"
    assert dialog.list.isEnabled()
    write(dialog, name="Quibble")
    qtbot.waitUntil(dialog.form.save_button.isEnabled)
    dialog.save()
    settle(qtbot, window)
    assert shown(dialog)[0] == "Quibble  (changed)"
    dialog.accept()
    assert not dialog.isVisible()


def test_items_are_searched_switched_off_and_reset(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    dialog = open_criteria(qtbot, window)
    dialog.search.setText("homophone")
    assert shown(dialog)[0] == "Homophone"
    dialog.form.switch_button.click()
    settle(qtbot, window)
    assert shown(dialog)[0] == "Homophone  (off)"
    assert own_of(window).load().items[0].off
    dialog.form.reset_button.click()
    settle(qtbot, window)
    assert shown(dialog)[0] == "Homophone"
    assert own_of(window).load().empty
    dialog.search.setText("nothing holds these words")
    assert not dialog.form.isVisible()
    dialog.close()


def test_a_damaged_file_is_told_and_can_be_put_aside(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    path = own_of(window).path
    path.parent.mkdir(parents=True)
    path.write_text("<own", encoding="utf-8")
    dialog = open_criteria(qtbot, window)
    assert dialog.banner.isVisible()
    assert "own_criteria.xml, line 1" in dialog.banner.text.text()
    assert dialog.list.count() == 70
    dialog.banner.button.click()
    settle(qtbot, window)
    assert not dialog.banner.isVisible()
    assert not path.exists()
    dialog.close()


def test_what_another_process_changed_is_taken_up_when_one_comes_back(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    own_of(window).set_item("factor", "wit", {}, off=True)
    with qtbot.waitSignal(window.criteria.changed):
        window.criteria.take_up()
    assert "wit" not in {factor.id for factor in window.session.judge.criteria.factors}
