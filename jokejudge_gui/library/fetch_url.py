"""A file from its publisher: https only, gone on with by a range request, never larger than the catalogue says."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path
from typing import IO, Protocol

from ..engine.base import CancelToken
from ..errors import FetchError
from .catalogue import CatalogueEntry, UrlSource

_BLOCK = 1 << 18
_TIMEOUT = 30.0
_AGAIN = "Try again: it goes on where it stopped."
_OTHERWISE = "Connect to a network and try again; everything else works without one."


class Response(Protocol):
    """What is used of an answer."""

    status: int

    @property
    def headers(self) -> Message: ...

    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


Opener = Callable[[urllib.request.Request, float], Response]


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


def open_https(request: urllib.request.Request, timeout: float) -> Response:
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
    """Make ``part`` complete; yields (bytes here, what is being done). Raises ``FetchError``, ``Cancelled``."""
    here = part.stat().st_size if part.exists() else 0
    if here > entry.size:
        part.unlink()
        here = 0
    yield here, "asking the publisher"
    if here == entry.size:
        return
    token.check()
    response = _open(entry, source, here, opener)
    try:
        here = _start_of(response, entry, here)
        with part.open("r+b" if here else "wb") as stream:
            stream.seek(here)
            stream.truncate()
            while block := _read(response):
                token.check()
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
    finally:
        response.close()
    if here < entry.size:
        raise FetchError("E_FETCH_CUT", f"The connection was cut at {here / entry.size:.0%} of {entry.label}.", _AGAIN)


def _open(entry: CatalogueEntry, source: UrlSource, here: int, opener: Opener) -> Response:
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
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise _connection_error(error) from error


def _start_of(response: Response, entry: CatalogueEntry, asked: int) -> int:
    """Where the answer's bytes belong in the file: at ``asked`` for a good range, at 0 for the whole file."""
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


def _read(response: Response) -> bytes:
    try:
        return response.read(_BLOCK)
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
    return FetchError(
        "E_FETCH_OFFLINE", f"There's no network: the publisher can't be reached ({_reason(reason)}).", _OTHERWISE
    )


def _reason(reason: object) -> str:
    if isinstance(reason, socket.gaierror):
        return "its name isn't found"
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror.lower()
    return type(reason).__name__ if isinstance(reason, Exception) else str(reason)[:100]
