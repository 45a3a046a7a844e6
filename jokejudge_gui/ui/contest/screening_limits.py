"""The three limits of a screening, and what they cost as they move."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSlider, QWidget

from ...judging.contest.screening import Screening
from ...judging.contest.screening_types import Thresholds
from ..look.theme import px, theme
from ..widgets.cards import Card
from ..widgets.controls import FilterChip, LinkButton, SecondaryButton
from ..widgets.flow import Flow
from ..widgets.text import Label, Paragraph, Run

_ROWS = (
    ("reject", "Reject below", "Reject a joke with a chance below"),
    ("high", "High from", "Let people choose between jokes with a chance from"),
    ("promote", "No vote from", "A single high joke needs no vote from a chance of"),
)
PENALTY = "Take .01 off for each word over 50"


class LimitsCard(Card):
    """``moved`` carries limits and whether long texts lose something; ``propose_asked``: limits that the list
    justifies are wanted."""

    moved = Signal(object, bool)
    propose_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.reset_link = LinkButton("Back to 0.70, 0.85, 0.90")
        super().__init__("Limits", "", self.reset_link, fill=True, parent=parent)
        self.reset_link.clicked.connect(self._reset)
        self.sliders: dict[str, QSlider] = {}
        self._values: dict[str, Label] = {}
        self._showing = False
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        for row, (name, label, said) in enumerate(_ROWS):
            slider = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, 100)
            slider.setPageStep(5)
            slider.setAccessibleName(f"{said}, in hundredths")
            slider.valueChanged.connect(lambda value, name=name: self._on_slider(name, value))
            value = Label("", 14, 600, tabular=True)
            self.sliders[name], self._values[name] = slider, value
            self._grid.addWidget(Label(label, 14), row, 0)
            self._grid.addWidget(slider, row, 1)
            self._grid.addWidget(value, row, 2)
        self.add_layout(self._grid)
        self.errors = Paragraph("", 14)
        self.add(self.errors)
        self.strict = Paragraph("", 13, token="mid_text")
        self.add(self.strict)
        self.propose_button = SecondaryButton("Use limits from this list")
        self.propose_button.setToolTip("As many pass as are expected to be good; the first three of them are high.")
        self.propose_button.clicked.connect(self.propose_asked)
        self.penalty = FilterChip(PENALTY)
        self.penalty.setToolTip("Long texts are rated lower. The reading itself already stands apart from length.")
        self.penalty.toggled.connect(lambda _on: self._tell())
        self._acts = Flow(gap=10)
        for widget in (self.propose_button, self.penalty):
            self._acts.add(widget)
        self.add(self._acts)
        self._scale()
        theme().changed.connect(self._scale)

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        return [*self.sliders.values(), self.propose_button, self.penalty, self.reset_link]

    def _scale(self) -> None:
        self._grid.setHorizontalSpacing(px(16))
        self._grid.setVerticalSpacing(px(4))
        for slider in self.sliders.values():
            slider.setMinimumHeight(px(20))
        for value in self._values.values():
            value.setMinimumWidth(px(40))

    @property
    def limits(self) -> Thresholds:
        """Where the sliders stand."""
        return Thresholds(**{name: slider.value() / 100.0 for name, slider in self.sliders.items()})

    def show_limits(self, limits: Thresholds, *, penalty: bool) -> None:
        """Put the sliders where the limits are."""
        self._showing = True
        for name, value in limits.model_dump().items():
            self.sliders[name].setValue(round(100 * value))
            self._values[name].setText(f"{value:.2f}")
        self.penalty.setChecked(penalty)
        self._showing = False
        self.reset_link.setVisible(limits != Thresholds())

    def show_costs(self, found: Screening | None, strict: str) -> None:
        """Both errors, and whether the limits are too strict for the model."""
        runs = errors_told(found) if found is not None else []
        if self.errors.text() != "".join(text for text, _ in runs):
            self.errors.set_content(runs)
        self.errors.setVisible(bool(runs))
        if self.strict.text() != strict:
            self.strict.set_content(strict)
        self.strict.setVisible(bool(strict))

    def _on_slider(self, name: str, value: int) -> None:
        if self._showing:
            return
        # Reject below high below promote: a limit takes the others along.
        order = list(self.sliders)
        self._showing = True
        for other, slider in self.sliders.items():
            if order.index(other) < order.index(name):
                slider.setValue(min(slider.value(), value))
            elif order.index(other) > order.index(name):
                slider.setValue(max(slider.value(), value))
            self._values[other].setText(f"{slider.value() / 100:.2f}")
        self._showing = False
        self._tell()

    def _reset(self) -> None:
        self.show_limits(Thresholds(), penalty=self.penalty.isChecked())
        self._tell()

    def _tell(self) -> None:
        if not self._showing:
            self.reset_link.setVisible(self.limits != Thresholds())
            self.moved.emit(self.limits, self.penalty.isChecked())


def errors_told(found: Screening) -> list[Run]:
    """What the limits cost: good ones that are missed, and others that pass."""
    missed, wasted = found.costs()
    return [("Missed: ", "strong"), (f"{missed}. ", "normal"), ("In vain: ", "strong"), (f"{wasted}.", "normal")]
