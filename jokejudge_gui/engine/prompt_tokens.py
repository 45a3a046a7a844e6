"""Prompts as tokens, segment by segment, and a model's chat template cut into a frame."""

from __future__ import annotations

from . import chat_frame
from .base import ChatFrame, Prompt, Segment
from .binding import NativeModel, render_chat

Tokens = tuple[int, ...]


class PromptTokens:
    """Cuts prompts at their segments' borders and nowhere else; remembers the tokens of constant segments."""

    def __init__(self, model: NativeModel) -> None:
        self._model = model
        self._known: dict[tuple[str, bool], Tokens] = {}

    def pieces(self, prompt: Prompt) -> tuple[list[Tokens], int]:
        """The tokens of each segment that has any, and how many of them lead and are constant."""
        pieces: list[Tokens] = []
        constant, leading = 0, True
        for index, segment in enumerate(prompt):
            tokens = self._tokenize(segment)
            if index == 0 and segment.markup and self._model.adds_bos and tokens[:1] != (self._model.bos,):
                tokens = (self._model.bos, *tokens)
            leading = leading and segment.constant
            if tokens:
                pieces.append(tokens)
                constant += leading
        return pieces, constant

    def flat(self, prompt: Prompt) -> Tokens:
        """All tokens in a row."""
        return tuple(token for segment in prompt for token in self._tokenize(segment))

    def _tokenize(self, segment: Segment) -> Tokens:
        if not segment.constant:
            return self._model.tokenize(segment.text, special=segment.markup)
        key = (segment.text, segment.markup)
        if key not in self._known:
            self._known[key] = self._model.tokenize(segment.text, special=segment.markup)
        return self._known[key]


def chat_frame_of(model: NativeModel) -> ChatFrame:
    """What stands around a system's, a user's and the model's own words; plain words where there is no template."""
    template = model.chat_template()
    if not template:
        return chat_frame.PLAIN
    return chat_frame.cut(
        lambda messages: render_chat(template, messages, bos=model.text_of(model.bos), eos=model.text_of(model.eos)),
        thinks="<think>" in template,
    )
