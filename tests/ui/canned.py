"""Verdicts made by hand, for screenshots and tests of the views."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtWidgets import QApplication

from jokejudge_gui.evaluation.evaluation import measure_pairs, measure_ratings
from jokejudge_gui.evaluation.evaluation_types import Evaluation, LabelledPair, LabelledText, PairAnswer, TextAnswer
from jokejudge_gui.evaluation.validation import macro, validation
from jokejudge_gui.events import (
    CategoriesDone,
    CheckDone,
    Event,
    FactorDone,
    FactorsChosen,
    Stage,
    StageFinished,
    StageStarted,
    Started,
)
from jokejudge_gui.history.query import HistoryEntry, HistoryRow
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judging.duel.kind import DUEL
from jokejudge_gui.judging.kinds import KINDS, kind_of
from jokejudge_gui.judging.rating.kind import RATING
from jokejudge_gui.learning.fit_report import HeadReport, HeldOut
from jokejudge_gui.paths import Profile
from jokejudge_gui.runs.kept import KeptEvaluations
from jokejudge_gui.session import Session
from jokejudge_gui.ui.frame.judge_worker import Job
from jokejudge_gui.ui.verdict.verdict_tab import VerdictTab
from jokejudge_gui.verdict_kinds import Standing, Subject
from jokejudge_gui.verdicts import (
    Audience,
    CategoryScore,
    CheckResult,
    Drafts,
    DuelResult,
    EditorNote,
    FactorRef,
    FactorScore,
    ModelRef,
    OrderResult,
    ProbabilityA,
    RatingResult,
    Share,
    Span,
    Status,
    Trial,
    Usage,
    VerdictResult,
)

PARALLEL = "Parallel lines have so much in common. It’s a shame they’ll never meet."
GRAVITY = "I’m reading a book on anti-gravity. It’s impossible to put down."
DOG = "My dog used to chase people on a bike a lot. It got so bad, I finally had to take his bike away."
MODEL = ModelRef(name="SmolLM2-135M-Instruct", sha256="a" * 64)
WHY = (
    "Works. The line turns on “have so much in common” and never meet: geometry read as romance, and both senses hold "
    "to the last word.\nWeakens it. The parallel-lines pun is widely known, so few people will be surprised.\n"
    "Try. Swap lines for a fresher pair of things that can never touch."
)


def checks(failed: tuple[str, ...] = ()) -> tuple[CheckResult, ...]:
    values = {"intent": 0.97, "completeness": 0.99, "appropriateness": 0.96, "coherence": 0.98, "accessibility": 0.91}
    return tuple(
        CheckResult(check=name, p_admit=0.04 if name in failed else p, passed=name not in failed, reliable=True)
        for name, p in values.items()
    )


def category(name: str, p: float, chosen: bool) -> CategoryScore:
    return CategoryScore(id=name.lower(), name=name, p=p, z=1.5 if chosen else 0.2, chosen=chosen)


CATEGORIES = (category("Pun", 0.81, True), category("Observation", 0.58, True), category("Irony", 0.12, False))


def factor(name: str, score: int | None, expected: float, sd: float, dynamic: bool = False) -> FactorScore:
    return FactorScore(
        id=name.lower().replace(" ", "-"),
        name=name,
        origin="dynamic" if dynamic else "shared",
        score=score,
        expected=expected if score is not None else None,
        sd=sd if score is not None else None,
    )


FACTORS = (
    factor("Wordplay", 5, 4.7, 0.3),
    factor("Surprise", 4, 3.9, 0.8),
    factor("Clarity", 4, 4.0, 0.5),
    factor("Economy", 4, 4.0, 0.4),
    factor("Geometry as romance", 3, 3.0, 0.9, dynamic=True),
    factor("Relatability", 2, 2.0, 0.8),
    factor("Originality", 2, 2.0, 0.6),
)
SECONDS = {"admissibility": 2.1, "factors": 2.7, "scores": 7.8}


def scored(count: int) -> list[Event]:
    """Events of a rating up to ``count`` scored factors."""
    return [
        Started(id="x", kind="rate"),
        StageStarted(stage=Stage.ADMISSIBILITY, total=5),
        *(CheckDone(check=check) for check in checks()),
        StageFinished(stage=Stage.ADMISSIBILITY, seconds=SECONDS["admissibility"]),
        StageStarted(stage=Stage.CATEGORIES),
        CategoriesDone(categories=CATEGORIES, independent=False),
        StageFinished(stage=Stage.CATEGORIES, seconds=None),
        StageStarted(stage=Stage.FACTORS),
        FactorsChosen(
            factors=tuple(FactorRef(id=f.id, name=f.name, origin=f.origin) for f in FACTORS), pathway="standard"
        ),
        StageFinished(stage=Stage.FACTORS, seconds=SECONDS["factors"]),
        StageStarted(stage=Stage.SCORES, total=len(FACTORS)),
        *(FactorDone(score=score) for score in FACTORS[:count]),
    ]


def rating(identity: str = "r1", text: str = PARALLEL, mean: float = 3.4, **changes: object) -> RatingResult:
    values: dict[str, object] = {
        "id": identity,
        "text": text,
        "admissible": True,
        "admissibility": checks(),
        "pathway": "standard",
        "categories": CATEGORIES,
        "factors": FACTORS,
        "max_score": 5.0,
        "mean_score": mean,
        "spread": 0.6,
        "explanation": WHY,
        "stage_seconds": SECONDS,
        "usage": Usage(tokens_evaluated=360, tokens_reused=6120, seconds=14.2),
        "model": MODEL,
    }
    return RatingResult.model_validate({**values, **changes})


SALMON = "If smoking is bad for you…? How come it also cures salmon?"
CURES, FOR_YOU, ALSO = (
    Span(start=SALMON.index(word), end=SALMON.index(word) + len(word), text=word, p=p)
    for word, p in (("cures", 0.9), ("for you", 0.7), ("also", 0.8))
)
READ_FACTORS = tuple(
    FactorScore(id=name.lower(), name=name, origin="shared", score=round(expected), expected=expected, sd=0.7,
                source="read", trust=0.4)
    for name, expected in (
        ("Wordplay", 4.6), ("Comic logic", 3.9), ("Surprise", 3.7), ("Clarity", 3.4), ("Timing", 3.2), ("Economy", 3.1),
        ("Wit", 3.0), ("Structure", 2.9), ("Originality", 2.4), ("Relatability", 1.8),
    )
)  # fmt: skip


def read_checks(joke: float = 0.96) -> tuple[CheckResult, ...]:
    """The checks of a reading: only the first can tell something."""
    return tuple(
        CheckResult(check=check.check, p_admit=joke if first else 0.5, passed=not first or joke > 0.1, reliable=first,
                    source="read")
        for check, first in zip(checks(), (True, False, False, False, False), strict=True)
    )  # fmt: skip


def read_rating(identity: str = "r2", text: str = SALMON, percentile: float = 91.2, **changes: object) -> RatingResult:
    """A rating that is one reading of the joke."""
    trial = "If smoking is bad, how come it cures salmon?"
    note = EditorNote(
        works="It turns on “cures”, and both meanings fit to the last word.",
        weakens="“for you” and “also” could go; the dots break the run-up.",
        apart="People would put it higher than an editor does.",
        trials=(Trial(kind="cut", text=trial, change="for you", p_better=0.78, percentile=93.0),),
    )
    audience = Audience(percentile=percentile, score=1.2, low=70.0, high=98.0, kind="one-liners", agreement=0.66)
    kinds = (("Pun", 0.9, True), ("Wrong logic", 0.7, True), ("Food and drink", 0.6, True), ("Irony", 0.3, False))
    values: dict[str, object] = {
        "admissibility": read_checks(),
        "categories": tuple(category(*kind) for kind in kinds),
        "factors": READ_FACTORS,
        "audience": audience,
        "turn": CURES,
        "cuts": (FOR_YOU, ALSO),
        "note": note,
        "explanation": f"Works. {note.works}\nWeakens. {note.weakens}\nTry. {trial}\n{note.apart}",
        "stage_seconds": {"reading": 0.5, "explanation": 0.3},
        "usage": Usage(tokens_evaluated=60, seconds=0.8),
    }
    return rating(identity, text, **{**values, **changes})


def plain_reading(identity: str, text: str, percentile: float) -> RatingResult:
    """A rating of another text that is one reading of it, with nothing to mark."""
    return read_rating(identity, text, percentile, turn=None, cuts=(), note=None, explanation=None)


def parallel_reading(identity: str = "r3") -> RatingResult:
    """A rating of the first example that is one reading of it."""
    turn = Span(start=PARALLEL.index("never meet"), end=len(PARALLEL) - 1, text="never meet", p=0.8)
    note = EditorNote(works="It turns on “never meet”, and both meanings fit.", weakens="The form is a familiar one.")
    words = f"Works. {note.works}\nWeakens. {note.weakens}"
    audience = Audience(percentile=64.0, score=0.9, low=24.0, high=93.0, kind="one-liners", agreement=0.66)
    return read_rating(identity, PARALLEL, audience=audience, turn=turn, cuts=(), note=note, explanation=words)


def duel(identity: str = "d1", text_a: str = PARALLEL, text_b: str = GRAVITY, **changes: object) -> DuelResult:
    values: dict[str, object] = {
        "id": identity,
        "text_a": text_a,
        "text_b": text_b,
        "winner": "A",
        "p_a": 0.79,
        "confidence_factor": 3.8,
        "band": "clear",
        "consistent": True,
        "position_bias": 0.03,
        "orders": (
            OrderResult(first="A", p_a=0.76, log_odds_a=1.15),
            OrderResult(first="B", p_a=0.82, log_odds_a=1.52),
        ),
        "shares": (
            Share(name="pair", share=0.6, log_odds_a=1.3),
            Share(name="alone", share=0.4, log_odds_a=0.6),
        ),
        "length_controlled": ProbabilityA(p_a=0.77),
        "explanation": "A wins because never meet closes both senses at once, while B’s impossible to put down is a "
        "phrase most people have heard.\nB is quicker to read and just as clear.",
        "usage": Usage(tokens_evaluated=210, tokens_reused=1890, seconds=4.4),
        "model": MODEL,
    }
    return DuelResult.model_validate({**values, **changes})


VERSIONS: dict[str, object] = {
    "text_a": SALMON,
    "text_b": "If smoking is bad, how come it cures salmon?",
    "winner": "B",
    "p_a": 0.22,
    "confidence_factor": 3.5,
    "consistent": None,
    "position_bias": None,
    "orders": (),
    "shares": (Share(name="drafts", share=1.0, log_odds_a=-1.27),),
    "audience": ProbabilityA(p_a=0.48),
    "length_controlled": ProbabilityA(p_a=0.3),
    "drafts": Drafts(p_a=0.22, agreement=0.86, fault="padding", fault_p=0.7),
    "explanation": "These are two versions of one joke, so they are judged by what an editor's drafts taught (right in "
    "86 of 100). A has words that could go.",
}
"""A duel of two versions of one joke, which is read."""


INCONSISTENT: dict[str, object] = {
    "p_a": 0.67,
    "confidence_factor": 2.0,
    "measured_factor": 2.6,
    "band": "slight",
    "consistent": False,
    "position_bias": 0.22,
    "orders": (
        OrderResult(first="A", p_a=0.47, log_odds_a=-0.12),
        OrderResult(first="B", p_a=0.91, log_odds_a=2.3),
    ),
}


def entry(result: VerdictResult, status: Status = Status.FINISHED, **row: object) -> HistoryEntry:
    """A stored verdict as the history would give it back."""
    kind = kind_of(result)
    values: dict[str, object] = {
        "id": result.id,
        "kind": kind.name,
        "created": datetime.now(UTC),
        "status": status,
        "subjects": kind.subjects(kind.request_of(result)),
        "headline": kind.headline(result),
    }
    return HistoryEntry(
        row=HistoryRow.model_validate({**values, **row}),
        result=result,
        mode="quick",
        seed=1,
        prompt_version="p",
        criteria_version="c",
        model=MODEL,
        error=result.error,
    )


def record(store: HistoryStore, result: VerdictResult, status: Status = Status.FINISHED, starred: bool = False) -> None:
    """Put a verdict into a history."""
    kind = kind_of(result)
    store.begin(
        id=result.id,
        kind=kind.name,
        subjects=kind.subjects(kind.request_of(result)),
        mode="quick",
        model=MODEL,
        prompt_version="p",
        criteria_version="c",
        seed=1,
    )
    store.end(result.id, status, result, result.error)
    if starred:
        store.star(result.id, True)


def head_report(kept: bool) -> HeadReport:
    """What fitting a head came to."""

    def share(value: float) -> HeldOut:
        return HeldOut(share=value, low=value - 0.05, high=value + 0.05, pairs=20_000, rows=355)

    return HeadReport(
        model=MODEL,
        texts=720,
        left_out=0,
        head=share(0.583 if kept else 0.524),
        length=share(0.53),
        wording=share(0.565),
        shipped=None,
        one_person=None,
        log_loss=0.68,
        strength=300.0,
        sets=(),
        kept=kept,
        in_use="own" if kept else "none",
    )


def keep_measurements(profile: Profile, model: ModelRef) -> None:
    """A measurement on pairs and one on ratings, by a judge that is right in two of three pairs."""
    rows = [LabelledPair(f"first joke {n}", f"second {n}", "A" if n % 2 else "B", 4, 1) for n in range(120)]
    answers = {
        n: PairAnswer(p_a=0.7 if (n % 2 == 1) == (n % 3 > 0) else 0.3, consistent=n % 4 > 0, position_bias=0.04)
        for n in range(len(rows))
    }
    pairs = measure_pairs("my-votes.csv", rows, answers, ties=4)
    texts = [LabelledText(f"a joke of {n} words", n % 5, n % 7 > 0) for n in range(40)]
    scores = {n: TextAnswer(admissible=n % 9 > 0, score=2.0 + n % 3, audience=20.0 + n) for n in range(len(texts))}
    ratings = measure_ratings("a-long-name-of-a-file-with-ratings.csv", "rating", texts, scores)
    kept = KeptEvaluations(profile.evaluations)
    common = {"model": model, "mode": "quick", "seed": 1, "limit": 300, "whole": True}
    stem = f"{model.sha256[:16]}-{'b' * 15}"
    rated = Evaluation.model_validate({**common, "ratings": (ratings,), "validation": validation([], [ratings])})
    kept.save(f"{stem}1", rated, ratings.name)
    compared = Evaluation.model_validate({**common, "pairs": (pairs,), "macro": macro([pairs]),
                                          "validation": validation([pairs], []), "whole": False})  # fmt: skip
    kept.save(f"{stem}2", compared, pairs.name)


def fill_history(profile: Profile) -> None:
    """Verdicts of three days."""
    now = datetime.now(UTC)
    moments = iter(now - timedelta(hours=h) for h in (75, 74, 51, 27, 26, 25, 4, 3, 2, 1, 0))
    current = [next(moments)]
    store = HistoryStore(profile.database, KINDS, clock=lambda: current[0])
    verdicts: list[tuple[RatingResult | DuelResult, Status, bool]] = [
        (plain_reading("h1", "There are only two hard things in computing.", 62.0), Status.FINISHED, False),
        (plain_reading("h2", "A skeleton walks into a bar.", 41.0), Status.FINISHED, False),
        (plain_reading("h3", "I told my wife she was drawing her eyebrows too high.", 88.0), Status.FINISHED, True),
        (duel("h4", "A skeleton walks into a bar.", "I told my wife", winner="B", p_a=0.3), Status.FINISHED, False),
        (plain_reading("h5", GRAVITY, 79.0), Status.FINISHED, False),
        (plain_reading("h6", "Why did the chicken cross the road?", 12.0), Status.FINISHED, False),
        (rating("h7", "An unfinished one that was cut off", 2.0, mean_score=None), Status.INTERRUPTED, False),
        (plain_reading("h8", DOG, 84.0), Status.FINISHED, True),
        (duel("h9"), Status.FINISHED, True),
        (parallel_reading("h10"), Status.FINISHED, False),
    ]
    for result, status, starred in verdicts:
        record(store, result, status, starred)
        current[0] = next(moments)
    store.close()


def vote_of(place: int, agrees: bool) -> dict[str, Any]:
    """A vote on a duel (even places) or a rating, with the judge or against it."""
    duels, side = place % 2 == 0, place % 4 < 2
    first = side == agrees
    standing = DUEL.standing(duel()) if duels else RATING.standing(parallel_reading())
    assert standing is not None
    value = (0.4 + place / 20) * (1 if side else -1) if duels else 0.5 + (0.3 if side else -0.3)
    pair = (Subject(text=f"One {place}.", label="A"), Subject(text=f"Two {place}.", label="B"))
    return {
        "verdict_id": None,
        "kind": "duel" if duels else "rate",
        "choice": ("A" if first else "B") if duels else ("up" if first else "down"),
        "blind": place % 3 == 0,
        "standing": Standing(scale=standing.scale, value=value, centred=duels),
        "model": MODEL,
        "prompt_version": "p",
        "criteria_version": "c",
        "subjects": pair if duels else (Subject(text=f"One {place}."),),
    }


def vote(session: Session) -> None:
    """Votes of someone who mostly goes with the judge, the last two on the verdicts h9 and h10."""
    for place in range(23):
        session.store.votes.add(**vote_of(place, agrees=place % 5 > 0))
    session.vote("h9", "A", blind=True)
    session.vote("h10", "up")


def tell(tab: VerdictTab, job: Job, *events: object) -> None:
    """Events of a job as they come in one burst, and what the window then does."""
    for event in events:
        tab.handle(job, event)
    QApplication.processEvents()
