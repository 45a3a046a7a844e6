"""Points as in seeds/unified_judge_template.txt: 40 for the answer, four rules of 10, 20 for the reasoning.

Open points leave a range: the least and the most that the row can have."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

from ...core.errors import InputError
from ...rubric.templates import Module, RuleCheck
from .record import TemplateRequest

CORRECT, RULE, PASS = 40, 10, 70
CAP = 60
"""The most points of a row with a wrong answer."""
FULL_F1 = 0.8
PART_POINTS = {
    "progression": 4, "evidence_referenced": 4, "quotes": 4, "evidence_selected": 4, "confidence_matches": 2,
    "uncertainty_acknowledged": 2,
}  # fmt: skip
"""The most points of each criterion of the reasoning, in the template's order."""
_GROUPS = {
    "chain_of_thought": ("progression", "evidence_referenced"),
    "evidence_usage": ("quotes", "evidence_selected"),
    "confidence_calibration": ("confidence_matches", "uncertainty_acknowledged"),
}
_MOST_TIPS, _MOST_SHOWN, _MOST_LETTERS = 5, 5, 80
Rule = dict[str, Any]
"""One rule: ``name``; ``compliant`` and ``score`` (0 or 10), None if open; ``evidence``: words of the output, or what
the program found against it; ``told_by``: program or model; ``why``: why it is open."""


def rule_of(name: str, compliant: bool | None, why: str, told_by: str | None) -> Rule:
    """Return a rule; ``why``: the evidence, or the reason why nothing is known."""
    if compliant is None:
        return {"name": name, "compliant": None, "score": None, "evidence": "", "told_by": None, "why": why}
    score = RULE if compliant else 0
    return {"name": name, "compliant": compliant, "score": score, "evidence": why, "told_by": told_by, "why": ""}


def correctness(module: Module, output: Any, expected: Any) -> dict[str, Any]:
    """Compute section 1: ``score`` 0…40; ``match``: exactly as expected, or (extraction) F1 of at least .8. A label of
    the right category has half the points. Raises ``InputError`` ``E_TEMPLATE_VALUE`` where the output isn't of the
    module's type."""
    given: Any
    right: Any
    figures: dict[str, float | None] = dict.fromkeys(("precision", "recall", "f1"))
    if module.type == "extraction":
        given, right = list(items_of(output)), list(items_of(expected))
        one, other = ({item if module.same_case else item.casefold() for item in items} for items in (given, right))
        both = len(one & other)
        precision = both / len(one) if one else float(not other)
        recall = both / len(other) if other else float(not one)
        share = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        figures = {"precision": precision, "recall": recall, "f1": share}
        kind = "exact" if one == other else "partial" if both else "none"
        details = f"{both} of {len(other)} expected items, {len(one) - both} others; F1 {share:.2f}."
    else:
        if module.type == "boolean":
            given, right = truth_of(output), truth_of(expected)
            share = float(given == right)
        else:
            given, labels, sign = label_of(output), labels_of(expected), module.separator
            right = labels[0] if len(labels) == 1 else list(labels)
            near = any(given.split(sign)[0] == label.split(sign)[0] for label in labels if sign in label)
            share = 1.0 if given in labels else 0.5 * near
        kind = {1.0: "exact", 0.5: "partial"}.get(share, "none")
        details = {"exact": "As expected.", "partial": "Only the category is right."}.get(kind, "Not as expected.")
    return {
        "score": points(share * CORRECT), "output_value": given, "expected_value": right, "match": share >= FULL_F1,
        "match_kind": kind, "details": details, **figures,
    }  # fmt: skip


def judged(correct: Mapping[str, Any], rules: Sequence[Rule], parts: Mapping[str, int]) -> dict[str, Any]:
    """Return the fields of a ``TemplateResult`` that the evaluation sets. ``parts``: points of the known parts of the
    reasoning."""
    kept, untold = sum(rule["score"] or 0 for rule in rules), sum(rule["score"] is None for rule in rules)
    broken = [rule for rule in rules if rule["compliant"] is False]
    least = correct["score"] + kept + sum(parts.values())
    most = least + RULE * untold + sum(most for name, most in PART_POINTS.items() if name not in parts)
    if correct["score"] == 0:
        least, most = min(least, CAP), min(most, CAP)
    verdict = "PASS" if least >= PASS else "FAIL" if most < PASS else None
    low, high = points(least), points(most)
    sentences = [
        f"{verdict or 'Not told'}: {points_words(low, high)}.", correct["details"],
        f"Broken: {', '.join(rule['name'] for rule in broken)}." if broken else "",
        f"{untold} of {len(rules)} rules can't be judged." if untold else "",
    ]  # fmt: skip
    groups = {
        name: sum(parts[part] for part in group) if parts.keys() >= {*group} else None
        for name, group in _GROUPS.items()
    }
    tips = [] if correct["match"] else [f"The answer should be: {text_of(correct['expected_value'])}"]
    tips += [f"Keep the rule “{rule['name']}”: {rule['evidence']}" for rule in broken]
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
        "improvement_suggestions": tuple(tips[:_MOST_TIPS]),
    }


