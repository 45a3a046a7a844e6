"""What fitting a head came to: figures on held-out votes, whether it was kept, why, and its card."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from ..events import Event
from ..statistics import Vector, bins, expected_calibration_error, wilson
from ..verdicts import Frozen, ModelRef
from .pair_data import Pairs

VERSION = "own 1"
COIN = 0.5
_SHIPPED = "the estimate that comes with the program"
_TENTHS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))

InUse = Literal["none", "shipped", "own"]
"""Which head a model's verdicts use."""


class HeldOut(Frozen):
    """A share 0…1 of held-out ``pairs`` that are ordered as people did (halves for no preference), with Wilson's 95 %
    interval over the independent ``rows`` that the pairs are worth (``Pairs.rows``)."""

    share: float
    low: float
    high: float
    pairs: int
    rows: int

    @property
    def triple(self) -> list[float]:
        return [round(self.share, 3), round(self.low, 3), round(self.high, 3)]


class AgainstRivals(Frozen):
    """A head beside what it must beat on the same pairs; ``shipped``: the head that comes with the program."""

    head: HeldOut
    length: HeldOut
    wording: HeldOut
    shipped: HeldOut | None

    @property
    def unbeaten(self) -> tuple[str, ...]:
        """What the head doesn't beat, in words; empty: it is worth keeping. It must be right in more of the held-out
        pairs than length alone, than a ridge over wording and length, and than the shipped head if there is
        one; and its interval must lie above a coin's ½ altogether."""
        rivals = (
            ("chance", COIN, self.head.low),
            ("length alone", self.length.share, self.head.share),
            ("wording alone", self.wording.share, self.head.share),
            (_SHIPPED, self.shipped.share if self.shipped else -1.0, self.head.share),
        )
        return tuple(name for name, rival, own in rivals if own <= rival)


class SetReport(AgainstRivals):
    """One set's figures. ``ece`` 0…1, ``log_loss`` in nats."""

    name: str
    credit: str
    texts: int
    ece: float
    log_loss: float


class HeadReport(AgainstRivals):
    """A fitted head over all sets, every text counted alike. ``left_out``: texts that weren't read (too many, or too
    long for the model). ``one_person``: share of voters who agree with most of the others; None where single votes
    aren't known. ``in_use``: which head the model's verdicts use after this."""

    model: ModelRef
    texts: int
    left_out: int
    one_person: float | None
    log_loss: float
    strength: float
    sets: tuple[SetReport, ...]
    kept: bool
    in_use: InUse

    @property
    def sentences(self) -> tuple[str, ...]:
        """The outcome for people: what was measured, what follows, what is in use now."""
        rivals = [("length alone is right in", self.length), ("wording alone in", self.wording)]
        if self.shipped is not None:
            rivals.append((f"{_SHIPPED} in", self.shipped))
        figures = [self.head.share, *(rival.share for _, rival in rivals)]
        # Where whole numbers would look alike, they'd hide why.
        digits = 1 if any(f"{100 * f:.0f}" == f"{100 * figures[0]:.0f}" for f in figures[1:]) else 0

        def cents(share: float) -> str:
            return f"{100 * share:.{digits}f}"

        beside = ", ".join(f"{words} {cents(rival.share)}" for words, rival in rivals)
        measured = (
            f"{'Kept' if self.kept else 'Not kept'}: fitted on votes on {self.texts:,} texts, the estimate agrees "
            f"with people in {cents(self.head.share)} of 100 pairs that were held out ({cents(self.head.low)} to "
            f"{cents(self.head.high)}); {beside}, a coin in 50."
        )
        name = self.model.name
        if self.kept:
            return measured, f"Verdicts with {name} use it from now on."
        why = f"It doesn't beat {_listed(self.unbeaten or ('chance',))}, so it would add nothing that can be relied on."
        if _SHIPPED in self.unbeaten:
            why += " (The program's own may have been fitted on some of these votes, which flatters it.)"
        now = {
            "none": f"Nothing was changed: {name} goes on without an audience estimate.",
            "shipped": f"Nothing was changed: {name} keeps the estimate that comes with the program.",
            "own": f"Nothing was changed: {name} keeps the one that was fitted before.",
        }[self.in_use]
        return measured, why, now

    def card(self, date: str, features: int) -> dict[str, Any]:
        """The head's card, in the shape of those in models/cards. ``features``: of a text."""
        return {
            "model": {"name": self.model.name, "sha256": self.model.sha256},
            "version": VERSION,
            "agreement": round(self.head.share, 3),
            "one_person": None if self.one_person is None else round(self.one_person, 3),
            "one_person_note": "share of voters who agree with most of the others on their pair; null (0 in the "
            "head): the votes only give means or winners, so it can't be computed",
            "date": date,
            "command": "jokejudge models fit",
            "features": "final hidden states of the bare text (after BOS where the model wants one): means of the "
            "first half, of the second half "
            f"and of the last four tokens, the last token; three lengths; {features} in all, ridge of strength "
            f"{self.strength:g}",
            "split": "nested cross-validation over five folds of texts, dealt by their letters; strength and scale of "
            "what a fold is measured with were chosen on the other folds; no pair has a text that was learned from",
            "data": {part.name: part.credit for part in self.sets},
            "kinds": ["people"],
            "figures": {part.name: _figures(part) for part in self.sets},
            "macro_agreement": round(math.fsum(part.head.share for part in self.sets) / len(self.sets), 3),
            "log_loss": round(self.log_loss, 3),
            "must_beat": {
                "chance": COIN,
                "length": self.length.triple,
                "n-grams and length": self.wording.triple,
                "shipped head": None if self.shipped is None else self.shipped.triple,
            },
            "intervals": "95 %, Wilson's, over as many rows as if no text stood in two pairs; a shipped head may have "
            "been fitted on some of these votes, which flatters it",
            "fitted_on": "all texts, by the recipe that the figures are of",
        }


