"""Pictures that are dropped or pasted into the joke's field: their text is inserted there for correction."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData, QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPlainTextEdit

from ...core.errors import Cancelled, JokeJudgeError
from ...engine.base import CancelToken
from ...library.pictures import UNSEEN, PictureText, read_picture
from ..judge_worker import JudgeWorker

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
READING = "Reading the text in the picture…"
CHECK = f"{UNSEEN} Check its words; say as the topic or scene what the picture shows."


def picture_of(data: QMimeData) -> Path | bytes | None:
    """Return the dropped or pasted picture: the path of one file, or the bytes of a copied picture's file; None without
    one, or with text beside it, which is used instead."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    if len(paths) == 1 and paths[0].lower().endswith(SUFFIXES):
        return Path(paths[0])
    if data.hasText() or data.hasHtml() or data.hasUrls() or not data.hasImage():
        return None
    if data.hasFormat("image/png"):
        return bytes(data.data("image/png").data())
    image, buffer = QImage(data.imageData()), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return bytes(buffer.data().data()) if not image.isNull() and image.save(buffer, "PNG") else None


class PictureReader(QObject):
    """Reads pictures for an editor in a side thread, one at a time, and inserts their text at the cursor as one
    undoable step. ``notice`` carries a sentence, ``trouble`` an error."""

    notice = Signal(str)
    trouble = Signal(object)

    def __init__(self, editor: QPlainTextEdit, worker: JudgeWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor, self._worker = editor, worker
        self._token: CancelToken | None = None

    def read(self, source: Path | bytes) -> None:
        """Read this picture, and cancel one that is being read."""
        if self._editor.isReadOnly():
            return
        self.leave()
        token = self._token = CancelToken()
        self.notice.emit(READING)
        self._worker.call(
            "picture", partial(_read, source, token), partial(self._insert, token), partial(self._failed, token)
        )

    def leave(self) -> None:
        """Cancel the reading."""
        if self._token is not None:
            self._token.cancel()
            self._token = None

    def _insert(self, token: CancelToken, read: PictureText | None) -> None:
        if token is self._token and read is not None and not self._editor.isReadOnly():
            self._token = None
            self._editor.insertPlainText(read.text)
            self._editor.setFocus()
            self.notice.emit(CHECK)

    def _failed(self, token: CancelToken, error: JokeJudgeError) -> None:
        if token is self._token:
            self._token = None
            self.trouble.emit(error)


def _read(source: Path | bytes, token: CancelToken) -> PictureText | None:
    try:
        return read_picture(source, token)
    except Cancelled:
        return None
