"""Texts that other processes read ahead: the answers are theirs, and what they can't read is read here."""

from __future__ import annotations

import io
import pickle
import queue
import threading
from collections.abc import Callable
from typing import Any

import pytest

from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.reading_pool import Key, ReadingPool

KEYS = [(f"joke {number}", "") for number in range(40)]


class Process:
    """What the pool uses of a process, which answers with ``answer``."""

    def __init__(self, answer: Callable[[Key], Any], identity: object = "model and heads") -> None:
        self.stdin = self.stdout = self
        self._answer = answer
        self._answers, self._question = io.BytesIO(pickle.dumps(identity)), io.BytesIO()
        self.read, self.readline = self._answers.read, self._answers.readline
        self.killed = threading.Event()

    def write(self, data: bytes) -> None:
        self._question.write(data)

    def flush(self) -> None:
        key = pickle.loads(self._question.getvalue())
        self._question = io.BytesIO()
        self._answers = io.BytesIO(pickle.dumps(self._answer(key)))
        self.read, self.readline = self._answers.read, self._answers.readline

    def kill(self) -> None:
        self.killed.set()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def pool_of(*processes: Process, keys: list[Key] = KEYS, skipped: tuple[Key, ...] = ()) -> ReadingPool:
    started = iter(processes)
    start: Any = lambda: next(started)  # noqa: E731
    return ReadingPool(start, len(processes), "model and heads", iter(keys), skipped)


def here(key: Key) -> str:
    return f"here, ahead: {key[0]}"


def test_every_text_has_one_answer_of_the_process_that_read_it() -> None:
    answered: queue.Queue[Key] = queue.Queue()

    def answer(key: Key) -> str:
        answered.put(key)
        return f"there: {key[0]}"

    processes = Process(answer), Process(answer)
    with pool_of(*processes).open() as pool:
        assert pool.taken(KEYS[0], here, lambda: None) is None
        answered.get()  # one of them is at work
        answers = [pool.taken(key, here, lambda: None) or f"here: {key[0]}" for key in KEYS[1:]]
    assert [answer.partition(": ")[2] for answer in answers] == [text for text, _ in KEYS[1:]]
    assert any(answer.startswith("there") for answer in answers)
    assert all(process.killed.is_set() for process in processes)


def ends(_: Key) -> None:
    raise EOFError


@pytest.mark.parametrize(
    "process", [Process(ends), Process(lambda key: None), Process(lambda key: key, "other heads")]
)  # fmt: skip
def test_what_another_process_does_not_read_is_read_here(process: Process) -> None:
    with pool_of(process).open() as pool:
        assert pool.taken(KEYS[0], here, lambda: None) is None
        answers = [pool.taken(key, here, lambda: None) for key in KEYS[1:]]
    assert all(answer in (None, here(key)) for key, answer in zip(KEYS[1:], answers, strict=True))


def test_texts_behind_it_are_read_here_while_another_process_reads_one_and_a_stop_ends_the_waiting() -> None:
    begun: queue.Queue[Key] = queue.Queue()
    token, read = CancelToken(), list[Key]()

    def answer(key: Key) -> None:
        begun.put(key)
        process.killed.wait()
        raise EOFError

    def ahead(key: Key) -> str:
        read.append(key)
        if len(read) == 3:
            token.cancel()
        return here(key)

    process = Process(answer)
    with pool_of(process).open() as pool:
        assert pool.taken(KEYS[0], ahead, token.check) is None
        waited_for = begun.get()
        with pytest.raises(Cancelled):
            pool.taken(waited_for, ahead, token.check)
    assert read == KEYS[2:5]
    assert process.killed.is_set()


def test_a_text_that_is_known_is_not_read_ahead_nor_one_twice() -> None:
    asked: queue.Queue[Key] = queue.Queue()

    def answer(key: Key) -> str:
        asked.put(key)
        return key[0]

    with pool_of(Process(answer), keys=[KEYS[1], KEYS[2], KEYS[1], KEYS[3]], skipped=(KEYS[2],)).open() as pool:
        assert pool.taken(KEYS[0], here, lambda: None) is None
        assert [asked.get(), asked.get()] == [KEYS[1], KEYS[3]]
    assert asked.empty()
