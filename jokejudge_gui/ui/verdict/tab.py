"""What the Rate tab and the Duel tab have in common: one verdict that is shown, and the job that makes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, ClassVar, Literal, Self

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from ...core.errors import ErrorInfo
from ...core.events import Cancelled, Failed, Finished, Stage, StageProgress, StageStarted, Started, TextPiece
from ...core.verdicts import Status, VerdictResult
from ...history.query import HistoryEntry, HistoryRow
from ...judge.judged_kind import JudgedKind
from ..history.dialogs import NoteCard
from ..judge_worker import Job
from ..look import wording
from ..look.theme import Room
from ..trust.long_run import ListenerMeasurer
from ..trust.trust_figures import TrustLink
from ..votes import TasteLine, VoteButtons
from ..widgets.cards import Banner, StateCard
from ..widgets.layout import ColumnScroll, HBox, controls_of, single_shot
from .cards import ActionBar, ContextField, JokeCard, RunButtons, StaleLine, set_pale

# What both tabs know of a verdict, live or stored, whatever its kind.

Phase = Literal["empty", "waiting", "running", "finished", "rejected", "stopped", "interrupted", "failed"]
STORED_PHASES: dict[Status, Phase] = {
    Status.FINISHED: "finished",
    Status.FAILED: "failed",
    Status.CANCELLED: "stopped",
    Status.INTERRUPTED: "interrupted",
    Status.RUNNING: "interrupted",  # by a program that isn't this one
}


@dataclass
class VerdictState:
    """``context``: the topic or scene that the texts were judged behind; ``begun``: on the monotonic clock, when the
    model was there; ``result``: as far as it is known. ``stage`` is what goes on, ``done`` of ``total`` of it, with a
    ``note``."""

    phase: Phase = "empty"
    id: str | None = field(default=None, kw_only=True)
    context: str = field(default="", kw_only=True)
    explanation: str = field(default="", kw_only=True)
    result: Any = field(default=None, kw_only=True)
    error: ErrorInfo | None = field(default=None, kw_only=True)
    begun: float | None = field(default=None, kw_only=True)
    stage: Stage | None = field(default=None, kw_only=True)
    done: int = field(default=0, kw_only=True)
    total: int | None = field(default=None, kw_only=True)
    note: str = field(default="", kw_only=True)

    @property
    def live(self) -> bool:
        """Whether the job hasn't ended."""
        return self.phase in ("waiting", "running")

    @property
    def texts(self) -> tuple[str, ...]:
        """What was judged."""
        return ()

    @property
    def ended(self) -> bool:
        """Whether there is a verdict, or why there is none."""
        return self.phase != "empty" and not self.live

    @property
    def unseen(self) -> bool:
        """Whether it runs and no part of the answer has been shown yet."""
        return self.live and self.result is None

    @property
    def so_far(self) -> float | None:
        """Seconds since it began; None before."""
        return None if self.begun is None else time.monotonic() - self.begun

    def as_stored(self, choice: str) -> str:
        """A vote on what is shown as a vote on what is stored, and the other way round."""
        return choice

    def apply(self, event: object) -> None:
        """Take in one event of the job. Each kind of verdict adds what its own events mean."""
        match event:
            case Started(id=identity):
                self.id = identity
                self._enter(None)
            case StageStarted(stage=stage, total=total):
                self._enter(stage)
                self.stage, self.done, self.total, self.note = stage, 0, total, ""
            case StageProgress(stage=stage, done=done, total=total, note=note):
                self.stage, self.done, self.note = stage, done, note
                self.total = total if total is not None else self.total
            case TextPiece(text=text):
                self.explanation += text
            case Finished(result=result):
                self._end("finished", result)
            case Failed(error=error, result=result):
                self.error = error
                self._end("failed", result)
            case Cancelled(result=result):
                self._end("stopped", result)

    def load(self, entry: HistoryEntry) -> Self:
        """Take over the state in which a stored verdict ended."""
        self.id = entry.row.id
        self._end(STORED_PHASES[entry.row.status], entry.result)
        if self.result is not None:
            self.context, self.error = self.result.context, self.result.error
        self.error = self.error or entry.error
        return self

    def _enter(self, stage: Stage | None) -> None:
        """A stage runs; the time counts from the first one that isn't the loading of the model."""
        self.phase = "running"
        if self.begun is None and stage is not Stage.LOADING:
            self.begun = time.monotonic()

    def _end(self, phase: Phase, result: Any) -> None:
        if result is not None:
            self._take(result)
        self.phase, self.stage = phase, None

    def _take(self, result: Any) -> None:
        """Show what is known by now."""
        self.result = result


