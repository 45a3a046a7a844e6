"""The history as a list for a view: rows of verdicts under the name of their day, read a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from ...core.errors import HistoryError
from ...core.verdicts import Status
from ...history.query import HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ...judge.kinds import KINDS
from ..look import wording
from ..widgets.base import plain_tooltip

PAGE = 100
_MOST_KEPT = 1000

RowRole = int(Qt.ItemDataRole.UserRole) + 1
DayRole = int(Qt.ItemDataRole.UserRole) + 2

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class _Day:
    name: str
    day: date


def row_title(row: HistoryRow) -> str:
    """The line of a row: the joke, the beginnings of both, or the name of a list."""
    if _is_list(row):
        return wording.one_line(row.text_a.partition("\n")[0])
    *others, last = [subject.text for subject in row.subjects] or [""]
    return " vs ".join([*(wording.beginning(text, 16) for text in others), wording.one_line(last)])


def _is_list(row: HistoryRow) -> bool:
    """Whether its subject is a whole list under its name."""
    kind = KINDS.get(row.kind)
    return kind is not None and not kind.fields


def jokes_of(row: HistoryRow) -> tuple[str, ...]:
    """The single jokes that a row is about; none for a list."""
    return () if _is_list(row) else row.texts


def row_meta(row: HistoryRow) -> str:
    """Time, kind, and what became of it if it didn't finish."""
    kind = KINDS.get(row.kind)
    parts = [wording.clock(row.created), kind.verb if kind is not None else row.kind]
    if word := wording.STATUS_WORDS[row.status]:
        parts.append(word)
    elif row.headline is not None and row.headline.tone == "none":
        parts.append(row.headline.sentence[:1].lower() + row.headline.sentence[1:])
    return " · ".join(parts)


def row_badge(row: HistoryRow) -> tuple[str, str]:
    """Text of the badge, and its kind: a headline's tone, or ``bad`` for a failure."""
    if row.status is Status.FINISHED and row.headline is not None:
        return row.headline.badge, row.headline.tone
    if row.status is Status.FAILED:
        return "!", "bad"
    if row.status is Status.RUNNING:
        return "…", "none"
    return "–", "none"


def row_words(row: HistoryRow) -> str:
    """A row for a screen reader."""
    told = row.status is Status.FINISHED and row.headline is not None
    verdict = row.headline.sentence if told and row.headline is not None else "no verdict"
    star = ", starred" if row.starred else ""
    return f"{row_title(row)}, {verdict}, {row_meta(row)}{star}"


class HistoryModel(QAbstractListModel):
    """Pages of ``HistoryStore.search``. ``failed`` carries a ``HistoryError`` that reading or writing met."""

    failed = Signal(object)
    refreshed = Signal()

    def __init__(self, store: HistoryStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._query = HistoryQuery(limit=PAGE)
        self._items: list[_Day | HistoryRow] = []
        self._loaded = 0
        self._complete = False
        self._revision: int | None = None

    @property
    def query(self) -> HistoryQuery:
        return self._query

    @property
    def filtered(self) -> bool:
        """Whether something is sought or filtered out."""
        query = self._query
        return bool(query.text.strip() or query.kinds or query.starred is not None or query.tag)

    @property
    def loaded(self) -> int:
        """Number of verdicts read so far."""
        return self._loaded

    def set_query(self, query: HistoryQuery) -> None:
        self._query = query.replaced(limit=PAGE, offset=0, after=None)
        self._reload(PAGE)

    def refresh(self) -> None:
        """Read again what was loaded (at most a thousand rows)."""
        self._reload(min(max(self._loaded, PAGE), _MOST_KEPT))

    def refresh_if_changed(self) -> None:
        """Read again if this or another process wrote since."""
        try:
            revision = self._store.revision()
        except HistoryError as error:
            self.failed.emit(error)
            return
        if revision != self._revision:
            self.refresh()

    def _search(self, limit: int, after: str | None = None) -> list[HistoryRow] | None:
        try:
            self._revision = self._store.revision()
            return self._store.search(self._query.replaced(limit=limit, after=after))
        except HistoryError as error:
            self.failed.emit(error)
            return None

    def _reload(self, limit: int) -> None:
        rows = self._search(limit)
        if rows is None:
            return
        self.beginResetModel()
        self._items = self._grouped(rows, None)
        self._loaded = len(rows)
        self._complete = len(rows) < limit
        self.endResetModel()
        self.refreshed.emit()

    def _grouped(self, rows: list[HistoryRow], day: date | None) -> list[_Day | HistoryRow]:
        today = datetime.now().astimezone().date()
        items: list[_Day | HistoryRow] = []
        for row in rows:
            own = row.created.astimezone().date()
            if own != day:
                items.append(_Day(wording.day_name(own, today), own))
                day = own
            items.append(row)
        return items

    def canFetchMore(self, parent: _Index = QModelIndex()) -> bool:  # noqa: B008
        return not parent.isValid() and not self._complete

    def fetchMore(self, parent: _Index = QModelIndex()) -> None:  # noqa: B008
        if parent.isValid() or self._complete:
            return
        last = self._items[-1] if self._items else None
        if not isinstance(last, HistoryRow):
            return
        rows = self._search(PAGE, last.id)
        if rows is None:
            # Asked again and again otherwise, as the view scrolls; a refresh starts anew.
            self._complete = True
            return
        fresh = self._grouped(rows, last.created.astimezone().date())
        self._complete = len(rows) < PAGE
        self._loaded += len(rows)
        if fresh:
            start = len(self._items)
            self.beginInsertRows(QModelIndex(), start, start + len(fresh) - 1)
            self._items.extend(fresh)
            self.endInsertRows()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: _Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid() or index.row() >= len(self._items):
            return None
        item = self._items[index.row()]
        if role == RowRole:
            return item if isinstance(item, HistoryRow) else None
        if role == DayRole:
            return item.name if isinstance(item, _Day) else None
        if role == Qt.ItemDataRole.DisplayRole:
            return item.name if isinstance(item, _Day) else row_title(item)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return item.name if isinstance(item, _Day) else row_words(item)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(item, HistoryRow):
            return plain_tooltip(item.error) if item.error else None
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self._items[index.row()], _Day):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def index_of(self, identity: str | None) -> QModelIndex:
        """The index of a verdict that is loaded, else an invalid one."""
        for number, item in enumerate(self._items):
            if isinstance(item, HistoryRow) and item.id == identity:
                return self.index(number)
        return QModelIndex()

    def rows(self) -> list[HistoryRow]:
        """The verdicts loaded so far."""
        return [item for item in self._items if isinstance(item, HistoryRow)]
