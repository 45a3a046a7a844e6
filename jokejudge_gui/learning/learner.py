"""What a model learns on the user's machine, part by part: editor's heads, draft heads, heads for sense, and what is
worth asking it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..core.events import Event
from ..core.paths import Profile
from ..core.vote_sets import shipped_votes
from ..engine.base import CancelToken
from ..judge.asking.measured import MeasuredFiles
from ..judge.main_judge import MainJudge
from .drafts_fit import DraftsLesson
from .editor_data import Readings, read_drafts, read_readings
from .editor_lesson import EditorLesson
from .sense_lesson import SenseLesson
from .teacher import Lesson, Part, Teacher
from .worth import measure_worth


class Learner:
    """Teaches models for the user's ``profile``, from the ``models`` folder that ships. What was read is in the
    profile's cache until a part is done."""

    def __init__(self, profile: Profile, models: Path, measured: MeasuredFiles) -> None:
        self._profile, self._models, self._measured = profile, models, measured

    def begun(self, sha256: str) -> bool:
        """Whether teaching was begun for a model and not finished."""
        return (self._profile.texts_read / sha256[:16]).is_dir()

    def missing(self, judge: MainJudge) -> tuple[Part, ...]:
        """Return the parts that don't exist yet."""
        reader = judge.reader
        # A card without heads says that they weren't good enough to be kept.
        tried = (self._profile.sense / f"{judge.model.sha256[:16]}.json").is_file()
        there: dict[Part, bool] = {
            "editor": reader.editor is not None,
            "drafts": reader.drafts is not None,
            "sense": reader.sense is not None or tried,
            "plan": judge.plan.planned,
        }
        return tuple(part for part, exists in there.items() if not exists)

    def all(
        self,
        judge: MainJudge,
        learned: Callable[[MainJudge], None],
        *,
        again: bool = False,
        cancel: CancelToken | None = None,
    ) -> Iterator[Event]:
        """Teach the missing parts, or all ``again``, each of which ends with ``Learned``. ``learned``: makes the judge
        use the new part. Raises what the parts raise."""
        teacher = Teacher(judge.engine, self._profile.texts_read, cancel)
        families, drafts = (self._models / file for file in ("contrasts/families.jsonl", "drafts/drafts.jsonl"))
        lessons: dict[Part, tuple[Callable[[], Lesson[Any]], Path]] = {
            "editor": (lambda: EditorLesson(self._readings(), read_drafts(drafts)), self._profile.editor),
            "drafts": (lambda: DraftsLesson(drafts), self._profile.drafts),
            "sense": (lambda: SenseLesson(families, judge.reader.drafts, judge.head), self._profile.sense),
        }
        for part, (lesson, own) in lessons.items():
            if again or part in self.missing(judge):
                yield from teacher.teach(lesson(), own)
                learned(judge)
        if again or "plan" in self.missing(judge):
            yield from self.plan(judge, cancel)

    def plan(self, judge: MainJudge, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Measure what the model's answers are worth. Raises what ``measure_worth`` raises."""
        teacher = Teacher(judge.engine, self._profile.texts_read, cancel)
        readings, rated = self._readings(), shipped_votes().ratings
        with judge.under(cancel):
            yield from measure_worth(judge, readings, rated, self._measured, teacher)

    def _readings(self) -> Readings:
        return read_readings(self._models / "readings" / "readings.jsonl")
