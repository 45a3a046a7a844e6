"""The history pane: search, filters, the list, and the actions on its rows."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from ...batch.lists import texts_text
from ...core.config import Settings
from ...core.errors import HistoryError
from ...history.query import HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ...judge.kinds import KINDS
from ..look import wording
from ..look.theme import Room, px, theme
from ..widgets.base import Themed
from ..widgets.controls import ChoiceButton, FilterChip, IconButton, LinkButton
from ..widgets.fields import SearchField
from ..widgets.layout import HBox, VBox, single_shot
from ..widgets.text import Caption, Label, Paragraph
from .view import HistoryModel, HistoryView, jokes_of

_DEBOUNCE_MS = 120
_WATCH_MS = 2000


class SidePanel(Themed, QWidget):
    """A column with the side panel's background, and a line at its right edge; ``WIDTH``: in pixels at 100 %."""

    WIDTH: ClassVar[int]

    def restyle(self) -> None:
        self.setFixedWidth(px(self.WIDTH))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme().tokens.side))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(theme().tokens.line))


class KindMenu(ChoiceButton):
    """A menu of the kind of verdict that is listed: all kinds, or one."""

    snug = True
    HEIGHT = 26
    PADDING = 10
    SIZE = 13
    RADIUS = 6

    def __init__(self) -> None:
        super().__init__("Show", fitted=True)
        self.kinds = tuple(KINDS)
        self.set_options(["All", *(kind.verb for kind in KINDS.values())], 0)

    @property
    def kind(self) -> str | None:
        """The chosen kind; None: all."""
        return self.kinds[self.current - 1] if self.current > 0 else None

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        return (t.soft, t.accent, t.accent) if self.kind is not None and self.isEnabled() else super().colours()


class UndoBar(QWidget):
    """A message on the deleted verdicts, with a link that restores them."""

    undo = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.label = Caption("")
        self.link = LinkButton("Undo", name="Undo the deletion", act=self.undo)
        HBox((self.label, 1), self.link, parent=self, margins=(16, 8, 16, 8))
        self.hide()

    def show_deleted(self, count: int) -> None:
        self.label.setText(f"Deleted {wording.count_of(count, 'verdict')}")
        self.show()


