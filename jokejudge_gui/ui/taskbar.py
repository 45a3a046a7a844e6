"""How far a long run is: in the window's title, and on the window's button in the desktop's task bar (the interface
``com.canonical.Unity.LauncherEntry``, which Plasma, Ubuntu's dock and others read)."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget

_TITLE = "JokeJudge"


def show_progress(window: QWidget, done: int, total: int) -> None:
    """Show that ``done`` of ``total`` are done; a ``total`` of 0: nothing runs."""
    window.setWindowTitle(f"{done:,} of {total:,} – {_TITLE}" if total else _TITLE)
    from PySide6.QtDBus import QDBusConnection, QDBusMessage  # not while the window opens

    entry = QDBusMessage.createSignal("/", "com.canonical.Unity.LauncherEntry", "Update")
    look = {"progress": done / total if total else 0.0, "progress-visible": total > 0}
    entry.setArguments(["application://jokejudge.desktop", look])
    if QDBusConnection.sessionBus().isConnected():
        QDBusConnection.sessionBus().send(entry)


def watched(part: QWidget) -> bool:
    """Whether somebody may be looking at a part of the window; otherwise the window asks for attention."""
    if part.isVisible() and part.isActiveWindow():
        return True
    QApplication.alert(part.window())
    return False
