"""The Duel tab's states."""

from __future__ import annotations

import re
from collections.abc import Iterator

import canned
import canned_profile
import pytest
from canned import tell
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.events import (
    Cancelled,
    Finished,
    Interim,
    Stage,
    StageStarted,
    Started,
)
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.duel.tab import DuelTab
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.widgets.base import settle

# Of the offscreen platform, which has no window manager.
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def jokes(profile: Profile) -> None:
    """A history to pick from."""
    canned_profile.fill_history(profile)


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
    assert not tab.swap_button.isEnabled()
    tab.set_texts("One.", "")
    assert not tab.buttons.run_button.isEnabled()
    assert not tab.examples.isVisible()
    tab.set_texts("", "")
    tab.examples.links[0].click()
    assert tab.texts() == tab.examples.pairs[0]
    assert tab.buttons.run_button.isEnabled()


@pytest.mark.parametrize("second", ["Same.", " Same.\n"])
def test_the_same_text_twice_gets_a_sentence_and_no_duel(tab: DuelTab, second: str) -> None:
    tab.set_texts("Same.", second)
    assert tab.same.heading.text() == "The two are the same."
    assert tab.same.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    tab.jokes[1].set_text("Another.")
    assert not tab.same.isVisible()
    assert tab.buttons.run_button.isEnabled()


@pytest.mark.parametrize(
    "changes", [{}, canned.VERSIONS, canned.INCONSISTENT, canned.WORD, canned.READ_APART, {**canned.WORD, "p_a": 0.345}]
)
def test_swap_turns_the_verdict_over_with_its_texts(
    tab: DuelTab, changes: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = canned.duel(**changes)
    tab.open(canned.entry(result))
    monkeypatch.setattr(tab, "asked", None)  # no job is asked for
    before = shown(tab)
    tab.swap_button.click()
    assert tab.texts() == (result.text_b, result.text_a)
    assert not tab.stale
    assert tab.bar.isVisible()
    swapped = str.maketrans("AB", "BA")
    said = [re.sub(r"\b[AB]\b", lambda found: found[0].translate(swapped), words) for words in before[:2]]
    assert shown(tab) == [*said, before[3], before[2]]
    assert tab.result is not None
    assert tab.result.id == result.id
    tab.swap_button.click()
    assert shown(tab) == before
    assert tab.texts() == (result.text_a, result.text_b)


def shown(tab: DuelTab) -> list[str]:
    """What can be seen of a verdict: its words, the chance's part, and the facts and marks of both texts."""
    facts = [f"{joke.facts.text()} {joke.editor.marks}" for joke in tab.jokes]
    return [f"{tab.answer.heading} {tab.answer.chance.text()}", tab.answer.scale.accessibleName(), *facts]


def test_swap_after_an_edit_leaves_the_verdict_for_the_earlier_texts(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel()))
    tab.jokes[0].set_text("Another.")
    tab.swap_button.click()
    assert tab.stale
    assert tab.state.texts == (canned.PARALLEL, canned.GRAVITY)


@pytest.mark.parametrize(
    ("p_a", "words", "chance", "part"),
    [
        (0.93, "A, clearly", "93 in 100", "clearly A"),
        (0.85, "A, clearly", "85 in 100", "clearly A"),
        (0.72, "A, probably", "72 in 100", "probably A"),
        (0.6, "A, probably", "60 in 100", "probably A"),
        (0.59, "Too close", "", "too close"),
        (0.5, "Too close", "", "too close"),
        (0.41, "Too close", "", "too close"),
        (0.28, "B, probably", "72 in 100", "probably B"),
        (0.02, "B, clearly", "98 in 100", "clearly B"),
        (0.999, "A, clearly", "99 in 100", "clearly A"),
        (0.0, "B, clearly", "99 in 100", "clearly B"),
    ],
)
def test_the_verdict_follows_the_chance(tab: DuelTab, p_a: float, words: str, chance: str, part: str) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD | {"p_a": p_a})))
    assert (tab.answer.heading, tab.answer.chance.text()) == (words, chance)
    assert tab.answer.scale.accessibleName() == (f"{part}, {chance} for {words[0]}" if chance else part)
    assert tab.answer.chance.isVisible() == bool(chance)


def test_words_that_differ_are_marked_until_a_text_is_changed(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD)))
    for joke, word in zip(tab.jokes, ("spite", "ink"), strict=True):
        (mark,) = joke.editor.marks
        assert joke.text()[mark.start : mark.end] == word
    assert tab.answer.sentence.text() == "They differ in “spite” / “ink”."
    assert tab.jokes[0].facts.text() == "12 words · 4 s spoken · turn at word 10 · nothing after it"
    tab.jokes[0].editor.insertPlainText("x")
    assert not any(joke.editor.marks for joke in tab.jokes)
    assert tab.jokes[1].facts.text() == "12 words · 4 s spoken"
    assert tab.stale_line.words.text() == "For an earlier text."
    assert not tab.bar.first_button.isEnabled()
    assert not tab.vote.isEnabled()
    tab.stale_line.link.click()
    assert tab.texts() == tab.state.texts
    assert not tab.stale_line.isVisible()


