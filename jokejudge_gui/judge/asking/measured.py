"""What was measured of a model: its calibration by question, the worth of each item of a verdict by its source, asked
of the model or read from its states, its audit, and the weights of its answers in duels. The worths say what is asked
and shown (METHODS, f). One file a model, ``models/<hash>/measured.json``: shipped with the program, and the user's own,
which takes precedence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from ...core.files import atomic_write, read_json
from ...core.statistics import wilson
from ...core.verdicts import Frozen, Source
from ...heads.editor_file import EditorCard
from ...rubric.xml_parser import kind_today
from .calibration import Calibration, Keys

Kind = Literal["check", "kind", "factor", "fault", "turn", "duel"]
Measured = Literal["r", "auc", "share"]
"""The measure of a worth: a correlation −1…1 (chance 0), an area under the curve 0…1 (chance ½), or a share of pairs or
of drafts 0…1 (chance ½)."""

LEAST_GAIN = 0.03
"""Least worth that asking must add for its tokens."""
LEAST_SHOWN: dict[Measured, float] = {"r": 0.35, "auc": 0.70, "share": 0.60}
"""Least worth at which an item is shown; its interval must also lie above chance."""
CHANCE: dict[Measured, float] = {"r": 0.0, "auc": 0.5, "share": 0.5}
TURN = "turn"
_SECTIONS: tuple[tuple[Kind, Measured], ...] = (("check", "auc"), ("factor", "r"), ("kind", "auc"), ("fault", "auc"))

Id = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[\w .:/-]+$")]
Share = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Size = Annotated[int, Field(ge=0, le=10**9)]


class Worth(Frozen):
    """Agreement with the reference over ``n`` texts, out of fold, with its 95 % interval (bootstrap over texts)."""

    value: Share
    low: Share
    high: Share
    n: Size

    @classmethod
    def of(cls, value: float, low: float, high: float, n: int) -> Worth:
        """Return rounded figures, within −1…1, with an interval that holds the value."""
        value, low, high = (round(max(-1.0, min(1.0, float(part))), 4) for part in (value, low, high))
        return cls(value=value, low=min(low, value), high=max(high, value), n=n)


class ItemWorth(Frozen, extra="ignore"):
    """One item. ``asked`` and ``read``: its worth by source, None where that wasn't measured or isn't available;
    ``weights`` (≥ 0) of both in a duel's sum; ``tokens``: cost of asking beyond the reading of the joke; ``question``:
    the key of the question with which ``asked`` was measured (``question_keys``)."""

    kind: Kind
    id: Id
    measured: Measured
    asked: Worth | None = None
    read: Worth | None = None
    weights: dict[str, float] | None = None
    tokens: Size = 0
    question: str = Field(default="", max_length=200)

    @property
    def ask(self) -> bool:
        """Whether the answers are worth more than the reading, or than chance: enough, and not by chance."""
        if self.asked is None:
            return False
        base = max(CHANCE[self.measured], self.read.value if self.read is not None else -1.0)
        return self.asked.low > base and self.asked.value >= base + LEAST_GAIN

    @property
    def source(self) -> Source | None:
        """The source in quick mode: a part of a rating is read if it can be; None where only asking would give it,
        which adds too little."""
        if self.ask and (self.read is None or self.measured == "share"):
            return "asked"
        return "read" if self.read is not None else None

    @property
    def shown(self) -> bool:
        """Whether its reading is shown as a finding: worth enough, and its interval above chance."""
        worth = self.read
        return worth is not None and worth.value >= LEAST_SHOWN[self.measured] and worth.low > CHANCE[self.measured]


class Plan(Frozen):
    """The worths of a model's items: what is asked, what is read, what is shown. An item that isn't in it isn't
    planned: where the model was never asked, everything is asked, and the answers aren't shown as findings. ``heads``:
    the editor heads with which the model was asked (``heads_key``), empty without heads; ``texts``: number of texts
    about which it was asked, 0 for never."""

    model_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    heads: str = Field(default="", max_length=64)
    texts: Size = 0
    items: tuple[ItemWorth, ...] = ()

    @property
    def planned(self) -> bool:
        """Whether the worth of asking the model was measured."""
        return any(item.asked is not None for item in self.items)

    @property
    def decides(self) -> bool:
        """Whether something is known of the model: a factor that is read is worth showing, or asking was measured."""
        return self.planned or bool(self.shown("factor"))

    @property
    def asks_everything(self) -> bool:
        """Whether a rating asks every question: no factor that is read is worth showing, and answers may have worth."""
        return not self.shown("factor") and (not self.planned or bool(self.asked("check", "kind", "factor")))

    def of(self, kind: Kind, id: str) -> ItemWorth | None:
        """Return one item; None where it isn't planned."""
        return next((item for item in self.items if (item.kind, item.id) == (kind, id)), None)

    def answer_worth(self, kind: Kind, id: str) -> float | None:
        """Return the worth of the model's own answer on an item; None where it wasn't measured."""
        item = self.of(kind, id)
        return item.asked.value if item is not None and item.asked is not None else None

    def asked(self, *kinds: Kind) -> tuple[str, ...]:
        """Return the ids of the items of these kinds (all kinds without) that quick mode asks about."""
        return tuple(item.id for item in self.items if item.ask and (not kinds or item.kind in kinds))

    def shown(self, kind: Kind) -> dict[str, float]:
        """Return the ids of the findings of a kind to show, each with its worth: correlation of a factor with the
        reference readings, area under the curve of a kind or fault."""
        return {item.id: item.read.value for item in self.items if item.kind == kind and item.shown and item.read}

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items if item.source == "asked")

    def today(self, card: EditorCard | None, keys: Keys) -> Plan:
        """Return the plan for the editor heads with this ``card`` (None: no heads) and today's questions: the readings
        are those of the heads in use, an item whose question was reworded keeps only its reading, and measurements
        with other heads are left out."""
        plan, mine = read_plan(self.model_sha256, card), dict[tuple[Kind, str], ItemWorth]()
        if self.heads != plan.heads:
            return plan
        questions = {key for part in keys.values() for key in part.values()}
        for item in self.items:
            if item.question and item.question not in questions:
                item = item.replaced(asked=None, weights=None, question="")
            if item.read is not None or item.asked is not None:
                mine[item.kind, item.id] = item
        items = []
        for read in plan.items:
            own = mine.pop((read.kind, read.id), None)
            items.append(read if own is None else own.replaced(read=read.read))
        return self.replaced(items=(*items, *mine.values()))

    def without(self, unread: Mapping[str, Collection[str]]) -> Plan:
        """Return the plan without the user's own items and those whose meaning the user changed (ids by kind), as their
        worth was measured for the earlier meaning."""
        return self.replaced(items=tuple(item for item in self.items if item.id not in unread.get(item.kind, ())))


