"""A panel's name and its models, to be chosen from those on this computer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from ...library.panel_list import MOST_MEMBERS
from ...texts import number
from ..frame.placing import OnScreen
from ..look import wording
from ..look.theme import font, px
from ..widgets.base import plain_tooltip
from ..widgets.controls import FilterChip, PrimaryButton, SecondaryButton
from ..widgets.scroll import ColumnScroll
from ..widgets.text import Heading, Paragraph

_LONGEST = 52
_WORDS = f"Choose two to {number(MOST_MEMBERS)} models. Those of different families make different mistakes."


@dataclass(frozen=True)
class Choosable:
    """A model that a panel may have: what it is asked for by, and what it is called."""

    spec: str
    label: str


class PanelDialog(QDialog):
    """``wanted`` carries the name and the models when Save is pressed; whoever takes them accepts the dialog, or says
    in it what is wrong with them."""

    wanted = Signal(str, list)

    def __init__(
        self, name: str, members: Sequence[str], models: Sequence[Choosable], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        title = "Change panel" if name else "New panel"
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._models = tuple(models)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(px(24), px(20), px(24), px(20))
        layout.setSpacing(px(12))
        layout.addWidget(Heading(title, 2))
        self.field = QLineEdit(name)
        self.field.setFont(font(14))
        self.field.setMinimumHeight(px(34))
        self.field.setPlaceholderText("Name of the panel")
        self.field.setAccessibleName("Name of the panel")
        layout.addWidget(self.field)
        layout.addWidget(Paragraph(_WORDS, 13))
        self.column = ColumnScroll()
        self.chips: list[FilterChip] = []
        # In the order of the panel, so that saving it unchanged changes nothing.
        self._order = [*members, *(model.spec for model in self._models if model.spec not in members)]
        for model in self._models:
            chip = FilterChip(wording.beginning(model.label, _LONGEST))
            chip.setToolTip(plain_tooltip(model.spec))
            chip.setAccessibleName(f"{model.label} in the panel")
            chip.setChecked(model.spec in members)
            self.chips.append(chip)
            self.column.body.addWidget(chip, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.body.addStretch(1)
        self.column.body.setSpacing(px(8))
        self.column.setMinimumHeight(px(34 * min(6, max(2, len(self.chips)))))
        layout.addWidget(self.column, 1)
        self.note = Paragraph("", 13, token="bad_text")
        self.note.hide()
        layout.addWidget(self.note)
        row = QHBoxLayout()
        row.setSpacing(px(8))
        row.addStretch(1)
        cancel = SecondaryButton("Cancel")
        cancel.clicked.connect(self.reject)
        self.save_button = PrimaryButton("Save")
        self.save_button.clicked.connect(self._save)
        self.save_button.setDefault(True)
        row.addWidget(cancel)
        row.addWidget(self.save_button)
        layout.addLayout(row)
        OnScreen(self)
        self.resize(px(460), self.sizeHint().height())
        self.field.setFocus()

    @property
    def members(self) -> list[str]:
        """The models that are chosen."""
        chosen = {model.spec for model, chip in zip(self._models, self.chips, strict=True) if chip.isChecked()}
        return [spec for spec in self._order if spec in chosen]

    def say(self, words: str) -> None:
        """Say why it can't be saved so."""
        self.note.set_content(words)
        self.note.show()

    def _save(self) -> None:
        self.wanted.emit(" ".join(self.field.text().split()), self.members)
