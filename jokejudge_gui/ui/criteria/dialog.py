"""The dialog of the criteria: kinds, factors and faults to search, read and change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidget, QWidget

from ...core.errors import JokeJudgeError, restore
from ...core.events import Failed, Finished
from ...rubric.own_file import Loaded, OwnFile
from ...rubric.own_types import ORIGINS, SECTIONS, TITLES, Item, Section, found_in
from ...session.session import Session
from ..judge_worker import Job, JudgeWorker
from ..look.theme import px, theme
from ..widgets.cards import Banner
from ..widgets.controls import IconButton, LinkButton, SecondaryButton, Segmented
from ..widgets.dialog import Dialog
from ..widgets.fields import SearchField
from ..widgets.layout import HBox, VBox
from ..widgets.text import Heading, Paragraph
from .form import ItemForm


class CriteriaDialog(Dialog):
    """Changes are saved on demand, those of one item before another one is shown. ``changed``: the file of the user's
    own criteria was changed."""

    changed = Signal()

    def __init__(self, own: OwnFile, worker: JudgeWorker, parent: QWidget | None = None) -> None:
        super().__init__("Criteria", parent, (940, 680), heading=None)
        self._own, self._worker = own, worker
        self._loaded: Loaded | None = None
        self._items: list[Item] = []
        self.sections = Segmented([*TITLES.items()], "Section")
        self.sections.changed.connect(self._on_section)
        self.banner = Banner("error")
        self.banner.acted.connect(self._start_again)
        self.banner.hide()
        self.search = SearchField("Search")
        self.search.textChanged.connect(lambda _text: self._fill())
        self.list = QListWidget()
        self.list.setAccessibleName("Criteria of this section")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._on_row)
        self.form = ItemForm()
        self.form.edited.connect(self._on_edited)
        self.form.save_button.clicked.connect(self.save)
        self.form.switch_button.clicked.connect(self._switch)
        self.form.reset_button.clicked.connect(self._reset)
        items = QWidget()
        self.drop_link = LinkButton("Drop what was typed", act=lambda: self._fill())
        right = VBox((self.form, 1), self.form.buttons, HBox(self.drop_link, 1))
        HBox((VBox(self.search, self.list, gap=8), 2), (right, 3), parent=items, gap=20)
        self.notice = Paragraph("", 13, token="text2")
        self.notice.hide()
        self.new_button = SecondaryButton("New", act=self.begin_new)
        self.close_button = SecondaryButton("Done", act=self.accept)
        self.body.add(HBox((Heading("Criteria", 2), 1), self.sections), self.banner, (items, 1), self.notice)
        self.body.add(HBox(self.new_button, 1, self.close_button, gap=8))
        for keys, act in (("Ctrl+F", self.search.setFocus), ("Ctrl+S", self.save), ("Ctrl+N", self.begin_new)):
            QShortcut(QKeySequence(keys), self, activated=act)
        self._show_form(False)
        self.search.setFocus()
        self.restyle()
        self._submit(None)

    def restyle(self) -> None:
        self.list.setFont(theme().font(14))
        super().restyle()

    def most(self) -> QSize:
        parent = self.parentWidget()
        return (parent.window().size() if parent is not None else super().most()) - QSize(24, 24)

    @property
    def section(self) -> Section:
        """The section whose items are shown."""
        return next(section for section in SECTIONS if section == self.sections.current())

    def _on_section(self) -> None:
        self._say("")
        self._fill()

    def _fill(self, select: str = "") -> None:
        """List the items of the section that match the search, those with the words in their name first."""
        section = self.section
        if self._loaded is None:
            return
        shown, words = self.form.item, self.search.text()
        select = select or (shown.id if shown is not None and shown.section == section else "")
        items = [item for item in self._loaded.items if item.section == section and found_in(item, words)]
        self._items = sorted(items, key=lambda item: words.casefold() not in item.name.casefold())
        places = [item.id for item in self._items]
        with QSignalBlocker(self.list):
            self.list.clear()
            for place, item in enumerate(self._items):
                # Qt makes the row: a screen reader and ``clear`` would end the process with one that Python made.
                words = "off" if item.off else ORIGINS[item.origin]
                self.list.addItem(f"{item.name}  ({words})" if words else item.name)
                self.list.item(place).setSizeHint(QSize(0, px(30)))
                self.list.item(place).setToolTip(item.id)
            self.list.setCurrentRow(places.index(select) if select in places else 0)
        self.new_button.setText(f"New {section}")
        self._on_row(self.list.currentRow())

    def _on_row(self, row: int) -> None:
        item = self._items[row] if 0 <= row < len(self._items) else None
        self._show_form(item is not None)
        if item is not None and self._loaded is not None:
            self.form.show_item(item, self._loaded)
        self._on_edited()

    def _show_form(self, shown: bool) -> None:
        self.form.setVisible(shown)
        self.form.buttons.setVisible(shown)

    def begin_new(self) -> None:
        """Show an empty form for a new item of the user's own."""
        if self._loaded is None:
            return
        with QSignalBlocker(self.list):
            self.list.setCurrentRow(-1)
        blank = Item(section=self.section, id="", fields={}, shipped=False)
        self.form.show_item(blank, self._loaded)
        self._show_form(True)
        next(iter(self.form.rows.values())).control.setFocus()

    @property
    def _unsaved(self) -> bool:
        return self.form.isVisibleTo(self) and bool(self.form.changes)

    def _on_edited(self) -> None:
        """Show no other item before the changes of this one are saved or dropped."""
        for control in (self.sections, self.search, self.list, self.new_button):
            control.setEnabled(not self._unsaved)
        self.drop_link.setVisible(self._unsaved)

    # Changing

    def save(self) -> None:
        """Save the text typed for the item shown."""
        item = self.form.item
        if item is None or not self.form.save_button.isEnabled():
            return
        id, new = self.form.own_item().id, not item.id
        act = partial(self._own.set_item, item.section, id, self.form.values if new else self.form.changes, new=new)
        self._submit(act, f"Saved the {item.section} “{id}”.", id)

    def _switch(self) -> None:
        if (item := self.form.item) is not None:
            outcome = f"“{item.name}” {'takes part again' if item.off else 'takes no part any more'}."
            self._submit(partial(self._own.set_item, item.section, item.id, {}, off=not item.off), outcome)

    def _reset(self) -> None:
        if (item := self.form.item) is not None:
            outcome = "is what comes with the program" if item.shipped else "is removed"
            act = partial(self._own.reset_item, item.section, item.id)
            self._submit(act, f"The {item.section} “{item.id}” {outcome}.")

    def _start_again(self) -> None:
        self._submit(self._own.reset, "Only what comes with the program is left; your file stays beside it.")

    def _submit(self, act: Callable[[], object] | None, outcome: str = "", select: str = "") -> None:
        """Run ``act`` in the side thread, then show the criteria as read again, with the item ``select``."""

        def change() -> Loaded:
            if act is not None:
                act()
            return self._own.loaded()

        self._worker.call("criteria", change, partial(self._show, act, outcome, select), self._on_failed)

    def _show(self, act: object, outcome: str, select: str, loaded: Loaded) -> None:
        self._loaded = loaded
        self._say(outcome)
        if (fault := loaded.fault) is not None:
            words = f"Your own criteria aren't used. {fault.sentence} {fault.hint}"
            self.banner.set_message(words, action="Start again without them")
        self.banner.setVisible(fault is not None)
        self._fill(select)
        if act is not None:
            self.changed.emit()

    def _on_failed(self, error: JokeJudgeError) -> None:
        self._say(str(error), bad=True)

    def _say(self, text: str, *, bad: bool = False) -> None:
        self.notice.set_token("bad_text" if bad else "text2")
        self.notice.show_text(text)

    def done(self, result: int) -> None:
        if self._unsaved:
            self._say("What you typed isn't saved: save it or drop it.", bad=True)
        else:
            super().done(result)


class CriteriaController(QObject):
    """The criteria's button and key, and the session's change to the current criteria. ``changed``: verdicts are given
    by other criteria from now on; ``failed`` carries an error."""

    changed = Signal()
    failed = Signal(JokeJudgeError)

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._worker, self._side_worker, self._window = session, worker, side_worker, window
        self._asked = False
        self.button = IconButton("criteria", "Criteria")

    def open(self) -> None:
        """Open the dialog of the criteria."""
        dialog = CriteriaDialog(OwnFile(self._session.profile.criteria), self._side_worker, self._window)
        dialog.changed.connect(self.take_up)
        dialog.open()

    def take_up(self) -> None:
        """Judge by the current criteria, as soon as no verdict is running: this process or another one may have changed
        them."""
        if not self._asked and self._session.criteria_changed:
            self._asked = True
            self._worker.submit("criteria", lambda _token: self._session.take_up_criteria(), self._on_event)

    def _on_event(self, _job: Job, event: object) -> None:
        match event:
            case Finished():
                self._asked = False
                self.changed.emit()
                self.take_up()  # changes made meanwhile
            case Failed(error=error):
                self._asked = False
                self.failed.emit(restore(error))
