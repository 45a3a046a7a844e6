"""Sentences on what was learned: a user's taste, a head fitted to people, and what a model learned
here; the same for the window and the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.statistics import Fraction, sigmoid
from ..core.texts import listed
from ..core.verdict_kinds import VoteScore
from .taste import FEWEST, Taste

if TYPE_CHECKING:
    from .fitting import HeadRemoved, HeadReport
    from .teacher import Learned

_FEWEST_DUELS = 5
_SHIPPED = "the one that comes with the program"


def about(vote_score: VoteScore | None, taste: Taste) -> tuple[str, str] | None:
    """Return the user's own line beside a verdict: the estimate, and its interval with the number of votes. None where
    there is no estimate."""
    expected = taste.estimate(vote_score)
    if expected is None or vote_score is None:
        return None
    source = f"from {_votes(taste.votes)}"
    if vote_score.centred and expected[0] == 0:
        return "Your taste: neither", f", {source}."
    turned = vote_score.centred and expected[0] < 0
    low, p, high = sorted(1.0 - sigmoid(end) if turned else sigmoid(end) for end in expected)
    which = f"{percent(p)} % for a thumb up" if not vote_score.centred else f"{'B' if turned else 'A'}, {percent(p)} %"
    return f"Your taste: {which}", f" (95 %: {percent(low)} to {percent(high)}), {source}."


def progress(taste: Taste, others: int = 0) -> str:
    """Return a sentence on the number of votes so far; ``others``: votes on other models' verdicts, which don't count
    here."""
    if taste.votes == 0 and others == 0:
        return f"No votes yet. After {FEWEST} votes JokeJudge learns your taste."
    more = f" ({others} more on verdicts of other models)" if others else ""
    votes = f"{_votes(taste.votes)}{more}"
    if not taste.fitted:
        return f"{votes}. After {FEWEST} votes JokeJudge learns your taste."
    if not taste.kept:
        return (
            f"{votes}. Your taste is not shown yet: tried on votes that were left out, it does no better "
            "than a coin or the taste of most people."
        )
    return f"{votes}. Your taste also fits votes that it was not learned from."


def agreement(taste: Taste) -> str:
    """Return a sentence on the agreement of the user and the judge in duels; empty where they are too few to tell."""
    whole, blind = taste.agreement, taste.blind_agreement
    if whole.n < _FEWEST_DUELS:
        return ""
    sentence = f"You agree with the judge in {_fraction(whole, 'duel')}."
    if blind.n == whole.n:
        return sentence
    if blind.n == 0:
        return f"{sentence} You had seen its verdict by then, which makes agreeing likelier."
    return f"{sentence} In those you voted on before you saw its verdict, in {_fraction(blind)}."


def percent(p: float) -> int:
    """Return whole percent, 1…99: 0 and 100 are never claimed."""
    return min(99, max(1, round(100 * p)))


def _fraction(part: Fraction, noun: str = "") -> str:
    named = f" {noun}{'' if part.n == 1 else 's'}" if noun else ""
    return f"{part.right:.0f} of {part.n}{named} (95 %: {100 * (part.low or 0):.0f} to {100 * (part.high or 0):.0f} %)"


def _votes(count: int) -> str:
    return "1 vote" if count == 1 else f"{count:,} votes"


# -- a head fitted to people


def fitted(report: HeadReport) -> tuple[str, ...]:
    """Return the result of a fit: the figures, the reason, and the head in use now."""
    rivals = [("length alone is right in", report.length), ("wording alone in", report.wording)]
    if report.shipped is not None:
        rivals.append(("the estimate that comes with the program in", report.shipped))
    figures = [report.head.share, *(rival.share for _, rival in rivals)]
    # Figures that look alike as whole numbers get a decimal.
    digits = 1 if any(f"{100 * f:.0f}" == f"{100 * figures[0]:.0f}" for f in figures[1:]) else 0

    def cents(share: float) -> str:
        return f"{100 * share:.{digits}f}"

    beside = ", ".join(f"{words} {cents(rival.share)}" for words, rival in rivals)
    measured = (
        f"{'Kept' if report.kept else 'Not kept'}: fitted on votes on {report.texts:,} texts, the estimate agrees "
        f"with people in {cents(report.head.share)} of 100 pairs that were held out ({cents(report.head.low)} to "
        f"{cents(report.head.high)}); {beside}, a coin in 50."
    )
    name = report.model.name
    if report.kept:
        return measured, f"Verdicts with {name} use it from now on."
    rival_names = report.unbeaten or ("chance",)
    why = f"It doesn't beat {listed(rival_names, 'or')}, so it would add nothing that can be relied on."
    if report.shipped is not None and report.head.share <= report.shipped.share:
        why += " (The program's own may have been fitted on some of these votes, which flatters it.)"
    now = {
        "none": "goes on without an audience estimate",
        "shipped": "keeps the estimate that comes with the program",
        "own": "keeps the one that was fitted before",
    }[report.in_use]
    return measured, why, f"Nothing was changed: {name} {now}."


def removed(event: HeadRemoved) -> str:
    """Return a sentence on a head that was deleted, or that wasn't there."""
    gone = "The estimate fitted on this computer is deleted."
    did = gone if event.removed else "No estimate was fitted on this computer."
    now = f"uses {_SHIPPED}" if event.in_use == "shipped" else "has no audience estimate"
    return f"{did} {event.model.name} {now}."


# -- what a model learned here


def in_words(event: Learned) -> str:
    """Return the result in a sentence or two."""
    card, figures = event.card, event.card.get("figures", {})
    match event.part:
        case "editor":
            return (
                f"It reads jokes now: learned from {card['readings']:,} texts that an editor read, scores agree with "
                f"the editor's at r {figures['factors']:.2f}, {figures['factors_shown']} of 16 factors are worth "
                f"showing, and the likeliest kind is right in {100 * figures['kinds_first']:.0f} of 100 jokes."
            )
        case "drafts":
            right = 100 * figures["edited"]["share"]
            return f"It compares drafts now: of two drafts of one joke it prefers the editor's in {right:.0f} of 100."
        case "sense":
            low, high = figures["right_interval"]
            end = "Verdicts use it." if event.kept else "That is too near to chance: it isn't kept."
            return (
                f"Of a joke and what only looks like one it prefers the joke in {100 * figures['right']:.0f} of 100 "
                f"({100 * low:.0f} to {100 * high:.0f}; by writers that it hadn't learned from). {end}"
            )
    begin = f"Asked about {card['texts']} texts that an editor read,"
    if not card["asked"]:
        return f"{begin} the model's answers add too little to what is read off its states: nothing is asked."
    cost = f": {card['tokens']:,} tokens more a verdict." if card["tokens"] else ". To ask everything: --ask all"
    return f"{begin} the model's answers have worth beside what is read for {card['asked']} items{cost}"
