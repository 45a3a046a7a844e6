"""The Rate tab: a joke, its stages, and the verdict; live or from the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from ...core.events import Stage
from ...history.query import HistoryEntry
from ...judge.rating.kind import RATING
from ..judge_worker import Job
from ..look import wording
from ..look.theme import Room, px
from ..trust.long_run import ListenerMeasurer
from ..verdict.cards import JokeCard, ListOffer, PanelCard, TwoColumns, set_pale
from ..verdict.tab import HABITS, VerdictTab, doing
from ..votes import VoteCard
from ..widgets.bars import CheckBars, CheckRow
from ..widgets.base import restyle_within
from ..widgets.cards import StateCard
from ..widgets.layout import ColumnScroll, HBox
from .cards import FactorsCard, MarkedCard, OwnFaultsCard, StagesCard, TreeCard, VerdictCard
from .listeners import ListenerField, ListenersCard
from .state import RateState, state_of_entry
from .welcome import WelcomeCard

_DOING = {
    Stage.READING: ("Reading the joke", "One reading tells what people and editors would say."),
    Stage.LOADING: ("Loading the model", "The verdict follows as soon as it is ready."),
    Stage.CALIBRATION: (HABITS[0], HABITS[1].format("score")),
    Stage.ADMISSIBILITY: ("Checking the text", "Five checks, each of them lenient."),
    Stage.CATEGORIES: ("Finding the categories", "Seventy kinds of joke are weighed at once."),
    Stage.FACTORS: ("Choosing the factors", "What this kind of joke should be judged on."),
    Stage.REASONING: ("Reading it again", "What is in doubt is asked in other ways until it is settled."),
}


class RateTab(VerdictTab):
    """A joke in, its rating out."""

    kind = RATING
    state: RateState

    def __init__(self, examples: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__("Rate", "Duel with…", parent)
        self._examples = list(examples)
        self._next_example = 0
        self._averages: Mapping[str, float] = {}
        self._averages_of = ("", "")
        self.state = RateState()

        self.joke = JokeCard("Your joke", "Try an example", "Type or paste a joke", most=11)
        self.joke.link.setVisible(bool(self._examples))
        self.joke.edited.connect(self._on_edited)
        self.joke.link_asked.connect(self.try_example)
        self.offer = ListOffer(self.joke.editor)
        self.offer.asked.connect(self.list_asked)
        self.joke.add(self.offer, self.context)
        self.listener = ListenerField()
        self.listener.edited.connect(self.edited)
        self.joke.add(self.listener, self._links(), self.buttons)
        self.stages = StagesCard()
        self.welcome = WelcomeCard(self._examples)
        self.welcome.example_used.connect(self._use_example)
        self.marked = MarkedCard()
        self.verdict = VerdictCard()
        self.trust_line, self.taste_line = self.verdict.trust_line, self.verdict.taste
        self.vote = VoteCard(self.kind)
        self.rejected = StateCard("warning", mark="info")
        self.rejected.acted.connect(lambda: self._ask(self.state.text, self.state.context, forced=True))
        self.checks = CheckBars()
        self.rejected.extra.addWidget(self.checks)
        self.factors = FactorsCard()
        self.tree = TreeCard()
        self.listeners = ListenersCard()
        self.own_faults = OwnFaultsCard()
        self.panel = PanelCard()
        self.bar.first_asked.connect(lambda: self.compare_asked.emit(self.state.text))

        self.right = self.result_column
        self._columns = TwoColumns(self, self.right, self._foot)
        self.left = self._columns.left
        self.set_room("wide", px(24))
        self.draw()

    def _links(self) -> QWidget:
        """What can be said beside the joke: a row of its own, for beside Rate there isn't room for both."""
        row = QWidget()
        HBox(self.context.link, self.listener.link, 1, parent=row)
        return row

    def _answers(self) -> tuple[QWidget, ...]:
        return self.welcome, self.rejected, self.failed, self.stopped, self.verdict

    # Room

    def _result_cards(self) -> list[QWidget]:
        return [
            self.welcome, self.marked, self.warning, self.rejected, self.failed, self.stopped, self.verdict, self.vote,
            self.panel, self.factors, self.own_faults, self.listeners, self.tree, self.note, self.usage,
        ]  # fmt: skip

    def set_room(self, room: Room, margin: int) -> None:
        """One column or two; ``margin`` is the window's at the right, in pixels."""
        if room != self._room:
            self._room = room
            cards = self._result_cards()
            if room == "narrow":
                columns: list[tuple[ColumnScroll, list[QWidget]]] = [(self.right, [self.joke, *cards, self.stages])]
            else:
                columns = [(self.left, [self.joke, self.stages]), (self.right, cards)]
            for column, widgets in columns:
                for widget in widgets:
                    column.add(widget)
                    restyle_within(widget)
            self.left.setVisible(room != "narrow")
            self.bar.set_compact(room != "wide")
            self.draw()
        self._columns.measure(room, margin)
        self.rejected.extra.setContentsMargins(0, px(16), 0, 0)

    def tab_order(self) -> list[QWidget]:
        """Controls in the order of the Tab key."""
        order: list[QWidget] = [self.joke.editor, self.offer.link, self.context.line, self.context.close_button]
        order += [*self.listener.controls(), self.buttons.run_button, self.buttons.stop_button]
        order += [self.context.link, self.listener.link, self.joke.link]
        order += [row.link for row in self.welcome.rows]
        order += [self.warning.button, self.rejected.button, self.failed.button, self.verdict.trust_line.link]
        return [
            *order,
            *self.vote.buttons,
            self.factors.more,
            self.bar.first_button,
            *self._bar_order(),
        ]

    def set_listeners(self, measurer: ListenerMeasurer) -> None:
        """Let listeners be chosen that this one knows, and be measured by it."""
        self.listener.serve(measurer)

    def draft(self) -> tuple[str, ...]:
        names = self.listener.names()
        return (*self.texts(), self.context.text(), "; ".join(names)) if names else super().draft()

    def put_draft(self, draft: Sequence[str]) -> None:
        super().put_draft(draft)
        self.listener.set_names(tuple(part.strip() for each in draft[2:3] for part in each.split(";") if part.strip()))

    def focus_editor(self) -> None:
        self.joke.editor.setFocus()

    # What is asked for

    def run(self) -> None:
        """Rate what stands in the editor, if it can be."""
        if self.buttons.run_button.isEnabled() and not self.live:
            self._ask(self.joke.text(), self.context.text())

    def _ask(self, text: str, context: str, forced: bool = False) -> None:
        asked = {"listeners": names} if (names := self.listener.names()) else {}
        self.asked.emit({"text": text, "context": context, "forced": forced, **asked})

    def try_example(self) -> None:
        if self._examples:
            self._use_example(self._examples[self._next_example % len(self._examples)])
            self._next_example += 1

    def _use_example(self, joke: str) -> None:
        if not self.live:
            self.joke.set_text(joke)
            self.context.set_text("")
            self.buttons.run_button.setFocus()

    def texts(self) -> tuple[str, ...]:
        return (self.joke.text(),)

    def set_texts(self, *texts: str) -> None:
        self.joke.set_text(texts[0] if texts else "")

    # What happens

    def begin(self, job: Job, *texts: str) -> None:
        (text,) = texts
        self.joke.set_text(text)
        self._begin(job, RateState("waiting", text))

    def stored(self, entry: HistoryEntry) -> RateState:
        return state_of_entry(entry)

    def set_averages(self, averages: Mapping[str, float], made_by: tuple[str, str]) -> None:
        self._averages, self._averages_of = averages, made_by
        self.factors.show_state(self.state, self._averages_for(self.state))

    def _averages_for(self, state: RateState) -> Mapping[str, float]:
        """The averages, where this verdict is of the model and the criteria that they belong to."""
        result = state.result
        if result is None or result.model is None:
            return self._averages
        return self._averages if (result.model.sha256, result.criteria_version) == self._averages_of else {}

    # Drawing

    def _show_age(self) -> None:
        super()._show_age()
        set_pale(self.stages, self.stale)

    def _tick(self) -> None:
        if self.state is self._live:
            self.stages.show_state(self.state)

    def _update_buttons(self) -> None:
        self.buttons.set_live(self.live)
        text = self.joke.editor.document()
        blank = text.characterCount() <= 4096 and not self.joke.text().strip()
        self.buttons.run_button.setEnabled(not blank and self._model_error is None)
        self.rejected.button.setEnabled(not self.live and not self.stale and self._model_error is None)

    def _draw(self) -> None:
        """Parts that are as before aren't touched."""
        state = self.state
        self.joke.set_live(self.live)
        self.context.set_live(self.live)
        self.listener.set_live(self.live)
        self._update_buttons()
        self.stages.show_state(state)
        card = self._card()
        for widget in self._answers():
            widget.setVisible(widget is card)
        marked = card is self.verdict and state.has_verdict and state.reads and state.result is not None
        self.marked.setVisible(marked)
        if marked and state.result is not None:
            self.marked.show_result(state.result)
        shown = state.result if card is self.verdict and state.has_verdict else None
        self.listeners.show_voices(shown.listeners if shown is not None else ())
        self.own_faults.show_voices(shown.own_faults if shown is not None else ())
        self.panel.show_panel(shown.panel if shown is not None else None)
        self.factors.setVisible(bool(state.factors) and card in (self.verdict, self.stopped, self.failed))
        self.factors.show_state(state, self._averages_for(state))
        deep = state.result.tree if state.result is not None and not state.live else None
        self.tree.show_tree(deep if card in (self.verdict, self.stopped, self.failed) else None)
        known = state.result is not None and state.phase != "empty"
        # Beside the missing gauge it says already why there is none.
        said = card is self.verdict and state.has_verdict and state.reads and state.result.audience is None
        self._show_warnings(state.result.warnings if known and not said else ())
        self._finish_drawing()

    def _card(self) -> QWidget:
        state = self.state
        if state.phase == "empty" or (state.phase == "failed" and self._model_error is not None):
            if self._model_error is None:
                return self.welcome
            return self._show_failure("", "Your joke and your history are safe.")
        if state.has_verdict:
            self.verdict.show_verdict(state)
            return self.verdict
        if state.live:
            self.verdict.show_running(*_doing(state), reads=state.reads)
            return self.verdict
        if state.phase == "rejected":
            self._show_rejection(state)
            return self.rejected
        if state.phase == "failed":
            return self._show_failure("The rating failed.")
        if state.phase == "finished":
            self.stopped.set_message(
                "The model gave no usable answer.",
                "None of its answers could be read as a score, so there is no verdict. A larger model may do better.",
                "Choose model",
            )
        else:
            self.stopped.set_message(*_ended(state))
        return self.stopped

    def _show_rejection(self, state: RateState) -> None:
        # A check that can't tell anything on this model passes everything.
        checks = [c for c in state.checks if c.reliable] if state.reads else state.checks
        failed = [c for c in checks if not c.passed]
        reason = (state.result.rejection if state.result else None) or "a check failed"
        words = wording.number_word(len(failed)).capitalize()
        of = "five checks" if not state.reads else "checks that this model can make"
        verb = "is" if len(failed) == 1 else "are"
        self.rejected.set_message(
            f"Not clearly a joke: {reason.removeprefix('Not clearly a joke: ').rstrip('.')}.",
            f"{words} of the {of} {verb} below {wording.probability(wording.NEEDED_P)}, so nothing was scored.",
            "Rate anyway",
            "Judges it all the same." if state.reads else "Runs the other three stages all the same.",
        )
        self.checks.set_rows(
            [CheckRow(wording.CHECK_LABELS.get(c.check, c.check), c.p_admit, c.passed) for c in checks],
            wording.NEEDED_P,
        )


def _doing(state: RateState) -> tuple[str, str, float | None]:
    """Heading, sentence and share of what is going on."""
    stage = state.current
    if state.phase == "waiting" and stage is None:
        return "Waiting", "The verdict begins when the model is free.", None
    if stage is Stage.SCORES:
        count = wording.number_word(len(state.factors))
        shown = f"The verdict appears when all {count} are scored. What is already known is shown below."
        return "Scoring the factors", shown, None
    return doing(state, stage, _DOING, ("Rating", "The verdict appears when everything is scored."))


def _ended(state: RateState) -> tuple[str, str]:
    """Heading and sentence of a rating that ended without a verdict."""
    scored, total = state.scored, len(state.factors)
    again = "There is no verdict. Press Rate to start again."
    if state.phase == "interrupted":
        return "This rating was cut off.", f"The program ended before the verdict was known. {again}"
    if scored and total > scored:
        return f"Stopped after {scored} of {wording.count_of(total, 'factor')}.", again
    if scored:
        return f"Stopped after {wording.count_of(scored, 'factor')}.", again
    return "Stopped before anything was scored.", again
