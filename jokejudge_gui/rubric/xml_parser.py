"""The criteria files: read, checked against their schemas and against each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, get_origin

from pydantic import Field

from ..core.errors import CriteriaError
from ..core.paths import criteria_dir, resources_dir
from ..core.verdicts import Frozen

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
        return {factor.id: factor for factor in self.factors}[identity]

    def versioned(self) -> Criteria:
        """Return a copy with the version of its words. Defaults don't count, so that the shipped criteria keep their
        version when the program gets further optional fields."""
        words = self.replaced(version="").model_dump_json(exclude_defaults=True)
        return self.replaced(version=hashlib.sha256(words.encode("utf-8")).hexdigest()[:12])


# One careful way to read an XML file: no entities, no DTD, no network, checked against its schema.

_MOST_BYTES = 4 * 1024 * 1024
V = TypeVar("V", bound=Frozen)


def read_xml(path: Path, schema: Path | None = None) -> etree._Element:
    """Return the root of ``path`` after validation against the RelaxNG ``schema`` (None: the one beside it). Raises
    ``CriteriaError`` ``E_CRITERIA`` whose sentence names the file and, where there is one, the line."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    schema = schema or path.with_suffix(".rng")
    try:
        # Reading a device or a pipe might never end.
        if path.exists() and not path.is_file():
            raise CriteriaError("E_CRITERIA", f"{path.name} isn't a plain file.", "Give another name.")
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
        rules = etree.RelaxNG(etree.fromstring(schema.read_bytes(), parser))
    except OSError as error:
        sentence = f"The file {Path(str(error.filename)).name} can't be read: {(error.strerror or str(error)).lower()}."
        own = not str(error.filename).startswith((str(criteria_dir()), str(resources_dir())))
        hint = "Check its name and that you may read it." if own else "Restore the file, or install JokeJudge again."
        raise CriteriaError("E_CRITERIA", sentence, hint) from error
    if len(data) > _MOST_BYTES:
        raise CriteriaError("E_CRITERIA", f"{path.name} is larger than 4 MiB.", "Restore the file.")
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line, what = getattr(error, "lineno", None) or 1, getattr(error, "msg", error)
        sentence = f"{path.name}, line {line}: this is not sound XML ({what})."
        raise CriteriaError("E_CRITERIA", sentence, "Correct that line.") from error
    if root.getroottree().docinfo.doctype or root.getroottree().docinfo.internalDTD is not None:
        what = "the file declares a document type, which is not allowed"
        raise wrong(path, None, what, "Remove the DOCTYPE; write characters directly instead of entities.")
    if not rules.validate(root):
        first = rules.error_log[0]
        sentence = f"{path.name}, line {first.line}: {first.message}."
        raise CriteriaError("E_CRITERIA", sentence, f"See {schema.name} for what may stand there.")
    return root


def wrong(
    path: Path, element: etree._Element | None, what: str, hint: str, *, code: str = "E_CRITERIA"
) -> CriteriaError:
    """Return an error about a file, with the line of the element (None: the first)."""
    line = element.sourceline if element is not None else 1
    return CriteriaError(code, f"{path.name}, line {line}: {what}.", hint)


def tidy(text: str | None) -> str:
    """Return a text with one blank between its words."""
    return " ".join((text or "").split())


def digest_of(root: etree._Element) -> str:
    """Return 12 hex digits that change with any word of a file."""
    from lxml import etree

    return hashlib.sha256(etree.tostring(root, method="c14n")).hexdigest()[:12]


def texts(element: etree._Element, path: str) -> tuple[str, ...]:
    """Return the texts of all elements on a path."""
    return tuple(tidy(child.text) for child in element.iterfind(path))


def value_of(kind: type[V], element: etree._Element, *, as_written: bool = False, **given: object) -> V:
    """Return a value whose fields are the attributes and child elements of the same names, except those in ``given``; a
    tuple's words are separated by blanks. ``as_written``: white space is kept."""
    values = dict(given)
    for name, field in kind.model_fields.items():
        text = element.get(name, element.findtext(name))
        if name not in given and text is not None:
            text = text if as_written else tidy(text)
            values[name] = text.split() if get_origin(field.annotation) is tuple else text
    return kind.model_validate(values)


# The criteria files. Their schemas say what each must hold; that the shipped ones are consistent is tested.

