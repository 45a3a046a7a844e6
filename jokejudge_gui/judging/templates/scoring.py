"""Points, as seeds/unified_judge_template.txt has them: 40 for the answer, four rules of 10, 20 for the reasoning.

Whatever can't be told leaves a range: the least and the most that the row can have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...rubric.template_types import Module
from .types import (
    GROUPS,
    PART_POINTS,
    Correctness,
    Evaluation,
    Finding,
    Match,
    Outcome,
    ReasoningQuality,
    RuleCompliance,
    RuleVerdict,
    TotalRange,
)
from .values import items_of, label_of, labels_of, same_items, truth_of

CORRECT = 40
PARTIAL = 20
RULE = 10
PASS = 70
CAP = 60
"""The most that a wrong answer can have."""
FULL_F1 = 0.8
_MOST_TIPS = 5


def correctness(module: Module, output: Any, expected: Any) -> Correctness:
    """Section 1, computed. Raises ``InputError`` ``E_TEMPLATE_VALUE`` where the output isn't of the module's type."""
    if module.type == "boolean":
        said, right = truth_of(output), truth_of(expected)
        return _plain(said, right, "exact" if said == right else "none")
    if module.type == "label":
        label, labels = label_of(output), labels_of(expected)
        category = label.split(module.separator)[0]
        match: Match = "none"
        if label in labels:
            match = "exact"
        elif any(category == each.split(module.separator)[0] for each in labels if module.separator in each):
            match = "partial"
        return _plain(label, labels[0] if len(labels) == 1 else list(labels), match)
    return _extraction(module, items_of(output), items_of(expected))


def _plain(output: object, expected: object, match: Match) -> Correctness:
    score = {"exact": CORRECT, "partial": PARTIAL, "none": 0}[match]
    details = {
        "exact": "The output is what was expected.",
        "partial": "The category is right, the sub-label isn't.",
        "none": "The output isn't what was expected.",
    }[match]
    return Correctness(
        score=score,
        output_value=output,
        expected_value=expected,
        match=match == "exact",
        match_kind=match,
        details=details,
    )


def _extraction(module: Module, output: Sequence[str], expected: Sequence[str]) -> Correctness:
    """F1 of two sets; where nothing was expected and nothing came, nothing is wrong."""
    said, right = same_items(module, output), same_items(module, expected)
    both = len(said & right)
    precision = both / len(said) if said else float(not right)
    recall = both / len(right) if right else float(not said)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Correctness(
        score=_points(f1 * CORRECT),
        output_value=list(output),
        expected_value=list(expected),
        match=f1 >= FULL_F1,
        match_kind="exact" if said == right else "partial" if both else "none",
        details=f"{both} of {len(right)} expected items found, {len(said) - both} not expected; F1 {f1:.2f}.",
        precision=precision,
        recall=recall,
        f1=f1,
    )


def _points(value: float) -> float:
    """To a hundredth of a point; a whole number where it is one."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def judged(correct: Correctness, rules: Sequence[RuleVerdict], parts: Mapping[str, int]) -> Finding:
    """The whole evaluation. ``parts``: points of those parts of the reasoning that can be told."""
    reasoning = ReasoningQuality.model_validate(
        {
            "score": _sum_if_known(parts, PART_POINTS),
            "parts": dict(parts),
            **{name: _sum_if_known(parts, group) for name, group in GROUPS.items()},
        }
    )
    known = sum(rule.score or 0 for rule in rules)
    open_rules = sum(rule.score is None for rule in rules)
    least = correct.score + known + sum(parts.values())
    most = least + RULE * open_rules + sum(points for name, points in PART_POINTS.items() if name not in parts)
    if correct.score == 0:
        least, most = min(least, CAP), min(most, CAP)
    verdict, reason = _outcome(correct, least, most)
    evaluation = Evaluation(
        correctness=correct,
        rule_compliance=RuleCompliance(score=None if open_rules else known, rules=tuple(rules)),
        reasoning_quality=reasoning,
    )
    total = _points(least) if _points(least) == _points(most) else None
    return Finding(
        evaluation=evaluation,
        total_score=total,
        total_range=TotalRange(least=_points(least), most=_points(most)),
        verdict=verdict,
        reason=reason,
        summary=_summary(verdict, reason, correct, rules, least, most),
        improvement_suggestions=_tips(correct, rules, reasoning),
    )


def _sum_if_known(parts: Mapping[str, int], names: Mapping[str, int] | Sequence[str]) -> int | None:
    return sum(parts[name] for name in names) if all(name in parts for name in names) else None


def _outcome(correct: Correctness, least: float, most: float) -> tuple[Outcome | None, str]:
    if correct.score == 0:
        return "FAIL", "Incorrect output"
    if least >= PASS:
        return "PASS", "Meets threshold"
    if most < PASS:
        return "FAIL", "Below threshold"
    return None, "Too little of it can be told"


def _summary(
    verdict: Outcome | None,
    reason: str,
    correct: Correctness,
    rules: Sequence[RuleVerdict],
    least: float,
    most: float,
) -> str:
    points = f"{_points(least)}" if _points(least) == _points(most) else f"{_points(least)} to {_points(most)}"
    broken = [rule.name for rule in rules if rule.compliant is False]
    untold = sum(rule.compliant is None for rule in rules)
    told = [f"{verdict or 'Not told'}: {points} points. {reason}.", correct.details]
    if broken:
        told.append(f"Broken: {', '.join(broken)}.")
    if untold:
        told.append(f"{untold} of {len(rules)} rules can't be told.")
    return " ".join(told)


def _tips(correct: Correctness, rules: Sequence[RuleVerdict], reasoning: ReasoningQuality) -> tuple[str, ...]:
    tips = []
    if correct.f1 is not None and not correct.match:
        said = {str(item).casefold() for item in correct.output_value}
        missing = [item for item in correct.expected_value if str(item).casefold() not in said]
        if missing:
            tips.append(f"Find what is missing: {', '.join(map(str, missing[:5]))}.")
    elif not correct.match:
        tips.append(f"The answer should be {_shown(correct.expected_value)}.")
    tips += [f"Keep the rule “{rule.name}”: {rule.evidence}" for rule in rules if rule.compliant is False]
    for name, group in GROUPS.items():
        points: int | None = getattr(reasoning, name)
        if points is not None and 2 * points <= sum(PART_POINTS[part] for part in group):
            tips.append(_REASONING_TIPS[name])
    return tuple(tips[:_MOST_TIPS])


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)


_REASONING_TIPS = {
    "chain_of_thought": "Say step by step what leads to the answer, and name the evidence.",
    "evidence_usage": "Quote the words of the input that decide.",
    "confidence_calibration": "State how sure the answer is, and what is unsure about it.",
}