def test_where_nothing_turns_in_one_of_them_there_is_no_scale(tab: DuelTab) -> None:
    flat = canned.read(canned.INK, "out of ink", said="no turn")  # a guess at the turn isn't told then
    assert flat.turn is not None
    tab.open(canned.entry(canned.duel(**canned.WORD | {"read_b": flat})))
    assert tab.answer.heading == "Nothing turns in B that I can find."
    assert tab.answer.sentence.text() == "They differ in “spite” / “ink”."
    assert not tab.answer.scale.isVisible()
    assert not tab.known.isVisible()
    assert tab.jokes[1].facts.text().endswith(" s spoken · no turn found")
    assert tab.bar.first_button.text() == "Keep A"
    assert KINDS["duel"].glance(canned.duel(**canned.WORD | {"read_b": flat})).badge == "–"
    tab.open(canned.entry(canned.duel(**canned.WORD | {"read_a": flat, "read_b": flat})))
    assert tab.answer.heading == "Nothing turns in either of them that I can find."


def test_what_is_known_of_such_pairs_is_said_only_where_it_was_measured(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD)))
    assert tab.known.isVisible()
    words = tab.known.words.text().replace("\xa0", " ")
    assert words == "Where edits of a headline differ in a word, people agree with it in 62 of 100."
    assert tab.known.line.middle == 62
    tab.open(canned.entry(canned.duel(**canned.WORD | {"people": None})))
    assert not tab.known.isVisible()
    tab.open(canned.entry(canned.duel(**canned.VERSIONS, edit="cut")))
    words = tab.known.words.text().replace("\xa0", " ")
    assert words.endswith("it prefers the one that a language model with a rubric prefers in 86 of 100.")
    tab.open(canned.entry(canned.duel(**canned.READ_APART)))
    words = tab.known.words.text().replace("\xa0", " ")
    assert words == "Of two one-liners it picks the one that people found funnier 66 times in 100."
    tab.open(canned.entry(canned.duel()))
    assert not tab.known.isVisible()


def test_keep_puts_the_likelier_one_into_rate(tab: DuelTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(canned.duel(**canned.READ_APART)))
    assert tab.bar.first_button.text() == "Keep B"
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        tab.bar.first_button.click()
    assert asked.args == ["rate", {"text": canned.GRAVITY, "context": ""}]


def test_long_texts_scroll_together(tab: DuelTab, qtbot: QtBot) -> None:
    tab.set_texts(canned.LONG, canned.LONG)
    first, second = (joke.editor.verticalScrollBar() for joke in tab.jokes)
    qtbot.waitUntil(lambda: first.maximum() > 0 and second.maximum() > 0)
    first.setValue(first.maximum())
    assert second.value() == second.maximum()
    second.setValue(0)
    assert first.value() == 0


def test_the_verdict_appears_before_its_reasons(tab: DuelTab, qtbot: QtBot) -> None:
    result = canned.duel(explanation=None)
    running = play(tab, [Started(id="d1", kind="duel"), StageStarted(stage=Stage.PAIR)])
    assert tab.answer.scale.chance is None
    assert tab.jokes[0].editor.isReadOnly()
    tell(tab, running, Interim(result=result))
    assert tab.answer.heading == "A, probably"
    assert tab.live
    tell(tab, running, Finished(result=canned.duel()))
    assert not tab.live
    said = tab.rows.text()
    assert "76 in 100 with A first, 82 in 100 with B first. Both orders prefer the same one." in said
    assert "Why: A wins because never meet closes both senses" in said
    assert "Confidence factor: 3.80, clear" in said
    qtbot.waitUntil(lambda: not tab.running.isVisible())


def test_orders_that_disagree_are_said_first_with_the_cap(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.INCONSISTENT)))
    assert tab.warning.text.text() == (
        "The two orders disagree. A wins only when it comes second, so its chance is held at 67 in 100 "
        "(72 was measured)."
    )
    assert tab.warning.y() < tab.answer.y()


def test_a_vote_by_keyboard_is_on_the_letter_that_is_shown(tab: DuelTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD)))
    tab.vote.show_choice(None, "")
    tab.activateWindow()
    with qtbot.waitSignal(tab.vote.voted) as voted:
        qtbot.keyClick(tab.jokes[0].editor, Qt.Key.Key_B, Qt.KeyboardModifier.AltModifier)
    assert voted.args == ["B"]


def test_a_stopped_duel_says_so(tab: DuelTab) -> None:
    play(tab, [Started(id="d", kind="duel"), StageStarted(stage=Stage.PAIR), Cancelled()])
    assert tab.stopped.heading.text() == "Stopped."
    assert tab.buttons.run_button.isEnabled()


@pytest.mark.usefixtures("jokes")
def test_a_joke_can_be_picked_from_the_history_by_keyboard(tab: DuelTab, qtbot: QtBot) -> None:
    picker = tab.pick(1)
    assert picker.list.count() > 5
    qtbot.keyClicks(picker.search, "skeleton")
    qtbot.waitUntil(lambda: 0 < picker.list.count() <= 2)
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert tab.jokes[1].text() == "A skeleton walks into a bar."


def test_drafts_stack_with_little_room_and_the_line_goes_under_its_sentence(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.WORD)))
    assert tab.known.line.x() > tab.known.words.geometry().right()
    tab.set_room("narrow", 16)
    tab.resize(620, 900)
    settle()
    assert tab.jokes[1].y() > tab.swap_button.y() > tab.jokes[0].geometry().bottom() - 1
    assert tab.known.line.y() > tab.known.words.geometry().bottom()
