"""What the sentences of the editor's note are worth on a model: how often readers found what a sentence says.

python models/training/notes.py MODEL.gguf CACHE --readings readings.jsonl --drafts drafts.jsonl [--second second.jsonl]

Every text is read by heads that were fitted without it. A sentence is right of a text if all that it names was found
there by the readers: its kinds, its factors at 3 or more (high) or 2 or less (low), its faults. "said" counts the texts
whose note holds the sentence, "holds" those that meet its conditions. At most 60 in a hundred: it should go.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from editor import rows_of
from second import first_and_second

from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.core.statistics import Vector
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.editor import EditorReading, FactorReading
from jokejudge_gui.judge.rating.note import LEAST_P, Findings, compose, find, strengths_of
from jokejudge_gui.judge.rating.tree import CORE
from jokejudge_gui.learning.editor_data import Readings, read_drafts
from jokejudge_gui.learning.editor_fit import fit_editor
from jokejudge_gui.learning.editor_report import honest
from jokejudge_gui.rubric.notes import NoteRule, NoteRules, parse_faults, parse_notes
from jokejudge_gui.rubric.xml_parser import load_criteria

_MOST = 3
_HIGH, _LOW = 3.0, 2.0
_AKIN = (
    {"pun", "homophone", "double_entendre", "literalism", "slip", "swifty", "name_play", "bent_phrase", "portmanteau"},
    {"padding", "tail", "explains"},
)
"""Kinds and faults of which a reader names now one, now the other: two meanings, words that could go."""


@dataclass(frozen=True)
class Text:
    """One text: what was found in it without having seen it, and what its readers named."""

    findings: Findings
    kinds: frozenset[str]
    faults: frozenset[str]
    scores: dict[str, float]
    weaker: bool
    """Whether its scores for what makes a text weak are under those of most texts."""

    def bears_out(self, rule: NoteRule) -> bool:
        """Whether the readers found all that a rule's sentences say."""
        named = self.kinds | self.faults
        single = (*rule.kinds, *rule.faults)
        right = all(named & _akin(each) for each in single)
        right &= not rule.any or bool(self.kinds & set(rule.any)) or self.scores["wordplay"] >= _HIGH
        right &= all(self.scores[name] >= _HIGH for name in rule.high)
        right &= all(self.scores[name] <= _LOW for name in rule.low)
        return right and (self.weaker or not rule.weak)


def _akin(name: str) -> set[str]:
    return next((group for group in _AKIN if name in group), {name})


def texts_of(rules: NoteRules, readings: Readings, values: Vector, arrays: dict[str, Vector]) -> Iterator[Text]:
    """Every text with its findings. The turn isn't measured here: any words of the text stand for it."""
    factors, kinds = len(CORE), len(readings.kind_ids)
    stated = arrays["slope"][:factors] * values[:, :factors] + arrays["offset"][:factors]
    p = honest(readings, values)
    whole = readings.factors[:, [CORE.index(name) for name in rules.weak_factors]].mean(axis=1)
    usual = float(np.median(whole))
    for i, text in enumerate(readings.texts):
        away = (stated[i] - arrays["usual"]) / arrays["spread"] / math.sqrt(2.0)
        read = {
            name: FactorReading(
                expected=min(5.0, max(0.0, float(stated[i, n]))),
                sd=float(arrays["sd"][n]),
                standing=0.5 * (1.0 + math.erf(away[n])),
            )
            for n, name in enumerate(CORE)
        }
        of_kinds = dict(zip(readings.kind_ids, map(float, p[i]), strict=False))
        of_faults = dict(zip(readings.fault_ids, map(float, p[i, kinds:]), strict=False))
        found = EditorReading(factors=read, kinds=of_kinds, faults=of_faults, turn=None, cuts=(), joke=1, complete=1)
        yield Text(
            find(
                rules, text, found,
                kinds=_likeliest(of_kinds), factors=CORE, faults=_likeliest(of_faults),
                turn=(0, min(len(text), 20)), cut=(0, min(len(text), 10)),
            ),
            frozenset(name for n, name in enumerate(readings.kind_ids) if readings.kinds[i, n] > 0),
            frozenset(name for n, name in enumerate(readings.fault_ids) if readings.faults[i, n] > 0),
            dict(zip(CORE, map(float, readings.factors[i]), strict=True)),
            bool(whole[i] < usual),
        )  # fmt: skip


def _likeliest(p: dict[str, float]) -> dict[str, float]:
    ranked = sorted(p.items(), key=lambda item: -item[1])
    return {name: value for name, value in ranked[:_MOST] if value >= LEAST_P}


def table(rules: NoteRules, texts: list[Text]) -> str:
    """A line a sentence: its part, how often it is said and holds, how often it is right."""
    notes = [compose(rules, text.findings) for text in texts]
    lines = []
    total, right = 0, 0.0
    for part in ("works", "weakens"):
        for rule in getattr(rules, part):
            holds = [text for text in texts if strengths_of(rule, text.findings) is not None]
            told = [text for text, note in zip(texts, notes, strict=True) if any(each is rule for each in note.said)]
            total, right = total + len(told), right + sum(t.bears_out(rule) for t in told)
            figures = f"{len(told):5d} said {_share(rule, told):5.2f}  {len(holds):5d} hold {_share(rule, holds):5.2f}"
            lines.append(f"{part:8s} {figures}  {rule.wordings[0].text}")
    spoken = sum(bool(note.works) for note in notes)
    lines.append(
        f"{len(texts)} texts; “Works” of {spoken}; {total} sentences, {right / max(1, total):.3f} of them right"
    )
    return "\n".join(lines)


def _share(rule: NoteRule, texts: list[Text]) -> float:
    return float(np.mean([text.bears_out(rule) for text in texts])) if texts else math.nan


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--readings", type=Path, required=True)
    parser.add_argument("--drafts", type=Path, required=True)
    parser.add_argument("--second", type=Path, help="see editor.py; the sentences are measured on all that is read")
    given = parser.parse_args(argv)
    readings, drafts = first_and_second(given.readings, given.second), read_drafts(given.drafts)
    sha256 = sha256_of(given.model)
    engine = load_engine(given.model, sha256=sha256, threads=1)
    try:
        folder = given.cache / sha256[:16]
        rows = rows_of(engine, folder, readings.texts)
        draft_rows = rows_of(engine, folder, [draft.text for draft in drafts])
    finally:
        engine.close()
    fitted = fit_editor(rows, readings, draft_rows, drafts)
    rules = parse_notes(load_criteria(None), parse_faults())
    print(table(rules, list(texts_of(rules, readings, fitted.values, fitted.arrays))))


if __name__ == "__main__":
    main()
