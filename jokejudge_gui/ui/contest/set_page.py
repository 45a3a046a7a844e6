"""A set as a page: its bits in their order, how they fill the time, and the bit that is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QSizePolicy, QTreeWidget, QTreeWidgetItem, QWidget

from ...core.errors import JokeJudgeError
from ...core.events import Failed
from ...core.room import with_marks
from ...core.words import fact_lines
from ...history.query import HistoryEntry, HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ...judge.contest.kind import CONTEST
from ...judge.set.record import Bit, SetRequest, SetResult
from ...judge.set.words import SET, file_name, glance, lines, marked, name_of, page
from ..history.view import jokes_of
from ..judge_worker import Job
from ..look import wording
from ..look.theme import Room, font, px, theme
from ..sheet import ENDINGS, write_sheet
from ..verdict.tab import JobTab, VerdictState
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card, Rule
from ..widgets.controls import ChoiceButton, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.dialog import ask_file
from ..widgets.keyboard import add_action, add_keys
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.marked_text import MarkedText
from ..widgets.page import PageView
from ..widgets.text import Heading, Paragraph

_MINUTES = (None, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0)
_LONG, _LARGE, _SMALL = 160, 20, 15
_HEADS = ("", "Bit", "Punchline, or last words", "Seconds", "Total")
_NUMBER, _BIT, _LAST, _SECONDS, _TOTAL = range(len(_HEADS))


class BitList(QTreeWidget):
    """The bits, a line each. ``moved`` carries the row before which the chosen one was dropped."""

    moved = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Bits")
        self.setHeaderLabels(_HEADS)
        for column in (_SECONDS, _TOTAL):
            self.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setDragDropMode(QTreeWidget.DragDropMode.InternalMove)
        self.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in (_BIT, _LAST):
            self.header().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def dropEvent(self, event: QDropEvent) -> None:
        at = event.position().toPoint()
        index = self.indexAt(at)
        below = at.y() > self.visualRect(index).center().y()
        event.setDropAction(Qt.DropAction.IgnoreAction)  # the page moves it
        event.accept()
        self.moved.emit(index.row() + below if index.isValid() else self.topLevelItemCount())

    def show_bits(self, result: SetResult, *, fixed: bool) -> None:
        """Show the bits of a set. ``fixed``: they can't be changed."""
        self.clear()
        flag = Qt.ItemFlag
        own = flag(0) if fixed else flag.ItemIsDragEnabled | flag.ItemIsEditable
        for bit, (number, name, _, last, seconds, total) in zip(result.bits, lines(result), strict=True):
            item = QTreeWidgetItem([number, name, last, seconds, total])
            spoken = f"{number}: {name}, {seconds} seconds, to {total}, ends “{last}”"
            item.setData(_BIT, Qt.ItemDataRole.AccessibleTextRole, spoken)
            item.setToolTip(_BIT, plain_tooltip(bit.text))
            item.setFlags(flag.ItemIsEnabled | flag.ItemIsSelectable | own)
            item.setSizeHint(_BIT, QSize(0, px(34)))
            item.setFont(_BIT, font(14, 600 if bit.title else 400))
            for column in (_NUMBER, _SECONDS, _TOTAL):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.addTopLevelItem(item)


