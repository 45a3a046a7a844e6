"""Fitting an audience head: kept when it knows something, true, modest, repeatable, stoppable."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import Cancelled, InputError, SettingsError
from jokejudge_gui.core.events import StageProgress
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.vote_sets import PairVote, Rated, VoteSet
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.learning import words
from jokejudge_gui.learning.fitting import HeadFiles, HeadReport, fit_head
from tests.fake_engine import FakeEngine
from tests.wit_engine import RATED, WitEngine, pair_votes, ratings, texts, wit

PAIRS = VoteSet("duels.csv", pairs=pair_votes(90))

NAME = "f" * 16


@pytest.fixture
def files(tmp_path: Path) -> HeadFiles:
    return HeadFiles(tmp_path / "heads", tmp_path / "cards", tmp_path / "shipped")


def fitted(engine: FakeEngine, sets: list[VoteSet], files: HeadFiles, cancel: CancelToken | None = None) -> HeadReport:
    last = None
    for event in fit_head(engine, sets, files, cancel):
        last = event
    assert isinstance(last, HeadReport)
    return last


def written(files: HeadFiles) -> list[Path]:
    """Everything under the user's folders, half-written files too."""
    return sorted(path for folder in (files.own, files.cards) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("votes", [RATED, PAIRS], ids=["ratings", "pairs"])
def test_what_a_model_knows_is_learned_kept_and_true_of_texts_that_nobody_voted_on(
    files: HeadFiles, votes: VoteSet
) -> None:
    report = fitted(WitEngine(), [votes], files)
    assert report.kept
    assert report.in_use == "own"
    assert report.head.low > 0.5
    assert report.head.share > max(report.length.share, report.wording.share)
    head = files.load("f" * 64)
    engine = WitEngine()
    new = texts(400)[300:]
    read = [head.read(engine, text) for text in new]
    right = [
        (head.difference(a, b) > 0) == (wit(one) > wit(two))
        for a, b, one, two in zip(read[::2], read[1::2], new[::2], new[1::2], strict=True)
    ]
    assert sum(right) >= 0.75 * len(right)
    percentiles = [head.audience(features).percentile for features in read]
    assert 30 < float(np.median(percentiles)) < 70


def test_a_model_that_knows_nothing_gets_no_head_and_is_told_why(files: HeadFiles) -> None:
    report = fitted(WitEngine(0.0), [RATED, PAIRS], files)
    assert not report.kept
    assert "chance" in report.unbeaten
    assert written(files) == []
    said = " ".join(words.fitted(report))
    assert said.startswith("Not kept: ")
    assert "doesn't beat chance" in said
    assert f"{100 * report.head.share:.0f}" in said
    assert "goes on without an audience estimate" in said


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["long", "short"])
def test_people_who_only_like_long_texts_or_short_ones_are_no_reason_to_keep_a_head(
    files: HeadFiles, sign: float
) -> None:
    lengthy = [f"{text} {'and again ' * (i % 17)}" for i, text in enumerate(texts(120))]
    votes = VoteSet("long", ratings=tuple(Rated(text, sign * len(text)) for text in lengthy))
    report = fitted(WitEngine(0.0), [votes], files)
    assert report.length.share == 1.0
    assert "length alone" in report.unbeaten
    assert "length alone" in words.fitted(report)[1]
    assert written(files) == []


def test_a_shipped_head_stays_unless_it_is_beaten(files: HeadFiles, tmp_path: Path) -> None:
    better = HeadFiles(files.shipped, tmp_path / "elsewhere", tmp_path / "nowhere")
    assert fitted(WitEngine(), [VoteSet("many", ratings=ratings(240, noise=0.0))], better).kept
    report = fitted(WitEngine(), [RATED], files)
    assert report.shipped is not None
    assert report.unbeaten == ("the estimate that comes with the program",)
    assert (report.kept, report.in_use) == (False, "shipped")
    assert "which flatters it" in words.fitted(report)[1]
    assert "keeps the estimate that comes with the program" in words.fitted(report)[-1]
    assert written(files) == []
    head = files.load("f" * 64)
    assert head.version


