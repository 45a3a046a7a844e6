"""An evaluation as a job: the judge is asked about labelled rows, and its answers are measured."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

from .. import __version__
from ..batch.lines import Line, LinesFile
from ..core.errors import JokeJudgeError, UsageError, info
from ..core.events import Cancelled, ChecksDone, Event, Failed, Finished, Last, RowBegun, Stage, StageProgress, last_of
from ..core.outputs import CsvLines
from ..core.verdicts import Mode, ModelRef, VerdictResult
from ..engine.base import CancelToken
from ..judge.duel.record import DuelResult, side_of
from ..judge.kinds import kind_of
from ..judge.rating.record import RatingResult
from ..session.session import Session
from .evaluation import (
    Evaluation,
    PairsReport,
    RatingsReport,
    draw,
    measure_pairs,
    measure_ratings,
    percentile_of,
)
from .labelled import (
    LabelledFile,
    LabelledPair,
    LabelledText,
    ReadText,
    Row,
    read_pairs,
    read_ratings,
    read_reference,
)
from .reference import ReferenceAnswer, ReferenceReport, kind_hit, measure_reference
from .template_stages import shipped_readings
from .validation import macro, validation

# -- answers, kept as lines so that the next run asks nothing twice ----------------------------------------------------


def key_of(row: Row) -> str:
    """Return a key of the question about a row, whatever its file: the same texts are judged once."""
    digest = hashlib.sha256("\0".join(row.texts).encode("utf-8", "surrogatepass"))
    return f"{row.asked}-{digest.hexdigest()[:24]}"


@dataclass(frozen=True)
class Answer:
    """A judge's answer to a row. ``label``: people's label; ``found``: the parts that are compared with a reading;
    ``program``: the version that asked."""

    result: VerdictResult
    label: Row | None = None
    found: ReferenceAnswer | None = None
    program: str = __version__

    @classmethod
    def in_line(cls, line: dict[str, Any]) -> Answer:
        """Return the answer in a line from ``line_of``. Raises ``ValueError``, ``KeyError`` or ``TypeError``."""
        result, program = result_of(line), str(line["program"])
        found = ReferenceAnswer.model_validate(line["found"]) if line.get("found") is not None else None
        return cls(result, _label_in(line), found, program)

    @property
    def of_pair(self) -> DuelResult | None:
        """The answer on a pair; None where there is none."""
        result = self.result
        if not isinstance(result, DuelResult) or result.error is not None or result.p_a is None:
            return None
        return result

    @property
    def of_text(self) -> RatingResult | None:
        """The answer on a text; None where there is none."""
        result = self.result
        return result if isinstance(result, RatingResult) and result.error is None else None


def line_of(key: str, row: str | None, answer: Answer) -> dict[str, Any]:
    """Return a line: the terminal's JSON object with additional fields for an evaluation. ``people``: people's label of
    the row, so that two files of answers can be compared without the labelled file; ``found``: the parts that are
    compared with a reading."""
    result, label = answer.result, answer.label
    people = None
    if label is not None and not isinstance(label, ReadText):
        people = {name: value for name, value in asdict(label).items() if name not in ("text_a", "text_b", "text")}
    return {
        **kind_of(result).contract(result),
        "id": key,
        "row": row,
        "mode": result.mode,
        "program": answer.program,
        "shares": [share.model_dump() for share in result.shares] if isinstance(result, DuelResult) else [],
        "people": people,
        **({"found": answer.found.model_dump(mode="json")} if answer.found is not None else {}),
    }


def _label_in(line: dict[str, Any]) -> Row | None:
    """Return people's label of a line's row; None where the line has none, or an invalid one."""
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


def result_of(line: dict[str, Any]) -> VerdictResult:
    """Return the result in a line from ``line_of``, with the fields that an evaluation uses. Raises ``ValueError`` for
    anything else."""
    kind: type[VerdictResult] = DuelResult if "text_a" in line else RatingResult
    names = (
        ("text_a", "text_b", "winner", "p_a", "confidence_factor", "band", "consistent", "position_bias", "shares")
        if kind is DuelResult
        else ("text", "admissible", "mean_score", "max_score")
    )
    extra = ("audience", "model", "mode", "error", *(("length_controlled",) if kind is DuelResult else ()))
    values = {name: line[name] for name in (*names, *extra)}
    if isinstance(values["audience"], dict):
        values["audience"] = {name: each for name, each in values["audience"].items() if name != "said"}
    return kind.model_validate({"id": line["id"], **values})


RUN = "evaluate"


class AnswersFile(LinesFile):
    """The answers of a run by key: whole lines, each written at once, and read by the next run."""

    refused = ("E_EVALUATE_OUT", "a line of an evaluation", "Give --out a new name.")

    def __init__(self, path: Path) -> None:
        """Raises ``UsageError`` ``E_EVALUATE_OUT`` for any other file."""
        self.answers: dict[str, Answer] = {}
        super().__init__(path, RUN)

    def keep(self, line: Line) -> bool:
        answer = Answer.in_line(line)
        self.answers[answer.result.id] = answer
        return True

    def check(self, model: ModelRef | None, mode: Mode) -> None:
        """Raise ``UsageError`` where existing lines come from another model, mode or version."""
        for answer in self.answers.values():
            result = answer.result
            other = model is not None and result.model is not None and result.model.sha256 != model.sha256
            if other or result.mode != mode or answer.program != __version__:
                what = f"the model {result.model.name}" if other and result.model else "another mode or version"
                raise UsageError(
                    "E_EVALUATE_OUT",
                    f"{self.path} holds answers of {what}, which can't be mixed with these.",
                    "Give --out a new name.",
                )


# -- the rows of an evaluation one by one, as a table for other programs -----------------------------------------------

_BETWEEN = " / "


COLUMNS = (
    "file", "row", "kind", "text_a", "text_b", "text", "winner", "votes_a", "votes_b", "rating", "is_humor", "judge",
    "p_a", "right", "consistent", "position_bias", "admissible", "score", "audience", "error", "kinds", "judge_kinds",
    "turn", "judge_turn",
)  # fmt: skip
"""Columns of a row that was drawn. ``file``: the labelled file's name, ``row``: the row's id in it, else its number
from 1 among the usable rows; ``kind``: pair, text or reading. People's side: ``winner`` and votes, or ``rating`` and
``is_humor`` (0, 1); the judge's: the columns after ``judge`` (its winner). ``right`` is 1, ½ for even odds, or 0: of a
pair whether it leans to people's winner, of a text whether admission agrees with ``is_humor``. ``error``: the code of
an error in place of an answer. Of a reading: the reader's ``kinds`` and ``turn`` (several are separated by `` / ``),
the verdict's ``judge_kinds`` (those named) and ``judge_turn``, and whether it is admitted as a joke; ``right``: whether
the most probable kind is one of the reader's. Columns that don't apply are empty."""
Item: TypeAlias = dict[str, Any]
"""A row that was drawn, by column."""


def _item(file: LabelledFile[Row], place: int, answer: Answer) -> Item:
    row, error = file.rows[place], answer.result.error
    values: Item = {
        "file": file.name, "row": file.ids[place] or str(place + 1), "error": error.code if error is not None else "",
    }  # fmt: skip
    text = answer.of_text
    if text is not None:
        values["admissible"] = _whole(text.admissible)
    match row:
        case LabelledPair():
            values |= asdict(row) | {"kind": "pair"}
            if (won := answer.of_pair) is not None and won.p_a is not None:
                values |= {
                    "judge": side_of(won.p_a), "p_a": won.p_a, "right": pair_hit(won.p_a, row),
                    "consistent": _whole(won.consistent), "position_bias": won.position_bias,
                }  # fmt: skip
        case LabelledText():
            values |= {"kind": "text", "text": row.text, "rating": row.rating, "is_humor": _whole(row.is_humor)}
            if text is not None:
                values |= {"score": text.mean_score, "audience": percentile_of(text)}
                if row.is_humor is not None and text.admissible is not None:
                    values["right"] = float(row.is_humor == text.admissible)
        case ReadText():
            kinds, turns = _BETWEEN.join(sorted(row.kinds)), _BETWEEN.join(row.turns)
            values |= {"kind": "reading", "text": row.text, "is_humor": int(row.joke >= 0.5)}
            values |= {"kinds": kinds, "turn": turns}
            if (found := answer.found) is not None:
                values |= {
                    "right": kind_hit(row, found) if row.joke >= 0.5 else None,
                    "judge_kinds": _BETWEEN.join(found.chosen), "judge_turn": found.turn_in(row.text),
                }  # fmt: skip
    return values


def pair_hit(p_a: float, label: LabelledPair) -> float:
    """Return 1 where the judge leans to people's winner, 0 where it doesn't. ½ only at even odds: a slight lean is an
    answer, too."""
    lean = (p_a > 0.5) - (p_a < 0.5)
    return 0.5 + 0.5 * lean * (1 if label.winner == "A" else -1)


def _whole(value: bool | None) -> int | None:
    return None if value is None else int(value)


def items_csv(items: Iterable[Item]) -> Iterator[bytes]:
    """Yield the table as CSV (UTF-8), a line at a time, the columns' names first."""
    lines = CsvLines()
    yield lines.line(COLUMNS)
    for item in items:
        yield lines.line(map(item.get, COLUMNS))


