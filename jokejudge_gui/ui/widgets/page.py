"""A page of words: the sentences about a verdict or a report, as its kind writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...core.pages import Page, Row, Table
from ..look.wording import Run, Style
from .cards import Banner
from .controls import LinkButton
from .layout import Grid, VBox, chain_controls
from .text import Heading, Label, Paragraph

_INDENT = 14
_LEFT = Qt.AlignmentFlag.AlignLeft
_TOP = Qt.AlignmentFlag.AlignTop
_RIGHT = Qt.AlignmentFlag.AlignRight | _TOP
_LOOKS = {"pass": (600, "good_text"), "fail": (600, "bad_text"), "not measured": (400, "text3")}


def runs_of(row: Row) -> list[Run]:
    """Return a row as a line: its name strong, its text, and beside it how far to trust it."""
    name = f"{row.name}{':' if row.text else ''} " if row.name else ""
    beside = "; ".join((row.beside, *(f"{label}: {100 * share:.0f} %" for label, share in row.shares))).strip("; ")
    heads: Style = "strong" if row.rows and not row.name else "normal"
    runs: list[Run] = [(name, "strong"), (row.text, heads), (f"  {beside}" if beside else "", "muted")]
    return [run for run in runs if run[0]]


class RowView(QWidget):
    """A row and the rows below it, which are folded where their own row is below another one."""

    def __init__(self, row: Row, depth: int = 0) -> None:
        super().__init__()
        small = row.quiet or depth > 1
        self.text = Paragraph(runs_of(row), 13 if small else 14, token="text3" if row.quiet else "text2")
        self.rows = [RowView(below, depth + 1) for below in row.rows]
        self._below = QWidget()
        VBox(*self.rows, parent=self._below, gap=3, margins=(_INDENT, 0, 0, 0))
        self.link = LinkButton("", act=lambda: self.unfold(self._below.isHidden()))
        self._name = row.name or row.text
        VBox(self.text, (self.link, 0, _LEFT), self._below, parent=self, gap=2)
        self.link.setVisible(bool(depth and row.rows))
        self.unfold(not depth and bool(row.rows))

    def lines(self) -> list[str]:
        """Return the row and those below it as plain lines."""
        return [self.text.text(), *(line for row in self.rows for line in row.lines())]

    def unfold(self, on: bool) -> None:
        """Show or hide the rows below this one."""
        self._below.setVisible(on)
        self.link.setText("Hide" if on else f"{len(self.rows)} more…")
        self.link.setAccessibleName(f"{self.link.text().rstrip('…')}: {self._name}")


class RowsView(QWidget):
    """Rows below each other; hidden without any. The quiet ones are last, behind a link if there are others, or if they
    are ``folded`` anyway."""

    def __init__(self, *, folded: bool = False) -> None:
        super().__init__()
        self._fold = folded
        self.rows: list[RowView] = []
        self._column, self._quiet = VBox(gap=8), VBox(gap=4)
        self._folded = QWidget()
        self._folded.setLayout(self._quiet)
        self.link = LinkButton("", act=lambda: self.unfold(self._folded.isHidden()))
        VBox(self._column, (self.link, 0, _LEFT), self._folded, parent=self, gap=8)
        self._shown: tuple[Row, ...] | None = None
        self.show_rows(())

    def show_rows(self, rows: Iterable[Row]) -> None:
        shown = tuple(rows)
        if shown != self._shown:
            self._shown = shown
            views = [(RowView(row), row.quiet) for row in shown]
            self.rows = [view for view, _ in views]
            loud = [view for view, quiet in views if not quiet]
            self._column.show_only(*loud)
            self._quiet.show_only(*(view for view, quiet in views if quiet))
            self.link.setVisible(len(loud) < len(views) and bool(loud or self._fold))
            self.unfold(not loud and not self._fold)
            chain_controls(self)
        self.setVisible(bool(shown))

    def unfold(self, on: bool) -> None:
        """Show or hide the quiet rows."""
        self._folded.setVisible(on)
        self.link.setText("Hide details" if on else "Details")

    def text(self) -> str:
        """Return all rows as plain lines."""
        return "\n".join(line for row in self.rows for line in row.lines())


class FigureTable(QWidget):
    """Tables under one another with small titles: names that wrap, and figures in columns."""

    def __init__(self, name: str, *tables: Table) -> None:
        super().__init__()
        self.tables: tuple[Table, ...] = ()
        self._grid = Grid(self, gaps=(14, 4), wide=0)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._fill(tables)

    def set_tables(self, tables: Sequence[Table]) -> None:
        """Show these tables; hide the widget where they have no rows."""
        shown = tuple(table for table in tables if table.rows)
        self.setVisible(bool(shown))
        if shown != self.tables:
            self._fill(shown)

    def _fill(self, shown: tuple[Table, ...]) -> None:
        self.tables = shown
        self.setAccessibleDescription(". ".join(map(_spoken, shown)))
        self._grid.clear()
        for table in shown:
            self._add(
                Paragraph(table.title, 12, token="text3"), [Label(head, 12, 400, "text3") for head in table.head[1:]]
            )
            for name, *figures in table.rows:
                cells = [Label(text, 13, *_LOOKS.get(text, (400, "text2")), tabular=True) for text in figures]
                self._add(Paragraph(name, 13, token="text", line_height=1.3), cells)

    def _add(self, name: Paragraph, figures: Sequence[Label]) -> None:
        row = self._grid.rowCount()
        self._grid.addWidget(name, row, 0, 1, 1 if figures else -1)
        for column, label in enumerate(figures, 1):
            self._grid.addWidget(label, row, column, _RIGHT)


def _spoken(table: Table) -> str:
    return f"{table.title}: {'; '.join(' '.join(filter(None, row)) for row in table.rows)}"


class PageView(QWidget):
    """A page: headline, sentences under it, warnings, rows, short tables, and its foot."""

    def __init__(self, level: int = 3) -> None:
        super().__init__()
        self.headline, self.lead, self.notes = Heading("", level), Paragraph("", gap=4), Banner("warning")
        self.rows, self.tables, self.foot = RowsView(), FigureTable("Tables"), Paragraph("", 12, token="text3")
        VBox(self.headline, self.lead, self.notes, self.rows, self.tables, self.foot, parent=self, gap=10)

    def show_page(self, page: Page) -> None:
        self.headline.show_text(page.headline)
        self.lead.show_text("\n".join(page.lead))
        self.notes.set_message("\n".join(page.notes))
        self.notes.setVisible(bool(page.notes))
        self.rows.show_rows(page.rows)
        self.tables.set_tables([table for table in page.tables if table.brief])
        self.foot.show_text(" · ".join(page.foot))
