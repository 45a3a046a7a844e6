"""Measures what Deep is worth beside Quick on a model: ratings of jokes that an editor read, and duels of pairs that
people voted on. The heads haven't learned from what they are measured on. What was found is kept, so that a stopped
measurement goes on where it was."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
from pydantic import Field, ValidationError

from ..core.errors import EngineError, InputError, SettingsError
from ..core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ..core.files import atomic_write, parse_json
from ..core.statistics import Vector, bootstrap
from ..core.verdicts import Asked, Frozen, Mode
from ..core.vote_sets import VoteSet
from ..engine.base import CancelToken
from ..heads.editor import EditorHeads, EditorReading, States, Unlearn
from ..judge.duel.kind import DUEL, DuelRequest
from ..judge.main_judge import MainJudge
from ..judge.plan.deep_worth import Compared, Costs, DeepDuels, DeepFiles, DeepRatings, DeepWorth, Spent
from ..judge.rating.draft import RatingDraft
from ..judge.rating.kind import RATING, RatingRequest
from ..judge.rating.tree import CORE
from ..judge.reader import Heard, Reader
from .audience_fit import gather, pairs_of_votes
from .editor_data import Readings
from .fitting import held_out_scores
from .kept_scans import TOO_MUCH
from .plan_fit import Apart

# --------------------------------------------------------------------------------------------------------------------
# Deep's figures beside Quick's on the same texts, with bootstrap intervals of what lies between them: numbers only.

LEAST_FIT_TEXTS = 10
"""Texts that a correlation takes at least."""
_TINY = 1e-9


def compare_scores(quick: Vector, deep: Vector, known: Vector) -> tuple[Compared | None, int]:
    """Mean correlation over factors with what a reader said, all (texts, factors), NaN where a verdict gives none; and
    over how many factors. A factor counts where LEAST_TEXTS texts have it by both, and where the reader's scores
    differ. An answer that is always the same has a correlation of 0."""
    there = np.isfinite(quick) & np.isfinite(deep)
    columns = [
        place
        for place in range(known.shape[1])
        if there[:, place].sum() >= LEAST_FIT_TEXTS and float(known[there[:, place], place].std()) > _TINY
    ]
    if not columns:
        return None, 0

    def mean(values: Vector, times: Vector) -> float:
        found = [correlation(values[there[:, c], c], known[there[:, c], c], times[there[:, c]]) for c in columns]
        return float(np.mean(found))

    return _compared(len(known), lambda times: (mean(quick, times), mean(deep, times))), len(columns)


def compare_shares(quick: Vector, deep: Vector) -> Compared | None:
    """Shares of hits (1, ½ or 0) on the same rows; None for no rows."""
    if not len(quick):
        return None

    def shares(times: Vector) -> tuple[float, float]:
        total = float(times.sum())
        return float(quick @ times) / total, float(deep @ times) / total

    return _compared(len(quick), shares)


def correlation(x: Vector, y: Vector, times: Vector) -> float:
    """Pearson's, each row counted ``times``; 0 where one of them is always the same."""
    total = float(times.sum())
    if total <= 0:
        return 0.0
    x, y = x - float(x @ times) / total, y - float(y @ times) / total
    size = float(np.sqrt((x * x) @ times) * np.sqrt((y * y) @ times))
    return float((x * y) @ times) / size if size > _TINY else 0.0


def table(rows: Sequence[Mapping[str, float]], ids: Sequence[str]) -> Vector:
    """(rows, ids), NaN where a row has none."""
    return np.array([[row.get(id, np.nan) for id in ids] for row in rows], dtype=np.float64).reshape(
        len(rows), len(ids)
    )


def _compared(n: int, figures: Callable[[Vector], tuple[float, float]]) -> Compared:
    quick, deep = figures(np.ones(n))

    def gap(times: Vector) -> float:
        first, second = figures(times)
        return second - first

    low, high = bootstrap(n, gap)
    return Compared(quick=round(quick, 4), deep=round(deep, 4), low=round(low, 4) + 0.0, high=round(high, 4) + 0.0, n=n)


# --------------------------------------------------------------------------------------------------------------------
# One verdict as Quick gives it and as Deep goes on from there, by the judges themselves.


class Side(Frozen):
    """What one mode found and had cost by then. ``factors``: scores 0…5; ``kinds``: probabilities 0…1 of those that
    the verdict names; ``tokens`` that went through the model; ``seconds``;
    ``questions``: asked, where they were counted."""

    factors: dict[str, float] = Field(default_factory=dict)
    kinds: dict[str, float] = Field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    tokens: int = 0
    seconds: float = 0.0
    questions: int = 0


