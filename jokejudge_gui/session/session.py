"""The session, in which engine, judge and history meet: window, terminal and Python record every verdict the same way.

All jobs are generators of frozen events. They load the model and measure it first if they must, write the history row
before the last event is yielded, and end in exactly one of ``Finished``, ``Failed`` and ``Cancelled``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.config import JOINED, Settings
from ..core.errors import JokeJudgeError
from ..core.events import Event, ModelReady, Stage, StageStarted, last_event
from ..core.logs import log
from ..core.paths import Profile, models_dir
from ..core.verdicts import Asked, Mode, ModelRef
from ..core.vote_sets import VoteSet, shipped_votes
from ..engine.base import CancelToken, Engine, EngineInfo, about_to_load
from ..history.store import HistoryStore
from ..judge.duel.kind import DUEL
from ..judge.judged_kind import JudgedKind
from ..judge.kinds import KINDS
from ..judge.main_judge import MainJudge
from ..judge.rating.kind import RATING
from ..learning.fitting import HeadFiles, HeadRemoved, fit_head
from ..learning.taste import kept_votes
from ..library.finder import ModelFile
from .ensemble import TOGETHER, Ensemble, members_of, one_model_needed
from .judge_files import JudgeFiles
from .loading import choose, open_model
from .reading_ahead import Helpers
from .recording import OneModel, Q, R, Recorder, job
from .scoring import Scorer

if TYPE_CHECKING:
    from ..learning.learner import Learner

_LOG = log("session")

Judges: TypeAlias = OneModel | Ensemble
EngineLoader: TypeAlias = Callable[[ModelFile, Settings, CancelToken | None], Engine]


class Session:
    """One user's engine, judges and history. Jobs belong to the thread that iterates them, one at a time; the history
    may be used from any thread."""

    def __init__(
        self,
        profile: Profile,
        settings: Settings | None = None,
        *,
        loader: EngineLoader | None = None,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Nothing is opened or loaded yet. ``say`` gets messages while the history is opened, such as that its file was
        empty."""
        self.profile = profile
        self.settings = settings or Settings()
        self._say = say
        self._store: HistoryStore | None = None
        self._opening = threading.Lock()
        self._loader = loader
        self.judges: Judges | None = None
        """The loaded model, or several."""
        self._files = JudgeFiles(profile, models_dir())
        self._helpers = Helpers(profile, self.settings, self._files)
        if loader is None:
            self._files.readers = self._helpers.pool
        self._recorder = Recorder(lambda: self.store, self.loaded)
        self.scorer = Scorer(self.ready)

    @property
    def store(self) -> HistoryStore:
        """The history, opened on first use: a verdict that isn't kept needs none. Raises ``HistoryError`` if it can't
        be used."""
        with self._opening:
            if self._store is None:
                self._store = HistoryStore(self.profile.database, KINDS)
                for note in self._store.notes:
                    self._say(note)
            return self._store

    @property
    def model(self) -> ModelRef | None:
        """The loaded model, or several as one."""
        return self.judges.model if self.judges else None

    @property
    def info(self) -> EngineInfo | None:
        """Facts about the loaded model, or about several as if they were one."""
        return self.judges.info if self.judges else None

    @property
    def asks(self) -> bool:
        """Whether verdicts ask the loaded model questions, so that its constant prompts are worth preparing."""
        asks = self.settings.ask_everything or (self.judge is not None and self.judge.asks)
        return asks and not isinstance(self.judges, Ensemble)

    @property
    def judge(self) -> MainJudge | None:
        """The judge of the loaded model; None if none is loaded, or several."""
        return self.judges.judge if isinstance(self.judges, OneModel) else None

    def close(self) -> None:
        """Free the model and close the history. Must be called by the thread that ran the jobs."""
        self._free()
        self._helpers.close()
        if self._store is not None:
            self._store.close()

    def _free(self) -> None:
        self.scorer.close()
        if self.judges is not None:
            self.judges.close()
        self.judges = None

    @job
    def load(self, spec: str | None = None, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Load a model by path or name (None: from the settings, else the embedded one). The previous model stays until
        the new one is loaded, so a failure leaves the session as it was."""
        for member in (spec or "").split(JOINED):
            if member:
                choose(member, self.profile)
        yield from self._load(spec, cancel)

    @job
    def take_up_criteria(self) -> Iterator[Event]:
        """Judge by the user's current criteria, without loading the model again. The window calls it between verdicts;
        a long run keeps the criteria that it began with. Does nothing if they haven't changed."""
        if self.judges is not None and self.criteria_changed:
            self._files.read_again()
            self.judges.take_up_criteria()
        yield from ()

    @property
    def criteria_changed(self) -> bool:
        """Whether ``take_up_criteria`` would change anything."""
        return self.judges is not None and self._files.criteria_changed

    @job
    def calibrate(self, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Take all measurements that ratings and duels need of this model, and warm its constant prompts."""
        judge = yield from self.ready(cancel)
        with judge.under(cancel):
            for duel in (False, True):
                yield from judge.calibrate(duel=duel)
            yield from judge.warm()

    @job
    def warm(self, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Decode and keep the constant prompts, in memory and on disk."""
        judge = yield from self.ready(cancel)
        with judge.under(cancel):
            yield from judge.warm()

    @job
    def fit(
        self, votes: Sequence[VoteSet] = (), *, shipped: bool = True, cancel: CancelToken | None = None
    ) -> Iterator[Event]:
        """Fit an audience head to the model from ``votes``, the user's own votes and, with ``shipped``, those that come
        with the program; ``HeadReport`` tells its quality and whether verdicts use it from now on."""
        judge = yield from self.ready(cancel)
        sets = [*((shipped_votes(),) if shipped else ()), *kept_votes(self.store), *votes]
        yield from fit_head(judge.engine, sets, self.heads, cancel)
        self._files.renew(judge)

    @job
    def fit_editor(self, *, again: bool = False, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Fit this model's heads for reading jokes: editor's heads, draft heads and heads for sense, and measure the
        gain from questions; each part only if it is missing, or all of them ``again``. ``Learned`` reports the
        quality of each; verdicts use it from then on. Readings made before a stop are kept."""
        judge = yield from self.ready(cancel)
        yield from self.learner.all(judge, self._files.renew, again=again, cancel=cancel)

    @job
    def measure_plan(self, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Measure what this model's answers are worth; ``Learned`` reports the result."""
        judge = yield from self.ready(cancel)
        yield from self.learner.plan(judge, cancel)

    @property
    def heads(self) -> HeadFiles:
        """The files of audience heads."""
        return self._files.heads

    @cached_property
    def learner(self) -> Learner:
        """The learner of heads and plans for models on this machine."""
        from ..learning.learner import Learner  # verdicts come without it

        return Learner(self.profile, models_dir(), self._files.measured)

    @job
    def remove_head(self, *, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Delete the head fitted on this machine."""
        judge = yield from self.ready(cancel)
        sha256 = judge.model.sha256
        removed = self.heads.remove(sha256)
        self._files.renew(judge)
        yield HeadRemoved(model=judge.model, removed=removed, in_use=self.heads.in_use(sha256))

    @last_event
    def run(
        self,
        kind: JudgedKind[Q, R],
        request: Q,
        *,
        record: bool = True,
        parent: str | None = None,
        cancel: CancelToken | None = None,
    ) -> Iterator[Event]:
        """Give a verdict of any kind. ``record`` False leaves no row in the history; ``parent``: the id of the recorded
        parent verdict. Several models give ratings and duels."""
        if kind not in TOGETHER:
            self._refuse_several()
        yield from self._recorder.give(kind, request, record=record, parent=parent, cancel=cancel)

    def rate(self, text: str, *, force: bool = False, **options: Any) -> Iterator[Event]:
        """Rate a joke: ``ask``, with its options. ``force``: rate it even if it is rejected."""
        return self.ask(RATING, (text,), forced=force, **options)

    def duel(self, text_a: str, text_b: str, **options: Any) -> Iterator[Event]:
        """Compare two jokes: ``ask``, with its options."""
        return self.ask(DUEL, (text_a, text_b), **options)

    @last_event
    def ask(
        self,
        kind: JudgedKind[Any, Any],
        texts: Sequence[str],
        *,
        mode: Mode | None = None,
        ask: Asked | None = None,
        explain: bool | None = None,
        record: bool = True,
        cancel: CancelToken | None = None,
        **options: Any,
    ) -> Iterator[Event]:
        """Give a verdict on texts as a person typed them; options that are None come from the settings. ``options``:
        other fields of the kind's request. Texts that can't be judged end the job with ``Failed``."""
        given = {**options, **dict(zip(kind.fields, texts, strict=True))}
        request = self.request(kind, mode=mode, ask=ask, explain=explain, **given)
        yield from self.run(kind, request, record=record, cancel=cancel)

    def request(self, kind: JudgedKind[Q, R], settings: Settings | None = None, /, **given: Any) -> Q:
        """Return a request from the ``given`` fields; options that are missing or None come from the settings.
        ``settings``: a copy from the time of the request; None: the current ones. Raises the errors of the fields'
        validation."""
        settings, fields = settings or self.settings, kind.request.model_fields
        usual: dict[str, Any] = {
            "mode": settings.mode,
            "ask": "all" if settings.ask_everything else "plan",
            "explain": settings.explain,
            "seed": settings.seed,
        }
        if "budget" in fields and fields["budget"].annotation is int:
            usual["budget"] = settings.deep_branches
        if "listeners" in fields:
            usual["listeners"] = tuple(settings.listeners)
        chosen = {name: value for name, value in given.items() if value is not None or name not in usual}
        return kind.request.model_validate(usual | chosen)

    def expecting(self, texts: Iterable[tuple[str, str]], count: int) -> AbstractContextManager[None]:
        """While this is open, other processes read these texts: ``Reader.expecting``."""
        return self.judge.reader.expecting(texts, count) if self.judge is not None else nullcontext()

    def ready(self, cancel: CancelToken | None = None, texts: int = 0) -> Generator[Event, None, MainJudge]:
        """Return the judge of one model, as ``loaded`` does. Raises ``UsageError`` ``E_PANEL_KIND`` for several, and
        the errors of loading."""
        self._refuse_several()
        return (yield from self.loaded(cancel, texts)).judge

    def _refuse_several(self) -> None:
        """Raise ``UsageError`` ``E_PANEL_KIND`` if several models judge."""
        if isinstance(self.judges, Ensemble) or (self.judges is None and members_of(self.settings.model)):
            raise one_model_needed()

    def loaded(self, cancel: CancelToken | None = None, texts: int = 0) -> Generator[Event, None, Judges]:
        """Return the loaded judges, loading them first if needed, for a list of about so many texts. Raises the errors
        of loading."""
        self._helpers.expected = 0 if members_of(self.settings.model) else texts
        return self.judges or (yield from self._load(None, cancel))

    def _load(self, spec: str | None, cancel: CancelToken | None) -> Generator[Event, None, Judges]:
        spec = spec if spec is not None else self.settings.model
        yield StageStarted(stage=Stage.LOADING, total=100)
        before = self._files.criteria
        try:
            self._files.read_again()
            loaded = yield from self._opened(spec, cancel)
        except BaseException:
            self._files.criteria = before
            raise
        self._free()
        self.judges = loaded
        _LOG.info("model %s loaded (%d MB)", loaded.model.sha256[:16], loaded.info.bytes // 10**6)
        yield ModelReady(model=loaded.model, bytes=loaded.info.bytes, note=" ".join(loaded.notes))
        return loaded

    def _opened(self, spec: str | None, cancel: CancelToken | None) -> Generator[Event, None, Judges]:
        if members := members_of(spec):
            if isinstance(self.judges, Ensemble):
                self.judges.close()  # the models of both may need too much memory
            ensemble = Ensemble(members, self._engine, self._files)
            yield from ensemble.load(cancel)
            return ensemble
        engine = yield from self._engine(spec, cancel)
        try:
            return OneModel(self._files.judge(engine), self._files)
        except JokeJudgeError:
            engine.close()
            raise

    def _engine(self, spec: str | None, cancel: CancelToken | None) -> Generator[Event, None, Engine]:
        about_to_load()
        if self._loader is not None:
            given = ModelFile(path=self.profile.models / "given.gguf", name="given")
            return self._loader(given, self.settings.for_this_call(model=spec), cancel)
        return (yield from open_model(spec, self.profile, self.settings, cancel, self._helpers.read_ahead))
