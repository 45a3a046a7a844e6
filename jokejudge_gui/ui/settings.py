"""The settings, applied and saved as they are changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from ..core.config import Settings, save_settings
from ..core.errors import SettingsError
from ..core.files import private_folder
from ..core.paths import Profile
from .look.theme import SCALES
from .widgets.controls import ChoiceButton, LinkButton, Segmented
from .widgets.dialog import Dialog
from .widgets.layout import ColumnScroll, Grid, HBox
from .widgets.text import Label


@dataclass(frozen=True)
class Choice:
    """A setting and the values that are offered, by caption; for numbers ``caption`` makes the captions, and the
    current value is offered, too. ``tip``: a tooltip other than the setting's description."""

    field: str
    label: str
    values: dict[str, Any] | tuple[float | None, ...]
    caption: Callable[[Any], str] = str
    tip: str = ""

    def offered(self, current: object) -> dict[str, Any]:
        if isinstance(self.values, dict):
            return self.values
        values: set[Any] = {*self.values, current}
        return {self.caption(one): one for one in sorted(values, key=lambda one: -1 if one is None else one)}


def _most(count: int | None) -> str:
    return "As many as help" if count is None else f"{count:,}" if count else "None"


GROUPS = {
    "Window": (
        Choice("theme", "Colours", {"System": "system", "Light": "light", "Dark": "dark"}),
        Choice(
            "text_scale", "Text size", tuple(tenths / 10 for tenths in range(round(10 * SCALES[0]), 21)),
            lambda scale: f"{100 * scale:.0f} %",
        ),
        Choice("use_taste", "Your taste", {"Shown": True, "Off": False}),
        Choice(
            "batch_history", "Batches", {"File only": False, "History too": True},
            tip="Verdicts of whole tables, and of rows that judge templates are tried on.",
        ),
    ),
    "Judging": (
        Choice("explain", "Explanation", {"Written": True, "Left out": False}),
        Choice(
            "mode", "Judging", {"Quick": "quick", "Deep": "deep"},
            tip="Deep: factors that the model was asked about and left in doubt are asked about again.",
        ),
        Choice(
            "ask_everything", "Ask the model", {"Only what helps": False, "Everything": True},
            tip="Everything: every question is asked, whatever its answer was measured to be worth on this model. "
            "A verdict then takes many times as long.",
        ),
        Choice(
            "listeners", "Other audiences", {"Off": [], "On": ["all"]},
            tip="On: the model says, too, whether a family, colleagues, students and others would laugh. This has no "
            "part in the verdict.",
        ),
        Choice(
            "threads", "Threads", tuple(range((os.cpu_count() or 1) + 1)),
            lambda count: str(count) if count else "Automatic",
        ),
    ),
    "Contests": (
        Choice("contest_top", "Best to find", (1, 3, 5, 10, 20, 50)),
        Choice("contest_duels", "Duels", (None, 0, 20, 60, 120, 240, 500), _most, "Two jokes of a list are compared."),
        Choice(
            "contest_rounds", "Rounds of scoring", (None, 0, 3, 5, 10), _most,
            "The model scores the jokes from 1 to 10, several together and in shuffled order.",
        ),
    ),
}  # fmt: skip


class SettingsDialog(Dialog):
    """Changes ``settings`` in place. ``changed`` carries the name of a field; ``failed`` an error of saving."""

    changed = Signal(str)
    failed = Signal(object)

    def __init__(self, settings: Settings, profile: Profile, parent: QWidget | None = None) -> None:
        super().__init__("Settings", parent, (500, 480), gap=12)
        self._settings, self._profile = settings, profile
        self.controls: dict[str, Segmented | ChoiceButton] = {}
        self.group_switch = Segmented([(name, name) for name in GROUPS], "Settings")
        self.group_switch.changed.connect(self._show_group)
        self._groups = {name: QWidget() for name in GROUPS}
        for name, choices in GROUPS.items():
            grid = Grid(self._groups[name], gaps=(24, 9), wide=1)
            for place, choice in enumerate(choices):
                control, caption = self._control(choice), Label(choice.label, 14, 400)
                caption.setToolTip(control.toolTip())
                caption.setBuddy(control)
                grid.addWidget(caption, place, 0)
                grid.addLayout(HBox(control, 1), place, 1)
        column = ColumnScroll()
        column.add(*self._groups.values())
        self.body.add(self.group_switch, (column, 1))
        self.folder_link = LinkButton("Open the data folder", tip=str(profile.data), act=self._open_folder)
        self.close_button = self.add_foot("Done", self.folder_link, 1)
        self._show_group(next(iter(GROUPS)))

    def _show_group(self, name: str) -> None:
        for group, widget in self._groups.items():
            widget.setVisible(group == name)

    def _control(self, choice: Choice) -> Segmented | ChoiceButton:
        """Return the control of a setting: a switch for two or three values, otherwise a menu."""
        current = getattr(self._settings, choice.field)
        offered = choice.offered(current)
        shown = next((caption for caption, value in offered.items() if value == current), [*offered][-1])
        control: Segmented | ChoiceButton
        if isinstance(choice.values, dict):
            control = Segmented([(caption, caption) for caption in offered], choice.label)
            control.set_current(shown)
            control.changed.connect(lambda caption: self._set(choice.field, offered[caption]))
        else:
            control = ChoiceButton(choice.label)
            control.set_options([*offered], [*offered].index(shown))
            control.chosen.connect(lambda place: self._set(choice.field, [*offered.values()][place]))
        control.setToolTip(choice.tip or f"{Settings.model_fields[choice.field].description}.")
        self.controls[choice.field] = control
        return control

    def _set(self, name: str, value: object) -> None:
        if getattr(self._settings, name) == value:
            return
        setattr(self._settings, name, value)
        try:
            save_settings(self._settings, self._profile)
        except SettingsError as error:
            self.failed.emit(error)
        self.changed.emit(name)

    def _open_folder(self) -> None:
        private_folder(self._profile.data)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._profile.data)))
