"""The form of one item, to read and to change: its fields, the effect of the changes, and the questions asked about
it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from ...core.errors import CriteriaError
from ...rubric.own_file import Loaded, tidy_value
from ...rubric.own_prompts import asked_about, own_effect
from ...rubric.own_types import FIELDS, ORIGINS, Field, Item, OwnItem, Section
from ..look.theme import theme
from ..look.wording import sentence_case
from ..widgets.controls import PrimaryButton, SecondaryButton, Segmented
from ..widgets.fields import LineField, TextEditor
from ..widgets.layout import ColumnScroll, Grid, HBox, VBox, single_shot
from ..widgets.text import Heading, Label, Paragraph

# One field of an item, with the control that fits its type.

_EITHER = "Either"


class FieldRow(QWidget):
    """A label, a control, its description, and its error. ``edited`` is sent when the user changed the value."""

    edited = Signal()

    def __init__(self, field: Field, names: Mapping[str, str]) -> None:
        """``names``: names of items by id, for a field whose value is ids."""
        super().__init__()
        self.field = field
        self._names = names
        free = "" if field.needed or field.form == "choice" else " (may be left out)"
        self.label = Label(f"{field.label}{free}", 14, 600)
        self.help = Paragraph(sentence_case(f"{field.help}."), 13, token="text3")
        self.problem = Paragraph("", 13, token="bad_text")
        self.problem.hide()
        self.control = self._control()
        row = HBox(self.control, 1) if isinstance(self.control, Segmented) else HBox((self.control, 1))
        if field.form == "ids":
            self.choose = SecondaryButton("Choose…", name=f"Choose {field.label.lower()}", act=self._open)
            row.add(self.choose)
        VBox(self.label, row, self.help, self.problem, parent=self, gap=4)

    def _control(self) -> Segmented | LineField | TextEditor:
        field, name = self.field, f"{self.field.label}: {self.field.help}"
        if field.form == "choice":
            switch = Segmented([(choice, sentence_case(choice) or _EITHER) for choice in self._choices()], field.label)
            switch.changed.connect(self.edited)
            return switch
        if field.form in ("ids", "share") or field.most <= 100:
            line = LineField("", name)
            line.textEdited.connect(self.edited)
            return line
        editor = TextEditor("", name, lines=3 if field.form == "lines" else 2, most=8)
        editor.textChanged.connect(self.edited)
        return editor

    def menu(self) -> QMenu:
        """Return a menu of all possible items, with the chosen ones ticked."""
        menu = QMenu(self)
        menu.setFont(theme().font(14))
        chosen = self.value().split()
        for id, name in self._names.items():
            action = menu.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(id in chosen)
            action.toggled.connect(lambda on, id=id: self._name(id, on=on))
        return menu

    def _open(self) -> None:
        self.menu().popup(self.choose.mapToGlobal(self.choose.rect().bottomLeft()))

    def _name(self, id: str, *, on: bool) -> None:
        ids = [each for each in self.value().split() if each != id]
        self.set_value(" ".join([*ids, id] if on else ids))
        self.edited.emit()

    def value(self) -> str:
        """Return the field's value."""
        match self.control:
            case Segmented() as switch:
                return switch.current()
            case LineField() as line:
                return line.text()
            case editor:
                return editor.toPlainText()

    def set_value(self, value: str) -> None:
        """Set the value; ``edited`` isn't sent."""
        with QSignalBlocker(self):
            match self.control:
                case Segmented() as switch:
                    # An unknown choice is replaced by the default.
                    switch.set_current(value if value in self._choices() else self._choices()[0])
                case LineField() as line:
                    line.setText(value)
                case editor:
                    editor.setPlainText(value)

    def _choices(self) -> tuple[str, ...]:
        field = self.field
        return field.choices if field.needed or "no" in field.choices[:1] else ("", *field.choices)

    def focus_widget(self) -> QWidget:
        """Return the widget that takes the keyboard focus."""
        control = self.control
        return control.segment(control.current()) if isinstance(control, Segmented) else control


