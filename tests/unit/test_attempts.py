"""A model that ended the program isn't loaded again by itself, until a person chooses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.probe import attempt, ended_the_program, forgive

ENDS = "import os, sys; from pathlib import Path; from jokejudge_gui.library.probe import attempt; "
ENDS += "from jokejudge_gui.core.paths import Profile\n"
ENDS += "with attempt(Path(sys.argv[1]), Profile.at(Path(sys.argv[2]))): os._exit(9)"


def test_a_loading_that_ends_in_any_way_leaves_no_mark(tmp_path: Path, profile: Profile) -> None:
    model = tmp_path / "m.gguf"
    with attempt(model, profile):
        assert not ended_the_program(model, profile)
    with pytest.raises(ValueError, match="x"), attempt(model, profile):
        raise ValueError("x")
    assert not ended_the_program(model, profile)


def test_a_process_that_is_gone_leaves_its_mark_until_a_person_chooses_the_model(
    tmp_path: Path, profile: Profile
) -> None:
    model = tmp_path / "m.gguf"
    subprocess.run([sys.executable, "-c", ENDS, str(model), str(profile.data)], check=False, timeout=120)
    assert ended_the_program(model, profile)
    assert not ended_the_program(tmp_path / "other.gguf", profile)
    forgive(model, profile)
    assert not ended_the_program(model, profile)
