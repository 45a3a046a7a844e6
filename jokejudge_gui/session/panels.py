"""Several models as one judge: each gives its own verdict, one after another within a memory budget, and their verdicts
are combined, weighted by the models' quality. The panel's verdict is a row of the same kind as theirs; theirs are its
children."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..core.config import Settings
from ..core.errors import Cancelled as Stopped
from ..core.errors import ErrorInfo, JokeJudgeError, ModelError, UsageError, restore
from ..core.events import (
    Cancelled,
    Event,
    Failed,
    Finished,
    Interim,
    Stage,
    StageFinished,
    StageProgress,
    StageStarted,
)
from ..core.paths import Profile, models_dir
from ..core.verdict_kinds import Draft
from ..core.verdicts import Dissent, ModelRef, PanelFindings, PanelMember, Usage, VerdictResult
from ..engine.base import CancelToken, Engine, EngineInfo
from ..judge.duel.duel_judge import DuelDraft
from ..judge.duel.kind import DUEL
from ..judge.judged_kind import JudgedKind
from ..judge.main_judge import MainJudge
from ..judge.panel import (
    ModelVerdict,
    SharedErrors,
    duel_dissent,
    fill_duel,
    fill_rating,
    independent_votes,
    join,
    mean_correlation,
    rating_dissent,
    worth_of,
)
from ..judge.panel_words import only_kin
from ..judge.rating.kind import RATING
from ..judge.rating.record import RatingDraft
from ..library.catalogue import are_kin
from ..library.finder import resolve_model
from ..library.panel_list import check_members, twice
from ..library.probe import probe
from .judge_files import JudgeFiles
from .recording import D, Judges, OneModel, Parts, Q, R, Recorder, Work

TOGETHER: tuple[JudgedKind[Any, Any, Any], ...] = (RATING, DUEL)
"""The kinds of verdict that a panel gives."""
_KEPT_STATES = 300 * 10**6
"""The most bytes of states that an engine keeps of prompts."""

Opener: TypeAlias = Callable[[str, CancelToken | None], Generator[Event, None, Engine]]
JudgeOf: TypeAlias = Callable[[Engine], MainJudge]


@dataclass(frozen=True)
class Panel:
    """A requested panel: its ``name``, and its ``members`` as paths or names of models."""

    name: str
    members: tuple[str, ...]


def panel_of(spec: str | None, settings: Settings) -> Panel | None:
    """Return the panel named ``spec``, or the settings' panel if that is None; None for a single model. Raises
    ``UsageError`` ``E_PANEL_SIZE`` and ``E_PANEL_TWICE``."""
    if spec is None and settings.together:
        return checked("", settings.together)
    name = (spec or settings.model or "").strip()
    members = settings.panels.get(name)
    return checked(name, members) if members else None


def one_model_needed() -> UsageError:
    """Return the error for a request that a panel can't answer."""
    return UsageError(
        "E_PANEL_KIND",
        "A panel of models gives ratings and duels, and nothing else yet.",
        "Choose one model for this (--model NAME).",
    )


def checked(name: str, members: Sequence[str]) -> Panel:
    """Return a panel of two to eight different models. Raises ``UsageError``."""
    check_members(members)
    return Panel(name, tuple(members))


def needed(spec: str, profile: Profile, context: int) -> int:
    """Return the most bytes of memory that a model takes: the address space that llama.cpp took when the model was
    tried in a process of its own, and the kept states of prompts. Raises ``ModelError``."""
    facts = probe(resolve_model(spec, profile).path, profile, context=context).facts
    taken = facts.get("address_space")
    return (taken if isinstance(taken, int) else 0) + _KEPT_STATES


class LoadedModels:
    """Loaded models within ``budget`` bytes. A model stays loaded if the budget has room for it beside the others; else
    the models used longest ago are freed first."""

    def __init__(self, open_engine: Opener, judge_of: JudgeOf, need: Callable[[str], int] | None, budget: int) -> None:
        """``need``: returns the most bytes that a model takes; None if nothing is known of them."""
        self._open, self._judge_of, self.budget = open_engine, judge_of, budget
        self._need: Callable[[str], int] = need or (lambda _spec: 0)
        self._loaded: dict[str, tuple[MainJudge, int]] = {}

    @property
    def taken(self) -> int:
        """The most bytes that the loaded models take."""
        return sum(size for _, size in self._loaded.values())

    def check(self, specs: Sequence[str]) -> None:
        """Refuse a model that doesn't fit the budget, before any is loaded. Raises ``ModelError``
        ``E_PANEL_MEMORY``."""
        for spec in specs:
            size = self._need(spec)
            if size > self.budget:
                raise ModelError(
                    "E_PANEL_MEMORY",
                    f"{spec} takes about {size / 1e9:.1f} GB of memory; a panel may take {self.budget / 1e9:.1f} GB.",
                    "Leave it out of the panel, or allow more in the settings (--memory GB for one call).",
                )

    def judge(self, spec: str, cancel: CancelToken | None) -> Generator[Event, None, MainJudge]:
        """Return the model's judge; load the model if it isn't loaded."""
        found = self._loaded.pop(spec, None)
        if found is None:
            size = self._need(spec)
            while self._loaded and self.taken + size > self.budget:
                self._loaded.pop(next(iter(self._loaded)))[0].engine.close()
            engine = yield from self._open(spec, cancel)
            try:
                found = self._judge_of(engine), size
            except JokeJudgeError:
                engine.close()
                raise
        self._loaded[spec] = found
        return found[0]

    def judge_again(self) -> None:
        """Make the loaded models' judges anew. Raises the errors of making them, and then changes nothing."""
        self._loaded = {spec: (self._judge_of(judge.engine), size) for spec, (judge, size) in self._loaded.items()}

    def close(self) -> None:
        """Free all models."""
        while self._loaded:
            self._loaded.popitem()[1][0].engine.close()


