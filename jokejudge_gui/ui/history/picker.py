"""A small searchable list of jokes that were judged before, to pick one for a duel."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from ...errors import HistoryError
from ...history.query import HistoryQuery
from ...history.store import HistoryStore
from ..look import wording
from ..look.theme import font, px
from ..widgets.fields import SearchField
from ..widgets.text import Caption
from .model import jokes_of

_MOST = 50
_DEBOUNCE_MS = 120


class JokePicker(QDialog):
    """A popup below a link: ``picked`` carries the whole text. Escape or a click beside it closes it."""

    picked = Signal(str)

    def __init__(self, store: HistoryStore, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._store = store
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Pick a joke from the history")
        self.search = SearchField()
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName("Jokes in the history")
        self.list.setFont(font(13, 400))
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.note = Caption("")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(px(12), px(12), px(12), px(12))
        layout.setSpacing(px(8))
        layout.addWidget(self.search)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.note)
        self.resize(px(380), px(320))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DEBOUNCE_MS)
        self._timer.timeout.connect(self.fill)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        self.search.installEventFilter(self)
        self.list.itemClicked.connect(self._pick)
        self.list.itemActivated.connect(self._pick)
        self.fill()
        self.search.setFocus()

    def fill(self) -> None:
        """List the newest jokes that fit the search, each once."""
        self.list.clear()
        try:
            rows = self._store.search(HistoryQuery(text=self.search.text(), limit=_MOST))
        except HistoryError as error:
            self.note.setText(error.sentence)
            self.note.show()
            return
        seen: set[str] = set()
        for row in rows:
            for text in jokes_of(row):
                if text and text not in seen:
                    seen.add(text)
                    item = QListWidgetItem(wording.one_line(text))
                    item.setData(Qt.ItemDataRole.UserRole, text)
                    self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.note.setText("" if seen else "No joke found.")
        self.note.setVisible(not seen)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                self.list.setCurrentRow(max(0, min(self.list.count() - 1, self.list.currentRow() + step)))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self.list.currentItem()
                if item is not None:
                    self._pick(item)
                return True
        return super().eventFilter(watched, event)

    def _pick(self, item: QListWidgetItem) -> None:
        text = item.data(Qt.ItemDataRole.UserRole)
        self.close()
        self.picked.emit(text)
