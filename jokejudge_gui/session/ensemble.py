"""Several models as one judge: each gives its own verdict, one after the other, and the weighted mean of their verdicts
is recorded as their parent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from ..core.config import JOINED
from ..core.errors import Cancelled as Stopped
from ..core.errors import ErrorInfo, JokeJudgeError, UsageError, info, restore
from ..core.events import Event, Interim, Stage, StageProgress
from ..core.verdicts import ModelRef, PanelFindings, PanelMember, VerdictResult
from ..engine.base import CancelToken, Engine, EngineInfo
from ..judge.duel.kind import DUEL
from ..judge.ensemble import joined, worth_of
from ..judge.ensemble_words import kin_caution
from ..judge.judged_kind import JudgedKind, staged, without_events
from ..judge.main_judge import MainJudge
from ..judge.rating.kind import RATING
from .judge_files import JudgeFiles
from .recording import Judges, OneModel, Q, R, Recorder, Versions, Work, versions_of

TOGETHER: tuple[JudgedKind[Any, Any], ...] = (RATING, DUEL)
"""The kinds of verdict that several models give together."""
_MOST_MEMBERS = 8
_KEPT_BYTES = 4 * 10**9
"""The most bytes of model files that stay loaded beside each other; at least one does."""

Opener: TypeAlias = Callable[[str, CancelToken | None], Generator[Event, None, Engine]]


def members_of(spec: str | None) -> tuple[str, ...]:
    """Return the models that judge together; empty for a single one. Raises ``UsageError`` ``E_PANEL_SIZE`` and
    ``E_PANEL_TWICE``."""
    members = tuple(filter(None, (name.strip() for name in (spec or "").split(JOINED))))
    if len(members) < 2:
        return ()
    if len(members) > _MOST_MEMBERS:
        raise UsageError("E_PANEL_SIZE", f"Two to {_MOST_MEMBERS} models can judge together.", "Name fewer.")
    for place, member in enumerate(members):
        if member.casefold() in map(str.casefold, members[:place]):
            raise _twice(member)
    return members


def one_model_needed() -> UsageError:
    """Return the error for a request that several models can't answer together."""
    return UsageError(
        "E_PANEL_KIND",
        "Several models give ratings and duels together, and nothing else.",
        "Choose one model for this (--model NAME).",
    )


def _twice(name: str) -> UsageError:
    return UsageError("E_PANEL_TWICE", f"A model is named twice: {name}.", "A model has only one vote: name it once.")


