"""The user's own criteria in their folder: reading, changing under a lock, importing and exporting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ..core.errors import CriteriaError, JokeJudgeError, SettingsError
from ..core.files import alone, atomic_write
from ..core.paths import criteria_dir
from .overlay import Rubric, merged, overlaid, problems
from .own_check import Problem, item_problems, weight_problems
from .own_types import SECTIONS, Fields, Item, Key, OwnCriteria, OwnItem, Section, fields_of
from .xml_parser import read_xml, tidy, wrong

# The user's own criteria as a file: one format for keeping, exporting and importing.

_ROOT = "own_criteria"
_HEAD = (
    " Your own criteria for JokeJudge: new items, and what you changed in those that come with the program.\n"
    "     jokejudge criteria check says whether it can be used as it is. "
)


@dataclass(frozen=True)
class Written:
    """The content of a file. ``lines``: the line of each item; ``weights_line``: the line of the first weight."""

    own: OwnCriteria = field(default_factory=OwnCriteria)
    lines: dict[Key, int] = field(default_factory=dict)
    weights_line: int = 1

    def where(self, path: Path, key: Key | None) -> str:
        """Return the beginning of a sentence about an item, or (None) about the weights."""
        return f"{path.name}, line {self.weights_line if key is None else self.lines.get(key, 1)}: "


def read_own(path: Path) -> Written:
    """Read the file's items and weights. Only its form is checked: see ``overlay.problems``. Raises
    ``CriteriaError``."""
    root = read_xml(path, criteria_dir() / f"{_ROOT}.rng")
    items: list[OwnItem] = []
    lines: dict[Key, int] = {}
    weights: dict[str, float] = {}
    first = 1
    for element in root:
        if element.tag == "weight":
            first = first if weights else int(element.sourceline or 1)
            name, text = element.get("factor", ""), element.get("share", "")
            if name in weights:
                raise _wrong(path, element, f"the weight of “{name}” is there twice", "Keep one of them.")
            try:
                weights[name] = float(text)
            except ValueError:
                hint = "Write a weight as 0.25."
                raise _wrong(path, element, f"“{text[:40]}” is no number", hint) from None
            continue
        item = _item(next(section for section in SECTIONS if section == element.tag), element)
        if item.key in lines:
            raise _wrong(path, element, f"the {item.section} “{item.id}” is there twice", "Keep one of them.")
        lines[item.key] = int(element.sourceline or 1)
        items.append(item)
    return Written(OwnCriteria(items=tuple(items), weights=weights), lines, first)


def written(own: OwnCriteria) -> bytes:
    """Return the content of a file with these criteria; UTF-8."""
    root = etree.Element(_ROOT, version="1")
    for item in own.items:
        element = etree.SubElement(root, item.section, id=item.id)
        if item.off:
            element.set("off", "yes")
        for name, spec in fields_of(item.section).items():
            value = item.fields.get(name)
            if value is None:
                continue
            if spec.attribute:
                element.set(name, value)
            else:
                etree.SubElement(element, name).text = value
    for factor, share in own.weights.items():
        etree.SubElement(root, "weight", factor=factor, share=f"{share:.6g}")
    root.insert(0, etree.Comment(_HEAD))
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return data


def _item(section: Section, element: etree._Element) -> OwnItem:
    fields: dict[str, str] = {}
    for name, spec in fields_of(section).items():
        if spec.attribute:
            value = element.get(name)
        else:
            child = element.find(name)
            value = tidy(child.text) if child is not None else None
        # An empty choice means the default; any other empty value is intended.
        if value is not None and (value or spec.form != "choice"):
            fields[name] = " ".join(value.split())
    return OwnItem(section=section, id=element.get("id", ""), fields=fields, off=element.get("off") == "yes")


def _wrong(path: Path, element: etree._Element, what: str, hint: str) -> CriteriaError:
    return wrong(path, element, what, hint, code="E_CRITERIA_OWN")


Change = Callable[[OwnCriteria], OwnCriteria]
Mark = tuple[int, int, int]


@dataclass(frozen=True)
class Loaded:
    """The data of a view. ``items``: with their effective fields; ``base``: fields of the shipped items; ``fault``: why
    the user's own criteria can't be used, in which case ``own`` is empty."""

    items: tuple[Item, ...]
    base: dict[Key, Fields]
    own: OwnCriteria
    fault: JokeJudgeError | None = None

    def edited(self, section: Section, id: str, fields: dict[str, str]) -> OwnItem:
        """Return an item as it is after these of its fields were set."""
        item = self.own.item(section, id) or OwnItem(section=section, id=id)
        return _edited(item, self.base.get(item.key), fields)

    def problem(self, item: OwnItem) -> Problem | None:
        """Return the first problem of an item before it is saved; a name that two items share is only reported on
        saving."""
        for problem in item_problems(self.own.with_item(item), self.base):
            if problem.key == item.key:
                return problem
        return None


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
        return self._read().own

    def rubric(self) -> Rubric:
        """Return the rubric in effect. Raises ``CriteriaError`` that names line and next step."""
        shipped, read = Rubric.shipped(), self._read()
        if read.own.empty:
            return shipped
        _refuse(problems(shipped, read.own), read, self.path)
        return overlaid(shipped, read.own)

    def in_use(self) -> tuple[Rubric, str]:
        """Return the rubric in effect and ""; where the user's own criteria can't be used, the shipped rubric and the
        reason. Raises ``CriteriaError`` where that can't be read either."""
        try:
            return self.rubric(), ""
        except CriteriaError as error:
            return Rubric.shipped(), f"Your own criteria aren't used: {error.sentence} {error.hint}".strip()

    def items(self) -> tuple[Item, ...]:
        """Return all items with their effective fields, including those that are switched off. Raises
        ``CriteriaError``."""
        shipped, read = Rubric.shipped(), self._read()
        _refuse(problems(shipped, read.own), read, self.path)
        return merged(shipped, read.own)

    def loaded(self) -> Loaded:
        """Return all items for a view. Raises ``CriteriaError`` where the shipped criteria can't be read."""
        shipped = Rubric.shipped()
        base = shipped.items()
        try:
            return Loaded(self.items(), base, self.load())
        except CriteriaError as error:
            return Loaded(merged(shipped, OwnCriteria()), base, OwnCriteria(), error)

    def check(self, path: Path | None = None) -> list[JokeJudgeError]:
        """Return all problems of the file, or of another one in its format."""
        path = path or self.path
        try:
            read = self._read() if path == self.path else read_own(path)
        except CriteriaError as error:
            return [error]
        return [problem.error(read.where(path, problem.key)) for problem in problems(Rubric.shipped(), read.own)]

    def set_item(self, section: Section, id: str, fields: dict[str, str], *, new: bool = False) -> None:
        """Set some fields of an item. ``new``: it must not exist yet. Fields equal to the shipped ones aren't kept.
        Raises ``CriteriaError``, ``SettingsError``."""

        def change(own: OwnCriteria) -> OwnCriteria:
            shipped = Rubric.shipped()
            usual = shipped.items().get((section, id))
            item = own.item(section, id)
            if new and (usual is not None or item is not None):
                sentence = f"There is a {section} “{id}” already."
                raise CriteriaError("E_CRITERIA_OWN", sentence, "Give another id, or change that one.")
            if not new and usual is None and item is None:
                raise _no_such(section, id)
            return own.with_item(_edited(item or OwnItem(section=section, id=id), usual, fields))

        self.change(change)

    def switch(self, section: Section, id: str, *, on: bool) -> None:
        """Switch an item on or off. Raises ``CriteriaError``, ``SettingsError``."""

        def change(own: OwnCriteria) -> OwnCriteria:
            shipped = Rubric.shipped()
            item = own.item(section, id)
            if item is None and (section, id) not in shipped.items():
                raise _no_such(section, id)
            return own.with_item((item or OwnItem(section=section, id=id)).replaced(off=not on))

        self.change(change)

    def reset_item(self, section: Section, id: str) -> None:
        """Restore the shipped item; one of the user's own is removed. Raises ``CriteriaError``, ``SettingsError``."""

        def change(own: OwnCriteria) -> OwnCriteria:
            if own.item(section, id) is None:
                sentence = f"Nothing of the {section} “{id}” is your own."
                raise CriteriaError("E_CRITERIA_OWN", sentence, "`jokejudge criteria list --own` shows what is.")
            left = own.without(section, id)
            # The weights may name a factor that no longer exists then.
            lost = section == "factor" and id in left.weights and ("factor", id) not in Rubric.shipped().items()
            return left.replaced(weights={}) if lost else left

        self.change(change)

    def set_weights(self, weights: dict[str, float]) -> None:
        """Set the weights of these factors and no others; empty: all factors weigh the same. Raises ``CriteriaError``,
        ``SettingsError``."""

        def change(own: OwnCriteria) -> OwnCriteria:
            shipped = Rubric.shipped()
            factors = {item.id for item in merged(shipped, own) if item.section == "factor" and not item.off}
            for problem in weight_problems(weights, factors):
                raise problem.error()
            return own.replaced(weights=dict(weights))

        self.change(change)

    def change(self, change: Change) -> OwnCriteria:
        """Read, change and write in one step, under the lock. Nothing is written where the result couldn't be used.
        Raises ``CriteriaError``, ``SettingsError``."""
        shipped = Rubric.shipped()  # before the lock: the first read takes longer than all the rest
        with alone(self._lock):
            before = self.load()
            after = change(before)
            for problem in problems(shipped, after):
                raise OwnError(problem)
            if after != before:
                atomic_write(self.path, written(after))
            return after

    def reset(self) -> Path | None:
        """Discard all own criteria. The file is kept under another name, which is returned; None where there was none.
        Raises ``SettingsError``."""
        if not self.path.exists():
            return None
        aside = self.path.with_name("own_criteria.before_reset.xml")
        with alone(self._lock):
            try:
                self.path.replace(aside)
            except FileNotFoundError:
                return None
            except OSError as error:
                raise SettingsError(
                    "E_WRITE", f"{self.path} can't be renamed: {error.strerror or error}.", "Rename it by hand."
                ) from error
        return aside

    def export(self, path: Path) -> int:
        """Write all own criteria to a file and return their number. Raises ``CriteriaError``, ``SettingsError``,
        ``OutputError``."""
        own = self.load()
        atomic_write(path, written(own))
        return len(own.items)

    def take_in(self, path: Path, *, replace: bool = False) -> int:
        """Import an exported file: its items replace those with the same id; ``replace``: all others are removed.
        Return the number of its items. Raises ``CriteriaError`` that names file and line, ``SettingsError``."""
        read = read_own(path)
        _refuse(problems(Rubric.shipped(), read.own), read, path)

        def change(own: OwnCriteria) -> OwnCriteria:
            if replace:
                return read.own
            for item in read.own.items:
                own = own.with_item(item)
            return own.replaced(weights=read.own.weights or own.weights)

        self.change(change)
        return len(read.own.items)

    def _read(self) -> Written:
        return read_own(self.path) if self.path.exists() else Written()


class OwnError(CriteriaError):
    """A change that can't be made. ``problem`` names the field."""

    def __init__(self, problem: Problem) -> None:
        super().__init__("E_CRITERIA_OWN", problem.sentence, problem.hint)
        self.problem = problem


def _edited(item: OwnItem, usual: Fields | None, fields: dict[str, str]) -> OwnItem:
    """Return a user's item with some fields set; values like those of the shipped item (``usual``) aren't kept."""
    values = item.fields | {name: " ".join(value.split()) for name, value in fields.items()}
    kept = {name: value for name, value in values.items() if value != (usual or {}).get(name, "")}
    return item.replaced(fields=kept)


def _refuse(found_problems: list[Problem], read: Written, path: Path) -> None:
    for problem in found_problems:
        raise problem.error(read.where(path, problem.key))


def _no_such(section: Section, id: str) -> CriteriaError:
    hint = f"`jokejudge criteria list {section}` shows the ids."
    return CriteriaError("E_CRITERIA_OWN", f"There is no {section} “{id[:60]}”.", hint)
