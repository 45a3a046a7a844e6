"""Trust cards: the figures of an audience head on held-out votes, as a file beside it.

A card is untrusted data: it is checked as it is read, and its texts are shown as plain text only.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AliasPath, BeforeValidator, ConfigDict, Field, model_validator

from ..core.errors import JokeJudgeError, damaged
from ..core.files import read_json
from ..core.statistics import sigmoid
from ..core.texts import listed
from ..core.verdicts import Frozen, ModelRef
from ..heads.audience import AudienceHead, KindAgreement, KindAgreements
from ..judge.asking.measured import LEAST_POWER, Calibration, CheckCalibration, DuelCalibration
from ..judge.rating.admissibility_checker import INTENT, has_power, head_goes_first

_MOST_BYTES = 1 << 20
_MOST_TEXT = 2000
_MOST_KINDS = 32
_MOST_CARDS = 100
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DAMAGE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)
_TEXTS = ("features", "split", "fitted_on", "intervals", "date", "command")


def plain(text: str) -> str:
    """Return a text on one line, without characters that control a terminal or a layout."""
    shown = " ".join(text[: 4 * _MOST_TEXT].split())
    return "".join(c if unicodedata.category(c)[0] != "C" else "\ufffd" for c in shown)


def _text(value: Any) -> str:
    return plain(value)[:_MOST_TEXT] if isinstance(value, str) else ""


Text = Annotated[str, BeforeValidator(_text)]
Name = Annotated[str, BeforeValidator(lambda value: _text(value)[:60])]
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


class ConfidentPairs(Frozen):
    """Pairs with stated odds of 5:1 or more, and the share 0…1 of them that was right."""

    pairs: Count
    right: Share


def _some_sure(given: Any) -> Any:
    return given if given and (not isinstance(given, dict) or given.get("right", 0.0) is not None) else None


Slices = dict[Annotated[str, BeforeValidator(lambda value: _text(value)[:40])], Estimate]
"""``all`` pairs, ``strong``: those where people clearly differed, ``jokes``: both texts are jokes, ``strong jokes``."""


class KindFigures(Frozen):
    """One kind of text. Number of training ``texts``, held-out ``pairs`` by slice, agreement of the head and its
    baselines by slice (``…_across``: trained without this kind), ``ece`` expected calibration error 0…1, ``log_loss``
    in nats."""

    model_config = ConfigDict(extra="ignore", validate_by_name=True)

    name: Name
    texts: Count | None = Field(None, validation_alias="training_texts")
    pairs: dict[Name, Count] = Field({}, validation_alias="test_pairs")
    head: Slices = Field(validation_alias=AliasPath("agreement", "head"))
    longer: Slices = Field({}, validation_alias=AliasPath("agreement", "longer"))
    ngrams: Slices = Field({}, validation_alias=AliasPath("agreement", "n-grams and length"))
    head_across: Slices = Field({}, validation_alias=AliasPath("agreement", "head without this set"))
    ngrams_across: Slices = Field({}, validation_alias=AliasPath("agreement", "n-grams without this set"))
    ece: Share | None = None
    log_loss: Annotated[float, Field(ge=0, lt=1000, allow_inf_nan=False, strict=True)] | None = None
    sure: Annotated[ConfidentPairs | None, BeforeValidator(_some_sure)] = Field(None, validation_alias="stated_5_to_1")

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


class JokeOrNot(Frozen):
    """The head's power to distinguish jokes from other texts. ``d_prime``: their distance. Shares 0…1 that it rejects:
    ``plain`` of the plain texts, ``jokes`` of the jokes in the set with the greatest share."""

    d_prime: Annotated[float, Field(allow_inf_nan=False, strict=True)]
    plain: Share
    jokes: Share

    @model_validator(mode="before")
    @classmethod
    def _of_sets(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "rejected" not in given:
            return given
        rejected = {name: share for name, (share, _) in given["rejected"].items()}
        not_jokes = rejected.pop("plain")
        jokes = max(share for share in rejected.values() if share is not None)
        return {"d_prime": given["d_prime"], "plain": not_jokes, "jokes": jokes}


class TrustCard(Frozen):
    """``agreement`` and ``one_person`` 0…1 are the figures in the head itself; texts are plain, without control
    characters; ``data`` by set. ``own``: made on this machine."""

    model: ModelRef
    agreement: Share | None = None
    one_person: Share | None = None
    kinds: tuple[KindFigures, ...] = ()
    joke: JokeOrNot | None = None
    data: Annotated[dict[Name, Text], Field(max_length=_MOST_KINDS)] = Field(default_factory=dict)
    features: Text = ""
    split: Text = ""
    fitted_on: Text = ""
    intervals: Text = ""
    date: Text = ""
    command: Text = ""
    own: bool = False

    @property
    def main(self) -> KindFigures | None:
        """The kind that ``agreement`` is about, else the first one."""
        first = self.kinds[0] if self.kinds else None
        stated = self.agreement if self.agreement is not None else -1.0
        return next((kind for kind in self.kinds if abs(kind.head["all"].value - stated) < 0.001), first)


def read_card(path: Path, *, own: bool = False) -> TrustCard:
    """Read a card's file. Raises ``ModelError`` ``E_FILE_DAMAGED`` for anything that isn't one."""
    try:
        return parse_card(read_json(path, _MOST_BYTES), own=own)
    except _DAMAGE as error:
        raise damaged(path, plain(str(error).split("\n")[0])[:200] or type(error).__name__) from error


def card_for(sha256: str, folder: Path, *, own: bool) -> TrustCard | None:
    """Return the card of the model with this hash (``<16 digits>.json``); None where there is none. Raises
    ``ModelError`` ``E_FILE_DAMAGED``."""
    path = folder / f"{sha256[:16]}.json"
    if not path.is_file():
        return None
    card = read_card(path, own=own)
    return card if card.model.sha256 == sha256 else None


def card_files(folder: Path) -> list[Path]:
    """Return the files in a folder whose names are those of cards, at most a hundred."""
    try:
        found = sorted(path for path in folder.iterdir() if re.fullmatch(r"[0-9a-f]{16}\.json", path.name))
    except OSError:
        return []
    return found[:_MOST_CARDS]


def parse_card(data: Any, *, own: bool = False) -> TrustCard:
    """Return a card from decoded JSON. Unknown fields are ignored; ``ValueError``, ``KeyError``, ``TypeError`` or
    ``AttributeError`` is raised for invalid ones."""
    if not isinstance(data, dict):
        raise ValueError("it holds no object")
    model = data["model"]
    sha256 = model["sha256"]
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise ValueError("it doesn't say which model it is about")
    figures = data.get("figures", {})
    if not isinstance(figures, dict) or len(figures) > _MOST_KINDS:
        raise ValueError("its figures can't be read")
    return TrustCard(
        model=ModelRef(name=_text(model.get("name")) or sha256[:16], sha256=sha256),
        # A head must have a number here; 0 means unknown.
        one_person=data.get("one_person") or None,
        kinds=tuple(KindFigures.model_validate({**figure, "name": name}) for name, figure in figures.items()),
        joke=data.get("joke_or_not"),
        **{name: data[name] for name in ("agreement", "data", *_TEXTS) if name in data},
        own=own,
    )


def read_cards(folder: Path, *, own: bool) -> list[TrustCard]:
    """Return all readable cards in a folder."""
    cards = []
    for path in card_files(folder):
        with suppress(JokeJudgeError):
            cards.append(read_card(path, own=own))
    return cards


# -- a trust card in sentences -----------------------------------------------------------------------------------------

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
}
"""Kinds of text in words, by their names in cards."""
Lead = Literal["clearly", "barely", "not", "below"]

_COIN_LOSS = 0.693
HOW_TO_MEASURE = (
    "Measure it on jokes that people have judged: a CSV file with text_a,text_b and winner (or votes_a,votes_b), or "
    "with text and rating."
)


def kind_name(name: str) -> str:
    """Return a kind of text in words; an unknown one by the card's own name."""
    return NAMES.get(name, f"“{name}”")


