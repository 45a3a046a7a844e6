"""The style sheet of Qt's own widgets, from the same tokens as the painted ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from string import Template

# The colours of the window, for light and for dark.


@dataclass(frozen=True)
class Tokens:
    """One colour scheme, the light one by default; every value is ``#RRGGBB``."""

    bg: str = "#F6F5F2"
    side: str = "#EEECE7"
    surface: str = "#FFFFFF"
    sunken: str = "#F3F1ED"
    line: str = "#E1DED7"
    line2: str = "#CBC6BB"
    field: str = "#8A847A"
    track: str = "#E4E1DA"
    text: str = "#1C1B19"
    text2: str = "#524E47"
    text3: str = "#676259"
    accent: str = "#3346C8"
    accent_hover: str = "#2839A8"
    accent_pressed: str = "#1F2E8C"
    on_accent: str = "#FFFFFF"
    soft: str = "#E9EBFB"
    mark: str = "#DDE1FA"
    tint2: str = "#7F8BDD"
    tint3: str = "#C3C9F2"
    good_text: str = "#1A7346"
    good_fill: str = "#268F5A"
    good_soft: str = "#E1F1E8"
    mid_text: str = "#805300"
    mid_fill: str = "#BC7A00"
    mid_soft: str = "#F8EDD3"
    bad_text: str = "#B0251D"
    bad_fill: str = "#CC3D33"
    bad_soft: str = "#FBE7E4"
    dis: str = "#E6E3DD"
    dis_text: str = "#7D776D"


LIGHT = Tokens()

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


