"""The Trust tab: four questions about a model, its agreement with the user, and the whole report for researchers."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ...core.config import save_settings
from ...core.errors import CriteriaError, HistoryError, SettingsError
from ...core.verdicts import ModelRef
from ...history.query import HistoryQuery
from ...judge.rating.kind import RATING
from ...judge.rating.record import RatingResult
from ...measure.kept import KeptEvaluation
from ...measure.model_page import ENDINGS, model_page, write_page
from ...measure.questions import COUNTS, NO_ANSWERS, UNKNOWN_KIND, answers_for
from ...session.session import Session
from ..judge_worker import JudgeWorker
from ..look.theme import Room, px
from ..widgets.base import settle
from ..widgets.cards import Card
from ..widgets.controls import ChoiceButton, LinkButton, SecondaryButton
from ..widgets.dialog import ask_file
from ..widgets.labels import Flow
from ..widgets.layout import ColumnScroll, VBox, chain_controls, controls_of
from ..widgets.page import PagesView
from ..widgets.text import Paragraph
from .agree import AgreementCard
from .audit import AuditCard, TemplatesCard
from .learning import FitCard, LearnCard, Learning
from .measuring import MeasureCard, OwnCard
from .questions import AUDITED, FoldedCard, QuestionCards
from .runs import Run
from .trust_figures import TrustIndex, TrustLink

_CARD_FORMS = {"Web page (*.html)": ".html", "Markdown (*.md)": ".md", "JSON (*.json)": ".json"}


class ReportCard(Card):
    """The choice of a model, and the report on it. ``chosen`` carries a model."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__("How far to trust it")
        self._models: list[ModelRef] = []
        self.choice = ChoiceButton("Model")
        self.choice.chosen.connect(lambda place: self.chosen.emit(self._models[place]))
        self.pages = PagesView()
        self.save_button = SecondaryButton("Save report…")
        self.add(self.choice, (self.save_button, 0, Qt.AlignmentFlag.AlignLeft), self.pages)

    def show_models(self, models: list[ModelRef], used: ModelRef | None, shown: ModelRef | None) -> None:
        """Offer these models; ``used``: the current one."""
        self._models = models
        names = [f"{model.name} (in use)" if used and model.sha256 == used.sha256 else model.name for model in models]
        place = next((n for n, model in enumerate(models) if shown and model.sha256 == shown.sha256), -1)
        self.choice.set_options(names, place)
        self.choice.setVisible(bool(models))
        self.save_button.setVisible(shown is not None)