class HistoryPane(SidePanel):
    """Signals: ``opened`` and ``rerun_asked`` carry a row, ``compare_asked`` a joke, ``list_asked`` a list of jokes,
    ``fold_asked`` nothing, ``failed`` a ``JokeJudgeError``, ``export_asked`` ids or None for everything listed,
    ``changed`` the id of a verdict whose star changed."""

    WIDTH = 276
    opened = Signal(object)
    rerun_asked = Signal(object)
    compare_asked = Signal(str)
    list_asked = Signal(str)
    fold_asked = Signal()
    failed = Signal(object)
    export_asked = Signal(object)
    changed = Signal(str)

    def __init__(self, store: HistoryStore) -> None:
        super().__init__()
        self._store = store
        self._current: str | None = None
        self._several: list[str] = []
        self.compare_label = ""
        """The menu's caption for comparing a single joke with another; empty: not available."""
        self.model = HistoryModel(store, self)
        self.model.failed.connect(self.failed)
        self.model.modelAboutToBeReset.connect(self._remember_selection)
        self.model.refreshed.connect(self._on_refreshed)

        self.heading = Label("History", 15, 600)
        self.fold_button = IconButton("sidebar", "Fold the history pane (Ctrl+B)", act=self.fold_asked)
        self.search = SearchField()
        self._timer = single_shot(self, self._apply_query, _DEBOUNCE_MS)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        self.kind_menu = KindMenu()
        self.kind_menu.chosen.connect(lambda _place: self._apply_query())
        self.star_chip = FilterChip("Starred")
        self.star_chip.set_icon("star")
        self.star_chip.setAccessibleName("Show starred verdicts only")
        self.star_chip.toggled.connect(lambda _on: self._apply_query())
        self.view = HistoryView(self.model, rail=False)
        self.view.opened.connect(self.opened)
        self.view.star_toggled.connect(self.toggle_star)
        self.view.delete_asked.connect(self.delete_rows)
        self.view.menu_asked.connect(self._open_menu)
        self.empty_title = Label("No verdicts yet", 14, 500)
        self.empty_text = Paragraph("", 13)
        self.undo_bar = UndoBar()
        self._deleted: list[str] = []
        self.undo_bar.undo.connect(self.undo_delete)

        self._empty = QWidget()
        VBox(self.empty_title, self.empty_text, parent=self._empty, gap=2, margins=(16, 12, 16, 0))
        self._layout = VBox(
            HBox((self.heading, 1), self.fold_button, margins=(16, 0, 9, 8)),
            VBox(self.search, margins=(16, 0, 16, 10)),
            HBox(self.kind_menu, self.star_chip, 1, gap=6, margins=(16, 0, 16, 10)),
            self._empty,
            (VBox(self.view, margins=(8, 0, 8, 0)), 1),
            0,
            self.undo_bar,
            parent=self,
            gap=0,
            margins=(0, 11, 0, 0),
        )
        self.follow_theme()

        self._watch = QTimer(self)
        self._watch.setInterval(_WATCH_MS)
        self._watch.timeout.connect(self.model.refresh_if_changed)
        self._watch.start()
        self._apply_query()

    # The list's content

    def _apply_query(self) -> None:
        kinds = (self.kind_menu.kind,) if self.kind_menu.kind is not None else ()
        starred = True if self.star_chip.isChecked() else None
        self.model.set_query(HistoryQuery(text=self.search.text(), kinds=kinds, starred=starred))

    def refresh(self) -> None:
        self.model.refresh()

    def stop_watching(self) -> None:
        """Stop reading: the history is about to be closed."""
        self._timer.stop()
        self._watch.stop()

    def _on_refreshed(self) -> None:
        empty = self.model.loaded == 0
        self.view.setVisible(not empty)
        self._empty.setVisible(empty)
        fresh = empty and not self.model.filtered
        for control in (self.search, self.kind_menu, self.star_chip):
            control.setEnabled(not fresh)
        if fresh:
            self.empty_title.setText("No verdicts yet")
            self.empty_text.set_content("Every joke you rate or duel is kept here, on this computer only.")
        elif empty:
            self.empty_title.setText("Nothing found")
            self.empty_text.set_content("No verdict fits the search and the filters.")
        again = [index for identity in self._several if (index := self.model.index_of(identity)).isValid()]
        self._several = []
        if again:
            self.view.select_all_of(again)
        else:
            self.select(self._current)

    def _remember_selection(self) -> None:
        """Keep several selected rows selected when the list is read again."""
        chosen = self.view.selected_ids()
        self._several = chosen if len(chosen) > 1 else []

    def select(self, identity: str | None) -> None:
        """Select the open verdict, unless several rows are selected for something else."""
        self._current = identity
        if len(self.view.selected_ids()) <= 1:
            self.view.select(self.model.index_of(identity))

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    # Actions on rows

    def toggle_star(self, row: HistoryRow) -> None:
        try:
            self._store.star(row.id, not row.starred)
        except HistoryError as error:
            self.failed.emit(error)
            return
        self.model.refresh()
        self.changed.emit(row.id)

    def delete_rows(self, rows: list[HistoryRow]) -> None:
        ids = self._with_versions(rows)
        try:
            count = self._store.delete(ids)
        except HistoryError as error:
            self.failed.emit(error)
            return
        self.model.refresh()
        if count:  # another window may have deleted them meanwhile
            self._deleted = ids
            self.undo_bar.show_deleted(count)

    def _with_versions(self, rows: list[HistoryRow]) -> list[str]:
        """Return the ids of these rows and of the earlier versions of their jokes."""
        return [each.id for row in rows for each in (row, *self.model.earlier(row.id))]

    def undo_delete(self) -> None:
        try:
            self._store.undo_delete(self._deleted)
        except HistoryError as error:
            self.failed.emit(error)
            return
        self.undo_bar.hide()
        self.model.refresh()

    def build_menu(self, rows: list[HistoryRow]) -> QMenu:
        """Return the context menu of the given rows."""
        menu = QMenu(self)
        first = rows[0]
        single = len(rows) == 1
        if single:
            menu.addAction("Open", lambda: self.opened.emit(first))
            menu.addAction("Run again", lambda: self.rerun_asked.emit(first))
            menu.addAction("Remove star" if first.starred else "Star", lambda: self.toggle_star(first))
            alone = len(jokes_of(first)) == 1
            if self.compare_label and alone:
                menu.addAction(self.compare_label, lambda: self.compare_asked.emit(first.texts[0]))
            menu.addAction("Copy joke" if alone else "Copy jokes", lambda: self._copy(first))
            menu.addSeparator()
        jokes = list(dict.fromkeys(text for row in rows for text in jokes_of(row)))
        if not single and len(jokes) > 1:
            menu.addAction(f"Rank these {len(jokes):,} jokes", lambda: self.list_asked.emit(texts_text(jokes)))
            menu.addSeparator()
        ids = self._with_versions(rows)
        word = "Export…" if len(ids) == 1 else f"Export {wording.count_of(len(ids), 'verdict')}…"
        menu.addAction(word, lambda: self.export_asked.emit(ids))
        menu.addAction("Export everything listed…", lambda: self.export_asked.emit(None))
        menu.addSeparator()
        word = "Delete" if len(ids) == 1 else f"Delete {wording.count_of(len(ids), 'verdict')}"
        menu.addAction(word, lambda: self.delete_rows(rows))
        return menu

    def _open_menu(self, rows: list[HistoryRow], point: QPoint) -> None:
        menu = self.build_menu(rows)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def _copy(self, row: HistoryRow) -> None:
        QGuiApplication.clipboard().setText("\n\n".join(row.texts))


