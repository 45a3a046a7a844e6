"""Measures Deep against Quick on a model: ratings of jokes that an editor read, and duels of pairs that people voted
on. The heads weren't trained on the texts of the measurement. Results are kept, so that a stopped measurement continues
where it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from pydantic import Field, TypeAdapter

from ..core.errors import InputError
from ..core.events import Event, Stage, StageFinished, StageStarted
from ..core.statistics import Vector, bootstrap
from ..core.verdicts import Asked, Frozen, Mode
from ..core.vote_sets import VoteSet
from ..engine.base import CancelToken
from ..heads.editor import EditorHeads, EditorReading, States, Unlearn
from ..judge.duel.kind import DUEL, DuelRequest
from ..judge.main_judge import MainJudge
from ..judge.plan.deep_worth import Costs, DeepDuels, DeepFiles, DeepRatings, DeepWorth, ModeComparison, Spent
from ..judge.rating.kind import RATING, RatingRequest
from ..judge.rating.tree import CORE
from ..judge.reader import Predictions, Reader
from .audience_fit import gather, pairs_of_votes
from .editor_data import Readings
from .fitting import held_out_scores
from .jobs import ResultCache, ask_each, digest, kept_path, mixed, too_few
from .plan_fit import HeldOutHeads

# --------------------------------------------------------------------------------------------------------------------
# Deep's figures compared with Quick's on the same texts, with bootstrap intervals of the difference: numbers only.

LEAST_FIT_TEXTS = 10
"""Least number of texts for a correlation."""
_TINY = 1e-9


def compare_scores(quick: Vector, deep: Vector, known: Vector) -> tuple[ModeComparison | None, int]:
    """Return the mean correlation over factors with a reader's scores, all (texts, factors), NaN where a verdict has
    none; and the number of factors. A factor counts where both modes scored at least LEAST_FIT_TEXTS texts, and where
    the reader's scores differ. A constant answer has a correlation of 0."""
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


def compare_shares(quick: Vector, deep: Vector) -> ModeComparison | None:
    """Compare the shares of hits (1, ½ or 0) on the same rows; None for no rows."""
    if not len(quick):
        return None

    def shares(times: Vector) -> tuple[float, float]:
        total = float(times.sum())
        return float(quick @ times) / total, float(deep @ times) / total

    return _compared(len(quick), shares)


def correlation(x: Vector, y: Vector, times: Vector) -> float:
    """Return Pearson's correlation, each row counted ``times``; 0 where one of them is constant."""
    total = float(times.sum())
    if total <= 0:
        return 0.0
    x, y = x - float(x @ times) / total, y - float(y @ times) / total
    size = float(np.sqrt((x * x) @ times) * np.sqrt((y * y) @ times))
    return float((x * y) @ times) / size if size > _TINY else 0.0


def table(rows: Sequence[Mapping[str, float]], ids: Sequence[str]) -> Vector:
    """Return (rows, ids), NaN where a row has no value."""
    return np.array([[row.get(id, np.nan) for id in ids] for row in rows], dtype=np.float64).reshape(
        len(rows), len(ids)
    )


def _compared(n: int, figures: Callable[[Vector], tuple[float, float]]) -> ModeComparison:
    quick, deep = figures(np.ones(n))

    def gap(times: Vector) -> float:
        first, second = figures(times)
        return second - first

    low, high = bootstrap(n, gap)
    return ModeComparison(
        quick=round(quick, 4), deep=round(deep, 4), low=round(low, 4) + 0.0, high=round(high, 4) + 0.0, n=n
    )


# --------------------------------------------------------------------------------------------------------------------
# One verdict by Quick and its continuation by Deep, from the judges themselves.


class ModeResults(Frozen):
    """The cost of one mode so far: ``tokens`` evaluated by the model, and ``seconds``."""

    tokens: int = 0
    seconds: float = 0.0

    @property
    def spent(self) -> tuple[int, float]:
        return self.tokens, self.seconds