class Both(Frozen):
    """A rating by both modes; Deep's cost includes Quick's. ``branches``: further readings that Deep made."""

    quick: Side
    deep: Side
    branches: int = 0

    @property
    def moved(self) -> bool:
        """Whether Deep changed a score or which kinds are shown."""
        return (self.quick.factors, set(self.quick.chosen)) != (self.deep.factors, set(self.deep.chosen))


class BothDuels(Frozen):
    """A duel by both modes: probability 0…1 that the first text is the funnier one, None without an answer."""

    quick: float | None
    deep: float | None
    quick_tokens: int = 0
    deep_tokens: int = 0
    quick_seconds: float = 0.0
    deep_seconds: float = 0.0


@dataclass(frozen=True)
class _Work:
    judge: MainJudge
    cancel: CancelToken | None

    def child(self, kind: object, request: object) -> Generator[Any, None, NoReturn]:
        raise AssertionError("ratings and duels have no verdicts of their own")


def rate_both(
    judge: MainJudge,
    text: str,
    ask: Asked,
    cancel: CancelToken | None = None,
    *,
    seed: int = 1,
    questions: Callable[[], int] = lambda: 0,
) -> Both:
    """Rate a text in deep mode, without words, and note what quick mode had found before it went on. ``questions``:
    how many were asked so far, all verdicts together. Raises what the engine raises."""
    request = RatingRequest(text=text, mode="deep", ask=ask, explain=False, forced=True, seed=seed)
    draft = RATING.begun(request, "measured")
    before, began, asked = judge.engine.usage, time.perf_counter(), questions()

    def side() -> Side:
        spent = judge.engine.usage - before
        return _side(draft, spent.tokens_evaluated, time.perf_counter() - began, questions() - asked)

    quick = Side()
    for _ in RATING.run(draft, request, _Work(judge, cancel)):
        if draft.tree is None:
            quick = side()
    branches = draft.tree.used_branches if draft.tree is not None else 0
    return Both(quick=quick, deep=side(), branches=branches)


def duel_both(judge: MainJudge, first: str, second: str, cancel: CancelToken | None = None) -> BothDuels:
    """Compare two texts in both modes, without words. What Quick read isn't read again, so Deep's cost is that of
    both. Raises what the engine raises."""
    before, began = judge.engine.usage, time.perf_counter()
    found: list[tuple[float | None, int, float]] = []
    modes: tuple[Mode, ...] = ("quick", "deep")
    for mode in modes:
        request = DuelRequest(text_a=first, text_b=second, mode=mode, explain=False)
        draft = DUEL.begun(request, "measured")
        for _ in DUEL.run(draft, request, _Work(judge, cancel)):
            pass
        spent = judge.engine.usage - before
        found.append((draft.p_a, spent.tokens_evaluated, time.perf_counter() - began))
    (quick, tokens, seconds), (deep, all_tokens, all_seconds) = found
    return BothDuels(
        quick=quick,
        deep=deep,
        quick_tokens=tokens,
        deep_tokens=all_tokens,
        quick_seconds=seconds,
        deep_seconds=all_seconds,
    )


def _side(draft: RatingDraft, tokens: int, seconds: float, questions: int) -> Side:
    return Side(
        factors={f.id: f.expected for f in draft.factors if f.expected is not None and f.origin == "shared"},
        kinds={kind.id: kind.p for kind in draft.categories},
        chosen=tuple(kind.id for kind in draft.categories if kind.chosen),
        tokens=tokens,
        seconds=seconds,
        questions=questions,
    )


# --------------------------------------------------------------------------------------------------------------------
# What was found while Deep is measured, in a file, so that a stopped measurement goes on where it was.

_MOST_BYTES = 8 << 20


