"""What was measured of a model: its calibration by question, the worth of its items, its audit, and the weights of its
answers in duels. One file a model, ``models/<hash>/measured.json``: shipped with the program, and the user's own, which
takes precedence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...core.files import atomic_write, read_json
from ...core.verdicts import Frozen
from .questions import QuestionKeys
from .worth import Plan

LEAST_POWER = 1.0
"""Least d′ at which a check has power."""
_LARGEST = 1e4
Nats = Annotated[float, Field(ge=-_LARGEST, le=_LARGEST, allow_inf_nan=False)]
"""A log-probability, its mean or a distance; real values are far from the bounds."""
Spread = Annotated[float, Field(ge=0, le=_LARGEST, allow_inf_nan=False)]
Levels = Annotated[tuple[Nats, ...], Field(min_length=6, max_length=6)]
"""One number for each level 0…5."""


NOISE = 0.2
"""Standard deviation in nats of an answer's log-odds with the batch that its question shares: quantised kernels round
activations. More than what three models in Q8_0, Q4_0 and Q4_1 were measured to have; nothing finer is claimed."""


class CheckCalibration(Frozen):
    """One admissibility check: midpoint ``centre`` and half distance ``half`` of the two groups' means, pooled
    deviation ``sd``, all in nats. ``least``: log-odds above which nothing is rejected, as jokes that people liked reach
    down to them; None where the check has no power."""

    centre: Nats
    half: Nats
    sd: float = Field(gt=0, le=_LARGEST, allow_inf_nan=False)
    least: Nats | None = None

    @property
    def d_prime(self) -> float:
        """2s/σ; under 1 the check has no power on this model."""
        return 2.0 * self.half / self.sd


class Baseline(Frozen):
    """Mean and deviation of a log-odds over varied jokes."""

    mean: Nats
    sd: Spread

    def z(self, value: float) -> float:
        """Standardised value; a deviation under the numerical noise of .2 nats counts as .2."""
        return (value - self.mean) / max(self.sd, 0.2)


class ScoreCalibration(Frozen):
    """One factor: mean log-probability of each level over neutral texts, in both orders; mean and deviation of the
    expected score over varied jokes (deviation under .4: the model doesn't separate jokes on it)."""

    ascending: Levels
    descending: Levels
    mean_expected: Nats
    sd_expected: Spread

    @property
    def bias(self) -> tuple[Sequence[float], Sequence[float]]:
        """The labels' own bias, in both orders."""
        return self.ascending, self.descending


class DuelCalibration(Frozen):
    """Mean position bias, deviations of the pair's log-odds and of the difference of the jokes alone; the judge's own
    length coefficient ``gamma`` on tanh(Δlength/``length_sd``)."""

    mean_bias: Nats
    sd_pair: Spread
    sd_alone: Spread
    gamma: Nats
    length_sd: float = Field(gt=0, le=1e9, allow_inf_nan=False)


_BY_ITEM: dict[str, type[Frozen]] = {
    "checks": CheckCalibration,
    "categories": Baseline,
    "relevance": Baseline,
    "scores": ScoreCalibration,
}
"""Fields of ``Calibration`` and of ``QuestionKeys`` that hold values and keys by item."""


class Calibration(Frozen):
    """One model's calibration for the questions that ``keys`` names."""

    model_sha256: str
    keys: QuestionKeys = Field(default_factory=QuestionKeys)
    checks: dict[str, CheckCalibration] = Field(default_factory=dict)
    categories: dict[str, Baseline] = Field(default_factory=dict)
    relevance: dict[str, Baseline] = Field(default_factory=dict)
    scores: dict[str, ScoreCalibration] = Field(default_factory=dict)
    duel: DuelCalibration | None = None

    @property
    def rates(self) -> bool:
        """Whether all questions of a rating are calibrated."""
        return bool(self.scores) and not any(self.missing().values())

    def missing(self) -> dict[str, list[str]]:
        """Return the ids of a rating's items that aren't calibrated, by field."""
        return {
            name: [item for item in getattr(self.keys, name) if item not in getattr(self, name)] for name in _BY_ITEM
        }

    def by_question(self) -> dict[str, Any]:
        """Return the values by the key of their question, for the file; values without a key couldn't be found."""
        values: dict[str, Frozen | None] = {self.keys.duel: self.duel}
        for name in _BY_ITEM:
            keys = getattr(self.keys, name)
            values |= {keys[item]: value for item, value in getattr(self, name).items() if item in keys}
        return {key: value.model_dump(mode="json") for key, value in values.items() if key and value is not None}


class DuelWeights(BaseModel):
    """Weights (≥ 0) of a duel's measurements, fitted on votes (METHODS, c; models/training/weights.py). They hold for
    one wording of the questions (a duel's key in ``question_keys``) and one version of the audience head. ``rounds``:
    log-odds per point of humor in a contest's shuffled rounds, under the version ``rounds_question`` of their
    questions."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str
    head_version: str
    pair: float = Field(ge=0, le=10)
    alone: float = Field(ge=0, le=10)
    audience: float = Field(ge=0, le=10)
    rounds: float = Field(default=0.0, ge=0, le=10)
    rounds_question: str = ""


FORMAT = 3
MEASURED = "measured.json"
_MOST_BYTES = 8 << 20
M = TypeVar("M", bound=BaseModel)


class MeasuredFiles:
    """The files of all models, in two folders of models: ``shipped`` with the program, and the user's ``own``. A
    section that is missing or can't be used counts as not measured."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._shipped, self._own = shipped, own

    def path(self, sha256: str) -> Path:
        """Return the path of the user's own file of a model."""
        return self._own / sha256[:16] / MEASURED

    def calibration(self, sha256: str, keys: QuestionKeys) -> Calibration:
        """Return a model's calibration for the questions with these keys; what is missing will be measured."""
        values = list(self.sections(sha256, "calibration"))

        def first(key: str, kind: type[M]) -> M | None:
            for by_key in values:
                with suppress(ValidationError, RecursionError):
                    if key and key in by_key:
                        return kind.model_validate(by_key[key])
            return None

        by_item = {
            name: {item: value for item, key in getattr(keys, name).items() if (value := first(key, kind)) is not None}
            for name, kind in _BY_ITEM.items()
        }
        return Calibration(model_sha256=sha256, keys=keys, duel=first(keys.duel, DuelCalibration), **by_item)

    def save_calibration(self, calibration: Calibration) -> None:
        """Add a calibration to the user's own; values of other questions stay. Raises ``SettingsError``."""
        before = self._section(self._own, calibration.model_sha256, "calibration")
        self.update(calibration.model_sha256, {"calibration": before | calibration.by_question()})

    def plan(self, sha256: str) -> Plan:
        """Return the worth of a model's items as it was measured, on this machine, else the shipped one."""
        for section in self.sections(sha256, "plan"):
            with suppress(ValidationError, RecursionError):
                plan = Plan.model_validate({**section, "model_sha256": sha256})
                if plan.items:
                    return plan
        return Plan(model_sha256=sha256)

    def save_plan(self, plan: Plan) -> None:
        """Write a plan to the user's own. Raises ``SettingsError``."""
        content = plan.model_dump(mode="json", exclude={"model_sha256"}, exclude_none=True)
        self.update(plan.model_sha256, {"plan": content})

    def weights(self, sha256: str) -> DuelWeights | None:
        """Return the weights in duels that were fitted with the shipped audience head."""
        with suppress(ValidationError):
            return DuelWeights.model_validate(self._section(self._shipped, sha256, "duel"))
        return None

    def sections(self, sha256: str, name: str) -> Iterator[dict[str, Any]]:
        """Yield a section of a model's files as it stands there, the user's own first."""
        for folder in (self._own, self._shipped):
            yield self._section(folder, sha256, name)

    def _section(self, folder: Path, sha256: str, name: str) -> dict[str, Any]:
        section = _read(folder / sha256[:16] / MEASURED, sha256).get(name)
        return section if isinstance(section, dict) else {}

    def own(self, sha256: str, *names: str) -> dict[str, Any]:
        """Return these sections of the user's own file of a model."""
        content = _read(self.path(sha256), sha256)
        return {name: content[name] for name in names if name in content}

    def update(self, sha256: str, sections: dict[str, Any]) -> None:
        """Replace these sections of the user's own file of a model. Raises ``SettingsError``."""
        content = {"format": FORMAT, "model_sha256": sha256, **_read(self.path(sha256), sha256), **sections}
        atomic_write(self.path(sha256), json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _read(path: Path, sha256: str) -> dict[str, Any]:
    try:
        content = read_json(path, most=_MOST_BYTES)
    except (OSError, ValueError, RecursionError):
        return {}
    usable = isinstance(content, dict) and (content.get("format"), content.get("model_sha256")) == (FORMAT, sha256)
    return content if usable else {}
