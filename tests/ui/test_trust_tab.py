"""The Trust tab: what is shown of a model, and the line under a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import canned
import pytest
from driving import LONG, Open, keep, save_as
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot
from states import trust

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Audience, ModelRef
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.dialog import LibraryDialog
from jokejudge_gui.ui.trust.tab import TrustTab
from jokejudge_gui.ui.widgets.controls import ChoiceButton

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")

EMBEDDED = ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)

HEADLINE = "On one-liners it agrees with most people in 66 of 100 pairs (61 to 71)"


def said(tab: TrustTab) -> str:
    """Everything that the report says."""
    return tab.pages.text()


# -- what is shown ---------------------------------------------------------------------------------------------------


def test_the_report_is_shown_in_words_and_tables(open_window: Open) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    window.trust_tab.open_researchers()
    text = said(window.trust_tab)
    for part in (HEADLINE, "none of them did it clearly beat", "It can't tell", "CC BY 4.0", "Four questions"):
        assert part in text


def test_a_model_without_a_card_says_so_and_offers_the_one_action(open_window: Open) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    tab.open_researchers()
    assert tab.choice.shown == "fake-model (in use)"
    assert "hasn't been measured" in said(tab)
    assert "text_a,text_b" in said(tab)
    assert tab.measure.button.isVisible()


def test_another_model_can_be_chosen_and_only_the_one_in_use_be_measured(open_window: Open) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    place = next(n for n, name in enumerate(tab.choice.options) if name == EMBEDDED.name)
    tab.choice.choose(place)
    tab.open_researchers()
    assert HEADLINE in said(tab)
    assert not tab.measure.button.isVisible()
    assert "Only the model in use" in tab.measure.note.text()


def test_a_damaged_card_is_a_sentence_with_a_next_step(open_window: Open) -> None:
    window = open_window(start=False)
    window.session.profile.data.mkdir(exist_ok=True)
    trust.trust_damaged(window)
    tab = window.trust_tab
    tab.open_researchers()
    assert "is damaged" in said(tab)
    # The habits are measured apart from the card, and still known.
    assert "It can't tell" in said(tab)


def test_a_head_of_ones_own_is_not_spoken_for_by_the_shipped_card(open_window: Open) -> None:
    window = open_window(start=False)
    profile = window.session.profile
    profile.heads.mkdir(parents=True)
    (profile.heads / f"{EMBEDDED_SHA256[:16]}.npz").write_bytes(b"")
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    tab.open_researchers()
    assert "fitted on this machine" in said(tab)


def test_texts_of_a_card_are_shown_as_they_are(open_window: Open, profile: Profile) -> None:
    window = open_window(start=False)
    profile.heads.mkdir(parents=True)
    profile.cards.mkdir()
    (profile.heads / f"{EMBEDDED_SHA256[:16]}.npz").write_bytes(b"")
    card = {
        "model": {"name": "<b>x</b>&y", "sha256": EMBEDDED_SHA256},
        "figures": {"<i>mine</i>": {"agreement": {"head": {"all": [0.6, 0.5, 0.7]}}}},
        "data": {"<i>mine</i>": "<script>"},
    }
    (profile.cards / f"{EMBEDDED_SHA256[:16]}.json").write_text(json.dumps(card), encoding="utf-8")
    window.trust_tab.refresh()
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    tab.open_researchers()
    assert "“<i>mine</i>”" in said(tab)
    assert "<script>" in said(tab)
    assert "<b>x</b>&y" in tab.choice.options
    assert "&lt;b&gt;" in tab.choice.toolTip()


# -- keyboard --------------------------------------------------------------------------------------------------------


def test_everything_in_the_tab_is_reached_by_the_keyboard(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert window.stack.currentWidget() is window.trust_tab
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    window.tabs.segment("trust").setFocus()
    visited = []
    for _ in range(24):
        holder = QGuiApplication.focusObject()
        visited.append(holder)
        qtbot.keyClick(holder, Qt.Key.Key_Tab)
    wanted = [tab.questions.kinds, *(card.more for card in tab.questions.cards.values()), tab.agree.try_button]
    wanted += [tab.fold_button, tab.choice]
    assert [widget for widget in visited if widget in wanted][: len(wanted)] == wanted
    named = [b for b in tab.findChildren(QAbstractButton) if b.isVisible() and not (b.accessibleName() or b.text())]
    assert named == []


def test_ctrl_enter_asks_for_a_file(open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    window.show_tab("trust")
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: asked.append("file") or ([], ""))
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == ["file"]
    assert window.trust_tab.measure.phase == "idle"


# -- under a verdict, and in the library -----------------------------------------------------------------------------


def test_the_link_under_a_rating_leads_to_the_tab(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    result = canned.rating(model=EMBEDDED, audience=Audience(percentile=71.0, score=0.4, kind="edited headlines"))
    window.by_kind["rate"].open(canned.entry(result))
    window.by_kind["rate"].trust_link.click()
    assert window.stack.currentWidget() is window.trust_tab
    window.trust_tab.open_researchers()
    assert HEADLINE in said(window.trust_tab)
    qtbot.waitUntil(lambda: window.trust_tab.questions.kind == "edited headlines")


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


# -- widgets ---------------------------------------------------------------------------------------------------------


def test_a_choice_tells_what_it_shows_and_sends_the_place(qtbot: QtBot) -> None:
    choice = ChoiceButton("Model")
    qtbot.addWidget(choice)
    choice.set_options(["one & only", "two"], 0)
    assert choice.accessibleName() == "Model: one & only"
    with qtbot.waitSignal(choice.chosen) as sent:
        choice.activated.emit(1)
    assert sent.args == [1]
    assert choice.shown == "two"
    choice.set_options([], -1)
    assert choice.accessibleName() == "Model: none"


def test_the_models_card_is_saved_as_a_file(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    for name, begin in (("card.html", "<!DOCTYPE html>"), ("card.md", "# "), ("card.json", "{")):
        path = tmp_path / name
        save_as(monkeypatch, path)
        with qtbot.waitSignal(tab.notice, timeout=LONG):
            qtbot.mouseClick(tab.save_button, Qt.MouseButton.LeftButton)
        text = path.read_text(encoding="utf-8")
        assert text.startswith(begin)
        assert "not for" in text or "not_for" in text
