"""The model library: what is found, what can be fetched, and what is told about a model that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import ErrorInfo, FetchError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken, EngineInfo
from jokejudge_gui.library.catalogue import CatalogueEntry
from jokejudge_gui.library.fetch import FetchProgress, target_of
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.ui.judge_worker import JudgeWorker
from jokejudge_gui.ui.library import dialog as faster_copy
from jokejudge_gui.ui.library import dialog as library
from jokejudge_gui.ui.library.dialog import LibraryDialog
from jokejudge_gui.ui.widgets.text import Paragraph
from tests.gguf_builder import BASICS, U32, gguf, pair, tensor

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
INFO = EngineInfo("tiny", "a" * 64, "t.gguf", 145_000_000, "llama", "Q8_0", 4096, 8192, "attention", True, 576)


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


@pytest.fixture
def slow(tmp_path: Path) -> EngineInfo:
    """A loaded model in Q4_1, its file on the disk."""
    path = tmp_path / "Tiny-Q4_1.gguf"
    pairs = (*BASICS[:2], pair("general.file_type", U32, 3), *BASICS[3:])
    path.write_bytes(gguf(pairs, (tensor("w", (64, 4), 3, 0),), data=512))
    return replace(INFO, path=str(path), quantisation="Q4_1", slow=True, notes=("Q4_1 has no fast kernels.",))


def copying(target: Path, wait: bool = False) -> Callable[..., Iterator[FetchProgress]]:
    def requantise(_source: Path, _profile: Profile, token: CancelToken) -> Iterator[FetchProgress]:
        yield FetchProgress(5_000_000, 10_000_000, "copying")
        blocks = threading.Event()
        while wait and not blocks.wait(0.005):
            token.check()
        target.parent.mkdir(parents=True)
        target.write_bytes(b"GGUF")
        yield FetchProgress(10_000_000, 10_000_000, "done")

    return requantise


def test_a_slow_model_is_copied_and_the_copy_chosen(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], slow: EngineInfo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    target = profile.models / "Tiny.Q8_0-from-Q4_1.gguf"
    monkeypatch.setattr(faster_copy, "requantise", copying(target))
    dialog = open_dialog(qtbot, worker, profile)
    row = dialog.faster
    assert not row.isVisible()
    dialog.model_ready(slow)
    assert row.isVisible()
    assert row.button.accessibleName() == "Make a faster copy"
    assert "1 MB more of the disk and is slightly less precise" in row.facts.text()
    with qtbot.waitSignal(dialog.chosen) as chosen:
        row.button.click()
        assert row.button.accessibleName() == "Stop A faster copy"
    assert chosen.args == [str(target)]
    dialog.model_ready(INFO)
    assert not row.isVisible()
    dialog.model_ready(slow)
    assert row.action == "Use"
    with qtbot.waitSignal(dialog.chosen) as chosen:
        row.button.click()
    assert chosen.args == [str(target)]


def test_a_copy_can_be_stopped_and_closing_the_library_stops_it(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], slow: EngineInfo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    target = profile.models / "Tiny.Q8_0-from-Q4_1.gguf"
    monkeypatch.setattr(faster_copy, "requantise", copying(target, wait=True))
    dialog = LibraryDialog(profile, worker, slow)
    dialog.show()
    dialog.faster.button.click()
    qtbot.waitUntil(lambda: dialog.faster.note.text() == "Copying · 5 MB of 10 MB")
    dialog.faster.button.click()
    qtbot.waitUntil(lambda: dialog.faster.action == "Make a faster copy")
    assert "unfinished copy was removed" in dialog.faster.note.text()
    dialog.faster.button.click()
    assert worker.busy
    dialog.accept()
    qtbot.waitUntil(lambda: not worker.busy)
    assert not target.exists()


def test_a_model_whose_file_has_gone_is_not_offered_a_copy(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], slow: EngineInfo
) -> None:
    Path(slow.path).unlink()
    dialog = open_dialog(qtbot, worker, profile)
    dialog.model_ready(slow)
    assert not dialog.faster.isVisible()


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


def endless(entry: CatalogueEntry, _place: Profile, token: CancelToken) -> Iterator[FetchProgress]:
    """A fetch that goes on until it is stopped."""
    blocks = threading.Event()
    while not blocks.wait(0.005):
        token.check()
        yield FetchProgress(1, entry.size, "fetching")


def test_a_fetch_can_be_stopped(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "get", endless)
    dialog = open_dialog(qtbot, worker, profile)
    row = next(iter(dialog.catalogue_rows.values()))
    row.button.click()
    qtbot.waitUntil(lambda: "Fetching" in row.note.text())
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
    monkeypatch.setattr(library, "get", endless)
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


def test_nothing_is_said_of_larger_models_that_no_card_measured(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel]
) -> None:
    dialog = open_dialog(qtbot, worker, profile)
    said = " ".join(label.text() for label in dialog.findChildren(Paragraph))
    assert "nothing else goes over a network" in said
    assert "none that was measured is clearly better than the one that comes with the program" in said
    assert said.lower().count("better") == 1


def test_a_model_that_was_found_judges_together_with_the_one_in_use(
    qtbot: QtBot, worker: JudgeWorker, profile: Profile, found: list[FoundModel], tmp_path: Path
) -> None:
    found.append(FoundModel(tmp_path / "x.gguf", "X", "Jan", 1))
    dialog = open_dialog(qtbot, worker, profile)
    (row,) = dialog.found_rows
    with qtbot.waitSignal(dialog.chosen) as chosen:
        row.together.click()
    assert chosen.args == [f"embedded + {tmp_path / 'x.gguf'}"]
