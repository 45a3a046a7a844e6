"""What the user changed in the window, to be undone and made again."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from ..core.errors import JokeJudgeError

_MOST = 200


class Changes(QUndoStack):
    """One stack for the whole window; each tab has it as ``changes``. ``done`` carries a change's words and whether it
    was undone; ``failed`` a ``JokeJudgeError`` of a change, which then isn't on the stack any more."""

    done = Signal(str, bool)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setUndoLimit(_MOST)
        self.indexChanged.connect(self._tell_fields)

    def do(self, words: str, act: Callable[[], object], undo: Callable[[], object], *, quiet: bool = False) -> bool:
        """Make a change, and keep it so that ``undo`` takes it back and ``act`` makes it again. ``words`` say what was
        done ("Deleted 2 verdicts"); ``quiet``: the change is seen anyway, so that only undoing it needs a notice.
        Either function may raise ``JokeJudgeError``. Return whether the change was made."""
        if not self.tried(act):
            return False
        self.push(_Change(self, words, act, undo))
        if not quiet:
            self.done.emit(words, False)
        return True

    def undo(self) -> None:
        self._step(self.undoText(), super().undo, True)

    def redo(self) -> None:
        self._step(self.redoText(), super().redo, False)

    def tried(self, act: Callable[[], object]) -> bool:
        """Call ``act``; False if it failed."""
        try:
            act()
        except JokeJudgeError as error:
            self.failed.emit(error)
            return False
        return True

    def _tell_fields(self, index: int) -> None:
        # A field doesn't undo its own edits before later changes.
        if (window := self.parent()) is not None:
            window.setProperty("changed", getattr(self.command(index - 1), "at", 0.0))

    def _step(self, words: str, step: Callable[[], None], undone: bool) -> None:
        count = self.count()
        step()
        if words and self.count() == count:  # one that failed is removed
            self.done.emit(words, undone)


class _Change(QUndoCommand):
    def __init__(self, changes: Changes, words: str, act: Callable[[], object], undo: Callable[[], object]) -> None:
        super().__init__(words)
        self._changes, self._act, self._undo = changes, act, undo
        self._made, self.at = False, time.monotonic()

    def redo(self) -> None:
        if self._made:  # the stack calls this first for a change that was just made
            self._run(self._act)
        self._made = True

    def undo(self) -> None:
        self._run(self._undo)

    def _run(self, act: Callable[[], object]) -> None:
        if not self._changes.tried(act):
            self.setObsolete(True)
