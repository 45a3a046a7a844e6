"""The focus ring: one overlay for the whole window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QComboBox, QScrollArea, QWidget
from shiboken6 import isValid

from ..look.theme import theme
from .base import Themed, box

_FOLLOWED = {
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.Hide,
    QEvent.Type.Show,
    QEvent.Type.LayoutRequest,
    QEvent.Type.ParentChange,
    QEvent.Type.EnabledChange,
}


class FocusRing(Themed, QWidget):
    """2 px of accent, 2 px outside the focused control; mouse events pass through it.

    Buttons and combo boxes get it; other widgets if their property ``ring`` is true, none if it is false. A control's
    property ``ringRadius`` is its own radius at 100 %."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._target: QWidget | None = None
        self._watched: list[QWidget] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.hide()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)
        self.follow_theme()
        self._focus_changed(None, app.focusWidget())

    def target(self) -> QWidget | None:
        """Return the control that has the ring."""
        return self._target

    def restyle(self) -> None:
        target = self._target
        if target is None or not isValid(target) or not target.isVisible():
            self.hide()
            return
        reach = theme().px(4)
        rect = QRect(target.mapTo(self.window(), QPoint(0, 0)), target.size())
        self.setGeometry(rect.adjusted(-reach, -reach, reach, reach))
        self.show()
        self.raise_()
        self.update()

    def _focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        # The ring is for the keyboard: focus by a click shows none.
        by_mouse = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        wanted = new is not None and not by_mouse and _takes_ring(new) and new.window() is self.window()
        for watched in self._watched:
            if isValid(watched):  # a control that is being deleted lost its focus just before
                watched.removeEventFilter(self)
        self._target = new if wanted else None
        self._watched = [*_up_from(self._target)]
        for widget in self._watched:
            widget.installEventFilter(self)
        self.restyle()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _FOLLOWED:
            self.restyle()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._target is None or not isValid(self._target):
            return
        t = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for widget in [*_up_from(self._target)][1:]:
            area = widget.parentWidget()
            # A control scrolled out of a column has no ring.
            if isinstance(area, QAbstractScrollArea) and area.viewport() is widget:
                top_left = self.mapFrom(self.window(), widget.mapTo(self.window(), QPoint(0, 0)))
                margin = t.px(4) if isinstance(area, QScrollArea) else 0
                view = QRect(top_left, widget.size()).adjusted(-margin, 0, margin, 0)
                painter.setClipRect(view, Qt.ClipOperation.IntersectClip)
        radius = self._target.property("ringRadius")
        box(painter, QRectF(self.rect()), t.px(4 + (8 if radius is None else radius)), None, t.tokens.accent, t.px(2))
        painter.end()


def _up_from(widget: QWidget | None) -> list[QWidget]:
    """Return a widget and those that it is in, within its window."""
    within: list[QWidget] = []
    while widget is not None and not widget.isWindow():
        within.append(widget)
        widget = widget.parentWidget()
    return within


def _takes_ring(widget: QWidget) -> bool:
    wanted = widget.property("ring")
    return bool(wanted) if wanted is not None else isinstance(widget, QAbstractButton | QComboBox)
