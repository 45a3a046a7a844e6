"""The turn, fitted on readings and families together, and the share of the sentences of the editor's note that agree
with the readers.

Every text is read out of fold: readings with the text left out of each map; families of texts around one joke (shared
contrasts), on which only the turn is trained, without all texts of their writer. Readings have labels of kinds and
faults, families of the faults that a draft was given; both have labels of the turn. The card of the model's heads gets
the least strength of each note with the share right, chosen and measured on different folds; the heads' file the turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from second import first_and_second
from shipping import Shipping

from jokejudge_gui.core.files import atomic_write
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.engine.base import Scan
from jokejudge_gui.heads.editor import EditorHeads, EditorReading, SpanReading, measure
from jokejudge_gui.heads.editor_file import EditorCard, NoteFigure
from jokejudge_gui.heads.features import words_of
from jokejudge_gui.heads.punchline import is_right
from jokejudge_gui.judge.rating.note import LEAST_P, find
from jokejudge_gui.learning.editor_data import FOLDS, Readings
from jokejudge_gui.learning.editor_fit import BUCKETS
from jokejudge_gui.learning.editor_report import NotedText, named_in, note_figures, scored_in
from jokejudge_gui.learning.figures import calibration_error
from jokejudge_gui.learning.held_out import HeldOutHeads
from jokejudge_gui.learning.punchline_fit import TurnFit, fit_turn
from jokejudge_gui.rubric.notes import NoteRules, Part, parse_faults, parse_notes
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


def readings_of(readings: Readings) -> list[Labelled]:
    """The readings with full weight."""
    rows = []
    for i in map(int, readings.full()):
        if len(readings.texts[i]) <= _LONGEST and readings.joke[i] >= 0.5:
            fold = int(readings.fold[i])
            named, scored = named_in(readings, i), scored_in(readings, i)
            rows.append(Labelled(readings.texts[i], readings.turns[i], fold, *named, scored=scored))
    return rows


def families_of(families: list[dict[str, Any]]) -> list[Labelled]:
    """The jokes of each family, including those with a fault. All of one writer's are in one fold."""
    rows: list[Labelled] = []
    writers: dict[str, int] = {}
    for family in families:
        best = clean_text(family["best"])
        fold = writers.setdefault(family["id"][:2], len(writers)) % FOLDS
        rows.append(Labelled(best, (family["turn"],), fold, best=best))
        for variant in family["variants"]:
            if variant["type"] in _JOKES:
                turns = (variant["turn"],) if variant.get("turn") else ()
                faults = frozenset(variant.get("faults") or ())
                rows.append(Labelled(clean_text(variant["text"]), turns, fold, faults=faults, best=best))
    return rows


def right_of(row: Labelled, start: int, end: int, right: Callable[[Words, Words], bool] = is_right) -> float:
    """Share of the readers whose turn makes these characters ``right``."""
    words = words_of(row.text)

    def inside(first: int, last: int) -> Words:
        found = [i for i, (a, b) in enumerate(words) if a < last and b > first]
        return (found[0], found[-1] + 1) if found else (0, 0)

    named = [(at, at + len(turn)) for turn in row.turns if turn and (at := row.text.rfind(turn)) >= 0]
    return float(np.mean([right(inside(start, end), inside(*each)) for each in named])) if named else 0.0


def right_to_quote(shown: Words, named: Words) -> bool:
    """Whether a sentence about the reader's turn may quote other words: nearly the same, or one within the other and
    no more than three times as many."""
    within = (named[0] <= shown[0] and shown[1] <= named[1]) or (shown[0] <= named[0] and named[1] <= shown[1])
    return is_right(shown, named) or (within and shown[1] - shown[0] <= _TIMES * (named[1] - named[0]))


