"""Findings that open, as HTML and as Markdown. No script is needed: the browser opens and closes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..verdict_kinds import Outline

Escape = Callable[[str], str]
STYLE = """
details { margin: .15rem 0; } details > :not(summary) { margin-left: 1.2rem; }
summary { cursor: pointer; } p.branch { margin: .2rem 0 .2rem 1.2rem; }
.tree { margin-top: .75rem; } .aside { opacity: .75; }
svg.levels { width: 5.2rem; height: 1.3rem; vertical-align: text-bottom; margin: 0 .4rem; fill: currentColor; }
"""
_WIDE, _HIGH, _GAP = 12, 20, 2


def as_html(outline: Outline, escape: Escape, *, root: bool = True) -> str:
    """One outline; those under it are closed at first. ``escape`` makes text safe in HTML."""
    line = f'<span dir="auto">{escape(outline.text)}</span>{_bars(outline, escape)}'
    line += "".join(f' <span class="aside" dir="auto">({escape(note)})</span>' for note in outline.notes)
    if not outline.children:
        return f'<p class="branch">{line}</p>'
    within = "".join(as_html(child, escape, root=False) for child in outline.children)
    opened = ' class="tree" open' if root else ""
    return f"<details{opened}><summary>{line}</summary>{within}</details>"


def as_markdown(outline: Outline, escape: Escape, depth: int = 0) -> Iterator[str]:
    """Its lines as items of nested lists. ``escape`` makes one line safe in Markdown."""
    parts = [outline.text, *(f"({note})" for note in outline.notes)]
    if outline.shares:
        parts.append(f"({_in_words(outline)})")
    words = " ".join(" ".join(parts).split())
    yield f"{'  ' * depth}- {escape(words)}\n"
    for child in outline.children:
        yield from as_markdown(child, escape, depth + 1)


def _in_words(outline: Outline) -> str:
    return ", ".join(f"{label}: {100 * share:.0f} %" for label, share in outline.shares)


def _bars(outline: Outline, escape: Escape) -> str:
    """The distribution as bars, and in words for who can't see them."""
    if not outline.shares:
        return ""
    words = escape(_in_words(outline))
    top = max(share for _, share in outline.shares) or 1.0
    bars = []
    for place, (_, share) in enumerate(outline.shares):
        height = max(1.0, _HIGH * min(1.0, max(0.0, share / top)))
        left = place * (_WIDE + _GAP)
        bars.append(f'<rect x="{left}" y="{_HIGH - height:.1f}" width="{_WIDE}" height="{height:.1f}"/>')
    box = f"0 0 {len(bars) * (_WIDE + _GAP)} {_HIGH}"
    return (
        f'<svg class="levels" role="img" aria-label="{words}" viewBox="{box}" preserveAspectRatio="none">'
        f"<title>{words}</title>{''.join(bars)}</svg>"
    )
