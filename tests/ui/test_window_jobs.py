"""A job from its button to its result: shown and kept, stopped, refused."""

from __future__ import annotations

import canned
import canned_profile
import pytest
from driving import LONG, Open, held_rating, rate
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.duel.kind import DUEL

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def test_a_rated_joke_is_shown_kept_found_and_opened_again(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    rate(qtbot, window, canned.PARALLEL)
    assert window.by_kind["rate"].state.phase in ("finished", "rejected")
    rows = window.pane.model.rows()
    assert [row.text_a for row in rows] == [canned.PARALLEL]
    assert rows[0].status is Status.FINISHED
    assert window.pane.view.selected_rows() == rows
    rate(qtbot, window, canned.DOG)
    window.pane.search.setText("parallel")
    qtbot.waitUntil(lambda: len(window.pane.model.rows()) == 1)
    window.open_verdict(window.pane.model.rows()[0].id)
    assert window.by_kind["rate"].joke.text() == canned.PARALLEL
    assert window.by_kind["rate"].state.result == window.session.store.get(rows[0].id).result


def test_a_duel_is_shown_and_kept(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.stack.currentWidget() is window.by_kind["duel"]
    window.by_kind["duel"].set_texts(canned.PARALLEL, canned.GRAVITY)
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.by_kind["duel"].live
    qtbot.waitUntil(lambda: not window.by_kind["duel"].live, timeout=LONG)
    assert window.by_kind["duel"].answer.isVisible()
    row = window.pane.model.rows()[0]
    assert (row.kind, row.status) == ("duel", Status.FINISHED)


def test_escape_stops_a_rating_and_the_window_draws_on_meanwhile(open_window: Open, qtbot: QtBot) -> None:
    gate, window = held_rating(open_window, qtbot)
    assert window.pane.model.rows()[0].status is Status.RUNNING
    window.pane.toggle()
    assert window.pane.folded
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    gate.opened.set()
    qtbot.waitUntil(lambda: not window.by_kind["rate"].live, timeout=LONG)
    assert window.by_kind["rate"].state.phase == "stopped"
    assert window.pane.model.rows()[0].status is Status.CANCELLED
    assert window.by_kind["rate"].buttons.run_button.isEnabled()


def test_a_duel_waits_for_the_rating_before_it_and_can_be_withdrawn(open_window: Open, qtbot: QtBot) -> None:
    gate, window = held_rating(open_window, qtbot)
    window.show_tab("duel")
    window.by_kind["duel"].set_texts(canned.PARALLEL, canned.GRAVITY)
    window.run_current()
    qtbot.waitUntil(lambda: window.by_kind["duel"].running.words.text() == "Waiting for the model…")
    window.escape()
    gate.opened.set()
    qtbot.waitUntil(lambda: not window.by_kind["duel"].live and not window.by_kind["rate"].live, timeout=LONG)
    assert window.by_kind["duel"].state.phase == "stopped"
    assert window.by_kind["rate"].state.phase in ("finished", "rejected")
    assert [row.kind for row in window.pane.model.rows()] == ["rate"]


def test_a_rejection_can_be_rated_anyway(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    result = canned.rating(
        text="The museum opens at nine and closes at", admissible=False, rejection="it stops mid-sentence",
        admissibility=canned.checks(("completeness",)), categories=(), factors=(), mean_score=None, explanation=None,
    )  # fmt: skip
    window.by_kind["rate"].open(canned.entry(result))
    qtbot.mouseClick(window.by_kind["rate"].page.force_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.by_kind["rate"].live, timeout=LONG)
    shown = window.by_kind["rate"].result
    assert shown.forced
    assert shown.factors


@pytest.mark.parametrize("text", ["a\x00b", "😀" * 40_000])
def test_a_text_that_cannot_be_judged_is_an_error_with_a_next_step(open_window: Open, qtbot: QtBot, text: str) -> None:
    window = open_window()
    window.verdicts.ask("rate", {"text": text})
    qtbot.waitUntil(lambda: not window.by_kind["rate"].live, timeout=LONG)
    assert window.by_kind["rate"].failed.isVisible()
    assert window.by_kind["rate"].failed.text.text()
    # Nothing was recorded, so there is nothing to star or to export.
    assert not window.by_kind["rate"].bar.isVisible()
    assert window.models.state == "ready"
    rate(qtbot, window, canned.PARALLEL)
    assert window.by_kind["rate"].state.phase in ("finished", "rejected")


def test_a_duel_with_everything_asked_is_run_again_with_everything_asked(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.settings.ask_everything, window.settings.seed, window.settings.explain = True, 7, False
    window.verdicts.ask("duel", {"text_a": canned.PARALLEL, "text_b": canned.GRAVITY})
    tab = window.by_kind["duel"]
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    first = tab.result
    window.settings.ask_everything, window.settings.seed, window.settings.explain = False, 1, True
    window.verdicts.run_again(first.id)
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    again = tab.result
    assert again.id != first.id
    assert DUEL.request_of(again) == DUEL.request_of(first)
    assert (again.ask, again.seed, again.explain) == ("all", 7, False)


def test_versions_are_compared_aside_without_a_row_and_the_next_rating_stops_that(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    store, tab = window.session.store, window.by_kind["rate"]
    asked: list[object] = []
    tab.aside_asked.connect(lambda _kind, request, _take: asked.append(request))
    versions = (canned.PARALLEL, canned.PARALLEL.replace("so much", "a lot"))
    for number, text in enumerate(versions):
        canned_profile.record(store, canned.plain_reading(f"v{number}", text, 50.0))
    rows = len(store.search(HistoryQuery()))
    window.open_verdict("v1")
    assert len(asked) == 1
    qtbot.waitUntil(lambda: tab.versions.order is not None and len(tab.versions.order.pairs) == 1, timeout=LONG)
    assert all(row.chance.text() for row in tab.versions.rows)
    assert len(store.search(HistoryQuery())) == rows
    window.open_verdict("v0")
    assert len(asked) == 1  # these versions are compared


def test_versions_are_not_compared_while_no_model_is_loaded(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    for number, text in enumerate((canned.PARALLEL, canned.PARALLEL.replace("so much", "a lot"))):
        canned_profile.record(window.session.store, canned.plain_reading(f"v{number}", text, 50.0))
    window.open_verdict("v1")
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    assert window.session.judge is None
    assert window.by_kind["rate"].versions.order is None
