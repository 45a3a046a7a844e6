"""The model in use: loading another one, preparing its prompts, its status on the button, and the library's dialog."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.config import save_settings
from ...core.errors import ErrorInfo, SettingsError
from ...core.events import Cancelled, Failed, Finished, ModelReady, Stage, StageProgress
from ...judge.rating.kind import RATING
from ...session.session import Session
from ..judge_worker import Job, JudgeWorker
from ..look import wording
from ..notices import Notices
from ..widgets.controls import StatusButton
from .dialog import LibraryDialog

_DOTS = {"ready": "good_fill", "preparing": "accent", "loading": "mid_fill", "error": "bad_fill"}
_MODEL_CODES = ("E_MODEL_", "E_EMBEDDED_")


class ModelController(QObject):
    """Loads models, prepares the prompts of the one in use while the judge's worker is idle, and shows its status.

    Preparing stops for every request and continues after it; prompts prepared before are kept. ``state`` is loading,
    ready or error. ``changed`` carries the error if there is no usable model, or None if there is one; ``failed`` an
    error of saving the choice."""

    changed = Signal(object)
    failed = Signal(object)

    def __init__(
        self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, notices: Notices, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session, self._worker, self._side_worker = session, worker, side_worker
        self._notices, self._window = notices, window
        self._loading: Job | None = None
        self._warming: Job | None = None
        self._unprepared = False
        self._name = "Model"
        self.dialog: LibraryDialog | None = None
        self.state = "loading"
        self.button = StatusButton("Model", "loading…", _DOTS["loading"])
        self.button.clicked.connect(self.open_library)
        worker.happened.connect(self._watch)
        worker.busy_changed.connect(self._prepare)

    def show_status(self, state: str, name: str, facts: str) -> None:
        """Set the button's captions and dot."""
        self.state, self._name = state, name
        self.button.set_status(name, facts, _DOTS[state])

    def _show_ready(self, *, prepared: bool = False) -> None:
        """Show the model in use; ``prepared``: its prompts have been read, so a verdict is quick."""
        if (info := self._session.info) is not None:
            facts = f"{wording.file_size(info.bytes)} · offline"
            self.show_status("ready", info.name, f"ready · {facts}" if prepared else facts)

    def lose(self, error: ErrorInfo) -> None:
        """Show that no model can be used."""
        self.show_status("error", self._name, "file missing" if error.code == "E_MODEL_MISSING" else "can't be used")
        self.changed.emit(error)

    # Loading

    def choose(self, spec: str | None) -> None:
        """Load a model by path or name, None: the one in the settings. The one in use stays usable if that fails."""
        if self._loading is not None:
            self._worker.cancel(self._loading)
        self._worker.make_way()
        name = (spec or self._session.settings.model or "Model").replace("\\", "/").rsplit("/", 1)[-1]
        self.show_status("loading", name, "loading…")
        if self.dialog is not None:
            self.dialog.model_loading(name)
        self._loading = self._worker.submit(
            "load", lambda token: self._session.load(spec, cancel=token), partial(self._on_load, spec)
        )

    def _watch(self, _job: Job, event: object) -> None:
        """Follow the jobs of all tabs: a verdict loads the model if none is loaded. A load of its own reports its own
        failure."""
        if isinstance(event, ModelReady):
            self._unprepared = True
            self._take_up()
        unloaded = self._loading is None and self._session.model is None
        if unloaded and isinstance(event, Failed) and event.error.code.startswith(_MODEL_CODES):
            self.lose(event.error)

    def _take_up(self) -> None:
        self._show_ready()
        if self._session.info is not None:
            self.changed.emit(None)
            if self.dialog is not None:
                self.dialog.model_ready(self._session.info)

    def _on_load(self, spec: str | None, job: Job, event: object) -> None:
        info = self._session.info
        if isinstance(event, StageProgress) and event.stage is Stage.LOADING:
            self.show_status("loading", self._name, f"{wording.one_line(event.note, 40)}…")
        if job is not self._loading or not isinstance(event, Finished | Failed | Cancelled):
            return
        self._loading = None
        if isinstance(event, Failed) and info is None:
            self.lose(event.error)
        else:
            self._take_up()
        if isinstance(event, Finished):
            self._keep(spec)
            self._notices.clear("model")
            if info is not None and info.notes and self.dialog is None:
                self._notices.say("info", " ".join(info.notes))
        elif isinstance(event, Failed):
            if info is not None:
                words = f"{event.error} {info.name} stays in use."
                self._notices.say("error", words, "Choose model", self.open_library, "model")
            if self.dialog is not None:
                self.dialog.model_failed(event.error, info)

    def _keep(self, spec: str | None) -> None:
        """Store the user's choice; None: it was none."""
        if spec is None:
            return
        self._session.settings.model = spec
        try:
            save_settings(self._session.settings, self._session.profile)
        except SettingsError as error:
            self.failed.emit(error)

    # Preparing

    def give_way(self) -> None:
        """Stop preparing at once for another request to the model (the engine stops within a layer)."""
        if self._warming is not None:
            self._worker.cancel(self._warming)

    def _prepare(self, busy: bool) -> None:
        if busy or not self._unprepared or self._session.model is None:
            return
        if self._session.asks:
            self._warming = self._worker.submit(
                "warm", lambda token: self._session.warm(cancel=token), self._on_warm, gives_way=True
            )
        else:
            self._unprepared = False
            self._show_ready(prepared=True)

    def _on_warm(self, job: Job, event: object) -> None:
        if job is not self._warming:
            return
        if isinstance(event, StageProgress) and self.state == "ready":
            self.button.set_status(self._name, "preparing", _DOTS["preparing"])  # it is usable already
        elif isinstance(event, Cancelled):
            self._warming = None
        elif isinstance(event, Finished | Failed):
            # It would fail again: the verdict with the same error shows it.
            self._warming, self._unprepared = None, False
            if self.state != "loading":
                self._show_ready(prepared=isinstance(event, Finished))

    # The library

    def open_library(self) -> None:
        if self.dialog is None:
            session = self._session
            pace = partial(session.store.pace, RATING.name)
            self.dialog = LibraryDialog(
                session.profile, self._side_worker, session.info, self._window, session.settings, pace
            )
            self.dialog.chosen.connect(self.choose)
            self.dialog.finished.connect(lambda _result: setattr(self, "dialog", None))
        self.dialog.open()
