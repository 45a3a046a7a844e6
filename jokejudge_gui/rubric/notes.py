"""The editor's sentences and the list of faults, read from criteria/notes.xml and criteria/faults.xml."""

from __future__ import annotations

import string
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..core.errors import CriteriaError
from ..core.paths import criteria_dir
from ..core.verdicts import Frozen, Wordplay
from .xml_parser import distinct, read_xml, tidy, value_of

if TYPE_CHECKING:
    from lxml import etree  # slow to import, and --help reads no criteria file

FAULTS = "faults.xml"
NOTES = "notes.xml"
SLOTS = ("turn", "after", "count")
"""The slots of a wording (explained in criteria/notes.xml)."""
OF_WORDPLAY = ("word", "second")
"""The slots of a sentence on wordplay."""
Part = Literal["works", "weakens", "form"]
PARTS: tuple[Part, ...] = ("works", "weakens", "form")
CONDITIONS = ("kinds", "any", "high", "low", "faults", "unless")
"""The fields of a note that name kinds, factors and faults."""


class Fault(Frozen):
    """A weakness of a text. ``says``: the end of a sentence that begins with "it": "has words that could go without
    loss"."""

    id: str
    name: str
    says: str


class Wording(Frozen):
    """A wording of a note. ``slots``: the slots that it has; ``sure``: used only where all conditions were found with
    certainty."""

    text: str
    slots: tuple[str, ...]
    sure: bool = False


class NoteRule(Frozen):
    """A note and its conditions: kinds and faults, ``any``: at least one of these kinds, factors that are high or low
    among jokes. ``id``: empty for one of the user's own, which has no measurements; ``least`` 0…1: the least strength
    of all conditions together; ``unless``: faults of which none may be suspected."""

    id: str = ""
    kinds: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    high: tuple[str, ...] = ()
    low: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    least: float = 0.0
    unless: tuple[str, ...] = ()
    wordings: tuple[Wording, ...]


class NoteRules(Frozen):
    """The rules of all notes: strengths (works), faults (weakens) and form, each in file order. ``suspect``: the
    probability from which a fault is suspected; ``wordplay``: sentences by the link between the two words of a pun."""

    suspect: float = 0.5
    works: tuple[NoteRule, ...]
    weakens: tuple[NoteRule, ...]
    form: tuple[NoteRule, ...]
    wordplay: dict[str, Wording]

    def with_sentence(self, play: Wordplay) -> Wordplay:
        """Return ``play`` with its sentence."""
        return play.replaced(sentence=self.wordplay[play.link].text.format(word=play.text, second=play.second))


class EditorWords(Frozen):
    """The rules of the editor's notes, and the faults."""

    notes: NoteRules
    faults: tuple[Fault, ...]


def load_editor_words(folder: Path | None = None) -> EditorWords:
    """Read notes and faults from the folder of the criteria. Raises ``CriteriaError``."""
    place = folder or criteria_dir()
    return EditorWords(notes=parse_notes(place / NOTES), faults=parse_faults(place / FAULTS))


def parse_faults(path: Path | None = None) -> tuple[Fault, ...]:
    """Read the faults in file order. Raises ``CriteriaError``."""
    path = path or criteria_dir() / FAULTS
    root = read_xml(path)
    distinct(path, root, "id", "name")
    return tuple(value_of(Fault, element) for element in root.iterfind("fault"))


def parse_notes(path: Path | None = None) -> NoteRules:
    """Read the rules of the notes. Raises ``CriteriaError``."""
    path = path or criteria_dir() / NOTES
    root = read_xml(path)
    for group in root.iterfind("group"):
        for element in root.iterfind(f"*/note[@any='{group.get('name')}']"):
            element.set("any", group.get("kinds") or "")
    values: dict[str, object] = {"suspect": root.get("suspect", "0.5")}
    for part in PARTS:
        values[part] = tuple(
            _rule(path, element, dict(section.attrib))
            for section in root.iterfind(part)
            for element in section.iterfind("note")
        )
    values["wordplay"] = {
        say.get("link"): wording(tidy(say.text), slots=OF_WORDPLAY, where=f"{path.name}, line {say.sourceline}: ")
        for say in root.iterfind("wordplay/say")
    }
    return NoteRules.model_validate(values)


def _rule(path: Path, element: etree._Element, usual: Mapping[str, str]) -> NoteRule:
    """Read a note. ``usual``: the default attributes of its part."""
    conditions = {name: (element.get(name) or usual.get(name, "")).split() for name in CONDITIONS}
    wordings = tuple(
        wording(tidy(say.text), sure=say.get("sure") == "yes", where=f"{path.name}, line {say.sourceline}: ")
        for say in element.iterfind("say")
    )
    least = element.get("least", "0")
    return NoteRule.model_validate({**conditions, "id": element.get("id", ""), "least": least, "wordings": wordings})


def wording(text: str, *, sure: bool = False, where: str = "", slots: tuple[str, ...] = SLOTS) -> Wording:
    """Parse a wording of a note. ``slots``: the slots that are allowed. Raises ``CriteriaError``, beginning with
    ``where``, for any other slot or a malformed one."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise _bad_slot(where, str(error), slots) from error
    for _, slot, form, conversion in parts:
        if slot is not None and (slot not in slots or form or conversion):
            shown = slot + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
            raise _bad_slot(where, f"there is no {{{shown}}}", slots)
    return Wording(text=text, slots=tuple(slot for _, slot, _, _ in parts if slot is not None), sure=sure)


def _bad_slot(where: str, why: str, slots: tuple[str, ...]) -> CriteriaError:
    sentence = f"the sentence can't be filled ({why})."
    return CriteriaError(
        "E_CRITERIA",
        f"{where}{sentence}" if where else sentence[:1].upper() + sentence[1:],
        f"Use {', '.join('{' + slot + '}' for slot in slots)}.",
    )