# -- the run -----------------------------------------------------------------------------------------------------------

Opener: TypeAlias = Callable[[Session], AnswersFile | None]
"""Opens the file of answers; called once the model is loaded, and closed at the end of the run."""


class RowsDone(RowBegun):
    """``done`` of the ``total`` rows without an answer, in ``seconds``."""


class Measuring(Event):
    """All answers are there; the baselines are being fitted to the files."""


class Evaluated(Event):
    """The evaluation; the event before the last."""

    found: Evaluation


@dataclass
class Plan:
    """The rows drawn from each file, by index, and the answers so far, by key; ``learned``: texts that the shipped
    heads may have been trained on."""

    limit: int | None = None
    seed: int = 1
    drawn: list[tuple[LabelledFile[Row], list[int]]] = field(default_factory=list)
    known: dict[str, Answer] = field(default_factory=dict)
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
        for file in read_files(pairs, ratings, reference):
            plan.drawn.append((file, draw(len(file.rows), limit, seed)))
        if reference:
            plan.learned = frozenset(row.text for row in read_reference(str(shipped_readings())).rows)
        return plan

    @property
    def files(self) -> list[LabelledFile[Row]]:
        """All files, those of pairs first."""
        return [file for file, _ in self.drawn]

    def tasks(self) -> Iterator[tuple[Row, str | None]]:
        """Yield the rows to ask about with their ids, in the order drawn, one from each file in turn, so that an
        interrupted run has some of each."""
        for turn in range(max((len(places) for _, places in self.drawn), default=0)):
            for file, places in self.drawn:
                if turn < len(places):
                    yield file.rows[places[turn]], file.ids[places[turn]]

    def items(self) -> Iterator[Item]:
        """Yield the drawn rows that have an answer, one by one, in the files' order."""
        for file, places in self.drawn:
            for place, answer in sorted(self._answers(file, places).items()):
                yield _item(file, place, answer)

    def measured(self, model: ModelRef | None, mode: Mode, *, whole: bool) -> Evaluation:
        """Measure the known answers. Takes seconds where files are large."""
        reports = [self._report(file, places) for file, places in self.drawn]
        pairs = tuple(report for report in reports if isinstance(report, PairsReport))
        ratings = tuple(report for report in reports if isinstance(report, RatingsReport))
        return Evaluation(
            model=model,
            mode=mode,
            seed=self.seed,
            limit=self.limit,
            whole=whole,
            pairs=pairs,
            ratings=ratings,
            macro=macro(pairs),
            validation=validation(pairs, ratings),
            reference=tuple(report for report in reports if isinstance(report, ReferenceReport)),
        )

    def _answers(self, file: LabelledFile[Row], places: Sequence[int]) -> dict[int, Answer]:
        known = ((place, self.known.get(key_of(file.rows[place]))) for place in places)
        return {place: answer for place, answer in known if answer is not None}

    def _report(self, file: LabelledFile[Row], places: Sequence[int]) -> PairsReport | RatingsReport | ReferenceReport:
        given = self._answers(file, places)
        bad = len(file.bad)
        match file.rows[0]:
            case LabelledPair():
                rows = [row for row in file.rows if isinstance(row, LabelledPair)]
                won = {place: pair for place, answer in given.items() if (pair := answer.of_pair) is not None}
                return measure_pairs(
                    file.name, rows, won, ties=file.ties, bad=bad, errors=len(given) - len(won), seed=self.seed
                )
            case LabelledText():
                texts = [row for row in file.rows if isinstance(row, LabelledText)]
                said = {place: text for place, answer in given.items() if (text := answer.of_text) is not None}
                return measure_ratings(
                    file.name, file.column, texts, said, bad=bad, errors=len(given) - len(said), seed=self.seed
                )
            case ReadText():
                readings = [row for row in file.rows if isinstance(row, ReadText)]
                shown = {place: answer.found for place, answer in given.items() if answer.found is not None}
                learned = sum(readings[place].text in self.learned for place in shown)
                return measure_reference(
                    file.name, readings, shown, bad=bad, errors=len(given) - len(shown), learned=learned
                )


