"""What was typed and not judged is there again at the next start, for its owner alone."""

from __future__ import annotations

import json
import stat

import canned
import canned_profile
import pytest
from driving import Open, rate
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.paths import Profile


def stored(profile: Profile, part: str = "typed") -> object:
    return json.loads(profile.typed.read_text(encoding="utf-8"))[part]


pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def test_drafts_survive_closing_and_are_private(open_window: Open, qtbot: QtBot, profile: Profile) -> None:
    window = open_window(start=False)
    window.by_kind["rate"].joke.set_text("Half a joke\nabout \ud83d")
    window.by_kind["duel"].set_texts("", "Only B")
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=20_000)
    assert stat.S_IMODE(profile.typed.stat().st_mode) == 0o600
    again = open_window(start=False)
    assert again.by_kind["rate"].joke.text().startswith("Half a joke\nabout ")
    assert again.by_kind["duel"].texts() == ("", "Only B")


def test_what_was_judged_is_no_draft(open_window: Open, qtbot: QtBot, profile: Profile) -> None:
    window = open_window()
    window.by_kind["rate"].joke.set_text("Draft.")
    window.memory.keep()
    assert stored(profile) == {"rate": ["Draft."]}
    rate(qtbot, window, canned.PARALLEL)
    window.memory.keep()
    assert stored(profile) == {}


@pytest.mark.parametrize(
    "content",
    ["", "{", "[" * 200_000, "[1]", '{"typed": 3}', '{"typed": {"rate": [1]}}', '{"shown": [], "typed": {"rate": []}}'],
)
def test_damaged_drafts_are_passed_over(open_window: Open, profile: Profile, content: str) -> None:
    profile.data.mkdir(parents=True, exist_ok=True)
    profile.typed.write_text(content, encoding="utf-8")
    window = open_window(start=False)
    assert window.by_kind["rate"].joke.text() == ""


def test_a_full_disk_is_said_once(open_window: Open, profile: Profile) -> None:
    window = open_window(start=False)
    window.memory.keep()
    profile.typed.unlink(missing_ok=True)
    profile.typed.mkdir(parents=True)
    window.by_kind["rate"].joke.set_text("Draft.")
    window.memory.keep()
    assert window.notices.text
    window.notices.clear()
    window.memory.keep()
    assert not window.notices.text


def test_a_program_that_is_killed_loses_neither_draft_nor_verdict(
    open_window: Open, qtbot: QtBot, profile: Profile
) -> None:
    window = open_window(start=False)
    canned_profile.record(window.session.store, canned.read_rating("r1"))
    window.open_verdict("r1")
    window.by_kind["duel"].set_texts("", "Only B")
    window.show_tab("duel")
    qtbot.waitUntil(lambda: profile.typed.exists() and stored(profile) != {})  # it isn't closed
    assert stored(profile) == {"duel": ["", "Only B"]}
    assert (stored(profile, "tab"), stored(profile, "shown")) == ("duel", {"rate": "r1"})