def points(value: float) -> float:
    """Round to a hundredth of a point; an integer if the result is whole."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def points_words(low: float, high: float) -> str:
    """Return "85 points", or "58 to 88 points" where some are open."""
    return f"{low:g} points" if low == high else f"{low:g} to {high:g} points"


# Rules that need no model


def check_rule(module: Module, check: RuleCheck, row: TemplateRequest) -> tuple[bool | None, str]:
    """Return whether a row keeps a rule, None where it doesn't show that, with the evidence. Raises ``InputError``
    ``E_TEMPLATE_VALUE``."""
    against = _against(module, check, row)
    if against is None:
        return None, "The row doesn't show it."
    more = f" and {len(against) - _MOST_SHOWN} more" if len(against) > _MOST_SHOWN else ""
    shown = ", ".join(f"“{shorten(str(item), _MOST_LETTERS, placeholder='…')}”" for item in against[:_MOST_SHOWN])
    return not against, f"Against it: {shown}{more}." if against else "Nothing is against it."


def _against(module: Module, check: RuleCheck, row: TemplateRequest) -> Sequence[Any] | None:
    """Return what in a row breaks a rule; None where the row doesn't show it."""
    least, most = check.least or 0.0, math.inf if check.most is None else check.most
    values = row.output.values() if isinstance(row.output, dict) else [row.output]
    match check.name:
        case "confidence":
            stated = row.confidence
            return ["no confidence"] if stated is None else [] if least <= stated <= most else [stated]
        case "expected":
            exact = correctness(module, row.output, row.expected)["match_kind"] == "exact"
            return [] if exact else [text_of(row.output)]
        case "unique-values" | "consecutive-values" if not isinstance(row.output, dict):
            return None
        case "unique-values":
            return _doubles([str(value) for value in values])
        case "consecutive-values":
            there = {str(value).strip().removesuffix(".0") for value in values}
            return [f"no {n}" for n in range(1, len(there) + 1) if str(n) not in there]
    given = row.input if not check.field else row.input.get(check.field) if isinstance(row.input, dict) else None
    items, wanted = items_of(row.output), items_of(given)
    match check.name:
        case "items":
            return [] if least <= len(items) <= most else [f"{len(items)} items"]
        case "no-duplicates":
            return _doubles([item.casefold() for item in items])
        case "expected-share":
            expected = {*items_of(row.expected)}
            return sorted(expected - {*items}) if len(expected & {*items}) < least * len(expected) else []
        case "one-of" if allowed := check.values or wanted:
            return [item for item in (items if module.type == "extraction" else labels_of(row.output))
                    if item not in allowed]  # fmt: skip
    if not wanted:
        return None
    text = " ".join(wanted).casefold()
    match check.name:
        case "case-variants":
            word = wanted[0]
            return [item for item in dict.fromkeys((word.upper(), word.lower(), word.title())) if item not in items]
        case "includes":
            return [item for item in wanted if item not in items]
        case "excludes":
            return [item for item in items if any(_contains(item, word) for word in wanted)]
        case "from-input":
            return [item for value in values for item in items_of(value) if item.casefold() not in text]
        case "reasoning-names":
            return [item for item in wanted if not _contains(row.reasoning, item)]
        case "reasoning-quotes":
            words, reasons = (re.findall(r"\w+", part.casefold()) for part in (text, row.reasoning))
            n = min(int(least or 2), len(words))
            runs = (" ".join(words[at : at + n]) for at in range(len(words) - n + 1))
            return [] if any(f" {run} " in f" {' '.join(reasons)} " for run in runs) else ["no words of the input"]
    raise AssertionError(check.name)


def _doubles(items: Sequence[str]) -> list[str]:
    return [item for item in dict.fromkeys(items) if items.count(item) > 1]


def _contains(text: str, word: str) -> bool:
    """Whether a word or phrase occurs in a text as a whole, in any case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


# A module's outputs as values that can be compared

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def truth_of(value: Any) -> bool:
    """Return True or False from any spelling. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if (word := str(value).strip().lower()) not in _TRUTH:
        raise _wrong("true or false", value)
    return _TRUTH[word]


def label_of(value: Any) -> str:
    """Return a label as a text. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if not isinstance(value, bool | int | str) or not str(value).strip():
        raise _wrong("a label", value)
    return str(value).strip()


def labels_of(value: Any) -> tuple[str, ...]:
    """Return the labels that count as right: one, or a list. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    return tuple(map(label_of, value)) if isinstance(value, list | tuple) and value else (label_of(value),)


def items_of(value: Any) -> tuple[str, ...]:
    """Return the items of an extraction in their order, with duplicates: the members of a list, "name: value" for
    values by name, or a text as one item. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    match value:
        case None | "":
            return ()
        case dict():
            return tuple(f"{name}: {item}" for name, content in value.items() for item in (items_of(content) or ("",)))
        case list() | tuple():
            return tuple(item for member in value for item in items_of(member))
        case str() | bool() | int() | float():
            return (" ".join(str(value).split()),)
    raise _wrong("a list", value)


def text_of(value: Any) -> str:
    """Return a value as shown to people and to the model."""
    if isinstance(value, dict) and value and all(isinstance(item, str | int | float | list) for item in value.values()):
        return "\n".join(f"{name}: {text_of(item)}" for name, item in value.items())
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return "; ".join(value) if value else "(none)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _wrong(what: str, value: Any) -> InputError:
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    return InputError(
        "E_TEMPLATE_VALUE",
        f"Where {what} should stand there is {shown}.",
        "The module's task in its pack says what it puts out.",
    )