def read_files(pairs: Sequence[str], ratings: Sequence[str], reference: Sequence[str]) -> Iterator[LabelledFile[Row]]:
    """Read labelled files, and files of readings. Raises what ``read_pairs`` and ``read_reference`` raise."""
    yield from map(read_pairs, pairs)
    yield from map(read_ratings, ratings)
    yield from map(read_reference, reference)


def evaluate(
    session: Session, plan: Plan, *, answers: Opener = lambda _session: None, cancel: CancelToken
) -> Iterator[Event]:
    """Run ``ask``, and before its last event yield ``Measuring`` and ``Evaluated``, with the answers so far where that
    event is ``Failed`` or ``Cancelled``. Raises what ``ask`` raises."""
    for event in ask(session, plan, answers=answers, cancel=cancel):
        if isinstance(event, Finished | Failed | Cancelled):
            yield Measuring()
            whole = isinstance(event, Finished)
            yield Evaluated(found=plan.measured(session.model, session.settings.mode, whole=whole))
        yield event


def ask(
    session: Session, plan: Plan, *, answers: Opener = lambda _session: None, cancel: CancelToken
) -> Iterator[Event]:
    """Ask about the rows that the plan has no answer for; the answers are added to the plan, nothing to the history.

    Yields the model's loading (if none is loaded), ``RowsDone`` before each row, and one last event. Raises
    ``JokeJudgeError`` where the kept answers can't be used."""
    last: Last = Finished()
    if session.model is None:
        last = yield from last_of(session.load(cancel=cancel))
    if isinstance(last, Finished):
        file = answers(session)
        try:
            if file is not None:
                file.check(session.model, session.settings.mode)
                plan.known.update(file.answers)
            last = yield from _ask_all(session, plan, file, cancel)
        finally:
            if file is not None:
                file.close()
    yield last


