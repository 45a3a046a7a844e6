"""The Trust tab: four questions about a model, its agreement with the user, and all tables for researchers."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ...core.config import save_settings
from ...core.errors import HistoryError, SettingsError
from ...core.verdicts import ModelRef
from ...history.query import HistoryQuery
from ...judge.rating.kind import RATING
from ...judge.rating.record import RatingResult
from ...learning import trust_cards as words
from ...measure.kept import KeptEvaluation
from ...measure.questions import COUNTS, UNKNOWN_KIND, Answers, answers_for
from ...measure.worths import ModelTrust, measured_line
from ...session.session import Session
from ..judge_worker import JudgeWorker
from ..look.theme import Room, px
from ..widgets.base import settle
from ..widgets.cards import StateCard
from ..widgets.controls import LinkButton
from ..widgets.dialog import ask_file
from ..widgets.labels import Flow
from ..widgets.layout import ColumnScroll, VBox, chain_controls, controls_of
from ..widgets.text import Paragraph
from .agree import AgreementCard
from .audit import AuditCard
from .cards import CARD_FORMS, ModelCard, OwnCard, Rows, card_widgets, write_card
from .fitting import FitCard
from .long_run import LongRun
from .measuring import MeasureCard, Measurer
from .plan import Learning, PlanCard
from .questions import AUDITED, FoldedCard, QuestionCards
from .templates import TemplatesCard
from .trust_figures import TrustIndex, TrustLink


class TrustTab(QWidget):
    """Shows a model's trust figures and measures them. ``failed`` carries an error, ``notice`` a sentence."""

    failed = Signal(object)
    notice = Signal(str)

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker) -> None:
        super().__init__()
        self.index = TrustIndex(session)
        self.measurer = Measurer(session, self.index.trust_files.kept, worker, side_worker, self)
        self._side_worker = side_worker
        self._room: Room | None = None
        self._model: ModelRef | None = None
        self._shown: ModelRef | None = None
        self._usable = False
        self._found: ModelTrust | None = None
        self._in_tables: ModelTrust | None = None
        self._tables_due = True
        self.model = ModelCard()
        self.model.chosen.connect(self.show_model)
        self.model.save_button.clicked.connect(self.save_card)
        self.measure = MeasureCard(self.measurer)
        self.own = OwnCard(self.index.trust_files.kept, side_worker)
        self.own.hide()
        self.own.forget_asked.connect(self.forget)
        self.own.notice.connect(self.notice)
        self.own.failed.connect(self.failed)
        self.learning = Learning(session, worker, self)
        self.learning.learned.connect(self.refresh)
        self.plan = PlanCard(self.learning)
        self.fit = FitCard(session, worker, self)
        self.fit.run.ended.connect(self.refresh)
        self.audit = AuditCard(session, worker, side_worker, self)
        self.audit.failed.connect(self.failed)
        self.audit.notice.connect(self.notice)
        self.audit.opened.connect(self.show_model)
        self.audit.opened.connect(lambda _model: QTimer.singleShot(0, self, lambda: self._go_to("Audit")))
        self.templates = TemplatesCard(session, worker, side_worker, self)
        self.templates.notice.connect(self.notice)
        self.state = StateCard("info")
        self.cards = Rows()
        self.counts = Paragraph(COUNTS, 13)
        self.questions = QuestionCards()
        self.questions.measure_asked.connect(self._measure)
        self.agree = AgreementCard(session, worker)
        self.agree.stored.connect(self.audit.stored)
        self.audit.run.changed.connect(self._show_runs)
        self.researchers = FoldedCard(
            "For researchers", "All figures with their intervals and numbers of pairs, other models, audits, CSV"
        )
        self.researchers.toggled.connect(self._keep_open)
        self.researchers.set_open(session.settings.researchers_open)
        self._session = session
        self.tables: dict[str, QWidget] = {
            "This model": self.model, "By kind of text": self.cards, "Measuring": self.measure,
            "Your measurements": self.own, "Audit": self.audit, "What is read and asked": self.plan,
            "Audience estimate": self.fit, "Judge templates": self.templates,
        }  # fmt: skip
        self.contents = Flow(gap=14)
        self.links = {name: LinkButton(name, act=partial(self._go_to, name)) for name in self.tables}
        self.contents.set_items(list(self.links.values()))
        self.researchers.rows.add(self.contents)
        self._under = QWidget()
        VBox(self.state, *self.tables.values(), parent=self._under, gap=14)
        self.column = ColumnScroll()
        self.column.add(self.counts, self.questions, self.agree, self.researchers, self._under)
        self._unfold(self.researchers.open)
        # Deferred until the layout knows the heights.
        for shown, card in ((self.agree.changed, self.agree), (self.questions.unfolded, self.questions.more)):
            shown.connect(lambda card=card: QTimer.singleShot(0, self, lambda: self.column.ensureWidgetVisible(card)))
        self.templates.opened.connect(lambda: QTimer.singleShot(0, self, lambda: self._go_to("Judge templates")))
        self._outer = VBox(self.column, parent=self)
        self.measurer.measured.connect(self._on_measured)
        if session.judge is not None:
            self.learning.take_up()
        self.set_room("wide", px(24))

    # Room and keyboard

    def set_room(self, room: Room, margin: int) -> None:
        """Lay the tab out with one or two columns of questions. ``margin``: the window's right margin in pixels."""
        if room != self._room:
            self._room = room
            self.questions.set_room(room)
            self.agree.set_room(room)
        self._outer.setContentsMargins(0, 0, max(0, margin - px(12)), 0)
        self.column.body.setContentsMargins(0, 0, 0, px(14))

    def tab_order(self) -> list[QWidget]:
        """Return the controls in the order of the Tab key."""
        return list(controls_of(self))

    def focus_editor(self) -> None:
        """Focus the questions."""
        self.questions.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    # For researchers

    def open_researchers(self, shown: bool = True) -> None:
        """Unfold or fold all tables, without storing that choice."""
        self.researchers.set_open(shown)
        self._unfold(shown)

    def _unfold(self, shown: bool) -> None:
        self._under.setVisible(shown)
        if shown and self._tables_due and self.isVisible():
            self._draw_tables()

    def _keep_open(self, shown: bool) -> None:
        self._unfold(shown)
        self._session.settings.researchers_open = shown
        try:
            save_settings(self._session.settings, self._session.profile)
        except SettingsError as error:
            self.failed.emit(error)

    def _go_to(self, name: str) -> None:
        """Scroll a table to the top."""
        self.open_researchers()
        settle()
        widget = self.tables[name]
        if not widget.isHidden():
            at = widget.mapTo(self._under, QPoint(0, 0)).y() + self._under.y()
            self.column.verticalScrollBar().setValue(at - px(8))

    def open_topic(self, topic: str) -> None:
        """Show the details of the answer to a question, by its key."""
        if topic in self.questions.cards:
            self.refresh()
            self.questions.open_more(topic)

    def _measure(self, key: str) -> None:
        """Start or stop the measurement for a question."""
        auditor = self.audit.run
        if auditor.live:
            auditor.stop()
        elif key in AUDITED:
            auditor.start()

    def _show_runs(self) -> None:
        """Show the progress of measurements in the cards of questions."""
        used, shown = self.index.in_use, self._found.model if self._found is not None else None
        usable = used is not None and shown is not None and used.sha256 == shown.sha256
        for key, card in self.questions.cards.items():
            missing = usable and key in AUDITED and card.answer is None
            card.show_run(self.audit.run if missing else None)

    def _last_kind(self) -> str:
        """Return the kind of the text rated last; empty where it isn't known."""
        try:
            rows = self._session.store.search(HistoryQuery(kinds=(RATING.name,), limit=1))
            result = self._session.store.get(rows[0].id).result if rows else None
        except HistoryError:
            return ""
        crowd = result.audience if isinstance(result, RatingResult) else None
        return "" if result is None else UNKNOWN_KIND if crowd is None or not crowd.kind else crowd.kind

    # Actions

    @property
    def _runs(self) -> tuple[LongRun, ...]:
        """The tab's measurements, without ``learning``, which runs in the background."""
        return tuple(card.run for card in (self.measure, self.audit, self.templates, self.fit))

    @property
    def live(self) -> bool:
        """Whether a measurement is in progress or waiting."""
        return any(run.live for run in self._runs)

    def give_way(self) -> None:
        """Let a verdict go first."""
        for run in (*self._runs, self.learning):
            run.give_way()

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        for run in (*self._runs, self.learning):
            run.leave()

    def run(self) -> None:
        """Start the measurement on the user's files, if possible (Ctrl+Enter)."""
        if not self.measure.button.isHidden() and not self.live:
            self.measure.button.click()

    def stop(self) -> None:
        """Close the details of a question, otherwise stop all measurements (Esc)."""
        if not self.questions.more.isHidden():
            self.questions.close_more()
            return
        self.agree.stop()
        for run in self._runs:
            run.stop()

    def follow(self, link: TrustLink) -> None:
        """Show the answer that a verdict's link refers to, once the tab is drawn."""

        def show() -> None:
            self.questions.show_kind(link.kind)
            self.open_topic(link.topic)

        QTimer.singleShot(0, self, show)

    def save_card(self) -> None:
        """Ask for a file and write the shown model's card to it."""
        if self._found is None:
            return
        path = ask_file(self, "Save card", "card.html", CARD_FORMS)
        if path is not None:
            write = partial(write_card, self._found.model, self.index.trust_files.profile, path)
            self._side_worker.call("report", write, self.notice.emit, self.failed.emit)

    def forget(self, kept: KeptEvaluation) -> None:
        """Delete a measurement and its answers."""
        if self.live:
            self.notice.emit("A measurement is running. Stop it first.")
            return
        try:
            self.index.trust_files.kept.forget(kept.stem)
        except SettingsError as error:
            self.failed.emit(error)
        self.refresh()

    # Display

    def show_model(self, model: ModelRef | None) -> None:
        """Show a model; None: the current one."""
        self._model = model
        self._draw()

    def model_changed(self) -> None:
        """Show the current model, after it has changed."""
        self._model = None
        self.index.forget()
        for card in (self.audit, self.fit):
            card.run.forget()
        self._draw_if_seen()

    def refresh(self) -> None:
        """Read everything again, after a measurement or a fit."""
        self.index.forget()
        self._draw_if_seen()

    def _draw_if_seen(self) -> None:
        if self.isVisible():  # drawing takes half of the window's opening time, and is done when the tab is shown
            self._draw()

    def _draw(self) -> None:
        models = self.index.models()
        used = self.index.in_use
        shown = self._model or used or (models[0] if models else None)
        if shown is not None and all(model.sha256 != shown.sha256 for model in models):
            models.append(shown)
        self.model.show_models(models, used, shown)
        self._usable = usable = used is not None and shown is not None and used.sha256 == shown.sha256
        self.measure.set_usable(usable)
        found = self.index.of(shown) if shown is not None else None
        self._shown, self._found = shown, found
        self.audit.show_model(shown, usable)
        answers = Answers()
        if shown is not None and found is not None:
            answers = answers_for(shown.sha256, found.card, self.audit.shown, self._session.profile)
        self.questions.show_answers(answers, self._last_kind())
        self.agree.draw()
        self._show_runs()
        self._tables_due = True
        if self.researchers.open:
            self._draw_tables()

    def _draw_tables(self) -> None:
        """Draw the tables for researchers, which take more than half of the drawing time."""
        shown, found, usable = self._shown, self._found, self._usable
        self._tables_due = False
        self.model.headline.set_content(_headline(found))
        for card in (self.plan, self.fit):
            card.setVisible(shown is not None)
        self.plan.show_plan(self.index.plan(shown) if shown is not None else None, usable)
        if shown is not None and found is not None:
            judge = self._session.judge
            head = judge.head if judge is not None and usable else None
            self.fit.show_head(
                self._session.heads.in_use(shown.sha256), head.agreement if head is not None else None, usable
            )
        self.own.set_measured(found.measured if found is not None else ())
        heading, text = _state(found)
        self.state.set_message(heading, text)
        self.state.setVisible(bool(heading))
        new = found is None or found != self._in_tables
        for name, widget in self.tables.items():
            self.links[name].setEnabled(not widget.isHidden())
        if new:
            self.cards.set_items(card_widgets(found) if found is not None else [])
            chain_controls(self)
        self._in_tables = found

    def _on_measured(self, kept: KeptEvaluation) -> None:
        self._model = kept.found.model
        self.refresh()


def _headline(found: ModelTrust | None) -> str:
    if found is None:
        return "No model is loaded."
    if found.card is not None:
        return words.headline(found.card)
    for kept in found.measured:
        if line := measured_line(kept):
            return f"It {line}."
    if found.fault is not None:
        return "Its trust card can't be read, so its measurements aren't known here."
    return "How far it agrees with people hasn't been measured."


def _state(found: ModelTrust | None) -> tuple[str, str]:
    """Return heading and sentence for a model without a card; both empty for one with a card."""
    if found is None:
        return "There is nothing to trust yet.", "Choose a model in the menu above. What is known of it is shown here."
    if found.fault is not None:
        return "Its trust card can't be used.", str(found.fault)
    if found.card is not None:
        return "", ""
    if found.own_head:
        return (
            "Its audience estimate was fitted on this computer and has no card.",
            f"The card that comes with the program is about another estimate. {words.HOW_TO_MEASURE}",
        )
    if found.measured:
        return (
            "This model has no trust card.",
            "Your own measurements are shown beside this; a card would cover other kinds of text.",
        )
    return (
        "This model's agreement with people isn't known.",
        f"Take its verdicts as guesses until you know. {words.HOW_TO_MEASURE}",
    )
