"""The tabs of verdicts: the state of a job with its verdict, the base of all such tabs, and that of the tabs with
fields for texts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise, zip_longest
from typing import Any, ClassVar, Literal, Self

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QGraphicsOpacityEffect, QWidget

from ...core.errors import ErrorInfo
from ...core.events import Cancelled, Failed, Finished, Interim, Stage, StageProgress, StageStarted, Started
from ...core.verdicts import Status, VerdictResult
from ...history.query import HistoryEntry, HistoryRow
from ...judge.judged_kind import JudgedKind
from ..changes import Changes
from ..history.dialogs import NoteCard
from ..judge_worker import Job
from ..look import wording
from ..look.theme import Room
from ..widgets.base import settle
from ..widgets.cards import Banner
from ..widgets.keyboard import add_action, with_keys
from ..widgets.layout import ColumnScroll, HBox, controls_of, single_shot
from ..widgets.text import Paragraph
from .cards import ActionBar, ContextField, JokeCard, RunButtons, RunningLine, TrustLink, VoteButtons

Phase = Literal["empty", "waiting", "running", "finished", "stopped", "interrupted", "failed"]
STORED_PHASES: dict[Status, Phase] = {
    Status.FINISHED: "finished",
    Status.FAILED: "failed",
    Status.CANCELLED: "stopped",
    Status.INTERRUPTED: "interrupted",
    Status.RUNNING: "interrupted",  # by another program
}
_DOING = {Stage.LOADING: "Loading the model", Stage.CALIBRATION: "Measuring this model's habits, once for each model"}
_TICK_MS = 400
"""Time in ms after which progress is shown, and shown anew."""


@dataclass(eq=False)
class VerdictState:
    """A job and its verdict as they are shown, live or stored. ``texts``: the judged ones; ``context``: their topic or
    scene; ``result``: as far as it is known; ``stage``: the current stage, which began at ``begun`` (monotonic clock)
    and of which ``done`` of ``total`` are done, ``first`` of them before it began; with a ``note``."""

    phase: Phase = "empty"
    texts: tuple[str, ...] = ()
    _: KW_ONLY
    id: str | None = None
    context: str = ""
    result: Any = None
    error: ErrorInfo | None = None
    stage: Stage | None = None
    begun: float = 0.0
    first: int | None = None
    done: int = 0
    total: int | None = None
    note: str = ""

    @property
    def live(self) -> bool:
        """Whether the job hasn't ended."""
        return self.phase in ("waiting", "running")

    @property
    def ended(self) -> bool:
        """Whether the job has ended, with or without a verdict."""
        return self.phase != "empty" and not self.live

    def apply(self, event: object) -> None:
        """Process one event of the job."""
        match event:
            case Started(id=identity):
                self.id, self.phase = identity, "running"
            case StageStarted(stage=stage, total=total):
                self.phase, self.begun, self.first = "running", time.monotonic(), None
                self.stage, self.done, self.total, self.note = stage, 0, total, ""
            case StageProgress(stage=stage, done=done, total=total, note=note):
                self.stage, self.done, self.note = stage, done, note
                self.total = total if total is not None else self.total
                self.first = done if self.first is None else self.first
            case Interim(result=result):
                self._take(result)
            case Finished(result=result):
                self._end("finished", result)
            case Failed(error=error, result=result):
                self.error = error
                self._end("failed", result)
            case Cancelled(result=result):
                self._end("stopped", result)

    def load(self, entry: HistoryEntry) -> Self:
        """Load the state of a stored verdict."""
        self.id = entry.row.id
        self._end(STORED_PHASES[entry.row.status], entry.result)
        if self.result is not None:
            self.context, self.error = getattr(self.result, "context", ""), self.result.error
        self.error = self.error or entry.error
        return self

    def doing(self, words: Mapping[Stage, str], otherwise: str) -> tuple[str, float | None]:
        """Return the current activity in words, and its progress (0…1, None: unknown). ``words``: by stage."""
        if self.stage is None:
            return "Waiting for the model" if self.phase == "waiting" else otherwise, None
        if self.stage not in _DOING:
            return words.get(self.stage, otherwise), self.done / self.total if self.total else None
        text = wording.sentence_case(self.note) or _DOING[self.stage]
        if not (self.total and self.done) or self.stage is Stage.LOADING:
            return text, self.done / (self.total or 100)
        return f"{text}: {self.progress()}", self.done / self.total

    def progress(self, what: str = "") -> str:
        """Return how much of the stage is done, ``what`` in words, and the time left."""
        rest, done = (self.total or 0) - self.done, self.done - (self.first or 0)
        left = wording.left(rest, done, time.monotonic() - self.begun)
        return f"{self.done:,} of {self.total or 0:,}{what}{left}"

    def _end(self, phase: Phase, result: Any) -> None:
        if result is not None:
            self._take(result)
        self.phase, self.stage = phase, None

    def _take(self, result: Any) -> None:
        """Store the result known so far."""
        self.result = result


