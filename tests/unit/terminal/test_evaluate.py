"""``jokejudge evaluate``: from labelled files to a report, and nothing lost when it is stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.core.errors import ModelError
from tests.head_builder import meta, parts, save

from .conftest import MODEL, fail_at, interrupt_at, lines

if TYPE_CHECKING:
    from .conftest import Run, Stage


# -- the report ------------------------------------------------------------------------------------------------------


def test_the_report_says_in_words_how_often_the_judge_agrees(evaluate: Any) -> None:
    outcome = evaluate()
    assert outcome.status == 0
    assert "pairs.csv: 3 of 4 pairs judged, 1 ties among people left out" in outcome.out
    flat = " ".join(outcome.out.split())
    assert "It agrees with most people in 67 of 100 pairs (21 to 94)." in flat
    assert "Agreement in pairs 0.67 ≥ 0.70 fail" in flat
    assert "not measured" in outcome.out


def test_the_audience_has_its_own_lines(run: Run, ratings_file: Path, tmp_path: Path) -> None:
    head = parts() | {"meta": meta(model_sha256=MODEL.sha256)}
    save(tmp_path / "profile" / "heads", head, f"{MODEL.sha256[:16]}.npz")
    outcome = run("evaluate", "--ratings", str(ratings_file))
    assert "People and the audience" in outcome.out
    assert "Mean absolute error of the audience" in outcome.out


def test_nothing_is_recorded_and_nothing_explained(evaluate: Any, run: Run, stage: Stage) -> None:
    evaluate()
    assert [(asked.record, asked.request.explain) for asked in stage.asked] == [(False, False)] * 3
    assert run("history", "list", "--json").object["rows"] == []


def test_the_same_texts_are_judged_once(run: Run, tmp_path: Path, stage: Stage) -> None:
    file = tmp_path / "twice.csv"
    file.write_text("text_a,text_b,winner\nl,r,A\nl,r,B\n", encoding="utf-8")
    (report,) = run("evaluate", "--pairs", str(file), "--json").object["pairs"]
    assert (len(stage.asked), report["judged"], report["agreement"][0]["judge"]["share"]) == (1, 2, 0.5)


# -- stopping and going on -------------------------------------------------------------------------------------------


def test_every_answer_is_a_line_and_a_second_run_asks_nothing(evaluate: Any, out: Path, stage: Stage) -> None:
    first = evaluate("--out", str(out), "--json").object
    assert sorted((line["row"], line["winner"], line["mode"]) for line in lines(out)) == [
        ("1", "A", "quick"), ("2", "A", "quick"), ("4", "A", "quick")
    ]  # fmt: skip
    before = out.read_bytes()
    second = evaluate("--out", str(out), "--json").object
    assert (second, out.read_bytes(), len(stage.asked)) == (first, before, 3)


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


def test_a_fault_that_all_rows_share_stops_the_run(evaluate: Any, out: Path, stage: Stage) -> None:
    stage.hook = fail_at(None, ModelError("E_MODEL_GONE", "The model is gone."))
    outcome = evaluate("--out", str(out), "--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_MODEL_GONE"
    assert lines(out) == []


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
    assert outcome.status == 1
    assert "can't be mixed" in outcome.err
    assert out.read_bytes() == before


# -- a pipeline that stops ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("least", "status"), [("66", 0), ("66.7", 1), ("100", 1)])
def test_too_little_agreement_is_a_failure_with_its_report(evaluate: Any, least: str, status: int) -> None:
    outcome = evaluate("--fail-under", least, "--json")
    assert outcome.status == status
    assert outcome.object["pairs"][0]["judged"] == 3
    error = outcome.object["error"]
    assert (error and error["code"]) == ("E_FAIL_UNDER" if status else None)
    if error:
        assert error["sentence"].startswith("Agreement with people on pairs.csv is 66.7 of 100")


def test_what_cannot_be_compared_with_the_limit_fails_too(run: Run, tmp_path: Path) -> None:
    one = tmp_path / "one.csv"
    one.write_text("text,rating\nOnly this one.,3\n", encoding="utf-8")
    assert run("evaluate", "--ratings", str(one), "--fail-under", "1").status == 1


@pytest.mark.parametrize("least", ["-1", "101", "much", "nan"])
def test_a_limit_that_is_no_share_of_100_is_a_usage_error(evaluate: Any, least: str) -> None:
    assert evaluate("--fail-under", least).status == 2
