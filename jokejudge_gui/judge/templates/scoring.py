"""Points as in seeds/unified_judge_template.txt: 40 for the answer, four rules of 10, 20 for the reasoning.

Open points leave a range: the least and the most that the row can have."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.errors import InputError
from ...rubric.templates import Module, RuleCheck
from .record import TemplateRequest

CORRECT, PARTIAL, RULE, PASS = 40, 20, 10, 70
CAP = 60
"""The most points of a row with a wrong answer."""
FULL_F1 = 0.8
PART_POINTS = {
    "progression": 4, "evidence_referenced": 4, "quotes": 4, "evidence_selected": 4, "confidence_matches": 2,
    "uncertainty_acknowledged": 2,
}  # fmt: skip
"""The most points of each criterion of the reasoning, in the template's order."""
_GROUPS = {
    "chain_of_thought": (
        ("progression", "evidence_referenced"),
        "Say step by step what leads to the answer, and name the evidence.",
    ),
    "evidence_usage": (("quotes", "evidence_selected"), "Quote the words of the input that decide."),
    "confidence_calibration": (
        ("confidence_matches", "uncertainty_acknowledged"),
        "State how sure the answer is, and what is unsure about it.",
    ),
}
"""The three groups of these criteria, and a suggestion for each."""
_MOST_TIPS, _MOST_SHOWN = 5, 5
Rule = dict[str, Any]
"""One rule: ``name``; ``compliant`` and ``score`` (0 or 10), None if open; ``evidence``: words of the output, or the
program's counts; ``told_by``: program or model; ``why``: why it is open."""


def rule_of(name: str, compliant: bool | None, why: str, told_by: str | None) -> Rule:
    """Return a rule; ``why``: the evidence, or the reason why nothing is known."""
    if compliant is None:
        return {"name": name, "compliant": None, "score": None, "evidence": "", "told_by": None, "why": why}
    score = RULE if compliant else 0
    return {"name": name, "compliant": compliant, "score": score, "evidence": why, "told_by": told_by, "why": ""}


# The answer


def correctness(module: Module, output: Any, expected: Any) -> dict[str, Any]:
    """Compute section 1: ``score`` 0…40; ``match``: exactly as expected, or (extraction) F1 of at least .8. Raises
    ``InputError`` ``E_TEMPLATE_VALUE`` where the output isn't of the module's type."""
    given: Any
    right: Any
    figures: dict[str, float | None] = dict.fromkeys(("precision", "recall", "f1"))
    if module.type == "extraction":
        given, right = items_of(output), items_of(expected)
        given_set, right_set = ({item if module.same_case else item.casefold() for item in it} for it in (given, right))
        both = len(given_set & right_set)
        precision = both / len(given_set) if given_set else float(not right_set)
        recall = both / len(right_set) if right_set else float(not given_set)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        figures = {"precision": precision, "recall": recall, "f1": f1}
        kind = "exact" if given_set == right_set else "partial" if both else "none"
        extra = len(given_set) - both
        details = f"{both} of {len(right_set)} expected items found, {extra} not expected; F1 {f1:.2f}."
        score, match, given, right = points(f1 * CORRECT), f1 >= FULL_F1, list(given), list(right)
    else:
        if module.type == "boolean":
            given, right = truth_of(output), truth_of(expected)
            kind = "exact" if given == right else "none"
        else:
            given, labels = label_of(output), labels_of(expected)
            right = labels[0] if len(labels) == 1 else list(labels)
            category, sign = given.split(module.separator)[0], module.separator
            partial = any(category == one.split(sign)[0] for one in labels if sign in one)
            kind = "exact" if given in labels else "partial" if partial else "none"
        match = kind == "exact"
        score, details = {
            "exact": (CORRECT, "The output is what was expected."),
            "partial": (PARTIAL, "The category is right, the sub-label isn't."),
            "none": (0, "The output isn't what was expected."),
        }[kind]
    return {
        "score": score, "output_value": given, "expected_value": right, "match": match, "match_kind": kind,
        "details": details, **figures,
    }  # fmt: skip


# The whole evaluation


