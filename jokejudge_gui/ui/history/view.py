"""The history as a list: rows read a page at a time, and the view that shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ...core.errors import HistoryError
from ...core.verdict_kinds import Subject
from ...core.verdicts import Status
from ...core.words import differing
from ...heads.near_duplicates import same_joke
from ...history.query import HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ...judge.kinds import KINDS
from ...judge.rating.kind import RATING
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import CENTRE, box, elided, plain_tooltip, write

PAGE = 100
_MOST_KEPT = 1000
_LOOKED_BACK = 24
"""The number of later verdicts of its kind with one of which a verdict may share a row."""
_BEGINNING = 14
"""Characters of the first joke of a duel in its title."""
_BEFORE = 30
"""Characters shown before a searched word, or before the first one that differs from the newest version."""
_LISTS = 10
"""The number of newest lists whose jokes stand in rows of their own."""
_TIP = 600
"""The number of characters of a text in a row's tooltip."""
ItemRole = int(Qt.ItemDataRole.UserRole) + 1
"""A verdict (``HistoryRow``), or the name of the day above its verdicts."""
_VersionsRole = ItemRole + 1
"""The number of versions of a joke; 0: it is an earlier one, below the newest."""
_MetaRole = ItemRole + 2
_Index = QModelIndex | QPersistentModelIndex


def _is_list(row: HistoryRow) -> bool:
    """Whether its subject is a whole list, shown by its name."""
    kind = KINDS.get(row.kind)
    return kind is not None and not kind.fields


def jokes_of(row: HistoryRow) -> tuple[str, ...]:
    """Return a row's single jokes; none for a list."""
    return () if _is_list(row) else row.texts


def row_title(row: HistoryRow) -> str:
    """Return a row's title: the user's, the joke, the first words of both, or the name of a list."""
    if row.title:
        return row.title
    if _is_list(row):
        return wording.one_line(row.text_a.partition("\n")[0])
    *others, last = row.texts or ("",)
    return " vs ".join([*(wording.beginning(text, _BEGINNING) for text in others), wording.one_line(last)])


def row_meta(row: HistoryRow) -> str:
    """Return time, kind, the state of an unfinished verdict, tags, and the verdict's headline, which stands for the
    kind of a single joke's."""
    kind, glance, state = KINDS.get(row.kind), row.glance, wording.STATUS_WORDS[row.status]
    parts = [kind.verb if kind is not None else row.kind, state, *row.tags]
    if glance is not None and not state and not _is_list(row) and glance.headline:
        parts = [*row.tags, glance.headline.rstrip(".")]
    elif glance is not None and not state and _is_list(row) and glance.tone == "none":
        parts[1] = glance.headline[:1].lower() + glance.headline[1:]
    return " · ".join(filter(None, (wording.clock(row.created), *parts)))


def _hit(row: HistoryRow, terms: Sequence[str]) -> str:
    """Return a row's title, or the first line with a searched word if the title doesn't begin with one."""
    if not any(term in row_title(row)[:_BEFORE].casefold() for term in terms):
        for line in "\n".join(row.texts).split("\n") if terms else ():
            if places := [place for term in terms if (place := line.casefold().find(term)) >= 0]:
                return _from(line, min(places))
    return row_title(row)


def _from(text: str, place: int) -> str:
    """Return a text from a few words before a place on."""
    start = text.rfind(" ", 0, max(0, place - _BEFORE)) + 1
    return f"… {text[start:]}" if start else text


class Badge(NamedTuple):
    """A text or an icon, its look, and its words for a screen reader."""

    text: str = ""
    look: str = ""
    icon: str = ""
    words: str = ""


_UNFINISHED = {Status.FAILED: Badge("!", "bad"), Status.RUNNING: Badge("…", "plain")}
_VOTES = {
    "up": Badge("", "vote", "thumb_up", "funny to you"),
    "down": Badge("", "plain", "thumb_down", "not funny to you"),
    "A": Badge("A", "vote", "", "you chose A"),
    "B": Badge("B", "vote", "", "you chose B"),
}


