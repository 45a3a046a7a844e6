"""Answers to System One requests about jokes: typed questions about a state, each answered by probabilities.

A yes-or-no question (``noul``) and a ``score`` ask how well people would like the state, a text; a ``choice`` asks
which of its options they would like best, with the state as their topic or scene. Instructions are read only so far as
to leave out questions about something else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from statistics import NormalDist
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from ..core.errors import UsageError, unfit
from ..engine.base import CancelToken
from ..judge.judged_kind import without_events
from .session import Session

_PULL = 0.75
"""Log-odds of a pair for a difference of log-odds, as in duels of unlike texts (``heads/audience.py``)."""
_LEAST = 0.01
_ABOUT = re.compile(r"fun|joke|laugh|amus|humou?r|hilar|wit|comi|caption|pun|like|best|better|score", re.IGNORECASE)


def _by_name(options: Any) -> Any:
    texts = isinstance(options, list) and all(isinstance(option, str) for option in options)
    return dict.fromkeys(options) if texts else options


class _Noul(BaseModel):
    type: Literal["noul"]
    instructions: Any = None


class _Choice(BaseModel):
    type: Literal["choice"]
    instructions: Any = None
    criteria: Annotated[
        dict[str, str | None],
        BeforeValidator(_by_name),
        Field(min_length=2, max_length=255, validation_alias=AliasChoices("criteria", "options")),
    ]


class _Score(BaseModel):
    type: Literal["score"]
    instructions: Any = None
    criteria: Annotated[list[Any], Field(min_length=2, max_length=10)]


_Question: TypeAlias = Annotated[_Choice | _Score | _Noul, Field(discriminator="type")]


class _Request(BaseModel):
    state: Any = ""
    questions: Annotated[dict[str, _Question], Field(min_length=1)]


def answers(session: Session, request: object, cancel: CancelToken | None = None) -> dict[str, Any]:
    """Return the response to a request. Raises ``UsageError`` ``E_REQUEST`` for one of another form, or one without a
    question that can be answered."""
    try:
        asked = _Request.model_validate(request)
    except ValidationError as error:
        place = [part for part in error.errors()[0]["loc"] if isinstance(part, str)]
        raise unfit(error, ".".join(place[:2] + place[3:]) or "request") from error  # the third is the type's name
    state = asked.state if isinstance(asked.state, str) else json.dumps(asked.state, ensure_ascii=False)
    if isinstance(asked.state, dict):
        state = str(asked.state.get("text") or asked.state.get("joke") or state)
    questions = {
        name: question
        for name, question in asked.questions.items()
        if not question.instructions or _ABOUT.search(json.dumps(question.instructions))
    }
    if not questions:
        raise UsageError("E_REQUEST", "No question is about jokes.", "Ask how funny a text is, or which is the best.")
    texts = {name: _texts(one, state) for name, one in questions.items()}
    flat = [text for some in texts.values() for text in some]
    standings = without_events(session.scorer.standings(flat, cancel))
    given = {name: _answer(one, [next(standings).score for _ in texts[name]]) for name, one in questions.items()}
    judge = session.judge
    assert judge is not None
    usage = {"input_tokens": judge.usage.tokens_evaluated, "output_tokens": 0}
    left = [f"The question {name} isn't about how funny a text is." for name in asked.questions.keys() - questions]
    return {"model": judge.model.name, "answers": given, "usage": usage, "warnings": left}


def _texts(question: _Question, state: str) -> list[tuple[str, str]]:
    if isinstance(question, _Choice):
        return [(text or name, state) for name, text in question.criteria.items()]
    return [(state, "")]


def _answer(question: _Question, scores: Sequence[float]) -> dict[str, Any]:
    inside = [min(max(score, _LEAST), 1.0 - _LEAST) for score in scores]
    if isinstance(question, _Choice):
        weights = [(odds / (1.0 - odds)) ** _PULL for odds in inside]
        shares = dict(zip(question.criteria, (weight / sum(weights) for weight in weights), strict=True))
        first = max(shares, key=shares.__getitem__)
        return {"type": "choice", "choice": first, "confidence": _sure(shares), "probabilities": shares}
    if isinstance(question, _Score):
        levels, normal = len(question.criteria), NormalDist()
        place = NormalDist(normal.inv_cdf(inside[0]))
        cuts = [0.0, *(place.cdf(normal.inv_cdf(level / levels)) for level in range(1, levels)), 1.0]
        shares = {str(level): cuts[level + 1] - cuts[level] for level in range(levels)}
        expected = math.fsum(level * share for level, share in enumerate(shares.values()))
        legend = {str(level): words for level, words in enumerate(question.criteria)}
        more = {"legend": legend, "confidence": _sure(shares), "probabilities": shares}
        return {"type": "score", "score": expected, **more}
    return {"type": "noul", "noul": scores[0]}


def _sure(shares: dict[str, float]) -> float:
    """Return 0 for even shares, 1 for a certain one."""
    spread = -math.fsum(share * math.log(share) for share in shares.values() if share)
    return max(0.0, 1.0 - spread / math.log(len(shares)))
