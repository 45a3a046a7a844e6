"""The small networks of the heads for sense: what they learn, and from what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jokejudge_gui.core.statistics import auc
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.sense import networks
from jokejudge_gui.heads.sense_features import BLOCKS, MEASURES
from jokejudge_gui.learning.sense_net import NETWORKS, Examples, train

SIZE, GROUPS, EACH = 8, 300, 4


def examples(seed: int = 0) -> Examples:
    """Groups of four texts. The first one is the joke, with a state of its own at the end of a random height that is
    common to its group; what is whole is told by a measure."""
    random = np.random.default_rng(seed)
    count = GROUPS * EACH
    group = np.repeat(np.arange(GROUPS), EACH)
    joke = np.tile(np.arange(EACH) == 0, GROUPS).astype(np.float32)
    states = random.normal(size=(count, BLOCKS * SIZE)).astype(np.float32)
    states[:, 4 * SIZE] = 1.5 * joke + random.normal(size=GROUPS)[group]
    plain = random.normal(size=(count, MEASURES + 1)).astype(np.float32)
    plain[:, 5] *= 3.0
    whole = (plain[:, 5] > 0).astype(np.float32)
    one = np.ones(count, dtype=np.float32)
    return Examples(
        states.astype(np.float16),
        plain,
        np.stack([joke, one], axis=1),
        np.stack([whole, one], axis=1),
        60.0 * joke,
        group,
    )


def test_they_learn_what_a_joke_is_and_to_set_it_above_the_texts_around_it() -> None:
    learned, other = examples(), examples(1)
    found = train(learned, np.ones(len(learned.group), dtype=bool), CancelToken())
    assert len(found["net_project"]) == NETWORKS
    scores = networks(other.states, other.plain, found)
    assert (auc(scores[:, 0], other.joke[:, 0] > 0) or 0.0) > 0.75
    assert (auc(scores[:, 1], other.whole[:, 0] > 0) or 0.0) > 0.7
    funny = scores[:, 2].reshape(GROUPS, EACH)
    assert (funny[:, :1] > funny[:, 1:]).mean() > 0.8


def test_the_same_examples_give_the_same_networks_and_those_left_out_teach_nothing() -> None:
    learned = examples()
    use = learned.group % 3 > 0
    found = train(learned, use, CancelToken())
    wrong = replace(learned, joke=np.where(use[:, None], learned.joke, 0.0), funny=np.where(use, learned.funny, np.nan))
    again = train(wrong, use, CancelToken())
    assert found.keys() == again.keys()
    for name, values in found.items():
        np.testing.assert_array_equal(values, again[name])
