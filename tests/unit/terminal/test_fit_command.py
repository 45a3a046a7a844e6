"""``jokejudge models fit`` over the real session; only the engine is a fake one."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.wit_engine import WitEngine, pair_votes, ratings

from .conftest import Outcome

if TYPE_CHECKING:
    from jokejudge_gui.core.config import Settings
    from jokejudge_gui.core.paths import Profile

Fit = Callable[..., Outcome]


@pytest.fixture
def fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Fit:
    """``fit("--pairs", file, engine=…)`` in one profile; ``engine`` is read with."""

    def call(*arguments: str, engine: FakeEngine | None = None, seen: list[str | None] | None = None) -> Outcome:
        def open_session(profile: Profile, settings: Settings) -> Session:
            if seen is not None:
                seen.append(settings.model)
            return Session(profile, settings, loader=lambda _file, _settings, _cancel: engine or WitEngine())

        capsys.readouterr()
        command = ["--data-dir", str(tmp_path / "profile"), "models", "fit", *arguments]
        status = main(command, open_session=open_session)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


def table(path: Path, rows: list[tuple[object, ...]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return str(path)


@pytest.fixture
def grades(tmp_path: Path) -> str:
    rows = [(rated.text, rated.value) for rated in ratings(120)]
    return table(tmp_path / "grades.csv", [("text", "rating"), *rows, ("no number", "x"), ("", "3")])


@pytest.fixture
def duels(tmp_path: Path) -> str:
    """Counted votes, the winner now on one side and now on the other."""
    rows = [
        (vote.winner, vote.loser, 4, 1) if number % 2 else (vote.loser, vote.winner, 0, 3)
        for number, vote in enumerate(pair_votes(90))
    ]
    return table(tmp_path / "duels.csv", [("text_a", "text_b", "votes_a", "votes_b"), *rows])


def heads(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "profile").glob("heads/*"))


def test_a_head_worth_keeping_is_kept_told_with_figures_and_can_be_removed(
    fit: Fit, grades: str, duels: str, tmp_path: Path
) -> None:
    outcome = fit("--only-given", "--ratings", grades, "--pairs", duels)
    assert outcome.status == 0
    assert outcome.out.startswith("Kept: fitted on votes on ")
    assert "Verdicts with fake-model use it from now on." in outcome.out
    assert "grades.csv: 2 rows left out" in outcome.err
    lines = [line.strip() for line in outcome.out.splitlines()]
    assert any(line.startswith("grades.csv ") and line.split()[-1] > "0" for line in lines)
    assert any(line.startswith("duels.csv ") and line.endswith(" 90") for line in lines)
    assert any(line.startswith("all, every text alike") for line in lines)
    assert heads(tmp_path) == ["ffffffffffffffff.npz"]
    card = json.loads((tmp_path / "profile" / "cards" / "ffffffffffffffff.json").read_text(encoding="utf-8"))
    assert 0.5 < card["one_person"] < 1
    removed = fit("--remove")
    assert removed.status == 0
    words = " ".join(removed.out.split())
    assert words == "The estimate fitted on this computer is deleted. fake-model has no audience estimate."
    assert heads(tmp_path) == []
    assert "No estimate was fitted" in fit("--remove").out


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "E_EVALUATE_COLUMN"),
        (b"text,mood\na,b\n", "E_EVALUATE_COLUMN"),
        (b"text,rating\n,\n", "E_EVALUATE_EMPTY"),
        (b'text,rating\n"never closed,3\n', "E_BATCH_CSV"),
        (b"text,is_humor\na joke,1\n", "E_FIT_RATINGS"),
        (b"text,rating\na joke,3\nanother,4\n", "E_FIT_FEW"),
    ],
    ids=["empty", "no rating", "no row", "open quote", "no grades", "few"],
)
def test_a_file_that_cannot_be_fitted_on_is_a_sentence_with_a_next_step(
    fit: Fit, tmp_path: Path, content: bytes, code: str
) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    engine = WitEngine()
    outcome = fit("--only-given", "--ratings", str(tmp_path / "bad.csv"), "--json", engine=engine)
    assert outcome.status in (1, 2)
    error = outcome.object["error"]
    assert error["code"] == code
    assert error["sentence"].endswith(".")
    assert error["hint"]
    assert engine.read == []
