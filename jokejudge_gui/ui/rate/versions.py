"""Versions of a joke, which are the ratings of nearly the same text: the band of each, and the changed words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QWidget

from ...core.errors import HistoryError
from ...core.words import facts_of
from ...heads.near_duplicates import LONGEST
from ...history.query import HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ...judge.rating import words
from ...judge.rating.record import RatingResult
from ..history.view import are_versions
from ..look.theme import theme
from ..widgets.base import RIGHT, Surface, elided, painting, plain_tooltip, write
from ..widgets.cards import Card
from ..widgets.controls import Button, LinkButton
from ..widgets.layout import HBox, VBox
from ..widgets.line import paint_line
from ..widgets.marked_text import MarkedText, woven
from ..widgets.text import Caption, Paragraph
from .page import ring_of

_LOOKED_AT = 300
"""Number of newest ratings that are searched for versions."""
_SHOWN = 6
_NAME, _WORDS, _ROW, _REACH = 76, 66, 34, 10
"""Widths of a row's name and length, its height, and its reach beyond the card's text, in pixels at 100 %."""


@dataclass(frozen=True)
class Version:
    """One version: its newest rating, under that rating's ``id`` in the history."""

    id: str
    record: RatingResult

    @property
    def text(self) -> str:
        return self.record.text

    @property
    def band(self) -> tuple[float, float] | None:
        """The audience's band, low and high, in percentiles; None where there is none."""
        audience = self.record.audience
        if audience is None or not audience.heard or audience.low is None or audience.high is None:
            return None
        return audience.low, audience.high

    @property
    def said(self) -> str:
        """The band in words, or the headline of a version without one."""
        audience = self.record.audience
        between = words.between(audience) if audience is not None else ""
        return between or words.headline_of(self.record)[0].rstrip(".")


def ordinal(number: int) -> str:
    """Return the ordinal: ``1st``, ``2nd``, ``11th``."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{ending}"


def closing_words(versions: Sequence[Version]) -> str:
    """Return a sentence on whether the best version is clearly better; empty where fewer than two have a band."""
    bands = [(number, version.band) for number, version in enumerate(versions, 1) if version.band is not None]
    if len(bands) < 2:
        return ""
    best, band = max(bands, key=lambda one: one[1][0])
    beaten = [number for number, other in bands if other[1] < band[0]]
    if not beaten:
        return "The bands overlap: no version is clearly the best."
    return f"{ordinal(best)} is probably better than {ordinal(beaten[-1])}."


class VersionIndex:
    """Finds the versions of a joke in the history. Raises ``HistoryError``."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._read: dict[str, Version | None] = {}

    def of(self, text: str) -> list[Version]:
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
        first = {row.text_a: place for place, row in enumerate(rows)}
        texts = sorted((one for one in family if one in newest), key=lambda one: -first[one])
        return [version for one in texts if (version := self._version(newest[one].id)) is not None]

    def _version(self, identity: str) -> Version | None:
        if identity not in self._read:
            try:
                result = self._store.get(identity).result
            except HistoryError:
                return None  # unreadable; the others may be readable
            self._read[identity] = Version(identity, result) if isinstance(result, RatingResult) else None
        return self._read[identity]


class VersionRow(Button):
    """A version's name, its band or its headline, and its length."""

    def __init__(self, name: str, version: Version) -> None:
        super().__init__("", name=f"{name}: {version.said}", tip=plain_tooltip(version.said))
        self.name, self.version = name, version
        self._length = facts_of(version.text).lines()[0]
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(240), theme().px(_ROW))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        version, small, second = self.version, theme().raw_font(12), theme().tokens.text2
        face = theme().raw_font(13, 600 if self.isChecked() else 500)
        with painting(self) as (painter, width, _):
            name = elided(self.name, face, _NAME - 4)
            write(painter, QRectF(_REACH, 0, _NAME, _ROW), name, face, theme().tokens.text)
            left, right = _REACH + _NAME, width - _REACH - _WORDS - 6
            area = QRectF(left, 0, right - left, _ROW)
            if version.band is not None and version.record.audience is not None:
                soft = self.isChecked() or self.underMouse()
                paint_line(painter, area, *version.band, ring_of(version.record.audience), soft=soft)
            else:
                write(painter, area, elided(version.said, small, area.width()), small, second)
            write(painter, QRectF(right + 6, 0, _WORDS, _ROW), self._length, small, second, RIGHT)


