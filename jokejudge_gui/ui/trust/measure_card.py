"""The card from which the model in use is measured on the user's own file."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ...runs.pace import pace
from ..look import wording
from ..widgets.button_row import ButtonRow
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton
from ..widgets.progress import ProgressLine
from ..widgets.segmented import Segmented
from ..widgets.text import Caption, Paragraph
from .measuring import Labelled, Measurer

_LIMITS = [("100", "100"), ("300", "300"), ("1000", "1,000"), ("all", "All")]
_USUAL = "300"
_NEEDS = (
    "Tables as CSV: text_a, text_b and winner (A, B or tie) or votes_a, votes_b; or text and rating. Or an editor's "
    "readings as JSON lines. Several files are measured each and together. Nothing leaves "
    "this computer, and nothing goes into the history."
)
_WIDTHS = {"100": "about 10 of 100", "300": "6", "1000": "3"}
"""Half the 95 % interval of an agreement near 60 %, by rows."""


class MeasureCard(Card):
    """Draws a ``Measurer``. ``choose_asked``: a file is wanted."""

    choose_asked = Signal()

    def __init__(self, measurer: Measurer) -> None:
        super().__init__("Measure it on your own file")
        self._measurer = measurer
        self._usable = True
        self.text = Paragraph("", 14)
        self.note = Paragraph("", 13)
        self.limit_label = Caption("Rows to judge")
        self.limit = Segmented(_LIMITS, "Rows to judge", 13)
        self.limit.changed.connect(self._want)
        self._wanted = _USUAL
        self._offered: tuple[tuple[Labelled, ...], list[str]] = ((), [])
        self.line = ProgressLine(name="Rows judged")
        self.run_button = PrimaryButton("Measure on your own file…")
        self.run_button.clicked.connect(self._run)
        self.stop_button = SecondaryButton("Stop", "stop")
        self.stop_button.clicked.connect(measurer.stop)
        self.other_link = LinkButton("Other files…")
        self.other_link.clicked.connect(self.choose_asked)
        self.add(self.text)
        self.add(self.limit_label)
        self.body.addWidget(self.limit, 0, Qt.AlignmentFlag.AlignLeft)
        self.add(self.note)
        self.add(self.line)
        self.add_layout(ButtonRow(self.run_button, self.stop_button, self.other_link))
        measurer.changed.connect(self.draw)
        self.draw()

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [*(self.limit.segment(key) for key, _ in _LIMITS), self.run_button, self.stop_button, self.other_link]

    def set_usable(self, usable: bool) -> None:
        """Whether the model that is shown is the one in use, which alone can be measured."""
        self._usable = usable
        self.draw()

    def _run(self) -> None:
        key = self.limit.current()
        if self._measurer.phase in ("ready", "stopped") and self._measurer.files:
            self._measurer.start(None if key == "all" else int(key))
        else:
            self.choose_asked.emit()

    def draw(self) -> None:
        """Say where the measurement stands; the keyboard's focus goes from Measure to Stop and back."""
        measurer = self._measurer
        live, phase = measurer.live, measurer.phase
        focused = any(widget.hasFocus() for widget in (self.run_button, self.stop_button, self))
        if focused:
            # A button that is disabled or hidden would give the keyboard to whatever comes next in the window.
            self.setFocus()
        ready = phase in ("ready", "stopped") and bool(measurer.files)
        self._offer_limits()
        self._say()
        for widget in (self.limit_label, self.limit):
            widget.setVisible(ready and not live and bool(self._offered[1]))
        self.run_button.setText("Go on" if phase == "stopped" else "Measure" if ready else "Measure on your own file…")
        self.run_button.setVisible(not live)
        self.run_button.setEnabled(self._usable and phase != "reading")
        self.other_link.setVisible(ready and not live)
        self.stop_button.setVisible(live)
        self.stop_button.setEnabled(phase not in ("stopping", "measuring"))
        self.line.setVisible(live and measurer.progress is not None)
        if measurer.progress is not None:
            self.line.set_fraction(measurer.progress.done / max(1, measurer.progress.total))
        if focused and (self.stop_button if live else self.run_button).isEnabled():
            (self.stop_button if live else self.run_button).setFocus()

    def _offer_limits(self) -> None:
        """Offer no limit that all files are under; what was chosen stays for other files while it can."""
        files = self._measurer.files
        if files == self._offered[0]:
            return
        most = max((file.rows for file in files), default=0)
        keys = [key for key, _ in _LIMITS if key != "all" and int(key) < most]
        self._offered = files, keys
        self.limit.offer([*keys, "all"])
        self.limit.blockSignals(True)
        self.limit.set_current(self._wanted if self._wanted in keys else "all")
        self.limit.blockSignals(False)

    def _want(self, key: str) -> None:
        self._wanted = key

    def _widths(self) -> str:
        """What each number of rows is worth; empty where there is nothing to choose from."""
        names = dict(_LIMITS)
        first, *more = [(names[key], _WIDTHS[key]) for key in self._offered[1]] or [("", "")]
        others = "".join(f", of {rows} to within {width}" for rows, width in more)
        if not first[0]:
            return ""
        return (
            f"Chosen at random, of each file. Of {first[0]} pairs the agreement is known to within {first[1]}{others}."
        )

    def _say(self) -> None:
        text, note = self._words()
        if self.text.text() != text:
            self.text.set_content(text)
        if self.note.text() != note:
            self.note.set_content(note)
        self.note.setVisible(bool(note))

    def _words(self) -> tuple[str, str]:
        measurer = self._measurer
        name = measurer.name or "the file"
        if not self._usable and not measurer.live:
            return "Only the model in use can be measured. Choose this one in the model menu first.", ""
        match measurer.phase:
            case "reading":
                return "Reading the file…", ""
            case "ready":
                return self._found(), self._widths()
            case "waiting":
                words = wording.sentence_case(f"{measurer.note}…") if measurer.note else ""
                return f"Measuring {name} begins when the model is free.", words
            case "running" | "stopping":
                return self._running(name)
            case "measuring":
                return (
                    f"Learning from {name} what is right in it without any judge…",
                    "A verdict needn't wait for this.",
                )
            case "stopped":
                return (
                    f"Stopped. What was judged of {name} is kept, and measuring it again goes on from there.",
                    self._widths(),
                )
            case "failed" if measurer.error is not None:
                return f"{measurer.error.sentence} {measurer.error.hint}".strip(), _NEEDS
            case _:
                return "Measure the model in use on jokes that people have judged.", _NEEDS

    def _found(self) -> str:
        return " ".join(self._of_file(found) for found in self._measurer.files)

    def _of_file(self, found: Labelled) -> str:
        noun = "pair" if found.kind == "pairs" else "text"
        left = [
            wording.count_of(found.ties, "tie") if found.ties else "",
            f"{found.bad:,} unusable" if found.bad else "",
        ]
        out = " and ".join(part for part in left if part)
        return f"{found.path.name}: {wording.count_of(found.rows, noun)}" + (f"; {out} left out." if out else ".")

    def _running(self, name: str) -> tuple[str, str]:
        measurer = self._measurer
        if measurer.phase == "stopping":
            return f"Stopping. {name} is measured as far as it was judged.", ""
        rows = measurer.progress
        if measurer.note or rows is None:
            return f"Measuring {name}.", wording.sentence_case(f"{measurer.note}…") if measurer.note else ""
        speed = pace(rows.done, rows.total, rows.seconds).strip()
        return f"Measuring {name}.", f"{rows.done:,} of {rows.total:,}" + (f" · {speed}" if speed else "")
