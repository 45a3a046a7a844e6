"""The terminal is driven as a user drives it: ``main`` with arguments, bytes in, bytes and an exit status out. Behind
it stands the program as it is; only the engine is a fake one, which answers as the test says."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from jokejudge_gui.cli.console import Console
from jokejudge_gui.cli.context import Context
from jokejudge_gui.cli.main import Call, jokejudge, main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Event
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdict_kinds import Request
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.engine.base import CancelToken, Engine
from jokejudge_gui.judge.asking.calibration import Calibration
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.judged_kind import JudgedKind
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.rating_helpers import REJECTING, pun

MODEL = ModelRef(name="test-model", sha256="ab" * 32)
Hook = Callable[[str, str], None]
"""``hook(text, method)`` runs before the engine's ``method`` for a verdict on ``text`` (a duel's first one)."""


@cache
def _known() -> Calibration:
    files = MeasuredFiles(Path("nowhere"), Path("nowhere"))
    return known(MainJudge(FakeEngine(name=MODEL.name, sha256=MODEL.sha256), files))


@dataclass(frozen=True)
class Asked:
    """What a session was asked for."""

    texts: tuple[str, ...]
    request: Request
    record: bool
    settings: Settings


class WatchedSession(Session):
    """The session as it is; what it is asked for is noted down."""

    def __init__(self, stage: Stage, profile: Profile, settings: Settings) -> None:
        super().__init__(profile, settings, loader=self._loaded)
        self.stage = stage
        stage.opened += 1

    def _loaded(self, _file: ModelFile, settings: Settings, _cancel: CancelToken | None) -> Engine:
        files = MeasuredFiles(Path("nowhere"), self.profile.models)
        if not files.path(MODEL.sha256).is_file():
            files.save_calibration(_known())
        self.stage.loaded.append(settings.model)
        return FakeEngine(self.stage.answer, gate=self.stage.gate, name=MODEL.name, sha256=MODEL.sha256)

    def run(self, kind: JudgedKind[Any, Any], request: Any, **options: Any) -> Iterator[Event]:
        texts = tuple(subject.text for subject in kind.subjects(request))
        self.stage.asked.append(Asked(texts, request, options["record"], self.settings))
        return super().run(kind, request, **options)

    def close(self) -> None:
        self.stage.closed += 1
        super().close()


@dataclass
class Stage:
    """What the model answers and does behind the terminal, and what the session was asked. ``reject``: no text is a
    joke to it; ``winner``: whom it names in a duel, "" for nobody, and ``by``: how loudly."""

    hook: Hook | None = None
    reject: bool = False
    winner: str = "A"
    by: float = 3.0
    asked: list[Asked] = field(default_factory=list)
    loaded: list[str | None] = field(default_factory=list)
    opened: int = 0
    closed: int = 0

    @property
    def texts(self) -> list[tuple[str, ...]]:
        return [asked.texts for asked in self.asked]

    def gate(self, method: str) -> None:
        if self.hook is not None and self.asked:
            self.hook(self.asked[-1].texts[0], method)

    def answer(self, prompt: str, question: str, label: str) -> float:
        if "Funnier" in question or "Is it funny" in question:
            return self._in_duels(prompt, question, label)
        if self.reject and question.endswith("? Answer:"):
            wants_no = any(words in question for words in REJECTING)
            return 4.0 if ("no" in label.lower()) != wants_no else 0.0
        return pun(prompt, question, label)

    def _in_duels(self, prompt: str, question: str, label: str) -> float:
        if not self.winner or not self.asked:  # a model is measured before anything is asked of it
            return 0.0
        better = self.asked[-1].texts["AB".index(self.winner)]
        if "Funnier" in question:
            named = "1" if f"Joke 1: {better}" in prompt else "2"
        else:
            named = "yes" if better in prompt else "no"
        return self.by if label.strip().lower() == named else 0.0


@dataclass(frozen=True)
class Outcome:
    """What a call left."""

    status: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The one JSON object on stdout; nothing may stand beside it."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


Run = Callable[..., Outcome]


@dataclass
class Typed(Call):
    """A call of which only the arguments are read: the command's ``name`` and its ``options``, those of every command
    among them."""

    name: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(Console(), lambda _profile, _settings: pytest.fail("a session was opened"))

    def run(self, name: str, _function: Callable[[Context], int], options: dict[str, Any]) -> int:
        self.name, self.options = name, options | self.given
        return 0


def typed(*arguments: str) -> Typed:
    """What these arguments mean. Raises click's errors."""
    call = Typed()
    with jokejudge.make_context("jokejudge", list(arguments), obj=call) as context:
        jokejudge.invoke(context)
    return call


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its words."""

    def below(words: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            path = f"{words} {name}".strip()
            if isinstance(command, click.Group):
                yield from below(path, command)
            else:
                yield path, command

    return below("", jokejudge)


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def run(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("rate", "text", stdin=b"…")`` in a profile of its own."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str, stdin: bytes = b"", profile: bool = True) -> Outcome:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)), encoding="utf-8"))
        place = ["--data-dir", str(tmp_path / "profile")] if profile else []
        capsys.readouterr()
        status = main(
            [*place, *arguments], open_session=lambda profile, settings: WatchedSession(stage, profile, settings)
        )
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """The program in a process of its own, for what only that shows."""

    def call(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "jokejudge_gui", *arguments],
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
            env={**os.environ, **environment},
        )

    return call


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where a run writes its lines."""
    return tmp_path / "out.jsonl"


def lines(out: Path) -> list[dict[str, Any]]:
    """The lines of a run's output, all of them whole, without the first, which names the run."""
    data = out.read_bytes()
    assert data == b"" or data.endswith(b"\n")
    found = [json.loads(line) for line in data.split(b"\n")[:-1]]
    assert all("run" in line for line in found[:1])
    return found[1:]


def interrupt_at(text: str, number: int = signal.SIGINT, method: str = "choose") -> Hook:
    """A hook of the stage: Ctrl-C when the model is asked about this text."""

    def hook(asked: str, called: str) -> None:
        if (asked, called) == (text, method):
            signal.raise_signal(number)

    return hook


def fail_at(text: str | None, error: Exception) -> Hook:
    """A hook of the stage: the engine fails at this text, or at every one."""

    def hook(asked: str, _method: str) -> None:
        if text in (None, asked):
            raise error

    return hook


def ids(out: Path) -> list[str | None]:
    """The rows that have a line."""
    return [line["id"] for line in lines(out)]


THREE = "id,text\na,first\nb,second\nc,third\n"
PAIRS = """id,text_a,text_b,winner,source
1,a horse walks in,a duck walks out,A,x
2,the goat laughs,the newt weeps,B,x
3,one,another,tie,x
4,"a heron, tall",a badger,a,x
"""


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    file = tmp_path / "in.csv"
    file.write_text(THREE, encoding="utf-8")
    return file


@pytest.fixture
def batch(run: Run, csv_file: Path, out: Path) -> Any:
    def call(*more: str, kind: str = "rate", **options: Any) -> Outcome:
        return run(kind, "--batch", str(csv_file), "--out", str(out), *more, **options)

    return call


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    file = tmp_path / "pairs.csv"
    file.write_text(PAIRS, encoding="utf-8")
    return file


@pytest.fixture
def evaluate(run: Run, pairs_file: Path) -> Any:
    def call(*more: str) -> Outcome:
        return run("evaluate", "--pairs", str(pairs_file), *more)

    return call
