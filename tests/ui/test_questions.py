"""The four questions of the Trust tab as cards, and what is folded behind "For researchers"."""

from __future__ import annotations

import canned
import canned_profile
import pytest
from driving import Open
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings, load_settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.ui.trust.questions import QUESTIONS

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")

EMBEDDED = ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)


def test_each_question_is_answered_in_its_first_words_and_on_its_line(open_window: Open) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    cards = window.trust_tab.questions.cards
    assert list(cards) == list(QUESTIONS)
    assert cards["kind"].words.text().startswith("A little: of two one-liners")
    assert cards["broken"].words.text().startswith("A little: it puts a joke above the same joke")
    assert cards["moves"].words.text().startswith("“My Muslim neighbour told me this one” does: ")
    for card in cards.values():
        assert card.line.isVisible()
        assert card.more.isVisible()
        assert not card.measure.isVisible()
        assert "JokeJudge" in card.line.accessibleName()


def test_the_menu_opens_on_the_kind_that_was_rated_last(open_window: Open, profile: Profile) -> None:
    posts = canned.Audience(percentile=50.0, score=0.0, kind="edited headlines", agreement=0.6)
    window = open_window(start=False)
    canned_profile.record(window.session.store, canned.read_rating(audience=posts))
    window.show_trust(EMBEDDED)
    questions = window.trust_tab.questions
    assert questions.kinds.shown == "Edited headlines"
    questions.kinds.choose(0)
    assert questions.cards["kind"].words.text().startswith("A little: of two one-liners")
    window.trust_tab.refresh()
    assert questions.kinds.shown == "One-liners"


def test_a_model_that_was_not_measured_keeps_its_questions(open_window: Open) -> None:
    window = open_window()
    window.show_tab("trust")
    cards = window.trust_tab.questions.cards
    for card in cards.values():
        assert card.words.text() == "Not measured for this model."
        assert not card.line.isVisible()
        assert not card.more.isVisible()
    assert cards["broken"].measure.isVisible()
    assert not cards["drafts"].measure.isVisible()
    assert not window.trust_tab.questions.kinds.isVisible()


def test_more_unfolds_one_at_a_time_and_escape_closes_it(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    questions = window.trust_tab.questions
    questions.cards["kind"].more.click()
    assert "1,035 pairs" in questions.cards["kind"].details.text()
    questions.cards["moves"].more.click()
    assert questions.opened == "moves"
    assert (questions.cards["kind"].more.text(), questions.cards["moves"].more.text()) == ("More", "Less")
    window.escape()
    assert not questions.opened
    assert questions.cards["moves"].more.hasFocus()


def test_how_far_to_trust_a_duel_opens_what_is_known_of_drafts(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    window.show_tab("duel")
    window.by_kind["duel"].open(canned.entry(canned.duel(**canned.WORD, model=EMBEDDED)))
    window.by_kind["duel"].trust_link.click()
    assert window.stack.currentWidget() is window.trust_tab
    qtbot.waitUntil(lambda: window.trust_tab.questions.opened == "drafts")


def test_the_tables_stay_folded_until_they_are_wanted_and_that_is_kept(
    open_window: Open, settings: Settings, profile: Profile, qtbot: QtBot
) -> None:
    settings.researchers_open = False
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    assert not tab.report.isVisible()
    qtbot.mouseClick(tab.fold_button, Qt.MouseButton.LeftButton)
    assert tab.report.isVisible()
    assert load_settings(profile).researchers_open
    assert "One-liners" in tab.pages.text()
    qtbot.mouseClick(tab.fold_button, Qt.MouseButton.LeftButton)
    assert not load_settings(profile).researchers_open
    unknown = ModelRef(name="Unknown", sha256="0" * 64)
    window.show_trust(unknown)
    tab.open_researchers()
    assert "hasn't been measured" in tab.pages.text()
