"""Trust cards: the figures of an audience head on held-out votes, as a file beside it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AliasPath, ConfigDict, Field, model_validator

from ..core.errors import JokeJudgeError, damaged
from ..core.files import read_json
from ..core.verdicts import Frozen, ModelRef
from ..heads.audience import AudienceHead, KindAgreement, KindAgreements

NAMES = {
    "ukp": "one-liners",
    "headlines": "edited headlines",
    "hahackathon": "short texts from social media",
    "mechanics": "jokes that a model wrote",
    "rjokes": "jokes from Reddit",
    "stupidstuff": "longer jokes",
    "captions": "captions of cartoons",
    "hashtags": "replies to a hashtag",
    "plain": "texts that aren't jokes",
    "votes": "texts that people voted on",
}
"""Kinds of text in words, by their names in cards."""
_STRANGERS = frozenset({"other"})
"""The class of a head's gate for texts of none of the kinds with enough votes."""


def kind_name(name: str) -> str:
    """Return a kind of text in words; an unknown one by the card's own name."""
    return NAMES.get(name, f"“{name}”")


def title(name: str) -> str:
    """Return a kind of text as a heading."""
    shown = NAMES.get(name, name)
    return f"{shown[:1].upper()}{shown[1:]}"


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
Count = Annotated[int, Field(ge=0, lt=10**9, strict=True)]


class Estimate(Frozen):
    """A share 0…1 with its 95 % interval; ``low`` and ``high`` are None where none was measured. In a card it is a list
    of one or three numbers."""

    value: Share
    low: Share | None = None
    high: Share | None = None

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        if not isinstance(given, list):
            return given
        if len(given) not in (1, 3):
            raise ValueError("a figure is no share with its interval")
        return dict(zip(("value", "low", "high"), given, strict=False))

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if self.low is not None and self.high is not None and not self.low <= self.value <= self.high:
            raise ValueError("an interval doesn't hold its figure")
        return self


Slices = dict[str, Estimate]
"""``all`` pairs, ``strong``: those where people clearly differed, ``jokes``: both texts are jokes, ``strong jokes``."""


class KindFigures(Frozen):
    """One kind of text. Number of training ``texts``, held-out ``pairs`` by slice, agreement of the head and its
    baselines by slice (``…_across``: trained without this kind), ``ece`` expected calibration error 0…1, ``log_loss``
    in nats; ``sure``: the number of ``pairs`` with stated odds of 5:1 or more, and the share ``right`` of them."""

    model_config = ConfigDict(extra="ignore", validate_by_name=True)

    name: str
    texts: Count | None = Field(None, validation_alias="training_texts")
    pairs: dict[str, Count] = Field({}, validation_alias="test_pairs")
    head: Slices = Field(validation_alias=AliasPath("agreement", "head"))
    longer: Slices = Field({}, validation_alias=AliasPath("agreement", "longer"))
    ngrams: Slices = Field({}, validation_alias=AliasPath("agreement", "n-grams and length"))
    head_across: Slices = Field({}, validation_alias=AliasPath("agreement", "head without this set"))
    ngrams_across: Slices = Field({}, validation_alias=AliasPath("agreement", "n-grams without this set"))
    ece: Share | None = None
    log_loss: Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)] | None = None
    sure: dict[str, Count | Share] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if "all" not in self.head:
            raise ValueError(f"{self.name} lacks the agreement on all pairs")
        return self

    @property
    def part(self) -> str:
        """The slice whose figures are reported everywhere: real jokes where they are separated, else all pairs."""
        return "jokes" if "jokes" in self.head else "all"

    @property
    def stated(self) -> Estimate:
        """The reported agreement of the head; its baselines are those of the same ``part``."""
        return self.head[self.part]


