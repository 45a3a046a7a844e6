"""The scripts that make the shipped heads, end to end on invented votes: no model, no labelled data."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.engine.base import Scan
from jokejudge_gui.heads.audience import AudienceHead, pool
from tests.editor_engine import EditorEngine

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
def invented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Labelled data; the one-liners among its texts."""
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
    return lines


class Reads:
    """The scans of a model that knows what is funny."""

    def each(self, texts: list[str]) -> Iterator[tuple[str, Scan]]:
        for text in texts:
            states = states_of(text)
            yield text, Scan(states, np.zeros(len(states), np.float32), ((0, 1),) * len(states))


@pytest.mark.usefixtures("scripts")
def test_a_head_and_its_card_are_made_from_votes(
    invented: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import audience
    import data
    from shipping import Shipping

    lines, out, sha256 = invented, tmp_path / "out", "a" * 64
    monkeypatch.setattr(data, "SETS", ("ukp", "hahackathon", "plain"))
    of = Shipping(tmp_path / "model.gguf", tmp_path / "cache", "A model", models=out)
    vars(of).update(reads=Reads(), sha256=sha256)
    audience.fit_audience(of)
    assert AudienceHead.load(of.held_out / "heads" / f"{sha256[:16]}.npz").kinds == ("ukp", "hahackathon", "plain")
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


@pytest.mark.usefixtures("scripts")
def test_odds_are_learned_within_sources_and_are_even_for_texts_unlike_all_of_them() -> None:
    import odds

    chance = np.random.default_rng(1)
    points, source = chance.normal(size=(240, 6)), np.repeat([0, 1, 2], 80)
    learned, rest = np.flatnonzero(source != 2), np.flatnonzero(source == 2)
    points[source == 1, 5] += 2.0
    texts = odds.Rated(points, points[:, 0] + 0.5 * chance.normal(size=240), source)
    near = odds.likeness(points, 12.0)
    found = odds.scores(near, texts, learned, rest)
    assert np.corrcoef(found, points[source == 2, 0])[0, 1] > 0.7
    points[0] += 50.0
    assert odds.scores(odds.likeness(points, 12.0), texts, np.arange(80, 240), np.arange(80))[0] == 0.0
    assert odds.gain_of([(found, (points[source == 2, 0] > 0).astype(float))]) > 0.0


SECTIONS = {"calibrate": "calibration", "plan": "plan", "audit": "audit"}


@pytest.mark.usefixtures("scripts")
def test_one_command_ships_a_model_step_by_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ship

    model = tmp_path / "model.gguf"
    model.write_bytes(b"none")
    sha256, done = sha256_of(model), []

    def measured(argv: list[str]) -> int:
        done.append(" ".join(argv[:2]))
        folder = ship.Profile.at(tmp_path / "cache" / "profile").models
        section = next(name for key, name in SECTIONS.items() if key in argv[:2])
        ship.MeasuredFiles(folder, folder).update(sha256, {section: {"items": []}})
        print("what it says")
        return 0

    monkeypatch.setattr(ship, "jokejudge", measured)
    own = {name: step for name, step in ship.STEPS.items() if name not in ("calibration", "plan", "audit")}
    for name in own:
        monkeypatch.setitem(ship.STEPS, name, lambda _of, name=name: done.append(name))
    given = [str(model), str(tmp_path / "cache"), "--name", "A model", "--to", str(tmp_path)]
    ship.main(given)
    assert done == [
        *("heads", "length", "weights", "editor", "drafts", "endings", "offence", "context"),
        *("satire", "models calibrate", "models plan", "audit --data-dir", "cards"),
    ]
    assert ship.MeasuredFiles(tmp_path, tmp_path).own(sha256, *SECTIONS.values()).keys() == {*SECTIONS.values()}
    assert ship.chosen([], "audit") == ["audit", "notes", "cards"]


@pytest.mark.usefixtures("scripts")
def test_no_text_is_read_twice(tmp_path: Path) -> None:
    from shipping import Reads as Kept

    engine = EditorEngine()
    first, texts = Kept(engine, tmp_path), [text_of(number, "A") for number in range(130)]
    scans = first.scans(texts)
    again = Kept(engine, tmp_path)
    engine.read.clear()
    for one, other in zip(scans, again.scans(texts), strict=True):
        np.testing.assert_array_equal(one.states, other.states)
        assert one.spans == other.spans
    assert not engine.read
