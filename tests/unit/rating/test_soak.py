"""Hundreds of verdicts through one session leave nothing behind: no memory, no threads, no open files."""

from __future__ import annotations

import gc
import os
import sys
import threading
from pathlib import Path

import pytest

from jokejudge_gui.core.events import Finished
from jokejudge_gui.heads.near_duplicates import signature
from jokejudge_gui.heads.told import heard, stem_of
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession

VERDICTS = 300
_SETTLING = 40
_MOST_BLOCKS = 5 * VERDICTS
"""Even a few small objects left by each verdict would be more."""
_OPEN_FILES = Path("/proc/self/fd")


def judge(session: Session, first: int, count: int) -> None:
    """Ratings, duels and cancelled ratings by turns, each on texts of its own."""
    for number in range(first, first + count):
        joke = f"Joke number {number} walks into a bar. The barman says: not {number} again."
        if number % 10 == 0:
            cut_off = session.rate(joke, explain=True)
            next(cut_off)
            cut_off.close()
            continue
        events = session.duel(joke, f"Number {number} was late.") if number % 2 else session.rate(joke)
        assert isinstance(list(events)[-1], Finished)


def measured() -> tuple[int, int, int]:
    """Python's allocated blocks of memory without the words and texts that are remembered, threads, open files."""
    for remembered in (heard, signature, stem_of):
        remembered.cache_clear()
    gc.collect()
    files = len(os.listdir(_OPEN_FILES)) if _OPEN_FILES.is_dir() else 0
    return sys.getallocatedblocks(), threading.active_count(), files


def test_three_hundred_verdicts_grow_neither_memory_nor_threads_nor_open_files(
    make_session: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jokejudge_gui.judge.reader._REMEMBERED", _SETTLING // 2)  # readings are kept on purpose
    session = make_session()
    judge(session, 0, _SETTLING)
    memory, threads, files = measured()
    judge(session, _SETTLING, VERDICTS)
    memory_after, threads_after, files_after = measured()
    assert memory_after - memory < _MOST_BLOCKS
    assert threads_after == threads
    assert files_after == files


def test_sessions_that_are_closed_leave_no_threads_and_no_open_files(make_session: MakeSession) -> None:
    first = make_session()
    judge(first, 1, 2)
    first.close()
    _, threads, files = measured()
    for number in range(10):
        session = make_session()
        judge(session, 10 * number + 1, 2)
        session.close()
    assert measured()[1:] == (threads, files)
