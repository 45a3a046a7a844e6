"""The form of a criterion, to read and to change, made from the table of its fields."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import CriteriaError
from ...rubric.own_file import Loaded
from ...rubric.own_types import FIELDS, ORIGINS, Field, Item, OwnItem, effect, id_of
from ...rubric.prompts import asked_about
from ..look.wording import sentence_case
from ..widgets.controls import PrimaryButton, SecondaryButton, Segmented
from ..widgets.fields import TextEditor
from ..widgets.layout import ColumnScroll, HBox, VBox, single_shot
from ..widgets.text import Heading, Label, Paragraph

_PAUSE_MS = 200


class FieldRow(QWidget):
    """A field of an item: its label, a control, its help, and what is wrong with it. ``edited``: the user changed the
    value."""

    edited = Signal()

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._choices = field.choices if field.needed or "no" in field.choices[:1] else ("", *field.choices)
        free = "" if field.needed or field.form == "choice" else " (may be left out)"
        self.problem = Paragraph("", 13, token="bad_text")
        self.problem.hide()
        self.control: Segmented | TextEditor
        if field.form == "choice":
            words = [(choice, sentence_case(choice) or "Either") for choice in self._choices]
            self.control = Segmented(words, field.label)
            self.control.changed.connect(self.edited)
            row = HBox(self.control, 1)
        else:
            long = field.most > 100 and field.form == "line"
            self.control = TextEditor("", f"{field.label}: {field.help}", lines=2 if long else 1, most=8 if long else 3)
            self.control.textChanged.connect(self.edited)
            row = HBox((self.control, 1))
        help = Paragraph(sentence_case(f"{field.help}."), 13, token="text3")
        VBox(Label(f"{field.label}{free}", 14, 600), row, help, self.problem, parent=self, gap=4)

    def value(self) -> str:
        return self.control.current() if isinstance(self.control, Segmented) else self.control.toPlainText()

    def set_value(self, value: str) -> None:
        """Set the value; ``edited`` isn't sent. An unknown choice is replaced by the default."""
        with QSignalBlocker(self):
            if isinstance(self.control, Segmented):
                self.control.set_current(value if value in self._choices else self._choices[0])
            else:
                self.control.setPlainText(value)


class ItemForm(ColumnScroll):
    """The fields of an item, the effect of the changes, and the questions that a model is asked about it. ``edited``:
    something was typed."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.item: Item | None = None
        self.rows: dict[str, FieldRow] = {}
        self._loaded: Loaded | None = None
        self._start: dict[str, str] = {}
        self._pause = single_shot(self, self._look, _PAUSE_MS)
        self.title, self.effect = Heading("", 3), Paragraph("", 13, token="mid_text")
        self.preview = Paragraph("", 13, token="text2")
        self.save_button = PrimaryButton("Save")
        self.switch_button, self.reset_button = SecondaryButton("Switch off"), SecondaryButton("Reset")
        self.buttons = QWidget()
        HBox(self.save_button, self.switch_button, self.reset_button, 1, parent=self.buttons)
        self._fields = VBox(gap=14)
        self.add(self.title, self.effect, self._fields, Heading("What a model is asked", 3), self.preview)

    def show_item(self, item: Item, loaded: Loaded) -> None:
        """Show an item; one without an id is new."""
        self.item, self._loaded = item, loaded
        self.rows = {}
        for field in FIELDS[item.section]:
            self.rows[field.name] = row = FieldRow(field)
            row.set_value(item.fields.get(field.name, ""))
            row.edited.connect(self.edited)
            row.edited.connect(self._pause.start)
        self._start = self.values
        self._fields.show_only(*self.rows.values())
        state = "switched off" if item.off else ORIGINS[item.origin]
        title = item.name if item.id else f"New {item.section}"
        self.title.set_content(f"{title} ({state})" if state and item.id else title)
        self.switch_button.setText("Switch on" if item.off else "Switch off")
        self.switch_button.setVisible(bool(item.id))
        self.reset_button.setText("Reset" if item.shipped else "Remove")
        self.reset_button.setVisible(bool(item.id) and item.origin != "shipped")
        self._look()
        self.verticalScrollBar().setValue(0)

    @property
    def values(self) -> dict[str, str]:
        return {name: row.value() for name, row in self.rows.items()}

    @property
    def changes(self) -> dict[str, str]:
        """The unsaved text by field."""
        return {name: value for name, value in self.values.items() if value != self._start[name]}

    def own_item(self) -> OwnItem:
        """Return the item as it would be saved; a new one gets an id made from its name or sentence."""
        assert self.item is not None
        assert self._loaded is not None
        section, values = self.item.section, self.values
        id, number = self.item.id, 2
        if id:
            return self._loaded.edited(section, id, self.changes)
        taken = {item.id for item in self._loaded.items if item.section == section}
        first = id = id_of(values.get("name") or values.get("say", ""))
        while id in taken:
            id, number = f"{first[:37]}_{number}", number + 1
        return self._loaded.edited(section, id, values)

    def _look(self) -> None:
        """Show what is wrong with the current text, and the questions that would be asked."""
        if self.item is None or self._loaded is None:
            return
        problem = self._loaded.problem(self.own_item()) if self.changes else None
        for name, row in self.rows.items():
            row.problem.show_text(str(problem) if problem is not None and problem.field == name else "")
        self.save_button.setEnabled(bool(self.changes) and (problem is None or not problem.field))
        try:
            self.preview.set_content("\n".join(asked_about(self.item.section, self.values)))
            self.effect.show_text(effect(self.item.replaced(fields=dict(self.values))))
        except CriteriaError as error:
            self.preview.set_content(str(error))
