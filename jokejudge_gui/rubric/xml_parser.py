"""The criteria files: read, checked against their schemas and against each other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from lxml import etree

from ..errors import CriteriaError
from ..paths import criteria_dir, resources_dir
from ..verdicts import CHECKS
from .types import Category, Check, ContrastSet, Criteria, ExampleSet, Factor, FactorSet, JudgeTemplate
from .xml_file import FileMarks, file_marks, read_xml

CATEGORIES = "criteria_categories_jokes.xml"
FACTORS = "factors_to_judge_jokes.xml"
EXAMPLES = "good_vs_bad_jokes.xml"
CONTRAST = "contrast_texts.xml"
TEMPLATE = "judge_template.xml"
_LEAST_CONTRAST = 8
"""Texts on each side that a check's power is measured with (METHODS, a)."""


def parse_categories(path: Path | None = None) -> tuple[Category, ...]:
    """The categories in file order, without their factors. Raises ``CriteriaError``."""
    path = path or criteria_dir() / CATEGORIES
    root = _read(path)
    elements = list(root.iter("category"))
    _distinct(path, elements, ("id", "name"))
    taken = {_attribute(element, "id") for element in elements}
    for element in elements:
        for old in _attribute(element, "was").split():
            if old in taken:
                raise _duplicate(path, element, f"the id “{old}”")
            taken.add(old)
    wide = {_attribute(element, "id") for element in elements if not _attribute(element, "within")}
    for element in elements:
        wider = _attribute(element, "within")
        if wider and wider not in wide:
            raise CriteriaError(
                "E_CRITERIA_CATEGORY",
                f"{path.name}, line {element.sourceline}: “{wider}” is no category that others can lie within.",
                "Name a category that lies within no other, or take “within” out.",
            )
    return tuple(
        Category(
            id=_attribute(element, "id"),
            name=_attribute(element, "name"),
            group=_attribute(group, "name"),
            description=_child(element, "description"),
            ask=_child(element, "ask"),
            example=_child(element, "example"),
            was=tuple(_attribute(element, "was").split()),
            within=_attribute(element, "within"),
        )
        for group in root.iterfind("group")
        for element in group.iterfind("category")
    )


def parse_factors(path: Path | None = None) -> FactorSet:
    """The factors, and which belong to each category. Raises ``CriteriaError``."""
    path = path or criteria_dir() / FACTORS
    root = _read(path)
    elements = list(root.iterfind("factor"))
    _distinct(path, elements, ("id", "name"))
    factors = tuple(
        Factor(
            id=_attribute(element, "id"),
            name=_attribute(element, "name"),
            explanation=_child(element, "explanation"),
            zero=_child(element, "zero"),
            five=_child(element, "five"),
            good_example=_child(element, "good"),
            bad_example=_child(element, "bad"),
        )
        for element in elements
    )
    known = {factor.id for factor in factors}
    lists = list(root.iterfind("of"))
    _distinct(path, lists, ("category",))
    of_category: dict[str, tuple[str, ...]] = {}
    for element in lists:
        names = tuple((element.text or "").split())
        for name in names:
            if name not in known:
                raise CriteriaError(
                    "E_CRITERIA_FACTOR",
                    f"{path.name}, line {element.sourceline}: there is no factor “{name}”.",
                    "Define it in the same file, or take it out of the list.",
                )
        if len(set(names)) != len(names):
            raise _duplicate(path, element, "a factor of this category")
        of_category[_attribute(element, "category")] = names
    return FactorSet(factors=factors, of_category=of_category)


def parse_examples(path: Path | None = None) -> ExampleSet:
    """The funny and boring examples of the duel. Raises ``CriteriaError``."""
    path = path or criteria_dir() / EXAMPLES
    root = _read(path)
    _distinct_texts(path, root.iter("joke"))
    good, boring = (_texts(root, f"{side}/joke") for side in ("good", "boring"))
    if len(good) != len(boring):
        raise CriteriaError(
            "E_CRITERIA_EXAMPLES",
            f"{path.name}, line {root.sourceline}: {len(good)} funny and {len(boring)} boring examples don't pair up.",
            "Give as many of one as of the other.",
        )
    return ExampleSet(method=_child(root, "method"), good=good, boring=boring)


def parse_contrast(path: Path | None = None) -> ContrastSet:
    """Texts whose answer is known. Raises ``CriteriaError``, also for fewer than eight on a side of a check."""
    path = path or criteria_dir() / CONTRAST
    root = _read(path)
    _distinct_texts(path, root.iter("text"))
    sides = list(root.iterfind("inadmissible"))
    _distinct(path, sides, ("check",))
    inadmissible = {_attribute(side, "check"): _texts(side, "text") for side in sides}
    contrast = ContrastSet(
        admissible=_texts(root, "admissible/text"),
        inadmissible=inadmissible,
        neutral=_texts(root, "neutral/text"),
        baseline=_texts(root, "baseline/text"),
    )
    for check in CHECKS:
        few = len(inadmissible.get(check, ()))
        if few < _LEAST_CONTRAST or len(contrast.admissible) < _LEAST_CONTRAST:
            raise CriteriaError(
                "E_CRITERIA_CONTRAST",
                f"{path.name}, line {root.sourceline}: the check “{check}” has too few contrast texts ({few}).",
                f"Give at least {_LEAST_CONTRAST} on each side.",
            )
    return contrast


