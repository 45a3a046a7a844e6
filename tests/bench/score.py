"""What a score is worth as a reward: python -m tests.bench.score [--texts N] [--captions FILE] [--one-liners FILE].

Hacks (tests/hacks.py): mean gain of each over N jokes and N other texts of tests/bench/fresh that nothing learned from,
as odds of 100 and as places of 100 among those jokes (a second joke's: over the better of both); of the first half of
the file, or of the second. Best of 20, by
``best``, by the odds alone and by other numbers of a reading: mean place of the pick, 0…1, in lists of 20 that people
voted on: FILE is a table with text, rating, group and perhaps context. One-liners a second. Asserts nothing.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.judge.judged_kind import without_events
from jokejudge_gui.judge.reader import Standing
from jokejudge_gui.session.session import Session
from tests.hacks import HACKS, OTHER

from .common import model_parser, open_session

FRESH = Path(__file__).with_name("fresh") / "texts.jsonl"
OF, LISTS, GROUPS = 20, 200, 20


def standings(session: Session, texts: Sequence[tuple[str, str]]) -> list[Standing]:
    return list(without_events(session.scorer.standings(texts)))


def hacks(session: Session, count: int, half: int) -> Iterator[str]:
    rows = [json.loads(line) for line in FRESH.read_text("utf-8").splitlines()]
    jokes, others = ([row["text"] for row in rows if row["joke"] is joke] for joke in (True, False))
    jokes, others = (some[len(some) // 2 :] if half == 2 else some[: len(some) // 2] for some in (jokes, others))
    jokes, others = jokes[:count], others[: count // 3]
    texts = jokes + others

    def scores(texts: list[str]) -> np.ndarray[Any, Any]:
        return np.array([standing.score for standing in standings(session, [(text, "") for text in texts])])

    clean = scores(texts)
    scale = np.sort(clean[: len(jokes)])
    yield f"hacks on {len(jokes)} jokes and {len(others)} others: places and odds of jokes, odds of others, each of 100"
    gains = []
    for hack, change in HACKS.items():
        least = np.maximum(clean, scores([OTHER])) if hack == "two jokes" else clean  # the better one
        gain = scores([change(text) for text in texts]) - least
        places = 100.0 * (np.searchsorted(scale, least + gain) - np.searchsorted(scale, least)) / len(scale)
        gains.append((places[: len(jokes)].mean(), *(100.0 * part.mean() for part in np.split(gain, [len(jokes)]))))
        yield "".join(f"{value:+7.1f}" for value in gains[-1]) + f"  {hack}"
    yield "".join(f"{value:+7.1f}" for value in np.mean(gains, axis=0)) + f"  mean; worst {max(gains)[0]:+.1f}"


def best_of(session: Session, file: Path, skip: int) -> Iterator[str]:
    groups: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            rating = row.get("rating") or row.get("bws_score") or row.get("humor_rating")
            if rating and row["text"].strip():
                groups[row.get("group") or "all"].append((row["text"], row.get("context") or "", float(rating)))
    draw = random.Random(1)
    rows: list[tuple[str, str, float]] = []
    spans: list[tuple[int, int]] = []
    for name in sorted(groups)[skip:][:GROUPS]:
        some = draw.sample(groups[name], min(len(groups[name]), 60 if len(groups) > 1 else 1200))
        spans.append((len(rows), len(rows) + len(some)))
        rows += some
    found = standings(session, [(text, context) for text, context, _ in rows])
    ratings = np.array([rating for _, _, rating in rows])
    orders = {
        "best": found,
        "odds alone": [one.score for one in found],
        "what breaks ties": [one.beside for one in found],
    }
    for name, order in orders.items():
        picked = []
        for begin, end in spans:
            for _ in range(LISTS):
                places = draw.sample(range(begin, end), OF)
                pick = max(places, key=order.__getitem__)
                below = (ratings[places] < ratings[pick]).sum() + ((ratings[places] == ratings[pick]).sum() - 1) / 2
                picked.append(below / (OF - 1))
        yield f"best of {OF} of {file.name}, {len(spans)} groups, by {name}: {np.mean(picked):.3f}"


def speed(session: Session) -> Iterator[str]:
    texts = [row["text"] for row in map(json.loads, FRESH.read_text("utf-8").splitlines())]
    many = [(f"{text} {number}", "") for number, text in itertools.product(range(3), texts) if len(text) < 150]
    standings(session, many[:30])  # the helping processes have started
    wall, work = time.perf_counter(), time.process_time()
    standings(session, many[30:])
    wall = time.perf_counter() - wall
    yield f"{(len(many) - 30) / wall:.1f} one-liners a second; {time.process_time() - work:.1f} s of this process"


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--texts", type=int, default=0)
    parser.add_argument("--half", type=int, choices=(1, 2), default=2, help="1: for looking, 2: for reporting")
    parser.add_argument("--votes", type=Path, action="append", default=[])
    parser.add_argument("--skip", type=int, default=0, help="groups to leave out, in the order of their names")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    with open_session(options) as session:
        parts = [hacks(session, options.texts, options.half)] if options.texts else []
        parts += [best_of(session, file, options.skip) for file in options.votes]
        for line in itertools.chain(*parts, speed(session) if options.speed else ()):
            print(line, flush=True)


if __name__ == "__main__":
    main()
