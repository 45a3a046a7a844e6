"""The Duel tab's states."""

from __future__ import annotations

import re
from collections.abc import Iterator

import canned
import canned_profile
import pytest
from canned import tell
from driving import Open, unfold
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.events import (
    Finished,
    Interim,
    Stage,
    StageStarted,
    Started,
)
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.contest.record import EntryNote
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.duel.tab import DuelTab
from jokejudge_gui.ui.judge_worker import Job
from tests import records

# Of the offscreen platform, which has no window manager.
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def tab(qtbot: QtBot, profile: Profile) -> Iterator[DuelTab]:
    store = HistoryStore(profile.database, KINDS)
    made = DuelTab(store)
    qtbot.addWidget(made)
    made.resize(1060, 900)
    made.show()
    yield made
    store.close()


def play(tab: DuelTab, events: list[object]) -> Job:
    running = Job("duel", lambda _token: ())
    tab.begin(running, canned.PARALLEL, canned.GRAVITY)
    tell(tab, running, *events)
    return running


def test_an_empty_duel_offers_pairs_and_waits_for_two_texts(tab: DuelTab) -> None:
    assert tab.examples.isVisible()
    assert not tab.answer.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    tab.set_texts("One.", "")
    assert not tab.buttons.run_button.isEnabled()
    assert not tab.examples.isVisible()
    tab.set_texts("", "")
    tab.examples.rows[0].link.click()
    assert tab.texts() == tab.pairs[0]
    assert tab.buttons.run_button.isEnabled()


@pytest.mark.parametrize("second", ["Same.", " Same.\n"])
def test_the_same_text_twice_gets_a_sentence_and_no_duel(tab: DuelTab, second: str) -> None:
    tab.set_texts("Same.", second)
    assert tab.hint.text() == "The two are the same: change one of them."
    assert not tab.buttons.run_button.isEnabled()
    tab.jokes[1].set_text("Another.")
    assert tab.hint.text().startswith("Their order")
    assert tab.buttons.run_button.isEnabled()


@pytest.mark.parametrize("changes", [{}, canned.INCONSISTENT, canned.WORD, {**canned.WORD, "p_a": 0.345}])
def test_swap_turns_the_verdict_its_row_and_its_vote_over(
    tab: DuelTab, changes: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = canned.duel(**changes)
    store = tab._store
    canned_profile.record(store, result)
    tab.open(store.get(result.id))
    monkeypatch.setattr(tab, "asked", None)  # no job is asked for
    before, badge = shown(tab), store.row(result.id).glance
    tab.swap_button.click()
    assert tab.texts() == (result.text_b, result.text_a)
    assert not tab.stale
    assert tab.bar.isVisible()
    swapped = str.maketrans("AB", "BA")
    said = re.sub(r"\b[AB]\b", lambda side: side[0].translate(swapped), before[0])
    assert shown(tab) == [said, before[2], before[1]]
    row = store.row(result.id)
    assert (row.text_a, row.text_b) == (result.text_b, result.text_a)
    assert row.glance == KINDS["duel"].glance(tab.state.result)
    tab.changes.undo()
    assert shown(tab) == before
    assert tab.texts() == (result.text_a, result.text_b)
    assert store.row(result.id).glance == badge


def shown(tab: DuelTab) -> list[str]:
    """What can be seen of a verdict: its words, and the facts and marks of both texts."""
    facts = [f"{joke.facts.text()} {joke.editor.marks}" for joke in tab.jokes]
    return [f"{tab.answer.headline.text()} {tab.answer.line.accessibleName()}", *facts]


def test_swap_after_an_edit_leaves_the_verdict_for_the_earlier_texts(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel()))
    tab.jokes[0].set_text("Another.")
    tab.swap_button.click()
    assert tab.stale
    assert tab.state.texts == (canned.PARALLEL, canned.GRAVITY)


def test_a_vote_by_keyboard_is_on_the_letter_that_is_shown(tab: DuelTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD)))
    tab.vote.show_choice(None, "")
    tab.activateWindow()
    with qtbot.waitSignal(tab.vote.voted) as voted:
        qtbot.keyClick(tab.jokes[0].editor, Qt.Key.Key_B, Qt.KeyboardModifier.AltModifier)
    assert voted.args == ["B"]


@pytest.mark.parametrize(("p_a", "ring"), [(0.64, 36), (0.5, 50), (0.0, 99)])
def test_the_line_goes_from_a_to_b(tab: DuelTab, p_a: float, ring: int) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD | {"p_a": p_a})))
    page = KINDS["duel"].words(tab.state.result)
    assert tab.answer.headline.text() == page.headline
    assert tab.answer.line.accessibleName() == page.headline
    assert tab.answer.line.middle == ring


