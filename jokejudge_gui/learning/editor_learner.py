"""Everything that is learned of jokes for one model on the user's machine, part by part: editor's heads, draft heads,
heads for sense, and what asking the model adds to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..core.events import Event
from ..core.paths import Profile
from ..core.vote_sets import shipped_votes
from ..engine.base import CancelToken
from ..judge.main_judge import MainJudge
from ..judge.plan.worth import PlanFiles
from .drafts_job import fit_drafts
from .editor_data import read_drafts, read_readings
from .editor_job import fit_editor_heads
from .jobs import kept_path
from .plan_job import PlanMeasured, duel_items, measure_plan
from .plan_prose import prose_items
from .sense_job import fit_sense_heads

_ASKING = ("plan", "duels", "prose")
"""What the plan is made of, each kept in a file until the plan is whole."""


class EditorLearner:
    """Over the user's ``profile`` and the ``models`` folder that ships. States and answers lie in the profile's cache
    until a part is done."""

    def __init__(self, profile: Profile, models: Path, plans: PlanFiles) -> None:
        self._profile = profile
        self._models = models
        self._plans = plans

    def begun(self, sha256: str) -> bool:
        """Whether learning was begun with a model, and not finished."""
        folder = self._profile.texts_read
        return (folder / sha256[:16]).is_dir() or any(kept_path(folder, sha256, job).is_file() for job in _ASKING)

    def missing(self, judge: MainJudge) -> bool:
        """Whether a part isn't there yet."""
        reader = judge.reader
        return reader.editor is None or reader.drafts is None or self._no_sense(judge) or not judge.plan.planned

    def _no_sense(self, judge: MainJudge) -> bool:
        """Whether there are no heads for sense, nor a card that says that they weren't worth keeping."""
        card = self._profile.sense / f"{judge.model.sha256[:16]}.json"
        return judge.reader.sense is None and not card.is_file()

    def all(
        self,
        judge: MainJudge,
        learned: Callable[[MainJudge], None],
        *,
        again: bool = False,
        cancel: CancelToken | None = None,
    ) -> Iterator[Event]:
        """The parts that are missing, or all ``again``. ``learned``: lets the judge use what was fitted. Raises what
        the parts raise."""
        cache = self._profile.texts_read
        readings, drafts = self._models / "readings" / "readings.jsonl", self._models / "drafts" / "drafts.jsonl"
        if again or judge.reader.editor is None:
            known = read_readings(readings)
            yield from fit_editor_heads(judge.engine, known, read_drafts(drafts), self._profile.editor, cache, cancel)
            learned(judge)
        if again or judge.reader.drafts is None:
            yield from fit_drafts(judge.engine, drafts, self._profile.drafts, cache, cancel)
            learned(judge)
        if again or self._no_sense(judge):
            families, reader = self._models / "contrasts" / "families.jsonl", judge.reader
            yield from fit_sense_heads(
                judge.engine, families, self._profile.sense, cache, reader.drafts, reader.head, cancel
            )
            learned(judge)
        if again or not judge.plan.planned:
            yield from self.plan(judge, cancel)

    def plan(self, judge: MainJudge, cancel: CancelToken | None = None) -> Iterator[Event]:
        """What asking adds, and what the model's own sentences are worth. Raises what ``measure_plan`` raises."""
        cache, sha256 = self._profile.texts_read, judge.model.sha256
        for duel in (False, True):
            yield from judge.calibrate(duel=duel, cancel=cancel)
        duels = yield from duel_items(judge, shipped_votes().ratings, cache, cancel)
        readings = read_readings(self._models / "readings" / "readings.jsonl")
        prose = yield from prose_items(judge, readings, cache, cancel)
        for event in measure_plan(judge, readings, self._plans, cache, cancel, more=(*duels, *prose)):
            if isinstance(event, PlanMeasured):
                for job in _ASKING:
                    kept_path(cache, sha256, job).unlink(missing_ok=True)
                judge.plan_again()
            yield event
