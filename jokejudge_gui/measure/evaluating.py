"""An evaluation as a job: the judge is asked about rows that people judged, and its answers are measured."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from .. import __version__
from ..batch.lines import LinesFile, RowBegun
from ..core.errors import ErrorInfo, JokeJudgeError, UsageError, info
from ..core.events import Cancelled, CheckDone, Event, Failed, Finished, Stage, StageProgress
from ..core.files import parse_json
from ..core.verdicts import CHECKS, CheckResult, DuelResult, Mode, ModelRef, RatingResult, Result, VerdictResult
from ..engine.base import CancelToken
from ..judge.kinds import kind_of
from ..session.session import Session
from .evaluation import (
    Evaluation,
    LabelledPair,
    LabelledText,
    PairAnswer,
    PairsReport,
    RatingsReport,
    TextAnswer,
    draw,
    measure_pairs,
    measure_ratings,
)
from .labelled import Item, PairsFile, RatingsFile, read_pairs, read_ratings
from .reference import ReadingsFile, ReferenceAnswer, ReferenceReport, measure_reference, read_reference
from .template_stages import shipped_readings
from .validation import macro, validation

# --------------------------------------------------------------------------------------------------------------------
# A judge's answers in a long run, each kept as a line as it comes, so that the next run asks nothing twice.


def key_of(kind: str, *texts: str) -> str:
    """Names what was asked, whatever file it stands in: the same texts are judged once."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass"))
    return f"{kind}-{digest.hexdigest()[:24]}"


def line_of(
    key: str,
    row: str | None,
    result: VerdictResult,
    error: ErrorInfo | None,
    label: LabelledPair | LabelledText | None = None,
    found: ReferenceAnswer | None = None,
) -> dict[str, Any]:
    """A raw line: the terminal's object, with what an evaluation needs beside it. ``people``: what people said of the
    row, so that two files of answers can be compared by themselves; ``found``: what is held against a reading."""
    shares = [share.model_dump() for share in result.shares] if isinstance(result, DuelResult) else []
    return {
        **kind_of(result).contract(result),
        "id": key,
        "row": row,
        "mode": result.mode,
        "program": __version__,
        "shares": shares,
        "people": _people(label),
        **({"found": found.model_dump(mode="json")} if found is not None else {}),
        "error": error.model_dump() if error else None,
    }


def _people(label: LabelledPair | LabelledText | None) -> dict[str, Any] | None:
    if label is None:
        return None
    texts = ("text_a", "text_b", "text")
    return {name: value for name, value in asdict(label).items() if name not in texts}


def label_in(line: dict[str, Any]) -> LabelledPair | LabelledText | None:
    """What people said of a line's row; None where the line doesn't say, or says what can't be."""
    people = line.get("people")
    if not isinstance(people, dict):
        return None
    if "text_a" in line:
        votes = _number(people.get("votes_a")), _number(people.get("votes_b"))
        winner = people.get("winner")
        return LabelledPair(line["text_a"], line["text_b"], winner, *votes) if winner in ("A", "B") else None
    humor = people.get("is_humor")
    return LabelledText(line["text"], _number(people.get("rating")), humor if isinstance(humor, bool) else None)


def _number(value: Any) -> float | None:
    good = type(value) in (int, float) and math.isfinite(value)
    return float(value) if good else None


def result_of(line: dict[str, Any]) -> Result:
    """What ``line_of`` wrote, as far as an evaluation reads it. Raises ``ValueError`` for anything else."""
    kind: type[Result] = DuelResult if "text_a" in line else RatingResult
    names = (
        ("text_a", "text_b", "winner", "p_a", "confidence_factor", "band", "consistent", "position_bias", "shares")
        if kind is DuelResult
        else ("text", "admissible", "mean_score", "max_score")
    )
    extra = ("audience", "model", "mode", "error", *(("length_controlled",) if kind is DuelResult else ()))
    return kind.model_validate({"id": line["id"], **{name: line[name] for name in (*names, *extra)}})


