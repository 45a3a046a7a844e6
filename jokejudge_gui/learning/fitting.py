"""Fit to people: reads the texts that people voted on with the model, fits an audience head, and keeps it only if it
beats its rivals on held-out votes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..core.errors import InputError, ModelError
from ..core.events import Event, Stage, StageStarted
from ..core.files import remove
from ..core.statistics import Vector, wilson
from ..core.verdicts import Frozen, ModelRef
from ..core.vote_sets import VoteSet
from ..engine.base import CancelToken, Engine, Scan
from ..heads.audience import AudienceHead, pool
from ..heads.files import FORMAT
from .audience_fit import Ballot, Pairs, by_length, cross_validated, final_map, gather, standardised, wording_view
from .figures import FOLDS, hits, pair_calibration_error
from .teacher import read_each, read_texts, save_head, today
from .wording import Matrix

VERSION = "own 1"
SHIPPED = "the estimate that comes with the program"
OWN_KIND = "votes"
"""The kind of text in the figures of a head's card."""
LEAST_TEXTS, LEAST_ROWS = 60, 20
"""Least number of texts, and of effective pairs; with fewer nothing can be concluded: an interval over 20 rows is as
wide as .42."""
InUse = Literal["none", "shipped", "own"]
"""The head that a model's verdicts use."""


class HeldOut(Frozen):
    """A share 0…1 of held-out ``pairs`` that are ordered as by people (½ for no preference), with Wilson's 95 %
    interval over the effective number of independent pairs, ``rows`` (``Pairs.rows``)."""

    share: float
    low: float
    high: float
    pairs: int
    rows: int

    @classmethod
    def of(cls, differences: Vector, pairs: Pairs) -> HeldOut:
        """Return the share of positive differences, winner less loser; ½, 0 to 1, where there are no pairs."""
        rows = int(pairs.rows + 1e-9)
        share = math.fsum(pairs.weight * hits(differences)) / math.fsum(pairs.weight) if len(differences) else 0.5
        low, high = wilson(share * rows, rows)
        return cls(share=share, low=low, high=high, pairs=len(differences), rows=rows)


class HeadReport(Event):
    """A head was fitted, kept or not: it and its rivals on the same held-out pairs, every text counted alike;
    ``shipped``: the head that comes with the program. ``log_loss`` in nats; ``left_out``: number of texts that weren't
    read (too many, or too long for the model). ``in_use``: the head that the model's verdicts use after this."""

    model: ModelRef
    data: dict[str, str]
    texts: int
    left_out: int
    head: HeldOut
    length: HeldOut
    wording: HeldOut
    shipped: HeldOut | None = None
    log_loss: float
    ece: float
    strength: float
    kept: bool
    in_use: InUse

    @property
    def unbeaten(self) -> tuple[str, ...]:
        """The rivals that the head doesn't beat, in words; empty: it is kept. It must be right in more of the held-out
        pairs than length alone, than a ridge over wording and length, and than the shipped head if there is one; and
        its whole interval must be above the ½ of chance."""
        rivals = (
            ("chance", 0.5, self.head.low),
            ("length alone", self.length.share, self.head.share),
            ("wording alone", self.wording.share, self.head.share),
            (SHIPPED, self.shipped.share if self.shipped else -1.0, self.head.share),
        )
        return tuple(name for name, rival, own in rivals if own <= rival)

    def card(self, features: int) -> dict[str, Any]:
        """Return the head's card, in the format of those in models/cards. ``features``: number of features of a
        text."""
        columns = {"head": self.head, "longer": self.length, "n-grams and length": self.wording}
        columns |= {"shipped head": self.shipped} if self.shipped is not None else {}
        triples = {name: [round(end, 3) for end in (one.share, one.low, one.high)] for name, one in columns.items()}
        figures = {
            "training_texts": self.texts,
            "test_pairs": {"all": self.head.pairs},
            "agreement": {name: {"all": triple} for name, triple in triples.items()},
            "ece": round(self.ece, 3),
            "log_loss": round(self.log_loss, 3),
        }
        return {
            "model": {"name": self.model.name, "sha256": self.model.sha256},
            "version": VERSION,
            "agreement": triples["head"][0],
            "one_person": None,
            "date": today(),
            "command": "jokejudge models fit",
            "features": "final hidden states of the bare text (after BOS where the model wants one): means of the "
            f"halves and of the last four tokens, the last token; three lengths; {features} in all, ridge of strength "
            f"{self.strength:g}",
            "split": "cross-validation over five folds of texts, dealt by their letters; strength and scale of what a "
            "fold is measured with were chosen on pairs of the other folds; no pair has a text that was learned from",
            "data": self.data,
            "kinds": ["people"],
            "figures": {OWN_KIND: figures},
            "intervals": "95 %, Wilson's, over as many rows as if no text stood in two pairs; a shipped head may have "
            "been fitted on some of these votes, which flatters it",
            "fitted_on": "all texts, by the recipe that the figures are of",
        }


class HeadRemoved(Event):
    """``removed``: there was a head fitted on this machine; ``in_use``: the head that the model's verdicts use now."""

    model: ModelRef
    removed: bool
    in_use: InUse


