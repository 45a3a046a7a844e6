"""The Versions tab: a joke, each version of it beside the one that it was made from; live or from the history."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtWidgets import QWidget

from ...core.errors import ErrorInfo, JokeJudgeError
from ...core.events import Cancelled, Failed, Finished, Stage, StageProgress, StageStarted, Started
from ...core.verdicts import Trial
from ...history.query import HistoryEntry
from ...judge.workshop.judge import VersionRead
from ...judge.workshop.kind import WORKSHOP, headline_sentence
from ...judge.workshop.types import Origin, ReadVersion, WorkshopRequest, WorkshopResult
from ..judge_worker import Job
from ..look import wording
from ..look.theme import px
from ..room import Room
from ..trust.trust_figures import TrustLine
from ..verdict.cards import JokeCard
from ..verdict.layout import TwoColumns
from ..verdict.tab import STORED_PHASES, Phase, VerdictState, VerdictTab
from ..votes import TasteLine, VoteCard
from ..widgets.base import restyle_within
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.text import Heading, Paragraph
from .version_card import VersionCard

# What the Versions tab knows of a joke: folded from events as they come, or read from the history.


@dataclass
class WorkshopState(VerdictState):
    """One joke's versions as they are shown. ``result`` holds what was known before while a new version is read."""

    stage: Stage | None = None
    done: int = 0
    total: int = 0
    note: str = ""
    result: WorkshopResult | None = field(default=None, kw_only=True)

    @property
    def versions(self) -> tuple[ReadVersion, ...]:
        """The versions that were read or couldn't be, the oldest first."""
        known = self.result.versions if self.result is not None else ()
        return tuple(version for version in known if version.read or version.error is not None)

    @property
    def unread(self) -> int:
        """How many versions wait to be read."""
        return len(self.result.versions) - len(self.versions) if self.result is not None else 0

    @property
    def heading(self) -> str:
        """How many versions there are, and which is the best."""
        return wording.sentence_case(headline_sentence(self.result)) + "." if self.result is not None else ""

    @property
    def doing(self) -> str:
        """What is going on; empty once it has ended."""
        if not self.live:
            return ""
        match self.stage:
            case None:
                return "Waiting: it begins when the model is free"
            case Stage.LOADING:
                return wording.sentence_case(self.note or "loading the model")
            case Stage.CALIBRATION:
                return "Measuring this model's habits, once for each model"
        return (
            "Reading this version" if self.total - self.done < 2 else f"Reading version {self.done + 1} of {self.total}"
        )

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        match event:
            case Started(id=identity):
                self.start(identity)
            case StageStarted(stage=stage, total=total):
                self.enter(stage)
                self.stage, self.done, self.total, self.note = stage, 0, total or 0, ""
            case StageProgress(stage=stage, done=done, total=total, note=note):
                self.stage, self.done, self.total, self.note = stage, done, total or self.total, note
            case VersionRead(result=result):
                self.result = result
            case Finished(result=result):
                self._end("finished", result)
            case Failed(error=error, result=result):
                self.error = error
                self._end("failed", result)
            case Cancelled(result=result):
                self._end("stopped", result)

    def _end(self, phase: Phase, result: object) -> None:
        if isinstance(result, WorkshopResult):
            self.result = result
        self.phase, self.stage = phase, None


def state_of_entry(entry: HistoryEntry) -> WorkshopState:
    """The state in which a stored workshop ended."""
    result = entry.result if isinstance(entry.result, WorkshopResult) else None
    state = WorkshopState(id=entry.row.id)
    state._end(STORED_PHASES[entry.row.status], result)
    state.context = result.context if result is not None else ""
    state.error = (result.error if result is not None else None) or entry.error
    return state


_AT_ONCE = 12
"""Versions that are shown until older ones are asked for."""
_EMPTY = (
    "Work on a joke here.",
    "Type it and press Read. Then change it and press Read again: the words that changed are marked, and it says what "
    "the change did. No version is ever overwritten.",
)