def title(name: str) -> str:
    """Return a kind of text as a heading."""
    shown = NAMES.get(name, name)
    return f"{shown[:1].upper()}{shown[1:]}"


def hundred(share: float) -> str:
    """Return a share in hundredths."""
    return f"{100 * share:.0f}"


def between(figure: Estimate | None) -> str:
    """Return ``71 (67 to 75)``, the figure alone where there is no interval, or a dash."""
    if figure is None:
        return "–"
    if figure.low is None or figure.high is None:
        return hundred(figure.value)
    return f"{hundred(figure.value)} ({hundred(figure.low)} to {hundred(figure.high)})"


def agrees(agreement: float, one_person: float | None = None, of: str = "") -> str:
    """Return the short form beside a verdict: ``agrees with most people in 71 of 100 pairs of one-liners; one person in
    65``. ``of``: the kind of text of the pairs, in words; empty where unknown."""
    text = f"agrees with most people in {hundred(agreement)} of 100 pairs{f' of {of}' if of else ''}"
    return text + (f"; one person in {hundred(one_person)}" if one_person else "")


def card_line(card: TrustCard) -> str:
    """Return a card in its short form; empty when it has no agreement."""
    main = card.main
    share = main.stated.value if main is not None else card.agreement
    return "" if share is None else agrees(share, _one_person(card), kind_name(main.name) if main else "")


