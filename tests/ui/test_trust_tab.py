"""The Trust tab: what is shown of a model, and the line under a verdict."""

from __future__ import annotations

from pathlib import Path

import canned
import pytest
from driving import LONG, Open, keep, save_as
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot
from states import trust

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Audience, ModelRef
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.dialog import LibraryDialog
from jokejudge_gui.ui.trust.questions import QUESTIONS
from jokejudge_gui.ui.trust.tab import TrustTab
from jokejudge_gui.ui.widgets.text import Paragraph

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")

EMBEDDED = ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)

HEADLINE = "On one-liners it agrees with most people in 66 of 100 pairs (61 to 71)"


def said(tab: TrustTab) -> str:
    """Everything that the report says."""
    return tab.pages.text()


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
        assert card.line.above.startswith("JokeJudge ")
        assert card.line.above in card.line.accessibleName()


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


def test_the_chosen_kind_and_question_are_there_again_after_a_restart(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    window.trust_tab.questions.kinds.choose(2)
    window.trust_tab.questions.cards["moves"].more.click()
    chosen = window.trust_tab.questions.kinds.currentText()
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    assert (window.trust_tab.questions.kinds.currentText(), window.trust_tab.questions.opened) == (chosen, "moves")


def test_the_kind_that_was_rated_last_is_chosen_until_the_user_chooses(open_window: Open) -> None:
    window = open_window(start=False)
    kinds = window.trust_tab.questions.kinds
    window.show_trust(EMBEDDED)
    names = [*window.trust_tab.questions.answers["kind"]]
    for rated, chosen, shown in ((1, None, 1), (2, 0, 2), (2, None, 0), (1, None, 1)):
        audience = Audience(percentile=60.0, score=1.0, kind=names[rated])
        window.by_kind["rate"].open(canned.entry(canned.rating(audience=audience)))
        window.show_tab("rate")
        window.show_trust(EMBEDDED)
        assert kinds.currentIndex() == shown
        if chosen is not None:
            kinds.choose(chosen)


def test_the_signs_on_the_lines_are_explained(open_window: Open) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    legend = " ".join(label.text() for label in window.trust_tab.column.widget().findChildren(Paragraph))
    for card in window.trust_tab.questions.cards.values():
        for sign in card.line.words.text().split(" · "):
            assert sign.rstrip(" 0123456789").casefold() in legend.casefold()


def test_how_far_to_trust_a_duel_opens_what_is_known_of_drafts(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    window.show_tab("duel")
    window.by_kind["duel"].open(canned.entry(canned.duel(**canned.WORD, model=EMBEDDED)))
    window.by_kind["duel"].trust_link.click()
    assert window.stack.currentWidget() is window.trust_tab
    qtbot.waitUntil(lambda: window.trust_tab.questions.opened == "drafts")


def test_the_report_stays_folded_until_it_is_wanted(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    assert not tab.report.isVisible()
    qtbot.mouseClick(tab.fold_button, Qt.MouseButton.LeftButton)
    assert tab.report.isVisible()
    window.show_trust(ModelRef(name="Unknown", sha256="0" * 64))
    assert "hasn't been measured" in tab.pages.text()


def test_the_report_is_shown_in_words_and_tables(open_window: Open) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    window.trust_tab.open_researchers()
    text = said(window.trust_tab)
    for part in (HEADLINE, "Kinds of joke that it never learned from", "CC BY 4.0", "Four questions"):
        assert part in text


def test_another_model_can_be_chosen_and_only_the_one_in_use_be_measured(open_window: Open) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    place = next(n for n, name in enumerate(tab.choice.options) if name == EMBEDDED.name)
    tab.choice.choose(place)
    tab.open_researchers()
    assert HEADLINE in said(tab)
    assert not tab.audit.button.isVisible()


def test_a_damaged_card_is_a_sentence_with_a_next_step(open_window: Open) -> None:
    window = open_window(start=False)
    window.session.profile.data.mkdir(exist_ok=True)
    trust.trust_damaged(window)
    tab = window.trust_tab
    tab.open_researchers()
    assert "is damaged" in said(tab)
    assert "What it is not for" in said(tab)  # the rest of the report is still known


def test_everything_in_the_tab_is_reached_by_the_keyboard(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert window.stack.currentWidget() is window.trust_tab
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    tab.open_researchers()
    window.tabs.segment("trust").setFocus()
    visited = []
    for _ in range(30):
        holder = QGuiApplication.focusObject()
        visited.append(holder)
        qtbot.keyClick(holder, Qt.Key.Key_Tab)
    wanted = [tab.questions.kinds, *(card.more for card in tab.questions.cards.values())]
    wanted += [tab.fold_button, tab.save_button]
    assert [widget for widget in visited if widget in wanted][: len(wanted)] == wanted
    named = [b for b in tab.findChildren(QAbstractButton) if b.isVisible() and not (b.accessibleName() or b.text())]
    assert named == []


def test_a_row_of_the_library_says_what_was_measured(
    open_window: Open, qtbot: QtBot, profile: Profile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [FoundModel(tmp_path / "x.gguf", "Known", "Ollama", 1_000_000, EMBEDDED_SHA256)]
    monkeypatch.setattr(library, "find_models", lambda _profile: found)
    window = open_window()
    dialog = LibraryDialog(profile, window.side_worker, window.session.info)
    keep(qtbot, dialog)
    qtbot.waitUntil(lambda: bool(dialog.offers) and dialog.offers[0].name == "Known")
    assert "Agrees with most people in 66 of 100 pairs" in dialog.offers[0].more
    assert "Not measured" in dialog.current_text.text()


def test_the_models_card_is_saved_as_a_file(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    path = tmp_path / "card.html"
    save_as(monkeypatch, path)
    with qtbot.waitSignal(tab.notice, timeout=LONG):
        qtbot.mouseClick(tab.save_button, Qt.MouseButton.LeftButton)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "not for" in text
