"""Loading of a model file into an engine: its sizes, threads, kind of memory and caches; and its probe."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..core.errors import Cancelled, EngineError, ModelError
from . import binding
from .address_space import allow, taken
from .base import CancelToken, ChatFrame, EngineInfo, MemoryKind
from .gguf import bad_template, read_gguf
from .llama_engine import LlamaEngine
from .prefix_cache import StateStore
from .prompts import chat_frame_of

BATCH = 512
"""Tokens in a batch. Another size, like another kind of attention, may change the last bits of answers, so it is
fixed."""
LEAST_CONTEXT = 512
"""Smallest context that a model must have, in tokens: one whole batch."""
_SEQUENCES = 128
_RECURRENT_SEQUENCES = 8
_LINEAR = ("recurrent", "hybrid")
# With passive waiting one thread writes a small model's text faster than several.
_SMALL_MODEL = 300 * 10**6


def physical_cores() -> int:
    """Return the number of cores that this process may use, hyper-threads counted once."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    siblings = set()
    for core in allowed:
        try:
            siblings.add(Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list").read_text().strip())
        except OSError:
            siblings.add(str(core))
    return max(1, len(siblings))


def default_threads(size: int) -> tuple[int, int]:
    """Return the threads for reading and for writing with a model file of ``size`` bytes."""
    cores = physical_cores()
    return cores, 1 if size < _SMALL_MODEL else cores


def load_engine(
    path: Path,
    *,
    name: str | None = None,
    sha256: str,
    context: int = 4096,
    threads: int = 0,
    state_folder: Path | None = None,
    state_limit: int = 0,
    cancel: CancelToken | None = None,
    frame: ChatFrame | None = None,
    notes: Sequence[str] = (),
    on_fault: Callable[[], None] | None = None,
) -> LlamaEngine:
    """Load a probed model file. ``threads`` 0: the defaults; another number is used for reading and writing. ``frame``:
    the chat template as the probe rendered it, so that an untrusted template never runs here; None: rendered now.
    ``notes`` precede the loader's own; ``on_fault`` is called when the model fails while it reads. Raises
    ``ModelError``, ``Cancelled``."""
    token = cancel or CancelToken()
    facts = read_gguf(path)
    token.check()

    warnings = list(notes)
    reading, writing = (threads, threads) if threads else default_threads(facts.size_bytes)

    for gpu_layers in (-1, 0) if binding.can_offload() else (0,):  # on the GPU, else on the CPU
        try:
            model = binding.NativeModel(str(path), gpu_layers=gpu_layers, progress=lambda _share: not token.cancelled)
            with ExitStack() as failed:
                failed.callback(model.close)
                native, memory, sequences = open_context(model, context, reading, writing)
                failed.pop_all()
            break
        except ModelError as error:
            token.check()
            if not gpu_layers:
                raise
            warnings.append(f"The GPU could not take the model ({error.sentence.rstrip('.')}); it runs on the CPU.")
    on_gpu = gpu_layers != 0
    if token.cancelled:
        native.close()
        model.close()
        raise Cancelled()
    if memory in _LINEAR:
        warnings.append("This kind of model can't branch inside a batch: verdicts are right but take longer.")
    if facts.slow_kernels and not on_gpu:
        warnings.append(f"{facts.quantisation} has no fast kernels in llama.cpp; the same model in Q8_0 is faster.")
    info = EngineInfo(
        name=name or facts.name or path.stem,
        sha256=sha256,
        path=str(path),
        bytes=facts.size_bytes,
        architecture=facts.architecture,
        quantisation=facts.quantisation,
        context=native.size,
        memory=memory,
        embedding_size=model.embedding_size,
        notes=tuple(warnings),
        build=f"{binding.build_name()}{', GPU' if on_gpu else ''}",
    )
    key = f"{sha256};context={native.size};sequences={sequences};batch={BATCH};f16 flash unified;{binding.build_id()}"
    # CPU and GPU round differently: a state saved on one must not be used on the other.
    key += ";gpu" if on_gpu else ""
    store = StateStore(state_folder, state_limit, context_key=key) if state_folder and state_limit else None
    return LlamaEngine(model, native, info, sequences=sequences, store=store, frame=frame, on_fault=on_fault)


def open_context(
    model: binding.NativeModel, context: int, reading: int, writing: int
) -> tuple[binding.NativeContext, MemoryKind, int]:
    """Return the engine's context, the model's kind of memory, and the number of sequences. Raises ``ModelError``
    E_MODEL_MEMORY, E_MODEL_CONTEXT."""
    size = min(context, model.trained_context or context)
    if size < LEAST_CONTEXT:
        raise ModelError(
            "E_MODEL_CONTEXT",
            f"The model reads only {size} {'token' if size == 1 else 'tokens'} at once, too few for a joke and a "
            "question about it.",
            f"Choose a model that reads at least {LEAST_CONTEXT} tokens.",
        )
    memory: MemoryKind = "sliding-window" if model.sliding_window > 0 else "attention"
    if model.hybrid or model.recurrent:
        memory = "hybrid" if model.hybrid else "recurrent"
    sequences = _RECURRENT_SEQUENCES if memory in _LINEAR else _SEQUENCES
    native = binding.NativeContext(
        model, context=size, sequences=sequences, batch=BATCH, threads=writing, batch_threads=reading
    )
    return native, memory, sequences


# Probing of model files in a child process: a bad one may end it, hang it, or exhaust its memory.

_WORDS = 64
"""Number of tokens tried, spread over the vocabulary: damaged weights may affect only the words that use them."""
_TEMPLATE_SECONDS = 20
_TEMPLATE_BYTES = 1 << 30
_LONGEST_FRAME = 8192


def probe_load(path: str, context: int) -> dict[str, Any]:
    """Load a model with the program's context, read some tokens, and render its chat template, for the only time.
    Raises ``ModelError``; the process ends (SIGALRM) if the template doesn't finish."""
    before = taken()
    binding.check_interface()
    model = binding.NativeModel(path)
    try:
        if not model.has_decoder:
            raise ModelError(
                "E_MODEL_NO_DECODER", f"{path} is not a text-generating model.", "Choose a chat or instruct model."
            )
        native, _, _ = open_context(model, context, *default_threads(Path(path).stat().st_size))
        count = min(_WORDS, model.vocabulary_size)
        tokens = [max(model.bos, 0), *(place * model.vocabulary_size // count for place in range(count))]
        try:
            native.decode(tokens, range(len(tokens)), [[0]] * len(tokens), [True] * len(tokens))
            for place in range(len(tokens)):
                native.logits(place)
        except EngineError as error:
            hint = "Fetch it again, or choose another model."
            raise ModelError("E_MODEL_CORRUPT", f"{path} gives no usable numbers.", hint) from error
        finally:
            native.close()
        needed = taken("VmPeak") - before
        kinds = {name: getattr(model, name) for name in ("recurrent", "hybrid", "sliding_window")}
        return {**kinds, "address_space": max(0, needed), "frame": _frame(model, path)}
    finally:
        model.close()


def _frame(model: binding.NativeModel, path: str) -> list[str]:
    """Return the chat template's text before the system's text, before the user's, and before the answer."""
    # No handler: a template may spend its time inside one call, during which no Python handler runs.
    signal.setitimer(signal.ITIMER_REAL, _TEMPLATE_SECONDS)
    allow(_TEMPLATE_BYTES)
    try:
        frame = chat_frame_of(model)
    except MemoryError as error:
        raise bad_template(path, "takes too much memory") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    parts = [frame.before_system, frame.before_user, frame.before_answer]
    if sum(map(len, parts)) > _LONGEST_FRAME:
        raise bad_template(path, f"puts {sum(map(len, parts)):,} characters around a text")
    return parts
