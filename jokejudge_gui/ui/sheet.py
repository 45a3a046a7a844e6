"""The stage sheet of a set as a file: PDF, which Qt draws from the sheet's HTML, HTML or Markdown. Qt is imported for a
PDF alone."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.errors import UsageError
from ..core.outputs import write_export
from ..core.pages import as_markdown, sheet_html
from ..core.paths import how_to_add
from ..judge.set.record import SetResult
from ..judge.set.words import name_of, sheet

ENDINGS = {
    "PDF (*.pdf)": ".pdf", "Web page (*.html)": ".html", "Markdown (*.md)": ".md",
}  # fmt: skip
_MARGIN_MM, _DPI = 12, 96
_app: list[Any] = []
"""Qt's application where there is no window, which must stay."""


def check_name(path: Path) -> None:
    """Raise ``UsageError`` ``E_EXPORT_FORMAT`` if a file's name doesn't end like a stage sheet's, ``E_PDF_QT`` if it is
    a PDF's and Qt is missing."""
    if path.suffix.lower() not in ENDINGS.values():
        sentence = f"The name {path.name} doesn't say in which format to write."
        raise UsageError("E_EXPORT_FORMAT", sentence, "End it with .pdf, .html or .md.")
    if path.suffix.lower() == ".pdf" and find_spec("PySide6") is None:
        hint = f"{how_to_add('window')} Or end the name in .html: any browser prints that."
        raise UsageError("E_PDF_QT", "Qt, which draws a PDF, isn't there.", hint)


def write_sheet(result: SetResult, path: Path, *, replace: bool = False) -> None:
    """Write the stage sheet of a set to ``path``, by the ending of its name. ``replace``: any file may be replaced.
    Raises the errors of ``check_name`` and ``write_export``."""
    check_name(path)
    page, title = sheet(result), name_of(result)
    match path.suffix.lower():
        case ".pdf":
            content = _pdf(sheet_html(page, title), title)
        case ".html":
            content = sheet_html(page, title).encode("utf-8", "replace")
        case _:
            content = as_markdown([page], title).encode("utf-8", "replace")
    write_export(path, [content], replace=replace)


def _pdf(html: str, title: str) -> bytes:
    from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QSizeF
    from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter, QTextDocument
    from PySide6.QtWidgets import QApplication

    from .look.theme import load_fonts

    if QApplication.instance() is None:
        _app.append(QApplication(["jokejudge", "-platform", "offscreen"]))
        load_fonts()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setCreator("JokeJudge")
    writer.setTitle(title)
    writer.setResolution(_DPI)
    size, landscape = QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Landscape
    margins = QMarginsF(*[_MARGIN_MM] * 4)
    writer.setPageLayout(QPageLayout(size, landscape, margins, QPageLayout.Unit.Millimeter))
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setHtml(html)
    document.setPageSize(QSizeF(writer.width(), writer.height()))
    document.print_(writer)
    buffer.close()
    return bytes(buffer.data().data())
