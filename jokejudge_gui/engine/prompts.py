"""Tokens of prompts, segment by segment; the frame of a model's chat template; tries of questions."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

import numpy as np

from ..core.errors import EngineError
from .base import PLAIN, ChatFrame, Choice, FloatArray, Prompt, Segment
from .binding import NativeModel, render_chat

# A chat template divided into its three constant parts around a prompt's own texts.

_SYSTEM = "SYSTEMTEXT7f3a"
_USER = "USERTEXT9c1e"
_EMPTY_THOUGHT = "<think>\n\n</think>\n\n"

Render = Callable[[Sequence[dict[str, str]]], str]


def cut(render: Render, *, thinks: bool) -> ChatFrame:
    """Return the frame of a template. ``render`` renders messages and raises ``ValueError`` if it can't; without a
    system role the system text becomes part of the user's turn; an unusable template gives the plain frame.

    The user's text never passes through the template: two marker words do, and the text around them is kept.
    """
    both = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _USER}]
    folded = [{"role": "user", "content": f"{_SYSTEM}\n\n{_USER}"}]
    for messages in (both, folded):
        try:
            text = render(messages)
        except ValueError:
            continue
        if text.count(_SYSTEM) != 1 or text.count(_USER) != 1 or text.index(_SYSTEM) > text.index(_USER):
            continue
        before_system, rest = text.split(_SYSTEM)
        before_user, before_answer = rest.split(_USER)
        if thinks and "<think>" not in before_answer:
            before_answer += _EMPTY_THOUGHT
        return ChatFrame(before_system, before_user, before_answer)
    return PLAIN


Tokens = tuple[int, ...]
_A_WORD = re.compile(r" [^\W\d_]+(?:['-][^\W\d_]+)*")
"""A word of the table of sounds or of a text, with a space before it."""
_MOST_WORDS = 1 << 16
"""Number of words whose tokens are remembered."""


class PromptTokens:
    """Tokenises prompts segment by segment and remembers the tokens of constant segments."""

    def __init__(self, model: NativeModel) -> None:
        self._model = model
        self._known: dict[tuple[str, bool], Tokens] = {}
        self._words: dict[str, Tokens] = {}
        self._length: Callable[[int], int] = lru_cache(None)(lambda token: len(model.piece(token)))

    def pieces(self, prompt: Prompt) -> tuple[list[Tokens], int]:
        """Return the tokens of each non-empty segment, and the number of leading constant ones."""
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
        """Return all tokens in a row."""
        return tuple(token for segment in prompt for token in self._tokenize(segment))

    def of_words(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text. Those of words with a space before them are remembered, and a vocabulary
        that never joins words gives those of many words at once."""
        if len(self._words) > _MOST_WORDS:
            self._words.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._words]
        spelled = [text for text in new if _A_WORD.fullmatch(text)] if self._model.divides_at_spaces else []
        tokens = iter(self._model.tokenize("".join(spelled), special=False) if spelled else ())
        for text in spelled:
            own, left = list[int](), len(text.encode())
            while left > 0 and (token := next(tokens, None)) is not None:
                own.append(token)
                left -= self._length(token)
            if left:  # not its own tokens: all that follow are read one by one
                break
            self._words[text] = tuple(own)
        every = [self._words.get(text) or self._model.tokenize(text, special=False) for text in texts]
        self._words |= {text: own for text, own in zip(texts, every, strict=True) if _A_WORD.fullmatch(text)}
        return every

    def _tokenize(self, segment: Segment) -> Tokens:
        if not segment.constant:
            return self._model.tokenize(segment.text, special=segment.markup)
        key = (segment.text, segment.markup)
        if key not in self._known:
            self._known[key] = self._model.tokenize(segment.text, special=segment.markup)
        return self._known[key]


def chat_frame_of(model: NativeModel) -> ChatFrame:
    """Return the frame of the model's chat template; the plain frame if there is none."""
    template = model.chat_template()
    if not template:
        return PLAIN
    return cut(
        lambda messages: render_chat(template, messages, bos=model.text_of(model.bos), eos=model.text_of(model.eos)),
        thinks="<think>" in template,
    )


# The positions of tokens in their text.

_NEAR = 64


