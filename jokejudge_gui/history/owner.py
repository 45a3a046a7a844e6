"""Which process a running verdict belongs to, and whether that process still lives."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PROC = Path("/proc")


def process_token() -> str:
    """This process as ``boot/pid/start``: not mistaken for another one that gets the same pid later."""
    pid = os.getpid()
    return f"{_boot()}/{pid}/{_start(pid) or ''}"


def process_alive(token: str) -> bool:
    """Whether the process of a token still runs. False where that is unknown: an owner that is alive after all puts
    its row right again with its next write, while nobody would put right a row left running for ever."""
    if token == process_token():
        return True
    boot, _, rest = token.partition("/")
    number, _, start = rest.partition("/")
    if boot != _boot() or not number.isdecimal() or int(number) == os.getpid():
        return False
    if sys.platform.startswith("linux"):
        return bool(start) and _start(int(number)) == start
    return _answers(int(number))


def _boot() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _start(pid: int) -> str | None:
    """Clock tick at which a process started; None where it is gone, a zombie, or the system has no /proc."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The program's name stands in brackets and may hold anything, so fields are counted from the last bracket.
    fields = stat.rpartition(")")[2].split()
    return None if len(fields) < 20 or fields[0] in "ZX" else fields[19]


def _answers(pid: int) -> bool:
    if os.name != "posix":
        return False  # on Windows signal 0 would be a Ctrl-C
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
