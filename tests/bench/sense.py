"""Figures of the heads for sense: python -m tests.bench.sense [MODEL]. Prints the figures that were measured when the
heads were fitted, on writers and families left out of training, beside the goals and the figures of earlier verdicts.
 MODEL: the first digits of its hash, the embedded one without. ``models/training/sense.py`` measures anew.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

PAIRS = (
    ("torso", 0.07, 0.97),
    ("plain", 0.45, 0.92),
    ("flat", 0.52, 0.80),
    ("wrong_end", 0.41, 0.75),
    ("nonsense", 0.58, 0.78),
    ("lost_word", 0.52, 0.66),
    ("blander", 0.71, 0.70),
    ("spoiled", 0.88, 0.84),
    ("dirt", 0.83, None),
    ("draft", 0.861, 0.84),
    ("unfunned", 0.52, 0.70),
    ("pun_ns", 0.49, 0.72),
    ("pun_sp", 0.49, 0.72),
    ("pun_sa", 0.49, 0.72),
    ("pun_ra", 0.49, 0.72),
)
"""Sorts of worse texts: the share of pairs in which the better one is preferred, before and as a goal."""

SAID = (
    ("best", 0.02),
    ("human, all", 0.02),
    ("dirt", 0.85),
    ("not jokes, all", 0.85),
    ("plain", None),
    ("flat", None),
    ("torso", None),
    ("not_anecdote", None),
    ("not_setup", None),
)
"""Sorts of texts, and the greatest or least share of them that may be said to have no turn."""


def rows(figures: dict[str, Any]) -> list[tuple[str, object, object, object]]:
    """(what, before, asked, measured)."""
    found: list[tuple[str, object, object, object]] = []
    for sort, before, asked in PAIRS:
        if sort in figures["pairs"]:
            count, share = figures["pairs"][sort]
            found.append((f"best preferred to {sort} ({count})", before, asked, share))
    share, right = figures["stated .85 or more"]
    found.append(("pairs stated at .85 or more: right", 0.59, 0.90, right))
    found.append(("pairs stated at .85 or more: share of all", 0.28, 0.30, share))
    found.append(("AUC, best against plain and flat", 0.49, 0.90, figures["AUC best against plain and flat"]))
    found.append(("AUC whole, best against torso", None, None, figures["AUC whole, best against torso"]))
    found.append(("two equal drafts stated beyond .60", 0.72, 0.20, figures["equal stated beyond .60"]))
    found.append(
        ("a machine's drafts, by the draft heads alone", 0.861, None, figures["drafts, by the draft heads alone"])
    )
    for edit, (count, share) in figures["drafts, by edit"].items():
        found.append((f"a machine's drafts, {edit} ({count})", None, None, share))
    for edit, (count, error) in figures["calibration"].items():
        found.append((f"calibration error, {edit} ({count})", 0.20, 0.05, error))
    for sort, asked in SAID:
        if sort in figures["said"]:
            count, _, unsure, share = figures["said"][sort]
            found.append((f"said “nothing turns” of: {sort} ({count})", None, asked, share))
            found.append((f"said that or “unsure” of: {sort} ({count})", None, None, round(unsure + share, 3)))
    return found


def main() -> None:
    name = (sys.argv[1:] or [EMBEDDED_SHA256])[0][:16]
    card = json.loads((models_dir() / "sense" / f"{name}.json").read_text("utf-8"))
    print(f"{card['model']['name']}, {card['date']}; {card['split']}")
    print(f"{'':55} {'before':>7} {'asked':>7} {'now':>7}")
    head = models_dir() / "cards" / f"{name}.json"
    crowd = json.loads(head.read_text("utf-8"))["figures"].get("headlines") if head.is_file() else None
    votes = []
    if crowd is not None:  # judged by the audience head, so of its own held-out pairs
        pairs = crowd["test_pairs"]["all"]
        votes = [
            (f"two edits of a headline, by votes ({pairs})", 0.512, 0.62, crowd["agreement"]["head"]["all"][0]),
            (f"calibration error, two edits of a headline ({pairs})", 0.27, 0.05, crowd["ece"]),
        ]
    for what, *numbers in [*rows(card["figures"]), *votes]:
        print(f"{what:55}", *(f"{'–' if number is None else number:>7}" for number in numbers))


if __name__ == "__main__":
    main()