CATEGORIES = "criteria_categories_jokes.xml"
FACTORS = "factors_to_judge_jokes.xml"
EXAMPLES = "good_vs_bad_jokes.xml"
CONTRAST = "contrast_texts.xml"
TEMPLATE = "judge_template.xml"


def parse_categories(path: Path | None = None) -> tuple[Category, ...]:
    """Read the categories in file order, without their factors. Raises ``CriteriaError``."""
    root = read_xml(path or criteria_dir() / CATEGORIES)
    return tuple(value_of(Category, category, group=tidy(group.get("name"))) for group in root for category in group)


def parse_factors(path: Path | None = None) -> tuple[tuple[Factor, ...], dict[str, tuple[str, ...]]]:
    """Read the factors, and the ids of those of each category. Raises ``CriteriaError``."""
    root = read_xml(path or criteria_dir() / FACTORS)
    factors = tuple(
        value_of(
            Factor, element, good_example=tidy(element.findtext("good")), bad_example=tidy(element.findtext("bad"))
        )
        for element in root.iterfind("factor")
    )
    of = {tidy(element.get("category")): tuple((element.text or "").split()) for element in root.iterfind("of")}
    return factors, of


def parse_first_examples() -> tuple[str, ...]:
    """Read the jokes offered at the first start. Raises ``CriteriaError``."""
    return texts(read_xml(resources_dir() / "examples.xml"), "joke")


def parse_first_pairs() -> tuple[tuple[str, str], ...]:
    """Read the pairs of drafts offered for a first duel. Raises ``CriteriaError``."""
    root = read_xml(resources_dir() / "examples.xml")
    return tuple(zip(texts(root, "pair/a"), texts(root, "pair/b"), strict=True))


def load_criteria(folder: Path | None = None) -> Criteria:
    """Read all criteria of a folder; the shipped ones once. Raises ``CriteriaError`` with file and line."""
    return _shipped(criteria_dir()) if folder is None else _loaded(folder)


@cache
def _shipped(folder: Path) -> Criteria:
    return _loaded(folder)


def _loaded(folder: Path) -> Criteria:
    factors, of = parse_factors(folder / FACTORS)
    categories = (kind.replaced(factors=of.get(kind.id, ())) for kind in parse_categories(folder / CATEGORIES))
    examples, contrast, template = (read_xml(folder / name) for name in (EXAMPLES, CONTRAST, TEMPLATE))
    return Criteria(
        version="",
        categories=tuple(categories),
        factors=factors,
        examples=ExampleSet(
            method=tidy(examples.findtext("method")),
            good=texts(examples, "good/joke"),
            boring=texts(examples, "boring/joke"),
        ),
        contrast=ContrastSet(
            admissible=texts(contrast, "admissible/text"),
            inadmissible={tidy(side.get("check")): texts(side, "text") for side in contrast.iterfind("inadmissible")},
            neutral=texts(contrast, "neutral/text"),
            baseline=texts(contrast, "baseline/text"),
        ),
        template=JudgeTemplate(checks=tuple(value_of(Check, element) for element in template.iterfind("check"))),
    ).versioned()


# Kinds that were merged into others, under whose old ids they are named in earlier readings, heads and verdicts; and
# kinds that lie within wider ones.


@cache
def _shipped_kinds() -> tuple[Category, ...]:
    """Return the shipped kinds; none where the file can't be read: loading the criteria reports that."""
    try:
        return load_criteria().categories
    except CriteriaError:
        return ()


@cache
def merged_kinds() -> Mapping[str, Category]:
    """Return the shipped kind by the id of each kind merged into it."""
    return MappingProxyType({old: kind for kind in _shipped_kinds() for old in kind.was})


@cache
def wider_kinds() -> Mapping[str, str]:
    """Return the id of the wider kind by the id of each shipped kind that lies within one."""
    return MappingProxyType({kind.id: kind.within for kind in _shipped_kinds() if kind.within})


def kind_today(id: str) -> str:
    """Return a kind's present id."""
    return merged_kinds()[id].id if id in merged_kinds() else id


def kinds_today(ids: Iterable[str]) -> tuple[str, ...]:
    """Return the present ids of kinds, in order, each once."""
    return tuple(dict.fromkeys(map(kind_today, ids)))


def with_wider(ids: Iterable[str]) -> tuple[str, ...]:
    """Return the present ids of kinds, then those of the wider kinds that contain them, each once."""
    today = kinds_today(ids)
    return tuple(dict.fromkeys((*today, *(wider_kinds()[id] for id in today if id in wider_kinds()))))
