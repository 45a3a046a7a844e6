"""The heads for sense: what they say of texts and pairs, what a verdict makes of it, and files that they refuse."""

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
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.judge.rating.words import NO_TURN
from jokejudge_gui.judge.reader import Reader
from tests.fake_engine import FakeEngine

SHA = "ab" * 32
SIZE = FakeEngine().info.embedding_size
BEST = "The museum asked me to stop naming its owls. I said Gerald."
TORSO = "The museum asked me to stop naming its owls."
AXES, TEXTS = 3, 4


def parts(joke: float = 3.0, **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Heads that give every text these log-odds of a joke, and prefer the longer of two."""
    random = np.random.default_rng(1)
    weights = np.zeros((len(EDITS), PAIR))
    weights[:, 6] = 1.5
    said = np.zeros((2, len(SCORES) + 2))
    said[0, -1], said[1, -1] = joke, 2.0
    meta = {
        "format": 2,
        "version": "test",
        "model_sha256": SHA,
        "no_turn": 0.1,
        "sure": 0.6,
        "agreement": dict.fromkeys(EDITS, 0.8),
    }
    arrays: dict[str, Any] = {
        "usual": np.zeros(SIZE),
        "centre": np.zeros(BLOCKS * SIZE),
        "scale": np.ones(BLOCKS * SIZE),
        "axes": random.normal(size=(BLOCKS * SIZE, AXES)),
        "measures_centre": np.zeros(MEASURES),
        "measures_scale": np.ones(MEASURES),
        "support": random.normal(size=(TEXTS, BLOCKS * AXES + MEASURES)),
        "reach": np.ones(BLOCKS + 1),
        "alpha": random.normal(size=(TEXTS, len(SCORES))),
        "mean": np.zeros(len(SCORES)),
        "said": said,
        "pair_scale": np.ones(PAIR),
        "pair_weights": weights,
        "near_scale": np.ones(5 * SIZE + 3),
        "near_weights": np.zeros((len(EDITS), 5 * SIZE + 3)),
        "near_words": np.zeros((len(EDITS), WORD_BUCKETS)),
        "near_shape_scale": np.ones(SHAPE),
        "near_rows": random.normal(size=(TEXTS, SHAPE)),
        "near_alpha": np.zeros((len(EDITS), TEXTS)),
    }
    return (
        {**meta, **{k: v for k, v in changes.items() if k in meta}},
        {**arrays, **{k: v for k, v in changes.items() if k in arrays}},
    )


def heads_in(folder: Path, joke: float = 3.0, **changes: Any) -> SenseHeads:
    with (folder / f"{SHA[:16]}.npz").open("wb") as stream:
        SenseHeads.write(stream, *parts(joke, **changes))
    found = SenseHeads.find(SHA, folder)
    assert found is not None
    return found


WIDTH, HIDDEN = 2, 5


def test_a_text_is_said_to_be_a_joke_or_not_and_nothing_else_in_the_reading_changes(tmp_path: Path) -> None:
    plain = Reader(FakeEngine()).read(BEST)
    for joke, said in ((3.0, "joke"), (0.0, "unsure"), (-4.0, "no turn")):
        heard = Reader(FakeEngine(), sense=heads_in(tmp_path, joke)).read(BEST)
        assert heard.sense.sense.said == said
        assert len(pickle.dumps(heard)) < 10_000  # 2,000 of them are remembered
        assert (heard.features, heard.editor, heard.joke) == (plain.features, plain.editor, plain.joke)


def test_a_text_without_its_punchline_never_wins_and_a_swapped_pair_is_the_mirror_image(tmp_path: Path) -> None:
    said = parts()[1]["said"]
    said[1, -1] = -4.0  # no text is whole
    reader = Reader(FakeEngine(), sense=heads_in(tmp_path, said=said))
    found, swapped = reader.compare_drafts(BEST, TORSO), reader.compare_drafts(TORSO, BEST)
    assert found.p_a > 0.5
    assert (found.edit, swapped.edit) == ("cut", "cut")
    assert found.log_odds_a == -swapped.log_odds_a
    assert found.p_a == 1.0 - swapped.p_a
    assert reader.compare_drafts(BEST, BEST) is None
    assert reader.compare_drafts(BEST, "The museum is closed on Mondays.") is None


def rated(folder: Path, joke: float, *, forced: bool = False, turn: tuple[int, int] | None = None) -> RatingResult:
    """What the plan's rating says of ``BEST`` with heads that give it these log-odds of a joke."""
    files = MeasuredFiles(folder / "shipped", folder / "own")
    judge = RatingJudge(MainJudge(FakeEngine(), files, Reader(FakeEngine(), sense=heads_in(folder, joke))), "read")
    draft = RATING.empty(RatingRequest(text=BEST, forced=forced, turn=turn), "1")
    for _ in judge.rate(draft):
        pass
    return draft.freeze()


def test_where_nothing_turns_the_verdict_says_so_and_claims_no_more(tmp_path: Path) -> None:
    result = rated(tmp_path, -4.0)
    assert result.sense.said == "no turn"
    assert result.explanation == NO_TURN
    assert (result.audience, result.factors, result.note, result.categories) == (None, (), None, ())
    assert RATING.glance(result).headline == NO_TURN
