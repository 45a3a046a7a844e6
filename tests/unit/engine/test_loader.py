"""A GPU that can't take a model leaves it to the CPU, and what it said is told. llama.cpp is played by the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import Cancelled, ModelError
from jokejudge_gui.engine import loader
from jokejudge_gui.engine.base import CancelToken, EngineInfo
from tests.gguf_builder import BASICS, U32, gguf, pair, tensor

SLOW = gguf((*BASICS[:2], pair("general.file_type", U32, 3), *BASICS[3:]), (tensor("w", (64, 4), 3, 0),), data=512)


class Native:
    """What was opened and closed. ``refuses``: at which of its steps the GPU gives up."""

    def __init__(self, refuses: str = "", gpu: bool = True, cpu: bool = True) -> None:
        self.refuses, self.gpu, self.cpu = refuses, gpu, cpu
        self.live = 0
        self.loads: list[int] = []
        self.threads: list[tuple[int, int]] = []


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.gguf"
    path.write_bytes(SLOW)
    return path


def play(native: Native, monkeypatch: pytest.MonkeyPatch) -> None:
    class Part:
        def __init__(self) -> None:
            native.live += 1

        def close(self) -> None:
            native.live -= 1

    class Model(Part):
        trained_context, embedding_size, sliding_window = 2048, 8, 0
        hybrid = recurrent = adds_bos = False

        def __init__(self, _path: str, *, gpu_layers: int = 0, progress: Any = None) -> None:
            native.loads.append(gpu_layers)
            if not progress(0.5) or (gpu_layers and native.refuses == "model") or (not gpu_layers and not native.cpu):
                raise ModelError("E_MODEL_LOAD", "out of VRAM.", "Choose another.")
            self.gpu_layers = gpu_layers
            super().__init__()

        def chat_template(self) -> None:
            return None

    class Context(Part):
        batch = 512

        def __init__(self, model: Model, *, context: int, threads: int, batch_threads: int, **_more: int) -> None:
            native.threads.append((batch_threads, threads))
            if model.gpu_layers and native.refuses == "context":
                raise ModelError("E_MODEL_MEMORY", "There isn't enough memory for this model's context.", "Smaller.")
            self.size = context
            super().__init__()

        def watch(self, _flag: object) -> None: ...

        def clear(self) -> None: ...

    monkeypatch.setattr(loader.binding, "NativeModel", Model)
    monkeypatch.setattr(loader.binding, "NativeContext", Context)
    monkeypatch.setattr(loader.binding, "can_offload", lambda: native.gpu)


def info_of(model: Path, native: Native, **options: Any) -> EngineInfo:
    engine = loader.load_engine(model, sha256="0" * 64, **options)
    info = engine.info
    assert native.live == 2
    engine.close()
    assert native.live == 0
    return info


@pytest.mark.parametrize(
    ("refuses", "why"),
    [("model", "(out of VRAM)"), ("context", "(There isn't enough memory for this model's context)")],
)
def test_a_gpu_that_cannot_take_it_leaves_it_to_the_cpu_and_says_why(
    model: Path, monkeypatch: pytest.MonkeyPatch, refuses: str, why: str
) -> None:
    native = Native(refuses)
    play(native, monkeypatch)
    info = info_of(model, native)
    assert native.loads == [-1, 0]
    assert f"The GPU could not take the model {why}; it runs on the CPU." in info.notes


def test_stop_while_loading_is_a_stop_and_no_failure_of_the_gpu(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native = Native()
    play(native, monkeypatch)

    class Late(CancelToken):
        @property
        def cancelled(self) -> bool:
            self.cancel()
            return True

    with pytest.raises(Cancelled):
        loader.load_engine(model, sha256="0" * 64, cancel=Late())
    assert native.live == 0
