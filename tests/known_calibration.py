"""A neutral calibration, and sessions over the fake engine that use it."""

from __future__ import annotations

import math
from collections.abc import Callable

from jokejudge_gui.core.verdicts import CHECKS
from jokejudge_gui.judge.asking.calibration import (
    Baseline,
    Calibration,
    CheckCalibration,
    DuelCalibration,
    ScoreCalibration,
)
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.session.session import Session

FLAT = tuple([-1.8] * 6)


def known(judge: MainJudge) -> Calibration:
    """A calibration with power everywhere, baselines at zero, and every kind of joke equally likely."""
    return Calibration(
        model_sha256=judge.model.sha256,
        keys=judge.calibration.keys,
        checks={check: CheckCalibration(centre=0.0, half=2.0, sd=1.0, least=0.0) for check in CHECKS},
        categories={
            category.id: Baseline(mean=-math.log(len(judge.criteria.categories)), sd=1.0)
            for category in judge.criteria.categories
        },
        relevance={factor.id: Baseline(mean=0.0, sd=1.0) for factor in judge.criteria.factors},
        scores={
            factor.id: ScoreCalibration(ascending=FLAT, descending=FLAT, mean_expected=2.5, sd_expected=1.0)
            for factor in judge.criteria.factors
        },
        duel=DuelCalibration(mean_bias=0.0, sd_pair=1.0, sd_alone=1.0, gamma=0.0, length_sd=40.0),
    )


MakeSession = Callable[..., Session]
