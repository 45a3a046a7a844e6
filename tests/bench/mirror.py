"""The editor's heads on jokes without their turn: ``python -m tests.bench.mirror [--model PATH|NAME]
[--threads N] [--jokes N]``.

For each factor the share of jokes in which its reading is lower without the words that an editor named as the turn, and
the mean fall in points of 5. A judge that understands a joke finds less of the marked factors then. Deep compares the
model's answers about these with those on the joke's mirror.
"""

from __future__ import annotations

import hashlib
import json
from statistics import fmean

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.verdicts import Span
from jokejudge_gui.judge.rating.tree import LIVES_BY_TURN, without_turn

from .judge import model_parser, open_judge


def turned(number: int) -> list[tuple[str, str]]:
    """Short jokes with their mirrors, in an order independent of their labels."""
    lines = (models_dir() / "readings" / "readings.jsonl").read_text("utf-8").split("\n")
    found = []
    for row in sorted(map(json.loads, filter(None, lines)), key=lambda row: _digest(row["text"])):
        text, turns = row["text"], row.get("turn") or ""
        start = text.find(turns) if turns else -1
        if row.get("joke") and start >= 0 and len(text) < 300:
            mirrored = without_turn(text, Span(start=start, end=start + len(turns), text=turns, p=1.0))
            if mirrored is not None:
                found.append((text, mirrored[0]))
    return found[:number]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--jokes", type=int, default=80)
    options = parser.parse_args()
    falls: dict[str, list[float]] = {}
    with open_judge(options) as judge:
        for text, mirror in turned(options.jokes):
            here, there = judge.reader.read(text).editor, judge.reader.read(mirror).editor
            if here is None or there is None:
                continue
            for id, reading in here.factors.items():
                falls.setdefault(id, []).append(reading.expected - there.factors[id].expected)
    for id, each in sorted(falls.items(), key=lambda item: -fmean(item[1])):
        mark = "  held against the mirror" if id in LIVES_BY_TURN else ""
        print(f"{id:<15} falls in {fmean(fall > 0 for fall in each):.2f} of {len(each)}, by {fmean(each):+.2f}{mark}")


if __name__ == "__main__":
    main()