class AnswersFile(LinesFile):
    """The answers of a run: whole lines, each written at once, and read back by the next run. ``results`` by key, and
    what of them is held against readings."""

    run = "evaluate"

    def __init__(self, path: Path) -> None:
        """Raises ``UsageError`` ``E_EVALUATE_OUT`` for a file that holds anything else."""
        self.results: dict[str, Result] = {}
        self.found: dict[str, ReferenceAnswer] = {}
        self._programs: set[str] = set()
        super().__init__(path)

    def _take(self, line: bytes, number: int) -> None:
        try:
            value = parse_json(line)
            result = result_of(value)
            self._programs.add(str(value["program"]))
            if value.get("found") is not None:
                self.found[result.id] = ReferenceAnswer.model_validate(value["found"])
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault
        self.results[result.id] = result

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_EVALUATE_OUT",
            f"Line {number} of {self.path} isn't a line of an evaluation, so nothing was written to the file.",
            "Give --out a new name.",
        )

    def check(self, model: ModelRef | None, mode: Mode) -> None:
        """Raise ``UsageError`` where the lines that are there come from another model, mode or version."""
        for result in self.results.values():
            other = model is not None and result.model is not None and result.model.sha256 != model.sha256
            if other or result.mode != mode or self._programs - {__version__}:
                what = f"the model {result.model.name}" if other and result.model else "another mode or version"
                raise UsageError(
                    "E_EVALUATE_OUT",
                    f"{self.path} holds answers of {what}, which can't be mixed with these.",
                    "Give --out a new name.",
                )


Asked = Literal["duel", "rate", "check", "read"]
Last: TypeAlias = Finished | Failed | Cancelled
Opener: TypeAlias = Callable[[Session], AnswersFile | None]
"""Where answers are kept; called once the model is loaded, and closed at the end of the run."""


class RowsDone(RowBegun):
    """``done`` of the ``total`` rows that had no answer yet, in ``seconds``."""


class Measuring(Event):
    """All answers are there; the baselines are being learned from the files."""


class Evaluated(Event):
    """What was measured; the one event before the last."""

    found: Evaluation


@dataclass(frozen=True)
class Task:
    """One question to the judge; ``check``: only whether the text is admitted; ``read``: a whole rating,
    to be held against a reading. ``label``: what people said."""

    asked: Asked
    texts: tuple[str, ...]
    row: str | None
    label: LabelledPair | LabelledText | None = None

    @property
    def key(self) -> str:
        return key_of(self.asked, *self.texts)


