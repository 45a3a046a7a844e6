"""The rating as a kind of verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.languages import is_english
from ...core.pages import Page
from ...core.verdict_kinds import Subject, VoteScore, dumped, scale_of
from ...core.verdicts import Span, VerdictResult
from ...core.words import facts_of
from ..ensemble_words import kin_caution
from ..judged_kind import JudgedKind, Work
from .record import GOOD, RatingRequest, RatingResult
from .words import kinds_of, page, score_of, works

NOT_MEASURED = "How good this model's answers are wasn't measured yet, so everything is asked: take it as a guess."

_NOT_IN_JSON = {
    "forced", "rejection", "spread", "remarks", "context", "everything_asked", "asked_listeners", "asked_turn",
    "budget", "edits",
}  # fmt: skip


class RatingKind(JudgedKind[RatingRequest, RatingResult]):
    """The rating of a joke: admission, kinds, scores, and the audience's estimate."""

    name: ClassVar[str] = "rate"
    noun: ClassVar[str] = "rating"
    verb: ClassVar[str] = "Rate"
    fields: ClassVar[tuple[str, ...]] = ("text",)
    request = RatingRequest
    result = RatingResult
    choices: ClassVar[tuple[str, ...]] = ("up", "down")
    question: ClassVar[str] = "Do you find it funny?"
    deep: ClassVar[bool] = True

    def subjects(self, request: RatingRequest) -> tuple[Subject, ...]:
        return (Subject(text=request.text),)

    def given(self, result: RatingResult) -> dict[str, Any]:
        return {"listeners": result.asked_listeners, "turn": result.asked_turn}

    def asked(self, request: RatingRequest) -> dict[str, Any]:
        turn = None
        if request.turn is not None:
            start, end = request.turn
            turn = Span(start=start, end=end, text=request.text[start:end], p=1.0)
        return {"listeners": (), "asked_listeners": request.listeners, "turn": turn, "asked_turn": request.turn}

    def run(self, draft: RatingResult, request: RatingRequest, work: Work) -> Iterator[Event | RatingResult]:
        from .deep_judge import DeepJudge  # a stored rating is shown without its judge
        from .listeners import ask_listeners, ask_own_faults
        from .rating_judge import RatingJudge

        judge, deep = work.judge, request.mode == "deep"
        draft.warn(kin_caution([request.generator], [judge.engine.info]))
        draft.yours = work.earlier(draft.text)
        draft.everything_asked = request.ask == "all" or judge.plan.asks_everything
        if draft.everything_asked and request.ask == "plan" and not judge.plan.planned:
            draft.warn(NOT_MEASURED)
        if draft.everything_asked or judge.criteria.always:
            yield from judge.calibrate(duel=False)
        rating = RatingJudge(judge, explain=request.explain, critique=deep, seed=request.seed)
        yield from rating.rate(draft)
        if not (draft.admissible or draft.forced):
            return
        if deep:
            yield from DeepJudge(draft, judge, request.budget).reason()
        if request.listeners:
            draft.listeners = ask_listeners(judge, draft.text, request.listeners)
            yield draft
        if judge.criteria.own_faults:
            draft.own_faults = ask_own_faults(judge, draft.text, everything=draft.everything_asked)
            yield draft

    def contract(self, result: RatingResult) -> dict[str, Any]:
        """Return the JSON object; a new field of the record comes after those whose place is fixed."""
        fixed = {
            **dumped(result, "id", "text", "admissible"),
            "admissibility": [
                check.model_dump(include={"check", "p_admit", "passed", "reliable"}) for check in result.admissibility
            ],
            "pathway": result.pathway,
            "categories": [{"name": kind.name, "p": kind.p} for kind in result.categories if kind.chosen],
            "factors": [
                factor.model_dump(include={"name", "score", "expected", "sd", "source", "trust"})
                for factor in result.factors
            ],
            **dumped(result, "max_score", "mean_score", "weighted_score", "weights"),
            "audience": {**result.audience.model_dump(), "said": result.audience.said} if result.audience else None,
            "faults": [{"name": fault.name, "p": fault.p} for fault in result.faults],
            **dumped(result, "turn"),
            "facts": facts_of(result.text, result.turn),
            **dumped(result, "wordplay"),
            "notes": [remark.model_dump(include={"text", "about", "right"}) for remark in result.remarks],
            "note": _note(result),
            "generator": result.generator or None,
            **dumped(result, "panel", "offence", "sense", "listeners", "own_faults", "references", "prose", "tree"),
            "picture": None,  # no model sees pictures
        }
        later = RatingResult.model_fields.keys() - VerdictResult.model_fields.keys() - fixed.keys() - _NOT_IN_JSON
        return {**fixed, **dumped(result, *sorted(later)), **result.contract_end()}

    def words(self, result: RatingResult) -> Page:
        return page(result)

    def columns(self, result: RatingResult) -> dict[str, object]:
        scored = works(result) and is_english(result.text)  # what the page withholds isn't in a table either
        return {
            "text_a": result.text,
            "mean_score": result.mean_score if scored else None,
            "max_score": result.max_score if scored else None,
            "weighted_score": result.weighted_score if scored else None,
            "audience": result.audience.percentile if is_english(result.text) and result.audience else None,
            "admissible": None if result.admissible is None else "yes" if result.admissible else "no",
            "pathway": result.pathway,
            "categories": "; ".join(kinds_of(result)),
            "factors": "; ".join(map(score_of, result.shown_factors if scored else ())),
            "offence": result.offence.p if result.offence else None,
            "wordplay": result.wordplay.sentence if result.wordplay else None,
            "references": "; ".join(reference.text for reference in result.references),
            "listeners": "; ".join(f"{voice.name} {_share(voice.p)}" for voice in result.listeners),
            "own_faults": "; ".join(f"{voice.name} {_share(voice.p)}" for voice in result.own_faults),
        }

    def vote_score(self, result: RatingResult) -> VoteScore | None:
        """Return the head's score where there is one, else the mean."""
        if result.audience is not None:
            return VoteScore(scale=scale_of("audience", result), value=result.audience.score)
        if result.mean_score is not None:
            return VoteScore(scale=scale_of("mean", result), value=result.mean_score)
        return None


def _note(result: RatingResult) -> dict[str, Any] | None:
    """The remarks as the editor's note, and the edits that they propose; None where no editor's head has read it."""
    if not any(kind.source == "read" for kind in result.categories):
        return None
    texts = {
        good: " ".join(one.text for one in result.remarks if (one.about in GOOD) == good) for good in (True, False)
    }
    trials = [remark.trial.model_dump() for remark in result.remarks if remark.trial is not None]
    return {"works": texts[True], "weakens": texts[False], "apart": "", "trials": trials}


def _share(p: float | None) -> str:
    return "not asked" if p is None else f"{p:.2f}"


RATING = RatingKind()
