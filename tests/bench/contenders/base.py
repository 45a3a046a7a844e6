"""A contender: an object that can be asked the questions of a verdict."""

from __future__ import annotations

from typing import Protocol

from ..questions import Job


class Unavailable(Exception):
    """This contender isn't available here; the message gives the reason."""


class Contender(Protocol):
    name: str

    def seconds(self, job: Job) -> tuple[float, int]:
        """Seconds for all questions of ``job``, and the number of those that were asked (the others by scaling)."""
        ...

    def close(self) -> None: ...
