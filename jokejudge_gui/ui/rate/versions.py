"""Versions of a joke, which are the ratings of nearly the same text: their order by pairs, and the changed words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QSizePolicy

from ...core.errors import HistoryError
from ...heads.near_duplicates import LONGEST
from ...history.query import HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ...judge import versions as words
from ...judge.rating.record import RatingResult
from ...judge.versions import WorkshopResult
from ..history.view import are_versions
from ..look.theme import px
from ..widgets.cards import Card, Rule
from ..widgets.controls import Button, LinkButton
from ..widgets.layout import HBox, VBox
from ..widgets.marked_text import MarkedText, shortened, woven
from ..widgets.text import Label, Paragraph

_LOOKED_AT = 300
"""Number of newest ratings that are searched for versions."""
_REACH = 10
"""The reach of a row beyond the card's text, in pixels at 100 %."""
FIRST = "Change the text and rate it: every version stands here, and they are compared in pairs."
LATER = "Not compared yet."


class VersionIndex:
    """Finds the versions of a joke in the history. Raises ``HistoryError``."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._read: dict[str, RatingResult] = {}

    def of(self, text: str) -> list[RatingResult]:
        """Return the versions of ``text``, ordered by first rating; each text once, with its newest rating. ``text``
        itself is included if it was rated."""
        if not text.strip() or len(text) > LONGEST:
            return []
        rows = self._store.search(HistoryQuery(kinds=("rate",), limit=_LOOKED_AT))
        newest: dict[str, HistoryRow] = {}
        for row in rows:
            newest.setdefault(row.text_a, row)
        family = {text}
        for other in newest:
            if other not in family and any(are_versions(other, one) for one in family):
                family.add(other)
        written = dict.fromkeys(row.text_a for row in reversed(rows) if row.text_a in family)
        return [version for one in written if (version := self._version(newest[one].id)) is not None]

    def _version(self, identity: str) -> RatingResult | None:
        if identity not in self._read:
            try:
                result = self._store.get(identity).result
            except HistoryError:
                return None  # unreadable; the others may be readable
            if isinstance(result, RatingResult):  # else it is still running
                self._read[identity] = result
        return self._read.get(identity)


class VersionRow(Button):
    """A version's name, its text with the words that differ from the version before it, and its chance beside the
    best one."""

    def __init__(self, name: str, version: RatingResult, before: str | None, chance: str) -> None:
        super().__init__()
        self.name, self.version = name, version
        self.words = MarkedText(size=14, token="text2")
        self.words.set_text(*shortened(*(woven(before, version.text) if before is not None else (version.text, ()))))
        self.chance = Label(chance, 12, 500, "accent" if chance == words.BEST else "text2")
        head = HBox(Label(name, 12, 600), 1, (self.chance, 0, Qt.AlignmentFlag.AlignTop), gap=8)
        VBox(head, self.words, parent=self, gap=2, margins=(_REACH, 6, _REACH, 7))
        for part in (self.words, self.chance):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(": ".join(filter(None, (name, chance, version.text))))

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return QSize(px(240), layout.totalSizeHint().height() if layout is not None else px(34))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), self.sizeHint().height())


class VersionsCard(Card):
    """The versions in the order in which they were written, the best so far first. ``version_asked`` carries the id of
    a version's rating."""

    version_asked = Signal(str)

    def __init__(self) -> None:
        self.new_link = LinkButton("New version")
        super().__init__("Versions", self.new_link, padding=_REACH)
        self.rows: list[VersionRow] = []
        self.versions: list[RatingResult] = []
        self.order: WorkshopResult | None = None
        self._shown: tuple[object, ...] = ()
        self._group, self._best, self._column = QButtonGroup(self), VBox(gap=0), VBox(gap=2)
        self._group.buttonClicked.connect(lambda row: self.version_asked.emit(row.version.id))
        self.rule, self.closing = Rule(faint=True), Paragraph("", 13)
        self.add(VBox(self._best, self.rule, self._column, gap=4), VBox(self.closing, margins=(10, 0, 10, 6)))
        self.hide()

    def restyle(self) -> None:
        # Rows extend beyond the text of the card at both sides.
        super().restyle()
        self._row_layout.set_margins(10, 10, 10, 0)
        self._row.setMinimumHeight(px(34))

    def texts(self) -> tuple[str, ...]:
        return tuple(version.text for version in self.versions)

    def show_versions(self, versions: Sequence[RatingResult], shown: str, order: WorkshopResult | None) -> None:
        """Show these versions. ``shown``: the text of the one on the page; ``order``: of these or of others, which is
        then not shown."""
        self.versions = list(versions)
        compared = tuple(one.text for one in order.versions if one.rating or one.error) if order is not None else ()
        self.order = order if self.texts() == compared else None
        state = (*(version.id for version in versions), shown, self.order)
        if state != self._shown:
            self._shown = state
            self._draw(shown)
        self.setVisible(bool(versions))

    def _draw(self, shown: str) -> None:
        texts, order = self.texts(), self.order
        self.rows = []
        for number, version in enumerate(self.versions if len(texts) > 1 else ()):
            chance = words.chance_words(order, str(number + 1)) if order is not None else ""
            row = VersionRow(f"Version {number + 1}", version, texts[number - 1] if number else None, chance)
            row.setChecked(version.text == shown)
            self._group.addButton(row)
            self.rows.append(row)
        best = [row for row in self.rows if row.chance.text() == words.BEST]
        self._best.show_only(*best)
        self._column.show_only(*(row for row in self.rows if row not in best))
        self.rule.setVisible(bool(best) and len(self.rows) > 1)
        self.closing.show_text(FIRST if len(texts) == 1 else f"{words.page(order).headline}." if order else LATER)
