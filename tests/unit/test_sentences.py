"""What people read is spelt one way throughout: apostrophes are straight, as in the README; quotation marks curly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import jokejudge_gui

PACKAGE = Path(jokejudge_gui.__file__).parent
IN_A_WORD = re.compile(r"(?<=\w)’|’(?=\w)|(?<=\w)‘(?=\w)")
"""A curly apostrophe that touches a letter. In a pattern that people's own texts are matched with it stands alone."""


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every string of a module, the constant parts of f-strings among them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@pytest.mark.parametrize(
    ("source", "curly"),
    [
        ('say("It can’t be read.")', True),
        ('say(f"With {longer}’s {extra}")', True),
        ('say("It can\'t be read.")', False),
        ('re.compile(r"\\w+(?:[\'’]\\w+)*")', False),
        ('text.replace("’", "\'")', False),
    ],
)
def test_sentences_are_told_from_patterns(source: str, curly: bool) -> None:
    assert any(IN_A_WORD.search(text) for _, text in texts(source)) is curly


def test_what_only_a_checkout_has_is_named_where_an_installed_package_is_told_from_one() -> None:
    named = {
        str(module.relative_to(PACKAGE))
        for module in PACKAGE.rglob("*.py")
        for _, text in texts(module.read_text("utf-8"))
        if "packaging/run.py" in text
    }
    assert named == {"core/paths.py"}
