"""Measures what Deep is worth beside Quick on a model: ratings of jokes that an editor read, and duels of pairs that
people voted on. The heads haven't learned from what they are measured on. What was found is kept, so that a stopped
measurement goes on where it was."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from ..engine.base import CancelToken
from ..errors import EngineError, InputError
from ..events import Event, Stage, StageFinished, StageProgress, StageStarted
from ..judging.main_judge import MainJudge
from ..judging.plan.deep_worth import Costs, DeepDuels, DeepFiles, DeepRatings, DeepWorth, Spent
from ..verdicts import Asked
from ..vote_sets import VoteSet
from .deep_fit import compare_scores, compare_shares, table
from .deep_kept import KeptVerdicts
from .deep_verdicts import Both, BothDuels, duel_both, rate_both
from .editor_data import CORE, Readings
from .fitting import held_out_scores
from .held_out import held_out
from .pair_data import gather, pairs_of_votes
from .readable import TOO_MUCH

_What = TypeVar("_What")
_Row = TypeVar("_Row")
TEXTS, LEAST_TEXTS, MOST_TEXTS = 60, 20, 400
"""Texts, and pairs, that are judged unless something else is asked for; the least by which anything can be told; the
most."""
_WARM = "A duck walks into a pharmacy and asks for a lip balm. Put it on my bill, it says."
_WARM_TOO = "The bus was late again, so I waited for the next one and read the timetable twice."


class DeepMeasured(Event):
    """It is written what Deep is worth."""

    found: DeepWorth


def measure_deep(
    judge: MainJudge,
    readings: Readings,
    votes: VoteSet,
    files: DeepFiles,
    cache: Path,
    cancel: CancelToken | None = None,
    *,
    program: str = "",
    ask: Asked = "plan",
    texts: int = TEXTS,
) -> Iterator[Event]:
    """Rate ``texts`` jokes by Quick and by Deep and, unless everything is asked, compare as many pairs; write what
    came of it to the user's folder. The last event is ``DeepMeasured``. With everything asked Quick's duels ask what
    Deep's do, so there is nothing to compare.

    Raises ``InputError`` ``E_FIT_FEW`` where too few texts can be read, ``Cancelled``, ``SettingsError`` when it can't
    be written, and what the engine raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    if not LEAST_TEXTS <= texts <= MOST_TEXTS:
        raise InputError(
            "E_TEXTS",
            f"{texts} texts can't be judged for this: it takes {LEAST_TEXTS} to {MOST_TEXTS}.",
            f"Write --texts {TEXTS}, or leave it out.",
        )
    for duel in (False, True) if ask == "plan" else (False,):
        yield from judge.calibrate(duel=duel, cancel=token)
    mark = judge.deep_mark
    kept = KeptVerdicts(cache / f"{judge.model.sha256[:16]}-deep.jsonl", _kept_mark(judge))
    found = files.load(judge.model.sha256)
    if found is None or found.questions != mark:
        found = DeepWorth(model_sha256=judge.model.sha256, questions=mark)
    found = found.replaced(program=program)
    yield StageStarted(stage=Stage.FITTING, total=texts)
    ratings = yield from _ratings(judge, readings, kept, ask, texts, token)
    found = found.with_ratings(ratings)
    if ask == "plan":
        duels = yield from _duels(judge, votes, kept, texts, token)
        found = found.replaced(duels=duels)
    files.save(found)
    kept.drop()
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield DeepMeasured(found=found)


def _kept_mark(judge: MainJudge) -> str:
    """What answers hang on beside the model: the questions, the calibration, and what is asked."""
    parts = (judge.deep_mark, judge.calibration.model_dump_json(), judge.plan.model_dump_json(), judge.reader.version)
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:32]


# -- ratings ----------------------------------------------------------------------------------------------------------


def _ratings(
    judge: MainJudge, readings: Readings, kept: KeptVerdicts, ask: Asked, wanted: int, token: CancelToken
) -> Generator[Event, None, DeepRatings]:
    way = _Way[int, Both](
        known=lambda place: kept.rating(_digest(readings.texts[place]), ask),
        judge=lambda place: rate_both(judge, readings.texts[place], ask, token),
        keep=lambda place, row: kept.keep_rating(_digest(readings.texts[place]), ask, row),
        warm=lambda: rate_both(judge, _WARM, ask, token),
    )
    with held_out(judge, {}):
        note = "rating jokes that an editor read, by Quick and by Deep"
        judged = yield from _judged(_jokes(readings), way, wanted, wanted, note, token)
    rows = [row for _, row in judged]
    if len(rows) < LEAST_TEXTS:
        raise _too_few(len(rows), "jokes that an editor read")
    some = readings.keep(np.array([place for place, _ in judged], dtype=np.int64))
    factors, counted = compare_scores(
        table([row.quick.factors for row in rows], CORE), table([row.deep.factors for row in rows], CORE), some.factors
    )
    told = [
        (_first_right(row.quick.kinds, named), _first_right(row.deep.kinds, named))
        for row, named in zip(rows, _named(some), strict=True)
        if named
    ]
    return DeepRatings(
        ask=ask,
        texts=len(rows),
        factors=factors,
        counted=counted,
        kinds=compare_shares(np.array([one for one, _ in told]), np.array([two for _, two in told])),
        costs=Costs(
            quick=_spent([(row.quick.tokens, row.quick.seconds) for row in rows]),
            deep=_spent([(row.deep.tokens, row.deep.seconds) for row in rows]),
        ),
        moved=sum(row.moved for row in rows) / len(rows),
        branches=sum(row.branches for row in rows) / len(rows),
    )


