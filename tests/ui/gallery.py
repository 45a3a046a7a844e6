"""Every shared widget in every state, light and dark, at 100 and 150 %, as PNG files to look at.

QT_QPA_PLATFORM=offscreen python tests/ui/gallery.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget
from widget_makers import factor_rows, line, marked_text

from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.widgets.base import settle
from jokejudge_gui.ui.widgets.cards import Banner, Card
from jokejudge_gui.ui.widgets.controls import (
    FilterChip,
    GhostButton,
    IconButton,
    LinkButton,
    PrimaryButton,
    SecondaryButton,
    Segmented,
    StatusButton,
)
from jokejudge_gui.ui.widgets.duel_scale import DuelScale, OrdersPlot
from jokejudge_gui.ui.widgets.fields import SearchField, TextEditor
from jokejudge_gui.ui.widgets.focus_ring import FocusRing
from jokejudge_gui.ui.widgets.labels import Chip, ChipFlow, SideBadge
from jokejudge_gui.ui.widgets.layout import ColumnScroll
from jokejudge_gui.ui.widgets.text import Label

JOKE = "Parallel lines have so much in common.\nIt’s a shame they’ll never meet."


def controls() -> QWidget:
    page = QWidget()
    grid = QGridLayout(page)
    makers = [
        ("Primary", lambda: PrimaryButton("Rate")),
        ("Secondary", lambda: SecondaryButton("Duel with...")),
        ("Ghost", lambda: GhostButton("Copy", "copy")),
        ("Link", lambda: LinkButton("Try an example")),
        ("Icon", lambda: IconButton("star", "Star", checkable=True)),
        ("Filter", lambda: FilterChip("Starred")),
    ]
    for column, name in enumerate(("Rest", "Hover", "Pressed", "On", "Disabled"), 1):
        grid.addWidget(Label(name, 12, token="text2"), 0, column)
    for row, (name, maker) in enumerate(makers, 1):
        grid.addWidget(Label(name, 13, token="text2"), row, 0)
        for column, state in enumerate(("", "hover", "pressed", "on", "disabled"), 1):
            button = maker()
            if state == "on":
                if not button.isCheckable():
                    continue
                button.setChecked(True)
            elif state == "disabled":
                button.setEnabled(False)
            else:
                button.show_state(state)
            grid.addWidget(button, row, column)
    grid.addWidget(Segmented([("quick", "Quick"), ("deep", "Deep")], "Mode"), 7, 1, 1, 2)
    switch = Segmented([("quick", "Quick"), ("deep", "Deep")], "Mode")
    switch.setEnabled(False)
    grid.addWidget(switch, 7, 4, 1, 2)
    grid.addWidget(SearchField(), 8, 1, 1, 2)
    field = SearchField()
    field.setEnabled(False)
    grid.addWidget(field, 8, 4, 1, 2)
    flow = ChipFlow()
    flow.set_chips(chips())
    grid.addWidget(flow, 9, 1, 1, 5)
    badges = QHBoxLayout()
    badges.addWidget(SideBadge("A"))
    badges.addWidget(SideBadge("B"))
    badges.addWidget(SideBadge("A", large=True))
    badges.addWidget(SideBadge("B", large=True))
    badges.addStretch(1)
    grid.addLayout(badges, 10, 1, 1, 5)
    grid.addWidget(StatusButton("SmolLM2-1.7B", "1.1 GB · offline"), 11, 1, 1, 3)
    grid.addWidget(StatusButton("SmolLM2-1.7B", "file missing", "bad_fill", "bad_text"), 11, 4, 1, 2)
    return page


def chips() -> list[Chip]:
    return [
        Chip("passed", "intent", ".97"),
        Chip("failed", "complete", ".31"),
        Chip("chosen", "Pun", ".81"),
        Chip("outline", "Irony", ".12"),
        Chip("dashed", "Independent"),
        Chip("plain", "Clarity"),
        Chip("written", "Geometry"),
    ]


def left() -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    card = Card("Your joke", "71 characters", LinkButton("Try an example"))
    editor = TextEditor("Type or paste a joke")
    editor.setPlainText(JOKE)
    card.add(editor)
    read_only = TextEditor("Type or paste a joke")
    read_only.setPlainText(JOKE)
    read_only.setReadOnly(True)
    card.add(read_only)
    card.add(TextEditor("Type or paste a joke", lines=2))
    column.addWidget(card)
    column.addStretch(1)
    return page


def right() -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.addWidget(
        Banner("warning", "This model doesn't separate jokes on 5 of 7 factors: try a larger one.", "Choose model")
    )
    column.addWidget(
        Banner("warning", "A wins only when it comes second, so treat it as a toss-up.", "", "The two orders disagree.")
    )
    column.addWidget(Banner("error", "The file is damaged.", "Choose model"))
    column.addWidget(Banner("info", "A and B are the same joke."))
    card = Card("Rate")
    card.add(marked_text(), line(), factor_rows())
    column.addWidget(card)
    column.addStretch(1)
    return page


def duel() -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    for chance in (None, 93, 72, 50, 41, 30, 4):
        card = Card()
        scale = DuelScale()
        scale.set_chance(chance)
        card.add(scale)
        column.addWidget(card)
    row = QHBoxLayout()
    for a, b, consistent, bias in ((0.76, 0.82, True, 0.03), (0.47, 0.91, False, -0.22), (0.6, None, None, None)):
        card = Card("Both orders: p(A)", padding=18, fill=True)
        plot = OrdersPlot()
        plot.set_orders(a, b, consistent, bias)
        card.add(plot)
        row.addWidget(card)
    column.addLayout(row)
    column.addStretch(1)
    return page


def focus() -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    scroll = ColumnScroll()
    for _ in range(4):
        card = Card("A card")
        card.add(SecondaryButton("Rate anyway"))
        scroll.add(card)
    column.addWidget(scroll)
    field = SearchField()
    column.addWidget(field)
    FocusRing(page)
    return page


def main(folder: Path) -> None:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    folder.mkdir(parents=True, exist_ok=True)
    pages = [(controls, 640, 480), (left, 412, 1250), (right, 620, 1600), (duel, 1036, 1100), (focus, 400, 300)]
    for mode in ("light", "dark"):
        for scale in (1.0, 1.5):
            current = theme.install(app, mode, scale, reduced_motion=True)
            for maker, width, height in pages:
                page = maker()
                page.resize(current.px(width), current.px(height))
                page.show()
                app.processEvents()
                if maker is focus:
                    page.activateWindow()
                    page.findChildren(SecondaryButton)[0].setFocus()
                settle()
                page.grab().save(str(folder / f"{maker.__name__}_{mode}_{round(scale * 100)}.png"))
                page.close()
                page.deleteLater()
                app.processEvents()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: gallery.py FOLDER")
    main(Path(sys.argv[1]))
