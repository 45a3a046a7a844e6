"""Questions and their labels as one token trie: what several share is decoded once, and all in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import EngineError
from .base import Choice, FloatArray

Tokens = tuple[int, ...]
Form = tuple[Tokens, tuple[Tokens, ...]]


@dataclass
class QuestionTrie:
    """Tokens in batch order with their depth below the prefix (0…), the leaves (sequences) that each belongs to, and
    whether its logits are wanted."""

    tokens: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    sequences: list[list[int]] = field(default_factory=list)
    outputs: list[bool] = field(default_factory=list)
    leaves: int = 0
    _children: list[dict[int, int]] = field(default_factory=lambda: [{}])
    _reads: list[tuple[int, list[list[tuple[int, int]]]]] = field(default_factory=list)

    def add(self, index: int, form: Form) -> None:
        """Add a question; ``index`` is what ``read`` returns its answer under."""
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
        """Number the leaves and give every token the leaves below it."""
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
        """Answers from the log-softmax rows of the wanted tokens."""
        answers = {}
        for index, labels in self._reads:
            scores = tuple(float(sum(float(rows[node][token]) for node, token in label)) for label in labels)
            answers[index] = Choice(scores, float(np.exp(scores).sum()))
        return answers

    def size_with(self, form: Form) -> tuple[int, int]:
        """Tokens and (at most) leaves if ``form`` were added too."""
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
    """Questions spread over as few tries as fit: at most ``sequences`` leaves and ``room`` tokens each. The split
    depends on the questions alone, never on what is cached. Raises ``E_CONTEXT`` when one question doesn't fit."""
    tries: list[QuestionTrie] = []
    for index, form in enumerate(forms):
        tokens, leaves = tries[-1].size_with(form) if tries else (0, 0)
        if not tries or tokens > room or leaves > sequences:
            tries.append(QuestionTrie())
            tokens, leaves = tries[-1].size_with(form)
            if tokens > room or leaves > sequences:
                raise EngineError(
                    "E_CONTEXT",
                    "The text is too long for the model's context.",
                    "Shorten it, or raise the context size in the settings.",
                )
        tries[-1].add(index, form)
    for trie in tries:
        trie.close()
    return tries