def _jokes(readings: Readings) -> list[int]:
    """Places of the jokes, in an order that nothing in them tells."""
    jokes = np.flatnonzero(readings.joke == 1.0).tolist()
    return sorted(jokes, key=lambda place: _digest(readings.texts[place]))


def _named(readings: Readings) -> list[frozenset[str]]:
    """The kinds that most readers of each text named, of those that enough texts have."""
    return [
        frozenset(id for id, share in zip(readings.kind_ids, row, strict=True) if share >= 0.5)
        for row in readings.kinds
    ]


def _first_right(kinds: Mapping[str, float], named: frozenset[str]) -> float:
    return float(bool(kinds) and max(kinds, key=lambda id: kinds[id]) in named)


# -- duels ------------------------------------------------------------------------------------------------------------


def _duels(
    judge: MainJudge, votes: VoteSet, kept: KeptVerdicts, wanted: int, token: CancelToken
) -> Generator[Event, None, DeepDuels]:
    pairs = yield from _pairs(judge, votes, kept, token)
    way = _Way[tuple[str, str], BothDuels](
        known=lambda pair: kept.duel(*_digests(pair)),
        judge=lambda pair: duel_both(judge, *_ordered(pair), token),
        keep=lambda pair, row: kept.keep_duel(*_digests(pair), row),
        warm=lambda: duel_both(judge, _WARM, _WARM_TOO, token),
    )
    with held_out(judge, kept.scores, editor=False):
        note = "comparing jokes that people voted on, by Quick and by Deep"
        judged = yield from _judged(pairs, way, wanted, min(wanted, len(pairs)), note, token)
    rows = [row if _ordered(pair) == pair else _turned(row) for pair, row in judged]
    if len(rows) < LEAST_TEXTS:
        raise _too_few(len(rows), "pairs that people voted on")
    quick, deep = np.array([_hit(row.quick) for row in rows]), np.array([_hit(row.deep) for row in rows])
    right = compare_shares(quick, deep)
    assert right is not None
    return DeepDuels(
        right=right,
        costs=Costs(
            quick=_spent([(row.quick_tokens, row.quick_seconds) for row in rows]),
            deep=_spent([(row.deep_tokens, row.deep_seconds) for row in rows]),
        ),
        moved=float((quick != deep).mean()),
    )


def _pairs(
    judge: MainJudge, votes: VoteSet, kept: KeptVerdicts, token: CancelToken
) -> Generator[Event, None, list[tuple[str, str]]]:
    """Pairs that share no text, the funnier one first, in an order that nothing in them tells; both of one fold, so
    that the audience scores, which are kept, are of maps that saw neither."""
    if judge.head is not None and not kept.scores:
        ballot, scores = yield from held_out_scores(judge.engine, [votes], token)
        kept.keep_scores({text: float(score) for text, score in zip(ballot.texts, scores, strict=True)})
    else:
        ballot = gather([votes])
    if kept.scores:
        ballot = ballot.keep(np.array([text in kept.scores for text in ballot.texts]))
    pairs = pairs_of_votes(ballot)
    named = [(ballot.texts[a], ballot.texts[b]) for a, b in zip(pairs.first, pairs.second, strict=True)]
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    for better, worse in sorted(named, key=lambda pair: _digest("\0".join(sorted(pair)))):
        if not {better, worse} & seen:
            seen |= {better, worse}
            found.append((better, worse))
    return found


def _ordered(pair: tuple[str, str]) -> tuple[str, str]:
    """The order in which a pair is judged; it says nothing of the votes."""
    first, second = sorted(pair, key=_digest)
    return first, second


def _digests(pair: tuple[str, str]) -> tuple[str, str]:
    first, second = _ordered(pair)
    return _digest(first), _digest(second)


def _turned(row: BothDuels) -> BothDuels:
    return row.replaced(
        quick=None if row.quick is None else 1.0 - row.quick, deep=None if row.deep is None else 1.0 - row.deep
    )


def _hit(p: float | None) -> float:
    return 0.5 if p is None or p == 0.5 else float(p > 0.5)


# -- both -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Way(Generic[_What, _Row]):
    """How a text, or a pair, is judged by both modes. ``known``: what an earlier run found; ``keep``: for the next one;
    ``warm``: judges something that counts for nothing."""

    known: Callable[[_What], _Row | None]
    judge: Callable[[_What], _Row]
    keep: Callable[[_What, _Row], object]
    warm: Callable[[], object]


def _judged(
    todo: Sequence[_What], way: _Way[_What, _Row], wanted: int, total: int, note: str, token: CancelToken
) -> Generator[Event, None, list[tuple[_What, _Row]]]:
    """The first ``wanted`` that the model has room for, each with what was found; ``total``: as many there will be."""
    found: list[tuple[_What, _Row]] = []
    warm = False
    for what in todo:
        token.check()
        row = way.known(what)
        if row is None:
            try:
                if not warm:
                    # The constant prompts are read once for all verdicts and belong to none of them.
                    way.warm()
                    warm = True
                row = way.judge(what)
            except EngineError as error:
                if error.code not in TOO_MUCH:
                    raise
                continue
            way.keep(what, row)
        found.append((what, row))
        yield StageProgress(stage=Stage.FITTING, done=len(found), total=total, note=note)
        if len(found) >= wanted:
            break
    return found


def _spent(rows: Sequence[tuple[int, float]]) -> Spent:
    tokens, seconds = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return Spent(tokens=round(tokens, 1), seconds=round(seconds, 3))


def _too_few(count: int, what: str) -> InputError:
    return InputError(
        "E_FIT_FEW",
        f"The model could read {count} {what}: too few to tell what Deep is worth.",
        f"It takes at least {LEAST_TEXTS}; choose a model with a larger context.",
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
