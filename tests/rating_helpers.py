"""A rating over the fake engine, and models with given answers."""

from __future__ import annotations

from jokejudge_gui.core.events import Cancelled, Event, Failed, Finished, Last
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.session.session import Session

JOKE = "I told my doctor I broke my arm in two places. He told me to stop going to those places."


def rate(session: Session, text: str = JOKE, **options: object) -> list[Event]:
    return list(session.rate(text, **options))  # type: ignore[arg-type]


def result_of(events: list[Event]) -> RatingResult:
    last = events[-1]
    assert isinstance(last, Finished | Failed | Cancelled)
    assert isinstance(last.result, RatingResult)
    assert sum(isinstance(event, Last) for event in events) == 1
    return last.result


REJECTING = ("plain information", "break off", "hate or violence", "random words", "rare special")


def is_category(question: str) -> bool:
    return question.endswith("Kind of joke:")


def admit(_prompt: str, question: str, label: str) -> float:
    """Answer every check as for a fine joke, without a preferred category."""
    if not question.endswith("? Answer:"):
        return 0.0
    wants_no = any(words in question for words in REJECTING)
    return 4.0 if ("no" in label.lower()) == wants_no else 0.0


def pun(prompt: str, question: str, label: str) -> float:
    if is_category(question):
        return 6.0 if label == " pun" else 0.0
    return admit(prompt, question, label)
