"""The criteria files: read, checked against their schemas and against each other."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, get_origin

from pydantic import Field

from ..core.errors import CriteriaError
from ..core.paths import criteria_dir, resources_dir
from ..core.verdicts import CHECKS, Frozen

if TYPE_CHECKING:
    from lxml import etree  # takes its time to load, and help needs no file of criteria

# The content of the criteria files, as values.


class Category(Frozen):
    """A kind of joke. ``ask``: a description in a few words; ``factors``: ids, most specific first; ``was``: ids of
    kinds that were merged into it; ``within``: id of the wider kind that contains it, or ""."""

    id: str
    name: str
    group: str
    description: str
    ask: str
    example: str
    factors: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    within: str = ""


class Factor(Frozen):
    """A quality that a joke is scored on, with descriptions of 0 and 5 and a short example of each end. ``middle``: a
    description of half the scale, may be empty."""

    id: str
    name: str
    explanation: str
    zero: str
    five: str
    good_example: str
    bad_example: str
    middle: str = ""


class FactorSet(Frozen):
    """All factors, and for each category id the ids of its factors."""

    factors: tuple[Factor, ...]
    of_category: dict[str, tuple[str, ...]]


class ExampleSet(Frozen):
    """Funny jokes and boring texts, pairs alike in subject and length, and how to compare them."""

    method: str
    good: tuple[str, ...]
    boring: tuple[str, ...]


class ContrastSet(Frozen):
    """Texts whose answer is known. ``inadmissible``: by check id; ``neutral``: plain statements; ``baseline``: varied
    jokes."""

    admissible: tuple[str, ...]
    inadmissible: dict[str, tuple[str, ...]]
    neutral: tuple[str, ...]
    baseline: tuple[str, ...]


class Check(Frozen):
    """An admissibility check with its two questions: ``admits``, where yes admits, and ``rejects``, where yes
    rejects."""

    id: str
    name: str
    description: str
    rejects_when: str
    admits: str
    rejects: str


class JudgeTemplate(Frozen):
    """The admissibility checks in order."""

    checks: tuple[Check, ...]


class OwnFault(Frozen):
    """A fault of the user's own, or one whose meaning the user changed: no head finds it, so it is never a finding.
    ``says``: the end of a sentence that begins with "it"; ``ask``: a model is asked about it in each rating."""

    id: str
    name: str
    says: str
    ask: bool = False


class Criteria(Frozen):
    """All criteria, checked against each other. ``version`` (12 hex digits) changes with any of their words.

    Of a user's own criteria: ``unread``: ids by section (kind, factor, fault) of items that no head has learned, or
    only in an earlier meaning; ``always``: ids of factors that the model is asked about in each rating; ``weights``: of
    factors, each 0…1, with the sum 1; empty: none are set; ``own_faults``: those that only a model could be asked
    about."""

    version: str
    categories: tuple[Category, ...]
    factors: tuple[Factor, ...]
    examples: ExampleSet
    contrast: ContrastSet
    template: JudgeTemplate
    unread: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    always: tuple[str, ...] = ()
    weights: dict[str, float] = Field(default_factory=dict)
    own_faults: tuple[OwnFault, ...] = ()

    def factor(self, identity: str) -> Factor:
        """Return the factor with this id. Raises ``KeyError`` if there is none."""
        for factor in self.factors:
            if factor.id == identity:
                return factor
        raise KeyError(identity)

    def versioned(self) -> Criteria:
        """Return a copy with the version of its words. Defaults don't count, so that the shipped criteria keep their
        version when the program gets further optional fields."""
        words = self.replaced(version="").model_dump_json(exclude_defaults=True)
        return self.replaced(version=hashlib.sha256(words.encode("utf-8")).hexdigest()[:12])


# One careful way to read an XML file: no entities, no DTD, no network, checked against its schema.

_MOST_BYTES = 4 * 1024 * 1024
_FRESH_NS = 2 * 10**9
FileMarks = tuple[tuple[int, int, int], ...]
V = TypeVar("V", bound=Frozen)


def file_marks(*paths: Path) -> FileMarks | None:
    """Return marks that change with the files, for a cache of their content. None: don't cache, because one is missing
    or was written so recently that another write might leave its time the same."""
    try:
        states = [path.stat() for path in paths]
    except (OSError, ValueError):
        return None
    if time.time_ns() - max(state.st_mtime_ns for state in states) < _FRESH_NS:
        return None
    return tuple((state.st_ino, state.st_mtime_ns, state.st_size) for state in states)


def read_xml(path: Path, schema: Path) -> etree._Element:
    """Return the root of ``path`` after validation against the RelaxNG ``schema``.

    Raises ``CriteriaError`` (``E_CRITERIA_MISSING``, ``E_CRITERIA_DTD``, ``E_CRITERIA_XML``, ``E_CRITERIA_SCHEMA``)
    whose sentence names the file and, where there is one, the line.
    """
    from lxml import etree

    try:
        # Reading a device or a pipe might never end.
        if path.exists() and not path.is_file():
            raise CriteriaError("E_CRITERIA_MISSING", f"{path.name} isn't a plain file.", "Give another name.")
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
        rules = etree.RelaxNG(etree.fromstring(schema.read_bytes(), _parser()))
    except FileNotFoundError as error:
        raise CriteriaError(
            "E_CRITERIA_MISSING",
            f"The file {error.filename} is missing.",
            "Install JokeJudge again, or restore the file.",
        ) from error
    except OSError as error:
        raise CriteriaError(
            "E_CRITERIA_MISSING", f"{path.name} can't be read: {error.strerror}.", "Check the file's permissions."
        ) from error
    if len(data) > _MOST_BYTES:
        raise CriteriaError("E_CRITERIA_XML", f"{path.name} is larger than 4 MiB.", "Restore the file.")
    try:
        root = etree.fromstring(data, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise CriteriaError(
            "E_CRITERIA_XML", f"{path.name}, line {line}: this is not sound XML ({error}).", "Correct that line."
        ) from error
    tree = root.getroottree()
    if tree.docinfo.doctype or tree.docinfo.internalDTD is not None:
        raise CriteriaError(
            "E_CRITERIA_DTD",
            f"{path.name}, line 1: the file declares a document type, which is not allowed.",
            "Remove the DOCTYPE; write characters directly instead of entities.",
        )
    if not rules.validate(root):
        first = rules.error_log[0]
        raise CriteriaError(
            "E_CRITERIA_SCHEMA",
            f"{path.name}, line {first.line}: {first.message}.",
            f"See {schema.name} for what may stand there.",
        )
    return root


def _parser() -> etree.XMLParser:
    from lxml import etree

    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def wrong(code: str, path: Path, element: etree._Element | None, what: str, hint: str) -> CriteriaError:
    """Return an error about a file, with the line of the element (None: the first)."""
    line = element.sourceline if element is not None else 1
    return CriteriaError(code, f"{path.name}, line {line}: {what}.", hint)


def tidy(text: str | None) -> str:
    """Return a text with one blank between its words."""
    return " ".join((text or "").split())


def texts(element: etree._Element, path: str) -> tuple[str, ...]:
    """Return the texts of all elements on a path."""
    return tuple(tidy(found.text) for found in element.iterfind(path))


def value_of(kind: type[V], element: etree._Element, *, as_written: bool = False, **given: object) -> V:
    """Return a value whose fields are the attributes and child elements of the same names, except those in ``given``; a
    tuple's words are separated by blanks. ``as_written``: white space is kept."""
    found = dict(given)
    for name, field in kind.model_fields.items():
        text = element.get(name, element.findtext(name))
        if name not in given and text is not None:
            text = text if as_written else tidy(text)
            found[name] = text.split() if get_origin(field.annotation) is tuple else text
    return kind.model_validate(found)


