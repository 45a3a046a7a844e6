"""The Rate tab's states, each reached by events or from a stored verdict."""

from __future__ import annotations

import canned
import pytest
from canned import SALMON, scored, tell
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.events import (
    CheckDone,
    Finished,
    ScoresDone,
    Stage,
    StageFinished,
    StageProgress,
    StageStarted,
    Started,
    TextPiece,
)
from jokejudge_gui.core.verdicts import Audience, ListenerVoice, RatingResult, Reference, Span, Usage
from jokejudge_gui.learning.trust_cards import UNKNOWN as UNLEARNED
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.rate.cards import VerdictCard, audience_words, marked_runs
from jokejudge_gui.ui.rate.state import RateState, state_of_entry
from jokejudge_gui.ui.rate.tab import RateTab
from jokejudge_gui.ui.widgets.stage_list import StageItem

EXAMPLES = ("First.", "Second.", "Third.", "Fourth.")


@pytest.fixture
def tab(qtbot: QtBot) -> RateTab:
    made = RateTab(EXAMPLES)
    qtbot.addWidget(made)
    made.resize(1000, 800)
    made.show()
    return made


def job() -> Job:
    return Job("rate", lambda _token: ())


def play(tab: RateTab, events: list[object]) -> Job:
    running = job()
    tab.begin(running, canned.PARALLEL)
    tell(tab, running, *events)
    return running


def test_the_first_start_offers_examples_and_rate_waits_for_a_text(tab: RateTab) -> None:
    assert tab.welcome.isVisible()
    assert len(tab.welcome.rows) == 3
    assert not tab.buttons.run_button.isEnabled()
    assert not tab.bar.isVisible()


def test_two_clicks_rate_an_example(tab: RateTab, qtbot: QtBot) -> None:
    qtbot.mouseClick(tab.welcome.rows[1].link, Qt.MouseButton.LeftButton)
    assert tab.joke.text() == "Second."
    with qtbot.waitSignal(tab.asked) as asked:
        qtbot.mouseClick(tab.buttons.run_button, Qt.MouseButton.LeftButton)
    assert asked.args == [{"text": "Second.", "context": "", "forced": False}]


def test_the_example_link_goes_round(tab: RateTab) -> None:
    seen = []
    for _ in range(5):
        tab.joke.link.click()
        seen.append(tab.joke.text())
    assert seen == [*EXAMPLES, EXAMPLES[0]]


@pytest.mark.parametrize("text", ["", " ", "\n\t \n"])
def test_a_blank_text_cannot_be_rated(tab: RateTab, text: str) -> None:
    tab.joke.set_text(text)
    assert not tab.buttons.run_button.isEnabled()
    tab.asked.connect(lambda *_: pytest.fail("asked for a blank text"))
    tab.run()


def test_rate_stays_where_it_is_while_one_types_and_moves_once_for_a_long_text(tab: RateTab, scale: float) -> None:
    editor, button = tab.joke.editor, tab.buttons.run_button
    places = []
    for number in range(200):
        word = "joke" if number % 3 else "carpenter"
        editor.insertPlainText(f"{word} ")
        QApplication.processEvents()
        lines = editor.document().documentLayout().documentSize().height()
        places.append((lines, button.mapTo(tab, QPoint(0, 0)).y()))
        assert lines <= 4 or editor.height() > 200 * scale or not editor.verticalScrollBar().value()
    assert len({y for lines, y in places if lines <= 4}) == 1
    assert len({y for _, y in places}) == 2
    assert editor.height() <= round(240 * scale)
    tab.joke.set_text("Short.")
    QApplication.processEvents()
    assert button.mapTo(tab, QPoint(0, 0)).y() == places[0][1]


def test_characters_are_counted_as_they_are_typed(tab: RateTab) -> None:
    tab.joke.set_text("a")
    assert tab.joke.caption_label.text() == "1 character"
    tab.joke.set_text("ab\nc" * 300)
    assert tab.joke.caption_label.text() == "1,200 characters"


def test_while_it_runs_the_editor_is_read_only_and_rate_is_stop(tab: RateTab, qtbot: QtBot) -> None:
    play(tab, scored(4))
    assert tab.joke.editor.isReadOnly()
    assert tab.buttons.stop_button.isVisible()
    assert not tab.buttons.run_button.isVisible()
    with qtbot.waitSignal(tab.stop_asked):
        qtbot.mouseClick(tab.buttons.stop_button, Qt.MouseButton.LeftButton)


def test_factors_fill_in_as_they_are_scored(tab: RateTab) -> None:
    play(tab, scored(4))
    states = [row.state for row in tab.factors.bars.rows]
    assert states == ["done"] * 4 + ["running"] + ["waiting"] * 2
    item = tab.stages.list.item("scores")
    assert item.text.text() == "4 of 7 scored · now Geometry as romance"
    assert item.state == "running"
    assert tab.verdict.heading.text() == "Scoring the factors"
    assert tab.verdict.gauge.state == "running"


