"""What draft heads are worth, on jokes that they weren't fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..statistics import Fraction, Vector, fraction
from ..verdicts import Frozen
from .drafts_data import FOLDS, DraftPair
from .fit_report import calibration_error

_RESAMPLES = 1000


class DraftFigures(Frozen):
    """``edited``: the best draft is put above a worse one, with an interval by jokes; ``rewritten``: one as good in
    other words above a worse one; ``calibration_error`` of the first; ``equal_distance``: mean |p − ½| of two drafts
    that are equally good; ``by_fault``: the first by fault; ``fault_right``: the likeliest fault is the editor's;
    ``shown`` and ``shown_right``: share of worse drafts of which a fault is named, and is the editor's."""

    jokes: int
    edited: Fraction
    interval: tuple[float, float]
    rewritten: float
    shorter: float
    calibration_error: float
    equal_distance: float
    by_fault: dict[str, float]
    fault_right: float
    shown: float
    shown_right: float | None
    by_shown: dict[str, tuple[int, float]]

    @property
    def agreement(self) -> float:
        return self.edited.share or 0.0


def figures_of(
    pairs: Sequence[DraftPair],
    log_odds: Vector,
    stated: Vector,
    names: Sequence[str],
    least: Mapping[str, float | None],
) -> DraftFigures:
    """From out-of-fold log-odds of all pairs (positive: the first one) and stated fault probabilities (edited pairs,
    faults)."""
    sort = np.array([pair.sort for pair in pairs])
    edited, equal, rewritten = (np.flatnonzero(sort == name) for name in ("edited", "equal", "rewritten"))
    right = (log_odds > 0) + 0.5 * (log_odds == 0)
    joke = np.array([pair.joke for pair in pairs if pair.sort == "edited"])
    fault = np.array([pair.fault for pair in pairs if pair.sort == "edited"])
    top = stated.argmax(axis=1)
    hit = np.array([names[place] for place in top]) == fault
    limits = np.array([least[name] if least[name] is not None else 2.0 for name in names], dtype=np.float64)
    shown = stated[np.arange(len(top)), top] >= limits[top]
    gaps = np.array([len(pair.second) - len(pair.first) for pair in pairs if pair.sort == "edited"])
    by_shown = {
        name: (int(mine.sum()), round(float(hit[mine].mean()), 3))
        for place, name in enumerate(names)
        if (mine := shown & (top == place)).any()
    }
    return DraftFigures(
        jokes=len(set(joke.tolist())),
        edited=fraction(right[edited]),
        interval=_by_jokes(right[edited], joke),
        rewritten=float(right[rewritten].mean()),
        shorter=float(((gaps > 0) + 0.5 * (gaps == 0)).mean()),
        calibration_error=calibration_error(log_odds[edited]),
        equal_distance=float(np.abs(1 / (1 + np.exp(-log_odds[equal])) - 0.5).mean()),
        by_fault={name: round(float(right[edited][fault == name].mean()), 3) for name in names},
        fault_right=float(hit.mean()),
        shown=float(shown.mean()),
        shown_right=float(hit[shown].mean()) if shown.any() else None,
        by_shown=by_shown,
    )


def _by_jokes(right: Vector, joke: Vector) -> tuple[float, float]:
    """95 % interval of the mean by a bootstrap over jokes."""
    jokes = np.unique(joke)
    sums = np.array([right[joke == each].sum() for each in jokes])
    sizes = np.array([(joke == each).sum() for each in jokes])
    draws = np.random.default_rng(1).integers(0, len(jokes), (_RESAMPLES, len(jokes)))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return round(float(low), 3), round(float(high), 3)


def draft_card(figures: DraftFigures, version: str, sha256: str, name: str, date: str) -> dict[str, Any]:
    """What goes beside a file of heads."""
    return {
        "model": {"name": name, "sha256": sha256},
        "version": version,
        "date": date,
        "labels": "An editor's: jokes and drafts written and marked by a large language model; not people's votes.",
        "data": "drafts.jsonl, written for this project",
        "split": f"{FOLDS} folds by joke; the heads that are kept are fitted on all jokes",
        "figures": figures.model_dump(mode="json"),
    }
