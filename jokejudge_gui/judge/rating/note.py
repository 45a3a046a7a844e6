"""The editor's note: what works, what weakens, and where crowd and editor differ, in sentences from criteria/notes.xml.

Nothing is chosen at random, and nothing is said that wasn't found: the same findings give the same note."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...core.verdicts import FactorScore, Prose
from ...engine.base import CancelToken
from ...heads.editor import EditorReading
from ...rubric.notes import NoteRule, NoteRules, Wording
from ..asking.explanation import Critic, Explainer, extremes, in_paragraphs
from ..plan.worth import ProseFigures

# -- The model's own sentences about a joke, with what they are worth on this model.


@dataclass(frozen=True)
class Writer:
    """``tested``: what the prose test found of this model, None where it wasn't made; ``critic``: what is written goes
    through one critique and one revision, None where it doesn't."""

    explainer: Explainer
    tested: ProseFigures | None = None
    critic: Critic | None = None

    def write(self, joke: str, scores: Sequence[FactorScore], cancel: CancelToken | None = None) -> Prose | None:
        """What works, what weakens, what to try, a paragraph each; None where the model finds no words. Raises what
        the engine raises."""
        said = self.explainer.sentences(joke, *extremes(scores), cancel)
        revised = False
        if self.critic is not None:
            revision = self.critic.revise(joke, said, cancel)
            said, revised = revision.sentences, revision.changed
        text = "".join(piece.text for piece in in_paragraphs(said)).strip()
        if not text:
            return None
        return Prose(text=text, passed=self.tested.passed if self.tested is not None else None, revised=revised)


# -- What an editor's note may speak of: what stands out in a text, by what was read in it.

LEAST_P = 0.5
"""A kind, a fault or a turn is stated if it is likelier than not."""
_HIGH, _LOW = 0.8, 0.2
"""A factor stands out above or below this share of jokes …"""
_LEAST_HIGH, _MOST_LOW = 3.0, 2.5
"""… and its score is at that end of the scale."""


@dataclass(frozen=True)
class Findings:
    """What may be said of a text. Strengths are in 0…1: the probability of a kind or fault that is shown, or for a
    factor how far it stands out among jokes. ``suspected``: faults that may be there, shown or not; ``weak``: how
    weak the text is as a joke, 0 for one that isn't. ``turn`` and ``cut``: (start, end) in characters."""

    text: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    high: Mapping[str, float] = field(default_factory=dict)
    low: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    suspected: Collection[str] = ()
    weak: float = 0.0
    turn: tuple[int, int] | None = None
    cut: tuple[int, int] | None = None
    crowd: Literal["above", "below"] | None = None


def find(
    rules: NoteRules,
    text: str,
    found: EditorReading,
    *,
    kinds: Mapping[str, float],
    factors: Collection[str],
    faults: Mapping[str, float],
    turn: tuple[int, int] | None = None,
    cut: tuple[int, int] | None = None,
    crowd: Literal["above", "below"] | None = None,
) -> Findings:
    """What stands out in ``found``. ``kinds`` and ``faults`` that are shown, with their probabilities; ``factors``:
    ids of those that are worth showing."""
    high, low = {}, {}
    for name in factors:
        read = found.factors[name]
        if read.standing >= _HIGH and read.expected >= _LEAST_HIGH:
            high[name] = read.standing
        elif read.standing <= _LOW and read.expected <= _MOST_LOW:
            low[name] = 1.0 - read.standing
    suspected = {name for name, p in found.faults.items() if p >= rules.suspect} | set(faults)
    known = [found.factors[name].standing for name in rules.weak_factors if name in factors]
    # Half of them would be a guess about the whole.
    standing = math.fsum(known) / len(known) if len(known) == len(rules.weak_factors) else 1.0
    return Findings(
        text=text,
        kinds=kinds,
        high=high,
        low=low,
        faults=faults,
        suspected=suspected,
        weak=1.0 - standing if standing < rules.weak_below else 0.0,
        # Where nothing turns, no words are named as those on which it does.
        turn=turn if "no_turn" not in suspected else None,
        cut=cut,
        crowd=crowd,
    )


SURE = 0.8
"""From this strength on a finding is read surely."""
_SOME = 1e-9
MOST_WEAKENS = 2
"""Sentences about what weakens; a third would be a list of complaints."""
_SHORT = 4
"""Words of a sentence that is quoted whole."""
_PIECE_END = re.compile(r"[.!?…]+[\"”’')]*\s+|[\"“”\n]+")
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
class NoteLines:
    """The sentences of a note; empty where nothing was found."""

    works: str = ""
    weakens: str = ""
    apart: str = ""
    said: tuple[NoteRule, ...] = ()
    """What was said, in its order."""


