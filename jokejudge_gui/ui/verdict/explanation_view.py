"""An explanation as paragraphs, drawn as it is written."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ..look import wording
from ..look.theme import px, theme
from ..widgets.text import Paragraph


class ExplanationView(QWidget):
    """Labels strong, passages of the jokes marked. Only paragraphs that changed are laid out again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: list[list[wording.Run]] = []
        self._paragraphs: list[Paragraph] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._layout.setSpacing(px(5))

    def set_text(self, text: str, jokes: Sequence[str]) -> None:
        paragraphs = wording.explanation_runs(text, jokes)
        while len(self._paragraphs) > len(paragraphs):
            old = self._paragraphs.pop()
            self._layout.removeWidget(old)
            old.hide()
            old.deleteLater()
        while len(self._paragraphs) < len(paragraphs):
            fresh = Paragraph("")
            self._paragraphs.append(fresh)
            self._layout.addWidget(fresh)
        for number, (widget, runs) in enumerate(zip(self._paragraphs, paragraphs, strict=True)):
            if number >= len(self._shown) or self._shown[number] != runs:
                widget.set_content(runs)  # type: ignore[arg-type]
        self._shown = paragraphs

    def text(self) -> str:
        """What is shown, without styles."""
        return "\n".join(paragraph.text() for paragraph in self._paragraphs)
