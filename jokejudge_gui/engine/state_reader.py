"""The hidden states of texts: each alone, so that they depend on nothing else, or many in a batch, which is quicker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .base import FloatArray
from .binding import NativeContext
from .decoder import Decoder
from .logits import logprob
from .prompt_tokens import Tokens


class StateReader:
    """Reads in an empty context, and leaves it empty."""

    def __init__(self, context: NativeContext, decoder: Decoder) -> None:
        self._context = context
        self._decoder = decoder

    def alone(self, lead: Sequence[Tokens], tokens: Tokens) -> FloatArray:
        """States (tokens, embedding size) of one text behind the pieces of ``lead``."""
        self._context.clear()
        self._context.set_embeddings(True)
        try:
            start = 0
            for piece in lead:
                self._decoder.run(piece, start, output=False)
                start += len(piece)
            return self._decoder.run(tokens, start, output=True)
        finally:
            self._context.set_embeddings(False)
            self._context.clear()

    def together(self, lead: Tokens, texts: Sequence[Tokens], sequences: int) -> list[FloatArray]:
        """States of each text behind ``lead``, as many texts a batch as fit into ``sequences`` and the batch. A text
        that is longer than a batch is read alone."""
        found: list[FloatArray] = []
        for group in _groups([len(lead) + len(text) for text in texts], self._context.batch, sequences):
            parts = [texts[place] for place in group]
            if len(parts) == 1:
                found.append(self.alone([lead] if lead else [], parts[0]))
            else:
                found += self._one_batch(lead, parts)
        return found

    def scored(self, lead: Tokens, texts: Sequence[Tokens], sequences: int) -> list[tuple[FloatArray, FloatArray]]:
        """For each text behind ``lead`` its states (tokens, embedding size) and the log-probability (nats) of every
        token after those before it, 0 for the first. Texts share batches as in ``together``."""
        found: list[tuple[FloatArray, FloatArray]] = []
        for group in _groups([len(lead) + len(text) for text in texts], self._context.batch, sequences):
            parts = [texts[place] for place in group]
            self._context.clear()
            self._context.set_embeddings(True)
            try:
                # A text alone is read in the very steps of ``alone``, so that its states are the same to the last bit.
                found += [self._one_scored(lead, parts[0])] if len(parts) == 1 else self._batch_scored(lead, parts)
            finally:
                self._context.set_embeddings(False)
                self._context.clear()
        return found

    def _one_scored(self, lead: Tokens, tokens: Tokens) -> tuple[FloatArray, FloatArray]:
        if lead:
            self._decoder.run(lead, 0, output=False)
        states, scores = [], [0.0]
        for first in range(0, len(tokens), self._context.batch):
            states.append(
                self._decoder.run(tokens[first : first + self._context.batch], len(lead) + first, output=True)
            )
            scores += [
                logprob(self._context.logits(place), after)
                for place, after in enumerate(tokens[first + 1 : first + 1 + len(states[-1])])
            ]
        return np.concatenate(states), np.array(scores, dtype=np.float32)

    def _batch_scored(self, lead: Tokens, texts: Sequence[Tokens]) -> list[tuple[FloatArray, FloatArray]]:
        states = self._step_together([(*lead, *text) for text in texts])
        found, end = [], 0
        for text in texts:
            start, end = end + len(lead), end + len(lead) + len(text)
            scores = [logprob(self._context.logits(start + place), after) for place, after in enumerate(text[1:])]
            found.append((states[start:end], np.array([0.0, *scores], dtype=np.float32)))
        return found

    def _step_together(self, rows: Sequence[Tokens]) -> FloatArray:
        self._decoder.step(
            [token for row in rows for token in row],
            [place for row in rows for place in range(len(row))],
            [[sequence] for sequence, row in enumerate(rows) for _ in row],
            [True] * sum(map(len, rows)),
        )
        return self._decoder.hidden(sum(map(len, rows)))

    def _one_batch(self, lead: Tokens, texts: Sequence[Tokens]) -> list[FloatArray]:
        rows = [(*lead, *text) for text in texts]
        self._context.clear()
        self._context.set_embeddings(True)
        try:
            states = self._step_together(rows)
        finally:
            self._context.set_embeddings(False)
            self._context.clear()
        found, end = [], 0
        for row in rows:
            end += len(row)
            found.append(states[end - len(row) + len(lead) : end])
        return found


def _groups(sizes: Sequence[int], room: int, most: int) -> Iterator[list[int]]:
    """Places of neighbours that fit together: at most ``most`` of them, and ``room`` tokens."""
    group: list[int] = []
    total = 0
    for place, size in enumerate(sizes):
        if group and (total + size > room or len(group) == most):
            yield group
            group, total = [], 0
        group.append(place)
        total += size
    if group:
        yield group
