"""Points and verdicts as seeds/unified_judge_template.txt has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.judge.templates.record import TemplateRequest
from jokejudge_gui.judge.templates.scoring import PART_POINTS, check_rule, correctness, judged, rule_of
from jokejudge_gui.rubric.templates import Module, Rule, RuleCheck

FULL = (4, 4, 4, 4, 2, 2)


def module(kind: str, **options: Any) -> Module:
    rules = tuple(Rule(name=f"Rule {n}", says="Is kept") for n in range(1, 5))
    return Module.model_validate({"id": "M", "name": "M", "type": kind, "task": "Do it", "rules": rules, **options})


def found(
    kind: str, output: Any, expected: Any, kept: str, parts: tuple[int | None, ...], **options: Any
) -> dict[str, Any]:
    """``kept``: a letter for each rule: y, n, or ? where it can't be told."""
    which = module(kind, **options)
    letters = {"y": True, "n": False, "?": None}
    rules = [rule_of(rule.name, letters[letter], "…", "model") for rule, letter in zip(which.rules, kept, strict=True)]
    points = {name: value for name, value in zip(PART_POINTS, parts, strict=True) if value is not None}
    return judged(correctness(which, output, expected), rules, points)


def test_the_seeds_own_example_comes_out_exactly() -> None:
    result = found("boolean", True, True, "yyyn", (3, 3, 3, 3, 2, 1))
    evaluation = result["evaluation"]
    assert (evaluation["correctness"]["score"], evaluation["correctness"]["match"]) == (40, True)
    assert evaluation["rule_compliance"]["score"] == 30
    assert [rule["score"] for rule in evaluation["rule_compliance"]["rules"]] == [10, 10, 10, 0]
    quality = evaluation["reasoning_quality"]
    names = ("score", "chain_of_thought", "evidence_usage", "confidence_calibration")
    assert [quality[name] for name in names] == [15, 6, 6, 3]
    assert (result["total_score"], result["verdict"]) == (85, "PASS")


@dataclass(frozen=True)
class Made:
    """A row made by hand, and what must come out."""

    kind: str
    output: Any
    expected: Any
    kept: str
    parts: tuple[int | None, ...]
    correct: float
    least: float
    most: float
    verdict: str | None
    options: dict[str, Any] = field(default_factory=dict)


NONE = (None,) * 6
MADE = [
    Made("boolean", True, True, "yyyy", FULL, 40, 100, 100, "PASS"),
    Made("boolean", "yes", "true", "yyyy", (0,) * 6, 40, 80, 80, "PASS"),
    Made("boolean", False, True, "yyyy", FULL, 0, 60, 60, "FAIL"),  # 60 of 60, and capped
    Made("boolean", "no", False, "ynnn", FULL, 40, 70, 70, "PASS"),  # the mark itself passes
    Made("boolean", "no", False, "ynnn", (4, 4, 4, 4, 2, 1), 40, 69, 69, "FAIL"),
    Made("boolean", True, False, "????", NONE, 0, 0, 60, "FAIL"),
    Made("boolean", True, True, "yyy?", (0,) * 6, 40, 70, 80, "PASS"),
    Made("boolean", True, True, "yy??", NONE, 40, 60, 100, None),
    Made("label", "OWN", "OWN", "yyyy", (2, 2, 2, 2, 1, 1), 40, 90, 90, "PASS"),
    Made("label", "pun/visual", "pun/sound", "yyyy", (2, 2, 2, 2, 1, 1), 20, 70, 70, "PASS"),
    Made("label", "pun/visual", "pun/sound", "yyyn", (2, 2, 2, 2, 1, 1), 20, 60, 60, "FAIL"),
    Made("label", "OWN", "NONE", "yyyy", FULL, 0, 60, 60, "FAIL"),
    Made("label", "pun", ["irony", "pun"], "yyyy", (0,) * 6, 40, 80, 80, "PASS"),
    Made("label", "a:x", "a:y", "yyyy", FULL, 20, 80, 80, "PASS", {"separator": ":"}),
    Made("extraction", ["a", "b"], ["a", "b"], "yyyy", FULL, 40, 100, 100, "PASS"),
    Made("extraction", ["a", "b", "c", "d"], ["a", "b"], "yyyy", (0,) * 6, 26.67, 66.67, 66.67, "FAIL"),
    Made("extraction", ["a"], ["a", "b"], "yyyy", (4, 0, 0, 0, 0, 0), 26.67, 70.67, 70.67, "PASS"),
    Made("extraction", ["x"], ["a", "b"], "yyyy", FULL, 0, 60, 60, "FAIL"),
    Made("extraction", [], [], "yyyy", (0,) * 6, 40, 80, 80, "PASS"),
    Made("extraction", ["A"], ["a"], "yyyy", FULL, 0, 60, 60, "FAIL"),
    Made("extraction", ["A"], ["a"], "nnnn", FULL, 40, 60, 60, "FAIL", {"same_case": False}),
    Made("extraction", {"size": "2", "color": "red"}, {"color": "red", "size": "3"}, "yyyy", FULL, 20, 80, 80, "PASS"),
]


