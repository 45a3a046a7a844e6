"""Fits all heads of one model on the user's machine, part by part: editor's heads, draft heads, heads for sense, and
the plan of the questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from ..core.events import Event
from ..core.paths import Profile
from ..core.vote_sets import shipped_votes
from ..engine.base import CancelToken
from ..heads.files import heads_figures
from ..judge.asking.measured import MeasuredFiles
from ..judge.asking.worth import ItemWorth
from ..judge.main_judge import MainJudge
from .drafts_job import DraftsFitted, fit_drafts
from .editor_data import read_drafts, read_readings
from .editor_job import EditorFitted, fit_editor_heads
from .jobs import kept_path
from .plan_job import PlanMeasured, duel_items, measure_plan, sense_area, sense_items
from .plan_prose import prose_items
from .sense_job import SenseFitted, fit_sense_heads

Part = Literal["editor", "drafts", "sense", "plan"]
Learned = EditorFitted | DraftsFitted | SenseFitted | PlanMeasured
"""The last event of each part."""
_ASKING = ("plan", "duels", "prose", "sense")
"""The parts of the plan, each kept in a file until the plan is complete."""


class EditorLearner:
    """Fits the parts, for the user's ``profile``, from the ``models`` folder that ships. States and answers are in the
    profile's cache until a part is done."""

    def __init__(self, profile: Profile, models: Path, measured: MeasuredFiles) -> None:
        self._profile = profile
        self._models = models
        self._measured = measured

    def begun(self, sha256: str) -> bool:
        """Whether fitting was begun for a model and not finished."""
        folder = self._profile.texts_read
        return (folder / sha256[:16]).is_dir() or any(kept_path(folder, sha256, job).is_file() for job in _ASKING)

    def missing(self, judge: MainJudge) -> tuple[Part, ...]:
        """Return the parts that don't exist yet."""
        reader = judge.reader
        there: dict[Part, bool] = {
            "editor": reader.editor is not None,
            "drafts": reader.drafts is not None,
            "sense": not self._no_sense(judge),
            "plan": judge.plan.planned,
        }
        return tuple(part for part, known in there.items() if not known)

    def _no_sense(self, judge: MainJudge) -> bool:
        """Whether there are neither heads for sense nor a card that says that they weren't kept."""
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
        """Fit the missing parts, or all ``again``. ``learned``: makes the judge use the new part. Raises what the parts
        raise."""
        cache = self._profile.texts_read
        readings, drafts = self._models / "readings" / "readings.jsonl", self._models / "drafts" / "drafts.jsonl"
        if again or "editor" in self.missing(judge):
            known = read_readings(readings)
            yield from fit_editor_heads(judge.engine, known, read_drafts(drafts), self._profile.editor, cache, cancel)
            learned(judge)
        if again or "drafts" in self.missing(judge):
            yield from fit_drafts(judge.engine, drafts, self._profile.drafts, cache, cancel)
            learned(judge)
        if again or "sense" in self.missing(judge):
            families, reader = self._models / "contrasts" / "families.jsonl", judge.reader
            yield from fit_sense_heads(
                judge.engine, families, self._profile.sense, cache, reader.drafts, reader.head, cancel
            )
            learned(judge)
        if again or "plan" in self.missing(judge):
            yield from self.plan(judge, cancel)

    def plan(self, judge: MainJudge, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Measure the gain from asking and the quality of the model's own sentences. Raises what ``measure_plan``
        raises."""
        cache, sha256 = self._profile.texts_read, judge.model.sha256
        for duel in (False, True):
            yield from judge.calibrate(duel=duel, cancel=cancel)
        duels = yield from duel_items(judge, shipped_votes().ratings, cache, cancel)
        readings = read_readings(self._models / "readings" / "readings.jsonl")
        prose = yield from prose_items(judge, readings, cache, cancel)
        families, heads = self._models / "contrasts" / "families.jsonl", (self._profile.sense, self._models / "sense")
        known = sense_area(heads_figures(sha256, *heads)) if judge.reader.sense is not None else None
        sense: tuple[ItemWorth, ...] = ()
        if known is not None or judge.reader.sense is None:
            sense = yield from sense_items(judge, families, known, cache, cancel)
        for event in measure_plan(judge, readings, self._measured, cache, cancel, more=(*duels, *prose, *sense)):
            if isinstance(event, PlanMeasured):
                for job in _ASKING:
                    kept_path(cache, sha256, job).unlink(missing_ok=True)
                judge.plan_again()
            yield event


def in_words(event: Learned) -> str:
    """Return the result in a sentence or two."""
    match event:
        case EditorFitted():
            figures, count = event.card.figures, event.card.readings
            return (
                f"It reads jokes now: learned from {count:,} texts that an editor read, scores agree with the editor's "
                f"at r {figures.factors:.2f}, {figures.factors_shown} of 16 factors are worth showing, and the "
                f"likeliest kind is right in {100 * figures.kinds_first:.0f} of 100 jokes."
            )
        case DraftsFitted():
            right = 100 * event.figures.agreement
            return f"It compares drafts now: of two drafts of one joke it prefers the editor's in {right:.0f} of 100."
        case SenseFitted():
            found = event.figures
            end = "Verdicts use it." if event.kept else "That is too near to chance: it isn't kept."
            return (
                f"Of a joke and what only looks like one it prefers the joke in {100 * found.right:.0f} of 100 "
                f"({100 * found.right_interval[0]:.0f} to {100 * found.right_interval[1]:.0f}; by writers that it "
                f"hadn't learned from). {end}"
            )
    plan = event.plan
    asked = sum(item.ask for item in plan.items)
    begin = f"Asked about {plan.texts} texts that an editor read,"
    if not asked:
        return f"{begin} the model's answers add too little to what is read off its states: nothing is asked."
    return f"{begin} the model's answers are worth it for {asked} items: {plan.tokens:,} tokens more a verdict."
