"""The engine on llama.cpp: prefixes are decoded once; questions are forked from them and decoded in one batch.

Answers don't depend on the cache, to the last bit (METHODS, numbers depend on batches), because prompts are divided
only at segment borders and at fixed steps inside a segment; a cached prefix is loaded into an *empty* cache, so that
its cells have the same places as after a cold decode; and the questions of one call always share the same batches in
the same order. A short variable end of a prompt (the joke) is always decoded in the batch of its questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ..core.errors import EngineError, EngineSetupError
from ..core.verdicts import Usage
from .base import (
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
    log_softmax,
)
from .binding import NativeContext, NativeModel, NativeSampler
from .decoding import Decoder, Numbers, StateReader, TextWriter
from .gguf import OutputMatrix
from .prefix_cache import PrefixTree, StateStore
from .prompts import PromptTokens, QuestionTrie, Tokens, build_tries, chat_frame_of, spans_of

_MAIN = 0
_TREE_BYTES = 300 * 10**6
_SHORT = 1024
"""Context in tokens for reading with an adapter, as far as it is enough: each thousand takes 23 MB."""
_FOLD = 64
"""A variable end of a prompt with fewer tokens is decoded together with its questions. For fewer than 64 rows flash
attention on the CPU uses another kernel, so 32 tokens after a long prefix cost nearly as much as 64;
a longer text is decoded once and kept for the next questions."""


class LlamaEngine:
    """The implementation of ``engine.base.Engine`` on llama.cpp. Owned by one thread."""

    def __init__(
        self,
        model: NativeModel,
        context: NativeContext,
        info: EngineInfo,
        *,
        sequences: int,
        store: StateStore | None,
        frame: ChatFrame | None = None,
        on_fault: Callable[[], None] | None = None,
    ) -> None:
        self._model = model
        self._context = context
        self.info = info
        self._sequences = sequences
        self._tree = PrefixTree(_TREE_BYTES)
        self._store = store
        self._decoder = Decoder(context, model.embedding_size, on_fault)
        self._reader = StateReader(context, self._decoder)
        self._path: list[Tokens] = []
        """The content of the context's sequence 0: whole pieces, in order."""
        self._prompts = PromptTokens(model)
        self.frame = frame or chat_frame_of(model)
        self._matrix: OutputMatrix | None = None
        self._linear = info.memory in ("recurrent", "hybrid")
        self._on_fault, self._threads = on_fault, 0
        self._second: tuple[Path, NativeContext, Decoder, StateReader] | None = None

    @property
    def usage(self) -> Usage:
        return self._decoder.usage

    @property
    def _length(self) -> int:
        return sum(map(len, self._path))

    def close(self) -> None:
        self._tree.clear()
        self._close_second()
        self._context.close()
        self._model.close()

    def count(self, prompt: Prompt) -> int:
        return sum(map(len, self._prompts.pieces(prompt)[0]))

    def warm(self, prompt: Prompt, cancel: CancelToken | None = None) -> None:
        pieces, constant = self._prompts.pieces(prompt)
        with self._decoder.metered(cancel, self._forget_path):
            self._reach(pieces[:constant], constant)

    def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> list[Choice]:
        pieces, constant = self._prompts.pieces(prompt)
        tail = _joined(pieces[constant:])
        forms = [self._question_tokens(question) for question in questions]
        if len(tail) < _FOLD and not self._linear:
            pieces = pieces[:constant]
            forms = [(tail + suffix, labels) for suffix, labels in forms]
        return self._answers(pieces, constant, forms, cancel)

    def choose_each(
        self, cases: Sequence[tuple[Prompt, Sequence[Question]]], cancel: CancelToken | None = None
    ) -> list[list[Choice]]:
        read = [self._prompts.pieces(prompt) for prompt, _ in cases]
        shared = {tuple(pieces[:constant]) for pieces, constant in read}
        if self._linear or len(shared) != 1:
            return [self.choose(prompt, questions, cancel) for prompt, questions in cases]
        forms = []
        for (pieces, constant), (_, questions) in zip(read, cases, strict=True):
            tail = _joined(pieces[constant:])
            for suffix, labels in map(self._question_tokens, questions):
                forms.append((tail + suffix, labels))
        prefix = list(shared.pop())
        answers = iter(self._answers(prefix, len(prefix), forms, cancel))
        return [[next(answers) for _ in questions] for _, questions in cases]

    def _answers(
        self,
        pieces: list[Tokens],
        constant: int,
        forms: list[tuple[Tokens, tuple[Tokens, ...]]],
        cancel: CancelToken | None,
    ) -> list[Choice]:
        length = sum(map(len, pieces))
        tries = build_tries(forms, sequences=self._sequences - 1, room=self._context.size - length)
        self._check_room(length + 1)
        with self._decoder.metered(cancel, self._forget_path):
            self._reach(pieces, constant)
            if self._linear:
                return [self._ask_alone(suffix, labels) for suffix, labels in forms]
            answers: dict[int, Choice] = {}
            for trie in tries:
                answers.update(self._ask(trie))
            return [answers[index] for index in range(len(forms))]

    def generate(
        self, prompt: Prompt, branches: Sequence[Prompt], sampling: Sampling, cancel: CancelToken | None = None
    ) -> Iterator[Piece]:
        pieces, constant = self._prompts.pieces(prompt)
        tails = [self._prompts.flat(branch) for branch in branches]
        if not all(tails) or len(branches) >= self._sequences:
            sentence = "A branch of generated text has no beginning, or there are too many."
            raise EngineSetupError("E_BRANCH", sentence, "Please report this.")
        self._check_room(sum(map(len, pieces)) + sum(len(tail) + sampling.max_tokens for tail in tails))
        with self._decoder.metered(cancel, self._forget_path):
            self._reach(pieces, constant)
        samplers = [NativeSampler(self._model, sampling, branch) for branch in range(len(branches))]
        try:
            yield from self._write(tails, samplers, sampling, cancel)
        finally:
            for sampler in samplers:
                sampler.close()
            for branch in range(len(branches)):
                self._context.drop(branch + 1)

    def embed(
        self,
        texts: Sequence[str],
        cancel: CancelToken | None = None,
        *,
        prompt: Prompt = (),
        adapter: Path | None = None,
    ) -> list[FloatArray]:
        """See ``engine.base.Engine.embed``; each text is decoded alone, so its states don't depend on the others."""
        lead = self._prompts.pieces(prompt)[0] if prompt else self._opening()
        read = [self._text_tokens(text, sum(map(len, lead))) for text in texts]
        if adapter is not None:
            return self._adapted(adapter, _joined(lead), read, cancel)
        self._forget_path()
        states: list[FloatArray] = []
        for tokens in read:
            with self._decoder.metered(cancel, self._forget_path):
                states.append(self._reader.alone(lead, tokens)[0])
        return states

    def _adapted(
        self, adapter: Path, lead: Tokens, texts: list[Tokens], cancel: CancelToken | None
    ) -> list[FloatArray]:
        """Read texts with an adapter, in a context of its own: its states never meet those of the plain model."""
        longest = len(lead) + max(map(len, texts), default=0)
        if self._second is None or self._second[0] != adapter or self._second[1].size < longest:
            self._close_second()
            context = self._context.adapted(str(adapter), self._context.size if longest > _SHORT else _SHORT)
            context.use_threads(self._threads)
            context.set_embeddings(True)
            decoder = Decoder(context, self._model.embedding_size, self._on_fault)
            self._second = adapter, context, decoder, StateReader(context, decoder)
        _, _, decoder, reader = self._second
        before, states = decoder.usage, []
        try:
            for tokens in texts:
                with decoder.metered(cancel, reader.forget):
                    states.append(reader.behind(lead, tokens))
        finally:
            self._decoder.usage += decoder.usage - before
        return states

    def _close_second(self) -> None:
        if self._second is not None:
            self._second[1].close()
            self._second = None

    def scan(self, text: str, cancel: CancelToken | None = None) -> Scan:
        return self.scan_together([text], cancel)[0]

    def scan_together(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[Scan]:
        lead = _joined(self._opening())
        read = [self._text_tokens(text, len(lead)) for text in texts]
        self._forget_path()
        with self._decoder.metered(cancel, self._forget_path):
            scored = self._reader.together(lead, read, 1 if self._linear else self._sequences)
        return self._scans(texts, read, scored)

    def scan_apart(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[tuple[Scan, Usage] | None]:
        lead = _joined(self._opening())
        read = [self._text_tokens(text, len(lead)) for text in texts]
        self._forget_path()
        before = self.usage
        with self._decoder.metered(cancel, self._forget_path):
            scored = self._reader.apart(lead, read, 1 if self._linear else self._sequences)
        spent = self.usage - before
        second = spent.seconds / max(1, spent.tokens_evaluated)
        return [
            (self._scans([text], [own], [numbers])[0], Usage(tokens_evaluated=size, seconds=second * size))
            if numbers
            else None
            for text, own, numbers in zip(texts, read, scored, strict=True)
            for size in [len(lead) + len(own)]
        ]

    def _scans(self, texts: Sequence[str], read: Sequence[Tokens], scored: Sequence[Numbers]) -> list[Scan]:
        spans = [tuple(spans_of(t, [self._model.piece(x) for x in r])) for t, r in zip(texts, read, strict=True)]
        return [Scan(*numbers, places) for numbers, places in zip(scored, spans, strict=True)]

    def output_rows(self, texts: Sequence[str]) -> tuple[FloatArray, IntArray]:
        if self._matrix is None:
            self._matrix = OutputMatrix(Path(self.info.path))
        tokens = self._prompts.of_words(texts)
        return self._matrix.rows([token for own in tokens for token in own]), np.array([len(own) for own in tokens])

    def read_with(self, threads: int) -> None:
        self._threads = threads
        self._context.use_threads(threads)
        if self._second is not None:
            self._second[1].use_threads(threads)

    def _opening(self) -> list[Tokens]:
        return [(self._model.bos,)] if self._model.adds_bos else []

    def _text_tokens(self, text: str, before: int) -> Tokens:
        tokens = self._model.tokenize(text, special=False)
        if not tokens:
            raise EngineError("E_EMPTY", "There is no text to read.", "Type or paste a joke first.")
        self._check_room(before + len(tokens))
        return tokens

    def _reach(self, pieces: list[Tokens], constant: int) -> None:
        """Bring sequence 0 to exactly ``pieces``, decoding only those that aren't cached; cache its first
        ``constant``."""
        if self._roll_back(pieces, constant):
            self._decoder.usage += Usage(tokens_reused=self._length)
        else:
            self._restore(pieces, constant)
        for index in range(len(self._path), len(pieces)):
            self._decoder.run(pieces[index], self._length, output=False)
            self._path.append(pieces[index])
            if index + 1 == constant:
                self._keep(pieces[: index + 1])

    def _roll_back(self, pieces: list[Tokens], constant: int) -> bool:
        """Cut sequence 0 back to its common beginning with ``pieces``, if that covers at least their constant
        beginning.

        The remaining cells have the places that a restored prefix would have, so results equal those after
        ``_restore``."""
        shared = 0
        for mine, wanted in zip(self._path, pieces, strict=False):
            if mine != wanted:
                break
            shared += 1
        if shared == 0 or shared < constant:
            return False
        if shared < len(self._path):
            if self.info.memory != "attention":
                return False
            self._path = self._path[:shared]
            return self._context.cut(_MAIN, self._length)
        return True

    def _restore(self, pieces: list[Tokens], constant: int) -> None:
        self._forget_path()
        depth, state = self._tree.longest(pieces)
        saved = self._store.load(pieces[:constant]) if self._store is not None and depth < constant else None
        if saved is not None:
            depth, state = constant, saved
            self._tree.keep(pieces[:constant], saved)
        if state is None:
            return
        if not self._context.load(_MAIN, state):
            # llama.cpp rejected the state: decode instead and replace it.
            self._context.clear()
            self._tree.forget(pieces[:depth])
            return
        self._path = pieces[:depth]
        self._decoder.usage += Usage(tokens_reused=self._length)

    def _keep(self, pieces: list[Tokens]) -> None:
        state = self._context.save(_MAIN)
        self._tree.keep(pieces, state)
        if self._store is not None:
            self._store.save(pieces, state)
        # Continue from the saved state in an empty cache, as a later run will.
        self._context.clear()
        if not self._context.load(_MAIN, state):
            self._forget_path()
            raise EngineSetupError("E_STATE", "The model's state can't be saved and restored.", "Choose another model.")

    def _forget_path(self) -> None:
        self._context.clear()
        self._path = []

    def _question_tokens(self, question: Question) -> tuple[Tokens, tuple[Tokens, ...]]:
        suffix = self._prompts.flat(question.suffix)
        labels = tuple(self._model.tokenize(label, special=False) for label in question.labels)
        if not suffix or not all(labels) or len(set(labels)) != len(labels):
            raise EngineSetupError(
                "E_LABELS", f"The labels {question.labels} can't be told apart by this model.", "Choose another model."
            )
        return suffix, labels

    def _ask(self, trie: QuestionTrie) -> dict[int, Choice]:
        """Decode one trie of questions on the path and read the labels' log-probabilities."""
        start = self._length
        for leaf in range(trie.leaves):
            self._context.fork(_MAIN, leaf + 1)
        try:
            rows: dict[int, FloatArray] = {}
            for first in range(0, len(trie.tokens), self._context.batch):
                part = slice(first, first + self._context.batch)
                wanted = trie.outputs[part]
                self._decoder.step(
                    trie.tokens[part],
                    [start + depth for depth in trie.depths[part]],
                    [[leaf + 1 for leaf in leaves] for leaves in trie.sequences[part]],
                    wanted,
                )
                for offset, output in enumerate(wanted):
                    if output:
                        rows[first + offset] = log_softmax(self._context.logits(offset))
            return trie.read(rows)
        finally:
            for leaf in range(trie.leaves):
                self._context.drop(leaf + 1)

    def _ask_alone(self, suffix: Tokens, labels: tuple[Tokens, ...]) -> Choice:
        """Score the labels one after another, for memories that can't branch inside a batch; slower."""
        alone = (build_tries([(suffix, (label,))], sequences=1, room=self._context.size)[0] for label in labels)
        scores = tuple(self._ask(trie)[0].logprobs[0] for trie in alone)
        return Choice(scores, float(np.exp(scores).sum()))

    def _write(
        self, tails: list[Tokens], samplers: list[NativeSampler], sampling: Sampling, cancel: CancelToken | None
    ) -> Iterator[Piece]:
        start = self._length
        lengths = [start + len(tail) for tail in tails]
        writers = [TextWriter(sampling.stop) for _ in tails]
        last: dict[int, int] = {}
        with self._decoder.metered(cancel, self._forget_path):
            for branch in range(len(tails)):
                self._context.fork(_MAIN, branch + 1)
            for branch, tail in enumerate(tails):
                self._decoder.run(tail, start, output=False, sequence=branch + 1, last=True)
                last[branch] = samplers[branch].sample(self._context, (len(tail) - 1) % self._context.batch)
        for _ in range(sampling.max_tokens):
            for branch in sorted(last):
                token = last[branch]
                ended = self._model.ends(token)
                text = "" if ended else writers[branch].add(self._model.piece(token))
                if ended or writers[branch].stopped:
                    del last[branch]
                    yield Piece(branch, text + writers[branch].finish(), done=True)
                elif text:
                    yield Piece(branch, text)
            if not last:
                return
            live = sorted(last)
            with self._decoder.metered(cancel, self._forget_path):
                self._decoder.step(
                    [last[branch] for branch in live],
                    [lengths[branch] for branch in live],
                    [[branch + 1] for branch in live],
                    [True] * len(live),
                )
                for place, branch in enumerate(live):
                    last[branch] = samplers[branch].sample(self._context, place)
                    lengths[branch] += 1
        for branch in sorted(last):
            yield Piece(branch, writers[branch].finish(), done=True)

    def _check_room(self, tokens: int) -> None:
        if tokens > self._context.size:
            sentence = f"The text is too long for the model: {tokens:,} tokens where {self._context.size:,} fit."
            raise EngineError("E_CONTEXT", sentence, "Shorten it, or raise the context size in the settings.")


def _joined(pieces: Sequence[Tokens]) -> Tokens:
    return tuple(token for piece in pieces for token in piece)
