"""States of the Criteria view."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.ui.criteria.dialog import CriteriaDialog
from jokejudge_gui.ui.main_window import MainWindow


def criteria(section: str) -> Callable[[MainWindow], None]:
    """The criteria of a section; the first item has something wrong typed in."""

    def act(window: MainWindow) -> None:
        own = OwnFile(window.session.profile.criteria)
        own.set_item("kind", "pun", {"description": "Two meanings of one word meet."})
        window.criteria.open()
        while window.side_worker.busy:
            QTest.qWait(10)
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, CriteriaDialog)
        dialog.sections.set_current(section)
        row = dialog.form.rows.get("name")
        if row is not None:
            row.control.clear()
            row.edited.emit()
            QTest.qWait(250)

    return act


STATES: dict[str, Callable[[MainWindow], object]] = {
    "criteria_kinds": criteria("kind"),
    "criteria_factors": criteria("factor"),
    "criteria_faults": criteria("fault"),
}  # fmt: skip
