"""The settings, applied and saved as they are changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from ..core.config import Settings, save_settings
from ..core.errors import SettingsError
from ..core.files import private_folder
from ..core.paths import Profile
from ..engine import prefix_cache as state_folder
from .look import wording
from .look.theme import px
from .widgets.controls import ChoiceButton, LinkButton, Segmented
from .widgets.dialog import Dialog, open_file
from .widgets.layout import ColumnScroll, Grid, HBox, VBox, single_shot
from .widgets.text import Caption, Heading, Label, Paragraph

# The disk space of the stored states of prompts, its limit, and clearing them.

_LIMITS = (0, 500 * 10**6, 10**9, 2 * 10**9, 5 * 10**9, 10 * 10**9, 20 * 10**9)


class KeptStatesRow(QWidget):
    """The stored states. ``limit_chosen`` carries the new limit in bytes (0: none on the disk), ``failed`` an error."""

    limit_chosen = Signal(object)
    failed = Signal(object)

    def __init__(self, folder: Path, limit: int) -> None:
        super().__init__()
        self._folder = folder
        self.amount = Label("", 14, 400)
        self._sizes = sorted({*_LIMITS, limit})
        self.limit_box = ChoiceButton("Largest size of the cache on the disk", fitted=True)
        names = [f"limit {_bound(size)}" if size else "off" for size in self._sizes]
        self.limit_box.set_options(names, self._sizes.index(limit))
        self.limit_box.chosen.connect(self._choose)
        self.clear_link = LinkButton("Clear", name="Clear the cache", act=lambda: self._shrink(0))
        HBox(self.amount, self.limit_box, self.clear_link, 1, parent=self, gap=10)
        self.setToolTip("The model's saved states of the program's own prompts, so that it needn't read them again.")
        self.refresh()

    def refresh(self) -> None:
        """Show the current size."""
        kept = state_folder.measure(self._folder)
        self.amount.setText(wording.file_size(kept.bytes) if kept.files else "empty")
        self.amount.setAccessibleName(f"Cache: {self.amount.text()}")
        self.clear_link.setEnabled(kept.files > 0)

    def _choose(self, place: int) -> None:
        limit = self._sizes[place]
        self._shrink(limit)
        self.limit_chosen.emit(limit)

    def _shrink(self, limit: int) -> None:
        try:
            state_folder.shrink(self._folder, limit)
        except OSError as error:
            self.failed.emit(
                SettingsError(
                    "E_WRITE",
                    f"The cache in {self._folder} can't be cleared: {error.strerror or error}.",
                    "Close other windows of JokeJudge, or delete the files yourself; that does no harm.",
                )
            )
        self.refresh()


def _bound(size: int) -> str:
    return f"{size / 1e9:g} GB" if size >= 10**9 else f"{size / 1e6:g} MB"


# The rows of the settings, which scroll where they are taller than the screen.

_REST = 160
"""Height of a dialog's title, foot and frame; pixels at 100 %."""
_LEAST = 120


class RowsScroll(ColumnScroll):
    """A scroll area with its content's height, which may be unknown before it is shown."""

    def __init__(self, content: QWidget) -> None:
        super().__init__(content)
        content.installEventFilter(self)
        self.fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        done = super().eventFilter(watched, event)
        if watched is self.widget() and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self.fit()
        return done

    def fit(self) -> None:
        """Set the height to the content's current one, as far as the screen allows."""
        content = self.widget()
        if content is None:
            return
        room = max(px(_LEAST), self.screen().availableGeometry().height() - px(_REST))
        height = min(content.sizeHint().height(), room)
        if height != self.maximumHeight():
            self.setFixedHeight(height)


_WIDTH = 500
_APPLY_MS = 150
_STEPS = 5
_CONTEXTS = (2048, 4096, 8192, 16384, 32768)