def _one_person(card: TrustCard) -> float | None:
    """Return the share of voters who agree with the others; None where it was measured on other pairs than the main
    figure."""
    return card.one_person if card.main is None or card.main.part == "all" else None


def headline(card: TrustCard) -> str:
    """Return the card's main figure in a sentence or two."""
    main = card.main
    if main is None:
        line = card_line(card)
        return f"It {line}. The card has no other figures." if line else "The card holds no figures."
    value, *interval = between(main.stated).split(" ", 1)
    shares = " ".join((value, "of 100 pairs", *interval))
    text = f"On {kind_name(main.name)} it agrees with most people in {shares}"
    if (one_person := _one_person(card)) is not None:
        text += f"; one person does in {hundred(one_person)}"
    first, *others = [*((name, figure.value) for name, figure in _baselines(main, main.part)), ("a coin", 0.5)]
    beside = [f"{first[0]} is right in {hundred(first[1])}", *(f"{name} in {hundred(value)}" for name, value in others)]
    return text + f". {_sentence(listed(beside))}"


def _baselines(kind: KindFigures, part: str) -> list[tuple[str, Estimate]]:
    found = [("choosing the longer joke", kind.longer.get(part)), ("counting words", kind.ngrams.get(part))]
    return [(name, figure) for name, figure in found if figure is not None]


def lead(mine: Estimate, other: Estimate) -> Lead:
    """Return how a figure compares with another one: ``clearly`` above when their intervals don't meet, ``barely`` when
    they do; ``not`` above; ``below`` when it is clearly below."""
    if mine.value <= other.value:
        ends = mine.high if mine.high is not None else mine.value
        return "below" if ends < (other.low if other.low is not None else other.value) else "not"
    if mine.low is not None and mine.low > (other.high if other.high is not None else other.value):
        return "clearly"
    return "barely"


