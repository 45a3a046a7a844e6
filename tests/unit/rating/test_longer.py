"""Longer texts: their sentences, where people would laugh, what could go, and whether their parts work as jokes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jokejudge_gui.core.pages import as_html, as_lines, as_markdown
from jokejudge_gui.core.room import RoomLaugh, without_marks
from jokejudge_gui.core.verdicts import Laugh
from jokejudge_gui.core.words import SPOKEN_PER_SECOND, WORD, is_long, sentences
from jokejudge_gui.engine.base import CancelToken, Scan
from jokejudge_gui.heads.laughs import FORM, LaughsHead
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.rating.longer import cuts_of, in_a_room, needs_before, parts_of, remarks_on
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.judge.reader import Reader
from jokejudge_gui.judge.set.record import Bit, SetResult
from jokejudge_gui.session import session
from tests import head_builder
from tests.fake_engine import FakeEngine
from tests.known_calibration import MakeSession
from tests.rating_helpers import rate, result_of

SHA, SIZE = "f" * 64, 8
BIT = (
    "I have a dog now. He is called Mr. Brown, and he came with a name! Was that wise? I asked my wife, who is older. "
    "She said nothing at all that day. Then the dog looked up and he said it for her! We have not spoken since then. "
    "The house is very quiet these days, and so is the dog. I think that he is waiting for something to happen now."
)


def written(folder: Path, **changes: Any) -> LaughsHead:
    """A head that expects a laugh after every exclamation, whoever speaks."""
    line = np.zeros((2, 3, 2 * SIZE + FORM))
    line[:, 1, 2 * SIZE + 4] = 6.0
    arrays = {"centre": np.zeros(SIZE), "scale": np.ones(SIZE), "gate": np.zeros(SIZE + 1),
              "line": line.reshape(2, -1), "offset": np.full(2, -3.0)}  # fmt: skip
    return head_builder.written(
        LaughsHead, folder, {"format": 1, "model_sha256": SHA, "area": 0.7}, {**arrays, **changes}
    )


@pytest.fixture
def head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LaughsHead:
    monkeypatch.setattr(session, "models_dir", lambda: tmp_path)
    return written(tmp_path / "laughs")


def test_sentences_end_at_marks_and_lines_but_not_in_names_quotations_and_pauses() -> None:
    text = 'Mr. Poe asked "Why?" and left... or not.\nNo dot here\n\n"Go!" he said. e.g. this. ok then'
    assert [text[a:b] for a, b in sentences(text)] == [
        'Mr. Poe asked "Why?" and left... or not.', "No dot here", '"Go!" he said.', "e.g. this.", "ok then",
    ]  # fmt: skip
    assert is_long(BIT)
    assert not is_long("Knock knock. Who's there? Lettuce. Lettuce who? Lettuce in.")


def test_a_rating_says_where_people_would_laugh(head: LaughsHead, make_session: MakeSession) -> None:
    result = result_of(rate(make_session(), BIT))
    marked = [result.text[one.start : one.end] for one in result.laughs if one.mark == "likely"]
    assert len(result.laughs) == 9
    assert marked == [one for one in (result.text[a:b] for a, b in sentences(BIT)) if one.endswith("!")]
    assert KINDS["rate"].contract(result)["laughs"][0].keys() == {"start", "end", "p"}
    assert not result_of(rate(make_session(), "A short joke about a dog that isn't there.")).laughs


def scan_of(text: str, states: Sequence[float]) -> Scan:
    """A scan of one token for each sentence, all of whose states are one number."""
    return Scan(np.repeat(np.array(states, np.float32)[:, None], SIZE, 1), np.zeros(len(states)), sentences(text))


def test_a_laugh_depends_on_the_sentence_before_its_own_and_the_next_by_their_own_weights(tmp_path: Path) -> None:
    text, weights = "He came in. He sat down. He left again.", (0.25, 0.5, -1.0)
    line = np.zeros((2, 3, 2 * SIZE + FORM))
    line[0, :, 0] = weights  # the end
    line[0, :, SIZE] = weights  # the mean, which is the same for a sentence of one token
    head = written(
        tmp_path, line=line.reshape(2, -1), offset=np.array([-1.0, 5.0]), gate=np.array([0.0] * SIZE + [-50.0])
    )
    odds = [math.log(one.p / (1.0 - one.p)) for one in head.of_scan(text, scan_of(text, (1.0, 2.0, 3.0)))]
    assert odds == pytest.approx([-1 + 2 * (0.5 - 2.0), -1 + 2 * (0.25 + 1.0 - 3.0), -1 + 2 * (0.5 + 1.5)], abs=1e-4)


def test_the_states_of_a_text_say_whether_one_person_speaks_and_so_which_line_counts(tmp_path: Path) -> None:
    text = "He came in. He sat down."
    head = written(tmp_path, offset=np.array([-2.0, 2.0]), gate=np.array([10.0] * SIZE + [0.0]))
    for state, odds in ((1.0, 2.0), (-1.0, -2.0), (0.0, 0.0)):
        for one in head.of_scan(text, scan_of(text, (state, state))):
            assert math.log(one.p / (1.0 - one.p)) == pytest.approx(odds, abs=1e-3)


def test_a_text_that_works_has_as_many_laughs_a_second_as_the_recordings() -> None:
    spans = sentences(BIT)
    laughs = tuple(Laugh(start=a, end=b, p=0.05 * (n % 4) + 0.01) for n, (a, b) in enumerate(spans))
    given = in_a_room(BIT, laughs)
    assert sum(one.p for one in given) == pytest.approx(0.142 * len(WORD.findall(BIT)) / SPOKEN_PER_SECOND, rel=0.01)
    assert sorted(given, key=lambda one: one.p) == [given[spans.index((one.start, one.end))] for one in
                                                    sorted(laughs, key=lambda one: one.p)]  # fmt: skip
    assert in_a_room("", ()) == ()


def test_the_page_marks_laughs_tags_and_the_longest_stretch_and_every_surface_draws_it() -> None:
    chances = (0.1, 0.9, 0.5, 0.1, 0.1, 0.1, 0.9, 0.1, 0.1)
    laughs = tuple(Laugh(start=a, end=b, p=p) for (a, b), p in zip(sentences(BIT), chances, strict=True))
    room = tuple(RoomLaugh(at=laughs[place].end) for place in (0, 2, 6))
    record = RatingResult(id="r", text=BIT, mean_score=3.0, laughs=laughs, room=room)
    page = KINDS["rate"].words(record)
    assert page.headline == "Two likely laughs, one more may come"
    assert [one.mark for one in page.sentences] == ["", "likely", "maybe", "", "", "", "likely", "", ""]
    assert [one.beside for one in page.sentences if one.mark] == ["6 s", "tag, 1 s", "11 s"]
    assert [place for place, one in enumerate(page.sentences) if one.flat] == [3, 4, 5]
    named = {row.name: row.text for row in page.rows}
    assert named["Longest without a laugh"].startswith("11 s, from “I asked my wife")
    assert "No end yet" in named
    assert "● He is called Mr. Brown, and he came with a name! (6 s)" in as_lines(page)
    assert '<li class="likely"><span dir="auto">He is called' in as_html([page], "A bit")
    assert "- ● He is called Mr. Brown" in as_markdown([page])
    assert [one.room for one in page.sentences] == [place in (0, 2, 6) for place in range(9)]
    assert (
        sum("◆" in line for line in as_lines(page)) == sum("◆" in line for line in as_markdown([page]).split("\n")) == 4
    )
    own = next(row for row in page.rows if row.name == "Your room")
    disagreed = ["Laughed, though none was expected", "Likely, but no laugh", "Laughed, where it may come"]
    assert [row.name for row in own.rows] == disagreed
    apart = RatingResult(id="r", text=BIT.replace(" " + BIT[slice(laughs[2].start, laughs[2].end)],
                         "\n" + BIT[slice(laughs[2].start, laughs[2].end)]), mean_score=3.0, laughs=laughs)  # fmt: skip
    assert "tag" not in KINDS["rate"].words(apart).sentences[2].beside


def test_marks_side_by_side_are_one_laugh_of_their_sum() -> None:
    text, room = without_marks("Ah. [laugh] [laugh][laugh 2] Oh. [laugh]")
    assert (text, [one.strength for one in room]) == ("Ah. Oh.", [3, 1])


class Expecting(FakeEngine):
    """Expects nothing behind a text that lacks the wife."""

    def scan_together(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[Scan]:
        scans = super().scan_together(texts, cancel)
        return [
            Scan(one.states, np.full(len(one.spans), -1.0 if "wife" in text else -3.0, np.float32), one.spans)
            for text, one in zip(texts, scans, strict=True)
        ]


def test_a_sentence_that_nothing_needs_could_go_and_one_that_sets_something_up_stays(head: LaughsHead) -> None:
    laughs = tuple(Laugh(start=a, end=b, p=0.9 if BIT[b - 1] == "!" else 0.1) for a, b in sentences(BIT))
    needed = {BIT[slice(*piece)]: nats for piece, nats, _ in cuts_of(Reader(Expecting(), laughs=head), BIT, laughs)}
    assert max(needed, key=lambda one: needed[one]) == "I asked my wife, who is older."
    assert needed["I asked my wife, who is older."] > 0.0 == needed["We have not spoken since then."]
    idle = laughs[4]
    (remark,) = remarks_on(BIT, None, [((idle.start, idle.end), -1.0, True)])
    assert remark.text.startswith("“She said nothing at all that day” could go: 2 s less")
    assert remark.trial.text == BIT.replace("She said nothing at all that day. ", "")


@pytest.mark.parametrize(
    ("behind", "needs"),
    [(" He met me last week.", True), (" It’s a shop.", True), (" The rent went up.", False), ("", False)],
)
def test_a_sentence_that_the_next_one_speaks_of_could_not_go(behind: str, needs: bool) -> None:
    assert needs_before(behind) is needs


def test_parts_of_a_longer_text_are_whole_sentences_and_the_weakest_is_told() -> None:
    text = " ".join([BIT] * 3)
    parts = list(parts_of(text))
    assert [text[a - 2 : a] for a, _ in parts[1:]] == [". "] * (len(parts) - 1)
    assert " ".join(text[a:b] for a, b in parts) == text
    assert max(len(text[a:b].split()) for a, b in parts) <= 100
    assert [remark.about for remark in remarks_on(text, parts[1], ())] == ["weak"]


def test_a_set_counts_laughs_in_its_long_bits_alone_and_says_so() -> None:
    laughs = tuple(Laugh(start=a, end=b, p=0.9 if n == 1 else 0.1) for n, (a, b) in enumerate(sentences(BIT)))
    bits = (Bit(id="1", text=BIT, laughs=laughs), Bit(id="2", text="A short joke."))
    (row,) = (row for row in KINDS["set"].words(SetResult(id="s", bits=bits)).rows if row.name == "Laughs")
    assert row.text.startswith("1 likely, ")
    assert row.text.endswith(", in the longer bits (1 of 2).")