def distinct(path: Path, elements: Iterable[etree._Element], *attributes: str) -> None:
    """Raise ``CriteriaError`` where two elements have the same value of an attribute, letter case aside; without
    attributes: the same text."""
    elements = list(elements)
    for attribute in attributes or ("",):
        seen: set[str] = set()
        for element in elements:
            value = tidy(element.get(attribute) if attribute else element.text)
            if value.lower() in seen:
                raise _twice(path, element, f"the {attribute} “{value}”" if attribute else "this text")
            seen.add(value.lower())


def _twice(path: Path, element: etree._Element, what: str) -> CriteriaError:
    return wrong("E_CRITERIA_DUPLICATE", path, element, f"{what} appears twice", "Keep one of them.")


# The criteria files.

CATEGORIES = "criteria_categories_jokes.xml"
FACTORS = "factors_to_judge_jokes.xml"
EXAMPLES = "good_vs_bad_jokes.xml"
CONTRAST = "contrast_texts.xml"
TEMPLATE = "judge_template.xml"
_LEAST_CONTRAST = 8
"""Least number of texts on each side for measuring a check's power (METHODS, a)."""


def parse_categories(path: Path | None = None) -> tuple[Category, ...]:
    """Read the categories in file order, without their factors. Raises ``CriteriaError``."""
    path, root = _read(path, CATEGORIES)
    elements = list(root.iter("category"))
    distinct(path, elements, "id", "name")
    found = tuple(value_of(Category, each, group=tidy(group.get("name"))) for group in root for each in group)
    taken = {category.id for category in found}
    wide = {category.id for category in found if not category.within}
    for element, category in zip(elements, found, strict=True):
        for old in category.was:
            if old in taken:
                raise _twice(path, element, f"the id “{old}”")
            taken.add(old)
        if category.within and category.within not in wide:
            raise wrong(
                "E_CRITERIA_CATEGORY",
                path,
                element,
                f"“{category.within}” is no category that others can lie within",
                "Name a category that lies within no other, or take “within” out.",
            )
    return found


