"""Duels of a joke with variants of it: python -m tests.bench.variants FILE [--ids FIRST LAST] [--model M]. Prints for
each kind of variant in how many duels the better one is preferred, and how often what was stated is right.

FILE: one joke a line with ``id``, ``best`` and its variants by kind. A tightened one is the better one; an equal one
and one with a tag are neither: of these two only the stated chances are printed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from jokejudge_gui.session.session import Session

from .common import model_parser, open_session

_NEITHER = ("equal", "tagged")
_BANDS = ((0.5, 0.6), (0.6, 0.85), (0.85, 0.9), (0.9, 1.01))


def chances(session: Session, path: Path, first: str, last: str) -> dict[str, list[tuple[str, float]]]:
    """Return by kind of variant the joke's id and the chance of the better one."""
    stated: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        joke = json.loads(line)
        name, best = joke.pop("id"), joke.pop("best")
        for kind, given in joke.items() if first <= name <= last else ():
            for text in [given] if isinstance(given, str) else given or ():
                *_, end = session.duel(best, text, record=False)
                p_a = end.result.p_a  # type: ignore[union-attr]
                stated[kind].append((name, 1.0 - p_a if kind == "tightened" else p_a))
    return stated


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--ids", nargs=2, default=("", "~"))
    options = parser.parse_args()
    with open_session(options) as session:
        stated = chances(session, options.file, *options.ids)
    for kind, pairs in sorted(stated.items()):
        right = "" if kind in _NEITHER else f"{sum(p > 0.5 for _, p in pairs)} of {len(pairs)} right"
        print(f"{kind:12} {right:14}", *(f"{name} {p:.2f}" for name, p in pairs))
    every = [p for kind, pairs in stated.items() if kind not in _NEITHER for _, p in pairs]
    print(f"all: {sum(p > 0.5 for p in every)} of {len(every)} right ({sum(p > 0.5 for p in every) / len(every):.3f})")
    for low, high in _BANDS:
        band = [p > 0.5 for p in every if low <= max(p, 1.0 - p) < high]
        print(f"stated {low:.2f} to {min(high, 1.0):.2f}: {sum(band)} of {len(band)} right")
    sure = [max(p, 1.0 - p) >= 0.6 for _, p in stated["equal"]]
    print(f"equal: {sum(sure)} of {len(sure)} with a winner")


if __name__ == "__main__":
    main()
