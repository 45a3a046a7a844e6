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
    worth. ``rounds``: log-odds for a point of humor in a contest's shuffled rounds, under the version
    ``rounds_question`` of their questions."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model_sha256: str
    question: str
    head_version: str
    pair: float = Field(ge=0, le=10)
    alone: float = Field(ge=0, le=10)
    audience: float = Field(ge=0, le=10)
    rounds: float = Field(default=0.0, ge=0, le=10)
    rounds_question: str = ""


def fitted_weights(sha256: str, question: str, head_version: str, folder: Path) -> Weights | None:
    """The weights in ``folder`` for this model, this question and this head; None if there are none, or if the file
    can't be read: the prior serves then."""
    found = _fitted(sha256, question, head_version, folder)
    return Weights(pair=found.pair, alone=found.alone, audience=found.audience) if found is not None else None


def _fitted(sha256: str, question: str, head_version: str, folder: Path) -> FittedWeights | None:
    try:
        found = FittedWeights.model_validate(read_json(folder / f"{sha256[:16]}.json"))
    except (OSError, ValueError):
        return None
    same = (found.model_sha256, found.question, found.head_version) == (sha256, question, head_version)
    return found if same else None


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


def rounds_weight(judge: MainJudge, question: str) -> float:
    """Log-odds for a point of humor in shuffled rounds that are asked with this version of their questions; 0 where it
    wasn't measured on the loaded model that they add anything."""
    if judge.head is None or judge.weights_folder is None:
        return 0.0
    key = judge.calibration.keys.duel
    found = _fitted(judge.model.sha256, key, judge.head.version, judge.weights_folder)
    return found.rounds if found is not None and found.rounds_question == question else 0.0