def parse_factors(path: Path | None = None) -> FactorSet:
    """Read the factors, and those of each category. Raises ``CriteriaError``."""
    path, root = _read(path, FACTORS)
    elements, lists = list(root.iterfind("factor")), list(root.iterfind("of"))
    distinct(path, elements, "id", "name")
    factors = tuple(
        value_of(Factor, each, good_example=tidy(each.findtext("good")), bad_example=tidy(each.findtext("bad")))
        for each in elements
    )
    known = {factor.id for factor in factors}
    distinct(path, lists, "category")
    of_category: dict[str, tuple[str, ...]] = {}
    for element in lists:
        names = tuple((element.text or "").split())
        for name in names:
            if name not in known:
                hint = "Define it in the same file, or take it out of the list."
                raise wrong("E_CRITERIA_FACTOR", path, element, f"there is no factor “{name}”", hint)
        if len(set(names)) != len(names):
            raise _twice(path, element, "a factor of this category")
        of_category[tidy(element.get("category"))] = names
    return FactorSet(factors=factors, of_category=of_category)


def parse_examples(path: Path | None = None) -> ExampleSet:
    """Read the funny and boring examples of the duel. Raises ``CriteriaError``."""
    path, root = _read(path, EXAMPLES)
    distinct(path, root.iter("joke"))
    good, boring = texts(root, "good/joke"), texts(root, "boring/joke")
    if len(good) != len(boring):
        what = f"{len(good)} funny and {len(boring)} boring examples don't pair up"
        raise wrong("E_CRITERIA_EXAMPLES", path, root, what, "Give as many of one as of the other.")
    return ExampleSet(method=tidy(root.findtext("method")), good=good, boring=boring)


def parse_contrast(path: Path | None = None) -> ContrastSet:
    """Read the texts whose answer is known. Raises ``CriteriaError``, also for fewer than eight on a side of a
    check."""
    path, root = _read(path, CONTRAST)
    distinct(path, root.iter("text"))
    sides = list(root.iterfind("inadmissible"))
    distinct(path, sides, "check")
    inadmissible = {tidy(side.get("check")): texts(side, "text") for side in sides}
    contrast = ContrastSet(
        admissible=texts(root, "admissible/text"),
        inadmissible=inadmissible,
        neutral=texts(root, "neutral/text"),
        baseline=texts(root, "baseline/text"),
    )
    for check in CHECKS:
        few = len(inadmissible.get(check, ()))
        if few < _LEAST_CONTRAST or len(contrast.admissible) < _LEAST_CONTRAST:
            what = f"the check “{check}” has too few contrast texts ({few})"
            raise wrong("E_CRITERIA_CONTRAST", path, root, what, f"Give at least {_LEAST_CONTRAST} on each side.")
    return contrast


def parse_template(path: Path | None = None) -> JudgeTemplate:
    """Read the admissibility checks. Raises ``CriteriaError``, also when one of the five is missing."""
    path, root = _read(path, TEMPLATE)
    distinct(path, root.iterfind("check"), "id", "name")
    checks = tuple(value_of(Check, element) for element in root.iterfind("check"))
    missing = [name for name in CHECKS if name not in {check.id for check in checks}]
    if missing:
        what = f"the check “{missing[0]}” is missing"
        raise wrong("E_CRITERIA_CHECK", path, root, what, "Restore it: a verdict has all five.")
    return JudgeTemplate(checks=checks)


