"""What the net needs of the program's inside, all in this module: two fake models, the profile that they find, and the
ways in. When internals move, only this module is adapted.

The doors are ``main([...])`` with arguments and bytes, ``JokeJudge``, and the streams of ``jokejudge mcp``. ``heads``:
a fake model that says it is the embedded one, so that the shipped heads, plan and calibration judge its made-up states;
``plain``: one without any of that, which is asked everything; ``template``: one that knows the rows of shipped packs.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui import JokeJudge
from jokejudge_gui.cli.main import main
from jokejudge_gui.core.errors import JokeJudgeError as JokeJudgeError
from jokejudge_gui.engine.base import CancelToken, FloatArray, Prompt, Scan
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.template_engine import knowing, quoting

EMBEDDED = "7b46609d11703c058397e5cfe4cc6e4b2508cb1eb4c80ddc472a5d421fbdb508"
SIZE = 576
"""The embedded model's SHA-256 and the size of its hidden states: shipped heads are found and fit by these."""
PLAIN = "ab" * 32
REJECTED = "[no joke at all]"
"""A text with these words is none that the fake models admit."""
_AGAINST = ("plain information", "break off", "hate or violence", "random words", "rare special")
"""Words of those checks that a joke passes with a no."""
_PAIR = re.compile(r"Joke 1: (.*)\nJoke 2: (.*)\Z", re.DOTALL)


@lru_cache(maxsize=8192)
def _share(text: str, salt: str = "") -> float:
    """A number from 0 to 1 that depends on a text alone."""
    return int.from_bytes(hashlib.sha256((salt + text).encode("utf-8", "surrogatepass")).digest()[:6], "big") / 2**48


@lru_cache(maxsize=64)
def _jokes(prompt: str) -> tuple[str, ...]:
    found = _PAIR.search(prompt)
    return found.groups() if found else ()


def answer(prompt: str, question: str, label: str) -> float:
    """A fake model's preference: of two jokes the one with the larger number, checks as for a joke except where a text
    is marked, everything else by a number of its own."""
    name = label.strip(" ()").lower()
    jokes = _jokes(prompt)
    if jokes and name in ("1", "2"):
        return 5.0 * _share(jokes[int(name) - 1]) + (0.4 if name == "1" else 0.0)
    if question.endswith("? Answer:"):
        wants_no = any(words in question for words in _AGAINST)
        fits = 4.0 if ("no" in label.lower()) == wants_no else 0.0
        return -fits if REJECTED in prompt else fits
    return 3.0 * _share(prompt[-400:] + question[-120:], label)


_ENDS = ("the second line turns the first one over.", "the last word comes too early.", "nobody saw the duck coming.")


def write(prompt: str, branch: str) -> str:
    """What a fake model writes."""
    return " " + _ENDS[int(_share(prompt[-400:] + branch) * len(_ENDS))]


@lru_cache(maxsize=4096)
def _vector(text: str) -> FloatArray:
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(SIZE, dtype=np.float32)


@cache
def _usual() -> tuple[FloatArray, FloatArray]:
    """The means and spreads of the embedded model's states, as the shipped heads saw them."""
    found = json.loads(Path(__file__).with_name("states.json").read_text(encoding="utf-8"))
    return np.array(found["mean"], np.float32), np.array(found["sd"], np.float32)


_SLOW, _FAST = np.float32(0.45), np.float32(0.9)
"""How much of a state's spread is what was read so far, and how much the token itself."""


class HeadsEngine(FakeEngine):
    """Says that it is the embedded model. A token's state is made of the token, the one before it and what was read so
    far, so that texts of the same words have similar states."""

    def __init__(self) -> None:
        super().__init__(answer, write=write, name="heads", sha256=EMBEDDED)
        self._info = dataclasses.replace(self._info, embedding_size=SIZE)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [found.span() for found in re.finditer(r"\s*\w{1,6}|\s*[^\w\s]|\s+", text)] or [(0, len(text))]

    def embed(
        self,
        texts: Sequence[str],
        cancel: CancelToken | None = None,
        *,
        prompt: Prompt = (),
        adapter: Path | None = None,
    ) -> list[FloatArray]:
        self._enter("embed", cancel)
        before = "".join(segment.text for segment in prompt)
        mean, sd = _usual()
        found = []
        for text in texts:
            self._check_room(self.count(prompt) + len(self.spans(text)))
            tokens = [text[start:end] for start, end in self.spans(text)]
            states, sofar, last = [], _vector(before) if before else np.zeros(SIZE, np.float32), ""
            for number, token in enumerate(tokens, start=1):
                sofar = sofar + _vector(token)
                states.append(
                    mean + sd * (_SLOW * sofar / np.float32(number**0.5) + _FAST * _vector(f"{last}|{token}"))
                )
                last = token
            found.append(np.array(states, np.float32))
        return found

    def scan(self, text: str, cancel: CancelToken | None = None) -> Scan:
        spans = self.spans(text)
        tokens = [text[start:end] for start, end in spans]
        pairs = zip(["", *tokens], tokens, strict=False)
        surprise = [0.1 + 9.0 * _share(last + "|" + token, "surprise") for last, token in pairs]
        logprobs = -np.array([0.0, *surprise[1:]], dtype=np.float32)
        return Scan(self.embed([text], cancel)[0], logprobs, tuple(spans))


