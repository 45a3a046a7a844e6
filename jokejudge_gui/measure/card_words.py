"""A model's card and its measured habits in sentences, the same for every surface."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.statistics import sigmoid
from ..core.texts import listed
from ..core.words import of_100
from ..judge.asking.measured import LEAST_POWER, Calibration, CheckCalibration, DuelCalibration
from ..judge.rating.admissibility_checker import INTENT, has_power, head_goes_first
from ..learning.trust_cards import Estimate, KindFigures, TrustCard, kind_name

HOW_TO_MEASURE = (
    "Measure it on jokes that people have judged: a CSV file with text_a,text_b and winner (or votes_a,votes_b), or "
    "with text and rating. In the terminal: jokejudge evaluate --pairs FILE.csv --html report.html"
)
_COIN_LOSS = 0.693
_ASKS = {
    "intent": "whether a text is meant to amuse",
    "completeness": "whether it is finished",
    "appropriateness": "whether it calls for harm",
    "coherence": "whether its words make sense together",
    "accessibility": "whether most people can follow it",
}
_SEPARATES = 0.4
_SLICES = {"jokes": "real jokes", "strong jokes": "real jokes, clear", "all": "all pairs", "strong": "clear pairs"}


def between(figure: Estimate | None) -> str:
    """Return ``71 (67 to 75)``, the figure alone where there is no interval, or a dash."""
    return of_100(figure.value, figure.low, figure.high) if figure is not None else "–"


def agrees(agreement: float, one_person: float | None = None, of: str = "") -> str:
    """Return the short form beside a verdict: ``agrees with most people in 71 of 100 pairs of one-liners; one person in
    65``. ``of``: the kind of text of the pairs, in words; empty where unknown."""
    text = f"agrees with most people in {of_100(agreement)} of 100 pairs{f' of {of}' if of else ''}"
    return text + (f"; one person in {of_100(one_person)}" if one_person else "")


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
        text += f"; one person does in {of_100(one_person)}"
    first, *others = [*((name, figure.value) for name, figure in _baselines(main, main.part)), ("a coin", 0.5)]
    beside = [f"{first[0]} is right in {of_100(first[1])}", *(f"{name} in {of_100(value)}" for name, value in others)]
    return text + f". {_sentence(listed(beside))}"


def _baselines(kind: KindFigures, part: str) -> list[tuple[str, Estimate]]:
    rivals = (("choosing the longer joke", kind.longer.get(part)), ("counting words", kind.ngrams.get(part)))
    return [(name, figure) for name, figure in rivals if figure is not None]


def across_summary(card: TrustCard) -> str:
    """Return sentences on the agreement on kinds of text that it wasn't trained on; empty where it wasn't measured."""
    if not card.across:
        return ""
    text = f"Tried on kinds of text that it had learned nothing from, it was right in {span(card)} of 100 pairs. "
    beaten = sum(_beats_all(kind) for kind in card.kinds if kind.name in card.across)
    if not beaten:
        return text + (
            "On none of them did it clearly beat both choosing the longer joke and counting words: it knows what "
            "people liked in the kinds it learned from, and little about a new one."
        )
    return text + f"It clearly beat choosing the longer joke and counting words on {beaten} of {len(card.across)}."


def span(card: TrustCard) -> str:
    """Return the range of its agreement on kinds of text that it wasn't trained on, in hundredths."""
    ends = [of_100(end([figure.value for figure in card.across.values()])) for end in (min, max)]
    return " to ".join(dict.fromkeys(ends))


def _beats_all(kind: KindFigures) -> bool:
    """Whether a head that was trained without a kind of text is surely better there than chance and both baselines."""
    # Compare with the baseline trained without this kind, too.
    rivals = (kind.longer.get("all"), kind.ngrams_across.get("all"))
    least = max([0.5, *(rival.value if rival.high is None else rival.high for rival in rivals if rival is not None)])
    low = kind.head_across["all"].low
    return low is not None and low > least


