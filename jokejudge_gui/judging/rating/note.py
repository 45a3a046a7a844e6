"""The editor's note: what works, what weakens, and where crowd and editor differ, in sentences from criteria/notes.xml.

Nothing is chosen at random, and nothing is said that wasn't found: the same findings give the same note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...rubric.notes import NoteRule, NoteRules, Wording

SURE = 0.8
"""From this strength on a finding is read surely."""
MOST_WEAKENS = 2
"""Sentences about what weakens; a third would be a list of complaints."""
_MOST_WORDS = 7
"""A quotation of more words would repeat the joke rather than point into it."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_LAUGHTER = re.compile(r"(?:ha)+h?|lol|lmao|rofl|heh|hehe")
_SMALL_WORDS = """
a an the and or but so of to in on at by for from with as is are was were be been am i you he she it we they me him
her us them my your his its our their this that these those there who which what when while if than then do does did
has have had will would can could should not no just very been said
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_EDGES = " \t\n\"“”„‘’'«».,;:!?…-–—()[]*"


@dataclass(frozen=True)
class Findings:
    """What may be said of a text. Strengths are in 0…1: the probability of a kind or fault that is shown, or for a
    factor how far it stands out among jokes. ``turn`` and ``cut``: (start, end) in characters."""

    text: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    high: Mapping[str, float] = field(default_factory=dict)
    low: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    turn: tuple[int, int] | None = None
    cut: tuple[int, int] | None = None
    crowd: Literal["above", "below"] | None = None


@dataclass(frozen=True)
class NoteLines:
    """The sentences of a note; empty where nothing was found."""

    works: str = ""
    weakens: str = ""
    apart: str = ""


def compose(rules: NoteRules, findings: Findings) -> NoteLines:
    """The note of these findings."""
    slots = _slots(findings)
    # A fault says more exactly what a weak factor would say again.
    weakens = tuple(rule for rule in rules.weakens if rule.faults) if findings.faults else rules.weakens
    apart = next(_sentences(rules.apart, findings, slots), ("", frozenset()))[0] if findings.crowd else ""
    return NoteLines(
        works=next(_sentences(rules.works, findings, slots), ("", frozenset()))[0],
        weakens=" ".join(_apart(_sentences(weakens, findings, slots), MOST_WEAKENS)),
        apart=apart,
    )


def _apart(found: Iterator[tuple[str, frozenset[str]]], most: int) -> Iterator[str]:
    """The first sentences of which no two are about the same thing or quote the same words twice."""
    told: set[str] = set()
    for sentence, subjects in found:
        if most and not told & subjects:
            told |= subjects
            most -= 1
            yield sentence


def _sentences(
    rules: tuple[NoteRule, ...], findings: Findings, slots: Mapping[str, str]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Each sentence that holds, the most specific and surest first, with what it is about."""
    held = []
    for place, rule in enumerate(rules):
        strengths = _strengths(rule, findings)
        if strengths is None:
            continue
        wording = _wording(rule, slots, min(strengths, default=1.0))
        if wording is not None:
            conditions = len(strengths) + (rule.crowd is not None)
            held.append((-conditions, -min(strengths, default=0.0), place, rule, wording))
    for *_, rule, wording in sorted(held, key=lambda item: item[:3]):
        yield wording.text.format_map(slots), frozenset((*rule.kinds, *rule.high, *rule.low, *rule.faults))


def _strengths(rule: NoteRule, findings: Findings) -> list[float] | None:
    """How strongly each condition holds; None if one doesn't."""
    if rule.crowd is not None and rule.crowd != findings.crowd:
        return None
    strengths: list[float] = []
    parts = (
        (rule.kinds, findings.kinds),
        (rule.high, findings.high),
        (rule.low, findings.low),
        (rule.faults, findings.faults),
    )
    for ids, found in parts:
        for identity in ids:
            if identity not in found:
                return None
            strengths.append(found[identity])
    return strengths


def _wording(rule: NoteRule, slots: Mapping[str, str], strength: float) -> Wording | None:
    for wording in rule.wordings:
        if (strength >= SURE or not wording.sure) and all(slot in slots for slot in wording.slots):
            return wording
    return None


def _slots(findings: Findings) -> dict[str, str]:
    slots = {"count": str(len(_WORD.findall(findings.text)))}
    if findings.turn is not None:
        start, end = findings.turn
        _put(slots, "turn", _telling(findings.text[start:end]))
        _put(slots, "after", findings.text[end:])
    if findings.cut is not None:
        _put(slots, "cut", findings.text[slice(*findings.cut)])
    return slots


def _telling(words: str) -> str:
    """Without the small words at either end, and nothing where only laughter is left: what is quoted should tell."""
    found = list(_WORD.finditer(words))
    start, end = 0, len(words)
    while found and found[0].group().lower() in _SMALL:
        start = found.pop(0).end()
    while found and found[-1].group().lower() in _SMALL:
        end = found.pop().start()
    only_laughter = all(_LAUGHTER.fullmatch(match.group().lower()) for match in found)
    return "" if only_laughter else words[start:end]


def _put(slots: dict[str, str], name: str, words: str) -> None:
    quoted = " ".join(words.strip(_EDGES).split())
    if quoted and len(_WORD.findall(quoted)) <= _MOST_WORDS and _WORD.search(quoted):
        slots[name] = quoted
