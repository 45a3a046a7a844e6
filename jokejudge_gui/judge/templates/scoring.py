"""Points as in seeds/unified_judge_template.txt: 40 for the answer, four rules of 10, 20 for the reasoning.

Open points leave a range: the least and the most that the row can have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...rubric.templates import Module, RuleCheck
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
    TemplateRequest,
    TotalRange,
    field_of,
    items_of,
    label_of,
    labels_of,
    same_items,
    truth_of,
)

CORRECT = 40
PARTIAL = 20
RULE = 10
PASS = 70
CAP = 60
"""The most points of a row with a wrong answer."""
FULL_F1 = 0.8
_MOST_TIPS = 5


def correctness(module: Module, output: Any, expected: Any) -> Correctness:
    """Compute section 1. Raises ``InputError`` ``E_TEMPLATE_VALUE`` where the output isn't of the module's type."""
    if module.type == "boolean":
        given, right = truth_of(output), truth_of(expected)
        return _plain(given, right, "exact" if given == right else "none")
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


_MATCHES: dict[Match, tuple[int, str]] = {
    "exact": (CORRECT, "The output is what was expected."),
    "partial": (PARTIAL, "The category is right, the sub-label isn't."),
    "none": (0, "The output isn't what was expected."),
}


def _plain(output: object, expected: object, match: Match) -> Correctness:
    score, details = _MATCHES[match]
    return Correctness(
        score=score, output_value=output, expected_value=expected, match=match == "exact", match_kind=match,
        details=details,
    )  # fmt: skip


def _extraction(module: Module, output: Sequence[str], expected: Sequence[str]) -> Correctness:
    """F1 of two sets; 1 where both are empty."""
    given, right = same_items(module, output), same_items(module, expected)
    both = len(given & right)
    precision = both / len(given) if given else float(not right)
    recall = both / len(right) if right else float(not given)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Correctness(
        score=_points(f1 * CORRECT),
        output_value=list(output),
        expected_value=list(expected),
        match=f1 >= FULL_F1,
        match_kind="exact" if given == right else "partial" if both else "none",
        details=f"{both} of {len(right)} expected items found, {len(given) - both} not expected; F1 {f1:.2f}.",
        precision=precision,
        recall=recall,
        f1=f1,
    )


def _points(value: float) -> float:
    """Round to a hundredth of a point; an integer if the result is whole."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def judged(correct: Correctness, rules: Sequence[RuleVerdict], parts: Mapping[str, int]) -> Finding:
    """Return the whole evaluation. ``parts``: points of the known parts of the reasoning."""
    groups = {name: _sum_if_known(parts, group) for name, group in GROUPS.items()}
    reasoning = ReasoningQuality(score=_sum_if_known(parts, PART_POINTS), parts=dict(parts), **groups)
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
    return None, "Too little of it can be judged"


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
    sentences = [f"{verdict or 'Not told'}: {points} points. {reason}.", correct.details]
    if broken:
        sentences.append(f"Broken: {', '.join(broken)}.")
    if untold:
        sentences.append(f"{untold} of {len(rules)} rules can't be judged.")
    return " ".join(sentences)


def _tips(correct: Correctness, rules: Sequence[RuleVerdict], reasoning: ReasoningQuality) -> tuple[str, ...]:
    tips = []
    if correct.f1 is not None and not correct.match:
        given = {str(item).casefold() for item in correct.output_value}
        missing = [item for item in correct.expected_value if str(item).casefold() not in given]
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


# -- Rules that need no model ------------------------------------------------------------------------------------------

Seen = tuple[bool | None, str]
"""Kept, broken, or None where this row doesn't show it; and the evidence."""
_MOST_SHOWN = 5


