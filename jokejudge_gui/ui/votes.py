"""The user's votes on verdicts, and the line with the prediction of the user's own taste."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ..core.errors import JokeJudgeError
from ..core.verdict_kinds import VerdictKind
from ..history.votes import Vote, Votes, export_votes
from .changes import Changes
from .judge_worker import JudgeWorker
from .look import wording
from .look.theme import px
from .widgets.base import plain_tooltip
from .widgets.controls import Button, IconButton, LinkButton, SecondaryButton
from .widgets.dialog import ask_file
from .widgets.layout import HBox, VBox
from .widgets.text import Label, Paragraph

_FACES: dict[str, tuple[str, str | None, str]] = {
    "up": ("", "thumb_up", "I find it funny"),
    "down": ("", "thumb_down", "I don't find it funny"),
    "A": ("A", None, "A is funnier to me"),
    "B": ("B", None, "B is funnier to me"),
}
TAKE_BACK = "Press again to take your vote back"


def unbroken(text: str) -> str:
    """Return a text with unbreakable spaces before its percent signs."""
    return text.replace(" %", "\u00a0%")


class VoteButtons(QWidget):
    """The vote in the bar of actions: a label and the choices. ``voted`` carries the pressed choice, whether it was
    chosen before or not. The tooltips show the progress of the votes."""

    voted = Signal(str)

    def __init__(self, kind: VerdictKind[Any, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Your vote")
        self.word = Label("Your vote" if "up" in kind.choices else "Your choice", 13, token="text2")
        self.by_choice: dict[str, Button] = {}
        self.caption = ""
        row = HBox(self.word, parent=self, gap=4)
        row.addSpacing(px(4))
        for choice, (text, icon, name) in _FACES.items():
            if choice not in kind.choices:
                continue
            button: Button = IconButton(icon, name) if icon is not None else SecondaryButton(text, name=name, tip=name)
            button.setCheckable(True)
            button.clicked.connect(lambda _on=False, choice=choice: self.voted.emit(choice))
            self.by_choice[choice] = button
            row.addWidget(button)

    def show_choice(self, choice: str | None, caption: str) -> None:
        """Show a choice. ``caption``: the progress of the votes."""
        self.caption = unbroken(caption)
        for name, button in self.by_choice.items():
            button.setChecked(name == choice)
            does = TAKE_BACK if name == choice else _FACES[name][2]
            button.setToolTip(plain_tooltip("\n".join(filter(None, (f"{does}.", self.caption)))))
            button.setAccessibleDescription(TAKE_BACK if name == choice else "")
        self.show()


class TasteLine(Paragraph):
    """The prediction of the user's own taste, beside the audience's; hidden without one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.hide()

    def show_words(self, words: tuple[str, str] | None) -> None:
        """Show a prediction and its confidence; None hides the line."""
        strong, rest = map(unbroken, words or ("", ""))
        if self.text() != strong + rest:
            self.set_content([(strong, "strong"), (rest, "normal")])
        self.setVisible(bool(words))


# The votes in the settings: their number and actions on them.

FILTERS = {"CSV table (*.csv)": ".csv", "JSON lines (*.jsonl)": ".jsonl"}


class VotesStrip(QWidget):
    """All votes. ``words`` returns their progress; ``on_change`` is called after they were deleted or restored."""

    def __init__(
        self, votes: Votes, worker: JudgeWorker, changes: Changes, words: Callable[[], str],
        on_change: Callable[[], None],
    ) -> None:  # fmt: skip
        super().__init__()
        self._votes, self._worker, self._words, self._on_change = votes, worker, words, on_change
        self._changes = changes
        self.text = Paragraph("", 13, token="text3")
        self.export_link = LinkButton("Export votes…", act=self._export)
        self.delete_link = LinkButton("Delete all votes", act=self._delete)
        VBox(self.text, HBox(self.export_link, self.delete_link, 1, gap=12), parent=self, gap=2)
        self.show_votes()

    def show_votes(self, outcome: str = "") -> None:
        """Show the progress of the votes, or instead the outcome of the last action."""
        try:
            some = self._votes.count() > 0
            text = outcome or self._words()
        except JokeJudgeError as error:
            some, text = False, str(error)
        self.text.set_content(unbroken(text))
        for link in (self.export_link, self.delete_link):
            link.setVisible(some)

    def _export(self) -> None:
        path = ask_file(self, "Export votes", "votes.csv", FILTERS)
        if path is not None:
            self._worker.call("export votes", partial(self._write, path), self.show_votes, self._on_failed)

    def _write(self, path: Path) -> str:
        return f"Exported {wording.count_of(export_votes(self._votes.find(), path, replace=True), 'vote')} to {path}."

    def _on_failed(self, error: JokeJudgeError) -> None:
        self.show_votes(str(error))

    def _delete(self) -> None:
        gone: list[Vote] = []

        def act() -> None:
            gone[:] = self._votes.delete_all()
            self._on_change()

        def undo() -> None:
            self._votes.restore(gone)
            self._on_change()

        if self._changes.do("Deleted all votes", act, undo, quiet=True):
            self.show_votes(f"Deleted {wording.count_of(len(gone), 'vote')}. Ctrl+Z in the window brings them back.")
