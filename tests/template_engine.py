"""Sound rows of the shipped pack, and a fake engine's answers about such rows: rules are kept unless the output holds
one of the planted words, and reasoning with quotation marks is sound."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[str, Any]] = {
    "M01": {
        "input": {"brand": "Northpeak", "product": "two-person tent"},
        "output": ["Northpeak", "northpeak", "NORTHPEAK", "North Peak"],
        "reasoning": 'The input gives the brand "Northpeak". Its case varies in searches. The two words are a guess.',
    },
    "M01a": {
        "input": {"brand": "Silverleaf", "product": "green tea"},
        "output": ["SILVERLEAF", "silverleaf", "Silverleaf", "Silverlaef", "SL"],
        "reasoning": '"Silverleaf" is written in three cases. Swapping a and e is an easy slip, and SL shortens it.',
    },
    "M02": {
        "input": {"keyword": "NORTHPEAK tent", "brand": "Northpeak", "competitors": ["Trailfox"]},
        "output": "OWN",
        "reasoning": 'The keyword "NORTHPEAK tent" holds the brand, in capitals, which makes no difference. I am sure.',
    },
    "M05": {
        "input": {"keywords": ["two-person tent", "Northpeak tent", "light tent"], "brands": ["Northpeak", "Trailfox"]},
        "output": ["two-person tent", "light tent"],
        "reasoning": '"Northpeak tent" names the brand "Northpeak" and goes. The others name none and stay.',
    },
    "M07": {
        "input": "Green nylon tent for two people, 2 kg.",
        "output": {"color": "green", "material": "nylon", "size": "two people", "weight": "2 kg"},
        "reasoning": 'The text says "Green nylon tent", "for two people" and "2 kg". Nothing is guessed.',
    },
    "M08": {
        "input": "A tent for two hikers who carry it all day. Attributes: weight, size, label colour.",
        "output": {"weight": 1, "size": 2, "label colour": 3},
        "reasoning": 'Hikers "carry it all day", so weight comes first. The label\'s colour hardly matters.',
    },
    "M13": {
        "input": {"keyword": "Northpeak green hiking tent", "product": "blue Northpeak tent"},
        "output": True,
        "reasoning": 'Both are tents: "green" and "blue" are variants. So the type is the same.',
    },
}
PLANTED = "another type than a blue"


def row(module: str = "M01", id: str = "1", **changes: Any) -> dict[str, Any]:
    """A row that keeps every rule, with changes."""
    sound = ROWS.get(module, ROWS["M01"])
    return {"id": id, "module": module, **sound, "expected": sound["output"], "confidence": 0.9, **changes}


def knowing(prompt: str, question: str, label: str) -> float:
    """Return a bias for the right answer."""
    if label.strip().isdigit():
        top = "4" if "to 4" in question else "2"
        return 12.0 if label == (top if prompt.count('"') > 1 else "0") else 0.0
    broken = PLANTED in prompt and "Variants" in question
    return 9.0 if (label.strip().lower() == "yes") == (("break this rule" in question) == broken) else 0.0


def quoting(prompt: str, _branch: str) -> str:
    """Quote the beginning of the output."""
    return prompt.split("Output: ")[-1].split("\n")[0][:12] + '"'