_PAUSE_MS = 200
_ID = Field("id", "Id", "how files name it: small letters, digits and underscores", most=40)


class ItemForm(ColumnScroll):
    """The form of an item. ``edited`` is sent when something is typed."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.item: Item | None = None
        self.new = False
        self.rows: dict[str, FieldRow] = {}
        self._loaded: Loaded | None = None
        self._id_made = True
        self._start: dict[str, str] = {}
        self._pause = single_shot(self, self._look, _PAUSE_MS)
        self.title = Heading("", 3)
        self.effect = Paragraph("", 13, token="mid_text")
        self.preview_title = Heading("What a model is asked", 3)
        self.preview = Paragraph("", 13, token="text2")
        self.save_button = PrimaryButton("Save")
        self.switch_button = SecondaryButton("Switch off")
        self.reset_button = SecondaryButton("Reset")
        self.buttons = QWidget()
        HBox(self.save_button, self.switch_button, self.reset_button, 1, parent=self.buttons)
        self.add(self.title, self.effect, self.preview_title, self.preview)

    def show_item(self, item: Item, loaded: Loaded, *, new: bool = False, draft: Mapping[str, str] = {}) -> None:
        """Show an item, with its unsaved text. ``new``: a new item, whose id can be typed."""
        self.item, self.new, self._loaded = item, new, loaded
        for row in self.rows.values():
            self.body.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {}
        self._id_made = "id" not in draft
        fields = list(FIELDS[item.section])
        if new:  # after the name from which it is made
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
        self.switch_button.setText("Switch on" if item.off else "Switch off")
        self.switch_button.setVisible(not new)
        self.reset_button.setText("Remove" if not item.shipped else "Reset")
        self.reset_button.setVisible(not new and item.origin != "shipped")
        self._look(quiet=not draft)
        self.verticalScrollBar().setValue(0)

    @property
    def changes(self) -> dict[str, str]:
        """The unsaved text by field."""
        return {name: row.value() for name, row in self.rows.items() if row.value() != self._start[name]}

    def own_item(self) -> OwnItem:
        """Return the item as it would be saved."""
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
        self._id_made = False  # from now on the id is the user's, even if the name changes

    def _look(self, *, quiet: bool = False) -> None:
        """Show the error of the current text, and the questions that would be asked. ``quiet``: nothing was typed
        yet."""
        if self.item is None or self._loaded is None:
            return
        problem = None if quiet and not self.changes else self._loaded.problem(self.own_item())
        for name, row in self.rows.items():
            mine = problem is not None and problem.field == name
            row.problem.show_text(str(problem) if mine else "")
        changed = bool(self.changes)
        self.save_button.setEnabled(changed and (problem is None or not problem.field))
        fields = {name: row.value() for name, row in self.rows.items()}
        try:
            self.preview.set_content("\n".join(asked_about(self.item.section, fields)))
            self.effect.show_text(own_effect(self.item, fields))
        except CriteriaError as error:
            self.preview.set_content(str(error))


def _names(loaded: Loaded, section: Section | None) -> dict[str, str]:
    return {item.id: item.name for item in loaded.items if item.section == section}


def _id_of(name: str) -> str:
    """Return an id made from a name: "Office joke" → office_joke."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return re.sub(r"^[0-9_]+", "", plain)[:40]


# The weight of each factor in the weighted score: shares that sum to 100 %.

_STEP = 5.0
_OFF_BY = 0.1
"""The tolerance of the sum in per cent: thirds are never written exactly."""
_EXPLAINED = (
    "The weighted score is the mean of a joke's factors, each by how far it can be trusted on the model, and by its "
    "weight here. Give the factors that matter to you a share; the shares sum to 100\u00a0%, and the others don't "
    "count. With no share at all they count alike."
)


