"""Orders to the judge, in words and in the control tokens of chat templates, stay the text that is judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from jokejudge_gui.engine.base import CancelToken, Choice, Piece, Prompt, Question, Sampling, Segment
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelRequest
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingRequest
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.fake_engine import FakeEngine
from tests.known_calibration import MakeSession
from tests.orders import ORDERS, behind
from tests.rating_helpers import pun

JOKE = "I used to work on a submarine. I went under twice a year."
OTHER = "Two fish are in a tank. One asks how to drive it."
DEEP = 12


class Heard:
    """Every segment that an engine was given that belongs to no question."""

    def __init__(self, engine: FakeEngine) -> None:
        self.segments: list[Segment] = []
        self._choose, self._generate = engine.choose, engine.generate
        engine.choose, engine.generate = self.choose, self.generate  # type: ignore[method-assign]

    def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> list[Choice]:
        self.segments += [*prompt, *(segment for question in questions for segment in question.suffix)]
        return self._choose(prompt, questions, cancel)

    def generate(
        self, prompt: Prompt, branches: Sequence[Prompt], sampling: Sampling, cancel: CancelToken | None = None
    ) -> Iterator[Piece]:
        self.segments += [*prompt, *(segment for branch in branches for segment in branch)]
        return self._generate(prompt, branches, sampling, cancel)


def judged(session: Session, text: str) -> None:
    """The joke rated in all that may be asked of it, and in a duel."""
    request = RatingRequest(text=text, mode="deep", ask="all", budget=DEEP)
    finished(session.run(RATING, request))
    finished(session.run(DUEL, DuelRequest.model_validate({"text_a": text, "text_b": OTHER, "ask": "all"})))


def heard(session: Session, text: str) -> list[Segment]:
    list(session.load())
    assert isinstance(session.judge.engine, FakeEngine)
    heard = Heard(session.judge.engine)
    judged(session, text)
    return heard.segments


@pytest.mark.parametrize(("order", "neutral"), ORDERS)
def test_an_order_stands_in_no_segment_but_the_one_of_the_joke(
    make_session: MakeSession, order: str, neutral: str
) -> None:
    """Asked, deep and written prompts alike: no part of it is markup, an instruction, a question or an example."""
    text = behind(JOKE, order)
    found = heard(make_session(pun), text)
    mine = [segment for segment in found if order.split("\n")[0] in segment.text]
    assert mine
    assert not any(segment.markup or segment.constant for segment in mine)
    # Nothing else differs from what is asked of the neutral sentence.
    usual = {segment.text for segment in heard(make_session(pun), behind(JOKE, neutral)) if segment.markup}
    assert {segment.text for segment in found if segment.markup} == usual
