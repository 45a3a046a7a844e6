"""The style sheet: how Qt's own widgets look, from the same tokens as everything painted."""

from __future__ import annotations

from dataclasses import asdict
from string import Template

from .tokens import Tokens, contrast

_SHEET = Template("""
QToolTip { color: $bg; background: $text; border: 1px solid $text; padding: ${p4}px ${p8}px; }
QLabel { background: transparent; }
QDialog, QMessageBox { background: $bg; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox {
  color: $text; background: $surface; border: 1px solid $field; border-radius: ${p8}px;
  selection-background-color: $accent; selection-color: $on_accent; placeholder-text-color: $text3;
}
QPlainTextEdit, QTextEdit { padding: ${p6}px ${p7}px; }
QLineEdit { padding: ${p6}px ${p9}px; }
QSpinBox, QDoubleSpinBox { padding: ${p5}px ${p8}px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus {
  border: 2px solid $accent;
}
QPlainTextEdit:focus, QTextEdit:focus { padding: ${q6}px ${q7}px; }
QLineEdit:focus { padding: ${q6}px ${q9}px; }
QSpinBox:focus, QDoubleSpinBox:focus { padding: ${q5}px ${q8}px; }
QPlainTextEdit[readOnly="true"], QTextEdit[readOnly="true"], QLineEdit[readOnly="true"] {
  color: $text2; background: $sunken; border-color: $line2;
}
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {
  color: $dis_text; background: $bg; border-color: $line2; placeholder-text-color: $dis_text;
}
SearchField { padding: ${p5}px ${p9}px ${p5}px ${p32}px; }
SearchField:focus { padding: ${q5}px ${q9}px ${q5}px ${q32}px; }

QPushButton {
  color: $text; background: $surface; border: 1px solid $line2; border-radius: ${p8}px;
  padding: ${p7}px ${p12}px;
}
QPushButton:hover { background: $bg; border-color: $field; }
QPushButton:pressed { background: $track; }
QPushButton:focus { border: 2px solid $accent; padding: ${q7}px ${q12}px; }
QPushButton:disabled { color: $dis_text; background: transparent; border-color: $line; }
QPushButton[variant="primary"] { color: $on_accent; background: $accent; border-color: $accent; }
QPushButton[variant="primary"]:hover { background: $accent_hover; border-color: $accent_hover; }
QPushButton[variant="primary"]:pressed { background: $accent_pressed; }
QPushButton[variant="primary"]:disabled { color: $dis_text; background: $dis; border-color: $dis; }

QComboBox {
  color: $text; background: $surface; border: 1px solid $line2; border-radius: ${p8}px;
  padding: ${p6}px ${p12}px;
}
QComboBox:hover { border-color: $field; }
QComboBox:disabled { color: $dis_text; background: transparent; border-color: $line; }
QComboBox::drop-down { border: none; width: ${p24}px; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $line2; padding: ${p4}px; outline: none; }

QSlider:horizontal { min-height: ${p24}px; }
QSlider::groove:horizontal { height: ${p4}px; background: $track; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $tint2; border-radius: 2px; }
QSlider::handle:horizontal {
  width: ${knob}px; margin: -${p6}px 0; border: 2px solid $accent; border-radius: ${p8}px;
  background: $surface;
}
QSlider::handle:horizontal:hover { background: $soft; }

QMenu { background: $surface; border: 1px solid $line2; padding: ${p6}px; }
QMenu::item { color: $text; padding: ${p7}px ${p16}px ${p7}px ${p10}px; border-radius: ${p6}px; }
QMenu::item:selected { background: $track; }
QMenu::item:disabled { color: $dis_text; background: transparent; }
QMenu::icon { padding-left: ${p8}px; }
QMenu::separator { height: 1px; background: $line; margin: ${p6}px ${p4}px; }

QAbstractItemView { background: transparent; border: none; outline: none; }
QAbstractItemView::item:selected { background: $soft; color: $text; }
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


def stylesheet(tokens: Tokens, scale: float) -> str:
    """The sheet of one scheme; lengths are multiplied by ``scale``. ``q…`` is a length less the one pixel by which
    a focused edge is thicker, so that the text stays where it is."""
    lengths = {f"p{n}": max(1, round(n * scale)) for n in (3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32)}
    lengths |= {f"q{name[1:]}": max(0, length - 1) for name, length in lengths.items()}
    lengths["knob"] = lengths["p16"] - 4  # within its border
    arrows = tokens.surface if contrast("#000000", tokens.surface) > 4.5 else tokens.field
    return _SHEET.substitute(asdict(tokens), arrows=arrows, **lengths)