class HistoryRail(SidePanel):
    """The folded pane: a button that unfolds it, and the badges."""

    WIDTH = 60
    opened = Signal(object)
    unfold_asked = Signal()

    def __init__(self, model: HistoryModel) -> None:
        super().__init__()
        self.unfold_button = IconButton("history", "Show the history pane (Ctrl+B)", act=self.unfold_asked)
        self.view = HistoryView(model, rail=True)
        self.view.opened.connect(self.opened)
        self._current: str | None = None
        self._model = model
        model.refreshed.connect(lambda: self.select(self._current))
        self._layout = VBox(
            (self.unfold_button, 0, Qt.AlignmentFlag.AlignHCenter),
            (self.view, 1),
            parent=self,
            gap=13,
            margins=(0, 11, 0, 8),
        )
        self.follow_theme()

    def select(self, identity: str | None) -> None:
        self._current = identity
        self.view.select(self._model.index_of(identity))


# The history at the window's left: the pane, or a rail, from which the pane opens over the tab.


class HistorySide(QObject):
    """Places pane and rail on ``ground``, at the left of its ``row``. ``settled``: the setting that keeps the pane open
    changed; ``left``: the pane was closed while it had the keyboard focus."""

    settled = Signal()
    left = Signal()

    def __init__(self, pane: HistoryPane, rail: HistoryRail, settings: Settings, ground: QWidget, row: HBox) -> None:
        super().__init__(ground)
        self._pane = pane
        self._rail = rail
        self._settings = settings
        self._ground = ground
        self._row = row
        self._room: Room | None = None
        self.overlay = False
        """Whether the pane is open over the tab."""
        row.insertWidget(0, pane)
        row.insertWidget(1, rail)
        pane.fold_asked.connect(self.toggle)
        rail.unfold_asked.connect(self.toggle)

    def set_room(self, room: Room) -> None:
        """Lay everything out; a different ``room`` closes the pane over the tab."""
        if room != self._room:
            self._room = room
            self.overlay = False
        self._place()

    def _place(self) -> None:
        unfolded = self._room == "wide" and self._settings.history_open
        holder = QApplication.focusWidget()
        focused = holder is not None and self._pane.isAncestorOf(holder)
        self._rail.setVisible(not unfolded)
        if unfolded:
            self.overlay = False
            if self._row.indexOf(self._pane) < 0:
                self._row.insertWidget(0, self._pane)
        else:
            self._row.removeWidget(self._pane)
            self._pane.setParent(self._ground)
            self._pane.setGeometry(0, 0, px(HistoryPane.WIDTH), self._ground.height())
            self._pane.raise_()
        self._pane.setVisible(unfolded or self.overlay)
        if focused and not self._pane.isVisible():
            self.left.emit()

    def toggle(self) -> None:
        """Fold or unfold the pane; with little room it opens over the tab."""
        if self._room == "wide":
            self._settings.history_open = not self._settings.history_open
            self.settled.emit()
        else:
            self.overlay = not self.overlay
        self._place()
        if self.overlay:
            self._pane.view.setFocus()

    def close_overlay(self) -> bool:
        """Close the pane over the tab; whether it was open."""
        if not self.overlay:
            return False
        self.toggle()
        return True

    def find(self) -> None:
        """Show the pane, and focus its search."""
        if not self._pane.isVisible():
            self.toggle()
        self._pane.focus_search()

    def select(self, identity: str | None) -> None:
        """Select a verdict in pane and rail."""
        self._pane.select(identity)
        self._rail.select(identity)

    def tab_order(self) -> list[QWidget]:
        """Return the controls in the order of the Tab key."""
        pane = self._pane
        return [
            self._rail.unfold_button, self._rail.view, pane.search, pane.kind_menu, pane.star_chip,
            pane.view, pane.undo_bar.link, pane.fold_button,
        ]  # fmt: skip
