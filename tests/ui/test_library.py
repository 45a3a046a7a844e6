"""The model library: what is found, what can be fetched, and what is told about a model that fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from driving import keep
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import ErrorInfo, FetchError
from jokejudge_gui.core.events import Stage, StageProgress
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken, EngineInfo
from jokejudge_gui.library.catalogue import CatalogueEntry
from jokejudge_gui.library.fetch import target_of
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.ui.judge_worker import JudgeWorker
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.dialog import LibraryDialog, Offer

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
INFO = EngineInfo("tiny", "a" * 64, "t.gguf", 145_000_000, "llama", "Q8_0", 4096, "attention", 576)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[FoundModel]:
    models: list[FoundModel] = []
    monkeypatch.setattr(library, "find_models", lambda _profile: models)
    return models


def open_dialog(qtbot: QtBot, worker: JudgeWorker, profile: Profile, info: EngineInfo = INFO) -> LibraryDialog:
    dialog = LibraryDialog(profile, worker, info)
    keep(qtbot, dialog)
    dialog.show()
    qtbot.waitUntil(lambda: not worker.busy)
    return dialog


def test_a_model_that_fails_is_told_and_the_one_in_use_named(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel]
) -> None:
    dialog = open_dialog(qtbot, worker, profile)
    assert not dialog.notes_text.isVisible()
    dialog.model_ready(replace(INFO, notes=("The GPU could not take the model; it runs on the CPU.",)))
    assert dialog.notes_text.isVisible()
    dialog.model_loading("other.gguf")
    assert (dialog.current_text.text(), dialog.notes_text.isVisible()) == ("Loading other.gguf…", False)
    dialog.model_failed(ErrorInfo(code="E", sentence="other.gguf is damaged.", hint="Choose another."), INFO)
    assert dialog.banner.isVisible()
    assert dialog.banner.text.text() == "other.gguf is damaged. Choose another."
    assert "In use: tiny · 145 MB" in dialog.current_text.text()
    dialog.model_ready(None)
    assert dialog.current_text.text() == "No model is loaded."


def test_models_on_this_disk_can_be_used_alone_or_together(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], tmp_path: Path
) -> None:
    found.append(FoundModel(tmp_path / "x.gguf", "Some model", "LM Studio", 1_200_000_000))
    dialog = open_dialog(qtbot, worker, profile)
    assert dialog.list.item(0).text() == "Some model\nLM Studio · 1.2 GB"
    # With a screen reader, ``clear`` ends the process where Python made a row.
    assert not shiboken6.createdByPython(dialog.list.item(0))
    dialog.select(dialog.offers[0])
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.action_button.click()
    assert chosen.args == [str(tmp_path / "x.gguf")]
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.together_link.click()
    assert chosen.args == [f"embedded + {tmp_path / 'x.gguf'}"]


def test_each_row_says_size_memory_and_measured_pace_and_the_one_in_use_is_no_row(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], tmp_path: Path
) -> None:
    found.append(FoundModel(tmp_path / "t.gguf", "tiny", "Ollama", 145_000_000, INFO.sha256))
    found.append(FoundModel(tmp_path / "u.gguf", "double", "Ollama", 290_000_000, "b" * 64))
    dialog = LibraryDialog(profile, worker, INFO, pace=lambda: {INFO.sha256: 1.2, "b" * 64: 0.4})
    keep(qtbot, dialog)
    dialog.show()
    qtbot.waitUntil(lambda: not worker.busy)
    assert "In use: tiny · 145 MB · llama Q8_0 · 1.2 s a joke here" in dialog.current_text.text()
    rows = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    assert rows[0] == "double\nOllama · 290 MB · not measured · 0.4 s a joke here"
    assert not any(row.startswith("tiny\n") for row in rows)
    assert next(row for row in rows if row.startswith("Qwen2.5 Coder 1.5B")).endswith(
        "· 1.5 GB of memory · no measured gain"
    )


def first(dialog: LibraryDialog) -> Offer:
    offer = next(offer for offer in dialog.offers if offer.make is not None)
    dialog.select(offer)
    return offer


def test_a_model_is_fetched_only_by_its_button_with_progress(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []

    def get(entry: CatalogueEntry, place: Profile, _token: CancelToken) -> Iterator[StageProgress]:
        fetched.append(entry.label)
        yield StageProgress(stage=Stage.LOADING, done=entry.size // 2, total=entry.size, note="fetching")
        place.models.mkdir(parents=True)
        target_of(entry, place).write_bytes(b"GGUF")

    monkeypatch.setattr(library, "get", get)
    dialog = open_dialog(qtbot, worker, profile)
    offer = first(dialog)
    assert fetched == []
    dialog.action_button.click()
    assert dialog.line.isVisible()
    dialog.list.setCurrentRow(1)
    assert dialog.action_button.text() == "Get"
    qtbot.waitUntil(lambda: offer.action == "Use")
    dialog.select(offer)
    assert fetched == [offer.name]
    assert dialog.note.text() == "Fetched and checked."
    with qtbot.waitSignal(dialog.chosen):
        dialog.action_button.click()


def endless(entry: CatalogueEntry, _place: Profile, token: CancelToken) -> Iterator[StageProgress]:
    """A fetch that goes on until it is stopped."""
    while not token.wait(0.005):
        yield StageProgress(stage=Stage.LOADING, done=1, total=entry.size, note="fetching")
    token.check()


def test_a_fetch_is_stopped_by_its_button_and_by_closing(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "get", endless)
    dialog = LibraryDialog(profile, worker, None)
    dialog.show()
    qtbot.waitUntil(lambda: not worker.busy)
    first(dialog)
    dialog.action_button.click()
    qtbot.waitUntil(lambda: "Fetching" in dialog.note.text())
    dialog.action_button.click()
    qtbot.waitUntil(lambda: dialog.action_button.text() == "Get")
    assert dialog.note.text().startswith("Stopped.")
    assert not dialog.line.isVisible()
    dialog.action_button.click()
    assert worker.busy
    dialog.accept()
    qtbot.waitUntil(lambda: not worker.busy)


def test_a_fetch_that_fails_says_why_and_can_be_tried_again(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    def get(_entry: CatalogueEntry, _place: Profile, _token: CancelToken) -> Iterator[StageProgress]:
        raise FetchError("E_FETCH_OFFLINE", "There is no network.", "Connect, then press Get again.")
        yield

    monkeypatch.setattr(library, "get", get)
    dialog = open_dialog(qtbot, worker, profile)
    offer = first(dialog)
    dialog.action_button.click()
    qtbot.waitUntil(lambda: offer.action == "Get")
    assert dialog.note.text() == "There is no network. Connect, then press Get again."
