"""What a user adds to a list of jokes: marks, stars and tags, the limits and votes of a screening, and the place where
the reading stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from ...core.errors import UsageError
from ...core.verdicts import Frozen


class Thresholds(Frozen):
    """Chances 0…1: rejected below ``reject``, high from ``high``, promoted without a vote from ``promote``. The
    defaults are the seeds' (llm_as_judge_research, pre-filtering)."""

    reject: float = 0.70
    high: float = 0.85
    promote: float = 0.90

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not 0.0 <= self.reject <= self.high <= self.promote <= 1.0:
            sentence = "The thresholds must lie between 0 and 1, reject below high below promote."
            raise UsageError("E_SCREEN_THRESHOLDS", sentence, "Without them they are 0.70, 0.85 and 0.90.")
        return self


class Ballot(Frozen):
    """One person's choice among jokes seen side by side, blind: ``choice`` (an id), ``among``: the ids of all,
    ``when``, and the ``voter``'s name if given. ``texts``: a digest of these jokes, so that a vote isn't counted for
    another list with the same ids."""

    choice: str
    among: tuple[str, ...]
    when: datetime
    voter: str = ""
    texts: str = ""


def digest_of(texts: Sequence[str]) -> str:
    """Return a digest of texts in any order, for use where the texts themselves aren't stored: 16 hex digits."""
    return hashlib.sha256("\0".join(sorted(texts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def belongs(ballot: Ballot, texts: Mapping[str, str]) -> bool:
    """Whether a vote was about jokes of this list (``texts`` by id)."""
    if any(id not in texts for id in (ballot.choice, *ballot.among)):
        return False
    return not ballot.texts or ballot.texts == digest_of([texts[id] for id in ballot.among])


class ListScreening(Frozen):
    """A list's screening and its outcome. ``promoted``: id of the joke that needs no vote, or that won its vote."""

    thresholds: Thresholds = Thresholds()
    ballots: tuple[Ballot, ...] = ()
    promoted: str | None = None


Decision = Literal["promote", "show", "wait", "reject"]
Reason = Literal["", "version", "stock", "joke", "vote"]


class Screened(Frozen):
    """A joke and its decision. ``p``: the chance, None if unknown for texts of its kind; ``reason``: what decided
    beside the chance (``version``: its better twin is in the list, ``stock``: it is widely told, ``joke``: no joke,
    ``vote``: people's vote). ``show``: to be voted on now, ``wait``: later."""

    id: str
    text: str
    p: float | None
    decision: Decision
    reason: Reason = ""


@dataclass(frozen=True)
class Screening:
    """``kept``: what is stored of it, with the votes on this list; its ``promoted`` joke needs no vote or has won its
    vote. ``fallback``: none passed, so the best is shown anyway. ``missed``: expected number of jokes rejected by their
    chance that people would find funnier than a typical one; ``wasted``: expected number of those that passed and
    aren't funnier. ``votes``: number of votes on the jokes shown, or in the last vote; ``ahead``: its leader;
    ``decided``: there are enough votes, or enough days have passed."""

    kept: ListScreening
    entries: tuple[Screened, ...]
    fallback: bool
    missed: float
    wasted: float
    votes: int
    ahead: str | None
    decided: bool

    @property
    def shown(self) -> tuple[Screened, ...]:
        """The jokes to be voted on now."""
        return tuple(entry for entry in self.entries if entry.decision == "show")

    def ballot(self, choice: str, when: datetime, voter: str = "") -> Ballot:
        """Return a vote for one of the jokes shown."""
        among, texts = tuple(row.id for row in self.shown), digest_of([row.text for row in self.shown])
        return Ballot(choice=choice, among=among, when=when, voter=voter, texts=texts)


class DeskState(Frozen):
    """The reader's position in a list. ``at``: id of the joke shown, empty where all are seen; ``cut``: number of jokes
    before the cut, None: the default; ``blind``: ranks are hidden until enough jokes have been kept or binned;
    ``kept``: ids of kept jokes in the user's order."""

    at: str = ""
    cut: int | None = Field(default=None, ge=0)
    blind: bool = False
    kept: tuple[str, ...] = ()


Mark = Literal["keep", "bin", "later"]


class EntryNote(NamedTuple):
    """The user's note on one entry. ``read``: shown long enough to count as seen; ``back``: put back into the list
    after being left out; ``chosen``: the one of its twins that stays."""

    mark: Mark | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    read: bool = False
    back: bool = False
    chosen: bool = False


NOTHING = EntryNote()
