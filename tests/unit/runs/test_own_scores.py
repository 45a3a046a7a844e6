"""One's own scores: drawn over the whole range, kept without the texts, read from a table, forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.batch.screening import DRAWN, OwnScoreFiles, read_scores, to_score, write_to_score
from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.contest.record import ContestMadeBy, ContestResult, RankedEntry, Reading

MADE = ContestMadeBy(model="ab" * 32, head="h1")


def contest(count: int = 100) -> ContestResult:
    entries = tuple(
        RankedEntry(
            id=str(n),
            text=f"Joke {n}, quoted.",
            rank=n,
            reading=Reading(value=0.0, percentile=100.0 - 100.0 * n / (count + 1), agreement=0.7),
        )
        for n in range(1, count + 1)
    )
    return ContestResult(id="c", entries=entries, made_by=MADE)


def test_jokes_to_score_come_from_the_whole_range_in_random_order() -> None:
    drawn = [entry.rank or 0 for entry in to_score(contest())]
    assert len(drawn) == len(set(drawn)) == DRAWN
    assert min(drawn) <= 5
    assert max(drawn) >= 96
    assert drawn != sorted(drawn)
    assert drawn == [entry.rank for entry in to_score(contest())]
    assert len(to_score(contest(7))) == 7
    assert to_score(ContestResult(id="c")) == []


def test_scores_are_kept_for_a_model_and_its_head_without_the_texts(tmp_path: Path) -> None:
    files = OwnScoreFiles(Profile.at(tmp_path))
    for score in (8, 3):
        files.put(MADE, files.get(MADE, "small").with_scores({"My secret joke.": (0.6, score)}))
    (file,) = (tmp_path / "own_scores").iterdir()
    assert "secret" not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    assert [each.score for each in files.get(MADE).scores] == [3]
    assert files.get(MADE.replaced(head="h2")).scores == ()
    assert [each.model for each in files.all()] == ["small"]
    assert files.forget("cd" * 32) == 0
    assert files.forget() == 1
    assert files.all() == []


def test_a_table_of_scores_goes_out_empty_and_comes_back_filled(tmp_path: Path) -> None:
    path, result = tmp_path / "scores.csv", contest()
    assert write_to_score(result, path) == DRAWN
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == '"id","score","text"'
    with pytest.raises(InputError, match="no score yet"):
        read_scores(str(path), result)
    path.write_text("\n".join([lines[0], *(line.replace('""', "7", 1) for line in lines[1:])]))
    found = read_scores(str(path), result)
    assert len(found) == DRAWN
    assert {score for _, score in found.values()} == {7.0}