def kind_words(kind: KindFigures) -> str:
    """Return a sentence on the head's comparison with its baselines on one kind of text that it was trained on."""
    mine = kind.stated
    if lead(mine, Estimate(value=0.5)) != "clearly":
        return "It can't be told from a coin here."
    groups: dict[Lead, list[str]] = {"clearly": ["chance"], "barely": [], "not": [], "below": []}
    for name, rival in _baselines(kind, kind.part):
        groups[lead(mine, rival)].append(name)
    said: dict[Lead, str] = {
        "clearly": "clearly better than {}",
        "barely": "ahead of {}, but by less than the intervals can tell apart",
        "not": "no better than {}",
        "below": "clearly worse than {}",
    }
    return _sentence("; ".join(said[lead].format(listed(names)) for lead, names in groups.items() if names))


def across_summary(card: TrustCard) -> str:
    """Return sentences on the agreement on kinds of text that it wasn't trained on; empty where it wasn't measured."""
    found = [(kind, kind.head_across["all"]) for kind in card.kinds if "all" in kind.head_across]
    if not found:
        return ""
    low, high = min(figure.value for _, figure in found), max(figure.value for _, figure in found)
    beaten = sum(_beats_all(kind, figure) for kind, figure in found)
    range_ = hundred(low) if hundred(low) == hundred(high) else f"{hundred(low)} to {hundred(high)}"
    text = f"Tried on kinds of text that it had learned nothing from, it was right in {range_} of 100 pairs. "
    if beaten == 0:
        return text + (
            "On none of them did it clearly beat both choosing the longer joke and counting words: it knows what "
            "people liked in the kinds it learned from, and little about a new one."
        )
    return text + f"It clearly beat choosing the longer joke and counting words on {beaten} of {len(found)}."


def _beats_all(kind: KindFigures, mine: Estimate) -> bool:
    # Compare with the baseline trained without this kind, too.
    unseen = kind.replaced(ngrams=kind.ngrams_across)
    rivals = [Estimate(value=0.5), *(figure for _, figure in _baselines(unseen, "all"))]
    return all(lead(mine, rival) == "clearly" for rival in rivals)


def calibration_words(kind: KindFigures) -> str:
    """Return sentences on the calibration of stated odds; empty where it wasn't measured."""
    parts = []
    if kind.ece is not None:
        off = "less than 1" if kind.ece < 0.005 else hundred(kind.ece)
        parts.append(
            f"its stated chances are off by {off} of 100 on average (expected calibration error {kind.ece:.3f})"
        )
    if kind.log_loss is not None:
        parts.append(f"log-loss {kind.log_loss:.3f}, where a coin has {_COIN_LOSS}")
    if kind.sure is not None and kind.sure.pairs:
        parts.append(
            f"where it says 5:1 or more, {hundred(kind.sure.right)} of 100 are right ({kind.sure.pairs:,} pairs)"
        )
    return _sentence("; ".join(parts))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def how_made(card: TrustCard) -> list[tuple[str, str]]:
    """Return the origin of the figures, as (label, text)."""
    labels = ("Measured", "Held out", "Intervals", "Reads", "Fitted on", "Command")
    texts = (card.date, card.split, card.intervals, card.features, card.fitted_on, card.command)
    return [(label, text) for label, text in zip(labels, texts, strict=True) if text]


# -- agreement of an audience estimate by kind of text, from the head's card -------------------------------------------

_STRANGERS = frozenset({"other"})
"""The class of a head's gate for texts of none of the kinds with enough votes."""
UNKNOWN = "texts of a kind that it hasn't learned"


def with_context(found: KindAgreements, head: AudienceHead | None) -> KindAgreements:
    """Return the agreements with those of a head for texts that follow a topic or scene."""
    if head is None:
        return found
    more = {kind: KindAgreement(kind_name(kind), share, low) for kind, (share, low) in head.kind_agreement.items()}
    return KindAgreements(known={**found.known, **more}, unknown=found.unknown, strangers=found.strangers)


