"""Whether it agrees with the user: pairs, choices by keyboard, a score at the end alone, votes in the history."""

from __future__ import annotations

import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.ui.trust.agree import LEAST, PAIRS, pairs_of, score_words

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")

WORDS = (
    "bank heron piano tractor pigeon sofa anchor candle ladder kettle window turnip violin carpet glacier pepper",
    "rocket saddle trumpet walrus bucket cactus dentist elevator farmer goblin helmet island jacket koala",
)
NOUNS = " ".join(WORDS).split()
JOKES = [f"{noun.title()} {noun[::-1]} {noun[:2] * 3} {noun[-3:] * 2}." for noun in NOUNS]


def test_pairs_hold_each_joke_once_and_no_two_versions_of_one() -> None:
    jokes = ["I told my plants a joke.", "I told my plants a joke!", " ", *JOKES, JOKES[0]]
    found = pairs_of(jokes, 3)
    used = [text for pair in found for text in pair]
    assert len(found) <= PAIRS
    assert len(set(used)) == len(used)
    assert not {"I told my plants a joke.", "I told my plants a joke!"} <= set(used)
    assert pairs_of(jokes, 3) == found != pairs_of(jokes, 4)
    assert pairs_of([], 1) == []


@pytest.mark.parametrize(
    ("right", "of", "said"),
    [
        (12, 15, "It agrees with you in 12 of 15; 4 to 11 would be luck."),
        (11, 15, "It agrees with you in 11 of 15, which may be luck: 4 to 11 would be luck."),
        (3, 15, "It agrees with you in 3 of 15, which is less than luck: 4 to 11 would be luck."),
        (0, 0, "You preferred neither in all pairs, so there is nothing to compare."),
    ],
)
def test_the_score_is_said_beside_what_luck_would_give(right: int, of: int, said: str) -> None:
    assert score_words(right, of) == said


def test_by_keyboard_from_pasted_jokes_to_a_score_with_votes_and_no_rows(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    card = run = tab.agree
    card.try_button.click()
    assert card.field.hasFocus()
    assert not card.begin_button.isEnabled()
    card.field.setPlainText("\n".join(JOKES[: 2 * LEAST + 2]))
    assert card.count.text() == f"{2 * LEAST + 2} jokes"
    card.begin_button.click()
    assert card.hasFocus()
    shown = [joke.text() for joke in card.pair.jokes]
    assert tuple(shown) == run.pairs[0]
    keys = [Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_0]
    for place in range(len(run.pairs)):
        assert not card.score.isVisible()
        qtbot.keyClick(card, keys[place % 3])
    qtbot.waitUntil(lambda: run.phase == "done", timeout=LONG)
    chosen = sum(place % 3 < 2 for place in range(len(run.pairs)))
    assert run.judged == chosen
    assert card.score.text() == score_words(run.right, run.judged)
    votes = window.session.store.votes.find()
    assert len(votes) == run.judged
    assert all(vote.blind and vote.kind == "duel" for vote in votes)
    assert window.session.store.search(HistoryQuery()) == []


def test_escape_ends_it_without_a_score(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.show_tab("trust")
    card = run = window.trust_tab.agree
    run.start(JOKES[: 2 * LEAST - 2])
    assert run.phase == "idle"  # too few
    run.start(JOKES)
    assert run.phase == "choosing"
    qtbot.keyClick(card, Qt.Key.Key_Escape)
    assert run.phase == "idle"
    assert not card.score.isVisible()
    assert card.try_button.isVisible()
