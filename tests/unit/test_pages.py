"""A page of words, drawn as HTML, as Markdown and as lines."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from jokejudge_gui.core.pages import Mark, MarkedText, Page, Row, Table, as_html, as_lines, as_markdown

BELOW = (Row("1. child"), Row("more", quiet=True, rows=(Row("deepest"),)))
PAGE = Page(
    "Probably in the upper half",
    lead=("A *lead*.",),
    notes=("It isn't <English>.",),
    texts=(MarkedText("Why did\nit cross?", "A", (Mark(0, 7, "turn"), Mark(4, 10, "cut"))),),
    rows=(
        Row("3.2 of 5", "Timing", beside="r = .5", shares=(("0", 0.25), ("5", 0.75)), rows=BELOW),
        Row("[link](x)", quiet=True),
    ),
    tables=(Table("Factors", ("name", "score"), (("a|b", "pass"), ("c", "-1"))), Table("Empty", ("x",), ())),
    foot=("a model, 2 s",),
)
NASTY = (
    "<script>alert(1)</script>",
    "a\x1b[31m",
    "\x9b",
    "{{ 7 * 7 }}",
    "{% for %}",
    "1) x",
    "- x",
    "=",
    "a\u2028b",
    "\u202eabc",
    "&",
)


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self.seen.append(tag)
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "rect"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> _Elements:
    elements = _Elements()
    elements.feed(html)
    elements.close()
    assert not elements.open
    return elements


def test_html_is_whole_and_needs_nothing_from_elsewhere():
    html = as_html((PAGE, PAGE), "JokeJudge: <two>")
    elements = parsed(html)
    assert elements.seen.count("section") == 2
    assert "JokeJudge: <two>" in elements.text
    assert "default-src 'none'" in html
    assert "prefers-color-scheme:dark" in html
    for outside in ("http:", "https:", "src=", "<script", "@import"):
        assert outside not in html.replace("default-src", "")


def test_markdown_has_every_word_once():
    text = as_markdown((PAGE,), "JokeJudge: verdicts")
    assert text.startswith("# JokeJudge: verdicts\n\n## Probably in the upper half\n\nA \\*lead\\*.\n\nIt isn")
    assert "> **Why did**\\\n> it cross?\n" in text
    assert "- **Timing:** 3.2 of 5 (r = .5) (0: 25 %, 5: 75 %)\n  - 1\\. child\n  - more\n    - deepest\n" in text
    assert "| name | score |\n|---|---|\n| a\\|b | pass |\n| c | -1 |\n" in text
    assert text.rstrip().endswith("a model, 2 s")


@pytest.mark.parametrize("text", NASTY)
def test_texts_can_do_nothing(text):
    page = replace(PAGE, headline=text, rows=(Row(text, text, beside=text, rows=(Row(text),)),), foot=(text,))
    html = as_html((page,), text)
    assert parsed(html).seen.count("script") == 0
    for drawn in (html, as_markdown((page,), text), "\n".join(as_lines(page))):
        assert "\x1b" not in drawn
        assert "\x9b" not in drawn
        assert "\u202e" not in drawn
        assert "49" not in drawn
    assert "<script" not in as_markdown((page,), text).replace("\\<", "")


def test_nothing_is_compiled_before_a_page_is_drawn():
    program = "import sys, jokejudge_gui.core.pages; assert 'jinja2' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
