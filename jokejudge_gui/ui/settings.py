"""The settings, applied and saved as they are changed."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QSlider, QWidget

from ..core.config import Settings, save_settings
from ..core.errors import SettingsError
from ..core.files import private_folder
from ..core.paths import Profile
from ..engine import prefix_cache as state_folder
from .look import wording
from .look.theme import font, px, theme
from .room import OnScreen
from .widgets.controls import LinkButton, PrimaryButton, Segmented
from .widgets.layout import Grid, HBox, VBox, single_shot
from .widgets.scroll import ColumnScroll
from .widgets.text import Caption, Heading, Label, Paragraph

# How much the kept states of prompts take on the disk, how much they may, and clearing them.

_LIMITS = (0, 500 * 10**6, 10**9, 2 * 10**9, 5 * 10**9, 10 * 10**9, 20 * 10**9)


class KeptStatesRow(QWidget):
    """``limit_chosen`` carries the new bound in bytes (0: nothing is kept on the disk); ``failed`` an error."""

    limit_chosen = Signal(object)
    failed = Signal(object)

    def __init__(self, folder: Path, limit: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self.amount = Label("", 14, 400)
        self.limit_box = QComboBox()
        self.limit_box.setAccessibleName("Most that kept states may take on the disk")
        for size in sorted({*_LIMITS, limit}):
            self.limit_box.addItem(f"of {_bound(size)}" if size else "Keep none", size)
        self.limit_box.setCurrentIndex(self.limit_box.findData(limit))
        self.limit_box.currentIndexChanged.connect(self._choose)
        self.clear_link = LinkButton("Clear", name="Clear the kept states", act=lambda: self._shrink(0))
        HBox(self.amount, self.limit_box, self.clear_link, 1, parent=self, gap=10)
        self.setToolTip("What the model has read of the program's own prompts, so that it needn't read it again.")
        self._scale()
        theme().changed.connect(self._scale)
        self.refresh()

    def refresh(self) -> None:
        """Show what lies there now."""
        kept = state_folder.measure(self._folder)
        self.amount.setText(wording.file_size(kept.bytes) if kept.files else "None")
        self.amount.setAccessibleName(f"Kept states: {self.amount.text()}")
        self.clear_link.setEnabled(kept.files > 0)

    def _scale(self) -> None:
        self.limit_box.setFont(font(14, 400))

    def _choose(self) -> None:
        limit = self.limit_box.currentData()
        self._shrink(limit)
        self.limit_chosen.emit(limit)

    def _shrink(self, limit: int) -> None:
        try:
            state_folder.shrink(self._folder, limit)
        except OSError as error:
            self.failed.emit(
                SettingsError(
                    "E_WRITE",
                    f"The kept states in {self._folder} can't be removed: {error.strerror or error}.",
                    "Close other windows of JokeJudge, or remove them yourself: they may go at any time.",
                )
            )
        self.refresh()


def _bound(size: int) -> str:
    return f"{size / 1e9:g} GB" if size >= 10**9 else f"{size / 1e6:g} MB"


# The rows of the settings: as tall as they are, until the screen is full; then they scroll.

_REST = 190
"""What a dialog needs besides: its title, its foot, its frame; pixels at 100 %."""
_LEAST = 120


class RowsScroll(ColumnScroll):
    """Takes its height from its content, which needn't be of a known height before it is shown."""

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
        """Take the height that the content has now, as far as the screen allows."""
        content = self.widget()
        if content is None:
            return
        room = max(px(_LEAST), self.screen().availableGeometry().height() - px(_REST))
        height = min(content.sizeHint().height(), room)
        if height != self.maximumHeight():
            self.setFixedHeight(height)


_APPLY_MS = 150
_STEPS = 5
_CONTEXTS = (2048, 4096, 8192, 16384, 32768)
_MEMORY = (1, 2, 4, 8, 16, 32, 64)


