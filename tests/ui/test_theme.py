"""Tokens, theme, fonts and icons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from colours import contrast
from driving import keep
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontInfo, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QFileDialog, QHeaderView, QToolButton

from jokejudge_gui.core.paths import resources_dir
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.look.stylesheet import DARK, LIGHT, Tokens
from jokejudge_gui.ui.widgets.text import Label

SCHEMES = {"light": LIGHT, "dark": DARK}
GROUNDS = ("bg", "side", "surface", "sunken", "track", "soft")


@pytest.fixture(autouse=True)
def _plain_theme(qapp: QApplication) -> Iterator[None]:
    theme.install(qapp, "light", 1.0)
    yield
    theme.install(qapp, "light", 1.0)


def worst(tokens: Tokens, text: str, grounds: tuple[str, ...]) -> float:
    return min(contrast(getattr(tokens, text), getattr(tokens, ground)) for ground in grounds)


def mix(over: str, under: str, opacity: float) -> str:
    """The colour seen when ``over`` lies on ``under`` at ``opacity`` 0…1."""
    parts = (round(int(over[i : i + 2], 16) * opacity + int(under[i : i + 2], 16) * (1 - opacity)) for i in (1, 3, 5))
    return "#" + "".join(f"{part:02X}" for part in parts)


@pytest.mark.parametrize("tokens", SCHEMES.values(), ids=SCHEMES)
def test_everything_that_is_read_reaches_four_and_a_half(tokens: Tokens) -> None:
    for text in ("text", "text2", "text3"):
        assert worst(tokens, text, GROUNDS) >= 4.5
    grounds = (*GROUNDS, "good_soft", "mid_soft", "bad_soft")
    for text in ("accent", "accent_hover", "accent_pressed", "mid_text", "bad_text"):
        assert worst(tokens, text, grounds) >= 4.5
    assert worst(tokens, "good_text", tuple(ground for ground in grounds if ground != "track")) >= 4.5  # never there
    for text in ("text", "text2", "accent", "accent_hover", "good_text", "mid_text", "bad_text"):
        assert worst(tokens, text, ("mark",)) >= 4.5
    assert worst(tokens, "on_accent", ("accent", "accent_hover", "accent_pressed")) >= 4.5
    assert min(contrast(tokens.surface, tokens.text2), contrast(tokens.bg, tokens.text2)) >= 4.5
    strongest = mix(tokens.accent, tokens.surface, 0.44)
    assert contrast(tokens.text, strongest) >= 5.4
    for fill in ("good_fill", "mid_fill", "bad_fill"):
        assert contrast(getattr(tokens, fill), tokens.surface) >= 3.4


def test_dark_mode_fills_palette_and_tells_widgets(qapp: QApplication, qtbot) -> None:
    current = theme.theme()
    label = Label("in a window of its own")
    qtbot.addWidget(label)
    current.dress_window(label)
    assert LIGHT.surface in label.styleSheet()
    with qtbot.waitSignal(current.changed):
        current.configure(mode="dark")
    assert current.tokens is theme.DARK
    assert qapp.palette().color(QPalette.ColorRole.Window).name().upper() == DARK.bg
    assert DARK.surface in label.styleSheet()


def test_scale_multiplies_pixels_and_fonts_and_stays_in_range(qapp: QApplication) -> None:
    current = theme.theme()
    current.configure(scale=1.5)
    assert theme.px(34) == 51
    assert theme.font(14).pixelSize() == 21
    current.configure(scale=9)
    assert current.scale == 2.0
    current.configure(scale=0.1)
    assert current.scale == 0.8


def test_the_shipped_font_is_used_in_three_weights(qapp: QApplication) -> None:
    for weight, style in ((400, "Regular"), (500, "Medium"), (600, "SemiBold")):
        info = QFontInfo(theme.font(14, weight))
        assert info.family().startswith("Inter")
        assert info.styleName() == style


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_file_dialog_can_be_read(qapp: QApplication, qtbot, tmp_path: Path, mode: theme.Mode) -> None:
    theme.install(qapp, mode, 1.0)
    dialog = QFileDialog(None, "Open", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    keep(qtbot, dialog)
    theme.theme().dress_window(dialog)
    dialog.show()
    header = dialog.findChild(QHeaderView)
    names = ("backButton", "forwardButton", "toParentButton", "newFolderButton", "listModeButton", "detailModeButton")
    buttons = [button for button in dialog.findChildren(QToolButton) if button.objectName() in names]
    assert len(buttons) == len(names)
    for widget in (header, *buttons):
        widget.setEnabled(True)
        shades = strongest_contrast(widget.grab().toImage())
        assert shades >= (4.5 if widget is header else 3.0), widget.objectName()


def strongest_contrast(image: QImage) -> float:
    """Between the most frequent colour, which is the ground, and the one that differs most from it."""
    inner = [image.pixelColor(x, y).name() for x in range(4, image.width() - 4) for y in range(4, image.height() - 4)]
    ground = Counter(inner).most_common(1)[0][0]
    return max(contrast(colour, ground) for colour in set(inner))


ICONS = sorted(file.stem for file in (resources_dir() / "icons").glob("*.svg"))


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_shows_in_the_colour_asked_for(name: str, qapp: QApplication) -> None:
    image = QImage(64, 64, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    theme.theme().paint_icon(painter, name, QRectF(0, 0, 64, 64), theme.theme().tokens.accent)
    painter.end()
    solid = [
        image.pixelColor(x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() > 250
    ]
    assert solid
    accent = theme.theme().colour("accent")
    assert all(abs(colour.blue() - accent.blue()) < 6 and abs(colour.red() - accent.red()) < 6 for colour in solid)


def test_font_files_carry_their_licence() -> None:
    folder = resources_dir() / "fonts"
    assert "SIL OPEN FONT LICENSE" in (folder / "OFL.txt").read_text(encoding="utf-8")
    assert len(list(folder.glob("Inter-*.ttf"))) == 3
