"""The interface of an engine, independent of its implementation: labels' log-probabilities, text, hidden states."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from ..core.errors import Cancelled, EngineSetupError
from ..core.lazily import np, npt
from ..core.verdicts import Usage

FloatArray: TypeAlias = "npt.NDArray[np.float32]"
IntArray: TypeAlias = "npt.NDArray[np.int64]"


class CancelToken:
    """A cancellation flag that any thread may set; the engine checks it between chunks and while it decodes.

    ``flag`` is the same as a C string for native code: empty, or one character once the token is set."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.flag = ctypes.create_string_buffer(2)

    def cancel(self) -> None:
        self._event.set()
        self.flag[0] = b"x"

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait until the token is set, at most ``seconds``; return whether it is set."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Raise ``Cancelled`` if the token is set."""
        if self._event.is_set():
            raise Cancelled()


_loaded_in = 0


def check_not_forked() -> None:
    """Raise ``EngineSetupError`` ``E_FORKED`` in a process that was forked from one that had loaded a model: the
    model's threads and locks stayed there, and llama.cpp would wait for them for ever."""
    if _loaded_in not in (0, os.getpid()):
        sentence = "This process was forked from one that had loaded a model, so it can't judge."
        hint = 'Start processes with "spawn": multiprocessing.get_context("spawn").'
        raise EngineSetupError("E_FORKED", sentence, hint)


def about_to_load() -> None:
    """Note that this process loads a model, for ``check_not_forked``, whose error it raises."""
    global _loaded_in
    check_not_forked()
    _loaded_in = os.getpid()


@dataclass(frozen=True)
class Segment:
    """A piece of a prompt. Segments are tokenised one by one, and decoding is divided at their borders alone, so a
    cached answer equals the uncached one to the last bit.

    ``constant``: the same for every joke, so its state is worth caching. ``markup``: the template's own control tokens,
    parsed as such; everything else, above all a user's text, is tokenised with special tokens off."""

    text: str
    constant: bool = False
    markup: bool = False


Prompt: TypeAlias = tuple[Segment, ...]
MemoryKind: TypeAlias = Literal["attention", "sliding-window", "recurrent", "hybrid"]


@dataclass(frozen=True)
class ChatFrame:
    """The constant parts of the model's chat template: before the system text, between it and the user's text, and
    between that and the answer. A base model has a plain frame; a model without a system role has the system text in
    the user's turn."""

    before_system: str
    before_user: str
    before_answer: str


PLAIN = ChatFrame(before_system="", before_user="\n\n", before_answer="\n\n")
"""The frame of a model without a chat template."""


@dataclass(frozen=True)
class Question:
    """A question on a shared prefix, answered by one of a fixed set of labels. ``labels`` are distinct texts such as
    ``" yes"``; each is scored as its whole token sequence."""

    suffix: Prompt
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """``logprobs[i]``: log-probability (nats) of label i; ``mass``: their summed probability, 0…1."""

    logprobs: tuple[float, ...]
    mass: float


@dataclass(frozen=True)
class Sampling:
    """Settings of text generation. ``temperature`` 0 is greedy; ``grammar`` is GBNF with the rule ``root``;
    ``repeat_penalty`` over 1 makes words of the last 64 tokens less likely."""

    max_tokens: int = 64
    temperature: float = 0.0
    repeat_penalty: float = 1.0
    seed: int = 1
    grammar: str | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Piece:
    """A piece of the text of branch ``branch``; ``done`` in the last one of that branch."""

    branch: int
    text: str
    done: bool = False


@dataclass(frozen=True, eq=False)
class Scan:
    """One text as a model read it, token by token. ``states``: final hidden states, (tokens, embedding size);
    ``logprobs``: log-probability (nats) of each token given those before it, (tokens,), 0 for the first; ``spans``: its
    first character and the one after its last; tokens that share a character each get all of it."""

    states: FloatArray
    logprobs: FloatArray
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class EngineInfo:
    """Facts about a loaded model. ``notes``: remarks for the user on how it runs; ``build``: of llama.cpp, with the
    properties that determine its rounding."""

    name: str
    sha256: str
    path: str
    bytes: int
    architecture: str
    quantisation: str
    context: int
    memory: MemoryKind
    embedding_size: int
    notes: tuple[str, ...] = field(default=())
    build: str = ""


