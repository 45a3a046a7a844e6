"""Two models on the same labelled rows, one after another: what each says is kept as the Trust tab keeps it, so that
nothing is asked twice, and then they are held against each other row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ..audit.pairs import SHIPPED, shipped_cases
from ..engine.base import CancelToken
from ..errors import InputError, JokeJudgeError, UsageError, info
from ..evaluation.comparison import Comparison
from ..evaluation.evaluation_types import LabelledPair
from ..evaluation.items import items_csv
from ..evaluation.labelled import PairsFile, labels_of
from ..evaluation.reading_labels import read_reference
from ..events import Cancelled, Event, Failed, Finished
from ..session import Session
from ..tables import read_bytes
from .answers import AnswersFile, key_of
from .compare import Labels, SavedRun, compare
from .evaluation import Plan, ask
from .kept import KeptEvaluations

SHIPPED_PAIRS = 200
SessionOf = Callable[[str], AbstractContextManager[Session]]
"""Opens a session that loads the model with this path or name; it is closed at the end."""


class OneOfTwo(Event):
    """A model's turn: ``place`` 0 or 1, by its path or name."""

    spec: str
    place: int


class Beside(Event):
    """How the two compare; the one event before the last."""

    found: Comparison


@dataclass(frozen=True)
class Lists:
    """What both models judge: labelled files, by kind. None at all: pairs of the rated jokes that come with the
    program."""

    pairs: tuple[str, ...] = ()
    ratings: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Sequence[str]) -> Lists:
        """Files by what they hold: readings by their ending, the others by their header. Raises what ``labels_of``
        raises."""
        if "-" in files:
            raise InputError("E_INPUT_FILE", "Both models read the list, so it can't be stdin.", "Name a file.")
        read = tuple(name for name in files if Path(name).suffix.lower() in (".jsonl", ".ndjson"))
        kinds = {name: labels_of(name) for name in files if name not in read}
        pairs = tuple(name for name in kinds if kinds[name] == "pairs")
        return cls(pairs, tuple(name for name in kinds if kinds[name] == "ratings"), read)

    @property
    def files(self) -> tuple[str, ...]:
        return (*self.pairs, *self.ratings, *self.reference)

    @property
    def name(self) -> str:
        """The files' names, for people."""
        return ", ".join(Path(file).name for file in self.files) or SHIPPED

    def plan(self, limit: int | None, seed: int) -> Plan:
        """The rows to ask about. Raises what ``Plan.read`` raises."""
        if self.files:
            return Plan.read(self.pairs, self.ratings, limit, seed, self.reference)
        file = PairsFile(SHIPPED)
        for case in shipped_cases(limit or SHIPPED_PAIRS):
            assert case.winner is not None
            file.rows.append(LabelledPair(case.text_a, case.text_b, case.winner, None, None))
            file.ids.append(case.id)
        return Plan(limit, seed, pairs=[(file, list(range(len(file.rows))))])

    def content(self, plan: Plan) -> bytes:
        """Names what is judged, as the Trust tab does of the files that are chosen there."""
        if self.files:
            return b"\0".join(read_bytes(name) for name in self.files)
        return "\0".join(task.key for task in plan.tasks()).encode()

    def labels(self) -> Labels:
        """Readings stand in no file of answers, so they are given beside."""
        found = Labels()
        for source in self.reference:
            for read in read_reference(source).rows:
                found.reference.setdefault(key_of("read", read.text), read)
        return found


@dataclass
class SideBySide:
    """A comparison of two models. ``runs``: what each answered, once both did; ``labels`` beside them."""

    models: tuple[str, str]
    lists: Lists
    limit: int | None
    seed: int
    kept: KeptEvaluations

    def __post_init__(self) -> None:
        self.runs: list[SavedRun] = []
        self.labels = self.lists.labels()

    def run(self, session_of: SessionOf, cancel: CancelToken) -> Iterator[Event]:
        """Ask both, one after another. Yields what ``evaluation.ask`` yields, ``OneOfTwo`` before each model, and
        ``Beside`` before the last event. One that was stopped goes on where it was."""
        last: Event = Finished()
        try:
            for place, spec in enumerate(self.models):
                yield OneOfTwo(spec=spec, place=place)
                with session_of(spec) as session:
                    for event in self._ask(session, cancel):
                        if not isinstance(event, Finished | Failed | Cancelled):
                            yield event
                        last = event
                if not isinstance(last, Finished):
                    yield last
                    return
            yield Beside(found=compare(self.runs[0], self.runs[1], self.labels))
            yield Finished()
        except JokeJudgeError as error:
            yield Failed(error=info(error))

    def _ask(self, session: Session, cancel: CancelToken) -> Iterator[Event]:
        plan = self.lists.plan(self.limit, self.seed)
        stem = ""

        def answers(session: Session) -> AnswersFile:
            nonlocal stem
            model = session.model
            if session.judge is None or model is None:
                raise UsageError(
                    "E_COMPARE_PANEL", "A panel can't be compared here.", "Name two models, each by itself."
                )
            earlier = self.runs[0] if self.runs else None
            one = next(iter(earlier.results.values())).model if earlier is not None else None
            if one is not None and one.sha256 == model.sha256:
                raise UsageError("E_COMPARE_SAME", "Both names mean the same model.", "Name two different models.")
            stem = self.kept.stem_for(session, self.lists.content(plan))
            return self.kept.answers(stem)

        last: Event = Finished()
        for event in ask(session, plan, answers=answers, cancel=cancel):
            if isinstance(event, Finished | Failed | Cancelled):
                last = event
            else:
                yield event
        if isinstance(last, Finished):
            found = plan.measured(session.model, session.mode, whole=True)
            self.kept.save(stem, found, self.lists.name, b"".join(items_csv(plan.items())))
            asked = {task.key for task in plan.tasks()}
            saved = SavedRun.read(self.kept.folder / f"{stem}.jsonl", self.lists.name)
            # The file may hold answers of a longer run.
            saved.results = {key: result for key, result in saved.results.items() if key in asked}
            self.runs.append(saved)
        yield last
