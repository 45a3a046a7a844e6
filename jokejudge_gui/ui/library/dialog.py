"""The model library: the model in use, models found on this computer, and the catalogue."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from ...core.config import JOINED, Settings
from ...core.errors import ErrorInfo, JokeJudgeError
from ...core.events import Cancelled, Failed, Finished
from ...core.paths import Profile
from ...engine.base import EngineInfo
from ...engine.gguf import read_gguf
from ...library.catalogue import CatalogueEntry, load_catalogue
from ...library.fetch import FetchProgress, get, target_of
from ...library.finder import FoundModel, find_models
from ...library.requantise import copy_path, copy_size, requantise
from ...measure.worths import TrustFiles
from ..judge_worker import Job, JobEvent, JobStart, JudgeWorker
from ..look import wording
from ..look.theme import px
from ..trust.trust_figures import facts_with_trust
from ..widgets.base import plain_tooltip
from ..widgets.cards import Banner, Card
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.dialog import Dialog, ask_open
from ..widgets.labels import ProgressLine
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.text import Paragraph


class ModelRow(QWidget):
    """A model and a button: Use, which sends ``chosen`` with the path ``target``; while that doesn't exist, the
    ``offer`` to ``make`` it in the thread of ``worker``; or Stop. ``ended``: the messages after making it, and after a
    stop."""

    chosen = Signal(str)
    joined = Signal(str)
    """Carries the model that is to judge together with the one in use."""

    def __init__(
        self,
        name: str,
        facts: str,
        target: Path,
        worker: JudgeWorker,
        make: JobStart | None = None,
        *,
        offer: str = "Get",
        doing: str = "Fetching",
        ended: tuple[str, str] = ("Fetched and checked.", "Stopped. Press Get to go on from there."),
    ) -> None:
        super().__init__()
        self.name, self.target, self.make = name, target, make
        self._worker, self._offer, self._ended = worker, offer, ended
        self.job: Job | None = None
        self.title = Paragraph(name, 14, 500, "text")
        self.facts = Paragraph(facts, 13, token="text2")
        self.note = Paragraph("", 13, token="text2")
        self.note.hide()
        self.line = ProgressLine(name=f"{doing} {name}")
        self.line.hide()
        self.button = SecondaryButton("", act=self._act)
        self.together = LinkButton("Judge together", name=f"Judge together with {name}")
        self.together.setToolTip("Add it to the model in use: both judge, and the better one counts for more.")
        self.together.clicked.connect(lambda: self.joined.emit(str(self.target)))
        self.look()
        HBox(
            (VBox(self.title, self.facts, self.note, self.line, gap=4), 1),
            self.together,
            self.button,
            parent=self,
            gap=12,
            margins=(0, 6, 0, 6),
        )

    def look(self) -> None:
        """Set the button to the action that is possible now."""
        self.set_action("Use" if self.make is None or self.target.is_file() else self._offer)

    def set_action(self, action: str) -> None:
        """Change the button."""
        self.action = action
        self.together.setVisible(action == "Use" and self._offer != MAKE)
        self.button.setText(action)
        self.button.setAccessibleName(action if action == MAKE else f"{action} {self.name}")

    def set_progress(self, done: int, total: int, note: str) -> None:
        self.line.set_fraction(done / total if total else 0.0)
        self.line.show()
        self.note.show_text(note)

    def start(self) -> None:
        """Make it, or use it if it exists already."""
        if self.action == "Use":
            self.chosen.emit(str(self.target))
        elif self.job is None and self.make is not None:
            self.set_action("Stop")
            self.set_progress(0, 1, "Waiting…")
            self.job = self._worker.submit("fetch", self.make, self._on_event)

    def stop(self) -> None:
        if self.job is not None:
            self._worker.cancel(self.job)

    def _act(self) -> None:
        if self.action == "Stop":
            self.stop()
        else:
            self.start()

    def _on_event(self, item: JobEvent) -> None:
        match item.event:
            case FetchProgress(done_bytes=done, total_bytes=total, note=note):
                of = f"{wording.file_size(done)} of {wording.file_size(total)}"
                self.set_progress(done, total, " · ".join(filter(None, (wording.sentence_case(note), of))))
            case Finished():
                self._end(self._ended[0], "Use")
            case Cancelled():
                self._end(self._ended[1], self._offer)
            case Failed(error=error):
                self._end(str(error), self._offer)

    def _end(self, note: str, action: str) -> None:
        self.job = None
        self.line.hide()
        self.note.show_text(note)
        self.set_action(action)


# The offer to copy a model whose quantisation is slow here into a fast one.

MAKE = "Make a faster copy"


class FasterCopy(ModelRow):
    """A row below a slow model in use; the copy is chosen when it is complete and tested."""

    def __init__(self, profile: Profile, worker: JudgeWorker) -> None:
        ended = "The copy is made and chosen.", "Stopped; the unfinished copy was removed."
        super().__init__("A faster copy", "", Path(), worker, offer=MAKE, doing="Making", ended=ended)
        self._profile = profile
        self.hide()

    def offer(self, info: EngineInfo | None) -> None:
        """Show or hide the offer for the model in use."""
        if self.job is not None:
            return
        self.setVisible(False)
        if info is None or not info.slow:
            return
        with contextlib.suppress(JokeJudgeError):  # a file that was removed meanwhile can't be copied
            source = Path(info.path)
            facts = read_gguf(source)
            self.target = copy_path(source, facts.quantisation, self._profile)
            self.make = lambda token: requantise(source, self._profile, token)
            self.look()
            size = wording.file_size(copy_size(facts))
            self.facts.set_content(
                f"The same model in Q8_0 reads prompts faster. It takes {size} more of the disk and is slightly less "
                f"precise; {info.name} stays as it is."
            )
            self.setVisible(True)

    def start(self) -> None:
        if self.make is not None:
            super().start()

    def _end(self, note: str, action: str) -> None:
        super()._end(note, action)
        if action == "Use":
            self.start()


def catalogue_facts(entry: CatalogueEntry) -> str:
    """Return size, memory and licence in a line."""
    return " · ".join((wording.file_size(entry.size), f"needs {entry.ram_gb:g} GB of memory", entry.terms))


class LibraryDialog(Dialog):
    """The dialog of the model library. ``chosen`` carries the path of the model to load; ``model_failed`` and
    ``model_ready`` report the result."""

    chosen = Signal(str)

    def __init__(
        self,
        profile: Profile,
        worker: JudgeWorker,
        info: EngineInfo | None,
        parent: QWidget | None = None,
        settings: Settings | None = None,
    ) -> None:
        """``settings``: contain the model in use."""
        super().__init__("Model library", parent, (620, 600), right=12)
        self._profile, self._settings = profile, settings or Settings()
        self._trust_files = TrustFiles(profile)
        self._worker = worker
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
        self.more_link = LinkButton("Show all known models", act=lambda: self._fill_catalogue(everything=True))
        self.file_button = SecondaryButton("Choose a file…", act=self._choose_file)
        self.column = ColumnScroll()
        here = Card("On this computer")
        here.add(self.current_text, self.notes_text, self.faster, self.found_note, self._found_rows)
        known = Card("Catalogue")
        known.add(
            Paragraph(
                "Fetched from its publisher only when you press Get; nothing else goes over a network. "
                "Larger models take longer, and none that was measured is clearly better than the one that comes with "
                "the program.",
                13,
            ),
            self._catalogue_rows,
            (self.more_link, 0, Qt.AlignmentFlag.AlignLeft),
        )
        self.column.add(here, known)
        self.body.add(self.banner, (self.column, 1))
        # The column leaves this much for its scroll bar.
        self.close_button = self.add_foot("Done", self.file_button, 1, inset=12)
        self.model_ready(info)
        self._fill_catalogue(everything=False)
        self.faster.chosen.connect(self.chosen)
        self._find = worker.call("find", lambda: find_models(profile), self._show_found, self._on_not_found)

    def most(self) -> QSize:
        parent = self.parentWidget()
        return (parent.size() if parent is not None else QSize(1024, 700)) - QSize(px(24), px(24))

    # The model in use

    def model_ready(self, info: EngineInfo | None) -> None:
        self.faster.offer(info)
        if info is None:
            self.current_text.set_content("No model is loaded.")
            self.notes_text.hide()
            return
        kind = f"{info.architecture} {info.quantisation}".strip() or "several models, which judge together"
        facts = f"In use: {info.name} · {wording.file_size(info.bytes)} · {kind}"
        self.current_text.set_content(facts_with_trust(facts, self._trust_files, [info.sha256]))
        self.notes_text.set_content("\n".join(info.notes))
        self.notes_text.setVisible(bool(info.notes))
        self.banner.hide()

    def model_loading(self, name: str) -> None:
        self.current_text.set_content(f"Loading {name}…")
        self.notes_text.hide()
        self.banner.hide()

    def model_failed(self, error: ErrorInfo, info: EngineInfo | None) -> None:
        """Show why a model can't be used; ``info``: the one that stays in use."""
        self.model_ready(info)
        self._show_error(str(error))

    def _show_error(self, text: str) -> None:
        self.banner.set_message(text)
        self.banner.show()

    def _join(self, spec: str) -> None:
        """Choose a model together with those in use."""
        self.chosen.emit(JOINED.join((self._settings.model or "embedded", spec)))

    # The lists

    def _fill_catalogue(self, everything: bool) -> None:
        try:
            listed = load_catalogue().listed
        except JokeJudgeError as error:
            self._show_error(str(error))
            return
        offered = [entry for entry in listed if entry.source is not None]
        for entry in offered:
            if entry.id in self.catalogue_rows or not (everything or entry.recommended):
                continue
            facts = facts_with_trust(catalogue_facts(entry), self._trust_files, entry.sha256)
            target, make = target_of(entry, self._profile), partial(get, entry, self._profile)
            row = ModelRow(entry.label, facts, target, self._worker, make)
            row.button.clicked.connect(self.banner.hide)
            row.chosen.connect(self.chosen)
            row.joined.connect(self._join)
            self.catalogue_rows[entry.id] = row
            self._catalogue_rows.addWidget(row)
        self.more_link.setVisible(len(self.catalogue_rows) < len(offered))

    def _choose_file(self) -> None:
        name = ask_open(self, "Choose a model", "GGUF models (*.gguf);;All files (*)")
        if name:
            self.chosen.emit(name)

    def _on_not_found(self, error: JokeJudgeError) -> None:
        self.found_note.set_content(error.sentence)

    def _show_found(self, models: Sequence[FoundModel]) -> None:
        none = "No other GGUF models were found. Drop one on the window, or choose a file."
        self.found_note.show_text("" if models else none)
        for model in models:
            facts = f"{wording.file_size(model.size)} · {model.origin}"
            # Without its hash a file's model is unknown.
            facts = facts_with_trust(facts, self._trust_files, [model.sha256]) if model.sha256 else facts
            row = ModelRow(model.label, facts, model.path, self._worker)
            row.setToolTip(plain_tooltip(str(model.path)))
            row.chosen.connect(self.chosen)
            row.joined.connect(self._join)
            self.found_rows.append(row)
            self._found_rows.addWidget(row)

    def done(self, result: int) -> None:
        for row in (self.faster, *self.catalogue_rows.values()):
            row.stop()
        self._worker.cancel(self._find)
        super().done(result)
