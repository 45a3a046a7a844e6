"""The same questions through ``llama_cpp.Llama``, as a user would write them: a full chat prompt for each question."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import llama_cpp
import numpy as np

from ..questions import Job, chosen, scaled

Reuse = Literal["prefix match", "reset", "RAM cache"]
NAMES: dict[Reuse, str] = {
    "prefix match": "Llama, its own prefix match",
    "reset": "Llama, reset before each question",
    "RAM cache": "Llama with LlamaRAMCache",
}


class PlainLlama:
    """``create_completion(max_tokens=1)`` for each question. ``logprobs=`` would need ``logits_all`` (gigabytes), so
    the labels' log-probabilities are read from the context's last logits, at no further cost."""

    def __init__(self, model: Path, *, reuse: Reuse, context: int, threads: int, sample: int) -> None:
        """``sample``: number of questions asked of each call; the others are scaled."""
        self.name = NAMES[reuse]
        self._reuse = reuse
        self._sample = sample
        self._llama = llama_cpp.Llama(
            model_path=str(model),
            n_ctx=context,
            n_threads=threads,
            n_threads_batch=threads,
            flash_attn=True,
            verbose=False,
        )
        if reuse == "RAM cache":
            self._llama.set_cache(llama_cpp.LlamaRAMCache())

    def seconds(self, job: Job) -> tuple[float, int]:
        total, asked = 0.0, 0
        for call in job.calls:
            places = chosen(len(call.questions), self._sample)
            times = [self._ask(call.prompt + call.questions[place]) for place in places]
            total += scaled(times[0], sum(times[1:]), len(times), len(call.questions))
            asked += len(times)
        return total, asked

    def _ask(self, prompt: str) -> float:
        begin = time.perf_counter()
        if self._reuse == "reset":
            self._llama.reset()
        self._llama.create_completion(prompt, max_tokens=1, temperature=0.0)
        raw = llama_cpp.llama_get_logits_ith(self._llama.ctx, -1)
        logits = np.ctypeslib.as_array(raw, shape=(self._llama.n_vocab(),))
        np.log(np.exp(logits - logits.max()).sum())
        return time.perf_counter() - begin

    def close(self) -> None:
        self._llama.set_cache(None)
        self._llama.close()
