"""The reading desk: the parts of a list and the cut, above the table of its jokes and the current joke."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QDialog, QMenu, QSizePolicy, QWidget

from ...batch.screening import OwnScoreFiles
from ...core.errors import InputError
from ...core.verdict_kinds import foot_of
from ...judge.contest.desk import PARTS, Part
from ...judge.contest.notes import EntryNote, Mark
from ...judge.contest.record import RankedEntry
from ...judge.contest.words import first_group, jokes, summary
from ..history.dialogs import split_tags
from ..look import wording
from ..look.theme import Room, px, theme
from ..verdict.tab import VerdictTab
from ..widgets.base import KeyActs
from ..widgets.cards import Card
from ..widgets.fields import SearchField
from ..widgets.layout import HBox, VBox, chain_controls, single_shot
from .dialogs import OrderDialog, ask_tags, ask_version, export_job
from .pane import ReadingPane
from .screening import ScreeningPane
from .state import ContestRecorder, ContestState
from .strip import Strip
from .table import DeskModel, DeskTable

KEYS = "K keep · B bin · L later · U undo · Space next · Enter open in Rate · / search"
PEOPLE = "Only people can decide between these: read them in this order, or let others choose in Screening and votes."
_READ_MS = 2000
"""Time in ms after which a shown joke counts as read."""
_CUT_MS = 1200
"""Time in ms for which the cut's line stays in the table after a key."""
_ROOMY = (900, 800)
"""Least widths, in pixels at 100 %, at which Undo and Open in Rate have captions beside the list."""
_VOTES: dict[Mark, str] = {"keep": "up", "bin": "down"}


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
        self._recorder, self._tab = recorder, tab
        self._room: Room = "wide"
        self._can_run = False
        self._gone = False
        self._table_shown = True
        self.strip = Strip()
        self.model = DeskModel(self)
        self.table = DeskTable(self.model)
        self.search = SearchField("Search this list")
        self.search.hide()
        self.pane = ReadingPane()
        self._scores = scores
        self._screening: ScreeningPane | None = None
        self.screens = False
        """Whether the list is being screened, not read."""
        self.table_card = Card(padding=0)
        self.table_card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self._search_row = VBox(self.search)
        self.table_card.body.add(self._search_row, (self.table, 1))
        self.table_card.setAccessibleName("List")
        self._beside = HBox((self.table_card, 412), (self.pane, 608), gap=14)
        VBox(*above, self.strip, (self._beside, 1), parent=self, gap=14, margins=(0, 0, 12, 24))
        self._read = single_shot(self, self._on_read, _READ_MS)
        self._cut_rest = single_shot(self, lambda: self._on_cut_held(False), _CUT_MS)
        self._connect()
        theme().changed.connect(self._scale)
        self._scale()

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
        self.search.returnPressed.connect(self._found)
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
            shortcut = QShortcut(QKeySequence(f"Alt+{number}"), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda number=number: self._show_nth(number))
        undo = QShortcut(QKeySequence("Ctrl+Z"), self)
        undo.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        undo.activated.connect(self.undo)

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

    def _scale(self) -> None:
        self.table_card.body.setSpacing(0)
        self.table_card._outer.setContentsMargins(px(1), px(1), px(1), px(8))
        self._search_row.setContentsMargins(px(12), px(8) if not self.search.isHidden() else 0, px(12), 0)

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
        there = self.state.live or self.state.usable
        blind = self.screens and self.screening.face != "list"
        self.table_card.setVisible(there and self._table_shown and not blind)
        beside = there and (self._room != "narrow" or not self._table_shown or blind)
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
        elif self.table_card.isVisibleTo(self):
            self.table.setFocus()
        else:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.setFocus()

    # Drawing

    def show_state(self, state: ContestState, *, can_run: bool, gone: bool) -> None:
        """Draw a list. ``can_run``: there is a model, and nothing runs; ``gone``: it was deleted from the history."""
        if state is not self.state:
            self.search.clear()
            self.search.hide()
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
        live, going = state.live, state.resumable
        strip.stop_button.setVisible(live)
        strip.go_on_button.setVisible(going)
        strip.go_on_button.setEnabled(self._can_run)
        strip.add_button.setVisible(not live and self._room != "narrow")
        strip.add_button.setEnabled(self._can_run)
        strip.export_button.setVisible(not live)
        strip.export_button.setEnabled(state.usable)
        kept = state.notes.kept
        strip.export_button.setToolTip(
            f"Export {wording.count_of(kept, 'kept joke')}" if kept else "Export the whole list"
        )

    def _redraw(self) -> None:
        self._show_parts()
        self._show_joke()

    def _show_parts(self) -> None:
        """Draw tiles, cut and table."""
        state = self.state
        tiles = state.desk.tiles()
        if state.part not in [tile.part for tile in tiles]:
            state.part = "read"
        self.strip.show_parts(tiles, state.part)
        self._show_table()
        self._show_cut()

    def _show_table(self) -> None:
        state = self.state
        self.model.show(state.desk, state.notes, state.part, self.search.text())
        self.table.share_width()
        self.table.go_to(state.at)
        if self.search.text() and self.model.row_of(state.at) < 0:
            self.table.scrollToTop()

    def _show_cut(self) -> None:
        state = self.state
        pool = state.pool
        hidden = len(pool) < 2 or state.desk.blind
        self.strip.show_cut(pool, state.cut(), known=state.estimated, hidden=hidden)

    def _show_joke(self) -> None:
        """Draw the current joke, or the message that all are read."""
        state, desk, part = self.state, self.state.desk, self.state.part
        rows = desk.rows(part)
        entry = desk.entries.get(state.at)
        self._show_progress()
        self._read.stop()
        if self.screens:
            self.screening.show_joke(state.at)
        self.pane.show_marks(state.notes[state.at].mark if entry else None, undo=bool(state.undone))
        if entry is not None:
            english = entry.reading is None or entry.reading.english
            self.pane.show_joke(entry, desk, seen=entry.text in state.seen, english=english)
            if desk.unread(entry.id) and self.pane.isVisible() and not (state.live and state.led):
                self._read.start()  # a joke that the program chose may not have been looked at
        else:
            self.pane.show_end(*self._end(rows), state.notes.kept)

    def _end(self, rows: Sequence[RankedEntry]) -> tuple[str, str]:
        """Return heading and sentence for the end of a part."""
        read, kept, to_go = self.state.desk.progress(self.state.part)
        if self.state.live and not to_go:
            return "The first jokes are being read.", "They appear here one after another." if not rows else ""
        if not rows:
            return "Nothing to read here.", "Choose another part of the list above."
        if to_go:
            return f"{to_go:,} to go.", "Press Space to go on."
        return f"All {read:,} read, {kept:,} kept.", "" if self.state.notes.kept else "Nothing is kept yet."

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
        self.model.show_screened({})

    def _show_screened(self) -> None:
        self._place()
        self.model.show_screened(self.screening.decided)
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
        """Go to the next unread joke; after the last, show that all are read."""
        found = self.state.desk.next(self.state.part, self.state.at)
        if found is not None and found.id == self.state.at and not self.state.desk.unread(found.id):
            found = None if self.state.notes[found.id].mark != "later" else found
        self.go_to(found.id if found is not None else "")
        if found is None:
            self._show_joke()
            self.focus_first()

    def show_part(self, part: Part) -> None:
        """Show a part of the list, at its first unread joke."""
        state = self.state
        state.part = part
        first = state.desk.next(part)
        rows = state.desk.rows(part)
        state.at = first.id if first is not None else "" if part == "read" or not rows else rows[0].id
        state.led = False
        self._keep_place()
        self._redraw()
        self.focus_first()

    def _show_nth(self, number: int) -> None:
        tiles = self.state.desk.tiles()
        if number <= len(tiles):
            self.show_part(tiles[number - 1].part)

    def _on_read(self) -> None:
        """Mark the current joke as read, after it was shown for ``_READ_MS``."""
        state = self.state
        if state.at in state.desk.entries and state.desk.unread(state.at) and self.isVisible():
            state.say([state.at], lambda said: said._replace(read=True), undo=False)
            self._said([state.at])
            self._show_progress()

    def _show_progress(self) -> None:
        state, rows = self.state, self.state.desk.rows(self.state.part)
        at = next((at for at, one in enumerate(rows) if one.id == state.at), -1)
        self.pane.show_progress(state.desk, state.part, at, len(rows))

    def open_search(self) -> None:
        """Show the search field of the list."""
        self._table_shown = True
        self._place()
        self.search.show()
        self._scale()
        self.search.setFocus()
        self.search.selectAll()

    def _found(self) -> None:
        first = self.model.entry(0)
        self.table.setFocus()
        if first is not None:
            self.go_to(first.id)

    def leave(self) -> bool:
        """Close the search, otherwise leave the screening. Return whether there was either."""
        if self.search.isHidden():
            if self.screens:
                self.screening.leave()
                return True
            return False
        self.search.clear()
        self.search.hide()
        self._scale()
        self.focus_first()
        return True

    # Marks and votes

    def _chosen(self) -> list[str]:
        """Return the ids that a key acts on: several selected rows, otherwise the current joke."""
        chosen = [entry.id for entry in self.table.chosen()] if self.table.isVisible() else []
        return chosen if len(chosen) > 1 else [self.state.at] if self.state.at in self.state.desk.entries else []

    def mark(self, mark: Mark) -> None:
        """Mark the chosen jokes, or remove the mark if all have it, and go to the next unread joke."""
        state, ids = self.state, self._chosen()
        if not ids:
            return
        off = all(state.notes[id].mark == mark for id in ids)
        blind = state.desk.blind
        new: Mark | None = None if off else mark
        state.say(ids, lambda said: said._replace(mark=new, read=said.read or new in ("keep", "bin")))
        if blind:
            self._vote(ids)
        self._said(ids)
        if blind and not state.desk.blind:
            self._tab.notice.emit("Places are shown from now on.")
            self._show_parts()
        if off or len(ids) > 1:
            self._show_joke()
        else:
            self.advance()

    def _vote(self, ids: Sequence[str]) -> None:
        """Store the marks of jokes, set while their places were hidden, as blind votes."""
        result = self.state.result
        for id in ids:
            mark = self.state.notes[id].mark
            if result is not None and self.state.desk.entries[id].reading is not None:
                self._recorder.vote(result, id, _VOTES.get(mark) if mark is not None else None)

    def _said(self, ids: Sequence[str]) -> None:
        """Draw and store changed notes on these jokes."""
        self.model.changed(ids)
        self._show_head()
        self._keep_place()

    def _keep_place(self, **changes: object) -> None:
        self.state.keep_place(**changes)
        self._recorder.touch(self.state)

    def undo(self) -> None:
        """Undo the last change and show its joke."""
        last = self.state.undo()
        if last is None:
            return
        if self.state.desk.blind:
            self._vote(list(last.said))
        self._said(list(last.said))
        if self.state.at and all(entry.id != self.state.at for entry in self.state.desk.rows(self.state.part)):
            self.state.part = "all"
        self._redraw()
        self.focus_first()

    def keep_instead(self, id: str) -> None:
        """Keep this twin instead of the others of its family."""
        self._said(self.state.keep_twin(id))
        self._redraw()

    def put_back(self) -> None:
        """Put back a joke that was left out, or keep this twin."""
        state = self.state
        if state.at not in state.desk.entries:
            return
        if state.desk.part_of(state.at) != "out":
            self.keep_instead(state.at)
            return
        id = state.at
        state.say([id], lambda said: said._replace(back=True))
        self._said([id])
        following = state.desk.next(state.part, id)
        rows = state.desk.rows(state.part)
        state.at = following.id if following is not None else rows[0].id if rows else ""
        self._redraw()

    def _star(self) -> None:
        ids = self._chosen()
        on = not all(self.state.notes[id].starred for id in ids)
        self._plainly(ids, lambda said: said._replace(starred=on))

    def _plainly(self, ids: Sequence[str], change: Callable[[EntryNote], EntryNote]) -> None:
        self.state.say(ids, change)
        self._said(ids)
        self.pane.undo_button.setEnabled(True)

    def _tag(self) -> None:
        chosen, notes = self._chosen(), self.state.notes
        if not chosen:
            return
        # For several jokes, show the tags that all of them have; the others stay.
        common = [tag for tag in notes[chosen[0]].tags if all(tag in notes[one].tags for one in chosen)]
        dialog = ask_tags(jokes(len(chosen)), common, notes.tags(), self._tab)
        dialog.accepted.connect(
            lambda: self._plainly(chosen, lambda said: said._replace(tags=_joined(said.tags, common, dialog.text)))
        )
        self._open(dialog)

    def _open(self, dialog: QDialog) -> None:
        """Show a dialog, after which the focus returns to the list."""
        dialog.finished.connect(lambda _result: self.focus_first())
        dialog.open()

    # The cut

    def _on_cut(self, keep: int) -> None:
        self._keep_place(cut=keep)
        self.strip.say_cut(self.state.cut(), known=self.state.estimated)
        self._on_cut_held(True)
        if not self.strip.cut.isSliderDown():
            self._cut_rest.start()

    def _on_cut_held(self, held: bool) -> None:
        """Show the cut as a line in the table while it is moved."""
        pool, keep = self.state.pool, self.state.keeps
        row = None
        if held and self.model.in_order and pool:
            row = self.model.row_of(pool[keep].id) if keep < len(pool) else self.model.row_of(pool[-1].id) + 1
        self.table.show_cut(row if row is None or row >= 0 else None)

    def keep_first(self) -> None:
        """Mark all jokes that the cut keeps as kept."""
        ids = [entry.id for entry in self.state.pool[: self.state.keeps]]
        self.state.say(ids, lambda said: said._replace(mark="keep", read=True))
        self._said(ids)
        self._redraw()

    # Versions, other tabs, files

    def _ask_version(self) -> None:
        entry = self.state.desk.entries.get(self.state.at)
        if entry is not None:
            dialog = ask_version(entry.text, self._tab)
            dialog.accepted.connect(lambda: self.add_version(entry, dialog.text))
            self._open(dialog)

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
        entry = self.state.desk.entries.get(self.state.at)
        if entry is not None:
            self._tab.elsewhere_asked.emit("rate", {"text": entry.text, "context": self.state.context})

    def _duel(self) -> None:
        entries = [self.state.desk.entries[id] for id in self._chosen()]
        if len(entries) == 1:
            self._tab.compare_asked.emit(entries[0].text)
        elif len(entries) == 2:
            texts = {"text_a": entries[0].text, "text_b": entries[1].text}
            self._tab.elsewhere_asked.emit("duel", {**texts, "context": self.state.context})

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
        ended, usable = not state.live, state.usable
        if state.estimated and not state.desk.blind and len(state.pool) > 1:
            menu.addAction(f"Keep these {state.keeps:,}", self.keep_first)
        blind = menu.addAction("Read blind", self._toggle_blind)
        blind.setCheckable(True)
        blind.setChecked(state.notes.desk is not None and state.notes.desk.blind)
        blind.setToolTip("Places are hidden until you have kept or binned 20 jokes")
        menu.addSeparator()
        if ended and usable:
            menu.addAction("Rounds and duels…", self.effort_asked.emit).setEnabled(self._can_run)
            screening = partial(self.show_screening, on=not self.screens)
            menu.addAction("Back to reading" if self.screens else "Screening and votes…", screening)
            menu.addAction("About this order…", self._show_order)
            menu.addSeparator()
            menu.addAction("Export the whole list…", lambda: self.export(kept_only=False))
            menu.addAction("Copy as text", self._tab.bar.copy_asked.emit)
            if not self._gone:
                menu.addAction("Note and tags…", self._tab.bar.note_asked.emit)
        if ended:
            if self._room == "narrow" and usable:
                menu.addAction("Add jokes…", self.add_asked.emit).setEnabled(self._can_run)
            menu.addAction("New list…", self.list_asked.emit)
        return menu

    def row_menu(self) -> QMenu:
        """Return the menu of actions on the selected jokes."""
        chosen, menu = self._chosen(), QMenu(self)
        said = [self.state.notes[id].mark for id in chosen]
        words: tuple[tuple[Mark, str, str], ...] = (
            ("keep", "Keep", "Don't keep"), ("bin", "Bin", "Take out of the bin"), ("later", "Later", "Not later"),
        )  # fmt: skip
        for mark, word, off in words:
            on = bool(said) and all(each == mark for each in said)
            menu.addAction(off if on else word, partial(self.mark, mark))
        menu.addSeparator()
        menu.addAction("Star, or remove the star", self._star)
        menu.addAction("Tags…", self._tag)
        if len(chosen) == 1:
            menu.addAction("Write a new version…", self._ask_version)
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

    def _toggle_blind(self) -> None:
        before = self.state.notes.desk
        self._keep_place(blind=not (before is not None and before.blind))
        self.state.divide()
        self._redraw()

    def _show_order(self) -> None:
        result = self.state.result
        if result is not None:
            lines = summary(result)
            if first_group(result) > 1:
                lines.append(PEOPLE)
            self._open(OrderDialog(lines, " · ".join(foot_of(result)), self._tab.window()))

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
            Qt.Key.Key_F2: self._ask_version,
        }

    def advance_read(self) -> None:
        """Mark the current joke as read and go to the next."""
        state = self.state
        if state.at in state.desk.entries and state.desk.unread(state.at):
            state.say([state.at], lambda said: said._replace(read=True))
            self._said([state.at])
        self.advance()

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


def _joined(old: Sequence[str], shown: Sequence[str], typed: str) -> tuple[str, ...]:
    """Return the tags of a joke after the ``shown`` ones were replaced by the ``typed`` ones."""
    return split_tags(",".join([*(tag for tag in old if tag not in shown), typed]))