ENGINES: dict[str, Callable[[], FakeEngine]] = {
    "heads": HeadsEngine,
    "plain": partial(FakeEngine, answer, write=write, name="plain", sha256=PLAIN),
    "template": partial(FakeEngine, knowing, write=quoting, name="template", sha256="cd" * 32),
}


@dataclass(frozen=True)
class Outcome:
    """What a call left."""

    status: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The JSON object on stdout, and the exit status beside it where it isn't 0."""
        found = json.loads(self.out) if self.out else {"stderr": self.err}
        return found if self.status == 0 else {"status": self.status, **found}


class House:
    """A profile of its own in ``folder``, and the ways into the program."""

    def __init__(self, folder: Path, engine: str) -> None:
        self.folder = folder
        self._made = ENGINES[engine]
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def profile(self) -> Path:
        return self.folder / "profile"

    def _loaded(self, _file: Any, settings: Any, _cancel: CancelToken | None) -> FakeEngine:
        return ENGINES.get(settings.model or "", self._made)()

    def _session(self, profile: Any, settings: Any) -> Session:
        return Session(profile, settings, loader=self._loaded)

    def _calibrate(self) -> None:
        """Give the plain model the neutral calibration of the tests, as if it had been measured."""
        path = self.profile / "models" / PLAIN[:16] / "measured.json"
        if not path.exists():
            sections = json.loads(Path(__file__).with_name("calibration.json").read_text(encoding="utf-8"))["entries"]
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps({"format": 3, "model_sha256": PLAIN, "calibration": sections}), encoding="utf-8")

    def call(self, *arguments: str, stdin: bytes = b"") -> Outcome:
        """``call("rate", "text")``: what ``jokejudge rate text`` does."""
        self._calibrate()
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)), encoding="utf-8")
        sys.stdout, sys.stderr = out, err
        try:
            status = main(["--data-dir", str(self.profile), *arguments], open_session=self._session)
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        said, told = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))  # type: ignore[attr-defined]
        return Outcome(status, said, told)

    def json(self, *arguments: str, stdin: bytes = b"") -> dict[str, Any]:
        """The object that ``jokejudge --json …`` prints, with the exit status where it isn't 0."""
        return self.call("--json", *arguments, stdin=stdin).object

    def mcp(self, messages: Sequence[dict[str, Any]], *arguments: str) -> list[dict[str, Any]]:
        """Speak to ``jokejudge mcp`` through its standard streams: each message that has an id is sent when the one
        before it is answered. Returns what the server wrote until the last answer, line by line."""
        self._calibrate()
        there, here = os.pipe()
        back, forth = os.pipe()
        said: list[dict[str, Any]] = []

        def client() -> None:
            with open(here, "wb", buffering=0) as writer, open(back, "rb") as reader:
                for message in messages:
                    writer.write(json.dumps(message).encode() + b"\n")
                    while "id" in message:
                        said.append(json.loads(reader.readline()))
                        if said[-1].get("id") == message["id"]:
                            break

        kept = os.dup(0), os.dup(1)
        streams = sys.stdin, sys.stdout
        sys.stdout.flush()
        os.dup2(there, 0)
        os.dup2(forth, 1)
        sys.stdin, sys.stdout = io.StringIO(), open(1, "w", closefd=False)  # noqa: SIM115
        os.close(there)
        os.close(forth)
        thread = threading.Thread(target=client)
        thread.start()
        try:
            main(["--data-dir", str(self.profile), *arguments, "mcp"], open_session=self._session)
        finally:
            sys.stdin, sys.stdout = streams
            for number, own in enumerate(kept):
                os.dup2(own, number)
                os.close(own)
            thread.join(60)
        return said

    def file(self, name: str, text: str) -> str:
        """Write a file beside the profile; return its path."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def path(self, name: str) -> str:
        """The path of a file beside the profile."""
        return str(self.folder / name)

    def lines(self, name: str) -> list[dict[str, Any]]:
        """The JSON lines of a file beside the profile."""
        return [json.loads(line) for line in self.text(name).split("\n")[:-1]]

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    @contextmanager
    def judge(self, **options: Any) -> Iterator[JokeJudge]:
        """``JokeJudge`` as another Python program opens it."""
        self._calibrate()
        with JokeJudge(data_dir=self.profile, loader=self._loaded, **options) as judge:
            yield judge