def compose(rules: NoteRules, findings: Findings) -> NoteLines:
    """The note of these findings."""
    slots = _slots(findings)
    # A fault says more exactly what a weak factor would say again.
    weakens = tuple(r for r in rules.weakens if r.faults or r.weak) if findings.faults else rules.weakens
    works = list(itertools.islice(_sentences(rules.works, findings, slots), 1))
    weaker = list(_apart(_sentences(weakens, findings, slots), MOST_WEAKENS))
    crowd = list(itertools.islice(_sentences(rules.apart, findings, slots), 1)) if findings.crowd else []
    return NoteLines(
        works=" ".join(sentence for sentence, _ in works),
        weakens=" ".join(sentence for sentence, _ in weaker),
        apart=" ".join(sentence for sentence, _ in crowd),
        said=tuple(rule for _, rule in (*works, *weaker, *crowd)),
    )


def _apart(found: Iterator[tuple[str, NoteRule]], most: int) -> Iterator[tuple[str, NoteRule]]:
    """The first sentences of which no two are about the same thing; one about the whole text says all."""
    told: set[str] = set()
    for sentence, rule in found:
        subjects = {*rule.kinds, *rule.any, *rule.high, *rule.low, *rule.faults, *(("weak",) if rule.weak else ())}
        if most and not told & subjects:
            told |= subjects
            most -= 1
            yield sentence, rule


def _sentences(
    rules: tuple[NoteRule, ...], findings: Findings, slots: Mapping[str, str]
) -> Iterator[tuple[str, NoteRule]]:
    """Each sentence that holds, the most specific and surest first."""
    held = []
    for place, rule in enumerate(rules):
        strengths = strengths_of(rule, findings)
        if strengths is None:
            continue
        wording = _wording(rule, slots, min(strengths, default=1.0))
        if wording is not None:
            # One of several kinds says less than a kind by name.
            conditions = len(strengths) + (rule.crowd is not None) - 0.5 * bool(rule.any)
            held.append((-conditions, -min(strengths, default=0.0), place, rule, wording))
    for *_, rule, wording in sorted(held, key=lambda item: item[:3]):
        yield wording.text.format_map(slots), rule


def strengths_of(rule: NoteRule, findings: Findings) -> list[float] | None:
    """How strongly each condition of a rule holds; None if one doesn't."""
    if rule.crowd is not None and rule.crowd != findings.crowd:
        return None
    if rule.weak is not None and rule.weak != (findings.weak > 0.0):
        return None
    if any(fault in findings.suspected for fault in rule.unless):
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
    if rule.any:
        strengths.append(max(findings.kinds.get(kind, 0.0) for kind in rule.any))
    if rule.weak:
        strengths.append(findings.weak)
    return strengths if min(strengths, default=1.0) >= max(rule.least, _SOME) else None


def _wording(rule: NoteRule, slots: Mapping[str, str], strength: float) -> Wording | None:
    for wording in rule.wordings:
        if (strength >= SURE or not wording.sure) and all(slot in slots for slot in wording.slots):
            return wording
    return None


def _slots(findings: Findings) -> dict[str, str]:
    slots = {"count": str(len(_WORD.findall(findings.text)))}
    if findings.turn is not None:
        start, end, whole = _piece(findings.text, *findings.turn)
        _put(slots, "turn", _telling(findings.text[start:end], whole=whole))
        _put(slots, "after", findings.text[end:])
    if findings.cut is not None:
        _put(slots, "cut", findings.text[slice(*findings.cut)])
    return slots


def _piece(text: str, start: int, end: int) -> tuple[int, int, bool]:
    """Of the words from ``start`` to ``end`` those within their last sentence or quotation, since no quotation should
    run across its end; all of that sentence, which the third value says, where it is short and they are half of it."""
    last = next(reversed(list(_WORD.finditer(text, start, end))), None)
    if last is None:
        return start, end, False
    first, after = 0, len(text)
    for mark in _PIECE_END.finditer(text):
        if mark.end() <= last.start():
            first = mark.end()
        elif mark.start() >= last.end():
            after = mark.start()
            break
    start, end = max(start, first), min(end, after)
    words = len(_WORD.findall(text[first:after]))
    if words <= _SHORT and 2 * len(_WORD.findall(text[start:end])) >= words:
        return first, after, True
    return start, end, False


def _telling(words: str, *, whole: bool) -> str:
    """Without the small words at either end unless they are ``whole``, and nothing where only laughter is left: what is
    quoted should tell."""
    found = list(_WORD.finditer(words))
    start, end = 0, len(words)
    while not whole and found and found[0].group().lower() in _SMALL:
        start = found.pop(0).end()
    while not whole and found and found[-1].group().lower() in _SMALL:
        end = found.pop().start()
    only_laughter = all(_LAUGHTER.fullmatch(match.group().lower()) for match in found)
    return "" if only_laughter else words[start:end]


def _put(slots: dict[str, str], name: str, words: str) -> None:
    quoted = " ".join(words.strip(_EDGES).split())
    if quoted and len(_WORD.findall(quoted)) <= _MOST_WORDS and _WORD.search(quoted):
        slots[name] = quoted
