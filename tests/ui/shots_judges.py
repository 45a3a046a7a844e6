"""States of the window in which several models judge, or other judges are judged, for shots.py."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import canned
from PySide6.QtTest import QTest

from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.rubric.templates import find_pack
from jokejudge_gui.ui.frame.main_window import MainWindow
from jokejudge_gui.ui.library.panels_card import PanelsCard
from jokejudge_gui.verdicts import Dissent, ModelRef, PanelFindings, PanelMember

FOUND = (
    FoundModel(Path("/models/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"), "Qwen2.5 Coder 0.5B Instruct Q4_K_M", "Jan", 1),
    FoundModel(Path("/models/llama-3.2-3b-instruct-q4_k_m.gguf"), "Llama 3.2 3B Instruct Q4_K_M", "LM Studio", 1),
    FoundModel(
        Path("/models/long.gguf"),
        "A model whose maker gave it a name that goes on for much longer than it has to",
        "",
        1,
    ),
)
PANEL = PanelFindings(
    name="Friday jury",
    members=(
        PanelMember(
            model=ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256="a"), worth=0.66, weight=0.41,
            headline="Funnier than 71 of 100 jokes",
        ),
        PanelMember(
            model=ModelRef(name="Qwen2.5 Coder 0.5B Instruct Q4_K_M", sha256="b"), worth=0.69, weight=0.59,
            headline="Funnier than 84 of 100 jokes",
        ),
        PanelMember(model=ModelRef(name="Llama 3.2 3B Instruct", sha256="c"), headline="Funnier than 40 of 100 jokes"),
    ),
    votes=1.4, correlation=0.72, measured=True,
    dissent=(
        Dissent(voice="audience", finding="Its audience puts it in the upper third of jokes", agree=2, of=3),
        Dissent(voice="editor", finding="Its kind is Pun", agree=3, of=3),
    ),
)  # fmt: skip


def panels(window: MainWindow) -> PanelsCard:
    """The library with two panels, one of them in use."""
    window.settings.panels = {
        "Friday jury": ["embedded", str(FOUND[0].path), str(FOUND[1].path)],
        "Quick pair": ["embedded", str(FOUND[0].path)],
    }
    window.settings.model = "Quick pair"
    window.models.open_library()
    dialog = window.models.dialog
    assert dialog is not None
    while window.side_worker.busy:
        QTest.qWait(10)
    dialog._show_found(FOUND)
    QTest.qWait(1)
    dialog.column.ensureWidgetVisible(dialog.panels)
    return dialog.panels


def panel_changed(window: MainWindow) -> None:
    """A panel being changed, with something wrong said of it."""
    card = panels(window)
    card.edit("Friday jury")
    assert card.dialog is not None
    card.dialog.chips[-1].setChecked(True)
    card.dialog.say("There is a panel “Quick pair” already. Give this one another name.")


def templates(window: MainWindow) -> None:
    """Rows judged, the browser at one that failed."""
    window.show_tab("trust")
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
    QTest.qWait(100)
    column = window.trust_tab.right if window.trust_tab.right.isVisible() else window.trust_tab.left
    column.verticalScrollBar().setValue(column.verticalScrollBar().maximum())


def templates_ready(window: MainWindow) -> None:
    window.show_tab("trust")
    QTest.qWait(100)
    window.trust_tab.right.verticalScrollBar().setValue(window.trust_tab.right.verticalScrollBar().maximum())


def templates_stages(window: MainWindow) -> None:
    window.show_tab("trust")
    window.trust_tab.templates.pack.choose(1)
    QTest.qWait(100)
    window.trust_tab.right.verticalScrollBar().setValue(window.trust_tab.right.verticalScrollBar().maximum())


def rate_panel(window: MainWindow) -> None:
    tab = window.by_kind["rate"]
    tab.open(canned.entry(canned.read_rating(panel=PANEL)))
    QTest.qWait(150)
    tab.right.ensureWidgetVisible(tab.panel)


STATES: dict[str, Callable[[MainWindow], object]] = {
    "library_panels": panels,
    "library_panel_changed": panel_changed,
    "templates_ready": templates_ready,
    "templates_stages": templates_stages,
    "templates_judged": templates,
    "rate_panel": rate_panel,
}
