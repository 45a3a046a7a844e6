"""States of the Trust tab."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from jokejudge_gui.core.events import Stage, StageProgress
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow


def trust(window: MainWindow) -> None:
    list(window.session.load())
    window.trust_tab.refresh()
    window.show_tab("trust")


def trust_more(window: MainWindow) -> None:
    trust(window)
    window.trust_tab.questions.open_more("broken")


def trust_other_kind(window: MainWindow) -> None:
    trust(window)
    window.trust_tab.questions.kinds.choose(3)


def trust_unmeasured(window: MainWindow) -> None:
    window.session.settings.model = "other"
    list(window.session.load())
    window.show_tab("trust")


def trust_all(window: MainWindow) -> None:
    """With everything for researchers."""
    trust(window)
    window.trust_tab.open_researchers()


def go(window: MainWindow, widget: QWidget) -> None:
    QTest.qWait(50)
    window.trust_tab.column.ensureWidgetVisible(widget)


def trust_works(window: MainWindow) -> None:
    """What can be run with the model."""
    trust_all(window)
    go(window, window.trust_tab.fit)


def trust_running(window: MainWindow) -> None:
    trust_all(window)
    run = window.trust_tab.audit
    run._job = Job("audit", lambda _token: ())
    run.state.apply(StageProgress(stage=Stage.READING, done=120, total=300, note="reading"))
    run.draw()
    go(window, run)


def trust_damaged(window: MainWindow) -> None:
    profile = window.session.profile
    for place, suffix in ((profile.heads, "npz"), (profile.cards, "json")):
        place.mkdir()
        (place / f"{EMBEDDED_SHA256[:16]}.{suffix}").write_text("{", encoding="utf-8")
    window.trust_tab.show_model(ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256))
    window.trust_tab.refresh()
    window.show_tab("trust")


STATES: dict[str, Callable[[MainWindow], object]] = {
    "trust_card": trust,
    "trust_more": trust_more,
    "trust_other_kind": trust_other_kind,
    "trust_unmeasured": trust_unmeasured,
    "trust_all": trust_all,
    "trust_works": trust_works,
    "trust_running": trust_running,
    "trust_damaged": trust_damaged,
}  # fmt: skip
