"""States of Trust's card for judge templates, with which other judges are judged."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtTest import QTest

from jokejudge_gui.rubric.templates import find_pack
from jokejudge_gui.ui.main_window import MainWindow

from .trust import go, trust_all


def templates(window: MainWindow) -> None:
    """Rows judged, the browser at one that failed."""
    trust_all(window)
    module = find_pack("seeds").module("M01")
    assert module is not None
    case = module.cases[0]
    base = {"module": "M01", "input": case.input, "expected": case.expected, "reasoning": case.reasoning}
    made = [{"id": f"row-{n}", "output": case.output, **base} for n in range(4)]
    made += [{"id": "wrong", "output": ["Trailfox", "shop", "gear"], **base}]
    made += [{"id": "stray", "output": ["x"], **base, "module": "M99"}]
    path = Path(tempfile.mkdtemp()) / "outputs.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in made))
    card = window.trust_tab.templates
    card.run.choose(path)
    while card.run.phase != "ready":
        QTest.qWait(10)
    card.run.start()
    while card.run.results is None:
        QTest.qWait(10)
    go(window, "Judge templates")


def templates_ready(window: MainWindow) -> None:
    trust_all(window)
    go(window, "Judge templates")


def templates_stages(window: MainWindow) -> None:
    trust_all(window)
    window.trust_tab.templates.pack.choose(1)
    go(window, "Judge templates")


STATES: dict[str, Callable[[MainWindow], object]] = {

    "templates_ready": templates_ready,
    "templates_stages": templates_stages,
    "templates_judged": templates,
}  # fmt: skip
