"""A faster copy of a model: whole or not there, named for what it is, and offered only where it gains something."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import Cancelled, JokeJudgeError, ModelError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.engine.gguf import read_gguf
from jokejudge_gui.library import requantise as module
from jokejudge_gui.library.finder import find_models, resolve_model
from jokejudge_gui.library.requantise import copied_from, copy_path, gains, requantise
from tests.gguf_builder import BASICS, U32, gguf, pair, tensor

SLOW = gguf(
    (*BASICS[:2], pair("general.file_type", U32, 3), *BASICS[3:]),
    (tensor("w", (64, 4), 3, 0), tensor("b", (64,), 0, 160)),
    data=416,
)


def child(code: str) -> list[str]:
    """Stands for the child: the temporary file is its last argument."""
    return [sys.executable, "-S", "-c", f"import sys, time; target = sys.argv[-1]\n{code}"]


def writing(content: Path) -> list[str]:
    code = f"open(target, 'wb').write(open({str(content)!r}, 'rb').read())"
    return child(f"{code}\nprint('jokejudge-probe:{{\"facts\": {{}}}}')")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "Tiny-Q4_1.gguf"
    path.write_bytes(SLOW)
    return path


@pytest.fixture
def result(tmp_path: Path) -> Path:
    path = tmp_path / "result"
    path.write_bytes(gguf())
    return path


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The copies that were tried; trying finds them sound."""
    paths: list[Path] = []
    monkeypatch.setattr(module, "probe", lambda path, _profile, _token: paths.append(path))
    return paths


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_copy_is_made_tried_found_and_named_for_what_it_is(
    source: Path, result: Path, profile: Profile, tried: list[Path]
) -> None:
    steps = list(requantise(source, profile, command=writing(result)))
    target = profile.models / "Tiny.Q8_0-from-Q4_1.gguf"
    assert target == copy_path(source, "Q4_1", profile)
    assert left(profile.models) == [target.name]
    assert target.read_bytes() == gguf()
    assert (tried, steps[-1].note) == ([target], "done")
    assert source.read_bytes() == SLOW
    (found,) = find_models(profile)
    assert (found.label, found.origin) == ("Tiny.Q8_0-from-Q4_1", "JokeJudge")
    assert resolve_model(str(target), profile).name == "Tiny (Q8_0 from Q4_1)"
    assert copied_from(source) is None


@pytest.mark.parametrize(
    ("file_type", "tensor_type", "gain"), [(3, 3, True), (1, 1, True), (7, 8, False), (2, 2, False)]
)
def test_only_what_gains_from_it_is_copied(
    tmp_path: Path, profile: Profile, file_type: int, tensor_type: int, gain: bool
) -> None:
    path = tmp_path / "model.gguf"
    pairs = (*BASICS[:2], pair("general.file_type", U32, file_type), *BASICS[3:])
    path.write_bytes(gguf(pairs, (tensor("w", (64, 4), tensor_type, 0),), data=512))
    assert gains(read_gguf(path)) is gain
    if not gain:
        with pytest.raises(ModelError) as caught:
            list(requantise(path, profile, command=child("")))
        assert caught.value.code == "E_MODEL_NO_GAIN"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("open(target, 'wb').write(b'half'); sys.exit(3)", "E_MODEL_CRASH"),
        ("open(target, 'wb').write(b'GGUFxx'); print('jokejudge-probe:{\"facts\": {}}')", "E_MODEL_TRUNCATED"),
        ("print('jokejudge-probe:{\"error\": [\"E_MODEL_QUANTIZE\", \"No.\", \"Hint.\"]}'); sys.exit(1)",
         "E_MODEL_QUANTIZE"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "E_MODEL_MEMORY"),
    ],
)  # fmt: skip
def test_a_child_that_fails_leaves_nothing(source: Path, profile: Profile, code: str, error: str) -> None:
    with pytest.raises(JokeJudgeError) as caught:
        list(requantise(source, profile, command=child(code)))
    assert caught.value.code == error
    assert left(profile.models) == []


def test_stop_kills_the_child_and_leaves_nothing(source: Path, profile: Profile, tried: list[Path]) -> None:
    token = CancelToken()
    steps = requantise(source, profile, token, command=child("open(target, 'wb').write(bytes(100)); time.sleep(60)"))
    while next(steps).done_bytes < 100:
        pass
    token.cancel()
    with pytest.raises(Cancelled):
        list(steps)
    assert (left(profile.models), tried) == ([], [])
