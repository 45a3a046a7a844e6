"""Texts that other processes read ahead: the answers are theirs, and what they can't read is read here."""

from __future__ import annotations

import io
import pickle
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import PLAIN, CancelToken
from jokejudge_gui.judge.reading_pool import Key, ReadingPool
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.session.judge_files import JudgeFiles
from jokejudge_gui.session.reading_ahead import Helpers

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
        keys = pickle.loads(self._question.getvalue())
        self._question = io.BytesIO()
        self._answers = io.BytesIO(pickle.dumps([self._answer(key) for key in keys]))
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


def here(keys: list[Key]) -> list[str]:
    return [f"here: {text}" for text, _ in keys]


def test_every_text_has_one_answer_of_the_process_that_read_it() -> None:
    answered: queue.Queue[Key] = queue.Queue()

    def answer(key: Key) -> str:
        answered.put(key)
        return f"there: {key[0]}"

    processes = Process(answer), Process(answer)
    with pool_of(*processes).open() as pool:
        answers = [pool.taken(KEYS[0], here, lambda: None)]
        answered.get()  # one of them is at work
        answers += [pool.taken(key, here, lambda: None) for key in KEYS[1:]]
    assert [answer.partition(": ")[2] for answer in answers] == [text for text, _ in KEYS]
    assert any(answer.startswith("there") for answer in answers)
    assert all(process.killed.is_set() for process in processes)


def ends(_: Key) -> None:
    raise EOFError


@pytest.mark.parametrize("processes", [(Process(ends),), (Process(lambda key: key, "other heads"),), ()])
def test_what_no_other_process_reads_is_read_here(processes: tuple[Process, ...]) -> None:
    with pool_of(*processes).open() as pool:
        assert [pool.taken(key, here, lambda: None) for key in KEYS] == here(KEYS)


def test_texts_behind_it_are_read_here_while_another_process_reads_one_and_a_stop_ends_the_waiting() -> None:
    begun: queue.Queue[Key] = queue.Queue()
    token, read = CancelToken(), list[Key]()

    def answer(key: Key) -> None:
        begun.put(key)
        process.killed.wait()
        raise EOFError

    def stopping(keys: list[Key]) -> list[str]:
        read.extend(keys)
        token.cancel()
        return here(keys)

    process = Process(answer)
    with pool_of(process).open() as pool:
        pool.taken(KEYS[0], here, token.check)
        waited_for = begun.get()
        with pytest.raises(Cancelled):
            pool.taken(waited_for, stopping, token.check)
    assert read
    assert waited_for not in read
    assert process.killed.is_set()


def test_a_text_that_is_known_is_not_read_ahead_nor_one_twice() -> None:
    read: list[Key] = []

    def reading(keys: list[Key]) -> list[str]:
        read.extend(keys)
        return here(keys)

    with pool_of(keys=[KEYS[1], KEYS[2], KEYS[1], KEYS[3]], skipped=(KEYS[2],)).open() as pool:
        pool.taken(KEYS[0], reading, lambda: None)
    assert read == [KEYS[0], KEYS[1], KEYS[3]]


def test_processes_that_no_list_takes_end_and_none_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun = [Process(repr), Process(repr)]
    waiting = [*begun]

    def start(*_: object) -> Process:
        if not waiting:
            raise OSError
        return waiting.pop()

    monkeypatch.setattr("jokejudge_gui.session.reading_ahead.started", start)
    monkeypatch.setattr("jokejudge_gui.engine.binding.can_offload", lambda: False)
    profile = Profile.at(tmp_path)
    helpers = Helpers(profile, Settings(jobs=4), JudgeFiles(profile, tmp_path))
    helpers.expected = len(KEYS)
    helpers.read_ahead(ModelFile(Path(__file__), "a"), "0" * 64, PLAIN)
    assert not waiting
    helpers.close()
    assert all(process.killed.is_set() for process in begun)
