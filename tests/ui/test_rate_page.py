"""The Rate tab: the page in each of its states, notes, versions, and what a vote or a key does there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import canned
import canned_profile
import pytest
from canned import CURES, SALMON, scoring, tell
from driving import unfold
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
from jokejudge_gui.core.verdict_kinds import Subject
from jokejudge_gui.core.verdicts import Audience, Earlier, Sense, Status, Wordplay
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.duel.record import Pair
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.rating.record import Branch, ListenerVoice, Node, RatingResult, ReasoningTree
from jokejudge_gui.judge.versions import Version as WorkshopVersion
from jokejudge_gui.judge.versions import WorkshopResult
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.rate.page import NoteRow
from jokejudge_gui.ui.rate.tab import Dismissed, RateTab
from jokejudge_gui.ui.rate.versions import VersionIndex
from jokejudge_gui.ui.verdict.tab import VerdictState
from jokejudge_gui.ui.widgets.base import settle
from jokejudge_gui.ui.widgets.keyboard import add_action

EXAMPLES = ("First.", "Second.", "Third.", "Fourth.")
COUNCIL = "The council will meet on Tuesday to discuss the new parking rules."
TREE = ReasoningTree(
    nodes=(
        Node(
            id="wit", name="Wit", before=2.0, after=3.0, error=0.4, doubts=("it is nearly even",),
            branches=(
                Branch(how="another wording", value=3.4),
                Branch(how="a strict reader", value=2.6),
            ),
        ),
    ),
    used_branches=2,
)  # fmt: skip
NO_TURN = {
    "audience": None, "factors": (), "categories": (), "turn": None, "mean_score": None, "remarks": (),
    "explanation": None, "sense": Sense(joke=0.1, whole=0.6, said="no turn"),
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
    assert tab.page.text.text() == canned.PARALLEL
    assert tab.page.facts.text() == "13 words · 5 s spoken"
    assert not tab.page.headline.isVisible()
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
    state.apply(StageProgress(stage=Stage.CALIBRATION, done=0, total=40))
    state.apply(StageProgress(stage=Stage.CALIBRATION, done=10, total=40))
    assert state.doing({}, "") == ("Measuring this model's habits, once for each model: 10 of 40", 0.25)
    assert state.begun
    state.begun -= 20.0
    note = "measuring this model's habits, once (checks)"
    state.apply(StageProgress(stage=Stage.CALIBRATION, done=10, total=40, note=note))
    assert state.doing({}, "") == ("Measuring this model's habits, once (checks): 10 of 40, 60 s left", 0.25)


def test_what_was_read_when_it_was_stopped_stays(tab: RateTab) -> None:
    partial = canned.rating(factors=canned.FACTORS[:4], mean_score=None, max_score=None, explanation=None)
    play(tab, *scoring(), Cancelled(result=partial))
    assert tab.page.headline.text() == "Stopped."
    assert "Wordplay: 4.7 of 5" in tab.page.rows.text()
    assert tab.page.facts.text().endswith("stopped")
    result = canned.read_rating("r9")
    play(tab, Interim(result=result), Cancelled(result=result), text=SALMON)
    assert tab.page.notes[0].isVisible()
    assert tab.page.facts.text().endswith("stopped")


def test_an_error_says_what_happened_and_what_to_do(tab: RateTab) -> None:
    play(tab, Failed(error=ErrorInfo(code="E_INPUT_TOO_LONG", sentence="The joke is too long.", hint="Shorten it.")))
    assert (tab.failed.title.text(), tab.failed.text.text()) == ("The joke is too long.", "Shorten it.")
    assert not tab.page.isVisible()
    assert tab.buttons.run_button.isEnabled()
    assert tab.joke.text() == canned.PARALLEL


def test_a_stored_rating_without_any_result_says_how_it_ended(tab: RateTab) -> None:
    entry = canned.entry(canned.rating(), Status.INTERRUPTED).model_copy(update={"result": None})
    tab.open(entry)
    assert tab.stopped.title.text() == "This rating was cut off."
    assert not tab.page.isVisible()


def test_a_stored_rating_can_be_read_while_another_runs(tab: RateTab) -> None:
    running = play(tab, *scoring())
    show(tab, canned.read_rating("other"))
    assert tab.joke.text() == SALMON
    assert tab.page.notes[0].isVisible()
    assert tab.live
    tell(tab, running, Finished(result=canned.rating("x")))
    assert tab.page.text.text() == SALMON


# The page


def test_the_joke_is_marked_and_its_facts_stand_below(tab: RateTab) -> None:
    show(tab, canned.read_rating(wordplay=Wordplay(start=CURES.start, end=CURES.end, text="cures", second="heals",
                                                   link="sense", p=0.9)))  # fmt: skip
    text = tab.page.text
    marks = [(mark.kind, mark.start, mark.end) for mark in text.marks()]
    assert ("turn", CURES.start, CURES.end) in marks
    assert ("wordplay", CURES.start, CURES.end) in marks
    assert "cut" not in [kind for kind, _, _ in marks]  # what could go is a difference below
    assert "“cures” for “heals”." in text.accessibleDescription()
    without = text.height()
    show(tab, canned.read_rating())
    assert text.height() < without  # nothing stands above a line
    assert tab.page.facts.text() == "12 words · 4 s spoken · turn at word 11 · 1 word after it"


def test_an_own_earlier_text_stands_below_its_date_with_the_shared_words_marked(tab: RateTab) -> None:
    own = Earlier(id="0123456789", day="2026-03-03", text="Smoking cures ham, too.", likeness=0.6)
    show(tab, canned.read_rating(yours=own))
    [note] = [note for note in tab.page.notes if note.row.name == "Yours"]
    assert "Like yours of 3 March 2026." in note.accessibleName()
    assert "01234567" not in note.accessibleName()
    assert note.diff.isVisible()
    assert [own.text[mark.start : mark.end] for mark in note.diff.marks()] == ["Smoking cures"]
    assert not note.accept_button.isVisible()


def test_a_remark_says_how_often_it_is_right(tab: RateTab) -> None:
    show(tab, canned.read_rating())
    heard = note(tab, "“cures” has two meanings.")
    assert heard.sentence.text().endswith("right in 9 of 10")
    assert not heard.accept_button.isVisible()


def test_the_words_of_a_note_are_marked_while_it_has_the_pointer_or_the_focus(tab: RateTab, qtbot: QtBot) -> None:
    show(tab, canned.read_rating())
    heard, edit = note(tab, "“cures” has two meanings."), note(tab, "“for you” could go.")
    tab.activateWindow()
    heard.setFocus(Qt.FocusReason.TabFocusReason)
    assert emphasised(tab) == "cures"
    qtbot.mouseMove(edit)
    qtbot.waitUntil(lambda: emphasised(tab) == "for you")
    qtbot.mouseMove(tab.page.headline)
    qtbot.waitUntil(lambda: emphasised(tab) == "cures")
    edit.accept_button.setFocus()
    assert emphasised(tab) == "for you"
    tab.joke.editor.setFocus()
    assert emphasised(tab) == ""


def emphasised(tab: RateTab) -> str:
    """The words of the text that stand out from the others."""
    return "".join(piece.cursor.selectedText() for piece in tab.page.text.extraSelections()[1:])


def test_the_judged_text_comes_back_by_a_link_and_by_a_key(tab: RateTab, qtbot: QtBot) -> None:
    show(tab, canned.read_rating())
    tab.activateWindow()
    for bring_back in (
        tab.stale_line.button.click,
        lambda: qtbot.keyClick(tab.joke.editor, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier),
    ):
        tab.joke.set_text("Another.")
        assert tab.stale_line.button.isVisible()
        assert "Ctrl+R" in tab.stale_line.button.toolTip()
        bring_back()
        assert (tab.joke.text(), tab.stale_line.isVisible()) == (SALMON, False)
        assert tab.joke.editor.hasFocus()


@pytest.mark.parametrize("found", [{}, NO_TURN])
def test_the_turn_is_selected_where_another_or_none_was_found(
    tab: RateTab, qtbot: QtBot, found: dict[str, object]
) -> None:
    show(tab, canned.read_rating(**found))
    link, text = tab.page.turn_link, tab.page.text
    tab.activateWindow()
    assert link.text() == "Select the turn"
    link.click()
    assert text.hasFocus()
    for _ in range(2):
        qtbot.keyClick(text, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert link.text() == "Rate it so"
    with qtbot.waitSignal(tab.asked) as asked:
        link.click()
    start, end = asked.args[0]["turn"]
    assert (asked.args[0]["text"], SALMON[start:end]) == (SALMON, "If smoking")
    show(tab, canned.rating())
    assert link.text() == "Select the turn"


def test_an_example_is_tried_beside_the_empty_field(tab: RateTab) -> None:
    link = tab.joke.link
    for example in (*EXAMPLES, EXAMPLES[0]):
        link.click()
        assert tab.joke.text() == example
        assert tab.buttons.run_button.hasFocus()
    tab.joke.set_text("My own.")
    assert not link.isVisible()


def note(tab: RateTab, sentence: str) -> NoteRow:
    return next(row for row in tab.page.notes if row.row.text == sentence)


def test_what_could_go_is_a_difference_that_enter_accepts(tab: RateTab, store: HistoryStore, qtbot: QtBot) -> None:
    canned_profile.record(store, canned.read_rating())
    tab.open(store.get("r2"))
    edit = note(tab, "“for you” could go.")
    assert [edit.diff.text()[one.start : one.end] for one in edit.diff.marks() if one.kind == "cut"][-1] == "also"
    edit.setFocus()
    with qtbot.waitSignal(tab.asked) as asked:
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert asked.args[0]["text"] == tab.joke.text() == "If smoking is bad, how come it cures salmon?"
    assert tab.joke.editor.hasFocus()


def test_a_dismissed_edit_stays_away_for_good_unless_that_is_undone(tab: RateTab, qtbot: QtBot, tmp_path: Path) -> None:
    show(tab, canned.read_rating())
    edit = note(tab, "“for you” could go.")
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_Delete)
    assert "“for you” could go." not in [row.row.text for row in tab.page.notes]
    tab.changes.undo()
    assert note(tab, "“for you” could go.").dismiss_button.isEnabled()
    tab.changes.redo()
    show(tab, canned.rating())
    show(tab, canned.read_rating())
    assert "“for you” could go." not in [row.row.text for row in tab.page.notes]
    assert len(Dismissed(tmp_path / "dismissed.json").of(f"  {SALMON.upper()}")) == 1


def test_ctrl_z_in_the_field_takes_back_a_later_dismissal_before_the_text(tab: RateTab, qtbot: QtBot) -> None:
    add_action(tab, "Undo", "Ctrl+Z", tab.changes.undo)
    qtbot.keyClicks(tab.joke.editor, "A draft")
    show(tab, canned.read_rating())
    edit = tab.page.notes[0].edit
    tab.page.notes[0].dismiss_button.click()
    tab.activateWindow()
    tab.joke.editor.setFocus()
    QTest.keyClick(tab.joke.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert tab.page.notes[0].edit == edit
    assert tab.texts() == tab.state.texts
    QTest.keyClick(tab.joke.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert tab.texts() == ("A draft",)


def test_remarks_that_arrive_later_have_their_place_meanwhile(tab: RateTab) -> None:
    whole = canned.read_rating()
    running = play(tab, *scoring(), Interim(result=whole.replaced(remarks=())), text=SALMON)
    settle()
    assert tab.page.waiting.isVisible()
    parts = tab.page.headline, tab.page.text, tab.page.facts, tab.page.kinds
    before = [part.mapTo(tab, QPoint()) for part in parts]
    assert all(part.isVisible() for part in parts)
    tell(tab, running, Finished(result=whole))
    settle()
    assert not tab.page.waiting.isVisible()
    assert tab.page.notes[0].isVisible()
    assert tab.page.line.isVisible()
    assert [part.mapTo(tab, QPoint()) for part in parts] == before  # nothing moved


@pytest.mark.parametrize("upper", [0.72, 0.5, 0.31])
def test_the_odds_are_a_quiet_line_at_the_foot(tab: RateTab, upper: float) -> None:
    audience = Audience(percentile=70.0, score=0.1, upper=upper, kind="one-liners", agreement=0.66)
    result = canned.read_rating(audience=audience)
    show(tab, result)
    odds = [row.text for row in KINDS["rate"].words(result).rows if row.name == "Audience"]
    assert tab.page.line.isVisible()
    assert tab.page.line.middle == pytest.approx(100 * upper)
    assert tab.page.line.accessibleName() == (odds or ["50 in 100 for the upper half"])[0]
    assert tab.page.line.mapTo(tab.page, QPoint()).y() > tab.page.rows.mapTo(tab.page, QPoint()).y()
    assert f"{tab.page.headline.text()} {tab.page.odds.text()}".count("half") == len(odds)
    assert tab.trust_link.isVisible()


def test_rows_fold_and_unfold_with_the_keyboard_and_markup_stays_text(tab: RateTab) -> None:
    voices = (
        ListenerVoice(id="family", name="Family", p=None, anyone=None, reason="It can't tell."),
        ListenerVoice(id="", name="<b>beekeepers</b>", p=0.9, anyone=0.6),
    )
    show(tab, canned.read_rating(listeners=voices, tree=TREE))
    rows = tab.page.rows
    assert "<b>beekeepers</b>: would laugh" in rows.text()
    assert "Family: not asked. It can't tell." in rows.text()
    assert "A strict reader: 2.6 of 5" in rows.text()
    show(tab, canned.rating())
    assert "Admission" not in rows.text()
    unfold(rows, "Details")
    assert "Admission: intent" in rows.text()
    assert "Details" in rows.textCursor().selectedText()
    QTest.keyClick(rows, Qt.Key.Key_Return)
    assert "Admission" not in rows.text()


def test_a_page_in_doubt_has_the_facts_and_no_empty_part(tab: RateTab) -> None:
    unsure = {"sense": Sense(joke=0.4, whole=0.9, said="unsure"), "prose": None}
    show(tab, canned.read_rating(**NO_TURN | unsure))
    page = tab.page
    assert page.headline.isVisible()
    assert page.text.isVisible()
    assert page.facts.text() == "12 words · 4 s spoken"
    for part in (page.waiting, page.kinds, page.rows, page.line, page.odds, page.force_button, *page.notes):
        assert not part.isVisible()
    assert not page._found.isVisible()  # nor the rule above


# Nothing turns


def test_where_nothing_turns_it_can_be_rated_anyway(tab: RateTab, qtbot: QtBot) -> None:
    show(tab, canned.read_rating(text=COUNCIL, **NO_TURN))
    page = tab.page
    assert page.headline.text() == "Nothing turns here that I can find."
    assert page.facts.text() == "12 words · 4 s spoken · no turn found"
    assert not page.line.isVisible()
    assert not page.kinds.isVisible()
    with qtbot.waitSignal(tab.asked) as asked:
        page.force_button.click()
    assert asked.args[0]["forced"]


@pytest.mark.parametrize(
    ("text", "changes", "said"),
    [
        ("Ha ha.", NO_TURN, "Too short to read."),
        ("?! … !!", {"audience": None, "mean_score": None, "admissible": False},
         "This isn't a text that I can read as a joke."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_so_and_offers_nothing(
    tab: RateTab, text: str, changes: dict[str, object], said: str
) -> None:
    show(tab, canned.read_rating(text=text, **{"turn": None, "remarks": (), **changes}))
    page = tab.page
    assert page.isVisible()
    assert page.headline.text() == said
    assert not page.force_button.isVisible()
    assert not page.force_button.isVisible()


def test_a_model_without_a_usable_answer_is_said_to_be_one(tab: RateTab, qtbot: QtBot) -> None:
    silent = (canned.factor("Wordplay", None, 0, 0),)
    show(tab, canned.rating(factors=silent, mean_score=None, max_score=None, spread=None))
    assert tab.page.headline.text() == "The model gave no usable answer."
    with qtbot.waitSignal(tab.library_asked):
        tab.page.library_button.click()


# Versions

GOSSIP = (
    "A gossip is a person who has a really great sense of rumor.",
    "A gossip is a person who has a great sense of rumor.",
    "A gossip is someone with a great sense of rumor.",
)


def keep(store: HistoryStore, *texts: str) -> None:
    for number, text in enumerate(texts):
        canned_profile.record(store, canned.plain_reading(f"v{number}", text, 50.0))


def order_of(*texts: str, best: int = 2) -> WorkshopResult:
    """An order of versions in which the one at ``best`` is better than every other one with 7 in 10."""
    versions = tuple(
        WorkshopVersion(id=str(n + 1), text=text, parent=str(n) if n else None, rating=f"r{n}")
        for n, text in enumerate(texts)
    )
    pairs = tuple(
        Pair(a=str(a + 1), b=str(b + 1), p_a=0.7 if a == best else 0.3 if b == best else 0.5, verdict="d")
        for a, b in itertools.combinations(range(len(texts)), 2)
    )
    return WorkshopResult(id="w", versions=versions, pairs=pairs)


def test_every_rating_of_nearly_the_same_text_is_a_version(store: HistoryStore) -> None:
    keep(store, GOSSIP[0], canned.DOG, *GOSSIP[1:], GOSSIP[0])
    index = VersionIndex(store)
    assert [row.text for row in index.of(GOSSIP[2])] == list(GOSSIP)
    assert [row.id for row in index.of(GOSSIP[2])] == ["v4", "v2", "v3"]
    assert [row.text for row in index.of(canned.DOG)] == [canned.DOG]
    assert index.of("") == index.of("x" * 5000) == []


def test_the_versions_stand_in_order_with_the_best_first_and_their_differences(
    tab: RateTab, store: HistoryStore, qtbot: QtBot
) -> None:
    keep(store, *GOSSIP)
    with qtbot.waitSignal(tab.aside_asked) as asked:
        tab.open(store.get("v2"))
    kind, request, take = asked.args
    assert kind is KINDS["workshop"]
    assert [version.text for version in request.versions] == list(GOSSIP)
    card = tab.versions
    words = card.rows[2].words
    assert [(words.text()[mark.start : mark.end], mark.kind) for mark in words.marks()] == [
        ("a person who has", "cut"), ("someone with", "differs")
    ]  # fmt: skip
    assert card.rows[2].isChecked()
    whole = order_of(*GOSSIP)
    take(whole.replaced(versions=tuple(one.replaced(rating=None) if one.id != "1" else one for one in whole.versions)))
    assert card.closing.text() == "Not compared yet."  # nothing is the best before all are compared
    take(whole)
    settle()
    best, first = card.rows[2], card.rows[0]
    assert best.accessibleName() == f"Version 3: best so far: {GOSSIP[2]}"
    assert first.chance.text() == "3 in 10 to be better"
    assert best.mapTo(card, QPoint()).y() < first.mapTo(card, QPoint()).y()
    assert "3 versions" in card.closing.text()


def test_versions_of_another_joke_are_not_shown_while_one_is_rated(tab: RateTab, store: HistoryStore) -> None:
    keep(store, *GOSSIP)
    tab.open(store.get("v2"))
    tab.expect({"text": GOSSIP[0]})
    assert tab.versions.isVisible()
    tab.expect({"text": canned.DOG})
    play(tab, text=canned.DOG)
    assert not tab.versions.isVisible()


def test_the_field_is_scrolled_into_view_with_the_focus(tab: RateTab, qtbot: QtBot) -> None:
    tab.set_room("narrow")
    tab.resize(500, 300)
    show(tab, canned.read_rating())
    qtbot.waitUntil(tab.joke.isVisible)
    bar = tab.right.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert tab.joke.editor.visibleRegion().isEmpty()
    tab.focus_editor()
    assert not tab.joke.editor.visibleRegion().isEmpty()


def test_an_order_of_other_versions_isn_t_shown_and_a_version_isn_t_yours(tab: RateTab, store: HistoryStore) -> None:
    keep(store, *GOSSIP[:2])
    own = Earlier(id="v0", day="2026-03-03", text=GOSSIP[0], likeness=0.8)
    canned_profile.record(store, canned.plain_reading("v2", GOSSIP[2], 50.0).replaced(yours=own))
    tab.open(store.get("v2"))
    assert tab.page.notes == []  # the earlier text stands among the versions
    tab.show_order(order_of(*GOSSIP[:2], best=0))
    assert [row.chance.text() for row in tab.versions.rows] == ["", "", ""]


def test_versions_are_found_once_their_rating_has_ended_and_compared_again_after_a_stop(
    tab: RateTab, store: HistoryStore
) -> None:
    keep(store, *GOSSIP[:2])
    made = {"mode": "quick", "model": None, "prompt_version": "p", "criteria_version": "c", "seed": 1}
    store.begin(id="v2", kind="rate", subjects=(Subject(text=GOSSIP[2]),), **made)
    asked: list[tuple[object, ...]] = []
    tab.aside_asked.connect(lambda *given: asked.append(given))
    tab.open(store.get("v1"))
    assert len(tab.versions.rows) == 2
    store.end("v2", Status.FINISHED, canned.plain_reading("v2", GOSSIP[2], 50.0))
    tab.open(store.get("v1"))
    assert len(tab.versions.rows) == 3
    assert tab.versions.closing.text() == "Not compared yet."
    count = len(asked)
    tab.draw()
    assert len(asked) == count  # it is being made
    tab.show_order(None)
    tab.draw()
    assert len(asked) == count + 1
    order = order_of(*GOSSIP, best=0)
    tab.show_order(order)
    tab.open(canned.entry(canned.rating()))
    tab.open(store.get("v1"))
    assert tab.versions.order is order


def test_an_earlier_version_is_opened_to_go_on_from_it(tab: RateTab, store: HistoryStore, qtbot: QtBot) -> None:
    keep(store, *GOSSIP)
    tab.open(store.get("v2"))
    tab.versions.rows[0].setFocus()
    with qtbot.waitSignal(tab.shown_changed) as shown:
        qtbot.keyClick(tab.versions.rows[0], Qt.Key.Key_Space)
    assert shown.args == ["v0"]
    assert tab.joke.text() == tab.page.text.text() == GOSSIP[0]
    assert tab.joke.editor.hasFocus()
    tab.joke.editor.undo()
    assert tab.joke.text() == GOSSIP[2]


def test_ctrl_n_keeps_a_changed_text_as_a_version_and_goes_on_in_the_field(
    tab: RateTab, store: HistoryStore, qtbot: QtBot
) -> None:
    keep(store, *GOSSIP[:2])
    tab.open(store.get("v1"))
    tab.activateWindow()
    tab.page.text.setFocus()
    asked: list[object] = []
    tab.asked.connect(asked.append)
    qtbot.keyClick(tab.page.text, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert tab.joke.editor.hasFocus()
    assert asked == []  # nothing was changed
    tab.joke.set_text(GOSSIP[2])
    qtbot.keyClick(tab.joke.editor, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert [request["text"] for request in asked] == [GOSSIP[2]]


def test_one_version_alone_says_what_the_card_is_for(tab: RateTab, store: HistoryStore) -> None:
    keep(store, GOSSIP[0])
    tab.open(store.get("v0"))
    assert tab.versions.isVisible()
    assert tab.versions.rows == []
    assert tab.versions.closing.isVisible()


# While one types


def test_facts_stand_under_the_field_while_one_types(tab: RateTab, qtbot: QtBot) -> None:
    qtbot.keyClicks(
        tab.joke.editor,
        "The bank called the river bank, and the river called thirty-four times, thirty-one of them back.",
    )
    assert tab.joke.facts.text() == "18 words · 6 s spoken · repeated: “bank”, “called”, “river”"
    show(tab, canned.read_rating())
    qtbot.keyClicks(tab.joke.editor, " No.")
    assert tab.joke.facts.text().startswith("13 words · 5 s spoken")
    assert tab.page.headline.isVisible()
    assert tab.stale_line.text.text() == "For an earlier text."


# Longer texts


def test_a_longer_text_is_shown_sentence_by_sentence_with_its_laughs(tab: RateTab) -> None:
    record = canned.bit_reading()
    show(tab, record)
    lines = tab.page.sentences.text().splitlines()
    assert not tab.page.text.isVisible()
    written = [record.text[one.start : one.end].replace("’", "'") for one in record.laughs]
    assert [line for line in lines if line in written] == written
    assert "".join(line for line in lines if line in ("●", "○")) == "●●○●"
    assert "a minute" not in tab.page.lead.text()  # it takes less than one
    assert [note.edit for note in tab.page.notes] == [record.text.replace("She’s very good. ", "")]
    show(tab, canned.read_rating())
    assert tab.page.text.isVisible()
    assert not tab.page.sentences.isVisible()