class Side(ModeResults):
    """The result of one mode of a rating. ``factors``: scores 0…5; ``kinds``: probabilities 0…1 of the kinds that the
    verdict names; ``questions``: number of questions asked, where counted."""

    factors: dict[str, float] = Field(default_factory=dict)
    kinds: dict[str, float] = Field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    questions: int = 0

    @property
    def likeliest(self) -> str:
        """The most probable kind; "" where there is none."""
        return max(self.kinds, key=lambda id: self.kinds[id], default="")


class Both(Frozen):
    """A rating by both modes; Deep's cost includes Quick's. ``branches``: Deep's number of further readings."""

    quick: Side
    deep: Side
    branches: int = 0

    @property
    def moved(self) -> bool:
        """Whether Deep changed a score or the kinds shown."""
        return (self.quick.factors, set(self.quick.chosen)) != (self.deep.factors, set(self.deep.chosen))


class DuelSide(ModeResults):
    """The result of one mode of a duel: probability 0…1 that the first text is the funnier one, None without an
    answer."""

    p: float | None

    def hit(self, *, turned: bool) -> float:
        """Return 1 where the first text wins (``turned``: the second), ½ where neither does, else 0."""
        return 0.5 if self.p is None or self.p == 0.5 else float((self.p > 0.5) != turned)


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
    """Rate a text in deep mode, without an explanation, and note the results of quick mode on the way. ``questions``:
    returns the number of questions asked so far over all verdicts. Raises what the engine raises."""
    request = RatingRequest(text=text, mode="deep", ask=ask, explain=False, forced=True, seed=seed)
    draft = RATING.begun(request, "measured")
    before, began, asked = judge.engine.usage, time.perf_counter(), questions()

    def side() -> Side:
        return Side(
            factors={f.id: f.expected for f in draft.factors if f.expected is not None and f.origin == "shared"},
            kinds={kind.id: kind.p for kind in draft.categories},
            chosen=tuple(kind.id for kind in draft.categories if kind.chosen),
            tokens=(judge.engine.usage - before).tokens_evaluated,
            seconds=time.perf_counter() - began,
            questions=questions() - asked,
        )

    quick = Side()
    for _ in RATING.run(draft, request, _Work(judge, cancel)):
        if draft.tree is None:
            quick = side()
    branches = draft.tree.used_branches if draft.tree is not None else 0
    return Both(quick=quick, deep=side(), branches=branches)


def duel_both(
    judge: MainJudge, first: str, second: str, cancel: CancelToken | None = None
) -> tuple[DuelSide, DuelSide]:
    """Compare two texts by Quick and by Deep, without an explanation. Deep reuses Quick's readings, so its cost is that
    of both. Raises what the engine raises."""
    before, began = judge.engine.usage, time.perf_counter()

    def side(mode: Mode) -> DuelSide:
        request = DuelRequest(text_a=first, text_b=second, mode=mode, explain=False)
        draft = DUEL.begun(request, "measured")
        for _ in DUEL.run(draft, request, _Work(judge, cancel)):
            pass
        tokens = (judge.engine.usage - before).tokens_evaluated
        return DuelSide(p=draft.p_a, tokens=tokens, seconds=time.perf_counter() - began)

    return side("quick"), side("deep")


# --------------------------------------------------------------------------------------------------------------------
# Heads that weren't trained on the texts that they are measured on, in place of a judge's own.


class _HeldOutEditor(EditorHeads):
    """Editor's heads that leave out a text from their training when they read it."""

    def __init__(self, heads: EditorHeads) -> None:
        vars(self).update(vars(heads))

    @cached_property
    def _apart(self) -> HeldOutHeads:
        """The leave-one-out correction; computed on first use, as it inverts large matrices for half a minute."""
        return HeldOutHeads(self)

    def found(
        self, states: States, text: str, spans: object, logprobs: object = None, *, unlearn: Unlearn | None = None
    ) -> tuple[EditorReading, Vector]:
        return super().found(states, text, spans, logprobs, unlearn=unlearn or self._apart)  # type: ignore[arg-type]


class _HeldOutReader(Reader):
    """A reader with such heads. ``scores``: log-odds scores of texts by audience maps that weren't trained on them."""

    scores: Mapping[str, float]

    def difference(self, a: Predictions, b: Predictions, *, length_controlled: bool = False) -> float:
        if a.text in self.scores and b.text in self.scores:
            return self.scores[a.text] - self.scores[b.text]
        return super().difference(a, b, length_controlled=length_controlled)


