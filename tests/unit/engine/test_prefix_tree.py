"""The prefix tree finds the longest kept prefix and forgets the least recently used state first."""

from __future__ import annotations

from jokejudge_gui.engine.prefix_cache import PrefixTree

A, B, C = (1, 2), (3,), (4, 5, 6)


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
