"""What live tests share: the saved states of constant prompts. They change no bit of a verdict (``test_verdicts`` says
so), and a profile that has none pays seconds for them before its first verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.session.session import Session

NewProfile = Callable[[str], Profile]


@pytest.fixture(scope="session")
def new_profile(tmp_path_factory: pytest.TempPathFactory) -> NewProfile:
    """Makes throw-away profiles that share their saved states, between the processes of one run as well."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "states"
    shared.mkdir(mode=0o700, exist_ok=True)

    def made(name: str) -> Profile:
        profile = Profile.at(tmp_path_factory.mktemp(name))
        profile.states.parent.mkdir(parents=True)
        profile.states.symlink_to(shared)
        return profile

    return made


@pytest.fixture(scope="module")
def engine(embedded_model: Path) -> Iterator[LlamaEngine]:
    """The embedded model."""
    engine = load_engine(embedded_model, sha256=EMBEDDED_SHA256, threads=1)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def session(embedded_model: Path, new_profile: NewProfile) -> Iterator[Session]:
    """A session of the embedded model."""
    session = Session(new_profile("session"), Settings(model=str(embedded_model), threads=1))
    list(session.load())
    yield session
    session.close()
