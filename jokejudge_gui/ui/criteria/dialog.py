"""The dialog of the criteria: kinds, factors, faults, listeners and notes to search, read, change and weigh."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStackedWidget, QWidget

from ...core.errors import JokeJudgeError, restore
from ...core.events import Failed, Finished
from ...core.paths import expanded
from ...rubric.own_file import Loaded, OwnFile
from ...rubric.own_types import ORIGINS, SECTIONS, TITLES, Item, Section, found_in
from ...session.session import Session
from ..judge_worker import JobEvent, JudgeWorker
from ..look.theme import px, theme
from ..widgets.cards import Banner
from ..widgets.controls import IconButton, SecondaryButton, Segmented
from ..widgets.dialog import Dialog, ask_file, ask_open
from ..widgets.fields import SearchField
from ..widgets.layout import HBox, VBox
from ..widgets.text import Heading, Paragraph
from .form import ItemForm, WeightsPage

_WEIGHTS = "weights"
_KEY = Qt.ItemDataRole.UserRole
_DRAFT = dict[str, str]


class CriteriaDialog(Dialog):
    """The dialog of the criteria. Everything is saved on demand. ``changed`` is sent when the file was changed; unsaved
    text of an item is kept while other items are shown."""

    changed = Signal()

    def __init__(self, own: OwnFile, worker: JudgeWorker, parent: QWidget | None = None) -> None:
        super().__init__("Criteria", parent, (940, 680), heading=None)
        self._own, self._worker = own, worker
        self._loaded: Loaded | None = None
        self._drafts: dict[tuple[Section, str], _DRAFT] = {}
        self._warned = False
        options = [*((section, TITLES[section]) for section in SECTIONS), (_WEIGHTS, "Weights")]
        self.sections = Segmented(options, "Section")
        self.sections.changed.connect(self._on_section)
        self.body.add(HBox((Heading("Criteria", 2), 1), self.sections))
        self.banner = Banner("error")
        self.banner.acted.connect(self._start_again)
        self.banner.hide()
        self.body.add(self.banner)
        self.search = SearchField("Search")
        self.search.textChanged.connect(lambda _text: self._fill())
        self.list = QListWidget()
        self.list.setAccessibleName("Criteria of this section")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.currentItemChanged.connect(lambda now, _before: self._on_row(now))
        self.new_button = SecondaryButton("New", act=self.begin_new)
        self.form = ItemForm()
        self.form.edited.connect(self._keep)
        self.form.save_button.clicked.connect(self.save)
        self.form.switch_button.clicked.connect(self._switch)
        self.form.reset_button.clicked.connect(self._reset)
        items = QWidget()
        HBox(
            (VBox(self.search, self.list, gap=8), 2), (VBox((self.form, 1), self.form.buttons), 3), parent=items, gap=20
        )
        self.weights = WeightsPage()
        self.weights.save_asked.connect(self._save_weights)
        self.pages = QStackedWidget()
        self.pages.addWidget(items)
        self.pages.addWidget(self.weights)
        self.body.add((self.pages, 1))
        self.notice = Paragraph("", 13, token="text2")
        self.notice.hide()
        self.body.add(self.notice)
        self.import_button = SecondaryButton("Import…", act=self._import)
        self.export_button = SecondaryButton("Export…", act=self._export)
        self.close_button = SecondaryButton("Done", act=self.accept)
        self.body.add(HBox(self.new_button, self.import_button, self.export_button, 1, self.close_button, gap=8))
        for keys, act in (("Ctrl+F", self.search.setFocus), ("Ctrl+S", self.save), ("Ctrl+N", self.begin_new)):
            QShortcut(QKeySequence(keys), self, activated=act)
        self.search.setFocus()
        self.restyle()
        self._submit(None)

    def restyle(self) -> None:
        self.list.setFont(theme().font(14))
        super().restyle()

    def most(self) -> QSize:
        parent = self.parentWidget()
        return (parent.window().size() if parent is not None else super().most()) - QSize(24, 24)

    # The content shown

    @property
    def section(self) -> Section | None:
        """The section whose items are shown; None for the weights."""
        return next((section for section in SECTIONS if section == self.sections.current()), None)

    def _on_section(self) -> None:
        self.pages.setCurrentIndex(0 if self.section is not None else 1)
        self.new_button.setVisible(self.section is not None)
        self._say("")
        self._fill()

    def _fill(self, select: str | None = None) -> None:
        """List the items of the section that match the search."""
        loaded, section = self._loaded, self.section
        if loaded is None or section is None:
            return
        item = self.form.item
        wanted = select or (item.id if item is not None and item.section == section else None)
        self.list.blockSignals(True)
        self.list.clear()
        found = [each for each in loaded.items if each.section == section and found_in(each, self.search.text())]
        words = self.search.text().casefold()
        for each in sorted(found, key=lambda each: words not in each.name.casefold()):
            row = QListWidgetItem(_row(each, unsaved=each.key in self._drafts))
            row.setSizeHint(QSize(0, px(30)))
            row.setData(_KEY, each.id)
            row.setToolTip(each.id)
            self.list.addItem(row)
            if each.id == wanted:
                self.list.setCurrentItem(row)
        if self.list.currentItem() is None and self.list.count():
            self.list.setCurrentRow(0)
        self.list.blockSignals(False)
        self.new_button.setText(f"New {section}")
        self._on_row(self.list.currentItem())

    def _on_row(self, row: QListWidgetItem | None) -> None:
        loaded, section = self._loaded, self.section
        self.form.setVisible(row is not None)
        self.form.buttons.setVisible(row is not None)
        if row is None or loaded is None:
            return
        item = next(each for each in loaded.items if each.key == (section, row.data(_KEY)))
        self.form.show_item(item, loaded, draft=self._drafts.get(item.key, {}))

    def begin_new(self) -> None:
        """Show an empty form for a new item of the user's own."""
        section = self.section
        if self._loaded is None or section is None:
            return
        with QSignalBlocker(self.list):
            self.list.setCurrentItem(None)
        self.form.show()
        self.form.buttons.show()
        blank = Item(section=section, id="", fields={}, shipped=False)
        self.form.show_item(blank, self._loaded, new=True, draft=self._drafts.get(blank.key, {}))
        next(iter(self.form.rows.values())).focus_widget().setFocus()

    def _keep(self) -> None:
        """Keep the unsaved text of the item while other items are shown."""
        item = self.form.item
        if item is None:
            return
        self._warned = False
        changes = self.form.changes
        if changes:
            self._drafts[item.key] = changes
        else:
            self._drafts.pop(item.key, None)
        row = self.list.currentItem()
        if row is not None and row.data(_KEY) == item.id:
            row.setText(_row(item, unsaved=bool(changes)))

    # Changing

    def save(self) -> None:
        """Save the text typed for the item shown."""
        item = self.form.item
        if item is None or self.section is None or not self.form.save_button.isEnabled():
            return
        new, id = self.form.new, self.form.own_item().id
        fields = self.form.own_item().fields if new else self.form.changes
        self._submit(
            lambda: self._own.set_item(item.section, id, fields, new=new),
            f"Saved the {item.section} “{id}”.",
            dropped=item.key,
            select=id,
        )

    def _switch(self) -> None:
        item = self.form.item
        if item is not None:
            said = f"The {item.section} “{item.name}” {'takes part again' if item.off else 'takes no part any more'}."
            self._submit(partial(self._own.switch, item.section, item.id, on=item.off), said)

    def _reset(self) -> None:
        item = self.form.item
        if item is not None:
            said = "is removed" if not item.shipped else "is what comes with the program"
            act = partial(self._own.reset_item, item.section, item.id)
            self._submit(act, f"The {item.section} “{item.id}” {said}.", dropped=item.key)

    def _save_weights(self, weights: dict[str, float]) -> None:
        said = "Saved the weights." if weights else "All factors count alike."
        self._submit(partial(self._own.set_weights, weights), said)

    def _start_again(self) -> None:
        self._submit(self._own.reset, "Only what comes with the program is left; your file is kept beside it.")

    def _import(self) -> None:
        name = ask_open(self, "Import criteria", "Criteria (*.xml);;All files (*)")
        if name:
            self._submit(partial(self._own.take_in, expanded(name)), "Imported.")

    def _export(self) -> None:
        path = ask_file(self, "Export your own criteria", "my_criteria.xml", {"Criteria (*.xml)": ".xml"})
        if path is not None:
            self._submit(partial(self._own.export, path), f"Wrote {path.name}.")

    def _submit(
        self,
        act: Callable[[], object] | None,
        said: str = "",
        *,
        dropped: tuple[Section, str] | None = None,
        select: str | None = None,
    ) -> None:
        """Run the action in the side thread, then show the criteria as read again; ``dropped``: the item whose draft is
        discarded."""

        def change() -> Loaded:
            if act is not None:
                act()
            return self._own.loaded()

        self._worker.call("criteria", change, partial(self._show, said, dropped, select), self._on_failed)

    def _show(self, said: str, dropped: tuple[Section, str] | None, select: str | None, loaded: Loaded) -> None:
        first = self._loaded is None
        self._loaded = loaded
        if dropped is not None:
            self._drafts.pop(dropped, None)
        self._say(said)
        fault = self._loaded.fault
        if fault is not None:
            words = f"Your own criteria aren't used. {fault.sentence} {fault.hint}"
            self.banner.set_message(words, action="Start again without them")
        self.banner.setVisible(fault is not None)
        self.weights.show_weights(self._loaded)
        self._fill(select)
        if not first:
            self.changed.emit()

    def _on_failed(self, error: JokeJudgeError) -> None:
        self._say(str(error), bad=True)

    def _say(self, text: str, *, bad: bool = False) -> None:
        self.notice.set_token("bad_text" if bad else "text2")
        self.notice.show_text(text)

    def done(self, result: int) -> None:
        unsaved = len(self._drafts) + self.weights.changed
        if unsaved and not self._warned:
            self._warned = True
            what = "One change isn't" if unsaved == 1 else f"{unsaved} changes aren't"
            self._say(f"{what} saved. Save, or press Done again to drop what you typed.", bad=True)
            return
        super().done(result)


def _row(item: Item, *, unsaved: bool) -> str:
    state = "off" if item.off else ORIGINS[item.origin]
    states = [word for word in (state, "not saved" if unsaved else "") if word]
    return f"{item.name}  ({', '.join(states)})" if states else item.name


# The criteria in the window: the button and key that open them, and applying changes.


class CriteriaController(QObject):
    """``changed`` is sent when verdicts are given by other criteria from now on; ``failed`` carries an error."""

    changed = Signal()
    failed = Signal(JokeJudgeError)

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._worker, self._side_worker, self._window = session, worker, side_worker, window
        self._asked = False
        self.button = IconButton("criteria", "Criteria (Ctrl+K)", act=self.open)
        QShortcut(QKeySequence("Ctrl+K"), window, activated=self.open)

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

    def _on_event(self, item: JobEvent) -> None:
        match item.event:
            case Finished():
                self._asked = False
                self.changed.emit()
                self.take_up()  # changes made meanwhile
            case Failed(error=error):
                self._asked = False
                self.failed.emit(restore(error))
