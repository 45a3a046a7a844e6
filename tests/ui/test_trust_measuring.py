"""The Trust tab measures the model on files: begins at once, stops, goes on, is kept and forgotten."""

from __future__ import annotations

from pathlib import Path

import canned
import pytest
from driving import LONG, Gate, Open, gated
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from trust_driving import begin, measure

from jokejudge_gui.core.events import Finished
from jokejudge_gui.measure.evaluation import draw, judged
from jokejudge_gui.measure.kept import KeptEvaluation
from jokejudge_gui.ui.main_window import MainWindow
from tests.fake_engine import FakeEngine

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def held(open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, votes: Path) -> tuple[Gate, MainWindow]:
    """A window in which a measurement has begun and is held at its first question."""
    gate = Gate()
    window = open_window(gated(gate))
    gate.closed.set()
    begin(window, monkeypatch, votes)
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    return gate, window


def newest(window: MainWindow) -> KeptEvaluation:
    assert window.session.model is not None
    return window.trust_tab.files.kept.of(window.session.model.sha256)[0]


def test_a_file_is_measured_said_in_a_sentence_and_still_there_after_a_restart(
    open_window: Open, qtbot: QtBot, votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    tab = measure(qtbot, window, monkeypatch, votes)
    assert tab.pages.text().startswith("Your measurement: votes.csv: 8 of 8 pairs judged")
    assert "agrees with most people in" in tab.pages.text()
    assert tab.measure.note.text().startswith("It agrees with most people in")
    assert window.pane.model.rows() == []
    second = open_window()
    second.show_tab("trust")
    assert second.trust_tab.pages.text().startswith("Your measurement: votes.csv")


def test_the_focus_stays_on_the_button_from_the_choice_of_files_to_the_result(
    open_window: Open, qtbot: QtBot, votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, window = held(open_window, qtbot, monkeypatch, votes)
    button = window.trust_tab.measure.button
    assert (button.text(), QApplication.focusWidget()) == ("Stop", button)
    with qtbot.waitSignal(window.trust_tab.measure.measured, timeout=LONG):
        gate.opened.set()
    assert (button.text(), QApplication.focusWidget()) == ("Choose files…", button)


def test_a_measurement_stops_at_once_says_what_there_is_and_goes_on(
    open_window: Open, qtbot: QtBot, votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    fourth = f"first joke {draw(8, None, 1)[3]}"

    def hold(prompt: str, _question: str, _label: str) -> float:
        if fourth in prompt and not gate.opened.is_set():
            gate.held.set()
            assert gate.opened.wait(20)
        return 0.0

    window = open_window(lambda _file, _settings, _cancel: FakeEngine(hold))
    tab = begin(window, monkeypatch, votes)
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert tab.measure.phase == "stopping"
    with qtbot.waitSignal(tab.measure.measured, timeout=LONG):
        gate.opened.set()
    assert tab.measure.phase == "stopped"
    first = newest(window).found
    assert (first["whole"], judged(first)) == (False, 3)
    assert "about the rows judged so far" in tab.pages.text()
    assert tab.measure.button.text() == "Go on"
    with qtbot.waitSignal(tab.measure.measured, timeout=LONG):
        tab.measure.button.click()
    assert (newest(window).found["whole"], judged(newest(window).found)) == (True, 8)


def test_a_verdict_goes_before_a_measurement_which_then_goes_on(
    open_window: Open, qtbot: QtBot, votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, window = held(open_window, qtbot, monkeypatch, votes)
    tab = window.trust_tab
    ended: list[str] = []
    window.worker.happened.connect(
        lambda item: ended.append(item.job.name) if isinstance(item.event, Finished) else None
    )
    window.verdicts.ask("rate", {"text": canned.PARALLEL})
    with qtbot.waitSignal(tab.measure.measured, timeout=LONG):
        gate.closed.clear()
        gate.opened.set()
    assert [name for name in ended if name in ("rate", "trust")] == ["rate", "trust"]
    assert judged(newest(window).found) == 8


def test_choosing_another_model_stops_a_measurement(
    open_window: Open, qtbot: QtBot, votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, window = held(open_window, qtbot, monkeypatch, votes)
    tab = window.trust_tab
    window.models.choose("other.gguf")
    gate.closed.clear()
    gate.opened.set()
    qtbot.waitUntil(lambda: window.models.state == "ready" and not tab.live, timeout=LONG)
    assert tab.measure.phase == "stopped"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"joke,points\na,1\n", "lacks a column"),
        (b"text_a,text_b,winner\n", "has no pair with a winner"),
        (b"text_a,text_b,winner\ncaf\xc3\xa9 \xff,b,A\n", "isn't UTF-8"),
        (b'text,rating\n"open,1\n', "unexpected end of data"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_sentence(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, words: str
) -> None:
    window = open_window()
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    tab = begin(window, monkeypatch, file)
    qtbot.waitUntil(lambda: tab.measure.phase == "failed", timeout=LONG)
    assert words in tab.measure.note.text()
    assert tab.measure.button.text() == "Choose files…"


def test_pairs_and_ratings_are_measured_together_and_forgotten(
    open_window: Open, qtbot: QtBot, votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("text,rating\n" + "".join(f"joke number {n},{n % 5}\n" for n in range(6)), encoding="utf-8")
    window = open_window()
    tab = measure(qtbot, window, monkeypatch, votes, file)
    words = tab.pages.text()
    assert "votes.csv: 8 of 8 pairs judged" in words
    assert "ratings.csv: 6 of 6 texts judged" in words
    assert "People and the score" in words
    assert "have a rank correlation of" in words
    assert "have a rank correlation of" in tab.measure.note.text()
    assert newest(window).source == "votes.csv, ratings.csv"
    assert tab.measure.forget_link.isVisible()
    tab.measure.forget_link.click()
    assert "votes.csv" not in tab.pages.text()
    assert list(window.session.profile.evaluations.iterdir()) == []