class SetPage(JobTab):
    """The page of a set in the Contest tab: made, read, changed, and written as a sheet. ``turned``: a set is to be
    shown; ``rewritten``: the history has changed; ``back_asked``: show its list, or a new one."""

    turned = Signal()
    rewritten = Signal()
    back_asked = Signal()
    kind = SET

    def __init__(self, store: HistoryStore) -> None:
        super().__init__()
        self._store = store
        self._at = ""
        self._expected: SetResult | None = None
        self._times: list[float | None] = []
        self.heading, self.facts = Heading("", 4), Paragraph("", 14, token="text")
        self.minutes = ChoiceButton("Time to fill")
        self.minutes.chosen.connect(lambda at: self._change("Changed the time to fill", minutes=self._times[at]))
        self.sheet_button = PrimaryButton("Stage sheet", "export", tip="Write the stage sheet (Ctrl+P)",
                                          act=self.write)  # fmt: skip
        self.bit_button = SecondaryButton("Bit", tip="Show the bit, or the order (T)", act=self._turn)
        self.back_link = LinkButton("Back to the list", act=self.back_asked)
        strip = Card(padding=14)
        strip.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        strip.add(HBox((self.heading, 1), self.minutes, self.sheet_button, gap=12),
                  HBox((self.facts, 1), self.bit_button, self.back_link, gap=12))  # fmt: skip
        self.list, order = BitList(), Card(padding=0)
        order.body.add(VBox((self.list, 1), margins=(6, 1, 6, 8)))
        self.text, self.bit_facts, self.findings = MarkedText(), Paragraph("", 13), PageView("Findings", fold=True)
        column, bit = QWidget(), Card(padding=0)
        VBox(self.text, self.bit_facts, Rule(faint=True), self.findings, 1, parent=column, gap=12,
             margins=(19, 20, 7, 14))  # fmt: skip
        bit.body.add((ColumnScroll(column), 1))
        for card, name in ((order, "Order"), (bit, "Bit")):
            card.setAccessibleName(name)
            card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self._order, self._bit = order, bit
        VBox(strip, (HBox((order, 56), (bit, 44), gap=14), 1), parent=self, gap=14, margins=(0, 0, 12, 24))
        self.list.currentItemChanged.connect(lambda _item, _before: self._show_bit())
        self.list.itemActivated.connect(lambda _item: self._rate(self.result.bits[self._row]))
        # Later, since the list is filled anew while the view is still at work.
        self.list.moved.connect(self._drop, Qt.ConnectionType.QueuedConnection)
        self.list.itemChanged.connect(self._rename, Qt.ConnectionType.QueuedConnection)
        for words, keys, act in (
            ("Move a bit up", "Alt+Up", lambda: self._drop(max(0, self._row - 1))),
            ("Move a bit down", "Alt+Down", lambda: self._drop(self._row + 2)),
            ("Give a bit a title", "F2", lambda: self.list.edit(self.list.currentIndex().siblingAtColumn(_BIT))),
            ("Take a bit out of its set", "Del", self._take_out),
        ):
            add_action(self.list, words, keys, act)
        add_keys(self, "Open a bit in Rate", "Enter")
        add_action(self, "Show the bit or the order of a set, in a small window", "T", self._turn)
        add_action(self, "Write the stage sheet of a set", "Ctrl+P", self.write, anywhere=True)
        theme().changed.connect(self.draw)

    @property
    def tab(self) -> str:
        return CONTEST.name

    def focus_editor(self) -> None:
        (self.list if self.list.isVisibleTo(self) else self.bit_button).setFocus()

    def set_room(self, room: Room) -> None:
        """Show the bit beside the order, or one of them at a time."""
        self._order.show()
        self._bit.setHidden(room == "narrow")
        self.bit_button.setText("Bit")
        self.bit_button.setVisible(room == "narrow")
        self.draw()

    def _turn(self) -> None:
        """Switch between the order and the bit, if there is room for only one."""
        if not self.bit_button.isHidden():
            order, other = self._order, self._bit
            order.setVisible(other.isVisibleTo(self))
            other.setVisible(order.isHidden())
            self.bit_button.setText("Order" if order.isHidden() else "Bit")
            self.focus_editor()

    def stop(self) -> None:
        """Go back to the order from a bit that hides it; otherwise request that the reading stops."""
        (self._turn if self._order.isHidden() else super().stop)()

    @property
    def _row(self) -> int:
        """The row of the bit that is chosen."""
        return self.list.currentIndex().row()

    @property
    def result(self) -> SetResult:
        """The set that is shown."""
        return self.state.result or SetResult(id="")

    @property
    def _fixed(self) -> bool:
        """Whether it can't be changed."""
        return self.state.live or not self.result.id

    # Sets

    def make(self, texts: Sequence[str | tuple[str, str]], title: str = "", contest: str | None = None) -> None:
        """Make a set of texts, or of pairs of a title and a text, that were kept in a contest; show the one that the
        history has of the same bits, whatever their order is by now."""
        if self.live:
            self.notice.emit("A set is being read. Wait for it, or stop it with Esc.")
            return
        try:
            bits = SetRequest.of(texts).bits
            if (same := self._same(bits, contest)) is None:
                self.asked.emit({"bits": bits, "title": title, "contest": contest})
            else:
                self.open(same)
                self.shown_asked.emit()
        except JokeJudgeError as error:
            self.trouble.emit(error)

    def _same(self, bits: Sequence[Bit], contest: str | None) -> HistoryEntry | None:
        """Return the newest set that was made of these bits in this order, each of them read."""
        words = " ".join(" ".join(bit.text for bit in bits).split()[:6])
        sets = self._store.entries(HistoryQuery(kinds=(SET.name,), text=words))
        made = (entry for entry in sets if isinstance(entry.result, SetResult) and entry.result.made_of(bits, contest))
        return next(made, None)

    def make_of(self, rows: Sequence[HistoryRow]) -> None:
        """Make a set of the jokes of verdicts, with their titles and the laughs of their rooms."""
        texts: dict[str, tuple[str, str]] = {}
        for row in rows:
            result = self._store.get(row.id).result
            for text in jokes_of(row):
                texts.setdefault(text, (row.title, with_marks(text, getattr(result, "room", ()))))
        self.make([*texts.values()])

    def expect(self, fields: Mapping[str, object]) -> None:
        self._expected = SET.empty(SetRequest.model_validate(fields), "")

    def begin(self, job: Job, *texts: str) -> None:
        super()._begin(job, VerdictState("waiting", result=self._expected))
        self.shown_asked.emit()

    def handle(self, job: Job, event: object) -> None:
        super().handle(job, event)
        if isinstance(event, Failed):
            self.trouble.emit(event.error)

    def _show(self, state: VerdictState) -> None:
        super()._show(state)
        self.turned.emit()

    def set_gone(self, gone: bool) -> None:
        super().set_gone(gone)
        if gone:
            self.back_asked.emit()

    def write(self) -> None:
        """Ask for a file and write the stage sheet to it."""
        if (path := ask_file(self, "Stage sheet", f"{file_name(self.result)}.pdf", ENDINGS)) is not None:
            try:
                write_sheet(self.result, path, replace=True)
                self.notice.emit(f"Wrote the stage sheet to {path}.")
            except JokeJudgeError as error:
                self.trouble.emit(error)

    def _rate(self, bit: Bit) -> None:
        self.elsewhere_asked.emit("rate", {"text": with_marks(bit.text, bit.room), "context": ""})

    # Drawing

    def _draw(self) -> None:
        result = self.result
        ids = [bit.id for bit in result.bits]
        unread = sum(bit.rating is None and bit.error is None for bit in result.bits)
        self.heading.show_text(wording.one_line(name_of(result), 80 if self.bit_button.isHidden() else 28))
        doing = f" Reading, {unread:,} to go." if self.state.live else ""
        self.facts.set_content([(f"{glance(result).headline}.", "strong"), (doing, "normal")])
        self._times = sorted({*_MINUTES, result.minutes}, key=lambda one: one or 0.0)
        names = ["No time to fill" if one is None else f"{one:g} min to fill" for one in self._times]
        self.minutes.set_options(names, self._times.index(result.minutes))
        self.minutes.setEnabled(not self._fixed)
        with QSignalBlocker(self.list):
            self.list.show_bits(result, fixed=self._fixed)
            at = ids.index(self._at) if self._at in ids else 0
            self.list.setCurrentIndex(self.list.model().index(at, _BIT))
        whole = page(result)
        self.findings.show_pages(replace(whole, headline="", texts=(), tables=(), foot=whole.foot[:1]))  # the model
        self._show_bit()

    def _show_bit(self) -> None:
        if 0 <= self._row < len(self.result.bits):
            self._at, shown = self.result.bits[self._row].id, marked(self.result, self._row)
            self.text.set_text(shown.text, shown.marks, size=_SMALL if len(shown.text) > _LONG else _LARGE)
            self.bit_facts.show_text(" · ".join(fact_lines(self.result.bits[self._row].text)))

    # Changes

    def _drop(self, before: int) -> None:
        """Move the chosen bit before the one in a row."""
        bits, row = [*self.result.bits], self._row
        bits.insert(before, bits[row])
        del bits[row + (before <= row)]
        self._change("Moved a bit", bits=tuple(bits))

    def _take_out(self) -> None:
        bits: list[Bit] = [*self.result.bits]
        if len(bits) > 1:
            del bits[self._row]
            self._at = bits[min(self._row, len(bits) - 1)].id
            self._change("Took a bit out of the set", bits=tuple(bits))

    def _rename(self, item: QTreeWidgetItem) -> None:
        title = " ".join(item.text(_BIT).split())
        bits = tuple(bit.replaced(title=title) if bit.id == self._at else bit for bit in self.result.bits)
        self._change("Changed a title", bits=bits)

    def _change(self, words: str, **changes: object) -> None:
        before, after = self.result, self.result.replaced(**changes)
        if after == before or self._fixed:
            return

        def put(result: SetResult) -> None:
            self._store.revise(result.id, lambda _stored: result)
            if self.state.id == result.id:
                self.state.result = result
                self.draw()
            self.rewritten.emit()

        self.changes.do(words, lambda: put(after), lambda: put(before), quiet=True)
