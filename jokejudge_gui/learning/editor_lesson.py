"""The lesson of the editor's heads: what is learned from the readings that ship, and the heads' figures on texts that
they weren't trained on, with intervals by bootstrap over texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..core.events import Event
from ..core.statistics import Vector, pearson
from ..core.verdicts import ModelRef
from ..engine.base import Scan
from ..heads.editor import EditorHeads, TextRow, measure
from ..heads.editor_file import CORE, EditorCard, EditorFigures, Ints, ItemFigure, NoteFigure
from ..heads.features import SURE_FORMS
from ..judge.rating.note import LEAST_CASES, LEAST_P, Findings, sayings
from ..rubric.notes import PARTS, NoteRule, NoteRules, Part, parse_notes
from ..rubric.xml_parser import wider_kinds
from .editor_data import Draft, Readings
from .editor_fit import BUCKETS, Fitted, fit_editor, form_shares
from .figures import area, calibration_error, chances, interval, out_of_fold, resampled
from .ridge import platt
from .teacher import Lesson, Teacher, Written, progress, today, too_few

VERSION = "1"
LEAST_READINGS = 100
NOTE = (
    "The readings were made by a large language model with the rubric in hand: an editor's view, not people's votes. "
    "Figures are out of fold over five folds of texts, calibration too; where texts lie (standardising, axes) was "
    "found on all texts without a look at the readings. Intervals: bootstrap over texts."
)


class EditorLesson(Lesson[TextRow]):
    """The editor's heads, from readings and drafts."""

    part = "editor"
    note = "reading texts that an editor read"

    def __init__(self, readings: Readings, drafts: Sequence[Draft]) -> None:
        self.readings, self.drafts = readings, drafts
        self.texts = [*readings.texts, *(draft.text for draft in drafts)]

    def row(self, text: str, scan: Scan) -> TextRow:
        row = measure(scan.states, text, scan.spans, BUCKETS, scan.logprobs)
        # Half precision halves the memory for thousands of texts, and the states' own noise is larger than the
        # rounding.
        return replace(row, pools=row.pools.astype(np.float32), states=row.states.astype(np.float16))

    def fit(self, rows: Sequence[TextRow | None], teacher: Teacher) -> Generator[Event, None, Written]:
        count = len(self.readings)
        read = np.flatnonzero([row is not None for row in rows[:count]])
        if len(read) < LEAST_READINGS:
            raise too_few(f"{len(read)} of the texts", "learn from", LEAST_READINGS)
        readings = self.readings.keep(read)
        drafts = [(row, draft) for row, draft in zip(rows[count:], self.drafts, strict=True) if row is not None]
        yield progress(len(rows), len(rows), "fitting, and measuring")
        fitted = fit_editor(
            [row for row in rows[:count] if row is not None],
            readings,
            [row for row, _ in drafts],
            [draft for _, draft in drafts],
            teacher.token.check,
        )
        info = teacher.engine.info
        notes = note_figures(parse_notes(), noted(readings, fitted))
        figures, items = figures_of(readings, fitted)
        card = EditorCard(
            model=ModelRef(name=info.name, sha256=info.sha256),
            version=VERSION,
            date=today(),
            command="jokejudge models fit --editor",
            data="an editor's readings and drafts (models/readings/README.md)",
            readings=len(readings),
            drafts=len(drafts),
            note=NOTE,
            figures=figures,
            items=items,
            notes=notes,
        )
        meta = {**fitted.meta, "version": VERSION, "model_sha256": info.sha256}
        return partial(EditorHeads.write, meta=meta, arrays=fitted.arrays), card.model_dump(mode="json")


# -- figures of heads

RESAMPLES = 200
STATED_FROM = 0.5
SHOWN_FACTOR = 0.35
_STATED_AT_ALL = 0.1
_SEED = 11


