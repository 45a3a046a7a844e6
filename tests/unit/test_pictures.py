"""The text in a picture: what is refused before anything is decoded, the child that decodes, and what is read."""

from __future__ import annotations

import struct
import sys
import zlib

import pytest

from jokejudge_gui.core.errors import Cancelled, InputError, UsageError
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library import pictures
from jokejudge_gui.library.pictures import MOST_BYTES, can_read_pictures, checked_size, read_picture


def png(width: int, height: int, body: bytes = b"") -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def jpeg(width: int, height: int, scans: int = 1) -> bytes:
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    start = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xfe\x00\x05abc"
    return start + frame + b"\xff\xda\x00\x02" * scans + b"\xff\xd9"


def bmp(width: int, height: int) -> bytes:
    return b"BM" + bytes(12) + struct.pack("<Iii", 40, width, height) + bytes(40)


def webp(kind: bytes, rest: bytes) -> bytes:
    return b"RIFF\x00\x00\x00\x00WEBP" + kind + bytes(4) + rest


SIZED: list[tuple[str, bytes]] = [
    ("png", png(640, 480)),
    ("jpeg", jpeg(640, 480)),
    ("bmp", bmp(640, 480)),
    ("bmp from the top", bmp(640, -480)),
    ("webp extended", webp(b"VP8X", bytes(4) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little"))),
    ("webp lossless", webp(b"VP8L", b"\x2f" + (639 | 479 << 14).to_bytes(4, "little"))),
    ("webp lossy", webp(b"VP8 ", bytes(6) + struct.pack("<HH", 640, 480))),
]


@pytest.mark.parametrize(("kind", "data"), SIZED, ids=[kind for kind, _ in SIZED])
def test_the_size_is_read_off_the_header_of_every_type(kind: str, data: bytes) -> None:
    assert checked_size(data) == (640, 480), kind


REFUSED: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "E_PICTURE_TYPE"),
    ("a text", b"A horse walks into a bar.", "E_PICTURE_TYPE"),
    ("a program", b"\x7fELF" + bytes(100), "E_PICTURE_TYPE"),
    ("an SVG", b"<svg xmlns='x'><script>alert(1)</script></svg>", "E_PICTURE_TYPE"),
    ("a GIF", b"GIF89a" + bytes(20), "E_PICTURE_TYPE"),
    ("a PNG's beginning", png(640, 480)[:18], "E_PICTURE_DAMAGED"),
    ("a PNG without header", b"\x89PNG\r\n\x1a\n" + bytes(40), "E_PICTURE_DAMAGED"),
    ("a JPEG's beginning", jpeg(640, 480)[:8], "E_PICTURE_DAMAGED"),
    ("a JPEG without frame", b"\xff\xd8\xff\xda\x00\x02" + bytes(40), "E_PICTURE_DAMAGED"),
    ("a JPEG of a thousand scans", jpeg(640, 480, scans=1000), "E_PICTURE_DAMAGED"),
    ("a WebP of no kind", webp(b"ABCD", bytes(40)), "E_PICTURE_DAMAGED"),
    ("no pixels", png(0, 100), "E_PICTURE_DAMAGED"),
    ("a thread", png(4, 4000), "E_PICTURE_DAMAGED"),
    ("100 megapixels", png(10_000, 10_000), "E_PICTURE_SIZE"),
    ("a bomb", png(2**31 - 1, 2**31 - 1, zlib.compress(bytes(1 << 20))), "E_PICTURE_SIZE"),
    ("a long one", jpeg(65_000, 500), "E_PICTURE_SIZE"),
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
    assert found.text == "ONE DOES NOT SIMPLY\nWALK INTO MORDOR"
    assert (found.sure, found.width, found.height) == (0.9, 640, 480)


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
