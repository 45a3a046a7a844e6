"""A picture given to the joke's field: its text comes in for correction, and it is said that nothing else is seen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QImage

from jokejudge_gui.core.errors import Cancelled, InputError
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.rate import tab as rating
from jokejudge_gui.ui.rate.tab import CHECK, RateTab, picture_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

Open = Callable[..., MainWindow]
MEME = "ONE DOES NOT SIMPLY\nWALK INTO MORDOR"


def rate_tab(window: MainWindow) -> RateTab:
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    return tab


def file(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def copied(text: str = "") -> QMimeData:
    data = QMimeData()
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(0)
    data.setImageData(image)
    if text:
        data.setText(text)
    return data


def test_a_picture_s_text_comes_in_and_it_is_said_what_is_not_seen(
    qtbot: QtBot, open_window: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Path | bytes] = []
    monkeypatch.setattr(rating, "read_picture", lambda source, _token: given.append(source) or MEME)
    window = open_window()
    editor = rate_tab(window).joke.editor
    data = file(tmp_path / "meme.PNG")
    assert editor.canInsertFromMimeData(data)
    editor.insertFromMimeData(data)
    qtbot.waitUntil(lambda: editor.toPlainText() == MEME)
    qtbot.waitUntil(lambda: window.notices.text == CHECK)
    assert "isn't seen" in CHECK
    editor.undo()
    assert editor.toPlainText() == ""
    editor.insertFromMimeData(copied())
    qtbot.waitUntil(lambda: editor.toPlainText() == MEME)
    assert isinstance(given[1], bytes)
    assert QImage.fromData(given[1]).size().toTuple() == (40, 30)


def test_text_beside_a_copied_picture_is_what_is_meant(open_window: Open, tmp_path: Path) -> None:
    editor = rate_tab(open_window()).joke.editor
    editor.insertFromMimeData(copied("A horse walks into a bar."))
    assert editor.toPlainText() == "A horse walks into a bar."
    assert picture_of(file(tmp_path / "list.txt")) is None
    assert picture_of(QMimeData()) is None


def test_a_picture_that_is_refused_is_a_sentence(
    qtbot: QtBot, open_window: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    editor = rate_tab(window).joke.editor
    (tmp_path / "fake.png").write_bytes(b"#!/bin/sh")
    editor.insertFromMimeData(file(tmp_path / "fake.png"))
    qtbot.waitUntil(lambda: "This isn't a picture of a known type." in window.notices.text)
    assert editor.toPlainText() == ""
    failure = InputError("E_PICTURE_EMPTY", "No text was found in the picture.", "Type it, if there is one.")

    def fails(_source: object, _token: CancelToken) -> str:
        raise failure

    monkeypatch.setattr(rating, "read_picture", fails)
    editor.insertFromMimeData(copied())
    qtbot.waitUntil(lambda: failure.sentence in window.notices.text)


def test_a_window_that_closes_reads_no_further(
    qtbot: QtBot, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def slow(_source: object, token: CancelToken) -> str:
        begun.set()
        token.wait(60)
        stopped.set()
        raise Cancelled

    monkeypatch.setattr(rating, "read_picture", slow)
    window = open_window()
    rate_tab(window).joke.editor.insertFromMimeData(copied())
    assert begun.wait(30)
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=30_000)
    assert stopped.is_set()
