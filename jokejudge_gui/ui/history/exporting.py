"""Asks for a file and writes verdicts to it, in a worker's thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from ...engine.base import CancelToken
from ...history.export import SUFFIXES, Format, export
from ...history.query import HistoryEntry, HistoryQuery
from ...history.store import HistoryStore
from ..frame.judge_worker import JobStart
from ..widgets.saving import ask_file

FILTERS: dict[str, Format] = {
    "Markdown (*.md)": "markdown",
    "CSV table (*.csv)": "csv",
    "JSON lines (*.jsonl)": "jsonl",
    "Web page (*.html)": "html",
}


def target_of(name: str, chosen_filter: str) -> tuple[Path, Format]:
    """File and format for what a dialog gave: a known ending decides, else the chosen filter adds its own."""
    path = Path(name)
    for form, suffix in SUFFIXES.items():
        if path.suffix.lower() == suffix:
            return path, form
    form = FILTERS.get(chosen_filter, "markdown")
    return path.with_name(path.name + SUFFIXES[form]), form


def ask_target(parent: QWidget) -> tuple[Path, Format] | None:
    """Let the user choose a file and a format; None if the dialog was closed."""
    endings = {words: SUFFIXES[form] for words, form in FILTERS.items()}
    path = ask_file(parent, "Export verdicts", "jokejudge.md", endings)
    return target_of(str(path), "") if path is not None else None


class Exported:
    """The last event but one of an export: how many verdicts (or ``what``) went where, and which couldn't be read."""

    def __init__(self, count: int, path: Path, left_out: tuple[str, ...] = (), what: str = "verdict") -> None:
        self.count = count
        self.path = path
        self.left_out = left_out
        self.what = what


def export_job(
    store: HistoryStore, ids: Sequence[str], query: HistoryQuery | None, form: Format, path: Path
) -> JobStart:
    """A job that writes the verdicts ``ids``, or everything that ``query`` lists."""

    left_out: list[str] = []

    def entries(token: CancelToken) -> Iterator[HistoryEntry]:
        for entry in store.entries(query, left_out.append) if query is not None else store.chosen(ids, left_out.append):
            token.check()
            yield entry

    def start(token: CancelToken) -> Iterator[object]:
        count = export(entries(token), form, path, store.kinds, replace=True)
        yield Exported(count, path, tuple(left_out))

    return start
