"""A card from which a long run is begun and stopped: how far it has come in words and as a line, and its button."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ..look import wording
from ..widgets.button_row import ButtonRow
from ..widgets.cards import Card
from ..widgets.controls import SecondaryButton
from ..widgets.progress import ProgressLine
from ..widgets.text import Paragraph
from .long_run import StagedRun

GO_ON, STOP = "Go on", "Stop"
_WAITING = "It goes on when nothing else is asked of the model."


class RunCard(Card):
    """Draws a ``StagedRun``. ``doing`` names its line, ``first`` is said after how far it has come, ``kept`` of one
    that was stopped.

    A card of its own kind says what stands there while nothing runs (``_at_rest``), what its button offers then
    (``_offer``) and what the button does (``_begin``)."""

    def __init__(self, title: str, run: StagedRun, doing: str, *, first: str, kept: str) -> None:
        super().__init__(title)
        self._run = run
        self._usable = False
        self._first, self._kept = first, kept
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name=doing)
        self.button = SecondaryButton("")
        self.button.clicked.connect(self._act)

    def add_run(self, *beside: QWidget) -> None:
        """Put the note, the line and the button under what is there, ``beside`` at the right of the button."""
        self.add(self.note)
        self.add(self.line)
        self.add_layout(ButtonRow(self.button, *beside))
        self._run.changed.connect(self.draw)

    def draw(self) -> None:
        """Say where the run stands."""
        live, progress = self._run.live and self._usable, self._run.progress
        self.note.set_content(self._words())
        self.note.setVisible(bool(self.note.text()))
        self.line.setVisible(live and progress is not None)
        if progress is not None:
            self.line.set_fraction(progress.done / progress.total if progress.total else 0.0)
        offer = STOP if live else self._offer()
        self.button.setVisible(self._usable and bool(offer))
        self.button.setText(offer)
        self.button.setEnabled(self._run.phase != "stopping")

    # What each card says for itself

    def _at_rest(self) -> str:
        """What is said while nothing runs, and nothing failed or was stopped."""
        raise NotImplementedError

    def _offer(self) -> str:
        """The button's text while nothing runs; empty: there is nothing to begin."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Begin, or go on."""
        raise NotImplementedError

    # What is the same for all

    def _words(self) -> str:
        run = self._run
        if not self._usable:
            return self._at_rest()
        if run.phase == "failed" and run.error is not None:
            return f"{run.error.sentence} {run.error.hint}".strip()
        if run.live:
            progress = run.progress
            if progress is None or run.phase == "waiting":
                return _WAITING
            count = f" · {progress.done:,} of {progress.total:,}" if progress.total else ""
            return f"{wording.sentence_case(progress.note)}{count}. {self._first}"
        return f"Stopped. {self._kept}" if run.phase == "stopped" else self._at_rest()

    def _act(self) -> None:
        if self._run.live:
            self._run.stop()
        else:
            self._begin()
