"""The turn, fitted on readings and families together, and the share of the sentences of the editor's note that agree
with the readers.

    python models/training/notes.py MODEL.gguf CACHE --readings readings.jsonl --contrasts families.jsonl
        [--most N] [--write models]

Every text is read out of fold: readings with the text left out of each map; families of texts around one joke (shared
contrasts), on which only the turn is trained, without all texts of their writer. Readings have labels of kinds and
faults, families of the faults that a draft was given; both have labels of the turn. Prints the least strength of each
note, the share right and the cases, chosen and measured on different folds; for the turn the share right by stated
probability. With --write the card of the model's heads gets the figures, and the heads' file the turn.
CACHE: the cache of editor.py; --most: number of readings and of texts of families, in an order independent of labels.
"""

from __future__ import annotations

import argparse
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from editor import scans_of
from second import first_and_second

from jokejudge_gui.core.files import atomic_write, sha256_of
from jokejudge_gui.core.statistics import Vector
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.core.words import WORD
from jokejudge_gui.engine.base import Scan
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.editor import EditorHeads, EditorReading, SpanReading, measure
from jokejudge_gui.heads.editor_file import EditorCard, NoteFigure
from jokejudge_gui.heads.features import words_of
from jokejudge_gui.heads.punchline import is_right
from jokejudge_gui.judge.rating.edits import cut_of
from jokejudge_gui.judge.rating.note import LEAST_P, find
from jokejudge_gui.judge.rating.references import find_references
from jokejudge_gui.learning.editor_data import FOLDS, Readings
from jokejudge_gui.learning.editor_fit import BUCKETS
from jokejudge_gui.learning.editor_report import NotedText, calibration_error, named_in, note_figures, scored_in
from jokejudge_gui.learning.held_out import HeldOutHeads
from jokejudge_gui.learning.punchline_fit import TurnFit, fit_turn
from jokejudge_gui.rubric.audiences import parse_common_names
from jokejudge_gui.rubric.notes import NoteRules, Part, parse_faults, parse_notes
from jokejudge_gui.rubric.xml_parser import load_criteria

_JOKES = ("spoiled", "blander", "equal", "other_end")
"""Variants that work as jokes."""
_SEEDED = ("explains", "padding", "gives_away", "tail", "wrong_order")
"""Faults that families were given on purpose; the labels of the other faults are the readings'."""
_LONGEST, _TIMES = 700, 3
_READING = 1.2
"""Weight of a reading's turn relative to a family's: its readers were asked for as few words as possible, those of the
families for all up to the punchline's last word."""
_BINS = (0.0, 0.3, 0.5, 0.65, 0.8, 1.01)

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


def families_of(path: Path) -> list[Labelled]:
    """The jokes of each family, including those with a fault. All of one writer's are in one fold."""
    rows: list[Labelled] = []
    writers: dict[str, int] = {}
    for line in path.read_text("utf-8").splitlines():
        family: dict[str, Any] = json.loads(line)
        best = clean_text(family["best"])
        fold = writers.setdefault(family["id"][:2], len(writers)) % FOLDS
        rows.append(Labelled(best, (family["turn"],), fold, best=best))
        for variant in family["variants"]:
            if variant["type"] in _JOKES:
                turns = (variant["turn"],) if variant.get("turn") else ()
                faults = frozenset(variant.get("faults") or ())
                rows.append(Labelled(clean_text(variant["text"]), turns, fold, faults=faults, best=best))
    return rows


def mixed(rows: Sequence[Labelled], most: int) -> list[Labelled]:
    """The first ``most`` texts, in an order independent of their labels."""
    return sorted(rows, key=lambda row: zlib.crc32(row.text.encode()))[:most]


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
    cut = cut_of(row.text, turn, read.cuts)
    cut_right = None
    if cut is not None and row.best:
        its = {word.lower() for word in WORD.findall(row.best)}
        words = [word.lower() for word in WORD.findall(row.text[slice(*cut)])]
        cut_right = sum(word not in its for word in words) >= len(words) / 2
    names = [(each.start, each.end) for each in find_references(row.text, parse_common_names()) if each.why == "name"]
    found = find(
        rules, row.text, read,
        kinds=criteria["kinds"], factors=(), faults=criteria["faults"], turn=turn, cut=cut, known=names,
    )  # fmt: skip
    parts: tuple[Part, ...] = ("weakens",) if row.best else ("works", "weakens", "form")
    right = right_of(row, turn.start, turn.end, right_to_quote) if turn is not None else 0.0
    return NotedText(found, row.kinds, row.faults, right, row.fold, parts, cut_right, row.scored)


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
    assert turn is not None
    p = 1.0 / (1.0 + np.exp(-turn.odds))
    read = {row.text: reading.replaced(turn=None) for row, (reading, _) in zip(rows, found, strict=True)}
    for place, (first, after), sure in zip(turn.texts, turn.runs, p, strict=True):
        text, words = measured[place].text, measured[place].words
        start, end = words[first][0], words[after - 1][1]
        shown = SpanReading(start=start, end=end, text=text[start:end], p=float(sure))
        read[text] = read[text].replaced(turn=shown)
    return turn, read


