"""Reads jokes with the audience head, each of them once."""

from __future__ import annotations

from collections import OrderedDict

from ...engine.base import CancelToken, Engine
from .audience import AudienceHead, Features

_REMEMBERED = 2000
"""Texts of which the features are kept: a few hundred bytes each, and the text itself."""


class Listener:
    """A head with the engine that it was fitted on. A joke that was rated before, or stands in many duels, isn't read
    again: a text is read alone, so its features depend on nothing else and are the same to the last bit."""

    def __init__(self, head: AudienceHead, engine: Engine) -> None:
        self.head = head
        self._engine = engine
        self._known: OrderedDict[str, Features] = OrderedDict()

    def read(self, text: str, cancel: CancelToken | None = None) -> Features:
        """What the head reads in ``text``. Raises what ``AudienceHead.read`` raises."""
        found = self._known.get(text)
        if found is None:
            found = self.head.read(self._engine, text, cancel)
            if len(self._known) >= _REMEMBERED:
                self._known.popitem(last=False)
            self._known[text] = found
        else:
            self._known.move_to_end(text)
        return found
