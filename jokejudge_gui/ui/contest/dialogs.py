"""Small dialogs about a list: tags, a new version, rounds and duels, the quality of the order, and export."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCompleter, QWidget

from ...batch.export import export_contest, format_of
from ...core.config import Settings
from ...engine.base import CancelToken
from ...judge.contest.record import ContestResult
from ..history.dialogs import Exported
from ..judge_worker import JobStart
from ..look.theme import theme
from ..widgets.controls import ChoiceButton
from ..widgets.dialog import Dialog, ask_file
from ..widgets.fields import LineField, TextEditor
from ..widgets.layout import HBox
from ..widgets.text import Paragraph


class AskingDialog(Dialog):
    """A heading, a field, Cancel and a button that accepts the typed ``text``, as Ctrl+Enter does."""

    def __init__(self, title: str, words: str, field: LineField | TextEditor, take: str, parent: QWidget) -> None:
        super().__init__(title, parent, (480, 0), gap=12)
        self.field = field
        self.body.add(Paragraph(words, 13), (field, 1))
        self.add_foot(take, cancel=True)
        field.setFocus()
        field.selectAll()

    @property
    def text(self) -> str:
        return self.field.text() if isinstance(self.field, LineField) else self.field.toPlainText()


def ask_tags(whose: str, tags: Sequence[str], known: Sequence[str], parent: QWidget) -> AskingDialog:
    """Return a dialog for tags. ``known``: tags of other jokes, offered for completion."""
    field = LineField("Tags, separated by commas", "Tags, separated by commas")
    field.setText(", ".join(tags))
    if known:
        completer = QCompleter(list(known), field)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        field.setCompleter(completer)
        if (popup := completer.popup()) is not None:
            theme().dress_window(popup)
    words = "The history finds this list by them, and every export has them."
    return AskingDialog(f"Tags for {whose}", words, field, "Save", parent)


def ask_version(text: str, parent: QWidget) -> AskingDialog:
    """Return a dialog for a new version of the joke ``text``."""
    editor = TextEditor("", "New version", 5)
    editor.setPlainText(text)
    words = "The joke stays in the list as it is; the new version is read when you go on."
    return AskingDialog("A new version", words, editor, "Add this version", parent)


class OrderDialog(Dialog):
    """The quality of a list's order (``lines``) and what computing it took (``usage``)."""

    def __init__(self, lines: Sequence[str], usage: str, parent: QWidget) -> None:
        super().__init__("About this order", parent, (520, 0))
        self.body.add(Paragraph("\n".join(lines), gap=6), Paragraph(usage, 12, token="text3"))
        self.add_foot("Done").setFocus()


# Export of a list, or of its kept jokes, to a file that the user chooses.

ENDINGS = {
    "Plain text (*.txt)": ".txt",
    "CSV table (*.csv)": ".csv",
    "Markdown (*.md)": ".md",
    "Web page (*.html)": ".html",
    "JSON lines (*.jsonl)": ".jsonl",
    "Pairs to train on (*.dpo.jsonl)": ".dpo.jsonl",
}
_WHOLE = ("Export the whole list", "ranking.txt")


def export_job(parent: QWidget, result: ContestResult, *, kept_only: bool) -> JobStart | None:
    """Let the user choose a file. Return a job that writes to it, or None if the user cancelled."""
    path = ask_file(parent, *(("Export the kept jokes", "kept.txt") if kept_only else _WHOLE), ENDINGS)
    if path is None:
        return None

    def start(_token: CancelToken) -> Iterator[object]:
        form = format_of(path)
        count = export_contest(result, path, form, kept_only=kept_only, replace=True)
        yield Exported(count, path, what="pair" if form == "dpo" else "joke")

    return start


# Work beyond reading a list: the number of best jokes to find, of duels and of rounds.

TOPS = (1, 3, 5, 10, 20, 50)
ROUNDS: tuple[int | None, ...] = (None, 0, 3, 5, 10)
BUDGETS: tuple[int | None, ...] = (None, 0, 20, 60, 120, 240, 500)
WHAT_ROUNDS = (
    "In a duel two jokes of the list are compared. In a round the model scores the jokes from 1 to 10, several "
    "together and in shuffled order: how funny each is, how well it fits the topic, and how original it is. They "
    "change the order only as far as they were measured to be worth something on this model."
)


class EffortDialog(Dialog):
    """Choices that are stored in ``settings``. ``changed``: one of them was changed; ``accepted``: start the duels and
    rounds now."""

    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__("Rounds and duels", parent, (520, 0), gap=12)
        self._settings = settings
        self.top = self._choice("contest_top", "How many of the best to find", TOPS, lambda n: f"Best {n}")
        self.duels = self._choice("contest_duels", "Duels", BUDGETS, _duels)
        self.rounds = self._choice("contest_rounds", "Rounds of scoring", ROUNDS, _rounds)
        row = HBox(self.top, self.duels, self.rounds, 1, gap=8)
        self.body.add(Paragraph(WHAT_ROUNDS, 13), row)
        self.run_button = self.add_foot("Begin", cancel=True)

    def _choice(
        self, field: str, name: str, usual: tuple[int | None, ...], words: Callable[[int | None], str]
    ) -> ChoiceButton:
        """Return a button for a field of the settings: the ``usual`` values, and the current one if it is another."""
        now = getattr(self._settings, field)
        values = sorted({*usual, now}, key=lambda one: -1 if one is None else one)
        button = ChoiceButton(name, fitted=True)
        button.set_options([words(value) for value in values], values.index(now))

        def choose(place: int) -> None:
            setattr(self._settings, field, values[place])
            self.changed.emit()

        button.chosen.connect(choose)
        return button


def effort(settings: Settings) -> dict[str, object]:
    """Return the fields of a contest's request that hold these choices."""
    return {"top": settings.contest_top, "budget": settings.contest_duels, "shuffled": settings.contest_rounds}


def _rounds(count: int | None) -> str:
    if count is None:
        return "Rounds as needed"
    return f"{count} rounds" if count else "No rounds"


def _duels(budget: int | None) -> str:
    if budget is None:
        return "Duels as needed"
    return f"At most {budget} duels" if budget else "No duels"
