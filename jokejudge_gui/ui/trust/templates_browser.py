"""One judged row after another: those that failed, those that can't be told, or all."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...errors import JokeJudgeError
from ...judging.templates.values import text_of
from ...runs.template_results import Group, TemplateResults
from ..look.theme import px, theme
from ..widgets.choice import ChoiceButton
from ..widgets.controls import SecondaryButton
from ..widgets.text import Label, Paragraph
from .cards import Rows

_MOST = 600
"""Characters of an input, an output or a reasoning that stand here; the history and the file have them whole."""


_GROUPS: dict[Group, str] = {
    "failed": "Failed",
    "untold": "Not told",
    "passed": "Passed",
    "errors": "Not judged",
}


class TemplatesBrowser(QWidget):
    """Shows one row of a run at a time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results: TemplateResults | None = None
        self.stored = False
        """Whether it shows a verdict of the history."""
        self._groups: list[Group] = []
        self._group = 0
        self._place = 0
        self.choice = ChoiceButton("Rows to look at")
        self.choice.chosen.connect(self._choose)
        self.before = SecondaryButton("Previous")
        self.before.clicked.connect(lambda: self._step(-1))
        self.after = SecondaryButton("Next")
        self.after.clicked.connect(lambda: self._step(1))
        self.where = Label("", 13)
        self.heading = Paragraph("", 15, 500, "text")
        self.parts = Rows()
        self._body = QVBoxLayout(self)
        self._body.setContentsMargins(0, 0, 0, 0)
        self._foot = QHBoxLayout()
        for widget in (self.before, self.after, self.where):
            self._foot.addWidget(widget)
        self._foot.addStretch(1)
        self._body.addWidget(self.choice)
        self._body.addLayout(self._foot)
        self._body.addWidget(self.heading)
        self._body.addWidget(self.parts)
        theme().changed.connect(self._scale)
        self._scale()

    def _scale(self) -> None:
        self._foot.setSpacing(px(8))
        self._body.setSpacing(px(10))

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.choice, self.before, self.after]

    def set_results(self, results: TemplateResults) -> None:
        """Show the first row of the first group that has one: failures come first."""
        if self._results is results:
            return
        self._results, self.stored = results, False
        self._groups = [group for group in _GROUPS if results.count(group)]
        self._choose(0)

    def show_stored(self, line: dict[str, Any]) -> None:
        """Show a verdict of the history, ``line`` as a run writes it."""
        self._results, self.stored = None, True
        self._show(line)
        for widget in (self.choice, self.before, self.after):
            widget.hide()
        self.where.setText("From the history")
        self.show()

    def _choose(self, group: int) -> None:
        assert self._results is not None
        self._group, self._place = group, 0
        names = [f"{_GROUPS[name]} ({self._results.count(name):,})" for name in self._groups]
        self.choice.set_options(names, group)
        self._draw()

    def _step(self, by: int) -> None:
        self._place += by
        self._draw()
        if not (self.before if by < 0 else self.after).isEnabled():
            (self.after if by < 0 else self.before).setFocus()

    def _draw(self) -> None:
        self.setVisible(bool(self._groups))
        if not self._groups:
            return
        assert self._results is not None
        group = self._groups[self._group]
        count = self._results.count(group)
        for widget in (self.choice, self.before, self.after):
            widget.show()
        self.before.setEnabled(self._place > 0)
        self.after.setEnabled(self._place + 1 < count)
        self.where.setText(f"{self._place + 1:,} of {count:,}")
        try:
            line = self._results.row(group, self._place)
        except JokeJudgeError as error:  # the file has gone since it was read
            self.heading.set_content("This row can't be shown.")
            self.parts.set_items([_paragraph("", f"{error.sentence} {error.hint}")])
            return
        self._show(line)

    def _show(self, line: dict[str, Any]) -> None:
        self.heading.set_content(f"{line.get('id') or 'Without an id'} · {line.get('module') or 'no module'}")
        self.parts.set_items([_paragraph(name, text) for name, text in _parts(line) if text])


def _paragraph(name: str, text: str) -> QWidget:
    part = Paragraph("", 14, token="text")
    part.set_content([(f"{name}: ", "strong"), (text, "normal")] if name else text)
    return part


def _parts(line: dict[str, Any]) -> list[tuple[str, str]]:
    """What is said of a row, name by name."""
    error = line.get("error")
    if error is not None:
        return [("", f"{error['sentence']} {error.get('hint', '')}".strip())]
    evaluation = line["evaluation"]
    if evaluation is None:
        return [("", "It ended before anything was found."), ("Input", _shown(line["input"]))]
    correct, quality = evaluation["correctness"], evaluation["reasoning_quality"]
    parts = [
        ("", str(line["summary"])),
        ("Input", _shown(line["input"])),
        ("Output", _shown(correct["output_value"])),
        ("Expected", _shown(correct["expected_value"])),
        ("Reasoning", _shown(line["reasoning"])),
        ("Correctness", f"{correct['score']:g} of 40"),
    ]
    for rule in evaluation["rule_compliance"]["rules"]:
        state = {True: "kept", False: "broken", None: "not told"}[rule["compliant"]]
        parts.append((f"{rule['name']}, {state}", rule["evidence"] or rule["why"]))
    if quality["score"] is not None:
        parts.append(("Reasoning quality", f"{quality['score']} of 20"))
    return [*parts, *(("Suggestion", tip) for tip in line["improvement_suggestions"])]


def _shown(value: Any) -> str:
    text = text_of(value)
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
