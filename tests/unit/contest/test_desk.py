"""A ranked list as it is read: its parts, its twins, how far the reading has come, and what a cut keeps."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.judge.contest import desk as desk_module
from jokejudge_gui.judge.contest.desk import VOTES_WHILE_BLIND, Desk, cut_of
from jokejudge_gui.judge.contest.notes import DeskState, EntryNote
from jokejudge_gui.judge.contest.record import HeldDuel, Notes, RankedEntry, Reading
from tests.ranked_entries import ranked_entry


def entry(
    number: int, percentile: float | None = 50.0, agreement: float | None = 0.65, **changes: object
) -> RankedEntry:
    reading = Reading(value=0.0, percentile=percentile, agreement=agreement)
    values = {"id": str(number), "text": f"Joke {number}.", "rank": number, "score": 0.0, "reading": reading}
    return ranked_entry(**{**values, **changes})


def ids(entries: list[RankedEntry]) -> str:
    return " ".join(each.id for each in entries)


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> list[RankedEntry]:
    """Ten: 2 and 5 are twins, 4 isn't meant as a joke, 7 is a heading, 8 is well known, 10 couldn't be read."""
    monkeypatch.setattr(desk_module, "well_known", lambda each: each.id == "8")
    changes: dict[int, dict[str, object]] = {
        2: {"like": ("5",)}, 4: {"joke": False}, 5: {"like": ("2",)}, 7: {"reason": "a heading"},
        10: {"rank": None, "error": ErrorInfo(code="E", sentence="It is empty.")},
    }  # fmt: skip
    return [entry(n, **changes.get(n, {})) for n in range(1, 11)]


def test_the_parts_add_up_to_the_first(entries: list[RankedEntry]) -> None:
    desk = Desk(entries)
    tiles = {tile.part: tile for tile in desk.tiles()}
    assert tiles["all"].count == 10 == sum(tile.count for tile in desk.tiles()[1:])
    assert [tile.title for tile in desk.tiles()] == [
        "10 read", "3 left out", "1 pair of twins", "1 may be well known", "5 to read",
    ]  # fmt: skip
    assert tiles["out"].about == "no joke, a heading, It is empty"
    assert ids(desk.rows("read")) == "1 2 3 6 9"
    assert ids(desk.rows("twins")) == "2"


def test_of_twins_the_one_that_won_their_duel_stays(entries: list[RankedEntry]) -> None:
    lost = HeldDuel(a="2", b="5", p_a=0.1, drafts=True)
    assert ids(Desk(entries, held=[lost]).rows("twins")) == "5"
    assert ids(Desk(entries, held=[lost.replaced(p_a=0.5)]).rows("twins")) == "2"
    assert ids(Desk(entries, Notes({"2": EntryNote(chosen=True)}), held=[lost]).rows("twins")) == "2"


def test_what_was_left_out_can_be_put_back(entries: list[RankedEntry]) -> None:
    desk = Desk(entries, Notes({"7": EntryNote(back=True), "10": EntryNote(back=True)}))
    assert ids(desk.rows("out")) == "4"
    assert ids(desk.rows("read")) == "1 2 3 6 7 9 10"
    assert "10" not in ids(desk.pool("read")).split()  # it has no place


def test_the_next_one_is_the_next_unread_then_those_put_off_then_none(entries: list[RankedEntry]) -> None:
    notes = Notes({"1": EntryNote("keep"), "3": EntryNote("later"), "6": EntryNote(read=True)})
    desk = Desk(entries, notes)
    first = desk.next("read", "2")
    assert first is not None
    assert first.id == "9"
    assert desk.progress("read") == (2, 1, 3)
    notes["2"], notes["9"] = EntryNote("bin"), EntryNote("keep")
    last = desk.next("read", "9")
    assert last is not None
    assert last.id == "3"
    notes["3"] = EntryNote("keep")
    assert desk.next("read", "3") is None
    assert desk.progress("read") == (5, 3, 0)


def test_a_cut_says_how_many_of_those_that_people_would_like_it_keeps() -> None:
    jokes = [entry(n, percentile=100.0 - n) for n in range(1, 101)]
    found = cut_of(jokes, 30)
    assert found.all_liked == pytest.approx(50, abs=1.0)
    assert found.liked is not None
    assert found.at_random is not None
    assert found.at_random == pytest.approx(15, abs=0.5)
    assert found.at_random + 3 < found.liked < 30
    assert found.figures == f"about {found.liked:.0f} of the 50 that people would like; at random 15"
    assert cut_of(jokes, 500).liked == cut_of(jokes, 500).all_liked
    assert cut_of(jokes, -1).liked == 0.0


@pytest.mark.parametrize(("percentile", "agreement"), [(None, None), (80.0, None)])
def test_where_nothing_was_measured_a_cut_has_no_figures(percentile: float | None, agreement: float | None) -> None:
    found = cut_of([entry(n, percentile, agreement) for n in range(1, 9)], 3)
    assert (found.keep, found.size, found.figures) == (3, 8, "")
    assert cut_of([], 3).figures == ""


def test_while_blind_the_list_keeps_its_own_order_until_enough_was_decided() -> None:
    jokes = [entry(n) for n in range(1, 31)]
    notes = Notes()
    notes.desk = DeskState(blind=True)
    order = [str(n) for n in range(30, 0, -1)]
    assert ids(Desk(jokes, notes, order).rows("read"))[:8] == "30 29 28"
    for n in range(VOTES_WHILE_BLIND):
        assert Desk(jokes, notes, order).blind
        notes[str(n + 1)] = EntryNote("keep" if n % 2 else "bin")
    assert not Desk(jokes, notes, order).blind
    assert ids(Desk(jokes, notes, order).rows("read"))[:5] == "1 2 3"
