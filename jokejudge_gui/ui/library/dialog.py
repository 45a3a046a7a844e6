"""The model library: the model in use, models found on this computer, and the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QWidget

from ...core.config import Settings
from ...core.errors import ErrorInfo, JokeJudgeError
from ...core.events import Cancelled, Failed, Finished
from ...core.paths import Profile
from ...engine.base import CancelToken, EngineInfo
from ...library.catalogue import CatalogueEntry, load_catalogue
from ...library.fetch import FetchProgress, get, target_of
from ...library.finder import FoundModel, find_models
from ...measure.worths import TrustShelf
from ..judge_worker import Job, JobEvent, JobStart, JudgeWorker
from ..look import wording
from ..look.theme import px, theme
from ..trust.trust_figures import with_trust
from ..widgets.base import plain_tooltip
from ..widgets.cards import Banner, Card
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton
from ..widgets.layout import VBox
from ..widgets.saving import ask_open
from ..widgets.scroll import ColumnScroll
from ..widgets.text import Heading, Paragraph
from .fitting import FitCard
from .model_row import FasterCopy, ModelRow
from .panels import PanelsCard


class FoundModels:
    """What a search of the disk found."""

    def __init__(self, models: tuple[FoundModel, ...]) -> None:
        self.models = models


def find_job(profile: Profile) -> JobStart:
    def start(_token: CancelToken) -> Iterator[object]:
        yield FoundModels(tuple(find_models(profile)))

    return start


def fetch_job(entry: CatalogueEntry, profile: Profile) -> JobStart:
    def start(token: CancelToken) -> Iterator[object]:
        yield from get(entry, profile, token)

    return start


def catalogue_facts(entry: CatalogueEntry) -> str:
    """Size, memory and licence in a line."""
    parts = [wording.file_size(entry.size), f"needs {entry.ram_gb:g} GB of memory", entry.terms]
    if entry.recommended:
        parts.insert(0, "recommended")
    return " · ".join(parts)


class LibraryDialog(QDialog):
    """``chosen`` carries the path of the model to load; ``model_failed`` and ``model_ready`` tell how that went."""

    chosen = Signal(str)

    def __init__(
        self,
        profile: Profile,
        worker: JudgeWorker,
        info: EngineInfo | None,
        parent: QWidget | None = None,
        settings: Settings | None = None,
    ) -> None:
        """``settings``: where panels are kept."""
        super().__init__(parent)
        self._profile = profile
        self._shelf = TrustShelf(profile)
        self._worker = worker
        self._fetches: dict[Job, ModelRow] = {}
        self._paths: set[Path] = set()
        self.setWindowTitle("Model library")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.banner = Banner("error", "")
        self.banner.hide()
        self.current_text = Paragraph("", 13)
        self.notes_text = Paragraph("", 13, token="text2", gap=4)
        self.notes_text.hide()
        self.faster = FasterCopy(profile, worker)
        self.found_note = Paragraph("Looking for models on this computer…", 13)
        self._found_rows = VBox()
        self._catalogue_rows = VBox()
        self.catalogue_rows: dict[str, ModelRow] = {}
        self.found_rows: list[ModelRow] = []
        self.more_link = LinkButton("Show all known models", act=self._show_all)
        self.file_button = SecondaryButton("Choose a file…", act=self._choose_file)
        self.close_button = PrimaryButton("Done", act=self.accept)

        self._outer = VBox(Heading("Model library", 2), self.banner, parent=self, gap=14, margins=(24, 20, 12, 20))
        self.column = ColumnScroll()
        here = Card("On this computer")
        here.add(self.current_text, self.notes_text, self.faster, self.found_note, self._found_rows)
        known = Card("Catalogue")
        known.add(
            Paragraph(
                "Fetched from its publisher only when you press Get; nothing else goes over a network. "
                "Larger models take longer.",
                13,
            ),
            self._catalogue_rows,
            (self.more_link, 0, Qt.AlignmentFlag.AlignLeft),
        )
        self.fit_card = FitCard()
        self.panels = PanelsCard(settings or Settings(), profile)
        self.panels.chosen.connect(self.chosen)
        self.panels.failed.connect(lambda error: self._show_error(f"{error.sentence} {error.hint}".strip()))
        self.column.add(here, self.panels, self.fit_card, known)
        self._outer.addWidget(self.column, 1)
        self._foot = foot = QHBoxLayout()
        foot.addWidget(self.file_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        self._outer.addLayout(foot)
        self._scale()
        theme().changed.connect(self._scale)
        self.model_ready(info)
        self._fill_catalogue(everything=False)
        self.faster.made.connect(self.chosen)
        self._find = worker.submit("find", find_job(profile), self._on_found)

    def _scale(self) -> None:
        # The column leaves that much for its scroll bar.
        self._foot.setContentsMargins(0, 0, px(12), 0)
        parent = self.parentWidget()
        room = parent.size() if parent is not None else QSize(1024, 700)
        self.resize(min(px(620), room.width() - px(24)), min(px(600), room.height() - px(24)))

    # The model in use

    def model_ready(self, info: EngineInfo | None) -> None:
        self.faster.offer(info)
        self.panels.draw()
        if info is None:
            self.current_text.set_content("No model is loaded.")
            self.notes_text.hide()
            return
        kind = f"{info.architecture} {info.quantisation}".strip() or "a panel"
        facts = f"In use: {info.name} · {wording.file_size(info.bytes)} · {kind}"
        self.current_text.set_content(with_trust(facts, self._shelf, [info.sha256]))
        self.notes_text.set_content("\n".join(info.notes))
        self.notes_text.setVisible(bool(info.notes))
        self.banner.hide()

    def model_loading(self, name: str) -> None:
        self.current_text.set_content(f"Loading {name}…")
        self.notes_text.hide()
        self.banner.hide()

    def model_failed(self, error: ErrorInfo, info: EngineInfo | None) -> None:
        """Say why a model can't be used; ``info``: the one that stays in use."""
        self.model_ready(info)
        self._show_error(f"{error.sentence} {error.hint}".strip())

    def _show_error(self, text: str) -> None:
        self.banner.set_message(text)
        self.banner.show()

    # The lists

    def _fill_catalogue(self, everything: bool) -> None:
        try:
            listed = load_catalogue().listed
        except JokeJudgeError as error:
            self._show_error(f"{error.sentence} {error.hint}".strip())
            return
        offered = [entry for entry in listed if entry.source is not None]
        for entry in offered:
            if entry.id in self.catalogue_rows or not (everything or entry.recommended):
                continue
            row = ModelRow(entry.label, with_trust(catalogue_facts(entry), self._shelf, entry.sha256), "Get")
            row.acted.connect(lambda entry=entry, row=row: self._act(entry, row))
            self.catalogue_rows[entry.id] = row
            self._catalogue_rows.addWidget(row)
            if target_of(entry, self._profile).is_file():
                row.set_action("Use")
        self.more_link.setVisible(len(self.catalogue_rows) < len(offered))

    def _show_all(self) -> None:
        self._fill_catalogue(everything=True)

    def _act(self, entry: CatalogueEntry, row: ModelRow) -> None:
        if row.action == "Use":
            self.chosen.emit(str(target_of(entry, self._profile)))
        elif row.action == "Get":
            self.banner.hide()
            row.set_action("Stop")
            row.set_progress(0, entry.size, "Waiting…")
            job = self._worker.submit("fetch", fetch_job(entry, self._profile), self._on_fetch)
            self._fetches[job] = row
        elif row.action == "Stop":
            for job, owner in self._fetches.items():
                if owner is row:
                    self._worker.cancel(job)

    def _choose_file(self) -> None:
        name = ask_open(self, "Choose a model", "GGUF models (*.gguf);;All files (*)")
        if name:
            self.chosen.emit(name)

    def _on_found(self, item: JobEvent) -> None:
        if isinstance(item.event, FoundModels):
            self._show_found(item.event.models)
        elif isinstance(item.event, Failed):
            self.found_note.set_content(item.event.error.sentence)

    def _on_fetch(self, item: JobEvent) -> None:
        row = self._fetches[item.job]
        match item.event:
            case FetchProgress() as progress:
                done, total = wording.file_size(progress.done_bytes), wording.file_size(progress.total_bytes)
                note = f"{progress.note} · {done} of {total}" if progress.note else f"{done} of {total}"
                row.set_progress(progress.done_bytes, progress.total_bytes, note)
            case Finished():
                row.end_progress("Fetched and checked.")
                row.set_action("Use")
                del self._fetches[item.job]
            case Cancelled():
                row.end_progress("Stopped. Get goes on where it stopped.")
                row.set_action("Get")
                del self._fetches[item.job]
            case Failed(error=error):
                row.end_progress(f"{error.sentence} {error.hint}".strip())
                row.set_action("Get")
                del self._fetches[item.job]

    def _show_found(self, models: tuple[FoundModel, ...]) -> None:
        self.found_note.set_content(
            "" if models else "No other GGUF models were found. Drop one on the window, or choose a file."
        )
        self.found_note.setVisible(not models)
        self.panels.set_found(models)
        self.panels.draw()
        for model in models:
            facts = f"{wording.file_size(model.size)} · {model.origin}"
            # Without its hash nobody knows which model a file is.
            facts = with_trust(facts, self._shelf, [model.sha256]) if model.sha256 else facts
            row = ModelRow(model.label, facts, "Use")
            row.setToolTip(plain_tooltip(str(model.path)))
            row.acted.connect(lambda path=model.path: self.chosen.emit(str(path)))
            self.found_rows.append(row)
            self._found_rows.addWidget(row)

    def done(self, result: int) -> None:
        self.faster.stop()
        for job in self._fetches:
            self._worker.cancel(job)
        self._worker.cancel(self._find)
        super().done(result)
