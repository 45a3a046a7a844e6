"""The focus ring: one overlay for the whole window."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFocusFrame, QProxyStyle, QStyle, QWidget

from ..look.theme import px, theme
from .base import box, painting

_REACH = 4


class _RingStyle(QProxyStyle):
    """Draws the frame above the controls, and ``_REACH`` px around the focused one."""

    def pixelMetric(self, metric: QStyle.PixelMetric, option: object = None, widget: QWidget | None = None) -> int:
        if metric in (QStyle.PixelMetric.PM_FocusFrameHMargin, QStyle.PixelMetric.PM_FocusFrameVMargin):
            return px(_REACH)
        return super().pixelMetric(metric, option, widget)  # type: ignore[arg-type]

    def styleHint(self, hint: QStyle.StyleHint, *args: object) -> int:
        return 1 if hint == QStyle.StyleHint.SH_FocusFrame_AboveWidget else super().styleHint(hint, *args)  # type: ignore[arg-type]


class FocusRing(QFocusFrame):
    """2 px of accent, 2 px outside the focused control.

    Buttons and combo boxes get it; other widgets if their property ``ring`` is true, none if it is false. It is shown
    from the first focus that the user moved with a key to the next one moved by a click."""

    _keyboard = False

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._style = _RingStyle()
        self.setStyle(self._style)
        self.hide()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)
        self._focus_changed(None, app.focusWidget())

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            FocusRing._keyboard = False
        elif new is not None and new.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            FocusRing._keyboard = True
        ring = new.property("ring") if new is not None else False
        taken = isinstance(new, QAbstractButton | QComboBox) if ring is None else ring
        wanted = taken and new is not None and self._keyboard and new.window() is self.window()
        self.setWidget(new if wanted else None)  # type: ignore[arg-type]
        if not wanted:
            self.hide()  # a frame that never had a widget would be shown with its window

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as (painter, width, height):
            box(painter, QRectF(0, 0, width, height), 12, None, theme().tokens.accent, 2)
