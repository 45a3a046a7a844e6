"""The scripts that make the shipped heads, end to end on invented votes: no model, no labelled data."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.files import sha256_of
from jokejudge_gui.judging.reading.audience import AudienceHead, pool

TRAINING = Path(__file__).resolve().parents[3] / "models" / "training"
WORDS = [
    "duck",
    "horse",
    "lawyer",
    "bar",
    "doctor",
    "engineer",
    "parrot",
    "bishop",
    "waiter",
    "ghost",
    "robot",
    "penguin",
]
SIZE = 6


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The scripts import each other by name from their own folder."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(TRAINING))
    yield
    for name in set(sys.modules) - before:
        if str(TRAINING) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def table(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def text_of(number: int, kind: str) -> str:
    return f"{kind} {WORDS[number % 12]} {number} meets a {WORDS[(number // 12) % 12]} and a {WORDS[number % 7]}."


def wit(text: str) -> float:
    """What people laugh at here: penguins and ducks."""
    return float(text.count("penguin") + text.count("duck")) + 0.001 * len(text)


def states_of(text: str) -> np.ndarray:
    random = np.random.default_rng(len(text) + 1000 * text.count("a"))
    found = random.normal(size=(len(text.split()), SIZE)).astype(np.float32)
    found[:, 0] += 2.0 * wit(text)
    return found


@pytest.fixture
def invented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, list[str]]:
    """A model's file, a cache of its states, and the one-liners among the labelled texts."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("JOKEJUDGE_DATA", str(folder))
    lines = [text_of(number, "A") for number in range(330)]
    table(folder / "ukp_items.csv", [{"text": t, "bws_score": wit(t), "category": "jokes"} for t in lines])
    pairs = [(a, b) for place, a in enumerate(lines) for b in lines[place + 1 : place + 9] if wit(a) != wit(b)]
    table(
        folder / "ukp_pairs.csv",
        [
            {
                "text_a": a, "text_b": b, "votes_a": 4 if wit(a) > wit(b) else 1,
                "votes_b": 1 if wit(a) > wit(b) else 4, "category_a": "jokes", "category_b": "jokes",
            }
            for a, b in pairs
        ],
    )  # fmt: skip
    jokes, plain = (
        [text_of(number, kind) for number in range(300)] for kind in ("Once a", "According to the report a")
    )
    table(
        folder / "hahackathon.csv",
        [{"text": t, "is_humor": 1, "humor_rating": wit(t)} for t in jokes]
        + [{"text": t, "is_humor": 0, "humor_rating": ""} for t in plain],
    )
    model = tmp_path / "model.gguf"
    model.write_bytes(b"not read: the states are in the cache")
    cache = tmp_path / "cache"
    place = cache / sha256_of(model)[:16]
    place.mkdir(parents=True)
    for name, texts in (("ukp", lines), ("hahackathon", jokes), ("plain", plain)):
        states = [states_of(text) for text in texts]
        np.savez(
            place / f"{name}-0.npz",
            texts=np.array(["".join(c for c in text.lower() if c.isalnum()) for text in texts]),
            lengths=np.array([len(state) for state in states], np.int32),
            states=np.concatenate(states).astype(np.float16),
        )
    return model, cache, lines


@pytest.mark.usefixtures("scripts")
def test_a_head_and_its_card_are_made_from_votes(
    invented: tuple[Path, Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import make

    model, cache, lines = invented
    out = tmp_path / "out"
    argv = ["make.py", str(model), str(cache), "--sets", "ukp,hahackathon,plain", "--held-out", str(out)]
    monkeypatch.setattr(sys, "argv", argv)
    make.main()
    sha256 = sha256_of(model)
    card = json.loads((out / "cards" / f"{sha256[:16]}.json").read_text(encoding="utf-8"))
    head = AudienceHead.load(out / "heads" / f"{sha256[:16]}.npz")
    assert head.kinds == ("ukp", "hahackathon", "plain")
    assert card["figures"]["ukp"]["agreement"]["head"]["all"][0] > 0.7
    low, high = card["figures"]["ukp"]["agreement"]["head"]["all"][1:]
    assert low < card["agreement"] < high
    funny, dull = max(lines, key=wit), min(lines, key=wit)
    told = [head.features_of(pool(states_of(text), text), text) for text in (funny, dull)]
    assert head.difference(*told) > 0
    assert all(one.joke is not None for one in told)
