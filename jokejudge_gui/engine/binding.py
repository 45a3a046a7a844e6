"""The only module that calls llama.cpp: thin owners of its model, context, batch and sampler.

It makes no decisions; the modules above use its classes and numpy arrays.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

# Spinning OpenMP threads make a shared machine crawl (20× on two cores); this must be set before the library loads.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
from . import llama_cpp  # isort: skip

from ..core.errors import EngineError, EngineSetupError, ModelError
from ..core.paths import how_to_mend
from .base import FloatArray, Sampling
from .gguf import unknown_architecture

# llama.cpp asks after every node of its graph whether to stop. A Python callback would take the interpreter's lock a
# thousand times a decode, and slow it down whenever the window is busy; the C library's strlen, given a string that is
# empty until Stop, gives the same answer without it.
_IS_SET = llama_cpp.ggml_abort_callback(ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p).value or 0)
_NEVER = llama_cpp.ggml_abort_callback(0)
_FIXED_DATE = "26 Jul 2024"
_log_sink: Callable[[str], None] | None = None


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _on_log(_level: int, text: bytes, _data: Any) -> None:
    if _log_sink is not None:
        _log_sink(text.decode("utf-8", "replace"))


llama_cpp.llama_log_set(_on_log, ctypes.c_void_p(0))
llama_cpp.llama_backend_init()


@contextlib.contextmanager
def captured_log(lines: list[str]) -> Iterator[None]:
    """Append llama.cpp's own messages, which are otherwise suppressed, to ``lines``."""
    global _log_sink
    before, _log_sink = _log_sink, lines.append
    try:
        yield
    finally:
        _log_sink = before


def build_id() -> str:
    """Return the properties of the build that a saved state depends on: the binding's version and the CPU features that
    select its kernels."""
    prebuilt = " (prebuilt)" if llama_cpp.is_prebuilt() else ""
    return f"llama-cpp-python {llama_cpp.VERSION}{prebuilt}; {_system().strip()}"


def build_name() -> str:
    """Return a short description of the build for a verdict: version, prebuilt or compiled, and the CPU features in
    use."""
    uses = " ".join(re.findall(r"(\w+) = 1", _system()))
    return f"llama-cpp-python {llama_cpp.VERSION}, {'prebuilt' if llama_cpp.is_prebuilt() else 'compiled'}: {uses}"


def library() -> str:
    """Return which library of llama.cpp is in use, in words."""
    compiled = f"llama.cpp, from llama-cpp-python {llama_cpp.VERSION}"
    return "llama.cpp prebuilt, from xllamacpp" if llama_cpp.is_prebuilt() else compiled


def _system() -> str:
    return str(llama_cpp.llama_print_system_info().decode("utf-8", "replace"))


_DEFAULTS = {"n_ctx": 512, "n_batch": 2048, "n_ubatch": 512, "type_k": 1, "type_v": 1}
_DEFAULTS |= {"n_seq_max": 1, "kv_unified": False, "swa_full": True}
"""Defaults of llama_context_params in the llama.cpp version of these bindings."""


def check_interface() -> None:
    """Raise ``EngineSetupError`` ``E_ENGINE_INTERFACE`` if the library's structures differ from those of the bindings:
    one additional or missing field shifts all that follow it."""
    parameters = llama_cpp.llama_context_default_params()
    wrong = [name for name, value in _DEFAULTS.items() if getattr(parameters, name) != value]
    if wrong:
        sentence = f"The library of llama.cpp doesn't fit its bindings ({', '.join(wrong)})."
        raise EngineSetupError("E_ENGINE_INTERFACE", sentence, how_to_mend())


def can_offload() -> bool:
    """Whether this build of llama.cpp has a GPU backend."""
    return bool(llama_cpp.llama_supports_gpu_offload())


