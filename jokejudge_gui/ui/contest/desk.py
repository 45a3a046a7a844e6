"""The reading desk: the parts of a list and the cut, above the table of its jokes and the current joke."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ...batch.export import export_contest, format_of
from ...judge.contest.desk import PARTS, Memory, Part, final_order
from ...judge.contest.record import Mark
from ...judge.contest.words import jokes, page
from ..look import wording
from ..look.theme import Room, px
from ..verdict.tab import FieldTab
from ..widgets.cards import Card
from ..widgets.dialog import ask_file
from ..widgets.fields import SearchField
from ..widgets.keyboard import add_action, add_keys
from ..widgets.layout import HBox, VBox, single_shot
from ..widgets.page import PageDialog
from .pane import ReadingPane
from .state import ContestRecorder, ContestState
from .strip import Strip
from .table import DeskModel, DeskTable

_SEEN_MS = 2000
"""Time in ms after which a shown joke counts as seen."""
_SHARES: dict[Room, tuple[int, int]] = {"wide": (412, 608), "medium": (328, 600), "narrow": (1, 1)}
"""The widths of the table and of the joke beside it, whose buttons all have room."""
_BESIDE = 940
"""Least width of a window of medium room, in pixels at 100 %, where both are shown."""
_MARKED: dict[Mark, str] = {"keep": "Kept a joke", "bin": "Binned a joke", "later": "Put a joke off"}
_ENDINGS = {
    "Plain text (*.txt)": ".txt",
    "Table (*.csv)": ".csv",
    "Sheet to print (*.html)": ".html",
    "Markdown (*.md)": ".md",
    "JSON lines (*.jsonl)": ".jsonl",
    "Pairs to train on (*.dpo.jsonl)": ".dpo.jsonl",
}
Key = Qt.Key


class DeskPage(QWidget):
    """Shows the ``Desk`` of a ``ContestState`` and handles its keys, buttons and menus. Requests to the tab: jokes to
    add, a new list, rounds and duels, a set of these texts with a title."""

    add_asked = Signal()
    list_asked = Signal()
    duels_asked = Signal()
    set_asked = Signal(object, str)

    def __init__(self, recorder: ContestRecorder, tab: FieldTab, above: Sequence[QWidget]) -> None:
        super().__init__()
        self.state = ContestState()
        self._recorder, self._tab = recorder, tab
        self._room: Room = "wide"
        self._can_run = self._gone = False
        self._table_shown = True
        self._choices: list[bool] | None = None
        """The choices of the final duels between the kept jokes, while they are held."""
        self.chosen_at = 0  # how many changes of the window there were at the last choice
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
        self._actions: dict[str, list[QAction]] = {}
        self.menu = QMenu(self)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._connect()
        self._register()

    def _connect(self) -> None:
        strip, pane, final = self.strip, self.pane, self.pane.final
        strip.part_asked.connect(self.show_part)
        strip.cut_moved.connect(self._on_cut)
        self.table.selected.connect(self.go_to)
        self.table.doubleClicked.connect(lambda _index: self.open_in_rate())
        self.table.moved.connect(lambda before: self._drop(self.state.desk.at, before))
        self.search.textChanged.connect(lambda _text: self._show_table())
        self.search.returnPressed.connect(self._go_to_first)
        pane.step.connect(self.step)
        pane.chosen_twin.connect(self.let_stay)
        final.chosen.connect(self.choose)
        final.equal.connect(lambda: self.choose(False))
        for button, act in (
            (strip.export_button, lambda: self.export(kept_only=self.state.desk.notes.kept > 0)),
            (strip.stop_button, self._tab.stop_asked.emit),
            (strip.go_on_button, self._tab.run),
            (strip.more_button, lambda: self.menu.popup(strip.more_button.mapToGlobal(QPoint(0, px(34))))),
            (pane.open_button, self.open_in_rate),
            (pane.back_link, self.put_back),
            (final.undo_button, self.undo),
            (final.stop_button, self.leave),
        ):
            button.clicked.connect(lambda _checked=False, act=act: act())

    def _register(self) -> None:
        """Make the actions by when they are offered, each with its key and its button: those on a joke are the table's
        menu, those on the list the menu of the strip."""
        strip, pane, tab = self.strip, self.pane, self._tab
        actions: tuple[tuple[Any, ...], ...] = (
            ("joke", "Keep", "K", partial(self.mark, "keep"), pane.keep_button),
            ("joke", "Bin", "B", partial(self.mark, "bin"), pane.bin_button),
            ("joke", "Later", "L", partial(self.mark, "later"), pane.later_button),
            ("joke", "Move a kept joke up", "Alt+Up", partial(self.move_kept, -1)),
            ("joke", "Move a kept joke down", "Alt+Down", partial(self.move_kept, 1)),
            ("joke", "Duel with another", "D", self._duel),
            ("joke", "Copy the joke", "Ctrl+C", self.copy_joke),
            ("kept", "Copy the kept jokes", "C", self.copy_kept, pane.copy_button),
            ("kept", "Export the kept jokes…", "", partial(self.export, kept_only=True), pane.export_button),
            ("kept", "Order the kept jokes by duels", "F", self.begin_final, pane.final_button),
            ("kept", "Make a set of the kept jokes", "S", self.make_set, pane.set_button),
            ("list", "Export the whole list…", "", partial(self.export, kept_only=False)),
            ("list", "Copy the ranking", "", tab.copy_asked.emit),
            ("list", "About this order…", "", self.show_order),
            ("row", "Note and tags…", "", tab.note_asked.emit),
            ("model", "Hold rounds and duels", "", self.duels_asked.emit),
            ("model", "Add jokes…", "", self.add_asked.emit, strip.add_button),
            ("cut", "Keep the first jokes, to the cut", "", self.keep_first),
            ("all", "Hide or show places", "", self.toggle_blind),
            ("all", "New list…", "", self.list_asked.emit),
            ("keys", "Undo the last change", "U", self.undo, pane.undo_button),
            ("keys", "Search the list", "/", self.open_search),
            ("keys", "Show the list, in a small window", "T", self.toggle_table, strip.list_button),
            *(
                ("keys", f"Show part {number} of the list", f"Alt+{number}", partial(self._show_nth, number))
                for number in range(1, len(PARTS) + 1)
            ),
        )
        for when, words, keys, act, *buttons in actions:
            self._actions.setdefault(when, []).append(add_action(self, words, keys, act))
            for button in buttons:
                button.clicked.connect(lambda _checked=False, act=act: act())
        for words, keys in (("Go to the next joke", "Space"), ("Go back", "Shift+Space"), ("Open in Rate", "Enter")):
            add_keys(self, words, keys)
        self.table.addActions(self._actions["joke"])
        for groups in (("kept",), ("list", "row", "model"), ("cut",), ("all",)):
            for when in groups:
                self.menu.addActions(self._actions[when])
            self.menu.addSeparator()

    def _offer(self) -> None:
        """Offer the actions that make sense now."""
        state, desk, plain = self.state, self.state.desk, self._choices is None
        there = not state.live and state.usable
        sensible = {
            "joke": plain and desk.current is not None,
            "kept": plain and desk.notes.kept > 0,
            "list": there,
            "row": there and not self._gone,
            "model": there and self._can_run,
            "cut": plain and self.strip.has_cut and self.strip.cut.isEnabled(),
        }
        for when, offered in sensible.items():
            for action in self._actions[when]:
                action.setVisible(offered)
        self._actions["cut"][0].setText(f"Keep the first {self.strip.cut.value():,}, to the cut")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, shift = event.key(), event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        acts: dict[int, Callable[[], object]] = {
            Key.Key_Space: partial(self.step, -1) if shift else self.advance,
            Key.Key_Return: self.open_in_rate, Key.Key_Enter: self.open_in_rate,
            Key.Key_Down: partial(self.step, 1), Key.Key_Up: partial(self.step, -1),
        }  # fmt: skip
        if self._choices is not None:
            keys = {Key.Key_1: True, Key.Key_2: False, Key.Key_0: False, Key.Key_Equal: False}
            acts = {key: partial(self.choose, first) for key, first in keys.items()}
        control = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        if key in acts and not control and not self.search.hasFocus():
            acts[key]()
            event.accept()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(px(320), px(320))

    # Room

    def set_room(self, room: Room) -> None:
        """Set the room: list and joke side by side, or one at a time."""
        little = room == "medium" and self.window().width() < px(_BESIDE)
        self._room = room = "narrow" if little else room
        self.strip.set_room(room)
        for at, share in enumerate(_SHARES[room]):
            self._beside.setStretch(at, share)
        self._table_shown = room != "narrow"

    def toggle_table(self) -> None:
        """Switch between the list and the joke, if there is room for only one."""
        if self._room == "narrow":
            self._table_shown = not self._table_shown
            self.draw()
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
        self.draw()

    def show_progress(self) -> None:
        """Draw the judge's progress."""
        gone = "deleted from the history" if self._gone else ""
        self.strip.show_name(self.state.heading, " · ".join(filter(None, (self.state.facts, gone))))

    def draw(self, *, alone: bool = False) -> None:
        """Draw everything. ``alone``: of the table only the marks have changed, which is seen in a list of
        thousands."""
        state, strip, desk = self.state, self.strip, self.state.desk
        shown = state.live or state.usable
        self.table_card.setVisible(shown and self._table_shown)
        self.pane.setVisible(shown and (self._room != "narrow" or not self._table_shown))
        self.show_progress()
        for button, there, usable in (
            (strip.stop_button, state.live, True),
            (strip.go_on_button, state.resumable, self._can_run),
            (strip.add_button, not state.live and self._room != "narrow", self._can_run),
            (strip.export_button, not state.live, state.usable),
        ):
            button.setVisible(there)
            button.setEnabled(usable)
        kept = desk.notes.kept
        strip.export_button.setToolTip(f"Export {wording.count_of(kept, 'kept joke') if kept else 'the whole list'}")
        tiles = desk.tiles()
        if desk.part not in [tile.part for tile in tiles]:
            desk.part = "rest"
        strip.show_parts(tiles, desk.part)
        if alone:
            self.model.changed(desk.at)
        else:
            self._show_table()
            hidden = len(desk.pool) < 2 or desk.blind or desk.part == "kept"
            strip.show_cut(desk.pool, desk.cut(), estimated=state.estimated, hidden=hidden)
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
        self._offer()
        if self._choices is not None:
            self._show_pair(self._choices)
            return
        self.pane.show_state(state, undo=self._tab.changes.canUndo(), alone=self._room == "narrow")
        if self.pane.column.hasFocus():  # where Qt puts it when a button of the end goes
            self.focus_first()
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
        """Mark the current joke as seen, and go to the next to be seen; after the last, say that all are seen."""
        self._set_seen()
        desk = self.state.desk
        following = desk.next(desk.part, desk.at)
        self.go_to(following.id if following is not None else "")
        if following is None:
            self._show_joke()
            self.focus_first()

    def show_part(self, part: Part) -> None:
        """Show a part of the list, at its first unseen joke."""
        desk = self.state.desk
        self._end_final()
        desk.part = part
        rows = desk.rows(part)
        first = desk.next(part) or (rows[0] if rows and part != "rest" else None)
        desk.at, desk.led = first.id if first is not None else "", False
        self._keep_place()
        self.draw()
        self.focus_first()

    def _show_nth(self, number: int) -> None:
        if number <= len(self.strip.tiles):
            self.show_part(self.strip.tiles[number - 1].part)

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
        self.draw()
        self._search_row.show()
        self.search.setFocus()
        self.search.selectAll()

    def _close_search(self) -> None:
        self.search.clear()
        self._search_row.hide()

    def _go_to_first(self) -> None:
        self.table.setFocus()
        if (first := self.model.entry(0)) is not None:
            self.go_to(first.id)

    def leave(self) -> bool:
        """Close the search, otherwise end the final duels, otherwise close the list where it hides the joke. Return
        whether there was any of them."""
        if not self._search_row.isHidden():
            self._close_search()
        elif not self._end_final():
            if self._room != "narrow" or not self._table_shown:
                return False
            self.toggle_table()
        self.focus_first()
        return True

    # Marks

    def _change(self, words: str, change: Callable[[], object], *, alone: bool = False) -> None:
        """Make a change of what the user says of the list, which can be undone. ``alone``: of one joke, which stays
        where it is."""
        state, blind, made = self.state, self.state.desk.blind, False
        before, after = state.desk.change(change)

        def put(memory: Memory) -> None:
            nonlocal made
            if made:
                state.desk.recall(memory)
            its = self.state if self.state.desk is state.desk else state  # it may have gone on meanwhile
            self._recorder.touch(its)
            if its is self.state:
                self.draw(alone=alone and not made and not blind and state.desk.part != "kept")
            made = True

        self._tab.changes.do(words, lambda: put(after), lambda: put(before), quiet=True)

    def mark(self, mark: Mark) -> None:
        """Mark the current joke, or remove the mark if it has it, and go to the next unseen joke."""
        desk = self.state.desk
        if desk.current is None:
            return
        id, blind, off = desk.at, desk.blind, desk.notes[desk.at].mark == mark
        row = self.model.row_of(id)
        seen = {"read": True} if mark != "later" and not off else {}
        words = "Took a mark off" if off else _MARKED[mark]
        self._change(words, lambda: desk.say([id], mark=None if off else mark, **seen), alone=True)
        if blind and not desk.blind:
            self._tab.notice.emit("Places are shown from now on.")
        if desk.part == "kept" and desk.notes[id].mark != "keep":
            beside = self.model.entry(row) or self.model.entry(row - 1)
            self.go_to(beside.id if beside is not None else "")
        elif not off:
            self.advance()

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

    def toggle_blind(self) -> None:
        """Hide the places until enough jokes are kept or binned, or show them again."""
        self._keep_place(blind=not self.state.desk.place.blind)
        self.draw()

    # The cut

    def _on_cut(self, first: int) -> None:
        self._keep_place(cut=first)
        self.strip.say_cut(self.state.desk.cut())
        self._offer()
        if self.model.in_order and (pool := self.state.desk.pool):
            self.table.look_at(pool[min(first, len(pool) - 1)].id)

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
            self._drop(id, ids.index(id) + (by if by < 0 else 2))

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
            self._change("Ordered the kept jokes", lambda: self.state.desk.keep_place(kept=tuple(ids)))
        else:
            self.draw()

    def begin_final(self) -> None:
        """Let the user order the kept jokes by choosing between two at a time."""
        if self.state.desk.notes.kept > 1:
            self.show_part("kept")
            self._choices, self._table_shown = [], self._room != "narrow"
            self.draw()
            self.setFocus()

    def choose(self, first: bool) -> None:
        """Choose the first or the second joke of the pair. Who finds both equal chooses the second, which was before
        the first."""
        if self._choices is not None:
            self._choices.append(first)
            self.chosen_at = self._tab.changes.index()
            self._show_joke()

    def _show_pair(self, choices: Sequence[bool]) -> None:
        order, pair = final_order(self._kept(), choices)
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
        order, pair = final_order(self._kept(), self._choices)
        self._choices = None
        self.state.desk.at = "" if pair is None else self.state.desk.at
        self._order(order)
        return True

    def _kept_texts(self) -> list[str]:
        """Return the kept jokes, in their order; without any, say so."""
        texts = [entry.text for entry in self.state.desk.rows("kept")]
        if not texts:
            self._tab.notice.emit("Nothing is kept yet. Press K on the jokes that you want to keep.")
        return texts

    def copy_joke(self) -> None:
        """Copy the current joke as text."""
        if (entry := self.state.desk.current) is not None:
            QGuiApplication.clipboard().setText(entry.text)
            self._tab.notice.emit("Copied the joke.")

    def copy_kept(self) -> None:
        """Copy the kept jokes as text, in their order."""
        if texts := self._kept_texts():
            between = "\n\n" if any("\n" in text for text in texts) else "\n"
            QGuiApplication.clipboard().setText(between.join(texts))
            self._tab.notice.emit(f"Copied {wording.count_of(len(texts), 'kept joke')}.")

    def make_set(self) -> None:
        """Make a set of the kept jokes, in their order."""
        if texts := self._kept_texts():
            self.set_asked.emit(texts, self.state.title)

    def export(self, *, kept_only: bool) -> None:
        """Ask for a file and write the list, or its kept jokes, to it."""
        result = self.state.marked()
        if result is None or not self.state.usable or (kept_only and not self._kept_texts()):
            return
        title, name = ("Export the kept jokes", "kept.txt") if kept_only else ("Export the whole list", "ranking.txt")
        path = ask_file(self._tab.window(), title, name, _ENDINGS)
        if path is None:
            return

        def write() -> str:
            form = format_of(path)
            count = export_contest(result, path, form, kept_only=kept_only, replace=True)
            return f"Exported {wording.count_of(count, 'pair' if form == 'dpo' else 'joke')} to {path}."

        self._tab.to_export.emit(write)

    # Other places

    def open_in_rate(self) -> None:
        """Rate the current joke in the Rate tab."""
        if (entry := self.state.desk.current) is not None:
            self._tab.elsewhere_asked.emit("rate", {"text": entry.text, "context": self.state.context})

    def _duel(self) -> None:
        if (entry := self.state.desk.current) is not None:
            self._tab.compare_asked.emit(entry.text)

    def show_order(self) -> None:
        """Show how certain the list's order is."""
        if self.state.result is not None:
            whole = page(self.state.result)
            words = replace(whole, headline="", lead=whole.lead[1:], notes=(), tables=())
            dialog = PageDialog(words, self._tab.window(), "About this order", (520, 380))
            dialog.finished.connect(lambda _result: self.focus_first())
            dialog.open()
