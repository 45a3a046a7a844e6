"""Trust cards: what was measured of an audience head on votes that it hadn't seen, as a file beside it.

A card is data of unknown making: it is checked as it is read, and its texts are shown as plain text only.
"""

from __future__ import annotations

import math
import re
import unicodedata
from pathlib import Path
from typing import Any

from pydantic import Field

from ..errors import JokeJudgeError, ModelError
from ..files import read_json
from ..verdicts import Frozen, ModelRef

_MOST_BYTES = 1 << 20
_MOST_TEXT = 2000
_MOST_KINDS = 32
_MOST_CARDS = 100
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DAMAGE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)
_COLUMNS = {
    "head": "head",
    "longer": "longer",
    "n-grams and length": "ngrams",
    "head without this set": "head_across",
    "n-grams without this set": "ngrams_across",
}


class Estimate(Frozen):
    """A share 0…1 with its 95 % interval; ``low`` and ``high`` are None where none was measured."""

    value: float
    low: float | None = None
    high: float | None = None


class Sure(Frozen):
    """Pairs on which odds of 5:1 or more were stated, and the share 0…1 of them that was right."""

    pairs: int
    right: float


Slices = dict[str, Estimate]
"""``all`` pairs, ``strong``: those where people clearly differed, ``jokes``: both texts are jokes, ``strong jokes``."""


class KindFigures(Frozen):
    """One kind of text. ``texts`` learned from, held-out ``pairs`` by slice, agreement of the head and its baselines by
    slice (``…_across``: learned without this kind), ``ece`` expected calibration error 0…1, ``log_loss`` in nats."""

    name: str
    texts: int | None = None
    pairs: dict[str, int] = Field(default_factory=dict)
    head: Slices
    longer: Slices = Field(default_factory=dict)
    ngrams: Slices = Field(default_factory=dict)
    head_across: Slices = Field(default_factory=dict)
    ngrams_across: Slices = Field(default_factory=dict)
    ece: float | None = None
    log_loss: float | None = None
    sure: Sure | None = None


class JokeOrNot(Frozen):
    """How the head tells jokes from other texts. ``d_prime``: how far they lie apart. Shares 0…1 that are rejected for
    it: ``plain`` of the plain texts, ``jokes`` of the jokes in the set where it is most."""

    d_prime: float
    plain: float
    jokes: float


class TrustCard(Frozen):
    """``agreement`` and ``one_person`` 0…1 are those that the head states of itself; texts are plain, without control
    characters; ``data`` by set. ``own``: made on this machine."""

    model: ModelRef
    agreement: float | None = None
    one_person: float | None = None
    kinds: tuple[KindFigures, ...] = ()
    joke: JokeOrNot | None = None
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
        near = (kind for kind in self.kinds if self.agreement is not None and _same(kind, self.agreement))
        return next(near, self.kinds[0] if self.kinds else None)


def _same(kind: KindFigures, agreement: float) -> bool:
    return "all" in kind.head and abs(kind.head["all"].value - agreement) < 0.001


def read_card(path: Path, *, own: bool = False) -> TrustCard:
    """Read a card's file. Raises ``ModelError`` ``E_CARD_DAMAGED`` for anything that isn't one."""
    try:
        return parse_card(read_json(path, _MOST_BYTES), own=own)
    except _DAMAGE as error:
        reason = plain(str(error))[:200] if not isinstance(error, KeyError) else f"{plain(str(error))[:60]} is missing"
        raise ModelError(
            "E_CARD_DAMAGED",
            f"The trust card {plain(path.name)} is damaged ({reason or type(error).__name__}).",
            "Delete it, or install the program again. Verdicts are the same without it.",
        ) from error


def card_for(sha256: str, folder: Path, *, own: bool) -> TrustCard | None:
    """The card of the model with this hash (``<16 digits>.json``); None where there is none. Raises ``ModelError``
    ``E_CARD_DAMAGED``."""
    path = folder / f"{sha256[:16]}.json"
    if not path.is_file():
        return None
    card = read_card(path, own=own)
    return card if card.model.sha256 == sha256 else None


def card_files(folder: Path) -> list[Path]:
    """The files in a folder that can be cards by their names, at most a hundred."""
    try:
        found = sorted(path for path in folder.iterdir() if re.fullmatch(r"[0-9a-f]{16}\.json", path.name))
    except OSError:
        return []
    return found[:_MOST_CARDS]


