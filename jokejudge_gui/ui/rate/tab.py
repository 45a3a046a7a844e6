"""The Rate tab: the field for a joke, its versions, and its page; live or from the history."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from ...core.errors import HistoryError, JokeJudgeError
from ...core.events import Stage
from ...core.files import remember, remembered
from ...history.query import HistoryEntry, HistoryQuery
from ...history.store import HistoryStore
from ...judge.rating.kind import RATING
from ...judge.versions import WorkshopResult
from ..judge_worker import Job, JudgeWorker
from ..look.theme import Room, px, theme
from ..verdict.cards import JokeCard, ListOffer
from ..verdict.tab import VerdictTab
from ..votes import VoteButtons
from ..widgets.base import plain_tooltip, restyle_within, settle
from ..widgets.controls import LinkButton
from ..widgets.fields import TextEditor
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.text import Caption
from .listeners import KnownListeners, ListenerField
from .page import RatePage, WelcomeCard
from .picture import PictureReader, picture_of
from .versions import Version, VersionIndex, VersionsCard

_MOST_DISMISSED = 2000
_LONG = 1200
"""Least length in characters of a text whose turn is scrolled into view."""


class Dismissed:
    """Edits that the user dismissed, by their joke; stored in ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._edits = {key: edits for key, edits in remembered(path).items() if isinstance(edits, list)}

    def of(self, joke: str) -> frozenset[str]:
        """Return the texts of a joke's dismissed edits."""
        return frozenset(edit for edit in self._edits.get(_key(joke), ()) if isinstance(edit, str))

    def put(self, joke: str, edit: str, *, dismissed: bool) -> None:
        """Dismiss an edit or bring it back. Raises ``SettingsError``."""
        key = _key(joke)
        self._edits[key] = [*(self.of(joke) - {edit}), *([edit] if dismissed else [])]
        remember(self._path, key, self._edits[key] or None, _MOST_DISMISSED)


def _key(joke: str) -> str:
    return hashlib.sha256(" ".join(joke.split()).casefold().encode("utf-8", "replace")).hexdigest()[:16]


