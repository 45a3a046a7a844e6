"""The Trust tab measures the model on a file: runs, stops, goes on, is kept."""

from __future__ import annotations

import json
from pathlib import Path

import canned
import canned_profile
import pytest
from driving import LONG, Gate, Open, gated, save_as
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from trust_driving import measure, ready

from jokejudge_gui.measure.evaluation import draw, judged
from jokejudge_gui.ui.main_window import MainWindow
from tests.fake_engine import FakeEngine

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def held(open_window: Open, qtbot: QtBot, votes: Path) -> tuple[Gate, MainWindow]:
    """A window in which a measurement has begun and is held at its first question."""
    gate = Gate()
    window = open_window(gated(gate))
    tab = ready(qtbot, window, votes)
    gate.closed.set()
    tab.measure.button.click()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    return gate, window


# -- measuring -------------------------------------------------------------------------------------------------------


def test_a_file_is_measured_and_the_result_is_there_again_after_a_restart(
    open_window: Open, qtbot: QtBot, votes: Path
) -> None:
    window = open_window()
    tab = measure(qtbot, window, votes)
    assert tab.own.isVisible()
    assert "votes.csv · 8 judged" in tab.own.lead.text()
    assert "agrees with most people in" in tab.own.pages.text()
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
    tab.measure.button.setFocus()
    qtbot.keyClick(tab.measure.button, Qt.Key.Key_Space)
    assert tab.measure.button.hasFocus()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert tab.measure.run.phase == "stopping"
    gate.opened.set()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.measure.run.phase == "stopped"
    assert tab.own.shown is not None
    first = tab.own.shown.found
    assert (first["whole"], judged(first)) == (False, 3)
    assert "not finished" in tab.own.lead.text()
    assert tab.measure.button.text() == "Go on"
    tab.measure.limit.set_current("all")
    tab.measure.button.click()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert (tab.own.shown.found["whole"], judged(tab.own.shown.found)) == (True, 8)


def test_a_verdict_goes_before_a_measurement_which_then_goes_on(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    gate, window = held(open_window, qtbot, votes)
    tab = window.trust_tab
    window.verdicts.ask("rate", {"text": canned.PARALLEL})
    gate.closed.clear()
    gate.opened.set()
    qtbot.waitUntil(lambda: not window.by_kind["rate"].live, timeout=LONG)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.own.shown is not None
    assert judged(tab.own.shown.found) == 8


def test_choosing_another_model_stops_a_measurement(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    gate, window = held(open_window, qtbot, votes)
    tab = window.trust_tab
    window.models.choose("other.gguf")
    gate.closed.clear()
    gate.opened.set()
    qtbot.waitUntil(lambda: window.models.state == "ready" and not tab.live, timeout=LONG)
    assert tab.measure.run.phase == "stopped"


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
    open_window: Open, qtbot: QtBot, tmp_path: Path, content: bytes, words: str
) -> None:
    window = open_window()
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    window.show_tab("trust")
    tab = window.trust_tab
    tab.measure.choose(file)
    qtbot.waitUntil(lambda: tab.measure.run.phase == "failed", timeout=LONG)
    assert words in tab.measure.note.text()
    assert tab.measure.button.text() == "Measure on your own file…"
    assert not tab.measure.limit.isVisible()


def test_ratings_are_measured_too(open_window: Open, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("text,rating\n" + "".join(f"joke number {n},{n % 5}\n" for n in range(6)), encoding="utf-8")
    window = open_window()
    tab = ready(qtbot, window, file)
    assert tab.measure.text.text() == "ratings.csv: 6 texts."
    tab.measure.button.click()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    words = tab.own.pages.text()
    assert "People and the score" in words
    assert "Mean absolute error of the score" in words


@pytest.mark.parametrize(("name", "begins"), [("report.html", "<!DOCTYPE html>"), ("report.JSON", "{")])
def test_a_report_is_saved_as_a_page_or_as_json(
    open_window: Open,
    qtbot: QtBot,
    votes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    begins: str,
) -> None:
    window = open_window()
    tab = measure(qtbot, window, votes)
    save_as(monkeypatch, tmp_path / name)
    tab.own.save_button.click()
    qtbot.waitUntil(lambda: "The report is in" in window.notices.text, timeout=LONG)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


def test_a_measurement_can_be_forgotten_with_its_answers(open_window: Open, qtbot: QtBot, votes: Path) -> None:
    window = open_window()
    tab = measure(qtbot, window, votes)
    tab.own.forget_link.click()
    assert not tab.own.isVisible()
    assert list(window.session.profile.evaluations.iterdir()) == []


def test_earlier_measurements_can_be_chosen(open_window: Open) -> None:
    window = open_window()
    assert window.session.model is not None
    canned_profile.keep_measurements(window.session.profile, window.session.model)
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


def test_several_files_are_measured_each_and_together_and_their_rows_saved(
    open_window: Open, qtbot: QtBot, votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grades, report = tmp_path / "grades.csv", tmp_path / "report.json"
    grades.write_text("text,rating\nOne joke.,1\nAnother joke.,2\n", encoding="utf-8")
    window = open_window()
    window.show_tab("trust")
    tab = window.trust_tab
    chosen = [str(votes), str(grades)]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (chosen, ""))
    tab.measure.choose_files()
    qtbot.waitUntil(lambda: tab.measure.run.phase == "ready", timeout=LONG)
    assert "grades.csv: 2 texts." in tab.measure.text.text()
    tab.measure.button.click()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert "votes.csv, grades.csv · 10 judged" in tab.own.lead.text()
    kept = tab.own.shown
    assert kept is not None
    assert [len(part) for part in (kept.found["pairs"], kept.found["ratings"])] == [1, 1]
    save_as(monkeypatch, report)
    tab.own.save_button.click()
    qtbot.waitUntil(lambda: "The report is in" in window.notices.text, timeout=LONG)
    assert json.loads(report.read_text(encoding="utf-8"))["pairs"][0]["judged"] == 8
    tab.forget(kept)
    assert not list(window.session.profile.evaluations.glob("*"))


def test_no_more_rows_are_offered_than_the_file_has(open_window: Open, qtbot: QtBot, tmp_path: Path) -> None:
    def of(rows: int) -> Path:
        file = tmp_path / f"{rows}.csv"
        lines = "".join(f"first joke {n},second one {n},{'AB'[n % 2]}\n" for n in range(rows))
        file.write_text(f"text_a,text_b,winner\n{lines}", encoding="utf-8")
        return file

    def offered() -> list[str]:
        return [key for key in ("100", "300", "1000", "all") if card.limit.segment(key).isVisible()]

    window = open_window()
    card = ready(qtbot, window, of(60)).measure
    assert offered() == []
    assert not card.note.isVisible()
    card.button.click()
    assert window.trust_tab.measure.run._arguments == (None,)
    qtbot.waitUntil(lambda: not window.trust_tab.live, timeout=LONG)
    ready(qtbot, window, of(300))
    assert (offered(), card.limit.current()) == (["100", "all"], "all")
    assert "1,000" not in card.note.text()
    ready(qtbot, window, of(1001))
    assert (offered(), card.limit.current()) == (["100", "300", "1000", "all"], "300")
    card.limit.set_current("100")
    ready(qtbot, window, of(301))
    assert (offered(), card.limit.current()) == (["100", "300", "all"], "100")
