"""Promises of the repository's own files: locks, layout, licence."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ["requirements.lock", "prebuilt.lock", "compiled.lock", "build.lock", "cluster.lock", "pictures.lock"]


def requirements(lock: str) -> dict[str, str]:
    """Name -> whole entry of every requirement in a lock (the last one where markers divide it)."""
    entries = re.split(r"\n(?=\S)", (ROOT / "packaging" / lock).read_text("utf-8").strip())
    return {entry.partition("==")[0]: entry for entry in entries if not entry.startswith("#")}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_is_pinned_and_hashed(lock: str) -> None:
    for entry in requirements(lock).values():
        assert re.match(r"[a-z0-9-]+==[^ ]+", entry), entry
        assert "--hash=sha256:" in entry, entry


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_address_and_no_folder(lock: str) -> None:
    text = (ROOT / "packaging" / lock).read_text("utf-8")
    assert "://" not in text
    assert "index-url" not in text
    assert not re.search(r"(^|\s)/", text)


def test_the_lock_covers_what_pyproject_asks_for_and_not_what_the_model_wheel_drags_in() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    names = {re.split(r"[<>=!~ \[;]", requirement)[0].lower() for requirement in wanted}
    locked = requirements("requirements.lock") | requirements("prebuilt.lock")
    assert names <= set(locked)
    assert not {"llm", "openai"} & set(locked)


def test_packaging_is_no_package_that_would_hide_the_library_of_that_name() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_ci_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_wheel_holds_all_that_ships_of_the_models_and_none_of_the_training_scripts() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    inside = {path.name for path in (ROOT / "models").iterdir() if path.name != "__pycache__"}
    assert {source for source in included if source.startswith("models")} == {
        f"models/{name}" for name in inside - {"training"}
    }
    assert all(target == f"jokejudge_gui/_data/{source}" for source, target in included.items())
