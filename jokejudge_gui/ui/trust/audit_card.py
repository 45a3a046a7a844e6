"""The card of a model's audit: what moves its verdicts though it shouldn't, and making one."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...audit.drift import Drift, drift_lines
from ...judging.audit.answers_left import answers_left, left_lines
from ...judging.audit.types import ADMISSIONS, AuditResult
from ...judging.audit.words import STRENGTH, VOICE, Names, effect_rows, summary
from ...rubric.perturbations import parse_perturbations
from ..widgets.button_row import ButtonRow
from ..widgets.controls import LinkButton
from ..widgets.text import Caption, Paragraph
from .auditing import Auditor
from .cards import Rows
from .plan_table import PlanGroup, PlanRow, PlanTable
from .run_card import GO_ON, RunCard

BEGIN, AGAIN = "Audit this model", "Audit it again"
OFFER = (
    "200 pairs of jokes are read with one of them changed: longer, by a famous author, with likes, in capitals, with "
    "an order to the judge and so on. That takes a small model some minutes. Verdicts go first, and the audit is kept "
    "in the history."
)
_MOST_FLIPS = 3
"""Pairs that changed, shown of each voice; the report has them all."""
_NONE = "This model hasn't been audited."


class AuditCard(RunCard):
    """Draws an ``AuditResult`` and an ``Auditor``. ``save_asked`` carries the audit whose report is wanted,
    ``compare_asked`` the one that is to be held against an earlier one; ``choose_asked``: a file of pairs is wanted."""

    save_asked = Signal(object)
    compare_asked = Signal(object)
    choose_asked = Signal()

    def __init__(self, auditor: Auditor) -> None:
        super().__init__(
            "What moves it though it shouldn't", auditor, "Auditing the model",
            first="Verdicts go first.", kept="What was read is kept.",
        )  # fmt: skip
        self._auditor = auditor
        self.shown: AuditResult | None = None
        self.drift: Drift | None = None
        self._names = Names(parse_perturbations())
        self.text = Paragraph("", 14, token="text")
        self.own_link = LinkButton("On my own pairs…")
        self.own_link.clicked.connect(self.choose_asked)
        self.save_link = LinkButton("Save report…")
        self.save_link.clicked.connect(self._save)
        self.compare_link = LinkButton("Compare with an earlier audit…")
        self.compare_link.clicked.connect(self._compare)
        self.table = PlanTable(name="What moves this model")
        self.drift_title = Paragraph("", 13, 600, "text")
        self.drift_text = Paragraph("", 13, token="text")
        self.flips = Rows()
        for widget in (self.text, self.table, self.drift_title, self.drift_text, self.flips):
            self.add(widget)
        self.add_run(self.own_link)
        self.add_layout(ButtonRow(*self._files))
        self.draw()

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.button, self.own_link, *self._files]

    @property
    def _files(self) -> tuple[LinkButton, LinkButton]:
        return self.save_link, self.compare_link

    def show_audit(self, found: AuditResult | None, usable: bool) -> None:
        """``found``: None where there is none; ``usable``: the model is the one in use, which alone can be audited."""
        if found is None or found != self.shown:
            self._set_drift(None)
        self.shown, self._usable = found, usable
        groups = []
        for voice, rows in groupby(effect_rows(found, self._names) if found else (), key=lambda row: row[0]):
            # A pull is a number of log-odds, or of texts admitted.
            unit = "share of texts admitted" if voice in ADMISSIONS else "log-odds towards the changed joke"
            lines = tuple(PlanRow(name, pull, STRENGTH[told], "", True) for _, name, pull, told in rows)
            groups.append(PlanGroup(f"{VOICE[voice]} · {unit}", lines))
        self.table.set_groups(groups)
        self.table.setVisible(bool(groups))
        said = (*summary(found, self._names), *left_lines(answers_left(found))) if found is not None else (_NONE,)
        self.text.set_content(" ".join(line for line in said if line))
        self.draw()

    def show_drift(self, result: AuditResult, found: Drift, name: str) -> None:
        """Say what changed since the audit in the file ``name``, if ``result`` is still the one that is shown."""
        if result == self.shown:
            self._set_drift(found, name)

    def _set_drift(self, found: Drift | None, name: str = "") -> None:
        self.drift = found
        self.drift_title.set_content(f"Beside the audit in {name}")
        self.drift_text.set_content(" ".join(drift_lines(found)) if found is not None else "")
        rows: list[QWidget] = []
        for voice in found.voices if found is not None else ():
            shown = voice.flips[:_MOST_FLIPS]
            if shown:
                count = f"{len(shown)} of {len(voice.flips):,}" if len(voice.flips) > len(shown) else f"{len(shown):,}"
                rows.append(Caption(f"{VOICE[voice.voice]} · {count} that changed"))
            for flip in shown:
                ahead, behind = (flip.text_a, flip.text_b) if flip.now == "A" else (flip.text_b, flip.text_a)
                rows.append(Paragraph(f"Now ahead: {ahead}\nBefore: {behind}", 13))
        self.flips.set_items(rows)
        for widget in (self.drift_title, self.drift_text):
            widget.setVisible(found is not None)
        self.flips.setVisible(bool(rows))

    def draw(self) -> None:
        """Say where the audit stands, and what can be done with the one that is shown."""
        super().draw()
        live = self._auditor.live and self._usable
        self.own_link.setVisible(self._usable and not live)
        for link in self._files:
            link.setVisible(self.shown is not None and not live)

    def _at_rest(self) -> str:
        return self._made() or (OFFER if self._usable else "")

    def _offer(self) -> str:
        if self._auditor.phase == "stopped":
            return GO_ON
        return BEGIN if self.shown is None else AGAIN

    def _made(self) -> str:
        """What the audit was made on."""
        if self.shown is None:
            return ""
        return f"On {len(self.shown.pairs):,} pairs: {self.shown.source}. JokeJudge {self.shown.program}."

    def _begin(self) -> None:
        if self._auditor.phase == "stopped":
            self._auditor.go_on()
        else:
            self._auditor.start()

    def _compare(self) -> None:
        if self.shown is not None:
            self.compare_asked.emit(self.shown)

    def _save(self) -> None:
        if self.shown is not None:
            self.save_asked.emit(self.shown)
