"""Versions of a joke, which are the ratings of nearly the same text: the band of each, and the changed words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from ...core.errors import HistoryError
from ...core.verdicts import Audience
from ...core.words import facts_of
from ...heads.near_duplicates import LONGEST
from ...history.query import HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ...judge.rating.record import RatingResult
from ..history.view import are_versions
from ..look.theme import theme
from ..widgets.base import CENTRE, LEFT, RIGHT, KeyActs, Painted, Surface, box, elided, line, write
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.layout import HBox, VBox
from ..widgets.line import paint_line
from ..widgets.marked_text import MarkedText, woven
from ..widgets.text import Paragraph
from .state import audience_line, ring_of

_LOOKED_AT = 300
"""Number of newest ratings that are searched for versions."""
_SHOWN = 6


@dataclass(frozen=True)
class VersionRow:
    """One version. ``id``: of its newest rating; ``audience``: None where there is no estimate, for the reason
    ``said``."""

    id: str
    text: str
    audience: Audience | None = None
    said: str = ""

    @property
    def words(self) -> str:
        """The version's length, as text."""
        return facts_of(self.text).lines()[0]

    @property
    def band(self) -> tuple[float, float] | None:
        """The version's band, low and high, in percentiles."""
        known = self.audience
        return (
            (known.low, known.high) if known is not None and known.low is not None and known.high is not None else None
        )


def row_of(identity: str, result: RatingResult) -> VersionRow:
    """Return the row for a stored rating."""
    if result.audience is not None and result.audience.heard:
        return VersionRow(identity, result.text, result.audience)
    turned = result.sense is not None and result.sense.said == "no turn" and result.asked_turn is None
    why = "no turn found" if turned else "no estimate" if result.audience is None else "can't tell"
    return VersionRow(identity, result.text, None, why)


def ordinal(number: int) -> str:
    """Return the ordinal: ``1st``, ``2nd``, ``11th``."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{ending}"


def closing_words(rows: Sequence[VersionRow]) -> str:
    """Return a sentence on whether the best version is clearly better; empty where fewer than two have a band."""
    bands = [(number, row.band) for number, row in enumerate(rows, 1) if row.band is not None]
    if len(bands) < 2:
        return ""
    best, band = max(bands, key=lambda each: each[1][0])
    beaten = [number for number, other in bands if other[1] < band[0]]
    if not beaten:
        return "The bands overlap: no version is clearly the best."
    return f"{ordinal(best)} is probably better than {ordinal(beaten[-1])}."


class VersionIndex:
    """Finds the versions of a joke in the history. Raises ``HistoryError``."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._rows: dict[str, VersionRow] = {}

    def of(self, text: str) -> list[VersionRow]:
        """Return the versions of ``text``, ordered by first rating; each text once, with its newest rating. ``text``
        itself is included if it was rated."""
        if not text.strip() or len(text) > LONGEST:
            return []
        newest = self._store.search(HistoryQuery(kinds=("rate",), limit=_LOOKED_AT))
        known: dict[str, HistoryRow] = {}
        for row in newest:
            known.setdefault(row.text_a, row)
        family = {text}
        for other in known:
            if other not in family and any(are_versions(other, each) for each in family):
                family.add(other)
        # Ordered by first rating.
        first = {row.text_a: place for place, row in enumerate(newest)}
        texts = sorted((each for each in family if each in known), key=lambda each: -first[each])
        return [found for each in texts if (found := self._row(known[each])) is not None]

    def _row(self, row: HistoryRow) -> VersionRow | None:
        if row.id not in self._rows:
            try:
                result = self._store.get(row.id).result
            except HistoryError:
                return None  # unreadable; the others may be readable
            if not isinstance(result, RatingResult):
                return None
            self._rows[row.id] = row_of(row.id, result)
        return self._rows[row.id]


