"""The heads for sense: what they say of texts and pairs, and what a verdict makes of it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.heads.drafts import SHAPE, WORD_BUCKETS
from jokejudge_gui.heads.sense import PAIR, SCORES, SenseHeads
from jokejudge_gui.heads.sense_features import BLOCKS, EDITS, MEASURES
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.rating_judge import RatingJudge
from jokejudge_gui.judge.rating.record import RatingRequest
from jokejudge_gui.judge.rating.words import NO_TURN
from jokejudge_gui.judge.reader import Reader
from tests.fake_engine import FakeEngine
from tests.head_builder import written

SHA = "ab" * 32
SIZE = FakeEngine().info.embedding_size
BEST = "The museum asked me to stop naming its owls. I said Gerald."
TORSO = "The museum asked me to stop naming its owls."
AXES, TEXTS = 3, 4


def heads_in(folder: Path, joke: float = 3.0, whole: float = 2.0) -> SenseHeads:
    """Heads that give every text these log-odds of a joke and of being whole, and prefer the longer of two."""
    random = np.random.default_rng(1)
    agreement = dict.fromkeys(EDITS, 0.8)
    meta = {"format": 2, "version": "test", "model_sha256": SHA, "no_turn": 0.1, "sure": 0.6, "agreement": agreement}
    shapes: dict[str, tuple[int, ...]] = {
        "usual": (SIZE,), "centre": (BLOCKS * SIZE,), "measures_centre": (MEASURES,), "mean": (len(SCORES),),
        "said": (2, len(SCORES) + 2), "pair_weights": (len(EDITS), PAIR), "near_weights": (len(EDITS), 5 * SIZE + 3),
        "near_words": (len(EDITS), WORD_BUCKETS), "near_alpha": (len(EDITS), TEXTS),
        "net_project": (1, BLOCKS, SIZE, 1), "net_first": (1, BLOCKS + MEASURES + 1, 1), "net_first_bias": (1, 1),
        "net_second": (1, 1, 1), "net_second_bias": (1, 1), "net_out": (1, 1, 3), "net_out_bias": (3,),
    }  # fmt: skip
    ones = {
        "scale": BLOCKS * SIZE, "measures_scale": MEASURES, "reach": BLOCKS + 1, "pair_scale": PAIR,
        "near_scale": 5 * SIZE + 3, "near_shape_scale": SHAPE,
    }  # fmt: skip
    arrays: dict[str, Any] = {name: np.zeros(shape) for name, shape in shapes.items()}
    arrays |= {name: np.ones(size) for name, size in ones.items()} | {
        "axes": random.normal(size=(BLOCKS * SIZE, AXES)),
        "support": random.normal(size=(TEXTS, BLOCKS * AXES + MEASURES)),
        "alpha": random.normal(size=(TEXTS, len(SCORES))),
        "near_rows": random.normal(size=(TEXTS, SHAPE)),
    }
    arrays["pair_weights"][:, 6] = 1.5
    arrays["said"][:, -1] = joke, whole
    return written(SenseHeads, folder, meta, arrays)


def test_a_text_is_said_to_be_a_joke_or_not_and_nothing_else_in_the_reading_changes(tmp_path: Path) -> None:
    plain = Reader(FakeEngine()).read(BEST)
    for joke, said in ((3.0, "joke"), (0.0, "unsure"), (-4.0, "no turn")):
        heard = Reader(FakeEngine(), sense=heads_in(tmp_path, joke)).read(BEST)
        assert heard.sense.sense.said == said
        assert len(pickle.dumps(heard)) < 10_000  # 2,000 of them are remembered
        assert (heard.features, heard.editor, heard.joke) == (plain.features, plain.editor, plain.joke)


def test_a_text_without_its_punchline_never_wins_and_a_swapped_pair_is_the_mirror_image(tmp_path: Path) -> None:
    reader = Reader(FakeEngine(), sense=heads_in(tmp_path, whole=-4.0))
    found, swapped = reader.compare_drafts(BEST, TORSO), reader.compare_drafts(TORSO, BEST)
    assert found.p_a > 0.5
    assert (found.edit, swapped.edit) == ("cut", "cut")
    assert found.log_odds_a == -swapped.log_odds_a
    assert found.p_a == 1.0 - swapped.p_a
    assert reader.compare_drafts(BEST, BEST) is None
    assert reader.compare_drafts(BEST, "The museum is closed on Mondays.") is None


def test_where_nothing_turns_the_verdict_says_so_and_claims_no_more(tmp_path: Path) -> None:
    files = MeasuredFiles(tmp_path / "shipped", tmp_path / "own")
    judge = MainJudge(FakeEngine(), files, Reader(FakeEngine(), sense=heads_in(tmp_path, -4.0)))
    draft = RATING.empty(RatingRequest(text=BEST), "1")
    list(RatingJudge(judge).rate(draft))
    result = draft.freeze()
    assert result.sense.said == "no turn"
    assert result.explanation == NO_TURN
    assert (result.audience, result.factors, result.remarks, result.categories) == (None, (), (), ())
    assert RATING.glance(result).headline == NO_TURN