class RateTab(VerdictTab):
    """Rates a joke and shows its page."""

    kind = RATING
    doing = {
        Stage.READING: "Reading the joke",
        Stage.ADMISSIBILITY: "Checking the text",
        Stage.CATEGORIES: "Finding its kinds",
        Stage.FACTORS: "Choosing the factors",
        Stage.SCORES: "Scoring",
        Stage.REASONING: "Reading it again where there is doubt",
        Stage.EXPLANATION: "Writing the note",
    }

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
        self._viewed = ""
        """Ordinal of the viewed version, such as ``2nd``; empty for the newest verdict."""
        self._turn_of: str | None = None

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
        self.view_caption = Caption("")
        self.page = RatePage()
        self.page.joke.accepted.connect(self._accept)
        self.page.joke.dismissed.connect(self._dismiss)
        answer = self.page.answer
        answer.forced.connect(lambda: self._ask(self.state.texts[0], self.state.context, forced=True))
        answer.turn_chosen.connect(
            lambda turn: self._ask(self.state.texts[0], self.state.context, forced=True, turn=turn)
        )
        answer.library_asked.connect(self.library_asked)
        self.trust_link, self.taste_line = answer.trust_link, answer.taste
        self.vote = VoteButtons(self.kind)
        self.bar.set_votes(self.vote)
        self.bar.first_asked.connect(lambda: self.compare_asked.emit(self.state.texts[0]))
        self.cards = (
            self.welcome, self.stale_line, self.view_caption, self.warning, self.failed, self.stopped, self.page,
            self.running, self.note,
        )  # fmt: skip
        self.answers = (self.welcome, self.failed, self.stopped, self.page)

        self._pictures = PictureReader(self.joke.editor, side_worker, self) if side_worker is not None else None
        if self._pictures is not None:
            self.joke.editor.other_given.connect(self._pictures.read)
            self._pictures.notice.connect(self.notice)
            self._pictures.trouble.connect(self.trouble)

        self.left, self.right = ColumnScroll(), self.result_column
        self._columns = HBox(self.left, (VBox((self.right, 1), self._foot, gap=0), 1), parent=self)
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
        gutter = px(12)
        effective = self.window().width() / theme().scale
        width = 412 if room == "wide" else 356 + 16 * min(1.0, max(0.0, (effective - 820) / 204))
        self.left.setFixedWidth(px(width) + gutter)
        self._columns.setContentsMargins(0, 0, max(0, margin - gutter), 0)
        self._columns.setSpacing(px(16) - gutter)
        self._foot.setContentsMargins(0, 0, gutter, 0)
        for column in (self.left, self.right):
            column.body.setContentsMargins(0, 0, 0, px(14))

    def set_listeners(self, listeners: KnownListeners) -> None:
        """Set the source of the listeners that the model can estimate."""
        self.listener.serve(listeners)
        self._update_buttons()

    def draft(self) -> tuple[str, ...]:
        names = self.listener.names()
        return (*self.texts(), self.context.text(), "; ".join(names)) if names else super().draft()

    def put_draft(self, draft: Sequence[str]) -> None:
        super().put_draft(draft)
        self.listener.set_text("".join(draft[2:3]))

    # Requests

    def run(self) -> None:
        """Rate the text in the field, if possible."""
        if self.buttons.run_button.isEnabled() and not self.live:
            self._ask(self.joke.text(), self.context.text())

    def _ask(self, text: str, context: str, forced: bool = False, turn: tuple[int, int] | None = None) -> None:
        asked: dict[str, object] = {"listeners": names} if (names := self.listener.names()) else {}
        if turn is not None:
            asked["turn"] = turn
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

    def _accept(self, text: str) -> None:
        """Put an edited text into the field, which Ctrl+Z undoes, and rate it as a version."""
        if not self.live and not self.stale:
            self.joke.set_text(text)
            self.run()

    def _dismiss(self, edit: str, dismissed: bool) -> None:
        try:
            self._dismissed.put(self.state.texts[0], edit, dismissed=dismissed)
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
        text = self.state.texts[0]
        self._viewed = self.versions.place_of(text) if self.joke.text() != text else ""
        self.draw()

    def _restore(self, text: str) -> None:
        """Put a version's text back into the field."""
        if not self.live:
            self.joke.set_text(text)
            self.context.set_text(self.state.context)
            self._viewed = ""
            self.draw()
            self.focus_editor()

    # Events

    def keep(self) -> None:
        if self._pictures is not None:
            self._pictures.leave()

    def begin(self, job: Job, *texts: str) -> None:
        self._viewed = ""
        super().begin(job, *texts)

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
        shown = state.live or (state.result is not None and not (state.phase == "failed" and not self._has_verdict))
        if shown:
            self.page.show_state(state, self._dismissed.of(state.texts[0]), busy=self.live)
        self._show_answer(self.page if shown else None)
        page = RATING.words(state.result) if shown and not state.live else None
        self._show_warnings(page.notes if page is not None else ())
        cost = " · ".join(page.foot) if page is not None else ""
        self.page.joke.facts.setToolTip(plain_tooltip(cost) if cost else "")
        if not state.live:
            text = "".join(state.texts)
            self.versions.show_versions(self._find_versions(text), text, self.joke.text())
        self._finish_drawing()
        if self.isVisible():
            self._show_turn()
            settle()  # otherwise nested sections would get their heights only over the next frames

    @property
    def _has_verdict(self) -> bool:
        result = self.state.result
        return result.mean_score is not None or result.audience is not None

    def _find_versions(self, text: str) -> list[Version]:
        with contextlib.suppress(HistoryError):  # the window reports this elsewhere
            return self._index.of(text)
        return []

    def _show_turn(self) -> None:
        """Scroll the turn of a long text into view, once for each verdict."""
        result = self.state.result
        turn = result.turn if result is not None and not self.state.live else None
        if turn is None or len(result.text) <= _LONG or self._turn_of == self.state.id:
            return
        self._turn_of = self.state.id
        QTimer.singleShot(0, self, lambda: self._scroll_to(turn.start, turn.end))

    def _scroll_to(self, start: int, end: int) -> None:
        text, content = self.page.joke.text, self.right.widget()
        if self.page.isVisible() and content is not None:
            at = text.mapTo(content, text.rect_of(start, end).center().toPoint())
            self.right.ensureVisible(at.x(), at.y(), 0, self.right.viewport().height() // 3)

    def _show_age(self) -> None:
        self.view_caption.setText(f"{self._viewed} version")
        self.view_caption.setVisible(bool(self._viewed) and self.state.ended)
        self.page.setEnabled(not self.stale)
        super()._show_age()


class WorkshopOpener:
    """Opens versions that the terminal compared in the Rate tab, at the newest rated one."""

    tab = RATING.name

    def __init__(self, tab: RateTab, store: HistoryStore) -> None:
        self._tab, self._store = tab, store

    def open(self, entry: HistoryEntry) -> None:
        """Show the page of the newest rated version."""
        versions = entry.result.versions if isinstance(entry.result, WorkshopResult) else ()
        rated = [version.rating for version in versions if version.rating]
        if rated:
            self._tab.open(self._store.get(rated[-1]))
        else:
            self._tab.set_texts(versions[-1].text if versions else entry.row.text_a)

    def run_again(self, entry: HistoryEntry) -> None:
        """Rate the newest version again."""
        self.open(entry)
        self._tab.run()