def row_badge(row: HistoryRow, versions: int = 1) -> Badge:
    """Return the first that there is: a failure, the user's vote, the number of versions, a list's length, the winner
    of a duel; else an empty badge."""
    if row.status is not Status.FINISHED:
        return _UNFINISHED.get(row.status, Badge())
    if row.vote in _VOTES:
        return _VOTES[row.vote]
    if versions > 1:
        return Badge(f"{versions:,}", "plain", "", f"{versions:,} versions")
    glance = row.glance
    named = glance is not None and (_is_list(row) or glance.tone in ("A", "B"))
    return Badge(glance.badge, glance.tone) if glance is not None and named else Badge()


def row_words(row: HistoryRow, versions: int = 1) -> str:
    """Return a row's text for a screen reader."""
    finished = row.status is Status.FINISHED and row.glance is not None
    verdict = row.glance.headline if finished and row.glance is not None else "no verdict"
    meta, badge = row_meta(row.replaced(glance=None)), row_badge(row, versions)
    parts = (row_title(row), verdict, meta, badge.words, "starred" if row.starred else "")
    return ", ".join(filter(None, parts))


def are_versions(one: str, other: str) -> bool:
    """Whether two texts are versions of one joke."""
    return one == other or same_joke(one, other)


def _same(newer: HistoryRow, older: HistoryRow) -> bool:
    """Whether both stand in one row: ratings of versions of a joke, or duels of the same two jokes."""
    if newer.kind != older.kind or _is_list(older):
        return False
    if older.kind == RATING.name:
        return are_versions(newer.text_a, older.text_a)
    one, other = (sorted(text.strip() for text in row.texts) for row in (newer, older))
    return len(one) == 2 and one == other