class TrustTab(QWidget):
    """Shows a model's trust figures and measures them. ``failed`` carries an error, ``notice`` a sentence."""

    failed = Signal(object)
    notice = Signal(str)

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker) -> None:
        super().__init__()
        self._session, self._side_worker = session, side_worker
        self.index = TrustIndex(session)
        self._room: Room | None = None
        self._model: ModelRef | None = None
        self._shown: ModelRef | None = None
        self._report_due = True
        self.report = ReportCard()
        self.report.chosen.connect(self.show_model)
        self.report.save_button.clicked.connect(self.save_report)
        kept = self.index.trust_files.kept
        self.measure = MeasureCard(session, kept, worker, side_worker, self)
        self.measure.measured.connect(self._on_measured)
        self.own = OwnCard(side_worker)
        self.own.hide()
        self.own.forget_asked.connect(self.forget)
        self.learning = Learning(session, worker, self)
        self.learning.learned.connect(self.refresh)
        self.learn = LearnCard(self.learning)
        self.fit = FitCard(session, worker, self)
        self.fit.run.ended.connect(self.refresh)
        self.audit = AuditCard(session, worker, side_worker, self)
        self.audit.opened.connect(self.show_model)
        self.audit.opened.connect(lambda _model: self._go_to_later("Audit"))
        self.audit.run.changed.connect(self._show_runs)
        self.templates = TemplatesCard(session, worker, side_worker, self)
        self.templates.opened.connect(lambda: self._go_to_later("Judge templates"))
        for card in (self.own, self.audit, self.templates):
            card.notice.connect(self.notice)
        for card in (self.own, self.audit):
            card.failed.connect(self.failed)
        self.questions = QuestionCards()
        self.questions.measure_asked.connect(self._measure)
        self.agree = AgreementCard(session, worker)
        self.agree.stored.connect(self.audit.stored)
        self.researchers = FoldedCard(
            "For researchers", "All figures with their intervals and numbers of pairs, other models, audits, CSV"
        )
        self.researchers.toggled.connect(self._keep_open)
        self.researchers.set_open(session.settings.researchers_open)
        self.parts: dict[str, QWidget] = {
            "This model": self.report, "Measuring": self.measure, "Your measurements": self.own, "Audit": self.audit,
            "What is read and asked": self.learn, "Audience estimate": self.fit, "Judge templates": self.templates,
        }  # fmt: skip
        self.contents = Flow(gap=14)
        self.links = {name: LinkButton(name, act=partial(self._go_to, name)) for name in self.parts}
        self.contents.set_items(list(self.links.values()))
        self.researchers.rows.add(self.contents)
        self._under = QWidget()
        VBox(*self.parts.values(), parent=self._under, gap=14)
        self.column = ColumnScroll()
        self.column.add(Paragraph(COUNTS, 13), self.questions, self.agree, self.researchers, self._under)
        self._unfold(self.researchers.open)
        # Deferred until the layout knows the heights.
        for shown in (self.agree.changed, self.questions.unfolded):
            shown.connect(lambda part: QTimer.singleShot(0, self, lambda: self.column.ensureWidgetVisible(part)))
        self._outer = VBox(self.column, parent=self)
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
        """Unfold or fold the report, without storing that choice."""
        self.researchers.set_open(shown)
        self._unfold(shown)

    def _unfold(self, shown: bool) -> None:
        self._under.setVisible(shown)
        if shown and self._report_due and self.isVisible():
            self._draw_report()

    def _keep_open(self, shown: bool) -> None:
        self._unfold(shown)
        self._session.settings.researchers_open = shown
        try:
            save_settings(self._session.settings, self._session.profile)
        except SettingsError as error:
            self.failed.emit(error)

    def _go_to(self, name: str) -> None:
        """Scroll a part to the top."""
        self.open_researchers()
        settle()
        widget = self.parts[name]
        if not widget.isHidden():
            at = widget.mapTo(self._under, QPoint(0, 0)).y() + self._under.y()
            self.column.verticalScrollBar().setValue(at - px(8))

    def _go_to_later(self, name: str) -> None:
        QTimer.singleShot(0, self, lambda: self._go_to(name))

    # Questions

    def open_topic(self, topic: str) -> None:
        """Show the details of the answer to a question, by its key."""
        if topic in self.questions.cards:
            self.refresh()
            self.questions.open_more(topic)

    def follow(self, link: TrustLink) -> None:
        """Show the answer that a verdict's link refers to, once the tab is drawn."""

        def show() -> None:
            self.questions.show_kind(link.kind)
            self.open_topic(link.topic)

        QTimer.singleShot(0, self, show)

    def _measure(self, key: str) -> None:
        """Start or stop the measurement for a question."""
        if self.audit.run.live:
            self.audit.run.stop()
        elif key in AUDITED:
            self.audit.run.start()

    def _usable(self) -> bool:
        """Whether the model that is shown is the current one."""
        used = self.index.in_use
        return used is not None and self._shown is not None and used.sha256 == self._shown.sha256

    def _show_runs(self) -> None:
        """Show the progress of measurements in the cards of questions."""
        for key, card in self.questions.cards.items():
            missing = self._usable() and key in AUDITED and card.answer is None
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
    def _runs(self) -> tuple[Run, ...]:
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
        if self.questions.opened:
            self.questions.open_more("")
            return
        self.agree.stop()
        for run in self._runs:
            run.stop()

    def undo_here(self) -> bool:
        """False: nothing here is undone alone."""
        return False

    def save_report(self) -> None:
        """Ask for a file and write the report on the shown model to it."""
        path = ask_file(self, "Save report", "report.html", _CARD_FORMS)
        model, profile = self._shown, self._session.profile
        if path is None or model is None:
            return

        def write() -> str:
            write_page(model_page(model, profile), path, ENDINGS.get(path.suffix.lower(), "html"))
            return f"The report is in {path}."

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
        for run in (self.audit.run, self.fit.run):
            run.forget()
        self.refresh()

    def refresh(self) -> None:
        """Read everything again, after a measurement or a fit."""
        self.index.forget()
        if self.isVisible():  # drawing takes half of the window's opening time, and is done when the tab is shown
            self._draw()

    def _draw(self) -> None:
        models, used = self.index.models(), self.index.in_use
        self._shown = shown = self._model or used or (models[0] if models else None)
        if shown is not None and all(model.sha256 != shown.sha256 for model in models):
            models.append(shown)
        self.report.show_models(models, used, shown)
        self.measure.set_usable(self._usable())
        self.audit.show_model(shown, self._usable())
        answers = NO_ANSWERS
        if shown is not None:
            answers = answers_for(shown.sha256, self.index.of(shown).card, self.audit.shown, self._session.profile)
        self.questions.show_answers(answers, self._last_kind())
        self.agree.draw()
        self._show_runs()
        self._report_due = True
        if self.researchers.open:
            self._draw_report()

    def _draw_report(self) -> None:
        """Draw the report, which takes more than half of the drawing time."""
        shown = self._shown
        self._report_due = False
        for card in (self.learn, self.fit):
            card.setVisible(shown is not None)
        self.learn.set_usable(self._usable())
        if shown is None:
            self.report.pages.show_pages(())
            self.own.set_measured(())
        else:
            judge = self._session.judge
            head = judge.head if judge is not None and self._usable() else None
            in_use = self._session.heads.in_use(shown.sha256)
            self.fit.show_head(in_use, head.agreement if head is not None else None, self._usable())
            self.own.set_measured(self.index.of(shown).measured)
            try:
                self.report.pages.show_pages(self.index.report(shown).pages)
            except CriteriaError as error:
                self.report.pages.show_pages(())
                self.failed.emit(error)
        for name, widget in self.parts.items():
            self.links[name].setEnabled(not widget.isHidden())
        chain_controls(self)

    def _on_measured(self, kept: KeptEvaluation) -> None:
        self._model = kept.model
        self.refresh()
