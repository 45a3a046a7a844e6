"""Fitting an audience head: kept when it knows something, true, modest, repeatable, stoppable."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import Cancelled, EngineError, InputError, SettingsError
from jokejudge_gui.core.events import Stage, StageFinished, StageProgress, StageStarted
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.vote_sets import PairVote, Rated, VoteSet
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.learning.fitting import HeadFiles, HeadFitted, HeadReport, fit_head
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
    assert isinstance(last, HeadFitted)
    return last.report


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
    assert head is not None
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
    said = " ".join(report.sentences)
    assert said.startswith("Not kept: ")
    assert "doesn't beat chance" in said
    assert f"{100 * report.head.share:.0f}" in said
    assert "goes on without an audience estimate" in said


def test_stated_odds_are_modest_where_nothing_was_learned_and_honest_where_something_was(files: HeadFiles) -> None:
    nothing = fitted(WitEngine(0.0), [RATED], files)
    something = fitted(WitEngine(), [RATED], files)
    assert nothing.log_loss < np.log(2) + 0.02
    assert something.log_loss < np.log(2) - 0.1
    assert something.sets[0].ece < 0.15


def test_people_who_only_like_long_texts_are_no_reason_to_keep_a_head(files: HeadFiles) -> None:
    lengthy = [f"{text} {'and again ' * (i % 17)}" for i, text in enumerate(texts(120))]
    votes = VoteSet("long", ratings=tuple(Rated(text, float(len(text))) for text in lengthy))
    report = fitted(WitEngine(0.0), [votes], files)
    assert report.length.share == 1.0
    assert "length alone" in report.unbeaten
    assert "length alone" in report.sentences[1]
    assert written(files) == []


def test_people_who_like_short_texts_are_length_too(files: HeadFiles) -> None:
    lengthy = [f"{text} {'and again ' * (i % 17)}" for i, text in enumerate(texts(120))]
    votes = VoteSet("short", ratings=tuple(Rated(text, -float(len(text))) for text in lengthy))
    assert fitted(WitEngine(0.0), [votes], files).length.share == 1.0


def test_people_who_like_one_word_are_wording(files: HeadFiles) -> None:
    votes = VoteSet("words", ratings=tuple(Rated(t, float("owl" in t or "newt" in t)) for t in texts(120)))
    report = fitted(WitEngine(0.0), [votes], files)
    assert report.wording.share > 0.9
    assert "wording alone" in report.unbeaten
    assert not report.kept


def test_a_shipped_head_stays_unless_it_is_beaten(files: HeadFiles, tmp_path: Path) -> None:
    better = HeadFiles(files.shipped, tmp_path / "elsewhere", tmp_path / "nowhere")
    assert fitted(WitEngine(), [VoteSet("many", ratings=ratings(240, noise=0.0))], better).kept
    report = fitted(WitEngine(), [RATED], files)
    assert report.shipped is not None
    assert report.unbeaten == ("the estimate that comes with the program",)
    assert (report.kept, report.in_use) == (False, "shipped")
    assert "which flatters it" in report.sentences[1]
    assert "keeps the estimate that comes with the program" in report.sentences[-1]
    assert written(files) == []
    head = files.load("f" * 64)
    assert head is not None
    assert head.version


def test_a_shipped_head_that_knows_nothing_is_beaten(files: HeadFiles, tmp_path: Path) -> None:
    dull = HeadFiles(files.shipped, tmp_path / "elsewhere", tmp_path / "nowhere")
    assert fitted(WitEngine(), [RATED], dull).kept
    path = files.shipped / f"{NAME}.npz"
    with np.load(path) as parts:
        arrays = dict(parts)
    np.savez(path, **arrays | {"weights": np.zeros_like(arrays["weights"])})
    report = fitted(WitEngine(), [RATED], files)
    assert report.shipped is not None
    assert report.shipped.share == 0.5
    assert (report.kept, report.in_use) == (True, "own")


def test_an_own_head_is_replaced_only_by_one_that_is_kept(files: HeadFiles) -> None:
    fitted(WitEngine(), [RATED], files)
    before = {path: path.read_bytes() for path in written(files)}
    assert len(before) == 2
    report = fitted(WitEngine(0.0), [RATED], files)
    assert (report.kept, report.in_use) == (False, "own")
    assert "keeps the one that was fitted before" in report.sentences[-1]
    assert {path: path.read_bytes() for path in written(files)} == before
    assert fitted(WitEngine(), [PAIRS], files).kept
    after = {path: path.read_bytes() for path in written(files)}
    assert list(after) == list(before)
    assert all(after[path] != before[path] for path in before)


def test_the_card_says_what_the_shipped_cards_say_and_the_same_figures_as_the_head(files: HeadFiles) -> None:
    report = fitted(WitEngine(), [RATED, PAIRS], files)
    card = json.loads((files.cards / f"{NAME}.json").read_text(encoding="utf-8"))
    head = AudienceHead.load(files.own / f"{NAME}.npz")
    shipped = list((models_dir() / "cards").glob("*.json"))
    assert shipped
    # Ratings don't tell what isn't a joke, and one's own heads don't hear the editor's.
    said = {key for path in shipped for key in json.loads(path.read_text(encoding="utf-8"))} - {
        "joke_or_not",
        "joint",
        "across",
    }
    assert said <= set(card)
    assert card["agreement"] == head.agreement == round(report.head.share, 3)
    assert (card["one_person"], head.one_person) == (None, 0.0)
    assert "can't be computed" in card["one_person_note"]
    assert card["model"] == {"name": "fake-model", "sha256": "f" * 64}
    assert card["data"] == {"grades.csv": "the user's own", "duels.csv": "the user's own"}
    assert card["figures"]["duels.csv"]["agreement"]["head"]["all"][0] == round(report.sets[1].head.share, 3)
    assert not any(text in json.dumps(card) for text in texts(180))


def test_one_person_is_stated_where_single_votes_are_known(files: HeadFiles) -> None:
    votes = VoteSet("counted", ratings=RATED.ratings, agreeing=66.0, asked=100.0)
    assert fitted(WitEngine(), [votes], files).one_person == 0.66
    assert AudienceHead.load(files.own / f"{NAME}.npz").one_person == 0.66


def test_the_same_votes_give_the_same_head_to_the_byte(files: HeadFiles, tmp_path: Path) -> None:
    other = HeadFiles(tmp_path / "b", tmp_path / "c", tmp_path / "none")
    first = fitted(WitEngine(), [RATED], files)
    again = fitted(WitEngine(), [RATED], other)
    assert first == again
    assert (files.own / f"{NAME}.npz").read_bytes() == (other.own / f"{NAME}.npz").read_bytes()
    turned = fitted(WitEngine(), [VoteSet(RATED.name, ratings=RATED.ratings[::-1])], other)
    assert turned.head.share == pytest.approx(first.head.share, abs=0.02)


def test_progress_counts_the_texts_and_then_the_fits(files: HeadFiles) -> None:
    events = list(fit_head(WitEngine(), [RATED], files))
    assert events[0] == StageStarted(stage=Stage.FITTING, total=120)
    steps = [event for event in events if isinstance(event, StageProgress)]
    reading = [step for step in steps if step.note.startswith("reading")]
    assert [step.done for step in reading] == list(range(10, 121, 10))
    fits = steps[len(reading) :]
    assert [step.done for step in fits] == list(range(1, fits[0].total + 1))  # type: ignore[operator]
    assert isinstance(events[-2], StageFinished)
    assert isinstance(events[-1], HeadFitted)


@pytest.mark.parametrize("when", [1, 60, 120])
def test_a_stop_while_reading_leaves_nothing(files: HeadFiles, when: int) -> None:
    cancel = CancelToken()
    engine = WitEngine(reading=lambda count: cancel.cancel() if count == when else None)
    with pytest.raises(Cancelled):
        fitted(engine, [RATED], files, cancel)
    assert len(engine.read) == when
    assert written(files) == []


@pytest.mark.parametrize("fit", [1, 17, 30])
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


def test_an_engine_that_fails_ends_the_fit(files: HeadFiles) -> None:
    def fail(count: int) -> None:
        if count == 5:
            raise EngineError("E_DECODE", "The model failed.", "Try again.")

    with pytest.raises(EngineError, match="The model failed"):
        fitted(WitEngine(reading=fail), [RATED], files)
    assert written(files) == []


@pytest.mark.parametrize(
    "votes",
    [
        VoteSet("none"),
        VoteSet("few", ratings=ratings(30)),
        VoteSet("all the same", ratings=tuple(Rated(text, 3.0) for text in texts(200))),
        VoteSet("one text", ratings=tuple(Rated("The same joke.", float(i)) for i in range(100))),
        VoteSet("few pairs", pairs=tuple(PairVote(texts(3)[0], text) for text in texts(200)[1:])),
        VoteSet("no texts", ratings=tuple(Rated(" " * i, float(i)) for i in range(100))),
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


def test_the_same_joke_in_two_spellings_is_read_once(files: HeadFiles) -> None:
    again = tuple(Rated(f"  {rated.text.upper()} ", rated.value) for rated in RATED.ratings)
    engine = WitEngine()
    fitted(engine, [RATED, VoteSet("loud", ratings=again)], files)
    assert len(engine.read) == 120


def test_more_texts_than_can_be_read_are_drawn(files: HeadFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jokejudge_gui.learning.audience_fit.MOST_TEXTS", 100)
    engine = WitEngine()
    report = fitted(engine, [PAIRS], files)
    assert (len(engine.read), report.texts, report.left_out) == (100, 100, 80)
    assert report.head.pairs == 50, "linked texts are drawn together"


@pytest.mark.parametrize("folder", ["heads", "cards"])
def test_a_head_that_cannot_be_written_leaves_neither_half(files: HeadFiles, tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).write_text("in the way")
    with pytest.raises(SettingsError):
        fitted(WitEngine(), [RATED], files)
    other = files.cards if folder == "heads" else files.own
    assert not list(other.glob("*"))


def test_a_removed_head_gives_way_to_the_shipped_one(files: HeadFiles, tmp_path: Path) -> None:
    fitted(WitEngine(), [RATED], files)
    assert files.in_use("f" * 64) == "own"
    assert files.remove("f" * 64)
    assert written(files) == []
    assert files.in_use("f" * 64) == "none"
    assert not files.remove("f" * 64)
