"""Stop, as llama.cpp understands it."""

from __future__ import annotations

from .base import CancelToken


class Stopper:
    """The link between a call's cancel token and llama.cpp's abort callback, which belongs to the context."""

    def __init__(self) -> None:
        self.token: CancelToken | None = None

    def __call__(self) -> bool:
        return self.token is not None and self.token.cancelled

    def check(self) -> None:
        if self.token is not None:
            self.token.check()
