"""The editor's sentences and the list of faults, read from criteria/notes.xml and criteria/faults.xml."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..core.paths import criteria_dir
from ..core.verdicts import Frozen, Wordplay
from .xml_parser import read_xml, tidy, value_of

if TYPE_CHECKING:
    from lxml import etree  # slow to import, and --help reads no criteria file

FAULTS = "faults.xml"
NOTES = "notes.xml"
Part = Literal["works", "weakens", "form"]
PARTS: tuple[Part, ...] = ("works", "weakens", "form")


class Fault(Frozen):
    """A weakness of a text. ``says``: the end of a sentence that begins with "it": "has words that could go without
    loss"."""

    id: str
    name: str
    says: str


class NoteRule(Frozen):
    """A note and its conditions: ``kinds`` and ``faults``, all of which it names; ``any``: at least one of these kinds;
    ``unless``: faults of which none may be suspected. ``text``: its sentence, with ``{turn}`` or ``{after}``."""

    id: str
    kinds: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    text: str


class NoteRules(Frozen):
    """The rules of all notes: strengths (works), faults (weakens) and form, each in file order. ``suspect``: the
    probability from which a fault is suspected; ``wordplay``: sentences by the link between the two words of a pun."""

    suspect: float = 0.5
    parts: dict[Part, tuple[NoteRule, ...]]
    wordplay: dict[str, str]

    def with_sentence(self, play: Wordplay) -> Wordplay:
        """Return ``play`` with its sentence."""
        return play.replaced(sentence=self.wordplay[play.link].format(word=play.text, second=play.second))


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
    parts = {part: [_rule(note) for note in root.iterfind(f"{part}/note")] for part in PARTS}
    wordplay = {say.get("link"): tidy(say.text) for say in root.iterfind("wordplay/say")}
    return NoteRules.model_validate({"suspect": root.get("suspect", "0.5"), "wordplay": wordplay, "parts": parts})


def _rule(note: etree._Element) -> dict[str, Any]:
    conditions = {name: note.get(name, "").split() for name in ("kinds", "any", "faults", "unless")}
    return {"id": note.get("id"), "text": tidy(note.text), **conditions}
