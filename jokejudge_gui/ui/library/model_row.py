"""A model in the library: name, facts, what is being done with it, and one button."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import JokeJudgeError
from ...core.events import Cancelled, Failed, Finished
from ...core.paths import Profile
from ...engine.base import CancelToken, EngineInfo
from ...engine.gguf import read_gguf
from ...library.fetch import FetchProgress
from ...library.requantise import copy_path, copy_size, requantise
from ..judge_worker import Job, JobEvent, JobStart, JudgeWorker
from ..look import wording
from ..widgets.bars import ProgressLine
from ..widgets.controls import SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Paragraph


class ModelRow(QWidget):
    """``acted`` is emitted by the button, whatever it says: Use, Get or Stop."""

    acted = Signal()

    def __init__(
        self, name: str, facts: str, action: str, parent: QWidget | None = None, *, doing: str = "Fetching"
    ) -> None:
        super().__init__(parent)
        self.name = name
        self.title = Paragraph(name, 14, 500, "text")
        self.facts = Paragraph(facts, 13, token="text2")
        self.note = Paragraph("", 13, token="text2")
        self.note.hide()
        self.line = ProgressLine(name=f"{doing} {name}")
        self.line.hide()
        self.button = SecondaryButton(action, act=self.acted)
        self.set_action(action)
        HBox(
            (VBox(self.title, self.facts, self.note, self.line, gap=4), 1),
            self.button,
            parent=self,
            gap=12,
            margins=(0, 6, 0, 6),
        )

    def set_action(self, action: str) -> None:
        """Change the button; an empty word hides it."""
        self.action = action
        self.button.setText(action)
        self.button.setAccessibleName(f"{action} {self.name}")
        self.button.setVisible(bool(action))

    def set_progress(self, done: int, total: int, note: str) -> None:
        self.line.set_fraction(done / total if total else 0.0)
        self.line.show()
        self.set_note(note)

    def set_note(self, note: str) -> None:
        self.note.show_text(note)

    def end_progress(self, note: str = "") -> None:
        self.line.hide()
        self.set_note(note)


# The offer to copy a model whose quantisation is slow here into one that is quick.

MAKE = "Make a faster copy"


def copy_job(source: Path, profile: Profile) -> JobStart:
    def start(token: CancelToken) -> Iterator[object]:
        yield from requantise(source, profile, token)

    return start


class FasterCopy(ModelRow):
    """Shown under a slow model in use. ``made`` carries the path of the copy, once it is whole and tried."""

    made = Signal(str)

    def __init__(self, profile: Profile, worker: JudgeWorker, parent: QWidget | None = None) -> None:
        super().__init__("A faster copy", "", MAKE, parent, doing="Making")
        self._profile = profile
        self._worker = worker
        self._source: Path | None = None
        self._target = Path()
        self._job: Job | None = None
        self.acted.connect(self._act)
        self.hide()

    def set_action(self, action: str) -> None:
        super().set_action(action)
        if action == MAKE:
            self.button.setAccessibleName(MAKE)

    def offer(self, info: EngineInfo | None) -> None:
        """Show or hide the offer for the model in use."""
        if self._job is not None:
            return
        self.setVisible(False)
        if info is None or not info.slow:
            return
        with contextlib.suppress(JokeJudgeError):  # a file that has gone meanwhile can't be copied
            facts = read_gguf(Path(info.path))
            self._source = Path(info.path)
            self._target = copy_path(self._source, facts.quantisation, self._profile)
            self.set_action("Use" if self._target.is_file() else MAKE)
            size = wording.file_size(copy_size(facts))
            self.facts.set_content(
                f"The same model in Q8_0 reads prompts faster. It takes {size} more of the disk and costs a hair of "
                f"precision; {info.name} stays as it is."
            )
            self.setVisible(True)

    def start(self) -> None:
        """Make the copy, or use it if it is there already."""
        if self._source is None or self._job is not None:
            return
        if self.action == "Use":
            self.made.emit(str(self._target))
            return
        self.set_action("Stop")
        self.set_progress(0, 1, "Waiting…")
        self._job = self._worker.submit("copy", copy_job(self._source, self._profile), self._on_event)

    def stop(self) -> None:
        if self._job is not None:
            self._worker.cancel(self._job)

    def _act(self) -> None:
        if self.action == "Stop":
            self.stop()
        else:
            self.start()

    def _on_event(self, item: JobEvent) -> None:
        if self._job is None or item.job is not self._job:
            return
        match item.event:
            case FetchProgress() as step:
                of = f"{wording.file_size(step.done_bytes)} of {wording.file_size(step.total_bytes)}"
                self.set_progress(step.done_bytes, step.total_bytes, f"{wording.sentence_case(step.note)} · {of}")
            case Finished():
                self._end("The copy is made and chosen.", "Use")
                self.made.emit(str(self._target))
            case Cancelled():
                self._end("Stopped; nothing is left of the copy.", MAKE)
            case Failed(error=error):
                self._end(f"{error.sentence} {error.hint}".strip(), MAKE)

    def _end(self, note: str, action: str) -> None:
        self._job = None
        self.end_progress(note)
        self.set_action(action)
