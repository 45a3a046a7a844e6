"""Build the judge of a loaded model with all its heads. An unusable head costs its own figures, not the verdict."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.errors import ModelError
from ..core.logs import log
from ..core.paths import Profile
from ..engine.base import Engine
from ..heads.audience import AudienceHead, KindAgreements
from ..heads.drafts import DraftHeads
from ..heads.editor import EditorHeads
from ..heads.editor_file import EditorCard
from ..heads.features import phrases
from ..heads.laughs import LaughsHead
from ..heads.offence import OffenceHead
from ..heads.sense import SenseHeads
from ..heads.sounds import sounds
from ..heads.wordplay import WordplayHead
from ..judge.asking.measured import MeasuredFiles
from ..judge.main_judge import MainJudge
from ..judge.reader import Reader, Readers
from ..learning.fitting import HeadFiles
from ..learning.trust_cards import agreements_of, card_for
from ..rubric.overlay import Rubric
from ..rubric.own_file import Mark, OwnFile

_LOG = log("session")


class JudgeFiles:
    """Over the user's ``profile`` and the ``models`` folder that ships, the former first. The user's own criteria are
    read once for all judges, and again when ``read_again`` says so."""

    def __init__(self, profile: Profile, models: Path) -> None:
        self._profile = profile
        self._models = models
        self.heads = HeadFiles(profile.heads, profile.cards, models / "heads")
        self.measured = MeasuredFiles(models, profile.models)
        self._faults: dict[str, dict[str, str]] = {}
        self._ahead: dict[tuple[str, str], Future[Any]] = {}
        self.readers: Readers | None = None
        """``Reader.readers`` of all judges."""
        self._own = OwnFile(profile.criteria)
        self.criteria: tuple[Mark | None, Rubric | None, str] = (self._own.mark, None, "")
        """The criteria in use: the file's mark, its content (None: not read yet), and the reason if it isn't used."""

    def faults(self, sha256: str) -> tuple[str, ...]:
        """Return the missing parts of a model's judge with the reasons, as warnings for each of its verdicts."""
        return tuple(self._faults.get(sha256, {}).values())

    def read_again(self) -> None:
        """Read the user's own criteria again, for judges made from now on. Raises ``CriteriaError``."""
        mark = self._own.mark  # before the file is read, so that a write meanwhile counts as a change
        rubric, fault = self._own.in_use()
        if fault:
            _LOG.warning("own criteria: not usable")
        self.criteria = mark, rubric, fault

    def judge(self, engine: Engine) -> MainJudge:
        """Return a judge with all heads of this model and the user's own criteria. Raises ``CriteriaError``."""
        if self.criteria[1] is None:
            self.read_again()
        _, rubric, fault = self.criteria
        self._faults[engine.info.sha256] = {"criteria": fault} if fault else {}
        reader, card = self.reader(engine)
        self._ahead = {}
        return MainJudge(engine, self.measured, reader, editor_card=card, rubric=rubric)

    def renew(self, judge: MainJudge) -> None:
        """Give a judge the heads that were fitted or deleted since it was made."""
        self._ahead = {}  # of a model that then couldn't be loaded
        judge.reader, judge.editor_card = self.reader(judge.engine)
        judge.plan_again()

    def reader(self, engine: Engine) -> tuple[Reader, EditorCard | None]:
        """Return a reader with all heads of this model, and the card of its editor's heads."""
        # What it says of a damaged audience head begins the list.
        parts = {name: self._part(name, engine) for name in self._loads(engine.info.sha256)}
        editor, card = parts.pop("editor's heads") or (None, None)
        laughs = parts.pop("head for laughs")
        head, contextual, drafts, offence, sense, wordplay = parts.values()
        agreements = self._agreements(engine.info.sha256, contextual)
        heads = head, editor, agreements, drafts, contextual, offence, sense, wordplay
        return Reader(engine, *heads, self.readers, laughs=laughs), card

    @property
    def criteria_changed(self) -> bool:
        """Whether the user's own criteria have changed since they were read."""
        return self._own.mark != self.criteria[0]

    def read_ahead(self, sha256: str) -> None:
        """Start reading the files for ``judge`` in a thread, while the model loads."""
        self._ahead = {}
        with suppress(RuntimeError):  # without a thread ``judge`` reads them
            reading = ThreadPoolExecutor(1, "heads")
            self._ahead = {(sha256, name): reading.submit(load) for name, load in self._loads(sha256).items()}
            for table in (phrases, sounds):  # they stay, and the first joke would wait for them
                reading.submit(table)
            reading.shutdown(wait=False)

    def _loads(self, sha256: str) -> dict[str, Callable[[], Any]]:
        """Return a reader for each sort of heads of a model; the user's own come before those that ship."""
        own, models = self._profile, self._models

        def editor() -> tuple[EditorHeads, EditorCard] | None:
            for folder in (own.editor, models / "editor"):
                if (heads := EditorHeads.find(sha256, folder)) is not None:
                    return heads, EditorCard.load(folder / f"{sha256[:16]}.json")
            return None

        return {
            "audience head": lambda: self.heads.load(sha256),
            "editor's heads": editor,
            "head in context": lambda: AudienceHead.find(sha256, models / "heads" / "context"),
            "draft heads": lambda: DraftHeads.find(sha256, own.drafts, models / "drafts"),
            "head for offence": lambda: OffenceHead.find(sha256, models / "offence"),
            "heads for sense": lambda: SenseHeads.find(sha256, own.sense, models / "sense"),
            "head for wordplay": lambda: WordplayHead.find(sha256, models / "wordplay"),
            "head for laughs": lambda: LaughsHead.find(sha256, models / "laughs"),
        }

    def _agreements(self, sha256: str, context: AudienceHead | None) -> KindAgreements:
        """Return the agreement of the heads in use with people; that of a card that can't be read is left out."""
        own, card = self.heads.has_own(sha256), None
        try:
            card = card_for(sha256, self._profile.cards if own else self._models / "cards", own=own)
        except ModelError as error:
            _LOG.warning("card of %s: %s", sha256[:16], error.code)
        return agreements_of(card, context)

    def _part(self, name: str, engine: Engine) -> Any:
        """Return the part of a model by its name, if its size fits the model's states, else None; the reason is added
        to the model's faults."""
        sha256 = engine.info.sha256
        faults = self._faults.setdefault(sha256, {})
        faults.pop(name, None)
        ahead = self._ahead.get((sha256, name))
        try:
            part = ahead.result() if ahead is not None else self._loads(sha256)[name]()
            head = part[0] if isinstance(part, tuple) else part
            if head is not None and head.embedding_size != engine.info.embedding_size:
                raise ModelError(
                    "E_HEAD_MODEL",
                    f"The {name} in the folder of this model weren't made for it.",
                    "Delete them; verdicts come without them until then.",
                )
            return part
        except ModelError as error:
            _LOG.warning("%s: %s", name, error.code)
            faults[name] = str(error)
            return None
