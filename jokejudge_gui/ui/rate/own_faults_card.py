"""Faults of the user's own: what the model says of them, which is never a finding."""

from __future__ import annotations

from collections.abc import Sequence

from ...judging.rating.own_faults import own_fault_in_words
from ...verdicts import FaultVoice
from ..look import wording
from ..widgets.cards import Card
from ..widgets.text import Paragraph, Run


class OwnFaultsCard(Card):
    """Hidden where the user has none."""

    def __init__(self) -> None:
        super().__init__("Your own faults", "asked, not measured")
        self.text = Paragraph("", gap=3)
        self.add(self.text)
        self._shown: Sequence[FaultVoice] = ()
        self.hide()

    def show_voices(self, voices: Sequence[FaultVoice]) -> None:
        """The likeliest first, then those that weren't asked about."""
        self.setVisible(bool(voices))
        if voices == self._shown:
            return
        self._shown = voices
        runs: list[Run] = []
        for voice in sorted(voices, key=lambda voice: -(voice.p if voice.p is not None else -1.0)):
            runs += [("\n" if runs else "", "normal"), (f"{wording.one_line(voice.name)}: ", "strong")]
            runs.append((f"{own_fault_in_words(voice).rstrip('.')}.", "normal"))
        self.text.set_content(runs)
