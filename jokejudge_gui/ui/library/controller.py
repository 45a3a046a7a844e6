"""The model in use: loading another one, its status on the button, and the library's dialog."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.config import save_settings
from ...core.errors import ErrorInfo, SettingsError
from ...core.events import Failed, Finished, ModelReady, Stage, StageProgress, is_last
from ...engine.base import EngineInfo
from ...session.session import Session
from ..judge_worker import Job, JobEvent, JudgeWorker
from ..look import wording
from ..notices import Notices
from ..widgets.controls import StatusButton
from .dialog import MAKE, LibraryDialog

_DOTS = {"ready": "good_fill", "preparing": "accent", "loading": "mid_fill", "error": "bad_fill"}
_MODEL_CODES = ("E_MODEL_", "E_EMBEDDED_")


class ModelController(QObject):
    """Loads models and shows their status. ``state`` is loading, ready or error. ``changed`` carries the error if there
    is no usable model, or None if there is one; ``failed`` an error of saving the choice."""

    changed = Signal(object)
    failed = Signal(object)

    def __init__(
        self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, notices: Notices, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session = session
        self._worker = worker
        self._side_worker = side_worker
        self._notices = notices
        self._window = window
        self._load: tuple[Job, str | None] | None = None
        self._name = "Model"
        self.dialog: LibraryDialog | None = None
        self.state = "loading"
        self.button = StatusButton("Model", "loading…", _DOTS["loading"])
        self.button.clicked.connect(self.open_library)
        notices.library_asked.connect(self.open_library)
        notices.copy_asked.connect(self.make_copy)
        worker.happened.connect(self._watch)

    def show_status(self, state: str, name: str, facts: str) -> None:
        """Set the button's captions and dot."""
        self.state, self._name = state, name
        self.button.set_progress(None)
        self.button.set_status(name, facts, _DOTS[state], "bad_text" if state == "error" else "text2")

    def show_preparing(self, done: int, total: int, paused: bool = False) -> None:
        """Show the progress of reading the prompts in advance, while the model is already usable; ``paused``: another
        job has precedence."""
        if self.state == "ready":
            words = f"preparing, {min(done + 1, total)} of {total}"
            self.button.set_status(self._name, f"{words}, paused" if paused else words, _DOTS["preparing"])
            self.button.set_progress(done / total if total else None)

    def choose(self, spec: str | None) -> None:
        """Load a model by path or name, None: the one in the settings. The one in use stays usable if that fails."""
        if self._load is not None:
            self._worker.cancel(self._load[0])
        self._worker.make_way()
        name = spec or self._session.settings.model or "Model"
        name = name.replace("\\", "/").rsplit("/", 1)[-1]
        self.show_status("loading", name, "loading…")
        if self.dialog is not None:
            self.dialog.model_loading(name)
        job = self._worker.submit("load", lambda token: self._session.load(spec, cancel=token), self._on_event)
        self._load = (job, spec)

    def _watch(self, item: JobEvent) -> None:
        """Follow the jobs of all tabs: a verdict loads the model if none is loaded. During a load of its own,
        only that job reports failures."""
        event = item.event
        none = self._load is None and self._session.model is None
        if isinstance(event, ModelReady):
            self._ready()
        elif none and isinstance(event, Failed) and event.error.code.startswith(_MODEL_CODES):
            self.lose(event.error)

    def _on_event(self, item: JobEvent) -> None:
        event = item.event
        if isinstance(event, StageProgress) and event.stage is Stage.LOADING:
            self.show_status("loading", self._name, f"{wording.one_line(event.note, 40)}…")
        elif is_last(event):  # type: ignore[arg-type]
            self._end(item.job, event)

    def show_ready(self, prepared: bool = False) -> None:
        """Show the model in use as ready; ``prepared``: its prompts have been read, so a verdict is quick."""
        info = self._session.info
        if info is not None and self.state != "loading":
            facts = f"{wording.file_size(info.bytes)} · offline"
            self.show_status("ready", info.name, f"ready · {facts}" if prepared else facts)

    def _ready(self) -> None:
        info = self._session.info
        if info is None:
            return
        self.show_status("ready", info.name, f"{wording.file_size(info.bytes)} · offline")
        self.changed.emit(None)
        if self.dialog is not None:
            self.dialog.model_ready(info)

    def lose(self, error: ErrorInfo) -> None:
        """Show that no model can be used."""
        words = {"E_MODEL_MISSING": "file missing"}.get(error.code, "can't be used")
        self.show_status("error", self._name, words)
        self.changed.emit(error)

    def _end(self, job: Job, event: object) -> None:
        if self._load is None or self._load[0] is not job:
            return
        spec = self._load[1]
        self._load = None
        info = self._session.info
        if isinstance(event, Finished):
            if spec is not None:
                self._keep(spec)
            self._ready()
            self._notices.clear_model()
            if info is not None and info.notes and self.dialog is None:
                self._tell(info)
        elif isinstance(event, Failed):
            if info is None:
                self.lose(event.error)
            else:
                self._ready()
                self._notices.show_model_error(event.error, info.name)
            if self.dialog is not None:
                self.dialog.model_failed(event.error, info)
        else:
            self._ready()

    def _tell(self, info: EngineInfo) -> None:
        """Show the loader's notes for a moment; they stay in the library."""
        if info.slow:
            words = f"{info.quantisation} reads slowly here. A copy of this model in Q8_0 is faster."
            self._notices.offer_copy(words, MAKE)
        else:
            self._notices.say("info", " ".join(info.notes))

    def _keep(self, spec: str) -> None:
        self._session.settings.model = spec
        try:
            save_settings(self._session.settings, self._session.profile)
        except SettingsError as error:
            self.failed.emit(error)

    def open_library(self) -> None:
        if self.dialog is None:
            self.dialog = LibraryDialog(
                self._session.profile, self._side_worker, self._session.info, self._window, self._session.settings
            )
            self.dialog.chosen.connect(self.choose)
            self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def make_copy(self) -> None:
        """Open the library and start making the faster copy, which is shown there and chosen when it is ready."""
        self.open_library()
        if self.dialog is not None:
            self.dialog.faster.start()

    def _forget(self) -> None:
        self.dialog = None