def figures_of(readings: Readings, fitted: Fitted) -> tuple[EditorFigures, dict[str, dict[str, ItemFigure]]]:
    """Return the overall figures and those of each item, on the texts with full weight. The probabilities of a fold are
    scaled by the other folds, so that calibration too is measured out of fold."""
    random = np.random.default_rng(_SEED)
    full = readings.full()
    measured = np.isin(fitted.turn.texts, full)
    turn_right = fitted.turn.right[measured]
    readings, values = readings.keep(full), fitted.values[full]
    jokes = np.flatnonzero(readings.joke == 1.0)
    factors, kinds = len(CORE), len(readings.kind_ids)
    faults = factors + kinds
    stated = honest(readings, values)
    items: dict[str, dict[str, ItemFigure]] = {"factor": {}, "kind": {}, "fault": {}, "check": {}}
    for column, name in enumerate(CORE):
        figure = _interval(
            lambda a, b: pearson(a, b)["value"] or 0.0, values[jokes, column], readings.factors[jokes, column], random
        )
        items["factor"][name] = ItemFigure(**figure, n=len(jokes), named=len(jokes))
    for column, name in enumerate(readings.kind_ids):
        items["kind"][name] = _yes_no(stated[:, column], readings.kinds[:, column], random)
    for column, name in enumerate(readings.fault_ids):
        items["fault"][name] = _yes_no(values[:, faults + column], readings.faults[:, column], random)
    items["check"]["intent"] = _yes_no(values[:, -2], readings.joke, random)
    items["check"]["completeness"] = _yes_no(values[:, -1], readings.complete, random)
    labels, scores = fitted.cut
    kind_p, fault_p = stated[:, :kinds], stated[:, kinds : kinds + len(readings.fault_ids)]
    first = readings.kinds[jokes, kind_p[jokes].argmax(axis=1)] > 0
    any_shown = kind_p[jokes].max(axis=1) >= STATED_FROM
    worth = [items["factor"][name].worth for name in CORE]
    figures = EditorFigures(
        factors=_mean(worth),
        factors_shown=sum(figure >= SHOWN_FACTOR for figure in worth),
        kinds=_mean([figure.worth for figure in items["kind"].values()]),
        kinds_first=round(float(first.mean()), 4),
        kinds_first_shown=round(float(first[any_shown].mean()) if any_shown.any() else 0.0, 4),
        kinds_any=round(float(any_shown.mean()), 4),
        faults=_mean([figure.worth for figure in items["fault"].values()]),
        **_shown("kinds", kind_p[jokes], (readings.kinds[jokes] > 0).astype(np.float64)),
        **_shown("faults", fault_p, (readings.faults > 0).astype(np.float64)),
        turn=round(float(turn_right.mean()), 4),
        turn_error=round(calibration_error(chances(fitted.turn.odds[measured]), turn_right), 4),
        joke=items["check"]["intent"].worth,
        complete=items["check"]["completeness"].worth,
        cut=round(area(scores, labels), 4),
    )
    return figures, items


def honest(readings: Readings, values: Vector) -> Vector:
    """Return (texts, kinds + faults + 2): calibrated probabilities of each fold, scaled by the others, including forms
    that a pattern shows."""
    factors = len(CORE)
    targets = np.hstack([readings.kinds, readings.faults, readings.joke[:, None], readings.complete[:, None]])

    def scored(inside: Ints, outside: Ints) -> Vector:
        lines = np.array([platt(x, y) for x, y in zip(values[inside, factors:].T, targets[inside].T, strict=True)])
        stated = chances(lines[:, 0] * values[outside, factors:] + lines[:, 1])
        for name, right in form_shares(readings, inside).items():
            column = readings.kind_ids.index(name)
            for row, i in zip(stated, outside, strict=True):
                if SURE_FORMS[name].search(readings.texts[i]):
                    row[column] = max(row[column], right)
        return stated

    stated = out_of_fold(readings.fold, scored)
    for name, wider in wider_kinds().items():
        if {name, wider} <= set(readings.kind_ids):
            column = readings.kind_ids.index(wider)
            stated[:, column] = np.maximum(stated[:, column], stated[:, readings.kind_ids.index(name)])
    return stated


def _shown(name: str, p: Vector, labels: Vector) -> dict[str, float]:
    named, shown, some = labels > 0, p >= STATED_FROM, p >= _STATED_AT_ALL
    return {
        f"{name}_precision": round(float(named[shown].mean()) if shown.any() else 0.0, 4),
        f"{name}_recall": round(float(shown[named].mean()) if named.any() else 0.0, 4),
        f"{name}_error": round(calibration_error(p[some], named[some].astype(np.float64)), 4),
    }


def _mean(values: list[float]) -> float:
    return round(float(np.mean(values)), 4)


def _yes_no(scores: Vector, labels: Vector, random: np.random.Generator) -> ItemFigure:
    return ItemFigure(**_interval(area, scores, labels, random), n=len(labels), named=int((labels >= 0.5).sum()))


def _interval(
    measure: Callable[[Vector, Vector], float], a: Vector, b: Vector, random: np.random.Generator
) -> dict[str, float]:
    draws = resampled(len(a), lambda rows: measure(a[rows], b[rows]), RESAMPLES, random)
    worth, low, high = (round(float(value), 4) for value in (measure(a, b), *interval(draws)))
    return {"worth": worth, "low": low, "high": high}


# -- the precision of a sentence of the editor's note ------------------------------------------------------------------

