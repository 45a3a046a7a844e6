"""A model is fetched over https: whole, resumed, refused, and every failure a sentence."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import urllib.error
import urllib.request
import urllib.response
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import Cancelled, FetchError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library.fetch import _HttpsRedirect, get, open_https, target_of

from .fetching import CONTENT, PLENTY, Answer, Server, code_of, fetch, left_over, model


def test_a_model_arrives_whole_with_rising_progress(profile: Profile) -> None:
    steps = fetch(profile)
    assert target_of(model(), profile).read_bytes() == CONTENT
    done = [s.done for s in steps]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, len(CONTENT))
    assert {s.total for s in steps} == {len(CONTENT)}
    assert steps[-1].note == "done"
    assert left_over(profile) == ["tiny.gguf"]


def test_a_cut_connection_keeps_what_came_and_the_next_call_goes_on(profile: Profile) -> None:
    assert code_of(lambda: fetch(profile, Server(cut=300_000))) == "E_FETCH_CUT"
    kept = (profile.models / "tiny.gguf.part").stat().st_size
    assert 0 < kept < len(CONTENT)
    server = Server()
    fetch(profile, server)
    assert server.asked == [f"bytes={kept}-"]
    assert target_of(model(), profile).read_bytes() == CONTENT


def test_a_wrong_hash_deletes_the_file_and_says_so(profile: Profile) -> None:
    with pytest.raises(FetchError, match="deleted") as caught:
        fetch(profile, Server(bytes(len(CONTENT))))
    assert caught.value.code == "E_FETCH_HASH"
    assert left_over(profile) == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (urllib.error.URLError(socket.gaierror(-3, "Temporary failure in name resolution")), "E_FETCH_OFFLINE"),
        (urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")), "E_FETCH_OFFLINE"),
        (TimeoutError("timed out"), "E_FETCH_OFFLINE"),
        (urllib.error.URLError(ssl.SSLCertVerificationError("bad certificate")), "E_FETCH_SERVER"),
        (http.client.RemoteDisconnected("gone"), "E_FETCH_CUT"),
        (http.client.InvalidURL("nonnumeric port: 'y'"), "E_FETCH_SERVER"),
        (urllib.error.HTTPError("https://x", 401, "", Message(), None), "E_FETCH_GATED"),
        (urllib.error.HTTPError("https://x", 404, "", Message(), None), "E_FETCH_SERVER"),
    ],
)
def test_every_failure_to_connect_is_a_sentence(profile: Profile, error: Exception, code: str) -> None:
    def fail(_request: urllib.request.Request, _timeout: float) -> Answer:
        raise error

    assert code_of(lambda: fetch(profile, fail)) == code
    assert not target_of(model(), profile).exists()


def test_no_other_protocol_than_https_is_ever_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    for address in (secret.as_uri(), "http://localhost/x", "ftp://localhost/x", "data:,x"):
        with pytest.raises(FetchError, match="isn't https"):
            open_https(urllib.request.Request(address), 1.0)


def test_a_cancel_stops_at_once_and_keeps_what_came(profile: Profile) -> None:
    token = CancelToken()
    server = Server()
    steps = get(model(), profile, token, opener=server, free_space=lambda _folder: PLENTY)
    while next(steps).done == 0:
        continue
    token.cancel()
    with pytest.raises(Cancelled):
        list(steps)
    assert server.answers[0].closed
    assert left_over(profile) == ["tiny.gguf.part"]


def test_a_redirect_to_what_is_no_address_is_a_sentence(profile: Profile) -> None:
    class First(urllib.request.BaseHandler):
        def https_open(self, request: urllib.request.Request) -> Any:
            headers = Message()
            headers["Location"] = "https://[::1"
            answer = urllib.response.addinfourl(io.BytesIO(), headers, request.full_url, 302)
            answer.msg = "Found"  # type: ignore[attr-defined]
            return answer

    def redirected(request: urllib.request.Request, timeout: float) -> Any:
        director = urllib.request.OpenerDirector()
        for handler in (First(), _HttpsRedirect(), urllib.request.HTTPErrorProcessor()):
            director.add_handler(handler)
        return director.open(request, timeout=timeout)

    assert code_of(lambda: fetch(profile, redirected)) == "E_FETCH_SERVER"


def test_a_full_disk_is_noticed_before_anything_is_fetched(profile: Profile) -> None:
    server = Server()
    assert code_of(lambda: fetch(profile, server, free_space=lambda _folder: 1000)) == "E_FETCH_SPACE"
    assert server.asked == []
