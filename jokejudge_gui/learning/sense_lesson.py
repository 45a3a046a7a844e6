"""The lesson of the heads for sense, from families of texts around one joke. Heads that hardly beat chance aren't
kept."""

from __future__ import annotations

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import damaged
from ..core.events import Event
from ..core.statistics import Vector, auc
from ..core.texts import clean_text
from ..engine.base import Scan
from ..heads.audience import AudienceHead, pool
from ..heads.drafts import DraftHeads, DraftReading, differences, reading
from ..heads.near_duplicates import same_joke
from ..heads.sense import SenseHeads
from ..heads.sense_features import SenseRow, end_of, measure_sense
from .figures import FOLDS, interval, resampled
from .sense_fit import VARIANTS, FittedSense, SenseItem, SensePair, fit_sense
from .teacher import TOGETHER, Lesson, Teacher, Written, progress, shipped_lines, too_few

VERSION = "4"
LEAST_TEXTS = 300
LEAST = 0.55
"""Heads are kept where the lower ends of both 95 % intervals, of ``auc`` and ``right``, are above this."""
EQUAL = 12.5
"""Training weight of a pair of equally good texts, large so that their stated difference is small."""
COUNTS = {"torso": 6.0, "broken": 2.0, "spoiled": 2.0, "blander": 2.0}
"""Training weights of pairs by sort, where they aren't 1: a torso never wins."""
JOKE = {"nonsense": 0.5, "wrong_end": 0.0, "lost_word": 0.0}
"""Training weights of the label "not a joke" by sort of text, where they aren't 1: authors call a foreign end a joke of
a kind."""
_GAP = 8.0
"""Least difference in "funny" of two texts of a family that make a pair."""
_BROKEN = ("torso", "plain", "flat", "wrong_end", "nonsense", "lost_word")
_TAILS = 2
"""Number of sentences, one at a time, that are put after each joke."""
_LEAST_WORDS = 4
"""Least number of words of a joke that is broken off."""
_RESAMPLES = 400
_LABELS = "families of texts around one joke (models/contrasts/README.md): a machine's texts and labels, not votes"
Two = Callable[..., SensePair]


def items_of(family: Mapping[str, Any]) -> Iterator[SenseItem]:
    """Yield a family's texts with their labels. Malformed rows raise ``KeyError``, ``ValueError`` and the like."""
    name, writer = family["id"], family["id"][:2]
    best = clean_text(family["best"])
    yield SenseItem(best, name, writer, "best", (1.0, 1.0), (1.0, 1.0), float(family["funny"]))
    for variant in family["variants"]:
        sort, works = variant["type"], float(variant["works"])
        weight = 0.7 if sort in ("blander", "spoiled") else 0.3 if sort == "lost_word" and works else 1.0
        whole = (float(sort != "torso"), float(sort in ("torso", "flat", "plain", "equal")))
        joke = works, weight if works else JOKE.get(sort, 1.0)
        yield SenseItem(clean_text(variant["text"]), name, writer, sort, joke, whole, float(variant["funny"]))


def digest(text: str) -> int:
    """Return a number that depends on the text alone."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def stopped(text: str) -> str:
    """Return a text that ends with a mark."""
    return text if text[-1] in '.!?…”"’' else text.rstrip(".") + "."


def load_sentences(families: Path) -> list[str]:
    """Return the sentences of harmless.txt beside a file of families: they may follow any joke and add nothing to it.
    Raises ``ModelError`` ``E_FILE_DAMAGED``."""
    path = families.with_name("harmless.txt")
    try:
        if not (sentences := path.read_text("utf-8").splitlines()):
            raise ValueError("it is empty")
        return sentences
    except (OSError, ValueError) as error:
        raise damaged(path, error) from error


def beginnings(joke: SenseItem, sentences: Sequence[str], count: int) -> Iterator[SenseItem]:
    """Yield a joke with one of ``sentences`` after it, ``count`` times, from which pairs alone learn; and the joke
    broken off before its last clause, of which it is also learned that it isn't whole."""
    for which in range(count):
        text = f"{stopped(joke.text.strip())} {sentences[digest(f'{joke.text}{which}') % len(sentences)]}"
        yield SenseItem(clean_text(text), joke.group, joke.writer, "tail", (1.0, 0.0), (1.0, 0.0))
    broken = joke.text[: end_of(joke.text)].rstrip(' ,;:-—–"“‘')
    if len(broken.split()) >= _LEAST_WORDS and not joke.text.lower().startswith("knock"):
        yield SenseItem(clean_text(broken), joke.group, joke.writer, "broken", (0.0, 0.0), (0.0, 0.5))


def pairs_of_family(members: Sequence[SenseItem], two: Two, counts: Mapping[str, float]) -> Iterator[SensePair]:
    """Yield the pairs of a family's best text with its others. ``two``: makes a pair of a better text, a worse one, a
    sort."""
    best = next((item for item in members if item.sort == "best"), None)
    for item in members:
        if best is None or item is best:
            continue
        gap = (best.funny or 0.0) - (item.funny or 0.0)
        if item.sort in VARIANTS:
            yield two(best.text, item.text, item.sort, weight=counts.get(item.sort, 1.0))
        elif item.sort == "equal":
            yield two(best.text, item.text, "equal", weight=EQUAL, equal=True)
        elif abs(gap) >= _GAP:
            first, second = (best, item) if gap > 0 else (item, best)
            yield two(first.text, second.text, item.sort, weight=counts.get(item.sort, 1.0))


