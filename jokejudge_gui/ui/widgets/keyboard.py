"""The keyboard: named actions with their keys, which the palette lists, and the ring around what has the focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFocusFrame, QProxyStyle, QStyle, QWidget

from ..look.theme import px, theme

_NATIVE = QKeySequence.SequenceFormat.NativeText
_REACH = 4


def add_action(
    part: QWidget, words: str, keys: str, act: Callable[[], object] | SignalInstance, *, anywhere: bool = False
) -> QAction:
    """Give a part of the window an action. ``words`` begin with a verb ("Swap the drafts"); ``keys``: one or several
    with "; " between, empty for none. They work while the part has the focus; ``anywhere``: in the whole window."""
    action = QAction(words, part)
    action.setShortcuts(QKeySequence.listFromString(keys))
    context = Qt.ShortcutContext
    action.setShortcutContext(context.WindowShortcut if anywhere else context.WidgetWithChildrenShortcut)
    action.triggered.connect(lambda _checked=False: act.emit() if isinstance(act, SignalInstance) else act())
    part.addAction(action)
    return action


def add_keys(part: QWidget, words: str, keys: str) -> QAction:
    """Have keys that a part handles itself listed with the actions."""
    action = QAction(words, part)
    action.setData(keys)
    part.addAction(action)
    return action


def keys_of(action: QAction) -> str:
    """Return the keys of an action as a person reads them."""
    keys = (key.toString(_NATIVE).replace("Return", "Enter") for key in action.shortcuts())
    return str(action.data() or ", ".join(dict.fromkeys(keys)))


def with_keys(action: QAction) -> str:
    """Return an action's words with its first key, for a tooltip."""
    return keyed(action.text(), action.shortcut().toString(_NATIVE))


def keyed(words: str, key: str) -> str:
    """Return words with the key that does the same; without one, the words. A single sign is named as a key, so
    that a digit isn't read as a number of things."""
    return f"{words} ({f'key {key}' if len(key) == 1 else key})" if key else words


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
    _style: _RingStyle | None = None
    """Of all rings: Qt would use a style after Python had collected it with one of them."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if FocusRing._style is None:
            FocusRing._style = _RingStyle()
            FocusRing._style.setParent(app)
        self.setStyle(FocusRing._style)
        self.hide()
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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().colour("accent"), px(2)))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(px(1), px(1), -px(1), -px(1)), px(11), px(11))
        painter.end()
