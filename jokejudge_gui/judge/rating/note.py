"""The editor's note: what the heads find in a text, one fault, its form, in sentences from criteria/notes.xml.

Nothing is random, and a sentence is used only if it was measured to be right often enough: the same findings give the
same note."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...core.verdicts import Span
from ...core.words import WORD, quoted_words
from ...heads.editor import EditorReading
from ...heads.editor_file import NoteFigure
from ...rubric.notes import NoteRule, NoteRules, Part
from .record import Remark

LEAST_P = 0.5
"""Least probability at which a kind, a fault or a turn is stated."""
LEAST_RIGHT, LEAST_CASES = 0.75, 20
"""A sentence is used if it was right in this share of at least this many texts."""
_LAUGHTER = re.compile(r"(?:ha)+h?|lol|lmao|rofl|heh|hehe")
Piece = tuple[int, int]
"""A part of a text, (start, end) in characters."""


@dataclass(frozen=True)
class Findings:
    """The findings that may be stated of a text. ``kinds``, ``faults``: probabilities of those shown on this model;
    ``suspected``: faults that may be there. ``turn``: a part of the text, right with probability ``turn_p``."""

    text: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    suspected: Collection[str] = ()
    turn: Piece | None = None
    turn_p: float = 1.0


def find(
    rules: NoteRules,
    text: str,
    read: EditorReading,
    *,
    kinds: Collection[str],
    faults: Collection[str],
    turn: Span | None = None,
) -> Findings:
    """Return the findings of ``read`` that may be stated. ``kinds``, ``faults``: ids of those to show; ``turn``: the
    turn that is shown, which isn't quoted where the text may have none."""
    suspected = {name for name, p in read.faults.items() if p >= rules.suspect}
    turn = turn if turn is not None and (turn.p == 1.0 or "no_turn" not in suspected) else None
    return Findings(
        text=text,
        kinds={name: p for name, p in read.kinds.items() if name in kinds},
        faults={name: p for name, p in read.faults.items() if name in faults},
        suspected=suspected,
        turn=(turn.start, turn.end) if turn is not None else None,
        turn_p=turn.p if turn is not None else 0.0,
    )


Saying = tuple[NoteRule, float, str, Piece | None]
"""A candidate sentence: its rule, its strength 0…1, its text, and the words that it is about."""
_KNOCK_KNOCK = re.compile(
    r"^\W*knock\W+knock\b.{0,20}who['’]?s there\W+(?P<name>[^\n.?!]{1,40}?)\W+(?P=name),? who\b\W*",
    re.IGNORECASE | re.DOTALL,
)


def misses_its_name(text: str, turn: Piece | None) -> bool:
    """Whether ``text`` is a knock-knock joke whose turn leaves out the name that it plays on."""
    match = _KNOCK_KNOCK.match(text)
    return match is not None and (turn is None or turn[0] > match.end())


_ABOUT: dict[Part, Literal["heard", "fault", "form"]] = {"works": "heard", "weakens": "fault", "form": "form"}


def compose(
    rules: NoteRules, findings: Findings, figures: Mapping[str, NoteFigure], without: Collection[str] = ()
) -> tuple[Remark, ...]:
    """Return at most one remark of each part, in the order of ``Remark.about``: among those measured often enough the
    one that is right most often. ``without``: ids of notes to leave out."""
    remarks = []
    for part, about in _ABOUT.items():
        rows = [
            (figure.right, strength, text, piece)
            for rule, strength, text, piece in sayings(rules, part, findings)
            if rule.id not in without and (figure := figures.get(rule.id)) is not None and strength >= figure.least
            and figure.cases >= LEAST_CASES and figure.right >= LEAST_RIGHT
        ]  # fmt: skip
        if rows:
            right, _, text, piece = max(rows, key=lambda row: row[:2])
            start, end = piece or (None, None)
            remarks.append(Remark(text=text, about=about, right=right, start=start, end=end))
    return tuple(remarks)


def sayings(rules: NoteRules, part: Part, findings: Findings) -> Iterator[Saying]:
    """Yield the sentences of a part that apply and can be filled in, in file order."""
    pieces = _pieces(findings)
    words = {name: quoted_words(findings.text[slice(*piece)]) for name, piece in pieces.items()}
    for rule in rules.parts[part]:
        strength = strength_of(rule, findings)
        slot = next((slot for slot in ("turn", "after") if f"{{{slot}}}" in rule.text), "")
        if strength >= LEAST_P and (not slot or words.get(slot)):
            sure = strength * (findings.turn_p if slot == "turn" else 1.0)
            yield rule, sure, rule.text.format_map(words), pieces.get(slot)


def strength_of(rule: NoteRule, findings: Findings) -> float:
    """Return the joint probability of everything that a rule names; 0 where some of it is missing."""
    if any(fault in findings.suspected for fault in rule.unless):
        return 0.0
    p = [
        *(findings.kinds.get(kind, 0.0) for kind in rule.kinds),
        *(findings.faults.get(one, 0.0) for one in rule.faults),
    ]
    return math.prod(p) * (max(findings.kinds.get(kind, 0.0) for kind in rule.any) if rule.any else 1.0)


def _pieces(findings: Findings) -> dict[str, Piece]:
    """The words for the slots, if they say something."""
    text, pieces = findings.text, {}
    if findings.turn is not None:
        start, end = findings.turn
        spoken = [word.group().lower() for word in WORD.finditer(text, start, end)]
        if not all(_LAUGHTER.fullmatch(word) for word in spoken):
            pieces["turn"] = findings.turn
        if WORD.search(text, end):
            pieces["after"] = (end, len(text))
    return pieces
