"""Sentences on what was learned: a user's taste and own chances, and what a model learned here; the same for the window
and the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.statistics import Fraction, sigmoid
from ..core.verdict_kinds import VoteScore
from .taste import FEWEST, Taste

if TYPE_CHECKING:
    from .learner import Learned

_FEWEST_DUELS = 5


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
    assert part.low is not None
    assert part.high is not None
    return f"{part.right:.0f} of {part.n}{named} (95 %: {100 * part.low:.0f} to {100 * part.high:.0f} %)"


def _votes(count: int) -> str:
    return "1 vote" if count == 1 else f"{count:,} votes"


def in_words(event: Learned) -> str:
    """Return the result in a sentence or two."""
    from .drafts_fit import DraftsFitted  # here, since a verdict's line on the user's taste needs no lesson
    from .editor_lesson import EditorFitted
    from .sense_lesson import SenseFitted

    match event:
        case EditorFitted():
            figures, count = event.card.figures, event.card.readings
            return (
                f"It reads jokes now: learned from {count:,} texts that an editor read, scores agree with the editor's "
                f"at r {figures.factors:.2f}, {figures.factors_shown} of 16 factors are worth showing, and the "
                f"likeliest kind is right in {100 * figures.kinds_first:.0f} of 100 jokes."
            )
        case DraftsFitted():
            right = 100 * event.figures.agreement
            return f"It compares drafts now: of two drafts of one joke it prefers the editor's in {right:.0f} of 100."
        case SenseFitted():
            low, high = event.figures.right_interval
            end = "Verdicts use it." if event.kept else "That is too near to chance: it isn't kept."
            return (
                f"Of a joke and what only looks like one it prefers the joke in {100 * event.figures.right:.0f} of 100 "
                f"({100 * low:.0f} to {100 * high:.0f}; by writers that it hadn't learned from). {end}"
            )
    plan = event.plan
    asked = sum(item.ask for item in plan.items)
    begin = f"Asked about {plan.texts} texts that an editor read,"
    if not asked:
        return f"{begin} the model's answers add too little to what is read off its states: nothing is asked."
    return f"{begin} the model's answers are worth it for {asked} items: {plan.tokens:,} tokens more a verdict."
