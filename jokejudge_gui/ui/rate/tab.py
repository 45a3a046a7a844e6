"""The Rate tab: the field for a joke, its versions, and its page; live or from the history."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData, Qt, Signal
from PySide6.QtGui import QImage, QShowEvent

from ...batch.lists import read_list
from ...core.errors import HistoryError, InputError, restore
from ...core.events import Failed, Stage
from ...core.files import remember, remembered
from ...core.room import RoomLaugh, one_more, with_marks, without_marks
from ...history.query import HistoryEntry
from ...history.store import HistoryStore
from ...judge.rating.kind import RATING
from ...judge.rating.record import RatingResult
from ...judge.versions import MOST_VERSIONS, WORKSHOP, WorkshopRequest, WorkshopResult
from ...library.pictures import UNSEEN, read_picture
from ..history.view import are_versions
from ..judge_worker import Job, JudgeWorker
from ..look.theme import Room, px
from ..verdict.cards import JokeCard, WelcomeCard
from ..verdict.tab import VerdictState, VerdictTab
from ..widgets.base import restyle_within, settle
from ..widgets.controls import LinkButton
from ..widgets.fields import TextEditor
from ..widgets.keyboard import add_action, with_keys
from ..widgets.layout import ColumnScroll, HBox, VBox, keep_place, single_shot
from .page import RatePage
from .versions import VersionIndex, VersionsCard

_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
CHECK = f"{UNSEEN} Check its words; say as the topic or scene what the picture shows."
_MOST_DISMISSED = 2000
_EXAMPLES = 3
_REST_MS = 150
_LEAST_MARKED, _LEAST_PLAIN = 3, 5
"""Least lines of a list with numbers, bullets or columns, and of one without, as a single joke may have some, too."""
_WELCOME = (
    "Does it work, and what could go?",
    "A model on this computer reads the joke, marks where it turns, and says what carries it and which words could go. "
    "Nothing is sent anywhere.",
)


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


@dataclass(eq=False)
class RateState(VerdictState):
    """A rating. ``room``: where a room laughed, by the marks in the text, which ``texts`` hasn't."""

    room: tuple[RoomLaugh, ...] = ()

    def __post_init__(self) -> None:
        for plain, room in map(without_marks, self.texts):
            if room:
                self.texts, self.room = (plain,), room

    def _take(self, result: RatingResult) -> None:
        super()._take(result)
        self.room = result.room


