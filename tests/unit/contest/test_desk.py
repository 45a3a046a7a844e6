"""A ranked list as it is read: its parts, its twins, how far the reading has come, and what a cut keeps."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.verdicts import Heard, Sense
from jokejudge_gui.judge.contest.desk import VOTES_WHILE_BLIND, Desk, cut_of, final_order, lean
from jokejudge_gui.judge.contest.record import (
    ContestResult,
    DeskState,
    EntryNote,
    HeldDuel,
    Notes,
    RankedEntry,
    Reading,
)
from jokejudge_gui.judge.contest.words import ORIGINAL, page, ranking, remarks
from tests.ranked_entries import ranked_entry


def entry(
    number: int, percentile: float | None = 50.0, agreement: float | None = 0.65, **changes: object
) -> RankedEntry:
    reading = Reading(value=0.0, percentile=percentile, agreement=agreement)
    values = {"id": str(number), "text": f"Joke {number}.", "rank": number, "score": 0.0, "reading": reading}
    return ranked_entry(**{**values, **changes})


def ids(entries: list[RankedEntry]) -> str:
    return " ".join(each.id for each in entries)


def desk_of(entries: Sequence[RankedEntry], notes: Notes | None = None, **changes: object) -> Desk:
    return Desk(ContestResult.model_validate({"id": "c", "entries": tuple(entries), **changes}), notes or Notes())


@pytest.fixture
def entries() -> list[RankedEntry]:
    """Ten: 2 and 5 are twins, 4 isn't meant as a joke, 7 is a heading, 8 is widely told, 10 couldn't be read."""
    heard = Heard(where="4 of 9 collections", likeness=0.9, collections=4, of=9)
    changes: dict[int, dict[str, object]] = {
        2: {"like": ("5",)}, 4: {"joke": False}, 5: {"like": ("2",)}, 7: {"reason": "a heading"},
        8: {"heard": heard}, 9: {"heard": heard.replaced(collections=2)},
        10: {"rank": None, "error": ErrorInfo(code="E", sentence="It is empty.")},
    }  # fmt: skip
    return [entry(n, **changes.get(n, {})) for n in range(1, 11)]


def test_the_parts_add_up_to_the_first(entries: list[RankedEntry]) -> None:
    desk = desk_of(entries)
    tiles = {tile.part: tile for tile in desk.tiles()}
    assert tiles["all"].size == 10 == sum(tile.size for tile in desk.tiles()[2:])
    assert [tile.title for tile in desk.tiles()] == [
        "0 kept", "10 judged", "3 left out", "1 pair of twins", "1 told before", "5 to read",
    ]  # fmt: skip
    assert tiles["out"].about == "no joke, a heading, It is empty"
    assert ids(desk.rows("rest")) == "1 2 3 6 9"
    assert ids(desk.rows("twins")) == "2"
    kept = desk_of(entries, Notes({"1": EntryNote("keep"), "8": EntryNote("keep")})).tiles()
    assert [tile.title for tile in kept][-2:] == ["1 told before", "5 to read"]  # as in the list


def test_of_twins_the_one_that_won_their_duel_stays(entries: list[RankedEntry]) -> None:
    lost = HeldDuel(a="2", b="5", p_a=0.1, drafts=True)
    assert ids(desk_of(entries, held=(lost,)).rows("twins")) == "5"
    assert ids(desk_of(entries, held=(lost.replaced(p_a=0.5),)).rows("twins")) == "2"
    assert ids(desk_of(entries, Notes({"2": EntryNote(chosen=True)}), held=(lost,)).rows("twins")) == "2"


def test_of_two_that_differ_in_their_last_mark_one_stays_whatever_sense_finds_in_the_other() -> None:
    texts = ("I was told to have a good day, so I went home.", "I was told to have a good day, so I went home!")
    desk = desk_of([entry(1, text=texts[0], reason="no turn found"), entry(2, text=texts[1]), entry(3)])
    assert (ids(desk.rows("out")), ids(desk.rows("twins")), ids(desk.rows("rest"))) == ("", "2", "2 3")


def test_what_was_left_out_can_be_put_back(entries: list[RankedEntry]) -> None:
    desk = desk_of(entries, Notes({"7": EntryNote(back=True), "10": EntryNote(back=True)}))
    assert ids(desk.rows("out")) == "4"
    assert ids(desk.rows("rest")) == "1 2 3 6 7 9 10"
    assert "10" not in ids(desk.pool).split()  # it has no place


def test_the_next_one_is_the_next_unseen_then_those_put_off_then_none(entries: list[RankedEntry]) -> None:
    notes = Notes({"1": EntryNote("keep"), "3": EntryNote("later"), "6": EntryNote(read=True)})
    desk = desk_of(entries, notes)
    first = desk.next("rest", "2")
    assert first.id == "9"
    assert desk.progress("rest") == (2, 1, 3)
    notes["2"], notes["9"] = EntryNote("bin"), EntryNote("keep")
    last = desk.next("rest", "9")
    assert last.id == "3"
    notes["3"] = EntryNote("keep")
    assert desk.next("rest", "3") is None
    assert desk.progress("rest") == (5, 3, 0)


def test_a_cut_says_how_many_of_those_that_people_would_like_are_before_it() -> None:
    jokes = [entry(n, percentile=100.0 - n) for n in range(1, 101)]
    liked, of, by_chance = map(int, re.findall(r"\d+", cut_of(jokes, 30).figures))
    assert (of, by_chance) == (50, 15)
    assert by_chance + 3 < liked < 30
    assert cut_of(jokes, 500).figures == cut_of(jokes, 100).figures
    assert cut_of(jokes, -1).first == 0
    assert not cut_of(jokes, 0).weak
    assert cut_of([entry(n, percentile=60.0 - n) for n in range(1, 21)], 6).weak


def test_places_that_cover_most_of_a_list_are_not_shown() -> None:
    desk = desk_of([entry(1, rank_low=1, rank_high=2), entry(2, rank_low=1, rank_high=6), *map(entry, range(3, 7))])
    assert [desk.place_of(desk.entries[id]) for id in "12"] == ["1–2", ""]


@pytest.mark.parametrize(("percentile", "agreement"), [(None, None), (80.0, None)])
def test_where_nothing_was_measured_a_cut_has_no_figures(percentile: float | None, agreement: float | None) -> None:
    assert cut_of([entry(n, percentile, agreement) for n in range(1, 9)], 3)[:3] == (3, 8, "")
    assert cut_of([], 3).figures == ""


def test_while_blind_the_list_keeps_its_own_order_until_enough_was_decided() -> None:
    jokes = [entry(n) for n in range(1, 31)]
    notes = Notes()
    notes.desk = DeskState(blind=True)
    order = [str(n) for n in range(30, 0, -1)]
    assert ids(desk_of(jokes, notes, order=tuple(order)).rows("rest"))[:8] == "30 29 28"
    for n in range(VOTES_WHILE_BLIND):
        assert desk_of(jokes, notes, order=tuple(order)).blind
        notes[str(n + 1)] = EntryNote("keep" if n % 2 else "bin")
    assert not desk_of(jokes, notes, order=tuple(order)).blind
    assert ids(desk_of(jokes, notes, order=tuple(order)).rows("rest"))[:5] == "1 2 3"


def test_a_joke_has_the_same_places_in_the_window_as_in_a_file() -> None:
    desk = desk_of([entry(n, rank_low=max(1, n - 1), rank_high=min(6, 2 * n - 1)) for n in range(1, 7)])
    places = [desk.place_of(one) for one in desk.rows("all")]
    assert places == ["1", "1–3", "2–5", "3–6", "4–6", "5–6"]
    assert desk.result is not None
    assert [row[1] for row in ranking(desk.result).rows] == places
    assert desk.remarks("2") == ["place 1 to 3 of 6"]


def test_of_a_stopped_contest_only_what_was_read_is_listed() -> None:
    result = desk_of([entry(1), entry(2), entry(3, rank=None, reading=None)]).result
    assert result is not None
    assert len(ranking(result).rows) == 2
    assert page(result).lead[0] == "1 joke isn't read yet."


def test_of_a_told_joke_that_is_left_out_both_are_said_everywhere_the_first_thing_first() -> None:
    heard = Heard(where="4 of 9 collections", likeness=0.9, collections=4, of=9)
    reading = Reading(value=0.0, heard=heard, reason="no turn found")
    one = entry(1, reading=reading, reason="no turn found", text="What do you call a fake noodle? An impasta.")
    desk = desk_of([one, entry(2)])
    assert remarks(one) == ["no turn found", "told in 4 of 9 collections"]
    assert desk.remarks("1") == ["left out: no turn found", "told in 4 of 9 collections"]
    assert list(desk.page("1").lead) == ["Left out: no turn found.", "Told in 4 of 9 collections."]


@pytest.mark.parametrize(("thought", "said"), [("joke", ["leans to the upper half, 8 in 10"]), ("unsure", [])])
def test_a_lean_is_withheld_where_sense_is_in_doubt(thought: str, said: list[str]) -> None:
    one = entry(1, upper=0.8, sense=Sense(joke=0.4, whole=0.9, said=thought))
    assert desk_of([one]).remarks("1")[1:] == said
    assert (lean(one) is not None) == bool(said)


def test_the_kept_jokes_have_the_users_order_which_can_be_undone_and_is_stored(entries: list[RankedEntry]) -> None:
    desk = desk_of(entries)
    first, again = desk.change(lambda: desk.say(["1", "3", "6"], mark="keep"))
    desk.keep_place(kept=("6", "1", "3"))
    second, _ = desk.change(lambda: desk.say(["9"], mark="keep"))
    assert ids(desk.rows("kept")) == "6 1 3 9"
    assert desk.result is not None
    assert ids(Desk(desk.notes.on(desk.result)).rows("kept")) == "6 1 3 9"  # as after a restart
    desk.recall(second)
    assert ids(desk.rows("kept")) == "6 1 3"
    desk.say(["7"], read=True)
    desk.recall(first)
    assert not desk.rows("kept")
    assert not desk.unseen("7")  # what was seen meanwhile stays so
    desk.recall(again)
    assert ids(desk.rows("kept")) == "1 3 6"


@pytest.mark.parametrize("wanted", ["abcdefghij", "jihgfedcba", "dbacjihgfe"])
def test_choices_between_two_put_ten_into_an_order_in_few_steps(wanted: str) -> None:
    choices: list[bool] = []
    order, pair = final_order("abcdefghij", choices)
    while pair is not None:
        choices.append(wanted.index(pair[0]) < wanted.index(pair[1]))
        order, pair = final_order("abcdefghij", choices)
    assert "".join(order) == wanted
    assert len(choices) <= 25
    assert sorted(final_order("abcdefghij", choices[:7])[0]) == [*"abcdefghij"]  # stopped earlier, none is lost


def test_the_column_of_originality_is_explained_where_it_is_shown() -> None:
    jokes = [entry(1, originality=0.5), entry(2)]
    shown = page(ContestResult.model_validate({"id": "c", "entries": jokes}))
    assert "Original" in shown.tables[0].head
    assert ORIGINAL in shown.foot
    assert ORIGINAL not in page(ContestResult.model_validate({"id": "c", "entries": [entry(1)]})).foot
