"""A text against itself: whole sentences again, the turn never cut away, and the same answer whatever was read."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.verdicts import Sense, Span, Wordplay
from jokejudge_gui.engine.base import CancelToken, Scan
from jokejudge_gui.heads.drafts import DraftComparison, DraftReading
from jokejudge_gui.heads.sense import SenseReading
from jokejudge_gui.judge.rating.against_itself import against_itself, cuts_of, offered
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.judge.reader import STRAIGHT, Reader
from tests.fake_engine import FakeEngine

PADDED = "To be honest, my umbrella has one rule, which I respect: it stays at home, and I get soaked."


def cuts(text: str, turn: str = "") -> list[str]:
    start = text.index(turn) if turn else 0
    return [version.text for version in cuts_of(text, (start, start + len(turn)) if turn else None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PADDED, "My umbrella has one rule, which I respect: it stays at home, and I get soaked."),
        (PADDED, "To be honest, my umbrella has one rule: it stays at home, and I get soaked."),
        ("So, basically, my boss told me to rest, so I went home.", "My boss told me to rest, so I went home."),
        ("I don't know if you've noticed this, but our wind is loud.", "Our wind is loud."),
        ("This is a true story. The groom's mother went.", "The groom's mother went."),
        ("He fought in two wars, and he was brave, and in neither did anyone ask him.",
         "He fought in two wars, and in neither did anyone ask him."),
        ("My dog ate the lot, haha. Get it? Because he was hungry.", "My dog ate the lot."),
        ("It was a completely odd book that I ate right now.", "It was an odd book that I ate right now."),
        ("He's been kind of leaving. We gave him clocks.", "He's been leaving. We gave him clocks."),
        ("My uncle sells maps, you know.", "My uncle sells maps."),
        ("I think that my doctor is kind.", "My doctor is kind."),
    ],
)  # fmt: skip
def test_what_an_editor_would_cut_is_proposed_as_a_whole_sentence(text: str, expected: str) -> None:
    assert expected in cuts(text)


@pytest.mark.parametrize(
    "text",
    [
        "The very thing he feared. How really tall he is.",
        "It was not really a holiday.",
        "She was so completely alone that the post stopped.",
        "So far he's got the cat to stop coming in.",
        "Thank you for your note, which I couldn't read for your knocking. In future, kindly knock in B flat.",
        "I asked her for a wish. So I remembered it.",
        "He had a lovely dog. By which I mean a cat.",
        "We named the dog Deadline, because he comes closer while I do nothing.",
    ],
)
def test_words_that_are_needed_stay(text: str) -> None:
    assert cuts(text) == []


def test_nothing_of_the_turn_goes_but_words_of_emphasis() -> None:
    text = "We share a bed, which the dog completely owns, and I sleep on the floor."
    assert cuts(text, "which the dog completely owns") == [
        "We share a bed, which the dog owns, and I sleep on the floor."
    ]
    assert "We share a bed, and I sleep on the floor." in cuts(text, "I sleep on the floor")


@given(st.text(max_size=200), st.integers(0, 200), st.integers(1, 40))
def test_any_text_gives_versions_without_blanks_around_them(text: str, start: int, length: int) -> None:
    versions = [*cuts_of(text, (start, start + length))]
    assert all(version.text.strip() == version.text for version in versions)
    assert all(0 <= first < last <= len(text) for version in versions for first, last in version.pieces)


@pytest.mark.parametrize(
    ("kind", "draft", "joke", "shown"),
    [("aside", 2.0, 0.0, True), ("aside", 1.0, 0.0, False), ("aside", 2.0, -0.3, False), ("weak", -0.4, 0.0, True),
     ("weak", -0.6, 0.0, False), ("weak", 3.0, -0.3, False), ("around", 0.1, -0.5, True)],
)  # fmt: skip
def test_an_edit_that_the_heads_dislike_is_not_offered(kind: str, draft: float, joke: float, shown: bool) -> None:
    assert offered(kind, draft, joke) is shown  # type: ignore[arg-type]


class Engine(FakeEngine):
    """Finds one word unlikely; keeps what it read."""

    texts: tuple[str, ...] = ()

    def scan(self, text: str, cancel: CancelToken | None = None) -> Scan:
        self.texts += (text,)
        spans, place = [], 0
        for word in text.split(" "):
            spans.append((place, place + len(word)))
            place += len(word) + 1
        logprobs = [-12.0 if "soaked" in text[a:b] or "right?" in text[a:b] else -1.0 for a, b in spans]
        return Scan(np.ones((len(spans), self.info.embedding_size), np.float32), np.array(logprobs), tuple(spans))


class Drafts:
    def compare(self, a: DraftReading, b: DraftReading) -> DraftComparison:
        odds = 3.0 if "honest" not in a.text else -3.0
        return DraftComparison(0.9, odds, odds, 0.8, {}, None)


class SenseOf:
    """Heads that find a joke everywhere."""

    class Read:
        sense = Sense(joke=0.9, whole=0.9, said="joke")

    def read(self, *_: object) -> Read:
        return self.Read()


def test_the_word_that_carries_it_and_what_could_go() -> None:
    engine = Engine()
    reader = Reader(engine, drafts=Drafts(), sense=SenseOf())  # type: ignore[arg-type]
    start = PADDED.index("I get")
    turn = Span(start=start, end=len(PADDED) - 1, text=PADDED[start:-1], p=0.9)
    draft = RatingResult(id="1", text=PADDED, turn=turn)
    remarks = against_itself(reader, draft, 0.9)
    assert [(remark.about, remark.text) for remark in remarks] == [
        ("carries", "“soaked” carries it."),
        ("cut", "“To be honest” could go."),
    ]
    assert remarks[1].trial.text == cuts(PADDED)[1]
    assert PADDED[remarks[0].start : remarks[0].end] == "soaked"
    read = engine.texts
    assert against_itself(reader, draft, 0.9) == remarks
    assert engine.texts == read
    assert against_itself(Reader(engine), draft, 0.9) == ()
    tag = "My dentist told me I needed a crown. I was like, I know, right?"
    turned = Span(start=tag.index("I know"), end=len(tag) - 1, text="I know, right", p=0.9)
    (remark,) = against_itself(reader, RatingResult(id="2", text=tag, turn=turned), 0.9)
    assert (remark.text, remark.trial) == ("“right” carries it.", None)


def test_of_a_text_in_doubt_it_says_where_it_would_turn_and_which_fillers_could_go() -> None:
    reader = Reader(Engine(), drafts=Drafts(), sense=SenseOf())  # type: ignore[arg-type]
    for p, where, right in ((0.9, "at", 0.82), (0.6, "around", None)):
        turn = Span(start=PADDED.index("soaked"), end=len(PADDED) - 1, text="soaked", p=p)
        doubted = Sense(joke=0.3, whole=0.9, said="unsure")
        remarks = against_itself(reader, RatingResult(id="1", text=PADDED, turn=turn, sense=doubted), 0.9)
        assert [remark.text for remark in remarks] == [
            f"If it turns, then {where} “soaked”.",
            "“To be honest” could go.",
        ]
        assert remarks[0].right == right


def test_an_edit_whose_result_is_doubted_is_not_offered() -> None:
    class Doubting:
        """Heads that find a joke in some texts alone."""

        def __init__(self, jokes: Collection[str]) -> None:
            self._jokes = jokes

        def read(self, text: str, *_: object) -> SenseReading:
            said = "joke" if text in self._jokes else "unsure"
            return SenseReading(None, None, Sense(joke=0.9, whole=0.9, said=said))  # type: ignore[arg-type]

    for jokes, edits in (((PADDED.translate(STRAIGHT),), 0), ((), 1)):
        reader = Reader(Engine(), drafts=Drafts(), sense=Doubting(jokes))  # type: ignore[arg-type]
        remarks = against_itself(reader, RatingResult(id="1", text=PADDED), 0.9)
        assert sum(remark.trial is not None for remark in remarks) == edits


def test_nothing_can_go_from_a_short_text_without_words_too_many() -> None:
    text = "I've got nothing against early risers. I've just never met one awake."
    reader = Reader(Engine(), drafts=Drafts(), sense=SenseOf())  # type: ignore[arg-type]
    draft = RatingResult(id="1", text=text)
    pun = draft.replaced(wordplay=Wordplay(start=0, end=4, text="I've", second="hives", link="sound", p=0.9))
    assert [remark.text for remark in against_itself(reader, pun, 0.1)] == ["Nothing can go."]
    alone = against_itself(reader, draft, 0.1)  # it would help nobody
    assert against_itself(reader, pun, 0.4) == alone == ()
