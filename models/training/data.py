"""Reads the labelled data sets (never part of the repository) as texts with a target and as pairs, split by text."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.texts import clean_text

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent
SETS = ("ukp", "headlines", "hahackathon", "plain", "mechanics", "rjokes", "stupidstuff")
TEST_SHARE = 1 / 3
Row = dict[str, str]


def folder() -> Path:
    """The folder of the labelled data: $JOKEJUDGE_DATA."""
    place = os.environ.get("JOKEJUDGE_DATA")
    if not place:
        raise SystemExit("Set JOKEJUDGE_DATA to the folder that holds the labelled data (models/training/README.md).")
    return Path(place)


@dataclass(frozen=True)
class Item:
    """A text with people's labels. ``target``: on the set's own scale, more is funnier. ``joke``: people or the source
    call it a joke. ``test``: held out, by its text, in every set at once."""

    text: str
    target: float
    joke: bool
    test: bool
    group: str


@dataclass(frozen=True)
class Pair:
    """People's votes on which of two texts is the funnier. ``strong``: many voters and at least 80 % agree. ``gap``:
    how much funnier a is, a share of votes or a difference of mean grades."""

    a: str
    b: str
    jokes: bool
    strong: bool
    gap: float


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def key(text: str) -> str:
    """Return the letters and digits only, so that the same joke in two spellings is on one side of the split."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def fraction(text: str, salt: str = "") -> float:
    """A number in 0…1 that depends on the text alone: the split, and the order in which texts are read."""
    return int.from_bytes(hashlib.sha256((salt + key(text)).encode()).digest()[:6], "big") / 2**48


def held_out(text: str) -> bool:
    return fraction(text) < TEST_SHARE


def rows(name: str) -> list[Row]:
    """The rows of a labelled file."""
    with (folder() / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def packed(name: str) -> Iterator[Row]:
    """The rows of a packed labelled file."""
    with gzip.open(folder() / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def packed_lines(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a packed file of JSON lines."""
    with gzip.open(folder() / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def clean(text: str) -> str | None:
    """Return a text as it is judged; None for one that can't be."""
    try:
        return clean_text(text)
    except InputError:
        return None


_SOURCES: dict[str, tuple[str, Callable[[Row], tuple[float, bool] | None]]] = {
    "ukp": ("ukp_items", lambda row: (float(row["bws_score"]), row["category"] != "nonjokes")),
    "headlines": ("humicroedit_ratings", lambda row: (float(row["mean_grade"]), True)),
    "hahackathon": (
        "hahackathon",
        lambda row: (float(row["humor_rating"]), True) if row["is_humor"] == "1" and row["humor_rating"] else None,
    ),
    # Texts that the readers of HaHackathon didn't take for jokes; they have no ratings.
    "plain": ("hahackathon", lambda row: (0.0, False) if row["is_humor"] == "0" else None),
    "mechanics": ("humor_mechanics", lambda row: (float(row["funniness"]), float(row["is_a_joke"]) >= 0.5)),
    "rjokes": ("rjokes_sample", lambda row: (float(row["log_score"]), True)),
    "stupidstuff": ("stupidstuff", lambda row: (float(row["rating"]), True) if len(row["text"]) <= 600 else None),
}
"""The file of each set, and the target of a row of it and whether it is a joke; None for a row that doesn't belong."""


def items(name: str) -> list[Item]:
    """Return the texts of a set, each once, in an order that depends on the texts only: a beginning is a fair sample,
    and texts of one group stand together."""
    file, label = _SOURCES[name]
    found: dict[str, Item] = {}
    headlines, whole = name == "headlines", rows(file)
    groups = _headline_groups() if headlines else {}
    # The official development split of the headlines is the test; first, so that a training copy of one is dropped.
    for row in sorted(whole, key=lambda row: row["split"] != "dev") if headlines else whole:
        text, labels = clean(row["text"]), label(row)
        if labels is not None and text is not None and key(text) and key(text) not in found:
            test = row["split"] == "dev" if headlines else held_out(row["text"])
            group = groups.get(key(row["text"]), row["category"] if name == "stupidstuff" else "")
            found[key(text)] = Item(text, *labels, test, group or key(text))
    return sorted(found.values(), key=lambda item: (fraction(item.group, "order"), item.group))


def _headline_groups() -> dict[str, str]:
    """A name for the headline behind each edit: paired edits are of one headline."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for row in rows("humicroedit_pairs"):
        parent[root(key(row["text_a"]))] = root(key(row["text_b"]))
    return {name: root(name) for name in parent}


def offence() -> dict[str, float]:
    """Offence 0 to 5 by HaHackathon's readers, by the key of the text."""
    return {key(row["text"]): float(row["offense_rating"]) for row in rows("hahackathon")}


def held_out_votes() -> list[tuple[int, int]]:
    """Votes for either text of every held-out one-liner pair, including ties."""
    pairs = [row for row in rows("ukp_pairs") if held_out(row["text_a"]) and held_out(row["text_b"])]
    return [(int(float(row["votes_a"])), int(float(row["votes_b"]))) for row in pairs]


def ukp_pairs() -> list[Pair]:
    """All one-liner pairs with votes, without ties."""
    found = []
    for row in rows("ukp_pairs"):
        a, b = clean(row["text_a"]), clean(row["text_b"])
        votes_a, votes_b = float(row["votes_a"]), float(row["votes_b"])
        if a is None or b is None or key(a) == key(b) or votes_a == votes_b:
            continue
        jokes = "nonjokes" not in (row["category_a"], row["category_b"])
        total = votes_a + votes_b
        strong = total >= 4 and max(votes_a, votes_b) / total >= 0.8
        found.append(Pair(a, b, jokes, strong, gap=(votes_a - votes_b) / (total + 1)))
    return found


def headline_pairs() -> list[Pair]:
    """Two edits of one headline, by the mean of their grades (0–3, usually 5 people), without ties. Strong:
    at least 0.8 apart."""
    found = []
    for row in rows("humicroedit_pairs"):
        a, b = clean(row["text_a"]), clean(row["text_b"])
        gap = float(row["mean_a"]) - float(row["mean_b"])
        if a is not None and b is not None and row["winner"] != "tie" and gap != 0:
            found.append(Pair(a, b, jokes=True, strong=abs(gap) >= 0.8, gap=gap))
    return found


VOTED: dict[str, Callable[[], list[Pair]]] = {"ukp": ukp_pairs, "headlines": headline_pairs}
"""Sets in which people compared pairs, or texts that belong together."""
