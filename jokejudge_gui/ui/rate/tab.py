"""The Rate tab: the field for a joke, its versions, and its page; live or from the history."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from ...core.errors import HistoryError, JokeJudgeError
from ...core.files import remember, remembered
from ...history.query import HistoryEntry, HistoryQuery
from ...history.store import HistoryStore
from ...judge.rating.kind import RATING
from ...judge.rating.record import RatingResult, Trial
from ...judge.rating.words import prose_mark
from ...judge.versions import WorkshopResult
from ..judge_worker import Job, JudgeWorker
from ..look import wording
from ..look.theme import Room, px
from ..verdict.cards import JokeCard, ListOffer, TextCard, TwoColumns, panel_words
from ..verdict.tab import VerdictTab
from ..votes import VoteButtons
from ..widgets.bars import ProgressLine
from ..widgets.base import restyle_within, settle
from ..widgets.controls import LinkButton
from ..widgets.fields import TextEditor
from ..widgets.layout import HBox, VBox, single_shot
from ..widgets.text import Caption
from .listeners import KnownListeners, ListenerField, voices_words
from .more import TreeCard, has_more, own_fault_words, words_of
from .page import Page, WelcomeCard
from .picture import PictureReader, picture_of
from .state import RateState
from .versions import VersionIndex, VersionRow, VersionsCard

_SLOW_MS = 400
"""Time in ms after which progress is shown."""
_MOST_DISMISSED = 2000
_LONG = 1200
"""Least length in characters of a text whose turn is scrolled into view."""


class Dismissed:
    """Edits that the user dismissed, by their joke; stored in ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, list[str]] = {
            key: [each for each in found if isinstance(each, str)]
            for key, found in remembered(path).items()
            if isinstance(found, list)
        }

    def of(self, joke: str) -> frozenset[str]:
        """Return the texts of a joke's dismissed edits."""
        return frozenset(self._known.get(_key(joke), ()))

    def put(self, joke: str, edit: str, *, dismissed: bool) -> None:
        """Dismiss an edit or bring it back. Raises ``SettingsError``."""
        found = [each for each in self._known.get(_key(joke), []) if each != edit] + [edit] * dismissed
        self._known[_key(joke)] = found
        remember(self._path, _key(joke), found or None, _MOST_DISMISSED)


def _key(joke: str) -> str:
    return hashlib.sha256(" ".join(joke.split()).casefold().encode("utf-8", "replace")).hexdigest()[:16]


class RunningLine(QWidget):
    """The current activity in words, with a progress line."""

    def __init__(self) -> None:
        super().__init__()
        self.words = Caption("")
        self.progress = ProgressLine(name="Progress")
        VBox(self.words, self.progress, parent=self, gap=6)
        self.hide()

    def show_doing(self, words: str, share: float | None) -> None:
        """Show an activity. ``share``: its progress 0…1; None: unknown."""
        self.words.setText(f"{words}…")
        self.progress.setVisible(share is not None)
        if share is not None:
            self.progress.set_fraction(share)
        self.show()


