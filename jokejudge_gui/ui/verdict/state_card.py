"""A card that says what happened and offers at most one action."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ..look.theme import px, theme
from ..widgets.cards import Card, StateIcon
from ..widgets.controls import PrimaryButton, SecondaryButton
from ..widgets.text import Heading, Paragraph

IconKind = Literal["none", "warning", "error", "info"]


class StateCard(Card):
    """Icon, heading, sentence, room for more (``extra``), and a button with a remark. ``acted``: it was pressed."""

    acted = Signal()

    def __init__(
        self,
        icon: IconKind = "none",
        heading: str = "",
        text: str = "",
        action: str = "",
        remark: str = "",
        primary: bool = False,
        mark: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(padding=28, parent=parent)
        self.heading = Heading(heading, 3)
        self.text = Paragraph(text)
        self.remark = Paragraph(remark, 13, token="text3")
        self.button = PrimaryButton(action) if primary else SecondaryButton(action)
        self.button.clicked.connect(self.acted)
        self._content = QHBoxLayout()
        self._words = QVBoxLayout()
        if icon != "none":
            self._content.addWidget(StateIcon(icon, 22, icon=mark), 0, Qt.AlignmentFlag.AlignTop)
        self._content.addLayout(self._words, 1)
        self._words.addWidget(self.heading)
        self._words.addWidget(self.text)
        self.extra = QVBoxLayout()
        self._words.addLayout(self.extra)
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.button)
        self._foot.addWidget(self.remark, 1)
        self._foot.addStretch(0)
        self._words.addLayout(self._foot)
        self.add_layout(self._content)
        self.set_message(heading, text, action, remark)
        self._lay_out()
        theme().changed.connect(self._lay_out)

    def set_message(self, heading: str, text: str, action: str = "", remark: str = "") -> None:
        """Change the words; what is empty isn't shown."""
        self.heading.set_content(heading)
        self.text.set_content(text)
        self.text.setVisible(bool(text))
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.remark.set_content(remark)
        self.remark.setVisible(bool(remark) and bool(action))
        self.setAccessibleName(heading)
        self._lay_out()

    def _lay_out(self) -> None:
        self._content.setSpacing(px(15))
        self._words.setSpacing(px(4))
        self._foot.setSpacing(px(12))
        self._foot.setContentsMargins(0, px(14) if not self.button.isHidden() else 0, 0, 0)
