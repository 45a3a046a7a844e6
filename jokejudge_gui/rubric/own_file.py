"""The user's own criteria in their folder: reading, changing under a lock, importing and exporting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ..core.errors import CriteriaError, JokeJudgeError, SettingsError
from ..core.files import alone, atomic_write
from ..core.paths import criteria_dir
from .overlay import OwnError, Rubric, item_problems, merged, overlaid, problems
from .own_types import SECTIONS, Fields, Item, Key, OwnCriteria, OwnItem, Section, fields_of
from .xml_parser import read_xml, tidy, wrong

Mark = tuple[int, int, int]

# The user's own criteria as a file: one format for keeping, exporting and importing.

_ROOT = "own_criteria"
_HEAD = (
    " Your own criteria for JokeJudge: new items, and what you changed in those that come with the program.\n"
    "     jokejudge criteria check says whether it can be used as it is. "
)
Lines = dict[Key | None, int]
"""The line of each item in a file; None: that of the first weight."""


def _read(path: Path) -> tuple[OwnCriteria, Lines]:
    """Read the file's items and weights. Only its form is checked: see ``overlay.problems``. Raises
    ``CriteriaError``."""
    items: list[OwnItem] = []
    lines: Lines = {}
    weights: dict[str, float] = {}
    for element in read_xml(path, criteria_dir() / f"{_ROOT}.rng"):
        key, name = None, f"weight of “{element.get('factor')}”"
        if element.tag == "weight":
            twice = element.get("factor") in weights
            try:
                weights[element.get("factor", "")] = float(element.get("share", ""))
            except ValueError:
                what = f"“{element.get('share', '')[:40]}” is no number"
                raise wrong(path, element, what, "Write a weight as 0.25.", code="E_CRITERIA_OWN") from None
        else:
            item = _item(next(section for section in SECTIONS if section == element.tag), element)
            items.append(item)
            key, name, twice = item.key, f"{item.section} “{item.id}”", item.key in lines
        if twice:
            raise wrong(path, element, f"the {name} is there twice", "Keep one of them.", code="E_CRITERIA_OWN")
        lines.setdefault(key, int(element.sourceline or 1))
    return OwnCriteria(items=tuple(items), weights=weights), lines


def _where(path: Path, lines: Lines, problem: OwnError) -> CriteriaError:
    sentence = f"{problem.sentence[:1].lower()}{problem.sentence[1:]}"
    return CriteriaError(problem.code, f"{path.name}, line {lines.get(problem.key, 1)}: {sentence}", problem.hint)


def written(own: OwnCriteria) -> bytes:
    """Return the content of a file with these criteria; UTF-8."""
    root = etree.Element(_ROOT, version="1")
    for item in own.items:
        element = etree.SubElement(root, item.section, id=item.id)
        if item.off:
            element.set("off", "yes")
        for name, field in fields_of(item.section).items():
            value = item.fields.get(name)
            if value is not None and field.attribute:
                element.set(name, value)
            elif value is not None:
                etree.SubElement(element, name).text = value
    for factor, share in own.weights.items():
        etree.SubElement(root, "weight", factor=factor, share=f"{share:.6g}")
    root.insert(0, etree.Comment(_HEAD))
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return data


def _item(section: Section, element: etree._Element) -> OwnItem:
    fields: Fields = {}
    for name, field in fields_of(section).items():
        child = element.find(name)
        value = element.get(name) if field.attribute else tidy(child.text) if child is not None else None
        # An empty choice means the default; any other empty value is intended.
        if value is not None and (value or not field.choices):
            fields[name] = tidy(value)
    return OwnItem(section=section, id=element.get("id", ""), fields=fields, off=element.get("off") == "yes")


@dataclass(frozen=True)
class Loaded:
    """The data of a view. ``items``: with their effective fields; ``base``: fields of the shipped items; ``fault``: why
    the user's own criteria can't be used, in which case ``own`` is empty."""

    items: tuple[Item, ...]
    base: dict[Key, Fields]
    own: OwnCriteria
    fault: JokeJudgeError | None = None

    def edited(self, section: Section, id: str, fields: Fields) -> OwnItem:
        """Return an item as it is after these of its fields were set."""
        return _edited(self.own.item(section, id), self.base.get((section, id)), fields)

    def problem(self, item: OwnItem) -> OwnError | None:
        """Return the first problem of an item before it is saved; a name that two items share is only reported on
        saving."""
        every = item_problems(self.own.with_item(item), self.base)
        return next((problem for problem in every if problem.key == item.key), None)


class OwnFile:
    """One user's own criteria, on top of the shipped ones."""

    def __init__(self, folder: Path) -> None:
        """``folder``: ``Profile.criteria``; nothing is created until something is changed."""
        self.path = folder / "own_criteria.xml"
        self._lock = folder / "own_criteria.lock"

    @property
    def mark(self) -> Mark | None:
        """A stamp that changes with the file; None where there is none."""
        try:
            facts = self.path.stat()
        except OSError:
            return None
        return facts.st_mtime_ns, facts.st_size, facts.st_ino

    def load(self) -> OwnCriteria:
        """Return the user's additions and changes. Raises ``CriteriaError``."""
        return _read(self.path)[0] if self.path.exists() else OwnCriteria()

    def rubric(self) -> Rubric:
        """Return the rubric in effect. Raises ``CriteriaError`` that names line and next step."""
        return overlaid(Rubric.shipped(), self._own())

    def in_use(self) -> tuple[Rubric, str]:
        """Return the rubric in effect and ""; where the user's own criteria can't be used, the shipped rubric and the
        reason. Raises ``CriteriaError`` where that can't be read either."""
        try:
            return self.rubric(), ""
        except CriteriaError as error:
            return Rubric.shipped(), f"Your own criteria aren't used: {error}"

    def items(self) -> tuple[Item, ...]:
        """Return all items with their effective fields, including those that are switched off. Raises
        ``CriteriaError``."""
        return merged(Rubric.shipped(), self._own())

    def loaded(self) -> Loaded:
        """Return all items for a view. Raises ``CriteriaError`` where the shipped criteria can't be read."""
        shipped = Rubric.shipped()
        try:
            own, fault = self._own(), None
        except CriteriaError as error:
            own, fault = OwnCriteria(), error
        return Loaded(merged(shipped, own), shipped.items(), own, fault)

    def check(self, path: Path | None = None) -> list[JokeJudgeError]:
        """Return all problems of the file, or of another one in its format."""
        path = path or self.path
        try:
            own, lines = _read(path) if path != self.path or path.exists() else (OwnCriteria(), {})
        except CriteriaError as error:
            return [error]
        return [_where(path, lines, problem) for problem in problems(Rubric.shipped(), own)]

    def set_item(
        self, section: Section, id: str, fields: Fields, *, off: bool | None = None, new: bool = False
    ) -> None:
        """Set some fields of an item, and switch it ``off`` or on. ``new``: it must not exist yet. Fields equal to the
        shipped ones aren't kept. Raises ``CriteriaError``, ``SettingsError``."""

        def change(own: OwnCriteria) -> OwnCriteria:
            if new and self._exists(own, section, id):
                raise OwnError(f"There is a {section} “{id}” already.", "Give another id, or change that one.")
            item = _edited(own.item(section, id), Rubric.shipped().items().get((section, id)), fields)
            return own.with_item(item if off is None else item.replaced(off=off))

        self.change(change)

    def reset_item(self, section: Section, id: str) -> None:
        """Restore the shipped item; one of the user's own is removed. Raises ``CriteriaError``, ``SettingsError``."""

        def change(own: OwnCriteria) -> OwnCriteria:
            left = own.with_item(OwnItem(section=section, id=id))
            if left == own:
                sentence = f"Nothing of the {section} “{id}” is your own."
                raise OwnError(sentence, "`jokejudge criteria list --own` shows what is.")
            # The weights may name a factor that no longer exists then.
            lost = section == "factor" and id in left.weights and not self._exists(left, section, id)
            return left.replaced(weights={}) if lost else left

        self.change(change)

    def change(self, change: Callable[[OwnCriteria], OwnCriteria]) -> None:
        """Read, change and write in one step, under the lock. Nothing is written where the result couldn't be used.
        Raises ``CriteriaError``, ``SettingsError``."""
        shipped = Rubric.shipped()  # before the lock: the first read takes longer than all the rest
        with alone(self._lock):
            before = self.load()
            after = change(before)
            for problem in problems(shipped, after):
                raise problem
            if after != before:
                atomic_write(self.path, written(after))

    def reset(self) -> Path | None:
        """Discard all own criteria. The file is kept under another name, which is returned; None where there was none.
        Raises ``SettingsError``."""
        if not self.path.exists():
            return None
        aside = self.path.with_name("own_criteria.before_reset.xml")
        try:
            with alone(self._lock):
                self.path.replace(aside)
        except OSError as error:
            sentence = f"{self.path} can't be renamed: {error.strerror or error}."
            raise SettingsError("E_WRITE", sentence, "Rename it by hand.") from error
        return aside

    def export(self, path: Path) -> int:
        """Write all own criteria to a file and return their number. Raises ``CriteriaError``, ``SettingsError``,
        ``OutputError``."""
        own = self.load()
        atomic_write(path, written(own))
        return len(own.items)

    def take_in(self, path: Path) -> int:
        """Import an exported file: its items replace those with the same id. Return the number of its items. Raises
        ``CriteriaError`` that names file and line, ``SettingsError``."""
        given = self._sound(path)

        def change(own: OwnCriteria) -> OwnCriteria:
            for item in given.items:
                own = own.with_item(item)
            return own.replaced(weights=given.weights or own.weights)

        self.change(change)
        return len(given.items)

    def _own(self) -> OwnCriteria:
        return self._sound(self.path) if self.path.exists() else OwnCriteria()

    @staticmethod
    def _sound(path: Path) -> OwnCriteria:
        """Return the content of a file that has no problems. Raises ``CriteriaError``."""
        own, lines = _read(path)
        for problem in problems(Rubric.shipped(), own):
            raise _where(path, lines, problem)
        return own

    @staticmethod
    def _exists(own: OwnCriteria, section: Section, id: str) -> bool:
        return (section, id) in Rubric.shipped().items() or any(item.key == (section, id) for item in own.items)


def _edited(item: OwnItem, usual: Fields | None, fields: Fields) -> OwnItem:
    """Return a user's item with some fields set; values like those of the shipped item (``usual``) aren't kept."""
    values = item.fields | {name: tidy(value) for name, value in fields.items()}
    return item.replaced(fields={name: text for name, text in values.items() if text != (usual or {}).get(name, "")})
