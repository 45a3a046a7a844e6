"""Every program under tests/bench starts, measures on the fake engine, and prints."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.library.finder import ModelFile
from tests.fake_engine import FakeEngine
from tests.head_builder import parts, save

STARTED = {
    "checks": "--texts 4",
    "contest": "time --jokes 4 --duels 0",
    "edits": "thirty --count 2 --rounds 1",
    "factors": "1",
    "forms": "",
    "head": "",
    "injected": "--orders --jokes 1",
    "mirror": "--jokes 2",
    "screening": "--lists 1 --variants 1",
    "soak": "--verdicts 1",
    "stop": "",
    "taste": "--users 1",
    "thirty": "",
    "verdicts": "",
    "words": "--texts 2",
    "history": "--verdicts 200",
}

HEAVY = (
    "agents", "batch", "duplicates", "ensemble", "killed", "million", "nonsense", "references", "relevance", "retest",
    "rounds",
)  # fmt: skip


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModelFile:
    """Every model that is opened is the fake engine, with an audience head; its file."""

    def opened(*_: object) -> Iterator[object]:
        yield from ()
        return FakeEngine()

    monkeypatch.setattr("jokejudge_gui.session.session.open_model", opened)
    monkeypatch.setattr("tests.bench.contenders.ours.load_engine", lambda *_, **__: FakeEngine())
    head = AudienceHead.load(save(tmp_path / "heads", parts()))
    monkeypatch.setattr("jokejudge_gui.session.judge_files.JudgeFiles.audience", lambda _files, _engine: head)
    (tmp_path / "fake.gguf").touch()
    return ModelFile(tmp_path / "fake.gguf", "fake", "f" * 64)


@pytest.mark.parametrize(("name", "arguments"), STARTED.items(), ids=STARTED)
def test_a_bench_starts_and_prints(
    fake: ModelFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, arguments: str
) -> None:
    bench = importlib.import_module(f"tests.bench.{name}")
    monkeypatch.setattr(bench, "resolve_model", lambda _name, _profile: fake, raising=False)
    monkeypatch.setattr(sys, "argv", [name, *arguments.split()])
    bench.main()
    assert capsys.readouterr().out.strip()


def test_the_bench_of_generators_starts_and_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = importlib.import_module("tests.bench.generators")
    monkeypatch.setattr(bench, "load_engine", lambda *_, **__: FakeEngine())
    monkeypatch.setattr(sys, "argv", ["generators", "one.gguf", "other.gguf", "--jokes", "2"])
    bench.main()
    assert "one wrote 2" in capsys.readouterr().out


def test_builds_are_compared_by_the_same_heads_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bench = importlib.import_module("tests.bench.builds")
    monkeypatch.setattr(bench, "figures", lambda *_: [("audience", 0.5, 0.5, 0.0, 0.0)])
    keys = {"one": {"heads": "1a"}, "same": {"heads": "1a"}, "other": {"heads": "2b"}, "old": {}}
    for name, key in keys.items():
        (tmp_path / name).write_text(json.dumps({"build": f"build {name}", **key}) + "\n", "utf-8")

    def compare(*names: str) -> None:
        monkeypatch.setattr(sys, "argv", ["builds", *(str(tmp_path / name) for name in names)])
        bench.main()

    compare("one", "same")
    assert "build one\nbuild same\n" in capsys.readouterr().out
    for names, said in (
        (("one", "other"), "1a; 2b"),
        (("one", "old"), "1a; not stored"),
        (("old", "old"), "not stored"),
    ):
        with pytest.raises(SystemExit, match=said):
            compare(*names)


@pytest.mark.parametrize("name", HEAVY)
def test_a_bench_that_needs_data_or_minutes_says_how_it_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"tests.bench.{name}").main()
    assert ended.value.code == 0
    assert "usage:" in capsys.readouterr().out


def test_the_table_of_all_contenders_is_printed(
    fake: ModelFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without those that need a real model, and without the machine's own rates."""
    table = importlib.import_module("tests.bench.__main__")

    class NoLimit(SimpleNamespace):
        def seconds(self, *_: object, **__: object) -> float:
            return 1.0

        def measure(self, _counts: Sequence[int]) -> None: ...

        def close(self) -> None: ...

    def no_contender(*_: object, **__: object) -> None:
        raise table.Unavailable("a real model is needed")

    monkeypatch.setattr(table, "resolve_model", lambda _name, _profile: fake)
    monkeypatch.setattr(
        table, "Limit", lambda *_, **__: NoLimit(empty=[], behind=[], small=[], prefix_tokens=1, written={})
    )
    monkeypatch.setattr(table, "PlainLlama", no_contender)
    monkeypatch.setattr(sys, "argv", ["bench", "--quick"])
    table.main()
    assert "median seconds of a verdict" in capsys.readouterr().out
