"""The user's own criteria as a file: the same one that is kept, exported and imported."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ..errors import CriteriaError
from ..paths import criteria_dir
from .items import Key
from .own_types import SECTIONS, OwnCriteria, OwnItem, Section, fields_of
from .renamed import kinds_today
from .xml_file import read_xml

_ROOT = "own_criteria"
_SURE = "sure:"
_HEAD = (
    " Your own criteria for JokeJudge: new items, and what you changed in those that come with the program.\n"
    "     jokejudge criteria check says whether it can be used as it is. "
)


@dataclass(frozen=True)
class Written:
    """What a file says. ``lines``: where each item stands; ``weights_line``: where the first weight does."""

    own: OwnCriteria = field(default_factory=OwnCriteria)
    lines: dict[Key, int] = field(default_factory=dict)
    weights_line: int = 1

    def where(self, path: Path, key: Key | None) -> str:
        """What a sentence about an item, or about the weights, begins with."""
        return f"{path.name}, line {self.weights_line if key is None else self.lines.get(key, 1)}: "


def read_own(path: Path) -> Written:
    """The file's items and weights. Only its form is checked: see ``overlay.problems``. Raises ``CriteriaError``."""
    root = read_xml(path, criteria_dir() / f"{_ROOT}.rng")
    items: list[OwnItem] = []
    lines: dict[Key, int] = {}
    weights: dict[str, float] = {}
    first = 1
    for element in root:
        if element.tag == "weight":
            first = first if weights else int(element.sourceline or 1)
            name, share = _weight(path, element)
            if name in weights:
                raise _wrong(path, element, f"the weight of “{name}” is there twice", "Keep one of them.")
            weights[name] = share
            continue
        item = _item(next(section for section in SECTIONS if section == element.tag), element)
        if item.key in lines:
            raise _wrong(path, element, f"the {item.section} “{item.id}” is there twice", "Keep one of them.")
        lines[item.key] = int(element.sourceline or 1)
        items.append(item)
    return Written(OwnCriteria(items=tuple(items), weights=weights), lines, first)


def written(own: OwnCriteria) -> bytes:
    """The file that says this; UTF-8."""
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
            elif spec.form == "lines":
                for line in value.split("\n"):
                    sure = item.section == "note" and line.startswith(_SURE)
                    say = etree.SubElement(element, name)
                    say.text = line.removeprefix(_SURE).strip() if sure else line
                    if sure:
                        say.set("sure", "yes")
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
        elif spec.form == "lines":
            says = [
                f"{_SURE} {_text(each)}" if each.get("sure") == "yes" else _text(each) for each in element.findall(name)
            ]
            value = "\n".join(says) if says else None
        else:
            found = element.find(name)
            value = _text(found) if found is not None else None
        if value and spec.of == "kind":
            value = " ".join(kinds_today(value.split()))
        # An empty choice is the usual one; all else that is empty was meant to be.
        if value is not None and (value or spec.form != "choice"):
            fields[name] = value if spec.form == "lines" else " ".join(value.split())
    return OwnItem(section=section, id=element.get("id", ""), fields=fields, off=element.get("off") == "yes")


def _weight(path: Path, element: etree._Element) -> tuple[str, float]:
    text = element.get("share", "")
    try:
        return element.get("factor", ""), float(text)
    except ValueError:
        raise _wrong(path, element, f"“{text[:40]}” is no number", "Write a weight as 0.25.") from None


def _text(element: etree._Element) -> str:
    return " ".join((element.text or "").split())


def _wrong(path: Path, element: etree._Element, what: str, hint: str) -> CriteriaError:
    return CriteriaError("E_CRITERIA_OWN", f"{path.name}, line {element.sourceline}: {what}.", hint)