class SettingsDialog(QDialog):
    """Changes ``settings`` in place. ``changed`` carries the name of a field; ``failed`` an error of saving."""

    changed = Signal(str)
    failed = Signal(object)

    def __init__(
        self, settings: Settings, profile: Profile, parent: QWidget | None = None, votes: QWidget | None = None
    ) -> None:
        """``votes``: what stands under the switch of the user's own taste."""
        super().__init__(parent)
        self._settings = settings
        self._profile = profile
        self.setWindowTitle("Settings")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._rows: list[QLabel] = []
        self._outer = VBox(Heading("Settings", 2), parent=self, gap=16, margins=(24, 20, 24, 20))
        body = QWidget()
        self._grid = Grid(body, gaps=(24, 14), wide=1)
        self._outer.addWidget(RowsScroll(body))

        self.theme_switch = Segmented([("system", "System"), ("light", "Light"), ("dark", "Dark")], "Colours")
        self.theme_switch.set_current(settings.theme)
        self.theme_switch.changed.connect(lambda key: self._set("theme", key))
        self._add("Colours", self.theme_switch)

        self.scale_slider = QSlider(Qt.Orientation.Horizontal)
        self.scale_slider.setRange(80 // _STEPS, 200 // _STEPS)
        self.scale_slider.setPageStep(2)
        self.scale_slider.setValue(round(settings.text_scale * 100 / _STEPS))
        self.scale_slider.setAccessibleName("Text size in percent")
        self.scale_value = Caption(f"{round(settings.text_scale * 100)} %")
        self.scale_slider.valueChanged.connect(self._on_scale)
        # The window is laid out anew for each size, so a drag applies only where it rests.
        self._scale_timer = single_shot(self, self._apply_scale, _APPLY_MS)
        size = QWidget()
        HBox((self.scale_slider, 1), self.scale_value, parent=size)
        self._add("Text size", size)

        self.motion_switch = Segmented([("on", "Full"), ("off", "Reduced")], "Motion")
        self.motion_switch.set_current("off" if settings.reduced_motion else "on")
        self.motion_switch.changed.connect(lambda key: self._set("reduced_motion", key == "off"))
        self._add("Motion", self.motion_switch)

        self.explain_switch = Segmented([("on", "Written"), ("off", "Left out")], "Explanation after the scores")
        self.explain_switch.set_current("on" if settings.explain else "off")
        self.explain_switch.changed.connect(lambda key: self._set("explain", key == "on"))
        self._add("Explanation", self.explain_switch)

        self.mode_switch = Segmented([("quick", "Quick"), ("deep", "Deep")], "How thoroughly to judge")
        self.mode_switch.set_current(settings.mode)
        self.mode_switch.setToolTip(
            "Deep: what is in doubt is read again in other ways until it is settled, as far as that is worth anything "
            "on this model."
        )
        self.mode_switch.changed.connect(lambda key: self._set("mode", key))
        self._add("Judging", self.mode_switch)

        self.ask_switch = Segmented([("plan", "Worth asking"), ("all", "All of them")], "Questions to the model")
        self.ask_switch.set_current("all" if settings.ask_everything else "plan")
        self.ask_switch.setToolTip(
            "All of them: every question is asked, whatever its answer was measured to be worth on this model. "
            "A verdict then takes many times as long."
        )
        self.ask_switch.changed.connect(lambda key: self._set("ask_everything", key == "all"))
        self._add("Questions", self.ask_switch)

        self.listeners_switch = Segmented([("none", "Nobody else"), ("all", "Known listeners")], "Who else is asked")
        self.listeners_switch.set_current("all" if settings.listeners else "none")
        self.listeners_switch.setToolTip(
            "Known listeners: the model says, too, whether a family, colleagues, students and others would laugh, "
            "as far as it tells them apart. It has no part in the verdict."
        )
        self.listeners_switch.changed.connect(lambda key: self._set("listeners", ["all"] if key == "all" else []))
        self._add("Listeners", self.listeners_switch)

        self.taste_switch = Segmented([("on", "Shown"), ("off", "Off")], "Your own taste")
        self.taste_switch.set_current("on" if settings.use_taste else "off")
        self.taste_switch.changed.connect(lambda key: self._set("use_taste", key == "on"))
        self._add("Your taste", self.taste_switch)
        if votes is not None:
            self._grid.addWidget(votes, self._grid.rowCount(), 1)

        self.threads_box = QComboBox()
        for count in sorted({0, 1, 2, 4, *range(1, (os.cpu_count() or 1) + 1), settings.threads}):
            self.threads_box.addItem(str(count) if count else "Automatic", count)
        self.threads_box.setCurrentIndex(self.threads_box.findData(settings.threads))
        self.threads_box.setFont(font(14, 400))
        self.threads_box.setAccessibleName("Threads for the model")
        self.threads_box.currentIndexChanged.connect(
            lambda _index: self._set("threads", self.threads_box.currentData())
        )
        self._add("Threads", self.threads_box)

        self.context_box = QComboBox()
        for tokens in sorted({*_CONTEXTS, settings.context}):
            self.context_box.addItem(f"{tokens:,} tokens", tokens)
        self.context_box.setCurrentIndex(self.context_box.findData(settings.context))
        self.context_box.setAccessibleName("Context size: how much text the model can take in at once")
        self.context_box.setToolTip("How much text the model can take in at once. More takes more memory.")
        self.context_box.currentIndexChanged.connect(
            lambda _index: self._set("context", self.context_box.currentData())
        )
        self._add("Context size", self.context_box)

        self.memory_box = QComboBox()
        for memory in sorted({*(gigabytes * 10**9 for gigabytes in _MEMORY), settings.panel_memory_bytes}):
            self.memory_box.addItem(f"{memory / 1e9:g} GB", memory)
        self.memory_box.setCurrentIndex(self.memory_box.findData(settings.panel_memory_bytes))
        self.memory_box.setAccessibleName("Most memory that the models of a panel may take")
        self.memory_box.setToolTip("Models of a panel that don't fit together are loaded one after another.")
        self.memory_box.currentIndexChanged.connect(
            lambda _index: self._set("panel_memory_bytes", self.memory_box.currentData())
        )
        self._add("Panel's memory", self.memory_box)

        self.states_row = KeptStatesRow(profile.states, settings.state_cache_bytes)
        self.states_row.limit_chosen.connect(lambda limit: self._set("state_cache_bytes", limit))
        self.states_row.failed.connect(self.failed)
        self._add("Kept states", self.states_row)

        self.folder_text = Paragraph(str(profile.data), token="text3")
        self.folder_text.setAccessibleName(f"Data folder: {profile.data}")
        self._add("Data folder", self.folder_text)
        self.folder_link = LinkButton("Open folder", act=self._open_folder)
        self._grid.addWidget(self.folder_link, self._grid.rowCount(), 1, Qt.AlignmentFlag.AlignLeft)

        self._outer.addStretch(1)
        foot = HBox(1)
        self.close_button = PrimaryButton("Done", act=self.accept)
        foot.addWidget(self.close_button)
        self._outer.addLayout(foot)
        self._scale()
        theme().changed.connect(self._scale)
        OnScreen(self)

    def _add(self, label: str, control: QWidget) -> None:
        caption = QLabel(label)
        caption.setTextFormat(Qt.TextFormat.PlainText)
        caption.setBuddy(control)
        self._rows.append(caption)
        row = self._grid.rowCount()
        self._grid.addWidget(caption, row, 0, Qt.AlignmentFlag.AlignVCenter)
        alignment = Qt.AlignmentFlag.AlignLeft if isinstance(control, Segmented | QComboBox) else Qt.AlignmentFlag(0)
        self._grid.addWidget(control, row, 1, alignment)

    def _scale(self) -> None:
        for caption in self._rows:
            caption.setFont(font(14, 400))
        for box in (self.threads_box, self.context_box, self.memory_box):
            box.setFont(font(14, 400))
        self.scale_value.setMinimumWidth(px(48))
        self.setMinimumWidth(px(460))
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
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._profile.data)))

    def done(self, result: int) -> None:
        if self._scale_timer.isActive():
            self._scale_timer.stop()
            self._apply_scale()
        super().done(result)