def test_words_that_differ_are_marked_until_a_text_is_changed(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD)))
    for joke, word in zip(tab.jokes, ("spite", "ink"), strict=True):
        (mark,) = joke.editor.marks
        assert joke.text()[mark.start : mark.end] == word
    assert tab.jokes[0].facts.text().startswith("12 words · 4 s spoken · turn at word 10")
    tab.jokes[0].editor.insertPlainText("x")
    assert not any(joke.editor.marks for joke in tab.jokes)
    assert tab.jokes[1].facts.text() == "12 words · 4 s spoken"
    assert tab.stale_line.text.text() == "For an earlier text."
    assert not tab.bar.isVisible()
    tab.set_texts(*tab.state.texts)
    assert tab.texts() == tab.state.texts
    assert not tab.stale_line.isVisible()


def test_where_nothing_turns_in_one_of_them_there_is_no_line(tab: DuelTab) -> None:
    flat = canned.read(canned.INK, "out of ink", said="no turn")  # a guess at the turn isn't told then
    result = canned.duel(**canned.WORD | {"read_b": flat, "winner": "tie"})
    tab.open(canned.entry(result))
    assert tab.answer.headline.text() == "Nothing turns in B that I can find"
    assert not tab.answer.line.isVisible()
    assert "What is known" not in tab.answer.page.text()
    assert tab.jokes[1].facts.text().endswith(" s spoken · no turn found")
    assert tab.bar.first_button.text() == "Rate A"
    assert KINDS["duel"].glance(result).badge == "–"


def test_keep_puts_the_likelier_one_into_rate(tab: DuelTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(canned.duel(**canned.READ_APART)))
    assert tab.bar.first_button.text() == "Rate B"
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        tab.bar.first_button.click()
    assert asked.args == ["rate", {"text": canned.GRAVITY, "context": ""}]


def test_the_verdict_appears_before_its_reasons(tab: DuelTab, qtbot: QtBot) -> None:
    result = canned.duel(explanation=None)
    running = play(tab, [Started(id="d1", kind="duel"), StageStarted(stage=Stage.PAIR)])
    assert tab.answer.line.middle is None
    assert tab.jokes[0].editor.isReadOnly()
    tell(tab, running, Interim(result=result))
    assert tab.answer.headline.text().startswith("A, probably")
    assert tab.live
    tell(tab, running, Finished(result=canned.duel()))
    assert not tab.live
    said = tab.answer.page.text()
    assert "76 in 100 with A first, 82 in 100 with B first. Both orders prefer the same one." in said
    assert "Why: A wins because never meet closes both senses" in said
    unfold(tab.answer.page, "Details")
    assert "Confidence factor: 3.80" in tab.answer.page.text()
    qtbot.waitUntil(lambda: not tab.running.isVisible())


def test_a_verdict_comes_into_view_with_nothing_cut_above_it(tab: DuelTab, scale: float, qtbot: QtBot) -> None:
    tab.set_room("narrow")
    tab.resize(round(600 * scale), round(420 * scale))
    QApplication.processEvents()
    tab.open(canned.entry(canned.duel()))
    bar = tab.result_column.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() > 0)
    assert bar.value() == tab.answer.y()


@pytest.mark.parametrize("letter", "AB")
def test_each_draft_is_picked_from_rows_with_the_versions_below_their_joke(
    open_window: Open, qtbot: QtBot, profile: Profile, letter: str
) -> None:
    canned_profile.fill_history(profile)
    window = open_window(start=False)
    canned_profile.record(window.session.store, canned.plain_reading("v1", f"{canned.DOG} Really.", 50.0))
    window.show_tab("duel")
    tab = window.by_kind["duel"]
    place = "AB".index(letter)
    assert f"Ctrl+Shift+{letter}" in tab.jokes[place].link.toolTip()
    tab.jokes[place].link.click()
    picker = QApplication.activePopupWidget()
    assert "duel" not in {row.kind for row in picker.model.rows()}
    assert picker.list.visualRect(picker.model.index_of("v1")).height() >= 40  # as in the history
    qtbot.keyClicks(picker.search, "bike")
    assert [row.text_a for row in picker.model.rows()] == [f"{canned.DOG} Really.", canned.DOG]
    assert all("bike" in picker.model.index(place).data() for place in (1, 2))
    qtbot.keyClick(picker.search, Qt.Key.Key_Down)
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert [joke.text() for joke in tab.jokes] == [canned.DOG if one == letter else "" for one in "AB"]


def test_the_jokes_of_lists_are_picked_too_the_kept_ones_first(
    open_window: Open, qtbot: QtBot, profile: Profile
) -> None:
    window = open_window(start=False)
    ranked, made = records.RECORDS["contest"], records.RECORDS["set"]
    kept = ranked.entries[1].replaced(user=EntryNote(mark="keep"))
    other = ranked.entries[0].replaced(text=records.GERMAN)
    for result in (ranked.model_copy(update={"entries": (other, kept)}), made):
        canned_profile.record(window.session.store, result)
    window.show_tab("duel")
    tab = window.by_kind["duel"]
    tab.jokes[1].link.click()
    picker = QApplication.activePopupWidget()
    texts = [*(bit.text for bit in made.bits), records.B, records.GERMAN]
    assert [row.text_a for row in picker.model.rows()] == texts
    qtbot.keyClicks(picker.search, "second shelf")
    assert [row.text_a for row in picker.model.rows()] == [records.B]
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert tab.jokes[1].text() == records.B
