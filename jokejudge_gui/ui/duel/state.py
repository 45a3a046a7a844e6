"""The state of a duel in the Duel tab, folded from events or read from the history."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...core.events import Interim
from ...judge.duel.record import DuelResult
from ..look import wording
from ..look.wording import Run
from ..verdict.tab import VerdictState


@dataclass
class DuelState(VerdictState):
    """The duel shown. ``swapped``: A and B are exchanged compared with its row in the history."""

    text_a: str = ""
    text_b: str = ""
    result: DuelResult | None = field(default=None, kw_only=True)
    swapped: bool = field(default=False, kw_only=True)

    @property
    def texts(self) -> tuple[str, ...]:
        return self.text_a, self.text_b

    @property
    def measured(self) -> bool:
        """Whether there is an answer to show."""
        return self.result is not None and self.result.winner is not None and self.result.confidence_factor is not None

    def apply(self, event: object) -> None:
        """Update the state from one event of the job."""
        super().apply(event)
        if isinstance(event, Interim) and isinstance(event.result, DuelResult):
            self._take(event.result)

    def swap(self) -> None:
        """Exchange A and B; the verdict stays that of the stored row."""
        self.text_a, self.text_b = self.text_b, self.text_a
        self.swapped = not self.swapped
        if self.result is not None:
            self.explanation = ""
            self._take(self.result.mirrored())

    def as_stored(self, choice: str) -> str:
        return {"A": "B", "B": "A"}.get(choice, choice) if self.swapped else choice

    def _take(self, result: DuelResult) -> None:
        self.result = result
        if result.explanation:
            self.explanation = result.explanation


def why_words(state: DuelState) -> tuple[list[Run], str]:
    """Return the explanation by a model that was asked, and a note if there is none; empty if no model was asked."""
    asked = state.result is not None and bool(state.result.orders)
    text = state.explanation.strip() if asked else ""
    note = ""
    if not text and state.live and asked:
        note = "Writing the explanation…"
    elif state.phase in ("stopped", "interrupted") and asked and not text:
        note = "Stopped while the explanation was being written. The verdict is whole."
    elif state.phase == "failed" and state.error is not None:
        note = str(state.error)
    return wording.in_paragraphs(wording.explanation_runs(text, [state.text_a, state.text_b])), note
