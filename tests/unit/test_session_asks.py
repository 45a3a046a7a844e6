"""What a verdict is asked for: by the call, else as set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.session.session import Session


@pytest.mark.parametrize(
    ("everything", "ask", "found"),
    [(False, None, "plan"), (True, None, "all"), (True, "plan", "plan"), (False, "all", "all")],
)
def test_what_is_asked_is_said_by_the_call_or_else_by_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, everything: bool, ask: Any, found: str
) -> None:
    requests = []

    def run(self: Session, kind: Any, request: Any, **_options: Any) -> Iterator[Any]:
        requests.append(request)
        return iter(())

    monkeypatch.setattr(Session, "run", run)
    session = Session(Profile.at(tmp_path), Settings(ask_everything=everything))
    list(session.rate("a joke", ask=ask))
    list(session.duel("one joke", "another joke", ask=ask))
    assert [request.ask for request in requests] == [found, found]