def test_each_stage_shows_its_result_and_its_time(tab: RateTab) -> None:
    play(tab, scored(0))
    checks = tab.stages.list.item("admissibility")
    assert [chip.label for chip in checks.chips.items()] == [
        "intent", "complete", "appropriate", "coherent", "accessible"
    ]  # fmt: skip
    assert checks.seconds.text() == "2.1 s"
    # Read together with the checks: no time of its own, and no 0.0 s.
    assert tab.stages.list.item("categories").seconds.text() == ""
    chips = tab.stages.list.item("categories").chips.items()
    assert [(chip.label, chip.kind) for chip in chips] == [
        ("Pun", "chosen"), ("Observation", "chosen"), ("Irony", "outline")
    ]  # fmt: skip
    kinds = {chip.label: chip.kind for chip in tab.stages.list.item("factors").chips.items()}
    assert kinds["Geometry as romance"] == "written"
    assert kinds["Wordplay"] == "plain"


def test_the_verdict_stands_before_its_explanation_is_written(tab: RateTab) -> None:
    result = canned.rating(explanation=None)
    running = play(tab, [*scored(7), ScoresDone(result=result), StageStarted(stage=Stage.EXPLANATION)])
    assert tab.verdict.gauge.value == pytest.approx(3.4)
    assert tab.verdict.writing.isVisible()
    tell(tab, running, TextPiece(text="Works. The line turns on “have so much "))
    tell(tab, running, TextPiece(text="in common”.\nWeakens it. Known."))
    assert tab.verdict.explanation.text() == ("Works. The line turns on have so much in common.\nWeakens it. Known.")
    assert not tab.verdict.writing.isVisible()


