"""Where tokens lie in a text: whole words, characters cut in two, spaces that a tokeniser adds."""

from __future__ import annotations

from jokejudge_gui.engine.prompts import spans_of


def test_tokens_that_share_a_character_each_get_all_of_it() -> None:
    duck = "🦆".encode()
    assert spans_of("é🦆!", ["é".encode(), duck[:2], duck[2:], b"!"]) == [(0, 1), (1, 2), (1, 2), (2, 3)]
    assert spans_of("a🦆", [b"a" + duck[:1], duck[1:]]) == [(0, 2), (1, 2)]


def test_a_space_that_the_tokeniser_adds_belongs_to_no_character() -> None:
    assert spans_of("A duck", [b" A", b" duck"]) == [(0, 1), (1, 6)]
    assert spans_of("A duck", [b" ", b"A", b" duck"]) == [(0, 0), (0, 1), (1, 6)]
    assert spans_of(" A", [b" A"]) == [(0, 2)]


def test_a_piece_that_the_text_does_not_hold_takes_what_lies_between_its_neighbours() -> None:
    assert spans_of("a ☃ b", [b"a", b"<unk>", b" b"]) == [(0, 1), (1, 3), (3, 5)]
    assert spans_of("ab ☃", [b"ab", b"\xe2\x96\x85"]) == [(0, 2), (2, 4)]
    assert spans_of("", []) == []