@dataclass
class Plan:
    """The rows drawn from each file, by place, and the answers so far, by key; ``found``: those to readings;
    ``learned``: texts that the heads which ship may have learned from."""

    limit: int | None = None
    seed: int = 1
    pairs: list[tuple[PairsFile, list[int]]] = field(default_factory=list)
    ratings: list[tuple[RatingsFile, list[int]]] = field(default_factory=list)
    known: dict[str, VerdictResult] = field(default_factory=dict)
    reference: list[tuple[ReadingsFile, list[int]]] = field(default_factory=list)
    found: dict[str, ReferenceAnswer] = field(default_factory=dict)
    learned: frozenset[str] = frozenset()

    @classmethod
    def read(
        cls,
        pairs: Sequence[str],
        ratings: Sequence[str],
        limit: int | None,
        seed: int,
        reference: Sequence[str] = (),
    ) -> Plan:
        """Read the files and draw at most ``limit`` rows of each. Raises what ``read_pairs`` and ``read_reference``
        raise."""
        plan = cls(limit, seed)
        for source in pairs:
            file = read_pairs(source)
            plan.pairs.append((file, draw(len(file.rows), limit, seed)))
        for source in ratings:
            table = read_ratings(source)
            plan.ratings.append((table, draw(len(table.rows), limit, seed)))
        for source in reference:
            readings = read_reference(source)
            plan.reference.append((readings, draw(len(readings.rows), limit, seed)))
        if plan.reference:
            plan.learned = frozenset(row.text for row in read_reference(str(shipped_readings())).rows)
        return plan

    @property
    def files(self) -> list[PairsFile | RatingsFile | ReadingsFile]:
        """All files, those of pairs first."""
        labelled: list[PairsFile | RatingsFile | ReadingsFile] = [file for file, _ in self.pairs]
        labelled += [file for file, _ in self.ratings]
        return labelled + [file for file, _ in self.reference]

    def tasks(self) -> Iterator[Task]:
        """The questions in the order drawn, one from each file in turn, so that a run cut short has some of each."""
        columns: list[list[Task]] = [[_pair_task(file, place) for place in drawn] for file, drawn in self.pairs]
        columns += [[_text_task(file, place) for place in drawn] for file, drawn in self.ratings]
        columns += [[_read_task(file, place) for place in drawn] for file, drawn in self.reference]
        for turn in range(max(map(len, columns), default=0)):
            yield from (column[turn] for column in columns if turn < len(column))

    def measured(self, model: ModelRef | None, mode: Mode, *, whole: bool) -> Evaluation:
        """What the known answers amount to. Takes seconds where files are large."""
        pairs = [self._pairs(file, drawn) for file, drawn in self.pairs]
        ratings = [self._ratings(table, drawn) for table, drawn in self.ratings]
        return Evaluation(
            model=model,
            mode=mode,
            seed=self.seed,
            limit=self.limit,
            whole=whole,
            pairs=tuple(pairs),
            ratings=tuple(ratings),
            macro=macro(pairs),
            validation=validation(pairs, ratings),
            reference=tuple(self._reference(file, drawn) for file, drawn in self.reference),
        )

    def _reference(self, file: ReadingsFile, drawn: Sequence[int]) -> ReferenceReport:
        keys = {place: _read_task(file, place).key for place in drawn}
        answers = {place: self.found[key] for place, key in keys.items() if key in self.found}
        refused = sum(key in self.known and key not in self.found for key in keys.values())
        learned = sum(file.rows[place].text in self.learned for place in answers)
        return measure_reference(file.name, file.rows, answers, bad=len(file.bad), errors=refused, learned=learned)

    def items(self) -> Iterator[Item]:
        """The rows drawn that were asked, one by one, in the files' order."""
        for file, drawn in self.pairs:
            for place in sorted(drawn):
                duel = self.known.get(_pair_task(file, place).key)
                if isinstance(duel, DuelResult):
                    won = PairAnswer.of(duel) if duel.error is None else None
                    yield Item.of_pair(file.name, _row(file, place), file.rows[place], won, _code(duel))
        for table, drawn in self.ratings:
            for place in sorted(drawn):
                rated = self.known.get(_text_task(table, place).key)
                if isinstance(rated, RatingResult):
                    text = TextAnswer.of(rated) if rated.error is None else None
                    yield Item.of_text(table.name, _row(table, place), table.rows[place], text, _code(rated))
        for readings, drawn in self.reference:
            for place in sorted(drawn):
                key = _read_task(readings, place).key
                rated = self.known.get(key)
                if isinstance(rated, RatingResult):
                    said, row = self.found.get(key), readings.rows[place]
                    admitted = rated.admissible if rated.error is None else None
                    yield Item.of_reading(readings.name, _row(readings, place), row, said, admitted, _code(rated))

    def _pairs(self, file: PairsFile, drawn: Sequence[int]) -> PairsReport:
        duels: dict[int, PairAnswer] = {}
        failed = 0
        for place in drawn:
            result = self.known.get(_pair_task(file, place).key)
            answer = PairAnswer.of(result) if isinstance(result, DuelResult) and result.error is None else None
            if answer is not None:
                duels[place] = answer
            elif result is not None:
                failed += 1
        return measure_pairs(
            file.name, file.rows, duels, ties=file.ties, bad=len(file.bad), errors=failed, seed=self.seed
        )

    def _ratings(self, table: RatingsFile, drawn: Sequence[int]) -> RatingsReport:
        texts: dict[int, TextAnswer] = {}
        failed = 0
        for place in drawn:
            result = self.known.get(_text_task(table, place).key)
            if isinstance(result, RatingResult) and result.error is None:
                texts[place] = TextAnswer.of(result)
            elif result is not None:
                failed += 1
        return measure_ratings(
            table.name, table.column, table.rows, texts, bad=len(table.bad), errors=failed, seed=self.seed
        )


def _read_task(file: ReadingsFile, place: int) -> Task:
    return Task("read", (file.rows[place].text,), file.ids[place])


def _row(file: PairsFile | RatingsFile | ReadingsFile, place: int) -> str:
    return file.ids[place] or str(place + 1)


def _code(result: VerdictResult) -> str:
    return result.error.code if result.error is not None else ""


def _pair_task(file: PairsFile, place: int) -> Task:
    row = file.rows[place]
    return Task("duel", (row.text_a, row.text_b), file.ids[place], row)


def _text_task(file: RatingsFile, place: int) -> Task:
    row = file.rows[place]
    return Task("check" if row.rating is None else "rate", (row.text,), file.ids[place], row)