def noted(rules: NoteRules, row: Labelled, read: EditorReading, criteria: Mapping[str, set[str]]) -> NotedText:
    """A text with its note's sentences and the labels to compare them with."""
    turn = read.turn if read.turn is not None and read.turn.p >= LEAST_P else None
    found = find(
        rules, row.text, read,
        kinds=criteria["kinds"], factors=(), faults=criteria["faults"], turn=turn,
    )  # fmt: skip
    parts: tuple[Part, ...] = ("weakens",) if row.best else ("works", "weakens", "form")
    right = right_of(row, turn.start, turn.end, right_to_quote) if turn is not None else 0.0
    return NotedText(found, row.kinds, row.faults, right, row.fold, parts, row.scored)


def learned(
    heads: EditorHeads, apart: HeldOutHeads, rows: Sequence[Labelled], scans: Mapping[str, Scan]
) -> tuple[TurnFit, dict[str, EditorReading]]:
    """Return the turn, fitted on ``rows``, and the reading of each text with its turn out of fold."""
    measured, found = [], []
    for row in rows:
        scan = scans[row.text]
        measured.append(measure(scan.states, row.text, scan.spans, BUCKETS, scan.logprobs))
        found.append(heads.found(scan.states, row.text, scan.spans, scan.logprobs, unlearn=apart))
    values = np.array([numbers[: -len(each.form)] for (_, numbers), each in zip(found, measured, strict=True)])
    turn = fit_turn(
        measured,
        [row.turns for row in rows],
        [heads.word_scores(each) for each in measured],
        values,
        np.array([row.fold for row in rows]),
        np.array([1.0 if row.best else _READING for row in rows]),
        lambda: None,
    )
    p = 1.0 / (1.0 + np.exp(-turn.odds))
    read = {row.text: reading.replaced(turn=None) for row, (reading, _) in zip(rows, found, strict=True)}
    for place, (first, after), sure in zip(turn.texts, turn.runs, p, strict=True):
        text, words = measured[place].text, measured[place].words
        start, end = words[first][0], words[after - 1][1]
        shown = SpanReading(start=start, end=end, text=text[start:end], p=float(sure))
        read[text] = read[text].replaced(turn=shown)
    return turn, read


def write(
    folder: Path, heads: EditorHeads, notes: Mapping[str, NoteFigure], turn: TurnFit, right: float, error: float
) -> None:
    """Write the card with the figures and the heads' file with the turn; the rest of both stays bit for bit the
    same."""
    stem = heads.model_sha256[:16]
    card = EditorCard.load(folder / f"{stem}.json")
    figures = card.figures.replaced(turn=round(right, 4), turn_error=error)
    atomic_write(folder / f"{stem}.json", card.replaced(figures=figures, notes=dict(notes)).text())
    path = folder / f"{stem}.npz"
    with np.load(path) as stored:
        parts = {name: stored[name] for name in stored.files if name != "turn_stated"}
    kinds = {name: parts[name].dtype if name in parts else np.float32 for name in turn.arrays}
    parts |= {name: found.astype(kinds[name]) for name, found in turn.arrays.items()}
    draft = path.with_suffix(".new.npz")
    np.savez_compressed(draft, allow_pickle=False, **parts)
    EditorHeads.load(draft)
    os.replace(draft, path)


def fit_notes(of: Shipping) -> None:
    criteria = load_criteria(None)
    faults = parse_faults()
    rules = parse_notes()
    ids = {"kinds": {each.id for each in criteria.categories}, "faults": {each.id for each in faults}}
    rows = {row.text: row for row in (*families_of(of.families()), *readings_of(first_and_second(of.readings)))}
    heads = of.editor
    apart = HeldOutHeads(heads, faults=True)
    scans = dict(zip(rows, of.reads.scans(list(rows)), strict=True))
    texts = list(rows.values())
    turn, read = learned(heads, apart, texts, scans)
    p = 1.0 / (1.0 + np.exp(-turn.odds))
    figures = note_figures(rules, [noted(rules, row, read[row.text], ids) for row in texts])
    right, error = float(turn.right.mean()), calibration_error(p, turn.right)
    print(f"the turn of {len(turn.right)} texts: right {right:.3f}, calibration error {error:.3f}")
    write(of.models / "editor", heads, figures, turn, right, error)
