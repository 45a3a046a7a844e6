"""The library's card of panels: several models under one name, which judge together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from ...core.config import Settings, save_settings
from ...core.errors import JokeJudgeError
from ...core.paths import Profile
from ...core.texts import number
from ...library.embedded import EMBEDDED_NAME
from ...library.finder import FoundModel
from ...library.panel_list import MOST_MEMBERS, keep_panel, remove_panel
from ..look import wording
from ..look.theme import px
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card
from ..widgets.controls import FilterChip, LinkButton, SecondaryButton
from ..widgets.dialog import Dialog
from ..widgets.fields import LineField
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.text import Paragraph

# A panel's name and its models, chosen from those on this computer.

_LONGEST = 52
_WORDS = f"Choose two to {number(MOST_MEMBERS)} models. Those of different families make different mistakes."


@dataclass(frozen=True)
class Choosable:
    """A model that a panel may have: its path or name (``spec``), and its label."""

    spec: str
    label: str


class PanelDialog(Dialog):
    """The dialog of a panel. ``wanted`` carries the name and the models when Save is pressed; the receiver closes the
    dialog, or shows in it why they are invalid."""

    wanted = Signal(str, list)

    def __init__(
        self, name: str, members: Sequence[str], models: Sequence[Choosable], parent: QWidget | None = None
    ) -> None:
        super().__init__("Change panel" if name else "New panel", parent, (460, 0), gap=12)
        self._models = tuple(models)
        self.field = LineField("Name of the panel", "Name of the panel")
        self.field.setText(name)
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
            self.column.add((chip, 0, Qt.AlignmentFlag.AlignLeft))
        self.column.body.addStretch(1)
        self.column.body.setSpacing(px(8))
        self.column.setMinimumHeight(px(34 * min(6, max(2, len(self.chips)))))
        self.note = Paragraph("", 13, token="bad_text")
        self.note.hide()
        self.body.add(self.field, Paragraph(_WORDS, 13), (self.column, 1), self.note)
        self.save_button = self.add_foot("Save", cancel=True)
        self.field.setFocus()

    @property
    def members(self) -> list[str]:
        """The chosen models."""
        chosen = {model.spec for model, chip in zip(self._models, self.chips, strict=True) if chip.isChecked()}
        return [spec for spec in self._order if spec in chosen]

    def say(self, words: str) -> None:
        """Show why it can't be saved."""
        self.note.set_content(words)
        self.note.show()

    def accept(self) -> None:
        """Send ``wanted`` with the name and the models."""
        self.wanted.emit(" ".join(self.field.text().split()), self.members)


_ABOUT = (
    "Several models judge together; better ones count more. A panel gives ratings and duels. Its models may take {} of "
    "memory; the settings say how much."
)
_NONE = "There is no panel yet."


class PanelRow(QWidget):
    """A panel: its name and models, and its buttons."""

    def __init__(self, name: str, models: str, in_use: bool) -> None:
        super().__init__()
        self.name = name
        self.title = Paragraph(name, 14, 500, "text")
        self.models = Paragraph(f"In use · {models}" if in_use else models, 13, token="text2")
        self.use = SecondaryButton("Use")
        self.use.setVisible(not in_use)
        self.change = LinkButton("Change…")
        self.remove = LinkButton("Remove")
        for button in (self.use, self.change, self.remove):
            button.setAccessibleName(f"{button.text().rstrip('…')} the panel {name}")
        HBox(
            (VBox(self.title, self.models, HBox(self.change, self.remove, 1, gap=14), gap=4), 1),
            self.use,
            parent=self,
            gap=12,
            margins=(0, 6, 0, 6),
        )


class PanelsCard(Card):
    """The card of panels. ``chosen`` carries the name of a panel to judge with, or of the model to use again after its
    panel was removed; ``failed`` an error."""

    chosen = Signal(str)
    failed = Signal(object)

    def __init__(self, settings: Settings, profile: Profile) -> None:
        super().__init__("Panels")
        self._settings, self._profile = settings, profile
        self._found: tuple[FoundModel, ...] = ()
        self.rows: list[PanelRow] = []
        self.dialog: PanelDialog | None = None
        self.about = Paragraph("", 13)
        self.add(self.about)
        self._rows = VBox()
        self.add(self._rows)
        self.new_button = SecondaryButton("New panel…", act=lambda: self.edit(None))
        self.add((self.new_button, 0, Qt.AlignmentFlag.AlignLeft))
        self.draw()

    def set_found(self, models: Sequence[FoundModel]) -> None:
        """Set the models on this computer."""
        self._found = tuple(models)

    def draw(self) -> None:
        """Show the saved panels."""
        self.rows = []
        memory = wording.file_size(self._settings.panel_memory_bytes)
        self.about.set_content(_ABOUT.format(memory) + ("" if self._settings.panels else f" {_NONE}"))
        for name, members in self._settings.panels.items():
            row = PanelRow(name, ", ".join(map(self._label, members)), name == self._settings.model)
            row.use.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            row.change.clicked.connect(lambda _=False, name=name: self.edit(name))
            row.remove.clicked.connect(lambda _=False, name=name: self.remove(name))
            self.rows.append(row)
        self._rows.show_only(*self.rows)

    def edit(self, name: str | None) -> None:
        """Open the dialog for a panel's name and models; None: for a new one."""
        members = self._settings.panels.get(name, []) if name is not None else []
        self.dialog = PanelDialog(name or "", members, self._choosable(members), self)
        self.dialog.finished.connect(lambda _result: setattr(self, "dialog", None))
        self.dialog.wanted.connect(lambda new, models: self._keep(name, new, models))
        self.dialog.open()

    def remove(self, name: str) -> None:
        """Remove a panel; if it was the judge, the embedded model becomes the judge."""
        used = self._settings.model == name
        try:
            remove_panel(self._settings, name)
            save_settings(self._settings, self._profile)
        except JokeJudgeError as error:
            self.failed.emit(error)
        self.draw()
        self.new_button.setFocus()
        if used:
            self.chosen.emit("embedded")

    def _keep(self, before: str | None, name: str, members: list[str]) -> None:
        assert self.dialog is not None
        try:
            was = self._settings.panels.get(before) if before is not None else None
            name = keep_panel(self._settings, name, members, self._profile, instead_of=before)
            save_settings(self._settings, self._profile)
        except JokeJudgeError as error:
            self.dialog.say(str(error))
            return
        self.dialog.done(QDialog.DialogCode.Accepted)
        self.draw()
        if self._settings.model == name and was != self._settings.panels[name]:
            self.chosen.emit(name)

    def _choosable(self, members: Sequence[str]) -> list[Choosable]:
        """Return the embedded model, the models on this computer, and members that weren't found."""
        models = [Choosable("embedded", EMBEDDED_NAME)]
        models += [Choosable(str(model.path), model.label) for model in self._found]
        known = {each.spec for each in models}
        return models + [Choosable(member, self._label(member)) for member in members if member not in known]

    def _label(self, member: str) -> str:
        if member.casefold() == "embedded":
            return EMBEDDED_NAME
        return next((model.label for model in self._found if str(model.path) == member), Path(member).name)
