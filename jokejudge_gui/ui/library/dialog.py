"""The model library: the model in use, and a list of those on this computer and in the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QListWidget, QWidget

from ...core.config import JOINED, Settings
from ...core.errors import ErrorInfo
from ...core.events import Cancelled, Failed, Finished, StageProgress
from ...core.paths import Profile
from ...core.verdicts import ModelRef
from ...engine.base import EngineInfo
from ...library.catalogue import CatalogueEntry, load_catalogue
from ...library.embedded import EMBEDDED_SHA256
from ...library.fetch import get, target_of
from ...library.finder import FoundModel, find_models
from ...measure.model import words
from ...measure.model.figures import ModelTrust
from ..judge_worker import Job, JobStart, JudgeWorker
from ..look import wording
from ..look.theme import px, theme
from ..widgets.base import plain_tooltip
from ..widgets.cards import Banner
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.dialog import Dialog
from ..widgets.line import ProgressLine
from ..widgets.text import Paragraph

_ABOUT = (
    "A model of the catalogue is fetched from its publisher only when you press Get; nothing else goes over a network. "
    "Larger models take longer, and none that was measured is clearly better than the one that comes with the program."
)
_UNMEASURED = "Not measured."


@dataclass(eq=False)
class Offer:
    """A model of the list. ``facts``: its second line; ``more``: sentences about it; ``make``: fetches its file, as
    long as ``target`` doesn't exist; ``note`` and ``fraction``: how far that is."""

    name: str
    facts: str
    more: str
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
    ``settings``: contain the model in use; ``pace``: returns the seconds that a joke took here, by models' SHA-256."""

    chosen = Signal(str)

    def __init__(
        self, profile: Profile, worker: JudgeWorker, info: EngineInfo | None, parent: QWidget | None = None,
        settings: Settings | None = None, pace: Callable[[], Mapping[str, float]] = dict,
    ) -> None:  # fmt: skip
        super().__init__("Model library", parent, (820, 620))
        self._profile, self._worker, self._settings = profile, worker, settings or Settings()
        self._info = info
        self._pace: Mapping[str, float] = {}
        self._find_pace = pace
        self._found: Sequence[FoundModel] = ()
        self._entries: Sequence[CatalogueEntry] = ()
        self._known: dict[str, tuple[str, str]] = {}
        """By its SHA-256, what was measured of each model in few words, and in sentences."""
        self.offers: list[Offer] = []
        self.banner = Banner("error", "")
        self.banner.hide()
        self.current_text, self.notes_text = Paragraph("", 14), Paragraph("", 13, token="text2", gap=4)
        self.list = QListWidget()
        self.list.setAccessibleName("Models")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(lambda _row: self._show_offer())
        self.list.itemActivated.connect(lambda _item: self.act())
        self.note, self.line = Paragraph("Looking for models on this computer…", 13), ProgressLine()
        self.action_button = SecondaryButton(act=self.act)
        self.together_link = LinkButton("Judge together", act=self._join)
        self.together_link.setToolTip("Add it to the model in use: both judge, and the better one counts for more.")
        self.file_button = SecondaryButton("Choose a file…", act=self._choose_file)
        self.body.add(self.banner, self.current_text, self.notes_text, (self.list, 1), self.note, self.line)
        self.body.add(Paragraph(_ABOUT, 13, token="text3"))
        self.close_button = self.add_foot("Done", self.action_button, self.together_link, 1, self.file_button)
        self.model_ready(info)
        self._find = worker.call("find", self._look, self._show_found, lambda error: self._show_error(str(error)))

    def restyle(self) -> None:
        self.list.setFont(theme().font(14))
        super().restyle()

    def most(self) -> QSize:
        parent = self.parentWidget()
        return (parent.size() if parent is not None else QSize(1024, 700)) - QSize(px(24), px(24))

    # The model in use

    def model_ready(self, info: EngineInfo | None) -> None:
        self._info = info
        self.banner.hide()
        if info is None:
            self.current_text.set_content("No model is loaded.")
        else:
            kind = f"{info.architecture} {info.quantisation}".strip() or "several models, which judge together"
            line = f" · {self._facts(wording.file_size(info.bytes), kind, sha256=info.sha256)}\n"
            trust = trust_lines(self._profile, info.sha256)
            self.current_text.set_content(
                [("In use: ", "normal"), (info.name, "strong"), (line, "normal"), (trust, "muted")]
            )
        self.notes_text.show_text("\n".join(info.notes) if info is not None else "")
        self._list()

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

    def _facts(self, *facts: str, sha256: str | None = None) -> str:
        """Return facts about a model in one line, and how long it took for a joke on this computer."""
        seconds = self._pace.get(sha256 or "")
        return " · ".join(filter(None, (*facts, f"{seconds:.1f} s a joke here" if seconds is not None else "")))

    # The list

    def _look(self) -> None:
        """Read what there is to list, in the worker's thread."""
        self._pace = self._find_pace()
        entries = [entry for entry in load_catalogue().listed if entry.source is not None and not entry.embedded]
        models = find_models(self._profile)
        hashes = [one for entry in entries for one in entry.sha256]
        for sha256 in (*hashes, *(model.sha256 for model in models if model.sha256)):
            self._known[sha256] = gain(self._profile, sha256), trust_lines(self._profile, sha256)
        self._entries, self._found = sorted(entries, key=lambda entry: not entry.recommended), models

    def _show_found(self, _nothing: None) -> None:
        self.note.set_content("")
        self.model_ready(self._info)

    def _list(self) -> None:
        """List every model but the one in use, those on this computer first. What is being fetched stays as it is."""
        used = self._info.sha256 if self._info is not None else ""
        running = {offer.name: offer for offer in self.offers if offer.job is not None or offer.note}
        offers = [self._on_disk(model) for model in self._found if model.sha256 != used]
        offers += [self._in_catalogue(entry) for entry in self._entries if used not in entry.sha256]
        shown = self.current
        self.offers = [running.get(offer.name, offer) for offer in offers]
        with QSignalBlocker(self.list):
            self.list.clear()
            for place, offer in enumerate(self.offers):
                # Qt makes the row: a screen reader and ``clear`` would end the process with one that Python made.
                self.list.addItem(f"{offer.name}\n{offer.facts}")
                row = self.list.item(place)
                row.setSizeHint(QSize(0, px(50)))
                row.setToolTip(plain_tooltip(f"{row.text()}\n{offer.target}"))
            names = [offer.name for offer in self.offers]
            self.list.setCurrentRow(names.index(shown.name) if shown is not None and shown.name in names else 0)
        self._show_offer()

    def _on_disk(self, model: FoundModel) -> Offer:
        measured, more = self._known.get(model.sha256 or "", ("", ""))  # without its hash a file's model is unknown
        memory = f"{model.entry.ram_gb:g} GB of memory" if model.entry is not None else ""
        facts = self._facts(model.origin, wording.file_size(model.size), memory, measured, sha256=model.sha256)
        return Offer(model.label, facts, more, model.path)

    def _in_catalogue(self, entry: CatalogueEntry) -> Offer:
        sha256 = next((one for one in entry.sha256 if self._known[one][1] != _UNMEASURED), entry.sha256[0])
        measured, more = self._known[sha256]
        facts = self._facts(wording.file_size(entry.size), f"{entry.ram_gb:g} GB of memory", measured, sha256=sha256)
        more = f"{more} Licence: {entry.terms}."
        return Offer(entry.label, facts, more, target_of(entry, self._profile), partial(get, entry, self._profile))

    @property
    def current(self) -> Offer | None:
        """The selected model."""
        row = self.list.currentRow()
        return self.offers[row] if 0 <= row < min(len(self.offers), self.list.count()) else None

    def select(self, offer: Offer) -> None:
        """Select a model."""
        self.list.setCurrentRow(self.offers.index(offer))
        self._show_offer()

    def _show_offer(self) -> None:
        """Show what is known of the selected model, and what can be done with it."""
        offer = self.current
        for button in (self.action_button, self.together_link):
            button.setVisible(offer is not None)
        if offer is None:
            return
        self.note.set_content(offer.note or offer.more)
        self.line.setVisible(offer.job is not None)
        self.line.set_fraction(offer.fraction)
        self.line.setAccessibleName(f"Fetching {offer.name}")
        self.action_button.setText(offer.action)
        self.action_button.setAccessibleName(f"{offer.action} {offer.name}")
        self.together_link.setAccessibleName(f"Judge together with {offer.name}")
        self.together_link.setVisible(offer.action == "Use")

    # Actions

    def act(self) -> None:
        """Use the selected model, fetch its file, or stop that."""
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

    def _on_event(self, offer: Offer, _job: Job, event: object) -> None:
        match event:
            case StageProgress(done=done, total=int(total), note=note):
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
        """Choose the selected model together with those in use."""
        if self.current is not None:
            self.chosen.emit(JOINED.join((self._settings.model or "embedded", str(self.current.target))))

    def _choose_file(self) -> None:
        if name := QFileDialog.getOpenFileName(self, "Choose a model", "", "GGUF models (*.gguf);;All files (*)")[0]:
            self.chosen.emit(name)

    def done(self, result: int) -> None:
        for job in (self._find, *(offer.job for offer in self.offers)):
            if job is not None:
                self._worker.cancel(job)
        super().done(result)


def gain(profile: Profile, sha256: str) -> str:
    """Return whether a model was measured to agree with people clearly more often than the one that comes with the
    program."""
    cards = (ModelTrust(ModelRef(name="", sha256=one), profile).card for one in (sha256, EMBEDDED_SHA256))
    its, embedded = (card.main.stated if card is not None and card.main is not None else None for card in cards)
    if its is None:
        return "not measured"
    better = embedded is not None and its.low is not None and its.low > embedded.value
    return "agrees with people more often" if better else "no measured gain"


def trust_lines(profile: Profile, sha256: str) -> str:
    """Return a model's agreement with people in sentences, or that it wasn't measured."""
    trust = ModelTrust(ModelRef(name="", sha256=sha256), profile)
    line = words.line(trust.card)
    return f"{line[:1].upper()}{line[1:]}. {words.sense(trust)}" if line else _UNMEASURED
