"""What a trust card says, in words: how often people agree, beside what is right without any judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..statistics import wilson
from .card import Estimate, KindFigures, TrustCard

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
"""Kinds of text by the names that cards give them."""
Standing = Literal["clearly", "barely", "not", "below"]

_STATED = 5 / 6
_FEW = 50
_COIN_LOSS = 0.693
HOW_TO_MEASURE = (
    "Measure it on jokes that people have judged: a CSV file with text_a,text_b and winner (or votes_a,votes_b), or "
    "with text and rating."
)


def kind_name(name: str) -> str:
    """A kind of text as people call it; unknown ones by the card's own name."""
    return NAMES.get(name, f"“{name}”")


def title(name: str) -> str:
    """A kind of text as a heading."""
    shown = NAMES.get(name, name)
    return f"{shown[:1].upper()}{shown[1:]}"


def hundred(share: float) -> str:
    """A share as so many of a hundred."""
    return f"{100 * share:.0f}"


def between(figure: Estimate) -> str:
    """``71 (67 to 75)``, or the figure alone where there is no interval."""
    if figure.low is None or figure.high is None:
        return hundred(figure.value)
    return f"{hundred(figure.value)} ({hundred(figure.low)} to {hundred(figure.high)})"


def in_pairs(figure: Estimate) -> str:
    """``71 of 100 pairs (67 to 75)``."""
    spread = "" if figure.low is None or figure.high is None else f" ({hundred(figure.low)} to {hundred(figure.high)})"
    return f"{hundred(figure.value)} of 100 pairs{spread}"


def agrees(agreement: float, one_person: float | None = None, of: str = "") -> str:
    """The short form beside a verdict: ``agrees with most people in 71 of 100 pairs of one-liners; one person in 65``.
    ``of``: what the pairs are of, in words; empty where that isn't known."""
    text = f"agrees with most people in {hundred(agreement)} of 100 pairs{f' of {of}' if of else ''}"
    return text + (f"; one person in {hundred(one_person)}" if one_person else "")


def card_line(card: TrustCard) -> str:
    """A card in its short form; empty when it states no agreement."""
    main = card.main
    share = card.agreement if card.agreement is not None else main.head["all"].value if main else None
    return "" if share is None else agrees(share, card.one_person, kind_name(main.name) if main else "")


def headline(card: TrustCard) -> str:
    """What the card's main number means, in a sentence or two."""
    main = card.main
    if main is None:
        line = card_line(card)
        return f"It {line}. The card holds no more than that." if line else "The card holds no figures."
    text = f"On {kind_name(main.name)} it agrees with most people in {in_pairs(main.head['all'])}"
    if card.one_person is not None:
        text += f"; one person does in {hundred(card.one_person)}"
    first, *others = [*((name, figure.value) for name, figure in _baselines(main)), ("a coin", 0.5)]
    beside = [f"{first[0]} is right in {hundred(first[1])}", *(f"{name} in {hundred(value)}" for name, value in others)]
    return text + f". {_sentence(listed(beside))}"


def _baselines(kind: KindFigures, part: str = "all") -> list[tuple[str, Estimate]]:
    found = [("choosing the longer joke", kind.longer.get(part)), ("counting words", kind.ngrams.get(part))]
    return [(name, figure) for name, figure in found if figure is not None]


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words with commas, and ``last`` before the last one."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def standing(mine: Estimate, other: Estimate) -> Standing:
    """Whether a figure lies above another one: ``clearly`` when their intervals don't meet, ``barely`` when they do;
    ``below`` when it clearly lies under it."""
    if mine.value <= other.value:
        ends = mine.high if mine.high is not None else mine.value
        return "below" if ends < (other.low if other.low is not None else other.value) else "not"
    if mine.low is not None and mine.low > (other.high if other.high is not None else other.value):
        return "clearly"
    return "barely"


def kind_words(kind: KindFigures) -> str:
    """How the head stands on one kind of text that it learned from."""
    return _verdict(kind.head["all"], _baselines(kind))


def _verdict(mine: Estimate, rivals: Sequence[tuple[str, Estimate]]) -> str:
    if standing(mine, Estimate(value=0.5)) != "clearly":
        return "It can't be told from a coin here."
    groups: dict[Standing, list[str]] = {"clearly": ["chance"], "barely": [], "not": [], "below": []}
    for name, rival in rivals:
        groups[standing(mine, rival)].append(name)
    parts = []
    if groups["clearly"]:
        parts.append(f"clearly better than {listed(groups['clearly'])}")
    if groups["barely"]:
        parts.append(f"ahead of {listed(groups['barely'])}, but by less than the intervals can tell apart")
    if groups["not"]:
        parts.append(f"no better than {listed(groups['not'])}")
    if groups["below"]:
        parts.append(f"clearly worse than {listed(groups['below'])}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def jokes_only(kind: KindFigures) -> str:
    """The same without the texts that aren't jokes; empty where the card doesn't tell them apart."""
    mine = kind.head.get("jokes")
    if mine is None:
        return ""
    others = [f"{name} in {hundred(figure.value)}" for name, figure in _baselines(kind, "jokes")]
    beside = f"; {listed(others)}" if others else ""
    return f"Among real jokes only it is right in {between(mine)}{beside}."


def _unseen(kind: KindFigures) -> KindFigures:
    """A kind with the baseline that hadn't learned from it either."""
    return kind.replaced(ngrams=kind.ngrams_across)


def across_summary(card: TrustCard) -> str:
    """What to expect for a kind of joke that it never saw; empty where that wasn't measured."""
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
    rivals = [Estimate(value=0.5), *(figure for _, figure in _baselines(_unseen(kind)))]
    return all(standing(mine, rival) == "clearly" for rival in rivals)


def calibration_words(kind: KindFigures) -> str:
    """Whether stated odds mean what they say; empty where that wasn't measured."""
    parts = []
    if kind.ece is not None:
        parts.append(f"what it states is off by {_of_hundred(kind.ece)} on average (expected calibration error "
                     f"{kind.ece:.3f})")  # fmt: skip
    if kind.log_loss is not None:
        parts.append(f"log-loss {kind.log_loss:.3f}, where a coin has {_COIN_LOSS}")
    text = _sentence("; ".join(parts))
    if kind.sure is not None and kind.sure.pairs:
        text = f"{text} {_sure_words(kind)}".strip()
    return text


def _of_hundred(share: float) -> str:
    return "less than 1 of 100" if share < 0.005 else f"{hundred(share)} of 100"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _sure_words(kind: KindFigures) -> str:
    sure = kind.sure
    assert sure is not None
    count = f"{sure.pairs:,} pair{'s' * (sure.pairs != 1)}"
    text = f"When it says 5:1 or more it was right in {hundred(sure.right)} of 100 ({count})"
    if sure.pairs < _FEW:
        return f"{text}; so few pairs prove little."
    _, high = wilson(sure.right * sure.pairs, sure.pairs)
    kept = "less than the 83 that 5:1 promises" if high < _STATED else "as it should, since 5:1 promises at least 83"
    return f"{text}, {kept}."


def how_made(card: TrustCard) -> list[tuple[str, str]]:
    """How the figures came about, as (label, text)."""
    rows = [
        ("Measured", card.date),
        ("Held out", card.split),
        ("Intervals", card.intervals),
        ("Reads", card.features),
        ("Fitted on", card.fitted_on),
        ("Command", card.command),
    ]
    return [(label, text) for label, text in rows if text]
