"""The cards of the Trust tab: what a trust card says, in words and bars."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from ...trust import words as words
from ...trust.card import Estimate, KindFigures, TrustCard
from ..look.theme import px, theme
from ..widgets.agreement_bars import AgreementBars, BarGroup, BarRow
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.text import Label, Paragraph

JUDGE, LONGER, WORDS, PERSON = "This judge", "Longer joke", "Counting words", "One person"


def bar(name: str, figure: Estimate | None, mine: bool = False) -> list[BarRow]:
    """A bar, or none where nothing was measured."""
    return [BarRow(name, figure.value, figure.low, figure.high, mine)] if figure is not None else []


def groups_of(kind: KindFigures, one_person: float | None) -> list[BarGroup]:
    """All pairs, and those where people clearly differed."""
    found = []
    for part, caption in (("all", "All pairs"), ("strong", "Where people clearly differed")):
        count = kind.pairs.get(part)
        person = Estimate(value=one_person) if one_person is not None and part == "all" else None
        rows = [
            *(bar(JUDGE, kind.head.get(part), mine=True)),
            *bar(LONGER, kind.longer.get(part)),
            *bar(WORDS, kind.ngrams.get(part)),
            *bar(PERSON, person),
        ]
        found.append(BarGroup(f"{caption} · {count:,}" if count is not None else caption, tuple(rows)))
    return found


class KindCard(Card):
    """One kind of text: the verdict in words over its bars."""

    def __init__(self, kind: KindFigures, one_person: float | None) -> None:
        super().__init__(words.title(kind.name), "of 100 pairs, right")
        self.bars = AgreementBars()
        self.bars.set_groups(groups_of(kind, one_person))
        self.add(Paragraph(words.kind_words(kind), 14, token="text"))
        self.add(self.bars)
        jokes = words.jokes_only(kind)
        if jokes:
            self.add(Paragraph(jokes, 13))


class UnseenCard(Card):
    """How it does on kinds of text that it had learned nothing from."""

    def __init__(self, card: TrustCard) -> None:
        super().__init__("A kind of joke it never saw")
        self.bars = AgreementBars()
        groups = []
        for kind in card.kinds:
            mine = kind.head_across.get("all")
            if mine is not None:
                rows = [
                    *bar(JUDGE, mine, mine=True),
                    *bar(LONGER, kind.longer.get("all")),
                    *bar(WORDS, kind.ngrams_across.get("all")),
                ]
                groups.append(BarGroup(f"{words.title(kind.name)}, learned from all the others", tuple(rows)))
        self.bars.set_groups(groups)
        self.add(Paragraph(words.across_summary(card), 14, token="text"))
        self.add(self.bars)


class WordsCard(Card):
    """Paragraphs under a title, each with a strong label or without."""

    def __init__(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        super().__init__(title)
        self.paragraphs = []
        for label, text in rows:
            runs = [(f"{label}. ", "strong"), (text, "normal")] if label else [(text, "normal")]
            self.paragraphs.append(Paragraph(runs))  # type: ignore[arg-type]
            self.add(self.paragraphs[-1])


class MadeCard(Card):
    """The data with its terms, how the figures were made, and the command that prints them."""

    def __init__(self, card: TrustCard) -> None:
        self.copy_link = LinkButton("Copy the command")
        super().__init__("Where these figures come from", right=self.copy_link if card.command else None)
        self._command = card.command
        self.copy_link.clicked.connect(self._copy)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        rows = [*((words.title(name), terms) for name, terms in card.data.items()), *words.how_made(card)]
        for number, (label, text) in enumerate(rows):
            self._grid.addWidget(Paragraph(label, 13, 500, "text"), number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(Paragraph(text, 13), number, 1, Qt.AlignmentFlag.AlignTop)
        self.add_layout(self._grid)
        self._lay_out()
        theme().changed.connect(self._lay_out)

    def _lay_out(self) -> None:
        self._grid.setHorizontalSpacing(px(16))
        self._grid.setVerticalSpacing(px(6))
        self._grid.setColumnMinimumWidth(0, px(130))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command)


def card_widgets(card: TrustCard) -> list[Card]:
    """All cards that a trust card fills."""
    main = card.main
    found: list[Card] = [KindCard(kind, card.one_person if kind is main else None) for kind in card.kinds]
    if words.across_summary(card):
        found.append(UnseenCard(card))
    odds = [(words.title(kind.name), text) for kind in card.kinds if (text := words.calibration_words(kind))]
    if odds:
        found.append(WordsCard("Can its odds be taken at their word?", odds))
    if card.data or words.how_made(card):
        found.append(MadeCard(card))
    return found


class Rows(QWidget):
    """A column whose widgets are replaced as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._column.setSpacing(px(14))

    def set_items(self, items: Sequence[QWidget]) -> None:
        for old in self.items:
            old.hide()
            self._column.removeWidget(old)
            old.deleteLater()
        self.items = list(items)
        for new in self.items:
            self._column.addWidget(new)
            new.show()
        self.setVisible(bool(items))


def passed_label(passed: bool | None) -> Label:
    """Pass, fail, or that it wasn't measured."""
    word, token = {True: ("pass", "good_text"), False: ("fail", "bad_text"), None: ("not measured", "text3")}[passed]
    return Label(word, 13, 600 if passed is not None else 400, token)