@pytest.mark.parametrize("row", MADE, ids=lambda row: f"{row.kind}-{row.output}-{row.kept}-{row.most}")
def test_rows_made_by_hand_come_out_exactly(row: Made) -> None:
    result = found(row.kind, row.output, row.expected, row.kept, row.parts, **row.options)
    assert result["evaluation"]["correctness"]["score"] == row.correct
    assert result["total_range"] == {"least": row.least, "most": row.most}
    assert result["verdict"] == row.verdict
    assert result["total_score"] == (row.least if row.least == row.most else None)


@pytest.mark.parametrize(("kind", "output"), [("boolean", "maybe"), ("label", ["a"]), ("label", "")])
def test_an_output_of_another_type_is_an_error(kind: str, output: Any) -> None:
    with pytest.raises(InputError, match="should stand"):
        correctness(module(kind), output, True)


CHECKS: list[tuple[RuleCheck, dict[str, Any], bool | None]] = [
    (RuleCheck(name="items", least=3, most=4), {"output": ["a", "b", "c"]}, True),
    (RuleCheck(name="items", least=3, most=4), {"output": ["a"]}, False),
    (RuleCheck(name="no-duplicates"), {"output": ["a", "A"]}, False),
    (RuleCheck(name="unique-values"), {"output": {"a": 1, "b": 1}}, False),
    (RuleCheck(name="unique-values"), {"output": ["a"]}, None),
    (RuleCheck(name="consecutive-values"), {"output": {"a": 1, "b": 3}}, False),
    (RuleCheck(name="consecutive-values"), {"output": {"a": 1.0, "b": " 2"}}, True),
    (RuleCheck(name="includes", field="brand"), {"input": {"brand": "X"}, "output": ["X", "y"]}, True),
    (RuleCheck(name="includes", field="brand"), {"input": "X", "output": ["X"]}, None),
    (RuleCheck(name="case-variants", field="brand"), {"input": {"brand": "x"}, "output": ["X", "x"]}, True),
    (
        RuleCheck(name="case-variants", field="brand"),
        {"input": {"brand": ["Maß", "Krug"]}, "output": ["MASS", "maß", "Maß"]},
        True,
    ),
    (RuleCheck(name="one-of", values=("a", "b")), {"output": ["a", "c"]}, False),
    (RuleCheck(name="excludes", field="no"), {"input": {"no": ["ab"]}, "output": ["an AB thing"]}, False),
    (RuleCheck(name="excludes", field="no"), {"input": {"no": ["ab"]}, "output": ["abc"]}, True),
    (RuleCheck(name="from-input"), {"input": "Red tent", "output": ["tent", "blue"]}, False),
    (RuleCheck(name="expected"), {"output": ["a"], "expected": ["a"]}, True),
    (RuleCheck(name="expected-share", least=0.75), {"output": ["a"], "expected": ["a", "b"]}, False),
    (RuleCheck(name="reasoning-names", field="c"), {"input": {"c": ["k", "m"]}, "reasoning": "k only"}, False),
    (RuleCheck(name="reasoning-quotes", least=2), {"input": "a red tent", "reasoning": "the “red tent”"}, True),
    (RuleCheck(name="reasoning-quotes", least=2), {"input": "a red tent", "reasoning": "tent, red"}, False),
    (RuleCheck(name="confidence", least=0.5), {"confidence": 0.4}, False),
    (RuleCheck(name="confidence"), {}, False),
]


@pytest.mark.parametrize(("check", "row", "kept"), CHECKS, ids=lambda value: getattr(value, "name", ""))
def test_the_program_checks_what_needs_no_model(check: RuleCheck, row: dict[str, Any], kept: bool | None) -> None:
    request = TemplateRequest.model_validate({"pack": "seeds", "module": "M", "output": [], **row})
    assert check_rule(module("extraction"), check, request)[0] is kept


@pytest.mark.parametrize("check", ["reasoning-quotes", "confidence", "expected"])
def test_what_is_against_a_rule_is_said_briefly(check: Any) -> None:
    given = {"pack": "seeds", "module": "M", "input": "a red tent", "output": "x " * 900, "reasoning": "why " * 900}
    said = check_rule(module("extraction"), RuleCheck(name=check), TemplateRequest.model_validate(given))[1]
    assert len(said) < 120
    assert "None" not in said
