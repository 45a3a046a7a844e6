"""Verdicts made by hand, for screenshots and tests of the views."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtWidgets import QApplication

from jokejudge_gui.core.events import (
    Event,
    Stage,
    StageStarted,
    Started,
)
from jokejudge_gui.core.verdicts import Audience, CheckResult, Laugh, ModelRef, Span, Status, Usage, VerdictResult
from jokejudge_gui.core.words import sentences
from jokejudge_gui.history.query import HistoryEntry, HistoryRow
from jokejudge_gui.judge.duel.record import DuelResult, DuelText, OrderResult, ProbabilityA
from jokejudge_gui.judge.kinds import kind_of
from jokejudge_gui.judge.rating.record import CategoryScore, FactorScore, Prose, RatingResult, Remark, Trial
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.verdict.tab import VerdictTab

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


def scoring() -> list[Event]:
    """Events of a rating that scores its factors."""
    return [
        Started(id="x", kind="rate"),
        StageStarted(stage=Stage.ADMISSIBILITY, total=5),
        StageStarted(stage=Stage.CATEGORIES),
        StageStarted(stage=Stage.FACTORS),
        StageStarted(stage=Stage.SCORES, total=len(FACTORS)),
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
        "prose": Prose(text=WHY),
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
                source="read", trust=0.4, standing=standing)
    for name, expected, standing in (
        ("Wordplay", 4.6, 0.96), ("Comic logic", 3.9, 0.88), ("Surprise", 3.7, 0.86), ("Clarity", 3.4, 0.7),
        ("Timing", 3.2, 0.6), ("Economy", 3.1, 0.5), ("Wit", 3.0, 0.5), ("Structure", 2.9, 0.4),
        ("Originality", 2.4, 0.3), ("Relatability", 1.8, 0.08),
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
    trial = Trial(kind="cut", text="If smoking is bad, how come it cures salmon?", change="for you", p_better=0.78)
    words = (
        "Works. It turns on “cures”, and both meanings fit to the last word.\n"
        "Weakens. “for you” and “also” could go; the dots break the run-up.\n"
        f"Try. {trial.text}\nPeople would put it higher than an editor does."
    )
    audience = Audience(percentile=percentile, score=1.2, low=70.0, high=98.0, kind="one-liners", agreement=0.66)
    kinds = (("Pun", 0.9, True), ("Twisted logic", 0.7, True), ("Food and drink", 0.6, True), ("Irony", 0.3, False))
    values: dict[str, object] = {
        "admissibility": read_checks(),
        "categories": tuple(category(*kind) for kind in kinds),
        "factors": READ_FACTORS,
        "audience": audience,
        "turn": CURES,
        "remarks": (
            Remark(text="“A … is …” is a familiar form.", about="form", right=0.83),
            Remark(
                text="“for you” could go.", about="cut", right=0.74, start=FOR_YOU.start, end=FOR_YOU.end, trial=trial
            ),
            Remark(text="“cures” has two meanings.", about="heard", right=0.91, start=CURES.start, end=CURES.end),
            Remark(text="It is a guess.", about="form", right=0.69),
        ),
        "explanation": words,
        "stage_seconds": {"reading": 0.5, "explanation": 0.3},
        "usage": Usage(tokens_evaluated=60, seconds=0.8),
    }
    return rating(identity, text, **{**values, **changes})


BIT = (
    "I started seeing a therapist in March. She’s very good. She has a clock that faces her, and I can see it in her "
    "glasses, so I always know how long I’ve got left to be interesting. She asked what brought me there. I said the "
    "bus. She wrote that down. I don’t know what she wrote, but it took longer than “bus.” She told me I use humour to "
    "avoid intimacy. So I told my wife, and she said, what humour?"
)


def bit_reading(identity: str = "r4") -> RatingResult:
    """A rating of a longer text: where people would laugh, and a sentence that could go."""
    chances = (0.1, 0.2, 0.7, 0.1, 0.6, 0.15, 0.5, 0.1, 0.8)
    laughs = tuple(Laugh(start=a, end=b, p=p) for (a, b), p in zip(sentences(BIT), chances, strict=True))
    start, end = laughs[1].start, laughs[1].end
    trial = Trial(kind="cut", text=BIT.replace("She’s very good. ", ""), change="", p_better=0.5)
    cut = Remark(text="“She’s very good” could go: 1 s less, and nothing behind it needs it.", about="cut",
                 start=start, end=end, trial=trial)  # fmt: skip
    return read_rating(identity, BIT, 55.0, laughs=laughs, turn=None, remarks=(cut,))


def plain_reading(identity: str, text: str, percentile: float) -> RatingResult:
    """A rating of another text that is one reading of it, with nothing to mark."""
    return read_rating(identity, text, percentile, turn=None, remarks=(), explanation=None)


def parallel_reading(identity: str = "r3") -> RatingResult:
    """A rating of the first example that is one reading of it."""
    turn = Span(start=PARALLEL.index("never meet"), end=len(PARALLEL) - 1, text="never meet", p=0.8)
    words = "Works. It turns on “never meet”, and both meanings fit.\nWeakens. The form is a familiar one."
    audience = Audience(percentile=64.0, score=0.9, low=24.0, high=93.0, kind="one-liners", agreement=0.66)
    return read_rating(identity, PARALLEL, audience=audience, turn=turn, remarks=(), explanation=words)


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
            {"name": "pair", "share": 0.6, "log_odds_a": 1.3},
            {"name": "alone", "share": 0.4, "log_odds_a": 0.6},
        ),
        "length_controlled": ProbabilityA(p_a=0.77),
        "explanation": "A wins because never meet closes both senses at once, while B’s impossible to put down is a "
        "phrase most people have heard.\nB is quicker to read and just as clear.",
        "usage": Usage(tokens_evaluated=210, tokens_reused=1890, seconds=4.4),
        "model": MODEL,
    }
    values |= changes
    p_a = values["p_a"]
    if "winner" not in changes and isinstance(p_a, float):
        values["winner"] = "tie" if 0.4 < p_a < 0.6 else "A" if p_a > 0.5 else "B"
    return DuelResult.model_validate(values)


SPITE, INK = (f"Our printer has two settings: out of paper and out of {word}." for word in ("spite", "ink"))


def read(text: str | None, turn: str = "", **changes: object) -> DuelText:
    """What a duel read in one text; ``turn``: the words on which it turns."""
    span = None
    if text is not None and turn:
        start = text.index(turn)
        span = Span(start=start, end=start + len(turn), text=turn, p=0.9)
    values: dict[str, object] = {"turn": span, "said": "joke", "kind": "one-liners", "agreement": 0.66}
    return DuelText.model_validate({**values, **changes})


READ: dict[str, object] = {
    "consistent": None, "position_bias": None, "orders": (), "explanation": None, "length_controlled": None,
    "shares": ({"name": "drafts", "share": 1.0, "log_odds_a": 0.94},), "audience": ProbabilityA(p_a=0.6),
}  # fmt: skip
WORD: dict[str, object] = {
    **READ, "text_a": SPITE, "text_b": INK, "p_a": 0.72, "confidence_factor": 2.57, "edit": "word", "people": 62,
    "read_a": read(SPITE, "out of spite"), "read_b": read(INK, "out of ink"),
}  # fmt: skip
"""A duel of two drafts that differ in one word, which was read."""
READ_APART: dict[str, object] = {
    **READ, "text_a": PARALLEL, "text_b": GRAVITY, "winner": "B", "p_a": 0.24, "confidence_factor": 3.2,
    "edit": "different", "shares": (), "read_a": read(PARALLEL, "never meet"), "read_b": read(GRAVITY, "put down"),
}  # fmt: skip
"""A duel of two different jokes, which was read."""
LONG = " ".join(f"On day {n} the bus was late, and the driver said so was he." for n in range(1, 30))

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
        "glance": kind.glance(result),
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


def tell(tab: VerdictTab, job: Job, *events: object) -> None:
    """Events of a job as they come in one burst, and what the window then does."""
    for event in events:
        tab.handle(job, event)
    QApplication.processEvents()
