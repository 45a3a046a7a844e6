"""An evaluation as a job: the judge is asked about labelled rows, and its answers are measured."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from .. import __version__
from ..batch import lines
from ..batch.build import made_by
from ..batch.lines import Line, NoFile, RowDone, RowsFile, counted, each_row
from ..core.errors import JokeJudgeError, info
from ..core.events import ChecksDone, Event, Failed, Finished, Last, Stage, StageProgress, last_of
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
    macro,
    measure_pairs,
    measure_ratings,
    percentile_of,
    validation,
)
from .labelled import LabelledFile, LabelledPair, LabelledText, ReadText, Row, read_pairs, read_ratings, read_reference
from .reference import ReferenceAnswer, ReferenceReport, kind_hit, measure_reference
from .template_stages import shipped_readings

# Answers, kept as lines so that the next run asks nothing twice


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
    def in_line(cls, line: Line) -> Answer:
        """Return the answer in a line of ``AnswersFile``. Raises ``ValueError``, ``KeyError`` or ``TypeError``."""
        kind: type[VerdictResult] = DuelResult if "text_a" in line else RatingResult
        values = {name: line[name] for name in _KEPT[kind]}
        values["audience"] = line.get("estimate") or values["audience"]
        if isinstance(values["audience"], dict):
            values["audience"] = {name: value for name, value in values["audience"].items() if name != "said"}
        read = ReferenceAnswer.model_validate(line["found"]) if line.get("found") is not None else None
        return cls(kind.model_validate({"id": line["id"], **values}), _label_in(line), read, str(line["program"]))

    @property
    def of_pair(self) -> DuelResult | None:
        """The answer on a pair; None where there is none."""
        result = self.result
        return result if isinstance(result, DuelResult) and result.error is None and result.p_a is not None else None

    @property
    def of_text(self) -> RatingResult | None:
        """The answer on a text; None where there is none."""
        result = self.result
        return result if isinstance(result, RatingResult) and result.error is None else None


_BOTH = ("audience", "model", "mode", "error")
_KEPT: dict[type[VerdictResult], tuple[str, ...]] = {
    DuelResult: (
        "text_a", "text_b", "winner", "p_a", "confidence_factor", "band", "consistent", "position_bias", "shares",
        "length_controlled", *_BOTH,
    ),
    RatingResult: ("text", "admissible", "mean_score", "max_score", *_BOTH),
}  # fmt: skip
"""The fields of a verdict that an evaluation uses."""


def _label_in(line: Line) -> Row | None:
    """Return people's label of a line's row; None where the line has none, or an invalid one."""
    people = line.get("people")
    if not isinstance(people, dict):
        return None
    if "text_a" in line:
        votes = _number(people.get("votes_a")), _number(people.get("votes_b"))
        winner = people.get("winner")
        return LabelledPair(line["text_a"], line["text_b"], winner, *votes) if winner in ("A", "B") else None
    if "kinds" in people:
        sets = {name: frozenset(people[name]) for name in ("kinds", "faults")}
        return ReadText(**{**people, "text": line["text"], **sets, "turns": tuple(people["turns"])})
    humor = people.get("is_humor")
    return LabelledText(line["text"], _number(people.get("rating")), humor if isinstance(humor, bool) else None)


def _number(value: Any) -> float | None:
    good = type(value) in (int, float) and math.isfinite(value)
    return float(value) if good else None


class AnswersFile(RowsFile):
    """The answers of a run: the terminal's JSON objects, with ``people``'s label of the row, so that two files of
    answers can be compared without the labelled file, ``estimate``, the audience's also where a verdict withholds it,
    and ``found``, what is compared with a reading. Raises ``UsageError`` ``E_EVALUATE_OUT`` for any other file."""

    refused = ("E_EVALUATE_OUT", "a line of an evaluation", "Give --out a new name.")

    def __init__(self, path: Path) -> None:
        super().__init__(path, "evaluate")

    def keep(self, line: Line) -> bool:
        Answer.in_line(line)
        return super().keep(line)


@dataclass(frozen=True)
class AskedRow(lines.Row):
    """A labelled row to ask about; ``name``: its id in the labelled file."""

    label: Row | None = None
    name: str | None = None


# The rows of an evaluation one by one, as a table for other programs

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
            if (read := answer.found) is not None:
                values |= {
                    "right": kind_hit(row, read) if row.joke >= 0.5 else None,
                    "judge_kinds": _BETWEEN.join(read.chosen), "judge_turn": read.turn_in(row.text),
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
    table = CsvLines()
    yield table.line(COLUMNS)
    for item in items:
        yield table.line(map(item.get, COLUMNS))


# The run

Opener: TypeAlias = Callable[[Session], RowsFile | NoFile]
"""Opens the file of answers; called once the model is loaded, and closed at the end of the run."""


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
        files: list[LabelledFile[Row]] = [*map(read_pairs, pairs), *map(read_ratings, ratings)]
        for file in (*files, *map(read_reference, reference)):
            plan.drawn.append((file, draw(len(file.rows), limit, seed)))
        if reference:
            plan.learned = frozenset(row.text for row in read_reference(str(shipped_readings())).rows)
        return plan

    @property
    def files(self) -> list[LabelledFile[Row]]:
        """All files, those of pairs first."""
        return [file for file, _ in self.drawn]

    def rows(self) -> list[AskedRow]:
        """Return the rows to ask about, in the order drawn, one from each file in turn, so that an interrupted run has
        some of each."""
        rows: dict[str, AskedRow] = {}
        for turn in range(max((len(places) for _, places in self.drawn), default=0)):
            for file, places in self.drawn:
                if turn < len(places):
                    label, name = file.rows[places[turn]], file.ids[places[turn]]
                    key = key_of(label)
                    rows.setdefault(key, AskedRow(line=0, id=key, texts=(), label=label, name=name))
        return list(rows.values())

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
                rated = {place: text for place, answer in given.items() if (text := answer.of_text) is not None}
                return measure_ratings(
                    file.name, file.column, texts, rated, bad=bad, errors=len(given) - len(rated), seed=self.seed
                )
            case ReadText():
                readings = [row for row in file.rows if isinstance(row, ReadText)]
                shown = {place: answer.found for place, answer in given.items() if answer.found is not None}
                learned = sum(readings[place].text in self.learned for place in shown)
                return measure_reference(
                    file.name, readings, shown, bad=bad, errors=len(given) - len(shown), learned=learned
                )


def ask(
    session: Session, plan: Plan, *, answers: Opener = lambda _session: NoFile(), cancel: CancelToken
) -> Iterator[Event]:
    """Ask about the rows that have no answer; the answers are added to the plan, nothing to the history. Yields what
    ``each_row`` yields, and the model's loading before."""

    def asked(row: AskedRow) -> Iterator[Event]:
        label = row.label
        if isinstance(label, LabelledPair):
            return session.duel(*label.texts, explain=False, record=False, cancel=cancel)
        assert label is not None
        events = session.rate(label.text, explain=False, record=False, cancel=cancel)
        return _until_checked(events, session, label.text) if label.asked == "check" else events

    def line(row: AskedRow, last: Last) -> Line:
        label, result, error = row.label, last.result, last.error if isinstance(last, Failed) else None
        if result is None and isinstance(label, LabelledPair):
            result = DuelResult(id="", text_a=label.text_a, text_b=label.text_b)
        elif result is None:
            assert label is not None
            result = RatingResult(id="", text=label.texts[0])
        result = result.replaced(id=row.id, error=error, mode=session.settings.mode)
        people = {name: _plain(value) for name, value in asdict(label).items() if "text" not in name} if label else None
        read = None
        if isinstance(label, ReadText) and error is None and isinstance(result, RatingResult):
            read = ReferenceAnswer.of(result).model_dump(mode="json")
        return {
            **kind_of(result).contract(result),
            "row": row.name,
            "mode": result.mode,
            "program": __version__,
            "shares": [share.model_dump() for share in result.shares] if isinstance(result, DuelResult) else [],
            "people": people,
            "estimate": result.audience.model_dump() if isinstance(result, RatingResult) and result.audience else None,
            **({"found": read} if read is not None else {}),
            "made_by": made,
        }

    try:
        if session.model is None:
            last = yield from last_of(session.load(cancel=cancel))
            if not isinstance(last, Finished):
                yield last
                return
        made = made_by(session)
        with closing(answers(session)) as file:
            rows = plan.rows()
            tally = counted(rows, file)
            file.check(made, adding=tally.left > 0)
            for event in each_row(rows, asked, line, file, tally, shown=_slow, again=True):
                if isinstance(event, RowDone):
                    answer = Answer.in_line(event.line)
                    plan.known[answer.result.id] = answer
                else:
                    yield event
    except JokeJudgeError as error:
        yield Failed(error=info(error))


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


def _slow(event: Event) -> bool:
    """Whether an event of a verdict is passed on: only those of slow stages are."""
    return isinstance(event, StageProgress) and event.stage is Stage.CALIBRATION


def _until_checked(events: Iterator[Event], session: Session, text: str) -> Iterator[Event]:
    """Run a rating up to its five checks: scores that nothing is compared with aren't computed."""
    for event in events:
        yield event
        if isinstance(event, ChecksDone):
            admissible = all(check.passed for check in event.checks)
            checked: dict[str, Any] = {
                "admissible": admissible, "admissibility": event.checks, "model": session.model,
            }  # fmt: skip
            yield Finished(result=RatingResult(id="", text=text, mode=session.settings.mode, **checked))
            return
