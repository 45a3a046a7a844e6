"""Whether a joke's topic can be recognised.

    python -m tests.bench.relevance [--model PATH|NAME] [--texts 150] [--asked 10] [--threads N]

Data by $JOKEJUDGE_DATA: captions with their cartoon's scene, replies with their hashtag. Each text with its own topic
against the same text with another one: area under the curve, with its interval (texts drawn anew), of ways without
questions (cosine of mean states, each side centred; the gain in the words' likelihood after the topic over neutral
ones; shared words and letters; the first two together) and of relevance in shuffled rounds (``--asked`` lists of 16 for
each source, half of them on the topic). Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.statistics import auc, bootstrap
from jokejudge_gui.engine.base import Engine, Scan
from jokejudge_gui.heads.near_duplicates import signature
from jokejudge_gui.judge.contest.types import ContestRequest
from jokejudge_gui.session.session import Session

from .contest import ranked
from .verdicts import processor

SOURCES = ("newyorker_captions", "hashtagwars")
NEUTRAL = ("Life", "Things that people say in everyday life.")
Vector = npt.NDArray[np.float64]
Case = tuple[str, str, str]
"""A text, its own topic, and another one."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.relevance", description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--texts", type=int, default=150)
    parser.add_argument("--asked", type=int, default=10)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    print(f"machine: {processor()}; load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        session = Session(Profile.at(Path(name)), Settings(model=options.model, threads=options.threads))
        for _ in session.load():
            pass
        judge = session.judge
        assert judge is not None
        print(f"model: {judge.model.name}")
        for source in SOURCES:
            rows = rows_of(source)
            if options.texts:
                cases, topics = cases_of(rows, options.texts)
                print(f"{source}, {len(cases)} texts, {len(topics)} topics")
                for way, own, other in read(judge.engine, cases, topics):
                    tell(way, own, other)
            if options.asked:
                own, other = asked(session, rows, options.asked)
                print(f"{source}, {options.asked} lists")
                tell("asked in shuffled rounds", own, other)
        session.close()


def rows_of(source: str) -> list[tuple[str, str]]:
    """Return texts with their topics, shuffled; of a hashtag, the words in brackets."""
    with (Path(os.environ["JOKEJUDGE_DATA"]) / f"{source}.csv").open(encoding="utf-8", newline="") as stream:
        rows = [(row["text"], row["context"]) for row in csv.DictReader(stream)]
    random.Random(7).shuffle(rows)
    return [(text, found[1] if (found := re.search(r"\((.*)\)", topic)) else topic) for text, topic in rows]


def cases_of(rows: list[tuple[str, str]], count: int) -> tuple[list[Case], list[str]]:
    topics = sorted({topic for _, topic in rows})
    choose = random.Random(7)
    return [(text, own, choose.choice([t for t in topics if t != own])) for text, own in rows[:count]], topics


def read(engine: Engine, cases: list[Case], topics: list[str]) -> list[tuple[str, Vector, Vector]]:
    """Return each way with its values for the right topic and for the other one."""
    texts = [text for text, _, _ in cases]
    states = centred([scan.states.mean(axis=0) for scan in engine.scan_together(texts)])
    of_topic = dict(
        zip(topics, centred([scan.states.mean(axis=0) for scan in engine.scan_together(topics)]), strict=True)
    )
    usual = np.mean([likelihood(engine, texts, [topic] * len(texts)) for topic in NEUTRAL], axis=0)
    sides = []
    for side in (1, 2):
        behind = [case[side] for case in cases]
        cosine = np.array([float(state @ of_topic[topic]) for state, topic in zip(states, behind, strict=True)])
        sides.append((cosine, likelihood(engine, texts, behind) - usual, overlap(texts, behind)))
    spread = [np.concatenate([sides[0][k], sides[1][k]]).std() for k in range(2)]
    joint = [side[0] / spread[0] + side[1] / spread[1] for side in sides]
    names = ("cosine of states", "likelier behind the topic", "shared words and letters")
    found = [(name, sides[0][k], sides[1][k]) for k, name in enumerate(names)]
    return [*found, ("cosine and likelihood", joint[0], joint[1])]


def centred(vectors: list[npt.NDArray[np.float32]]) -> Vector:
    rows = np.array(vectors, dtype=np.float64)
    rows = (rows - rows.mean(axis=0)) / (rows.std(axis=0) + 1e-6)
    found: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def likelihood(engine: Engine, texts: list[str], topics: list[str]) -> Vector:
    """Log-probability of each text's tokens after its topic, divided by the root of their number."""
    scans = engine.scan_together([f"{topic}\n{text}" for text, topic in zip(texts, topics, strict=True)])
    return np.array([_behind(scan, len(topic) + 1) for scan, topic in zip(scans, topics, strict=True)])


def _behind(scan: Scan, first: int) -> float:
    own = [float(value) for value, (_, end) in zip(scan.logprobs, scan.spans, strict=True) if end > first]
    return float(np.sum(own) / np.sqrt(max(1, len(own))))


def overlap(texts: list[str], topics: list[str]) -> Vector:
    pairs = [(signature(text), signature(topic)) for text, topic in zip(texts, topics, strict=True)]
    return np.array(
        [len(a.telling & b.telling) + len(a.letters & b.letters) / max(1, len(a.letters)) for a, b in pairs]
    )


def asked(session: Session, rows: list[tuple[str, str]], lists: int) -> tuple[Vector, Vector]:
    """Relevance of texts on the topic and of others in the same list."""
    by_topic: dict[str, list[str]] = {}
    for text, topic in rows:
        by_topic.setdefault(topic, []).append(text)
    own, other = [], []
    for number, (topic, texts) in enumerate(sorted(by_topic.items())[:lists]):
        strange = [text for text, far in rows[number * 40 :] if far != topic][:8]
        request = ContestRequest.of_texts([*texts[:8], *strange], context=topic, budget=0, shuffled=3)
        for entry in ranked(session, request).entries:
            if entry.relevance is not None:
                (own if entry.text in texts else other).append(entry.relevance)
    return np.array(own), np.array(other)


def tell(way: str, own: Vector, other: Vector) -> None:
    scores, truth = np.r_[own, other], np.r_[np.ones(len(own)), np.zeros(len(other))]

    def drawn(times: Vector) -> float | None:
        rows = np.repeat(np.arange(len(scores)), times.astype(int))
        return auc(scores[rows], truth[rows])

    low, high = bootstrap(len(scores), drawn)
    print(f"  {way:26} {auc(scores, truth) or 0:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
