"""A small model to fetch, and how it is asked for."""

from __future__ import annotations

import hashlib
import io
import urllib.request
from collections.abc import Callable
from email.message import Message
from typing import Any

import pytest

from jokejudge_gui.core.errors import FetchError
from jokejudge_gui.core.events import StageProgress
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.catalogue import CatalogueEntry
from jokejudge_gui.library.fetch import get
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

    def read1(self, size: int, /) -> bytes:
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
) -> list[StageProgress]:
    options.setdefault("free_space", lambda _folder: PLENTY)
    return list(get(what or model(), profile, opener=opener or Server(), **options))


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(FetchError) as caught:
        call()
    assert caught.value.hint
    return caught.value.code


def left_over(profile: Profile) -> list[str]:
    return sorted(p.name for p in profile.models.iterdir()) if profile.models.exists() else []
