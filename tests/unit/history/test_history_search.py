"""Finding verdicts: words, filters, orders and pages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.query import HistoryQuery

JOKES = {
    "cafe": "The café ran out of puns.",
    "lines": "Parallel lines have so much in common.",
    "chinese": "这个笑话很冷",
    "japanese": "布団が吹っ飛んだ",
    "emoji": "A duck 🦆 walks into a bar",
    "percent": "I give 100% and he gives 50_50",
    "quote": 'She said "NEAR" and I said don\'t',
    "slash": r"C:\jokes\bad",
}


def found(book, text: str, **query: object) -> list[str]:
    rows = [row.id for row in book.store.search(HistoryQuery.model_validate({"text": text, **query}))]
    assert book.store.count(HistoryQuery.model_validate({"text": text, **query})) == len(rows)
    return rows


@pytest.fixture(scope="module")
def library(book_at, tmp_path_factory):
    book = book_at(tmp_path_factory.mktemp("search") / "history.sqlite3")
    for id, text in JOKES.items():
        book.rate(id, text)
    yield book
    book.store.close()


@pytest.mark.parametrize(
    "text",
    ['"', '""', "NEAR(", "a OR", "NOT", "* ", "text_a:x", "-x", "^x", "a AND", "(", "{x}", "'; DROP TABLE verdicts; --",
     "x" * 100_000, "a " * 5000, "\ud800", "\ud83d x", "a\x00b", ":match", "?1", "+", "\u0301", "a*b*"],
)  # fmt: skip
def test_nothing_in_a_search_is_syntax(library, text):
    found(library, text)
    assert len(found(library, "")) == len(JOKES)


@settings(max_examples=60)
@given(st.text(max_size=20))
def test_any_text_can_be_searched_for(library, text):
    found(library, text)


@settings(max_examples=40)
@given(st.sampled_from(sorted(JOKES.values())), st.data())
def test_any_part_of_a_word_finds_something(library, joke, data):
    word = data.draw(st.sampled_from(joke.split()))
    start = data.draw(st.integers(0, len(word) - 1))
    part = word[start : data.draw(st.integers(start + 1, len(word)))]
    # Other jokes may answer: where words begin so, parts inside words aren't looked for.
    assert found(library, part)


def test_both_jokes_note_tags_and_explanation_are_searched(book):
    book.duel("d", "An otter", "A badger")
    book.rate("r", "A heron", explanation="Works. The reversal lands.")
    book.store.set_note("r", "opener for Leeds")
    book.store.set_tags("r", ["Set List"])
    for text, id in [("otter", "d"), ("badger", "d"), ("reversal", "r"), ("leeds", "r"), ("set list", "r")]:
        assert found(book, text) == [id]
    book.store.set_note("r", "closer")
    assert found(book, "leeds") == []
    assert found(book, "closer") == ["r"]


def test_filters_narrow_and_combine(book):
    book.rate("r1", "One otter")
    book.duel("d1", "Two otters", "x")
    book.begin("r2", "Three otter pups")
    book.end("r2", Status.FAILED)
    book.begin("d2", "Four", "otter")
    book.end("d2", Status.CANCELLED)
    for id in ("r1", "d2"):
        book.store.star(id, True)
    book.store.set_tags("r1", ["Évening"])
    book.store.set_tags("d2", ["évening", "late"])
    for text in ("", "otter"):
        assert found(book, text, kinds=("rate",)) == ["r2", "r1"]
        assert found(book, text, kinds=("rate", "duel")) == ["d2", "r2", "d1", "r1"]
        assert found(book, text, starred=True) == ["d2", "r1"]
        assert found(book, text, tag="ÉVENING ") == ["d2", "r1"]
        assert found(book, text, tag="even") == []
        assert found(book, text, tag="évening", kinds=("duel",), starred=True) == ["d2"]


@pytest.fixture
def scored(book):
    rated = {"two": 20.0, "none": None, "five": 50.0, "two again": 20.0, "zero": 0.0, "nor this": None}
    for id, percentile in rated.items():
        book.rate(id, f"An otter {id}", percentile=percentile)
    return book


ORDERS = {
    "newest": ["nor this", "zero", "two again", "five", "none", "two"],
    "oldest": ["two", "none", "five", "two again", "zero", "nor this"],
    "score_high": ["five", "two again", "two", "zero", "nor this", "none"],
    "score_low": ["zero", "two again", "two", "five", "nor this", "none"],
}


@pytest.mark.parametrize("text", ["", "otter", "tter", "ott 🦆"])
@pytest.mark.parametrize("sort", ORDERS)
def test_orders_and_pages_agree(scored, sort, text):
    expected = [] if "🦆" in text else ORDERS[sort]
    query = HistoryQuery(text=text, sort=sort)
    assert [row.id for row in scored.store.search(query)] == expected
    assert [entry.row.id for entry in scored.store.entries(query)] == expected
    by_offset = [scored.store.search(query.model_copy(update={"limit": 1, "offset": n})) for n in range(len(expected))]
    assert [row.id for page in by_offset for row in page] == expected
    if sort.startswith("score"):
        return
    by_cursor, after = [], None
    while page := scored.store.search(query.model_copy(update={"limit": 2, "after": after})):
        by_cursor += [row.id for row in page]
        after = page[-1].id
    assert by_cursor == expected


def test_a_page_after_a_row_deleted_meanwhile_goes_on_behind_it(scored):
    scored.store.delete(["five"])
    rows = scored.store.search(HistoryQuery(after="five"))
    assert [row.id for row in rows] == ["none", "two"]
