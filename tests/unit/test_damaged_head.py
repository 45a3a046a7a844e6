"""A head that is damaged costs its own figure, not the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.config import Settings
from jokejudge_gui.engine.fake_engine import FakeEngine
from jokejudge_gui.events import Finished
from jokejudge_gui.paths import Profile
from jokejudge_gui.session import Session


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"[" * 50_000])
def test_verdicts_go_on_without_a_damaged_head_and_say_so(tmp_path: Path, content: bytes) -> None:
    profile = Profile.at(tmp_path)
    engine = FakeEngine()
    head = profile.heads / f"{engine.info.sha256[:16]}.npz"
    head.parent.mkdir(parents=True)
    head.write_bytes(content)
    session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine)
    try:
        for events in (session.rate("A horse walks into a bar.", force=True), session.duel("One joke.", "Another.")):
            *_, last = events
            assert isinstance(last, Finished)
            assert last.result is not None
            assert last.result.audience is None
            assert any(head.name in warning and "damaged" in warning for warning in last.result.warnings)
    finally:
        session.close()
