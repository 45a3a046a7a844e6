"""States of Trust's card for judge templates, with which other judges are judged."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtTest import QTest

from jokejudge_gui.ui.main_window import MainWindow
from tests.template_engine import row

from .trust import go, trust_all


def templates(window: MainWindow) -> None:
    """Rows judged."""
    trust_all(window)
    made = [row(id=f"row-{n}") for n in range(4)]
    made += [row(id="wrong", output=["Trailfox", "shop", "gear"]), row(id="stray", module="M99")]
    path = Path(tempfile.mkdtemp()) / "outputs.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in made))
    card = window.trust_tab.templates
    card.choose(path)
    while card.run.phase != "ready":
        QTest.qWait(10)
    card.run.start()
    while not card.table.tables:
        QTest.qWait(10)
    go(window, "Judge templates")


def templates_ready(window: MainWindow) -> None:
    trust_all(window)
    go(window, "Judge templates")


STATES: dict[str, Callable[[MainWindow], object]] = {
    "templates_ready": templates_ready,
    "templates_judged": templates,
}  # fmt: skip