class KeptVerdicts:
    """Verdicts by text and by pair, and audience scores by text, one JSON line each; those under another ``mark`` than
    the file's aren't used. A line that was cut off, or can't be true, is passed over."""

    def __init__(self, path: Path, mark: str) -> None:
        self._path = path
        self._mark = mark
        self.ratings: dict[str, Both] = {}
        self.duels: dict[str, BothDuels] = {}
        self.scores: dict[str, float] = {}
        self._begun = False
        try:
            if path.stat().st_size > _MOST_BYTES:
                return
            first, *lines = path.read_bytes().split(b"\n")
            self._begun = parse_json(first) == {"mark": mark}
        except (OSError, ValueError):
            return
        if self._begun:
            for line in lines:
                self._take(line)

    def rating(self, text: str, ask: str) -> Both | None:
        return self.ratings.get(f"{ask} {text}")

    def keep_rating(self, text: str, ask: str, found: Both) -> Both:
        """Raises ``SettingsError`` ``E_WRITE``."""
        self.ratings[f"{ask} {text}"] = found
        self._add({"rating": f"{ask} {text}", "found": found.model_dump(mode="json")})
        return found

    def duel(self, first: str, second: str) -> BothDuels | None:
        return self.duels.get(f"{first}\0{second}")

    def keep_duel(self, first: str, second: str, found: BothDuels) -> BothDuels:
        """Raises ``SettingsError`` ``E_WRITE``."""
        self.duels[f"{first}\0{second}"] = found
        self._add({"duel": f"{first}\0{second}", "found": found.model_dump(mode="json")})
        return found

    def keep_scores(self, scores: Mapping[str, float]) -> None:
        """Raises ``SettingsError`` ``E_WRITE``."""
        self.scores = dict(scores)
        self._add({"scores": self.scores})

    def drop(self) -> None:
        self._path.unlink(missing_ok=True)

    def _take(self, line: bytes) -> None:
        try:
            row: Any = parse_json(line)
            if "rating" in row:
                self.ratings[str(row["rating"])] = Both.model_validate(row["found"])
            elif "duel" in row:
                self.duels[str(row["duel"])] = BothDuels.model_validate(row["found"])
            elif "scores" in row:
                scores = {str(text): float(score) for text, score in row["scores"].items()}
                self.scores = scores if all(map(math.isfinite, scores.values())) else {}
        except (ValueError, KeyError, TypeError, AttributeError, ValidationError, RecursionError):
            return

    def _add(self, row: Mapping[str, object]) -> None:
        try:
            # Another run over the same model may have finished, and deleted it.
            if not self._begun or not self._path.is_file():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(self._path, json.dumps({"mark": self._mark}) + "\n")
                self._begun = True
            # A line that the program's end cut off isn't whole; what comes next begins on a line of its own.
            with self._path.open("r+b") as stream:
                end = stream.seek(0, 2)
                stream.seek(max(0, end - 1))
                broken = stream.read(1) not in (b"\n", b"")
                stream.write((b"\n" if broken else b"") + json.dumps(row).encode("utf-8") + b"\n")
        except OSError as error:
            raise SettingsError(
                "E_WRITE", f"{self._path} can't be written ({error.strerror or error}).", "Free some disk space."
            ) from error


# --------------------------------------------------------------------------------------------------------------------
# Heads that haven't learned from the texts that they are measured on, in the place of a judge's own.


class _EditorApart(EditorHeads):
    """Editor's heads of which each text that they learned from is left out when it is read."""

    def __init__(self, heads: EditorHeads) -> None:
        vars(self).update(vars(heads))

    @cached_property
    def _apart(self) -> Apart:
        """Inverses of large matrices: half a minute, so only where something is read."""
        return Apart(self)

    def found(
        self, states: States, text: str, spans: object, logprobs: object = None, *, unlearn: Unlearn | None = None
    ) -> tuple[EditorReading, Vector]:
        return super().found(states, text, spans, logprobs, unlearn=unlearn or self._apart)  # type: ignore[arg-type]


class _Apart(Reader):
    """A reader with such heads. ``scores``: log-odds scores of texts by audience maps that didn't see them."""

    scores: Mapping[str, float]

    def difference(self, a: Heard, b: Heard, *, length_controlled: bool = False) -> float:
        if a.text in self.scores and b.text in self.scores:
            return self.scores[a.text] - self.scores[b.text]
        return super().difference(a, b, length_controlled=length_controlled)


@contextmanager
def held_out(judge: MainJudge, scores: Mapping[str, float], *, editor: bool = True) -> Iterator[None]:
    """While it lasts the judge compares the audience ``scores`` of texts that have one and, with ``editor``, reads with
    the editor's heads without the text that is read. Afterwards it reads as before."""
    before = judge.reader
    heads = _EditorApart(before.editor) if before.editor is not None and editor else before.editor
    apart = _Apart(judge.engine, before.head, heads, before.ears, before.drafts, before.contextual, before.offence)
    apart.scores = scores
    judge.reader = apart
    try:
        yield
    finally:
        judge.reader = before


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