def slices(kind: KindFigures) -> Iterator[tuple[str, Estimate, Estimate | None, Estimate | None, int | None]]:
    """Yield each part of a kind's pairs: its name, the agreement of the head, of choosing the longer joke and of word
    statistics on the same pairs, and their number. The last one: of a head that learned nothing from this kind."""
    for part, name in _SLICES.items():
        if (judge := kind.head.get(part)) is not None:
            yield name, judge, kind.longer.get(part), kind.ngrams.get(part), kind.pairs.get(part)
    if (judge := kind.head_across.get("all")) is not None:
        yield "not learned from", judge, kind.longer.get("all"), kind.ngrams_across.get("all"), kind.pairs.get("all")


def calibration_words(kind: KindFigures) -> str:
    """Return sentences on the calibration of stated odds; empty where it wasn't measured."""
    parts = []
    if kind.ece is not None:
        off = "less than 1" if kind.ece < 0.005 else of_100(kind.ece)
        parts.append(
            f"its stated chances are off by {off} of 100 on average (expected calibration error {kind.ece:.3f})"
        )
    if kind.log_loss is not None:
        parts.append(f"log-loss {kind.log_loss:.3f}, where a coin has {_COIN_LOSS}")
    if kind.sure is not None and kind.sure["pairs"]:
        right, pairs = of_100(kind.sure["right"]), f"{kind.sure['pairs']:,}"
        parts.append(f"where it says 5:1 or more, {right} of 100 are right ({pairs} pairs)")
    return _sentence("; ".join(parts))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


# The habits of a model that is asked


def habit_words(calibration: Calibration | None, card: TrustCard | None = None) -> list[str]:
    """Return all measured habits of the model, a sentence or two each."""
    if calibration is None:
        return []
    habits = _check_words(calibration.checks) if calibration.checks else []
    intent = calibration.checks.get(INTENT)
    if card is not None and card.joke is not None and intent is not None and head_goes_first(intent):
        habits.append(
            f"{_ASKS[INTENT].capitalize()} is read off the audience estimate instead (d′\u00a0"
            f"{card.joke['d_prime']:.1f}): of texts that it hadn't seen it rejects {100 * card.joke['plain']:.0f} in "
            f"100 that aren't meant as jokes, and at most {100 * card.joke['jokes']:.1f} in 100 that are."
        )
    if total := len(calibration.scores):
        blind = sum(score.sd_expected < _SEPARATES for score in calibration.scores.values())
        which = f"any of the {total} factors" if blind == total else f"{blind} of the {total} factors"
        habits.append(
            f"It hardly tells jokes apart on {which}: it gives nearly every joke the same score there."
            if blind
            else f"It tells jokes apart on all {total} factors."
        )
    return [*habits, *([_order_words(calibration.duel)] if calibration.duel is not None else [])]


def _check_words(checks: dict[str, CheckCalibration]) -> list[str]:
    """Return sentences on the power of the admissibility checks, by their distance d′ between clear cases."""
    words = {name: f"{_ASKS.get(name, name)} (d′\u00a0{check.d_prime:.1f})" for name, check in checks.items()}
    able = [words[name] for name, check in checks.items() if check.d_prime >= LEAST_POWER and has_power(check)]
    unable = [text for text in words.values() if text not in able]
    every = "Such a check rejects nothing." if able else "None of its checks has power: it would reject nearly nothing."
    sentences = [f"It can't tell {listed(unable, 'or')}. {every}"] if unable else []
    return [*sentences, *([f"It can tell {listed(able)} in clear cases."] if able else [])]


def _order_words(duel: DuelCalibration) -> str:
    """Return sentences on the position bias in duels, and whether it exceeds the spread over pairs."""
    place = "first" if duel.mean_bias >= 0 else "second"
    text = (
        f"Of two equally funny jokes it would name the {place} one in {100 * sigmoid(abs(duel.mean_bias)):.0f} of 100 "
        f"duels (mean position bias {abs(duel.mean_bias):.2f} in log-odds)."
    )
    if abs(duel.mean_bias) > duel.sd_pair:
        text += (
            f" That is more than the spread of its answers over pairs ({duel.sd_pair:.2f}), so asked in both orders it "
            "mostly names the same place. Both orders are always asked, and the bias is taken out."
        )
    return text
