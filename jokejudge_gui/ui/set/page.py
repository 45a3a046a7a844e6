"""A set as a page: its bits in their order, how they fill the time, and the bit that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QSizePolicy, QWidget

from ...core.words import fact_lines
from ...judge.set.record import Bit, SetResult
from ...judge.set.words import SHEET_HEAD, clock, glance, marked, name_of, order, page
from ..look import wording
from ..look.theme import Room, font, px, theme
from ..widgets.actions import add_action, add_keys
from ..widgets.base import LEFT, RIGHT, KeyActs, plain_tooltip
from ..widgets.cards import Card, Rule
from ..widgets.controls import ChoiceButton, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.marked_text import MarkedText
from ..widgets.page import PageView
from ..widgets.rows import Index, RowModel, RowTable
from ..widgets.text import Heading, Paragraph

_MINUTES = (None, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0)
_LONG, _LARGE, _SMALL = 160, 20, 15
DELETED = "This set was deleted."


class Column(IntEnum):
    NUMBER = 0
    BIT = 1
    LAST = 2
    SECONDS = 3
    TOTAL = 4


_WIDTHS = {Column.NUMBER: 34, Column.SECONDS: 66, Column.TOTAL: 60}


class SetModel(RowModel[Bit]):
    """The bits of a set in their order. ``renamed`` carries the id of a bit and its new title."""

    renamed = Signal(str, str)
    fixed = False
    """Whether nothing can be changed now."""

    def show_set(self, result: SetResult) -> None:
        self.beginResetModel()
        self._rows, self._lines = list(result.bits), order(result).rows
        self.endResetModel()

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in _WIDTHS else LEFT
        shown = role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal
        return (*SHEET_HEAD[:2], *SHEET_HEAD[3:])[section] if shown else None

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        bit, column = self._rows[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._lines[index.row()][column]
            case Qt.ItemDataRole.EditRole:
                return bit.title
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(bit.text)
            case Qt.ItemDataRole.AccessibleTextRole:
                number, name, last, seconds, total = self._lines[index.row()]
                return f"{number}: {name}, {seconds} seconds, to {total}, ends “{last}”"
            case Qt.ItemDataRole.FontRole:
                return font(14, 600 if bit.title else 400) if column is Column.BIT else font(13, tabular=True)
            case Qt.ItemDataRole.ForegroundRole:
                return theme().colour("text" if column is Column.BIT else "text2")
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if column in _WIDTHS else LEFT
        return None

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        self.renamed.emit(self._rows[index.row()].id, " ".join(str(value).split()))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if self.fixed:
            return flags
        if not index.isValid():
            return flags | Qt.ItemFlag.ItemIsDropEnabled
        editable = Qt.ItemFlag.ItemIsEditable if index.column() == Column.BIT else Qt.ItemFlag(0)
        return flags | Qt.ItemFlag.ItemIsDragEnabled | editable


class SetTable(RowTable[SetModel]):
    """The bits, one line each."""

    def share_width(self) -> None:
        """Set the widths; the ends give way where there is little room."""
        room = self.viewport().width() - px(sum(_WIDTHS.values()))
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, px(width))
        self.setColumnHidden(Column.LAST, room < px(300))
        self.setColumnWidth(Column.LAST, int(room * 0.5))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() is QAbstractItemView.State.EditingState:
            event.accept()  # Enter and Esc end the editing of a title, and are no keys of the page
        else:
            super().keyPressEvent(event)


class SetPage(KeyActs, QWidget):
    """The page of ``result``. ``changed`` carries what was done, in words, and the changed set; ``rate_asked`` a bit;
    ``sheet_asked``: write the stage sheet; ``rest_asked``: read the bits that weren't; ``back_asked``: show the list
    again."""

    changed = Signal(str, object)
    rate_asked = Signal(object)
    sheet_asked = Signal()
    rest_asked = Signal()
    back_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.result = SetResult(id="")
        self._at, self._fixed = "", False
        self._times: list[float | None] = []
        self.heading, self.facts = Heading("", 4), Paragraph("", 14, token="text")
        self.minutes = ChoiceButton("Time to fill", fitted=True)
        self.minutes.chosen.connect(self._fill)
        self.rest_button = SecondaryButton("Read the rest", act=self.rest_asked)
        self.sheet_button = PrimaryButton("Stage sheet", "export", tip="Write the stage sheet (Ctrl+P)",
                                          act=self.sheet_asked)  # fmt: skip
        self.back_link = LinkButton("Back to the list", act=self.back_asked)
        self.strip = Card(padding=14)
        self.strip.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        head = HBox((self.heading, 1), self.minutes, self.sheet_button, gap=12)
        self.strip.add(head, HBox((self.facts, 1), self.rest_button, self.back_link, gap=12))
        self.model = SetModel(self)
        self.table = SetTable(self.model, "Bits", Column.BIT)
        self.table_card = Card(padding=0)
        self.table_card.setAccessibleName("Order")
        self.table_card.body.add(VBox((self.table, 1), gap=0, margins=(1, 1, 6, 8)))
        self.text, self.bit_facts, self.findings = MarkedText(), Paragraph("", 13), PageView("Findings", fold=True)
        column = QWidget()
        VBox(self.text, self.bit_facts, Rule(faint=True), self.findings, 1, parent=column, gap=12,
             margins=(19, 20, 7, 14))  # fmt: skip
        self.pane = Card(padding=0)
        self.pane.setAccessibleName("Bit")
        self.pane.body.add((ColumnScroll(column), 1))
        for card in (self.table_card, self.pane):
            card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self._beside = HBox((self.table_card, 56), (self.pane, 44), gap=14)
        VBox(self.strip, (self._beside, 1), parent=self, gap=14, margins=(0, 0, 12, 24))
        self.table.selected.connect(self._go_to)
        self.table.menu_asked.connect(self._open_menu)
        self.model.moved.connect(self._drop)
        # Later, since the model is reset, and the view still has its editor.
        self.model.renamed.connect(self._rename, Qt.ConnectionType.QueuedConnection)
        add_action(self, "Move a bit up", "Alt+Up", lambda: self.move_bit(-1))
        add_action(self, "Move a bit down", "Alt+Down", lambda: self.move_bit(1))
        add_action(self, "Write the stage sheet of a set", "Ctrl+P", self.sheet_asked.emit)
        add_keys(self, "Open a bit in Rate", "Enter")
        add_keys(self, "Give a bit a title", "F2")
        add_keys(self, "Take a bit out of its set", "Delete")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def set_room(self, room: Room) -> None:
        """Put the bit beside the order, or under it."""
        self._beside.stack(room == "narrow")

    def focus_first(self) -> None:
        self.table.setFocus()

    def show_set(self, result: SetResult, *, live: bool = False, gone: bool = False) -> None:
        """Show a set. ``live``: its bits are being read; ``gone``: it isn't in the history any more."""
        self.result, self._fixed, self.model.fixed = result, live or gone, live or gone
        brief = glance(result)
        unread = sum(bit.rating is None and bit.error is None for bit in result.bits)
        doing = f" Reading, {unread:,} to go." if live else f" {DELETED}" if gone else ""
        self.heading.show_text(wording.one_line(name_of(result), 80))
        self.facts.set_content([(f"{brief.headline}.", "strong"), (doing, "normal")])
        self._times = sorted({*_MINUTES, result.minutes}, key=lambda one: one or 0.0)
        names = ["No time to fill" if one is None else f"{one:g} min to fill" for one in self._times]
        self.minutes.set_options(names, self._times.index(result.minutes))
        self.rest_button.setVisible(bool(unread) and not self._fixed)
        for control in (self.minutes, self.sheet_button):
            control.setEnabled(not self._fixed)
        self.model.show_set(result)
        self._go_to(self._at if self.model.row_of(self._at) >= 0 else "".join(bit.id for bit in result.bits[:1]))

    def _go_to(self, id: str) -> None:
        self._at = id
        self.table.go_to(id)
        row = self.model.row_of(id)
        if row >= 0:
            shown, bit = marked(self.result, row), self.result.bits[row]
            self.text.set_text(shown.text, shown.marks, size=_SMALL if len(shown.text) > _LONG else _LARGE)
            facts = (*fact_lines(bit.text), f"ends at {clock(sum(one.spoken for one in self.result.bits[: row + 1]))}")
            self.bit_facts.show_text(" · ".join(facts))
        whole = page(self.result)
        rows = tuple(row for row in whole.rows if not row.quiet)
        self.findings.show_pages(replace(whole, headline="", texts=(), rows=rows, tables=()))

    @property
    def _ids(self) -> list[str]:
        return [bit.id for bit in self.result.bits]

    # Changes

    def move_bit(self, by: int) -> None:
        """Move the chosen bit up (−1) or down (1)."""
        row = self.model.row_of(self._at)
        if row >= 0:
            self._drop(self._at, row - 1 if by < 0 else row + 2)

    def _drop(self, id: str, before: int) -> None:
        """Move a bit before the one in a row."""
        ids = self._ids
        at = ids.index(id)
        ids.insert(max(0, before), id)
        del ids[at + (0 <= before <= at)]
        self._at = id
        self._put(ids, "Moved a bit")

    def _take_out(self) -> None:
        if (row := self.model.row_of(self._at)) >= 0 and len(self._ids) > 1:
            ids = [id for id in self._ids if id != self._at]
            self._at = ids[min(row, len(ids) - 1)]
            self._put(ids, "Took a bit out of the set")

    def _put(self, ids: Sequence[str], words: str) -> None:
        if ids != self._ids and not self._fixed:
            self.changed.emit(words, self.result.in_order(ids))

    def _rename(self, id: str, title: str) -> None:
        bits = tuple(bit.replaced(title=title) if bit.id == id else bit for bit in self.result.bits)
        if bits != self.result.bits:
            self.changed.emit("Changed a title", self.result.replaced(bits=bits))

    def _fill(self, at: int) -> None:
        if self._times[at] != self.result.minutes:
            self.changed.emit("Changed the time to fill", self.result.replaced(minutes=self._times[at]))

    # Keys and menu

    def _bit(self) -> Bit | None:
        return self.model.entry(self.model.row_of(self._at))

    def _edit(self) -> None:
        if not self._fixed and (row := self.model.row_of(self._at)) >= 0:
            self.table.edit(self.model.index(row, Column.BIT))

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        rate = partial(self.rate_asked.emit, self._bit())
        return {
            Qt.Key.Key_Return: rate,
            Qt.Key.Key_Enter: rate,
            Qt.Key.Key_F2: self._edit,
            Qt.Key.Key_Delete: self._take_out,
            Qt.Key.Key_Menu: lambda: self._open_menu(
                self.table.viewport().mapToGlobal(self.table.visualRect(self.table.currentIndex()).center())
            ),
        }

    def menu(self) -> QMenu:
        """Return the menu of the chosen bit."""
        menu, bit = QMenu(self), self._bit()
        menu.addAction("Open in Rate\tEnter", lambda: self.rate_asked.emit(bit))
        for words, act in (
            ("Move up\tAlt+Up", lambda: self.move_bit(-1)),
            ("Move down\tAlt+Down", lambda: self.move_bit(1)),
            ("Title…\tF2", self._edit),
            ("Take out of the set\tDel", self._take_out),
        ):
            menu.addAction(words, act).setEnabled(not self._fixed)
        return menu

    def _open_menu(self, at: QPoint) -> None:
        if self._bit() is not None:
            menu = self.menu()
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(at)