class Engine(Protocol):
    """An engine, owned by one thread. Every method may raise ``EngineError`` or ``Cancelled``, and leaves the engine
    usable."""

    @property
    def info(self) -> EngineInfo: ...

    @property
    def frame(self) -> ChatFrame: ...

    @property
    def usage(self) -> Usage:
        """Totals since the engine was made; take differences."""
        ...

    def count(self, prompt: Prompt) -> int:
        """Return the number of tokens of a prompt."""
        ...

    def warm(self, prompt: Prompt, cancel: CancelToken | None = None) -> None:
        """Decode the leading constant segments of a prompt and keep their state."""
        ...

    def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> list[Choice]:
        """Return the answers in the order of ``questions``; identical questions get one answer. Raises ``E_CONTEXT``
        before any decoding if prompt and questions don't fit, ``E_LABELS`` if two labels have the same tokens."""
        ...

    def choose_each(
        self, cases: Sequence[tuple[Prompt, Sequence[Question]]], cancel: CancelToken | None = None
    ) -> list[list[Choice]]:
        """Answer several prompts' questions together: if all begin with the same constant segments, they are decoded in
        one batch. Answers may differ from those of ``choose`` by the numerical noise; the same cases in the same order
        give the same answers to the last bit."""
        ...

    def generate(
        self, prompt: Prompt, branches: Sequence[Prompt], sampling: Sampling, cancel: CancelToken | None = None
    ) -> Iterator[Piece]:
        """Generate text after ``prompt`` + each branch, the branches decoded together."""
        ...

    def embed(
        self,
        texts: Sequence[str],
        cancel: CancelToken | None = None,
        *,
        prompt: Prompt = (),
        adapter: Path | None = None,
    ) -> list[FloatArray]:
        """Return the final hidden states of each text, read alone after ``prompt`` (BOS if there is none): arrays of
        shape (tokens, embedding_size). ``adapter``: a low-rank adapter's file; the model reads with its layers."""
        ...

    def scan(self, text: str, cancel: CancelToken | None = None) -> Scan:
        """Return the states, log-probabilities and spans of a text's tokens from one reading; the states equal
        ``embed``'s to the last bit. Raises ``E_CONTEXT`` or ``E_EMPTY``."""
        ...

    def scan_together(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[Scan]:
        """Return the scans of several texts, which share batches if the model's memory allows it: faster, and tokens
        that texts have in common from their beginning are decoded once. The same texts in the same order give the same
        scans to the last bit; they differ from those of ``scan`` by the numerical noise. Raises ``E_CONTEXT`` or
        ``E_EMPTY`` before any text is read."""
        ...

    def scan_apart(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[tuple[Scan, Usage] | None]:
        """Return what ``scan`` returns for each of several short texts, to the last bit, and its part of the usage:
        they share batches. None where a text is too long, or sharing changes a bit."""
        ...

    def output_rows(self, texts: Sequence[str]) -> tuple[FloatArray, IntArray]:
        """Return the rows of the model's output matrix for the tokens of all texts, (tokens, embedding size), and the
        number of each text's tokens, (texts,). The product of a row and a final state is that token's logit. Nothing
        is decoded. Raises ``ModelError`` ``E_OUTPUT_MATRIX`` if the file's matrix can't be read."""
        ...

    def read_with(self, threads: int) -> None:
        """Read with this many threads from now on, 0: as many as it was loaded with. The numbers stay the same."""
        ...

    def close(self) -> None:
        """Free the model; the engine can't be used afterwards."""
        ...


# Log-probabilities from one row of logits, summed in double precision: a vocabulary may have 200,000 entries.


def log_softmax(logits: FloatArray) -> FloatArray:
    """Return the log-probabilities (nats) of a row of logits, in its shape."""
    top = logits.max()
    total = np.exp(logits - top).sum(dtype=np.float64)
    return np.asarray(logits - (top + np.log(total)), dtype=np.float32)


def logprob(logits: FloatArray, token: int) -> float:
    """Return the log-probability (nats) of one token of the row, which is overwritten."""
    top = logits.max()
    its = float(logits[token] - top)
    np.exp(np.subtract(logits, top, out=logits), out=logits)
    return its - float(np.log(logits.sum(dtype=np.float64)))
