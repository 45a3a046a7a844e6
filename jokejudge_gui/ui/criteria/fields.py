"""One field of an item, in the form in which it is written."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from ...rubric.own_types import Field
from ..look.theme import theme
from ..widgets.base import Themed
from ..widgets.controls import SecondaryButton
from ..widgets.fields import TextEditor
from ..widgets.segmented import Segmented
from ..widgets.text import Label, Paragraph

_EITHER = "Either"


class Line(Themed, QLineEdit):
    """One line of text at 14 px."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setProperty("ring", False)
        self.follow_theme()

    def restyle(self) -> None:
        self.setFont(theme().font(14))
        super().restyle()


class FieldRow(Themed, QWidget):
    """A label, something to write in, what it is for, and what is wrong with it. ``edited`` is sent when the user
    changed it."""

    edited = Signal()

    def __init__(self, field: Field, names: Mapping[str, str], parent: QWidget | None = None) -> None:
        """``names``: of items by id, for a field that names some."""
        super().__init__(parent)
        self.field = field
        self._names = names
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.label = Label(field.label if field.needed else f"{field.label} (may be left out)", 14, 600)
        self._column.addWidget(self.label)
        self.line: Line | None = None
        self.editor: TextEditor | None = None
        self.switch: Segmented | None = None
        self.choose: SecondaryButton | None = None
        self._column.addWidget(self._control())
        self.help = Paragraph(field.help[:1].upper() + field.help[1:] + ".", 13, token="text3")
        self._column.addWidget(self.help)
        self.problem = Paragraph("", 13, token="bad_text")
        self.problem.hide()
        self._column.addWidget(self.problem)
        self.follow_theme()

    def _control(self) -> QWidget:
        field, name = self.field, f"{self.field.label}: {self.field.help}"
        if field.form == "choice":
            options = [(choice, choice[:1].upper() + choice[1:]) for choice in field.choices]
            if not field.needed and "no" not in field.choices[:1]:
                options.insert(0, ("", _EITHER))
            self.switch = Segmented(options, field.label)
            self.switch.changed.connect(lambda _key: self.edited.emit())
            return self.switch
        if field.form == "ids" or field.form == "share" or field.most <= 100:
            self.line = Line(name)
            self.line.textEdited.connect(lambda _text: self.edited.emit())
            return self._with_choice(self.line) if field.form == "ids" else self.line
        self.editor = TextEditor("", name, lines=3 if field.form == "lines" else 2, most=8)
        self.editor.textChanged.connect(self.edited)
        return self.editor

    def _with_choice(self, line: Line) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(line, 1)
        self.choose = SecondaryButton("Choose…")
        self.choose.setAccessibleName(f"Choose {self.field.label.lower()}")
        self.choose.clicked.connect(self._open)
        layout.addWidget(self.choose)
        return row

    def menu(self) -> QMenu:
        """All that can be named, what is named ticked."""
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
        if self.choose is not None:
            self.menu().popup(self.choose.mapToGlobal(self.choose.rect().bottomLeft()))

    def _name(self, id: str, *, on: bool) -> None:
        ids = [each for each in self.value().split() if each != id]
        self.set_value(" ".join([*ids, id] if on else ids))
        self.edited.emit()

    def value(self) -> str:
        """What is written there."""
        if self.switch is not None:
            return self.switch.current()
        if self.line is not None:
            return self.line.text()
        return self.editor.toPlainText() if self.editor is not None else ""

    def set_value(self, value: str) -> None:
        """Show this; ``edited`` isn't sent."""
        blocked = self.blockSignals(True)
        if self.switch is not None:
            # A choice that there isn't is the usual one.
            self.switch.set_current(value if value in self._choices() else self._choices()[0])
        elif self.line is not None:
            self.line.setText(value)
        elif self.editor is not None:
            self.editor.setPlainText(value)
        self.blockSignals(blocked)

    def _choices(self) -> tuple[str, ...]:
        field = self.field
        return field.choices if field.needed or "no" in field.choices[:1] else ("", *field.choices)

    def say(self, problem: str) -> None:
        """What is wrong with it; nothing for an empty text."""
        self.problem.set_content(problem)
        self.problem.setVisible(bool(problem))

    def focus_widget(self) -> QWidget:
        """Where one writes."""
        if self.switch is not None:
            return self.switch.segment(self.switch.current())
        return self.line or self.editor or self

    def restyle(self) -> None:
        self._column.setSpacing(theme().px(4))
        super().restyle()
