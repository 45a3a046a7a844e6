"""What is done with the entries of a ranking: marked, tagged, voted on, rewritten, opened elsewhere, exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCompleter, QDialog, QWidget

from ...batch.export import export_contest, format_of
from ...core.errors import InputError
from ...core.texts import clean_text
from ...engine.base import CancelToken
from ...judge.contest.types import ContestResult, EntryNote, Mark, RankedEntry, new_id
from ...judge.contest.words import jokes
from ..history.dialogs import Exported, split_tags
from ..judge_worker import JobStart
from ..look import wording
from ..verdict.tab import VerdictTab
from ..widgets.dialog import Dialog, ask_file
from ..widgets.fields import LineField, TextEditor
from ..widgets.text import Paragraph
from .leaderboard import LeaderboardDialog
from .ranking_page import BlindPage, Pair, RankingPage, blind_pairs
from .state import ContestRecorder, ContestState

# Small dialogs over a ranking: tags for jokes, and a new version of one.


class _Asking(Dialog):
    """A heading, a field, Cancel and a button that takes what was typed; Ctrl+Enter takes it, too."""

    def __init__(self, title: str, words: str, field: QWidget, take: str, parent: QWidget) -> None:
        super().__init__(title, parent, (480, 0), gap=12)
        self.body.add(Paragraph(words, 13), (field, 1))
        self.add_foot(take, cancel=True)
        field.setFocus()


class TagDialog(_Asking):
    """``tags`` holds what was typed. ``known``: tags that other jokes have, which are offered."""

    def __init__(self, whose: str, tags: Sequence[str], known: Sequence[str], parent: QWidget) -> None:
        self.field = LineField("Tags, separated by commas", "Tags, separated by commas")
        self.field.setText(", ".join(tags))
        if known:
            completer = QCompleter(list(known), self.field)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            self.field.setCompleter(completer)
        words = "The history finds this contest by them, and every export has them."
        super().__init__(f"Tags for {whose}", words, self.field, "Save", parent)
        self.field.selectAll()

    @property
    def tags(self) -> tuple[str, ...]:
        return split_tags(self.field.text())


class VersionDialog(_Asking):
    """``text`` holds the new version."""

    def __init__(self, text: str, parent: QWidget) -> None:
        self.editor = TextEditor("", "New version", 5)
        self.editor.setPlainText(text)
        words = "The joke stays in the ranking as it is; the new version stands beside it, and is read when you go on."
        super().__init__("A new version", words, self.editor, "Add this version", parent)
        self.editor.selectAll()

    @property
    def text(self) -> str:
        return self.editor.toPlainText()


# Writes a ranking, or what is kept of it, to a file that the user chooses.

ENDINGS = {
    "Plain text (*.txt)": ".txt",
    "CSV table (*.csv)": ".csv",
    "Markdown (*.md)": ".md",
    "Web page (*.html)": ".html",
    "JSON lines (*.jsonl)": ".jsonl",
    "Pairs to train on (*.dpo.jsonl)": ".dpo.jsonl",
}


def export_job(parent: QWidget, result: ContestResult, *, kept_only: bool) -> JobStart | None:
    """Let the user choose a file; a job that writes to it, or None if they thought better of it."""
    path = ask_file(parent, *(("Export the kept jokes", "kept.txt") if kept_only else _WHOLE), ENDINGS)
    return None if path is None else _writing(result, path, kept_only)


_WHOLE = ("Export the ranking", "ranking.txt")


def _writing(result: ContestResult, path: Path, kept_only: bool) -> JobStart:
    def start(_token: CancelToken) -> Iterator[object]:
        form = format_of(path)
        count = export_contest(result, path, form, kept_only=kept_only, replace=True)
        yield Exported(count, path, what="pair" if form == "dpo" else "joke")

    return start


_NEXT_VOTE: dict[str | None, str | None] = {None: "up", "up": "down", "down": None}


class RankingActions(QObject):
    """Does what the ranking's keys, menu and buttons ask for with the entries of ``state``. ``elsewhere_asked``: a
    verdict of another kind is wanted, by its name and the fields of its request; ``compare_asked`` carries a text that
    is to be compared with another; ``to_export`` a job that writes a file; ``blind_asked``: the page of blind choices
    is to be shown; ``notice`` a sentence, ``failed`` an error; ``changed``: there is another entry."""

    elsewhere_asked = Signal(str, object)
    compare_asked = Signal(str)
    to_export = Signal(object)
    blind_asked = Signal()
    notice = Signal(str)
    failed = Signal(object)
    changed = Signal()

    def __init__(self, ranking: RankingPage, blind: BlindPage, recorder: ContestRecorder, tab: VerdictTab) -> None:
        super().__init__(tab)
        self.state = ContestState()
        self._ranking, self._blind, self._recorder, self._window = ranking, blind, recorder, tab
        self.elsewhere_asked.connect(tab.elsewhere_asked)
        self.compare_asked.connect(tab.compare_asked)
        self.to_export.connect(tab.to_export)
        self.notice.connect(tab.notice)
        self.failed.connect(tab.trouble)
        blind.chosen.connect(self._choose)
        blind.ended.connect(self._on_all_chosen)
        view = ranking.view
        view.marked.connect(self._mark)
        view.starred.connect(self._star)
        view.tag_asked.connect(self._tag)
        view.voted.connect(self._vote)
        view.blind_asked.connect(self._ask_blind)
        view.version_asked.connect(self._ask_version)
        view.open_asked.connect(self._open_as_rating)
        view.duel_asked.connect(self._duel)
        for asked in (view.export_asked, ranking.export_asked):
            asked.connect(lambda: self.export(kept_only=True))
        ranking.groups_asked.connect(self._show_groups)
        recorder.voted.connect(self._on_voted)

    def _show_groups(self) -> None:
        result = self.state.result
        if result is not None:
            LeaderboardDialog(result, self._recorder.worker, self._window.window()).open()

    # Marks, stars, tags

    def _mark(self, mark: Mark | None) -> None:
        self._say(lambda said: said._replace(mark=mark))

    def _star(self) -> None:
        on = not all(self.state.notes[entry.id].starred for entry in self._ranking.view.chosen())
        self._say(lambda said: said._replace(starred=on))

    def _tag(self) -> None:
        chosen = self._ranking.view.chosen()
        notes = self.state.notes
        if not chosen:
            return
        # Of several jokes those tags are shown that all of them have; the others stay.
        common = [tag for tag in notes[chosen[0].id].tags if all(tag in notes[one.id].tags for one in chosen)]
        dialog = TagDialog(jokes(len(chosen)), common, notes.tags(), self._window)
        dialog.accepted.connect(
            lambda: self._say(lambda said: said._replace(tags=_joined(said.tags, common, dialog.tags)))
        )
        self._open(dialog)

    def _open(self, dialog: QDialog) -> None:
        """Show a dialog; the keyboard comes back to the ranking."""
        dialog.finished.connect(lambda _result: self._ranking.view.setFocus())
        dialog.open()

    def _say(self, change: Callable[[EntryNote], EntryNote]) -> None:
        """Take down what the user says of the selected entries."""
        state, view = self.state, self._ranking.view
        for entry in view.chosen():
            state.notes[entry.id] = change(state.notes[entry.id])
        for index in view.selectionModel().selectedRows():
            self._ranking.model.mark_changed(index.row())
        self._ranking.show_kept(state)
        self._recorder.touch(state)

    # Votes

    def _vote(self) -> None:
        """Go on from no vote to up, to down, and back to none."""
        result = self.state.result
        for entry in self._ranking.view.chosen():
            if result is not None:
                choice = _NEXT_VOTE[self.state.votes.get(entry.text)]
                self._recorder.vote(self.state, result, entry.id, choice)

    def _on_voted(self, state: ContestState) -> None:
        if state is self.state:
            self._ranking.model.show_state(state)

    def _ask_blind(self) -> None:
        """Show two jokes without their places: those that are selected, else such as chance chooses."""
        result, chosen = self.state.result, self._ranking.view.chosen()
        if result is None:
            return
        if len(chosen) < 2:
            chosen = [entry for entry in self.state.entries if self.state.notes[entry.id].mark != "bin"]
        pairs = blind_pairs(chosen, result.id)
        if not pairs:
            self.notice.emit("Two jokes must have been read before you can choose between them.")
            return
        self._blind.begin(pairs)
        self.blind_asked.emit()

    def _choose(self, pair: Pair, choice: str) -> None:
        if self.state.result is not None:
            self._recorder.choose(self.state, self.state.result, (pair[0].id, pair[1].id), choice)

    def _on_all_chosen(self, count: int) -> None:
        self._blind.back_asked.emit()
        self.notice.emit(f"That was every pair. {wording.count_of(count, 'choice')} kept.")

    # Versions

    def _ask_version(self, entry: RankedEntry) -> None:
        dialog = VersionDialog(entry.text, self._window)
        dialog.accepted.connect(lambda: self.add_version(entry, dialog.text))
        self._open(dialog)

    def add_version(self, entry: RankedEntry, text: str) -> None:
        """Add a text to the ranking as a new version of an entry; it is read when the contest goes on."""
        state, result = self.state, self.state.marked()
        if result is None:
            return
        try:
            clean = clean_text(text)
        except InputError as error:
            self.failed.emit(error)
            return
        if any(one.text == clean for one in result.entries):
            self.notice.emit("This text is in the list already.")
            return
        version = RankedEntry(id=new_id(result), text=clean, version_of=entry.id)
        state.notes.add_version(version)
        state.result = state.notes.on(result)
        state.count = len(state.result.entries)
        self._recorder.touch(state)
        self.changed.emit()
        self._ranking.view.setCurrentIndex(self._ranking.model.row_of(version.id))
        rest = "when the ranking is there" if state.live else "when you go on"
        self.notice.emit(f"Added as a new version. It is read {rest}.")

    # Elsewhere

    def _open_as_rating(self, entry: RankedEntry) -> None:
        self.elsewhere_asked.emit("rate", {"text": entry.text, "context": self.state.context})

    def _duel(self, entries: Sequence[RankedEntry]) -> None:
        if len(entries) == 1:
            self.compare_asked.emit(entries[0].text)
        else:
            texts = {"text_a": entries[0].text, "text_b": entries[1].text}
            self.elsewhere_asked.emit("duel", {**texts, "context": self.state.context})

    def export(self, *, kept_only: bool) -> None:
        """Ask for a file and write the ranking to it, or what is kept of it."""
        result = self.state.marked()
        if result is None or not self.state.usable:
            return
        if kept_only and not self.state.notes.kept:
            self.notice.emit("Nothing is kept yet. Press K on the jokes that you want to keep.")
            return
        job = export_job(self._window.window(), result, kept_only=kept_only)
        if job is not None:
            self.to_export.emit(job)


def _joined(old: Sequence[str], shown: Sequence[str], typed: Sequence[str]) -> tuple[str, ...]:
    """The tags of one joke after those that were ``shown`` became those that were ``typed``."""
    return split_tags(",".join([*(tag for tag in old if tag not in shown), *typed]))