def parse_first_examples(path: Path | None = None) -> tuple[str, ...]:
    """Read the jokes offered at the first start. Raises ``CriteriaError``."""
    path, root = _read(path or resources_dir() / "examples.xml", "")
    distinct(path, root.iter("joke"))
    return texts(root, "joke")


def parse_first_pairs(path: Path | None = None) -> tuple[tuple[str, str], ...]:
    """Read the pairs of drafts offered for a first duel. Raises ``CriteriaError``."""
    _, root = _read(path or resources_dir() / "examples.xml", "")
    return tuple(zip(texts(root, "pair/a"), texts(root, "pair/b"), strict=True))


def load_criteria(folder: Path | None = None) -> Criteria:
    """Read all criteria of a folder, checked against each other; once, while the files don't change. Raises
    ``CriteriaError`` with file and line."""
    folder = folder or criteria_dir()
    paths = [folder / name for name in (CATEGORIES, FACTORS, EXAMPLES, CONTRAST, TEMPLATE)]
    marks = file_marks(*paths, *(path.with_suffix(".rng") for path in paths))
    return _loaded(folder) if marks is None else _loaded_once(folder, marks)


@lru_cache(maxsize=4)
def _loaded_once(folder: Path, _marks: FileMarks) -> Criteria:
    return _loaded(folder)


def _loaded(folder: Path) -> Criteria:
    path = folder / FACTORS
    factors = parse_factors(path)
    categories = []
    for category in parse_categories(folder / CATEGORIES):
        names = factors.of_category.get(category.id)
        if not names:
            raise wrong(
                "E_CRITERIA_FACTOR",
                path,
                None,
                f"the category “{category.id}” of {CATEGORIES} has no factors",
                f'Add <of category="{category.id}">…</of> with the ids of its factors.',
            )
        categories.append(category.replaced(factors=names))
    unknown = set(factors.of_category) - {category.id for category in categories}
    if unknown:
        what = f"factors are listed for “{min(unknown)}”, which is no category of {CATEGORIES}"
        raise wrong("E_CRITERIA_CATEGORY", path, None, what, "Correct the name, or add the category.")
    return Criteria(
        version="",
        categories=tuple(categories),
        factors=factors.factors,
        examples=parse_examples(folder / EXAMPLES),
        contrast=parse_contrast(folder / CONTRAST),
        template=parse_template(folder / TEMPLATE),
    ).versioned()


def _read(path: Path | None, name: str) -> tuple[Path, etree._Element]:
    path = path or criteria_dir() / name
    return path, read_xml(path, path.with_suffix(".rng"))


# Kinds that were merged into others, under whose old ids they are named in earlier readings, heads and verdicts; and
# kinds that lie within wider ones.


@cache
def merged_kinds() -> Mapping[str, Category]:
    """Return the shipped kind by the id of each kind merged into it; empty where the file can't be read: loading the
    criteria reports that."""
    try:
        return MappingProxyType({old: kind for kind in parse_categories() for old in kind.was})
    except CriteriaError:
        return MappingProxyType({})


@cache
def wider_kinds() -> Mapping[str, str]:
    """Return the id of the wider kind by the id of each shipped kind that lies within one; empty where the file can't
    be read."""
    try:
        return MappingProxyType({kind.id: kind.within for kind in parse_categories() if kind.within})
    except CriteriaError:
        return MappingProxyType({})


def kind_today(id: str) -> str:
    """Return a kind's present id."""
    found = merged_kinds().get(id)
    return found.id if found is not None else id


def kinds_today(ids: Iterable[str]) -> tuple[str, ...]:
    """Return the present ids of kinds, in order, each once."""
    return tuple(dict.fromkeys(map(kind_today, ids)))


def with_wider(ids: Iterable[str]) -> tuple[str, ...]:
    """Return the present ids of kinds, then those of the wider kinds that contain them, each once."""
    found = kinds_today(ids)
    wider = wider_kinds()
    return tuple(dict.fromkeys((*found, *(wider[id] for id in found if id in wider))))
