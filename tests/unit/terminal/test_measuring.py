"""``jokejudge evaluate`` and ``models fit``: from labelled files to a report or a head."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.measure.labelled import read_pairs
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.wit_engine import WitEngine, pair_votes, ratings

from .conftest import Outcome, Run, Stage, interrupt_at, lines


def test_the_report_says_in_words_how_often_the_judge_agrees(evaluate: Any, run: Run) -> None:
    outcome = evaluate()
    assert outcome.status == 0
    assert "pairs.csv: 3 of 4 pairs judged, 1 tie among people left out" in outcome.out
    flat = " ".join(outcome.out.split())
    assert "It agrees with most people in 67 of 100 pairs (21 to 94)." in flat
    assert "Agreement in pairs 0.67 ≥ 0.70 fail" in flat
    assert "not measured" in outcome.out
    assert "Validation table Measure found" in flat
    assert run("history", "list", "--json").object["rows"] == []


def test_ctrl_c_reports_what_there_is_and_the_same_command_goes_on(evaluate: Any, out: Path, stage: Stage) -> None:
    whole = evaluate("--json").object
    last = stage.texts[-1][0]
    stage.asked.clear()
    stage.hook = interrupt_at(last)
    outcome = evaluate("--out", str(out), "--json")
    assert outcome.status == 130
    assert outcome.object["error"]["code"] == "E_INTERRUPTED"
    assert (outcome.object["whole"], outcome.object["pairs"][0]["judged"]) == (False, 2)
    assert "same command" in outcome.err
    assert len(lines(out)) == 2
    stage.hook = None
    assert evaluate("--out", str(out), "--json").object == whole
    assert len(stage.asked) == 4


@pytest.mark.parametrize("change", [{"mode": "deep"}, {"heads": "0123"}, {"model": "cd" * 6}])
def test_answers_of_another_model_mode_or_version_are_not_mixed_in(
    evaluate: Any, out: Path, change: dict[str, str]
) -> None:
    evaluate("--out", str(out))
    head, first, *rest = (json.loads(line) for line in out.read_text(encoding="utf-8").splitlines())
    out.write_text(
        "".join(json.dumps(line) + "\n" for line in (head, first | {"made_by": first["made_by"] | change}, *rest)),
        encoding="utf-8",
    )
    before = out.read_bytes()
    outcome = evaluate("--out", str(out))
    assert outcome.status == 2
    assert "can't be mixed" in outcome.err
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "E_EVALUATE_COLUMN"),
        ("text_a,text_b\na,b\n", "E_EVALUATE_COLUMN"),
        ("text_a,winner\na,A\n", "E_EVALUATE_COLUMN"),
        ("text_a,text_b,votes_a\na,b,3\n", "E_EVALUATE_COLUMN"),
        ("text_a,text_b,winner,winner\na,b,A,A\n", "E_EVALUATE_COLUMN"),
        ("text_a,text_b,winner\n", "E_EVALUATE_EMPTY"),
        ("text_a,text_b,winner\na,b,tie\n", "E_EVALUATE_EMPTY"),
        ("text_a,text_b,winner\na,b,C\n", "E_EVALUATE_EMPTY"),
    ],
)
def test_a_file_of_pairs_that_cannot_be_used_is_a_usage_error(
    evaluate: Any, pairs_file: Path, stage: Stage, text: str, code: str
) -> None:
    pairs_file.write_text(text, encoding="utf-8")
    outcome = evaluate("--json")
    assert (outcome.status, outcome.object["error"]["code"], stage.opened) == (2, code, 0)
    assert "text_a,text_b and winner" in outcome.err


@pytest.mark.parametrize(
    ("row", "winner", "ties"),
    [("3,1,", "A", 0), ("1,3,A", "B", 0), ("2,2,A", None, 1), (",,b", "B", 0), ("0,0,A", "A", 0), ("0,0,tie", None, 1)],
)
def test_votes_come_before_the_winner_where_they_are_there(
    tmp_path: Path, row: str, winner: str | None, ties: int
) -> None:
    file = tmp_path / "v.csv"
    file.write_text(f"text_a,text_b,votes_a,votes_b,winner\nl,r,{row}\nx,y,9,0,\n", encoding="utf-8")
    found = read_pairs(str(file))
    assert found.ties == ties
    assert found.rows[0].winner == (winner or "A")
    assert len(found.rows) == (2 if winner else 1)


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
    assert heads(tmp_path) == ["ffffffffffffffff.npz"]
    card = json.loads((tmp_path / "profile" / "cards" / "ffffffffffffffff.json").read_text(encoding="utf-8"))
    assert set(card["data"]) == {"grades.csv", "duels.csv"}
    removed = fit("--remove")
    assert removed.status == 0
    words = " ".join(removed.out.split())
    assert words == "The estimate fitted on this computer is deleted. fake-model has no audience estimate."
    assert heads(tmp_path) == []
    assert "No estimate was fitted" in fit("--remove").out