class HistoryModel(QAbstractListModel):
    """Pages of ``HistoryStore.search``, with days between them and one row for all versions of a joke or for all duels
    of the same two; ``unfolded``: with the earlier versions below it, of the newest thousand verdicts, and the jokes
    of lists as well. ``failed`` carries a ``HistoryError``."""

    failed = Signal(object)
    refreshed = Signal()

    def __init__(self, store: HistoryStore, parent: QObject | None = None, *, unfolded: bool = False) -> None:
        super().__init__(parent)
        self._store, self._unfolded = store, unfolded
        self.query = HistoryQuery(limit=PAGE)
        self.loaded = 0
        """Number of verdicts read so far."""
        self.shown: str | None = None
        """The verdict that is open: a row that groups it has its text."""
        self._items: list[str | HistoryRow] = []
        self._last = ""
        self._earlier: dict[str, list[HistoryRow]] = {}
        self._differs: dict[str, int] = {}
        """The place of the first word that differs, by verdict, for the earlier versions."""
        self._jokes: dict[str, list[str]] = {}
        self._complete = False
        self._revision: int | None = None

    @property
    def filtered(self) -> bool:
        """Whether the list is searched or filtered."""
        query = self.query
        return bool(query.text.strip() or query.kinds or query.tag or query.starred is not None)

    def set_query(self, query: HistoryQuery) -> None:
        self.query = query.replaced(limit=PAGE, offset=0, after=None)
        self._reload(_MOST_KEPT if self._unfolded else PAGE)

    def refresh(self) -> None:
        """Read the loaded rows again (at most a thousand)."""
        self._reload(min(max(self.loaded, PAGE), _MOST_KEPT))

    def refresh_if_changed(self) -> None:
        """Read again if this or another process has written since."""
        try:
            if self._store.revision() != self._revision:
                self.refresh()
        except HistoryError as error:
            self.failed.emit(error)

    def _search(self, **page: object) -> list[HistoryRow] | None:
        try:
            self._revision = self._store.revision()
            rows = self._store.search(self.query.replaced(**page))
            return list(self._singles(rows)) if self._unfolded else rows
        except HistoryError as error:
            self.failed.emit(error)
            return None

    def _singles(self, rows: Sequence[HistoryRow]) -> Iterator[HistoryRow]:
        """Yield rows with the jokes of the newest lists, each text once, the kept ones first, in place of these."""
        ids = [row.id for row in rows if _is_list(row)][:_LISTS]
        for id, parts in self._store.stored([id for id in ids if id not in self._jokes], ("entries", "bits")).items():
            # With the user's notes, of which the mark is the first.
            ordered = sorted(parts["entries"] or parts["bits"] or (), key=lambda one: "keep" not in one.get("user", ()))
            self._jokes[id] = [one["text"] for one in ordered]
        terms, seen = self.query.text.casefold().split(), {row.text_a for row in rows}
        for row in rows:
            if not _is_list(row):
                yield row
            for text in self._jokes.get(row.id, ()):
                if text not in seen and all(term in text.casefold() for term in terms):
                    seen.add(text)
                    own = {"id": f"{row.id} {len(seen)}", "subjects": (Subject(text=text),)}
                    yield row.replaced(**own, glance=None, note="", starred=False)

    def _reload(self, limit: int) -> None:
        rows = self._search(limit=limit)
        if rows is None:
            return
        self.beginResetModel()
        self._earlier, self._items = {}, []
        self._items = self._grouped(rows, None)
        if self._unfolded:
            self._items = [part for item in self._items for part in (item, *self._below(item))]
        self.loaded = len(rows)
        self._complete = self._unfolded or len(rows) < limit
        self.endResetModel()
        self.refreshed.emit()

    def _below(self, item: str | HistoryRow) -> Iterator[HistoryRow]:
        """Yield the earlier versions of a joke, each text once, and keep from where on they differ from the newest."""
        earlier = self.earlier(item.id) if isinstance(item, HistoryRow) else []
        for row in {row.texts: row for row in earlier if row.texts != item.texts}.values():
            own = [start for start, _ in differing(item.text_a, row.text_a)[1]]
            self._differs[row.id] = own[0] if own else 0
            yield row

    def _grouped(self, rows: Sequence[HistoryRow], day: date | None) -> list[str | HistoryRow]:
        """Return the items for more rows, the last of those shown before being of ``day``."""
        today = datetime.now().astimezone().date()
        items: list[str | HistoryRow] = []
        shown: dict[str, list[HistoryRow]] = {}
        for row in self.rows():
            shown.setdefault(row.kind, []).append(row)
        for row in rows:
            self._last = row.id
            alike = shown.setdefault(row.kind, [])
            newer = next((one for one in alike[: -_LOOKED_BACK - 1 : -1] if _same(one, row)), None)
            if newer is not None:
                self._earlier.setdefault(newer.id, []).append(row)
                continue
            own = row.created.astimezone().date()
            if own != day and not self.query.sort.startswith("score"):
                items.append(wording.day_name(own, today))
                day = own
            items.append(row)
            alike.append(row)
        return items

    def canFetchMore(self, parent: _Index = QModelIndex()) -> bool:  # noqa: B008
        return not parent.isValid() and not self._complete

    def fetchMore(self, parent: _Index = QModelIndex()) -> None:  # noqa: B008
        last = self._items[-1] if self._items else None
        if parent.isValid() or self._complete or not isinstance(last, HistoryRow):
            return
        by_score = self.query.sort.startswith("score")
        rows = self._search(offset=self.loaded) if by_score else self._search(after=self._last)
        # After an error the view would ask again and again as it scrolls; a refresh starts anew.
        self._complete = rows is None or len(rows) < PAGE
        fresh = self._grouped(rows or (), last.created.astimezone().date())
        self.loaded += len(rows or ())
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
        if role == ItemRole:
            return item
        if role == _VersionsRole and isinstance(item, HistoryRow):
            return 0 if item.id in self._differs else self.versions(item.id)
        if isinstance(item, str):
            return item if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
        if role == Qt.ItemDataRole.DisplayRole:
            if place := self._differs.get(item.id, 0):
                return _from(item.text_a, place)
            return _hit(self._named(item), self.query.text.casefold().split())
        if role == _MetaRole:
            return row_meta(self._named(item))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row_words(item, self.versions(item.id))
        if role == Qt.ItemDataRole.ToolTipRole:
            parts = row_words(item, self.versions(item.id)), *(text[:_TIP] for text in item.texts), item.error
            return plain_tooltip("\n\n".join(filter(None, parts)))
        return None

    def _named(self, item: HistoryRow) -> HistoryRow:
        return next((row for row in self.earlier(item.id) if row.id == self.shown), item)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not isinstance(index.data(ItemRole), HistoryRow):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def index_of(self, identity: str | None) -> QModelIndex:
        """Return the index of a loaded verdict, or of the row in which it is grouped; else an invalid one."""
        stands = next((id for id, rows in self._earlier.items() if any(row.id == identity for row in rows)), identity)
        for number, item in enumerate(self._items):
            if isinstance(item, HistoryRow) and item.id == stands:
                return self.index(number)
        return QModelIndex()

    def earlier(self, identity: str) -> list[HistoryRow]:
        """Return the earlier versions of a joke that are grouped in its row, newest first."""
        return self._earlier.get(identity, [])

    def versions(self, identity: str) -> int:
        """Return the number of versions of a joke in a row: of different texts, however often each was judged."""
        earlier = self.earlier(identity)
        group = [*earlier, *(row for row in self.rows() if row.id == identity)] if earlier else []
        return max(1, len({frozenset(text.strip() for text in row.texts) for row in group}))

    def near(self, place: int) -> QModelIndex:
        """Return the first verdict from a place in the list on, else the last before it."""
        places = [number for number, item in enumerate(self._items) if isinstance(item, HistoryRow)]
        after = [number for number in places if number >= place]
        return self.index((after or places[-1:])[0]) if places else QModelIndex()

    def rows(self) -> list[HistoryRow]:
        """Return the verdicts loaded so far, one for all versions of a joke."""
        return [item for item in self._items if isinstance(item, HistoryRow)]


