"""Pages of words (``core.pages``), as one text that can be selected, read with the keyboard and copied; and a dialog
that shows one."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QWidget

from ...core.pages import SIGNS, Page, html_section
from ..look.theme import font, px, theme
from .dialog import Dialog
from .layout import ColumnScroll
from .text import FittedText

_DETAILS = "Details"
_SENTENCE = re.compile(
    r'<li(?: class="(\w*)")?>(<span dir="auto">.*?</span>)(?: <span class="room">(.*?)</span>)?'
    r'(?: <span class="beside">(.*?)</span>)?</li>',
    re.DOTALL,
)
_FOR_QT = (
    (re.compile(r"(?<=\w)&#39;(?=\w)"), "’"),
    (re.compile(r'<span class="name">([^<]*)</span>(?=<span dir="auto">[^<])'), r'<span class="name">\1:</span> '),
    (re.compile(r'<svg[^>]*aria-label="([^"]*)".*?</svg>', re.DOTALL), r' <span class="beside">\1</span>'),
    (re.compile(r'<details class="([^"]*)"(?: open)?><summary>(.*?)</summary>'), r'<p class="\1">\2</p><blockquote>'),
    (re.compile("</details>"), "</blockquote>"),
    (re.compile("<h2>(.*?)</h2>", re.DOTALL), r'<p class="head">\1</p>'),
    (re.compile('<ol class="bit">(.*?)</ol>', re.DOTALL), r'<table width="100%" cellspacing="0">\1</table>'),
)
"""What Qt's text doesn't know of HTML and style sheets, and what stands for it."""


class PageView(FittedText):
    """Pages below each other, as high as they are; hidden without any. ``fold``: a link opens the quiet rows."""

    def __init__(self, name: str, *, fold: bool = False) -> None:
        super().__init__()
        self.pages: tuple[Page, ...] = ()
        self._fold = fold
        self._opened = False
        self.setAccessibleName(name)
        self.setProperty("ring", False)
        self.anchorClicked.connect(self._turn)
        self.hide()
        self.follow_theme()

    def show_pages(self, *pages: Page) -> None:
        """Show these pages in place of others."""
        if pages != self.pages:
            self.pages = pages
            self._opened = False
            self.restyle()
        self.setVisible(bool(pages))

    def restyle(self) -> None:
        t = theme().tokens
        self.document().setDefaultFont(font(14))
        self.document().setDefaultStyleSheet(
            f".head {{ font-size: {px(15)}px; font-weight: 600; color: {t.text}; margin-top: {px(14)}px; }}"
            f"h3 {{ font-size: {px(13)}px; font-weight: 600; color: {t.text}; }}"
            f"p {{ color: {t.text2}; margin: {px(3)}px 0; }}"
            f"a {{ color: {t.text2}; text-decoration: none; }}"
            f".name {{ font-weight: 600; color: {t.text}; }} .beside, .quiet, .small {{ color: {t.text3}; }}"
            f"p.small, p.quiet {{ font-size: {px(13)}px; }} p.banner {{ color: {t.mid_text}; }}"
            f"td, th {{ padding: {px(3)}px {px(18)}px {px(3)}px 0; color: {t.text2}; }}"
            f"th {{ text-align: left; font-weight: 400; color: {t.text3}; font-size: {px(12)}px; }}"
            f"td.pass {{ color: {t.good_text}; }} td.fail {{ color: {t.bad_text}; }}"
            f".sign {{ color: {t.accent}; }} blockquote {{ margin: 0 0 0 {px(14)}px; }}"
            f"td.said {{ color: {t.text}; font-size: {px(15)}px; }}"
            f"td.beside {{ color: {t.text3}; font-size: {px(12)}px; padding-right: {px(8)}px; }}"
        )
        html, links = "", False
        for page in self.pages:
            quiet = tuple(row for row in page.rows if row.quiet and self._fold)
            html += html_section(replace(page, rows=tuple(row for row in page.rows if row not in quiet)))
            if quiet:
                links, sign = True, "▾" if self._opened else "▸"
                html += f'<p><a href="#"><span class="sign">{sign}</span> {_DETAILS}</a></p>'
                html += f"<blockquote>{html_section(Page('', rows=quiet))}</blockquote>" if self._opened else ""
        for pattern, other in _FOR_QT:
            html = pattern.sub(other, html)
        self.setHtml(_SENTENCE.sub(_sentence, html))
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextBrowserInteraction if links else flags.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        self.fit()

    def _turn(self, _link: QUrl) -> None:
        """Show or hide the details; their link keeps the focus."""
        self._opened = not self._opened
        self.restyle()
        if not self.underMouse():
            self.focusNextPrevChild(True)

    def text(self) -> str:
        """Return everything that is shown as plain lines, with straight apostrophes."""
        return self.toPlainText().replace("’", "'")


def _sentence(item: re.Match[str]) -> str:
    """Return a sentence of a longer text as the row of a table: its marks, its words, and what is said of it."""
    mark, words, room, beside = item.groups("")
    signs, ground = f"{SIGNS.get(mark, '')}{room}", theme().tokens.sunken if mark == "flat" else "transparent"
    sign = f'<td class="sign" width="{px(24)}">{signs}</td>'
    return f'<tr bgcolor="{ground}">{sign}<td class="said">{words}</td><td class="beside">{beside}</td></tr>'


class PageDialog(Dialog):
    """Shows a page."""

    def __init__(self, page: Page, parent: QWidget | None, title: str = "", size: tuple[int, int] = (760, 620)) -> None:
        super().__init__(title or page.headline or "Verdict", parent, size)
        self.view = PageView(page.headline)
        self.view.show_pages(page)
        column = ColumnScroll()
        column.add(self.view)
        self.body.add((column, 1))
        self.close_button = self.add_foot("Done")
        self.close_button.setFocus()