class NativeModel:
    """A loaded model; ``close`` frees it."""

    def __init__(self, path: str, *, gpu_layers: int = 0, progress: Callable[[float], bool] | None = None) -> None:
        """Load the model. ``progress`` gets 0…1 and returns False to stop. Raises ``ModelError`` with llama.cpp's own
        last messages."""
        parameters = llama_cpp.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        self._progress = llama_cpp.llama_progress_callback(lambda value, _data: progress is None or progress(value))
        parameters.progress_callback = self._progress
        lines: list[str] = []
        with captured_log(lines):
            handle = llama_cpp.llama_model_load_from_file(path.encode(), parameters)
        if not handle:
            raise _load_error(path, "".join(lines))
        self.handle = handle
        self._vocab = llama_cpp.llama_model_get_vocab(handle)
        self.divides_at_spaces = llama_cpp.llama_vocab_type(self._vocab) == llama_cpp.LLAMA_VOCAB_TYPE_BPE
        self.vocabulary_size = int(llama_cpp.llama_vocab_n_tokens(self._vocab))
        self.embedding_size = int(llama_cpp.llama_model_n_embd(handle))
        self.trained_context = int(llama_cpp.llama_model_n_ctx_train(handle))
        self.recurrent = bool(llama_cpp.llama_model_is_recurrent(handle))
        self.hybrid = bool(llama_cpp.llama_model_is_hybrid(handle))
        self.sliding_window = int(llama_cpp.llama_model_n_swa(handle))
        encoder = bool(llama_cpp.llama_model_has_encoder(handle))
        self.has_decoder = bool(llama_cpp.llama_model_has_decoder(handle)) and not encoder
        self.bos = int(llama_cpp.llama_vocab_bos(self._vocab))
        self.eos = int(llama_cpp.llama_vocab_eos(self._vocab))
        self.adds_bos = bool(llama_cpp.llama_vocab_get_add_bos(self._vocab)) and self.bos >= 0

    def close(self) -> None:
        if self.handle:
            llama_cpp.llama_model_free(self.handle)
            self.handle = None

    def tokenize(self, text: str, *, special: bool) -> tuple[int, ...]:
        """Return the tokens of a text, without BOS; with ``special`` off, control tokens in it are plain characters."""
        data = text.encode("utf-8")
        size = len(data) + 8
        while True:
            buffer = (llama_cpp.llama_token * size)()
            count = llama_cpp.llama_tokenize(self._vocab, data, len(data), buffer, size, False, special)
            if count >= 0:
                return tuple(buffer[:count])
            size = -count

    def piece(self, token: int) -> bytes:
        """Return the bytes of one token; empty for control tokens."""
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, size, 0, False)
            if count >= 0:
                return buffer.raw[:count]
            size = -count

    def text_of(self, token: int) -> str:
        """Return the vocabulary's own text of a token, control tokens included; empty below 0."""
        if token < 0:
            return ""
        raw = llama_cpp.llama_vocab_get_text(self._vocab, token)
        return raw.decode("utf-8", "replace") if raw else ""

    def ends(self, token: int) -> bool:
        """Whether a token ends generation."""
        return bool(llama_cpp.llama_vocab_is_eog(self._vocab, token))

    def chat_template(self) -> str | None:
        raw = llama_cpp.llama_model_chat_template(self.handle, None)
        return raw.decode("utf-8", "replace") if raw else None

    def grammar_sampler(self, grammar: str) -> Any:
        sampler = llama_cpp.llama_sampler_init_grammar(self._vocab, grammar.encode(), b"root")
        if not sampler:
            raise EngineSetupError("E_GRAMMAR", "A grammar of the program could not be read.", "Please report this.")
        return sampler


def _load_error(path: str, log: str) -> ModelError:
    unknown = unknown_architecture(path, log)
    if unknown is not None:
        return unknown
    words = [line.strip() for line in log.splitlines() if "error" in line.lower() or "fail" in line.lower()]
    sentence = f"{path} could not be loaded ({words[0][:160] if words else 'llama.cpp gave no reason'})."
    return ModelError("E_MODEL_LOAD", sentence, "Choose another model, or fetch this one again.")


def render_chat(template: str, messages: Sequence[dict[str, str]], *, bos: str, eos: str) -> str:
    """Return a chat template rendered in the sandbox, with thinking switched off. Raises ``ValueError`` if it can't be
    rendered, and ``MemoryError``. The date in it is fixed, so that prompts are the same every day."""
    from jinja2 import ext, sandbox  # slow to import

    def refuse(message: str) -> None:
        raise ValueError(message)

    kind = sandbox.ImmutableSandboxedEnvironment
    environment = kind(trim_blocks=True, lstrip_blocks=True, extensions=[ext.loopcontrols])
    environment.filters["tojson"] = lambda value, **how: json.dumps(value, **{"ensure_ascii": False, **how})
    given = {"messages": list(messages), "bos_token": bos, "eos_token": eos, "raise_exception": refuse}
    dated = {"strftime_now": lambda _format: _FIXED_DATE, "date_string": _FIXED_DATE}
    try:
        # Templates mark what a model is trained to write by tags that Jinja doesn't know.
        plain = re.sub(r"{%-?\s*(?:end)?generation\s*-?%}", "", template)
        made = environment.from_string(plain)
        return made.render(**given, **dated, add_generation_prompt=True, enable_thinking=False, tools=None)
    except MemoryError:
        raise
    except Exception as error:  # an untrusted template may raise anything
        raise ValueError(str(error)) from error