def badge_colours(look: str) -> tuple[str, str]:
    """Return the text and background colours of a badge."""
    tokens = theme().tokens
    return {
        "bad": (tokens.bad_text, tokens.bad_soft),
        "vote": (tokens.accent, tokens.mark),
        "A": (tokens.on_accent, tokens.accent),
        "B": (tokens.bg, tokens.text2),
    }.get(look, (tokens.text2, tokens.track))


def _star_rect(rect: QRect) -> QRect:
    """Return the place of the star in the row at ``rect``."""
    return QRect(rect.right() - px(27), rect.y() + px(21), px(24), px(24))


class HistoryDelegate(QStyledItemDelegate):
    """Paints a row: title and badge, and below them time, kind and star. ``stars``: a click on the place of the star
    sets it."""

    stars = True

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        day = isinstance(index.data(ItemRole), str)
        return QSize(0, px(31)) if day else QSize(px(40), px(48))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        rect: QRect = option.rect  # type: ignore[attr-defined]
        item, tokens = index.data(ItemRole), theme().tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(item, HistoryRow):
            self._paint_row(painter, rect, option, index)
        else:
            write(painter, QRectF(rect.adjusted(px(8), px(6), 0, 0)), str(item), font(13, 500), tokens.text3)
        painter.restore()

    def _paint_row(self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, index: _Index) -> None:
        row, versions, state = index.data(ItemRole), index.data(_VersionsRole), option.state  # type: ignore[attr-defined]
        tokens, flag = theme().tokens, QStyle.StateFlag
        selected, ground = bool(state & flag.State_Selected), QRectF(rect).adjusted(0, 0, 0, -1)
        if selected or state & flag.State_MouseOver:
            box(painter, ground, px(8), tokens.soft if selected else tokens.track)
        if state & flag.State_HasFocus and state & flag.State_KeyboardFocusChange:
            box(painter, ground, px(9), None, tokens.accent, 2)
        left, right = rect.x() + px(8 if versions else 24), rect.right() - px(8)
        badge, star, spot = row_badge(row, versions), QRectF(_star_rect(rect)), QRectF(0, 0, px(14), px(14))
        ink, fill = badge_colours(badge.look)
        place = QRectF(right - px(34), rect.y() + px(5), px(34), px(18))
        if badge.look:
            box(painter, place, px(6), fill)
            write(painter, place, badge.text, font(12, 600, tabular=True), ink, CENTRE)
            spot.moveCenter(place.center())
            if badge.icon:
                theme().paint_icon(painter, badge.icon, spot, ink)
        spot.moveCenter(star.center())
        if row.starred:
            theme().paint_icon(painter, "star_filled", spot, tokens.accent)
        elif state & flag.State_MouseOver and self.stars:
            theme().paint_icon(painter, "star", spot, tokens.text3)
        for text, face, top, end, ink in (
            (index.data(), font(13, 600), 5, place.x() - px(6) if badge.look else right, tokens.text),
            (index.data(_MetaRole), font(12), 23, star.x(), tokens.text2 if selected else tokens.text3),
        ):
            line = QRectF(left, rect.y() + px(top), end - left, px(20))
            write(painter, line, elided(text, face, line.width()), face, ink)


