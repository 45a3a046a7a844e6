"""What a model can't tell and with which words it is asked, in sentences: read from its calibration."""

from __future__ import annotations

from ..judging.plan.calibration_types import LEAST_POWER, Calibration, CheckCalibration, DuelCalibration
from ..judging.plan.verbalisers import AnswerWords, Measured
from ..judging.rating.admissibility_checker import INTENT, has_power, head_goes_first
from ..statistics import Z95, sigmoid
from .card import JokeOrNot, TrustCard
from .words import listed

_ASKS = {
    "intent": "whether a text is meant to amuse",
    "completeness": "whether it is finished",
    "appropriateness": "whether it calls for harm",
    "coherence": "whether its words make sense together",
    "accessibility": "whether most people can follow it",
}
_SEPARATES = 0.4
_NO_BETTER = "no other form proved better"


def check_words(checks: dict[str, CheckCalibration]) -> list[str]:
    """What the admissibility checks can tell, by their distance d′ between clear cases (under 1: no power)."""
    groups: dict[str, list[str]] = {"none": [], "blunt": [], "weak": [], "fair": []}
    for name, check in checks.items():
        d = check.d_prime
        asks = _ASKS.get(name, name)
        power = "weak" if d < 2 else "fair"
        groups["none" if d < LEAST_POWER else power if has_power(check) else "blunt"].append(
            f"{asks} (d′\u00a0{d:.1f})"
        )
    found = []
    if groups["none"]:
        every = " Such a check admits everything."
        if len(groups["none"]) == len(checks):
            every = " None of its checks has power: by its own answers it would admit nearly everything."
        found.append(f"It can't tell {listed(groups['none'], 'or')}.{every}")
    if groups["blunt"]:
        found.append(
            f"Of clear cases it can tell {listed(groups['blunt'])}; but its answers about jokes that people liked "
            "vary so much that nothing is rejected for it."
        )
    if groups["weak"]:
        found.append(f"It can hardly tell {listed(groups['weak'], 'or')}; most of what should fail still passes.")
    if groups["fair"]:
        found.append(f"It can tell {listed(groups['fair'])} in clear cases.")
    return found


def factor_words(calibration: Calibration) -> str:
    """On how many factors it tells jokes apart; empty where that wasn't measured."""
    total = len(calibration.scores)
    blind = sum(score.sd_expected < _SEPARATES for score in calibration.scores.values())
    if not total:
        return ""
    if not blind:
        return f"It tells jokes apart on all {total} factors."
    which = f"any of the {total} factors" if blind == total else f"{blind} of the {total} factors"
    return f"It hardly tells jokes apart on {which}: it gives nearly every joke the same score there."


def order_words(duel: DuelCalibration) -> str:
    """Its lean towards one place in a duel, and whether that outweighs the jokes themselves."""
    place = "first" if duel.mean_bias >= 0 else "second"
    p = sigmoid(abs(duel.mean_bias))
    text = (
        f"Of two equally funny jokes it would name the {place} one in {100 * p:.0f} of 100 duels (mean position bias "
        f"{abs(duel.mean_bias):.2f} in log-odds)."
    )
    if abs(duel.mean_bias) > duel.sd_pair:
        text += (
            f" That is more than what sets its answers on different pairs apart ({duel.sd_pair:.2f}), so asked both "
            "ways it mostly names the same place. Both orders are always asked, and the lean is taken out."
        )
    return text


def joke_words(joke: JokeOrNot) -> str:
    """What the audience head does for the check that the model can't answer."""
    return (
        f"{_ASKS[INTENT].capitalize()} is read off the audience estimate instead (d′\u00a0{joke.d_prime:.1f}): of "
        f"texts that it hadn't seen it rejects {100 * joke.plain:.0f} in 100 that aren't meant as jokes, and at most "
        f"{100 * joke.jokes:.1f} in 100 that are."
    )


def habit_words(calibration: Calibration | None, card: TrustCard | None = None) -> list[str]:
    """Everything that was measured of the model's own habits, a sentence or two each."""
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


def asked_words(calibration: Calibration | None) -> list[str]:
    """With which answer words the model is asked and what they are worth, two sentences each; empty where nothing was
    chosen between."""
    found = []
    if calibration is not None and (words := calibration.alone_words) is not None:
        found.append(
            f"Whether a joke alone is funny is asked with {_chosen(words, 'rated jokes')} On jokes that they weren't "
            f"chosen on, the best forms order {_interval(words.apart, 100, 0)} of 100 pairs rightly, "
            f"“{words.forms[0].form}” {100 * words.default.value:.0f} and a coin 50."
        )
    if calibration is not None and (words := calibration.check_words) is not None:
        found.append(
            f"The checks are asked with {_chosen(words, 'clear cases')} On cases that they weren't chosen on, the best "
            f"forms reach a mean d′ of {_interval(words.apart, 1, 1)}, “{words.forms[0].form}” "
            f"{words.default.value:.1f}.".replace("-", "−")
        )
    return found


def _chosen(words: AnswerWords, texts: str) -> str:
    tried = f"{len(words.forms)} forms tried on {words.texts} {texts}"
    return (
        f"“{words.form}”, the best of {tried}." if words.changed else f"“{words.form}”: of {tried}, none proved better."
    )


def _interval(measured: Measured, times: int, digits: int) -> str:
    """A figure with its 95 % interval; a share in hundredths stays between 0 and 100."""
    low, high = (measured.value + sign * Z95 * measured.error for sign in (-1, 1))
    if times == 100:
        low, high = max(low, 0.0), min(high, 1.0)
    # −0.0 would print as a sign where there is none.
    value, low, high = (round(times * figure, digits) + 0.0 for figure in (measured.value, low, high))
    return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def asked_line(calibration: Calibration) -> str:
    """The same in one line; empty where nothing was chosen between."""
    parts = []
    for what, words, power in (
        ("jokes alone", calibration.alone_words, "{:.0%} of pairs right"),
        ("checks", calibration.check_words, "mean d′ {:.1f}"),
    ):
        if words is not None:
            default = f"“{words.forms[0].form}” {power.format(words.default.value)}"
            worth = f"{power.format(words.apart.value)} on texts kept apart, {default}"
            parts.append(
                f"{what}: “{words.form}” of {len(words.forms)} forms ({worth if words.changed else _NO_BETTER})"
            )
    return "; ".join(parts)