HABITS = (
    "Measuring this model's habits",
    "Done once for each model, so that its leanings can be taken out of every {}.",
)


def doing(
    state: VerdictState, stage: Stage | None, words: Mapping[Stage, tuple[str, str]], else_: tuple[str, str]
) -> tuple[str, str, float | None]:
    """Heading, sentence and share of a stage that goes on: ``words`` by stage, ``else_`` for others."""
    heading, sentence = words.get(stage, else_) if stage is not None else else_
    if stage is Stage.LOADING:
        note = wording.sentence_case(f"{state.note}…") if state.note else sentence
        return heading, note, state.done / (state.total or 100)
    if stage is Stage.CALIBRATION and state.total:
        return heading, f"{sentence} {state.done:,} of {state.total:,}.", state.done / state.total
    return heading, sentence, None


_TICK_MS = 100


class VerdictTab(QWidget):
    """``asked`` carries the fields of a request; ``compare_asked`` a text that is to be compared with another.
    ``elsewhere_asked``: a verdict of another kind is wanted, by the kind's name and the fields of its request;
    ``list_asked`` carries a text that is a list of jokes; ``settled``: something was set that is to be remembered;
    ``shown_changed`` carries the id of another verdict that is shown, None before it is stored; ``votes_changed``: the
    user has voted here; ``to_export`` a job that writes a file; ``notice`` a sentence, ``trouble`` an error.
    ``state`` is what is shown; a running verdict goes on behind a stored one that was opened. ``drawn`` is emitted
    whenever the state was drawn anew, ``edited`` whenever a field was changed."""

    kind: ClassVar[JudgedKind[Any, Any, Any]]
    takes: ClassVar[str] = ""
    """What a menu calls giving a single text to this tab; empty: it takes none."""
    exports_itself: ClassVar[bool] = False
    """Whether Export means this tab's own files, by ``to_export``, rather than the history's."""
    takes_lists: ClassVar[bool] = False
    asked = Signal(object)
    compare_asked = Signal(str)
    elsewhere_asked = Signal(str, object)
    list_asked = Signal(str)
    to_export = Signal(object)
    settled = Signal()
    shown_changed = Signal(object)
    votes_changed = Signal()
    notice = Signal(str)
    trouble = Signal(object)
    stop_asked = Signal()
    library_asked = Signal()
    drawn = Signal()
    edited = Signal()
    shows: ClassVar[type[Any]]
    """The class of its states."""
    jokes: Sequence[JokeCard] = ()
    """The fields."""
    cards: Sequence[QWidget] = ()
    """What stands under the fields, from top to bottom."""
    answers: Sequence[QWidget] = ()
    """The cards of which one says how it went."""
    vote: VoteButtons
    state: VerdictState
    trust_link: TrustLink
    """Opens how far to trust the verdict's model."""
    taste_line: TasteLine
    """Says beside the verdict what the user would say."""

    def __init__(self, run: str, first: str) -> None:
        """``run``: the word of the button that judges; ``first``: of the first action, empty for none."""
        super().__init__()
        self._room: Room | None = None
        self._job: Job | None = None
        self._live: VerdictState | None = None
        self._gone = False
        self._model_error: ErrorInfo | None = None
        self.buttons = RunButtons(run)
        self.buttons.run_asked.connect(self.run)
        self.buttons.stop_asked.connect(self.stop_asked)
        self.context = ContextField()
        self.context.edited.connect(self._on_edited)
        self.warning = Banner("warning", "", "Choose model")
        self.warning.acted.connect(self.library_asked)
        self.stopped = StateCard()
        self.stopped.acted.connect(self.library_asked)
        self.failed = StateCard("error", primary=True)
        self.failed.acted.connect(self.library_asked)
        self.stale_line = StaleLine()
        self.stale_line.back_asked.connect(self.bring_back)
        self.note = NoteCard()
        self.bar = ActionBar(first)
        self._foot = HBox(self.bar)
        self.result_column = ColumnScroll()
        self.result_column.verticalScrollBar().rangeChanged.connect(self._reveal)
        self.result_column.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._soon = single_shot(self, self.draw)
        self._left_at: int | None = None  # where the column was left by us, while it follows the result

    def tab_order(self) -> list[QWidget]:
        """Controls in the order of the Tab key."""
        return list(controls_of(self))

    # What is asked for

    @property
    def job(self) -> Job | None:
        """The job of the verdict that is running or waiting."""
        return self._job if self.live else None

    @property
    def live(self) -> bool:
        """Whether a verdict is running or waiting."""
        return self._live is not None

    @property
    def result(self) -> VerdictResult | None:
        """The result that is shown."""
        return self.state.result

    def run(self) -> None:
        """Judge what stands in the fields, if it can be."""
        if self.buttons.run_button.isEnabled() and not self.live:
            texts = dict(zip(self.kind.fields, self.texts(), strict=True))
            self.asked.emit({**texts, "context": self.context.text()})

    def stop(self) -> None:
        """Ask for the running verdict to be stopped."""
        if self.live:
            self.stop_asked.emit()

    def texts(self) -> tuple[str, ...]:
        """What the fields hold."""
        return tuple(joke.text() for joke in self.jokes)

    def set_texts(self, *texts: str) -> None:
        """Put texts into the fields; those without one are emptied. One undo in a field brings back what it held."""
        for joke, text in zip_longest(self.jokes, texts[: len(self.jokes)], fillvalue=""):
            joke.set_text(text)

    def bring_back(self) -> None:
        """Put the texts of the verdict that is shown back into the fields."""
        self.set_texts(*self.state.texts)
        self.context.set_text(self.state.context)
        self.focus_editor()

    def draft(self) -> tuple[str, ...]:
        """What was typed: the texts, and the topic or scene behind them if there is one."""
        context = self.context.text()
        return (*self.texts(), context) if context else self.texts()

    def put_draft(self, draft: Sequence[str]) -> None:
        """Put back what ``draft`` gave."""
        count = len(self.texts())
        self.set_texts(*draft[:count])
        self.context.set_text(" ".join(draft[count : count + 1]))

    def take(self, text: str) -> None:
        """Put a single text into the first field; the keyboard goes to the last one, which is what is missing."""
        self.jokes[0].set_text(text)
        self.jokes[-1].editor.setFocus()

    @property
    def kept(self) -> bool:
        """Whether the history holds what the fields hold."""
        return self.state.id is not None and self._is_judged()

    # What happens

    def expect(self, fields: Mapping[str, object]) -> None:
        """A verdict on these fields of a request is about to begin."""

    def keep(self) -> None:
        """Write down at once what is still to be written: the program ends."""

    def keep_soon(self) -> int:
        """Have it written by the worker for all but judging, before what that is asked for later. Returns a number that
        is another one whenever there was something more to write."""
        return 0

    def take_list(self, text: str) -> None:
        """Put a list of jokes where a tab that ``takes_lists`` has it."""
        raise AssertionError("this tab takes none")

    def begin(self, job: Job, *texts: str) -> None:
        """A verdict on these texts was put into the queue."""
        self.set_texts(*texts)
        self._begin(job, self.shows("waiting", *texts))

    def _begin(self, job: Job, live: VerdictState) -> None:
        """A verdict was put into the queue."""
        self._job = job
        self._live = live
        live.context = self.context.text()
        self.note.show_row(None)
        self._show(live)
        self._timer.start()
        self._follow()
        self.draw()

    def handle(self, job: Job, event: object) -> None:
        """Take in an event of the verdict's job."""
        if job is not self._job or self._live is None:
            return
        live, known = self._live, self._live.id
        live.apply(event)
        if live.id != known and self.state is live:
            self.shown_changed.emit(live.id)
        if not live.live:
            self._live = None
            self._timer.stop()
            self._soon.stop()
            self.draw()
        elif self.state is live:
            # Events come in bursts, all factors at once: they are drawn together, for one drawing takes some 3 ms.
            self._soon.start()

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored verdict; a running one goes on behind it."""
        self._show_entry(entry)
        self.set_texts(*entry.row.texts)
        self.context.set_text(self.state.context)
        self._follow()
        self.draw()

    def _show_entry(self, entry: HistoryEntry) -> None:
        """Take over a stored verdict, or the running one if it is that."""
        live = self._live
        self._show(live if live is not None and entry.row.id == live.id else self.stored(entry))
        self.set_marks(entry.row)

    def _show(self, state: VerdictState) -> None:
        self.state, self._gone = state, False
        self.shown_changed.emit(state.id)

    def stored(self, entry: HistoryEntry) -> Any:
        """The state in which a stored verdict ended."""
        return self.shows("empty", *entry.row.texts).load(entry)

    def set_marks(self, row: HistoryRow) -> None:
        """Star, note and tags of the verdict that is shown."""
        self.bar.set_starred(row.starred)
        self.note.show_row(row)

    def set_gone(self, gone: bool) -> None:
        """Whether the verdict that is shown was deleted from the history."""
        if gone != self._gone:
            self._gone = gone
            self._show_age()

    def set_listeners(self, measurer: ListenerMeasurer) -> None:
        """What knows the listeners that the model can be asked for, for tabs whose verdicts ask some."""

    def set_model_error(self, error: ErrorInfo | None) -> None:
        """There is no model, or there is one again."""
        self._model_error = error
        self.draw()

    # Where it is in view

    def _follow(self) -> None:
        """Begin at the top, and keep the result in view until the person scrolls."""
        self._scroll(0)
        QTimer.singleShot(0, self._reveal)

    def _reveal(self) -> None:
        """Where everything stands in one column the result would else appear under the fold."""
        if self._room != "narrow" or self._left_at is None:
            return
        shown = [card for card in self.cards if not card.isHidden()]
        answer = next((card for card in shown if card in self.answers), None)
        if answer is not None and answer.geometry().bottom() >= self._left_at + self.result_column.viewport().height():
            self._scroll(shown[0].y())

    def _scroll(self, to: int) -> None:
        self._left_at = None
        bar = self.result_column.verticalScrollBar()
        bar.setValue(to)
        self._left_at = bar.value()

    def _on_scrolled(self, value: int) -> None:
        if self._left_at is not None:
            # A column that has become shorter moves its bar to the end; else it was the person.
            clamped = value == self.result_column.verticalScrollBar().maximum() < self._left_at
            self._left_at = value if clamped else None

    # Drawing

    def draw(self) -> None:
        """Draw the state. If what had the keyboard goes away with it, the keyboard stays in the tab."""
        holder = QApplication.focusWidget()
        inside = holder is not None and self.isAncestorOf(holder)
        self._draw()
        if holder is None or not inside or self.buttons.isAncestorOf(holder):
            return
        if not (holder.isVisibleTo(self) and holder.isEnabledTo(self)):
            if self.live:
                self.buttons.stop_button.setFocus()
            else:
                self.focus_editor()

    def _draw(self) -> None:
        raise AssertionError("each tab has its cards")

    def _on_edited(self) -> None:
        self._update_buttons()
        self._show_age()
        self.edited.emit()

    def _set_live(self) -> None:
        """Fields are read-only while their texts are judged."""
        for joke in self.jokes:
            joke.set_live(self.live)
        self.context.set_live(self.live)
        self.buttons.set_live(self.live)
        self._update_buttons()

    def _update_buttons(self) -> None:
        """Say what can be pressed."""
        raise AssertionError("each tab has its buttons")

    def _show_failure(self, otherwise: str, safe: str = "") -> QWidget:
        """Say why the verdict failed, ``otherwise`` where that isn't known. With ``safe``, a sentence about what isn't
        lost, a missing model is the reason if one is missing."""
        missing = self._model_error if safe else None
        error = missing or self.state.error or ErrorInfo(code="", sentence=otherwise)
        text = f"{error.hint} {safe}".strip() if missing is not None else error.hint
        self.failed.set_message(error.sentence, text, "Open model library" if missing is not None else "")
        return self.failed

    def _tick(self) -> None:
        """Draw the time that runs."""
        raise AssertionError("each tab has its clock")

    @property
    def stale(self) -> bool:
        """Whether a verdict is shown that is about another text than the fields hold."""
        return self.state.ended and not self._is_judged()

    def _finish_drawing(self) -> None:
        self._show_age()
        self.drawn.emit()

    def _show_age(self) -> None:
        """A verdict of an earlier text is pale, and nothing can be done with it, nor with one that was deleted."""
        stale = self.stale
        off = stale or self._gone
        self.stale_line.show_why(stale=stale, deleted=self._gone)
        for card in self.cards:
            if card not in self._of_the_fields():
                set_pale(card, stale)
        ended = self.state.ended and self.state.id is not None
        focused = self.bar.isAncestorOf(QApplication.focusWidget() or self)
        # A vote may be given while the judge is at work.
        votable = self.state.live and bool(self.kind.choices)
        self.bar.setVisible(votable or ended)
        self.bar.set_live(ended and not off)
        self.vote.setEnabled(not off)
        if focused and off:
            self.focus_editor()

    def _of_the_fields(self) -> tuple[QWidget, ...]:
        """Cards that are about what the fields hold now, not about the verdict."""
        return (self.stale_line, *((self.failed,) if self._model_error is not None else ()))

    def focus_editor(self) -> None:
        """Put the keyboard where one types."""
        self.jokes[0].editor.setFocus()

    def _show_warnings(self, warnings: tuple[str, ...]) -> None:
        self.warning.setVisible(bool(warnings))
        if warnings:
            self.warning.set_message("\n".join(warnings), action="Choose model")

    def _is_judged(self) -> bool:
        """Whether texts and topic are those of the verdict."""
        return self._as_judged() and self.context.text() == self.state.context

    def _as_judged(self) -> bool:
        """Whether the fields hold what the verdict is about."""
        return self.texts() == self.state.texts

    def _usage_text(self) -> str:
        """What the verdict cost, and by which model; empty while there is none."""
        result = self.state.result
        if result is None or self.state.live:
            return ""
        parts = []
        if total := result.usage.tokens_evaluated + result.usage.tokens_reused:
            parts.append(f"Reused {result.usage.tokens_reused:,} of {total:,} tokens")
        if result.seconds:
            parts.append(wording.seconds(result.seconds))
        if result.model is not None:
            parts.append(result.model.name)
        return " · ".join(parts)


class Tabs(Mapping[str, VerdictTab]):
    """The tabs by the names of their kinds, in their order. Each is built when it is first asked for, and ``join`` puts
    it into the window then. ``classes``: those of all tabs, ``built``: the tabs that there are."""

    def __init__(
        self, makers: Mapping[type[VerdictTab], Callable[[], VerdictTab]], join: Callable[[VerdictTab], None]
    ) -> None:
        self._makers, self._join = makers, join
        self.classes = {each.kind.name: each for each in makers}
        self.built: dict[str, VerdictTab] = {}

    def __getitem__(self, kind: str) -> VerdictTab:
        if kind not in self.built:
            self.built[kind] = tab = self._makers[self.classes[kind]]()
            self._join(tab)
        return self.built[kind]

    def __contains__(self, kind: object) -> bool:
        return kind in self.classes

    def __iter__(self) -> Iterator[str]:
        return iter(self.classes)

    def __len__(self) -> int:
        return len(self.classes)