class NativeContext:
    """A context with many sequences over one unified KV cache."""

    def __init__(
        self,
        model: NativeModel,
        *,
        context: int,
        sequences: int,
        batch: int,
        threads: int,
        batch_threads: int,
        adapter: str | None = None,
    ) -> None:
        """``adapter``: path of a low-rank adapter (GGUF) for this context alone."""
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = context
        parameters.n_batch = parameters.n_ubatch = batch
        parameters.n_seq_max = sequences
        parameters.n_threads = threads
        parameters.n_threads_batch = batch_threads
        parameters.kv_unified = True
        parameters.swa_full = True
        parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED
        parameters.pooling_type = llama_cpp.LLAMA_POOLING_TYPE_NONE
        lines: list[str] = []
        with captured_log(lines):
            handle = llama_cpp.llama_init_from_model(model.handle, parameters)
        if not handle:
            sentence = "There isn't enough memory for this model's context."
            raise ModelError("E_MODEL_MEMORY", sentence, "Choose a smaller model or a smaller context in the settings.")
        self.handle = handle
        if adapter is not None:
            self._apply(model, adapter)
        self._threads, self._wanted_batch = (threads, batch_threads), batch
        self._model = model
        self._memory = llama_cpp.llama_get_memory(handle)
        self.size = int(llama_cpp.llama_n_ctx(handle))
        # llama.cpp makes the batch no longer than a small context, and ends the process over a longer one.
        self.batch = min(batch, int(llama_cpp.llama_n_batch(handle)))

    def _apply(self, model: NativeModel, path: str) -> None:
        """Apply an adapter, which is freed with the model. Raises ``ModelError``."""
        lines: list[str] = []
        with captured_log(lines):
            adapter = llama_cpp.llama_adapter_lora_init(model.handle, path.encode())
        if not adapter:
            self.close()
            raise _load_error(path, "".join(lines))
        adapters = (ctypes.c_void_p * 1)(adapter)
        llama_cpp.llama_set_adapters_lora(self.handle, adapters, 1, (ctypes.c_float * 1)(1.0))

    def adapted(self, adapter: str, size: int) -> NativeContext:
        """Return another context on the model, of one sequence and at most ``size`` tokens, with the adapter in a
        file."""
        writing, reading = self._threads
        return NativeContext(
            self._model, context=min(size, self.size), sequences=1, batch=self._wanted_batch, threads=writing,
            batch_threads=reading, adapter=adapter,
        )  # fmt: skip

    def use_threads(self, reading: int) -> None:
        """Read with this many threads, 0: with as many as at first."""
        writing, usual = self._threads
        llama_cpp.llama_set_n_threads(self.handle, writing, reading or usual)

    def close(self) -> None:
        if self.handle:
            llama_cpp.llama_free(self.handle)
            self.handle = None

    def watch(self, flag: ctypes.Array[ctypes.c_char] | None) -> None:
        """Check a C string while computing: once it isn't empty, the decode ends within a layer. None: no check."""
        self._watched = flag  # kept alive as long as native code may read it
        if flag is None:
            llama_cpp.llama_set_abort_callback(self.handle, _NEVER, None)
        else:
            llama_cpp.llama_set_abort_callback(self.handle, _IS_SET, ctypes.cast(flag, ctypes.c_void_p))

    def decode(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[Sequence[int]],
        outputs: Sequence[bool],
    ) -> bool:
        """Decode one batch (at most ``batch`` tokens). Returns False if stopped. Raises ``EngineError`` on failure."""
        count = len(tokens)
        token_array = np.asarray(tokens, dtype=np.int32)
        position_array = np.asarray(positions, dtype=np.int32)
        counts = np.fromiter((len(s) for s in sequences), dtype=np.int32, count=count)
        flat = np.fromiter((i for s in sequences for i in s), dtype=np.int32, count=int(counts.sum()))
        offsets = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.uintp)
        pointers = (offsets * 4 + flat.ctypes.data).astype(np.uintp)
        wanted = np.asarray(outputs, dtype=np.int8)
        batch = llama_cpp.llama_batch(
            n_tokens=count,
            token=token_array.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)),
            embd=None,
            pos=position_array.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)),
            n_seq_id=counts.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)),
            seq_id=pointers.ctypes.data_as(ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))),
            logits=wanted.ctypes.data_as(ctypes.POINTER(ctypes.c_int8)),
        )
        status = llama_cpp.llama_decode(self.handle, batch)
        if status == 2:
            return False
        if status != 0:
            hint = "Try again; if it happens again, choose another model or a smaller text."
            raise EngineError("E_DECODE", f"The model could not read the text (llama.cpp status {status}).", hint)
        return True

    def logits(self, index: int) -> FloatArray:
        """Return the logits after the token at place ``index`` of the last batch: shape (vocabulary,), a copy, all
        finite. Raises ``EngineError`` E_NOT_FINITE."""
        return self._row(llama_cpp.llama_get_logits_ith(self.handle, index), self._model.vocabulary_size)

    def hidden(self, index: int) -> FloatArray:
        """Return the final hidden state of the token at place ``index`` of the last batch: shape (embedding,), a copy,
        all finite. Raises ``EngineError`` E_NOT_FINITE."""
        return self._row(llama_cpp.llama_get_embeddings_ith(self.handle, index), self._model.embedding_size)

    @staticmethod
    def _row(pointer: Any, size: int) -> FloatArray:
        # llama.cpp returns a null pointer for a row that it doesn't have.
        row = np.ctypeslib.as_array(pointer, shape=(size,)).copy() if pointer else np.full(1, np.nan, dtype=np.float32)
        if not np.isfinite(row).all():
            sentence = "The model answered with something that isn't a number, so there is no verdict on this text."
            hint = "The model's file may be damaged: fetch it again, or choose another model."
            raise EngineError("E_NOT_FINITE", sentence, hint)
        return row

    def set_embeddings(self, on: bool) -> None:
        llama_cpp.llama_set_embeddings(self.handle, on)

    def clear(self) -> None:
        """Remove every sequence."""
        llama_cpp.llama_memory_clear(self._memory, False)

    def wipe(self) -> None:
        """Remove every sequence and overwrite its cells: attention multiplies masked cells by zero, which doesn't
        remove NaN and infinity."""
        llama_cpp.llama_memory_clear(self._memory, True)

    def fork(self, source: int, target: int) -> None:
        llama_cpp.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def drop(self, sequence: int) -> None:
        """Remove a whole sequence; every kind of memory can do that."""
        llama_cpp.llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def cut(self, sequence: int, length: int) -> bool:
        """Keep only the first ``length`` positions of a sequence; False if this kind of memory doesn't support it."""
        return bool(llama_cpp.llama_memory_seq_rm(self._memory, sequence, length, -1))

    def save(self, sequence: int) -> bytes:
        """Return a sequence's state as bytes."""
        size = llama_cpp.llama_state_seq_get_size(self.handle, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = llama_cpp.llama_state_seq_get_data(self.handle, buffer, size, sequence)
        return memoryview(buffer)[:written].tobytes()

    def load(self, sequence: int, state: bytes) -> bool:
        """Load a saved state into an empty sequence; False if llama.cpp rejects it."""
        buffer = ctypes.cast(ctypes.c_char_p(state), ctypes.POINTER(ctypes.c_uint8))
        return int(llama_cpp.llama_state_seq_set_data(self.handle, buffer, len(state), sequence)) == len(state)


class NativeSampler:
    """A chain of samplers: grammar (if any), temperature, seeded draw; or greedy at temperature 0."""

    def __init__(self, model: NativeModel, sampling: Sampling, branch: int) -> None:
        self._chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        samplers, penalty = list[Any](), sampling.repeat_penalty
        if sampling.grammar is not None:
            samplers.append(model.grammar_sampler(sampling.grammar))
        if penalty != 1.0:
            samplers.append(llama_cpp.llama_sampler_init_penalties(model.vocabulary_size, 64, penalty, 0.0, 0.0))
        if sampling.temperature <= 0:
            samplers.append(llama_cpp.llama_sampler_init_greedy())
        else:
            samplers.append(llama_cpp.llama_sampler_init_temp(sampling.temperature))
            samplers.append(llama_cpp.llama_sampler_init_dist(sampling.seed + branch))
        for sampler in samplers:
            llama_cpp.llama_sampler_chain_add(self._chain, sampler)

    def sample(self, context: NativeContext, index: int) -> int:
        """Return the next token after place ``index`` of the last batch, accepted by the grammar too. Raises
        ``EngineError`` E_NOT_FINITE: a draw from NaN or infinity may give any token, or end the process."""
        context.logits(index)
        return int(llama_cpp.llama_sampler_sample(self._chain, context.handle, index))

    def close(self) -> None:
        if self._chain:
            llama_cpp.llama_sampler_free(self._chain)
            self._chain = None