class _Share(LineField):
    """A field for a share in per cent, 0 to 100; the arrow keys change it by five."""

    def __init__(self, name: str) -> None:
        super().__init__("0", name)
        numbers = QDoubleValidator(0.0, 100.0, 1, self)
        numbers.setNotation(QDoubleValidator.Notation.StandardNotation)
        numbers.setLocale(QLocale.c())
        self.setValidator(numbers)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)

    def value(self) -> float:
        """Return the typed share; an empty or unfinished number counts as 0."""
        try:
            return min(100.0, max(0.0, float(self.text())))
        except ValueError:
            return 0.0

    def set_value(self, value: float) -> None:
        """Set the share; 0 is shown as empty."""
        self.setText(f"{round(value, 1):g}" if round(value, 1) else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: _STEP, Qt.Key.Key_Down: -_STEP}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.set_value(min(100.0, max(0.0, self.value() + step)))

    def restyle(self) -> None:
        super().restyle()
        self.setFixedWidth(theme().px(80))


class WeightsPage(QWidget):
    """The page of weights. ``save_asked`` carries shares in 0…1 by a factor's id, empty to weigh all equally."""

    save_asked = Signal(dict)

    def __init__(self) -> None:
        super().__init__()
        self._body = QWidget()
        self._grid = Grid(self._body, gaps=(16, 8), wide=0)
        self.column = ColumnScroll()
        self.column.add(self._body)
        self.boxes: dict[str, _Share] = {}
        self.total = Label("", 14, 600, tabular=True)
        self.even_button = SecondaryButton(
            "Bring to 100\u00a0%", tip="Keep the proportions and let the shares sum to 100 %", act=self._even
        )
        self.clear_button = SecondaryButton("Clear", act=self._clear)
        self.save_button = PrimaryButton("Save weights", act=self._save)
        VBox(
            Paragraph(_EXPLAINED, 13, token="text2"),
            (self.column, 1),
            HBox((self.total, 1), self.even_button, self.clear_button, self.save_button),
            parent=self,
            gap=14,
        )
        self._kept: dict[str, float] = {}

    def show_weights(self, loaded: Loaded) -> None:
        """Show a row for each factor that takes part, the heaviest first."""
        self._grid.clear()
        self.boxes = {}
        self._kept = dict(loaded.own.weights)
        factors = [item for item in loaded.items if item.section == "factor" and not item.off]
        for number, item in enumerate(sorted(factors, key=lambda item: -self._kept.get(item.id, 0.0))):
            label = Label(item.name)
            box = _Share(f"Weight of {item.name} in per cent")
            box.set_value(100.0 * self._kept.get(item.id, 0.0))
            box.textChanged.connect(self._sum)
            label.setBuddy(box)
            self._grid.addWidget(label, number, 0)
            self._grid.addWidget(box, number, 1)
            self._grid.addWidget(Label("%"), number, 2)
            self.boxes[item.id] = box
        self._sum()

    @property
    def changed(self) -> bool:
        """Whether there is unsaved text."""
        shown = {id: round(100 * share, 1) for id, share in self._kept.items() if id in self.boxes}
        return {id: round(box.value(), 1) for id, box in self.boxes.items() if box.value()} != shown

    def _sum(self) -> None:
        total = sum(box.value() for box in self.boxes.values())
        fits = not total or abs(total - 100.0) <= _OFF_BY
        self.total.setText(f"Together {total:.1f} %" if total else "All factors count alike")
        self.total.set_token("text" if fits else "bad_text")
        self.save_button.setEnabled(fits and self.changed)
        self.even_button.setEnabled(not fits)
        self.clear_button.setEnabled(bool(total))

    def _even(self) -> None:
        total = sum(box.value() for box in self.boxes.values())
        for box in self.boxes.values():
            box.set_value(100.0 * box.value() / total)

    def _clear(self) -> None:
        for box in self.boxes.values():
            box.set_value(0.0)

    def _save(self) -> None:
        values = {id: box.value() for id, box in self.boxes.items() if box.value()}
        total = sum(values.values())
        self.save_asked.emit({id: value / total for id, value in values.items()})
