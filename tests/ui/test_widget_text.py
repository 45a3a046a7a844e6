"""Text in widgets is plain, whatever it looks like; it wraps, flows and has the height that it needs."""

from __future__ import annotations

import pytest
from widget_makers import LONG

from jokejudge_gui.ui.widgets.base import plain_tooltip, settle
from jokejudge_gui.ui.widgets.layout import Flow
from jokejudge_gui.ui.widgets.text import Chip, Paragraph

pytestmark = pytest.mark.usefixtures("scale")

HOSTILE = "<b>bold</b> &amp; <img src=x> {b} %s\n<h1>big</h1>"


def test_paragraph_shows_html_as_it_is_typed(qtbot) -> None:
    shown = Paragraph([(HOSTILE, "normal"), (HOSTILE, "muted")])
    qtbot.addWidget(shown)
    assert shown.text() == HOSTILE * 2
    assert shown.accessibleName() == HOSTILE * 2
    plain, marked = Paragraph("bold"), Paragraph("<b>bold</b>")
    qtbot.addWidget(plain)
    qtbot.addWidget(marked)
    assert marked.sizeHint().width() > plain.sizeHint().width()


def test_tooltips_show_html_as_it_is_typed() -> None:
    assert plain_tooltip("a <b> & c\nd") == "<qt>a &lt;b&gt; &amp; c<br>d</qt>"


@pytest.mark.parametrize("text", ["", "x" * 20_000, "word " * 3000, "😂" * 500, "one\n\ntwo\r\nthree", HOSTILE])
def test_paragraph_fixes_its_height_to_its_width(text: str, scale: float, qtbot) -> None:
    shown = Paragraph(text)
    qtbot.addWidget(shown)
    shown.resize(400, 10)
    shown.show()
    settle()
    wide = shown.height()
    shown.resize(200, shown.height())
    settle()
    assert shown.height() >= wide
    assert shown.minimumHeight() == shown.maximumHeight() == shown.height()
    assert not shown.grab().isNull()


def test_flow_wraps_and_replaces(scale: float, qtbot) -> None:
    flow = Flow()
    qtbot.addWidget(flow)
    flow.resize(round(90 * scale), 10)
    flow.show()
    flow.set_items([Chip(word) for word in ("Wordplay", "Surprise", "Clarity")])
    settle()
    assert flow.height() == round(24 * scale) * 3 + round(6 * scale) * 2
    flow.set_items([Chip(LONG)])
    settle()
    assert flow.height() == round(24 * scale)
    assert flow.items()[0].width() <= flow.width()
    flow.set_items([])
    assert flow.height() == 0