def judged(correct: Mapping[str, Any], rules: Sequence[Rule], parts: Mapping[str, int]) -> dict[str, Any]:
    """Return the fields of a ``TemplateResult`` that the evaluation sets. ``parts``: points of the known parts of the
    reasoning."""
    kept, untold = sum(rule["score"] or 0 for rule in rules), sum(rule["score"] is None for rule in rules)
    broken = [rule for rule in rules if rule["compliant"] is False]
    least = correct["score"] + kept + sum(parts.values())
    most = least + RULE * untold + sum(most for name, most in PART_POINTS.items() if name not in parts)
    if correct["score"] == 0:
        verdict, reason = "FAIL", "Incorrect output"
        least, most = min(least, CAP), min(most, CAP)
    elif least >= PASS or most < PASS:
        verdict, reason = ("PASS", "Meets threshold") if least >= PASS else ("FAIL", "Below threshold")
    else:
        verdict, reason = None, "Too little of it can be judged"
    low, high = points(least), points(most)
    sentences = [
        f"{verdict or 'Not told'}: {points_words(low, high)}. {reason}.", correct["details"],
        f"Broken: {', '.join(rule['name'] for rule in broken)}." if broken else "",
        f"{untold} of {len(rules)} rules can't be judged." if untold else "",
    ]  # fmt: skip
    tips = [_answer_tip(correct), *(f"Keep the rule “{rule['name']}”: {rule['evidence']}" for rule in broken)]
    groups: dict[str, int | None] = {}
    for name, (group, tip) in _GROUPS.items():
        points_of = groups[name] = sum(parts[part] for part in group) if all(part in parts for part in group) else None
        if points_of is not None and 2 * points_of <= sum(PART_POINTS[part] for part in group):
            tips.append(tip)
    quality = sum(parts.values()) if len(parts) == len(PART_POINTS) else None
    return {
        "evaluation": {
            "correctness": dict(correct),
            "rule_compliance": {"score": None if untold else kept, "rules": list(rules)},
            "reasoning_quality": {"score": quality, **groups, "parts": dict(parts)},
        },
        "total_score": low if low == high else None,
        "total_range": {"least": low, "most": high},
        "verdict": verdict,
        "summary": " ".join(filter(None, sentences)),
        "improvement_suggestions": tuple(filter(None, tips))[:_MOST_TIPS],
    }


def points(value: float) -> float:
    """Round to a hundredth of a point; an integer if the result is whole."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def points_words(low: float, high: float) -> str:
    """Return "85 points", or "58 to 88 points" where some are open."""
    return f"{low:g} points" if low == high else f"{low:g} to {high:g} points"


def _answer_tip(correct: Mapping[str, Any]) -> str:
    right = correct["expected_value"]
    if correct["match"]:
        return ""
    if correct["f1"] is not None:
        given = {item.casefold() for item in correct["output_value"]}
        missing = [item for item in right if item.casefold() not in given]
        return f"Find what is missing: {', '.join(missing[:5])}." if missing else ""
    shown = " or ".join(right) if isinstance(right, list) else str(right).lower() if right in (True, False) else right
    return f"The answer should be {shown}."


# Rules that need no model

Seen = tuple[bool | None, str]
"""Kept, broken, or None where this row doesn't show it; and the evidence."""