class VersionRows(KeyActs, Painted):
    """A row of 34 px for each version with its name, line and length, and below them a legend. ``chosen`` carries the
    index of a row."""

    chosen = Signal(int)
    NAME, WORDS, ROW, REACH = 76, 66, 34, 10
    LEAST = 240

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[VersionRow, ...] = ()
        self.selected = -1
        self._first = 1
        self._under = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring", True)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_rows(self, rows: Sequence[VersionRow], selected: int, first: int = 1) -> None:
        """Show these rows, with row ``selected`` selected. ``first``: the number of the first row."""
        self.rows, self.selected, self._first = tuple(rows), selected, first
        said = [f"{self._name(place)}: {self._said(row)}, {row.words}" for place, row in enumerate(self.rows)]
        self.say("Versions", ". ".join(said))
        self.updateGeometry()
        self.update()

    def _name(self, place: int) -> str:
        return ordinal(self._first + place) + (", this" if place == self.selected else "")

    def _said(self, row: VersionRow) -> str:
        return audience_line(row.audience) or row.said

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        last = len(self.rows) - 1
        return {
            Qt.Key.Key_Down: lambda: self._choose(self.selected + 1),
            Qt.Key.Key_Up: lambda: self._choose(self.selected - 1),
            Qt.Key.Key_Home: lambda: self._choose(0),
            Qt.Key.Key_End: lambda: self._choose(last),
        }

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.rows) and place != self.selected:
            self.chosen.emit(place)

    def extent(self) -> tuple[float, float]:
        axis = 24 if any(row.band for row in self.rows) else 0
        return 372, self.ROW * len(self.rows) + axis

    def _place(self, event: QMouseEvent) -> int:
        place = int(event.position().y() / theme().scale // self.ROW)
        return place if 0 <= place < len(self.rows) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._choose(self._place(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self._place(event)
        if place != self._under:
            self._under = place
            self.setCursor(Qt.CursorShape.PointingHandCursor if place >= 0 else Qt.CursorShape.ArrowCursor)
            row = self.rows[place] if place >= 0 else None
            self.setToolTip(f"{self._name(place)}: {self._said(row)}" if row is not None else "")
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._under = -1
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c = t.tokens
        with self.painter() as (painter, width, _):
            # Selected rows extend beyond the text at both sides.
            left, right = self.REACH + self.NAME, width - self.REACH - self.WORDS - 6
            for place, row in enumerate(self.rows):
                top, chosen = place * self.ROW, place == self.selected
                if chosen or place == self._under:
                    box(painter, QRectF(0, top, width, self.ROW), 8, c.soft if chosen else c.track)
                face = t.raw_font(13, 600 if chosen else 500)
                name = elided(self._name(place), face, self.NAME - 4)
                write(painter, QRectF(self.REACH, top, self.NAME, self.ROW), name, face, c.text)
                area = QRectF(left, top, right - left, self.ROW)
                if row.audience is not None and row.band is not None:
                    paint_line(
                        painter, area, *row.band, ring_of(row.audience), None, soft=chosen or place == self._under
                    )
                else:
                    write(painter, area, row.said, t.raw_font(12), c.text2, LEFT)
                words = QRectF(right + 6, top, self.WORDS, self.ROW)
                write(painter, words, row.words, t.raw_font(12), c.text2, RIGHT)
            if any(row.band for row in self.rows):
                foot, middle = self.ROW * len(self.rows), (left + right) / 2
                line(painter, QPointF(middle, 0), QPointF(middle, foot), c.line2, 1)
                small = t.raw_font(12)
                write(painter, QRectF(self.REACH, foot, self.NAME, 22), "funnier than", small, c.text3)
                write(painter, QRectF(left, foot, 60, 22), "none", small, c.text3)
                write(painter, QRectF(middle - 30, foot, 60, 22), "half", small, c.text3, CENTRE)
                write(painter, QRectF(right - 60, foot, 60, 22), "all", small, c.text3, RIGHT)


class VersionsCard(Card):
    """The versions; hidden until there are two. ``version_asked`` carries the id of a version's rating,
    ``restore_asked`` a text to put back into the field."""

    version_asked = Signal(str)
    restore_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__("Versions", padding=VersionRows.REACH)
        self.rows = VersionRows()
        self.rows.chosen.connect(self._choose)
        self.changed = MarkedText(size=14, token="text2")
        self.restore_link = LinkButton("Restore this text", act=self._restore)
        self.box = Surface()
        self.box.follow_theme()
        VBox(self.changed, HBox(self.restore_link, 1), parent=self.box, gap=2, margins=(12, 8, 12, 8))
        self.closing = Paragraph("", 13)
        self.all_link = LinkButton("", act=self._unfold)
        rest = VBox(self.box, self.closing, HBox(self.all_link, 1), gap=10, margins=(10, 0, 10, 10))
        self.add(self.rows, rest)
        self.versions: list[VersionRow] = []
        self._shown: str | None = None
        self._all = False
        self.hide()

    def restyle(self) -> None:
        # Rows extend beyond the text of the card at both sides.
        super().restyle()
        self._row_layout.set_margins(10, 10, 10, 0)
        self._row.setMinimumHeight(theme().px(34))

    def show_versions(self, versions: Sequence[VersionRow], shown: str | None, field: str) -> None:
        """Show these versions. ``shown``: the text of the version on the page; ``field``: the text in the field."""
        if not {row.text for row in versions} & {row.text for row in self.versions}:
            self._all = False
        self.versions, self._shown = list(versions), shown
        self.setVisible(len(self.versions) > 1)
        if self.isHidden():
            return
        cut = 0 if self._all else max(0, len(self.versions) - _SHOWN)
        place = next((n for n, row in enumerate(self.versions) if row.text == shown), -1)
        if 0 <= place < cut:
            cut = 0
        self.rows.set_rows(self.versions[cut:], place - cut if place >= 0 else -1, cut + 1)
        if place > 0:
            text, marks = woven(self.versions[place - 1].text, self.versions[place].text)
            self.changed.set_text(text, marks=marks)
        elif place == 0:
            self.changed.set_text(self.versions[0].text)
        self.restore_link.setVisible(place >= 0 and self.versions[place].text != field)
        self.box.setVisible(place > 0 or (place == 0 and not self.restore_link.isHidden()))
        self.closing.show_text(closing_words(self.versions))
        self.all_link.setText(f"All {len(self.versions)}")
        self.all_link.setVisible(cut > 0)

    def place_of(self, text: str) -> str:
        """Return a version's ordinal, such as ``2nd``; empty for a text that isn't one."""
        return next((ordinal(number) for number, row in enumerate(self.versions, 1) if row.text == text), "")

    def _choose(self, place: int) -> None:
        self.version_asked.emit(self.rows.rows[place].id)

    def _restore(self) -> None:
        if self._shown is not None:
            self.restore_asked.emit(self._shown)

    def _unfold(self) -> None:
        self._all = True
        shown, rows = self._shown, self.versions
        self.show_versions(rows, shown, shown or "")
