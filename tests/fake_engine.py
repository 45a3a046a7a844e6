"""An engine for tests: the real pipeline runs over it whole, and a test decides its answers.

Logits come from a digest of prompt, question and label, so that they are reproducible and differ between jokes; a
``bias`` adds to them. Prefixes are counted as in the real engine.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.core.errors import EngineError, EngineSetupError
from jokejudge_gui.core.verdicts import Usage
from jokejudge_gui.engine.base import (
    CancelToken,
    ChatFrame,
    Choice,
    EngineInfo,
    FloatArray,
    IntArray,
    Piece,
    Prompt,
    Question,
    Sampling,
    Scan,
)

Bias = Callable[[str, str, str], float]
Hash = Any


class FakeEngine:
    """See ``engine.base.Engine``. ``bias(prompt, question, label)`` adds to a label's logit; ``gate(method)`` runs
    before each call and may wait or raise; ``write(prompt, branch)`` gives the text of a branch; ``mass`` is the label
    mass of every answer."""

    def __init__(
        self,
        bias: Bias | None = None,
        *,
        gate: Callable[[str], None] | None = None,
        write: Callable[[str, str], str] | None = None,
        mass: float = 0.9,
        context: int = 4096,
        name: str = "fake-model",
        sha256: str = "f" * 64,
    ) -> None:
        self._bias = bias or (lambda _prompt, _question, _label: 0.0)
        self._gate = gate or (lambda _method: None)
        self._write = write or (lambda _prompt, _branch: " the second line turns the first one over.")
        self._mass = mass
        self._usage = Usage()
        self._kept: set[str] = set()
        self.closed = False
        self._info = EngineInfo(
            name=name,
            sha256=sha256,
            path="fake.gguf",
            bytes=1,
            architecture="fake",
            quantisation="F32",
            context=context,
            memory="attention",
            embedding_size=8,
            build="no llama.cpp",
        )

    @property
    def info(self) -> EngineInfo:
        return self._info

    @property
    def frame(self) -> ChatFrame:
        return ChatFrame("<|system|>", "<|user|>", "<|assistant|>")

    @property
    def usage(self) -> Usage:
        return self._usage

    def count(self, prompt: Prompt) -> int:
        return sum(_tokens(segment.text) for segment in prompt)

    def warm(self, prompt: Prompt, cancel: CancelToken | None = None) -> None:
        self._enter("warm", cancel)
        self._read(prompt)

    def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> list[Choice]:
        self._enter("choose", cancel)
        self._check_room(self.count(prompt) + max((self.count(question.suffix) for question in questions), default=0))
        self._read(prompt)
        text = _text(prompt)
        read = _hash(text)
        answers, tokens = [], 0
        for question in questions:
            if len(set(question.labels)) != len(question.labels):
                raise EngineSetupError("E_LABELS", "Two labels are the same.", "Please report this.")
            suffix = _text(question.suffix)
            tokens += _tokens(suffix)
            asked = _hash(suffix, behind=read)
            logits = [_noise(label, asked) + self._bias(text, suffix, label) for label in question.labels]
            top = max(logits)
            total = top + math.log(sum(math.exp(value - top) for value in logits)) - math.log(self._mass)
            answers.append(Choice(tuple(value - total for value in logits), self._mass))
        self._usage += Usage(tokens_evaluated=tokens)
        return answers

    def choose_each(
        self, cases: Sequence[tuple[Prompt, Sequence[Question]]], cancel: CancelToken | None = None
    ) -> list[list[Choice]]:
        return [self.choose(prompt, questions, cancel) for prompt, questions in cases]

    def generate(
        self, prompt: Prompt, branches: Sequence[Prompt], sampling: Sampling, cancel: CancelToken | None = None
    ) -> Iterator[Piece]:
        self._enter("generate", cancel)
        self._check_room(self.count(prompt) + sampling.max_tokens)
        self._read(prompt)
        for index, branch in enumerate(branches):
            for word in re.findall(r"\s*\S+", self._write(_text(prompt), _text(branch)))[: sampling.max_tokens]:
                self._enter("generate", cancel)
                self._usage += Usage(tokens_evaluated=1)
                yield Piece(index, word)
            yield Piece(index, "", done=True)

    def embed(
        self,
        texts: Sequence[str],
        cancel: CancelToken | None = None,
        *,
        prompt: Prompt = (),
        adapter: Path | None = None,
    ) -> list[FloatArray]:
        self._enter("embed", cancel)
        states = []
        for text in texts:
            digest = hashlib.sha256((_text(prompt) + text).encode("utf-8", "surrogatepass")).digest()
            seed = np.frombuffer(digest[: self._info.embedding_size], dtype=np.uint8).astype(np.float32)
            states.append(np.tile(seed / 255.0, (max(1, _tokens(text)), 1)))
            self._usage += Usage(tokens_evaluated=_tokens(text))
        return states

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(first, min(first + 4, len(text))) for first in range(0, max(1, len(text)), 4)]

    def scan(self, text: str, cancel: CancelToken | None = None) -> Scan:
        states = self.embed([text], cancel)[0]
        spans = self.spans(text)
        states = np.resize(states, (len(spans), states.shape[1]))
        surprise = [hashlib.sha256(text[: spans[place][1]].encode()).digest()[0] / 25.6 for place in range(len(spans))]
        return Scan(states, -np.array([0.0, *surprise[1:]], dtype=np.float32), tuple(spans))

    def scan_together(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[Scan]:
        return [self.scan(text, cancel) for text in texts]

    def scan_apart(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[None]:
        return [None] * len(texts)

    def output_rows(self, texts: Sequence[str]) -> tuple[FloatArray, IntArray]:
        found = []
        for text in texts:
            parts = [text[start:end].encode("utf-8", "surrogatepass") for start, end in self.spans(text)]
            digests = [hashlib.sha256(part).digest()[: self._info.embedding_size] for part in parts]
            found.append(np.array([np.frombuffer(each, np.uint8) for each in digests], np.float32) / 255.0 - 0.5)
        return np.concatenate(found), np.array([len(rows) for rows in found])

    def read_with(self, threads: int) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def _enter(self, method: str, cancel: CancelToken | None) -> None:
        self._gate(method)
        if cancel is not None:
            cancel.check()

    def _read(self, prompt: Prompt) -> None:
        constant, evaluated, reused = True, 0, 0
        path = ""
        for segment in prompt:
            path += "\0" + segment.text
            constant = constant and segment.constant
            size = _tokens(segment.text)
            if constant and path in self._kept:
                reused += size
            else:
                evaluated += size
                if constant:
                    self._kept.add(path)
        self._usage += Usage(tokens_evaluated=evaluated, tokens_reused=reused)

    def _check_room(self, tokens: int) -> None:
        if tokens > self._info.context:
            raise EngineError(
                "E_CONTEXT",
                f"The text is too long for the model: {tokens:,} tokens where {self._info.context:,} fit.",
                "Shorten it, or raise the context size in the settings.",
            )


class ReadingEngine(FakeEngine):
    """Reads texts into states of so many numbers, by ``states_of``. ``too_long``: a text that doesn't fit the context;
    ``reading(n)`` runs before the n-th text."""

    def __init__(self, size: int, *, too_long: str = "", reading: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self._info = dataclasses.replace(self._info, embedding_size=size)
        self._too_long = too_long
        self._reading = reading or (lambda _count: None)
        self.read: list[str] = []

    def states_of(self, text: str) -> FloatArray:
        raise NotImplementedError

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None, **how: Any) -> list[FloatArray]:
        states = []
        for text in texts:
            self.read.append(text)
            self._reading(len(self.read))
            if cancel is not None:
                cancel.check()
            if text == self._too_long:
                raise EngineError("E_CONTEXT", "The text is too long for the model.", "Shorten it.")
            states.append(self.states_of(text))
        return states


def random_of(text: str, salt: str) -> np.random.Generator:
    """Random numbers that depend on a text and a word alone."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256((salt + text).encode()).digest()[:8], "big"))


def _text(prompt: Prompt) -> str:
    return "".join(segment.text for segment in prompt)


def _tokens(text: str) -> int:
    return (len(text) + 3) // 4


def _hash(text: str, *, behind: Hash | None = None) -> Hash:
    """A hash of a text and of the text read before it; a long prompt is hashed once for all its questions."""
    found = hashlib.sha256() if behind is None else behind.copy()
    found.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return found


def _noise(label: str, asked: Hash) -> float:
    found = asked.copy()
    found.update(label.encode("utf-8", "surrogatepass"))
    return found.digest()[0] / 255.0 - 0.5
