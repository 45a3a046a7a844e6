"""Questions become one trie: what they share is there once, every label can be read, groups fit what there is."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.core.errors import EngineError
from jokejudge_gui.engine.prompts import build_tries

YES, NO, LONG = (7,), (8,), (9, 10)


def rows_for(tokens: int, vocabulary: int = 20) -> dict[int, np.ndarray]:
    return {node: np.full(vocabulary, -1.0 - node, dtype=np.float32) for node in range(tokens)}


def test_shared_beginnings_are_decoded_once() -> None:
    (trie,) = build_tries([((1, 2, 3), (YES, NO)), ((1, 2, 4), (YES, NO))], sequences=10, room=100)
    assert trie.tokens == [1, 2, 3, 4]
    assert trie.depths == [0, 1, 2, 2]
    assert [sorted(leaves) for leaves in trie.sequences] == [[0, 1], [0, 1], [0], [1]]
    assert trie.outputs == [False, False, True, True]


def test_label_of_two_tokens_sums_both_and_needs_one_more_token() -> None:
    (trie,) = build_tries([((1,), (YES, LONG))], sequences=10, room=100)
    assert trie.tokens == [1, 9]
    answer = trie.read(rows_for(2))[0]
    assert answer.logprobs == (-1.0, -1.0 + -2.0)
    assert answer.mass == pytest.approx(np.exp(-1.0) + np.exp(-3.0))


def test_question_that_can_never_fit_is_an_error_before_anything_runs() -> None:
    with pytest.raises(EngineError) as caught:
        build_tries([((1, 2, 3), (YES, NO))], sequences=4, room=2)
    assert caught.value.code == "E_CONTEXT"
