"""The Trust tab: four questions about a model, and for researchers the whole report and what can be run with it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ...core.errors import CriteriaError
from ...core.files import atomic_write
from ...core.pages import as_html
from ...core.verdicts import ModelRef
from ...history.query import HistoryEntry
from ...judge.audit.record import AuditResult
from ...judge.audit.words import AUDIT
from ...judge.kinds import kind_of
from ...measure.model.figures import ModelTrust, measured_models
from ...measure.model.words import COUNTS, NO_ANSWERS, answers, report
from ...session.session import Session
from ..judge_worker import JudgeWorker
from ..look.theme import Room
from ..verdict.cards import TrustLink
from ..widgets.cards import Card
from ..widgets.controls import ChoiceButton, GhostButton, SecondaryButton
from ..widgets.dialog import ask_file
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.page import PageDialog, PageView
from ..widgets.text import Paragraph
from .questions import AUDITED, QuestionCards
from .runs import AuditCard, FitCard, LearnCard, RunCard

_FORMS = {"Web page (*.html)": ".html"}


class TrustTab(QWidget):
    """Shows a model's trust figures and measures them. ``failed`` carries an error, ``notice`` a sentence; ``stored``:
    the history has a new row."""

    failed = Signal(object)
    notice = Signal(str)
    stored = Signal()
    tab = "trust"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker) -> None:
        super().__init__()
        self._session, self._side_worker = session, side_worker
        self._model: ModelRef | None = None
        self._shown: ModelRef | None = None
        self._models: list[ModelRef] = []
        self.choice = ChoiceButton("Model")
        self.choice.chosen.connect(lambda place: self.show_model(self._models[place]))
        self.pages = PageView("Report on the model")
        self.save_button = SecondaryButton("Save report…", act=self.save_report)
        self.report = Card("How far to trust it")
        self.report.add(HBox((self.choice, 1), self.save_button, gap=12), self.pages)
        self.audit, self.learn, self.fit = (
            AuditCard(session, worker),
            LearnCard(session, worker),
            FitCard(session, worker),
        )
        self.audit.ended.connect(lambda event: self.stored.emit() if isinstance(event.result, AuditResult) else None)
        self.learn.learned.connect(self.refresh)
        self.runs: tuple[RunCard, ...] = (self.audit, self.learn, self.fit)
        for card in self.runs:
            card.notice.connect(self.notice)
            card.ended.connect(self.refresh)
        self.questions = QuestionCards()
        self.questions.measure_asked.connect(self._begin_audit)
        self.questions.unfolded.connect(self._scroll_to)
        self._under = QWidget()
        self.fold_button = GhostButton("For researchers", act=lambda: self.open_researchers(self._under.isHidden()))
        VBox(*self.runs, self.report, parent=self._under, gap=14)
        self.column = ColumnScroll()
        fold = HBox(
            self.fold_button, (Paragraph("All figures with their intervals; audit it, teach it", 13), 1), gap=10
        )
        self.column.add(Paragraph(COUNTS, 13), self.questions, fold, self._under)
        VBox(self.column, parent=self)
        self.open_researchers(False)
        if session.judge is not None:
            self.learn.take_up()

    # Room and keyboard

    def set_room(self, room: Room) -> None:
        """Lay the tab out with one or two columns of questions."""
        self.questions.set_room(room)

    def focus_editor(self) -> None:
        """Focus the questions."""
        self.questions.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def open_researchers(self, shown: bool = True) -> None:
        """Unfold or fold the report and the runs."""
        self._under.setHidden(not shown)
        self.fold_button.set_icon("chevron_down" if shown else "chevron_right")
        self.fold_button.setAccessibleDescription("open" if shown else "folded")
        self._draw_report()

    def _scroll_to(self, part: QWidget) -> None:
        # Deferred until the layout knows the heights.
        QTimer.singleShot(0, self, lambda: self.column.ensureWidgetVisible(part))

    def follow(self, link: TrustLink) -> None:
        """Show the answer that a verdict's link refers to, once the tab is drawn."""

        def show() -> None:
            self.refresh()
            self.questions.show_kind(link.kind)
            if link.topic in self.questions.cards:
                self.questions.open_more(link.topic)

        QTimer.singleShot(0, self, show)

    # Runs

    @property
    def live(self) -> bool:
        """Whether a run is in progress or waiting; learning runs in the background."""
        return self.audit.live or self.fit.live

    def give_way(self) -> None:
        """Let a verdict go first."""
        for card in self.runs:
            card.give_way()

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        for card in self.runs:
            card.leave()

    def run(self) -> None:
        """Audit the model, if possible (Ctrl+Enter)."""
        if self._usable() and not self.live:
            self._begin_audit()

    def _begin_audit(self) -> None:
        self.open_researchers()
        self.audit.start()
        self._scroll_to(self.audit)

    def stop(self) -> None:
        """Close the details of a question, otherwise stop audit and fit (Esc)."""
        if self.questions.opened:
            self.questions.open_more("")
            return
        self.audit.stop()
        self.fit.stop()

    def save_report(self) -> None:
        """Ask for a file and write the report on the shown model to it."""
        path = ask_file(self, "Save report", "report.html", _FORMS)
        model, profile = self._shown, self._session.profile
        if path is None or model is None:
            return

        def write() -> str:
            atomic_write(path, as_html(report(ModelTrust(model, profile)), model.name))
            return f"The report is in {path}."

        self._side_worker.call("report", write, self.notice.emit, self.failed.emit)

    # Stored verdicts of kinds without a tab

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored audit, or the verdict of a judge template."""
        if entry.result is None:
            self.notice.emit("This verdict ended before anything of it was stored.")
        else:
            PageDialog(kind_of(entry.result).words(entry.result), self).open()

    def run_again(self, entry: HistoryEntry) -> None:
        """Repeat a stored audit with the current model."""
        result = entry.result
        if entry.row.kind != AUDIT.name:
            self.notice.emit(f"In the terminal: jokejudge history rerun {entry.row.id[:8]}")
        else:
            self.audit.start(AUDIT.request_of(result) if isinstance(result, AuditResult) and result.pairs else None)

    # Display

    def show_model(self, model: ModelRef | None) -> None:
        """Show a model; None: the current one."""
        self._model = model
        self._draw()

    def model_changed(self) -> None:
        """Show the current model, after it has changed."""
        self._model = None
        self.audit.reset()
        self.fit.reset()
        self.refresh()

    def refresh(self) -> None:
        """Read everything again, after an audit or a fit."""
        if self.isVisible():  # drawing takes half of the window's opening time, and is done when the tab is shown
            self._draw()

    def _usable(self) -> bool:
        """Whether the model that is shown is the current one."""
        used = self._session.model
        return used is not None and self._shown is not None and used.sha256 == self._shown.sha256

    def _draw(self) -> None:
        used, profile = self._session.model, self._session.profile
        models: dict[str, ModelRef] = {}
        for model in filter(None, (used, *measured_models(profile), self._model)):
            models.setdefault(model.sha256, model)
        self._models = [*models.values()]
        self._shown = shown = self._model or (self._models[0] if self._models else None)
        named = [f"{model.name} (in use)" if model is used else model.name for model in self._models]
        self.choice.set_options(named, [*models].index(shown.sha256) if shown is not None else -1)
        self.choice.setVisible(shown is not None)
        self.save_button.setVisible(shown is not None)
        given = answers(ModelTrust(shown, profile)) if shown is not None else NO_ANSWERS
        self.questions.show_answers(given)
        for key, card in self.questions.cards.items():
            card.measure.setVisible(self._usable() and key in AUDITED and card.answer is None)
        self._draw_report()

    def _draw_report(self) -> None:
        """Draw the report, which takes more than half of the drawing time, while it is unfolded."""
        if self._under.isHidden() or not self.isVisible():
            return
        for card in self.runs:
            card.setVisible(self._usable())
            card.draw()
        try:
            self.pages.show_pages(*(report(ModelTrust(self._shown, self._session.profile)) if self._shown else ()))
        except CriteriaError as error:
            self.pages.show_pages()
            self.failed.emit(error)
