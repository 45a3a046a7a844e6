"""The Trust tab: four questions about a model, its agreement with the user, and the whole report for researchers."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ...core.config import save_settings
from ...core.errors import CriteriaError, HistoryError, SettingsError
from ...core.verdicts import ModelRef
from ...history.query import HistoryEntry, HistoryQuery
from ...judge.audit.kind import AUDIT
from ...judge.audit.record import AuditResult
from ...judge.kinds import kind_of
from ...judge.rating.kind import RATING
from ...judge.rating.record import RatingResult
from ...measure.kept import KeptEvaluation
from ...measure.model.figures import ENDINGS, answers_for, model_page, write_page
from ...measure.model.words import COUNTS, NO_ANSWERS, UNKNOWN_KIND
from ...session.session import Session
from ..judge_worker import JudgeWorker
from ..look.theme import Room, px
from ..widgets.cards import Card
from ..widgets.controls import ChoiceButton, SecondaryButton
from ..widgets.dialog import ask_file
from ..widgets.layout import ColumnScroll, HBox, VBox, controls_of
from ..widgets.page import PageDialog, PageView
from ..widgets.text import Paragraph
from .agree import AgreementCard
from .questions import AUDITED, FoldedCard, QuestionCards
from .runs import Ending, RunCard
from .trust_figures import TrustIndex, TrustLink
from .works import AuditCard, FitCard, LearnCard, Learning, MeasureCard

_CARD_FORMS = {"Web page (*.html)": ".html", "Markdown (*.md)": ".md", "JSON (*.json)": ".json"}


class ReportCard(Card):
    """The choice of a model, and the report on it. ``chosen`` carries a model."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__("How far to trust it")
        self._models: list[ModelRef] = []
        self.choice = ChoiceButton("Model")
        self.choice.chosen.connect(lambda place: self.chosen.emit(self._models[place]))
        self.pages = PageView("Report on the model")
        self.save_button = SecondaryButton("Save report…")
        self.add(HBox((self.choice, 1), self.save_button, gap=12), self.pages)

    def show_models(self, models: list[ModelRef], used: ModelRef | None, shown: ModelRef | None) -> None:
        """Offer these models; ``used``: the current one."""
        self._models = models
        names = [f"{model.name} (in use)" if used and model.sha256 == used.sha256 else model.name for model in models]
        place = next((n for n, model in enumerate(models) if shown and model.sha256 == shown.sha256), -1)
        self.choice.set_options(names, place)
        self.choice.setVisible(bool(models))
        self.save_button.setVisible(shown is not None)


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
        self.index = TrustIndex(session)
        self._room: Room | None = None
        self._model: ModelRef | None = None
        self._shown: ModelRef | None = None
        self.report = ReportCard()
        self.report.chosen.connect(self.show_model)
        self.report.save_button.clicked.connect(self.save_report)
        self.measure = MeasureCard(session, self.index.trust_files.kept, worker, side_worker, self)
        self.measure.measured.connect(self._on_measured)
        self.measure.failed.connect(self.failed)
        self.learning = Learning(session, worker, self)
        self.learning.learned.connect(self.refresh)
        self.learn = LearnCard(self.learning)
        self.fit = FitCard(session, worker, self)
        self.fit.run.ended.connect(self.refresh)
        self.audit = AuditCard(session, worker, self)
        self.audit.run.changed.connect(self._show_runs)
        self.audit.run.ended.connect(self._on_audited)
        self.works: tuple[RunCard, ...] = (self.measure, self.audit, self.learn, self.fit)
        self.questions = QuestionCards()
        self.questions.measure_asked.connect(self._measure)
        self.agree = AgreementCard(session, worker)
        self.researchers = FoldedCard(
            "For researchers", "Measure it on your own file, audit it, teach it; all figures with their intervals"
        )
        self.researchers.toggled.connect(self._keep_open)
        self.researchers.set_open(session.settings.researchers_open)
        self._under = QWidget()
        VBox(*self.works, self.report, parent=self._under, gap=14)
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
        self.column.body.set_margins(0, 0, 0, 14)

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
        self._draw_report()

    def _keep_open(self, shown: bool) -> None:
        self._unfold(shown)
        self._session.settings.researchers_open = shown
        try:
            save_settings(self._session.settings, self._session.profile)
        except SettingsError as error:
            self.failed.emit(error)

    # Questions

    def follow(self, link: TrustLink) -> None:
        """Show the answer that a verdict's link refers to, once the tab is drawn."""

        def show() -> None:
            self.refresh()
            self.questions.show_kind(link.kind)
            if link.topic in self.questions.cards:
                self.questions.open_more(link.topic)

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
    def live(self) -> bool:
        """Whether a measurement is in progress or waiting; learning runs in the background."""
        return any(card.run.live for card in self.works if card is not self.learn)

    def give_way(self) -> None:
        """Let a verdict go first."""
        for card in self.works:
            card.run.give_way()

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        for card in self.works:
            card.run.leave()

    def run(self) -> None:
        """Ask for a file to measure the model on, if possible (Ctrl+Enter)."""
        if self._usable() and not self.live:
            self.measure.begin()

    def stop(self) -> None:
        """Close the details of a question, otherwise stop all measurements (Esc)."""
        if self.questions.opened:
            self.questions.open_more("")
            return
        self.agree.stop()
        for card in self.works:
            if card is not self.learn:
                card.run.stop()

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

    # Stored verdicts of kinds without a tab

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored audit, or the verdict of a judge template."""
        if entry.result is None:
            self.notice.emit("This verdict ended before anything of it was stored, so there is nothing to show.")
        else:
            PageDialog(kind_of(entry.result).words(entry.result), self).open()

    def run_again(self, entry: HistoryEntry) -> None:
        """Repeat a stored audit with the current model."""
        result = entry.result
        if entry.row.kind != AUDIT.name:
            self.notice.emit(f"In the terminal: jokejudge history rerun {entry.row.id[:8]}")
        elif self.audit.run.live:
            self.notice.emit("An audit is running. Wait for it, or stop it with Esc.")
        else:
            self.audit.run.start(AUDIT.request_of(result) if isinstance(result, AuditResult) and result.pairs else None)

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
        answers = NO_ANSWERS
        if shown is not None:
            answers = answers_for(
                shown.sha256, self.index.of(shown).card, self.index.audit(shown), self._session.profile
            )
        self.questions.show_answers(answers, self._last_kind())
        self.agree.draw()
        self._show_runs()
        self._draw_report()

    def _draw_report(self) -> None:
        """Draw the report, which takes more than half of the drawing time, while it is unfolded."""
        shown = self._shown
        if not self.researchers.open or not self.isVisible():
            return
        for card in self.works:
            card.setVisible(shown is not None)
            card.set_usable(self._usable())
        if shown is None:
            self.report.pages.show_pages()
            return
        self.fit.show_head(self._session.heads.in_use(shown.sha256), self._usable())
        try:
            self.report.pages.show_pages(*self.index.report(shown))
        except CriteriaError as error:
            self.report.pages.show_pages()
            self.failed.emit(error)

    def _on_measured(self, kept: KeptEvaluation | None) -> None:
        self._model = kept.model if kept is not None else self._model
        self.refresh()
        if kept is not None:
            QTimer.singleShot(0, self, lambda: self.column.ensureWidgetVisible(self.report.choice))

    def _on_audited(self, event: Ending) -> None:
        self.refresh()
        if isinstance(event.result, AuditResult):
            self.stored.emit()
