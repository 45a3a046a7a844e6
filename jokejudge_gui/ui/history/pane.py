"""The history at the window's left: search, filters, list, and actions on its rows; folded, a strip with a button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from ...batch.lists import texts_text
from ...core.config import Settings
from ...core.errors import HistoryError
from ...history.query import PROGRESS, HistoryQuery, HistoryRow, Sort, with_progress, with_title
from ...history.store import HistoryStore
from ...judge.kinds import KINDS
from ..changes import Changes
from ..look import wording
from ..look.theme import Room, px, theme
from ..widgets.base import Themed
from ..widgets.controls import ChoiceButton, FilterChip, IconButton
from ..widgets.fields import SearchField
from ..widgets.keyboard import add_action, add_keys
from ..widgets.layout import HBox, VBox, single_shot
from ..widgets.text import Label, Paragraph
from .view import HistoryModel, HistoryView, ItemRole, jokes_of, row_title

_DEBOUNCE_MS = 120
_WATCH_MS = 2000
_WIDE, _FOLDED = 276, 50
"""Widths in pixels at 100 %."""
_SORTS: dict[str, Sort] = {"Newest": "newest", "Oldest": "oldest", "Best first": "score_high"}


class HistoryPane(Themed, QWidget):
    """Unfolded where the window is wide and the setting says so, otherwise a strip, to be opened over the tab.

    Signals: ``opened`` and ``rerun_asked`` carry a row, ``compare_asked`` a joke, ``list_asked`` a list of jokes,
    ``set_asked`` rows to make a set of, ``failed`` a ``JokeJudgeError``, ``export_asked`` ids or None for everything
    listed, ``star_asked`` a row whose star to set or remove, ``note_asked`` a row, ``marked`` the ids of verdicts whose
    tags changed. ``settled``: the setting changed; ``left``: the pane was folded while it had the keyboard focus."""

    opened = Signal(object)
    rerun_asked = Signal(object)
    compare_asked = Signal(str)
    list_asked = Signal(str)
    set_asked = Signal(object)
    failed = Signal(object)
    export_asked = Signal(object)
    star_asked = Signal(object)
    note_asked = Signal(object)
    marked = Signal(object)
    settled = Signal()
    left = Signal()

    def __init__(self, store: HistoryStore, changes: Changes, settings: Settings | None = None) -> None:
        super().__init__()
        self._store, self._changes, self._settings = store, changes, settings or Settings()
        self._room: Room = "wide"
        self._place = QWidget()
        """The room that the pane takes beside the tab."""
        self.overlay = False
        """Whether the pane is open over the tab."""
        self.folded = False
        self._current: str | None = None
        self._chosen: list[str] = []
        self._row = 0
        self.model = HistoryModel(store, self)
        self.model.failed.connect(self.failed)
        self.model.modelAboutToBeReset.connect(self._remember_selection)
        self.model.refreshed.connect(self._on_refreshed)
        self.heading = Label("History", 15, 600)
        self.fold_button = IconButton("sidebar", "", act=self.toggle)
        self.search = SearchField()
        self._timer = single_shot(self, self._apply_query, _DEBOUNCE_MS)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        self.search.returnPressed.connect(self._open_first)
        self._tags: list[str] = []
        self.kind_menu, self.tag_menu, self.sort_menu = (
            ChoiceButton(name, small=True) for name in ("Show", "Status or tag", "Order")
        )
        self.kind_menu.set_options(["All", *(kind.verb for kind in KINDS.values())], 0)
        self.sort_menu.set_options([*_SORTS], 0)
        self.tag_menu.most = 130
        self.star_chip = FilterChip("")
        self.star_chip.set_icon("star")
        self.star_chip.setToolTip("Starred only")
        self.star_chip.setAccessibleName("Show starred verdicts only")
        for changed in (
            *(menu.chosen for menu in (self.kind_menu, self.tag_menu, self.sort_menu)),
            self.star_chip.toggled,
        ):
            changed.connect(lambda _value: self._apply_query())
        self.view = HistoryView(self.model)
        self.view.opened.connect(self.opened)
        self.view.star_asked.connect(self.star_asked)
        self.view.menu_asked.connect(self._open_menu)
        for progress in (*PROGRESS, ""):
            words = f"Mark the selected jokes as {progress or 'without a status'}"
            mark = partial(self.set_progress, progress=progress)
            add_action(self.view, words, "", partial(self._on_selected, mark))
        for words, keys, act in (
            ("Make a set of the selected jokes", "", self._make_set),
            ("Star it", "S", lambda rows: self.star_asked.emit(rows[0])),
            ("Put it into a duel", "D", self._duel),
            ("Delete it", "Del", self.delete_rows),
        ):
            add_action(self.view, words, keys, partial(self._on_selected, act))
        for words, keys in (("Open the selected verdict", "Enter"), ("What else can be done", "Menu")):
            add_keys(self.view, words, keys)
        self.empty_title, self.empty_text = Label("", 14, 500), Paragraph("", 13)
        self._filters, self._empty = QWidget(), QWidget()
        filters = HBox(self.kind_menu, self.tag_menu, self.star_chip, 1, gap=6)
        VBox(self.search, filters, parent=self._filters, gap=10, margins=(16, 0, 16, 10))
        VBox(self.empty_title, self.empty_text, parent=self._empty, gap=2, margins=(16, 12, 16, 0))
        self._head = HBox((self.heading, 1), self.sort_menu, self.fold_button, gap=4)
        list_box = VBox(self.view, margins=(8, 0, 8, 0))
        VBox(self._head, self._filters, self._empty, (list_box, 1), 0, parent=self, gap=0, margins=(0, 11, 0, 0))
        self.follow_theme()
        self._watch = QTimer(self)
        self._watch.setInterval(_WATCH_MS)
        self._watch.timeout.connect(self.model.refresh_if_changed)
        self._watch.start()
        self._apply_query()
        self.set_folded(False)

    # Its place

    def stand_on(self, ground: QWidget, row: HBox) -> None:
        """Stand on ``ground``, over an empty place at the left of its ``row``."""
        row.insertWidget(0, self._place)
        self.setParent(ground)
        ground.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self.setFixedHeight(self.parentWidget().height())
        return super().eventFilter(watched, event)

    def set_room(self, room: Room) -> None:
        """Lay it out; a different ``room`` closes the pane over the tab."""
        self.overlay = self.overlay and room == self._room
        self._room = room
        self._lay_out()

    def _lay_out(self) -> None:
        holder = QApplication.focusWidget()
        focused = holder is not None and self.isAncestorOf(holder)
        unfolded = self._room == "wide" and self._settings.history_open
        self.overlay = self.overlay and not unfolded
        if self.folded == (unfolded or self.overlay):
            self.set_folded(not self.folded)
            if focused and self.folded:
                self.left.emit()
        self._place.setFixedWidth(px(_WIDE if unfolded else _FOLDED))
        self.raise_()

    def toggle(self) -> None:
        """Fold or unfold the pane; with little room it opens over the tab."""
        if self._room == "wide":
            self._settings.history_open = not self._settings.history_open
            self.settled.emit()
        else:
            self.overlay = not self.overlay
        self._lay_out()
        if self.overlay:
            self.view.setFocus()

    def close_overlay(self) -> bool:
        """Close the pane over the tab; whether it was open."""
        if self.overlay:
            self.toggle()
            return True
        return False

    def open_search(self) -> None:
        """Unfold the pane, and focus its search."""
        if self.folded:
            self.toggle()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def tab_order(self) -> list[QWidget]:
        """Return the controls in the order of the Tab key."""
        filters = [self.search, self.kind_menu, self.tag_menu, self.star_chip]
        return [*filters, self.view, self.sort_menu, self.fold_button]

    def set_folded(self, folded: bool) -> None:
        """Set whether it is a strip with a button that unfolds it."""
        self.folded = folded
        self.fold_button.set_icon("history" if folded else "sidebar")
        self.fold_button.set_name(f"{'Show' if folded else 'Fold'} the history pane (Ctrl+B)")
        self._head.set_margins(*((8, 0, 8, 13) if folded else (16, 0, 9, 8)))
        for part in (self.heading, self.sort_menu, self._filters):
            part.setVisible(not folded)
        self._show_parts()
        self.restyle()

    def _show_parts(self) -> None:
        empty = self.model.loaded == 0
        self.view.setVisible(not empty and not self.folded)
        self._empty.setVisible(empty and not self.folded)

    def restyle(self) -> None:
        self.setFixedWidth(px(_FOLDED if self.folded else _WIDE))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme().tokens.side))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(theme().tokens.line))

    # The list's content

    def _tag(self) -> str | None:
        return self._tags[self.tag_menu.currentIndex() - 1] if self.tag_menu.currentIndex() > 0 else None

    def _apply_query(self) -> None:
        kinds = ([*KINDS][self.kind_menu.currentIndex() - 1],) if self.kind_menu.currentIndex() > 0 else ()
        self.model.set_query(
            HistoryQuery(
                text=self.search.text(), kinds=kinds, starred=self.star_chip.isChecked() or None, tag=self._tag(),
                sort=_SORTS[self.sort_menu.currentText()],
            )
        )  # fmt: skip

    def refresh(self) -> None:
        self.model.refresh()

    def stop_watching(self) -> None:
        """Stop reading: the history is about to be closed."""
        self._timer.stop()
        self._watch.stop()

    def _on_refreshed(self) -> None:
        unused = self.model.loaded == 0 and not self.model.filtered
        self._list_tags()
        for control in (self.search, self.kind_menu, self.tag_menu, self.sort_menu, self.star_chip):
            control.setEnabled(not unused)
        stored = "Every joke you rate or duel is stored here, on this computer only."
        self.empty_title.setText("No verdicts yet" if unused else "Nothing found")
        self.empty_text.set_content(stored if unused else "No verdict fits the search and the filters.")
        self._show_parts()
        again = [index for id in self._chosen if (index := self.model.index_of(id)).isValid()]
        gone = bool(self._chosen) and not again and not self.model.filtered  # the selected ones were deleted
        self.view.select(*(again or [self.model.near(self._row) if gone else self.model.index_of(self._current)]))

    def _list_tags(self) -> None:
        """Offer the statuses, and the tags that there are."""
        chosen = self._tag()
        try:
            tags = [*self._store.tags(), *([chosen] if chosen else [])]
        except HistoryError as error:
            self.failed.emit(error)
            return
        own = [tag for tag in dict.fromkeys(tags) if tag not in PROGRESS]
        self._tags = [*PROGRESS, *own]
        place = self._tags.index(chosen) + 1 if chosen else 0
        self.tag_menu.set_options(["Any tag", *map(str.capitalize, PROGRESS), *own], place)

    def _remember_selection(self) -> None:
        """Keep the selected rows selected when the list is read again, the current one first."""
        current = self.view.currentIndex()
        row, chosen = current.data(ItemRole), self.view.selected_ids()
        self._row = current.row()
        self._chosen = sorted(chosen, key=lambda id: not isinstance(row, HistoryRow) or id != row.id)

    def select(self, identity: str | None) -> None:
        """Select the verdict that is open now. Where none was opened, a row that the user chose stays selected."""
        opened = identity != self._current
        self._current = self.model.shown = identity
        self.view.viewport().update()
        chosen = len(self.view.selected_ids())
        if chosen == 0 or (opened and chosen == 1):
            self.view.select(self.model.index_of(identity))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():  # the field doesn't need this key
            self._find_now()
            self.view.select(self.model.near(0))
            self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            super().keyPressEvent(event)

    def _find_now(self) -> None:
        """List what fits the typed words, without waiting for a pause."""
        if self._timer.isActive():
            self._timer.stop()
            self._apply_query()

    def _open_first(self) -> None:
        self._find_now()
        if rows := self.model.rows():
            self.opened.emit(rows[0])

    # Actions on rows

    def _with_versions(self, rows: list[HistoryRow]) -> list[HistoryRow]:
        """Return these rows with the earlier versions of their jokes."""
        return [version for row in rows for version in (row, *self.model.earlier(row.id))]

    def delete_rows(self, rows: list[HistoryRow]) -> None:
        ids = [row.id for row in self._with_versions(rows)]
        one = f"“{wording.beginning(row_title(rows[0]), 32)}”"

        def change(write: Callable[[list[str]], object]) -> None:
            write(ids)
            self.model.refresh()

        words = f"Deleted {wording.count_of(len(ids), 'verdict') if len(ids) > 1 else one}"
        self._changes.do(words, lambda: change(self._store.delete), lambda: change(self._store.undo_delete))

    def set_progress(self, rows: list[HistoryRow], progress: str) -> None:
        """Set the status of jokes, in all their versions; empty: none."""
        before = {row.id: row.tags for row in self._with_versions(rows)}
        after = {id: with_progress(tags, progress) for id, tags in before.items()}

        def put(tags: Mapping[str, tuple[str, ...]]) -> None:
            for id, some in tags.items():
                self._store.set_tags(id, some)
            self.model.refresh()
            self.marked.emit([*tags])

        words = f"Marked a joke as {progress}" if progress else "Took a status away"
        self._changes.do(words, lambda: put(after), lambda: put(before), quiet=True)

    def _on_selected(self, act: Callable[[list[HistoryRow]], object]) -> None:
        if rows := self.view.selected_rows():
            act(rows)

    def _duel(self, rows: list[HistoryRow]) -> None:
        if len(jokes_of(rows[0])) == 1:
            self.compare_asked.emit(rows[0].text_a)

    def _make_set(self, rows: list[HistoryRow]) -> None:
        if any(map(jokes_of, rows)):
            self.set_asked.emit(rows)

    def inherit(self, identity: str) -> None:
        """Give a new version of a joke the title, the status and the tags of the version before."""
        row = next((row for row in self.model.rows() if row.id == identity), None)
        before = next(iter(self.model.earlier(identity)), None)
        if row is None or before is None or row.tags or row.note or not (before.tags or before.title):
            return
        try:
            self._store.set_tags(identity, before.tags)
            self._store.set_note(identity, with_title(before.title, ""))
        except HistoryError as error:
            self.failed.emit(error)
        self.model.refresh()
        self.marked.emit([identity])

    def build_menu(self, rows: list[HistoryRow]) -> QMenu:
        """Return the context menu of the given rows."""
        menu, first = QMenu(self), rows[0]
        jokes = list(dict.fromkeys(text for row in rows for text in jokes_of(row)))
        if len(rows) == 1:
            alone, copied = len(jokes_of(first)) == 1, "\n\n".join(first.texts)
            menu.addAction("Open", "Enter", lambda: self.opened.emit(first))
            menu.addAction("Run again", lambda: self.rerun_asked.emit(first))
            menu.addAction("Remove star" if first.starred else "Star", "S", lambda: self.star_asked.emit(first))
            if alone:
                menu.addAction("Duel with…", "D", lambda: self.compare_asked.emit(first.text_a))
            menu.addAction("Copy joke" if alone else "Copy jokes", lambda: QGuiApplication.clipboard().setText(copied))
            menu.addAction("Title, tags and note…", lambda: self.note_asked.emit(first))
        elif len(jokes) > 1:
            menu.addAction(f"Rank these {len(jokes):,} jokes", lambda: self.list_asked.emit(texts_text(jokes)))
            menu.addAction(f"Make a set of these {len(jokes):,} jokes", lambda: self.set_asked.emit(rows))
        status = menu.addMenu("Status")
        for progress in (*PROGRESS, ""):
            action = status.addAction(progress.capitalize() or "None", partial(self.set_progress, rows, progress))
            action.setCheckable(True)
            action.setChecked(all(row.progress == progress for row in rows))
        menu.addSeparator()
        ids = [row.id for row in self._with_versions(rows)]
        what = "" if len(ids) == 1 else f" {wording.count_of(len(ids), 'verdict')}"
        menu.addAction(f"Export{what}…", lambda: self.export_asked.emit(ids))
        menu.addAction("Export everything listed…", lambda: self.export_asked.emit(None))
        menu.addSeparator()
        menu.addAction(f"Delete{what}", "Del", lambda: self.delete_rows(rows))
        return menu

    def _open_menu(self, rows: list[HistoryRow], point: QPoint) -> None:
        menu = self.build_menu(rows)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)
