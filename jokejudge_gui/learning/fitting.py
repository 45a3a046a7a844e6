"""Fit to people: reads the texts that people voted on with the model, fits an audience head, and keeps it only if it is
worth it on votes that it never saw."""

from __future__ import annotations

import datetime
import time
from collections.abc import Generator, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..engine.base import CancelToken, Engine, FloatArray
from ..errors import EngineError, InputError
from ..events import Event, Stage, StageFinished, StageProgress, StageStarted
from ..judging.reading.audience import AudienceHead, pool
from ..statistics import Vector
from ..verdicts import ModelRef
from ..vote_sets import VoteSet
from .fit_report import AgainstRivals, HeadFitted, HeadReport, SetReport, calibration_error, log_loss_of, share_of
from .head_files import HeadFiles
from .head_fit import FITS, Held, View, by_length, cross_validated, final_map, states_view, wording_view
from .pair_data import Ballot, Pairs, gather, pairs_of_votes
from .readable import TOO_MUCH
from .wording import Matrix

LEAST_TEXTS = 60
LEAST_ROWS = 20
"""With fewer votes nothing can be told: an interval over 20 rows is as wide as .42."""
_TOGETHER = 10
"""Texts read in one call: some 200 tokens fill a batch, and Stop and the progress bar don't wait for long."""


