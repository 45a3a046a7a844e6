"""Shared widgets: sizes, words for screen readers, keyboard, plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from jokejudge_gui.ui import theme
from jokejudge_gui.ui.tokens import LIGHT
from jokejudge_gui.ui.widgets.badge import ScoreBadge, SideBadge
from jokejudge_gui.ui.widgets.base import hundredths, plain_tooltip, settle
from jokejudge_gui.ui.widgets.cards import Banner, Card
from jokejudge_gui.ui.widgets.check_bars import CheckBars, CheckRow
from jokejudge_gui.ui.widgets.chips import Chip, ChipFlow
from jokejudge_gui.ui.widgets.controls import (
    FilterChip,
    GhostButton,
    IconButton,
    LinkButton,
    PrimaryButton,
    SecondaryButton,
    StatusButton,
)
from jokejudge_gui.ui.widgets.duel_scale import DuelScale, band_of, factor_text
from jokejudge_gui.ui.widgets.factor_bars import FactorBars, FactorLegend, FactorRow
from jokejudge_gui.ui.widgets.fields import SearchField, TextEditor
from jokejudge_gui.ui.widgets.focus_ring import FocusRing
from jokejudge_gui.ui.widgets.gauge import Gauge
from jokejudge_gui.ui.widgets.orders_plot import OrdersPlot
from jokejudge_gui.ui.widgets.progress import ProgressLine
from jokejudge_gui.ui.widgets.scroll import ColumnScroll
from jokejudge_gui.ui.widgets.segmented import Segmented
from jokejudge_gui.ui.widgets.share_bar import ShareBar, ShareRow
from jokejudge_gui.ui.widgets.spinner import Spinner
from jokejudge_gui.ui.widgets.stage_list import StageList
from jokejudge_gui.ui.widgets.text import Caption, Heading, Label, Paragraph

LONG = "A rather long name that a model thought of for its very own factor"
STAGES = [("one", "Admissible", "Is it a joke?"), ("two", "Categories", "Which kinds?"), ("three", "Scores", "0 to 5.")]


@pytest.fixture(autouse=True, params=[1.0, 1.5], ids=["100%", "150%"])
def scale(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[float]:
    theme.install(qapp, "light", request.param, reduced_motion=True)
    yield request.param
    theme.install(qapp, "light", 1.0)


def gauge() -> Gauge:
    widget = Gauge()
    widget.set_value(3.4, 0.6)
    return widget


def factor_bars() -> FactorBars:
    widget = FactorBars()
    widget.set_rows(
        [
            FactorRow("Wordplay", False, 5, 4.8, 0.2, 3.1, "done"),
            FactorRow(LONG, True, 2, 2.2, 1.9, None, "done"),
            FactorRow("Clarity", state="done"),
            FactorRow("Economy", average=2.0, state="running"),
            FactorRow("Originality"),
        ]
    )
    return widget


def check_bars() -> CheckBars:
    widget = CheckBars()
    widget.set_rows([CheckRow("intent", 0.04, False), CheckRow("appropriateness", 1.0, True)], 0.1)
    return widget


def duel_scale() -> DuelScale:
    widget = DuelScale()
    widget.set_result(2.0, "A", 2.6)
    return widget


def orders_plot() -> OrdersPlot:
    widget = OrdersPlot()
    widget.set_orders(0.47, 0.91, False, 0.22)
    return widget


def share_bar() -> ShareBar:
    widget = ShareBar()
    widget.set_rows([ShareRow("Pair", 0.6, "leans A"), ShareRow("Each alone", 0.4, "leans B")])
    return widget


def stage_list() -> StageList:
    widget = StageList(STAGES)
    widget.set_state("one", "done", 2.1)
    widget.set_chips("one", [Chip("passed", word, ".97") for word in ("intent", "complete", "coherent", "apt")])
    widget.set_state("two", "running", 0.4)
    widget.set_text("two", "4 of 7 scored")
    widget.set_progress("two", 0.5)
    return widget


MAKERS: dict[str, Callable[[], QWidget]] = {
    "primary": lambda: PrimaryButton("Rate"),
    "secondary": lambda: SecondaryButton("Duel with..."),
    "ghost": lambda: GhostButton("Copy", "copy"),
    "link": lambda: LinkButton("Try an example"),
    "icon": lambda: IconButton("star", "Star", checkable=True),
    "filter": lambda: FilterChip("Starred"),
    "status": lambda: StatusButton("SmolLM2-1.7B", "1.1 GB · offline"),
    "segmented": lambda: Segmented([("rate", "Rate"), ("duel", "Duel")], "View"),
    "search": SearchField,
    "editor": lambda: TextEditor("Type or paste a joke"),
    "chip": lambda: Chip("written", "Geometry"),
    "score": lambda: ScoreBadge(3.4),
    "side": lambda: SideBadge("A"),
    "banner": lambda: Banner("warning", "This model doesn't separate jokes on 5 of 7 factors.", "Choose model"),
    "gauge": gauge,
    "factors": factor_bars,
    "legend": FactorLegend,
    "checks": check_bars,
    "duel": duel_scale,
    "orders": orders_plot,
    "shares": share_bar,
    "stages": stage_list,
    "spinner": Spinner,
    "progress": lambda: ProgressLine(0.4, "Scores"),
    "paragraph": lambda: Paragraph("Nothing is sent anywhere."),
    "heading": lambda: Heading("Is it funny?", 1),
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def widget(request: pytest.FixtureRequest, qtbot) -> QWidget:
    made = request.param()
    qtbot.addWidget(made)
    return made


def test_every_widget_fits_in_a_column_and_paints(widget: QWidget, scale: float) -> None:
    column = round(356 * scale)
    assert widget.minimumSizeHint().width() <= column
    widget.resize(column, max(widget.sizeHint().height(), 1))
    widget.show()
    settle()
    assert widget.width() <= column or widget.sizePolicy().horizontalPolicy().name == "Fixed"
    assert not widget.grab().isNull()


def test_every_widget_has_a_name_in_words(widget: QWidget) -> None:
    name = widget.accessibleName() or (widget.text() if isinstance(widget, QPushButton) else "")
    assert name.strip()


def test_only_what_acts_takes_the_keyboard(widget: QWidget) -> None:
    acts = isinstance(widget, QPushButton | SearchField | TextEditor)
    assert (widget.focusPolicy() != Qt.FocusPolicy.NoFocus) == acts


def test_sizes_grow_with_the_text(scale: float, qtbot) -> None:
    button = PrimaryButton("Rate")
    qtbot.addWidget(button)
    assert button.sizeHint().height() == round(34 * scale)
    bars = factor_bars()
    qtbot.addWidget(bars)
    assert bars.sizeHint().height() == round(5 * 29 * scale)
    before = button.sizeHint().width()
    theme.theme().configure(scale=2.0)
    assert button.sizeHint().width() > before


def test_labels_and_buttons_in_a_card_are_never_clipped(scale: float, qtbot) -> None:
    card = Card("Your joke", "71 characters", LinkButton("Try an example"))
    row = QHBoxLayout()
    row.addWidget(Segmented([("quick", "Quick"), ("deep", "Deep")], "Mode"))
    row.addStretch(1)
    row.addWidget(Caption("Ctrl+Enter"))
    row.addWidget(PrimaryButton("Rate"))
    card.add_layout(row)
    qtbot.addWidget(card)
    card.resize(round(372 * scale), card.sizeHint().height())
    card.show()
    settle()
    for child in (*card.findChildren(QLabel), *card.findChildren(QPushButton)):
        assert child.width() >= child.sizeHint().width()
        assert child.height() >= child.sizeHint().height()
        right = child.mapTo(card, child.rect().topRight()).x()
        assert right < card.width()


def test_nested_paragraphs_and_chips_get_the_height_they_need(scale: float, qtbot) -> None:
    column = ColumnScroll()
    qtbot.addWidget(column)
    card = Card("Stages")
    stages = stage_list()
    card.add(stages)
    column.add(card)
    column.resize(round(260 * scale), round(400 * scale))
    column.show()
    settle()
    chips = stages.item("one").chips
    for chip in chips.items():
        assert chips.rect().contains(chip.geometry())
    assert stages.item("one").height() >= stages.item("one").sizeHint().height()
    assert column.widget().width() <= column.viewport().width()


def test_the_gutter_keeps_the_width_when_the_bar_appears(scale: float, qtbot) -> None:
    column = ColumnScroll()
    qtbot.addWidget(column)
    column.resize(300, 200)
    column.show()
    settle()
    before = column.viewport().width()
    for _ in range(20):
        column.add(Card("A card", "with a caption"))
    qtbot.waitUntil(lambda: column.verticalScrollBar().maximum() > 0)
    assert column.viewport().width() == before == 300 - round(12 * scale)


# Words for screen readers


def test_gauge_says_its_state(qtbot) -> None:
    shown = Gauge()
    qtbot.addWidget(shown)
    assert shown.accessibleName() == "No score yet"
    shown.set_running()
    assert shown.accessibleName() == "Scoring"
    shown.set_value(3.4, 0.6)
    assert shown.accessibleName() == "Mean 3.4 of 5, plus or minus 0.6"
    shown.set_value(4.0)
    assert shown.accessibleName() == "Mean 4.0 of 5"
    shown.set_empty()
    assert shown.value is None


@pytest.mark.parametrize(
    ("value", "token"), [(4.1, "good_fill"), (2.9, "mid_fill"), (1.2, "bad_fill"), (3.5, "good_fill")]
)
def test_gauge_is_painted_in_the_colour_of_its_score(value: float, token: str, qtbot) -> None:
    shown = Gauge()
    qtbot.addWidget(shown)
    shown.set_value(value, 0.4)
    shown.resize(shown.sizeHint())
    image = shown.grab().toImage()
    colours = {image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())}
    assert getattr(LIGHT, token) in colours


def test_factor_bars_say_every_row(qtbot) -> None:
    shown = factor_bars()
    qtbot.addWidget(shown)
    words = shown.accessibleDescription()
    assert "Wordplay: 5 of 5, expected 4.8, plus or minus 0.2, your average 3.1" in words
    assert "Clarity: no answer" in words
    assert "Economy: being scored" in words
    assert "Originality: not scored yet" in words


def test_best_factor_is_the_highest_and_only_when_asked(qtbot) -> None:
    shown = FactorBars()
    qtbot.addWidget(shown)
    rows = [
        FactorRow("A", score=4, expected=3.9, sd=0.1, state="done"),
        FactorRow("B", score=4, expected=4.2, sd=0.1, state="done"),
        FactorRow("C", score=None, state="done"),
    ]
    shown.set_rows(rows)
    assert shown.best_row() is None
    shown.set_rows(rows, best=True)
    assert shown.best_row() == 1
    shown.set_rows([rows[2]], best=True)
    assert shown.best_row() is None
    shown.set_rows([], best=True)
    assert shown.best_row() is None


def test_check_bars_say_what_failed_and_what_was_needed(qtbot) -> None:
    shown = check_bars()
    qtbot.addWidget(shown)
    assert "intent: failed, 0.04" in shown.accessibleDescription()
    assert "Needs 0.10" in shown.accessibleDescription()


def test_duel_scale_says_winner_band_and_cap(qtbot) -> None:
    shown = DuelScale()
    qtbot.addWidget(shown)
    shown.set_result(3.8, "A")
    assert shown.accessibleName() == "A is funnier: clear, factor 3.8"
    shown.set_result(2.0, "B", 2.6)
    assert shown.accessibleName() == "B is funnier: slight, factor 2.0, capped; 2.6 measured"
    shown.set_result(1.0, "tie", 1.0)
    assert shown.accessibleName() == "A tie: nearly identical, factor 1.0"


@pytest.mark.parametrize(
    ("factor", "band"),
    [
        (1.0, "nearly identical"),
        (1.1, "nearly identical"),
        (1.11, "slight"),
        (2.0, "slight"),
        (2.01, "clear"),
        (5.0, "clear"),
        (9.9, "strong"),
        (10.1, "overwhelming"),
        (1e9, "overwhelming"),
    ],
)
def test_bands_of_the_confidence_factor(factor: float, band: str) -> None:
    assert band_of(factor) == band


def test_a_factor_beyond_the_scale_is_not_claimed() -> None:
    assert factor_text(3.84) == "3.8×"
    assert factor_text(437.0) == "20+"


@pytest.mark.parametrize("width", [260, 480, 1000])
@pytest.mark.parametrize(
    ("factor", "winner", "measured"),
    [(1.0, "tie", None), (1.3, "A", None), (2.0, "B", 30.0), (1e6, "A", None), (20.0, "B", None)],
)
def test_duel_scale_paints_every_result_at_every_width(
    width: int, factor: float, winner: str, measured: float | None, scale: float, qtbot
) -> None:
    shown = DuelScale()
    qtbot.addWidget(shown)
    shown.set_result(factor, winner, measured)
    shown.resize(round(width * scale), shown.sizeHint().height())
    assert not shown.grab().isNull()


def test_orders_plot_says_both_orders(qtbot) -> None:
    shown = OrdersPlot()
    qtbot.addWidget(shown)
    shown.set_orders(0.76, None)
    assert shown.accessibleDescription() == "A first: 0.76. B first: not measured yet"
    shown.set_orders(0.47, 0.91, False, 0.22)
    assert "inconsistent" in shown.accessibleDescription()
    assert "Position bias +0.22" in shown.accessibleDescription()


def test_share_bar_says_its_shares(qtbot) -> None:
    shown = share_bar()
    qtbot.addWidget(shown)
    assert "Pair: 60 percent, leans A" in shown.accessibleDescription()


def test_share_bar_paints_without_any_share(qtbot) -> None:
    shown = ShareBar()
    qtbot.addWidget(shown)
    shown.set_rows([ShareRow("Pair", 0.0)])
    assert not shown.grab().isNull()


def test_chips_say_their_kind(qtbot) -> None:
    for kind, words in (
        ("passed", "intent passed .97"),
        ("failed", "intent failed .97"),
        ("outline", "intent not chosen .97"),
    ):
        chip = Chip(kind, "intent", ".97")
        qtbot.addWidget(chip)
        assert chip.accessibleName() == words
    written = Chip("written", "Geometry")
    qtbot.addWidget(written)
    assert written.accessibleName() == "Geometry written for this joke"


def test_badges_say_score_and_side(qtbot) -> None:
    badge = ScoreBadge(4.14)
    qtbot.addWidget(badge)
    assert badge.accessibleName() == "Score 4.1 of 5"
    badge.set_score(5)
    assert badge.accessibleName() == "Score 5 of 5"
    badge.set_score(None)
    assert badge.accessibleName() == "No score"


@pytest.mark.parametrize(("p", "text"), [(0.79, ".79"), (1.0, "1.00"), (0.0, ".00"), (0.996, "1.00"), (-1, ".00")])
def test_probabilities_in_two_places(p: float, text: str) -> None:
    assert hundredths(p) == text


# Stages


def test_stage_says_its_state_and_time(qtbot) -> None:
    shown = stage_list()
    qtbot.addWidget(shown)
    assert shown.item("one").accessibleName() == "Stage 1, Admissible: done, 2.1 seconds"
    assert shown.item("three").accessibleName() == "Stage 3, Scores: idle"
    shown.set_state("three", "not run")
    assert shown.item("three").seconds.text() == "not run"
    shown.set_state("three", "done", 0.0004)
    assert shown.item("three").seconds.text() == ""
    assert shown.item("three").accessibleName() == "Stage 3, Scores: done"


def test_a_hint_shows_while_idle_and_comes_back_on_reset(qtbot) -> None:
    shown = stage_list()
    qtbot.addWidget(shown)
    assert shown.item("three").text.text() == "0 to 5."
    shown.set_state("three", "running")
    assert shown.item("three").text.isHidden()
    shown.reset()
    assert not shown.item("three").text.isHidden()
    assert shown.item("one").chips.items() == []
    assert shown.item("two").progress.isHidden()


def test_stopped_keeps_what_was_shown(qtbot) -> None:
    shown = stage_list()
    qtbot.addWidget(shown)
    shown.set_state("two", "stopped", 0.9)
    assert shown.item("two").text.text() == "4 of 7 scored"
    assert not shown.item("two").progress.isHidden()


# Keyboard


def window_with(qtbot, *widgets: QWidget) -> QWidget:
    window = QWidget()
    column = QVBoxLayout(window)
    for item in widgets:
        column.addWidget(item)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    settle()
    return window


def test_segmented_moves_with_the_arrows_and_tab_stops_once(qtbot) -> None:
    switch = Segmented([("rate", "Rate"), ("duel", "Duel"), ("trust", "Trust")], "View")
    after = PrimaryButton("After")
    window = window_with(qtbot, switch, after)
    seen: list[str] = []
    switch.changed.connect(seen.append)
    switch.segment("rate").setFocus()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Right)
    assert switch.current() == "duel"
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Right)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Left)
    assert seen == ["duel", "trust", "duel"]
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert window.focusWidget() is after


def test_segmented_sends_nothing_when_nothing_changes(qtbot) -> None:
    switch = Segmented([("rate", "Rate"), ("duel", "Duel")], "View")
    qtbot.addWidget(switch)
    with qtbot.assertNotEmitted(switch.changed):
        switch.set_current("rate")
    with qtbot.waitSignal(switch.changed) as heard:
        qtbot.mouseClick(switch.segment("duel"), Qt.MouseButton.LeftButton)
    assert heard.args == ["duel"]


def test_buttons_act_on_space_and_not_when_disabled(qtbot) -> None:
    button = PrimaryButton("Rate")
    window = window_with(qtbot, button)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    button.setEnabled(False)
    assert button.state == "disabled"


def test_focus_ring_follows_the_keyboard(scale: float, qtbot) -> None:
    first, second, field = PrimaryButton("Rate"), SecondaryButton("Stop"), SearchField()
    window = window_with(qtbot, first, second, field)
    ring = FocusRing(window)
    first.setFocus()
    assert ring.target() is first
    reach = round(4 * scale)
    assert ring.geometry() == first.geometry().adjusted(-reach, -reach, reach, reach)
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert ring.target() is second
    qtbot.keyClick(second, Qt.Key.Key_Tab)
    assert ring.target() is None
    assert ring.isHidden()
    assert ring.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


def test_focus_ring_goes_when_its_control_goes(qtbot) -> None:
    first = PrimaryButton("Rate")
    window = window_with(qtbot, first, SearchField())
    ring = FocusRing(window)
    first.setFocus()
    assert not ring.isHidden()
    with qtbot.waitSignal(first.destroyed):
        first.deleteLater()
    assert ring.target() is None
    assert ring.isHidden()


def test_escape_clears_the_search_and_then_goes_on(qtbot) -> None:
    field = SearchField()
    qtbot.addWidget(field)
    qtbot.keyClicks(field, "parallel")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""


# The editor


def pasted(editor: TextEditor, text: str | None = None, html: str | None = None) -> str:
    data = QMimeData()
    if text is not None:
        data.setText(text)
    if html is not None:
        data.setHtml(html)
    editor.insertFromMimeData(data)
    return editor.toPlainText()


def test_tab_leaves_the_editor(qtbot) -> None:
    editor, button = TextEditor("Type"), PrimaryButton("Rate")
    window = window_with(qtbot, editor, button)
    editor.setFocus()
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert window.focusWidget() is button
    assert editor.toPlainText() == ""


def test_pasting_takes_the_plain_form_and_no_format(qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    assert pasted(editor, "plain <b>stays</b>", "<b>bold</b>") == "plain <b>stays</b>"
    editor.clear()
    assert pasted(editor, html="<p>A <b>bold</b> joke</p><p>and more</p>") == "A bold joke\nand more"


def test_pasting_drops_control_characters_and_keeps_every_script(qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    assert pasted(editor, "a\x00b\x1b[31m\r\nc\td") == "ab[31m\nc\td"
    editor.clear()
    assert pasted(editor, "日本語 👩‍👩‍👧 עברית é") == "日本語 👩‍👩‍👧 עברית é"


@pytest.mark.parametrize("text", ["word " * 24_000, "x" * 120_000, "😂" * 60_000, "a line\n" * 18_000])
def test_editor_takes_over_100_kilobytes_whole(text: str, qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    editor.show()
    assert pasted(editor, text) == text
    assert not editor.grab().isNull()


def test_a_short_text_after_an_endless_word_wraps_at_words_again(qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    at_words = editor.wordWrapMode()
    editor.setPlainText("x" * 5000)
    assert editor.wordWrapMode() != at_words
    editor.setPlainText("short again")
    assert editor.wordWrapMode() == at_words


def test_read_only_editor_looks_sunken_and_takes_nothing(qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    editor.setPlainText("kept")
    editor.resize(300, 100)
    editor.setReadOnly(True)
    qtbot.keyClicks(editor, "more")
    assert editor.toPlainText() == "kept"
    image = editor.grab().toImage()
    assert image.pixelColor(image.width() // 2, image.height() - 20).name().upper() == LIGHT.sunken
    editor.setReadOnly(False)
    image = editor.grab().toImage()
    assert image.pixelColor(image.width() // 2, image.height() - 20).name().upper() == LIGHT.surface


# Plain text, whatever it looks like

HOSTILE = "<b>bold</b> &amp; <img src=x> {b} %s\n<h1>big</h1>"


def test_paragraph_shows_html_as_it_is_typed(qtbot) -> None:
    shown = Paragraph([(HOSTILE, "normal"), (HOSTILE, "quote")])
    qtbot.addWidget(shown)
    assert shown.text() == HOSTILE * 2
    assert shown.accessibleName() == HOSTILE * 2
    plain, marked = Paragraph("bold"), Paragraph("<b>bold</b>")
    qtbot.addWidget(plain)
    qtbot.addWidget(marked)
    assert marked.sizeHint().width() > plain.sizeHint().width()


def test_labels_are_plain_text(qtbot) -> None:
    for label in (Label(HOSTILE), Caption(HOSTILE)):
        qtbot.addWidget(label)
        assert label.textFormat() == Qt.TextFormat.PlainText


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


def test_styles_after_an_emoji_lie_on_their_own_words(qtbot) -> None:
    shown = Paragraph([("😂😂 ", "normal"), ("quoted", "quote")])
    qtbot.addWidget(shown)
    shown.resize(300, 30)
    image = shown.grab().toImage()
    columns = [
        x
        for x in range(image.width())
        if any(image.pixelColor(x, y).name().upper() == LIGHT.mark for y in range(image.height()))
    ]
    width = Paragraph("quoted").sizeHint().width()
    assert abs((columns[-1] - columns[0]) - width) < theme.px(8)


def test_flow_wraps_and_replaces(scale: float, qtbot) -> None:
    flow = ChipFlow()
    qtbot.addWidget(flow)
    flow.resize(round(120 * scale), 10)
    flow.show()
    flow.set_chips([Chip("plain", word) for word in ("Wordplay", "Surprise", "Clarity")])
    settle()
    assert flow.height() == round(24 * scale) * 3 + round(6 * scale) * 2
    flow.set_chips([Chip("plain", LONG)])
    settle()
    assert flow.height() == round(24 * scale)
    assert flow.items()[0].width() <= flow.width()
    flow.clear()
    assert flow.height() == 0


def test_banner_without_action_has_no_button(qtbot) -> None:
    banner = Banner("warning", "The two orders disagree.")
    qtbot.addWidget(banner)
    assert banner.button.isHidden()
    banner.set_message("Try a larger one.", "Weak model", "Choose model")
    assert not banner.button.isHidden()
    assert banner.accessibleName() == "Weak model Try a larger one."
    with qtbot.waitSignal(banner.acted):
        banner.button.click()


def test_bars_grow_only_with_motion(qapp: QApplication, scale: float, qtbot) -> None:
    shown = Gauge()
    qtbot.addWidget(shown)
    shown.show()
    shown.set_value(4.0)
    assert shown._grow.value() == 1.0
    theme.install(qapp, "light", scale, reduced_motion=False)
    shown.set_value(3.0)
    assert shown._grow.value() < 1.0
    qtbot.waitUntil(lambda: shown._grow.value() == 1.0)
