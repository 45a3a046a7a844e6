"""The Trust tab: what is shown of a model, and the line under a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import canned
import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot
from states import trust

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Audience, ModelRef
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.measure.worths import TrustFiles
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.dialog import LibraryDialog
from jokejudge_gui.ui.trust.cards import KindCard, MadeCard, UnseenCard
from jokejudge_gui.ui.trust.tab import TrustTab
from jokejudge_gui.ui.trust.tables import AgreementBars, BarGroup, BarRow
from jokejudge_gui.ui.trust.trust_figures import facts_with_trust
from jokejudge_gui.ui.widgets.controls import ChoiceButton
from jokejudge_gui.ui.widgets.text import Paragraph

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")

EMBEDDED = ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)

HEADLINE = "On one-liners it agrees with most people in 66 of 100 pairs (61 to 71)"


def said(tab: TrustTab) -> str:
    """Everything that stands in the right column."""
    return "\n".join(paragraph.text() for paragraph in tab.cards.findChildren(Paragraph))


# -- what is shown ---------------------------------------------------------------------------------------------------


def test_the_shipped_card_is_shown_in_words_and_bars(open_window: Open) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    assert HEADLINE in tab.model.headline.text()
    assert not tab.state.isVisible()
    kinds = [card for card in tab.cards.items if isinstance(card, KindCard)]
    assert [card.title_label.text() for card in kinds][:2] == ["One-liners", "Edited headlines"]
    words = kinds[0].bars.accessibleDescription()
    assert words.startswith("Real jokes · 1,035: JokeJudge 66 (61–71); “longer wins” 58")
    assert "All pairs · 1,564: JokeJudge 72 (68–76); “longer wins” 65 (61–69); word statistics 68" in words
    assert "one person 65" in words
    assert "All pairs, where people clearly differed · 571: JokeJudge 85 (79–90)" in words
    (unseen,) = [card for card in tab.cards.items if isinstance(card, UnseenCard)]
    assert "Edited headlines, learned from all the others: JokeJudge 51" in unseen.bars.accessibleDescription()
    text = said(tab)
    for part in (
        "none of them did it clearly beat",
        "89 of 100 are right (348 pairs)",
        "It can't tell",
        "read off the audience estimate instead",
        "CC BY 4.0",
    ):
        assert part in text


def test_the_command_behind_the_figures_can_be_copied(open_window: Open) -> None:
    window = open_window(start=False)
    window.show_trust(EMBEDDED)
    (made,) = [card for card in window.trust_tab.cards.items if isinstance(card, MadeCard)]
    made.copy_link.click()
    assert QGuiApplication.clipboard().text().startswith("python models/training/make.py")


def test_a_model_without_a_card_says_so_and_offers_the_one_action(open_window: Open) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    assert tab.model.choice.shown == "fake-model (in use)"
    assert "hasn't been measured" in tab.model.headline.text()
    assert "text_a,text_b" in tab.state.text.text()
    assert tab.cards.items == []
    assert tab.measure.button.isVisible()


def test_another_model_can_be_chosen_and_only_the_one_in_use_be_measured(open_window: Open) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    place = next(n for n, name in enumerate(tab.model.choice.options) if name == EMBEDDED.name)
    tab.model.choice.menu_of_all().actions()[place].trigger()
    assert HEADLINE in tab.model.headline.text()
    assert not tab.measure.button.isVisible()
    assert "Only the model in use" in tab.measure.text.text()


def test_a_damaged_card_is_a_sentence_with_a_next_step(open_window: Open) -> None:
    window = open_window(start=False)
    window.session.profile.data.mkdir(exist_ok=True)
    trust.trust_damaged(window)
    tab = window.trust_tab
    assert tab.state.heading.text() == "Its trust card can't be used."
    assert "is damaged" in tab.state.text.text()
    assert "Delete it" in tab.state.text.text()
    # The habits are measured apart from the card, and still known.
    assert "It can't tell" in said(tab)


def test_a_head_of_ones_own_is_not_spoken_for_by_the_shipped_card(open_window: Open) -> None:
    window = open_window(start=False)
    profile = window.session.profile
    profile.heads.mkdir(parents=True)
    (profile.heads / f"{EMBEDDED_SHA256[:16]}.npz").write_bytes(b"")
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    assert "fitted on this computer" in tab.state.heading.text()
    assert not [card for card in tab.cards.items if isinstance(card, KindCard)]


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
    assert "“<i>mine</i>”" in tab.model.headline.text()
    assert "<script>" in said(tab)
    assert "<b>x</b>&y" in tab.model.choice.options
    assert "&lt;b&gt;" in tab.model.choice.toolTip()


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
    (made,) = [card for card in tab.cards.items if isinstance(card, MadeCard)]
    wanted = [tab.questions.kinds, *(card.more for card in tab.questions.cards.values()), tab.agree.try_button]
    wanted += [tab.researchers.button, tab.links["Audit"], tab.model.choice, made.copy_link]
    assert [widget for widget in visited if widget in wanted] == wanted
    named = [b for b in tab.findChildren(QAbstractButton) if b.isVisible() and not (b.accessibleName() or b.text())]
    assert named == []


def test_ctrl_enter_asks_for_a_file(open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    window.show_tab("trust")
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: asked.append("file") or ([], ""))
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == ["file"]
    assert window.trust_tab.measurer.phase == "idle"


# -- under a verdict, and in the library -----------------------------------------------------------------------------


def test_the_link_under_a_rating_leads_to_the_tab(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    result = canned.rating(model=EMBEDDED, audience=Audience(percentile=71.0, score=0.4, kind="edited headlines"))
    window.by_kind["rate"].open(canned.entry(result))
    window.by_kind["rate"].trust_link.click()
    assert window.stack.currentWidget() is window.trust_tab
    assert HEADLINE in window.trust_tab.model.headline.text()
    qtbot.waitUntil(lambda: window.trust_tab.questions.kind == "edited headlines")


def test_a_row_of_the_library_says_what_was_measured(
    open_window: Open, qtbot: QtBot, profile: Profile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [FoundModel(tmp_path / "x.gguf", "Known", "Ollama", 1_000_000, EMBEDDED_SHA256)]
    monkeypatch.setattr(library, "find_models", lambda _profile: found)
    window = open_window()
    dialog = LibraryDialog(profile, window.side_worker, window.session.info)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: bool(dialog.found_rows))
    assert "Agrees with most people in 66 of 100 pairs" in dialog.found_rows[0].facts.text()
    assert "not measured" in dialog.current_text.text()
    assert facts_with_trust("facts", TrustFiles(profile), ["e" * 64]) == "facts\nAgreement with people: not measured."


# -- widgets ---------------------------------------------------------------------------------------------------------


def test_bars_draw_whatever_figures_they_get(qtbot: QtBot) -> None:
    rows = (BarRow("A name that is far too long for its column", 0.0, 0.0, 0.1, True), BarRow("b", 1.0, 0.9, 1.0))
    bars = AgreementBars([BarGroup("Empty", ()), BarGroup("All", rows)])
    qtbot.addWidget(bars)
    bars.resize(240, 200)
    assert [group.caption for group in bars.groups] == ["All"]
    assert not bars.grab().isNull()


def test_a_choice_tells_what_it_shows_and_sends_the_place(qtbot: QtBot) -> None:
    choice = ChoiceButton("Model")
    qtbot.addWidget(choice)
    choice.set_options(["one & only", "two"], 0)
    assert choice.accessibleName() == "Model: one & only"
    with qtbot.waitSignal(choice.chosen) as sent:
        choice.menu_of_all().actions()[1].trigger()
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
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path, **__: (str(path), ""))
        with qtbot.waitSignal(tab.notice, timeout=LONG):
            qtbot.mouseClick(tab.model.save_button, Qt.MouseButton.LeftButton)
        text = path.read_text(encoding="utf-8")
        assert text.startswith(begin)
        assert "not for" in text or "not_for" in text