def read_plan(sha256: str, card: EditorCard | None) -> Plan:
    """Return the plan of the heads' card alone: every item with the worth of its reading."""
    if card is None:
        return Plan(model_sha256=sha256)
    items: dict[tuple[str, str], ItemWorth] = {}
    kinds = card.items.get("kind", {})
    for kind, measured in _SECTIONS:
        for name, figure in card.items.get(kind, {}).items():
            # Where two kinds have become one, the item that already has its id stays, else the first.
            id = kind_today(name) if kind == "kind" else name
            if id == name or id not in kinds:
                read = _read_worth(figure.worth, figure.low, figure.high, figure.n)
                items.setdefault((kind, id), ItemWorth(kind=kind, id=id, measured=measured, read=read))
    turn, n = card.figures.turn, card.readings
    read = _read_worth(turn, *wilson(turn * n, n), n)
    items["turn", TURN] = ItemWorth(kind="turn", id=TURN, measured="share", read=read)
    return Plan(model_sha256=sha256, heads=heads_key(card), items=tuple(items.values()))


def _read_worth(value: float, low: float, high: float, n: int) -> Worth:
    return Worth(value=value, low=min(low, value), high=max(high, value), n=n)


def heads_key(card: EditorCard | None) -> str:
    """Return the identity of heads that a plan stores: 16 hex digits, empty without heads."""
    return hashlib.sha256(card.text(notes=False).encode("utf-8")).hexdigest()[:16] if card is not None else ""


# -- The files


class DuelWeights(Frozen, extra="ignore"):
    """Weights (≥ 0) of a duel's measurements, fitted on votes (METHODS, c; models/training/weights.py). They hold for
    one wording of the questions (a duel's key in ``question_keys``) and one version of the audience head. ``rounds``:
    log-odds per point of humor in a contest's shuffled rounds, under the version ``rounds_question`` of their
    questions."""

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


class MeasuredFiles:
    """The files of all models, in two folders of models: ``shipped`` with the program, and the user's ``own``. A
    section that is missing or can't be used counts as not measured."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._shipped, self._own = shipped, own

    def path(self, sha256: str) -> Path:
        """Return the path of the user's own file of a model."""
        return self._own / sha256[:16] / MEASURED

    def calibration(self, sha256: str, keys: Keys) -> Calibration:
        """Return a model's calibration for the questions with these keys; what is missing will be measured."""
        return Calibration.of_files(sha256, keys, [*self.sections(sha256, "calibration")][::-1])

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
