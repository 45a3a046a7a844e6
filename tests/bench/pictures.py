"""The reader of pictures on pictures drawn here: python -m tests.bench.pictures [--keep FOLDER].

Ten memes with known words (top and bottom lines, captioned cartoons, screenshots of a chat; PNG and JPEG), ten pictures
without text, three hostile ones. Needs the extra ``[pictures]``. Prints the words that were read, findings in pictures
without text, messages about hostile ones, and the seconds and processor seconds of each. Asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import struct
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QGuiApplication, QImage, QLinearGradient, QPainter, QPainterPath, QPen

from jokejudge_gui.core.errors import JokeJudgeError
from jokejudge_gui.library.pictures import read_picture
from jokejudge_gui.ui.look.theme import load_fonts

MEMES = (
    ("one does not simply", "walk into mordor"),
    ("brace yourselves", "the puns are coming"),
    ("i don't always test my code", "but when i do, i do it in production"),
    ("", "I asked for the manager. They gave me the manual."),
    ("told my doctor i broke my arm in two places", "he told me to stop going to those places"),
    ("what if i told you", "the long face is just how horses look"),
    ("", "We wanted a dog, but the landlord said he allows only fish."),
    ("y u no", "laugh"),
    ("me: I'll sleep early tonight", "also me at 3 am: how do magnets work"),
    ("not sure if funny", "or just loud"),
)


def background(image: QImage, seed: int, painter: QPainter) -> None:
    """Sky, hills, discs and noise."""
    draw = random.Random(seed)
    sky = QLinearGradient(0, 0, 0, image.height())
    for at in (0.0, 0.5, 1.0):
        sky.setColorAt(at, QColor.fromHsv(draw.randrange(360), draw.randrange(40, 200), draw.randrange(60, 230)))
    painter.fillRect(image.rect(), QBrush(sky))
    for _ in range(draw.randrange(12, 40)):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor.fromHsv(draw.randrange(360), draw.randrange(30, 160), draw.randrange(40, 250), 150))
        size = draw.randrange(10, 160)
        shape = QRectF(draw.randrange(image.width()), draw.randrange(image.height()), size, size * draw.uniform(0.3, 2))
        draw.choice((painter.drawEllipse, painter.drawRect))(shape)
    for _ in range(3000):
        painter.setPen(QColor(draw.randrange(256), draw.randrange(256), draw.randrange(256), 60))
        painter.drawPoint(draw.randrange(image.width()), draw.randrange(image.height()))


def meme(number: int) -> QImage:
    top, bottom = MEMES[number]
    image = QImage(*((640, 480), (800, 800), (1280, 720), (480, 640))[number % 4], QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if not top:  # a cartoon with its caption under it
        image.fill(Qt.GlobalColor.white)
        picture = QImage(image.width(), image.height() - 110, QImage.Format.Format_RGB32)
        inner = QPainter(picture)
        background(picture, number, inner)
        inner.end()
        painter.drawImage(0, 0, picture)
        painter.setFont(QFont("Inter", pointSize := image.width() // 36))
        painter.setPen(Qt.GlobalColor.black)
        box = QRectF(20, image.height() - 105, image.width() - 40, 100)
        painter.drawText(
            box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, f"“{bottom}”" if pointSize else ""
        )
    else:
        background(image, number, painter)
        for text, low in ((top.upper(), False), (bottom.upper(), True)):
            _outlined(painter, image, text, low)
    painter.end()
    return image


def _outlined(painter: QPainter, image: QImage, text: str, low: bool) -> None:
    """White letters with a black outline, broken into lines that fit."""
    font = QFont("Inter", weight=QFont.Weight.Black)
    font.setPixelSize(max(26, image.width() // 14))
    rows: list[str] = []
    for word in text.split():
        if rows and len(rows[-1]) + len(word) < 22:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    height = font.pixelSize() * 1.25
    at = image.height() - 20 - height * (len(rows) - 1) if low else height
    for row in rows:
        path = QPainterPath()
        path.addText(QPointF(0, at), font, row)
        path.translate((image.width() - path.boundingRect().width()) / 2, 0)
        painter.strokePath(path, QPen(Qt.GlobalColor.black, font.pixelSize() / 7))
        painter.fillPath(path, QBrush(Qt.GlobalColor.white))
        at += height


def empty(number: int) -> QImage:
    image = QImage(640, 480, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    if number:
        background(image, 100 + number, painter)
    painter.end()
    return image


def png_of(width: int, height: int, body: bytes) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


HOSTILE: dict[str, Callable[[], bytes]] = {
    "a bomb of 2³¹ pixels a side": lambda: png_of(2**31 - 1, 2**31 - 1, zlib.compress(bytes(1 << 20))),
    "100 megapixels": lambda: png_of(10_000, 10_000, zlib.compress(bytes(1 << 22))),
    "a program named .png": lambda: b"\x7fELF" + os.urandom(4000),
}


def words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower().replace("’", "'"))


def timed(source: Path) -> tuple[str, float, float]:
    """The text or the message, and the seconds: by the clock, and of the processor."""
    began, before = time.monotonic(), os.times()
    try:
        said = read_picture(source).text
    except JokeJudgeError as error:
        said = f"{error.code}: {error.sentence}"
    now = os.times()
    spent = now.children_user + now.children_system - before.children_user - before.children_system
    return said, time.monotonic() - began, spent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pictures", description=__doc__)
    parser.add_argument("--keep", type=Path, help="leave the pictures in this folder")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication([])
    load_fonts()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        folder.mkdir(exist_ok=True)
        right = total = found = refused = 0
        clock, processor = [], []
        for number, (top, bottom) in enumerate(MEMES):
            path = folder / f"meme{number}.{'png' if number % 2 else 'jpg'}"
            meme(number).save(str(path), quality=60 if number % 2 == 0 else -1)
            said, seconds, spent = timed(path)
            wanted, read = words(f"{top} {bottom}"), words(said)
            right, total = right + sum(word in read for word in wanted), total + len(wanted)
            clock.append(seconds)
            processor.append(spent)
            more = "" if wanted == read else f"; wanted {top!r}, {bottom!r}"
            print(f"{path.name}: {said!r} in {seconds:.1f} s, {spent:.1f} s of processor{more}", flush=True)
        for number in range(10):
            path = folder / f"empty{number}.png"
            empty(number).save(str(path))
            said, seconds, _ = timed(path)
            found += not said.startswith("E_PICTURE_EMPTY")
            print(f"{path.name}: {said} in {seconds:.1f} s", flush=True)
        for name, data in HOSTILE.items():
            path = folder / "hostile.png"
            path.write_bytes(data())
            said, seconds, _ = timed(path)
            refused += said.startswith("E_PICTURE")
            print(f"{name}: {said} in {seconds:.2f} s", flush=True)
    del application
    print(f"{right} of {total} words of {len(MEMES)} memes read; text claimed in {found} of 10 pictures without any; "
          f"{refused} of {len(HOSTILE)} hostile ones refused")  # fmt: skip
    mean = [sum(values) / len(values) for values in (clock, processor)]
    print(f"{mean[0]:.1f} s a meme, {mean[1]:.1f} s of processor; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
