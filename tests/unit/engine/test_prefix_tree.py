"""The prefix tree finds the longest kept prefix and forgets the least recently used state first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.engine.prefix_cache import PrefixTree

A, B, C = (1, 2), (3,), (4, 5, 6)


def test_nothing_kept_finds_nothing() -> None:
    assert PrefixTree(100).longest([A, B]) == (0, None)


def test_longest_of_several_kept_prefixes_wins() -> None:
    tree = PrefixTree(100)
    tree.keep([A], b"a")
    tree.keep([A, B], b"ab")
    assert tree.longest([A, B, C]) == (2, b"ab")
    assert tree.longest([A, C]) == (1, b"a")
    assert tree.longest([B]) == (0, None)


def test_same_tokens_cut_elsewhere_are_another_prefix() -> None:
    tree = PrefixTree(100)
    tree.keep([(1, 2), (3,)], b"x")
    assert tree.longest([(1,), (2, 3)]) == (0, None)


def test_least_recently_used_state_goes_first_and_the_newest_stays() -> None:
    tree = PrefixTree(10)
    tree.keep([A], b"a" * 5)
    tree.keep([B], b"b" * 5)
    tree.longest([A])
    tree.keep([C], b"c" * 5)
    assert tree.longest([B]) == (0, None)
    assert tree.longest([A])[1] == b"a" * 5
    tree.keep([B], b"b" * 50)
    assert tree.longest([B])[1] == b"b" * 50
    assert tree.size == 50


def test_replacing_and_forgetting_keep_the_count_of_bytes() -> None:
    tree = PrefixTree(100)
    tree.keep([A], b"123")
    tree.keep([A], b"12")
    assert tree.size == 2
    tree.forget([A])
    tree.forget([B])
    assert (tree.size, tree.longest([A])) == (0, (0, None))


@given(st.lists(st.tuples(st.lists(st.sampled_from([A, B, C]), min_size=1, max_size=4), st.binary(max_size=8))))
def test_bytes_never_exceed_the_limit_by_more_than_the_newest(
    entries: list[tuple[list[tuple[int, ...]], bytes]],
) -> None:
    tree = PrefixTree(16)
    for pieces, state in entries:
        tree.keep(pieces, state)
        assert tree.size <= 16
        assert tree.longest(pieces) == (len(pieces), state)