@dataclass(frozen=True)
class HeadFiles:
    """The files of models' heads. ``own`` and ``cards``: the user's folders of heads and their cards; ``shipped``: the
    program's heads."""

    own: Path
    cards: Path
    shipped: Path

    def load(self, sha256: str) -> AudienceHead | None:
        """Return the head that a model's verdicts use: the user's own if there is one, with the shipped one's estimate
        of whether a text is a joke; else the shipped one. Raises ``ModelError``."""
        own, shipped = AudienceHead.find(sha256, self.own), None
        try:
            shipped = AudienceHead.find(sha256, self.shipped)
        except ModelError:
            if own is None:  # an own head works without it, as when it was fitted
                raise
        return own.with_joke_of(shipped) if own is not None and shipped is not None else own or shipped

    def has_own(self, sha256: str) -> bool:
        return (self.own / f"{sha256[:16]}.npz").is_file()

    def in_use(self, sha256: str) -> InUse:
        if self.has_own(sha256):
            return "own"
        return "shipped" if (self.shipped / f"{sha256[:16]}.npz").is_file() else "none"

    def remove(self, sha256: str) -> bool:
        """Delete the user's own head and its card; False if there is none. Raises ``SettingsError``."""
        there = self.has_own(sha256)
        remove(self.own / f"{sha256[:16]}.npz")
        remove(self.cards / f"{sha256[:16]}.json")
        return there


def fit_head(
    engine: Engine, sets: Sequence[VoteSet], files: HeadFiles, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Read, fit, measure, and keep or not (``HeadReport.unbeaten``, in cross-validation); the last event is
    ``HeadReport``. A head that is kept replaces the user's own one of this model; where none is kept, and when stopped,
    nothing is written.

    Raises ``InputError`` ``E_FIT_FEW``, ``Cancelled``, ``SettingsError`` when it can't be written, and what the engine
    raises, except that a text too long for the model is left out."""
    token, info = cancel or CancelToken(), engine.info
    ballot = gather(sets)
    _enough(ballot)
    yield StageStarted(stage=Stage.FITTING, total=len(ballot.texts))

    def read(texts: Sequence[str], token: CancelToken) -> Sequence[Scan | None]:
        return read_each(engine.scan_together, texts, token)

    rows = yield from read_texts(ballot.texts, read, _row, "reading texts that people voted on", token)
    row_of = {text: row for text, row in zip(ballot.texts, rows, strict=True) if row is not None}
    ballot = gather(sets, ballot.left_out.union(text for text in ballot.texts if text not in row_of))
    pairs = _enough(ballot)
    values = np.stack([row_of[text] for text in ballot.texts])
    measured = yield from cross_validated(lambda inside: standardised(values, inside)[0], ballot, 0, token)
    wording = yield from cross_validated(wording_view(ballot.texts), ballot, FOLDS, token)
    columns = {"head": measured.differences, "length": by_length(ballot), "wording": wording.differences}
    if (shipped := AudienceHead.find(info.sha256, files.shipped)) is not None:
        both = zip(values, ballot.texts, strict=True)
        features = [shipped.features_of(row.astype(float), text) for row, text in both]
        columns["shipped"] = np.array(
            [shipped.difference(features[a], features[b]) for a, b in zip(pairs.first, pairs.second, strict=True)]
        )
    report = HeadReport(
        model=ModelRef(name=info.name, sha256=info.sha256),
        data={votes.name: votes.credit for votes in sets},
        texts=len(ballot.texts),
        left_out=len(ballot.left_out),
        log_loss=float(pairs.weight @ np.logaddexp(0.0, -measured.differences) / pairs.weight.sum()),
        ece=pair_calibration_error(measured.differences),
        strength=measured.strength,
        kept=False,
        in_use=files.in_use(info.sha256),
        **{name: HeldOut.of(gaps, pairs) for name, gaps in columns.items()},
    )
    token.check()
    if measured.slope > 0 and not report.unbeaten:
        report = report.replaced(kept=True, in_use="own")
        arrays = final_map(values, ballot, measured)
        card = report.card(len(arrays["centre"]))
        meta = {name: card[name] for name in ("kinds", "version", "agreement")}
        meta |= {"format": FORMAT, "model_sha256": info.sha256, "one_person": 0.0}
        write = partial(AudienceHead.write, meta=meta, arrays=arrays)
        save_head(files.own, files.cards, info.sha256, write, card)
    yield report


def _enough(ballot: Ballot) -> Pairs:
    """Return the held-out pairs. Raises ``InputError`` ``E_FIT_FEW`` for too few texts or pairs."""
    texts, pairs = len(ballot.texts), ballot.held_out()
    if texts < LEAST_TEXTS or pairs.rows < LEAST_ROWS:
        raise InputError(
            "E_FIT_FEW",
            f"There are votes on {texts:,} texts, worth {int(pairs.rows):,} independent pairs: too few to fit "
            "an estimate and to tell whether it is any good.",
            f"It takes at least {LEAST_TEXTS} texts and {LEAST_ROWS} pairs; fit with the votes that come with the "
            "program, or collect more of your own.",
        )
    return pairs


def _row(text: str, scan: Scan) -> Matrix | None:
    row = pool(scan.states, text).astype(np.float32)
    return row if np.isfinite(row).all() else None
