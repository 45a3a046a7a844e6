"""The main window: tabs, history pane, model and settings, and their connections."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QWidget

from ..core.config import save_settings
from ..core.errors import ErrorInfo, JokeJudgeError, SettingsError
from ..core.verdicts import ModelRef
from ..history.query import HistoryEntry
from ..judge.audit.words import AUDIT
from ..judge.rating.kind import RATING
from ..judge.set.words import SET
from ..judge.templates.words import TEMPLATE
from ..judge.versions import WORKSHOP
from ..session.session import Session
from .changes import Changes
from .contest.tab import ContestTab
from .criteria.dialog import CriteriaController
from .duel.tab import DuelTab
from .history.pane import HistoryPane
from .judge_worker import JudgeWorker
from .library.controller import ModelController
from .look.theme import SCALES, Room, room_for, theme
from .notices import Notices
from .palette import Palette
from .rate.tab import RateTab
from .remembered import Remembered
from .settings import SettingsDialog
from .trust.tab import TrustTab
from .verdict.cards import TrustLink
from .verdict.tab import FieldTab, JobTab, VerdictTab
from .verdict.verdicts import Verdicts
from .votes import TasteController
from .widgets.controls import IconButton, Segmented
from .widgets.keyboard import FocusRing, add_action, with_keys
from .widgets.layout import HBox, VBox, controls_of

_TRUST = "trust"
_CHANGE = "change"
"""The topic of notices on changes that can be undone."""


class MainWindow(QMainWindow):
    """Owns the workers and gives them jobs. ``closed`` is emitted once the judge's thread has ended. ``load``: the
    model is loaded while the window is still being built."""

    closed = Signal()

    def __init__(self, session: Session, examples: Sequence[str] = (), *, load: bool = False) -> None:
        super().__init__()
        self.session = session
        self.settings = session.settings
        self.worker = JudgeWorker(at_end=session.close, parent=self)
        self.side_worker = JudgeWorker(parent=self)
        self._stopped = 0
        self._closing = False
        self._room: Room | None = None
        self.setWindowTitle("JokeJudge")
        self.setMinimumSize(640, 480)
        self.notices = Notices()
        self.changes = Changes(self)
        self.models = ModelController(session, self.worker, self.side_worker, self.notices, self)
        if load:
            self.start()

        self.pane = HistoryPane(session.store, self.changes, self.settings)
        store, side = session.store, self.side_worker
        self.rate_tab = RateTab(examples, store, session.profile.dismissed, side)
        contest = ContestTab(store, side, self.settings, examples)
        self.sets = contest.set_page
        self.by_kind: dict[str, FieldTab] = {tab.kind.name: tab for tab in (self.rate_tab, DuelTab(store), contest)}
        self.trust_tab = TrustTab(session, self.worker, side)
        self._tabs: dict[str, FieldTab | TrustTab] = {**self.by_kind, _TRUST: self.trust_tab}
        kinds = [(name, tab.kind.verb) for name, tab in self.by_kind.items()]
        self.tabs = Segmented([*kinds, (_TRUST, "Trust")], "Tabs")
        self.settings_button = IconButton("sliders", "Settings")
        self.criteria = CriteriaController(session, self.worker, self.side_worker, self)
        shown = {**self.by_kind, SET.name: self.sets}
        self.verdicts = Verdicts(
            session, shown, self.worker, self.side_worker, self.notices, self.changes, self.show_tab, self
        )
        self.verdicts.elsewhere |= {
            AUDIT.name: lambda: self.trust_tab,
            TEMPLATE.name: lambda: self.trust_tab,
            WORKSHOP.name: lambda: self.rate_tab,
        }
        self.taste = TasteController(session, self.changes, self)
        self.memory = Remembered(session.profile, self)
        self.trust_tab.questions.restore(*self.memory.trust)
        self.trust_tab.questions.chosen.connect(self.memory.show_trust)
        self.stack = QStackedWidget()
        self._build()
        self._connect()
        self._register()
        for note in session.store.notes:
            self.notices.say("info", note)
        self.ring = FocusRing(self)
        theme().changed.connect(self._relayout)
        self.show_tab(self.memory.tab if self.memory.tab in self._tabs else RATING.name)
        for tab in (self.sets, *self.by_kind.values()):
            self._join(tab)
        theme().dress_window(self)

    # Building

    def _build(self) -> None:
        central = QWidget()
        outer = HBox(parent=central, gap=0)
        self.pane.stand_on(central, outer)
        column = QWidget()
        self._bar = HBox(self.tabs, 1, self.models.button, self.criteria.button, self.settings_button, gap=8)
        self._column = VBox(self._bar, (self.notices.over(self.stack), 1), parent=column, gap=12)
        for tab in self._tabs.values():
            self.stack.addWidget(tab)
        outer.addWidget(column, 1)
        self.setCentralWidget(central)

    def _connect(self) -> None:
        for part in (self.models, self.taste, self.criteria, self.pane, self.memory, self.changes, self.trust_tab):
            part.failed.connect(self.show_error)
        self.worker.stopped.connect(self._on_stopped)
        self.side_worker.stopped.connect(self._on_stopped)
        self.tabs.changed.connect(self._go_to_tab)
        self.pane.model.refreshed.connect(self.verdicts.find_gone)
        self.models.changed.connect(self._on_model_changed)
        self.changes.indexChanged.connect(lambda _index: self.notices.clear(_CHANGE))
        self.changes.done.connect(self._tell_change)
        self.pane.opened.connect(lambda row: self.open_verdict(row.id))
        self.pane.settled.connect(self._save_settings)
        self.pane.left.connect(lambda: self._tab().focus_editor())
        self.pane.rerun_asked.connect(lambda row: self.verdicts.run_again(row.id))
        self.pane.compare_asked.connect(self.verdicts.compare)
        self.pane.list_asked.connect(self.verdicts.give_list)
        self.rate_tab.list_asked.connect(self.verdicts.give_list)
        self.pane.set_asked.connect(self.sets.make_of)
        self.pane.export_asked.connect(self._export_listed)
        self.pane.note_asked.connect(lambda row: self.verdicts.edit_note(row.id))
        self.pane.marked.connect(lambda ids: self.verdicts.on_changed(*ids))
        self.verdicts.finished.connect(self.pane.inherit)
        self.pane.star_asked.connect(lambda row: self.verdicts.set_star(row.id, not row.starred))
        self.verdicts.began.connect(self.models.give_way)
        self.verdicts.began.connect(self.trust_tab.give_way)
        for stored in (self.verdicts.changed, self.trust_tab.stored, self.sets.rewritten):
            stored.connect(self._on_stored)
        self.trust_tab.notice.connect(lambda text: self.notices.say("info", text))

    def _register(self) -> None:
        """Give the window its actions: Ctrl+K lists them with those of its parts."""

        def add(words: str, keys: str, act: Callable[[], object]) -> QAction:
            return add_action(self, words, keys, act, anywhere=True)

        for number, (name, tab) in enumerate(self.by_kind.items(), 1):
            add(f"Show {tab.kind.verb}", f"Ctrl+{number}", partial(self._go_to_tab, name))
        add("Show Trust", f"Ctrl+{len(self._tabs)}", partial(self._go_to_tab, _TRUST))
        add("Judge what is typed, or the list", "Ctrl+Return; Ctrl+Enter", self.run_current)
        add("Stop what is running, or close the history", "Esc", self.escape)
        undo, redo = add("Undo", "Ctrl+Z", self.undo), add("Redo", "Ctrl+Shift+Z", self.changes.redo)
        self.changes.undoTextChanged.connect(lambda words: undo.setText(f"Undo: {_lower(words)}" if words else "Undo"))
        self.changes.canRedoChanged.connect(redo.setEnabled)
        redo.setEnabled(False)
        add("Search the history", "Ctrl+F", self.pane.open_search)
        add("Show or fold the history", "Ctrl+B", self.pane.toggle)
        settings = add("Settings", "Ctrl+,", self.open_settings)
        criteria = add("Criteria: what jokes are judged by", "Ctrl+Shift+K", self.criteria.open)
        add("Models", "Ctrl+M", self.models.open_library)
        add("All actions and keys", "Ctrl+K; F1; ?", self.open_palette)
        add("Larger text", "Ctrl++; Ctrl+=", lambda: self._zoom(1))
        add("Smaller text", "Ctrl+-", lambda: self._zoom(-1))
        add("Usual text size", "Ctrl+0", lambda: self._zoom(0))
        add("Close the program", "Ctrl+Q", self.close)
        for button, action in ((self.settings_button, settings), (self.criteria.button, criteria)):
            button.set_name(with_keys(action))
            button.clicked.connect(action.trigger)

    def undo(self) -> None:
        """Undo the last change, wherever in the window it was made."""
        tab = self._tab()
        if isinstance(tab, JobTab) and tab.undo_here():
            return
        if not self.changes.canUndo():
            self.notices.say("info", "Nothing to undo.")
        else:
            self.changes.undo()

    def _tell_change(self, words: str, undone: bool) -> None:
        done = f"Undone: {_lower(words)}." if undone else f"{words}."
        again = ("Redo", self.changes.redo) if undone else ("Undo", self.changes.undo)
        self.notices.say("info", done, *again, topic=_CHANGE)

    def _set_tab_order(self) -> None:
        """Set the order of the Tab key: tabs, editor, Rate, result, actions, model, settings, History."""
        order: list[QWidget] = [self.tabs.segment(key) for key in self._tabs]
        for tab in self._tabs.values():
            order += tab.tab_order() if isinstance(tab, JobTab) else controls_of(tab)
        order += [self.models.button, self.criteria.button, self.settings_button, *self.pane.tab_order()]
        for first, second in itertools.pairwise(order):
            QWidget.setTabOrder(first, second)

    def _join(self, tab: JobTab) -> None:
        """Connect a tab of verdicts to the window, and restore its last verdict and draft."""
        self.verdicts.join(tab)
        tab.changes = self.changes
        tab.shown_asked.connect(lambda: self.show_tab(tab.tab))
        if not isinstance(tab, FieldTab):
            return
        tab.library_asked.connect(self.models.open_library)
        if isinstance(tab, VerdictTab):
            self.taste.join(tab)
            tab.trust_link.asked.connect(lambda model: self.show_trust(model, tab.trust_link))
        self._open_last(tab)
        self.memory.join(tab)
        tab.shown_changed.connect(self._select_shown)
        tab.shown_changed.connect(partial(self.memory.show_verdict, tab.kind.name))

    # Room

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        holder = QApplication.focusWidget()
        if holder is None or not self.isAncestorOf(holder):
            self._tab().focus_editor()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._relayout()

    def _relayout(self) -> None:
        room = room_for(self.width(), theme().scale)
        margin = 24 if room == "wide" else 16
        self._column.set_margins(margin, 11, margin - 12, 0)  # scrolling columns have a gutter of 12 pixels
        self._bar.set_margins(0, 0, 12, 0)
        changed = room != self._room
        self._room = room
        holder = QApplication.focusWidget()
        for tab in self._tabs.values():
            tab.set_room(room)
        self.pane.set_room(room)
        if changed:
            # Cards that move to another column lose the focus and their place in the order of the Tab key.
            self._set_tab_order()
            if holder is not None and self.isAncestorOf(holder):
                QTimer.singleShot(0, holder, lambda: holder.setFocus() if holder.isVisible() else None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and not self._closing:
            self.pane.model.refresh_if_changed()
            self.criteria.take_up()

    # The current tab

    def _tab(self) -> FieldTab | TrustTab:
        return self._tabs[self.tabs.current()]

    def _go_to_tab(self, key: str) -> None:
        """Show a tab that the user chose and focus its editor. When the user moves along the tabs with the arrow keys,
        Qt returns the focus to them."""
        self.show_tab(key)
        self._tab().focus_editor()

    def show_tab(self, key: str) -> None:
        holder = QApplication.focusWidget()
        with QSignalBlocker(self.tabs):
            self.tabs.set_current(key)
        self.trust_tab.questions.follow(self.rate_tab.trust_link.kind)
        self.stack.setCurrentWidget(self._tab())
        self._select_shown()
        self.memory.show_tab(key)
        if holder is not None and self.stack.isAncestorOf(holder) and not holder.isVisible():
            self._tab().focus_editor()  # otherwise Qt moves the focus to the next widget

    def show_trust(self, model: ModelRef | None, link: TrustLink | None = None) -> None:
        """Show a model in the Trust tab, with the answer that a verdict's link refers to."""
        self.trust_tab.show_model(model)
        self.show_tab(_TRUST)
        if link is not None:
            self.trust_tab.follow(link)

    def run_current(self) -> None:
        self._tab().run()

    def escape(self) -> None:
        if not self.pane.close_overlay():
            self._tab().stop()

    # Jobs

    def start(self) -> None:
        """Load the model that the settings name, so that the first verdict needn't wait."""
        self.models.choose(None)

    def _open_last(self, tab: FieldTab) -> None:
        """Restore in a tab the verdict that it showed when the window was closed, unless it was deleted since. A list
        in a tab that isn't shown yet is read in the other worker's thread."""
        kind, store = tab.kind.name, self.session.store
        identity = self.memory.shown.get(kind, "")

        def show(entry: HistoryEntry) -> None:
            if tab.state.phase == "empty" and not self._closing:
                self.verdicts.place(entry.row.kind).open(entry)

        with contextlib.suppress(JokeJudgeError):
            if identity not in store.listed([identity]):
                return
            if tab.takes_lists and self.tabs.current() != kind:
                self.side_worker.call("open", lambda: store.get(identity), show)
            else:
                show(store.get(identity))

    def _on_stored(self) -> None:
        if not self._closing:
            self.pane.refresh()

    def _on_model_changed(self, error: ErrorInfo | None) -> None:
        for tab in self.by_kind.values():
            tab.set_model_error(error)
        self.trust_tab.model_changed()

    # Stored verdicts

    def _select_shown(self) -> None:
        """Select the current tab's verdict in the history."""
        tab = self._tab()
        self.pane.select(tab.shown_id if isinstance(tab, JobTab) else None)

    def open_verdict(self, identity: str) -> None:
        """Show a stored verdict in its tab."""
        if self.verdicts.open(identity):
            self.pane.close_overlay()

    def _export_listed(self, ids: list[str] | None) -> None:
        self.verdicts.export(ids or [], self.pane.model.query if ids is None else None)

    def show_error(self, error: JokeJudgeError) -> None:
        self.notices.say("error", str(error))

    # Dialogs

    def open_settings(self) -> None:
        dialog = SettingsDialog(self.settings, self.session.profile, self)
        dialog.changed.connect(self._on_setting)
        dialog.failed.connect(self.show_error)
        dialog.open()

    def open_palette(self) -> None:
        Palette(self).open()

    def _zoom(self, step: int) -> None:
        """Make the text larger or smaller by ``step`` tenths; 0: the normal size."""
        low, high = SCALES
        scale = round(min(high, max(low, self.settings.text_scale + 0.1 * step)), 2) if step else 1.0
        if scale != self.settings.text_scale:
            self.settings.text_scale = scale
            self._on_setting("text_scale")
            self._save_settings()

    def _on_setting(self, name: str) -> None:
        if name in ("theme", "text_scale"):
            theme().configure(self.settings.theme, self.settings.text_scale)
        elif name == "use_taste":
            self.taste.refresh()
        elif name == "threads" and self.session.info is not None:
            self.models.choose(None)

    def _save_settings(self) -> None:
        try:
            save_settings(self.settings, self.session.profile)
        except SettingsError as error:
            self.show_error(error)

    # Closing

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._stopped == 2:
            event.accept()
            return
        # The window closes at once; the program ends later, with the judge's thread.
        event.ignore()
        if not self._closing:
            self._closing = True
            self.hide()
            self.memory.keep()
            for tab in self.by_kind.values():
                tab.keep()
            self.pane.stop_watching()
            self.trust_tab.leave()
            self.verdicts.leave()
            self.side_worker.stop()
            self.worker.stop()

    def is_closed(self) -> bool:
        """Whether both threads have ended."""
        return self._stopped == 2

    def _on_stopped(self) -> None:
        self._stopped += 1
        if self._stopped == 2:
            self.close()
            self.closed.emit()


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]
