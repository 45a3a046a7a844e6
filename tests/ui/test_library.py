"""The model library: what is found, what can be fetched, and what is told about a model that fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from jokejudge_gui.engine.base import CancelToken, EngineInfo
from jokejudge_gui.errors import FetchError
from jokejudge_gui.library.catalogue import CatalogueEntry
from jokejudge_gui.library.fetch import FetchProgress, target_of
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.models import ErrorInfo
from jokejudge_gui.paths import Profile
from jokejudge_gui.ui.judge_worker import JudgeWorker
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.dialog import LibraryDialog

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
INFO = EngineInfo("tiny", "a" * 64, "t.gguf", 145_000_000, "llama", "Q8_0", 4096, 8192, "attention", True, 576)


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[JudgeWorker]:
    made = JudgeWorker()
    yield made
    made.stop()
    qtbot.waitUntil(lambda: not made.running, timeout=10_000)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[FoundModel]:
    models: list[FoundModel] = []
    monkeypatch.setattr(library, "find_models", lambda _profile: models)
    return models


def open_dialog(qtbot: QtBot, worker: JudgeWorker, profile: Profile) -> LibraryDialog:
    dialog = LibraryDialog(profile, worker, INFO)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: not worker.busy)
    return dialog


def test_what_the_loader_noticed_stands_under_the_model_in_use(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel]
) -> None:
    dialog = open_dialog(qtbot, worker, profile)
    assert not dialog.notes_text.isVisible()
    dialog.model_ready(replace(INFO, notes=("The GPU could not take the model (out of memory); it runs on the CPU.",)))
    assert dialog.notes_text.isVisible()
    assert "GPU could not take the model (out of memory)" in dialog.notes_text.text()
    dialog.model_loading("other")
    assert not dialog.notes_text.isVisible()


def test_models_on_this_disk_can_be_used(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], tmp_path: Path
) -> None:
    found.append(FoundModel(tmp_path / "x.gguf", "Some model", "LM Studio", 1_200_000_000))
    dialog = open_dialog(qtbot, worker, profile)
    assert "In use: tiny · 145 MB" in dialog.current_text.text()
    (row,) = dialog.found_rows
    assert row.facts.text() == "1.2 GB · LM Studio"
    with qtbot.waitSignal(dialog.chosen) as chosen:
        row.button.click()
    assert chosen.args == [str(tmp_path / "x.gguf")]


def test_nothing_found_says_what_to_do(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel]
) -> None:
    dialog = open_dialog(qtbot, worker, profile)
    assert "Drop one on the window" in dialog.found_note.text()


def test_recommended_models_come_first_and_all_can_be_shown(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel]
) -> None:
    dialog = open_dialog(qtbot, worker, profile)
    few = len(dialog.catalogue_rows)
    assert few > 0
    assert dialog.more_link.isVisible()
    dialog.more_link.click()
    assert len(dialog.catalogue_rows) > few
    assert not dialog.more_link.isVisible()


def test_a_model_is_fetched_only_by_its_button_with_progress(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []

    def get(entry: CatalogueEntry, place: Profile, _token: CancelToken) -> Iterator[FetchProgress]:
        fetched.append(entry.id)
        yield FetchProgress(entry.size // 2, entry.size, "fetching")
        yield FetchProgress(entry.size, entry.size, "checking")
        place.models.mkdir(parents=True)
        target_of(entry, place).write_bytes(b"GGUF")

    monkeypatch.setattr(library, "get", get)
    dialog = open_dialog(qtbot, worker, profile)
    assert fetched == []
    identity, row = next(iter(dialog.catalogue_rows.items()))
    row.button.click()
    assert row.action == "Stop"
    qtbot.waitUntil(lambda: row.action == "Use")
    assert fetched == [identity]
    assert row.note.text() == "Fetched and checked."
    with qtbot.waitSignal(dialog.chosen):
        row.button.click()


def test_a_fetch_can_be_stopped(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    def get(entry: CatalogueEntry, _place: Profile, token: CancelToken) -> Iterator[FetchProgress]:
        blocks = threading.Event()
        while not blocks.wait(0.005):
            token.check()
            yield FetchProgress(1, entry.size, "fetching")

    monkeypatch.setattr(library, "get", get)
    dialog = open_dialog(qtbot, worker, profile)
    row = next(iter(dialog.catalogue_rows.values()))
    row.button.click()
    qtbot.waitUntil(lambda: "fetching" in row.note.text())
    row.button.click()
    qtbot.waitUntil(lambda: row.action == "Get")
    assert row.note.text().startswith("Stopped.")
    assert not row.line.isVisible()


def test_a_fetch_that_fails_says_why_and_can_be_tried_again(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    def get(_entry: CatalogueEntry, _place: Profile, _token: CancelToken) -> Iterator[FetchProgress]:
        raise FetchError("E_FETCH_OFFLINE", "There is no network.", "Connect, then press Get again.")
        yield

    monkeypatch.setattr(library, "get", get)
    dialog = open_dialog(qtbot, worker, profile)
    row = next(iter(dialog.catalogue_rows.values()))
    row.button.click()
    qtbot.waitUntil(lambda: row.action == "Get")
    assert row.note.text() == "There is no network. Connect, then press Get again."


def test_closing_the_library_stops_what_it_fetches(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    def get(entry: CatalogueEntry, _place: Profile, token: CancelToken) -> Iterator[FetchProgress]:
        blocks = threading.Event()
        while not blocks.wait(0.005):
            token.check()
            yield FetchProgress(1, entry.size, "fetching")

    monkeypatch.setattr(library, "get", get)
    dialog = LibraryDialog(profile, worker, None)
    dialog.show()
    next(iter(dialog.catalogue_rows.values())).button.click()
    assert worker.busy
    dialog.accept()
    qtbot.waitUntil(lambda: not worker.busy)


def test_a_model_that_fails_is_told_and_the_one_in_use_named(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel]
) -> None:
    dialog = open_dialog(qtbot, worker, profile)
    dialog.model_loading("other.gguf")
    assert dialog.current_text.text() == "Loading other.gguf…"
    dialog.model_failed(ErrorInfo(code="E", sentence="other.gguf is damaged.", hint="Choose another."), INFO)
    assert dialog.banner.isVisible()
    assert dialog.banner.text.text() == "other.gguf is damaged. Choose another."
    assert "In use: tiny" in dialog.current_text.text()
    dialog.model_ready(None)
    assert dialog.current_text.text() == "No model is loaded."