class TrustCard(Frozen):
    """``agreement`` and ``one_person`` 0…1 are the figures in the head itself; ``joke``: its power to distinguish jokes
    from other texts: their distance ``d_prime``, and the shares 0…1 that it rejects of ``plain`` texts and of the
    ``jokes`` in the set with the greatest share. ``data`` by set. ``own``: made on this machine."""

    model_config = ConfigDict(extra="ignore")

    model: ModelRef
    agreement: Share | None = None
    one_person: Share | None = None
    kinds: tuple[KindFigures, ...] = ()
    joke: dict[str, Annotated[float, Field(allow_inf_nan=False, strict=True)]] | None = None
    data: dict[str, str] = Field(default_factory=dict)
    features: str = ""
    split: str = ""
    fitted_on: str = ""
    intervals: str = ""
    date: str = ""
    command: str = ""
    own: bool = False

    @property
    def main(self) -> KindFigures | None:
        """The kind that ``agreement`` is about, else the first one."""
        first = self.kinds[0] if self.kinds else None
        stated = self.agreement if self.agreement is not None else -1.0
        return next((kind for kind in self.kinds if abs(kind.head["all"].value - stated) < 0.001), first)

    @property
    def across(self) -> dict[str, Estimate]:
        """The agreement on each kind of text of a head that was trained without it."""
        return {kind.name: kind.head_across["all"] for kind in self.kinds if "all" in kind.head_across}


def parse_card(data: dict[str, Any], *, own: bool = False) -> TrustCard:
    """Return a card from decoded JSON, whose unknown fields are ignored. Raises ``ValueError``, ``KeyError``,
    ``TypeError`` or ``AttributeError`` for invalid ones."""
    kinds, joke = [], None
    for name, figure in data.get("figures", {}).items():
        sure = figure.get("stated_5_to_1")
        known = bool(sure) and sure.get("right", 0.0) is not None
        kinds.append(
            figure | {"name": name, "sure": {part: sure[part] for part in ("pairs", "right")} if known else None}
        )
    if given := data.get("joke_or_not"):
        rejected = {name: share for name, (share, _) in given["rejected"].items() if share is not None}
        joke = {"d_prime": given["d_prime"], "plain": rejected.pop("plain"), "jokes": max(rejected.values())}
    one_person = data.get("one_person") or None  # a head must have a number here; 0 means unknown
    return TrustCard.model_validate(data | {"one_person": one_person, "kinds": tuple(kinds), "joke": joke, "own": own})


def read_card(path: Path, *, own: bool = False) -> TrustCard:
    """Read a card's file. Raises ``ModelError`` ``E_FILE_DAMAGED`` for anything that isn't one."""
    try:
        return parse_card(read_json(path), own=own)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(path, str(error).split("\n")[0]) from error


def card_for(sha256: str, folder: Path, *, own: bool) -> TrustCard | None:
    """Return the card of the model with this hash (``<16 digits>.json``); None where there is none. Raises
    ``ModelError`` ``E_FILE_DAMAGED``."""
    path = folder / f"{sha256[:16]}.json"
    card = read_card(path, own=own) if path.is_file() else None
    return card if card is not None and card.model.sha256 == sha256 else None


def read_cards(folder: Path, *, own: bool) -> list[TrustCard]:
    """Return the readable cards in a folder."""
    cards: list[TrustCard] = []
    for path in sorted(folder.glob("*.json")):
        if re.fullmatch(r"[0-9a-f]{16}", path.stem):
            with suppress(JokeJudgeError):
                cards.append(read_card(path, own=own))
    return cards


def agreements_of(card: TrustCard | None, context: AudienceHead | None = None) -> KindAgreements:
    """Return the agreement by kind: on real jokes where that was measured, since jokes mixed with plain statements give
    a higher figure. For unknown kinds: the mean agreement on each kind when trained without it. ``context``: a head for
    texts that follow a topic or scene, with its own."""
    kinds = card.kinds if card is not None else ()
    known = {kind.name: KindAgreement(kind_name(kind.name), kind.stated.value, kind.stated.low) for kind in kinds}
    for name, (share, low) in (context.meta.kind_agreement if context is not None else {}).items():
        known[name] = KindAgreement(kind_name(name), share, low)
    across = [figure.value for figure in card.across.values()] if card is not None else []
    unknown = KindAgreement("", sum(across) / len(across)) if across else None
    return KindAgreements(known=known, unknown=unknown, strangers=_STRANGERS if card is not None else frozenset())