def fit_head(
    engine: Engine, sets: Sequence[VoteSet], files: HeadFiles, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Read, fit, measure, and keep or not; the last event is ``HeadFitted``.

    Kept is a head that in nested cross-validation is right in more pairs than "longer is funnier" (and than "shorter
    is", where the other folds say so), than a ridge over word and letter groups with the length, and than the model's
    shipped head if it has one, and whose Wilson interval lies above ½ (``AgainstRivals.unbeaten``). It replaces the
    user's own head of this model; where none is kept, and when stopped, nothing is written.

    Raises ``InputError`` ``E_FIT_FEW``, ``Cancelled``, ``SettingsError`` when it can't be written, and what the engine
    raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    ballot = gather(sets)
    _enough(len(ballot.texts), pairs_of_votes(ballot))
    yield StageStarted(stage=Stage.FITTING, total=len(ballot.texts))
    values, read = yield from _read(engine, ballot, token)
    ballot = ballot.keep(read)
    pairs = pairs_of_votes(ballot)
    _enough(len(ballot.texts), pairs)
    held = yield from _held(states_view(values), ballot, pairs, 0, token)
    wording = yield from _held(wording_view(ballot.texts), ballot, pairs, FITS, token)
    shipped = files.load_shipped(engine.info.sha256)
    columns = {
        "head": held.differences,
        "length": max(by_length(ballot, pairs), key=lambda found: share_of(found, pairs).share),
        "wording": wording.differences,
    }
    if shipped is not None:
        columns["shipped"] = _differences(shipped, values, ballot, pairs)
    report = _report(engine, ballot, pairs, columns, held, sets, files)
    token.check()
    if report.kept:
        files.save(
            final_map(values, ballot, held, token), report, datetime.datetime.now(datetime.UTC).date().isoformat()
        )
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield HeadFitted(report=report)


def held_out_scores(
    engine: Engine, sets: Sequence[VoteSet], cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[Ballot, Vector]]:
    """The votes on the texts that the model can read, and a score of each text on the log-odds scale by a map that
    learned from the other folds alone: two texts of one fold can be compared by them. Raises what ``fit_head`` does,
    but writes nothing."""
    token = cancel or CancelToken()
    ballot = gather(sets)
    _enough(len(ballot.texts), pairs_of_votes(ballot))
    values, read = yield from _read(engine, ballot, token)
    ballot = ballot.keep(read)
    pairs = pairs_of_votes(ballot)
    _enough(len(ballot.texts), pairs)
    held = yield from _held(states_view(values), ballot, pairs, 0, token)
    return ballot, held.scores


def _enough(texts: int, pairs: Pairs) -> None:
    if texts < LEAST_TEXTS or pairs.rows < LEAST_ROWS:
        raise InputError(
            "E_FIT_FEW",
            f"There are votes on {texts:,} texts, worth {int(pairs.rows):,} independent pairs: too few to fit "
            "an estimate and to tell whether it is any good.",
            f"It takes at least {LEAST_TEXTS} texts and {LEAST_ROWS} pairs; fit with the votes that come with the "
            "program, or collect more of your own.",
        )


def _read(
    engine: Engine, ballot: Ballot, token: CancelToken
) -> Generator[Event, None, tuple[Matrix, npt.NDArray[np.bool_]]]:
    """(texts read, features) and which texts those are."""
    rows: list[Matrix] = []
    read = np.zeros(len(ballot.texts), dtype=bool)
    for start in range(0, len(ballot.texts), _TOGETHER):
        token.check()
        texts = ballot.texts[start : start + _TOGETHER]
        for place, states in enumerate(_states(engine, texts, token), start):
            if states is not None:
                row = pool(states, ballot.texts[place]).astype(np.float32)
                read[place] = bool(np.isfinite(row).all())
                rows += [row] if read[place] else []
        note = "reading texts that people voted on"
        yield StageProgress(stage=Stage.FITTING, done=start + len(texts), total=len(ballot.texts), note=note)
    return np.stack(rows) if rows else np.zeros((0, 0), np.float32), read


def _states(engine: Engine, texts: Sequence[str], token: CancelToken) -> list[FloatArray | None]:
    """Hidden states of each text; None for one that the model can't read."""
    try:
        return [*engine.embed_together(texts, token)]
    except EngineError as error:
        if error.code not in TOO_MUCH:
            raise
        return [None] if len(texts) == 1 else [_states(engine, [text], token)[0] for text in texts]


def _held(view: View, ballot: Ballot, pairs: Pairs, before: int, token: CancelToken) -> Generator[Event, None, Held]:
    for step in cross_validated(view, ballot, pairs, token):
        if isinstance(step, Held):
            return step
        note = "fitting, and measuring on votes held out"
        yield StageProgress(stage=Stage.FITTING, done=before + step, total=2 * FITS, note=note)
    raise AssertionError("cross-validation ends with its outcome")


def _differences(head: AudienceHead, values: Matrix, ballot: Ballot, pairs: Pairs) -> Vector:
    """Log-odds by a head that is there already."""
    read = [head.features_of(row.astype(np.float64), text) for row, text in zip(values, ballot.texts, strict=True)]
    return np.array([head.difference(read[a], read[b]) for a, b in zip(pairs.first, pairs.second, strict=True)])


def _shares(columns: Mapping[str, Vector], pairs: Pairs, wanted: npt.NDArray[np.bool_]) -> AgainstRivals:
    some = pairs.take(wanted)
    found = {name: share_of(differences[wanted], some) for name, differences in columns.items()}
    return AgainstRivals(
        head=found["head"], length=found["length"], wording=found["wording"], shipped=found.get("shipped")
    )


def _report(
    engine: Engine,
    ballot: Ballot,
    pairs: Pairs,
    columns: Mapping[str, Vector],
    held: Held,
    sets: Sequence[VoteSet],
    files: HeadFiles,
) -> HeadReport:
    parts = []
    for number, part in enumerate(ballot.parts):
        mine = pairs.part == number
        if mine.any():
            figures = SetReport(
                **_shares(columns, pairs, mine).model_dump(),
                name=part.name,
                credit=part.credit,
                texts=len(part.texts),
                ece=calibration_error(held.differences[mine]),
                log_loss=log_loss_of(held.differences[mine], pairs.take(mine)),
            )
            parts.append(figures)
    whole = _shares(columns, pairs, np.ones(len(pairs), dtype=bool))
    kept = held.slope > 0 and not whole.unbeaten
    asked = sum(votes.asked for votes in sets)
    info = engine.info
    return HeadReport(
        **whole.model_dump(),
        model=ModelRef(name=info.name, sha256=info.sha256),
        texts=len(ballot.texts),
        left_out=ballot.left_out,
        one_person=sum(votes.agreeing for votes in sets) / asked if asked else None,
        log_loss=log_loss_of(held.differences, pairs),
        strength=held.strength,
        sets=tuple(parts),
        kept=kept,
        in_use="own" if kept else files.in_use(info.sha256),
    )
