"""``jokejudge evaluate``: from labelled files to a report, and nothing lost when it is stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import interrupt_at, lines

if TYPE_CHECKING:
    from .conftest import Stage


# -- the report ------------------------------------------------------------------------------------------------------


def test_the_report_says_in_words_how_often_the_judge_agrees(evaluate: Any) -> None:
    outcome = evaluate()
    assert outcome.status == 0
    assert "pairs.csv: 3 of 4 pairs judged, 1 ties among people left out" in outcome.out
    flat = " ".join(outcome.out.split())
    assert "It agrees with most people in 67 of 100 pairs (21 to 94)." in flat
    assert "Agreement in pairs 0.67 ≥ 0.70 fail" in flat
    assert "not measured" in outcome.out


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
