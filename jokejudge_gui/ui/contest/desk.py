"""The reading desk: the parts of a list and the cut, above the table of its jokes and the current joke."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ...batch.screening import OwnScoreFiles
from ...core.errors import InputError
from ...judge.contest.desk import PARTS, Part
from ...judge.contest.notes import Mark
from ...judge.contest.record import RankedEntry
from ...judge.contest.words import jokes
from ..history.dialogs import split_tags
from ..look import wording
from ..look.theme import Room, px
from ..verdict.tab import VerdictTab
from ..widgets.actions import add_action, add_keys
from ..widgets.base import KeyActs
from ..widgets.cards import Card
from ..widgets.dialog import Dialog
from ..widgets.fields import SearchField
from ..widgets.layout import HBox, VBox, chain_controls, single_shot
from .dialogs import OrderDialog, ask_tags, ask_version, export_job
from .pane import ReadingPane
from .screening import ScreeningPane
from .state import ContestRecorder, ContestState
from .strip import Strip
from .table import DeskModel, DeskTable

_READ_MS = 2000
"""Time in ms after which a shown joke counts as read."""
_CUT_MS = 1200
"""Time in ms for which the cut's line stays in the table after a key."""
_ROOMY = (900, 800)
"""Least widths, in pixels at 100 %, at which Undo and Open in Rate have captions beside the list."""
_VOTES: dict[Mark | None, str] = {"keep": "up", "bin": "down"}
_WORDS: dict[Mark, tuple[str, str]] = {
    "keep": ("Keep", "Don't keep"),
    "bin": ("Bin", "Take out of the bin"),
    "later": ("Later", "Not later"),
}

_KEYS = {
    "Keep": "K", "Bin": "B", "Put off for later": "L", "Undo the last mark": "U", "Next unread joke": "Space",
    "One joke back": "Shift+Space", "Open in Rate": "Enter", "Duel": "D", "New version": "F2", "Star": "S",
    "Search the list": "/", "Show the list, in a small window": "T",
}  # fmt: skip
"""Keys of the list."""


