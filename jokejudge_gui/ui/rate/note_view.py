"""The editor's note: what works, what weakens the joke, what to try, and what its reader must know."""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ...judging.rating.beside import beside
from ...verdicts import EditorNote, RatingResult
from ..look.theme import px, theme
from ..widgets.text import Paragraph, Run


class NoteView(QWidget):
    """A line for each finding; no line without one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: list[list[Run]] = []
        self._paragraphs: list[Paragraph] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._scale()
        theme().changed.connect(self._scale)
        self.hide()

    def _scale(self) -> None:
        self._layout.setSpacing(px(4))

    def show_note(self, result: RatingResult | None) -> None:
        """Show what is said of a rating, or nothing."""
        lines = said_of(result) if result is not None else []
        if lines != self._shown:
            self._shown = lines
            for old in self._paragraphs:
                self._layout.removeWidget(old)
                old.hide()
                old.deleteLater()
            self._paragraphs = [Paragraph(runs) for runs in lines]
            for paragraph in self._paragraphs:
                self._layout.addWidget(paragraph)
        self.setVisible(bool(self._paragraphs))

    def text(self) -> str:
        """What is shown, without styles."""
        return "\n".join(paragraph.text() for paragraph in self._paragraphs)


def said_of(result: RatingResult) -> list[list[Run]]:
    """The note, and beneath it what has no part in the verdict."""
    lines = note_runs(result.note) if result.note is not None else []
    for said in filter(None, beside(result)):
        lines.append([(said, "muted")])
    return lines


def note_runs(note: EditorNote) -> list[list[Run]]:
    """The note's lines, each with its lead word strong."""
    lines: list[list[Run]] = []
    for lead, words in (("Works.", note.works), ("Weakens.", note.weakens)):
        if words:
            lines.append([(f"{lead} ", "strong"), (words, "normal")])
    for trial in note.trials:
        preferred = f"  An editor would prefer it in {100 * trial.p_better:.0f} of 100."
        lines.append([("Try. ", "strong"), (trial.text, "normal"), (preferred, "muted")])
    if note.apart:
        lines.append([(note.apart, "muted")])
    return lines
