"""What each model of a panel said, and how they divide."""

from __future__ import annotations

from ...judging.panel_words import said_by, side_with, standing_of
from ...verdicts import PanelFindings
from ..look import wording
from ..widgets.cards import Card
from ..widgets.text import Paragraph, Run


class PanelCard(Card):
    """Hidden where one model judged alone."""

    def __init__(self) -> None:
        super().__init__("By model", "what each model said by itself")
        self.members = Paragraph("", gap=4)
        self.dissent = Paragraph("", gap=4)
        self.standing = Paragraph("", 13, 400, "text3")
        for part in (self.members, self.dissent, self.standing):
            self.add(part)
        self._shown: PanelFindings | None = None
        self.hide()

    def show_panel(self, panel: PanelFindings | None) -> None:
        """The models in the panel's order, then where they agree and where they don't."""
        self.setVisible(panel is not None)
        if panel is None or panel == self._shown:
            return
        self._shown = panel
        runs: list[Run] = []
        for member in panel.members:
            name = wording.one_line(member.model.name)
            runs += [
                ("\n" if runs else "", "normal"),
                (f"{name}: ", "strong"),
                (f"{said_by(member).rstrip('.')}.".replace(" %", "\u00a0%"), "normal"),
            ]
        self.members.set_content(runs)
        self.dissent.set_content("\n".join(side_with(each) for each in panel.dissent))
        self.dissent.setVisible(bool(panel.dissent))
        self.standing.set_content(f"Together: {standing_of(panel)}.")
