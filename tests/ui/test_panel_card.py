"""What each model of a panel said, as a card."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.verdicts import Dissent, ModelRef, PanelFindings, PanelMember
from jokejudge_gui.ui.verdict.cards import TextCard, panel_words


def test_the_models_their_weights_and_how_they_divide_are_told(qtbot: QtBot) -> None:
    card = TextCard("By model")
    qtbot.addWidget(card)
    members = (
        PanelMember(model=ModelRef(name="<b>One", sha256="1" * 64), worth=0.7, weight=1.0, headline="B is funnier"),
        PanelMember(model=ModelRef(name="Two", sha256="2" * 64), error=ErrorInfo(code="E", sentence="It is too long.")),
    )
    dissent = (Dissent(voice="verdict", finding="B is funnier", agree=2, of=3),)
    panel = PanelFindings(name="both", members=members, votes=1.2, correlation=0.7, dissent=dissent)
    card.show_text(*panel_words(panel))
    assert not card.isHidden()
    told = card.text.text()
    assert "<b>One: B is funnier (right in 70 of 100 pairs; 100\u00a0% of the weight)." in told
    assert "Two: It is too long." in told
    assert "B is funnier (two of three models)." in told
    assert "count as 1.2 independent ones" in card.note.text()
    card.show_text(*panel_words(None))
    assert card.isHidden()
