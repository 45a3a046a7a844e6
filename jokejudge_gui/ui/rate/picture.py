"""Pictures that are dropped or pasted into the joke's field: their text is inserted there for correction."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData
from PySide6.QtGui import QImage

from ...core.errors import Cancelled
from ...engine.base import CancelToken
from ...library.pictures import UNSEEN, read_picture

_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
READING = "Reading the text in the picture…"
CHECK = f"{UNSEEN} Check its words; say as the topic or scene what the picture shows."


def picture_of(data: QMimeData) -> Path | bytes | None:
    """Return the dropped or pasted picture: the path of one file, or the bytes of a copied picture's file; None without
    one, or with text beside it, which is used instead."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    if len(paths) == 1 and paths[0].lower().endswith(_SUFFIXES):
        return Path(paths[0])
    if data.hasText() or data.hasHtml() or data.hasUrls() or not data.hasImage():
        return None
    image, buffer = QImage(data.imageData()), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return bytes(buffer.data().data()) if not image.isNull() and image.save(buffer, "PNG") else None


def text_of(source: Path | bytes, token: CancelToken) -> str:
    """Return a picture's text; empty if reading it was cancelled."""
    try:
        return read_picture(source, token)
    except Cancelled:
        return ""
