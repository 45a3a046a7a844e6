"""The turn, fitted on readings and families together, and the share of the sentences of the editor's note that agree
with the readers.

Every text is read out of fold: readings by maps of other folds; families of texts around one joke (contrasts), on
which only the turn is trained, without all texts of their writer. Readings have labels of kinds and
faults, families of the faults that a draft was given; both have labels of the turn. The card of the model's heads gets
the least strength of each note with the share right, chosen and measured on different folds; the heads' file the turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from joint import held_out_findings
from shipping import Array, Shipping, first_and_second

from jokejudge_gui.core.files import atomic_write, atomic_writer
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.core.verdicts import Span
from jokejudge_gui.heads.editor import EditorHeads, EditorReading, measure
from jokejudge_gui.heads.editor_file import EditorCard
from jokejudge_gui.heads.features import words_of
from jokejudge_gui.heads.punchline import is_right
from jokejudge_gui.judge.rating.note import LEAST_P, find
from jokejudge_gui.learning.editor_fit import BUCKETS
from jokejudge_gui.learning.editor_lesson import NotedText, named_in, note_figures, scored_in
from jokejudge_gui.learning.figures import FOLDS, calibration_error, chances
from jokejudge_gui.learning.punchline_fit import fit_turn
from jokejudge_gui.rubric.notes import Part, parse_faults, parse_notes
from jokejudge_gui.rubric.xml_parser import load_criteria

_JOKES = ("spoiled", "blander", "equal", "other_end")
"""Variants that work as jokes."""
_LONGEST, _TIMES = 700, 3
_READING = 1.2
"""Weight of a reading's turn relative to a family's: its readers were asked for as few words as possible, those of the
families for all up to the punchline's last word."""
Words = tuple[int, int]
"""First word, and the one after the last."""


@dataclass(frozen=True)
class Labelled:
    """A text with its labels. ``best``: the joke that it is a variant of; empty for a reading."""

    text: str
    turns: tuple[str, ...]
    fold: int
    kinds: frozenset[str] = frozenset()
    faults: frozenset[str] = frozenset()
    best: str = ""
    scored: frozenset[str] = frozenset()


def labelled(of: Shipping) -> Iterator[Labelled]:
    """The jokes of each family, including those with a fault, all of one writer's in one fold; and the readings with
    full weight."""
    writers: dict[str, int] = {}
    for family in of.families():
        best = clean_text(family["best"])
        fold = writers.setdefault(family["id"][:2], len(writers)) % FOLDS
        yield Labelled(best, (family["turn"],), fold, best=best)
        for variant in family["variants"]:
            if variant["type"] in _JOKES:
                turns = (variant["turn"],) if variant.get("turn") else ()
                faults = frozenset(variant.get("faults") or ())
                yield Labelled(clean_text(variant["text"]), turns, fold, faults=faults, best=best)
    readings = first_and_second(of.readings)
    for i in map(int, readings.full()):
        if len(readings.texts[i]) <= _LONGEST and readings.joke[i] >= 0.5:
            named, scored = named_in(readings, i), scored_in(readings, i)
            yield Labelled(readings.texts[i], readings.turns[i], int(readings.fold[i]), *named, scored=scored)


def right_of(row: Labelled, start: int, end: int) -> float:
    """Share of the readers about whose turn a sentence may quote these characters: nearly the same words, or one within
    the other and no more than three times as many."""
    words = words_of(row.text)

    def inside(first: int, last: int) -> Words:
        found = [i for i, (a, b) in enumerate(words) if a < last and b > first]
        return (found[0], found[-1] + 1) if found else (0, 0)

    def right(shown: Words, named: Words) -> bool:
        within = (named[0] <= shown[0] and shown[1] <= named[1]) or (shown[0] <= named[0] and named[1] <= shown[1])
        return is_right(shown, named) or (within and shown[1] - shown[0] <= _TIMES * (named[1] - named[0]))

    named = [(at, at + len(turn)) for turn in row.turns if turn and (at := row.text.rfind(turn)) >= 0]
    return float(np.mean([right(inside(start, end), inside(*each)) for each in named])) if named else 0.0


def write(of: Shipping, card: EditorCard, arrays: dict[str, Array]) -> None:
    """Write the card and the heads' file with another turn; the rest of the file stays bit for bit the same."""
    atomic_write(of.path("editor", "json"), card.text())
    path = of.path("editor", "npz")
    with np.load(path) as stored:
        parts = {name: stored[name] for name in stored.files}
    parts |= {name: found.astype(parts[name].dtype) for name, found in arrays.items()}
    with atomic_writer(path) as stream:
        np.savez_compressed(stream, allow_pickle=False, **parts)
    EditorHeads.load(path)


def fit_notes(of: Shipping) -> None:
    criteria, rules = load_criteria(None), parse_notes()
    kinds, faults = {each.id for each in criteria.categories}, {each.id for each in parse_faults()}
    rows = list({row.text: row for row in labelled(of)}.values())
    heads, (unseen, _) = of.editor, held_out_findings(of)
    scans = of.reads.scans([row.text for row in rows])
    measured, found = [], []
    for row, scan in zip(rows, scans, strict=True):
        measured.append(measure(scan.states, row.text, scan.spans, BUCKETS, scan.logprobs))
        found.append(heads.found(scan.states, row.text, scan.spans, scan.logprobs, unseen.get(row.text)))
    turn = fit_turn(
        measured,
        [row.turns for row in rows],
        [heads.word_scores(each) for each in measured],
        np.array([numbers[: -len(each.form)] for (_, numbers), each in zip(found, measured, strict=True)]),
        np.array([row.fold for row in rows]),
        np.array([1.0 if row.best else _READING for row in rows]),
        lambda: None,
    )
    p = chances(turn.odds)
    read: list[EditorReading] = [reading.replaced(turn=None) for reading, _ in found]
    for place, (start, end), sure in zip(turn.texts, turn.places, p, strict=True):
        shown = Span(start=start, end=end, text=measured[place].text[start:end], p=float(sure))
        read[place] = read[place].replaced(turn=shown)
    noted = []
    for row, reading in zip(rows, read, strict=True):
        stated = reading.turn if reading.turn is not None and reading.turn.p >= LEAST_P else None
        findings = find(rules, row.text, reading, kinds=kinds, faults=faults, turn=stated)
        parts: tuple[Part, ...] = ("weakens",) if row.best else ("works", "weakens", "form")
        right = right_of(row, stated.start, stated.end) if stated is not None else 0.0
        noted.append(NotedText(findings, row.kinds, row.faults, right, row.fold, parts, row.scored))
    right, error = float(turn.right.mean()), calibration_error(p, turn.right)
    print(f"the turn of {len(turn.right)} texts: right {right:.3f}, calibration error {error:.3f}")
    card = EditorCard.load(of.path("editor", "json"))
    figures = card.figures.replaced(turn=round(right, 4), turn_error=error)
    write(of, card.replaced(figures=figures, notes=note_figures(rules, noted)), turn.arrays)