class SenseLesson(Lesson[Vector]):
    """The heads for sense, from a file of families of texts, and each joke's ``beginnings``. ``drafts``, ``head``:
    other heads of the model; their outputs are features. Raises ``ModelError`` where the families can't be read."""

    part = "sense"
    note = "reading jokes, and what only looks like one"

    def __init__(self, families: Path, drafts: DraftHeads | None = None, head: AudienceHead | None = None) -> None:
        self._drafts, self._head = drafts, head
        self.items: dict[str, SenseItem] = {}
        sentences = load_sentences(families)
        for best, *others in shipped_lines(families, lambda family: list(items_of(family))):
            for item in (best, *others, *beginnings(best, sentences, _TAILS)):
                self.items.setdefault(item.text, item)
        self.texts = list(self.items)

    def row(self, _text: str, scan: Scan) -> Vector:
        return np.asarray(scan.states.astype(np.float64).mean(axis=0))

    def fit(self, rows: Sequence[Vector | None], teacher: Teacher) -> Generator[Event, None, Written]:
        there = [mean for mean in rows if mean is not None]
        if len(there) < LEAST_TEXTS:
            raise too_few(f"{len(there)} of the texts around jokes", "learn from", LEAST_TEXTS)
        usual = np.mean(there, axis=0).astype(np.float32)
        measured: dict[str, SenseRow] = {}
        drafts_read: dict[str, DraftReading] = {}
        # All states at once would need too much memory; they are in the cache now.
        read = teacher.reader(self.part)
        for start in range(0, len(self.texts), TOGETHER):
            teacher.token.check()
            part = self.texts[start : start + TOGETHER]
            for text, scan in zip(part, read(part, teacher.token), strict=True):
                if scan is not None:
                    intent = self._head.joke_odds(pool(scan.states, text)) if self._head is not None else None
                    measured[text] = measure_sense(text, scan, usual, intent or 0.0)
                    drafts_read[text] = reading(text, scan)
        items = [item for item in self.items.values() if item.text in measured]
        yield progress(len(rows), len(rows), "fitting, and measuring")

        def two(better: str, worse: str, sort: str, **more: Any) -> SensePair:
            one, other, heads = drafts_read[better], drafts_read[worse], self._drafts
            by_drafts = heads.compare(one, other).log_odds_a if heads is not None and same_joke(better, worse) else 0.0
            return SensePair(better, worse, by_drafts, differences(one, other), sort, **more)

        pairs: list[SensePair] = []
        for _, members in itertools.groupby(items, key=lambda item: item.group):
            teacher.token.check()
            pairs += pairs_of_family(list(members), two, COUNTS)
        writers = sorted({item.writer for item in items})
        folds = np.array([writers.index(item.writer) % FOLDS for item in items])
        fitted = fit_sense(items, pairs, measured, usual, teacher.sha256, VERSION, folds, teacher.token)
        figures = figures_of(items, pairs, fitted)
        kept = min(figures["auc_interval"][0], figures["right_interval"][0]) > LEAST
        card = {
            "version": VERSION,
            "labels": _LABELS,
            "split": "5 folds by writer; the heads that are kept are fitted on all",
            "kept": kept,
            "rule": f"kept where the lower ends of both intervals lie above {LEAST}",
            "figures": figures,
        }
        return (partial(SenseHeads.write, meta=fitted.meta, arrays=fitted.arrays) if kept else None), card


def figures_of(items: Sequence[SenseItem], pairs: Sequence[SensePair], fitted: FittedSense) -> dict[str, Any]:
    """Return the figures on writers whose texts the heads weren't trained on. ``auc``: a joke against plain texts and
    flat ends; ``right``: share of pairs in which the joke is preferred to a text that only looks like it; intervals of
    95 % over families; ``pairs``: their number by sort, and the share."""
    group_of = {item.text: item.group for item in items}
    by_sort: dict[str, list[bool]] = defaultdict(list)
    broken: dict[str, list[bool]] = {group: [] for group in sorted({*group_of.values()})}
    for pair, odds in zip(pairs, fitted.log_odds, strict=True):
        if not pair.equal:
            by_sort[pair.sort].append(bool(odds > 0))
            if pair.sort in _BROKEN:
                broken[group_of[pair.better]].append(bool(odds > 0))
    stated: dict[str, list[tuple[float, bool]]] = {group: [] for group in broken}
    for item, sense in zip(items, fitted.senses, strict=True):
        if item.sort in ("best", "plain", "flat"):
            stated[item.group].append((sense.joke, item.sort == "best"))

    def worth(some: Sequence[str]) -> tuple[float, float]:
        p, joke = (np.array(part) for part in zip(*(hit for name in some for hit in stated[name]), strict=True))
        right = [hit for name in some for hit in broken[name]]
        return auc(p, joke.astype(bool)) or 0.5, float(np.mean(right)) if right else 0.5

    random, groups = np.random.default_rng(1), list(broken)
    draws = resampled(len(groups), lambda rows: worth([groups[n] for n in rows]), _RESAMPLES, random)
    (auc_low, low), (auc_high, high) = np.round(interval(draws), 3).tolist()
    here = worth(groups)
    return {
        "texts": len(items),
        "families": len(groups),
        "auc": round(here[0], 3),
        "auc_interval": [auc_low, auc_high],
        "right": round(here[1], 3),
        "right_interval": [low, high],
        "pairs": {name: [len(hit), round(float(np.mean(hit)), 3)] for name, hit in sorted(by_sort.items())},
    }