class HeadFitted(Event):
    """A head was fitted and measured; kept or not."""

    report: HeadReport


class HeadRemoved(Event):
    """``removed``: there was a head fitted on this machine; ``in_use``: what the model's verdicts use now."""

    model: ModelRef
    removed: bool
    in_use: InUse

    @property
    def sentence(self) -> str:
        name = self.model.name
        did = (
            "The estimate fitted on this computer is deleted."
            if self.removed
            else "No estimate was fitted on this computer."
        )
        if self.in_use == "shipped":
            return f"{did} {name} uses the one that comes with the program."
        return f"{did} {name} has no audience estimate."


def _listed(words: tuple[str, ...]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def hits(differences: Vector) -> Vector:
    """1 for a winner put first, ½ for no preference, 0 otherwise."""
    return 0.5 + 0.5 * np.sign(differences)


def share_of(differences: Vector, pairs: Pairs) -> HeldOut:
    """How often differences, winner less loser, are positive; 0 to 1 where there are no pairs."""
    rows = int(pairs.rows + 1e-9)
    share = math.fsum(pairs.weight * hits(differences)) / math.fsum(pairs.weight) if len(pairs) else COIN
    low, high = wilson(share * rows, rows)
    return HeldOut(share=share, low=low, high=high, pairs=len(pairs), rows=rows)


def log_loss_of(differences: Vector, pairs: Pairs) -> float:
    """Mean log-loss in nats of stated log-odds (a coin's is .693)."""
    return float(pairs.weight @ np.logaddexp(0.0, -differences) / pairs.weight.sum())


def calibration_error(differences: Vector) -> float:
    """Expected calibration error of the stated winner's probability, in bins of 5 points."""
    sure = 1.0 / (1.0 + np.exp(-np.abs(differences)))
    return expected_calibration_error(bins(sure, hits(differences), _TENTHS)) or 0.0


def _figures(part: SetReport) -> dict[str, Any]:
    agreement = {"head": part.head, "longer": part.length, "n-grams and length": part.wording}
    if part.shipped is not None:
        agreement["shipped head"] = part.shipped
    return {
        "training_texts": part.texts,
        "test_pairs": {"all": part.head.pairs},
        "agreement": {name: {"all": share.triple} for name, share in agreement.items()},
        "ece": round(part.ece, 3),
        "log_loss": round(part.log_loss, 3),
    }
