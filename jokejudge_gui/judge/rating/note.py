"""The editor's note: what the heads find in a text, one fault, its form, in sentences from criteria/notes.xml.

Nothing is random, and a sentence is used only if it was measured to be right often enough: the same findings give the
same note."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...core.verdicts import Span
from ...core.words import WORD, quoted_words
from ...heads.editor import EditorReading, SpanReading
from ...heads.editor_file import NoteFigure
from ...rubric.notes import NoteRule, NoteRules, Part
from .record import STRONG, WEAK, Remark

LEAST_P = 0.5
"""Least probability at which a kind, a fault or a turn is stated."""
LEAST_RIGHT, LEAST_CASES = 0.75, 20
"""A sentence is used if it was right in this share of at least this many texts."""
SURE = 0.8
"""Least strength at which all parts of a sentence count as certain."""
_LAUGHTER = re.compile(r"(?:ha)+h?|lol|lmao|rofl|heh|hehe")
Piece = tuple[int, int]
"""A part of a text, (start, end) in characters."""


@dataclass(frozen=True)
class Findings:
    """The findings that may be stated of a text. ``kinds``, ``faults``: probabilities of those shown on this model;
    ``high``, ``low``: factors in the top and the bottom seventh of jokes; ``suspected``: faults that may be there.
    ``turn``: a part of the text, right with probability ``turn_p``."""

    text: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    high: Collection[str] = ()
    low: Collection[str] = ()
    suspected: Collection[str] = ()
    turn: Piece | None = None
    turn_p: float = 1.0


def find(
    rules: NoteRules,
    text: str,
    read: EditorReading,
    *,
    kinds: Collection[str],
    factors: Collection[str],
    faults: Collection[str],
    turn: SpanReading | Span | None = None,
) -> Findings:
    """Return the findings of ``found`` that may be stated. ``kinds``, ``factors``, ``faults``: ids of those to show;
    ``turn``: the turn that is shown, which isn't quoted where the text may have none."""
    suspected = {name for name, p in read.faults.items() if p >= rules.suspect}
    turn = turn if turn is not None and (turn.p == 1.0 or "no_turn" not in suspected) else None
    standings = {name: read.factors[name].standing for name in factors if name in read.factors}
    return Findings(
        text=text,
        kinds={name: p for name, p in read.kinds.items() if name in kinds},
        faults={name: p for name, p in read.faults.items() if name in faults},
        high=[name for name, standing in standings.items() if standing >= STRONG],
        low=[name for name, standing in standings.items() if standing <= WEAK],
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
    one that is right most often; the user's own first. ``without``: ids of notes to leave out."""
    remarks = []
    for part, about in _ABOUT.items():
        candidates = [
            (share is None, share or 0.0, strength, text, piece)
            for rule, strength, text, piece in sayings(rules, part, findings)
            if rule.id not in without and (share := right_of(rule, strength, figures)) != 0.0
        ]
        if candidates:
            own, share, _, text, piece = max(candidates, key=lambda row: row[:3])
            start, end = piece or (None, None)
            remarks.append(Remark(text=text, about=about, right=None if own else share, start=start, end=end))
    return tuple(remarks)


def right_of(rule: NoteRule, strength: float, figures: Mapping[str, NoteFigure]) -> float | None:
    """Return the share of such sentences that are right; 0 where it isn't used, None for one of the user's own."""
    if not rule.id:
        return None if strength >= rule.least else 0.0
    figure = figures.get(rule.id)
    if figure is None or figure.cases < LEAST_CASES or figure.right < LEAST_RIGHT or strength < figure.least:
        return 0.0
    return figure.right


def sayings(rules: NoteRules, part: Part, findings: Findings) -> list[Saying]:
    """Return the sentences of a part that apply and can be filled in, however weakly, in file order."""
    pieces = _pieces(findings)
    words = {name: quoted_words(findings.text[slice(*piece)]) for name, piece in pieces.items()}
    words["count"] = str(len(WORD.findall(findings.text)))
    candidates = []
    for rule in getattr(rules, part):
        strength = strength_of(rule, findings)
        if strength is None or (rule.id and strength < LEAST_P):
            continue
        for wording in rule.wordings:
            sure = strength * (findings.turn_p if "turn" in wording.slots else 1.0)
            if all(words.get(slot) for slot in wording.slots) and (sure >= SURE or not wording.sure):
                about = next((pieces[slot] for slot in wording.slots if slot in pieces), None)
                candidates.append((rule, sure, wording.text.format_map(words), about))
                break
    return candidates


def strength_of(rule: NoteRule, findings: Findings) -> float | None:
    """Return the joint probability of everything that a rule names; None where some of it is missing."""
    if any(fault in findings.suspected for fault in rule.unless):
        return None
    if not {*rule.high} <= {*findings.high} or not {*rule.low} <= {*findings.low}:
        return None
    p = [findings.kinds.get(kind, 0.0) for kind in rule.kinds]
    p += [findings.faults.get(fault, 0.0) for fault in rule.faults]
    if rule.any:
        p.append(max(findings.kinds.get(kind, 0.0) for kind in rule.any))
    return math.prod(p) or None


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