class SettingsDialog(Dialog):
    """Changes ``settings`` in place. ``changed`` carries the name of a field; ``failed`` an error of saving."""

    changed = Signal(str)
    failed = Signal(object)

    def __init__(
        self,
        settings: Settings,
        profile: Profile,
        parent: QWidget | None = None,
        votes: QWidget | None = None,
        *,
        other_audiences: bool = True,
    ) -> None:
        """``votes``: a widget under the switch of the user's own taste; ``other_audiences``: whether the current model
        can estimate any."""
        super().__init__("Settings", parent, (_WIDTH, 0), gap=16, heading=None)
        self._settings = settings
        self._profile = profile
        self.group_switch = Segmented([("window", "Window and votes"), ("model", "Model and judging")], "Settings")
        self._groups = {"window": QWidget(), "model": QWidget()}
        grids = {key: Grid(group, gaps=(24, 9), wide=1) for key, group in self._groups.items()}
        rows = QWidget()
        VBox(*self._groups.values(), parent=rows)
        self.body.add(HBox((Heading("Settings", 2), 1), self.group_switch, gap=16), RowsScroll(rows))
        self.group_switch.changed.connect(self._show_group)
        self._grid = grids["window"]

        schemes = {"system": ("System", "system"), "light": ("Light", "light"), "dark": ("Dark", "dark")}
        self.theme_switch = self._switch("Colours", "theme", "Colours", schemes)
        self.scale_slider = QSlider(Qt.Orientation.Horizontal)
        self.scale_slider.setRange(80 // _STEPS, 200 // _STEPS)
        self.scale_slider.setPageStep(2)
        self.scale_slider.setValue(round(settings.text_scale * 100 / _STEPS))
        self.scale_slider.setAccessibleName("Text size in percent")
        self.scale_value = Caption(f"{round(settings.text_scale * 100)} %")
        self.scale_slider.valueChanged.connect(self._on_scale)
        # Each size lays out the window again, so a drag applies only when it pauses.
        self._scale_timer = single_shot(self, self._apply_scale, _APPLY_MS)
        size = QWidget()
        HBox((self.scale_slider, 1), self.scale_value, parent=size)
        self._add("Text size", size)
        self.motion_switch = self._switch(
            "Motion", "reduced_motion", "Motion", {"on": ("Full", False), "off": ("Reduced", True)}
        )
        self.taste_switch = self._switch(
            "Your taste", "use_taste", "Your own taste", {"on": ("Shown", True), "off": ("Off", False)}
        )
        if votes is not None:
            self._grid.addWidget(votes, self._grid.rowCount(), 1)
        self.batches_switch = self._switch(
            "Batches",
            "batch_history",
            "Verdicts of batches",
            {"out": ("Only in their file", False), "kept": ("Also in the history", True)},
            "Verdicts of whole tables, and of rows that judge templates are tried on.",
        )
        self._grid = grids["model"]
        self.explain_switch = self._switch(
            "Explanation",
            "explain",
            "Explanation after the scores",
            {"on": ("Written", True), "off": ("Left out", False)},
        )
        self.mode_switch = self._switch(
            "Judging",
            "mode",
            "How thoroughly to judge",
            {"quick": ("Quick", "quick"), "deep": ("Deep", "deep")},
            "Deep: doubtful findings are read again in other ways until they are clear, where that was measured to "
            "help on this model.",
        )
        self.ask_switch = self._switch(
            "Ask the model",
            "ask_everything",
            "What the model is asked",
            {"plan": ("Only what helps", False), "all": ("Everything", True)},
            "Everything: every question is asked, whatever its answer was measured to be worth on this model. "
            "A verdict then takes many times as long.",
        )
        if other_audiences or settings.listeners:
            self._switch(
                "Other audiences",
                "listeners",
                "Other audiences",
                {"none": ("Off", []), "all": ("On", ["all"])},
                "On: the model says, too, whether a family, colleagues, students and others would laugh. This has "
                "no part in the verdict.",
            )
        else:
            self._add("Other audiences", Paragraph("This model can't answer for other audiences.", 13))
        counts = {0, 1, 2, 4, *range(1, (os.cpu_count() or 1) + 1), settings.threads}
        self.threads_box = self._box(
            "Threads", "threads", "Threads for the model", {n: str(n) if n else "Automatic" for n in counts}
        )
        self.context_box = self._box(
            "Context size",
            "context",
            "Context size: how much text the model can take in at once",
            {tokens: f"{tokens:,} tokens" for tokens in (*_CONTEXTS, settings.context)},
            "How much text the model can take in at once. More takes more memory.",
        )
        self.states_row = KeptStatesRow(profile.states, settings.state_cache_bytes)
        self.states_row.limit_chosen.connect(lambda limit: self._set("state_cache_bytes", limit))
        self.states_row.failed.connect(self.failed)
        self._add("Cache", self.states_row)
        self.folder_link = LinkButton("Open the data folder", tip=str(profile.data), act=self._open_folder)
        self.body.addStretch(1)
        self.close_button = self.add_foot("Done", self.folder_link, 1)
        self._show_group("window")

    def _show_group(self, key: str) -> None:
        for name, group in self._groups.items():
            group.setVisible(name == key)

    def _switch(
        self, label: str, field: str, name: str, options: Mapping[str, tuple[str, object]], tip: str = ""
    ) -> Segmented:
        """Add a row for a field with few values. ``options``: its captions and values by key."""
        switch = Segmented([(key, words) for key, (words, _) in options.items()], name)
        now = getattr(self._settings, field)
        same = (key for key, (_, value) in options.items() if value == now)
        switch.set_current(next(same, list(options)[-1]))
        switch.setToolTip(tip)
        switch.changed.connect(lambda key: self._set(field, options[key][1]))
        self._add(label, switch, tip)
        return switch

    def _box(self, label: str, field: str, name: str, options: Mapping[int, str], tip: str = "") -> ChoiceButton:
        """Add a row for a numeric field. ``options``: captions by value."""
        box, values = ChoiceButton(name, fitted=True), sorted(options)
        box.set_options([options[value] for value in values], values.index(getattr(self._settings, field)))
        box.chosen.connect(lambda place: self._set(field, values[place]))
        self._add(label, box, tip)
        return box

    def _add(self, label: str, control: QWidget, tip: str = "") -> None:
        caption = Label(label, 14, 400)
        caption.setToolTip(tip)
        caption.setBuddy(control)
        row = self._grid.rowCount()
        self._grid.addWidget(caption, row, 0, Qt.AlignmentFlag.AlignVCenter)
        alignment = Qt.AlignmentFlag.AlignLeft if isinstance(control, Segmented | ChoiceButton) else Qt.AlignmentFlag(0)
        self._grid.addWidget(control, row, 1, alignment)

    def restyle(self) -> None:
        self.scale_value.setMinimumWidth(px(48))
        self.setMinimumWidth(px(_WIDTH))
        self.adjustSize()

    def _set(self, name: str, value: object) -> None:
        if getattr(self._settings, name) == value:
            return
        setattr(self._settings, name, value)
        try:
            save_settings(self._settings, self._profile)
        except SettingsError as error:
            self.failed.emit(error)
        self.changed.emit(name)

    def _on_scale(self, value: int) -> None:
        self.scale_value.setText(f"{value * _STEPS} %")
        self._scale_timer.start()

    def _apply_scale(self) -> None:
        self._set("text_scale", self.scale_slider.value() * _STEPS / 100)

    def _open_folder(self) -> None:
        private_folder(self._profile.data)
        open_file(self._profile.data)

    def done(self, result: int) -> None:
        if self._scale_timer.isActive():
            self._scale_timer.stop()
            self._apply_scale()
        super().done(result)
