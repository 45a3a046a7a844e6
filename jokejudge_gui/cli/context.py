"""What every command gets."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..core.config import Settings
from ..core.paths import Profile
from ..core.tables import MOST_TEXT, decode, read_bytes
from .console import Console

if TYPE_CHECKING:
    from ..session.session import Session


SessionFactory: TypeAlias = "Callable[[Profile, Settings], Session]"


@dataclass(frozen=True)
class Context:
    """One call of the program. ``settings``: the user's own with this call's options on top; never saved."""

    args: argparse.Namespace
    console: Console
    profile: Profile
    settings: Settings
    open_session: SessionFactory

    def told(self, command: str) -> str:
        """A command for a hint, with this call's models."""
        return " ".join([command, *(f"--model {shlex.quote(model)}" for model in self.args.models or ())])

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session that is closed at the end. Raises ``HistoryError`` when the history can't be opened."""
        session = self.open_session(self.profile, self.settings)
        try:
            yield session
        finally:
            session.close()


# --------------------------------------------------------------------------------------------------------------------
# Texts from a file or from standard input.


def read_text(source: str) -> str:
    """A joke from a file or from standard input, without the line end that editors and ``echo`` add."""
    return decode(read_bytes(source, MOST_TEXT), source).removesuffix("\n").removesuffix("\r")
