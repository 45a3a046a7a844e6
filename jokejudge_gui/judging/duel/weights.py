"""Weights of a duel's measurements that were fitted on people's votes, for the models that such a fit ships for."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ...files import read_json
from ..main_judge import MainJudge
from .confidence_scorer import Weights


class FittedWeights(BaseModel):
    """MAP weights (≥ 0) on votes (METHODS, c; models/training/weights.py). They hold for one model, one wording of the
    questions (a duel's key in ``question_keys``) and one version of the audience head; the file also says what they are
    worth."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model_sha256: str
    question: str
    head_version: str
    pair: float = Field(ge=0, le=10)
    alone: float = Field(ge=0, le=10)
    audience: float = Field(ge=0, le=10)


def fitted_weights(sha256: str, question: str, head_version: str, folder: Path) -> Weights | None:
    """The weights in ``folder`` for this model, this question and this head; None if there are none, or if the file
    can't be read: the prior serves then."""
    try:
        found = FittedWeights.model_validate(read_json(folder / f"{sha256[:16]}.json"))
    except (OSError, ValueError):
        return None
    if (found.model_sha256, found.question, found.head_version) != (sha256, question, head_version):
        return None
    return Weights(pair=found.pair, alone=found.alone, audience=found.audience)


def planned_weights(judge: MainJudge) -> Weights | None:
    """What the plan says of a duel's own answers, beside the audience head if there is one; None where it isn't
    planned."""
    pair, alone = judge.plan.of("duel", "pair"), judge.plan.of("duel", "alone")
    if pair is None or alone is None or pair.weights is None or alone.weights is None:
        return None
    audience = pair.weights.read if judge.head is not None else 0.0
    return Weights(pair=pair.weights.asked, alone=alone.weights.asked, audience=audience)


def weights_for(judge: MainJudge) -> Weights | None:
    """The fitted weights for the loaded model with its present prompts and head; None if there are none."""
    if judge.head is None or judge.weights_folder is None:
        return None
    question = judge.calibration.keys.duel
    return fitted_weights(judge.model.sha256, question, judge.head.version, judge.weights_folder)
