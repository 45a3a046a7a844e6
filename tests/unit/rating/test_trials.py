"""Edits of a joke are foreseen without reading, read where they promise something, and shown where they hold it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.statistics import sigmoid
from jokejudge_gui.core.verdicts import Span
from jokejudge_gui.engine.base import CancelToken, FloatArray, Prompt
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.heads.drafts import DraftComparison, DraftReading
from jokejudge_gui.heads.editor import SpanReading
from jokejudge_gui.judge.rating.edits import MOST_READ, leaves_punchline, try_edits
from jokejudge_gui.judge.rating.record import RatingResult, Trial
from jokejudge_gui.judge.reader import Reader
from tests.fake_engine import FakeEngine
from tests.head_builder import meta, parts, save

PADDED = "My umbrella really has one rule with me: it stays at home, and basically I get wet."
LEAN = "My umbrella has one rule with me: it stays at home, and I get wet."


class CountingEngine(FakeEngine):
    """Keeps the texts that it read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def embed(
        self, texts: Sequence[str], cancel: CancelToken | None = None, *, prompt: Prompt = ()
    ) -> list[FloatArray]:
        found = super().embed(texts, cancel, prompt=prompt)
        self.read.extend(texts)
        return found


class Heads:
    """Draft heads that like ``odds`` by text better than any other text; ``once_read``: what they like then."""

    def __init__(self, odds: dict[str, float], once_read: dict[str, float] | None = None) -> None:
        self.odds, self.once_read = odds, odds if once_read is None else once_read
        self.read: list[str] = []

    def compare(self, a: DraftReading, b: DraftReading) -> DraftComparison:
        odds = (self.once_read if a.text in self.read else self.odds).get(a.text, -2.0)
        return DraftComparison(sigmoid(odds), odds, odds, 0.8, {}, None)


def tried(
    text: str, heads: Heads, cuts: Sequence[str] = (), head: AudienceHead | None = None, **options: Any
) -> tuple[tuple[Trial, ...], list[str]]:
    """What is shown of ``text``, and what was read for it after the text itself."""
    engine = CountingEngine()
    heads.read = engine.read
    reader = Reader(engine, head, drafts=heads)  # type: ignore[arg-type]
    heard = reader.read(text)
    draft = RatingResult(id="r", text=text)
    draft.audience = reader.audience(heard)
    engine.read.clear()
    spans = [SpanReading(start=text.index(cut), end=text.index(cut) + len(cut), text=cut, p=0.9) for cut in cuts]
    return try_edits(reader, draft, spans, **options), engine.read


def test_an_edit_that_promises_nothing_is_not_read() -> None:
    assert tried(PADDED, Heads({LEAN: 0.3}, {LEAN: 5.0})) == ((), [])


def test_an_edit_that_holds_what_it_promised_is_read_once_and_shown_with_its_audience(profile: Profile) -> None:
    sha256 = FakeEngine().info.sha256
    head = AudienceHead.load(save(profile.heads, parts() | {"meta": meta(model_sha256=sha256)}, "x.npz"))
    (trial,), read = tried(PADDED, Heads({LEAN: 3.0}), head=head)
    assert read == [LEAN]
    assert (trial.kind, trial.text, trial.change) == ("cut", LEAN, "really basically")
    assert trial.p_better == sigmoid(3.0)
    fresh = Reader(FakeEngine(), head)
    expected = fresh.audience(fresh.read(LEAN))
    assert expected is not None
    assert trial.percentile == expected.percentile


def test_only_the_most_promising_are_read_and_the_best_is_named_first() -> None:
    one = PADDED.replace("really ", "")
    other = PADDED.replace("basically ", "")
    heads = Heads({LEAN: 1.0, one: 1.5, other: 3.0}, {LEAN: 4.0, one: 3.0, other: 2.5})
    shown, read = tried(PADDED, heads, cuts=[" really", " basically"])
    assert read == [other, one]
    assert [trial.text for trial in shown] == [one, other]
    assert len(read) == MOST_READ


@pytest.mark.parametrize(
    ("edit", "p", "whole"),
    [
        ("The umbrella stays at home. I get wet.", 0.9, True),
        ("The umbrella stays at home. I never get wet.", 0.9, False),
        ("The umbrella stays at home.", 0.9, False),
        ("I get wet. The umbrella stays.", 0.9, True),
        ("The umbrella stays at home. I get wet.", 0.5, False),
        ("The umbrella stays. I get wet. Every week, as you know.", 0.5, True),
    ],
)
def test_no_edit_takes_the_punchline_or_what_stands_behind_a_doubtful_one(edit: str, p: float, whole: bool) -> None:
    text = "The umbrella stays at home. I get wet. Every week, as you know."
    start = text.index("I get wet")
    turn = Span(start=start, end=start + len("I get wet"), text="I get wet", p=p)
    assert leaves_punchline(text, Trial(kind="cut", text=edit, change="", p_better=0.0), turn) is whole
