"""Fits a duel's weights on people's votes: the pair, each joke alone, the audience head (METHODS, c).

The head is the one that was fitted without the held-out texts: on its own training texts its weight would be too large.
Every pair is measured by the judge itself, both orders and each joke alone, and kept in CACHE."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, astuple, replace
from pathlib import Path

import data
import numpy as np
from measure import calibration
from shipping import Shipping
from solvers import search

from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.duel.confidence_scorer import ConfidenceScorer, Measurements, Weights
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.reader import Reader

SETS = ("ukp", "headlines", "hahackathon")
PRIOR = Weights(pair=0.1, alone=0.1, audience=1.0)
"""The head's difference was fitted to be a log-odds by itself; the prior of the model's own answers is small."""
SPREAD = 0.25
FOLDS = 5
_PAIRS = 250
VOTED = {"ukp": data.ukp_pairs, "headlines": data.headline_pairs}


def chosen(name: str, count: int) -> list[tuple[str, str]]:
    """Held-out pairs of a set as (winner, loser), in an order that depends on the texts only. Where people graded each
    text by itself, neighbours in that order are paired."""
    tests = [item for item in data.items(name) if item.test]
    if name in VOTED:
        known = {item.text for item in tests}
        pairs = [(pair.a, pair.b) if pair.gap > 0 else (pair.b, pair.a) for pair in VOTED[name]()]
        found = [pair for pair in pairs if known.issuperset(pair)]
    else:
        ranked = [sorted(pair, key=lambda item: -item.target) for pair in itertools.pairwise(tests)]
        found = [(first.text, second.text) for first, second in ranked if first.target != second.target]
    return sorted(found, key=lambda pair: data.fraction(pair[0] + pair[1], "weights"))[:count]


def measured(judge: MainJudge, store: Path, winner: str, loser: str, known: dict[str, list[float]]) -> Measurements:
    """A duel's measurements, for the winner. The model's answers are taken from the store if they were measured before;
    the head reads the texts anew, as it may be another one."""
    texts = sorted((winner, loser))
    key = json.dumps(texts)
    if key not in known:
        in_order, turned = judge.measure.pair(texts)
        one, other = judge.measure.alone(texts)
        known[key] = [in_order.value, -turned.value, one.value - other.value]
        with store.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([key, known[key]]) + "\n")
    assert judge.head is not None
    first, second = (judge.head.read(judge.engine, text) for text in texts)
    values = [*known[key][:3], judge.head.difference(first, second)]
    if loser < winner:
        values = [-value for value in values]
        values[0], values[1] = values[1], values[0]
    return Measurements(*values)


def log_odds(judge: MainJudge, weights: Weights, rows: list[Measurements]) -> np.ndarray:
    """The duel's own log-odds for the winners."""
    scorer = ConfidenceScorer(judge.calibration.duel, weights)
    return np.array([scorer.score(row, consistent=row.first * row.second > 0)["log_odds"] for row in rows])


def fit(judge: MainJudge, rows: list[Measurements], each: np.ndarray) -> Weights:
    """MAP weights ≥ 0; ``each``: the weight of each pair, with equal sums for all sets."""
    centre = np.array(astuple(PRIOR))

    def loss(values: np.ndarray) -> float:
        odds = log_odds(judge, Weights(*values), rows)
        return float(each @ np.logaddexp(0, -odds) + (((values - centre) / SPREAD) ** 2).sum() / 2)

    return Weights(*(round(float(value), 3) for value in search(loss, centre, 0.0, 2.0)))


def fit_weights(of: Shipping) -> None:
    sha256 = of.sha256
    head = AudienceHead.find(sha256, of.held_out / "heads")
    if head is None:
        raise SystemExit(f"{of.held_out} holds no head for this model: take the step heads first.")
    judge = MainJudge(of.reads.engine, MeasuredFiles(of.models, of.cache / "models"), Reader(of.reads.engine, head))
    for _ in judge.calibrate(duel=True):
        pass
    store = of.cache / f"duels-{sha256[:16]}-{judge.calibration.keys.duel.rpartition(':')[2]}.jsonl"
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    known = dict(json.loads(line) for line in lines)
    rows, kinds = [], []
    for name in SETS:
        for winner, loser in chosen(name, _PAIRS):
            rows.append(measured(judge, store, winner, loser, known))
            kinds.append(name)
        print(f"{name}: {kinds.count(name)} pairs measured", flush=True)
    counts = {name: kinds.count(name) for name in SETS}
    each = np.array([len(rows) / len(SETS) / counts[name] for name in kinds])
    fold = np.arange(len(rows)) % FOLDS
    out = np.zeros(len(rows))
    for place in range(FOLDS):
        inside, outside = np.flatnonzero(fold != place), np.flatnonzero(fold == place)
        weights = fit(judge, [rows[i] for i in inside], each[inside])
        out[outside] = log_odds(judge, weights, [rows[i] for i in outside])
    weights = fit(judge, rows, each)
    forms = {
        "head alone": log_odds(judge, Weights(0.0, 0.0, 1.0), rows),
        "pair alone": log_odds(judge, Weights(1.0, 0.0, 0.0), [replace(row, audience=None) for row in rows]),
        "each alone": log_odds(judge, Weights(0.0, 1.0, 0.0), [replace(row, audience=None) for row in rows]),
        "all, other folds' weights": out,
    }
    figures: dict[str, dict[str, list[float]]] = {}
    for form, odds in forms.items():
        figures[form] = {}
        for name in SETS:
            part = odds[[place for place, kind in enumerate(kinds) if kind == name]]
            error, loss = calibration(part)
            hits = np.where(part > 0, 1.0, np.where(part == 0, 0.5, 0.0)).mean()
            figures[form][name] = [round(float(hits), 3), round(error, 3), round(loss, 3)]
        print(f"{form:28}", figures[form], flush=True)
    print(weights)
    content = {
        "question": judge.calibration.keys.duel,
        "head_version": head.version,
        **asdict(weights),
        "votes": counts,
        "figures": figures,
        "figures_are": "agreement, calibration error, log-loss on held-out texts",
        "prior": asdict(PRIOR) | {"spread": SPREAD},
    }
    MeasuredFiles(of.models, of.models).update(sha256, {"duel": content})
