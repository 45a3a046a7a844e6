"""The real pipeline over the fake engine, with a calibration that says nothing new."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.session.session import Session
from tests.fake_engine import Bias, FakeEngine
from tests.known_calibration import MakeSession, known


@pytest.fixture
def make_session(profile: Profile) -> Iterator[MakeSession]:
    """Builds sessions over fake engines; ``calibrated`` puts a known calibration into the profile first."""
    sessions: list[Session] = []

    def make(bias: Bias | None = None, *, calibrated: bool = True, **engine: object) -> Session:
        fake = FakeEngine(bias, **engine)  # type: ignore[arg-type]
        files = MeasuredFiles(Path("nowhere"), profile.models)
        if calibrated:
            files.save_calibration(known(MainJudge(fake, files)))
        session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: fake)
        sessions.append(session)
        return session

    yield make
    for session in sessions:
        session.close()


@pytest.fixture
def session(make_session: MakeSession) -> Session:
    return make_session()
