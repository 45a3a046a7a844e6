"""What the user measured: agreement in words and bars, habits, and the validation table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from ...evaluation.evaluation_types import PairsReport, RatingsReport, Validation
from ...evaluation.reference_words import reference_words
from ...evaluation.validation import CAUTION, hundred, in_words
from ...runs.kept import Kept
from ...statistics import Correlation, Fraction
from ...trust.words import listed
from ..look.theme import px, theme
from ..widgets.agreement_bars import AgreementBars, BarGroup, BarRow
from ..widgets.button_row import ButtonRow
from ..widgets.cards import Card, Rule
from ..widgets.choice import ChoiceButton
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.text import Label, Paragraph
from .beside import BesidePart
from .cards import JUDGE, LONGER, PERSON, WORDS, Rows, passed_label

_PARTS = {"all": "All pairs", "clear": "Clear votes (at least 4, 80 % for one)"}


def bar(name: str, share: Fraction | None, mine: bool = False) -> list[BarRow]:
    """A bar with its Wilson interval, or none for no rows."""
    if share is None or share.share is None:
        return []
    return [BarRow(name, share.share, share.low, share.high, mine)]


def groups_of(report: PairsReport) -> list[BarGroup]:
    found = []
    for row in report.agreement:
        bars = [*bar(JUDGE, row.judge, mine=True), *bar(LONGER, row.length), *bar(WORDS, row.ngrams)]
        if row.margin == "all":
            bars += bar(PERSON, report.one_person)
        found.append(BarGroup(f"{_PARTS[row.margin]} · {row.judge.n:,}", tuple(bars)))
    return found


def habits_of(report: PairsReport) -> str:
    """Calibration, and what the order does, in words."""
    parts = []
    trust = report.trust
    if trust.ece is not None and trust.log_loss is not None:
        parts.append(
            f"Its odds are off by {100 * trust.ece:.0f} of 100 on average (calibration error {trust.ece:.3f}); "
            f"log-loss {trust.log_loss:.3f}, where a coin has 0.693."
        )
    if report.flips.share is not None:
        parts.append(f"The two orders disagree in {hundred(report.flips)} of 100 pairs.")
    if report.position_bias is not None:
        place = "first" if report.position_bias >= 0 else "second"
        lean = 100 * abs(report.position_bias)
        parts.append(f"On average it gives the {place} place {lean:.0f} of 100 more than its due.")
    return " ".join(parts)


def ratings_words(report: RatingsReport) -> str:
    """How its score, and the audience's, go with people's ratings; wrong rejections and acceptances."""
    columns = [
        ("its score", report.score.spearman),
        ("its audience estimate", report.audience.spearman if report.audience is not None else None),
        ("length alone", report.length),
        ("wording alone", report.ngrams),
    ]
    known = [
        f"{name} {_correlation(found)}" for name, found in columns if found is not None and found.value is not None
    ]
    parts = [f"Ranked beside people's ratings (1: the same order, 0: no relation): {listed(known)}."] if known else []
    for share, words in (
        (report.admission.false_reject, "of the jokes were rejected"),
        (report.admission.false_accept, "of what is no joke was accepted"),
    ):
        if share is not None and share.share is not None:
            parts.append(f"{hundred(share)} of 100 {words} ({share.n:,}).")
    return " ".join(parts) or "No text with a rating was judged."


def _correlation(found: Correlation) -> str:
    if found.value is None:
        return "–"
    spread = f" ({found.low:.2f} to {found.high:.2f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:.2f}{spread}".replace("-", "−")


class ValidationTable(QWidget):
    """The measures by which a judge is accepted."""

    def __init__(self, rows: Sequence[Validation]) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(0, 1)
        for number, row in enumerate(rows):
            name = f"{row.measure[:1].upper()}{row.measure[1:]}"
            self._grid.addWidget(Paragraph(name, 13, token="text"), number, 0, Qt.AlignmentFlag.AlignTop)
            value = "" if row.value is None else f"{row.value:.2f}".replace("-", "−")
            needs = f"{'≥' if row.at_least else '≤'} {row.threshold:.2f}"
            for column, label in enumerate(
                (
                    Label(value, 13, 600, tabular=True),
                    Label(needs, 13, 400, "text2", tabular=True),
                    passed_label(row.passed),
                ),
                1,
            ):
                self._grid.addWidget(label, number, column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Validation table")
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._grid.setHorizontalSpacing(px(10))
        self._grid.setVerticalSpacing(px(4))


class OwnCard(Card):
    """``save_asked`` and ``forget_asked`` carry the evaluation that is shown, ``shown_changed`` the one that is from
    now on."""

    save_asked = Signal(object)
    forget_asked = Signal(object)
    shown_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__("Your own measurement")
        self._measured: tuple[Kept, ...] = ()
        self.shown: Kept | None = None
        self.choice = ChoiceButton("Measurement")
        self.choice.chosen.connect(lambda place: self._show(self._measured[place]))
        self.lead = Paragraph("", 13)
        self.parts = Rows()
        self.beside = BesidePart()
        self.save_button = SecondaryButton("Save report…")
        self.save_button.clicked.connect(lambda: self.save_asked.emit(self.shown))
        self.forget_link = LinkButton("Forget it")
        self.forget_link.clicked.connect(lambda: self.forget_asked.emit(self.shown))
        self.add(self.choice)
        self.add(self.lead)
        self.add(self.parts)
        self.add(self.beside)
        self.add_layout(ButtonRow(self.save_button, self.forget_link))

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.choice, self.beside.choice, self.save_button, self.forget_link]

    def set_measured(self, measured: tuple[Kept, ...]) -> None:
        """Show the newest; the others can be chosen."""
        self.setVisible(bool(measured))
        if measured == self._measured:
            return
        self._measured = measured
        self.choice.set_options([f"{kept.source}, {_day(kept.moment)}" for kept in measured], 0)
        self.choice.setVisible(len(measured) > 1)
        self.shown = None
        if measured:
            self._show(measured[0])

    def _show(self, kept: Kept) -> None:
        self.shown = kept
        self.shown_changed.emit(kept)
        judged = f"{kept.found.judged:,} judged"
        unfinished = "" if kept.found.whole else ", not finished"
        self.lead.set_content(f"{kept.source} · {judged}{unfinished} · {_day(kept.moment)} · version {kept.program}")
        parts: list[QWidget] = []
        for pairs in kept.found.pairs:
            if pairs.judged:
                bars = AgreementBars()
                bars.set_groups(groups_of(pairs))
                parts += [Paragraph(in_words(pairs), 14, token="text"), bars, Paragraph(habits_of(pairs), 13)]
        parts += [
            Paragraph(ratings_words(ratings), 14, token="text") for ratings in kept.found.ratings if ratings.judged
        ]
        parts += [
            Paragraph(reference_words(report), 14, token="text") for report in kept.found.reference if report.judged
        ]
        caution = Paragraph(CAUTION, 12, token="text3")
        self.parts.set_items([*parts, Rule("line"), ValidationTable(kept.found.validation), caution])


def _day(moment: str) -> str:
    try:
        when = datetime.fromisoformat(moment).astimezone()
    except (ValueError, OverflowError, OSError):
        return moment[:10]
    return f"{when.day} {when:%B %Y}"
