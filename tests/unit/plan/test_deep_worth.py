"""What Deep is worth beside Quick: its file, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.judge.plan.deep_worth import (
    REWORDED,
    Costs,
    DeepDuels,
    DeepFiles,
    DeepRatings,
    DeepWorth,
    ModeComparison,
    Spent,
    between,
    duels_line,
    figure,
    lines,
    rows,
    verdict_line,
)
from jokejudge_gui.measure.worths import TrustFiles

SHA = "ab" * 32
COSTS = Costs(quick=Spent(tokens=100, seconds=1), deep=Spent(tokens=190, seconds=2))
SAME = ModeComparison(quick=0.47, deep=0.47, low=0.0, high=0.0, n=40)
BETTER = ModeComparison(quick=0.30, deep=0.42, low=0.03, high=0.2, n=40)
WORSE = ModeComparison(quick=0.42, deep=0.30, low=-0.2, high=-0.03, n=40)
UNSURE = ModeComparison(quick=0.40, deep=0.42, low=-0.1, high=0.12, n=40)


def ratings(
    factors: ModeComparison | None, kinds: ModeComparison | None, moved: float = 0.5, **more: object
) -> DeepRatings:
    given = {"ask": "plan", "texts": 40, "costs": COSTS, "branches": 6 if moved else 0, **more}
    return DeepRatings.model_validate({"factors": factors, "kinds": kinds, "moved": moved, **given})


def worth(*found: DeepRatings, duels: DeepDuels | None = None) -> DeepWorth:
    return DeepWorth(model_sha256=SHA, questions="1/a", ratings=found, duels=duels)


def test_ones_own_measurement_goes_before_the_shipped_one(tmp_path: Path) -> None:
    shipped, own = DeepFiles(tmp_path / "none", tmp_path / "shipped"), DeepFiles(tmp_path / "shipped", tmp_path / "own")
    assert own.load(SHA) is None
    shipped.save(worth(ratings(SAME, SAME, 0.0)))
    assert own.load(SHA) == worth(ratings(SAME, SAME, 0.0))
    own.save(worth(ratings(BETTER, None)))
    assert own.load(SHA) == worth(ratings(BETTER, None))


@pytest.mark.parametrize(
    "change",
    [
        {"model_sha256": "cd" * 32},
        {"format": 2},
        {"ratings": [{"ask": "plan"}]},
        {"ratings": "\x1b[2J"},
        {"duels": {"right": {"quick": 7}}},
    ],
)
def test_a_file_that_cant_be_true_counts_as_none(tmp_path: Path, change: dict[str, object]) -> None:
    files = DeepFiles(tmp_path / "none", tmp_path)
    path = files.save(worth(ratings(SAME, SAME)))
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert files.load(SHA) is None
    path.write_text("[" * 50_000)
    assert files.load(SHA) is None


def test_where_deep_changes_nothing_it_is_said_and_what_it_costs() -> None:
    (said,) = lines(worth(ratings(SAME, SAME, 0.0)))
    assert "adds nothing to ratings: scores and kinds are Quick's" in said
    assert "1.9 times Quick's tokens" in said
    assert "measured on 40 jokes" in said
    assert "Deep's scores and kinds are Quick's" in verdict_line(worth(ratings(SAME, SAME, 0.0)), "plan")


@pytest.mark.parametrize(
    ("factors", "kinds", "words"),
    [
        (BETTER, BETTER, "Deep's scores and kinds are better than Quick's,"),
        (BETTER, WORSE, "Deep's scores are better than Quick's; its kinds are worse,"),
        (WORSE, UNSURE, "Deep's scores are worse than Quick's; of kinds it can't be told whether they are,"),
        (UNSURE, UNSURE, "it can't be told that Deep adds anything to scores and kinds,"),
        (None, UNSURE, "it can't be told that Deep adds anything to kinds,"),
        (None, None, "Deep changes 50 of 100 ratings,"),
    ],
)
def test_only_what_lies_beyond_chance_is_called_better_or_worse(
    factors: ModeComparison | None, kinds: ModeComparison | None, words: str
) -> None:
    assert words in verdict_line(worth(ratings(factors, kinds)), "plan")


def test_a_verdict_says_only_what_was_measured_with_its_own_questions() -> None:
    found = worth(ratings(SAME, SAME, 0.0))
    assert verdict_line(found, "all") == ""
    assert verdict_line(None, "plan") == ""
    both = found.with_ratings(ratings(WORSE, None, ask="all"))
    assert "with every question asked" in verdict_line(both, "all")
    assert [each.ask for each in both.ratings] == ["plan", "all"]
    assert both.with_ratings(ratings(BETTER, None, ask="all")).ratings[1].factors == BETTER


def test_figures_of_other_questions_are_said_to_be_so() -> None:
    found = worth(ratings(BETTER, None))
    assert REWORDED not in lines(found, "1/a")
    assert REWORDED in lines(found, "2/b")


def test_the_table_has_a_row_for_each_figure_and_for_the_cost() -> None:
    duels = DeepDuels(right=UNSURE, costs=COSTS, moved=0.1)
    found = list(rows(worth(ratings(BETTER, SAME), duels=duels)))
    assert [row.quick for row in found] == [".30", ".47", "100", ".40", "100"]
    assert [row.difference for row in found] == [
        "+.12 (+.03 to +.20)", ".00 (.00 to .00)", "× 1.9", "+.02 (-.10 to +.12)", "× 1.9",
    ]  # fmt: skip
    assert "can't be told" in duels_line(duels)
    assert "the same joke" in duels_line(duels.replaced(moved=0.0, right=SAME))


def test_numbers_are_written_without_a_needless_nought() -> None:
    assert [figure(value) for value in (0.5, 1.0, -0.02, -0.001)] == [".50", "1.00", "-.02", ".00"]
    assert figure(0.004, signed=True) == ".00"
    assert between(BETTER) == "+.12 (+.03 to +.20)"


def test_what_ships_was_measured_with_the_questions_that_ship(tmp_path: Path) -> None:
    mark = TrustFiles(Profile.at(tmp_path)).deep_mark
    assert mark
    for file in (models_dir() / "deep").glob("*.json"):
        found = DeepFiles(models_dir() / "deep", tmp_path).load(json.loads(file.read_text())["model_sha256"])
        assert found is not None
        assert REWORDED not in lines(found, mark)
