"""Packs of judge templates: those that ship (criteria/judge_templates) and the user's own, read from XML."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..core.errors import CriteriaError, UsageError
from ..core.paths import criteria_dir
from ..core.verdicts import Frozen
from .prompts import PromptSet, parse_prompts
from .xml_parser import parse_categories, parse_factors, read_xml, tidy, value_of, wrong

if TYPE_CHECKING:
    from lxml import etree  # slow to import, and not needed to show a verdict

ModuleType = Literal["boolean", "label", "extraction"]
CheckName = Literal[
    "items", "no-duplicates", "unique-values", "consecutive-values", "includes", "case-variants", "one-of", "excludes",
    "from-input", "expected", "expected-share", "reasoning-names", "reasoning-quotes", "confidence",
]  # fmt: skip
RULES = 4
"""Exact number of a module's rules: ten points each."""


class RuleCheck(Frozen):
    """The program's check of a rule. ``field``: of the row's input; ``least``, ``most``: number of items, number of
    consecutive words, or (``expected-share``) a share 0…1; ``values``: the allowed answers."""

    name: CheckName
    field: str = ""
    least: float | None = None
    most: float | None = None
    values: tuple[str, ...] = ()


class Rule(Frozen):
    """One of a module's rules. ``check`` None: the model is asked whether it is kept."""

    name: str
    says: str
    check: RuleCheck | None = None


class Module(Frozen):
    """A judge's template for the outputs of one module. ``separator``: between a label's category and its sub-label;
    ``same_case``: whether two items that differ only in case are two items."""

    id: str
    name: str
    type: ModuleType
    task: str
    rules: tuple[Rule, ...]
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

    def module(self, id: str) -> Module:
        """Return the module with this id. Raises ``UsageError`` ``E_TEMPLATE_MODULE``."""
        for module in self.modules:
            if module.id == id:
                return module
        ids = ", ".join(module.id for module in self.modules)
        raise UsageError("E_TEMPLATE_MODULE", f"The pack {self.source} has no module {id[:40]!r}.", f"It has {ids}.")


SCHEMA = "pack.rng"
_PACKS = ("seeds", "stages")
_NEEDS = {
    "items": ("least", "most"),
    "includes": ("field",),
    "case-variants": ("field",),
    "one-of": ("field", "values"),
    "excludes": ("field",),
    "expected-share": ("least",),
    "reasoning-names": ("field",),
}
"""The arguments of each check, of which it needs at least one."""


def templates_dir() -> Path:
    """Return the folder of the shipped packs, with their schema and the prompts about rules."""
    return criteria_dir() / "judge_templates"


def shipped_packs() -> tuple[Pack, ...]:
    """Return the shipped packs. Raises ``CriteriaError``."""
    return tuple(find_pack(name) for name in _PACKS)


def find_pack(name: str) -> Pack:
    """Return a shipped pack by its name, or the user's own by its file. Raises ``UsageError`` ``E_TEMPLATE_PACK`` where
    there is neither, ``CriteriaError`` for a faulty file."""
    path = templates_dir() / f"{name}.xml" if name in _PACKS else Path(name)
    try:
        stat = path.stat()
    except (OSError, ValueError) as error:
        hint = f"Use {' or '.join(_PACKS)}, or the name of an XML file of your own."
        raise UsageError("E_TEMPLATE_PACK", f"There's no pack of judge templates {name!r}.", hint) from error
    return _read(name, path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=1)
def template_prompts() -> PromptSet:
    """Return the prompts about rules and reasoning. Raises ``CriteriaError``."""
    return parse_prompts(templates_dir() / "prompts.xml", criteria_dir() / "prompts.rng")


@lru_cache(maxsize=8)
def _read(name: str, path: Path, _changed: int, _size: int) -> Pack:
    """Read a pack, once while the file doesn't change: a run asks for its pack at every row."""
    root = read_xml(path, templates_dir() / SCHEMA)
    modules = tuple(_module(path, element) for element in root.iterfind("module"))
    if len({module.id.lower() for module in modules}) < len(modules):
        raise _wrong(path, None, "two modules have the same id")
    digest = hashlib.sha256(json.dumps([module.model_dump() for module in modules]).encode()).hexdigest()[:12]
    return Pack(
        source=name,
        name=str(root.get("name")),
        about=tidy(root.findtext("about")),
        version=f"{root.get('version')}-{digest}",
        modules=modules,
    )


def _module(path: Path, element: etree._Element) -> Module:
    rules = tuple(
        Rule(
            name=str(rule.get("name")),
            says=tidy(rule.findtext("says")),
            check=_check(path, rule) if rule.get("check") else None,
        )
        for rule in element.iterfind("rule")
    )
    if len(rules) != RULES or len({rule.name for rule in rules}) != RULES:
        raise _wrong(path, element, f"the module “{element.get('id')}” must have {RULES} rules of different names")
    same_case = element.get("case", "same") == "same"
    return value_of(Module, element, rules=rules, separator=element.get("separator", "/"), same_case=same_case)


def _check(path: Path, element: etree._Element) -> RuleCheck:
    name = str(element.get("check"))
    values = tuple(value.strip() for value in (element.get("values") or "").split(",") if value.strip())
    if element.get("of") == "kinds":
        values = tuple(f"{item.group}/{item.name}" for item in parse_categories())
    elif element.get("of") == "factors":
        values = tuple(item.id for item in parse_factors()[0])
    check = value_of(RuleCheck, element, name=name, values=values)
    needs = _NEEDS.get(name, ())
    if needs and not any(getattr(check, need) not in ("", None, ()) for need in needs):
        raise _wrong(path, element, f"the check “{name}” needs {' or '.join(needs)}")
    if check.least is not None and check.most is not None and check.least > check.most:
        raise _wrong(path, element, f"the check “{name}” asks for at least {check.least} and at most {check.most}")
    return check


def _wrong(path: Path, element: etree._Element | None, what: str) -> CriteriaError:
    hint = f"Correct that line; see {SCHEMA} for what may stand there."
    return wrong(path, element, what, hint, code="E_TEMPLATE_PACK")
