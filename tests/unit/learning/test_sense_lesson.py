"""Heads for sense that are fitted on the user's machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import Cancelled, InputError, ModelError
from jokejudge_gui.core.events import Event, StageProgress
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.engine.base import CancelToken, FloatArray
from jokejudge_gui.heads.sense import SenseHeads
from jokejudge_gui.learning.sense_lesson import (
    SenseLesson,
    beginnings,
    items_of,
    load_sentences,
)
from jokejudge_gui.learning.teacher import Learned, Teacher
from tests.learning_engine import LearningEngine, families, folder_to_learn_from

BEST = frozenset(family["best"] for family in families())


class Knowing(LearningEngine):
    """Its states tell jokes from the rest."""

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None, **how: Any) -> list[FloatArray]:
        found = super().embed(texts, cancel, **how)
        for text, states in zip(texts, found, strict=True):
            states[:, 3] += 6.0 * (text in BEST)
        return found


@pytest.fixture
def contrasts(tmp_path: Path) -> Path:
    return folder_to_learn_from(tmp_path / "models") / "contrasts" / "families.jsonl"


def fitting(
    engine: LearningEngine, contrasts: Path, tmp_path: Path, cancel: CancelToken | None = None
) -> Iterator[Event]:
    return Teacher(engine, tmp_path / "cache", cancel).teach(SenseLesson(contrasts), tmp_path / "own")


def test_heads_that_tell_jokes_are_kept_with_their_figures(contrasts: Path, tmp_path: Path) -> None:
    engine = Knowing()
    last = list(fitting(engine, contrasts, tmp_path))[-1]
    assert isinstance(last, Learned)
    assert last.kept
    assert last.card["figures"]["auc"] > 0.9
    assert SenseHeads.find(engine.info.sha256, tmp_path / "own") is not None
    card = json.loads((tmp_path / "own" / f"{engine.info.sha256[:16]}.json").read_text("utf-8"))
    assert card["kept"] is True
    assert not (tmp_path / "cache" / engine.info.sha256[:16]).exists()


def test_heads_no_better_than_chance_are_not_kept(contrasts: Path, tmp_path: Path) -> None:
    engine = LearningEngine()
    last = list(fitting(engine, contrasts, tmp_path))[-1]
    assert isinstance(last, Learned)
    assert not last.kept
    assert SenseHeads.find(engine.info.sha256, tmp_path / "own") is None
    assert json.loads((tmp_path / "own" / f"{engine.info.sha256[:16]}.json").read_text("utf-8"))["kept"] is False


def test_what_was_read_before_a_stop_is_not_read_again(contrasts: Path, tmp_path: Path) -> None:
    token = CancelToken()
    steps = fitting(LearningEngine(), contrasts, tmp_path, token)
    for event in steps:
        if isinstance(event, StageProgress) and event.done == 200:
            token.cancel()
            break
    with pytest.raises(Cancelled):
        next(steps)
    assert not (tmp_path / "own").exists()
    engine = LearningEngine()
    list(fitting(engine, contrasts, tmp_path))
    every: dict[str, None] = {}
    for family in families():
        best, *others = items_of(family)
        with_more = (best, *others, *beginnings(best, load_sentences(contrasts), 2))
        every |= dict.fromkeys(item.text for item in with_more)
    assert len(engine.read) == len(every) - 200


@pytest.mark.parametrize("damaged", ["", "{", '{"id": "ca1"}', '{"id": "ca1", "best": 5, "variants": []}'])
def test_damaged_families_end_in_a_sentence(damaged: str, contrasts: Path, tmp_path: Path) -> None:
    contrasts.write_text(damaged, "utf-8")
    with pytest.raises(ModelError, match="families"):
        list(fitting(LearningEngine(), contrasts, tmp_path))


def test_too_few_families_end_in_a_sentence(contrasts: Path, tmp_path: Path) -> None:
    contrasts.write_text("".join(contrasts.read_text("utf-8").splitlines(keepends=True)[:10]), "utf-8")
    with pytest.raises(InputError, match="too few"):
        list(fitting(LearningEngine(), contrasts, tmp_path))


def test_the_families_that_ship_can_be_read() -> None:
    lesson = SenseLesson(models_dir() / "contrasts" / "families.jsonl")
    assert len({item.group for item in lesson.items.values()}) == 150
