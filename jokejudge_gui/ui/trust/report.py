"""Pages of words as one text that can be selected, read with the keyboard and copied; and a dialog that shows one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from ...core.pages import Page, html_section
from ..look.theme import px, theme
from ..widgets.base import Themed
from ..widgets.dialog import Dialog
from ..widgets.layout import ColumnScroll

_APOSTROPHE = re.compile(r"(?<=\w)&#39;(?=\w)")
_FOLDED = re.compile("</?details[^>]*>")
"""Tags that Qt doesn't know."""


class ReportView(Themed, QTextBrowser):
    """Pages below each other, as high as they are; hidden without any."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.pages: tuple[Page, ...] = ()
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setProperty("ring", False)
        self.document().setDocumentMargin(0)
        self.hide()
        self.follow_theme()

    def show_pages(self, pages: Sequence[Page]) -> None:
        """Show these pages in place of others."""
        if tuple(pages) != self.pages:
            self.pages = tuple(pages)
            self.restyle()
        self.setVisible(bool(pages))

    def restyle(self) -> None:
        tokens = theme().tokens
        self.document().setDefaultFont(theme().font(14))
        self.document().setDefaultStyleSheet(
            f".head {{ font-size: {px(15)}px; font-weight: 600; color: {tokens.text}; margin-top: {px(14)}px; }}"
            f"h3 {{ font-size: {px(13)}px; font-weight: 600; color: {tokens.text}; }}"
            f"p, summary {{ color: {tokens.text2}; margin: {px(3)}px 0; }}"
            f".name {{ font-weight: 600; color: {tokens.text}; }} .beside, .quiet, .small {{ color: {tokens.text3}; }}"
            f"p.small, p.quiet {{ font-size: {px(12)}px; }} p.banner {{ color: {tokens.mid_text}; }}"
            f"td, th {{ padding: {px(3)}px {px(18)}px {px(3)}px 0; color: {tokens.text2}; }}"
            f"th {{ text-align: left; font-weight: 400; color: {tokens.text3}; font-size: {px(12)}px; }}"
            f"td.pass {{ color: {tokens.good_text}; }} td.fail {{ color: {tokens.bad_text}; }}"
        )
        text = _APOSTROPHE.sub("’", "".join(map(html_section, self.pages)))
        text = text.replace("<summary>", "<p>").replace("</summary>", "</p>").replace("</span>", "</span> ")
        text = text.replace("<h2>", '<p class="head">').replace("</h2>", "</p>")
        self.setHtml(_FOLDED.sub("", text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(math.ceil(self.document().size().height()) + 2)

    def text(self) -> str:
        """Return everything as plain lines, with straight apostrophes."""
        return self.toPlainText().replace("’", "'")


class PageDialog(Dialog):
    """Shows a stored verdict whose kind has no tab."""

    def __init__(self, page: Page, parent: QWidget | None) -> None:
        super().__init__(page.headline or "Verdict", parent, (760, 620))
        self.view = ReportView(page.headline)
        self.view.show_pages([page])
        column = ColumnScroll()
        column.add(self.view)
        self.body.add((column, 1))
        self.close_button = self.add_foot("Done")
