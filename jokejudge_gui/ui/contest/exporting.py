"""Writes a ranking, or what is kept of it, to a file that the user chooses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QWidget

from ...engine.base import CancelToken
from ...judging.contest.types import ContestResult
from ...runs.contest_export import export_contest, format_of
from ..frame.judge_worker import JobStart
from ..history.exporting import Exported
from ..widgets.saving import ask_file

ENDINGS = {
    "Plain text (*.txt)": ".txt",
    "CSV table (*.csv)": ".csv",
    "Markdown (*.md)": ".md",
    "Web page (*.html)": ".html",
    "JSON lines (*.jsonl)": ".jsonl",
    "Pairs to train on (*.dpo.jsonl)": ".dpo.jsonl",
}


def export_job(parent: QWidget, result: ContestResult, *, kept_only: bool) -> JobStart | None:
    """Let the user choose a file; a job that writes to it, or None if they thought better of it."""
    path = ask_file(parent, *(("Export the kept jokes", "kept.txt") if kept_only else _WHOLE), ENDINGS)
    return None if path is None else _writing(result, path, kept_only)


_WHOLE = ("Export the ranking", "ranking.txt")


def _writing(result: ContestResult, path: Path, kept_only: bool) -> JobStart:
    def start(_token: CancelToken) -> Iterator[object]:
        form = format_of(path)
        count = export_contest(result, path, form, kept_only=kept_only, replace=True)
        yield Exported(count, path, what="pair" if form == "dpo" else "joke")

    return start
