"""One item to read and to change: its fields, what follows from the changes, and what a model is asked about it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ...errors import CriteriaError
from ...rubric.own_file import Loaded, tidy_value
from ...rubric.own_types import FIELDS, Field, Item, OwnItem, Section
from ...rubric.own_words import ORIGINS, effect
from ...rubric.preview import asked_about
from ..widgets.controls import PrimaryButton, SecondaryButton
from ..widgets.scroll import ColumnScroll
from ..widgets.text import Heading, Paragraph
from .fields import FieldRow

_PAUSE_MS = 200
_ID = Field("id", "Id", "how files name it: small letters, digits and underscores", most=40)


class ItemForm(ColumnScroll):
    """``edited`` is sent when something is typed, ``save_asked``, ``switch_asked`` and ``reset_asked`` when a button is
    pressed."""

    edited = Signal()
    save_asked = Signal()
    switch_asked = Signal()
    reset_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.item: Item | None = None
        self.new = False
        self.rows: dict[str, FieldRow] = {}
        self._loaded: Loaded | None = None
        self._id_made = True
        self._offer = False
        self._start: dict[str, str] = {}
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._look)
        self.title = Heading("", 3)
        self.effect = Paragraph("", 13, token="mid_text")
        self.preview_title = Heading("What a model is asked", 3)
        self.preview = Paragraph("", 13, token="text2")
        self.save_button = PrimaryButton("Save")
        self.switch_button = SecondaryButton("Switch off")
        self.reset_button = SecondaryButton("Reset")
        for button, signal in (
            (self.save_button, self.save_asked),
            (self.switch_button, self.switch_asked),
            (self.reset_button, self.reset_asked),
        ):
            button.clicked.connect(signal)
        self.buttons = QWidget()
        row = QHBoxLayout(self.buttons)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (self.save_button, self.switch_button, self.reset_button):
            row.addWidget(button)
        row.addStretch(1)
        for widget in (self.title, self.effect):
            self.add(widget)
        for widget in (self.preview_title, self.preview):
            self.add(widget)

    def show_item(self, item: Item, loaded: Loaded, *, new: bool = False, draft: Mapping[str, str] = {}) -> None:
        """Show an item, with what was typed and not saved. ``new``: one that isn't there yet, whose id is asked for."""
        self.item, self.new, self._loaded, self._offer = item, new, loaded, False
        self.save_button.setText("Save")
        for row in self.rows.values():
            self.body.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {}
        self._id_made = "id" not in draft
        fields = list(FIELDS[item.section])
        if new:  # after the name that it is made of
            fields.insert(1 if fields[0].name == "name" else 0, _ID)
        for place, field in enumerate(fields):
            row = FieldRow(field, _names(loaded, field.of))
            self.body.insertWidget(2 + place, row)
            row.set_value("" if field is _ID else item.fields.get(field.name, ""))
            if field is _ID:
                row.edited.connect(self._on_id)
            row.edited.connect(self._on_edit)
            self.rows[field.name] = row
        self._start = {name: row.value() for name, row in self.rows.items()}
        for name, value in draft.items():
            if name in self.rows:
                self.rows[name].set_value(value)
        state = "new" if new else "switched off" if item.off else ORIGINS[item.origin]
        title = f"New {item.section}" if new else item.name
        self.title.set_content(f"{title} ({state})" if state and not new else title)
        self.effect.set_content(effect(item))
        self.effect.setVisible(bool(effect(item)) and not new)
        self.switch_button.setText("Switch on" if item.off else "Switch off")
        self.switch_button.setVisible(not new)
        self.reset_button.setText("Remove" if not item.shipped else "Reset")
        self.reset_button.setVisible(not new and item.origin != "shipped")
        self._look(quiet=not draft)
        self.verticalScrollBar().setValue(0)

    def show_offer(self, item: Item, loaded: Loaded, jokes: int, *, draft: Mapping[str, str] = {}) -> None:
        """Show a factor that a model wrote and that served so many ``jokes``: Save makes it one of the user's own."""
        self.show_item(item, loaded, draft=draft)
        self.title.set_content(f"{item.name} (offered)")
        self.effect.set_content(
            f"A model wrote this factor for a joke that no known one fits, and it was used for {jokes} jokes. Add it "
            "to your own factors as it is, or change it first."
        )
        self.effect.show()
        self.save_button.setText("Add to your own")
        self.save_button.setEnabled(True)
        self.switch_button.hide()
        self.reset_button.setText("Dismiss")
        self.reset_button.show()
        self._offer = True

    @property
    def changes(self) -> dict[str, str]:
        """What was typed and isn't saved, as it was typed."""
        return {name: row.value() for name, row in self.rows.items() if row.value() != self._start[name]}

    def own_item(self) -> OwnItem:
        """The item as it would be kept."""
        assert self.item is not None
        assert self._loaded is not None
        id = self.rows["id"].value().strip() if self.new else self.item.id
        known = self._loaded.own.item(self.item.section, id) or OwnItem(section=self.item.section, id=id)
        wanted = {name: row.value() for name, row in self.rows.items()} if self.new else self.changes
        fields = {name: tidy_value(self.item.section, name, value) for name, value in wanted.items() if name != "id"}
        if self.new:
            fields = {name: value for name, value in fields.items() if value}
        usual = self._loaded.base.get(known.key, {})
        kept = {name: value for name, value in {**known.fields, **fields}.items() if value != usual.get(name)}
        return known.replaced(fields=kept)

    def _on_edit(self) -> None:
        if self.new and self._id_made and "name" in self.rows:
            self.rows["id"].set_value(_id_of(self.rows["name"].value()))
        self.edited.emit()
        self._pause.start()

    def _on_id(self) -> None:
        self._id_made = False  # from now on it is the user's, whatever the name becomes

    def _look(self, *, quiet: bool = False) -> None:
        """Say what is wrong as it stands, and what would be asked. ``quiet``: nothing was typed yet."""
        if self.item is None or self._loaded is None:
            return
        problem = None if quiet and not self.changes else self._loaded.problem(self.own_item())
        for name, row in self.rows.items():
            mine = problem is not None and problem.field == name
            row.say(f"{problem.sentence} {problem.hint}" if problem is not None and mine else "")
        changed = bool(self.changes) or self._offer
        self.save_button.setEnabled(changed and (problem is None or not problem.field))
        fields = {name: row.value() for name, row in self.rows.items()}
        try:
            self.preview.set_content("\n".join(asked_about(self.item.section, fields)))
        except CriteriaError as error:
            self.preview.set_content(f"{error.sentence} {error.hint}")


def _names(loaded: Loaded, section: Section | None) -> dict[str, str]:
    return {item.id: item.name for item in loaded.items if item.section == section}


def _id_of(name: str) -> str:
    """An id made of a name: "Office joke" → office_joke."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return re.sub(r"^[0-9_]+", "", plain)[:40]
