"""The Versions tab: a joke, each version of it beside the one that it was made from; live or from the history."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import ErrorInfo, JokeJudgeError
from ...core.events import Stage
from ...core.verdicts import Trial
from ...core.words import changed_words
from ...history.query import HistoryEntry
from ...judge.workshop.judge import VersionRead
from ...judge.workshop.kind import WORKSHOP, headline_sentence, made_from, percentile_of, verdict_of, voices_of
from ...judge.workshop.types import Change, Origin, ReadVersion, WorkshopRequest, WorkshopResult
from ..judge_worker import Job
from ..look import wording
from ..look.theme import Room, px
from ..look.wording import Run, Style
from ..trust.trust_figures import TrustLine
from ..verdict.cards import JokeCard, TwoColumns
from ..verdict.tab import VerdictState, VerdictTab
from ..votes import TasteLine, VoteCard
from ..widgets.base import restyle_within
from ..widgets.cards import Card, Rule
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Heading, Label, Paragraph


class ProposalRow(QWidget):
    """An edit that the program tried, and a button that takes it. ``taken`` carries the trial."""

    taken = Signal(object)

    def __init__(self, trial: Trial, version: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        preferred = f"  An editor would prefer it in {100 * trial.p_better:.0f} of 100."
        self.words = Paragraph([("Try. ", "strong"), (trial.text, "normal"), (preferred, "muted")])
        self.button = SecondaryButton(
            "Take it",
            name=f"Take this edit of version {version}: {wording.one_line(trial.text)}",
            act=lambda: self.taken.emit(trial),
        )
        HBox((self.words, 1), (self.button, 0, Qt.AlignmentFlag.AlignTop), parent=self, gap=12)


class VersionCard(Card):
    """``from_here``: the next version is to be made from this one; ``proposal_taken`` carries a ``Trial``;
    ``rate_asked``: the version is wanted in the Rate tab."""

    from_here = Signal()
    proposal_taken = Signal(object)
    rate_asked = Signal()

    def __init__(self, version: ReadVersion, parent: ReadVersion | None, *, best: bool) -> None:
        self.from_button = LinkButton("Go on from here")
        super().__init__(f"Version {version.id}", made_from(version), self.from_button, 20)
        self.setAccessibleName(f"Version {version.id}{', the best so far' if best else ''}")
        self.from_button.setAccessibleName(f"Go on from version {version.id}")
        self.from_button.clicked.connect(self.from_here)
        self.best = Label("Best so far", 12, 600, "accent")
        self.set_left(self.best)
        self.best.setVisible(best)  # once it has a parent: else it would be a window
        self.text = Paragraph(marked_runs(version, parent), 17, 400, "text", 1.45)
        self.text.setAccessibleDescription(spoken(version, parent))
        self.add(self.text)
        self.findings = VBox(gap=3)
        for runs in finding_runs(version):
            self.findings.addWidget(Paragraph(runs))
        self.add(self.findings)
        self.rows = [ProposalRow(trial, version.id) for trial in version.proposals]
        if self.rows:
            self.add(Rule())
        for row in self.rows:
            row.taken.connect(self.proposal_taken)
            self.add(row)
        self.rate_link = LinkButton("Show it in Rate", name=f"Show version {version.id} in Rate", act=self.rate_asked)
        self.add(self.rate_link)
        self.body.setAlignment(self.rate_link, Qt.AlignmentFlag.AlignLeft)

    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        return [self.from_button, *(row.button for row in self.rows), self.rate_link]

    def set_live(self, live: bool) -> None:
        """Nothing can be taken while a version is read."""
        for row in self.rows:
            row.button.setEnabled(not live)


def marked_runs(version: ReadVersion, parent: ReadVersion | None) -> list[Run]:
    """The text with what the change took away struck through and what it brought marked. Spaces stand outside the
    marks, and there is one between what went and what came."""
    if parent is None:
        return [(version.text, "normal")]
    styles: dict[str, Style] = {"same": "normal", "gone": "cut", "new": "quote"}
    runs: list[Run] = []
    for words in changed_words(parent.text, version.text):
        style, text = styles[words.mark], words.text
        inner = text.strip() if style != "normal" else text
        before, after = (text[: text.index(inner)], text[text.index(inner) + len(inner) :]) if inner else (text, "")
        if runs and style != "normal":
            last, of = runs[-1]
            before = "" if last[-1].isspace() else before or (" " if of != "normal" else "")
        parts: list[Run] = [(before, "normal"), (inner, style), (after, "normal")]
        runs += [run for run in parts if run[0]]
    return runs


def spoken(version: ReadVersion, parent: ReadVersion | None) -> str:
    """The change for a screen reader, which doesn't hear the marks."""
    if parent is None:
        return ""
    words = changed_words(parent.text, version.text)
    parts = []
    for name, mark in (("Taken away", "gone"), ("New", "new")):
        found = "; ".join(wording.one_line(each.text) for each in words if each.mark == mark and each.text.strip())
        if found:
            parts.append(f"{name}: {found}.")
    return " ".join(parts)


