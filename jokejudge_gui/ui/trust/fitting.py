"""The card of the current model's audience head: which one is in use, and fitting one to people."""

from __future__ import annotations

from PySide6.QtCore import QObject

from ...engine.base import CancelToken
from ...learning.fitting import HeadFitted, HeadRemoved, InUse
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..widgets.controls import LinkButton
from ..widgets.text import Paragraph
from .long_run import RunCard, StagedRun

FIT = "Fit to people"
_OFFER = (
    "An estimate can be fitted here, from rated jokes that come with the program and from your own votes. Every text "
    "is read once, which takes minutes, with a large model an hour. It is kept only if it agrees with people more "
    "often than length, wording and chance do, on votes held out."
)
_HAS: dict[InUse, str] = {
    "none": "This model has no estimate yet.",
    "shipped": "This model's estimate comes with the program; one that is fitted here must beat it, too.",
    "own": "This model's estimate was fitted on this computer.",
}


class FitCard(RunCard):
    """Draws the run that fits a head to people or deletes the fitted one, and its outcome."""

    run: StagedRun

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        def steps(token: CancelToken, removing: bool = False) -> JobSteps:
            return session.remove_head(cancel=token) if removing else session.fit(cancel=token)

        run = StagedRun(session, worker, parent, "fit", steps)
        super().__init__(
            "Audience estimate", run, "Fitting to people", kept="Nothing was fitted, and nothing was changed."
        )
        self._own = False
        self._has = ""
        self.facts = Paragraph("", 13)
        self.remove_link = LinkButton("Delete the one fitted here", act=lambda: run.start(True))
        self.add(self.facts)
        self.add_run(self.remove_link)
        self.draw()

    def show_head(self, in_use: InUse, agreement: float | None, usable: bool) -> None:
        """Show the model's head. ``agreement``: 0…1, of one fitted here; ``usable``: it is the current model."""
        self._usable, self._own = usable, in_use == "own"
        self._has = _HAS[in_use]
        if self._own and agreement is not None:
            self._has += f" It agrees with people in {100 * agreement:.0f} of 100 pairs that were held out."
        self.draw()

    def draw(self) -> None:
        super().draw()
        self.remove_link.setVisible(self._usable and self._own and not self.run.live)
        # The offer explains fitting until a run has left a note.
        self.facts.set_content(self._has if self.note.text() or not self._usable else f"{self._has} {_OFFER}".strip())

    def _at_rest(self) -> str:
        match self.run.found:
            case HeadFitted(report=report):
                return " ".join(report.sentences)
            case HeadRemoved(sentence=sentence):
                return sentence
        return ""

    def _offer(self) -> str:
        return FIT
