"""The window says of a verdict what its page says, as every other surface does (tests/unit/kinds/test_one_truth.py)."""

from __future__ import annotations

import canned_profile
import pytest
from driving import Open
from PySide6.QtWidgets import QAbstractButton, QLabel

from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.judge.kinds import kind_of
from jokejudge_gui.ui.widgets.text import Paragraph
from tests.records import DUELS, RATINGS

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
RECORDS = {**{f"rate {name}": record for name, record in RATINGS.items()}, **{f"duel {n}": r for n, r in DUELS.items()}}
WITHHELD = {
    "rate not English": ("stronger than",),
    "rate no turn": ("upper half", "stronger than"),
    "duel nothing turns in one": ("A, clearly",),
}


def squeezed(text: str) -> str:
    return "".join(text.replace("\xa0", " ").split())


def test_the_window_says_what_the_page_says_and_withholds_what_it_withholds(open_window: Open) -> None:
    window = open_window()
    for name, record in RECORDS.items():
        kind = kind_of(record)
        page = kind.words(record)
        tab = window.by_kind[kind.name]
        canned_profile.record(window.session.store, record, Status.FAILED if record.error else Status.FINISHED)
        window.open_verdict(record.id)
        shown = [part for part in tab.findChildren(Paragraph) if part.isVisibleTo(tab)]
        texts = [part.text() for part in shown]
        texts += [part.text() for part in tab.findChildren(QLabel) if part.isVisibleTo(tab)]
        texts += [part.text() for part in tab.findChildren(QAbstractButton) if part.isVisibleTo(tab)]
        text = squeezed("\n".join(texts))
        told = [page.headline.split(" (")[0].rstrip("."), *page.notes]
        if record.error is not None:  # its card names the error, and what to do
            told = [record.error.sentence, record.error.hint]
        for sentence in told:
            assert squeezed(sentence) in text, f"{name}: {sentence}"
        for words in WITHHELD.get(name, ()):
            assert squeezed(words) not in text, f"{name}: {words}"