class JobTab(QWidget):
    """The base of a tab, or a page of one, with the verdicts of one kind. ``state``: the verdict that is shown; a
    running one goes on in the background while a stored one is shown.

    Signals: ``asked`` carries the fields of a request; ``compare_asked`` a text to compare with another;
    ``elsewhere_asked`` the kind's name and the request's fields of a verdict of another kind; ``shown_changed`` the id
    of the shown verdict, None before it is stored; ``to_export`` what writes a file and returns that in words;
    ``notice`` a sentence; ``trouble`` an error; ``copy_asked`` and ``note_asked`` are about the shown verdict;
    ``shown_asked``: show this tab."""

    asked = Signal(object)
    compare_asked = Signal(str)
    elsewhere_asked = Signal(str, object)
    shown_changed = Signal(object)
    to_export = Signal(object)
    notice = Signal(str)
    trouble = Signal(object)
    stop_asked = Signal()
    library_asked = Signal()
    copy_asked = Signal()
    note_asked = Signal()
    shown_asked = Signal()

    kind: ClassVar[JudgedKind[Any, Any]]
    shows: ClassVar[type[VerdictState]] = VerdictState
    """The class of the tab's states."""
    takes_lists: ClassVar[bool] = False
    state: VerdictState

    def __init__(self) -> None:
        super().__init__()
        self.state = self.shows()
        self.changes = Changes(self)
        """What can be undone; in a window its own, for all tabs."""
        self._room: Room | None = None
        self.job: Job | None = None
        self._live: VerdictState | None = None
        self._gone = False
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._soon = single_shot(self, self.draw)

    def tab_order(self) -> list[QWidget]:
        """Return the controls in the order of the Tab key."""
        return list(controls_of(self))

    def set_room(self, room: Room) -> None:
        """Lay the tab out."""
        raise NotImplementedError

    def focus_editor(self) -> None:
        """Focus what is typed in first."""
        raise NotImplementedError

    # Requests

    @property
    def tab(self) -> str:
        """Its key among the window's tabs."""
        return self.kind.name

    @property
    def live(self) -> bool:
        """Whether a verdict is running or waiting."""
        return self._live is not None

    @property
    def shown_id(self) -> str | None:
        """The id of the verdict that is shown, None before it is stored."""
        return self.state.id

    @property
    def result(self) -> VerdictResult | None:
        """The result that is shown."""
        return self.state.result

    def run_again(self, entry: HistoryEntry) -> None:
        """Request a stored verdict again."""
        fields = dict(zip(self.kind.fields, entry.row.texts, strict=False))
        asked = self.kind.request_of(entry.result).model_dump() if entry.result is not None else fields
        self.elsewhere_asked.emit(self.kind.name, asked)

    def stop(self) -> None:
        """Request that the running verdict stops."""
        if self.live:
            self.stop_asked.emit()

    def undo_here(self) -> bool:
        """Undo a change that isn't among ``changes``; False if there is none."""
        return False

    # Events

    def expect(self, fields: Mapping[str, object]) -> None:
        """Prepare for a verdict on these fields of a request."""

    def keep(self) -> None:
        """Write pending changes at once, since the program ends."""

    def keep_soon(self) -> int:
        """Write pending changes in the side worker's thread, before its later calls. Return a number that grows with
        each change."""
        return 0

    def begin(self, job: Job, *texts: str) -> None:
        """Show a verdict on these texts that was queued."""
        self._begin(job, self.shows("waiting", texts))

    def _begin(self, job: Job, live: VerdictState) -> None:
        self.job, self._live = job, live
        self._show(live)
        self._timer.start()
        self.draw()

    def handle(self, job: Job, event: object) -> None:
        """Process an event of the verdict's job."""
        if job is not self.job or self._live is None:
            return
        if isinstance(event, Interim) and not isinstance(event.result, self.kind.result):
            return  # of a verdict that belongs to this one
        live, identity = self._live, self._live.id
        live.apply(event)
        if live.id != identity and self.state is live:
            self.shown_changed.emit(live.id)
        if not live.live:
            self._live = None
            self._timer.stop()
            self._soon.stop()
            self.draw()
        elif self.state is live:
            # Events come in bursts, all factors at once: one drawing, of some 3 ms, serves them all.
            self._soon.start()

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored verdict, or the running one if its id is the same; another one goes on in the background."""
        live = self._live if self._live is not None and self._live.id == entry.row.id else None
        self._show(live or self.shows("empty", tuple(entry.row.texts)).load(entry))
        self.set_marks(entry.row)
        self.draw()

    def _show(self, state: VerdictState) -> None:
        self.state, self._gone = state, False
        self.shown_changed.emit(state.id)

    def set_marks(self, row: HistoryRow) -> None:
        """Show star, note and tags of the shown verdict."""

    def set_gone(self, gone: bool) -> None:
        """Set whether the shown verdict was deleted from the history."""
        if gone != self._gone:
            self._gone = gone
            self.draw()

    # Drawing

    def draw(self) -> None:
        """Draw the state. If the widget with the focus disappears, the focus stays in the tab."""
        holder = QApplication.focusWidget()
        inside = holder is not None and self.isAncestorOf(holder)
        self._draw()
        if holder is not None and inside:
            takes = holder.focusPolicy() != Qt.FocusPolicy.NoFocus
            if not (takes and holder.isVisibleTo(self) and holder.isEnabledTo(self)):
                self._keep_focus()

    def _keep_focus(self) -> None:
        self.focus_editor()

    def _draw(self) -> None:
        raise NotImplementedError


class FieldTab(JobTab):
    """The base of a tab with fields, a topic, and buttons that judge; it shows why there is no model, and why there is
    no verdict. ``edited``: a field was changed."""

    edited = Signal()

    def __init__(self, run: str) -> None:
        """``run``: caption of the button that judges."""
        super().__init__()
        self._model_error: ErrorInfo | None = None
        self.buttons = RunButtons(run, self.run, self.stop_asked)
        self.context = ContextField()
        self.warning = Banner("warning", "", "Choose model")
        self.stopped, self.failed = Banner(), Banner("error", primary=True)
        for card in (self.warning, self.stopped, self.failed):
            card.acted.connect(self.library_asked)

    def run(self) -> None:
        """Judge what is in the fields, if possible."""
        if self.buttons.run_button.isEnabled() and not self.live:
            texts = dict(zip(self.kind.fields, self.texts(), strict=True))
            self.asked.emit({**texts, "context": self.context.text()})

    def texts(self) -> tuple[str, ...]:
        """Return the texts in the fields."""
        raise NotImplementedError

    def set_texts(self, *texts: str) -> None:
        """Put texts into the fields, and clear the others. One undo in a field restores its text."""
        raise NotImplementedError

    @property
    def kept(self) -> bool:
        """Whether the history has a verdict on the texts in the fields."""
        raise NotImplementedError

    def draft(self) -> tuple[str, ...]:
        """Return the typed texts, followed by the topic or scene if there is one."""
        context = self.context.text()
        return (*self.texts(), context) if context else self.texts()

    def put_draft(self, draft: Sequence[str]) -> None:
        """Restore a result of ``draft``."""
        count = len(self.texts())
        self.set_texts(*draft[:count])
        self.context.set_text(" ".join(draft[count : count + 1]))

    def take_list(self, text: str) -> None:
        """Show a list of jokes, in a tab that ``takes_lists``."""
        raise NotImplementedError

    def set_model_error(self, error: ErrorInfo | None) -> None:
        """Set why there is no model; None: there is one."""
        self._model_error = error
        self.draw()

    def _begin(self, job: Job, live: VerdictState) -> None:
        live.context = self.context.text()
        super()._begin(job, live)

    def _keep_focus(self) -> None:
        now = QApplication.focusWidget()
        if now is None or not self.buttons.isAncestorOf(now):
            stops = self.live and self.buttons.stop_button.isVisibleTo(self)
            (self.buttons.stop_button.setFocus if stops else self.focus_editor)()

    def _show_failure(self, otherwise: str, safe: str = "") -> QWidget:
        """Show why the verdict failed, ``otherwise`` where that is unknown. With ``safe``, a sentence about what isn't
        lost, a missing model is the reason if there is none. Return the card."""
        missing = self._model_error if safe else None
        error = missing or self.state.error or ErrorInfo(code="", sentence=otherwise)
        text = f"{error.hint} {safe}".strip() if missing is not None else error.hint
        self.failed.set_message(text, error.sentence, "Open model library" if missing is not None else "")
        return self.failed

    def _show_warnings(self, notes: tuple[str, ...]) -> None:
        self.warning.setVisible(bool(notes))
        if notes:
            another = self.state.result is not None and self.state.result.warnings
            self.warning.set_message("\n".join(notes), action="Choose model" if another else "")


class VerdictTab(FieldTab):
    """The base of a tab with a field for each text, and below them the verdict with its note, its actions and the
    user's vote.

    Signals: ``aside_asked`` carries a kind and a request whose verdict isn't kept, and a function that gets it as far
    as it is known; ``rewritten``: a stored verdict was changed; ``drawn``: the state was drawn."""

    aside_asked = Signal(object, object, object)
    rewritten = Signal()
    drawn = Signal()

    doing: ClassVar[Mapping[Stage, str]] = {}
    """The activities by stage."""
    jokes: Sequence[JokeCard] = ()
    """The fields."""
    cards: Sequence[QWidget] = ()
    """The widgets below the fields, from top to bottom."""
    answers: Sequence[QWidget] = ()
    """The cards for outcomes, of which one is shown; the last one has the verdict."""
    welcome: QWidget
    """The card of a tab that shows nothing."""

    def __init__(self, run: str, first: str, trust: str = "") -> None:
        """``first``: caption of the first action; ``trust``: the question of Trust that belongs to these verdicts."""
        super().__init__(run)
        self.context.textChanged.connect(self._on_edited)
        self._timer.timeout.connect(self._tick)
        self.stale_line, self.running, self.note = Banner("quiet"), RunningLine(), NoteCard()
        back = add_action(self, "Restore the text that was judged", "Ctrl+R", self.restore)
        self.stale_line.acted.connect(back.trigger)
        self.stale_line.button.setToolTip(with_keys(back))
        self.vote = VoteButtons(self.kind.choices)
        self.bar = ActionBar(first, self.vote, copy=self.copy_asked, note=self.note_asked)
        self.trust_link, self.taste_line = TrustLink(trust), Paragraph()
        self._foot = HBox(self.bar, self.stale_line, margins=(0, 0, 12, 0))
        self.result_column = ColumnScroll()
        self._seen = single_shot(self, self._reveal)

    # Texts

    def texts(self) -> tuple[str, ...]:
        return tuple(joke.text() for joke in self.jokes)

    def set_texts(self, *texts: str) -> None:
        for joke, text in zip_longest(self.jokes, texts[: len(self.jokes)], fillvalue=""):
            joke.set_text(text)

    def restore(self) -> None:
        """Put the texts of the shown verdict back into the fields."""
        if self.stale:
            self.set_texts(*self.typed())
            self.context.set_text(self.state.context)
            self.focus_editor()

    def typed(self) -> tuple[str, ...]:
        """Return the texts of the shown verdict as they are typed."""
        return self.state.texts

    def focus_editor(self) -> None:
        self.jokes[0].editor.setFocus()
        self.result_column.ensureWidgetVisible(self.jokes[0].editor)

    def _as_judged(self) -> bool:
        """Whether the texts in the fields are those of the shown verdict."""
        return self.texts() == self.state.texts

    def _is_judged(self) -> bool:
        """Whether texts and topic are those of the shown verdict."""
        return self._as_judged() and self.context.text() == self.state.context

    @property
    def kept(self) -> bool:
        return self.state.id is not None and self._is_judged()

    @property
    def stale(self) -> bool:
        """Whether the shown verdict is about other texts than those in the fields."""
        return self.state.ended and not self._is_judged()

    def _on_edited(self) -> None:
        self._update_buttons()
        self._show_age()
        self.edited.emit()

    # Events

    def begin(self, job: Job, *texts: str) -> None:
        self.set_texts(*texts)
        self.note.show_row(None)
        super().begin(job, *texts)

    def handle(self, job: Job, event: object) -> None:
        was = self.live
        super().handle(job, event)
        if was and not self.live:
            self._seen.start()

    def open(self, entry: HistoryEntry) -> None:
        super().open(entry)
        self.set_texts(*self.typed())
        self.context.set_text(self.state.context)

    def _show(self, state: VerdictState) -> None:
        super()._show(state)
        self.result_column.verticalScrollBar().setValue(0)
        self._seen.start()

    def set_marks(self, row: HistoryRow) -> None:
        self.bar.set_starred(row.starred)
        self.note.show_row(row)

    def _reveal(self) -> None:
        """In one column, scroll to a result that would be below the visible part."""
        column = self.result_column
        column.leave_below(0)
        if self._room != "narrow" or self.stale:
            return
        settle()
        shown = [card for card in self.cards if not card.isHidden()]
        answer = next((card for card in shown if card in self.answers and card is not self.welcome), None)
        bar, high = column.verticalScrollBar(), column.viewport().height()
        if answer is not None and answer.geometry().bottom() >= bar.value() + high:
            column.leave_below(shown[0].y() + high - column.widget().height())  # so that nothing above it is cut
            settle()
            bar.setValue(shown[0].y())

    # Drawing

    def _update_buttons(self) -> None:
        """Enable or disable the buttons."""
        raise NotImplementedError

    def _set_live(self) -> None:
        """Make the fields read-only while their texts are judged."""
        parts: list[JokeCard | ContextField | RunButtons] = [*self.jokes, self.context, self.buttons]
        for part in parts:
            part.set_live(self.live)
        self._update_buttons()

    def _show_answer(self, answer: QWidget | None) -> None:
        """Show ``answer``, None: the card that says why there is none; hide the other outcomes."""
        card = answer or self._why_none()
        for widget in self.answers:
            widget.setVisible(widget is card)

    def _why_none(self) -> QWidget:
        phase = self.state.phase
        if phase == "failed" or (phase == "empty" and self._model_error is not None):
            return self._show_failure(f"The {self.kind.noun} failed.", "Your jokes and your history are safe.")
        if phase == "empty":
            return self.welcome
        cut = phase == "interrupted"
        self.stopped.set_message(
            "The program ended before the verdict was known." if cut else "There is no verdict.",
            f"This {self.kind.noun} was cut off." if cut else "Stopped.",
        )
        return self.stopped

    def _tick(self) -> None:
        if self.state is self._live:
            self.running.show_doing(*self.state.doing(self.doing, "Judging"))

    def _finish_drawing(self) -> None:
        if self.state is not self._live:
            self.running.hide()
        self._show_age()
        for one, other in pairwise(self.tab_order()):  # parts that were drawn anew have their place again
            self.setTabOrder(one, other)
        self.drawn.emit()

    def _show_age(self) -> None:
        """Draw a verdict on earlier texts faintly; its actions, and those of a deleted one, give way to a line that
        says so."""
        stale = self.stale
        off = stale or self._gone
        why = "For an earlier text." if stale else "This verdict was deleted."
        self.stale_line.set_message(why, action="Restore that text" if stale else "")
        self.stale_line.setVisible(off)
        # Its effect is switched off and kept: removing one from a card has crashed.
        card = self.answers[-1]
        if (faint := card.graphicsEffect()) is None and stale:
            faint = QGraphicsOpacityEffect(card, opacity=0.5)
            card.setGraphicsEffect(faint)
        if faint is not None:
            faint.setEnabled(stale)
        focused = self.bar.isAncestorOf(QApplication.focusWidget() or self)
        self.bar.setVisible(self.state.ended and self.state.id is not None and not off)
        if focused and off:
            self.focus_editor()