class VersionsCard(Card):
    """The versions; hidden until there are two. ``version_asked`` carries the id of a version's rating,
    ``restore_asked`` a text to put back into the field."""

    version_asked = Signal(str)
    restore_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__("Versions", padding=_REACH)
        self.rows: list[VersionRow] = []
        self._group, self._column, self.axis = QButtonGroup(self), VBox(gap=0), QWidget()
        self._group.buttonToggled.connect(lambda row, on: self.version_asked.emit(row.version.id) if on else None)
        names = (Caption("funnier than"), Caption("none"), 1, Caption("half"), 1, Caption("all"))
        HBox(*names, parent=self.axis, gap=8, margins=(_REACH, 2, _REACH + _WORDS + 6, 0))
        self.changed = MarkedText(size=14, token="text2")
        self.restore_link = LinkButton("Restore this text", act=lambda: self.restore_asked.emit(self._shown))
        self.box = Surface()
        VBox(self.changed, HBox(self.restore_link, 1), parent=self.box, gap=2, margins=(12, 8, 12, 8))
        self.closing = Paragraph("", 13)
        self.all_link = LinkButton("", act=self._unfold)
        rest = VBox(self.box, self.closing, HBox(self.all_link, 1), gap=10, margins=(10, 0, 10, 10))
        self.add(VBox(self._column, self.axis, gap=0), rest)
        self.versions: list[Version] = []
        self._shown = ""
        self._all = False
        self.hide()

    def restyle(self) -> None:
        # Rows extend beyond the text of the card at both sides.
        super().restyle()
        self._row_layout.set_margins(10, 10, 10, 0)
        self._row.setMinimumHeight(theme().px(34))

    def show_versions(self, versions: Sequence[Version], shown: str, field: str) -> None:
        """Show these versions. ``shown``: the text of the version on the page; ``field``: the text in the field."""
        if not {version.text for version in versions} & {version.text for version in self.versions}:
            self._all = False
        self.versions, self._shown = list(versions), shown
        self.setVisible(len(self.versions) > 1)
        if self.isHidden():
            return
        place = next((n for n, version in enumerate(self.versions) if version.text == shown), -1)
        cut = 0 if self._all else max(0, len(self.versions) - _SHOWN)
        cut = 0 if 0 <= place < cut else cut
        self._show_rows(cut, place)
        self.axis.setVisible(any(version.band for version in self.versions[cut:]))
        if place >= 0:
            before = self.versions[place - 1] if place else self.versions[0]
            self.changed.set_text(*woven(before.text, self.versions[place].text))
        self.restore_link.setVisible(place >= 0 and shown != field)
        self.box.setVisible(place > 0 or (place == 0 and shown != field))
        self.closing.show_text(closing_words(self.versions))
        self.all_link.setText(f"All {len(self.versions)}")
        self.all_link.setVisible(cut > 0)

    def _show_rows(self, cut: int, place: int) -> None:
        focused = any(row.hasFocus() for row in self.rows)
        self.rows = []
        for number, version in enumerate(self.versions[cut:], cut):
            row = VersionRow(f"{ordinal(number + 1)}{', this' if number == place else ''}", version)
            row.setChecked(number == place)
            self._group.addButton(row)
            self.rows.append(row)
        self._column.show_only(*self.rows)
        if focused and place >= cut:
            self.rows[place - cut].setFocus()

    def place_of(self, text: str) -> str:
        """Return a version's ordinal, such as ``2nd``; empty for a text that isn't one."""
        return next((ordinal(number) for number, one in enumerate(self.versions, 1) if one.text == text), "")

    def _unfold(self) -> None:
        self._all = True
        self.show_versions(self.versions, self._shown, self._shown)
