"""The reading desk: the parts of a list and the cut, above the table of its jokes and the current joke."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ...core.errors import JokeJudgeError
from ...judge.contest.desk import PARTS, Memory, Part, final_order
from ...judge.contest.notes import ListScreening, Mark
from ...judge.contest.words import jokes
from ..look import wording
from ..look.theme import Room, px
from ..verdict.tab import VerdictTab
from ..widgets.actions import add_action, add_keys
from ..widgets.base import KeyActs
from ..widgets.cards import Card
from ..widgets.dialog import Dialog
from ..widgets.fields import SearchField
from ..widgets.layout import HBox, VBox, single_shot
from .dialogs import export_job, order_dialog
from .pane import ReadingPane
from .screening import ScreeningDialog
from .state import ContestRecorder, ContestState
from .strip import Strip
from .table import DeskModel, DeskTable

_SEEN_MS = 2000
"""Time in ms after which a shown joke counts as seen."""
_CUT_MS = 1200
"""Time in ms for which the cut's line stays in the table after a key."""
_ROOMY = (1100, 800)
"""Least widths, in pixels at 100 %, at which Undo and Open in Rate have captions beside the list."""
_SHARES: dict[Room, tuple[int, int]] = {"wide": (500, 520), "medium": (380, 540), "narrow": (1, 1)}
"""The widths of the table and of the joke beside it."""
_VOTES: dict[Mark | None, str] = {"keep": "up", "bin": "down"}
_WORDS: dict[Mark, tuple[str, str, str]] = {
    "keep": ("Keep", "Don't keep", "Kept a joke"),
    "bin": ("Bin", "Take out of the bin", "Binned a joke"),
    "later": ("Later", "Not later", "Put a joke off"),
}
"""What sets a mark, what takes it off, and what was done."""

_KEYS = {
    "Keep": "K", "Bin": "B", "Put off for later": "L", "Undo the last change": "U", "Go to the next joke": "Space",
    "Go one joke back": "Shift+Space", "Open in Rate": "Enter", "Duel with another": "D", "Copy the kept jokes": "C",
    "Order the kept jokes by duels": "F", "Make a set of the kept jokes": "S",
    "Search the list": "/", "Show the list, in a small window": "T",
}  # fmt: skip
"""Keys of the list."""