def finding_runs(version: ReadVersion) -> list[list[Run]]:
    """A line for each thing that is known of a version."""
    if version.error is not None:
        return [[("Not read. ", "strong"), (f"{version.error.sentence} {version.error.hint}".strip(), "normal")]]
    lines: list[list[Run]] = []
    if place := percentile_of(version):
        lines.append([("Audience. ", "strong"), (f"Funnier than {place} in 100 jokes that people voted on.", "normal")])
    for change in version.changes:
        lines.append(change_line(change))
        if change is version.since_parent and (voices := voices_of(change)):
            lines.append([(" ".join(voices), "normal")])
    return lines


def change_line(change: Change) -> list[Run]:
    """Whether it became better."""
    return [(wording.sentence_case(verdict_of(change)) + ".", "strong")]


# What the Versions tab knows of a joke: folded from events as they come, or read from the history.


@dataclass
class WorkshopState(VerdictState):
    """One joke's versions as they are shown. ``result`` holds what was known before while a new version is read."""

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
        total = self.total or 0
        return "Reading this version" if total - self.done < 2 else f"Reading version {self.done + 1} of {total}"

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        super().apply(event)
        if isinstance(event, VersionRead):
            self.result = event.result


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
        super().__init__("Read", "", parent)
        self.state = WorkshopState()
        self._known: WorkshopResult | None = None
        self._parent: str | None = None
        self._shown: tuple[ReadVersion, ...] = ()
        self._shown_best: str | None = None
        self._most = _AT_ONCE
        # Versions aren't voted on: each can be, as a rating.
        self.vote, self.taste_line = VoteCard(self.kind, self), TasteLine(self)
        self.vote.hide()
        self.taste_line.hide()

        self.joke = JokeCard("Your joke", "Another joke", "Type or paste a joke", most=11)
        self.joke.edited.connect(self._on_edited)
        self.joke.link_asked.connect(self.begin_anew)
        self.made_from = Paragraph("", 13)
        self.joke.add(self.made_from, self.context, self.buttons)
        self.buttons.set_left(self.context.link)
        self.head = Card(padding=24)
        self.heading = Heading("", 3)
        self.summary = Paragraph("")
        self.trust_line = TrustLine()
        self.head.add(self.heading, self.summary, self.trust_line)
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
        order += [self.trust_line.link, self.warning.button, self.failed.button]
        for card in self.cards:
            order += card.controls()
        return [*order, self.older, *self._bar_order()]

    def focus_editor(self) -> None:
        self.joke.editor.setFocus()

    # The fields

    def texts(self) -> tuple[str, ...]:
        return (self.joke.text(),)

    def set_texts(self, *texts: str) -> None:
        self.joke.set_text(texts[0] if texts else "")

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
        return WorkshopState().load(entry)

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
        self.trust_line.show_model(
            result.model if ended and result is not None else None,
            audience=any(version.audience is not None for version in self.state.versions),
        )
        self._update_buttons()
        self._finish_drawing()

    def _show_head(self) -> None:
        state = self.state
        heading, words = state.heading, ""
        if state.result is None:
            heading, words = _EMPTY if not state.live else ("Reading", "")
        if state.doing:
            words = f"{state.doing}…"
        elif state.phase in ("stopped", "interrupted") and state.unread:
            cut = "Stopped" if state.phase == "stopped" else "Cut off"
            words = f"{cut}: {wording.count_of(state.unread, 'version')} still to be read. Press Read to go on."
        self.heading.set_content(heading)
        self.summary.show_text(words)
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
