"""Fit to people in the window: the job in the judge's thread, and the library's card that shows it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.events import Cancelled, Failed, Finished, StageProgress
from ...learning.fitting import HeadFitted, HeadRemoved, HeadReport, InUse
from ...session.session import Session
from ..judge_worker import Job, JobEvent, JobStart, JudgeWorker
from ..widgets.bars import ProgressLine
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.layout import HBox
from ..widgets.text import Paragraph

# The card of the library that fits the model in use to people: what it has, the work as it goes, and the outcome.

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
        self.button = SecondaryButton(FIT, act=self.asked)
        self.remove_link = LinkButton("Delete the one fitted here", act=self.remove_asked)
        self.add(self.facts, self.line, self.note, HBox(self.button, self.remove_link, 1, gap=14))
        self._own = False
        self._has = ""
        self.show_head(None)

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


class FitToPeople(QObject):
    """One fit at a time, shown while the library is open; closing the library stops it. ``asked``: one is about to
    begin; ``changed``: the model in use has another head than before."""

    asked = Signal()
    changed = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = worker
        self._job: Job | None = None
        self._card: FitCard | None = None

    def attach(self, card: FitCard) -> None:
        """Show on this card what the model in use has, and do what its buttons ask."""
        self._card = card
        card.asked.connect(self._act)
        card.remove_asked.connect(lambda: self._submit(lambda token: self._session.remove_head(cancel=token)))
        self.refresh()

    def detach(self) -> None:
        """The library was closed."""
        self.stop()
        self._card = None

    def stop(self) -> None:
        if self._job is not None:
            self._worker.cancel(self._job)

    def refresh(self, loading: bool = False) -> None:
        """The model in use is another one, or is being loaded."""
        if self._card is None:
            return
        info = None if loading else self._session.info
        if info is None:
            self._card.show_head(None)
            return
        judge = self._session.judge
        head = judge.head if judge is not None else None
        self._card.show_head(self._session.heads.in_use(info.sha256), head.agreement if head is not None else None)

    def _act(self) -> None:
        if self._card is None:
            return
        if self._card.running:
            self.stop()
            return
        self._submit(lambda token: self._session.fit(cancel=token))
        self._card.begin()

    def _submit(self, start: JobStart) -> None:
        """Take the place of an earlier job, which at most is still ending."""
        self.stop()
        self.asked.emit()
        self._job = self._worker.submit("fit", start, self._on_event, gives_way=True)

    def _on_event(self, item: JobEvent) -> None:
        if item.job is not self._job:
            return
        event = item.event
        if isinstance(event, Finished | Failed | Cancelled):
            self._job = None
            self.refresh()
            if isinstance(event, Finished):
                self.changed.emit()
        if self._card is not None:
            self._show(self._card, event)

    def _show(self, card: FitCard, event: object) -> None:
        match event:
            case StageProgress(done=done, total=total, note=note) if card.running:
                card.show_progress(done, total or 0, note)
            case HeadFitted(report=report):
                card.end_with(report)
            case HeadRemoved() as removed:
                card.end(removed.sentence)
            case Cancelled():
                card.end("Stopped. Nothing was fitted, and nothing was changed.")
            case Failed(error=error):
                card.end(f"{error.sentence} {error.hint}".strip())
