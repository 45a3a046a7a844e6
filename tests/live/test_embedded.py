"""The embedded model, really converted from the installed wheel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.gguf import read_gguf
from jokejudge_gui.library.catalogue import load_catalogue
from jokejudge_gui.library.embedded import EMBEDDED_SHA256, EMBEDDED_SIZE, embedded_path, find_wheel_model
from jokejudge_gui.library.finder import resolve_model


def test_the_wheel_is_installed_and_is_the_one_of_the_catalogue() -> None:
    wheel = find_wheel_model()
    entry = load_catalogue().get("smollm2-135m")
    assert wheel.stat().st_size == entry.size
    assert sha256_of(wheel) == entry.sha256[0]
    assert read_gguf(wheel).slow_kernels


def test_the_command_prepares_the_same_file_to_the_bit(profile: Profile) -> None:
    command = [sys.executable, "-m", "jokejudge_gui.library.embedded", "--data-dir", str(profile.data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    path = embedded_path(profile)
    assert path.stat().st_size == EMBEDDED_SIZE
    assert sha256_of(path) == EMBEDDED_SHA256
    again = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert again.stderr.splitlines() == [f"The embedded model is ready: {path}"]


def test_the_prepared_model_is_what_no_name_means(embedded_model: Path) -> None:
    facts = read_gguf(embedded_model)
    assert (facts.quantisation, facts.slow_kernels) == ("Q8_0", False)
    profile = Profile(embedded_model.parent.parent, embedded_model.parent.parent, embedded_model.parent.parent)
    resolved = resolve_model(None, profile)
    assert (resolved.path, resolved.sha256) == (embedded_model, EMBEDDED_SHA256)
    assert resolve_model("smollm2-135m", profile) == resolved
