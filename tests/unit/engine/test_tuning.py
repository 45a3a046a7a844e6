"""Better thread counts are taken only where they are clearly better and change no answer; kept by model and machine."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.loader import BATCH
from jokejudge_gui.engine.tuning import Timing, better_threads, thread_counts
from jokejudge_gui.library.threads import chosen_threads, keep_threads

MODEL, OTHER = "a" * 64, "b" * 64


def timings(reading: tuple[float, float], writing: tuple[float, float], same: bool = True) -> list[Timing]:
    """Rates with one and with four threads; four read and one writes in the program's own way. Other batches and
    attention are far quicker, which must not matter."""
    found = [
        Timing("reading", 1, BATCH, True, reading[0], True, False),
        Timing("reading", 4, BATCH, True, reading[1], same, True),
        Timing("writing", 1, BATCH, True, writing[0], True, True),
        Timing("writing", 4, BATCH, True, writing[1], True, False),
    ]
    return [
        *found,
        Timing("reading", 4, 64, True, 9e9, False, False),
        Timing("reading", 4, BATCH, False, 9e9, False, False),
    ]


@pytest.mark.parametrize(
    ("reading", "writing", "chosen"),
    [
        ((100, 200), (50, 40), None),
        ((100, 95), (50, 54), None),
        ((100, 80), (50, 40), (1, 1)),
        ((100, 200), (50, 60), (4, 4)),
        ((100, 80), (50, 60), (1, 4)),
    ],
)
def test_only_what_is_clearly_quicker_is_chosen(
    reading: tuple[float, float], writing: tuple[float, float], chosen: tuple[int, int] | None
) -> None:
    assert better_threads(timings(reading, writing)) == chosen


def test_nothing_is_chosen_where_threads_change_answers() -> None:
    assert better_threads(timings((100, 20), (50, 90), same=False)) is None


@pytest.mark.parametrize(("cores", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
def test_powers_of_two_and_all_cores_are_tried(cores: int, counts: list[int]) -> None:
    assert thread_counts(cores) == counts


def test_what_was_chosen_is_kept_by_model_and_machine(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_threads(MODEL, profile) is None
    keep_threads(MODEL, None, profile)
    assert not profile.data.exists()
    keep_threads(MODEL, (1, 4), profile)
    keep_threads(OTHER, (2, 2), profile)
    assert (chosen_threads(MODEL, profile), chosen_threads(OTHER, profile)) == ((1, 4), (2, 2))
    monkeypatch.setattr(platform, "node", lambda: "another machine")
    assert chosen_threads(MODEL, profile) is None
    monkeypatch.undo()
    keep_threads(MODEL, None, profile)
    assert (chosen_threads(MODEL, profile), chosen_threads(OTHER, profile)) == (None, (2, 2))


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"x": [0, 1]}'])
def test_a_damaged_file_counts_as_not_there(profile: Profile, content: bytes) -> None:
    profile.data.mkdir(parents=True)
    Path(profile.data / "threads.json").write_bytes(content)
    assert chosen_threads(MODEL, profile) is None
    keep_threads(MODEL, (1, 1), profile)
    assert chosen_threads(MODEL, profile) == (1, 1)
