"""What a contender is: something that can be asked the questions of a verdict."""

from __future__ import annotations

from typing import Protocol

from ..questions import Job


class Unavailable(Exception):
    """This contender can't be had here; the words say why."""


class Contender(Protocol):
    name: str

    def seconds(self, job: Job) -> tuple[float, int]:
        """Seconds for all questions of ``job``, and how many of them were asked (the others by scaling)."""
        ...

    def close(self) -> None: ...