def _ask_all(
    session: Session, plan: Plan, file: AnswersFile | None, cancel: CancelToken
) -> Generator[Event, None, Last]:
    tasks = {key_of(row): (row, id) for row, id in plan.tasks()}
    todo = [(key, row, id) for key, (row, id) in tasks.items() if key not in plan.known]
    began = time.monotonic()
    try:
        for done, (key, row, id) in enumerate(todo):
            yield RowsDone(done=done, total=len(todo), seconds=time.monotonic() - began)
            last = yield from _ask(session, row, key, cancel)
            if isinstance(last, Cancelled):
                return last
            if isinstance(last, Failed) and last.error.ends_the_run:
                return Failed(error=last.error)
            error = last.error if isinstance(last, Failed) else None
            result = last.result
            if result is None and isinstance(row, LabelledPair):
                result = DuelResult(id=key, text_a=row.text_a, text_b=row.text_b)
            elif result is None:
                result = RatingResult(id=key, text=row.texts[0])
            result = result.replaced(id=key, error=error, mode=session.settings.mode)
            found = None
            if isinstance(row, ReadText) and error is None and isinstance(result, RatingResult):
                found = ReferenceAnswer.of(result)
            plan.known[key] = Answer(result, row, found)
            if file is not None:
                file.append(line_of(key, id, plan.known[key]))
    except JokeJudgeError as error:
        return Failed(error=info(error))
    return Finished()


def _ask(session: Session, row: Row, key: str, cancel: CancelToken) -> Generator[Event, None, Last]:
    if isinstance(row, LabelledPair):
        return (yield from last_of(session.duel(*row.texts, explain=False, record=False, cancel=cancel), _slow))
    events = session.rate(row.text, explain=False, record=False, cancel=cancel)
    if row.asked != "check":
        return (yield from last_of(events, _slow))
    with closing(cast("Generator[Event]", events)):
        return (yield from last_of(_until_checked(events, session, row.text, key), _slow))


def _slow(event: Event) -> bool:
    """Whether an event of a verdict is passed on: only those of slow stages are."""
    return isinstance(event, StageProgress) and event.stage is Stage.CALIBRATION


def _until_checked(events: Iterator[Event], session: Session, text: str, key: str) -> Iterator[Event]:
    """Run a rating up to its five checks: scores that nothing is compared with aren't computed."""
    for event in events:
        yield event
        if isinstance(event, ChecksDone):
            admissible = all(check.passed for check in event.checks)
            known: dict[str, Any] = {"admissible": admissible, "admissibility": event.checks, "model": session.model}
            yield Finished(result=RatingResult(id=key, text=text, mode=session.settings.mode, **known))
            return
