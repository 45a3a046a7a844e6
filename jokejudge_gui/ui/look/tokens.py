"""The colours of the window, once for light and once for dark, and the arithmetic of contrast."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tokens:
    """One colour scheme; every value is ``#RRGGBB``."""

    bg: str
    side: str
    surface: str
    sunken: str
    line: str
    line2: str
    field: str
    track: str
    text: str
    text2: str
    text3: str
    accent: str
    accent_hover: str
    accent_pressed: str
    on_accent: str
    soft: str
    mark: str
    tint2: str
    tint3: str
    good_text: str
    good_fill: str
    good_soft: str
    mid_text: str
    mid_fill: str
    mid_soft: str
    bad_text: str
    bad_fill: str
    bad_soft: str
    dis: str
    dis_text: str


LIGHT = Tokens(
    bg="#F6F5F2", side="#EEECE7", surface="#FFFFFF", sunken="#F3F1ED",
    line="#E1DED7", line2="#CBC6BB", field="#8A847A", track="#E4E1DA",
    text="#1C1B19", text2="#524E47", text3="#676259",
    accent="#3346C8", accent_hover="#2839A8", accent_pressed="#1F2E8C", on_accent="#FFFFFF",
    soft="#E9EBFB", mark="#DDE1FA", tint2="#7F8BDD", tint3="#C3C9F2",
    good_text="#1A7346", good_fill="#268F5A", good_soft="#E1F1E8",
    mid_text="#805300", mid_fill="#BC7A00", mid_soft="#F8EDD3",
    bad_text="#B0251D", bad_fill="#CC3D33", bad_soft="#FBE7E4",
    dis="#E6E3DD", dis_text="#7D776D",
)  # fmt: skip

DARK = Tokens(
    bg="#131211", side="#191816", surface="#1F1E1B", sunken="#292724",
    line="#34322E", line2="#4A4741", field="#7F796E", track="#38352F",
    text="#F1EFEA", text2="#C2BDB3", text3="#A8A297",
    accent="#A5B1FF", accent_hover="#BDC6FF", accent_pressed="#8D9BF5", on_accent="#14183C",
    soft="#2A2F55", mark="#353B69", tint2="#6470B8", tint3="#434A7C",
    good_text="#63CF98", good_fill="#4DBB83", good_soft="#1B3527",
    mid_text="#EDBB5B", mid_fill="#D9A23A", mid_soft="#3A2E14",
    bad_text="#FF958B", bad_fill="#EE6E63", bad_soft="#47231F",
    dis="#2B2926", dis_text="#8A847A",
)  # fmt: skip


def luminance(colour: str) -> float:
    """Relative luminance of ``#RRGGBB``, 0 (black) to 1 (white), as WCAG 2 defines it."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours, 1 to 21; the order doesn't matter."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def score_grade(score: float) -> str:
    """``good`` from 3.5, ``mid`` from 2, else ``bad``: the prefix of the three colour tokens of a score."""
    return "good" if score >= 3.5 else "mid" if score >= 2 else "bad"