class DeskPage(KeyActs, QWidget):
    """Shows a ``ContestState`` and handles its keys, buttons and menus. Requests to the tab: ``add_asked``: add jokes;
    ``list_asked``: a new list; ``effort_asked``: rounds and duels."""

    add_asked = Signal()
    list_asked = Signal()
    effort_asked = Signal()

    def __init__(
        self, recorder: ContestRecorder, scores: OwnScoreFiles, tab: VerdictTab, above: Sequence[QWidget]
    ) -> None:
        super().__init__()
        self.state = ContestState()
        self._recorder, self._scores, self._tab = recorder, scores, tab
        self._room: Room = "wide"
        self._can_run = self._gone = False
        self._table_shown = True
        self.screens = False
        """Whether the list is being screened, not read."""
        self._screening: ScreeningPane | None = None
        self.strip, self.pane = Strip(), ReadingPane()
        self.model = DeskModel(self)
        self.table = DeskTable(self.model)
        self.search = SearchField("Search this list")
        self._search_row = QWidget()
        VBox(self.search, parent=self._search_row, margins=(12, 8, 12, 0))
        self._search_row.hide()
        self.table_card = Card(padding=0)
        self.table_card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.table_card.body.add(VBox(self._search_row, (self.table, 1), gap=0, margins=(1, 1, 1, 8)))
        self.table_card.setAccessibleName("List")
        self._beside = HBox((self.table_card, 412), (self.pane, 608), gap=14)
        VBox(*above, self.strip, (self._beside, 1), parent=self, gap=14, margins=(0, 0, 12, 24))
        self._read = single_shot(self, self._on_read, _READ_MS)
        self._cut_rest = single_shot(self, lambda: self._on_cut_held(False), _CUT_MS)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._connect()

    def _connect(self) -> None:
        strip, pane = self.strip, self.pane
        strip.part_asked.connect(self.show_part)
        strip.cut_moved.connect(self._on_cut)
        strip.cut_held.connect(self._on_cut_held)
        strip.add_button.clicked.connect(self.add_asked)
        strip.export_button.clicked.connect(lambda: self.export(kept_only=self.state.notes.kept > 0))
        strip.stop_button.clicked.connect(self._tab.stop)
        strip.go_on_button.clicked.connect(self._tab.run)
        strip.more_button.clicked.connect(self._open_more)
        strip.list_button.clicked.connect(self.toggle_table)
        self.table.selected.connect(self.go_to)
        self.table.menu_asked.connect(self._open_row_menu)
        self.search.textChanged.connect(lambda _text: self._show_table())
        self.search.returnPressed.connect(self._go_to_first)
        pane.keep_button.clicked.connect(lambda: self.mark("keep"))
        pane.bin_button.clicked.connect(lambda: self.mark("bin"))
        pane.later_button.clicked.connect(lambda: self.mark("later"))
        pane.undo_button.clicked.connect(self.undo)
        pane.open_button.clicked.connect(self.open_in_rate)
        pane.step.connect(self.step)
        pane.chosen_twin.connect(self.keep_instead)
        pane.back_link.clicked.connect(self.put_back)
        pane.export_button.clicked.connect(lambda: self.export(kept_only=True))
        for number in range(1, len(PARTS) + 1):
            add_action(self, f"Show part {number} of the list", f"Alt+{number}", partial(self._show_nth, number))
        for words, keys in _KEYS.items():
            add_keys(self, words, keys)

    @property
    def screening(self) -> ScreeningPane:
        """The pane beside the list while it ``screens``; made at its first use."""
        if self._screening is None:
            made = self._screening = ScreeningPane(self._recorder, self._scores, self._tab)
            made.hide()
            made.left.connect(lambda: self.show_screening(on=False))
            made.drawn.connect(self._show_screened)
            self._beside.addWidget(made)
            self.set_room(self._room)
            chain_controls(self)
        return self._screening

    def minimumSizeHint(self) -> QSize:
        return QSize(px(320), px(320))

    # Room

    def set_room(self, room: Room) -> None:
        """Set the room: list and joke side by side, or one at a time."""
        self._room = room
        self.strip.set_room(room)
        self._fit_pane()
        table, beside = {"wide": (412, 608), "medium": (340, 578), "narrow": (1, 1)}[room]
        for at in range(self._beside.count()):
            self._beside.setStretch(at, beside if at else table)
        self._table_shown = room != "narrow"
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_pane()

    def _fit_pane(self) -> None:
        """Fit the buttons under the joke, so that the list keeps its width."""
        beside = self._room != "narrow"
        undo, open_ = (px(width) <= self.width() for width in _ROOMY)
        self.pane.set_words(undo=undo or not beside, open=open_ and beside)

    def _place(self) -> None:
        shown = self.state.live or self.state.usable
        blind = self.screens and self.screening.face != "list"
        self.table_card.setVisible(shown and self._table_shown and not blind)
        beside = shown and (self._room != "narrow" or not self._table_shown or blind)
        self.pane.setVisible(beside and not self.screens)
        if self._screening is not None:
            self._screening.setVisible(beside and self.screens)

    def toggle_table(self) -> None:
        """Switch between the list and the joke, if there is room for only one."""
        if self._room == "narrow":
            self._table_shown = not self._table_shown
            self._place()
            self.focus_first()

    def focus_first(self) -> None:
        """Focus the widget whose keys work the desk."""
        if self.screens and self.screening.isVisibleTo(self):
            self.screening.focus_first()
        elif self.pane.at_end and self.pane.export_button.isVisibleTo(self):
            self.pane.export_button.setFocus()
        else:
            (self.table if self.table_card.isVisibleTo(self) else self).setFocus()

    # Drawing

    def show_state(self, state: ContestState, *, can_run: bool, gone: bool) -> None:
        """Draw a list. ``can_run``: there is a model, and nothing runs; ``gone``: it was deleted from the history."""
        if state is not self.state:
            self._close_search()
            self._stop_screening()
        self.state, self._can_run, self._gone = state, can_run, gone
        self._place()
        self._show_head()
        self._redraw()

    def show_progress(self) -> None:
        """Draw the judge's progress."""
        self.strip.show_name(self.state.heading, self.state.facts)

    def _show_head(self) -> None:
        state, strip = self.state, self.strip
        facts = " · ".join(filter(None, (state.facts, "deleted from the history" if self._gone else "")))
        strip.show_name(state.heading, facts)
        strip.stop_button.setVisible(state.live)
        strip.go_on_button.setVisible(state.resumable)
        strip.go_on_button.setEnabled(self._can_run)
        strip.add_button.setVisible(not state.live and self._room != "narrow")
        strip.add_button.setEnabled(self._can_run)
        strip.export_button.setVisible(not state.live)
        strip.export_button.setEnabled(state.usable)
        kept = wording.count_of(state.notes.kept, "kept joke") if state.notes.kept else "the whole list"
        strip.export_button.setToolTip(f"Export {kept}")

    def _redraw(self) -> None:
        """Draw tiles, cut, table and joke."""
        state = self.state
        tiles = state.desk.tiles()
        if state.part not in [tile.part for tile in tiles]:
            state.part = "read"
        self.strip.show_parts(tiles, state.part)
        self._show_table()
        hidden = len(state.pool) < 2 or state.desk.blind
        self.strip.show_cut(state.pool, state.cut(), estimated=state.estimated, hidden=hidden)
        self._show_joke()

    def _show_table(self) -> None:
        state = self.state
        self.model.show(state.desk, state.notes, state.part, self.search.text())
        self.table.share_width()
        self.table.go_to(state.at)
        if self.search.text() and self.model.row_of(state.at) < 0:
            self.table.scrollToTop()

    def _show_joke(self) -> None:
        """Draw the current joke, or the message that all are read."""
        state = self.state
        self._read.stop()
        if self.screens:
            self.screening.show_joke(state.at)
        self.pane.show_state(state)
        unread = state.current is not None and state.desk.unread(state.at)
        if unread and self.pane.isVisible() and not (state.live and state.led):
            self._read.start()  # a joke that the program chose may not have been looked at

    # Screening

    def show_screening(self, *, on: bool = True) -> None:
        """Show the screening beside the list, or the current joke again."""
        self._stop_screening()
        self.screens = on
        self._table_shown = self._room != "narrow"
        if on:
            self.screening.show_contest(self.state)
        else:
            self._place()
        self._redraw()
        self.focus_first()

    def _stop_screening(self) -> None:
        self.screens = False
        self.model.show_screened(None)

    def _show_screened(self) -> None:
        self._place()
        self.model.show_screened(self.screening.outcome)
        self.table.share_width()
        self.screening.show_joke(self.state.at)

    # Going through the list

    def go_to(self, id: str) -> None:
        """Show a joke; empty: none."""
        if id == self.state.at and not self.pane.at_end:
            return
        self.state.at, self.state.led = id, False
        self._keep_place()
        self._show_joke()
        self.table.go_to(id)

    def step(self, by: int) -> None:
        """Show the previous (−1) or next (1) joke in the table's order."""
        row = self.model.row_of(self.state.at)
        other = self.model.entry(row + by if row >= 0 else self.model.rowCount() - 1 if by < 0 else 0)
        if other is not None:
            self.go_to(other.id)

    def advance(self) -> None:
        """Go to the next joke to read; after the last, show that all are read."""
        state = self.state
        following = state.desk.next(state.part, state.at)
        self.go_to(following.id if following is not None else "")
        if following is None:
            self._show_joke()
            self.focus_first()

    def advance_read(self) -> None:
        """Mark the current joke as read and go to the next."""
        self._set_read(undo=True)
        self.advance()

    def show_part(self, part: Part) -> None:
        """Show a part of the list, at its first unread joke."""
        state = self.state
        state.part = part
        rows = state.desk.rows(part)
        first = state.desk.next(part) or (rows[0] if rows and part != "read" else None)
        state.at, state.led = first.id if first is not None else "", False
        self._keep_place()
        self._redraw()
        self.focus_first()

    def _show_nth(self, number: int) -> None:
        tiles = self.state.desk.tiles()
        if number <= len(tiles):
            self.show_part(tiles[number - 1].part)

    def _on_read(self) -> None:
        if self.isVisible():
            self._set_read(undo=False)
            self.pane.show_progress(self.state)

    def _set_read(self, *, undo: bool) -> None:
        state = self.state
        if state.current is not None and state.desk.unread(state.at):
            state.say([state.at], read=True, undo=undo)
            self._store([state.at])

    def open_search(self) -> None:
        """Show the search field of the list."""
        self._table_shown = True
        self._place()
        self._search_row.show()
        self.search.setFocus()
        self.search.selectAll()

    def _close_search(self) -> None:
        self.search.clear()
        self._search_row.hide()

    def _go_to_first(self) -> None:
        first = self.model.entry(0)
        self.table.setFocus()
        if first is not None:
            self.go_to(first.id)

    def leave(self) -> bool:
        """Close the search, otherwise leave the screening. Return whether there was either."""
        if not self._search_row.isHidden():
            self._close_search()
            self.focus_first()
            return True
        if self.screens:
            self.screening.leave()
            return True
        return False

    # Marks and votes

    def _chosen(self) -> list[str]:
        """Return the ids that a key acts on: several selected rows, otherwise the current joke."""
        chosen = [entry.id for entry in self.table.chosen()] if self.table.isVisible() else []
        return chosen if len(chosen) > 1 else [self.state.at] if self.state.current is not None else []

    def mark(self, mark: Mark) -> None:
        """Mark the chosen jokes, or remove the mark if all have it, and go to the next unread joke."""
        state, ids = self.state, self._chosen()
        if not ids:
            return
        off = all(state.notes[id].mark == mark for id in ids)
        blind = state.desk.blind
        read = {"read": True} if mark != "later" and not off else {}
        state.say(ids, mark=None if off else mark, **read)
        if blind:
            self._vote(ids)
        self._store(ids)
        if blind and not state.desk.blind:
            self._tab.notice.emit("Places are shown from now on.")
            self._redraw()
        if off or len(ids) > 1:
            self._show_joke()
        else:
            self.advance()

    def _vote(self, ids: Sequence[str]) -> None:
        """Store the marks of jokes, set while their places were hidden, as blind votes."""
        state = self.state
        for id in ids:
            if state.result is not None and state.desk.entries[id].reading is not None:
                self._recorder.vote(state.result, id, _VOTES.get(state.notes[id].mark))

    def _store(self, ids: Sequence[str]) -> None:
        """Draw and store changed notes on these jokes."""
        self.model.changed(ids)
        self.pane.undo_button.setEnabled(bool(self.state.undone))
        self._show_head()
        self._keep_place()

    def _keep_place(self, **changes: object) -> None:
        self.state.keep_place(**changes)
        self._recorder.touch(self.state)

    def undo(self) -> None:
        """Undo the last change and show its joke."""
        ids = self.state.undo()
        if not ids:
            return
        if self.state.desk.blind:
            self._vote(ids)
        self._store(ids)
        self._redraw()
        self.focus_first()

    def keep_instead(self, id: str) -> None:
        """Keep this twin instead of the others of its family."""
        self._store(self.state.keep_twin(id))
        self._redraw()

    def put_back(self) -> None:
        """Put back a joke that was left out, or keep this twin."""
        state, id = self.state, self.state.at
        if state.current is None:
            return
        if state.desk.part_of(id) != "out":
            self.keep_instead(id)
            return
        state.say([id], back=True)
        self._store([id])
        rows = state.desk.rows(state.part)
        following = state.desk.next(state.part, id) or (rows[0] if rows else None)
        state.at = following.id if following is not None else ""
        self._redraw()

    def _star(self) -> None:
        ids = self._chosen()
        self.state.say(ids, starred=not all(self.state.notes[id].starred for id in ids))
        self._store(ids)

    def ask_tags(self) -> None:
        """Let the user change the tags of the chosen jokes."""
        chosen, notes = self._chosen(), self.state.notes
        if not chosen:
            return
        # For several jokes, show the tags that all of them have; the others stay.
        common = [tag for tag in notes[chosen[0]].tags if all(tag in notes[one].tags for one in chosen)]

        def take() -> None:
            others = {id: [tag for tag in notes[id].tags if tag not in common] for id in chosen}
            tags = {id: split_tags(",".join([*rest, dialog.text])) for id, rest in others.items()}
            self.state.say_each({id: notes[id]._replace(tags=tags[id]) for id in chosen})
            self._store(chosen)

        dialog = ask_tags(jokes(len(chosen)), common, notes.tags(), self._tab)
        self._open(dialog, take)

    def _open(self, dialog: Dialog, accepted: Callable[[], object] | None = None) -> None:
        """Show a dialog, after which the focus returns to the list."""
        if accepted is not None:
            dialog.accepted.connect(accepted)
        dialog.finished.connect(lambda _result: self.focus_first())
        dialog.open()

    # The cut

    def _on_cut(self, keep: int) -> None:
        self._keep_place(cut=keep)
        self.strip.say_cut(self.state.cut())
        self._on_cut_held(True)
        if not self.strip.cut.isSliderDown():
            self._cut_rest.start()

    def _on_cut_held(self, moving: bool) -> None:
        """Show the cut as a line in the table while it is moved."""
        pool, keep = self.state.pool, self.state.cut().keep
        row = -1
        if moving and self.model.in_order and pool:
            row = self.model.row_of(pool[keep].id) if keep < len(pool) else self.model.row_of(pool[-1].id) + 1
        self.table.show_cut(row if row >= 0 else None)

    def keep_first(self) -> None:
        """Mark all jokes that the cut keeps as kept."""
        ids = [entry.id for entry in self.state.pool[: self.state.cut().keep]]
        self.state.say(ids, mark="keep", read=True)
        self._store(ids)
        self._redraw()

    # Versions, other tabs, files

    def ask_version(self) -> None:
        """Let the user write a new version of the current joke."""
        entry = self.state.current
        if entry is not None:
            dialog = ask_version(entry.text, self._tab)
            self._open(dialog, lambda: self.add_version(entry, dialog.text))

    def add_version(self, entry: RankedEntry, text: str) -> None:
        """Add a text to the list as a new version of a joke, to be read when the contest continues."""
        try:
            new = self.state.add_version(entry, text)
        except InputError as error:
            self._tab.trouble.emit(error)
            return
        if not new:
            self._tab.notice.emit("This text is in the list already.")
            return
        self._recorder.touch(self.state)
        self._tab.draw()
        rest = "when the others are read" if self.state.live else "when you press Go on"
        self._tab.notice.emit(f"Added as a new version. It is read {rest}.")

    def open_in_rate(self) -> None:
        """Rate the current joke in the Rate tab."""
        entry = self.state.current
        if entry is not None:
            self._tab.elsewhere_asked.emit("rate", {"text": entry.text, "context": self.state.context})

    def _duel(self) -> None:
        texts = [self.state.desk.entries[id].text for id in self._chosen()]
        if len(texts) == 1:
            self._tab.compare_asked.emit(texts[0])
        elif len(texts) == 2:
            fields = {"text_a": texts[0], "text_b": texts[1], "context": self.state.context}
            self._tab.elsewhere_asked.emit("duel", fields)

    def export(self, *, kept_only: bool) -> None:
        """Ask for a file and write the list, or its kept jokes, to it."""
        result = self.state.marked()
        if result is None or not self.state.usable:
            return
        if kept_only and not self.state.notes.kept:
            self._tab.notice.emit("Nothing is kept yet. Press K on the jokes that you want to keep.")
            return
        job = export_job(self._tab.window(), result, kept_only=kept_only)
        if job is not None:
            self._tab.to_export.emit(job)

    # Menus and keys

    def menu(self) -> QMenu:
        """Return the menu of the list's other actions."""
        state, menu = self.state, QMenu(self)
        if state.estimated and not state.desk.blind and len(state.pool) > 1:
            menu.addAction(f"Keep these {state.cut().keep:,}", self.keep_first)
        blind = menu.addAction("Read blind", self.toggle_blind)
        blind.setCheckable(True)
        blind.setChecked(state.notes.desk is not None and state.notes.desk.blind)
        blind.setToolTip("Places are hidden until you have kept or binned 20 jokes")
        menu.addSeparator()
        if not state.live and state.usable:
            menu.addAction("Rounds and duels…", self.effort_asked.emit).setEnabled(self._can_run)
            screening = "Back to reading" if self.screens else "Screening and votes…"
            menu.addAction(screening, partial(self.show_screening, on=not self.screens))
            menu.addAction("About this order…", self.show_order)
            menu.addSeparator()
            menu.addAction("Export the whole list…", lambda: self.export(kept_only=False))
            menu.addAction("Copy as text", self._tab.bar.copy_asked.emit)
            if not self._gone:
                menu.addAction("Note and tags…", self._tab.bar.note_asked.emit)
        if not state.live:
            if self._room == "narrow" and state.usable:
                menu.addAction("Add jokes…", self.add_asked.emit).setEnabled(self._can_run)
            menu.addAction("New list…", self.list_asked.emit)
        return menu

    def row_menu(self) -> QMenu:
        """Return the menu of actions on the selected jokes."""
        chosen, menu = self._chosen(), QMenu(self)
        marks = {self.state.notes[id].mark for id in chosen}
        for mark, (word, off) in _WORDS.items():
            menu.addAction(off if marks == {mark} else word, partial(self.mark, mark))
        menu.addSeparator()
        menu.addAction("Star, or remove the star", self._star)
        menu.addAction("Tags…", self.ask_tags)
        if len(chosen) == 1:
            menu.addAction("Write a new version…", self.ask_version)
            menu.addAction("Open in Rate", self.open_in_rate)
        if len(chosen) <= 2:
            menu.addAction("Duel with…" if len(chosen) == 1 else "Duel these two", self._duel)
        return menu

    def _open_more(self) -> None:
        self._popup(self.menu(), self.strip.more_button.mapToGlobal(QPoint(0, self.strip.more_button.height())))

    def _open_row_menu(self, at: QPoint) -> None:
        if self._chosen():
            self._popup(self.row_menu(), at)

    def _popup(self, menu: QMenu, at: QPoint) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def toggle_blind(self) -> None:
        """Hide the places until enough jokes are kept or binned, or show them again."""
        before = self.state.notes.desk
        self._keep_place(blind=not (before is not None and before.blind))
        self.state.divide()
        self._redraw()

    def show_order(self) -> None:
        """Show how certain the list's order is."""
        if self.state.result is not None:
            self._open(OrderDialog(self.state.result, self._tab.window()))

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        here = self.table.visualRect(self.table.currentIndex()).center()
        moves: dict[Qt.Key, Callable[[], object]] = {
            Qt.Key.Key_Return: self.open_in_rate,
            Qt.Key.Key_Enter: self.open_in_rate,
            Qt.Key.Key_Slash: self.open_search,
            Qt.Key.Key_T: self.toggle_table,
            Qt.Key.Key_Down: lambda: self.step(1),
            Qt.Key.Key_Up: lambda: self.step(-1),
            Qt.Key.Key_Menu: lambda: self._open_row_menu(self.table.viewport().mapToGlobal(here)),
        }
        if self.screens:
            return moves  # no joke is shown that a key could mark
        return moves | {
            Qt.Key.Key_K: lambda: self.mark("keep"),
            Qt.Key.Key_B: lambda: self.mark("bin"),
            Qt.Key.Key_L: lambda: self.mark("later"),
            Qt.Key.Key_U: self.undo,
            Qt.Key.Key_Space: self.advance_read,
            Qt.Key.Key_S: self._star,
            Qt.Key.Key_D: self._duel,
            Qt.Key.Key_F2: self.ask_version,
        }

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self.step(-1)
            event.accept()
        elif self.search.hasFocus():
            event.ignore()
        elif event.text() == "/" and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.open_search()  # on keyboards where it needs Shift
            event.accept()
        else:
            super().keyPressEvent(event)
