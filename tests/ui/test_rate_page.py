"""The Rate tab: the page in each of its states, notes, versions, and what a vote or a key does there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import canned
import canned_profile
import pytest
import shiboken6
from canned import CURES, FOR_YOU, SALMON, scoring, tell
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import (
    Cancelled,
    Failed,
    Finished,
    Interim,
    Stage,
    StageProgress,
    StageStarted,
    Started,
)
from jokejudge_gui.core.verdicts import Audience, Sense, Span, Status, Wordplay
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.rating.record import Branch, FactorScore, ListenerVoice, Node, RatingResult, ReasoningTree
from jokejudge_gui.judge.rating.words import STILL_NO_TURN
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.rate.tab import Dismissed, RateTab
from jokejudge_gui.ui.rate.versions import Version, VersionIndex, closing_words
from jokejudge_gui.ui.verdict.tab import VerdictState
from jokejudge_gui.ui.widgets.base import settle

EXAMPLES = ("First.", "Second.", "Third.", "Fourth.")
COUNCIL = "The council will meet on Tuesday to discuss the new parking rules."
TREE = ReasoningTree(
    nodes=(
        Node(
            id="factor:wit", kind="factor", name="Wit", before=2.0, after=3.0, error=0.4, doubts=("it is nearly even",),
            branches=(
                Branch(how="another wording", value=3.4),
                Branch(how="a strict reader", value=2.6, reason="the end is <b>plain</b>."),
            ),
        ),
    ),
    used_branches=2,
)  # fmt: skip
NO_TURN = {
    "audience": None, "factors": (), "categories": (), "turn": None, "note": None, "mean_score": None, "remarks": (),
    "cuts": (), "explanation": None, "sense": Sense(joke=0.1, whole=0.6, said="no turn"),
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    made = HistoryStore(tmp_path / "history.sqlite3", KINDS)
    yield made
    made.close()


@pytest.fixture
def tab(qtbot: QtBot, store: HistoryStore, tmp_path: Path) -> RateTab:
    made = RateTab(EXAMPLES, store, tmp_path / "dismissed.json")
    qtbot.addWidget(made)
    made.resize(1060, 800)
    made.show()
    return made


def play(tab: RateTab, *events: object, text: str = canned.PARALLEL) -> Job:
    running = Job("rate", lambda _token: ())
    tab.begin(running, text)
    tell(tab, running, *events)
    return running


def show(tab: RateTab, result: RatingResult, status: Status = Status.FINISHED) -> None:
    tab.open(canned.entry(result, status))
    settle()


# Beginning


def test_a_newcomer_gets_examples_that_are_rated_with_one_click(tab: RateTab, qtbot: QtBot) -> None:
    assert tab.welcome.isVisible()
    assert len(tab.welcome.rows) == 3
    assert not tab.buttons.run_button.isEnabled()
    assert not tab.bar.isVisible()
    with qtbot.waitSignal(tab.asked) as asked:
        qtbot.mouseClick(tab.welcome.rows[1].link, Qt.MouseButton.LeftButton)
    assert asked.args == [{"text": "Second.", "context": "", "forced": False}]


@pytest.mark.parametrize("text", ["", " ", "\n\t \n"])
def test_a_blank_text_cannot_be_rated(tab: RateTab, text: str) -> None:
    tab.joke.set_text(text)
    assert not tab.buttons.run_button.isEnabled()
    tab.asked.connect(lambda *_: pytest.fail("asked for a blank text"))
    tab.run()


def test_rate_stays_where_it_is_while_one_types_and_moves_once_for_a_long_text(tab: RateTab, scale: float) -> None:
    editor, button = tab.joke.editor, tab.buttons.run_button
    places = []
    for number in range(120):
        editor.insertPlainText("joke " if number % 3 else "carpenter ")
        QApplication.processEvents()
        lines = editor.document().documentLayout().documentSize().height()
        places.append((lines, button.mapTo(tab, QPoint(0, 0)).y()))
    assert len({y for lines, y in places if lines <= 4}) == 1
    assert len({y for _, y in places}) == 2
    assert editor.height() <= round(240 * scale)


# Running, stopping, failing


def test_while_it_runs_joke_and_facts_stand_there_and_rate_is_stop(tab: RateTab, qtbot: QtBot) -> None:
    play(tab, *scoring())
    assert tab.page.joke.text.text() == canned.PARALLEL
    assert tab.page.joke.facts.text() == "13 words · 5 s spoken"
    assert not tab.page.answer.isVisible()
    assert tab.joke.editor.isReadOnly()
    with qtbot.waitSignal(tab.stop_asked):
        qtbot.mouseClick(tab.buttons.stop_button, Qt.MouseButton.LeftButton)


def test_progress_is_said_in_a_line_only_where_it_takes_longer(tab: RateTab, qtbot: QtBot) -> None:
    play(tab, *scoring(), Finished(result=canned.rating()))
    assert not tab.running.isVisible()
    running = play(tab, *scoring())
    qtbot.waitUntil(tab.running.isVisible, timeout=5000)
    assert tab.running.words.text() == "Scoring…"
    tell(tab, running, Finished(result=canned.rating()))
    assert not tab.running.isVisible()


def test_a_first_measurement_says_how_far_it_is() -> None:
    state = VerdictState("running", ("A joke.",))
    state.apply(Started(id="x", kind="rate"))
    state.apply(StageStarted(stage=Stage.CALIBRATION, total=40))
    state.apply(StageProgress(stage=Stage.CALIBRATION, done=10, total=40))
    assert state.doing({}, "") == ("Measuring this model's habits, once for each model: 10 of 40", 0.25)
    assert state.begun is not None
    state.begun -= 20.0
    note = "measuring this model's habits, once (checks)"
    state.apply(StageProgress(stage=Stage.CALIBRATION, done=10, total=40, note=note))
    assert state.doing({}, "") == ("Measuring this model's habits, once (checks): 10 of 40, 60 s left", 0.25)


def test_what_was_read_when_it_was_stopped_stays(tab: RateTab) -> None:
    partial = canned.rating(factors=canned.FACTORS[:4], mean_score=None, max_score=None, explanation=None)
    play(tab, *scoring(), Cancelled(result=partial))
    assert tab.page.answer.heading.text() == "Stopped."
    assert tab.page.factors.isVisible()
    assert tab.page.joke.facts.text().endswith("stopped")
    result = canned.read_rating("r9")
    play(tab, Interim(result=result), Cancelled(result=result), text=SALMON)
    assert tab.page.answer.isVisible()
    assert tab.page.joke.facts.text().endswith("stopped")


def test_an_error_says_what_happened_and_what_to_do(tab: RateTab) -> None:
    play(tab, Failed(error=ErrorInfo(code="E_INPUT_TOO_LONG", sentence="The joke is too long.", hint="Shorten it.")))
    assert (tab.failed.heading.text(), tab.failed.text.text()) == ("The joke is too long.", "Shorten it.")
    assert not tab.page.isVisible()
    assert tab.buttons.run_button.isEnabled()
    assert tab.joke.text() == canned.PARALLEL


def test_without_a_model_rate_is_disabled_and_the_library_offered(tab: RateTab, qtbot: QtBot) -> None:
    tab.joke.set_text(canned.PARALLEL)
    tab.set_model_error(ErrorInfo(code="E_MODEL_MISSING", sentence="The model file is missing.", hint="Choose one."))
    assert not tab.buttons.run_button.isEnabled()
    with qtbot.waitSignal(tab.library_asked):
        qtbot.mouseClick(tab.failed.button, Qt.MouseButton.LeftButton)
    tab.set_model_error(None)
    assert tab.buttons.run_button.isEnabled()
    assert tab.welcome.isVisible()


def test_a_stored_rating_without_any_result_says_how_it_ended(tab: RateTab) -> None:
    entry = canned.entry(canned.rating(), Status.INTERRUPTED).model_copy(update={"result": None})
    tab.open(entry)
    assert tab.stopped.heading.text() == "This rating was cut off."
    assert not tab.page.isVisible()


def test_a_stored_rating_can_be_read_while_another_runs(tab: RateTab) -> None:
    running = play(tab, *scoring())
    show(tab, canned.read_rating("other"))
    assert tab.joke.text() == SALMON
    assert tab.page.answer.isVisible()
    assert tab.live
    tell(tab, running, Finished(result=canned.rating("x")))
    assert tab.page.joke.text.text() == SALMON


# The page


def test_the_joke_is_marked_and_its_facts_stand_below(tab: RateTab) -> None:
    show(tab, canned.read_rating(wordplay=Wordplay(start=CURES.start, end=CURES.end, text="cures", second="heals",
                                                   link="sense", p=0.9)))  # fmt: skip
    text = tab.page.joke.text
    marks = [(mark.kind, mark.start, mark.end) for mark in text.marks()]
    assert marks == [
        ("turn", CURES.start, CURES.end), ("cut", FOR_YOU.start, FOR_YOU.end), ("wordplay", CURES.start, CURES.end)
    ]  # fmt: skip
    assert "“cures” for “heals”." in text.accessibleDescription()
    assert tab.page.joke.facts.text() == "12 words · 4 s spoken · turn at word 11 · 1 word after it"


def test_a_note_says_how_often_it_is_right_and_points_at_its_words(tab: RateTab) -> None:
    show(tab, canned.read_rating())
    heard, edit, _form = tab.page.joke.rows
    assert heard.caption.text() == "right in 9 of 10"
    assert not heard.accept_button.isVisible()
    assert edit.accept_button.isVisible()
    heard.setFocus()
    assert tab.page.joke.text._strong == (CURES.start, CURES.end)
    edit.setFocus()
    assert tab.page.joke.text._strong == (FOR_YOU.start, FOR_YOU.end)
    tab.page.joke.text.pointed.emit(CURES.start)
    assert heard.sentence._token == "accent"
    assert edit.sentence._token == "text"


def test_enter_accepts_an_edit_and_ctrl_z_takes_it_back(tab: RateTab, qtbot: QtBot) -> None:
    show(tab, canned.read_rating())
    row = tab.page.joke.rows[0]
    row.setFocus()
    qtbot.keyClick(row, Qt.Key.Key_Down)
    edit = tab.page.joke.rows[1]
    assert edit.hasFocus()
    with qtbot.waitSignal(tab.asked) as asked:
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert asked.args[0]["text"] == tab.joke.text() == "If smoking is bad, how come it cures salmon?"
    tab.joke.editor.undo()
    assert tab.joke.text() == SALMON


def test_a_dismissed_edit_can_be_brought_back_and_else_stays_away_for_good(
    tab: RateTab, qtbot: QtBot, tmp_path: Path
) -> None:
    show(tab, canned.read_rating())
    tab.page.joke.rows[1].setFocus()
    qtbot.keyClick(tab.page.joke.rows[1], Qt.Key.Key_Delete)
    row = tab.page.joke.rows[1]
    settle()
    assert row.sentence.isHidden()
    assert not row.undo_link.isHidden()
    assert "cut" not in [mark.kind for mark in tab.page.joke.text.marks()]
    row.undo_link.click()
    assert not tab.page.joke.rows[1].accept_button.isHidden()
    tab.page.joke.rows[1].dismissed.emit()
    show(tab, canned.rating())
    tab.page.joke._drop_dismissed()
    show(tab, canned.read_rating())
    assert [row.remark.about for row in tab.page.joke.rows] == ["heard", "form"]
    assert len(Dismissed(tmp_path / "dismissed.json").of(f"  {SALMON.upper()}")) == 1


@pytest.mark.parametrize(
    ("low", "high", "upper", "said", "ring"),
    [
        (52.0, 95.0, 0.6, "Probably in the upper half", 70.0),
        (5.0, 48.0, 0.4, "Probably in the lower half", 70.0),
        (40.0, 90.0, 0.59, "Can't tell", 70.0),
        (50.0, 95.0, 0.41, "Can't tell", 70.0),
        (10.0, 90.0, 0.5, "Can't tell", None),
    ],
)
def test_the_audience_is_said_in_words_and_drawn_as_a_line(
    tab: RateTab, low: float, high: float, upper: float, said: str, ring: float | None
) -> None:
    audience = Audience(percentile=70.0, score=0.1, upper=upper, low=low, high=high, kind="one-liners", agreement=0.66)
    show(tab, canned.read_rating(audience=audience))
    section = tab.page.answer
    assert section.heading.text() == said
    assert section.line.middle == ring
    assert section.line.accessibleName() == f"People would probably put it between {low:.0f} and {high:.0f} of 100."
    assert section.known.text() == "One-liners: picks the funnier of two 66 times in 100."


def test_of_a_kind_that_was_not_learned_it_cant_tell_and_shows_no_factors(tab: RateTab) -> None:
    audience = Audience(percentile=60.0, score=0.1, low=10.0, high=90.0, agreement=0.564, heard=False)
    show(tab, canned.read_rating(audience=audience))
    section = tab.page.answer
    assert section.heading.text() == "Can't tell"
    assert section.known.isVisible()
    assert section.known.text() == (
        "It hasn't learned this kind of text: of two such texts it picks the funnier one 56 times in 100, a coin 50."
    )
    assert not section.line.isVisible()
    assert not tab.page.factors.isVisible()


@pytest.mark.parametrize("heard", [True, False])
def test_a_factor_of_the_users_own_is_shown_first_whatever_was_learned(tab: RateTab, heard: bool) -> None:
    mine = FactorScore(id="calm", name="Calm", origin="shared", score=3, expected=3.2, sd=0.4, own=True)
    audience = Audience(percentile=60.0, score=0.1, low=10.0, high=90.0, heard=heard)
    show(tab, canned.read_rating(factors=(*canned.READ_FACTORS, mine), audience=audience))
    section = tab.page.factors
    assert section.isVisible()
    assert (section.rows.rows[0].name, section.rows.rows[0].beside) == ("Calm", "your own")
    assert (len(section.rows.rows) > 1) == section.kinds.isVisible() == heard


def test_what_stands_out_is_at_most_two_strong_and_two_weak_factors(tab: RateTab) -> None:
    show(tab, canned.read_rating())
    section = tab.page.factors
    assert [(row.name, row.text) for row in section.rows.rows] == [
        ("Wordplay", "stronger than in 9 of 10 jokes"),
        ("Comic logic", "stronger than in 8 of 10 jokes"),
        ("Relatability", "weaker than in 9 of 10 jokes"),
    ]
    assert [chip.label for chip in section.kinds.items()] == ["Pun", "Twisted logic"]
    assert section.all_link.text() == "All 10"
    section.all_link.click()
    assert len(section.rest.rows) == 7
    assert section.rest.isVisible()
    clear = tuple(
        factor.replaced(standing=0.99) if factor.name == "Clarity" else factor for factor in canned.READ_FACTORS
    )
    show(tab, canned.read_rating("r7", factors=clear))
    assert "Clarity" not in [row.name for row in section.rows.rows]  # nearly every text is clear
    plain = tuple(factor.replaced(standing=0.5) for factor in canned.READ_FACTORS)
    show(tab, canned.read_rating("r8", factors=plain))
    assert section.nothing.isVisible()
    assert not section.rest.isVisible()


def test_scores_that_a_model_gave_are_shown_as_such_with_its_own_words_folded(tab: RateTab) -> None:
    show(tab, canned.rating())
    assert tab.page.answer.heading.text() == "3.4 of 5, as the model scores it"
    rows = tab.page.factors.rows.rows
    assert [row.name for row in rows] == ["Geometry as romance", "Wordplay", "Clarity", "Economy"]
    assert rows[1].text == "4.7 of 5"
    more = tab.page.more
    assert not more.rows.isVisible()
    more.link.click()
    assert more.rows.isVisible()
    assert "never meet" in more.rows.text()


def test_the_rest_of_the_words_is_folded_and_markup_stays_text(tab: RateTab) -> None:
    voices = (
        ListenerVoice(id="family", name="Family", p=None, anyone=None, reason="It can't tell."),
        ListenerVoice(id="", name="<b>beekeepers</b>", p=0.9, anyone=0.6),
    )
    show(tab, canned.read_rating(listeners=voices, tree=TREE))
    more = tab.page.more
    assert not more.rows.isVisible()
    more.link.click()
    assert "<b>beekeepers</b>: would laugh" in more.rows.text()
    assert "Family: not asked. It can't tell." in more.rows.text()
    deep = next(row for row in more.rows.rows if row.text.text().startswith("Deep"))
    wit = deep.rows[0]
    assert wit.isVisible()
    assert not wit.rows[0].isVisible()
    more.link.setFocus()
    QTest.keyClick(more.link, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is wit.link
    QTest.keyClick(wit.link, Qt.Key.Key_Space)
    assert wit.rows[0].isVisible()
    assert wit.link.accessibleName() == "Hide: Wit: 2.0 of 5 → 3.0 of 5 ± 0.4"
    assert wit.rows[1].text.text() == "A strict reader: 2.6 of 5, because the end is <b>plain</b>.  0.8 below the first"


def test_warnings_of_a_verdict_stand_above_the_page(tab: RateTab) -> None:
    show(tab, canned.rating(warnings=("This model doesn't separate jokes on 5 of 7 factors.",)))
    assert tab.warning.isVisible()
    assert tab.warning.y() < tab.page.y()


def test_the_notes_stand_in_a_margin_only_where_there_is_room(tab: RateTab, qtbot: QtBot) -> None:
    show(tab, canned.read_rating())
    qtbot.waitUntil(lambda: tab.page.width() >= 580)
    assert tab.page.joke._beside
    tab.resize(900, 800)
    qtbot.waitUntil(lambda: not tab.page.joke._beside)
    settle()
    facts, note = tab.page.joke.facts, tab.page.joke.rows[0]
    assert note.mapTo(tab, QPoint(0, 0)).y() > facts.mapTo(tab, QPoint(0, 0)).y()


def test_the_turn_of_a_long_text_is_scrolled_into_view(tab: RateTab, qtbot: QtBot) -> None:
    text = "My grandfather told this one at every wedding. " * 60 + "And then the goat married the priest."
    start = text.index("And then")
    turn = Span(start=start, end=len(text), text=text[start:], p=0.8)
    show(tab, canned.read_rating(text=text, turn=turn, cuts=(), remarks=()))
    qtbot.waitUntil(lambda: tab.right.verticalScrollBar().value() > 0)
    place = tab.page.joke.text.rect_of(start, len(text)).center().toPoint()
    y = tab.page.joke.text.mapTo(tab.right.viewport(), place).y()
    assert 0 < y < tab.right.viewport().height()


def test_what_it_cost_stands_in_a_tooltip(tab: RateTab) -> None:
    show(tab, canned.read_rating())
    assert tab.page.joke.facts.toolTip().endswith("60 tokens evaluated, 0 reused</qt>")


def test_a_tab_that_is_destroyed_scrolls_no_more(qapp: QApplication, store: HistoryStore, tmp_path: Path) -> None:
    tab = RateTab(EXAMPLES, store, tmp_path / "dismissed.json")
    tab.show()
    text = "A sentence that goes on. " * 100
    turn = Span(start=len(text) - 10, end=len(text), text=text[-10:], p=0.8)
    tab.set_room("narrow", 16)
    tab.open(canned.entry(canned.read_rating(text=text, turn=turn, cuts=(), remarks=())))
    shiboken6.delete(tab)
    for _ in range(3):
        qapp.processEvents()


# Nothing turns


def test_where_nothing_turns_the_user_can_say_what_does(tab: RateTab, qtbot: QtBot) -> None:
    show(tab, canned.read_rating(text=COUNCIL, **NO_TURN))
    finding = tab.page.answer
    assert finding.heading.text() == "Nothing turns here that I can find."
    assert tab.page.joke.facts.text() == "12 words · 4 s spoken · no turn found"
    assert not finding.line.isVisible()
    assert not tab.page.factors.isVisible()
    finding.select_button.click()
    assert not finding.read_button.isEnabled()
    text = tab.page.joke.text
    assert text.hasFocus()
    qtbot.keyClick(text, Qt.Key.Key_End)
    qtbot.keyClick(text, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(tab.asked) as asked:
        finding.read_button.click()
    start = COUNCIL.index("parking rules")
    assert asked.args[0]["turn"] == (start, len(COUNCIL) - 1)
    assert asked.args[0]["forced"]


def test_a_turn_chosen_by_the_user_is_shown_as_that(tab: RateTab) -> None:
    start = COUNCIL.index("parking")
    chosen = Span(start=start, end=len(COUNCIL), text=COUNCIL[start:], p=1.0)
    given = {**NO_TURN, "turn": chosen, "asked_turn": (start, len(COUNCIL)), "factors": canned.READ_FACTORS}
    show(tab, canned.read_rating(text=COUNCIL, **given, forced=True))
    assert tab.page.joke.facts.text().endswith("turn chosen by you")
    assert tab.page.answer.heading.text() == STILL_NO_TURN
    assert not tab.page.answer.line.isVisible()
    assert tab.page.factors.isVisible()


@pytest.mark.parametrize(
    ("text", "changes", "said"),
    [
        ("Ha ha.", NO_TURN, "Too short to read."),
        ("A short one.", {}, "Too short to read."),
        ("?! … !!", {"audience": None, "mean_score": None, "admissible": False},
         "This isn't a text that I can read as a joke."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_so_and_offers_nothing(
    tab: RateTab, text: str, changes: dict[str, object], said: str
) -> None:
    show(tab, canned.read_rating(text=text, **{"turn": None, "cuts": (), "remarks": (), **changes}))
    finding = tab.page.answer
    assert finding.isVisible()
    assert finding.heading.text() == said
    assert not finding.select_button.isVisible()
    assert not finding.force_button.isVisible()


def test_what_the_model_turned_away_can_be_rated_anyway(tab: RateTab, qtbot: QtBot) -> None:
    result = canned.rating(
        admissible=False, rejection="Not clearly a joke: it shows no intent to amuse.",
        admissibility=canned.checks(("intent",)), categories=(), factors=(), mean_score=None, explanation=None,
    )  # fmt: skip
    show(tab, result)
    assert tab.page.answer.heading.text() == "Not clearly a joke: it shows no intent to amuse."
    with qtbot.waitSignal(tab.asked) as asked:
        tab.page.answer.force_button.click()
    assert asked.args == [{"text": canned.PARALLEL, "context": "", "forced": True}]


def test_a_model_without_a_usable_answer_is_said_to_be_one(tab: RateTab, qtbot: QtBot) -> None:
    silent = (canned.factor("Wordplay", None, 0, 0),)
    show(tab, canned.rating(factors=silent, mean_score=None, max_score=None, spread=None))
    assert tab.page.answer.heading.text() == "The model gave no usable answer."
    with qtbot.waitSignal(tab.library_asked):
        tab.page.answer.library_button.click()


# Versions

GOSSIP = (
    "A gossip is a person who has a really great sense of rumor.",
    "A gossip is a person who has a great sense of rumor.",
    "A gossip is someone with a great sense of rumor.",
)


def keep(store: HistoryStore, *texts: str, first: int = 0) -> None:
    for number, text in enumerate(texts, first):
        audience = Audience(percentile=60.0 + number, score=0.1, low=32.0 + 10 * number, high=82.0 + 4 * number)
        canned_profile.record(store, canned.plain_reading(f"v{number}", text, 50.0).replaced(audience=audience))


def test_every_rating_of_nearly_the_same_text_is_a_version(store: HistoryStore) -> None:
    keep(store, GOSSIP[0], canned.DOG, *GOSSIP[1:], GOSSIP[0])
    index = VersionIndex(store)
    assert [row.text for row in index.of(GOSSIP[2])] == list(GOSSIP)
    assert [row.id for row in index.of(GOSSIP[2])] == ["v4", "v2", "v3"]
    assert [row.text for row in index.of(canned.DOG)] == [canned.DOG]
    assert index.of("") == index.of("x" * 5000) == []


def test_the_card_shows_where_each_version_stands_and_which_words_changed(tab: RateTab, store: HistoryStore) -> None:
    keep(store, *GOSSIP)
    tab.open(store.get("v2"))
    card = tab.versions
    assert card.isVisible()
    assert card.rows[2].accessibleName() == "3rd, this: People would probably put it between 52 and 90 of 100."
    text = card.changed.text()
    assert [(text[mark.start : mark.end], mark.kind) for mark in card.changed.marks()] == [
        ("a person who has", "cut"), ("someone with", "differs")
    ]  # fmt: skip
    assert card.closing.text() == "The bands overlap: no version is clearly the best."
    assert not card.restore_link.isVisible()


def test_an_earlier_version_is_read_beside_the_text_and_can_be_restored(
    tab: RateTab, store: HistoryStore, qtbot: QtBot
) -> None:
    keep(store, *GOSSIP)
    tab.open(store.get("v2"))
    row = tab.versions.rows[1]
    row.setFocus()
    with qtbot.waitSignal(tab.shown_changed) as shown:
        qtbot.keyClick(row, Qt.Key.Key_Space)
    assert shown.args == ["v1"]
    assert tab.page.joke.text.text() == GOSSIP[1]
    assert tab.joke.text() == GOSSIP[2]
    assert tab.view_caption.text() == "2nd version"
    assert not tab.stale
    tab.versions.restore_link.click()
    assert tab.joke.text() == GOSSIP[1]
    assert not tab.view_caption.isVisible()


def test_only_the_last_six_of_many_versions_are_shown_until_all_are_asked_for(
    tab: RateTab, store: HistoryStore, qtbot: QtBot
) -> None:
    texts = [f"A gossip is someone with a great sense of rumor and {number} ears." for number in range(9)]
    keep(store, *texts)
    tab.open(store.get("v8"))
    assert len(tab.versions.rows) == 6
    assert tab.versions.rows[0].name == "4th"
    tab.versions.all_link.click()
    assert len(tab.versions.rows) == 9
    tab.versions.rows[8].setFocus()
    with qtbot.waitSignal(tab.versions.version_asked) as asked:
        qtbot.keyClick(tab.versions.rows[8], Qt.Key.Key_Up)
    assert asked.args == ["v7"]


@pytest.mark.parametrize(
    ("bands", "said"),
    [
        ([], ""),
        ([(10, 60)], ""),
        ([(10, 60), None], ""),
        ([(10, 60), (55, 90)], "The bands overlap: no version is clearly the best."),
        ([(10, 40), None, (55, 90)], "3rd is probably better than 1st."),
    ],
)
def test_the_closing_sentence_claims_no_more_than_the_bands(bands: list[tuple[int, int] | None], said: str) -> None:
    audiences = [band and Audience(percentile=50, score=0, low=band[0], high=band[1]) for band in bands]
    rows = [Version("", RatingResult(id="", text=f"text {n}", audience=one)) for n, one in enumerate(audiences)]
    assert closing_words(rows) == said


# After the verdict


def test_note_and_tags_are_shown_with_the_verdict(tab: RateTab) -> None:
    tab.open(canned.entry(canned.rating(), note="For the opener", tags=("set", "short"), starred=True))
    assert tab.note.text.text() == "For the opener"
    assert [chip.label for chip in tab.note.tags.items()] == ["set", "short"]
    assert tab.bar.star_button.isChecked()
