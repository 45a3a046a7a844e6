"""A cursor over the head of a GGUF file that never reads, allocates or waits without bounds."""

from __future__ import annotations

import re
import stat
import struct
from pathlib import Path
from typing import BinaryIO, NoReturn

from ..errors import ModelError

HEADER_LIMIT = 64 << 20
GET_ANOTHER = "Choose another file, or get a model with `jokejudge models get NAME`."
FETCH_AGAIN = "Fetch the file again: the download or copy was probably cut off."
_MAGIC = b"GGUF"
_CHUNK = 1 << 20
_MAX_ARRAY_STRINGS = 1 << 22
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")


class Opened:
    """Opens a regular file: never a pipe or a device, on which reading could wait for ever."""

    def __init__(self, path: Path) -> None:
        try:
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                raise ModelError("E_MODEL_NOT_GGUF", f"{path} is a folder, not a GGUF model.", "Choose a .gguf file.")
            if not stat.S_ISREG(status.st_mode):
                raise ModelError("E_MODEL_NOT_GGUF", f"{path} is not a regular file.", "Choose a .gguf file.")
            self._stream: BinaryIO = path.open("rb")
        except (FileNotFoundError, NotADirectoryError, ValueError) as error:
            raise ModelError("E_MODEL_MISSING", f"There is no file {path}.", GET_ANOTHER) from error
        except OSError as error:
            raise ModelError(
                "E_MODEL_UNREADABLE",
                f"{path} can't be read: {error.strerror or error}.",
                "Check the file's permissions, or choose another.",
            ) from error
        self._size = status.st_size

    def __enter__(self) -> tuple[BinaryIO, int]:
        return self._stream, self._size

    def __exit__(self, *_: object) -> None:
        self._stream.close()


def check_start(path: Path, start: bytes, size: int) -> None:
    if size == 0:
        raise ModelError("E_MODEL_EMPTY", f"{path} is empty.", FETCH_AGAIN)
    if start[:4] == _MAGIC:
        return
    if start.startswith(b"version https://git-lfs"):
        raise ModelError(
            "E_MODEL_NOT_GGUF", f"{path} is a Git LFS pointer, not the model itself.", "Fetch the file it points to."
        )
    if start.lstrip()[:1] == b"<" and re.match(rb"\s*<(!doctype|html)", start, re.IGNORECASE):
        raise ModelError("E_MODEL_NOT_GGUF", f"{path} is a web page, not a GGUF model.", FETCH_AGAIN)
    if start[:4] in (b"lmgg", b"fmgg", b"tjgg", b"algg"):
        raise ModelError("E_MODEL_NOT_GGUF", f"{path} has the old GGML format.", "Get a GGUF version of the model.")
    what = "is a text file, not a GGUF model" if _looks_like_text(start) else "is not a GGUF model"
    raise ModelError("E_MODEL_NOT_GGUF", f"{path} {what}.", GET_ANOTHER)


def _looks_like_text(start: bytes) -> bool:
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:
            return False
        text = start[: error.start].decode("utf-8")
    return bool(text) and all(c.isprintable() or c in "\r\n\t\f" for c in text)


class Reader:
    """A cursor over the head of a file that reads ahead in blocks and never past its bounds."""

    def __init__(self, path: Path, stream: BinaryIO, size: int) -> None:
        self.path = path
        self.size = size
        self.position = 0
        self.buffer = bytearray()
        self._stream = stream

    def corrupt(self, what: str) -> NoReturn:
        raise ModelError("E_MODEL_CORRUPT", f"{self.path} is damaged: {what}.", FETCH_AGAIN)

    def truncated(self) -> NoReturn:
        raise ModelError("E_MODEL_TRUNCATED", f"{self.path} is cut off: it ends before its content does.", FETCH_AGAIN)

    def need(self, count: int) -> int:
        """Make ``count`` bytes at the cursor readable; returns where they begin and moves the cursor past them."""
        start = self.position
        end = start + count
        if end > self.size:
            self.truncated()
        if end > HEADER_LIMIT:
            self.corrupt("its header is larger than that of any model")
        while len(self.buffer) < end:
            block = self._stream.read(max(_CHUNK, end - len(self.buffer)))
            if not block:
                self.truncated()
            self.buffer += block
        self.position = end
        return start

    def u32(self) -> int:
        return int(_U32.unpack_from(self.buffer, self.need(4))[0])

    def u64(self) -> int:
        return int(_U64.unpack_from(self.buffer, self.need(8))[0])

    def text(self, most: int, what: str) -> str:
        length = self.u64()
        if length > most:
            self.corrupt(f"{what} is {length} bytes long")
        start = self.need(length)
        return self.buffer[start : start + length].decode("utf-8", errors="replace")

    def skip_texts(self, count: int) -> None:
        """Walk over ``count`` strings; written out flat because vocabularies have hundreds of thousands."""
        if count > _MAX_ARRAY_STRINGS:
            self.corrupt(f"a list has {count} texts")
        if count * 8 > self.size - self.position:
            self.truncated()
        position, buffered, unpack = self.position, len(self.buffer), _U64.unpack_from
        for _ in range(count):
            if position + 8 > buffered:
                self.position = position
                self.need(8)
                buffered = len(self.buffer)
            length = unpack(self.buffer, position)[0]
            position += 8 + length
            if position > buffered:
                if length > HEADER_LIMIT:
                    self.corrupt(f"a text is {length} bytes long")
                self.position = position - length
                self.need(length)
                buffered = len(self.buffer)
        self.position = position
