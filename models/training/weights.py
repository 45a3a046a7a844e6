"""Fits a duel's weights on people's votes: the pair, each joke alone, the audience head (METHODS, c).

The head is the one that was fitted without the held-out texts: on its own training texts its weight would be too large.
Every pair is measured by the judge itself, both orders and each joke alone."""

from __future__ import annotations

import itertools
from dataclasses import asdict, astuple

import data
import numpy as np
from shipping import Array, Shipping

from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.judge.asking.calibration import DUEL
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.duel.confidence_scorer import ConfidenceScorer, Weights
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.reader import Reader
from jokejudge_gui.learning.figures import FOLDS, hits, out_of_fold, pair_calibration_error
from jokejudge_gui.learning.ridge import likeliest, without_negative

SETS = ("ukp", "headlines", "hahackathon")
PRIOR = Weights(pair=0.1, alone=0.1, audience=1.0)
"""The head's difference was fitted to be a log-odds by itself; the prior of the model's own answers is small."""
SPREAD = 0.25
_PAIRS = 250


def chosen(name: str) -> list[tuple[str, str]]:
    """Held-out pairs of a set as (winner, loser), in an order that depends on the texts only. Where people graded each
    text by itself, neighbours in that order are paired."""
    tests = [item for item in data.items(name) if item.test]
    if name in data.VOTED:
        texts = {item.text for item in tests}
        pairs = [(pair.a, pair.b) if pair.gap > 0 else (pair.b, pair.a) for pair in data.VOTED[name]()]
        found = [pair for pair in pairs if texts.issuperset(pair)]
    else:
        ranked = [sorted(pair, key=lambda item: -item.target) for pair in itertools.pairwise(tests)]
        found = [(first.text, second.text) for first, second in ranked if first.target != second.target]
    return sorted(found, key=lambda pair: data.fraction(pair[0] + pair[1], "weights"))[:_PAIRS]


def fit_weights(of: Shipping) -> None:
    head = AudienceHead.find(of.sha256, of.held_out / "heads")
    if head is None:
        raise SystemExit(f"{of.held_out} holds no head for this model: take the step heads first.")
    judge = MainJudge(of.reads.engine, MeasuredFiles(of.models, of.cache / "models"), Reader(of.reads.engine, head))
    for _ in judge.calibrate(duel=True):
        pass

    def measured(winner: str, loser: str) -> tuple[float, ...]:
        """A duel's measurements, for the winner."""
        texts = sorted((winner, loser))
        in_order, turned = judge.measure.pair(texts)
        one, other = judge.measure.alone(texts)
        read, beside = (head.read(judge.engine, text) for text in texts)
        row = in_order.value, -turned.value, one.value - other.value, head.difference(read, beside)
        return row if winner < loser else (-row[1], -row[0], -row[2], -row[3])

    pairs = [(name, *pair) for name in SETS for pair in chosen(name)]
    kinds = np.array([name for name, *_ in pairs])
    rows = [measured(winner, loser) for _, winner, loser in pairs]
    counts = {name: int((kinds == name).sum()) for name in SETS}
    weight = np.array([len(rows) / len(SETS) / counts[name] for name in kinds])  # with equal sums for all sets
    centre = np.array(astuple(PRIOR))

    def log_odds(weights: Weights, some: list[tuple[float, ...]]) -> Array:
        """The duel's own log-odds for the winners."""
        scorer = ConfidenceScorer(judge.calibration.duel, weights)
        return np.array([scorer.score(*row, consistent=row[0] * row[1] > 0)["log_odds"] for row in some])

    x = np.stack([log_odds(Weights(*one), rows) for one in np.eye(len(centre))], axis=1)

    def fitted(inside: Array) -> Weights:
        """MAP weights ≥ 0 of a sum, which a duel's log-odds are but for what limits them."""

        def fit(used: Array) -> Array:
            precision, own = np.full(len(used), SPREAD**-2), x[np.ix_(inside, used)]
            return likeliest(own, np.ones(len(inside)), precision, centre=centre[used], counts=weight[inside])

        return Weights(*(round(float(value), 3) for value in without_negative(fit, len(centre))))

    fold = np.arange(len(rows)) % FOLDS
    out = out_of_fold(fold, lambda inside, outside: log_odds(fitted(inside), [rows[i] for i in outside]))
    weights = fitted(np.arange(len(rows)))
    figures = {
        name: [
            round(float(hits(part).mean()), 3),
            round(pair_calibration_error(part), 3),
            round(float(np.logaddexp(0, -part).mean()), 3),
        ]
        for name in SETS
        for part in (out[kinds == name],)
    }
    print(figures)
    content = {
        "question": judge.questions[DUEL][DUEL],
        "head_version": head.version,
        **asdict(weights),
        "votes": counts,
        "figures": figures,
        "figures_are": "agreement, calibration error, log-loss by the weights of other folds",
        "prior": asdict(PRIOR) | {"spread": SPREAD},
    }
    MeasuredFiles(of.models, of.models).update(of.sha256, {"duel": content})
