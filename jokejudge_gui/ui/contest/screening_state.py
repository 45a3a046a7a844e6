"""What the screening page knows: limits, votes and own scores of one list, and what comes of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime

from ...batch.screening import OwnScores, joined, of_list, to_score
from ...core.errors import InputError
from ...judge.contest.screening import ENOUGH_VOTES, Screened, Screening, kept_screening, proposed, screen, strictness
from ...judge.contest.types import Ballot, ContestResult, ListScreening, OwnScale, RankedEntry, Thresholds, digest_of


class ScreeningState:
    """The screening of ``result``. ``kept``: as it was left; ``own_chances``: whether the user's own scores are used
    where they hold out. ``found``: what comes of it, None where nothing is known of the list's chances (``error``
    says why)."""

    def __init__(self, result: ContestResult, kept: ListScreening | None) -> None:
        self.result = result
        self.texts = {entry.id: entry.text for entry in result.entries}
        kept = kept or ListScreening()
        self.thresholds: Thresholds = kept.thresholds
        self.length_penalty = kept.length_penalty
        self.ballots: list[Ballot] = of_list(kept.ballots, self.texts)
        self.scores = OwnScores()
        self.own_chances = True
        self.more = False
        self.found: Screening | None = None
        self.error: InputError | None = None
        self.strict = ""
        self._scale: OwnScale | None = None
        self._turn = 0

    @property
    def scale(self) -> OwnScale | None:
        """What the user's own scores say of chances, used or not."""
        return self._scale

    @property
    def own(self) -> OwnScale | None:
        """The scale that chances are on; None: most people's."""
        scale = self._scale
        return scale if self.own_chances and scale is not None and scale.kept else None

    def set_scores(self, scores: OwnScores) -> None:
        """The user's own scores for the model of this list."""
        self.scores, self._scale = scores, scores.scale()

    def compute(self) -> Screening | None:
        """Screen the list anew, without keeping the outcome. May take a moment for a very long list."""
        return screen(
            self.result,
            self.thresholds,
            length_penalty=self.length_penalty,
            own=self.own,
            ballots=self.ballots,
            now=datetime.now(UTC),
            more=self.more,
        )

    def refresh(self) -> None:
        """Screen the list anew."""
        try:
            self.take(self.compute())
        except InputError as error:
            self.found, self.error = None, error

    def take(self, found: Screening | None) -> None:
        """What ``compute`` gave."""
        self.found, self.error = found, None
        self.strict = strictness(self.result, self.thresholds, self.own)

    def kept(self) -> ListScreening | None:
        """What is to be kept with the contest."""
        if self.found is None:
            return None
        return kept_screening(self.found, length_penalty=self.length_penalty, ballots=self.ballots)

    # Limits

    def propose(self) -> bool:
        """Take the limits that the list justifies; False where there are none."""
        limits = proposed(self.result, length_penalty=self.length_penalty, own=self.own)
        if limits is not None:
            self.thresholds = limits
        return limits is not None

    # Votes

    def ballot_order(self) -> list[Screened]:
        """Those to be voted on, in an order drawn anew for each vote."""
        shown = sorted(self.found.shown, key=lambda entry: entry.id) if self.found is not None else []
        random.Random(f"{self.result.seed}/{self.result.id}/{len(self.ballots)}/{self._turn}").shuffle(shown)
        return shown

    def vote(self, choice: str, voter: str) -> None:
        """Keep a vote for one of those shown."""
        assert self.found is not None
        among = tuple(entry.id for entry in self.found.shown)
        digest = digest_of([self.texts[id] for id in among])
        self.ballots.append(
            Ballot(choice=choice, among=among, when=datetime.now(UTC), voter=voter.strip(), texts=digest)
        )
        self.more = False

    def skip(self) -> None:
        """Show the same jokes in another order, without a vote."""
        self._turn += 1

    def undo_vote(self) -> bool:
        """Take the last vote back; False where there is none."""
        if not self.ballots:
            return False
        self.ballots.pop()
        return True

    def add_ballots(self, ballots: Sequence[Ballot]) -> int:
        """Take over votes of elsewhere that were given on this list; how many are new."""
        before = len(self.ballots)
        self.ballots = of_list(joined(self.ballots, ballots), self.texts)
        return len(self.ballots) - before

    def votes_words(self) -> str:
        """How far the vote has come."""
        found = self.found
        if found is None or not self.ballots:
            return ""
        votes = "1 vote" if found.votes == 1 else f"{found.votes} votes"
        if found.decided:
            return ""
        if found.votes == 0:
            return "No votes on these yet."
        return f"{votes} so far; decided at {ENOUGH_VOTES}, or five days after the first."

    # Own scores

    def to_score(self) -> list[RankedEntry]:
        """Jokes to be scored, in random order."""
        return to_score(self.result)


def reason_words(entry: Screened, limits: Thresholds) -> str:
    """Why a joke is rejected, shown, waits or is promoted."""
    by_reason = {
        "version": "a better version is in the list",
        "stock": "in a well-known form",
        "joke": "no joke",
        "length": "falls under the limit for its length",
    }
    if entry.reason in by_reason:
        return by_reason[entry.reason]
    if entry.reason == "vote":
        return "won the vote" if entry.decision == "promote" else "another one won the vote"
    if entry.p is None:
        return "nothing is known of texts of its kind"
    if entry.decision == "promote":
        return f"the only high one, over {limits.promote:.2f}"
    if entry.p < limits.reject:
        return f"under {limits.reject:.2f}" if entry.decision == "reject" else "the best, though none passes"
    return f"high: {limits.high:.2f} or more" if entry.p >= limits.high else f"good enough: {limits.reject:.2f} or more"
