"""Pages of words (``core.pages``), as one text that can be selected, read with the keyboard and copied; and a dialog
that shows one."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QWidget

from ...core.pages import SIGNS, Page, Row, html_section
from ..look.theme import font, px, theme
from .dialog import Dialog
from .layout import ColumnScroll
from .text import FittedText

_DETAILS = "Details"
_FOLD = re.compile(r"<details class=\"([^\"]*)\"( open)?><summary>(.*?)</summary>|</details>", re.DOTALL)
_SENTENCE = re.compile(
    r'<li(?: class="(\w*)")?>(<span dir="auto">.*?</span>)(?: <span class="room">(.*?)</span>)?'
    r'(?: <span class="beside">(.*?)</span>)?</li>',
    re.DOTALL,
)
_FOR_QT = (
    (re.compile(r"(?<=\w)&#39;(?=\w)"), "’"),
    (re.compile(r'<span class="name">([^<]*)</span>(?=<span dir="auto">[^<])'), r'<span class="name">\1:</span> '),
    (re.compile(r'<svg[^>]*aria-label="([^"]*)".*?</svg>', re.DOTALL), r' <span class="beside">\1</span>'),
    (re.compile("<h2>(.*?)</h2>", re.DOTALL), r'<p class="head">\1</p>'),
    (re.compile('<ol class="bit">(.*?)</ol>', re.DOTALL), r'<table width="100%" cellspacing="0">\1</table>'),
)
"""What Qt's text doesn't know of HTML and style sheets, and what stands for it."""


class PageView(FittedText):
    """Pages below each other, as high as they are; hidden without any. ``fold``: rows below others are opened with a
    link, and so are the quiet rows of a page."""

    def __init__(self, name: str, *, fold: bool = False) -> None:
        super().__init__()
        self.pages: tuple[Page, ...] = ()
        self._fold = fold
        self._turned: set[int] = set()
        """The numbers of the rows that are open where they begin folded, or the reverse."""
        self.setAccessibleName(name)
        self.setProperty("ring", False)
        self.anchorClicked.connect(self._turn)
        self.hide()
        self.follow_theme()

    def show_pages(self, *pages: Page) -> None:
        """Show these pages in place of others."""
        if pages != self.pages:
            self.pages = pages
            self._turned.clear()
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
            f"td.sign {{ color: {t.accent}; }} td.said {{ color: {t.text}; font-size: {px(15)}px; }}"
            f"td.beside {{ color: {t.text3}; font-size: {px(12)}px; padding-right: {px(8)}px; }}"
        )
        html = "".join(html_section(_with_details(page) if self._fold else page) for page in self.pages)
        for pattern, other in _FOR_QT:
            html = pattern.sub(other, html)
        self.setHtml(self._unfolded(_SENTENCE.sub(_sentence, html)))
        flags, links = Qt.TextInteractionFlag, self._fold and "<a " in self.toHtml()
        self.setTextInteractionFlags(flags.TextBrowserInteraction if links else flags.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        self.fit()

    def _unfolded(self, html: str) -> str:
        """Return the HTML with each row that has others below it as a link, and those below it only where it is open;
        without ``fold`` with all of them, and no link."""
        pieces, at, number = [], 0, 0
        shown = [True]
        for match in _FOLD.finditer(html):
            pieces.append(html[at : match.start()] if shown[-1] else "")
            at = match.end()
            if match[0] == "</details>":
                shown.pop()
                pieces.append("</blockquote>" if shown[-1] and self._fold else "")
                continue
            opened = not self._fold or bool(match[2]) != (number in self._turned)
            sign = f'<span style="color: {theme().tokens.accent};">{"▾" if opened else "▸"}</span>'
            link = f'<a href="#{number}">{sign} {match[3]}</a>' if self._fold else match[3]
            pieces.append(f'<p class="{match[1]}">{link}</p>' if shown[-1] else "")
            pieces.append('<blockquote style="margin: 0 0 0 14px;">' if shown[-1] and self._fold else "")
            shown.append(shown[-1] and opened)
            number += 1
        return "".join([*pieces, html[at:]])

    def _turn(self, link: QUrl) -> None:
        """Open or fold the rows of a link, which keeps the focus."""
        self._turned ^= {int(link.fragment())}
        self.restyle()
        if not self.underMouse():
            links = [*dict.fromkeys(re.findall('<a href="([^"]*)"', self.toHtml()))]
            for _ in links[: links.index(link.toString()) + 1]:
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


def _with_details(page: Page) -> Page:
    """Return a page whose quiet rows are below one of their own."""
    quiet = tuple(row for row in page.rows if row.quiet)
    loud = tuple(row for row in page.rows if not row.quiet)
    return replace(page, rows=(*loud, Row("", _DETAILS, quiet=True, rows=quiet))) if quiet else page


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
