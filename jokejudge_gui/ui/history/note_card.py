"""The note and tags of the verdict that is shown."""

from __future__ import annotations

from ...history.query import HistoryRow
from ..widgets.cards import Card
from ..widgets.chips import Chip, ChipFlow
from ..widgets.text import Paragraph


class NoteCard(Card):
    """Hidden while there is neither."""

    def __init__(self) -> None:
        super().__init__("Note")
        self.text = Paragraph("")
        self.tags = ChipFlow()
        self.add(self.text)
        self.add(self.tags)
        self.hide()

    def show_row(self, row: HistoryRow | None) -> None:
        note = row.note.strip() if row is not None else ""
        tags = row.tags if row is not None else ()
        self.text.set_content(note)
        self.text.setVisible(bool(note))
        self.tags.set_chips([Chip("plain", tag) for tag in tags])
        self.tags.setVisible(bool(tags))
        self.setVisible(bool(note or tags))