def spans_of(text: str, pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return the first character of each token and the one after its last, given every token's own bytes.

    A token that holds only some bytes of a character gets the whole character, so neighbours may share one. A space
    that the tokeniser adds before a text, and a piece that doesn't occur in the text (a character unknown to the
    vocabulary), get the characters between their neighbours, possibly none."""
    data = text.encode("utf-8")
    borders: list[tuple[int, int]] = []
    at = 0
    for piece in pieces:
        begin = _place(data, piece, at)
        if begin is None:
            borders.append((at, at))
            continue
        if begin > at and borders:
            borders[-1] = (borders[-1][0], begin)
        at = begin + len(_seen(data, piece, begin))
        borders.append((begin, at))
    if borders and at < len(data):
        borders[-1] = (borders[-1][0], len(data))
    ends = list(accumulate(len(character.encode("utf-8")) for character in text))
    firsts = [bisect_right(ends, begin) for begin, _ in borders]
    return [
        (first, first if end <= begin else bisect_left(ends, end) + 1)
        for first, (begin, end) in zip(firsts, borders, strict=True)
    ]


def _place(data: bytes, piece: bytes, at: int) -> int | None:
    """Return the start of the piece: ``at``, or a place after bytes that belong to no token so far; None if it isn't
    near."""
    if data.startswith(_seen(data, piece, at), at):
        return at
    begin = data.find(piece, at, at + _NEAR + len(piece))
    return begin if begin >= 0 else None


def _seen(data: bytes, piece: bytes, at: int) -> bytes:
    """Return the piece as it occurs in the text: without the space that some tokenisers add before the first word."""
    if at == 0 and piece.startswith(b" ") and not data.startswith(piece):
        return piece[1:]
    return piece


# Questions and their labels as one token trie: shared tokens are decoded once, and all in one batch.

Form = tuple[Tokens, tuple[Tokens, ...]]


@dataclass
class QuestionTrie:
    """Tokens in batch order with their depth below the prefix (0…), the leaves (sequences) that each belongs to, and
    whether its logits are needed."""

    tokens: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    sequences: list[list[int]] = field(default_factory=list)
    outputs: list[bool] = field(default_factory=list)
    leaves: int = 0
    _children: list[dict[int, int]] = field(default_factory=lambda: [{}])
    _reads: list[tuple[int, list[list[tuple[int, int]]]]] = field(default_factory=list)

    def add(self, index: int, form: Form) -> None:
        """Add a question; ``index`` is the key of its answer in ``read``."""
        suffix, labels = form
        end = self._insert(suffix)
        self.outputs[end] = True
        reads = []
        for label in labels:
            nodes = [end]
            for length in range(1, len(label)):
                nodes.append(self._insert(suffix + label[:length]))
                self.outputs[nodes[-1]] = True
            reads.append(list(zip(nodes, label, strict=True)))
        self._reads.append((index, reads))

    def close(self) -> None:
        """Number the leaves and assign to every token the leaves below it."""
        parents: list[int] = [-1] * len(self.tokens)
        for node, children in enumerate(self._children):
            for child in children.values():
                parents[child] = node - 1
        self.sequences = [[] for _ in self.tokens]
        for node in range(len(self.tokens)):
            if self._children[node + 1]:
                continue
            above = node
            while above >= 0:
                self.sequences[above].append(self.leaves)
                above = parents[above]
            self.leaves += 1

    def read(self, rows: Mapping[int, FloatArray]) -> dict[int, Choice]:
        """Return the answers, from the log-softmax rows of the tokens with ``outputs``."""
        answers = {}
        for index, labels in self._reads:
            scores = tuple(float(sum(float(rows[node][token]) for node, token in label)) for label in labels)
            answers[index] = Choice(scores, float(np.exp(scores).sum()))
        return answers

    def size_with(self, form: Form) -> tuple[int, int]:
        """Return the number of tokens and (at most) leaves with ``form`` added."""
        suffix, labels = form
        runs = [suffix, *(suffix + label[:-1] for label in labels if len(label) > 1)]
        new = set()
        for run in runs:
            node = 0
            for depth, token in enumerate(run):
                child = self._children[node].get(token) if node >= 0 else None
                if child is None:
                    node = -1
                    new.add(run[: depth + 1])
                else:
                    node = child + 1
        leaves = sum(1 for node in range(len(self.tokens)) if not self._children[node + 1])
        return len(self.tokens) + len(new), leaves + max(1, len(runs) - 1)

    def _insert(self, run: Tokens) -> int:
        node = 0
        for depth, token in enumerate(run):
            child = self._children[node].get(token)
            if child is None:
                child = len(self.tokens)
                self.tokens.append(token)
                self.depths.append(depth)
                self.outputs.append(False)
                self._children.append({})
                self._children[node][token] = child
            node = child + 1
        return node - 1


def build_tries(forms: Sequence[Form], *, sequences: int, room: int) -> list[QuestionTrie]:
    """Distribute questions over as few tries as possible: at most ``sequences`` leaves and ``room`` tokens each. The
    distribution depends on the questions alone, never on the cache. Raises ``E_CONTEXT`` if one question doesn't
    fit."""
    tries: list[QuestionTrie] = []
    for index, form in enumerate(forms):
        tokens, leaves = tries[-1].size_with(form) if tries else (0, 0)
        if not tries or tokens > room or leaves > sequences:
            tries.append(QuestionTrie())
            tokens, leaves = tries[-1].size_with(form)
            if tokens > room or leaves > sequences:
                sentence = "The text is too long for the model's context."
                raise EngineError("E_CONTEXT", sentence, "Shorten it, or raise the context size in the settings.")
        tries[-1].add(index, form)
    for trie in tries:
        trie.close()
    return tries
