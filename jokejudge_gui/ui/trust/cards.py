"""The cards of the Trust tab: a trust card's contents in words and bars."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ...core.paths import Profile
from ...core.statistics import Fraction
from ...core.verdicts import ModelRef
from ...learning import trust_cards as words
from ...learning.trust_cards import Estimate, KindFigures, TrustCard
from ...measure.evaluation import PairsReport
from ...measure.kept import KeptEvaluation, KeptEvaluations
from ...measure.model_page import ENDINGS, model_page, write_page
from ...measure.words import evaluation_pages
from ...measure.worths import ModelTrust
from ..judge_worker import JudgeWorker
from ..look import wording
from ..look.wording import Run
from ..widgets.cards import Card, Rule
from ..widgets.controls import ChoiceButton, LinkButton, SecondaryButton
from ..widgets.dialog import ask_file
from ..widgets.layout import HBox, VBox
from ..widgets.page import FigureTable
from ..widgets.text import Paragraph
from .measuring import write_report
from .tables import AgreementBars, BarGroup, BarRow

JUDGE, LONGER, WORDS, PERSON = "JokeJudge", "“longer wins”", "word statistics", "one person"


_SLICES = {
    "jokes": "Real jokes", "strong jokes": "Real jokes, where people clearly differed",
    "all": "All pairs", "strong": "All pairs, where people clearly differed",
}  # fmt: skip


def bars_of(
    caption: str,
    judge: Estimate | Fraction | None,
    length: Estimate | Fraction | None,
    ngrams: Estimate | Fraction | None,
    person: Estimate | Fraction | None = None,
) -> BarGroup:
    """Return bars of the judge and its baselines, each with its 95 % interval, without those that weren't measured."""
    rows = []
    for name, figure in ((JUDGE, judge), (LONGER, length), (WORDS, ngrams), (PERSON, person)):
        value: float | None = getattr(figure, "share" if isinstance(figure, Fraction) else "value", None)
        if figure is not None and value is not None:
            rows.append(BarRow(name, value, figure.low, figure.high, name == JUDGE))
    return BarGroup(caption, tuple(rows))


def groups_of(kind: KindFigures, one_person: float | None) -> list[BarGroup]:
    """Return bars for each measured slice: real jokes, all pairs, and those of each where people clearly differed."""
    found = []
    for part, caption in _SLICES.items():
        if part in kind.head:
            count = kind.pairs.get(part)
            person = Estimate(value=one_person) if one_person is not None and part == "all" else None
            name = f"{caption} · {count:,}" if count is not None else caption
            found.append(bars_of(name, kind.head[part], kind.longer.get(part), kind.ngrams.get(part), person))
    return found


class KindCard(Card):
    """One kind of text: the result in words above its bars."""

    def __init__(self, kind: KindFigures, one_person: float | None) -> None:
        super().__init__(words.title(kind.name), "of 100 pairs, right")
        self.bars = AgreementBars(groups_of(kind, one_person))
        self.add(Paragraph(words.kind_words(kind), 14, token="text"), self.bars)


class UnseenCard(Card):
    """Agreement on kinds of text that were excluded from training."""

    def __init__(self, card: TrustCard) -> None:
        super().__init__("A kind of joke it never saw")
        groups = []
        for kind in card.kinds:
            name = f"{words.title(kind.name)}, learned from all the others"
            if "all" in kind.head_across:
                across = kind.head_across["all"], kind.longer.get("all"), kind.ngrams_across.get("all")
                groups.append(bars_of(name, *across))
        self.bars = AgreementBars(groups)
        self.add(Paragraph(words.across_summary(card), 14, token="text"), self.bars)


class MadeCard(Card):
    """The data with its terms, the method, and the command that prints the figures."""

    def __init__(self, card: TrustCard) -> None:
        self.copy_link = LinkButton("Copy the command")
        super().__init__("Where these figures come from", right=self.copy_link if card.command else None)
        self.copy_link.clicked.connect(lambda: QGuiApplication.clipboard().setText(card.command))
        rows = [*((words.title(name), terms) for name, terms in card.data.items()), *words.how_made(card)]
        self.add(Paragraph(wording.labelled((f"{label}:", text) for label, text in rows), 13, gap=6))


def _said(title: str, content: str | list[Run]) -> Card:
    """Return a card of paragraphs."""
    card = Card(title)
    card.add(Paragraph(content, gap=10))
    return card


def card_widgets(trust: ModelTrust) -> list[Card]:
    """Return all cards for which the model has figures."""
    card, found = trust.card, list[Card]()
    if card is not None:
        found += [KindCard(kind, card.one_person if kind is card.main else None) for kind in card.kinds]
        if words.across_summary(card):
            found.append(UnseenCard(card))
        odds = [(f"{words.title(kind.name)}.", text) for kind in card.kinds if (text := words.calibration_words(kind))]
        if odds:
            found.append(_said("Can its odds be taken at their word?", wording.labelled(odds)))
    habits = words.habit_words(trust.calibration, card)
    if habits:
        found.append(_said("What it can't tell", "\n".join(habits)))
    if card is not None and (card.data or words.how_made(card)):
        found.append(MadeCard(card))
    return found