class SeveralModels(Judges):
    """A panel of models: gives ratings and duels, and records them with the models' own."""

    def __init__(self, panel: Panel, loaded: LoadedModels, files: JudgeFiles) -> None:
        self.panel, self.loaded = panel, loaded
        self._files = files
        self._errors = SharedErrors()
        self._infos: list[EngineInfo] = []
        self._parts: list[Parts] = []

    @property
    def _models(self) -> list[ModelRef]:
        return [ModelRef(name=info.name, sha256=info.sha256) for info in self._infos]

    @property
    def model(self) -> ModelRef:
        """The panel as a model: its name with its members' names, and a hash over their hashes."""
        names = " + ".join(model.name for model in self._models)
        name = f"{self.panel.name} ({names})" if self.panel.name else names
        digest = hashlib.sha256("\0".join(sorted(model.sha256 for model in self._models)).encode())
        return ModelRef(name=name, sha256=digest.hexdigest())

    @property
    def info(self) -> EngineInfo:
        """The panel as if it were one model: the shortest context of its models, and their bytes together."""
        least = min(self._infos, key=lambda each: each.context)
        return replace(
            least,
            name=self.model.name,
            sha256=self.model.sha256,
            path="",
            bytes=sum(each.bytes for each in self._infos),
            architecture="",
            quantisation="",
            notes=tuple(f"{each.name}: {note}" for each in self._infos for note in each.notes),
            slow=False,
        )

    @property
    def one(self) -> MainJudge:
        raise one_model_needed()

    @property
    def parts(self) -> Parts:
        found = sorted(zip((info.sha256 for info in self._infos), self._parts, strict=True), key=lambda each: each[0])
        return Parts(
            heads=tuple(name for _, parts in found for name in parts.heads),
            plan=tuple(name for _, parts in found for name in parts.plan),
            criteria=tuple(name for _, parts in found for name in parts.criteria),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        faults = (f"{each.name}: {fault}" for each in self._infos for fault in self._files.faults(each.sha256))
        return (*self.info.notes, *faults)

    def load(self, cancel: CancelToken | None) -> Iterator[Event]:
        """Find all the models and load each once, so that nothing is missing in the middle of a verdict. Raises
        ``ModelError`` and ``UsageError`` ``E_PANEL_TWICE``."""
        self.loaded.check(self.panel.members)
        self._errors = SharedErrors.load(models_dir() / "panels")
        try:
            for spec in self.panel.members:
                judge = yield from self.loaded.judge(spec, cancel)
                if any(info.sha256 == judge.model.sha256 for info in self._infos):
                    raise twice(judge.model.name)
                self._infos.append(judge.engine.info)
                self._parts.append(Parts.of(judge))
        except BaseException:
            self.loaded.close()
            raise

    def take_up_criteria(self) -> None:
        self.loaded.judge_again()

    def close(self) -> None:
        """Free its models; a model that is used again is loaded again."""
        self.loaded.close()

    def sign(self, draft: Draft[Any]) -> None:
        draft.model = self.model

    def run(self, kind: JudgedKind[Q, R, D], draft: D, request: Q, work: Work) -> Iterator[Event | D]:
        # Each model rates a joke even if its checks reject it: the panel decides on admission. The panel also
        # recognises kin.
        own = request.replaced(generator="", **({"forced": True} if isinstance(draft, RatingDraft) else {}))
        texts = [getattr(request, name) for name in kind.fields]
        generator: str = getattr(request, "generator", "")
        total = len(self.panel.members)
        said: list[ModelVerdict[Any]] = []
        failed: dict[str, ErrorInfo] = {}
        architectures: dict[str, str] = {}
        weights: dict[str, float] = {}
        yield StageStarted(stage=Stage.READING, total=total)
        for done, (spec, model) in enumerate(zip(self.panel.members, self._models, strict=True)):
            yield StageProgress(stage=Stage.READING, done=done, total=total, note=f"Asking {model.name}")
            judge = yield from self.loaded.judge(spec, work.cancel)
            architectures[model.sha256] = judge.engine.info.architecture
            weights = dict(judge.criteria.weights)
            self._parts[done] = Parts.of(judge)
            draft.build = judge.engine.info.build
            found = yield from self._own(OneModel(judge, self._files), kind, own, work)
            draft.usage = draft.usage + (found.result.usage if found.result is not None else Usage())
            if isinstance(found, Failed):
                if found.error.ends_the_run:
                    raise restore(found.error)
                failed[model.sha256] = found.error
            elif found.result is not None:
                context: str = getattr(request, "context", "")
                said.append(ModelVerdict(model, found.result, worth_of(judge, texts, context)))
                for warning in found.result.warnings:
                    draft.warn(f"{model.name}: {warning}")
        draft.criteria_version, draft.prompt_version = self._parts[-1].criteria
        heads = sorted(version for parts in self._parts for version in parts.heads)
        draft.head_version = hashlib.sha256("\0".join(heads).encode()).hexdigest()[:16]
        if not said:
            raise restore(next(iter(failed.values())))
        if generator and all(are_kin(generator, model.name, architectures[model.sha256]) for model in self._models):
            draft.warn(only_kin(generator, [model.name for model in self._models]))
        self._join(draft, kind, said, failed, weights)
        yield Interim(result=draft.freeze())
        yield StageFinished(stage=Stage.READING, seconds=draft.usage.seconds)

    def _own(
        self, model: OneModel, kind: JudgedKind[Any, Any, Any], request: Any, work: Work
    ) -> Generator[Event, None, Finished | Failed]:
        """Run one model's own verdict and return its last event; of the others, only the calibration's progress is
        yielded."""

        def ready(_cancel: CancelToken | None) -> Generator[Event, None, Judges]:
            return model
            yield

        for event in Recorder(work.recorder.store, ready).give(kind, request, work.place, work.cancel):
            if isinstance(event, Finished | Failed):
                return event
            if isinstance(event, Cancelled):
                raise Stopped()
            if isinstance(event, StageProgress) and event.stage is Stage.CALIBRATION:
                yield event
        raise AssertionError("a verdict ended without a last event")

    def _join(
        self,
        draft: Draft[Any],
        kind: JudgedKind[Any, Any, Any],
        said: Sequence[ModelVerdict[Any]],
        failed: dict[str, ErrorInfo],
        weights: dict[str, float],
    ) -> None:
        errors, measured = self._errors.between([one.model.sha256 for one in said])
        joint = join([one.worth for one in said], errors)
        dissent: tuple[Dissent, ...] = ()
        if isinstance(draft, RatingDraft):
            fill_rating(draft, said, joint, weights)
            dissent = rating_dissent(draft, said)
        elif isinstance(draft, DuelDraft):
            fill_duel(draft, said, joint)
            dissent = duel_dissent(draft, said)
        leads = [share if _leads(one.result) else 0.0 for one, share in zip(said, joint.shares, strict=True)]
        whole = sum(leads) or 1.0
        by_model = {one.model.sha256: (one, share / whole) for one, share in zip(said, leads, strict=True)}
        members = []
        for model in self._models:
            if model.sha256 in failed:
                members.append(PanelMember(model=model, error=failed[model.sha256]))
                draft.warn(f"{model.name} has no verdict: {failed[model.sha256].sentence}")
                continue
            one, share = by_model[model.sha256]
            members.append(_member(kind, one, share))
        found = PanelFindings(
            name=self.panel.name or " + ".join(model.name for model in self._models),
            members=tuple(members),
            votes=independent_votes(errors),
            correlation=mean_correlation(errors),
            measured=measured and len(said) > 1,
            dissent=dissent,
        )
        if isinstance(draft, RatingDraft | DuelDraft):
            draft.panel = found


def _leads(result: VerdictResult) -> bool:
    """Whether a model's verdict contributes to the panel's main result: not a rating of a text too unlike the jokes
    that people voted on."""
    audience = getattr(result, "audience", None)
    return bool(getattr(audience, "heard", True))


def _member(kind: JudgedKind[Any, Any, Any], one: ModelVerdict[Any], share: float) -> PanelMember:
    result: VerdictResult = one.result
    audience = getattr(result, "audience", None)
    return PanelMember(
        model=one.model,
        verdict=result.id,
        worth=one.worth,
        weight=share,
        headline=kind.headline(result).sentence,
        percentile=audience.percentile if kind is RATING and audience is not None and audience.heard else None,
        p_a=getattr(result, "p_a", None) if kind is DUEL else None,
    )