def evaluate(
    session: Session, plan: Plan, *, answers: Opener = lambda _session: None, cancel: CancelToken
) -> Iterator[Event]:
    """``ask``, and before its last event ``Measuring`` and ``Evaluated``: of what there is so far, where that event is
    ``Failed`` or ``Cancelled``. Raises what ``ask`` raises."""
    last: Event = Finished()
    for event in ask(session, plan, answers=answers, cancel=cancel):
        if isinstance(event, Finished | Failed | Cancelled):
            last = event
        else:
            yield event
    yield Measuring()
    yield Evaluated(found=plan.measured(session.model, session.mode, whole=isinstance(last, Finished)))
    yield last


def ask(
    session: Session, plan: Plan, *, answers: Opener = lambda _session: None, cancel: CancelToken
) -> Iterator[Event]:
    """Ask what the plan doesn't know yet; the answers go into the plan, nothing goes into the history.

    Yields the model's loading (if none is loaded), ``RowsDone`` before each row, and one last event. Raises
    ``JokeJudgeError`` where the kept answers can't be used."""
    last: Last = Finished()
    if session.model is None:
        last = yield from _last(session.load(cancel=cancel), shown=True)
    if isinstance(last, Finished):
        file = answers(session)
        try:
            if file is not None:
                file.check(session.model, session.mode)
                plan.known.update(file.results)
                plan.found.update(file.found)
            last = yield from _ask_all(session, plan, file, cancel)
        finally:
            if file is not None:
                file.close()
    yield last


def _ask_all(
    session: Session, plan: Plan, file: AnswersFile | None, cancel: CancelToken
) -> Generator[Event, None, Last]:
    tasks = {task.key: task for task in plan.tasks()}
    todo = [task for task in tasks.values() if task.key not in plan.known]
    began = time.monotonic()
    try:
        for done, task in enumerate(todo):
            yield RowsDone(done=done, total=len(todo), seconds=time.monotonic() - began)
            last = yield from _ask(session, task, cancel)
            if isinstance(last, Cancelled):
                return last
            if isinstance(last, Failed) and last.error.ends_the_run:
                return Failed(error=last.error)
            error = last.error if isinstance(last, Failed) else None
            result = (last.result or _empty(task)).replaced(id=task.key, error=error, mode=session.mode)
            if task.asked == "read" and error is None and isinstance(result, RatingResult):
                plan.found[task.key] = ReferenceAnswer.of(result)
            if file is not None:
                file.append(line_of(task.key, task.row, result, error, task.label, plan.found.get(task.key)))
            plan.known[task.key] = result
    except JokeJudgeError as error:
        return Failed(error=info(error))
    return Finished()


def _empty(task: Task) -> Result:
    if task.asked == "duel":
        return DuelResult(id=task.key, text_a=task.texts[0], text_b=task.texts[1])
    return RatingResult(id=task.key, text=task.texts[0])


def _ask(session: Session, task: Task, cancel: CancelToken) -> Generator[Event, None, Last]:
    if task.asked == "duel":
        return (yield from _last(session.duel(*task.texts, explain=False, record=False, cancel=cancel)))
    events = session.rate(task.texts[0], explain=False, record=False, cancel=cancel)
    if task.asked in ("rate", "read"):
        return (yield from _last(events))
    last = yield from _last(_until_checked(events, session, task))
    close = getattr(events, "close", None)
    if close is not None:
        close()
    return last


def _last(events: Iterator[Event], *, shown: bool = False) -> Generator[Event, None, Last]:
    """Follow a job and return its last event; of the others only what takes long is passed on, or all if ``shown``."""
    for event in events:
        if isinstance(event, Finished | Failed | Cancelled):
            return event
        if shown or (isinstance(event, StageProgress) and event.stage is Stage.CALIBRATION):
            yield event
    raise RuntimeError("a job ended without a last event")


def _until_checked(events: Iterator[Event], session: Session, task: Task) -> Iterator[Event]:
    """A rating as far as its five checks: scores that nothing is held against aren't worth their time."""
    checks: list[CheckResult] = []
    for event in events:
        if isinstance(event, CheckDone):
            checks.append(event.check)
        yield event
        if len(checks) == len(CHECKS):
            known = RatingResult(
                id=task.key,
                text=task.texts[0],
                admissible=all(check.passed for check in checks),
                admissibility=tuple(checks),
                model=session.model,
                mode=session.mode,
            )
            yield Finished(result=known)
            return
