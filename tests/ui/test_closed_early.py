"""The window is closed, or a tab is asked for, while its tabs are still being built."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import canned_profile
import pytest
import shiboken6
from contest_driving import contest
from driving import LONG
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.app import Desktop
from jokejudge_gui.ui.main_window import MainWindow
from tests.fake_engine import FakeEngine

TABS = ("rate", "duel", "contest", "trust")
KEYS = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4)
SHOWN = {"tab": "rate", "verdicts": {"rate": "h10", "duel": "h9", "contest": "c1"}}
TYPED = {"duel": ["One half of a duel", "and the other"], "contest": ["A list.\nOf two jokes."]}


@pytest.fixture
def used(profile: Profile) -> Profile:
    """A profile whose last run showed a verdict in each tab, and left drafts."""
    canned_profile.fill_history(profile)
    store = HistoryStore(profile.database, KINDS)
    canned_profile.record(store, contest())
    store.close()
    profile.shown.write_text(json.dumps(SHOWN))
    profile.typed.write_text(json.dumps(TYPED))
    return profile


class Loader:
    """Loads engines, each once ``go`` is set."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.engines: list[FakeEngine] = []

    def __call__(self, *_: Any) -> FakeEngine:
        assert self.go.wait(20)
        self.engines.append(FakeEngine())
        return self.engines[-1]


@pytest.fixture
def loader() -> Loader:
    return Loader()


@pytest.fixture
def desktop(qapp: QApplication, qtbot: QtBot, used: Profile, loader: Loader) -> Iterator[Desktop]:
    made = Desktop(qapp, used, Settings(), loader)
    yield made
    loader.go.set()
    if made.main is not None and shiboken6.isValid(made.main):
        made.main.close()
        qtbot.waitUntil(made.main.is_closed, timeout=LONG)


def kept(profile: Profile) -> tuple[Any, ...]:
    """What the next run finds: the history's rows and results, the verdicts shown, the drafts."""
    store = HistoryStore(profile.database, KINDS)
    rows = store.search(HistoryQuery())
    found = [store.get(row.id) for row in rows]
    store.close()
    return found, json.loads(profile.shown.read_text()), json.loads(profile.typed.read_text())


def at_step(window: MainWindow, tabs: int, act: Callable[[], object], *, within: bool = False) -> None:
    """Call ``act`` when the window has so many tabs: ``within`` the building of the last, or from the event loop."""

    def added(_place: int) -> None:
        if window.stack.count() == tabs and within:
            act()
        elif window.stack.count() == tabs:
            QTimer.singleShot(0, window, act)

    window.stack.widgetAdded.connect(added)


def destroy(window: QWidget) -> None:
    """Destroy a window at once, with its timers still running, and let the event loop find what it left."""
    window.deleteLater()
    QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    gc.collect()
    for _ in range(20):
        QApplication.processEvents()


@pytest.mark.parametrize(("step", "end"), [("0", "close"), ("2 within", "close"), ("3", "close"), ("4 within", "quit")])
def test_closing_while_tabs_are_built_builds_no_more_and_keeps_everything(
    qapp: QApplication, desktop: Desktop, used: Profile, loader: Loader, step: str, end: str
) -> None:
    tabs, before = max(1, int(step[0])), kept(used)
    whole: list[bool] = []
    closed_at: list[int] = []
    desktop.open()
    window = desktop.main
    assert window is not None
    window.whole.connect(lambda: whole.append(True))

    def close() -> None:
        window.close() if end == "close" else qapp.quit()
        assert not window.isVisible()
        closed_at.append(window.stack.count())
        loader.go.set()

    if step == "0":
        QTimer.singleShot(0, window, close)
    else:
        at_step(window, tabs, close, within=step.endswith("within"))
    assert desktop.exec() == 0
    assert (closed_at, window.stack.count(), whole) == ([tabs], tabs, [])
    assert not window.worker.running
    assert not window.side_worker.running
    assert all(engine.closed for engine in loader.engines)
    destroy(window)
    assert kept(used) == before


@pytest.mark.parametrize(("there", "asked", "how"), [(2, 4, "key"), (3, 4, "click")])
def test_a_tab_asked_for_while_others_are_built_is_built_once_and_shown(
    qapp: QApplication, qtbot: QtBot, desktop: Desktop, used: Profile, loader: Loader, there: int, asked: int, how: str
) -> None:
    loader.go.set()
    desktop.open()
    window = desktop.main
    assert window is not None
    window.activateWindow()
    shown: list[bool] = []

    def ask() -> None:
        assert (window.stack.count(), window.isActiveWindow()) == (there, True)
        if how == "key":
            qtbot.keyClick(window, KEYS[asked - 1], Qt.KeyboardModifier.ControlModifier)
        else:
            qtbot.mouseClick(window.tabs.segment(TABS[asked - 1]), Qt.MouseButton.LeftButton)
        tab = window.stack.currentWidget()
        assert window.stack.indexOf(tab) == there  # the last one built
        shown.append(tab.isAncestorOf(qapp.focusWidget()))

    at_step(window, there, ask)
    with qtbot.waitSignal(window.whole, timeout=LONG):
        pass
    assert (window.tabs.current(), shown) == (TABS[asked - 1], [True])
    assert sorted(type(window.stack.widget(at)).__name__ for at in range(window.stack.count())) == [
        "ContestTab", "DuelTab", "RateTab", "TrustTab",
    ]  # fmt: skip
    qtbot.waitUntil(lambda: window.by_kind["contest"].state.id == "c1", timeout=LONG)
    assert window.by_kind["duel"].state.id == "h9"
    window.close()
    assert desktop.exec() == 0
    assert json.loads(used.shown.read_text()) == {**SHOWN, "tab": TABS[asked - 1]}
