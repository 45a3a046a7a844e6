"""Pictures that a model sees through a projector of random weights: that they get there, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import Cancelled, ModelError
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken, Choice, Picture
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.library.probe import find_projector
from jokejudge_gui.session.session import Session
from tests.full_disk import fill_up
from tests.projector_builder import picture, write_projector

from .engine_helpers import JOKE, OTHER, ask


def drawn(seed: int) -> Picture:
    pixels = picture(seed)
    return Picture(pixels.shape[1], pixels.shape[0], pixels.tobytes())


@pytest.fixture(scope="module")
def seeing_model(embedded_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeing")
    (folder / "model.gguf").symlink_to(embedded_model)
    write_projector(folder / "mmproj-model.gguf", out=576)
    return folder / "model.gguf"


def load(model: Path, states: Path | None = None) -> LlamaEngine:
    found = model.with_name("mmproj-model.gguf")
    kept = {"state_folder": states, "state_limit": 10**9} if states else {}
    return load_engine(model, sha256="0" * 64, threads=1, projector=lambda _token: found, **kept)  # type: ignore[arg-type]


def seen(engine: LlamaEngine, seed: int, joke: str = JOKE) -> list[Choice]:
    with engine.looking(drawn(seed), joke) as look:
        answers = ask(engine, joke)
        assert (look.tokens, look.prompts) == (16, 1)
        return answers


def test_answers_hang_on_the_picture_and_are_the_same_to_the_last_bit_whatever_is_kept(
    seeing_model: Path, tmp_path: Path
) -> None:
    engine = load(seeing_model, tmp_path)
    try:
        blind, one = ask(engine, JOKE), seen(engine, 1)
        before = engine.usage
        other = seen(engine, 2)
        assert (engine.usage - before).tokens_reused > 16  # what leads up to the picture
        assert blind != one != other
        before = engine.usage
        assert seen(engine, 1) == one
        assert (engine.usage - before).tokens_reused > 16
        assert ask(engine, JOKE) == blind
        with engine.looking(drawn(1), OTHER) as look:
            assert ask(engine, JOKE) == blind  # it stands beside its own text alone
        assert look.prompts == 0
    finally:
        engine.close()
    for states in (tmp_path, None):
        again = load(seeing_model, states)
        try:
            assert (seen(again, 2), seen(again, 1)) == (other, one)
        finally:
            again.close()


def test_what_is_read_off_states_does_not_hear_the_picture_and_a_stop_leaves_the_engine_usable(
    seeing_model: Path,
) -> None:
    engine, stopped = load(seeing_model), CancelToken()
    try:
        blind, [alone] = ask(engine, JOKE), engine.embed([JOKE])
        with engine.looking(drawn(1), JOKE):
            assert (engine.embed([JOKE])[0] == alone).all()
        stopped.cancel()
        with pytest.raises(Cancelled), engine.looking(drawn(1), JOKE, stopped):
            raise AssertionError("it was stopped before")
        assert ask(engine, JOKE) == blind
    finally:
        engine.close()


def test_a_full_disk_or_files_cut_in_half_cost_time_and_no_answer(
    seeing_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers() -> list[list[Choice]]:
        engine = load(seeing_model, tmp_path)
        try:
            return [seen(engine, 1), seen(engine, 2), ask(engine, JOKE)]
        finally:
            engine.close()

    with monkeypatch.context() as disk:
        filled = fill_up(disk, tmp_path, room=10_000)
        full = answers()
        assert filled
        assert [*tmp_path.iterdir()] == []
    assert answers() == full
    kept = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert len(kept) == 3  # with each picture, and what leads up to them
    for file, whole in kept.items():
        file.write_bytes(whole[: len(whole) // 2])
    assert answers() == full
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == kept


def test_a_rating_says_whether_the_picture_was_seen_and_ends_while_the_disk_is_full(
    seeing_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = Profile.at(tmp_path)  # no other test of this run writes among its states
    session = Session(profile, Settings(model=str(seeing_model), explain=False, threads=1))

    def rated(seed: int, **how: object) -> RatingResult:
        *_, last = session.ask(_rating(), (JOKE,), picture=drawn(seed), **how)  # type: ignore[arg-type]
        assert isinstance(last, Finished), last
        assert isinstance(last.result, RatingResult)
        return last.result

    try:
        [*_, plain] = session.rate(JOKE)
        assert isinstance(plain, Finished)
        assert isinstance(plain.result, RatingResult)
        unasked, asked = rated(1), rated(1, ask="all")
        before = {*profile.states.iterdir()}
        with monkeypatch.context() as disk:
            filled = fill_up(disk, profile.states, room=0)  # the state of a short prompt is small
            other = rated(2, ask="all")
        assert filled
        assert {*profile.states.iterdir()} == before
        again = rated(1, ask="all")
        assert plain.result.picture is None
        assert unasked.picture is not None
        assert not unasked.picture.seen
        assert unasked.picture.said in unasked.warnings
        assert unasked.audience == plain.result.audience == asked.audience
        assert asked.picture is not None
        assert (asked.picture.seen, asked.picture.projector, asked.picture.tokens) == (True, "mmproj-model.gguf", 16)
        assert "wasn't measured" in asked.picture.said
        assert asked.admissibility != other.admissibility
        assert (asked.admissibility, asked.factors) == (again.admissibility, again.factors)
        stored = session.store.get(asked.id)
        assert stored is not None
    finally:
        session.close()


def _rating() -> object:
    from jokejudge_gui.judge.rating.kind import RATING

    return RATING


def test_a_projector_that_ends_llama_cpp_ends_only_the_process_that_tries_it(
    embedded_model: Path, tmp_path: Path, profile: Profile
) -> None:
    model, beside = tmp_path / "model.gguf", tmp_path / "mmproj.gguf"
    model.symlink_to(embedded_model)
    write_projector(beside, out=576, side=1400)
    with pytest.raises(ModelError) as caught:
        find_projector(model, profile)
    assert caught.value.code == "E_MODEL_CRASH"
    write_projector(beside, out=576)
    assert find_projector(model, profile) == beside
