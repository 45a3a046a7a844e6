"""How events end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jokejudge_gui.core.events import Event, Finished


def finished(events: Iterable[Event]) -> Any:
    """The result with which they finish, and not otherwise."""
    *_, last = events
    assert isinstance(last, Finished), last
    return last.result