class WorkshopTab(VerdictTab):
    """A joke in, its versions out."""

    kind = WORKSHOP
    state: WorkshopState

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Read", False, parent)
        self.state = WorkshopState()
        self._known: WorkshopResult | None = None
        self._parent: str | None = None
        self._shown: tuple[ReadVersion, ...] = ()
        self._shown_best: str | None = None
        self._most = _AT_ONCE
        # Versions aren't voted on: each can be, as a rating.
        self.vote, self._taste = VoteCard(self.kind, self), TasteLine(self)
        self.vote.hide()
        self._taste.hide()

        self.joke = JokeCard("Your joke", "Another joke", "Type or paste a joke", most=11)
        self.joke.edited.connect(self._on_edited)
        self.joke.link_asked.connect(self.begin_anew)
        self.made_from = Paragraph("", 13)
        self.joke.add(self.made_from, self.context, self.buttons)
        self.buttons.set_left(self.context.link)
        self.head = Card(padding=24)
        self.heading = Heading("", 3)
        self.told = Paragraph("")
        self._trust = TrustLine()
        self.head.add(self.heading, self.told, self._trust)
        self.cards: list[VersionCard] = []
        self.older = LinkButton("Show older versions", act=self._show_older)

        self.right = self.result_column
        self._columns = TwoColumns(self, self.right, self._foot)
        self.left = self._columns.left
        self.set_room("wide", px(24))
        self.draw()

    # Room

    def _result_cards(self) -> list[QWidget]:
        return [self.head, self.warning, self.failed, *self.cards, self.older, self.note, self.usage]

    def _answers(self) -> tuple[QWidget, ...]:
        return self.failed, self.head

    def set_room(self, room: Room, margin: int) -> None:
        """One column or two; ``margin`` is the window's at the right, in pixels."""
        if room != self._room:
            self._room = room
            self._place()
            self.left.setVisible(room != "narrow")
            self.bar.set_compact(room != "wide")
            self.draw()
        self._columns.measure(room, margin)

    def _place(self) -> None:
        """Put the cards into their columns, in their order."""
        narrow = self._room == "narrow"
        self.right if narrow else self.left.add(self.joke)
        for widget in self._result_cards():
            self.right.add(widget)
            restyle_within(widget)

    def tab_order(self) -> list[QWidget]:
        """Controls in the order of the Tab key."""
        order: list[QWidget] = [self.joke.editor, self.context.line, self.context.close_button]
        order += [self.buttons.run_button, self.buttons.stop_button, self.context.link, self.joke.link]
        order += [self._trust.link, self.warning.button, self.failed.button]
        for card in self.cards:
            order += card.controls()
        return [*order, self.older, *self._bar_order()]

    @property
    def trust_line(self) -> TrustLine:
        return self._trust

    @property
    def taste_line(self) -> TasteLine:
        return self._taste

    def focus_editor(self) -> None:
        self.joke.editor.setFocus()

    # The fields

    def texts(self) -> tuple[str, ...]:
        return (self.joke.text(),)

    def set_texts(self, *texts: str) -> None:
        self.joke.set_text(texts[0] if texts else "")

    def draft(self) -> tuple[str, ...]:
        return (*self.texts(), context) if (context := self.context.text()) else self.texts()

    def put_draft(self, draft: Sequence[str]) -> None:
        self.set_texts(*draft[:1])
        self.context.set_text(" ".join(draft[1:2]))

    @property
    def kept(self) -> bool:
        known = self.state.result.versions if self.state.result is not None else ()
        return any(version.text == self.joke.text() for version in known)

    @property
    def stale(self) -> bool:
        """What is typed is the next version; those that are shown stay what they are."""
        return False

    def _as_judged(self) -> bool:
        return self.kept

    def begin_anew(self) -> None:
        """Leave this joke, which the history keeps, for another one."""
        if self.live:
            return
        self.state, self._parent = WorkshopState(), None
        self.joke.set_text("")
        self.context.set_text("")
        self.note.show_row(None)
        self.draw()
        self.focus_editor()

    # What is asked for

    def run(self) -> None:
        """Read what stands in the field as a new version, or go on where it stopped."""
        if not self.buttons.run_button.isEnabled() or self.live:
            return
        if self.state.unread and (self.kept or not self.joke.text().strip()):
            self._ask([])
        else:
            self._ask([self.joke.text()])

    def _ask(self, added: list[str], parent: str | None = None, origin: Origin = "writer", change: str = "") -> None:
        """Ask for the versions that are known and ``added``."""
        known = self.state.result
        try:
            if known is None:
                fields = WorkshopRequest.of(*added, context=self.context.text()).model_dump(
                    include={"versions", "context"}
                )
            else:
                fields = WorkshopRequest.going_on(
                    known,
                    added,
                    parent=parent or self._from,
                    origin=origin,
                    change=change,
                    context=self.context.text(),
                ).model_dump(exclude={"explain"})
        except JokeJudgeError as error:
            self.trouble.emit(error)
            return
        self.asked.emit(fields)

    @property
    def _from(self) -> str | None:
        """The version that the next one is made from: the one that was chosen, else the last."""
        known = self.state.result
        if known is None or not known.versions:
            return None
        ids = [version.id for version in known.versions]
        return self._parent if self._parent in ids else ids[-1]

    def _go_on_from(self, version: ReadVersion) -> None:
        """Let the next version be made from this one."""
        if self.live:
            return
        self._parent = version.id
        self.joke.set_text(version.text)
        self._on_edited()
        self.focus_editor()

    def _take(self, version: ReadVersion, trial: Trial) -> None:
        """Make an edit that the program proposed the next version."""
        if self.live:
            return
        self.joke.set_text(trial.text)
        self._ask([trial.text], version.id, "program", f"{trial.kind}: {trial.change}")

    # What happens

    def expect(self, fields: Mapping[str, object]) -> None:
        """What is known stays in view while more is read."""
        versions = fields.get("versions")
        known = self.state.result
        self._known = known if known is not None and fields.get("continues") == known.id else None
        if isinstance(versions, Sequence) and versions:
            self.joke.set_text(str(versions[-1]["text"]))

    def begin(self, job: Job, *texts: str) -> None:
        del texts
        self._parent = None
        self._begin(job, WorkshopState("waiting", result=self._known))

    def open(self, entry: HistoryEntry) -> None:
        super().open(entry)
        if not self.live:
            self._parent = None
        if self.state.versions:
            self.joke.set_text(self.state.versions[-1].text)
        self.draw()

    def stored(self, entry: HistoryEntry) -> WorkshopState:
        return state_of_entry(entry)

    def _on_edited(self) -> None:
        self._update_buttons()
        self._show_age()
        self.edited.emit()

    def _tick(self) -> None:
        if self.state is self._live:
            self._show_head()

    # Drawing

    def _update_buttons(self) -> None:
        self.buttons.set_live(self.live)
        text = self.joke.text().strip()
        new = bool(text) and not self.kept
        self.buttons.run_button.setEnabled((new or bool(self.state.unread)) and self._model_error is None)
        self.joke.link.setVisible(self.state.result is not None)
        self.joke.link.setEnabled(not self.live)
        source = self._from
        words = ""
        if source is not None and not self.live:
            words = f"Change it and press Read: the next version is made from version {source}."
        self.made_from.show_text(words)

    def _draw(self) -> None:
        self.joke.set_live(self.live)
        self.context.set_live(self.live)
        self._draw_versions()
        self._show_head()
        failed = self.state.phase == "failed" or (self.state.result is None and self._model_error is not None)
        self.failed.setVisible(failed)
        if failed:
            error = self._model_error or self.state.error or ErrorInfo(code="", sentence="Reading failed.")
            self.failed.set_message(error.sentence, error.hint, "Open model library" if self._model_error else "")
        result = self.state.result
        self._show_warnings(result.warnings if result is not None else ())
        ended = result is not None and not self.live
        self._trust.show_model(
            result.model if ended and result is not None else None,
            heard=any(version.audience is not None for version in self.state.versions),
        )
        self._update_buttons()
        self._finish_drawing()

    def _show_head(self) -> None:
        state = self.state
        heading, told = state.heading, ""
        if state.result is None:
            heading, told = _EMPTY if not state.live else ("Reading", "")
        if state.doing:
            told = f"{state.doing}…"
        elif state.phase in ("stopped", "interrupted") and state.unread:
            cut = "Stopped" if state.phase == "stopped" else "Cut off"
            told = f"{cut}: {wording.count_of(state.unread, 'version')} still to be read. Press Read to go on."
        if (self.heading.text(), self.told.text()) != (heading, told):
            self.heading.set_content(heading)
            self.told.set_content(told)
        self.told.setVisible(bool(told))
        self.head.setVisible(state.phase != "failed" or state.result is not None)

    def _draw_versions(self) -> None:
        """A card for each version, the newest first; those that are as before are left alone."""
        versions = self.state.versions[-self._most :]
        best = self.state.result.best if self.state.result is not None and len(self.state.versions) > 1 else None
        if (versions, best) != (self._shown, self._shown_best):
            for card in self.cards:
                self.right.body.removeWidget(card)
                card.hide()
                card.deleteLater()
            known = {version.id: version for version in self.state.result.versions} if self.state.result else {}
            self.cards = [self._card(version, known, best) for version in reversed(versions)]
            self._shown, self._shown_best = versions, best
            self._place()
            controls = [control for card in self.cards for control in card.controls()]
            for one, other in itertools.pairwise([self.failed.button, *controls, self.older]):
                self.setTabOrder(one, other)
        for card in self.cards:
            card.set_live(self.live)
        self.older.setVisible(len(self.state.versions) > len(versions))

    def _card(self, version: ReadVersion, known: Mapping[str, ReadVersion], best: str | None) -> VersionCard:
        parent = known.get(version.parent) if version.parent is not None else None
        card = VersionCard(version, parent, best=version.id == best)
        card.from_here.connect(lambda: self._go_on_from(version))
        card.proposal_taken.connect(lambda trial: self._take(version, trial))
        card.rate_asked.connect(
            lambda: self.elsewhere_asked.emit("rate", {"text": version.text, "context": self.state.context})
        )
        return card

    def _show_older(self) -> None:
        self._most += _AT_ONCE
        self.draw()
