"""The text in a picture: what is refused before anything is decoded, the child that decodes, and what is read."""

from __future__ import annotations

import struct
import sys
import zlib

import pytest

from jokejudge_gui.core.errors import Cancelled, InputError, UsageError
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library import pictures
from jokejudge_gui.library.pictures import MOST_BYTES, can_read_pictures, read_picture


def png(width: int, height: int, body: bytes = b"") -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


REFUSED: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "E_PICTURE_TYPE"),
    ("a text", b"A horse walks into a bar.", "E_PICTURE_TYPE"),
    ("a program", b"\x7fELF" + bytes(100), "E_PICTURE_TYPE"),
    ("an SVG", b"<svg xmlns='x'><script>alert(1)</script></svg>", "E_PICTURE_TYPE"),
    ("a GIF", b"GIF89a" + bytes(20), "E_PICTURE_TYPE"),
    ("many bytes", png(640, 480) + bytes(MOST_BYTES), "E_PICTURE_SIZE"),
]


@pytest.mark.parametrize(("what", "data", "code"), REFUSED, ids=[what for what, _, _ in REFUSED])
def test_hostile_pictures_are_refused_before_anything_decodes_them(what: str, data: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_picture(data, command=["/no/such/program"])
    assert caught.value.code == code, what
    assert caught.value.hint


def child(code: str) -> list[str]:
    return [sys.executable, "-c", f"import json, os, sys, time; {code}"]


def test_what_the_child_reads_is_put_together() -> None:
    lines = [["ONE DOES NOT", 0.99, [10, 10, 200, 50]], ["SIMPLY", 0.9, [10, 55, 200, 95]],
             ["WALK INTO MORDOR", 0.95, [10, 400, 300, 440]], ["~~", 0.2, [0, 450, 5, 460]]]  # fmt: skip
    found = read_picture(png(640, 480), command=child(f"print('jokejudge-picture:' + json.dumps({lines!r}))"))
    assert found == "ONE DOES NOT SIMPLY\nWALK INTO MORDOR"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("print('jokejudge-picture:[]')", "E_PICTURE_EMPTY"),
        ('print(\'jokejudge-picture:[["O", 0.9, [0, 0, 9, 9]], ["17", 0.9, [0, 0, 9, 9]]]\')', "E_PICTURE_EMPTY"),
        ("print('jokejudge-picture:{')", "E_PICTURE_DAMAGED"),
        ("print('noise')", "E_PICTURE_DAMAGED"),
        ("sys.exit(1)", "E_PICTURE_DAMAGED"),
        ("os.kill(os.getpid(), 11)", "E_PICTURE_DAMAGED"),
    ],
)
def test_whatever_the_child_does_ends_in_a_sentence(code: str, error: str) -> None:
    with pytest.raises(InputError) as caught:
        read_picture(png(640, 480), command=child(code))
    assert caught.value.code == error


def test_a_child_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_SECONDS", 0.2)
    with pytest.raises(InputError) as caught:
        read_picture(png(640, 480), command=child("time.sleep(600)"))
    assert caught.value.code == "E_PICTURE_DAMAGED"
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        read_picture(png(640, 480), token, command=child("time.sleep(600)"))


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "can_read_pictures", lambda: False)
    with pytest.raises(UsageError) as caught:
        read_picture(png(640, 480))
    assert caught.value.code == "E_PICTURE_EXTRA"
    assert "--setup-only --pictures" in caught.value.hint
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(UsageError) as caught:
        read_picture(png(640, 480))
    assert "from its source" in caught.value.hint
    assert "pip" not in caught.value.hint


@pytest.mark.skipif(not can_read_pictures(), reason="the extra [pictures] isn't installed")
def test_the_real_reader_finds_no_text_in_an_empty_picture_and_refuses_a_broken_one() -> None:
    blank = zlib.compress(b"".join(b"\0" + b"\xff" * 320 for _ in range(240)))
    for data, code in ((png(320, 240, blank), "E_PICTURE_EMPTY"), (png(320, 240, b"broken"), "E_PICTURE_DAMAGED")):
        with pytest.raises(InputError) as caught:
            read_picture(data)
        assert caught.value.code == code
