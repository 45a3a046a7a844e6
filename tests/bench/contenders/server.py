"""The same questions put to a llama.cpp server on loopback, with prompt caching (xllamacpp carries one)."""

from __future__ import annotations

import http.client
import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ..questions import Job, chosen, scaled
from .base import Unavailable
from .children import finish, start

_CHILD = Path(__file__).with_name("server_child.py")
_NUMBERS = itertools.count()


class Server:
    """``POST /completion`` with ``cache_prompt`` and ``n_probs``; ``together`` requests at a time, a slot for each."""

    def __init__(self, python: Path, model: Path, *, context: int, threads: int, together: int, sample: int) -> None:
        """``python``: the Python of an environment with xllamacpp. Raises ``Unavailable``."""
        self.name = "llama.cpp server, prompt caching" + (f", {together} at a time" if together > 1 else "")
        self._sample = sample if together == 1 else max(sample, 3 * together)
        self.rates: list[float] = []
        arguments = [str(python), str(_CHILD), str(model), str(context), str(threads), str(together)]
        self._process = start(arguments)
        assert self._process.stdout is not None
        address = ""
        for line in self._process.stdout:
            if line.startswith("address "):
                address = line.split()[1].removeprefix("http://")
                break
        if not address:
            self.close()
            raise Unavailable("the environment has no working xllamacpp")
        self._connections = [http.client.HTTPConnection(address, timeout=600) for _ in range(together)]
        self._pool = ThreadPoolExecutor(together)

    def seconds(self, job: Job) -> tuple[float, int]:
        total, asked = 0.0, 0
        for call in job.calls:
            places = chosen(len(call.questions), self._sample)
            begin = time.perf_counter()
            self._ask(0, call.prompt + call.questions[0])
            middle = time.perf_counter()
            self._ask_all([call.prompt + call.questions[place] for place in places[1:]])
            end = time.perf_counter()
            total += scaled(middle - begin, end - middle, len(places), len(call.questions))
            asked += len(places)
        return total, asked

    def measure_rate(self, words: int = 400) -> None:
        """Note the server's own rate for a prompt that isn't in its cache."""
        prompt = " ".join(f"{next(_NUMBERS)} is a number" for _ in range(words // 4))
        timings = self._ask(0, prompt)["timings"]
        self.rates.append(float(timings["prompt_per_second"]))

    def close(self) -> None:
        finish(self._process)
        for connection in getattr(self, "_connections", ()):
            connection.close()

    def _ask_all(self, prompts: list[str]) -> None:
        lanes = len(self._connections)
        if lanes == 1:
            for prompt in prompts:
                self._ask(0, prompt)
            return

        def work(lane: int) -> None:
            for prompt in prompts[lane::lanes]:
                self._ask(lane, prompt)

        list(self._pool.map(work, range(lanes)))

    def _ask(self, lane: int, prompt: str) -> dict[str, Any]:
        body = {"prompt": prompt, "n_predict": 1, "temperature": 0, "n_probs": 20, "cache_prompt": True}
        try:
            reply, text = self._post(lane, json.dumps(body))
        except (ConnectionError, http.client.HTTPException):
            self._connections[lane].close()  # the server closes a connection that was idle; a new one opens by itself
            reply, text = self._post(lane, json.dumps(body))
        data = json.loads(text)
        if reply.status != 200:
            raise RuntimeError(f"the server answered {reply.status}: {data}")
        return dict(data)

    def _post(self, lane: int, body: str) -> tuple[http.client.HTTPResponse, bytes]:
        connection = self._connections[lane]
        connection.request("POST", "/completion", body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply, reply.read()
