"""A fake engine's answers about rows of the shipped packs: it recognises a sound row by the clean output of its case,
and sound reasoning by its quotation marks."""

from __future__ import annotations

from jokejudge_gui.judge.templates.types import text_of
from jokejudge_gui.rubric.templates import Pack, find_pack

CASES = {
    (pack.source, module.id, at): case
    for pack in (find_pack("seeds"), find_pack("stages"))
    for module in pack.modules
    for at, case in enumerate(module.cases)
}


def knowing(prompt: str, question: str, label: str) -> float:
    """Return a bias for the right answer."""
    if label.strip().isdigit():
        sound = prompt.count('"') > 1 and "no doubt" not in prompt and _own(prompt)
        top = "4" if "to 4" in question else "2"
        return 12.0 if label == (top if sound else "0") else 0.0
    planted = any(text in prompt for text in PLANTED)
    broken = "break this rule" in question
    return 9.0 if (label.strip().lower() == "yes") == (planted == broken) else 0.0


def _own(prompt: str) -> bool:
    for case in CASES.values():
        if case.reasoning in prompt:
            return text_of(case.input) in prompt
    return True


def _planted(pack: Pack) -> set[str]:
    return {
        f"Output: {text_of(each.output)}\n"
        for module in pack.modules
        for rule in module.rules
        for each in rule.violated
        if all(each.output != case.output for case in module.cases)
    }


PLANTED = _planted(find_pack("seeds"))


def quoting(prompt: str, _branch: str) -> str:
    """Quote the beginning of the output."""
    return prompt.split("Output: ")[-1].split("\n")[0][:12] + '"'