class Rows(QWidget):
    """A column whose widgets are replaced as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[QWidget] = []
        self._column = VBox(parent=self, gap=14)

    def set_items(self, items: Sequence[QWidget]) -> None:
        self.items = list(items)
        self._column.show_only(*items)
        self.setVisible(bool(items))


# The card to choose a model: a sentence on how far to trust it, and the export of all its figures.

CARD_FORMS = {"Web page (*.html)": ".html", "Markdown (*.md)": ".md", "JSON (*.json)": ".json"}


def write_card(model: ModelRef, profile: Profile, path: Path) -> str:
    """Write a model's card in the format of the file's ending. Return a sentence for the user."""
    write_page(model_page(model, profile), path, ENDINGS.get(path.suffix.lower(), "html"))
    return f"The card is in {path}."


class ModelCard(Card):
    """The choice of a model, and its main figure in words. ``chosen`` carries a model."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__("How far to trust it")
        self._models: list[ModelRef] = []
        self.choice = ChoiceButton("Model")
        self.choice.chosen.connect(lambda place: self.chosen.emit(self._models[place]))
        self.headline = Paragraph("", 15, 400, "text")
        self.save_button = SecondaryButton("Save card…")
        self.add(self.choice, self.headline, (self.save_button, 0, Qt.AlignmentFlag.AlignLeft))

    def show_models(self, models: list[ModelRef], used: ModelRef | None, shown: ModelRef | None) -> None:
        self._models = models
        names = [f"{model.name} (in use)" if used and model.sha256 == used.sha256 else model.name for model in models]
        place = next((n for n, model in enumerate(models) if shown and model.sha256 == shown.sha256), -1)
        self.choice.set_options(names, place)
        self.choice.setVisible(bool(models))
        self.save_button.setVisible(shown is not None)


# The user's own measurements: agreement in words and bars, habits, and the validation table.

_REPORTS = {"Web page (*.html)": ".html", "JSON (*.json)": ".json", "Rows (*.csv)": ".csv"}
_PARTS = {"all": "All pairs", "clear": "Clear votes (at least 4, 80 % for one)"}


def measured_groups(report: PairsReport) -> list[BarGroup]:
    return [
        bars_of(
            f"{_PARTS[row.margin]} · {row.judge.n:,}",
            *(row.judge, row.length, row.ngrams),
            report.one_person if row.margin == "all" else None,
        )
        for row in report.agreement
    ]


class OwnCard(Card):
    """The user's own measurements. ``forget_asked`` carries the one that is shown, ``failed`` an error, ``notice`` a
    sentence."""

    forget_asked = Signal(object)
    failed = Signal(object)
    notice = Signal(str)

    def __init__(self, store: KeptEvaluations, worker: JudgeWorker) -> None:
        super().__init__("Your own measurement")
        self._store, self._worker = store, worker
        self._measured: tuple[KeptEvaluation, ...] = ()
        self.shown: KeptEvaluation | None = None
        self.choice = ChoiceButton("Measurement")
        self.choice.chosen.connect(lambda place: self._show(self._measured[place]))
        self.lead = Paragraph("", 13)
        self.parts = Rows()
        self.save_button = SecondaryButton("Save report…", act=self._save)
        self.forget_link = LinkButton("Forget it", act=lambda: self.forget_asked.emit(self.shown))
        self.add(self.choice, self.lead, self.parts, HBox(self.save_button, self.forget_link, 1, gap=12))

    def set_measured(self, measured: tuple[KeptEvaluation, ...]) -> None:
        """Show the newest measurement and let the user choose another."""
        self.setVisible(bool(measured))
        if measured == self._measured:
            return
        self._measured = measured
        self.choice.set_options([f"{kept.source}, {_day(kept.moment)}" for kept in measured], 0)
        self.choice.setVisible(len(measured) > 1)
        self.shown = None
        if measured:
            self._show(measured[0])

    def _save(self) -> None:
        path = ask_file(self, "Save report", "trust.html", _REPORTS)
        if path is not None and self.shown is not None:
            write = partial(write_report, self.shown, path, self._store)
            self._worker.call("report", write, self.notice.emit, self.failed.emit)

    def _show(self, kept: KeptEvaluation) -> None:
        self.shown = kept
        judged = f"{kept.found.judged:,} judged"
        unfinished = "" if kept.found.whole else ", not finished"
        self.lead.set_content(f"{kept.source} · {judged}{unfinished} · {_day(kept.moment)} · version {kept.program}")
        parts: list[QWidget] = []
        for page in evaluation_pages(kept.found):
            parts += [Rule("line")] if parts else []
            parts += [Paragraph(page.headline, 14, 600, "text")]
            parts += [Paragraph(text, 14, token="text") for text in (*page.notes, *page.lead)]
            parts += [
                Paragraph(f"{row.name}: {row.text}" if row.name else row.text, 12 if row.quiet else 14,
                          token="text3" if row.quiet else "text")
                for row in page.rows
            ]  # fmt: skip
            report = next((one for one in kept.found.pairs if page.headline.startswith(f"{one.name}: ")), None)
            if report is not None:
                parts.append(AgreementBars(measured_groups(report)))
            parts += [FigureTable(table.title or page.headline, table) for table in page.tables if table.brief]
        self.parts.set_items(parts)


def _day(moment: str) -> str:
    try:
        when = datetime.fromisoformat(moment).astimezone()
    except (ValueError, OverflowError, OSError):
        return moment[:10]
    return f"{when.day} {when:%B %Y}"