def test_what_comes_in_one_burst_is_drawn_once_and_the_end_at_once(
    tab: RateTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[bool] = []
    draw = tab.stages.show_state
    monkeypatch.setattr(tab.stages, "show_state", lambda state: (drawn.append(state.live), draw(state)))
    running = play(tab, [])
    drawn.clear()
    tell(tab, running, *scored(7))
    assert drawn in ([True], [True, True])  # the clock may tick between
    drawn.clear()
    tab.handle(running, Finished(result=canned.rating()))
    assert drawn == [False]
    assert tab.verdict.isVisible()


def test_a_finished_rating_shows_mean_best_factor_pathway_and_cost(tab: RateTab) -> None:
    play(tab, [*scored(7), Finished(result=canned.rating())])
    assert not tab.live
    assert tab.verdict.best.text() == "Wordplay"
    assert tab.verdict.badge.score == 5
    assert tab.verdict.pathway.text() == "Pun, Observation"
    assert tab.usage.text() == "Reused 6,120 of 6,480 tokens · 14.2 s · SmolLM2-135M-Instruct"
    assert tab.bar.isVisible()
    assert tab.buttons.run_button.isVisible()
    assert not tab.joke.editor.isReadOnly()


def test_the_time_of_a_verdict_is_no_shorter_than_that_of_its_stages(tab: RateTab) -> None:
    """The engine's own seconds leave out what is done beside it."""
    result = canned.rating(usage=Usage(tokens_evaluated=360, seconds=1.2))
    play(tab, [*scored(7), Finished(result=result)])
    assert sum(result.stage_seconds.values()) == pytest.approx(12.6)
    assert tab.usage.text().split(" · ")[1] == tab.stages.time.text() == "12.6 s"


def test_a_read_rating_shows_the_place_among_a_hundred_jokes(tab: RateTab) -> None:
    tab.open(canned.entry(canned.read_rating()))
    assert tab.verdict.gauge.value == pytest.approx(91.2)
    assert tab.verdict.gauge.accessibleName() == "Funnier than 91 in 100, between 70 and 98"
    assert tab.verdict.heading.text() == "Funnier than 91 in 100 jokes"
    said = "70 to 98. Right in 66 of 100 pairs of one-liners that people voted on."
    assert tab.verdict.sentence.text() == said
    assert not tab.verdict.badge.isVisible()


def test_a_read_rating_has_two_stages(tab: RateTab) -> None:
    events: list[object] = [Started(id="x", kind="rate"), StageStarted(stage=Stage.READING)]
    running = play(tab, events)
    assert tab.verdict.heading.text() == "Reading the joke"
    result = canned.read_rating()
    tell(tab, running, *(CheckDone(check=check) for check in result.admissibility))
    tell(tab, running, ScoresDone(result=result), StageFinished(stage=Stage.READING, seconds=0.5))
    tell(tab, running, StageStarted(stage=Stage.EXPLANATION), StageFinished(stage=Stage.EXPLANATION, seconds=0.3))
    tell(tab, running, Finished(result=result))
    live = [(item.title.text(), item.state, item.seconds.text()) for item in shown_stages(tab)]
    assert live == [("Reading", "done", "0.5 s"), ("Words", "done", "0.3 s")]
    tab.open(canned.entry(result))
    assert [(item.title.text(), item.state, item.seconds.text()) for item in shown_stages(tab)] == live
    assert [chip.label for chip in tab.stages.list.item("reading").chips.items()] == ["intent"]


def shown_stages(tab: RateTab) -> list[StageItem]:
    return [item for item in tab.stages.findChildren(StageItem) if item.isVisible()]


def test_the_note_says_what_works_what_weakens_and_what_to_try(tab: RateTab) -> None:
    result = canned.read_rating()
    tab.open(canned.entry(result))
    assert result.note is not None
    *lines, apart = tab.verdict.editor.text().split("\n")
    assert [line.partition(" ")[0] for line in lines] == ["Works.", "Weakens.", "Try."]
    assert lines[2].endswith("An editor would prefer it in 78 of 100.")
    assert apart == result.note.apart
    assert not tab.verdict.explanation.isVisible()


def test_what_a_joke_names_stands_under_the_note(tab: RateTab) -> None:
    named = Reference(text="salmon", start=SALMON.index("salmon"), end=SALMON.index("salmon") + 6, why="name")
    tab.open(canned.entry(canned.read_rating(references=(named,))))
    assert tab.verdict.editor.text().endswith("It names salmon.")
    tab.open(canned.entry(canned.read_rating("r9", references=(named,), note=None)))
    assert tab.verdict.editor.text() == "It names salmon."


def test_listeners_stand_on_a_card_of_their_own_and_silent_ones_say_why(tab: RateTab) -> None:
    voices = (
        ListenerVoice(id="family", name="Family", p=None, anyone=None, reason="It can't tell."),
        ListenerVoice(id="students", name="Students", p=0.4, anyone=0.6),
        ListenerVoice(id="", name="<b>beekeepers</b>", p=0.9, anyone=0.6),
    )
    tab.open(canned.entry(canned.read_rating(listeners=voices)))
    assert tab.listeners.isVisible()
    first, second = tab.listeners.text.text().splitlines()
    assert first.startswith(
        "<b>beekeepers</b> would laugh, says the model, with a probability of 0.90; anyone with 0.60"
    )
    assert second.startswith("Students would laugh, says the model, with a probability of 0.40; anyone with 0.60")
    assert tab.listeners.silent.text() == "Not asked: Family. It can't tell."
    tab.open(canned.entry(canned.read_rating("r9")))
    assert not tab.listeners.isVisible()


def test_a_reading_of_another_language_says_why_there_is_no_estimate(tab: RateTab) -> None:
    warning = "This text doesn't seem to be English, and the estimates were learned from English jokes alone."
    nothing = {"audience": None, "mean_score": None, "factors": (), "categories": (), "note": None}
    tab.open(canned.entry(canned.read_rating(**nothing, explanation=None, turn=None, cuts=(), warnings=(warning,))))
    assert tab.verdict.isVisible()
    assert not tab.verdict.gauge.isVisible()
    assert tab.verdict.sentence.text() == warning
    assert not tab.warning.isVisible()


@pytest.mark.parametrize(("width", "under"), [(420, True), (600, False)])
def test_the_note_stands_under_the_gauge_only_where_the_card_is_narrow(qtbot: QtBot, width: int, under: bool) -> None:
    card = VerdictCard()
    qtbot.addWidget(card)
    state = RateState("finished", canned.SALMON)
    state.result = canned.read_rating()
    card.show_verdict(state)
    card.resize(width, 700)
    card.show()
    qtbot.waitExposed(card)
    qtbot.waitUntil(lambda: (card.editor.x() < card.gauge.geometry().right()) is under)


def test_a_kind_of_text_that_nobody_was_heard_on_has_no_gauge(tab: RateTab) -> None:
    audience = Audience(percentile=60.0, score=0.1, low=10.0, high=90.0, heard=False)
    tab.open(canned.entry(canned.read_rating(audience=audience)))
    assert not tab.verdict.gauge.isVisible()
    assert tab.verdict.heading.text() == "No estimate of the audience"
    assert "hasn't learned from" in tab.verdict.sentence.text()
    assert tab.verdict.editor.isVisible()
    tab.open(canned.entry(canned.read_rating()))
    assert tab.verdict.gauge.isVisible()


def test_the_joke_is_marked_up_as_an_editor_would(tab: RateTab) -> None:
    tab.open(canned.entry(canned.read_rating()))
    assert tab.marked.isVisible()
    assert tab.marked.y() < tab.verdict.y()
    assert tab.marked.text.text() == canned.SALMON
    said = "“for you” could go. “also” could go. The joke turns on “cures”."
    assert tab.marked.text.accessibleDescription() == said
    tab.open(canned.entry(canned.rating()))
    assert not tab.marked.isVisible()


def test_marks_that_meet_and_letters_beyond_the_first_plane_leave_the_text_whole() -> None:
    text = "😀 <b>one</b> two"
    turn = Span(start=2, end=8, text="<b>one", p=0.9)
    cuts = (Span(start=5, end=12, text="one</b>", p=0.8), Span(start=13, end=16, text="two", p=0.8))
    runs = marked_runs(canned.read_rating(text=text, turn=turn, cuts=cuts))
    assert runs == [("😀 ", "normal"), ("<b>one", "turn"), ("</b> ", "normal"), ("two", "cut")]


def test_the_pointer_finds_the_reason_of_a_mark(tab: RateTab) -> None:
    tab.open(canned.entry(canned.read_rating()))
    text = tab.marked.text
    points = [QPointF(x, y) for y in range(0, text.height(), 4) for x in range(0, text.width(), 2)]
    styles = [text._runs[run][1] for run in map(text.run_at, points) if run is not None]
    assert list(dict.fromkeys(styles)) == ["normal", "cut", "turn"]


def test_the_strongest_and_weakest_factors_are_shown_and_the_others_behind_a_link(tab: RateTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(canned.read_rating()))
    names = ["Wordplay", "Comic logic", "Surprise", "Originality", "Relatability"]
    assert [row.name for row in tab.factors.bars.rows] == names
    assert [(chip.label, chip.value) for chip in tab.factors.kinds.items()] == [
        ("Pun", ""), ("Twisted logic", ""), ("Food and drink", "")
    ]  # fmt: skip
    assert tab.factors.more.text() == "5 more"
    qtbot.mouseClick(tab.factors.more, Qt.MouseButton.LeftButton)
    assert len(tab.factors.bars.rows) == 10
    assert "appropriate" in tab.factors.untold.text()
    qtbot.mouseClick(tab.factors.more, Qt.MouseButton.LeftButton)
    assert [row.name for row in tab.factors.bars.rows] == names


def test_progress_of_a_first_measurement_is_told(tab: RateTab) -> None:
    play(
        tab,
        [
            Started(id="x", kind="rate"),
            StageStarted(stage=Stage.CALIBRATION, total=40),
            StageProgress(stage=Stage.CALIBRATION, done=10, total=40),
        ],
    )
    assert tab.verdict.heading.text() == "Measuring this model's habits"
    assert "10 of 40" in tab.verdict.sentence.text()
    assert tab.verdict.progress.fraction == pytest.approx(0.25)


def test_a_joke_that_looks_like_markup_stays_text(tab: RateTab) -> None:
    text = "<b>Why</b> did {joke} cross <img src=x>?"
    tab.open(canned.entry(canned.rating(text=text, explanation=f"Works. {text} “cross”")))
    assert tab.joke.text() == text
    assert "<b>Why</b>" in tab.verdict.explanation.text()


def test_note_and_tags_are_shown_with_the_verdict(tab: RateTab) -> None:
    tab.open(canned.entry(canned.rating(), note="For the opener", tags=("set", "short"), starred=True))
    assert tab.note.isVisible()
    assert tab.note.text.text() == "For the opener"
    assert [chip.label for chip in tab.note.tags.items()] == ["set", "short"]
    assert tab.bar.star_button.isChecked()
    tab.open(canned.entry(canned.rating()))
    assert not tab.note.isVisible()


def test_an_unknown_event_changes_nothing() -> None:
    state = RateState()
    state.apply("nonsense")
    assert state == RateState()


def test_a_factor_without_an_answer_has_no_number() -> None:
    entry = canned.entry(canned.rating(factors=(canned.factor("Wordplay", None, 0, 0),), mean_score=None))
    assert state_of_entry(entry).factors[0].score is not None
    assert state_of_entry(entry).scored == 1


def test_a_huge_text_in_the_editor_can_be_asked_for(tab: RateTab, qtbot: QtBot) -> None:
    tab.joke.set_text("ha " * 50_000)
    with qtbot.waitSignal(tab.asked) as asked:
        tab.run()
    assert len(asked.args[0]["text"]) == 150_000


def test_a_kind_of_text_that_was_not_learned_is_said_to_be_one() -> None:
    audience = Audience(percentile=40.0, score=0.0, low=10.0, high=89.0, kind=UNLEARNED, agreement=0.56)
    rating = RatingResult(id="r", text="A joke.", audience=audience)
    title, sure = audience_words(rating)
    assert title == "Funnier than 40 in 100 jokes"
    assert sure == ("10 to 89. It hasn't learned this kind of text; of such it puts 56 of 100 pairs in people's order.")