class DeskPage(KeyActs, QWidget):
    """Shows the ``Desk`` of a ``ContestState`` and handles its keys, buttons and menus. Requests to the tab:
    ``add_asked``: add jokes; ``list_asked``: a new list; ``effort_asked``: rounds and duels; ``set_asked`` carries
    texts to make a set of, and its title."""

    add_asked = Signal()
    list_asked = Signal()
    effort_asked = Signal()
    set_asked = Signal(object, str)

    def __init__(self, recorder: ContestRecorder, tab: VerdictTab, above: Sequence[QWidget]) -> None:
        super().__init__()
        self.state = ContestState()
        self._recorder, self._tab = recorder, tab
        self._room: Room = "wide"
        self._can_run = self._gone = False
        self._table_shown = True
        self._choices: list[bool] | None = None
        """The choices of the final duels, while they are held, between the kept jokes in the order ``_finalists``."""
        self._finalists: list[str] = []
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
        self._beside = HBox(self.table_card, self.pane, gap=14)
        VBox(*above, self.strip, (self._beside, 1), parent=self, gap=14, margins=(0, 0, 12, 24))
        self._looked = single_shot(self, self._on_looked, _SEEN_MS)
        self._cut_rest = single_shot(self, lambda: self._on_cut_held(False), _CUT_MS)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._connect()

    def _connect(self) -> None:
        strip, pane = self.strip, self.pane
        strip.part_asked.connect(self.show_part)
        strip.cut_moved.connect(self._on_cut)
        strip.cut_held.connect(self._on_cut_held)
        strip.add_button.clicked.connect(self.add_asked)
        strip.export_button.clicked.connect(lambda: self.export(kept_only=self.state.desk.notes.kept > 0))
        strip.stop_button.clicked.connect(self._tab.stop)
        strip.go_on_button.clicked.connect(self._tab.run)
        strip.more_button.clicked.connect(self._open_more)
        strip.list_button.clicked.connect(self.toggle_table)
        self.table.selected.connect(self.go_to)
        self.table.menu_asked.connect(self._open_row_menu)
        self.model.moved.connect(self._drop)
        self.search.textChanged.connect(lambda _text: self._show_table())
        self.search.returnPressed.connect(self._go_to_first)
        pane.keep_button.clicked.connect(lambda: self.mark("keep"))
        pane.bin_button.clicked.connect(lambda: self.mark("bin"))
        pane.later_button.clicked.connect(lambda: self.mark("later"))
        pane.undo_button.clicked.connect(self.undo)
        pane.open_button.clicked.connect(self.open_in_rate)
        pane.step.connect(self.step)
        pane.chosen_twin.connect(self.let_stay)
        pane.back_link.clicked.connect(self.put_back)
        pane.export_button.clicked.connect(lambda: self.export(kept_only=True))
        pane.copy_button.clicked.connect(self.copy_kept)
        pane.set_button.clicked.connect(self.make_set)
        pane.final_button.clicked.connect(self.begin_final)
        pane.final.chosen.connect(self.choose)
        pane.final.equal.connect(self.choose_neither)
        pane.final.undo_button.clicked.connect(self.undo)
        pane.final.stop_button.clicked.connect(self.leave)
        for number in range(1, len(PARTS) + 1):
            add_action(self, f"Show part {number} of the list", f"Alt+{number}", partial(self._show_nth, number))
        add_action(self, "Move a kept joke up", "Alt+Up", lambda: self.move_kept(-1))
        add_action(self, "Move a kept joke down", "Alt+Down", lambda: self.move_kept(1))
        for words, act in (
            ("Keep the first jokes, to the cut", self.keep_first),
            ("Export the kept jokes", lambda: self.export(kept_only=True)),
            ("Export the whole list", lambda: self.export(kept_only=False)),
            ("Hide or show places", self.toggle_blind),
            ("Tell how sure the order is", self.show_order),
            ("Screen the list: what passes, and what people vote on", self.screen_list),
        ):
            add_action(self, words, "", act)
        for words, keys in _KEYS.items():
            add_keys(self, words, keys)

    def minimumSizeHint(self) -> QSize:
        return QSize(px(320), px(320))

    # Room

    def set_room(self, room: Room) -> None:
        """Set the room: list and joke side by side, or one at a time."""
        self._room = room
        self.strip.set_room(room)
        self._fit_pane()
        for at, share in enumerate(_SHARES[room]):
            self._beside.setStretch(at, share)
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
        self.table_card.setVisible(shown and self._table_shown)
        self.pane.setVisible(shown and (self._room != "narrow" or not self._table_shown))

    def toggle_table(self) -> None:
        """Switch between the list and the joke, if there is room for only one."""
        if self._room == "narrow":
            self._table_shown = not self._table_shown
            self._place()
            self.focus_first()

    def focus_first(self) -> None:
        """Focus the widget whose keys work the desk."""
        if self.pane.at_end and self.pane.export_button.isVisibleTo(self):
            self.pane.export_button.setFocus()
        else:
            (self.table if self.table_card.isVisibleTo(self) else self).setFocus()

    # Drawing

    def show_state(self, state: ContestState, *, can_run: bool, gone: bool) -> None:
        """Draw a list. ``can_run``: there is a model, and nothing runs; ``gone``: it was deleted from the history."""
        if state is not self.state:
            self._close_search()
            self._end_final()
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
        kept = state.desk.notes.kept
        strip.export_button.setToolTip(f"Export {wording.count_of(kept, 'kept joke') if kept else 'the whole list'}")
        tiles = state.desk.tiles()
        if state.desk.part not in [tile.part for tile in tiles]:
            state.desk.part = "rest"
        strip.show_parts(tiles, state.desk.part)

    def _redraw(self) -> None:
        """Draw cut, table and joke."""
        state, desk = self.state, self.state.desk
        self._show_table()
        hidden = len(desk.pool) < 2 or desk.blind or desk.part == "kept"
        self.strip.show_cut(desk.pool, desk.cut(), estimated=state.estimated, hidden=hidden)
        self._show_joke()

    def _show_table(self) -> None:
        desk = self.state.desk
        self.model.show(desk, self.search.text())
        self.table.share_width()
        self.table.go_to(desk.at)
        if self.search.text() and self.model.row_of(desk.at) < 0:
            self.table.scrollToTop()

    def _show_joke(self) -> None:
        """Draw the current joke, the message that all are seen, or the pair of a final duel."""
        state, desk = self.state, self.state.desk
        self._looked.stop()
        if self._choices is not None:
            self._show_pair()
            return
        self.pane.show_state(state, undo=self._tab.changes.canUndo())
        unseen = desk.current is not None and desk.unseen(desk.at)
        if unseen and self.pane.isVisible() and not (state.live and desk.led):
            self._looked.start()  # a joke that the program chose may not have been looked at

    # Going through the list

    def go_to(self, id: str) -> None:
        """Show a joke; empty: none."""
        desk = self.state.desk
        if id == desk.at and not self.pane.at_end:
            return
        self._end_final()
        desk.at, desk.led = id, False
        self._keep_place()
        self._show_joke()
        self.table.go_to(id)

    def step(self, by: int) -> None:
        """Show the previous (−1) or next (1) joke in the table's order."""
        row = self.model.row_of(self.state.desk.at)
        other = self.model.entry(row + by if row >= 0 else self.model.rowCount() - 1 if by < 0 else 0)
        if other is not None:
            self.go_to(other.id)

    def advance(self) -> None:
        """Go to the next joke to be seen; after the last, say that all are seen."""
        desk = self.state.desk
        following = desk.next(desk.part, desk.at)
        self.go_to(following.id if following is not None else "")
        if following is None:
            self._show_joke()
            self.focus_first()

    def advance_seen(self) -> None:
        """Mark the current joke as seen and go to the next."""
        self._set_seen()
        self.advance()

    def show_part(self, part: Part) -> None:
        """Show a part of the list, at its first unseen joke."""
        desk = self.state.desk
        self._end_final()
        desk.part = part
        rows = desk.rows(part)
        first = desk.next(part) or (rows[0] if rows and part != "rest" else None)
        desk.at, desk.led = first.id if first is not None else "", False
        self._keep_place()
        self._show_head()
        self._redraw()
        self.focus_first()

    def _show_nth(self, number: int) -> None:
        tiles = self.state.desk.tiles()
        if number <= len(tiles):
            self.show_part(tiles[number - 1].part)

    def _on_looked(self) -> None:
        if self.isVisible():
            self._set_seen()
            self.pane.show_progress(self.state.desk)

    def _set_seen(self) -> None:
        desk = self.state.desk
        if desk.current is not None and desk.unseen(desk.at):
            desk.say([desk.at], read=True)
            self.model.changed(desk.at)
            self._keep_place()

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
        """Close the search, otherwise end the final duels. Return whether there was either."""
        if not self._search_row.isHidden():
            self._close_search()
        elif not self._end_final():
            return False
        self.focus_first()
        return True

    # Marks and votes

    def _change(self, words: str, change: Callable[[], object], *, alone: bool = False) -> None:
        """Make a change of what the user says of the list, which can be undone. ``alone``: only the row of the current
        joke is to be drawn anew, which is seen in a list of thousands."""
        state, blind, made = self.state, self.state.desk.blind, False
        before, after = state.desk.change(change)

        def put(memory: Memory) -> None:
            nonlocal made
            if made:
                state.desk.recall(memory)
            if blind or state.desk.blind:
                self._vote(state, memory)
            its = self.state if self.state.desk is state.desk else state  # it may have gone on meanwhile
            self._recorder.touch(its)
            if its is self.state:
                self._show_head()
                if made or blind or not alone or state.desk.part == "kept":
                    self._redraw()
                else:
                    self.model.changed(state.desk.at)
                    self._show_joke()
            made = True

        self._tab.changes.do(words, lambda: put(after), lambda: put(before), quiet=True)

    def mark(self, mark: Mark) -> None:
        """Mark the current joke, or remove the mark if it has it, and go to the next unseen joke."""
        desk = self.state.desk
        if desk.current is None:
            return
        id, blind, off = desk.at, desk.blind, desk.notes[desk.at].mark == mark
        seen = {"read": True} if mark != "later" and not off else {}
        words = _WORDS[mark][2] if not off else "Took a mark off"
        self._change(words, lambda: desk.say([id], mark=None if off else mark, **seen), alone=True)
        if blind and not desk.blind:
            self._tab.notice.emit("Places are shown from now on.")
        if not off:
            self.advance()

    def _vote(self, state: ContestState, memory: Memory) -> None:
        """Store marks that were set or removed while the places of their jokes were hidden, as blind votes."""
        for id, note in memory.notes.items():
            if state.result is not None and state.desk.entries[id].reading is not None:
                self._recorder.vote(state.result, id, _VOTES.get(note.mark))

    def _keep_place(self, **changes: object) -> None:
        self.state.desk.keep_place(**changes)
        self._recorder.touch(self.state)

    def undo(self) -> None:
        """Undo the last change; during the final duels, the last choice."""
        if not self.undo_choice():
            self._tab.changes.undo()
            self.focus_first()

    def undo_choice(self) -> bool:
        """Undo the last choice of the final duels; False if there is none."""
        if not self._choices:
            return False
        self._choices.pop()
        self._show_joke()
        return True

    def let_stay(self, id: str) -> None:
        """Let this twin stay instead of the others of its family."""
        self._change("Let another twin stay", lambda: self.state.desk.keep_twin(id))

    def put_back(self) -> None:
        """Put back a joke that was left out, or let this twin stay."""
        desk, id = self.state.desk, self.state.desk.at
        if desk.current is None:
            return
        if desk.part_of(id) != "out":
            self.let_stay(id)
            return

        def change() -> None:
            desk.say([id], back=True)
            rows = desk.rows(desk.part)
            following = desk.next(desk.part, id) or (rows[0] if rows else None)
            desk.at = following.id if following is not None else ""

        self._change("Put a joke back", change)

    def _open(self, dialog: Dialog) -> None:
        """Show a dialog, after which the focus returns to the list."""
        dialog.finished.connect(lambda _result: self.focus_first())
        dialog.open()

    # The cut

    def _on_cut(self, first: int) -> None:
        self._keep_place(cut=first)
        self.strip.say_cut(self.state.desk.cut())
        self._on_cut_held(True)
        if not self.strip.cut.isSliderDown():
            self._cut_rest.start()

    def _on_cut_held(self, moving: bool) -> None:
        """Show the cut as a line in the table while it is moved."""
        pool, first = self.state.desk.pool, self.state.desk.cut().first
        row = -1
        if moving and self.model.in_order and pool:
            row = self.model.row_of(pool[first].id) if first < len(pool) else self.model.row_of(pool[-1].id) + 1
        self.table.show_cut(row if row >= 0 else None)

    def keep_first(self) -> None:
        """Keep all jokes before the cut that aren't binned."""
        desk = self.state.desk
        pool = desk.pool[: desk.cut().first]
        ids = [entry.id for entry in pool if desk.notes[entry.id].mark not in ("keep", "bin")]
        self._change(f"Kept {jokes(len(ids))}", lambda: desk.say(ids, mark="keep", read=True))
        self._tab.notice.emit(f"Kept {jokes(len(ids))} more. Ctrl+Z undoes it.")

    # The shortlist

    def _kept(self) -> list[str]:
        return [entry.id for entry in self.state.desk.rows("kept")]

    def move_kept(self, by: int) -> None:
        """Move the current joke up (−1) or down (1) among the kept ones."""
        ids, id = self._kept(), self.state.desk.at
        if self.state.desk.part == "kept" and self._choices is None and id in ids:
            at = ids.index(id)
            self._drop(id, at - 1 if by < 0 else at + 2)

    def _drop(self, id: str, before: int) -> None:
        """Move a kept joke before the one in a row."""
        ids = self._kept()
        at = ids.index(id)
        ids.insert(max(0, before), id)
        del ids[at + (0 <= before <= at)]
        self._order(ids)
        self.go_to(id)

    def _order(self, ids: Sequence[str]) -> None:
        if list(ids) != self._kept():
            self._change("Ordered the kept jokes", lambda: self.state.desk.reorder(ids))
        self._redraw()

    def begin_final(self) -> None:
        """Let the user order the kept jokes by choosing between two at a time."""
        if self.state.desk.notes.kept > 1:
            self.show_part("kept")
            self._finalists, self._choices = self._kept(), []
            self._table_shown = self._room != "narrow"
            self._place()
            self._show_joke()
            self.setFocus()

    def choose(self, first: bool) -> None:
        """Choose the first or the second joke of the pair."""
        if self._choices is not None:
            self._choices.append(first)
            self._show_joke()

    def choose_neither(self) -> None:
        """Keep the order of the pair: the first joke stays behind the other one, which was before it."""
        self.choose(False)

    def _show_pair(self) -> None:
        choices = self._choices or []
        order, pair = final_order(self._finalists, choices)
        if pair is None:
            self._end_final()
            self.focus_first()
            return
        most = sum(math.ceil(math.log2(count + 1)) for count in range(len(order)))
        texts = [self.state.desk.entries[id].text for id in pair]
        self.pane.show_final(texts, f"Choice {len(choices) + 1} of at most {most}", undo=bool(choices))

    def _end_final(self) -> bool:
        """Put the kept jokes into the order of the choices so far. Return whether there were final duels."""
        if self._choices is None:
            return False
        order, pair = final_order(self._finalists, self._choices)
        self._choices = None
        self.state.desk.at = "" if pair is None else self.state.desk.at
        self._order(order)
        return True

    def copy_kept(self) -> None:
        """Copy the kept jokes as text, in their order."""
        entries = self.state.desk.rows("kept")
        if entries:
            between = "\n\n" if any("\n" in entry.text for entry in entries) else "\n"
            QGuiApplication.clipboard().setText(between.join(entry.text for entry in entries))
        self._tab.notice.emit(f"Copied {wording.count_of(len(entries), 'kept joke')}." if entries else _NOTHING)

    def make_set(self) -> None:
        """Make a set of the kept jokes, in their order."""
        if entries := self.state.desk.rows("kept"):
            self.set_asked.emit([entry.text for entry in entries], self.state.title)
        else:
            self._tab.notice.emit(_NOTHING)

    def export(self, *, kept_only: bool) -> None:
        """Ask for a file and write the list, or its kept jokes, to it."""
        result = self.state.marked()
        if result is None or not self.state.usable:
            return
        if kept_only and not self.state.desk.notes.kept:
            self._tab.notice.emit(_NOTHING)
            return
        job = export_job(self._tab.window(), result, kept_only=kept_only)
        if job is not None:
            self._tab.to_export.emit(job)

    # Other tabs

    def open_in_rate(self) -> None:
        """Rate the current joke in the Rate tab."""
        entry = self.state.desk.current
        if entry is not None:
            self._tab.elsewhere_asked.emit("rate", {"text": entry.text, "context": self.state.context})

    def _duel(self) -> None:
        entry = self.state.desk.current
        if entry is not None:
            self._tab.compare_asked.emit(entry.text)

    # Menus and keys

    def menu(self) -> QMenu:
        """Return the menu of the list's other actions."""
        state, desk, menu = self.state, self.state.desk, QMenu(self)
        if desk.notes.kept:
            menu.addAction("Copy the kept jokes\tC", self.copy_kept)
            menu.addAction("Export the kept jokes…", lambda: self.export(kept_only=True))
            if desk.notes.kept > 1:
                menu.addAction("Order the kept jokes by duels\tF", self.begin_final)
            menu.addAction("Make a set of the kept jokes\tS", self.make_set)
            menu.addSeparator()
        if not state.live and state.usable:
            menu.addAction("Export the whole list…", lambda: self.export(kept_only=False))
            menu.addAction("Copy the ranking", self._tab.bar.copy_asked.emit)
            if not self._gone:
                menu.addAction("Note and tags…", self._tab.bar.note_asked.emit)
            menu.addAction("About this order…", self.show_order)
            menu.addAction("Screening…", self.screen_list)
            menu.addAction("Rounds and duels…", self.effort_asked.emit).setEnabled(self._can_run)
            menu.addSeparator()
        if state.estimated and not desk.blind and len(desk.pool) > 1:
            menu.addAction(f"Keep the first {desk.cut().first:,}", self.keep_first)
            menu.addSeparator()
        blind = menu.addAction("Hide places", self.toggle_blind)
        blind.setCheckable(True)
        blind.setChecked(desk.place.blind)
        blind.setToolTip("Until you have kept or binned 20 jokes")
        if not state.live:
            if self._room == "narrow" and state.usable:
                menu.addAction("Add jokes…", self.add_asked.emit).setEnabled(self._can_run)
            menu.addAction("New list…", self.list_asked.emit)
        return menu

    def row_menu(self) -> QMenu:
        """Return the menu of actions on the current joke."""
        desk, menu = self.state.desk, QMenu(self)
        for mark, (word, off, _) in _WORDS.items():
            marked = desk.notes[desk.at].mark == mark
            menu.addAction(f"{off if marked else word}\t{mark[0].upper()}", partial(self.mark, mark))
        if desk.part == "kept":
            menu.addSeparator()
            menu.addAction("Move up\tAlt+Up", lambda: self.move_kept(-1))
            menu.addAction("Move down\tAlt+Down", lambda: self.move_kept(1))
        menu.addSeparator()
        menu.addAction("Open in Rate\tEnter", self.open_in_rate)
        menu.addAction("Duel with…\tD", self._duel)
        return menu

    def _open_more(self) -> None:
        self._popup(self.menu(), self.strip.more_button.mapToGlobal(QPoint(0, self.strip.more_button.height())))

    def _open_row_menu(self, at: QPoint) -> None:
        if self.state.desk.current is not None:
            self._popup(self.row_menu(), at)

    def _popup(self, menu: QMenu, at: QPoint) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def toggle_blind(self) -> None:
        """Hide the places until enough jokes are kept or binned, or show them again."""
        self._keep_place(blind=not self.state.desk.place.blind)
        self._redraw()

    def show_order(self) -> None:
        """Show how certain the list's order is."""
        if self.state.result is not None:
            self._open(order_dialog(self.state.result, self._tab.window()))

    def screen_list(self) -> None:
        """Show what of the list passes, and let people vote on the best."""
        state, result = self.state, self.state.marked()
        if result is None or state.live:
            return
        try:
            dialog = ScreeningDialog(result, self._tab.window())
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)
            return

        def keep_votes(screening: ListScreening) -> None:
            state.desk.notes.screening = screening
            self._recorder.touch(state)

        def keep_jokes(ids: list[str]) -> None:
            self._change(f"Kept {jokes(len(ids))}", lambda: state.desk.say(ids, mark="keep", read=True))

        dialog.voted.connect(keep_votes)
        dialog.kept.connect(keep_jokes)
        self._open(dialog)

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        here = self.table.visualRect(self.table.currentIndex()).center()
        if self._choices is not None:
            return {
                Qt.Key.Key_1: lambda: self.choose(True),
                Qt.Key.Key_2: lambda: self.choose(False),
                Qt.Key.Key_0: self.choose_neither,
                Qt.Key.Key_Equal: self.choose_neither,
                Qt.Key.Key_U: self.undo,
                Qt.Key.Key_Escape: self.leave,
            }
        return {
            Qt.Key.Key_Return: self.open_in_rate,
            Qt.Key.Key_Enter: self.open_in_rate,
            Qt.Key.Key_Slash: self.open_search,
            Qt.Key.Key_T: self.toggle_table,
            Qt.Key.Key_Down: lambda: self.step(1),
            Qt.Key.Key_Up: lambda: self.step(-1),
            Qt.Key.Key_Menu: lambda: self._open_row_menu(self.table.viewport().mapToGlobal(here)),
            Qt.Key.Key_K: lambda: self.mark("keep"),
            Qt.Key.Key_B: lambda: self.mark("bin"),
            Qt.Key.Key_L: lambda: self.mark("later"),
            Qt.Key.Key_U: self.undo,
            Qt.Key.Key_Space: self.advance_seen,
            Qt.Key.Key_D: self._duel,
            Qt.Key.Key_F: self.begin_final,
            Qt.Key.Key_C: self.copy_kept,
            Qt.Key.Key_S: self.make_set,
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


_NOTHING = "Nothing is kept yet. Press K on the jokes that you want to keep."