class RateTab(VerdictTab):
    """Rates a joke and shows its page."""

    kind = RATING
    shows = RateState
    state: RateState

    def __init__(
        self, examples: Sequence[str], store: HistoryStore, dismissed: Path, side_worker: JudgeWorker | None = None
    ) -> None:
        """``side_worker``: reads the text of pictures that are dropped or pasted into the field."""
        super().__init__("Rate", "Duel with…")
        self._examples = list(examples)
        self._next_example = 0
        self._store = store
        self._index = VersionIndex(store)
        self._dismissed = Dismissed(dismissed)
        self._family: list[VersionRow] = []
        """Versions of a stored workshop verdict."""
        self._viewed = ""
        """Ordinal of the viewed version, such as ``2nd``; empty for the newest verdict."""
        self._unfolded = False
        self._turn_of: str | None = None
        self.state = RateState()

        self.joke = JokeCard("Your joke", LinkButton("Try an example"), TextEditor("Type or paste a joke", most=11))
        self.jokes = (self.joke,)
        self.joke.link.setVisible(bool(self._examples))
        self.joke.editor.take_other(picture_of)
        self.joke.edited.connect(self._on_edited)
        self.joke.link.clicked.connect(self.try_example)
        self.offer = ListOffer(self.joke.editor)
        self.offer.asked.connect(self.list_asked)
        self.listener = ListenerField()
        self.listener.edited.connect(self.edited)
        self._listener_row = QWidget()
        HBox(self.listener.link, 1, parent=self._listener_row)
        self.buttons.set_left(self.context.link)
        self.joke.add(self.offer, self.context, self.listener, self._listener_row, self.buttons)
        self.versions = VersionsCard()
        self.versions.version_asked.connect(self._view)
        self.versions.restore_asked.connect(self._restore)
        self.welcome = WelcomeCard(self._examples, self._rate_example, newcomer=self._is_new())
        self.running = RunningLine()
        self.view_caption = Caption("")
        self.page = Page()
        self.page.joke.accepted.connect(self._accept)
        self.page.joke.dismissed.connect(self._dismiss)
        self.page.more_toggled.connect(self._on_more)
        finding = self.page.finding
        finding.forced.connect(lambda: self._ask(self.state.text, self.state.context, forced=True))
        finding.turn_chosen.connect(lambda turn: self._ask(self.state.text, self.state.context, forced=True, turn=turn))
        finding.library_asked.connect(self.library_asked)
        self.trust_link, self.taste_line = self.page.audience.trust_link, self.page.audience.taste
        self.vote = VoteButtons(self.kind)
        self.bar.set_votes(self.vote)
        self.bar.first_asked.connect(lambda: self.compare_asked.emit(self.state.text))
        self.words = TextCard("In words")
        self.tree = TreeCard()
        self.listeners = TextCard("Who would laugh", "beside the verdict, not in it")
        self.own_faults = TextCard("Your own faults", "asked, not measured")
        self.panel = TextCard("By model", "what each model said by itself")
        self.cards = (
            self.welcome, self.stale_line, self.view_caption, self.warning, self.failed, self.page, self.running,
            self.words, self.panel, self.own_faults, self.listeners, self.tree, self.note,
        )  # fmt: skip
        self.answers = (self.welcome, self.failed, self.page)

        self._pictures = PictureReader(self.joke.editor, side_worker, self) if side_worker is not None else None
        if self._pictures is not None:
            self.joke.editor.other_given.connect(self._pictures.read)
            self._pictures.notice.connect(self.notice)
            self._pictures.trouble.connect(self.trouble)

        self._slow = single_shot(self, self._show_running, _SLOW_MS)
        self.right = self.result_column
        self._columns = TwoColumns(self, self.right, self._foot)
        self.left = self._columns.left
        self.set_room("wide", px(24))
        self.draw()

    def _is_new(self) -> bool:
        """Whether the history is empty."""
        with contextlib.suppress(HistoryError):
            return not self._store.search(HistoryQuery(limit=1))
        return False

    # Room

    def set_room(self, room: Room, margin: int) -> None:
        """Lay the tab out in one column or two. ``margin``: the window's right margin in pixels."""
        if room != self._room:
            self._room = room
            left = [] if room == "narrow" else [self.joke, self.versions]
            right = [*self.cards] if left else [self.joke, *self.cards, self.versions]
            for column, widgets in ((self.left, left), (self.right, right)):
                for widget in widgets:
                    column.add(widget)
                    restyle_within(widget)
            self.left.setVisible(room != "narrow")
            self.bar.set_room(room)
            self.draw()
        self._columns.measure(room, margin)

    def set_listeners(self, known: KnownListeners) -> None:
        self.listener.serve(known)
        self._update_buttons()

    def draft(self) -> tuple[str, ...]:
        names = self.listener.names()
        return (*self.texts(), self.context.text(), "; ".join(names)) if names else super().draft()

    def put_draft(self, draft: Sequence[str]) -> None:
        super().put_draft(draft)
        self.listener.set_names(tuple(part.strip() for each in draft[2:3] for part in each.split(";") if part.strip()))

    # Requests

    def run(self) -> None:
        """Rate the text in the field, if possible."""
        if self.buttons.run_button.isEnabled() and not self.live:
            self._ask(self.joke.text(), self.context.text())

    def _ask(self, text: str, context: str, forced: bool = False, turn: tuple[int, int] | None = None) -> None:
        asked: dict[str, object] = {"listeners": names} if (names := self.listener.names()) else {}
        if turn is not None:
            asked["turn"] = turn
        if self._pictures is not None and (picture := self._pictures.beside(text)) is not None:
            asked["picture"] = picture
        self.asked.emit({"text": text, "context": context, "forced": forced, **asked})

    def try_example(self) -> None:
        if self._examples and not self.live:
            self.joke.set_text(self._examples[self._next_example % len(self._examples)])
            self.context.set_text("")
            self.buttons.run_button.setFocus()
            self._next_example += 1

    def _rate_example(self, joke: str) -> None:
        if not self.live:
            self.joke.set_text(joke)
            self.context.set_text("")
            self.run()

    # Edits and versions

    def _accept(self, trial: Trial) -> None:
        """Put an edit into the field, which Ctrl+Z undoes, and rate it as a version."""
        if not self.live and not self.stale:
            self.joke.set_text(trial.text)
            self.run()

    def _dismiss(self, edit: str, dismissed: bool) -> None:
        try:
            self._dismissed.put(self.state.text, edit, dismissed=dismissed)
        except JokeJudgeError as error:
            self.trouble.emit(error)
        self.draw()

    def _view(self, identity: str) -> None:
        """Show the page of another version; the field keeps its text."""
        try:
            entry = self._store.get(identity)
        except HistoryError as error:
            self.trouble.emit(error)
            return
        self._show_entry(entry)
        self._viewed = ""
        if self.joke.text() != self.state.text:
            self._viewed = self.versions.place_of(self.state.text)
        self.draw()

    def _restore(self, text: str) -> None:
        """Put a version's text back into the field."""
        if not self.live:
            self.joke.set_text(text)
            self.context.set_text(self.state.context)
            self._viewed = ""
            self.draw()
            self.focus_editor()

    def _find_versions(self) -> list[VersionRow]:
        try:
            found = self._index.of(self.state.text) if self.state.text else []
        except HistoryError:
            return []  # the window reports this elsewhere
        known = {row.text for row in self._family}
        if self.state.text not in known:
            return found
        return [*self._family, *(row for row in found if row.text not in known)]

    def open_versions(self, versions: Sequence[VersionRow]) -> None:
        """Show the last version of a stored workshop verdict, and the others in the card."""
        self._family = list(versions)
        self.open(self._store.get(versions[-1].id))

    # Events

    def keep(self) -> None:
        if self._pictures is not None:
            self._pictures.leave()

    def begin(self, job: Job, *texts: str) -> None:
        self._viewed = ""
        self._slow.start()
        super().begin(job, *texts)

    def handle(self, job: Job, event: object) -> None:
        super().handle(job, event)
        if not self.live:
            self._slow.stop()
            self.running.hide()

    def open(self, entry: HistoryEntry) -> None:
        self._viewed = ""
        super().open(entry)

    def _on_edited(self) -> None:
        self._viewed = ""
        super()._on_edited()

    @property
    def stale(self) -> bool:
        return not self._viewed and super().stale

    # Drawing

    def _on_more(self, unfolded: bool) -> None:
        self._unfolded = unfolded
        self.draw()

    def _tick(self) -> None:
        if self.running.isVisible():
            self._show_running()

    def _show_running(self) -> None:
        if self.state is self._live:
            self.running.show_doing(*self.state.doing)

    def _update_buttons(self) -> None:
        text = self.joke.editor.document()
        blank = text.characterCount() <= 4096 and not self.joke.text().strip()
        self.buttons.run_button.setEnabled(not blank and self._model_error is None)
        self._listener_row.setVisible(self.listener.useful and not self.listener.link.isHidden())

    def _draw(self) -> None:
        """Draw the state; unchanged parts aren't updated."""
        state = self.state
        self.listener.set_live(self.live)
        self._set_live()
        card = self._card()
        for widget in self.answers:
            widget.setVisible(widget is card)
        result = state.result if card is self.page and not state.live else None
        self._draw_more(result)
        self._show_versions()
        self.running.setVisible(not self.running.isHidden() and state is self._live)
        self._show_warnings(_warnings(result))
        self._finish_drawing()
        if self.isVisible():
            self._show_turn()
            settle()  # otherwise nested sections would get their heights only over the next frames

    def _show_turn(self) -> None:
        """Scroll the turn of a long text into view, once for each verdict."""
        result = self.state.result
        turn = result.turn if result is not None and not self.state.live else None
        if turn is None or len(self.state.text) <= _LONG or self._turn_of == self.state.id:
            return
        self._turn_of = self.state.id
        QTimer.singleShot(0, self, self._scroll_to_turn)

    def _scroll_to_turn(self) -> None:
        result, text = self.state.result, self.page.joke.text
        if result is not None and result.turn is not None and self.page.isVisible():
            place = text.rect_of(result.turn.start, result.turn.end).center().toPoint()
            content = self.right.widget()
            if content is not None:
                at = text.mapTo(content, place)
                self.right.ensureVisible(at.x(), at.y(), 0, self.right.viewport().height() // 3)

    def _draw_more(self, result: RatingResult | None) -> None:
        shown = result if result is not None and self._unfolded else None
        prose = shown.prose if shown is not None else None
        words = wording.in_paragraphs(words_of(self.state)) if shown is not None else []
        self.words.show_text(words, prose_mark(prose) if prose is not None and words else "")
        self.listeners.show_text(*voices_words(shown.listeners if shown is not None else ()))
        self.own_faults.show_text(own_fault_words(shown.own_faults if shown is not None else ()))
        self.panel.show_text(*panel_words(shown.panel if shown is not None else None))
        self.tree.show_tree(shown.tree if shown is not None else None)

    def _card(self) -> QWidget:
        state = self.state
        if state.phase == "empty" or (state.phase == "failed" and self._model_error is not None):
            if self._model_error is None:
                return self.welcome
            return self._show_failure("", "Your joke and your history are safe.")
        if not state.live and state.finding == "failed":
            return self._show_failure("The rating failed.")
        more = not state.live and has_more(state.result)
        self.page.show_state(state, self._dismissed.of(state.text), more=more, busy=self.live)
        self.page.joke.facts.setToolTip(self._usage_text())
        return self.page

    def _show_versions(self) -> None:
        if not self.state.live:
            self.versions.show_versions(self._find_versions(), self.state.text or None, self.joke.text())

    def _show_age(self) -> None:
        self.view_caption.setText(f"{self._viewed} version")
        self.view_caption.setVisible(bool(self._viewed) and self.state.ended)
        self.page.setEnabled(not self.stale)
        super()._show_age()


def _warnings(result: RatingResult | None) -> tuple[str, ...]:
    """Return the warnings of a verdict that the page doesn't show itself."""
    if result is None or (result.audience is None and result.mean_score is None):
        return ()
    return result.warnings


class WorkshopOpener:
    """Opens a workshop verdict of the terminal in the Rate tab, at its newest rated version."""

    tab = RATING.name

    def __init__(self, tab: RateTab) -> None:
        self._tab = tab

    def open(self, entry: HistoryEntry) -> None:
        """Show the page of the newest rated version."""
        result = entry.result
        versions = result.versions if isinstance(result, WorkshopResult) else ()
        rows = [VersionRow(each.rating, each.text, each.audience, "no estimate") for each in versions if each.rating]
        if rows:
            self._tab.open_versions(rows)
        else:
            self._tab.set_texts(versions[-1].text if versions else entry.row.text_a)

    def run_again(self, entry: HistoryEntry) -> None:
        """Rate the newest version again."""
        self.open(entry)
        self._tab.run()
