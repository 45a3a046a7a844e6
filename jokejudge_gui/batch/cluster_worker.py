"""What a process of a cluster does: it holds one session, and judges the rows that it is sent, one after another.

The one module besides ``cluster`` that needs Dask (the extra ``[cluster]``); it is imported by name in the workers.
"""

from __future__ import annotations

import base64
import hashlib
import math
import secrets
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from distributed import Security, WorkerPlugin, get_worker

from ..core.config import Settings
from ..core.errors import ErrorInfo, JokeJudgeError, info
from ..core.events import Cancelled, Failed, Finished
from ..core.paths import Profile
from ..core.verdicts import Kind
from ..session.session import Session
from .batch import Row, batch_made_by, judged_line

PLUGIN = "jokejudge"
Recipe = Callable[[Profile, Settings], Session]


@dataclass(frozen=True)
class Judged:
    """What became of a row: its ``line`` and what made it, or what ends the run (``stop``)."""

    line: dict[str, Any] | None
    made: dict[str, str]
    stop: ErrorInfo | None = None


class SessionPlugin(WorkerPlugin):  # type: ignore[misc]  # Dask is optional, so it isn't known to the type checker
    """One session for the whole process, in one thread of its own, whatever the number of the worker's threads."""

    name = PLUGIN

    def __init__(self, recipe: Recipe, profile: Profile | None, settings: Settings, *, deaf: bool = False) -> None:
        """``profile`` None: the folders of the user whom the worker belongs to; ``deaf``: pass over Ctrl-C, which a
        terminal sends to every process that it started: the one that writes ends the others."""
        self._deaf = deaf
        self._recipe, self._profile, self._settings = recipe, profile, settings
        self._session: Session | None = None
        self._thread: ThreadPoolExecutor | None = None

    def setup(self, worker: object) -> None:
        """Called by Dask when a worker starts. Nothing is loaded before the first row."""
        if self._deaf:
            with suppress(ValueError):  # not the process's main thread
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jokejudge")

    def teardown(self, worker: object) -> None:
        """Called by Dask when a worker ends: the model is freed by the thread that used it."""
        if self._thread is not None:
            self._thread.submit(self._close).result()
            self._thread.shutdown()

    def judge(self, kind: Kind, row: Row, force: bool, listeners: tuple[str, ...] | None = None) -> Judged:
        """Judge one row."""
        assert self._thread is not None
        return self._thread.submit(self._judge, kind, row, force, listeners).result()

    def _judge(self, kind: Kind, row: Row, force: bool, listeners: tuple[str, ...] | None) -> Judged:
        try:
            session = self._opened()
            if session.model is None:
                *_, last = session.load()
                if not isinstance(last, Finished):
                    return Judged(None, {}, last.error if isinstance(last, Failed) else None)
            # A verdict's row in the history belongs to the machine where it was asked for, so workers keep none.
            found = judged_line(session, kind, row, None, force=force, listeners=listeners, record=False, cancel=None)
            made = batch_made_by(session, kind, listeners)
        except JokeJudgeError as error:
            return Judged(None, {}, info(error))
        if isinstance(found, Failed | Cancelled):
            return Judged(None, made, found.error if isinstance(found, Failed) else None)
        return Judged(found, made)

    def _opened(self) -> Session:
        if self._session is None:
            self._session = self._recipe(self._profile or Profile.default(), self._settings)
        return self._session

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def judge_row(kind: Kind, row: Row, force: bool, listeners: tuple[str, ...] | None = None) -> Judged:
    """The task that is sent to a worker."""
    plugin: SessionPlugin = get_worker().plugins[PLUGIN]
    return plugin.judge(kind, row, force, listeners)


def own_security() -> Security:
    """Keys for one cluster on this machine, made anew and kept in memory alone: nobody else on it can join the cluster
    or give it work. Dask's own ``Security.temporary`` would need one more package."""
    e = 65537
    p, q = _prime(e), _prime(e)
    n, d = p * q, pow(e, -1, math.lcm(p - 1, q - 1))
    cert = _certificate(n, e, d)
    key = _pem("RSA PRIVATE KEY", _numbers(0, n, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)))
    roles = {f"tls_{role}_cert": cert for role in _ROLES} | {f"tls_{role}_key": key for role in _ROLES}
    return Security(tls_ca_file=cert, require_encryption=True, **roles)


_ROLES = ("client", "scheduler", "worker")
_SMALL = tuple(n for n in range(3, 2000, 2) if all(n % m for m in range(3, math.isqrt(n) + 1, 2)))


def _prime(e: int, bits: int = 1024) -> int:
    while True:
        n = secrets.randbits(bits) | 3 << bits - 2 | 1
        if all(n % m for m in _SMALL) and n % e != 1 and all(_passes(n) for _ in range(24)):
            return n


def _passes(n: int) -> bool:
    """One round of Miller and Rabin's test."""
    d, r = n - 1, 0
    while not d & 1:
        d, r = d >> 1, r + 1
    x = pow(secrets.randbelow(n - 3) + 2, d, n)
    for _ in range(r):
        if x in (1, n - 1):
            return True
        x = x * x % n
        if x == 1:
            return False
    return False


def _certificate(n: int, e: int, d: int) -> str:
    """A certificate signed by itself (X.509, RSA with SHA-256)."""
    algorithm = _der(0x30, _der(6, bytes.fromhex("2a864886f70d01010b")), _der(5))
    name = _der(0x30, _der(0x31, _der(0x30, _der(6, bytes.fromhex("550403")), _der(12, b"jokejudge"))))
    now = datetime.now(UTC)
    valid = (_der(23, f"{now + timedelta(days=by):%y%m%d%H%M%S}Z".encode()) for by in (-1, 365))
    public = _numbers(n, e)
    mark = hashlib.sha1(public, usedforsecurity=False).digest()
    whose = _der(0x30, _der(6, bytes.fromhex("2a864886f70d010101")), _der(5))
    extensions = (
        _der(0x30, _der(6, bytes.fromhex("551d13")), _der(1, b"\xff"), _der(4, _der(0x30, _der(1, b"\xff")))),
        _der(0x30, _der(6, bytes.fromhex("551d0f")), _der(1, b"\xff"), _der(4, _der(3, b"\x02\xa4"))),
        _der(0x30, _der(6, bytes.fromhex("551d0e")), _der(4, _der(4, mark))),
        _der(0x30, _der(6, bytes.fromhex("551d23")), _der(4, _der(0x30, _der(0x80, mark)))),
    )
    body = _der(
        0x30, _der(0xA0, _der(2, b"\2")), _der(2, b"\1" + secrets.token_bytes(15)), algorithm, name, _der(0x30, *valid),
        name, _der(0x30, whose, _der(3, b"\0" + public)), _der(0xA3, _der(0x30, *extensions)),
    )  # fmt: skip
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(body).digest()
    size = (n.bit_length() + 7) // 8
    padded = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
    signed = pow(int.from_bytes(padded, "big"), d, n).to_bytes(size, "big")
    return _pem("CERTIFICATE", _der(0x30, body, algorithm, _der(3, b"\0" + signed)))


def _numbers(*numbers: int) -> bytes:
    return _der(0x30, *(_der(2, number.to_bytes(number.bit_length() // 8 + 1, "big")) for number in numbers))


def _der(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag]) + (bytes([len(body)]) if len(body) < 128 else bytes([0x80 | len(size)]) + size) + body


def _pem(what: str, data: bytes) -> str:
    return f"-----BEGIN {what}-----\n{base64.encodebytes(data).decode('ascii')}-----END {what}-----\n"
