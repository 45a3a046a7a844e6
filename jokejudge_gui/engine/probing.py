"""Probing of model files in a child process: a bad one may end it, hang it, or exhaust its memory."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from ..core.errors import EngineError, ModelError
from .address_space import allow, taken
from .binding import NativeContext, NativeModel, check_interface
from .gguf import bad_template
from .loader import default_threads, open_context
from .prompts import chat_frame_of

_WORDS = 64
"""Number of tokens tried, spread over the vocabulary: damaged weights may affect only the words that use them."""
_TEMPLATE_SECONDS = 20
_TEMPLATE_BYTES = 1 << 30
_LONGEST_FRAME = 8192


def probe_load(path: str, context: int) -> dict[str, Any]:
    """Load a model with the program's context, read some tokens, and render its chat template, for the only time.
    Raises ``ModelError``; the process ends (SIGALRM) if the template doesn't finish."""
    before = taken()
    check_interface()
    model = NativeModel(path)
    try:
        if not model.has_decoder:
            raise ModelError(
                "E_MODEL_NO_DECODER", f"{path} is not a text-generating model.", "Choose a chat or instruct model."
            )
        native, _, _ = open_context(model, context, *default_threads(Path(path).stat().st_size))
        try:
            _read_some(model, native, path)
        finally:
            native.close()
        needed = taken("VmPeak") - before
        return {
            "architecture": model.metadata("general.architecture"),
            "recurrent": model.recurrent,
            "hybrid": model.hybrid,
            "sliding_window": model.sliding_window,
            "vocabulary": model.vocabulary_size,
            "embedding": model.embedding_size,
            "context": model.trained_context,
            "chat": bool(model.chat_template()),
            "address_space": max(0, needed),
            "frame": _frame(model, path),
        }
    finally:
        model.close()


def _read_some(model: NativeModel, native: NativeContext, path: str) -> None:
    count = min(_WORDS, model.vocabulary_size)
    tokens = [max(model.bos, 0), *(place * model.vocabulary_size // count for place in range(count))]
    try:
        native.decode(tokens, range(len(tokens)), [[0]] * len(tokens), [True] * len(tokens))
        for place in range(len(tokens)):
            native.logits(place)
    except EngineError as error:
        raise ModelError(
            "E_MODEL_CORRUPT", f"{path} gives no usable numbers.", "Fetch it again, or choose another model."
        ) from error


def _frame(model: NativeModel, path: str) -> list[str]:
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