def check_rule(module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    """Return whether a row keeps a rule, with the evidence. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    match check.name:
        case "items":
            n = len(items_of(row.output))
            kept = (check.least or 0) <= n and (check.most is None or n <= check.most)
            return kept, f"{n} {'item' if n == 1 else 'items'}."
        case "no-duplicates":
            double = _doubles([item.casefold() for item in items_of(row.output)])
            return _none(double, "Twice", "Nothing appears twice.")
        case "unique-values" | "consecutive-values" if not isinstance(row.output, dict):
            return None, "The output doesn't give values by name."
        case "unique-values":
            double = _doubles([str(value) for value in row.output.values()])
            return _none(double, "Given twice", "Each value is given once.")
        case "consecutive-values":
            try:
                values = sorted({int(value) for value in row.output.values()})
            except (TypeError, ValueError):
                return False, "Not every value is a whole number."
            gaps = [n for n in range(1, len(values) + 1) if n not in values]
            return _none(gaps, "Missing", f"From 1 to {len(values)} without a gap.")
        case "expected":
            if module.type == "boolean":
                kept = truth_of(row.output) == truth_of(row.expected)
            elif module.type == "label":
                kept = labels_of(row.output)[0] in labels_of(row.expected)
            else:
                kept = set(items_of(row.output)) == set(items_of(row.expected))
            return kept, "It is what was expected." if kept else "It isn't what was expected."
        case "expected-share":
            wanted = set(items_of(row.expected))
            if not wanted:
                return True, "Nothing was expected."
            n = len(wanted & set(items_of(row.output)))
            return n >= (check.least or 0.0) * len(wanted), f"{n} of {len(wanted)} expected items."
        case "confidence":
            if row.confidence is None:
                return False, "No confidence is stated."
            low, high = check.least or 0.0, 1.0 if check.most is None else check.most
            return low <= row.confidence <= high, f"The confidence is {row.confidence:.2f}."
    return _check_beside_input(module, check, row)


def _check_beside_input(module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    """The rules that compare a row with its input."""
    wanted = items_of(field_of(row.input, check.field)) or (check.values if check.name == "one-of" else ())
    if not wanted:
        return None, f"The row's input gives no “{check.field}”." if check.field else "The row gives no input."
    match check.name:
        case "includes" | "case-variants":
            if check.name == "case-variants":
                wanted = tuple(dict.fromkeys((wanted[0].upper(), wanted[0].lower(), wanted[0].title())))
            missing = [item for item in wanted if item not in items_of(row.output)]
            return _none(missing, "Missing", f"It holds {_shown_value(wanted)}.")
        case "one-of":
            given = items_of(row.output) if module.type == "extraction" else labels_of(row.output)
            other = [item for item in given if item not in (check.values or wanted)]
            return _none(other, "Not in the list", "All of it is in the list.")
        case "excludes":
            found = [item for item in items_of(row.output) if any(_holds(item, word) for word in wanted)]
            return _none(found, "Found", f"None of {_shown_value(wanted)} is in it.")
        case "from-input":
            text = " ".join(wanted).casefold()
            parts = row.output.values() if isinstance(row.output, dict) else [row.output]
            other = [item for value in parts for item in items_of(value) if item.casefold() not in text]
            return _none(other, "Not in the input", "All of it stands in the input.")
        case "reasoning-names":
            missing = [item for item in wanted if not _holds(row.reasoning, item)]
            return _none(missing, "Not named", f"It names {_shown_value(wanted)}.")
        case "reasoning-quotes":
            words, said = (re.findall(r"\w+", each.casefold()) for each in (" ".join(wanted), row.reasoning))
            n = min(int(check.least or 2), len(words))
            runs = (" ".join(words[at : at + n]) for at in range(len(words) - n + 1))
            quote = next((run for run in runs if f" {run} " in f" {' '.join(said)} "), None)
            return quote is not None, f"It quotes “{quote}”." if quote else "It quotes no words of the input."
    raise AssertionError(f"there is no check {check.name!r}")


def _none(found: Sequence[Any], words: str, otherwise: str) -> Seen:
    """Kept if ``found``, the list of violations, is empty."""
    return not found, f"{words}: {_shown_value(found)}." if found else otherwise


def _doubles(items: Sequence[str]) -> list[str]:
    return [item for item in dict.fromkeys(items) if items.count(item) > 1]


def _holds(text: str, word: str) -> bool:
    """Whether a word or phrase occurs in a text as a whole, in any case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _shown_value(items: Sequence[Any]) -> str:
    more = f" and {len(items) - _MOST_SHOWN} more" if len(items) > _MOST_SHOWN else ""
    return ", ".join(f"“{item}”" for item in items[:_MOST_SHOWN]) + more
