"""The terminal is driven as a user drives it: ``main`` with arguments, bytes in, bytes and an exit status out.

Behind it stands a session that follows the interface of ``jokejudge_gui.session`` and keeps its history in the real
store, but takes its verdicts from the test.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli import main
from jokejudge_gui.config import Settings
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.events import (
    Cancelled,
    Event,
    Failed,
    Finished,
    Stage,
    StageFinished,
    StageProgress,
    StageStarted,
    Started,
    TextPiece,
)
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judging.kinds import KINDS
from jokejudge_gui.paths import Profile
from jokejudge_gui.session import Session
from jokejudge_gui.verdict_kinds import Subject
from jokejudge_gui.verdicts import (
    CHECKS,
    CategoryScore,
    CheckResult,
    DuelResult,
    ErrorInfo,
    FactorScore,
    Kind,
    ModelRef,
    OrderResult,
    RatingResult,
    Result,
    Share,
    Status,
    Usage,
)

MODEL = ModelRef(name="test-model", sha256="ab" * 32)
Hook = Callable[[str, CancelToken | None], ErrorInfo | None]


def rating(id: str, text: str, **changes: Any) -> RatingResult:
    """A finished rating."""
    values: dict[str, Any] = {
        "id": id,
        "text": text,
        "admissible": True,
        "admissibility": tuple(CheckResult(check=c, p_admit=0.9, passed=True, reliable=True) for c in CHECKS),
        "pathway": "standard",
        "categories": (
            CategoryScore(id="puns", name="Puns", p=0.8, z=1.4, chosen=True),
            CategoryScore(id="irony", name="Irony", p=0.3, z=0.2, chosen=False),
        ),
        "factors": (
            FactorScore(id="surprise", name="Surprise", origin="shared", score=4, expected=3.7, sd=0.6, separates=True),
            FactorScore(id="timing", name="Timing", origin="dynamic", score=None, expected=None, sd=None),
        ),
        "max_score": 3.7,
        "mean_score": 3.7,
        "spread": 0.6,
        "explanation": "Works. The turn comes late.\nTry. Cut the first line.",
        "usage": Usage(tokens_evaluated=120, tokens_reused=900, seconds=1.5),
        "model": MODEL,
    }
    return RatingResult(**(values | changes))


def duelled(id: str, text_a: str, text_b: str, **changes: Any) -> DuelResult:
    """A finished duel."""
    values: dict[str, Any] = {
        "id": id,
        "text_a": text_a,
        "text_b": text_b,
        "winner": "A",
        "p_a": 0.7,
        "confidence_factor": 2.33,
        "measured_factor": 2.33,
        "band": "clear",
        "consistent": True,
        "position_bias": 0.1,
        "orders": (
            OrderResult(first="A", p_a=0.72, log_odds_a=0.94),
            OrderResult(first="B", p_a=0.68, log_odds_a=0.75),
        ),
        "shares": (Share(name="pair", share=0.6, log_odds_a=0.8), Share(name="alone", share=0.4, log_odds_a=0.9)),
        "explanation": "A turns later.",
        "usage": Usage(tokens_evaluated=80, tokens_reused=500, seconds=0.9),
        "model": MODEL,
    }
    return DuelResult(**(values | changes))


class ScriptedSession:
    """See ``jokejudge_gui.session.Session``."""

    def __init__(self, stage: Stage_, profile: Profile, settings: Settings) -> None:
        self.stage = stage
        self.profile = profile
        self.settings = settings
        self.model: ModelRef | None = None
        self._store: HistoryStore | None = None
        stage.opened += 1

    @property
    def store(self) -> HistoryStore:
        if self._store is None:
            self._store = HistoryStore(self.profile.database, KINDS)
        return self._store

    # These need nothing but the store.
    vote, undo_vote, taste = Session.vote, Session.undo_vote, Session.taste
    mode = Session.mode

    def load(self, spec: str | None = None, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        yield StageStarted(stage=Stage.LOADING)
        if self.stage.load_error is not None:
            yield Failed(error=self.stage.load_error)
            return
        self.model = MODEL
        self.stage.loaded.append(self.settings.model)
        yield StageFinished(stage=Stage.LOADING, seconds=0.1)
        yield Finished()

    def warm(self, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        yield from self.load(cancel=cancel)

    def calibrate(self, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        yield StageProgress(stage=Stage.CALIBRATION, done=1, total=2, note="jokes")
        yield from self.load(cancel=cancel)

    def ask(self, kind: Any, texts: tuple[str, ...], **options: Any) -> Iterator[Event]:
        options.pop("context", None)  # only a head hears it, and this session has none
        if "forced" in options:
            options["force"] = options.pop("forced")
        yield from {"rate": self.rate, "duel": self.duel}[kind.name](*texts, **options)

    def rate(
        self,
        text: str,
        *,
        mode: str | None = None,
        force: bool = False,
        explain: bool | None = None,
        record: bool = True,
        cancel: CancelToken | None = None,
    ) -> Iterator[Event]:
        self.stage.asked.append({"texts": (text,), "force": force, "record": record, "settings": self.settings})
        result = rating(f"v{next(self.stage.ids)}", text, **self.stage.changes, forced=force)
        yield from self._job("rate", text, result, record, cancel)

    def duel(
        self,
        text_a: str,
        text_b: str,
        *,
        mode: str | None = None,
        explain: bool | None = None,
        record: bool = True,
        cancel: CancelToken | None = None,
    ) -> Iterator[Event]:
        self.stage.asked.append({"texts": (text_a, text_b), "record": record, "settings": self.settings})
        result = duelled(f"v{next(self.stage.ids)}", text_a, text_b, **self.stage.changes)
        yield from self._job("duel", text_a, result, record, cancel)

    def _job(self, kind: Kind, text: str, result: Result, record: bool, cancel: CancelToken | None) -> Iterator[Event]:
        if record:
            self._begin(kind, result)
        yield Started(id=result.id, kind=kind)
        yield StageStarted(stage=Stage.SCORES, total=2)
        yield StageProgress(stage=Stage.SCORES, done=1, total=2)
        error = self.stage.hook(text, cancel) if self.stage.hook else None
        if error is not None:
            yield from self._end(Failed(error=error, result=result.model_copy(update={"error": error})), record)
            return
        if cancel is not None and cancel.cancelled:
            yield from self._end(Cancelled(result=result.model_copy(update={"explanation": None})), record)
            return
        yield StageFinished(stage=Stage.SCORES, seconds=0.1)
        yield StageStarted(stage=Stage.EXPLANATION)
        yield TextPiece(text=result.explanation or "")
        yield from self._end(Finished(result=result), record)

    def _begin(self, kind: Kind, result: Result) -> None:
        texts = [str(getattr(result, field)) for field in KINDS[kind].fields]
        self.store.begin(
            id=result.id,
            kind=kind,
            subjects=tuple(Subject(text=text) for text in texts),
            mode=self.settings.mode,
            model=MODEL,
            prompt_version="1",
            criteria_version="1",
            seed=1,
        )

    def _end(self, event: Finished | Failed | Cancelled, record: bool) -> Iterator[Event]:
        if record and event.result is not None:
            status = {Finished: Status.FINISHED, Failed: Status.FAILED, Cancelled: Status.CANCELLED}[type(event)]
            self.store.end(event.result.id, status, event.result)
        yield event

    def close(self) -> None:
        self.stage.closed += 1
        if self._store is not None:
            self._store.close()


@dataclass
class Stage_:
    """What the session does, and what it was asked."""

    hook: Hook | None = None
    changes: dict[str, Any] = field(default_factory=dict)
    load_error: ErrorInfo | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    loaded: list[str | None] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def texts(self) -> list[tuple[str, ...]]:
        return [asked["texts"] for asked in self.asked]


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


@pytest.fixture
def stage() -> Stage_:
    return Stage_()


@pytest.fixture
def run(stage: Stage_, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("rate", "text", stdin=b"…")`` in a profile of its own."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str, stdin: bytes = b"", profile: bool = True) -> Outcome:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        place = ["--data-dir", str(tmp_path / "profile")] if profile else []
        capsys.readouterr()
        status = main(
            [*place, *arguments], open_session=lambda profile, settings: ScriptedSession(stage, profile, settings)
        )
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """The program in a process of its own, for what only that shows."""
    import sys

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


def interrupt_at(text: str) -> Any:
    """A hook of the stage: Ctrl-C when this text is asked about."""

    def hook(asked: str, cancel: Any) -> None:
        if asked == text:
            os.kill(os.getpid(), signal.SIGINT)
            while not cancel.cancelled:
                pass

    return hook


PAIRS = """id,text_a,text_b,winner,source
1,a horse walks in,a duck walks out,A,x
2,the goat laughs,the newt weeps,B,x
3,one,another,tie,x
4,"a heron, tall",a badger,a,x
"""
RATINGS = """id,text,humor_rating,is_humor
1,why did the llama,3.5,1
2,because it could,1.5,1
3,rain is expected,,0
4,knock knock,2.0,1
"""


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    file = tmp_path / "pairs.csv"
    file.write_text(PAIRS, encoding="utf-8")
    return file


@pytest.fixture
def ratings_file(tmp_path: Path) -> Path:
    file = tmp_path / "ratings.csv"
    file.write_text(RATINGS, encoding="utf-8")
    return file


@pytest.fixture
def evaluate(run: Run, pairs_file: Path) -> Any:
    def call(*more: str) -> Outcome:
        return run("evaluate", "--pairs", str(pairs_file), *more)

    return call
