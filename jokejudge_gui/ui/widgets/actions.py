"""Named actions with their keys: the palette lists those of all parts of the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

NATIVE = QKeySequence.SequenceFormat.NativeText


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
    keys = (key.toString(NATIVE).replace("Return", "Enter") for key in action.shortcuts())
    return str(action.data() or ", ".join(dict.fromkeys(keys)))


def with_keys(action: QAction) -> str:
    """Return an action's words with its first key, for a tooltip."""
    key = action.shortcut().toString(NATIVE)
    return f"{action.text()} ({key})" if key else action.text()
