"""Reads the labelled data sets (never part of the repository) as texts with a target and as pairs, split by text."""

from __future__ import annotations

import csv
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.texts import clean_text

SETS = ("ukp", "headlines", "hahackathon", "plain", "mechanics", "rjokes", "stupidstuff")
TEST_SHARE = 1 / 3


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


def key(text: str) -> str:
    """Return the letters and digits only, so that the same joke in two spellings is on one side of the split."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def fraction(text: str, salt: str = "") -> float:
    """A number in 0…1 that depends on the text alone: the split, and the order in which texts are read."""
    return int.from_bytes(hashlib.sha256((salt + key(text)).encode()).digest()[:6], "big") / 2**48


def held_out(text: str) -> bool:
    return fraction(text) < TEST_SHARE


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a labelled file."""
    with (folder() / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _clean(text: str) -> str | None:
    try:
        return clean_text(text)
    except InputError:
        return None


def items(name: str) -> list[Item]:
    """Return the texts of a set, each once, in an order that depends on the texts only: a beginning is a fair sample,
    and texts of one group stand together."""
    found: dict[str, Item] = {}
    for text, target, joke, test, group in _READERS[name]():
        cleaned = _clean(text)
        if cleaned is not None and key(cleaned) and key(cleaned) not in found:
            found[key(cleaned)] = Item(cleaned, target, joke, test, group or key(cleaned))
    return sorted(found.values(), key=lambda item: (fraction(item.group, "order"), item.group))


Texts = Iterator[tuple[str, float, bool, bool, str]]
"""Text, target, whether it is a joke, whether it is held out, and its group ("" for none)."""


def _ukp() -> Texts:
    for row in rows("ukp_items"):
        text = row["text"]
        yield text, float(row["bws_score"]), row["category"] != "nonjokes", held_out(text), ""


def _headlines() -> Texts:
    # The official development split is the test; its texts come first, so that a training copy of one is dropped.
    ratings = sorted(rows("humicroedit_ratings"), key=lambda row: row["split"] != "dev")
    groups = _headline_groups()
    for row in ratings:
        group = groups.get(key(row["text"]), "")
        yield row["text"], float(row["mean_grade"]), True, row["split"] == "dev", group


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


def _hahackathon() -> Texts:
    for row in rows("hahackathon"):
        if row["is_humor"] == "1" and row["humor_rating"]:
            yield row["text"], float(row["humor_rating"]), True, held_out(row["text"]), ""


def offence() -> dict[str, float]:
    """Offence 0 to 5 by HaHackathon's readers, by the key of the text."""
    return {key(row["text"]): float(row["offense_rating"]) for row in rows("hahackathon")}


def _plain() -> Texts:
    """Texts that the readers of HaHackathon didn't take for jokes; they have no ratings."""
    for row in rows("hahackathon"):
        if row["is_humor"] == "0":
            yield row["text"], 0.0, False, held_out(row["text"]), ""


def _mechanics() -> Texts:
    for row in rows("humor_mechanics"):
        yield row["text"], float(row["funniness"]), float(row["is_a_joke"]) >= 0.5, held_out(row["text"]), ""


def _rjokes() -> Texts:
    for row in rows("rjokes_sample"):
        yield row["text"], float(row["log_score"]), True, held_out(row["text"]), ""


def _stupidstuff() -> Texts:
    for row in rows("stupidstuff"):
        if len(row["text"]) <= 600:
            yield row["text"], float(row["rating"]), True, held_out(row["text"]), row["category"]


_READERS: dict[str, Callable[[], Texts]] = {
    "ukp": _ukp,
    "headlines": _headlines,
    "hahackathon": _hahackathon,
    "plain": _plain,
    "mechanics": _mechanics,
    "rjokes": _rjokes,
    "stupidstuff": _stupidstuff,
}


def held_out_votes() -> list[tuple[int, int]]:
    """Votes for either text of every held-out one-liner pair, including ties."""
    pairs = [row for row in rows("ukp_pairs") if held_out(row["text_a"]) and held_out(row["text_b"])]
    return [(int(float(row["votes_a"])), int(float(row["votes_b"]))) for row in pairs]


def ukp_pairs() -> list[Pair]:
    """All one-liner pairs with votes, without ties."""
    found = []
    for row in rows("ukp_pairs"):
        a, b = _clean(row["text_a"]), _clean(row["text_b"])
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
        a, b = _clean(row["text_a"]), _clean(row["text_b"])
        gap = float(row["mean_a"]) - float(row["mean_b"])
        if a is None or b is None or row["winner"] == "tie" or gap == 0:
            continue
        found.append(Pair(a, b, jokes=True, strong=abs(gap) >= 0.8, gap=gap))
    return found