_SHEET = Template("""
QToolTip { color: $bg; background: $text; border: 1px solid $text; padding: ${p4}px ${p8}px; }
QLabel { background: transparent; }
QDialog, QMessageBox { background: $bg; }
JokePicker { background: $surface; border: 1px solid $line2; }

QLineEdit, QPlainTextEdit {
  color: $text; background: $surface; border: 1px solid $field; border-radius: ${p8}px;
  selection-background-color: $accent; selection-color: $on_accent; placeholder-text-color: $text3;
}
QPlainTextEdit { padding: ${p6}px ${p7}px; }
QLineEdit { padding: ${p6}px ${p9}px; min-height: ${p20}px; }
QLineEdit:focus, QPlainTextEdit:focus {
  border: 2px solid $accent;
}
QPlainTextEdit:focus { padding: ${q6}px ${q7}px; }
QLineEdit:focus { padding: ${q6}px ${q9}px; }
QPlainTextEdit[readOnly="true"], QLineEdit[readOnly="true"] {
  color: $text2; background: $sunken; border-color: $line2;
}
QLineEdit:disabled, QPlainTextEdit:disabled {
  color: $dis_text; background: $bg; border-color: $line2; placeholder-text-color: $dis_text;
}
SearchField { padding: ${p5}px ${p9}px ${p5}px ${p32}px; }
SearchField:focus { padding: ${q5}px ${q9}px ${q5}px ${q32}px; }

QComboBox::drop-down { border: none; width: ${p24}px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $line2; padding: ${p4}px; outline: none; }

Surface { background: $sunken; border-radius: ${p8}px; }
Card, RatePage { background: $surface; border: 1px solid $line; border-radius: ${p12}px; }
Chip { background: $sunken; border-radius: ${p6}px; padding: 0 ${p7}px; }
Chip[chosen="true"] { background: $soft; }
Banner { background: $soft; border-radius: ${p10}px; }
Banner[kind="warning"] { background: $mid_soft; }
Banner[kind="error"] { background: $bad_soft; }
Notices Banner { border: 1px solid $line2; }
ExampleRow { background: transparent; border: 1px solid $line; }
ActionBar, Banner[kind="quiet"] { background: transparent; border-top: 1px solid $line2; border-radius: 0; }
Rule { background: $line2; border: none; }
Rule[faint="true"] { background: $line; }
TileButton[tall="true"] { text-align: left; padding-bottom: ${p16}px; }
RunButtons QPushButton { min-width: ${p50}px; }
Segmented { background: $track; border-radius: ${p8}px; }

QProgressBar { background: $track; border: none; border-radius: 2px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }

QMenu { background: $surface; border: 1px solid $line2; padding: ${p6}px; }
QMenu::item { color: $text; padding: ${p7}px ${p16}px ${p7}px ${p10}px; border-radius: ${p6}px; }
QMenu::item:selected { background: $track; }
QMenu::item:disabled { color: $dis_text; background: transparent; }
QMenu::icon { padding-left: ${p8}px; }
QMenu::separator { height: 1px; background: $line; margin: ${p6}px ${p4}px; }

QAbstractItemView, PageView, MarkedText { background: transparent; border: none; outline: none; }
QAbstractItemView::item:selected { background: $soft; color: $text; }
QListWidget::item { padding-left: ${p5}px; }
QTreeView::item:hover:!selected { background: $sunken; }
QHeaderView, QHeaderView::section { background: $surface; }
QHeaderView::section {
  color: $text2; border: none; border-bottom: 1px solid $line2; padding: ${p4}px ${p6}px;
}
/* Qt draws these arrows in black, whatever the scheme. */
QFileDialog #backButton, QFileDialog #forwardButton, QFileDialog #toParentButton {
  background: $arrows; border: none; border-radius: ${p6}px;
}

QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: ${p12}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: ${p12}px; margin: 0; }
QScrollBar::handle { background: $line2; border-radius: ${p3}px; margin: ${p3}px; }
QScrollBar::handle:vertical { min-height: ${p32}px; }
QScrollBar::handle:horizontal { min-width: ${p32}px; }
QScrollBar::handle:hover { background: $field; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


_EDGED = {"": ("surface", "line2", "text"), "hover": ("sunken", "field", "text"), "pressed": ("track", "line2", "text")}
_PLAIN = {"": ("", "", "text2"), "hover": ("track", "", "text"), "pressed": ("line2", "", "text")}
_CHOSEN = {"checked": ("soft", "accent", "accent")}
_OFF = {"disabled": ("", "", "dis_text")}
_EDGED_OFF = {"disabled": ("", "line", "dis_text")}
_MAIN = {
    "": ("accent", "", "on_accent"), "hover": ("accent_hover", "", "on_accent"),
    "pressed": ("accent_pressed", "", "on_accent"), "disabled": ("dis", "", "dis_text"),
}  # fmt: skip
_BUTTONS: dict[str, tuple[tuple[int, int, int, int, int], dict[str, tuple[str, str, str]]]] = {
    "PrimaryButton": ((34, 17, 14, 600, 8), _MAIN),
    "SecondaryButton": ((34, 13, 14, 500, 8), _EDGED | _CHOSEN | _EDGED_OFF),
    "GhostButton": ((34, 10, 14, 500, 8), _PLAIN | _OFF),
    "IconButton": ((34, 7, 14, 500, 8), _PLAIN | {"checked": ("soft", "", "accent")} | _OFF),
    "SmallButton": ((24, 2, 14, 500, 6), _EDGED | _EDGED_OFF),
    "LinkButton": (
        (26, 0, 13, 500, 4),
        {"": ("", "", "accent"), "hover": ("", "", "accent_hover"), "pressed": ("", "", "accent_pressed")} | _OFF,
    ),
    "FilterChip": ((24, 10, 13, 500, 6), {**_EDGED, "": ("", "line2", "text2")} | _CHOSEN | _EDGED_OFF),
    "Segment": ((28, 0, 14, 500, 6), _OFF | {"": ("", "", "text2"), "checked": ("surface", "line2", "text")}),
    "QComboBox": ((34, 12, 14, 500, 8), _EDGED | _EDGED_OFF),
    'ChoiceButton[small="true"]': ((24, 10, 13, 500, 6), {}),
    "StatusButton": ((34, 10, 13, 600, 8), _EDGED),
    "TileButton": ((38, 13, 15, 600, 8), _EDGED | _CHOSEN),
    "VersionRow": (
        (0, 0, 13, 500, 8),
        {"": ("", "", "text"), "hover": ("track", "", "text"), "checked": ("soft", "", "text")} | _OFF,
    ),
}
"""Height, padding at the sides, size and weight of the text, and radius of each class of buttons, and the colours of
ground, edge and text by state; empty: none. A class has what its base has, too."""


def _rules(tokens: Tokens, scale: float) -> str:
    """Return the rules of the buttons."""

    def px(n: float) -> int:
        return round(n * scale)

    rules = []
    for name, ((height, padding, size, weight, radius), states) in _BUTTONS.items():
        high = f"min-height: {px(height) - 2}px; max-height: {px(height) - 2}px;" if height else ""
        face = f"font-size: {px(size)}px;" if size else ""
        side = max(0, px(padding) - 1)
        rules.append(
            f"{name} {{ {high} {face} font-weight: {weight}; padding: 0 {side}px; border-radius: {px(radius)}px; }}"
        )
        for state, colours in states.items():
            fill, edge, text = (getattr(tokens, token) if token else "transparent" for token in colours)
            border = f"border: 1px solid {edge};" if colours[1] or not state else ""
            rules.append(f"{name}{state and ':'}{state} {{ background: {fill}; {border} color: {text}; }}")
    return "\n".join([*rules, "LinkButton { border: none; padding: 0; }"])


def stylesheet(tokens: Tokens, scale: float) -> str:
    """Return the sheet of one scheme; lengths are multiplied by ``scale``. ``q…`` is a length less the one pixel by
    which a focused edge is thicker, so that the text doesn't move."""
    lengths = {f"p{n}": max(1, round(n * scale)) for n in (3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32, 50)}
    lengths |= {f"q{name[1:]}": max(0, length - 1) for name, length in lengths.items()}
    arrows = tokens.field if tokens is DARK else tokens.surface  # black can be read on it
    return _SHEET.substitute(asdict(tokens), arrows=arrows, **lengths) + _rules(tokens, scale)
