"""The command palette: every action of the window with its keys, to search and to run."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from .. import __version__
from .look.theme import font, px
from .widgets.dialog import Dialog
from .widgets.fields import SearchField
from .widgets.keyboard import keys_of
from .widgets.text import Paragraph

_Role = Qt.ItemDataRole.UserRole


def actions_of(window: QWidget) -> Iterator[QAction]:
    """Yield the named actions of the window and its parts that apply now, and then the keys that the shown parts handle
    themselves."""
    parts = [part for part in (window, *window.findChildren(QWidget)) if part.window() is window and part.isVisible()]
    named = [action for part in parts for action in part.actions() if action.text() and action.isEnabled()]
    yield from sorted(dict.fromkeys(named), key=lambda action: not can_run(action))


def can_run(action: QAction) -> bool:
    """Whether an action can be run now: it isn't only a list of keys, and its part is shown."""
    part = action.parent()
    return action.data() is None and action.isEnabled() and isinstance(part, QWidget) and part.isVisible()


class Palette(Dialog):
    """The actions that fit the typed words. Enter runs the selected one once the dialog is closed."""

    def __init__(self, window: QWidget) -> None:
        super().__init__("Actions and keys", window, (560, 560), gap=10, heading=None)
        self._focus = QApplication.focusWidget()
        self.list = QTreeWidget()
        self.search = SearchField("Search actions", self.list)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(lambda: self.run(self.list.currentItem()))
        self.list.setAccessibleName("Actions and their keys")
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setColumnCount(2)
        self.list.setFont(font(14))
        self.list.setUniformRowHeights(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for action in actions_of(window):
            item = QTreeWidgetItem(self.list, [action.text(), keys_of(action)])
            item.setData(0, _Role, action)
            item.setDisabled(not can_run(action))
            item.setSizeHint(0, QSize(0, px(28)))
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemClicked.connect(self.run)
        self.list.itemActivated.connect(self.run)
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        self.about = Paragraph(f"JokeJudge {__version__}, on Python {python}. Nothing is sent anywhere.", 13)
        self.body.add(self.search, (self.list, 1), self.about)
        self._filter("")
        self.restyle()
        self.search.setFocus()

    def shown(self) -> list[QTreeWidgetItem]:
        """Return the rows that fit the search."""
        items = [self.list.topLevelItem(number) for number in range(self.list.topLevelItemCount())]
        return [item for item in items if item is not None and not item.isHidden()]

    def run(self, item: QTreeWidgetItem | None) -> None:
        """Close, and run a row's action where the focus was."""
        if item is None or item.isDisabled():
            return
        action, focus = item.data(0, _Role), self._focus
        self.accept()
        if focus is not None:
            focus.setFocus()
        QTimer.singleShot(0, action, action.trigger)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for number in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(number)
            assert item is not None
            row = f"{item.text(0)} {item.text(1)}".casefold()
            item.setHidden(not all(word in row for word in words))
        shown = self.shown()
        self.list.setCurrentItem(shown[0] if shown else None)  # type: ignore[arg-type]
