"""Shared widgets: sizes, stages, pieces that flow and grow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from widget_makers import line, marked_text

from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.widgets.base import settle
from jokejudge_gui.ui.widgets.cards import Banner
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
from jokejudge_gui.ui.widgets.fields import SearchField, TextEditor
from jokejudge_gui.ui.widgets.line import ProgressLine
from jokejudge_gui.ui.widgets.text import Chip, Heading, Paragraph

pytestmark = pytest.mark.usefixtures("scale")

MAKERS: dict[str, Callable[[], QWidget]] = {
    "primary": lambda: PrimaryButton("Rate"),
    "secondary": lambda: SecondaryButton("Duel with..."),
    "ghost": lambda: GhostButton("Copy", "copy"),
    "link": lambda: LinkButton("Try an example"),
    "icon": lambda: IconButton("star", "Star", checkable=True),
    "filter": lambda: FilterChip("Starred"),
    "status": lambda: StatusButton("SmolLM2-1.7B", "1.1 GB · offline", "good_fill"),
    "segmented": lambda: Segmented([("rate", "Rate"), ("duel", "Duel")], "View"),
    "search": SearchField,
    "editor": lambda: TextEditor("Type or paste a joke"),
    "chip": lambda: Chip("Geometry"),
    "banner": lambda: Banner("warning", "This model doesn't separate jokes on 5 of 7 factors.", "Choose model"),
    "line": line,
    "marked": marked_text,
    "progress": lambda: ProgressLine("Scores"),
    "paragraph": lambda: Paragraph("Nothing is sent anywhere."),
    "heading": lambda: Heading("Is it funny?", 1),
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def widget(request: pytest.FixtureRequest, qtbot) -> QWidget:
    made = request.param()
    qtbot.addWidget(made)
    theme.theme().dress_window(made)
    return made


def test_every_widget_fits_in_a_column_and_paints(widget: QWidget, scale: float) -> None:
    column = round(356 * scale)
    assert widget.minimumSizeHint().width() <= column
    widget.resize(column, max(widget.sizeHint().height(), 1))
    widget.show()
    settle()
    assert widget.width() <= column or widget.sizePolicy().horizontalPolicy().name == "Fixed"
    assert not widget.grab().isNull()


def test_every_widget_has_a_name_in_words(widget: QWidget) -> None:
    name = widget.accessibleName() or (widget.text() if isinstance(widget, QPushButton) else "")
    assert name.strip()


def test_only_what_acts_takes_the_keyboard(widget: QWidget) -> None:
    acts = isinstance(widget, QPushButton | SearchField | TextEditor)
    assert (widget.focusPolicy() != Qt.FocusPolicy.NoFocus) == acts