def check_rule(module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    """Return whether a row keeps a rule, with the evidence. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    match check.name:
        case "items":
            n = len(items_of(row.output))
            kept = (check.least or 0) <= n and (check.most is None or n <= check.most)
            return kept, f"{n} {'item' if n == 1 else 'items'}."
        case "no-duplicates":
            return _none(
                _doubles([item.casefold() for item in items_of(row.output)]), "Twice", "Nothing appears twice."
            )
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
    """The rules that compare a row with its input, or a field of it."""
    given = row.input if not check.field else row.input.get(check.field) if isinstance(row.input, dict) else None
    wanted = items_of(given) or (check.values if check.name == "one-of" else ())
    if not wanted:
        return None, f"The row's input gives no “{check.field}”." if check.field else "The row gives no input."
    match check.name:
        case "includes" | "case-variants":
            if check.name == "case-variants":
                wanted = tuple(dict.fromkeys((wanted[0].upper(), wanted[0].lower(), wanted[0].title())))
            missing = [item for item in wanted if item not in items_of(row.output)]
            return _none(missing, "Missing", f"It holds {_listed(wanted)}.")
        case "one-of":
            answers = items_of(row.output) if module.type == "extraction" else labels_of(row.output)
            other = [item for item in answers if item not in (check.values or wanted)]
            return _none(other, "Not in the list", "All of it is in the list.")
        case "excludes":
            bad = [item for item in items_of(row.output) if any(_contains(item, word) for word in wanted)]
            return _none(bad, "Found", f"None of {_listed(wanted)} is in it.")
        case "from-input":
            text = " ".join(wanted).casefold()
            values = row.output.values() if isinstance(row.output, dict) else [row.output]
            other = [item for value in values for item in items_of(value) if item.casefold() not in text]
            return _none(other, "Not in the input", "All of it stands in the input.")
        case "reasoning-names":
            missing = [item for item in wanted if not _contains(row.reasoning, item)]
            return _none(missing, "Not named", f"It names {_listed(wanted)}.")
        case "reasoning-quotes":
            words, reasons = (re.findall(r"\w+", text.casefold()) for text in (" ".join(wanted), row.reasoning))
            n = min(int(check.least or 2), len(words))
            runs = (" ".join(words[at : at + n]) for at in range(len(words) - n + 1))
            quote = next((run for run in runs if f" {run} " in f" {' '.join(reasons)} "), None)
            return quote is not None, f"It quotes “{quote}”." if quote else "It quotes no words of the input."
    raise AssertionError(f"there is no check {check.name!r}")


def _none(violations: Sequence[Any], words: str, otherwise: str) -> Seen:
    return not violations, f"{words}: {_listed(violations)}." if violations else otherwise


def _doubles(items: Sequence[str]) -> list[str]:
    return [item for item in dict.fromkeys(items) if items.count(item) > 1]


def _contains(text: str, word: str) -> bool:
    """Whether a word or phrase occurs in a text as a whole, in any case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _listed(items: Sequence[Any]) -> str:
    more = f" and {len(items) - _MOST_SHOWN} more" if len(items) > _MOST_SHOWN else ""
    return ", ".join(f"“{item}”" for item in items[:_MOST_SHOWN]) + more


# A module's outputs as values that can be compared

_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


def truth_of(value: Any) -> bool:
    """Return True or False from any spelling. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise _wrong("true or false", value)


def label_of(value: Any) -> str:
    """Return a label as a text. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, bool | int | str) and str(value).strip():
        return str(value).strip()
    raise _wrong("a label", value)


def labels_of(value: Any) -> tuple[str, ...]:
    """Return the labels that count as right: one, or a list. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, list | tuple) and value:
        return tuple(map(label_of, value))
    return (label_of(value),)


def items_of(value: Any) -> tuple[str, ...]:
    """Return the items of an extraction in their order, with duplicates: the members of a list, "name: value" for
    values by name, or a text as one item. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if value is None or value == "":
        return ()
    if isinstance(value, dict):
        return tuple(f"{name}: {item}" for name, content in value.items() for item in (items_of(content) or ("",)))
    if isinstance(value, list | tuple):
        return tuple(item for member in value for item in items_of(member))
    if isinstance(value, str | bool | int | float):
        return (" ".join(str(value).split()),)
    raise _wrong("a list", value)


def text_of(value: Any) -> str:
    """Return a value as shown to people and to the model."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and value and all(isinstance(item, str | int | float | list) for item in value.values()):
        return "\n".join(f"{name}: {_line(item)}" for name, item in value.items())
    return _line(value)


def _line(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return "; ".join(value) if value else "(none)"
    return json.dumps(value, ensure_ascii=False)


def _wrong(what: str, value: Any) -> InputError:
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    return InputError(
        "E_TEMPLATE_VALUE",
        f"Where {what} should stand there is {shown}.",
        "See `jokejudge template show PACK` for what the module puts out.",
    )
