"""The editor's sentences and the list of faults, read from criteria/notes.xml and criteria/faults.xml."""

from __future__ import annotations

import string
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..core.paths import criteria_dir
from ..core.verdicts import Frozen, Wordplay
from .xml_parser import read_xml, tidy, value_of

if TYPE_CHECKING:
    from lxml import etree  # slow to import, and --help reads no criteria file

FAULTS = "faults.xml"
NOTES = "notes.xml"
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
    return tuple(value_of(Fault, element) for element in read_xml(path or criteria_dir() / FAULTS).iterfind("fault"))


def parse_notes(path: Path | None = None) -> NoteRules:
    """Read the rules of the notes. Raises ``CriteriaError``."""
    root = read_xml(path or criteria_dir() / NOTES)
    for group in root.iterfind("group"):
        for element in root.iterfind(f"*/note[@any='{group.get('name')}']"):
            element.set("any", group.get("kinds") or "")
    parts = {
        part: tuple(
            _rule(element, dict(section.attrib))
            for section in root.iterfind(part)
            for element in section.iterfind("note")
        )
        for part in PARTS
    }
    wordplay = {say.get("link"): _wording(say) for say in root.iterfind("wordplay/say")}
    return NoteRules.model_validate({"suspect": root.get("suspect", "0.5"), "wordplay": wordplay, **parts})


def _rule(element: etree._Element, usual: Mapping[str, str]) -> NoteRule:
    """Read a note. ``usual``: the default attributes of its part."""
    conditions = {name: (element.get(name) or usual.get(name, "")).split() for name in CONDITIONS}
    own = {"id": element.get("id", ""), "least": element.get("least", "0")}
    wordings = tuple(_wording(say) for say in element.iterfind("say"))
    return NoteRule.model_validate({**conditions, **own, "wordings": wordings})


def _wording(say: etree._Element) -> Wording:
    text = tidy(say.text)
    slots = tuple(slot for _, slot, _, _ in string.Formatter().parse(text) if slot is not None)
    return Wording(text=text, slots=slots, sure=say.get("sure") == "yes")
