"""Every verdict, searchable, in one SQLite file."""

from .query import HistoryEntry, HistoryQuery, HistoryRow
from .store import HistoryStore

__all__ = ["HistoryEntry", "HistoryQuery", "HistoryRow", "HistoryStore"]