def parse_card(data: Any, *, own: bool = False) -> TrustCard:
    """A card from decoded JSON. What isn't known is left out; what is there must make sense, or ``ValueError``,
    ``KeyError``, ``TypeError`` or ``AttributeError`` is raised."""
    if not isinstance(data, dict):
        raise ValueError("it holds no object")
    model = data["model"]
    sha256 = model["sha256"]
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise ValueError("it doesn't say which model it is about")
    figures = data.get("figures", {})
    if not isinstance(figures, dict) or len(figures) > _MOST_KINDS:
        raise ValueError("its figures can't be read")
    terms = data.get("data", {})
    if not isinstance(terms, dict) or len(terms) > _MOST_KINDS:
        raise ValueError("its data can't be read")
    return TrustCard(
        model=ModelRef(name=_text(model.get("name")) or sha256[:16], sha256=sha256),
        agreement=_share(data.get("agreement"), "agreement"),
        # A head must state some number; one that isn't known is 0.
        one_person=_share(data.get("one_person"), "one_person") or None,
        kinds=tuple(_kind(_text(name), value) for name, value in figures.items()),
        joke=_joke(data["joke_or_not"]) if data.get("joke_or_not") is not None else None,
        data={_text(name)[:60]: _text(value) for name, value in terms.items()},
        **{name: _text(data.get(name)) for name in ("features", "split", "fitted_on", "intervals", "date", "command")},
        own=own,
    )


def _kind(name: str, data: dict[str, Any]) -> KindFigures:
    columns: dict[str, Slices] = {}
    for column, slices in data["agreement"].items():
        if column in _COLUMNS:
            columns[_COLUMNS[column]] = {_text(key)[:40]: _estimate(value, name) for key, value in slices.items()}
    pairs = {_text(key)[:40]: _count(value, name) for key, value in data.get("test_pairs", {}).items()}
    sure = data.get("stated_5_to_1")
    texts = data.get("training_texts")
    loss = data.get("log_loss")
    if loss is not None and not 0 <= _number(loss, name) < 1000:
        raise ValueError(f"the log-loss of {name} can't be right")
    if "all" not in columns["head"]:
        raise ValueError(f"{name} lacks the agreement on all pairs")
    right = _share(sure["right"], name) if sure else None
    return KindFigures(
        name=name[:60],
        texts=None if texts is None else _count(texts, name),
        pairs=pairs,
        **columns,
        ece=_share(data.get("ece"), name),
        log_loss=None if loss is None else _number(loss, name),
        sure=Sure(pairs=_count(sure["pairs"], name), right=right) if sure and right is not None else None,
    )


def _joke(data: dict[str, Any]) -> JokeOrNot:
    name = "joke or not"
    rejected = {_text(key): _share(share, name) for key, (share, _) in data["rejected"].items()}
    plain_texts = rejected.pop("plain")
    jokes = [share for share in rejected.values() if share is not None]
    if plain_texts is None or not jokes:
        raise ValueError(f"a figure of {name} is missing")
    return JokeOrNot(d_prime=_number(data["d_prime"], name), plain=plain_texts, jokes=max(jokes))


def _estimate(value: Any, name: str) -> Estimate:
    if not isinstance(value, list) or len(value) not in (1, 3):
        raise ValueError(f"a figure of {name} is no share with its interval")
    known = [_share(part, name) for part in value]
    if len(known) == 1:
        return Estimate(value=_number(value[0], name))
    middle, low, high = (_number(part, name) for part in value)
    if not low <= middle <= high:
        raise ValueError(f"an interval of {name} doesn't hold its figure")
    return Estimate(value=middle, low=low, high=high)


def _share(value: Any, name: str) -> float | None:
    if value is None:
        return None
    if not 0 <= _number(value, name) <= 1:
        raise ValueError(f"a figure of {name} is no share")
    return float(value)


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"a figure of {name} is no number")
    return float(value)


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise ValueError(f"a count of {name} is no number")
    return value


def _text(value: Any) -> str:
    return plain(value)[:_MOST_TEXT] if isinstance(value, str) else ""


def plain(text: str) -> str:
    """A text on one line, without characters that steer a terminal or a layout."""
    shown = " ".join(text[: 4 * _MOST_TEXT].split())
    return "".join(c if unicodedata.category(c)[0] != "C" else "\ufffd" for c in shown)


def read_cards(folder: Path, *, own: bool) -> tuple[list[TrustCard], list[JokeJudgeError]]:
    """All cards in a folder, and an error for each file that can't be read."""
    cards, faults = [], []
    for path in card_files(folder):
        try:
            cards.append(read_card(path, own=own))
        except JokeJudgeError as error:
            faults.append(error)
    return cards, faults
