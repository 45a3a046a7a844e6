"""What a pack of judge templates says, as values."""

from __future__ import annotations

from typing import Any, Literal

from ..verdicts import Frozen

ModuleType = Literal["boolean", "label", "extraction"]
CheckName = Literal[
    "items",
    "no-duplicates",
    "unique-values",
    "consecutive-values",
    "includes",
    "case-variants",
    "one-of",
    "excludes",
    "from-input",
    "expected",
    "expected-share",
    "reasoning-names",
    "reasoning-quotes",
    "confidence",
]
RULES = 4
"""Rules of a module, no more and no fewer: ten points each."""


class RuleCheck(Frozen):
    """How the program checks a rule. ``field``: of the row's input; ``least``, ``most``: of items, of words in a row,
    or (``expected-share``) a share 0…1; ``values``: what may be answered."""

    name: CheckName
    field: str = ""
    least: float | None = None
    most: float | None = None
    values: tuple[str, ...] = ()


class Planted(Frozen):
    """An output that breaks a rule, in the place of that of a case (counted from 1)."""

    case: int
    output: Any


class Rule(Frozen):
    """One of a module's rules. ``check`` None: the model is asked, and ``violated`` are what it must find out."""

    name: str
    says: str
    check: RuleCheck | None = None
    violated: tuple[Planted, ...] = ()


class Case(Frozen):
    """A row that keeps every rule, with sound reasoning: what planted violations are made of. ``input``: a text, or
    texts and lists by name."""

    input: Any
    expected: Any
    output: Any
    reasoning: str


class Module(Frozen):
    """A judge's template for the outputs of one module. ``separator``: between a label's category and its sub-label;
    ``same_case``: whether two items that differ in case alone are two items."""

    id: str
    name: str
    type: ModuleType
    task: str
    rules: tuple[Rule, ...]
    cases: tuple[Case, ...] = ()
    separator: str = "/"
    same_case: bool = True


class Pack(Frozen):
    """Templates that belong together. ``source``: the name of a shipped one, or the path of a file; ``version``: the
    file's number and 12 hex digits that change with any of its words."""

    source: str
    name: str
    about: str
    version: str
    modules: tuple[Module, ...]

    def module(self, identity: str) -> Module | None:
        """The module with this id."""
        return next((module for module in self.modules if module.id == identity), None)