def table(rules: NoteRules, figures: Mapping[str, NoteFigure]) -> Iterator[str]:
    for part in ("works", "weakens", "form"):
        for rule in getattr(rules, part):
            figure = figures.get(rule.id)
            words = f"right {figure.right:.2f} of {figure.cases:4d} from {figure.least:.2f}" if figure else "–"
            yield f"{part:8s} {rule.id:16s} {words:28s}  {rule.wordings[0].text}"


def turn_table(family: npt.NDArray[np.bool_], p: Vector, right: Vector) -> Iterator[str]:
    for of in (~family, family):
        name, some = ("families" if family[of].any() else "readings"), of & (p >= LEAST_P)
        if some.any():
            stated_of, error = some.sum() / of.sum(), calibration_error(p[of], right[of])
            yield f"turn, {int(of.sum())} {name}: right {right[of].mean():.3f}; calibration error {error:.3f}"
            yield f"    stated (p 0.5 or more) in {stated_of:.2f}, of those right {right[some].mean():.3f}"
        for low, high in pairwise(_BINS):
            inside = of & (p >= low) & (p < high)
            if inside.any():
                yield f"    p {low:.2f}…{min(1.0, high):.2f}: {int(inside.sum()):4d}, right {right[inside].mean():.2f}"


def write(
    folder: Path, heads: EditorHeads, notes: Mapping[str, NoteFigure], turn: TurnFit, right: float, error: float
) -> None:
    """Write the card with the figures and the heads' file with the turn; the rest of both stays bit for bit the
    same."""
    stem = heads.model_sha256[:16]
    card = EditorCard.load(folder / f"{stem}.json")
    kept = {id: figure for id, figure in card.notes.items() if id == "edit"}
    figures = card.figures.replaced(turn=round(right, 4), turn_error=error)
    atomic_write(folder / f"{stem}.json", card.replaced(figures=figures, notes={**kept, **notes}).text())
    path = folder / f"{stem}.npz"
    with np.load(path) as stored:
        parts = {name: stored[name] for name in stored.files if name != "turn_stated"}
    kinds = {name: parts[name].dtype if name in parts else np.float32 for name in turn.arrays}
    parts |= {name: found.astype(kinds[name]) for name, found in turn.arrays.items()}
    draft = path.with_suffix(".new.npz")
    np.savez_compressed(draft, allow_pickle=False, **parts)
    EditorHeads.load(draft)
    os.replace(draft, path)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--readings", type=Path, required=True)
    parser.add_argument("--contrasts", type=Path, required=True, help="families.jsonl")
    parser.add_argument("--most", type=int, default=10**6)
    parser.add_argument("--write", type=Path, help="folder models")
    given = parser.parse_args(argv)
    criteria = load_criteria(None)
    faults = parse_faults()
    rules = parse_notes(criteria, faults)
    ids = {"kinds": {each.id for each in criteria.categories}, "faults": {each.id for each in faults}}
    rows = {
        row.text: row
        for row in (
            *mixed(families_of(given.contrasts), given.most),
            *mixed(readings_of(first_and_second(given.readings)), given.most),
        )
    }
    sha256 = sha256_of(given.model)
    folder = Path(__file__).resolve().parents[1] / "editor"
    heads = EditorHeads.load(folder / f"{sha256[:16]}.npz")
    apart = HeldOutHeads(heads, faults=True)
    engine = load_engine(given.model, sha256=sha256, threads=1)
    try:
        scans = {
            text: Scan(states.astype(np.float32), logprobs, tuple(engine.spans(text)))
            for text, states, logprobs in scans_of(engine, given.cache / sha256[:16], list(rows))
        }
    finally:
        engine.close()
    texts = list(rows.values())
    turn, read = learned(heads, apart, texts, scans)
    family = np.array([bool(texts[place].best) for place in turn.texts])
    p = 1.0 / (1.0 + np.exp(-turn.odds))
    figures = note_figures(rules, [noted(rules, row, read[row.text], ids) for row in texts])
    families = sum(bool(row.best) for row in rows.values())
    print(f"{len(rows) - families} readings, {families} texts of families")
    for line in (*turn_table(family, p, turn.right), *table(rules, figures)):
        print(line)
    if given.write:
        right, error = float(turn.right.mean()), calibration_error(p, turn.right)
        write(given.write / "editor", heads, figures, turn, right, error)


if __name__ == "__main__":
    main()
