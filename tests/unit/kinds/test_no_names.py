"""Nothing asks which kind a verdict is of but the kinds' own rooms and views: a new kind touches no other file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import jokejudge_gui
from jokejudge_gui.judge.kinds import KINDS

PACKAGE = Path(jokejudge_gui.__file__).parent
OWN_ROOMS = (
    "judge/rating/",
    "judge/duel/",
    "judge/contest/",
    "judge/audit/",
    "judge/versions.py",
    "judge/set/",
    "judge/ensemble.py",
    "judge/templates/",
    "cli/contest.py",
    "batch/contest",
    "measure/audit.py",
    "ui/trust/works",
    "cli/set.py",
    "cli/template.py",
    "measure/template_",
    "ui/rate/",
    "ui/duel/",
    "ui/contest/",
)
RESULTS = {kind.result.__name__ for kind in KINDS.values()}
MEASURED_APART = {
    # What is measured about pairs and about texts are two different things, not two kinds of verdict shown alike.
    "measure/evaluating.py",
    # Many ratings or many duels are asked for by a list of one column or of two.
    "api.py",
    # Trust shows what is known of the kind of text rated last, and counts the duels of a trial on one's own jokes.
    "ui/trust/tab.py",
    "ui/trust/agree.py",
}


def asked(tree: ast.AST) -> Iterator[int]:
    """Lines that compare a kind's name or test for a kind's result."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            sides = [node.left, *node.comparators]
            kinds = [side for side in sides if isinstance(side, ast.Constant) and side.value in KINDS]
            if kinds:
                yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            named = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
            if named & RESULTS:
                yield node.lineno


def test_no_module_outside_asks_for_the_kind_of_a_verdict() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(OWN_ROOMS) and name not in MEASURED_APART:
            found += [f"{name}:{line}" for line in asked(ast.parse(path.read_text(encoding="utf-8")))]
    assert found == []


_UNCHECKED = re.compile(r"model_copy\(\s*(?!\))")
"""Pydantic's copy with changes, whose names and values nobody checks."""


def test_no_value_is_copied_with_unchecked_fields() -> None:
    found = [path for path in sorted(PACKAGE.rglob("*.py")) if _UNCHECKED.search(path.read_text(encoding="utf-8"))]
    assert found == []