_AKIN = ({"tail", "explains"}, {"padding", "tail", "explains"})
"""Faults that readers use interchangeably: for words behind the turn, and for superfluous words."""
_QUOTING = {"tail": _AKIN[0], "explains": {"explains"}, "padding": _AKIN[1]}
_LEAST_CASES = LEAST_CASES // 2
_AIM = 0.9
"""Precision for which the threshold is chosen. It is higher than required: the threshold is chosen on few texts, all of
them jokes, while people enter others, too."""


@dataclass(frozen=True)
class NotedText:
    """A text that the heads weren't trained on: the findings, the kinds and faults that its readers named, the share of
    them who named the turn found. ``parts``: the parts of a note that its labels can check; ``fold`` 0…4; ``scored``:
    factors at 3 or more."""

    findings: Findings
    kinds: frozenset[str]
    faults: frozenset[str]
    turn_right: float
    fold: int
    parts: Collection[Part] = PARTS
    scored: frozenset[str] = frozenset()

    def bears_out(self, rule: NoteRule) -> float:
        """Return 0…1: the share of readers who agree with everything that a sentence says."""
        kinds = self.kinds | (self.scored & {"misdirection"})  # a kind and a factor; readers name either or both
        named = {*rule.kinds} <= kinds and all(self.faults & _QUOTING.get(fault, {fault}) for fault in rule.faults)
        played = not rule.any or self.kinds & {*rule.any} or "wordplay" in self.scored
        if not named or not played:
            return 0.0
        return self.turn_right if "{turn}" in rule.text else 1.0


def note_figures(rules: NoteRules, texts: Iterable[NotedText]) -> dict[str, NoteFigure]:
    """Return, for each note with enough cases, the threshold of its strength and its precision above that. Precision is
    measured out of fold: each fold uses the threshold of the others."""
    rows: defaultdict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for text in texts:
        for part in text.parts:
            for rule, sure, *_ in sayings(rules, part, text.findings):
                rows[rule.id].append((sure, text.bears_out(rule), text.fold))
    figures = {id: precise_from(of_rule) for id, of_rule in rows.items()}
    return {id: figure for id, figure in figures.items() if figure.cases >= _LEAST_CASES}


def precise_from(rows: Sequence[tuple[float, float, int]]) -> NoteFigure:
    """Return the least strength from which on ``_AIM`` are right (1 where there is none), and the precision above the
    thresholds that the other folds give. ``rows``: strength, whether it is right, and fold."""
    strength, right, fold = (np.array(column) for column in zip(*rows, strict=True))

    def threshold(inside: Ints) -> float:
        order = inside[np.argsort(-strength[inside], kind="stable")]
        count = np.arange(1, len(order) + 1)
        good = np.flatnonzero((np.cumsum(right[order]) / count >= _AIM) & (count >= _LEAST_CASES))
        return float(strength[order][good[-1]]) if len(good) else 2.0

    shown = out_of_fold(fold, lambda inside, outside: strength[outside] >= threshold(inside)) > 0
    share = float(right[shown].mean()) if shown.any() else 0.0
    least = min(1.0, threshold(np.arange(len(fold))))
    return NoteFigure(least=round(least, 4), right=round(share, 3), cases=int(shown.sum()))


def noted(readings: Readings, fitted: Fitted) -> Iterator[NotedText]:
    """Yield the readings' texts with full weight, with out-of-fold findings."""
    stated, kinds = honest(readings, fitted.values), len(readings.kind_ids)
    turn, p = fitted.turn, chances(fitted.turn.odds)
    shown = {int(text): n for n, text in enumerate(turn.texts) if p[n] >= LEAST_P}
    for i in map(int, readings.full()):
        n = shown.get(i)
        yield NotedText(
            Findings(
                text=readings.texts[i],
                kinds=dict(zip(readings.kind_ids, map(float, stated[i]), strict=False)),
                faults=dict(zip(readings.fault_ids, map(float, stated[i, kinds:]), strict=False)),
                turn=turn.places[n] if n is not None else None,
                turn_p=float(p[n]) if n is not None else 0.0,
            ),
            *named_in(readings, i),
            turn_right=float(turn.right[n]) if n is not None else 0.0,
            fold=int(readings.fold[i]),
            scored=scored_in(readings, i),
        )


def scored_in(readings: Readings, place: int) -> frozenset[str]:
    """Return the factors that a text's readers scored 3 or more."""
    return frozenset(name for name, score in zip(CORE, readings.factors[place], strict=True) if score >= 3.0)


def named_in(readings: Readings, place: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the kinds and the faults that at least half of a text's readers named."""

    def half(ids: Sequence[str], shares: Vector) -> frozenset[str]:
        return frozenset(name for name, share in zip(ids, shares, strict=True) if share >= 0.5)

    return half(readings.kind_ids, readings.kinds[place]), half(readings.fault_ids, readings.faults[place])