class RateTab(VerdictTab):
    """Rates a joke and shows its page. ``list_asked`` carries a list of jokes to rank."""

    list_asked = Signal(str)
    kind = RATING
    shows = RateState
    state: RateState
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
        self._store, self._index, self._dismissed = store, VersionIndex(store), Dismissed(dismissed)
        self._side_worker = side_worker
        self._order: WorkshopResult | None = None
        self._ordered: tuple[str, ...] = ()
        """The versions whose order is being made."""

        self._accepted = "", ""
        """The texts before and after the edit that was accepted last."""

        self._examples = list(examples)
        example = LinkButton("Try an example", act=self.try_example)
        keep_place(example)
        self.joke = JokeCard("Your joke", TextEditor("Type or paste a joke", most=11), example)
        self.jokes = (self.joke,)
        self.joke.edited.connect(self._on_edited)
        if side_worker is not None:
            self.joke.editor.take_other(picture_of)
            self.joke.editor.other_given.connect(self.read_picture)
        add_action(self.joke, "Mark that the room laughed", "Ctrl+L", self.mark_laugh)
        self.list_link = LinkButton("", act=lambda: self.list_asked.emit(self.joke.text()))
        self.list_link.hide()
        self.joke.editor.textChanged.connect(single_shot(self, self._look_for_list, _REST_MS).start)
        row = HBox(self.context.link, (self.buttons, 1), gap=10)
        self.joke.add((self.list_link, 0, Qt.AlignmentFlag.AlignLeft), self.context, row)
        self.versions = VersionsCard()
        self.versions.version_asked.connect(self._open_version)
        new = add_action(self, "Save this version and begin another", "Ctrl+N", self.new_version)
        self.versions.new_link.clicked.connect(new.trigger)
        self.versions.new_link.setToolTip(with_keys(new))
        offered = [(joke, partial(self._ask, joke, "")) for joke in examples[:_EXAMPLES]]
        self.welcome = WelcomeCard(*_WELCOME, "Rate", offered)
        self.page = RatePage(self.taste_line, self.trust_link, self.running)
        self.page.accepted.connect(self._accept)
        self.page.dismissed.connect(self._dismiss)
        self.page.forced.connect(lambda fields: self._ask(self.typed()[0], self.state.context, forced=True, **fields))
        self.page.library_asked.connect(self.library_asked)
        self.bar.first_asked.connect(lambda: self.compare_asked.emit(self.state.texts[0]))
        self.cards = (self.welcome, self.warning, self.failed, self.stopped, self.page, self.note)
        self.answers = (self.welcome, self.failed, self.stopped, self.page)
        self.left, self.right = ColumnScroll(), self.result_column
        HBox(self.left, (VBox((self.right, 1), self._foot, gap=0), 1), parent=self, gap=4)
        self.set_room("wide")
        self.draw()

    def set_room(self, room: Room) -> None:
        """Lay the tab out in one column or two."""
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
            self._seen.start()
        self.left.setFixedWidth(px(424 if room == "wide" else 376))

    # Requests

    def run(self) -> None:
        """Rate the text in the field, if possible."""
        if self.buttons.run_button.isEnabled() and not self.live:
            self._ask(self.joke.text(), self.context.text())

    def _ask(self, text: str, context: str, forced: bool = False, **turn: tuple[int, int]) -> None:
        self._keep_undo(text)
        self.asked.emit({"text": text, "context": context, "forced": forced, **turn})

    def _keep_undo(self, text: str) -> None:
        """Have the field undo edits of this joke only, once another one was judged."""
        judged = "".join(self.state.texts)
        if judged and not are_versions(judged, text):
            self.joke.editor.document().clearUndoRedoStacks()

    def _on_edited(self) -> None:
        """Show the verdict of a version whose text stands in the field again, such as after an undo."""
        super()._on_edited()
        typed, shown = self.joke.text(), "".join(self.state.texts)
        for version in () if self.live or typed == shown else self.versions.versions:
            if (version.text, version.context) == (typed, self.context.text()):
                self._open_version(version.id)
                if (typed, shown) == self._accepted:
                    self.notice.emit("Undone: accepted an edit.")

    def try_example(self) -> None:
        """Put an example into the empty field; in place of one, the next."""
        place = self._examples.index(self.joke.text()) + 1 if self.joke.text() else 0
        self.joke.set_text(self._examples[place % len(self._examples)])
        self.buttons.run_button.setFocus()

    # The field

    def _look_for_list(self) -> None:
        """Offer to rank what looks like a list of jokes."""
        editor, count = self.joke.editor, 0
        if editor.blockCount() >= _LEAST_MARKED and not editor.isReadOnly():
            with contextlib.suppress(InputError):
                given = read_list(self.joke.text())
                least = _LEAST_PLAIN if given.form in ("lines", "blocks") else _LEAST_MARKED
                count = len(given.jokes) if len(given.jokes) >= least else 0
        self.list_link.setText(f"Rank these {count:,} jokes in Contest")
        self.list_link.setVisible(count > 0)

    def mark_laugh(self) -> None:
        """Mark at the cursor that a room laughed, or that it laughed louder."""
        if not self.joke.editor.isReadOnly():
            cursor = self.joke.editor.textCursor()
            text = cursor.document().toPlainText().encode("utf-16-le")[: 2 * cursor.selectionStart()]
            gone, mark = one_more(text.decode("utf-16-le"))
            cursor.setPosition(cursor.selectionStart())
            cursor.movePosition(cursor.MoveOperation.Left, cursor.MoveMode.KeepAnchor, gone)
            cursor.insertText(mark)

    def read_picture(self, source: Path | bytes) -> None:
        """Insert the text of a picture at the cursor as one undoable step."""
        if self._side_worker is not None and not self.joke.editor.isReadOnly():
            self.notice.emit("Reading the text in the picture…")
            self._side_worker.submit("picture", lambda token: [read_picture(source, token)], self._on_picture)

    def _on_picture(self, _job: Job, event: object) -> None:
        if isinstance(event, str) and not self.joke.editor.isReadOnly():
            self.joke.editor.insertPlainText(event)
            self.joke.editor.setFocus()
            self.notice.emit(CHECK)
        elif isinstance(event, Failed):
            self.trouble.emit(restore(event.error))

    def typed(self) -> tuple[str, ...]:
        return tuple(with_marks(text, self.state.room) for text in self.state.texts)

    def _as_judged(self) -> bool:
        here = RateState("empty", self.texts())
        return (here.texts, here.room) == (self.state.texts, self.state.room)

    # Edits and versions

    def _accept(self, text: str) -> None:
        """Put an edited text into the field and rate it as a version."""
        if self.live or self.stale:
            return
        self._accepted = self.joke.text(), text
        self.joke.set_text(text)
        self.run()
        self.focus_editor()  # the remark is gone

    def _dismiss(self, edit: str) -> None:
        joke = self.state.texts[0]

        def put(dismissed: bool) -> None:
            self._dismissed.put(joke, edit, dismissed=dismissed)
            self.draw()

        self.changes.do("Dismissed an edit", lambda: put(True), lambda: put(False))

    def _open_version(self, identity: str) -> None:
        """Open a version, to go on from it; one undo in the field brings back its text."""
        try:
            self.open(self._store.get(identity))
            self.focus_editor()
        except HistoryError as error:
            self.trouble.emit(error)

    def new_version(self) -> None:
        """Rate a text that was changed, so that it is kept as a version, and go on in the field."""
        if self._is_judged():
            self.notice.emit("This version is saved. Change its text and rate it: that is the next one.")
        elif self.joke.text().strip():
            self.run()
        self.focus_editor()

    def show_order(self, order: WorkshopResult | None) -> None:
        """Show the order of the versions, once all are compared; None: it was stopped, and is made when they are shown
        next."""
        if order is None:
            self._ordered = ()
        else:
            self._order = order
            self._show_versions()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._compare_versions()

    def _show_versions(self) -> None:
        text = "".join(self.state.texts)
        self.versions.show_versions(self._find_versions(text), text, self._order)
        self.versions.new_link.setEnabled(not self.live)

    def _find_versions(self, text: str) -> list[RatingResult]:
        with contextlib.suppress(HistoryError):  # the window reports this elsewhere
            return self._index.of(text)
        return []

    def _compare_versions(self) -> None:
        """Have the versions compared in pairs, which takes a moment, where heads have read them."""
        texts, result = self.versions.texts(), self.state.result
        read = result is not None and (result.audience is not None or result.sense is not None)
        due = self.versions.order is None and texts != self._ordered and self.state.phase == "finished"
        if read and due and 1 < len(texts) <= MOST_VERSIONS:
            self._ordered = texts
            asked = WorkshopRequest.of(*texts, context=self.state.context, explain=False, known=self._order)
            self.aside_asked.emit(WORKSHOP, asked, self.show_order)

    # Stored verdicts

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored rating; of versions that the terminal compared, the newest rated one."""
        if isinstance(entry.result, WorkshopResult):
            rated = [version.rating for version in entry.result.versions if version.rating]
            if not rated:
                self.set_texts(entry.result.versions[-1].text)
                return
            entry = self._store.get(rated[-1])
        if self._is_judged():
            self._keep_undo(entry.row.text_a)
        super().open(entry)

    def run_again(self, entry: HistoryEntry) -> None:
        if isinstance(entry.result, WorkshopResult):
            self.open(entry)
            self.run()
        else:
            super().run_again(entry)

    def expect(self, fields: Mapping[str, object]) -> None:
        shown = self.versions.texts()
        if shown and not any(are_versions(str(fields["text"]), one) for one in shown):
            self.versions.hide()

    # Drawing

    def _update_buttons(self) -> None:
        text = self.joke.editor.document()
        blank = text.characterCount() <= 4096 and not self.joke.text().strip()
        self.joke.link.setVisible(bool(self._examples) and self.joke.text() in ("", *self._examples))
        self.buttons.run_button.setEnabled(not blank and self._model_error is None)

    def _draw(self) -> None:
        """Draw the state; unchanged parts aren't updated."""
        state, result = self.state, self.state.result
        self._set_live()
        usable = result is not None and (result.mean_score is not None or result.audience is not None)
        shown = state.live or (result is not None and (usable or state.phase != "failed"))
        if shown:
            own = result is not None and result.yours is not None
            versions = [one.text for one in self._find_versions(state.texts[0])] if own else []
            self.page.show_state(state, self._dismissed.of(state.texts[0]), busy=self.live, versions=versions)
        self._show_answer(self.page if shown else None)
        self._show_warnings(RATING.words(result).notes if shown and state.ended and result is not None else ())
        if not state.live:
            self._show_versions()
            self._compare_versions()
        self._finish_drawing()
        if self.isVisible():
            settle()  # otherwise nested sections would get their heights only over the next frames

    def _show_age(self) -> None:
        self.page.setEnabled(not self.stale)
        super()._show_age()


def picture_of(data: QMimeData) -> Path | bytes | None:
    """Return the dropped or pasted picture: the path of one file, or the bytes of a copied picture's file; None without
    one, or with text beside it, which is used instead."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    if len(paths) == 1 and paths[0].lower().endswith(_SUFFIXES):
        return Path(paths[0])
    if data.hasText() or data.hasHtml() or data.hasUrls() or not data.hasImage():
        return None
    image, buffer = QImage(data.imageData()), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return bytes(buffer.data().data()) if not image.isNull() and image.save(buffer, "PNG") else None
