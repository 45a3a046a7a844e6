"""The model library: a list of the models on this computer and in the catalogue, and what can be done with one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from ...core.config import JOINED, Settings
from ...core.errors import ErrorInfo, JokeJudgeError
from ...core.events import Cancelled, Failed, Finished
from ...core.paths import Profile
from ...engine.base import EngineInfo
from ...library.catalogue import load_catalogue
from ...library.fetch import FetchProgress, get, target_of
from ...library.finder import FoundModel, find_models
from ...measure.trust import TrustFiles
from ..judge_worker import Job, JobEvent, JobStart, JudgeWorker
from ..look import wording
from ..look.theme import px, theme
from ..trust.trust_figures import facts_with_trust
from ..widgets.base import plain_tooltip
from ..widgets.cards import Banner
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton
from ..widgets.dialog import Dialog, ask_open
from ..widgets.labels import ProgressLine
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.text import Heading, Paragraph

_ABOUT = (
    "A model of the catalogue is fetched from its publisher only when you press Get; nothing else goes over a network. "
    "Larger models take longer, and none that was measured is clearly better than the one that comes with the program."
)


@dataclass(eq=False)
class Offer:
    """A model of the list. ``place``: where it is; ``make``: fetches its file, as long as ``target`` doesn't exist;
    ``note`` and ``fraction``: how far that is."""

    name: str
    place: str
    facts: str
    target: Path
    make: JobStart | None = None
    note: str = ""
    fraction: float = 0.0
    job: Job | None = None

    @property
    def action(self) -> str:
        """The action that is possible now."""
        if self.job is not None:
            return "Stop"
        return "Use" if self.make is None or self.target.is_file() else "Get"


class LibraryDialog(Dialog):
    """``chosen`` carries the path of the model to load; ``model_ready`` and ``model_failed`` show the outcome.
    ``settings``: contain the model in use."""

    chosen = Signal(str)

    def __init__(
        self, profile: Profile, worker: JudgeWorker, info: EngineInfo | None, parent: QWidget | None = None,
        settings: Settings | None = None,
    ) -> None:  # fmt: skip
        super().__init__("Model library", parent, (860, 600))
        self._profile, self._worker, self._settings = profile, worker, settings or Settings()
        self._trust_files = TrustFiles(profile)
        self.found: list[Offer] = []
        self.catalogue: list[Offer] = []
        self.banner = Banner("error", "")
        self.banner.hide()
        self.current_text, self.notes_text = Paragraph("", 13), Paragraph("", 13, token="text2", gap=4)
        self.found_note = Paragraph("Looking for models on this computer…", 13)
        self.list = QListWidget()
        self.list.setAccessibleName("Models")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(lambda *_: self._show_offer())
        self.list.itemActivated.connect(lambda _item: self.act())
        self.title, self.facts = Heading("", 3), Paragraph("", 13, token="text2")
        self.note, self.line = Paragraph("", 13, token="text2"), ProgressLine()
        self.action_button = PrimaryButton(act=self.act)
        self.together_link = LinkButton("Judge together", act=self._join)
        self.together_link.setToolTip("Add it to the model in use: both judge, and the better one counts for more.")
        self.file_button = SecondaryButton("Choose a file…", act=self._choose_file)
        details = ColumnScroll()
        details.add(self.title, self.facts, self.note, self.line, Paragraph(_ABOUT, 13, token="text3"))
        right = VBox((details, 1), HBox(self.action_button, self.together_link, 1))
        self.body.add(self.banner, self.current_text, self.notes_text)
        self.body.add((HBox((VBox((self.list, 1), self.found_note, gap=8), 1), (right, 1), gap=20), 1))
        self.close_button = self.add_foot("Done", self.file_button, 1)
        self._list_catalogue()
        self.model_ready(info)
        self._find = worker.call("find", lambda: find_models(profile), self._show_found, self._on_not_found)

    def restyle(self) -> None:
        self.list.setFont(theme().font(14))
        super().restyle()

    def most(self) -> QSize:
        parent = self.parentWidget()
        return (parent.size() if parent is not None else QSize(1024, 700)) - QSize(px(24), px(24))

    # The model in use

    def model_ready(self, info: EngineInfo | None) -> None:
        self.banner.hide()
        if info is None:
            self.current_text.set_content("No model is loaded.")
        else:
            kind = f"{info.architecture} {info.quantisation}".strip() or "several models, which judge together"
            facts = f"In use: {info.name} · {wording.file_size(info.bytes)} · {kind}"
            self.current_text.set_content(facts_with_trust(facts, self._trust_files, [info.sha256]))
        self.notes_text.show_text("\n".join(info.notes) if info is not None else "")

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

    # The list

    def _list_catalogue(self) -> None:
        try:
            entries = [entry for entry in load_catalogue().listed if entry.source is not None]
        except JokeJudgeError as error:
            self._show_error(str(error))
            return
        for entry in sorted(entries, key=lambda entry: not entry.recommended):
            facts = f"{wording.file_size(entry.size)} · needs {entry.ram_gb:g} GB of memory · {entry.terms}"
            facts = facts_with_trust(facts, self._trust_files, entry.sha256)
            make, place = partial(get, entry, self._profile), "recommended" if entry.recommended else "catalogue"
            self.catalogue.append(Offer(entry.label, place, facts, target_of(entry, self._profile), make))
        self._fill()

    def _show_found(self, models: Sequence[FoundModel]) -> None:
        none = "No other GGUF models were found. Drop one on the window, or choose a file."
        self.found_note.show_text("" if models else none)
        for model in models:
            facts = f"{wording.file_size(model.size)} · {model.origin}"
            # Without its hash a file's model is unknown.
            facts = facts_with_trust(facts, self._trust_files, [model.sha256]) if model.sha256 else facts
            self.found.append(Offer(model.label, model.origin, facts, model.path))
        self._fill()

    def _on_not_found(self, error: JokeJudgeError) -> None:
        self.found_note.set_content(error.sentence)

    @property
    def offers(self) -> list[Offer]:
        return [*self.found, *self.catalogue]

    @property
    def current(self) -> Offer | None:
        """The model whose details are shown."""
        row = self.list.currentItem()
        return row.data(Qt.ItemDataRole.UserRole) if row is not None else None

    def select(self, offer: Offer) -> None:
        """Show a model's details."""
        self.list.setCurrentRow(self.offers.index(offer))

    def _fill(self) -> None:
        shown, offers = self.current, self.offers
        with QSignalBlocker(self.list):
            self.list.clear()
            for offer in offers:
                row = QListWidgetItem(f"{offer.name}  ({offer.place})")
                row.setSizeHint(QSize(0, px(30)))
                row.setData(Qt.ItemDataRole.UserRole, offer)
                row.setToolTip(plain_tooltip(f"{row.text()}\n{offer.target}"))
                self.list.addItem(row)
            self.list.setCurrentRow(offers.index(shown) if shown in offers else 0)
        self._show_offer()

    def _show_offer(self) -> None:
        """Show the details of the current model, and what can be done with it."""
        offer = self.current
        if offer is None:
            return
        self.title.set_content(offer.name)
        self.facts.set_content(offer.facts)
        self.note.show_text(offer.note)
        self.line.setVisible(offer.job is not None)
        self.line.set_fraction(offer.fraction)
        self.line.setAccessibleName(f"Fetching {offer.name}")
        self.action_button.setText(offer.action)
        self.action_button.setAccessibleName(f"{offer.action} {offer.name}")
        self.together_link.setAccessibleName(f"Judge together with {offer.name}")
        self.together_link.setVisible(offer.action == "Use")

    # Actions

    def act(self) -> None:
        """Use the current model, make its file, or stop that."""
        offer = self.current
        if offer is None:
            return
        self.banner.hide()
        if offer.job is not None:
            self._worker.cancel(offer.job)
        elif offer.action == "Use":
            self.chosen.emit(str(offer.target))
        elif offer.make is not None:
            offer.note, offer.fraction = "Waiting…", 0.0
            offer.job = self._worker.submit("fetch", offer.make, partial(self._on_event, offer))
            self._show_offer()

    def _on_event(self, offer: Offer, item: JobEvent) -> None:
        match item.event:
            case FetchProgress(done_bytes=done, total_bytes=total, note=note):
                size = f"{wording.file_size(done)} of {wording.file_size(total)}"
                offer.note = " · ".join(filter(None, (wording.sentence_case(note), size)))
                offer.fraction = done / total if total else 0.0
            case Finished():
                offer.job, offer.note = None, "Fetched and checked."
            case Cancelled():
                offer.job, offer.note = None, "Stopped. Press Get to go on from there."
            case Failed(error=error):
                offer.job, offer.note = None, str(error)
        self._show_offer()

    def _join(self) -> None:
        """Choose the current model together with those in use."""
        if self.current is not None:
            self.chosen.emit(JOINED.join((self._settings.model or "embedded", str(self.current.target))))

    def _choose_file(self) -> None:
        if name := ask_open(self, "Choose a model", "GGUF models (*.gguf);;All files (*)"):
            self.chosen.emit(name)

    def done(self, result: int) -> None:
        for job in (self._find, *(offer.job for offer in self.offers)):
            if job is not None:
                self._worker.cancel(job)
        super().done(result)
