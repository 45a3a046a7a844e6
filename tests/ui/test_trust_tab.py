"""The Trust tab: what is shown of a model, measuring it on a file, and the line under a verdict."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import canned
import pytest
import shots
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.engine.fake_engine import FakeEngine
from jokejudge_gui.judging.evaluation import draw
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.models import Audience, ModelRef
from jokejudge_gui.paths import Profile
from jokejudge_gui.runs.shelf import TrustShelf
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.dialog import LibraryDialog
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.cards import KindCard, MadeCard, UnseenCard
from jokejudge_gui.ui.trust.line import with_trust
from jokejudge_gui.ui.trust.tab import TrustTab
from jokejudge_gui.ui.widgets.agreement_bars import AgreementBars, BarGroup, BarRow
from jokejudge_gui.ui.widgets.choice import ChoiceButton
from jokejudge_gui.ui.widgets.text import Paragraph

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
Open = Callable[..., MainWindow]
LONG = 30_000
EMBEDDED = ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)
HEADLINE = "On one-liners it agrees with most people in 71 of 100 pairs (67 to 75)"


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    file = tmp_path / "votes.csv"
    rows = "".join(f"first joke {n},second one {n},{'AB'[n % 2]}\n" for n in range(8))
    file.write_text(f"text_a,text_b,winner\n{rows}", encoding="utf-8")
    return file


def said(tab: TrustTab) -> str:
    """Everything that stands in the right column."""
    return "\n".join(paragraph.text() for paragraph in tab.cards.findChildren(Paragraph))


def ready(qtbot: QtBot, window: MainWindow, file: Path) -> TrustTab:
    window.show_tab("trust")
    tab = window.trust_tab
    tab.measurer.choose(file)
    qtbot.waitUntil(lambda: tab.measurer.phase == "ready", timeout=LONG)
    return tab


def measure(qtbot: QtBot, window: MainWindow, file: Path) -> TrustTab:
    tab = ready(qtbot, window, file)
    qtbot.mouseClick(tab.measure.run_button, Qt.MouseButton.LeftButton)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    return tab


class Gate:
    """Lets the engine answer until it is closed; then holds each call until it is opened."""

    def __init__(self) -> None:
        self.closed, self.opened, self.held = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, method: str) -> None:
        if self.closed.is_set() and method != "warm":
            self.held.set()
            assert self.opened.wait(20)


def held(open_window: Open, qtbot: QtBot, votes: Path) -> tuple[Gate, MainWindow]:
    """A window in which a measurement has begun and is held at its first question."""
    gate = Gate()
    window = open_window(lambda _file, _settings, _cancel: FakeEngine(gate=gate))
    tab = ready(qtbot, window, votes)
    gate.closed.set()
    tab.measure.run_button.click()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    return gate, window


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
    assert "All pairs · 1,564: This judge 71 (67–75); Longer joke 65 (61–69); Counting words 68" in words
    assert "One person 65" in words
    assert "Where people clearly differed · 571: This judge 85 (79–90)" in words
    (unseen,) = [card for card in tab.cards.items if isinstance(card, UnseenCard)]
    assert "Edited headlines, learned from all the others: This judge 50" in unseen.bars.accessibleDescription()
    text = said(tab)
    for part in ("none of them did it clearly beat", "right in 88 of 100 (355 pairs)", "It can’t tell", "CC BY 4.0"):
        assert part in text
    assert "is asked with “" in text


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
    assert "hasn’t been measured" in tab.model.headline.text()
    assert "text_a,text_b" in tab.state.text.text()
    assert tab.cards.items == []
    assert tab.measure.run_button.isEnabled()


def test_another_model_can_be_chosen_and_only_the_one_in_use_be_measured(open_window: Open) -> None:
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    place = next(n for n, name in enumerate(tab.model.choice.options) if name == EMBEDDED.name)
    tab.model.choice.menu_of_all().actions()[place].trigger()
    assert HEADLINE in tab.model.headline.text()
    assert not tab.measure.run_button.isEnabled()
    assert "Only the model in use" in tab.measure.text.text()


def test_a_damaged_card_is_a_sentence_with_a_next_step(open_window: Open) -> None:
    window = open_window(start=False)
    window.session.profile.data.mkdir(exist_ok=True)
    shots.trust_damaged(window)
    tab = window.trust_tab
    assert tab.state.heading.text() == "Its trust card can’t be used."
    assert "is damaged" in tab.state.text.text()
    assert "Delete it" in tab.state.text.text()
    # The habits are measured apart from the card, and still known.
    assert "It can’t tell" in said(tab)


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


# -- measuring -------------------------------------------------------------------------------------------------------


def test_a_file_is_measured_and_the_result_is_there_again_after_a_restart(
    open_window: Open, qtbot: QtBot, votes: Path
) -> None:
    window = open_window()
    tab = measure(qtbot, window, votes)
    assert tab.own.isVisible()
    assert "votes.csv · 8 judged" in tab.own.lead.text()
    (bars,) = tab.own.findChildren(AgreementBars)
    assert "All pairs · 8: This judge" in bars.accessibleDescription()
    assert "agrees with most people in" in tab.model.headline.text()
    assert window.pane.model.rows() == []
    kept = tab.own.shown
    second = open_window()
    second.show_tab("trust")
    assert second.trust_tab.own.isVisible()
    assert second.trust_tab.own.shown == kept


def test_a_measurement_stops_at_once_says_what_there_is_and_goes_on(
    open_window: Open, qtbot: QtBot, votes: Path
) -> None:
    gate = Gate()
    fourth = f"first joke {draw(8, None, 1)[3]}"

    def hold(prompt: str, _question: str, _label: str) -> float:
        if fourth in prompt and not gate.opened.is_set():
            gate.held.set()
            assert gate.opened.wait(20)
        return 0.0

    window = open_window(lambda _file, _settings, _cancel: FakeEngine(hold))
    tab = ready(qtbot, window, votes)
    tab.measure.run_button.setFocus()
    qtbot.keyClick(tab.measure.run_button, Qt.Key.Key_Space)
    assert tab.measure.stop_button.hasFocus()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert tab.measurer.phase == "stopping"
    gate.opened.set()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.measurer.phase == "stopped"
    assert tab.own.shown is not None
    first = tab.own.shown.found
    assert (first.whole, first.judged) == (False, 3)
    assert "not finished" in tab.own.lead.text()
    assert tab.measure.run_button.text() == "Go on"
    tab.measure.limit.set_current("all")
    tab.measure.run_button.click()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert (tab.own.shown.found.whole, tab.own.shown.found.judged) == (True, 8)
    assert tab.measurer.progress is not None
    assert tab.measurer.progress.total == 5


def test_a_verdict_goes_before_a_measurement_which_then_goes_on(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    gate, window = held(open_window, qtbot, votes)
    tab = window.trust_tab
    window.rate(canned.PARALLEL, False)
    gate.closed.clear()
    gate.opened.set()
    qtbot.waitUntil(lambda: not window.rate_tab.live, timeout=LONG)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.own.shown is not None
    assert tab.own.shown.found.judged == 8


def test_choosing_another_model_stops_a_measurement(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    gate, window = held(open_window, qtbot, votes)
    tab = window.trust_tab
    window.models.choose("other.gguf")
    gate.closed.clear()
    gate.opened.set()
    qtbot.waitUntil(lambda: window.models.state == "ready" and not tab.live, timeout=LONG)
    assert tab.measurer.phase == "stopped"


def test_closing_the_window_ends_a_measurement(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    gate, window = held(open_window, qtbot, votes)
    window.close()
    gate.opened.set()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    assert list(window.session.profile.evaluations.glob("*.json")) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"joke,points\na,1\n", "lacks a column"),
        (b"text_a,text_b,winner\n", "has no pair with a winner"),
        (b"text_a,text_b,winner\n\xff,b,A\n", "isn't UTF-8"),
        (b'text,rating\n"open,1\n', "never closed"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_sentence(
    open_window: Open, qtbot: QtBot, tmp_path: Path, content: bytes, words: str
) -> None:
    window = open_window()
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    window.show_tab("trust")
    tab = window.trust_tab
    tab.measurer.choose(file)
    qtbot.waitUntil(lambda: tab.measurer.phase == "failed", timeout=LONG)
    assert words in tab.measure.text.text()
    assert tab.measure.run_button.text() == "Measure on your own file…"
    assert not tab.measure.limit.isVisible()


def test_a_file_that_goes_away_before_it_is_measured_is_told(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    window = open_window()
    tab = ready(qtbot, window, votes)
    votes.unlink()
    tab.measure.run_button.click()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.measurer.phase == "failed"
    assert "can't be read" in tab.measure.text.text()


def test_ratings_are_measured_too(open_window: Open, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("text,rating\n" + "".join(f"joke number {n},{n % 5}\n" for n in range(6)), encoding="utf-8")
    window = open_window()
    tab = ready(qtbot, window, file)
    assert tab.measure.text.text() == "ratings.csv: 6 texts."
    tab.measure.run_button.click()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    words = " ".join(part.text() for part in tab.own.parts.findChildren(Paragraph))
    assert "Ranked beside people’s ratings" in words
    assert "Mean absolute error of the score" in words


@pytest.mark.parametrize(
    ("name", "chosen", "written", "begins"),
    [
        ("report.html", "Web page (*.html)", "report.html", "<!DOCTYPE html>"),
        ("report", "JSON (*.json)", "report.json", "{"),
        ("report.JSON", "Web page (*.html)", "report.JSON", "{"),
    ],
)
def test_a_report_is_saved_as_a_page_or_as_json(
    open_window: Open,
    qtbot: QtBot,
    votes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    chosen: str,
    written: str,
    begins: str,
) -> None:
    window = open_window()
    tab = measure(qtbot, window, votes)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), chosen))
    tab.own.save_button.click()
    qtbot.waitUntil(lambda: "The report is in" in window.notices.text, timeout=LONG)
    assert (tmp_path / written).read_text(encoding="utf-8").startswith(begins)


def test_a_report_that_cannot_be_written_is_told(
    open_window: Open, qtbot: QtBot, votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    tab = measure(qtbot, window, votes)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "file" / "x.html"), ""))
    tab.own.save_button.click()
    qtbot.waitUntil(lambda: "can't be written" in window.notices.text, timeout=LONG)


def test_a_measurement_can_be_forgotten_with_its_answers(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    window = open_window()
    tab = measure(qtbot, window, votes)
    tab.own.forget_link.click()
    assert not tab.own.isVisible()
    assert list(window.session.profile.evaluations.iterdir()) == []


def test_earlier_measurements_can_be_chosen(open_window: Open) -> None:
    window = open_window()
    assert window.session.model is not None
    canned.keep_measurements(window.session.profile, window.session.model)
    window.trust_tab.refresh()
    window.show_tab("trust")
    own = window.trust_tab.own
    assert own.choice.isVisible()
    sources = set()
    for place in range(2):
        own.choice.choose(place)
        assert own.shown is not None
        sources.add(own.shown.source)
    assert sources == {"my-votes.csv", "a-long-name-of-a-file-with-ratings.csv"}


# -- keyboard --------------------------------------------------------------------------------------------------------


def test_everything_in_the_tab_is_reached_by_the_keyboard(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert window.stack.currentWidget() is window.trust_tab
    window.show_trust(EMBEDDED)
    tab = window.trust_tab
    window.tabs.segment("trust").setFocus()
    visited = []
    for _ in range(6):
        holder = QGuiApplication.focusObject()
        visited.append(holder)
        qtbot.keyClick(holder, Qt.Key.Key_Tab)
    (made,) = [card for card in tab.cards.items if isinstance(card, MadeCard)]
    assert tab.model.choice in visited
    assert made.copy_link in visited
    named = [b for b in tab.findChildren(QAbstractButton) if b.isVisible() and not (b.accessibleName() or b.text())]
    assert named == []


def test_ctrl_enter_asks_for_a_file(open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    window.show_tab("trust")
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: asked.append("file") or ("", ""))
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == ["file"]
    assert window.trust_tab.measurer.phase == "idle"


# -- under a verdict, and in the library -----------------------------------------------------------------------------


def test_the_line_under_a_rating_says_what_the_number_means_and_leads_to_the_tab(open_window: Open) -> None:
    window = open_window(start=False)
    result = canned.rating(model=EMBEDDED, audience=Audience(percentile=71.0, score=0.4))
    window.rate_tab.open(canned.entry(result))
    line = window.rate_tab.verdict.trust_line
    assert line.text.text() == (
        "The audience estimate agrees with most people in 71 of 100 pairs of one-liners; one person in 65."
    )
    line.link.click()
    assert window.stack.currentWidget() is window.trust_tab
    assert HEADLINE in window.trust_tab.model.headline.text()


def test_a_verdict_without_the_estimate_claims_nothing_of_it(open_window: Open) -> None:
    window = open_window(start=False)
    window.rate_tab.open(canned.entry(canned.rating(model=EMBEDDED)))
    assert "hasn’t been measured" in window.rate_tab.verdict.trust_line.text.text()
    window.show_tab("duel")
    window.duel_tab.open(canned.entry(canned.duel()))
    assert "hasn’t been measured" in window.duel_tab.answer.trust_line.text.text()
    window.duel_tab.open(canned.entry(canned.duel(model=None)))
    assert not window.duel_tab.answer.trust_line.isVisible()


def test_a_measured_model_is_spoken_of_under_its_verdicts(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    window = open_window()
    measure(qtbot, window, votes)
    window.duel_tab.open(canned.entry(canned.duel(model=window.session.model)))
    words = window.duel_tab.answer.trust_line.text.text()
    assert words.startswith("This model agrees with most people in ")
    assert "“votes.csv”" in words


def test_a_row_of_the_library_says_what_was_measured(
    open_window: Open, qtbot: QtBot, profile: Profile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [FoundModel(tmp_path / "x.gguf", "Known", "Ollama", 1_000_000, EMBEDDED_SHA256)]
    monkeypatch.setattr(library, "find_models", lambda _profile: found)
    window = open_window()
    dialog = LibraryDialog(profile, window.side_worker, window.session.info)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: bool(dialog.found_rows))
    assert "Agrees with most people in 71 of 100 pairs" in dialog.found_rows[0].facts.text()
    assert "not measured" in dialog.current_text.text()
    assert with_trust("facts", TrustShelf(profile), ["e" * 64]) == "facts\nAgreement with people: not measured."


# -- widgets ---------------------------------------------------------------------------------------------------------


def test_bars_draw_whatever_figures_they_get(qtbot: QtBot) -> None:
    bars = AgreementBars()
    qtbot.addWidget(bars)
    bars.resize(240, 200)
    rows = (BarRow("A name that is far too long for its column", 0.0, 0.0, 0.1, True), BarRow("b", 1.0, 0.9, 1.0))
    bars.set_groups([BarGroup("Empty", ()), BarGroup("All", rows)])
    assert [group.caption for group in bars.groups] == ["All"]
    assert not bars.grab().isNull()
    bars.set_groups([])
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
