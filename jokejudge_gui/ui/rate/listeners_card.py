"""Who would laugh: what the model says for each listener, and why it isn't asked for the others."""

from __future__ import annotations

from collections.abc import Sequence

from ...judging.rating.listeners import listener_in_words
from ...verdicts import ListenerVoice
from ..look import wording
from ..widgets.cards import Card
from ..widgets.text import Paragraph, Run


class ListenersCard(Card):
    """Hidden where no listener was wanted."""

    def __init__(self) -> None:
        super().__init__("Who would laugh", "beside the verdict, not in it")
        self.text = Paragraph("", gap=3)
        self.silent = Paragraph("", 13, 400, "text3", gap=3)
        self.add(self.text)
        self.add(self.silent)
        self._shown: Sequence[ListenerVoice] = ()
        self.hide()

    def show_voices(self, voices: Sequence[ListenerVoice]) -> None:
        """Those that were asked, the likeliest to laugh first, then the others by their reason."""
        self.setVisible(bool(voices))
        if voices == self._shown:
            return
        self._shown = voices
        runs: list[Run] = []
        for voice in sorted((v for v in voices if v.p is not None), key=lambda voice: -(voice.p or 0.0)):
            runs += [("\n" if runs else "", "normal"), (f"{wording.one_line(voice.name)} ", "strong")]
            runs.append((f"{listener_in_words(voice)}.", "normal"))
        self.text.set_content(runs)
        self.text.setVisible(bool(runs))
        self.silent.set_content(not_asked(voices))
        self.silent.setVisible(any(voice.reason for voice in voices))


def not_asked(voices: Sequence[ListenerVoice]) -> str:
    """The listeners that weren't asked, by reason; a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for voice in voices:
        if voice.reason:
            by_reason.setdefault(voice.reason, []).append(wording.one_line(voice.name))
    return "\n".join(f"Not asked: {', '.join(names)}. {reason}" for reason, names in by_reason.items())