@contextmanager
def held_out(judge: MainJudge, scores: Mapping[str, float], *, editor: bool = True) -> Iterator[None]:
    """Make the judge compare texts by their audience ``scores``, where they have one, and, with ``editor``, read with
    editor's heads that leave out the text. Afterwards it reads as before."""
    before = judge.reader
    heads = _HeldOutEditor(before.editor) if before.editor is not None and editor else before.editor
    apart = _HeldOutReader(
        judge.engine, before.head, heads, before.agreements, before.drafts, before.contextual, before.offence
    )
    apart.scores = scores
    judge.reader = apart
    try:
        yield
    finally:
        judge.reader = before


RATED, COMPARED = TypeAdapter(Both), TypeAdapter(tuple[DuelSide, DuelSide])
_SCORES = TypeAdapter(dict[str, float])
_PURPOSE = "tell what Deep is worth"
TEXTS, LEAST_TEXTS, MOST_TEXTS = 60, 20, 400
"""Default, least and greatest number of texts, and of pairs, to judge."""
_WARM = "A duck walks into a pharmacy and asks for a lip balm. Put it on my bill, it says."
_WARM_TOO = "The bus was late again, so I waited for the next one and read the timetable twice."


class DeepMeasured(Event):
    """The comparison of Deep with Quick was written."""

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
    """Rate ``texts`` jokes by Quick and by Deep and, unless everything is asked, compare as many pairs; write the
    results to the user's folder. The last event is ``DeepMeasured``. With everything asked Quick's duels ask the same
    as Deep's, so there is nothing to compare.

    Raises ``InputError`` ``E_FIT_FEW`` where too few texts can be read, ``Cancelled``, ``SettingsError`` when it can't
    be written, and what the engine raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    if not LEAST_TEXTS <= texts <= MOST_TEXTS:
        raise InputError(
            "E_TEXTS",
            f"{texts} texts can't be judged for this: it takes {LEAST_TEXTS} to {MOST_TEXTS}.",
            f"Write --limit {TEXTS}, or leave it out.",
        )
    for duel in (False, True) if ask == "plan" else (False,):
        yield from judge.calibrate(duel=duel, cancel=token)
    mark = judge.deep_mark
    # Everything besides the model that changes the answers: the questions, calibration, plan and heads.
    parts = (mark, judge.calibration.model_dump_json(), judge.plan.model_dump_json(), judge.reader.version)
    kept = ResultCache(kept_path(cache, judge.model.sha256, "deep"), digest("\0".join(parts)))
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


def _ratings(
    judge: MainJudge, readings: Readings, kept: ResultCache, ask: Asked, wanted: int, token: CancelToken
) -> Generator[Event, None, DeepRatings]:
    jokes = [place for place in mixed(readings.texts) if readings.joke[place] == 1.0]
    # The constant prompts are read once for all verdicts, so no verdict is charged for them.
    warm = cache(lambda: rate_both(judge, _WARM, ask, token))

    def rate(place: int) -> Both:
        text = readings.texts[place]

        def find() -> Both:
            warm()
            return rate_both(judge, text, ask, token)

        return kept.get(f"{ask} {digest(text)}", RATED, find)

    with held_out(judge, {}):
        note = "rating jokes that an editor read, by Quick and by Deep"
        judged = yield from ask_each(jokes, rate, note, wanted, token)
    rows = [row for _, row in judged]
    if len(rows) < LEAST_TEXTS:
        raise too_few(f"{len(rows)} jokes that an editor read", _PURPOSE, LEAST_TEXTS)
    some = readings.keep(np.array([place for place, _ in judged], dtype=np.int64))
    factors, counted = compare_scores(
        table([row.quick.factors for row in rows], CORE), table([row.deep.factors for row in rows], CORE), some.factors
    )
    # The kinds that most readers of each text named, where the readings have the kind.
    named = [{id for id, share in zip(some.kind_ids, row, strict=True) if share >= 0.5} for row in some.kinds]
    hits = [
        [float(side.likeliest in of) for side in (row.quick, row.deep)]
        for row, of in zip(rows, named, strict=True)
        if of
    ]
    shares = np.array(hits, dtype=np.float64).reshape(len(hits), 2)
    return DeepRatings(
        ask=ask,
        texts=len(rows),
        factors=factors,
        counted=counted,
        kinds=compare_shares(shares[:, 0], shares[:, 1]),
        costs=_costs([(row.quick.spent, row.deep.spent) for row in rows]),
        moved=sum(row.moved for row in rows) / len(rows),
        branches=sum(row.branches for row in rows) / len(rows),
    )


# -- duels ------------------------------------------------------------------------------------------------------------


def _duels(
    judge: MainJudge, votes: VoteSet, kept: ResultCache, wanted: int, token: CancelToken
) -> Generator[Event, None, DeepDuels]:
    pairs, scores = yield from _pairs(judge, votes, kept, token)
    warm = cache(lambda: duel_both(judge, _WARM, _WARM_TOO, token))

    def compare(pair: tuple[str, str]) -> tuple[DuelSide, DuelSide]:
        # The order in which a pair is judged is independent of the votes.
        one, two = sorted(pair, key=digest)

        def find() -> tuple[DuelSide, DuelSide]:
            warm()
            return duel_both(judge, one, two, token)

        return kept.get(f"{digest(one)} {digest(two)}", COMPARED, find)

    with held_out(judge, scores, editor=False):
        note = "comparing jokes that people voted on, by Quick and by Deep"
        judged = yield from ask_each(pairs, compare, note, min(wanted, len(pairs)), token)
    if len(judged) < LEAST_TEXTS:
        raise too_few(f"{len(judged)} pairs that people voted on", _PURPOSE, LEAST_TEXTS)
    turned = [digest(better) > digest(worse) for (better, worse), _ in judged]
    quick, deep = (
        np.array([row[mode].hit(turned=other) for (_, row), other in zip(judged, turned, strict=True)])
        for mode in (0, 1)
    )
    right = compare_shares(quick, deep)
    assert right is not None
    costs = _costs([(one.spent, two.spent) for _, (one, two) in judged])
    return DeepDuels(right=right, costs=costs, moved=float((quick != deep).mean()))


def _pairs(
    judge: MainJudge, votes: VoteSet, kept: ResultCache, token: CancelToken
) -> Generator[Event, None, tuple[list[tuple[str, str]], dict[str, float]]]:
    """Return pairs that share no text, the funnier one first, in an order independent of their content, and the texts'
    audience scores. Both texts are of one fold, so the scores come from maps trained on neither."""
    ballot, scores = gather([votes]), dict[str, float]()
    if judge.head is not None:
        if "scores" not in kept.names:
            ballot, found = yield from held_out_scores(judge.engine, [votes], token)
            scores = {text: float(score) for text, score in zip(ballot.texts, found, strict=True)}
        scores = kept.get("scores", _SCORES, lambda: scores)
    if scores:
        ballot = ballot.keep(np.array([text in scores for text in ballot.texts]))
    pairs = pairs_of_votes(ballot)
    named = [(ballot.texts[a], ballot.texts[b]) for a, b in zip(pairs.first, pairs.second, strict=True)]
    apart: list[tuple[str, str]] = []
    seen: set[str] = set()
    for better, worse in sorted(named, key=lambda pair: digest("\0".join(sorted(pair)))):
        if not {better, worse} & seen:
            seen |= {better, worse}
            apart.append((better, worse))
    return apart, scores


# -- both -------------------------------------------------------------------------------------------------------------


def _costs(rows: Sequence[tuple[tuple[int, float], tuple[int, float]]]) -> Costs:
    """Return each mode's mean cost, in tokens and seconds."""

    def mean(mode: int) -> Spent:
        tokens, seconds = (sum(column) / len(rows) for column in zip(*(row[mode] for row in rows), strict=True))
        return Spent(tokens=round(tokens, 1), seconds=round(seconds, 3))

    return Costs(quick=mean(0), deep=mean(1))
