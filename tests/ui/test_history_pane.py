"""The history pane: list, search, filters, and what is done with rows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import canned
import canned_profile
import pytest
from colours import contrast
from driving import Open, keep
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.query import HistoryQuery, HistoryRow
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.changes import Changes
from jokejudge_gui.ui.history.dialogs import NoteDialog, export_verdicts
from jokejudge_gui.ui.history.pane import HistoryPane
from jokejudge_gui.ui.history.view import (
    PAGE,
    HistoryModel,
    ItemRole,
    badge_colours,
    row_badge,
    row_meta,
    row_title,
    row_words,
)
from jokejudge_gui.ui.look.wording import day_name

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def store(profile: Profile) -> Iterator[HistoryStore]:
    canned_profile.fill_history(profile)
    made = HistoryStore(profile.database, KINDS)
    yield made
    made.close()


@pytest.fixture
def pane(qtbot: QtBot, store: HistoryStore) -> Iterator[HistoryPane]:
    changes = Changes()
    made = HistoryPane(store, changes)
    changes.setParent(made)  # as in the window; Python would destroy it after the changes in it
    qtbot.addWidget(made)
    made.resize(276, 900)
    made.show()
    yield made
    made.stop_watching()


def titles(pane: HistoryPane) -> list[str]:
    return [row.id for row in pane.model.rows()]


def row_of(pane: HistoryPane, identity: str) -> HistoryRow:
    return next(row for row in pane.model.rows() if row.id == identity)


def days(model: HistoryModel) -> list[str]:
    items = [model.index(n).data(ItemRole) for n in range(model.rowCount())]
    return [item for item in items if isinstance(item, str)]


def test_verdicts_are_listed_newest_first_under_their_days(pane: HistoryPane) -> None:
    assert titles(pane) == [f"h{n}" for n in range(10, 0, -1)]
    newest = pane.model.rows()[0].created.astimezone().date()
    assert pane.model.index(0).data(ItemRole) == day_name(newest, datetime.now().astimezone().date())
    assert len(days(pane.model)) >= 3
    assert pane.model.flags(pane.model.index(0)) == Qt.ItemFlag.NoItemFlags


def test_search_waits_for_a_pause_and_then_lists_what_fits(pane: HistoryPane, qtbot: QtBot) -> None:
    qtbot.keyClicks(pane.search, "chick")
    assert len(titles(pane)) == 10
    qtbot.waitUntil(lambda: titles(pane) == ["h6"])
    pane.search.setText("nothing like it")
    qtbot.waitUntil(lambda: titles(pane) == [])
    assert pane.empty_title.text() == "Nothing found"
    assert pane.search.isEnabled()
    failures: list[object] = []
    pane.failed.connect(failures.append)
    for text in ('"', "AND OR NOT", "a*", "(", "'; DROP TABLE verdicts;--", "%", "😀"):
        pane.search.setText(text)
        qtbot.waitUntil(lambda text=text: pane.model.query.text == text)
    assert failures == []
    pane.search.clear()
    qtbot.waitUntil(lambda: len(titles(pane)) == 10)


def test_one_menu_and_the_star_narrow_the_list(pane: HistoryPane) -> None:
    assert pane.kind_menu.options[:4] == ("All", "Rate", "Duel", "Contest")
    pane.kind_menu.choose(pane.kind_menu.options.index("Duel"))
    assert titles(pane) == ["h9", "h4"]
    pane.kind_menu.choose(0)
    assert len(titles(pane)) == 10
    pane.kind_menu.choose(pane.kind_menu.options.index("Rate"))
    pane.star_chip.click()
    assert titles(pane) == ["h8", "h3"]


def test_all_versions_of_a_joke_have_one_row_that_opens_the_newest(pane: HistoryPane, store: HistoryStore) -> None:
    for number, text in enumerate(("My dog used to chase people on a bike.", f"{canned.DOG} Really.", canned.DOG)):
        canned_profile.record(store, canned.plain_reading(f"v{number}", text, 50.0))
    pane.refresh()
    assert titles(pane)[:2] == ["v2", "h10"]
    assert "h8" not in titles(pane)
    row = pane.model.rows()[0]
    earlier = pane.model.earlier("v2")
    assert {each.id for each in earlier} >= {"v1", "h8"}
    versions = pane.model.versions("v2")
    assert versions == len({row.text_a, *(each.text_a for each in earlier)}) < 1 + len(earlier)
    assert row_badge(row, versions)[0] == str(versions)
    assert f"{versions} versions" in str(pane.model.index_of("h8").data(Qt.ItemDataRole.AccessibleTextRole))
    pane.delete_rows([row])
    assert titles(pane)[0] == "h10"
    assert pane._changes.undoText() == f"Deleted {1 + len(earlier)} verdicts"
    pane._changes.undo()
    assert titles(pane)[0] == "v2"


def test_a_click_and_enter_open_a_verdict(pane: HistoryPane, qtbot: QtBot) -> None:
    opened: list[str] = []
    pane.opened.connect(lambda row: opened.append(row.id))
    index = pane.model.index_of("h8")
    qtbot.mouseClick(
        pane.view.viewport(), Qt.MouseButton.LeftButton, pos=pane.view.visualRect(index).center() - QPoint(40, 0)
    )
    assert opened == ["h8"]
    pane.view.setFocus()
    qtbot.keyClick(pane.view, Qt.Key.Key_Down)
    qtbot.keyClick(pane.view, Qt.Key.Key_Return)
    assert opened == ["h8", "h7"]


def test_the_star_is_toggled_by_key_without_opening(pane: HistoryPane, qtbot: QtBot) -> None:
    asked: list[str] = []
    pane.star_asked.connect(lambda row: asked.append(row.id))
    pane.opened.connect(lambda _row: pytest.fail("opened"))
    pane.select("h10")
    pane.view.setFocus()
    qtbot.keyClick(pane.view, Qt.Key.Key_S)
    assert asked == ["h10"]


def test_the_selection_stays_on_the_row_acted_on(open_window: Open, qtbot: QtBot, profile: Profile) -> None:
    canned_profile.fill_history(profile)
    window = open_window(start=False)
    pane, store = window.pane, window.session.store
    window.open_verdict("h10")
    assert pane.view.selected_ids() == ["h10"]
    pane.view.setFocus()
    for _ in range(4):
        qtbot.keyClick(pane.view, Qt.Key.Key_Down)
    assert pane.view.selected_ids() == ["h6"]
    qtbot.keyClick(pane.view, Qt.Key.Key_S)
    assert store.row("h6").starred
    pane.set_progress(pane.view.selected_rows(), "done")
    pane.refresh()
    assert pane.view.selected_ids() == ["h6"]
    qtbot.keyClick(pane.view, Qt.Key.Key_Delete)
    assert (store.listed(["h6", "h10"])) == {"h10"}
    assert pane.view.selected_ids() == ["h5"]
    qtbot.keyClick(pane.view, Qt.Key.Key_Up)
    assert pane.view.selected_ids() == ["h7"]
    window.open_verdict("h9")
    assert pane.view.selected_ids() == ["h9"]


def test_down_and_enter_lead_from_the_search_to_the_list(pane: HistoryPane, qtbot: QtBot) -> None:
    opened: list[str] = []
    pane.opened.connect(lambda row: opened.append(row.id))
    pane.activateWindow()
    pane.search.setFocus()
    qtbot.waitUntil(pane.search.hasFocus)
    qtbot.keyClick(pane.search, Qt.Key.Key_Down)
    assert pane.view.hasFocus()
    assert pane.view.selected_ids() == ["h10"]
    pane.search.setFocus()
    qtbot.keyClicks(pane.search, "chick")
    qtbot.keyClick(pane.search, Qt.Key.Key_Return)
    assert opened == ["h6"]


def test_verdicts_are_deleted_by_the_key_and_brought_back(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.select("h10")
    pane.view.setFocus()
    qtbot.keyClick(pane.view, Qt.Key.Key_Delete)
    assert "h10" not in titles(pane)
    changes = pane._changes
    changes.undo()
    assert "h10" in titles(pane)
    pane.view.selectAll()
    pane.delete_rows(pane.view.selected_rows())
    assert changes.undoText() == "Deleted 10 verdicts"
    assert pane.empty_title.text() == "No verdicts yet"
    changes.undo()
    assert len(titles(pane)) == 10


def test_the_menu_offers_what_a_row_can(pane: HistoryPane) -> None:
    words = [action.text() for action in pane.build_menu([row_of(pane, "h8")]).actions() if action.text()]
    assert words == [
        "Open", "Run again", "Remove star", "Duel with…", "Copy joke", "Title, tags and note…", "Status", "Export…",
        "Export everything listed…", "Delete",
    ]  # fmt: skip
    words = [action.text() for action in pane.build_menu(pane.model.rows()[:2]).actions() if action.text()]
    assert words == [
        "Rank these 2 jokes",
        "Make a set of these 2 jokes",
        "Status",
        "Export 2 verdicts…",
        "Export everything listed…",
        "Delete 2 verdicts",
    ]

    menu = pane.build_menu([row_of(pane, "h9")])
    next(action for action in menu.actions() if action.text() == "Copy jokes").trigger()
    assert QGuiApplication.clipboard().text() == f"{canned.PARALLEL}\n\n{canned.GRAVITY}"


def test_what_another_process_writes_appears(pane: HistoryPane, profile: Profile, qtbot: QtBot) -> None:
    other = HistoryStore(profile.database, KINDS)
    canned_profile.record(other, canned.rating("other", "From the terminal."))
    other.close()
    qtbot.waitUntil(lambda: titles(pane)[0] == "other", timeout=10_000)


def test_pages_are_read_as_they_are_needed_and_no_row_twice(qtbot: QtBot, profile: Profile) -> None:
    moment, chance = [datetime(2025, 1, 1, tzinfo=UTC)], random.Random(1)
    store = HistoryStore(profile.database, KINDS, clock=lambda: moment[0])
    for number in range(2 * PAGE + 50):
        moment[0] += timedelta(hours=1)
        text = " ".join("".join(chance.choices("abcdefghiklmnoprstuvw", k=8)) for _ in range(6))
        canned_profile.record(store, canned.rating(f"v{number}", text))
    model = HistoryModel(store)
    model.set_query(HistoryQuery())
    assert model.loaded == PAGE
    # A verdict recorded between two pages moves nothing.
    canned_profile.record(store, canned.rating("late", "Later"))
    while model.canFetchMore():
        model.fetchMore()
    ids = [row.id for row in model.rows()]
    assert ids == [f"v{n}" for n in range(2 * PAGE + 49, -1, -1)]
    assert len(days(model)) == len(set(days(model)))
    store.close()


@pytest.mark.parametrize(
    ("status", "word", "badge"),
    [
        (Status.FAILED, "failed", "!"),
        (Status.CANCELLED, "stopped", ""),
        (Status.INTERRUPTED, "interrupted", ""),
        (Status.RUNNING, "running", "…"),
    ],
)
def test_what_did_not_finish_is_marked_in_words_and_sign(status: Status, word: str, badge: str) -> None:
    row = canned.entry(canned.rating(), status).row
    assert row_meta(row).endswith(f"Rate · {word}")
    assert row_badge(row)[0] == badge
    assert word in row_words(row)


def test_a_row_shows_the_headline_of_its_verdict_and_the_line_that_a_search_hit(
    pane: HistoryPane, store: HistoryStore
) -> None:
    row = canned.entry(canned.rating()).row
    assert row_meta(row).endswith("· 3.4 of 5, as the model scores it")
    assert row_words(row).count("3.4 of 5") == 1
    text = "The beginning of a joke says nothing of what it comes to in the end, which is a zebra."
    canned_profile.record(store, canned.plain_reading("z1", text, 50.0))
    pane.search.setText("zebra")
    pane._find_now()
    assert pane.model.index_of("z1").data() == "… comes to in the end, which is a zebra."
    pane.search.setText("beginning")
    pane._find_now()
    assert pane.model.index_of("z1").data() == text


def test_rows_are_said_in_words() -> None:
    assert row_words(canned.entry(canned.rating()).row).startswith(f"{canned.PARALLEL}, 3.4 of 5, ")
    duel = canned.entry(canned.duel(), starred=True).row
    assert row_words(duel).startswith("Parallel lines… vs I’m reading")
    assert "A, probably (79 in 100)" in row_words(duel)
    assert row_words(duel).endswith("starred")
    drafts = canned.duel(text_a="I was told to go, so I went home.", text_b="I was told to go, so I went out!")
    assert row_title(canned.entry(drafts).row) == "I was told to… vs I was told to go, so I went out!"


def test_a_duel_of_the_same_two_is_the_same_row(pane: HistoryPane, store: HistoryStore) -> None:
    first = canned.duel("d1", text_a="One of two.", text_b="The other one.")
    canned_profile.record(store, first)
    canned_profile.record(store, canned.duel("d2", text_a=first.text_b, text_b=first.text_a))
    pane.refresh()
    assert [id for id in titles(pane) if id.startswith("d")] == ["d2"]
    assert pane.model.versions("d2") == 1
    assert pane.model.index_of("d1") == pane.model.index_of("d2")


def test_an_export_writes_what_was_chosen_or_listed(store: HistoryStore, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    assert export_verdicts(store, ["h8", "h9"], None, target) == f"Exported 2 verdicts to {target}."
    lines = target.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["h8", "h9"]
    done = export_verdicts(store, [], HistoryQuery(kinds=("duel",)), tmp_path / "out.csv")
    assert done.startswith("Exported 2 verdicts to ")


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
@pytest.mark.parametrize("field", ["editor", "tags_field"])
def test_ctrl_enter_saves_a_note_and_enter_does_in_the_tags(qtbot: QtBot, key: Qt.Key, field: str) -> None:
    dialog = NoteDialog("", ("a",))
    keep(qtbot, dialog)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    dialog.tags_field.setText("a, B,  b,two  words, ")
    if field == "editor":
        qtbot.keyClick(dialog.editor, key)
        assert dialog.isVisible()
    saved: list[tuple[str, tuple[str, ...]]] = []
    dialog.accepted.connect(lambda: saved.append((dialog.note, dialog.tags)))
    control = Qt.KeyboardModifier.ControlModifier if field == "editor" else Qt.KeyboardModifier.NoModifier
    qtbot.keyClick(getattr(dialog, field), key, control)
    assert saved == [("\n" if field == "editor" else "", ("a", "B", "two words"))]


def test_a_badge_is_the_own_vote_else_the_number_of_versions_else_the_judges_word() -> None:
    rating, duel = canned.entry(canned.read_rating()).row, canned.entry(canned.duel()).row
    for row, vote, words in ((rating, "up", "funny to you"), (duel, "B", "you chose B")):
        voted = row.replaced(vote=vote)
        assert row_badge(voted, 3).words == words
        assert row_badge(row, 3).text == "3"
        assert words in row_words(voted)
    even = canned.duel(winner="tie", p_a=0.5)
    assert [row_badge(row).text for row in (rating, duel, canned.entry(even).row)] == ["", "A", ""]
    assert all(contrast(*badge_colours(look)) >= 4.5 for look in ("plain", "vote", "bad", "A", "B"))


def test_the_star_is_set_by_click_and_by_key_without_opening(pane: HistoryPane, qtbot: QtBot) -> None:
    asked: list[str] = []
    pane.star_asked.connect(lambda row: asked.append(row.id))
    pane.opened.connect(lambda _row: pytest.fail("opened"))
    rect = pane.view.visualRect(pane.model.index_of("h10"))
    qtbot.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.right() - 12, rect.y() + 33))
    pane.select("h10")
    pane.view.setFocus()
    qtbot.keyClick(pane.view, Qt.Key.Key_S)
    assert asked == ["h10", "h10"]


def test_the_stored_vote_comes_with_its_row(store: HistoryStore, pane: HistoryPane) -> None:
    result = store.get("h10").result
    score = KINDS["rate"].vote_score(result)
    store.votes.add(
        verdict_id="h10", kind="rate", choice="down", blind=False, vote_score=score, model=result.model,
        prompt_version="", criteria_version="", subjects=(),
    )  # fmt: skip
    pane.refresh()
    assert row_badge(row_of(pane, "h10")).words == "not funny to you"


def test_a_status_is_set_filtered_by_and_undone(pane: HistoryPane) -> None:
    pane.set_progress([row_of(pane, "h10"), row_of(pane, "h9")], "draft")
    pane.set_progress([row_of(pane, "h10")], "tested")
    assert row_of(pane, "h10").progress == "tested"
    assert "· tested" in row_meta(row_of(pane, "h10"))
    assert pane.tag_menu.options[:5] == ("Any tag", "Idea", "Draft", "Tested", "Done")
    pane.tag_menu.choose(2)
    assert titles(pane) == ["h9"]
    pane.tag_menu.choose(3)
    assert titles(pane) == ["h10"]
    pane._changes.undo()
    assert titles(pane) == []
    assert pane.empty_title.text() == "Nothing found"
    pane.tag_menu.choose(2)
    assert titles(pane) == ["h10", "h9"]


def test_a_title_takes_the_jokes_place_and_is_searched(pane: HistoryPane, store: HistoryStore, qtbot: QtBot) -> None:
    dialog = NoteDialog("# The opener\nKeep it short.", ("tested", "club"))
    qtbot.addWidget(dialog)
    assert (dialog.title_field.text(), dialog.editor.toPlainText()) == ("The opener", "Keep it short.")
    assert (dialog.progress.current(), dialog.tags_field.text()) == ("tested", "club")
    dialog.title_field.setText("The closer")
    dialog.progress.set_current("done")
    store.set_note("h10", dialog.note)
    store.set_tags("h10", dialog.tags)
    pane.refresh()
    assert row_title(row_of(pane, "h10")) == "The closer"
    assert row_of(pane, "h10").tags == ("done", "club")
    pane.search.setText("closer")
    qtbot.waitUntil(lambda: titles(pane) == ["h10"])


def test_a_new_version_inherits_title_status_and_tags(pane: HistoryPane, store: HistoryStore) -> None:
    store.set_tags("h8", ["draft", "club"])
    store.set_note("h8", "# Dog")
    canned_profile.record(store, canned.plain_reading("v1", f"{canned.DOG} Really.", 50.0))
    pane.refresh()
    pane.inherit("v1")
    assert (row_of(pane, "v1").tags, row_of(pane, "v1").title) == (("draft", "club"), "Dog")


def test_the_order_can_be_changed_and_days_stand_only_above_times(pane: HistoryPane) -> None:
    pane.sort_menu.choose(1)
    assert titles(pane)[0] == "h1"
    pane.sort_menu.choose(2)
    assert days(pane.model) == []
    assert len(titles(pane)) == 10
