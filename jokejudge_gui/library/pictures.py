"""The text in a picture (a meme, a captioned cartoon).

A file's first bytes are checked; then a child process with limited time, memory and pixels decodes and reads it, by
rapidocr, an optional extra (``[pictures]``) that includes its model. ``python -m jokejudge_gui.library.pictures`` is
the child; a bundle runs ``jokejudge --read-picture`` instead.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import resource
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.errors import InputError, UsageError
from ..core.paths import how_to_add, is_package
from ..core.tables import read_bytes
from ..engine.base import CancelToken
from .probe import answer_in, ran

MOST_BYTES = 20 << 20
MOST_PIXELS = 40_000_000
_BEGINS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM")
_SECONDS, _MEMORY = 120, 6 << 30
_LEAST_SURE = 0.5
_LEAST_LETTERS = 2
"""Fewest letters or digits of a line: a circle is often read as an O."""
_GAP = 0.9
"""Gap between two lines, in line heights, above which they are separate texts (a meme's top and bottom)."""
_ANSWER = "jokejudge-picture:"
UNSEEN = "Only the text in the picture is judged; the picture itself isn't seen."
"""The note wherever such a text is judged."""
_TYPES = "Give a PNG, JPEG, WebP or BMP picture."


def can_read_pictures() -> bool:
    """Whether the extra is installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("rapidocr", "onnxruntime", "cv2"))


def read_picture(
    source: Path | bytes, cancel: CancelToken | None = None, *, command: Sequence[str] | None = None
) -> str:
    """Read the text in a picture, given as a file or its content; lines that belong together become one. Raises
    ``InputError``: ``E_PICTURE_TYPE``,
    ``E_PICTURE_SIZE`` and ``E_PICTURE_DAMAGED`` for a rejected file, ``E_PICTURE_EMPTY`` if no text is found, and the
    errors of reading a file; ``UsageError`` ``E_PICTURE_EXTRA`` if the extra isn't installed; ``Cancelled``."""
    data = source if isinstance(source, bytes) else read_bytes(str(source), MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise InputError("E_PICTURE_SIZE", f"The picture has more than {MOST_BYTES >> 20} MB.", "Give a smaller copy.")
    if not data.startswith(_BEGINS) and (data[:4], data[8:12]) != (b"RIFF", b"WEBP"):
        raise InputError("E_PICTURE_TYPE", "This isn't a picture of a known type.", _TYPES)
    if command is None and not can_read_pictures():
        sentence = "Reading the text in pictures needs rapidocr, which isn't installed."
        raise UsageError("E_PICTURE_EXTRA", sentence, f"Type the text. {how_to_add('pictures')}")
    own = [sys.executable, *(["--read-picture"] if is_package() else ["-m", "jokejudge_gui.library.pictures"])]
    text, before = "", -math.inf
    for words, sure, (_, top, _, bottom) in _read(data, cancel or CancelToken(), command or own):
        if sure >= _LEAST_SURE and sum(map(str.isalnum, words)) >= _LEAST_LETTERS:
            apart = "\n" if top - before > _GAP * max(bottom - top, 1.0) else " "
            text += f"{apart if text else ''}{' '.join(words.split())}"
            before = max(before, bottom)
    if sum(map(str.isalpha, text)) <= _LEAST_LETTERS:
        raise InputError("E_PICTURE_EMPTY", "No text was found in the picture.", "Type it, if there is one.")
    return text


def _damaged(why: str) -> InputError:
    return InputError("E_PICTURE_DAMAGED", f"The picture can't be read: {why}.", _TYPES)


_READER = {
    "Global.log_level": "critical",
    "Global.use_cls": False,  # detection of upside-down lines: one more model to load
    "Det.limit_type": "max",  # by default small pictures are enlarged and large ones aren't reduced
    "Det.limit_side_len": 960,
}
"""Settings that make rapidocr faster and give the same words."""


def _read(data: bytes, cancel: CancelToken, command: Sequence[str]) -> list[Any]:
    root = str(Path(__file__).resolve().parents[2])
    try:
        status, output, _ = ran(command, cancel, _SECONDS, given=data, cwd=root)
    except TimeoutError:
        raise _damaged(f"it took longer than {_SECONDS} seconds") from None
    answer = answer_in(output, _ANSWER)
    if status == 0 and isinstance(answer, list):
        return answer
    most = f"more than {MOST_PIXELS / 1e6:.0f} megapixels, or no whole picture"
    raise _damaged(f"its decoder refused it ({most})" if status == 1 else "its decoder stopped")


def run_child() -> int:
    """Run the child: a picture on standard input, its lines on standard output. Exit status 1: rejected."""
    _bound()
    os.environ["OPENCV_IO_MAX_IMAGE_PIXELS"] = str(MOST_PIXELS)  # read when the library is loaded
    import cv2
    import numpy as np
    from rapidocr import RapidOCR

    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        picture = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return 1
    if picture is None:
        return 1
    result = RapidOCR(params=_READER)(picture)
    boxes = [] if result.boxes is None else [[*box.min(axis=0), *box.max(axis=0)] for box in np.asarray(result.boxes)]
    rows = zip(result.txts or (), result.scores or (), boxes, strict=True)
    lines = [(text, float(sure), [float(at) for at in box]) for text, sure, box in rows]
    lines.sort(key=lambda line: line[2][1])
    print(_ANSWER + json.dumps(lines), flush=True)
    return 0


def _bound() -> None:
    """Limit time and memory to those of a picture, and disable the network: rapidocr would download missing files."""
    import socket

    def refused(*_: object) -> None:
        raise OSError("nothing is fetched")

    socket.socket.connect = refused  # type: ignore[method-assign]
    socket.getaddrinfo = refused  # type: ignore[assignment]
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    sys.exit(run_child())