def agreements_of(card: TrustCard | None) -> KindAgreements:
    """Return the agreement by kind: on real jokes where that was measured, since jokes mixed with plain statements give
    a higher figure. For unknown kinds: the mean agreement on each kind when trained without it."""
    if card is None:
        return KindAgreements()
    known = {}
    for kind in card.kinds:
        known[kind.name] = KindAgreement(kind_name(kind.name), kind.stated.value, kind.stated.low)
    across = [kind.head_across["all"].value for kind in card.kinds if "all" in kind.head_across]
    unknown = KindAgreement(UNKNOWN, sum(across) / len(across)) if across else None
    return KindAgreements(known=known, unknown=unknown, strangers=_STRANGERS)


# -- sentences on a model's weaknesses and the questions that it is asked ----------------------------------------------

_ASKS = {
    "intent": "whether a text is meant to amuse",
    "completeness": "whether it is finished",
    "appropriateness": "whether it calls for harm",
    "coherence": "whether its words make sense together",
    "accessibility": "whether most people can follow it",
}
_SEPARATES = 0.4


def check_words(checks: dict[str, CheckCalibration]) -> list[str]:
    """Return sentences on the power of the admissibility checks, by their distance d′ between clear cases."""
    told = {name: f"{_ASKS.get(name, name)} (d′\u00a0{check.d_prime:.1f})" for name, check in checks.items()}
    able = [told[name] for name, check in checks.items() if check.d_prime >= LEAST_POWER and has_power(check)]
    unable = [words for words in told.values() if words not in able]
    every = "Such a check rejects nothing." if able else "None of its checks has power: it would reject nearly nothing."
    sentences = [f"It can't tell {listed(unable, 'or')}. {every}"] if unable else []
    return [*sentences, *([f"It can tell {listed(able)} in clear cases."] if able else [])]


def factor_words(calibration: Calibration) -> str:
    """Return a sentence on the number of factors that distinguish jokes; empty where that wasn't measured."""
    total = len(calibration.scores)
    blind = sum(score.sd_expected < _SEPARATES for score in calibration.scores.values())
    if not total:
        return ""
    if not blind:
        return f"It tells jokes apart on all {total} factors."
    which = f"any of the {total} factors" if blind == total else f"{blind} of the {total} factors"
    return f"It hardly tells jokes apart on {which}: it gives nearly every joke the same score there."


def order_words(duel: DuelCalibration) -> str:
    """Return sentences on the position bias in duels, and whether it exceeds the spread over pairs."""
    place = "first" if duel.mean_bias >= 0 else "second"
    p = sigmoid(abs(duel.mean_bias))
    text = (
        f"Of two equally funny jokes it would name the {place} one in {100 * p:.0f} of 100 duels (mean position bias "
        f"{abs(duel.mean_bias):.2f} in log-odds)."
    )
    if abs(duel.mean_bias) > duel.sd_pair:
        text += (
            f" That is more than the spread of its answers over pairs ({duel.sd_pair:.2f}), so asked in both orders it "
            "mostly names the same place. Both orders are always asked, and the bias is taken out."
        )
    return text


def joke_words(joke: JokeOrNot) -> str:
    """Return a sentence on the audience head's part in the check of intent."""
    return (
        f"{_ASKS[INTENT].capitalize()} is read off the audience estimate instead (d′\u00a0{joke.d_prime:.1f}): of "
        f"texts that it hadn't seen it rejects {100 * joke.plain:.0f} in 100 that aren't meant as jokes, and at most "
        f"{100 * joke.jokes:.1f} in 100 that are."
    )


def habit_words(calibration: Calibration | None, card: TrustCard | None = None) -> list[str]:
    """Return all measured habits of the model, a sentence or two each."""
    if calibration is None:
        return []
    found = check_words(calibration.checks) if calibration.checks else []
    intent = calibration.checks.get(INTENT)
    if card is not None and card.joke is not None and intent is not None and head_goes_first(intent):
        found.append(joke_words(card.joke))
    factors = factor_words(calibration)
    if factors:
        found.append(factors)
    if calibration.duel is not None:
        found.append(order_words(calibration.duel))
    return found
