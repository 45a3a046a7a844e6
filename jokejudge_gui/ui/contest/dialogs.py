"""Small dialogs about a list: rounds and duels, the quality of the order, and export."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from ...batch.export import export_contest, format_of
from ...core.config import Settings
from ...engine.base import CancelToken
from ...judge.contest.record import ContestResult
from ...judge.contest.words import first_group, page
from ..history.dialogs import Exported
from ..judge_worker import JobStart
from ..widgets.controls import ChoiceButton
from ..widgets.dialog import Dialog, ask_file
from ..widgets.layout import HBox
from ..widgets.page import PageDialog
from ..widgets.text import Paragraph

PEOPLE = "Only people can decide between these: keep what you like, and order it by duels."


def order_dialog(result: ContestResult, parent: QWidget) -> PageDialog:
    """Return a dialog on the certainty of a list's order, and what computing it took."""
    whole = page(result)
    advice = (PEOPLE,) if first_group(result) > 1 else ()
    words = replace(whole, headline="", lead=(*whole.lead[1:], *advice), notes=(), tables=())
    return PageDialog(words, parent, "About this order", (520, 380))


# Export of a list, or of its kept jokes, to a file that the user chooses.

ENDINGS = {
    "Plain text (*.txt)": ".txt",
    "Table (*.csv)": ".csv",
    "Sheet to print (*.html)": ".html",
    "Markdown (*.md)": ".md",
    "JSON lines (*.jsonl)": ".jsonl",
    "Pairs to train on (*.dpo.jsonl)": ".dpo.jsonl",
}


def export_job(parent: QWidget, result: ContestResult, *, kept_only: bool) -> JobStart | None:
    """Let the user choose a file. Return a job that writes to it, or None if the user cancelled."""
    title, name = ("Export the kept jokes", "kept.txt") if kept_only else ("Export the whole list", "ranking.txt")
    path = ask_file(parent, title, name, ENDINGS)
    if path is None:
        return None

    def start(_token: CancelToken) -> Iterator[object]:
        form = format_of(path)
        count = export_contest(result, path, form, kept_only=kept_only, replace=True)
        yield Exported(count, path, what="pair" if form == "dpo" else "joke")

    return start


# Work beyond reading a list: the number of best jokes to find, of duels and of rounds.

WHAT_ROUNDS = (
    "In a duel two jokes of the list are compared. In a round the model scores the jokes from 1 to 10, several "
    "together and in shuffled order: how funny each is, how well it fits the topic, and how original it is. They "
    "change the order only as far as they were measured to be worth something on this model."
)


class EffortDialog(Dialog):
    """The numbers in ``settings`` of best jokes to find, of duels and of rounds. ``changed`` is called when one was
    chosen; the dialog is accepted to start duels and rounds now."""

    def __init__(self, settings: Settings, changed: Callable[[], object], parent: QWidget) -> None:
        super().__init__("Rounds and duels", parent, (520, 0), gap=12)
        self.buttons: dict[str, ChoiceButton] = {}
        for field, name, usual, words in (
            ("contest_top", "How many of the best to find", (1, 3, 5, 10, 20, 50), "Best {}"),
            ("contest_duels", "Duels", (None, 0, 20, 60, 120, 240, 500), "At most {} duels"),
            ("contest_rounds", "Rounds of scoring", (None, 0, 3, 5, 10), "{} rounds"),
        ):
            button = self.buttons[field] = ChoiceButton(name, fitted=True)
            now, what = getattr(settings, field), field.removeprefix("contest_")
            values = sorted({*usual, now}, key=lambda value: -1 if value is None else value)
            named = {None: f"{what.capitalize()} as needed", 0: f"No {what}"}
            button.set_options([named.get(value, words.format(value)) for value in values], values.index(now))

            def choose(at: int, field: str = field, values: Sequence[int | None] = values) -> None:
                setattr(settings, field, values[at])
                changed()

            button.chosen.connect(choose)
        self.body.add(Paragraph(WHAT_ROUNDS, 13), HBox(*self.buttons.values(), 1, gap=8))
        self.run_button = self.add_foot("Begin", cancel=True)


def effort(settings: Settings) -> dict[str, object]:
    """Return the fields of a contest's request that hold these choices."""
    return {"top": settings.contest_top, "budget": settings.contest_duels, "shuffled": settings.contest_rounds}
