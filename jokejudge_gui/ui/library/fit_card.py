"""The card of the library that fits the model in use to people: what it has, the work as it goes, and the outcome."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ...learning.fit_report import HeadReport, InUse
from ..look.theme import px, theme
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.progress import ProgressLine
from ..widgets.text import Paragraph

FIT, STOP = "Fit to people", "Stop"
_OFFER = (
    "One can be fitted here, from rated jokes that come with the program and from your own votes. Every text is read "
    "once, which takes minutes, with a large model an hour. It is kept only if it agrees with people more often than "
    "length, wording and chance do, on votes held out."
)
_NO_MODEL = "Load a model first: an estimate is fitted to the model in use."
_HAS: dict[InUse, str] = {
    "none": "This model has none yet.",
    "shipped": "This model's comes with the program; one that is fitted here must beat it too.",
    "own": "This model's was fitted on this computer.",
}


class FitCard(Card):
    """``asked`` is emitted by the button, whatever it says (``running``), ``remove_asked`` by the link."""

    asked = Signal()
    remove_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Audience estimate", parent=parent)
        self.running = False
        self.facts = Paragraph("", 13)
        self.line = ProgressLine(name="Fitting to people")
        self.note = Paragraph("", 13)
        self.button = SecondaryButton(FIT)
        self.button.clicked.connect(self.asked)
        self.remove_link = LinkButton("Delete the one fitted here")
        self.remove_link.clicked.connect(self.remove_asked)
        for widget in (self.facts, self.line, self.note):
            self.add(widget)
        self._buttons = QHBoxLayout()
        self._buttons.addWidget(self.button)
        self._buttons.addWidget(self.remove_link)
        self._buttons.addStretch(1)
        self.add_layout(self._buttons)
        self._scale_buttons()
        theme().changed.connect(self._scale_buttons)
        self._own = False
        self._has = ""
        self.show_head(None)

    def _scale_buttons(self) -> None:
        self._buttons.setSpacing(px(14))

    def show_head(self, in_use: InUse | None, agreement: float | None = None) -> None:
        """What the model in use has (None: no model is loaded); ``agreement`` 0…1 of one fitted here."""
        self._own = in_use == "own"
        self._has = _HAS[in_use] if in_use is not None else ""
        if self._own and agreement is not None:
            self._has += f" It agrees with people in {100 * agreement:.0f} of 100 pairs that were held out."
        self.button.setEnabled(in_use is not None)
        self._place()

    def begin(self) -> None:
        """The work has been asked for."""
        self.running = True
        self.line.set_fraction(0.0)
        self.note.set_content("Waiting for the model… Closing the library stops it.")
        self._place()

    def show_progress(self, done: int, total: int, words: str) -> None:
        """``done`` of ``total``, and what is being done."""
        self.line.set_fraction(done / total if total else 0.0)
        self.note.set_content(f"{words[:1].upper()}{words[1:]} · {done:,} of {total:,}. Closing the library stops it.")

    def end(self, words: str) -> None:
        """The work has ended; ``words``: how."""
        self.running = False
        self.note.set_content(words)
        self._place()

    def end_with(self, report: HeadReport) -> None:
        """A head was fitted and measured."""
        self.end("")
        first, *rest = report.sentences
        verdict, _, figures = first.partition(":")
        self.note.set_content([(f"{verdict}:", "strong"), (f"{figures} {' '.join(rest)}", "normal")])
        self._place()

    def _place(self) -> None:
        # What fitting means is told until it has been tried: then there is something else to read.
        offer = "" if self.note.text() else _OFFER
        self.facts.set_content(f"{self._has} {offer}".strip() if self._has else _NO_MODEL)
        self.button.setText(STOP if self.running else FIT)
        self.line.setVisible(self.running)
        self.note.setVisible(bool(self.note.text()))
        self.remove_link.setVisible(self._own and not self.running)