def parse_template(path: Path | None = None) -> JudgeTemplate:
    """The admissibility checks. Raises ``CriteriaError``, also when one of the five is missing."""
    path = path or criteria_dir() / TEMPLATE
    root = _read(path)
    elements = list(root.iterfind("check"))
    _distinct(path, elements, ("id", "name"))
    checks = tuple(
        Check(
            id=_attribute(element, "id"),
            name=_attribute(element, "name"),
            description=_child(element, "description"),
            rejects_when=_child(element, "rejects_when"),
            admits=_child(element, "admits"),
            rejects=_child(element, "rejects"),
        )
        for element in elements
    )
    missing = [name for name in CHECKS if name not in {check.id for check in checks}]
    if missing:
        raise CriteriaError(
            "E_CRITERIA_CHECK",
            f"{path.name}, line {root.sourceline}: the check “{missing[0]}” is missing.",
            "Restore it: a verdict has all five.",
        )
    return JudgeTemplate(checks=checks)


def parse_first_examples(path: Path | None = None) -> tuple[str, ...]:
    """The jokes offered at the first start. Raises ``CriteriaError``."""
    path = path or resources_dir() / "examples.xml"
    root = _read(path)
    _distinct_texts(path, root.iter("joke"))
    return _texts(root, "joke")


def load_criteria(folder: Path | None = None) -> Criteria:
    """All criteria of a folder, checked against each other; read once, while the files stay as they are. Raises
    ``CriteriaError`` with file and line."""
    folder = folder or criteria_dir()
    paths = [folder / name for name in (CATEGORIES, FACTORS, EXAMPLES, CONTRAST, TEMPLATE)]
    marks = file_marks(*paths, *(path.with_suffix(".rng") for path in paths))
    return _loaded(folder) if marks is None else _loaded_once(folder, marks)


@lru_cache(maxsize=4)
def _loaded_once(folder: Path, _marks: FileMarks) -> Criteria:
    return _loaded(folder)


def _loaded(folder: Path) -> Criteria:
    factors = parse_factors(folder / FACTORS)
    categories = []
    for category in parse_categories(folder / CATEGORIES):
        names = factors.of_category.get(category.id)
        if not names:
            raise CriteriaError(
                "E_CRITERIA_FACTOR",
                f"{FACTORS}, line 1: the category “{category.id}” of {CATEGORIES} has no factors.",
                f'Add <of category="{category.id}">…</of> with the ids of its factors.',
            )
        categories.append(category.replaced(factors=names))
    unknown = set(factors.of_category) - {category.id for category in categories}
    if unknown:
        raise CriteriaError(
            "E_CRITERIA_CATEGORY",
            f"{FACTORS}, line 1: factors are listed for “{min(unknown)}”, which is no category of {CATEGORIES}.",
            "Mend the name, or add the category.",
        )
    return Criteria(
        version="",
        categories=tuple(categories),
        factors=factors.factors,
        examples=parse_examples(folder / EXAMPLES),
        contrast=parse_contrast(folder / CONTRAST),
        template=parse_template(folder / TEMPLATE),
    ).versioned()


def _read(path: Path) -> etree._Element:
    return read_xml(path, path.with_suffix(".rng"))


def _attribute(element: etree._Element, name: str) -> str:
    return " ".join(element.get(name, "").split())


def _child(element: etree._Element, name: str) -> str:
    return " ".join((element.findtext(name) or "").split())


def _texts(element: etree._Element, path: str) -> tuple[str, ...]:
    return tuple(" ".join((found.text or "").split()) for found in element.iterfind(path))


def _distinct(path: Path, elements: Iterable[etree._Element], attributes: tuple[str, ...]) -> None:
    """Each attribute's values are all different, letter case aside."""
    for attribute in attributes:
        seen: set[str] = set()
        for element in elements:
            value = _attribute(element, attribute).lower()
            if value in seen:
                raise _duplicate(path, element, f"the {attribute} “{_attribute(element, attribute)}”")
            seen.add(value)


def _distinct_texts(path: Path, elements: Iterable[etree._Element]) -> None:
    seen: set[str] = set()
    for element in elements:
        text = " ".join((element.text or "").split()).lower()
        if text in seen:
            raise _duplicate(path, element, "this text")
        seen.add(text)


def _duplicate(path: Path, element: etree._Element, what: str) -> CriteriaError:
    return CriteriaError(
        "E_CRITERIA_DUPLICATE",
        f"{path.name}, line {element.sourceline}: {what} stands there twice.",
        "Keep one of them.",
    )
