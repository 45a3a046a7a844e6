"""Rules that need no model: counts, doubles, case, membership. Each says whether it is kept, and what was seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ...rubric.template_types import Module, RuleCheck
from .types import TemplateRequest
from .values import field_of, items_of, labels_of, truth_of

Seen = tuple[bool | None, str]
"""Kept, broken, or (None) not to be told from this row; and what was seen."""
_MOST_SHOWN = 5


def check_rule(module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    """Whether a row keeps a rule. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    return _CHECKS[check.name](module, check, row)


def _items(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    n = len(items_of(row.output))
    low, high = check.least or 0, check.most
    kept = n >= low and (high is None or n <= high)
    return kept, f"{n} {'item' if n == 1 else 'items'}."


def _no_duplicates(_module: Module, _check: RuleCheck, row: TemplateRequest) -> Seen:
    double = _doubles([item.casefold() for item in items_of(row.output)])
    return not double, f"Twice: {_shown(double)}." if double else "Nothing stands there twice."


def _unique_values(_module: Module, _check: RuleCheck, row: TemplateRequest) -> Seen:
    if not isinstance(row.output, dict):
        return None, "The output doesn't give values by name."
    double = _doubles([str(value) for value in row.output.values()])
    return not double, f"Given twice: {_shown(double)}." if double else "Each value is given once."


def _consecutive_values(_module: Module, _check: RuleCheck, row: TemplateRequest) -> Seen:
    if not isinstance(row.output, dict):
        return None, "The output doesn't give values by name."
    try:
        values = sorted({int(value) for value in row.output.values()})
    except (TypeError, ValueError):
        return False, "Not every value is a whole number."
    gaps = [str(n) for n in range(1, len(values) + 1) if n not in values]
    return not gaps, f"Missing: {_shown(gaps)}." if gaps else f"From 1 to {len(values)} without a gap."


def _includes(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    wanted = items_of(field_of(row.input, check.field))
    if not wanted:
        return None, _absent(check)
    missing = [item for item in wanted if item not in items_of(row.output)]
    return not missing, f"Missing: {_shown(missing)}." if missing else f"It holds {_shown(wanted)}."


def _case_variants(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    wanted = items_of(field_of(row.input, check.field))
    if not wanted:
        return None, _absent(check)
    forms = dict.fromkeys((wanted[0].upper(), wanted[0].lower(), wanted[0].title()))
    missing = [form for form in forms if form not in items_of(row.output)]
    return not missing, f"Missing: {_shown(missing)}." if missing else f"It holds {_shown(list(forms))}."


def _one_of(module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    known = check.values or items_of(field_of(row.input, check.field))
    if not known:
        return None, _absent(check)
    said = items_of(row.output) if module.type == "extraction" else labels_of(row.output)
    other = [item for item in said if item not in known]
    return not other, f"Not in the list: {_shown(other)}." if other else "All of it is in the list."


def _excludes(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    barred = items_of(field_of(row.input, check.field))
    if not barred:
        return None, _absent(check)
    found = [item for item in items_of(row.output) if any(_holds(item, word) for word in barred)]
    return not found, f"Found: {_shown(found)}." if found else f"None of {_shown(barred)} is in it."


def _from_input(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    given = field_of(row.input, check.field)
    if not given:
        return None, _absent(check)
    text = " ".join(items_of(given)).casefold()
    said = row.output.values() if isinstance(row.output, dict) else [row.output]
    other = [item for value in said for item in items_of(value) if item.casefold() not in text]
    return not other, f"Not in the input: {_shown(other)}." if other else "All of it stands in the input."


def _expected(module: Module, _check: RuleCheck, row: TemplateRequest) -> Seen:
    if module.type == "boolean":
        kept = truth_of(row.output) == truth_of(row.expected)
    elif module.type == "label":
        kept = labels_of(row.output)[0] in labels_of(row.expected)
    else:
        kept = set(items_of(row.output)) == set(items_of(row.expected))
    return kept, "It is what was expected." if kept else "It isn't what was expected."


def _expected_share(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    wanted = set(items_of(row.expected))
    if not wanted:
        return True, "Nothing was expected."
    found = len(wanted & set(items_of(row.output)))
    return found >= (check.least or 0.0) * len(wanted), f"{found} of {len(wanted)} expected items."


def _reasoning_names(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    wanted = items_of(field_of(row.input, check.field))
    if not wanted:
        return None, _absent(check)
    missing = [item for item in wanted if not _holds(row.reasoning, item)]
    return not missing, f"Not named: {_shown(missing)}." if missing else f"It names {_shown(wanted)}."


def _reasoning_quotes(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    text = " ".join(items_of(field_of(row.input, check.field)))
    if not text:
        return None, _absent(check)
    n = int(check.least or 2)
    words, said = (re.findall(r"\w+", each.casefold()) for each in (text, row.reasoning))
    held = f" {' '.join(said)} "
    n = min(n, len(words))
    runs = (" ".join(words[at : at + n]) for at in range(len(words) - n + 1))
    found = next((run for run in runs if f" {run} " in held), None)
    return found is not None, f"It quotes “{found}”." if found else "It quotes no words of the input."


def _confidence(_module: Module, check: RuleCheck, row: TemplateRequest) -> Seen:
    if row.confidence is None:
        return False, "No confidence is stated."
    low, high = check.least or 0.0, 1.0 if check.most is None else check.most
    return low <= row.confidence <= high, f"The confidence is {row.confidence:.2f}."


_CHECKS: dict[str, Callable[[Module, RuleCheck, TemplateRequest], Seen]] = {
    "items": _items,
    "no-duplicates": _no_duplicates,
    "unique-values": _unique_values,
    "consecutive-values": _consecutive_values,
    "includes": _includes,
    "case-variants": _case_variants,
    "one-of": _one_of,
    "excludes": _excludes,
    "from-input": _from_input,
    "expected": _expected,
    "expected-share": _expected_share,
    "reasoning-names": _reasoning_names,
    "reasoning-quotes": _reasoning_quotes,
    "confidence": _confidence,
}


def _doubles(items: Sequence[str]) -> list[str]:
    return [item for item in dict.fromkeys(items) if items.count(item) > 1]


def _holds(text: str, word: str) -> bool:
    """Whether a word or phrase stands in a text by itself, whatever its case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _absent(check: RuleCheck) -> str:
    return f"The row's input gives no “{check.field}”." if check.field else "The row gives no input."


def _shown(items: Sequence[Any]) -> str:
    more = f" and {len(items) - _MOST_SHOWN} more" if len(items) > _MOST_SHOWN else ""
    return ", ".join(f"“{item}”" for item in items[:_MOST_SHOWN]) + more