class HistoryView(QListView):
    """Rows of a ``HistoryModel``. ``opened`` and ``star_asked`` carry a row, ``menu_asked`` the rows and a global
    position."""

    opened = Signal(object)
    star_asked = Signal(object)
    menu_asked = Signal(object, QPoint)

    def __init__(self, model: HistoryModel) -> None:
        super().__init__()
        self.setAccessibleName("History of verdicts")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)
        self.delegate = HistoryDelegate(self)
        self.setItemDelegate(self.delegate)
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.clicked.connect(self._on_clicked)
        theme().changed.connect(self.scheduleDelayedItemsLayout)

    def selected_rows(self) -> list[HistoryRow]:
        """Return the selected verdicts, top to bottom."""
        indexes = sorted(self.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [row for index in indexes if isinstance(row := index.data(ItemRole), HistoryRow)]

    def selected_ids(self) -> list[str]:
        """Return the ids of the selected verdicts."""
        return [row.id for row in self.selected_rows()]

    def select(self, *indexes: QModelIndex) -> None:
        """Select these rows and no others, without opening them; the keys act on the first."""
        chosen = QItemSelection()
        for index in filter(QModelIndex.isValid, indexes):
            chosen.select(index, index)
        if chosen.isEmpty():
            self.clearSelection()
            return
        self.selectionModel().setCurrentIndex(indexes[0], QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _on_clicked(self, index: QModelIndex) -> None:
        row = index.data(ItemRole)
        if isinstance(row, HistoryRow) and len(self.selected_rows()) <= 1:
            self.opened.emit(row)

    def _on_menu(self, point: QPoint) -> None:
        if rows := self.selected_rows():
            self.menu_asked.emit(rows, self.viewport().mapToGlobal(point))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point, left = event.position().toPoint(), event.button() == Qt.MouseButton.LeftButton
        index = self.indexAt(point) if self.delegate.stars and left else QModelIndex()
        if isinstance(index.data(ItemRole), HistoryRow) and _star_rect(self.visualRect(index)).contains(point):
            # On the star alone: neither the selection nor the open verdict changes.
            self.star_asked.emit(index.data(ItemRole))
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.currentIndex().data(ItemRole)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and isinstance(current, HistoryRow):
            self.opened.emit(current)
        else:
            super().keyPressEvent(event)