class Ensemble:
    """Several models that judge together."""

    def __init__(self, members: tuple[str, ...], open_engine: Opener, files: JudgeFiles) -> None:
        self.members = members
        self._open, self._files = open_engine, files
        self._loaded: dict[str, MainJudge] = {}
        self._infos: list[EngineInfo] = []
        self._versions: list[Versions] = []

    @property
    def _models(self) -> list[ModelRef]:
        return [ModelRef(name=info.name, sha256=info.sha256) for info in self._infos]

    @property
    def model(self) -> ModelRef:
        """The models as one: their names, and a hash over their hashes."""
        digest = hashlib.sha256("\0".join(sorted(model.sha256 for model in self._models)).encode())
        return ModelRef(name=JOINED.join(model.name for model in self._models), sha256=digest.hexdigest())

    @property
    def info(self) -> EngineInfo:
        """The models as if they were one: the shortest context, and their bytes together."""
        return replace(
            min(self._infos, key=lambda info: info.context),
            name=self.model.name,
            sha256=self.model.sha256,
            path="",
            bytes=sum(info.bytes for info in self._infos),
            architecture="",
            quantisation="",
            notes=tuple(f"{info.name}: {note}" for info in self._infos for note in info.notes),
        )

    @property
    def judge(self) -> MainJudge:
        raise one_model_needed()

    @property
    def versions(self) -> Versions:
        sorts = [its for _, its in sorted(zip(self._infos, self._versions, strict=True), key=lambda of: of[0].sha256)]
        return {name: tuple(version for its in sorts for version in its[name]) for name in sorts[0]}

    @property
    def notes(self) -> tuple[str, ...]:
        faults = (f"{info.name}: {fault}" for info in self._infos for fault in self._files.faults(info.sha256))
        return (*self.info.notes, *faults)

    def load(self, cancel: CancelToken | None) -> Iterator[Event]:
        """Load each model once, so that nothing is missing in the middle of a verdict. Raises the errors of loading,
        and ``UsageError`` ``E_PANEL_TWICE`` for one model under two names."""
        try:
            for spec in self.members:
                judge = yield from self._judge(spec, cancel)
                if any(info.sha256 == judge.model.sha256 for info in self._infos):
                    raise _twice(judge.model.name)
                self._infos.append(judge.engine.info)
                self._versions.append(versions_of(judge))
        except BaseException:
            self.close()
            raise

    def _judge(self, spec: str, cancel: CancelToken | None) -> Generator[Event, None, MainJudge]:
        """Return a model's judge, loading it if needed; the models used longest ago are freed for it."""
        judge = self._loaded.pop(spec, None)
        if judge is None:
            while sum(kept.engine.info.bytes for kept in self._loaded.values()) > _KEPT_BYTES / 2:
                self._loaded.pop(next(iter(self._loaded))).engine.close()
            engine = yield from self._open(spec, cancel)
            try:
                judge = self._files.judge(engine)
            except JokeJudgeError:
                engine.close()
                raise
        self._loaded[spec] = judge
        return judge

    def take_up_criteria(self) -> None:
        self._loaded = {spec: self._files.judge(judge.engine) for spec, judge in self._loaded.items()}

    def close(self) -> None:
        """Free the models; one that is used again is loaded again."""
        while self._loaded:
            self._loaded.popitem()[1].engine.close()

    def sign(self, draft: VerdictResult) -> None:
        draft.model = self.model

    def run(self, kind: JudgedKind[Q, R], draft: R, request: Q, work: Work) -> Iterator[Event | R]:
        yield from staged(draft, Stage.READING, self._asked(kind, draft, request, work), total=len(self.members))
        yield Interim(result=draft.freeze())

    def _asked(self, kind: JudgedKind[Q, R], draft: R, request: Q, work: Work) -> Generator[Event | R, None, None]:
        generator: str = getattr(request, "generator", "")
        own = request.replaced(generator="")
        results: dict[str, R] = {}
        errors: dict[str, ErrorInfo] = {}
        for place, (spec, model) in enumerate(zip(self.members, self._models, strict=True)):
            yield StageProgress(stage=Stage.READING, done=place, total=len(self.members), note=f"Asking {model.name}")
            judge = yield from self._judge(spec, work.cancel)
            self._versions[place] = versions_of(judge)
            recorder = Recorder(work.recorder.store, partial(_ready, OneModel(judge, self._files)))
            alone = replace(work, recorder=recorder)
            try:
                result = without_events(alone.child(kind, own))
            except Stopped:
                raise
            except JokeJudgeError as error:
                errors[model.sha256] = info(error)
                if errors[model.sha256].ends_the_run:
                    raise
                draft.warn(f"{model.name} has no verdict: {error.sentence}")
            else:
                results[model.sha256] = result
                draft.usage = draft.usage + result.usage
                for warning in result.warnings:
                    draft.warn(f"{model.name}: {warning}")
            draft.build = judge.engine.info.build
            draft.criteria_version, draft.prompt_version = self._versions[place]["criteria"]
        if not results:
            raise restore(next(iter(errors.values())))
        draft.head_version = hashlib.sha256("\0".join(self.versions["heads"]).encode()).hexdigest()[:16]
        draft.warn(kin_caution([generator], self._infos))
        self._join(kind, draft, results, errors)

    def _join(
        self, kind: JudgedKind[Any, Any], draft: Any, results: Mapping[str, Any], errors: Mapping[str, ErrorInfo]
    ) -> None:
        joint, weights = joined(list(results.values()))
        for name in {*type(joint).model_fields, "explanation", "calibrated"} - _OWN:
            setattr(draft, name, getattr(joint, name))
        together, pages = kind.words(joint), {sha256: kind.words(result) for sha256, result in results.items()}
        weight_of = dict(zip(results, weights, strict=True))

        def member(model: ModelRef) -> PanelMember:
            if (error := errors.get(model.sha256)) is not None:
                return PanelMember(model=model, error=error)
            result, headline = results[model.sha256], pages[model.sha256].headline
            audience, verdict = getattr(result, "audience", None), result.id
            place = getattr(audience, "percentile", None) if getattr(audience, "heard", False) else None
            return PanelMember(
                model=model, verdict=verdict, worth=worth_of(result), weight=weight_of[model.sha256],
                headline=headline, percentile=place, p_a=getattr(result, "p_a", None),
            )  # fmt: skip

        agree = sum(page.badge == together.badge for page in pages.values())
        own = {"finding": together.headline, "agree": agree, "of": len(results)}
        dissent = (own,) if len(results) > 1 else ()
        draft.panel = PanelFindings(name=self.model.name, members=tuple(map(member, self._models)), dissent=dissent)


def _ready(model: OneModel, _cancel: CancelToken | None) -> Generator[Event, None, Judges]:
    return model
    yield


_OWN = {*VerdictResult.model_fields, "generator", "panel"} - {"explanation", "calibrated"}
"""The fields that the joint verdict doesn't take from its parts."""