def test_the_card_says_what_the_shipped_cards_say_and_the_same_figures_as_the_head(files: HeadFiles) -> None:
    report = fitted(WitEngine(), [RATED, PAIRS], files)
    card = json.loads((files.cards / f"{NAME}.json").read_text(encoding="utf-8"))
    head = AudienceHead.load(files.own / f"{NAME}.npz")
    shipped = list((models_dir() / "cards").glob("*.json"))
    assert shipped
    # Ratings don't tell what isn't a joke nor the odds, and one's own heads don't hear the editor's.
    elsewhere = {"joke_or_not", "joint", "odds", "macro_agreement"}
    said = {key for path in shipped for key in json.loads(path.read_text(encoding="utf-8"))} - elsewhere
    assert said <= set(card)
    assert card["agreement"] == head.meta.agreement == round(report.head.share, 3)
    assert (card["one_person"], head.meta.one_person) == (None, 0.0)
    assert card["model"] == {"name": "fake-model", "sha256": "f" * 64}
    assert card["data"] == {"grades.csv": "the user's own", "duels.csv": "the user's own"}
    assert card["figures"]["votes"]["agreement"]["head"]["all"][0] == card["agreement"]
    assert not any(text in json.dumps(card) for text in texts(180))


def test_the_same_votes_give_the_same_head_to_the_byte(files: HeadFiles, tmp_path: Path) -> None:
    other = HeadFiles(tmp_path / "b", tmp_path / "c", tmp_path / "none")
    first = fitted(WitEngine(), [RATED], files)
    again = fitted(WitEngine(), [RATED], other)
    assert first == again
    assert (files.own / f"{NAME}.npz").read_bytes() == (other.own / f"{NAME}.npz").read_bytes()
    turned = fitted(WitEngine(), [VoteSet(RATED.name, ratings=RATED.ratings[::-1])], other)
    assert turned.head.share == pytest.approx(first.head.share, abs=0.02)


@pytest.mark.parametrize("when", [1, 120])
def test_a_stop_while_reading_leaves_nothing(files: HeadFiles, when: int) -> None:
    cancel = CancelToken()
    engine = WitEngine(reading=lambda count: cancel.cancel() if count == when else None)
    with pytest.raises(Cancelled):
        fitted(engine, [RATED], files, cancel)
    assert len(engine.read) == when
    assert written(files) == []


@pytest.mark.parametrize("fit", [1, 10])
def test_a_stop_while_fitting_leaves_nothing(files: HeadFiles, fit: int) -> None:
    cancel = CancelToken()
    fits = 0

    def run() -> None:
        nonlocal fits
        for event in fit_head(WitEngine(), [RATED], files, cancel):
            fits += isinstance(event, StageProgress) and event.note.startswith("fitting")
            if fits == fit:
                cancel.cancel()

    with pytest.raises(Cancelled):
        run()
    assert fits == fit
    assert written(files) == []


def test_a_text_too_long_for_the_model_is_left_out_and_counted(files: HeadFiles) -> None:
    report = fitted(WitEngine(too_long=texts(1)[0]), [RATED], files)
    assert (report.kept, report.texts, report.left_out) == (True, 119, 1)


@pytest.mark.parametrize(
    "votes",
    [
        VoteSet("none"),
        VoteSet("few", ratings=ratings(30)),
        VoteSet("all the same", ratings=tuple(Rated(text, 3.0) for text in texts(200))),
        VoteSet("few pairs", pairs=tuple(PairVote(texts(3)[0], text) for text in texts(200)[1:])),
    ],
    ids=lambda votes: votes.name,
)
def test_too_few_votes_are_a_sentence_before_anything_is_read(files: HeadFiles, votes: VoteSet) -> None:
    engine = WitEngine()
    with pytest.raises(InputError) as raised:
        fitted(engine, [votes], files)
    assert raised.value.code == "E_FIT_FEW"
    assert raised.value.hint
    assert engine.read == []


@pytest.mark.parametrize("folder", ["heads", "cards"])
def test_a_head_that_cannot_be_written_leaves_neither_half(files: HeadFiles, tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).write_text("in the way")
    with pytest.raises(SettingsError):
        fitted(WitEngine(), [RATED], files)
    other = files.cards if folder == "heads" else files.own
    assert not list(other.glob("*"))
