"""An evaluation as a job: the judge is asked about labelled rows, and its answers are measured."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from .. import __version__
from ..batch.build import made_by
from ..batch.lines import Line, Out, RowDone, RowsFile, counted, each_row
from ..batch.lines import Row as BatchRow
from ..core.events import ChecksDone, Event, Failed, Finished, Last, Stage, StageProgress, last_event
from ..core.outputs import CsvLines
from ..core.verdicts import Mode, ModelRef
from ..engine.base import CancelToken
from ..judge.duel.record import DuelResult, side_of
from ..judge.kinds import kind_of
from ..judge.rating.record import RatingResult
from ..session.session import Session
from .evaluation import Answer, Report, draw, macro, measure_pairs, measure_ratings, validation
from .labelled import (
    LabelledFile,
    LabelledPair,
    LabelledText,
    ReadText,
    Row,
    read_pairs,
    read_ratings,
    read_reference,
    shipped_readings,
)
from .reference import ReferenceAnswer, kind_hit, measure_reference


def key_of(row: Row) -> str:
    """Return a key of the question about a row, whatever its file: the same texts are judged once."""
    digest = hashlib.sha256("\0".join(row.texts).encode("utf-8", "surrogatepass"))
    return f"{row.asked}-{digest.hexdigest()[:24]}"


class AnswersFile(RowsFile):
    """The answers of a run, kept so that the next run asks nothing twice: the terminal's JSON objects, and what
    ``Answer`` adds. Raises ``UsageError`` ``E_EVALUATE_OUT`` for any other file."""

    refused = ("E_EVALUATE_OUT", "a line of an evaluation", "Give --out a new name.")

    def __init__(self, path: Path) -> None:
        super().__init__(path, "evaluate")

    def keep(self, line: Line) -> bool:
        Answer.model_validate(line)
        return super().keep(line)


_LABELS: dict[type[Row], TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (LabelledPair, LabelledText, ReadText)
}  # fmt: skip


def label_of(answer: Answer) -> Row | None:
    """Return people's label in an answer's line; None where the line has none, or an invalid one."""
    people = answer.people or {}
    kind: type[Row] = LabelledPair if answer.text is None else ReadText if "kinds" in people else LabelledText
    texts = {"text": answer.text, "text_a": answer.text_a, "text_b": answer.text_b}
    try:
        label: Row | None = _LABELS[kind].validate_python({**texts, **people}) if people else None
    except ValidationError:
        return None
    return label


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
    row, done = file.rows[place], answer.answered
    values: Item = {
        "file": file.name, "row": file.ids[place] or str(place + 1), "error": answer.error.code if answer.error else "",
        "admissible": _whole(answer.admissible) if done else None,
    }  # fmt: skip
    match row:
        case LabelledPair():
            values |= asdict(row) | {"kind": "pair"}
            if done and answer.p_a is not None:
                values |= {
                    "judge": side_of(answer.p_a), "p_a": answer.p_a, "right": pair_hit(answer.p_a, row),
                    "consistent": _whole(answer.consistent), "position_bias": answer.position_bias,
                }  # fmt: skip
        case LabelledText():
            values |= asdict(row) | {"kind": "text", "is_humor": _whole(row.is_humor)}
            if done:
                values |= {"score": answer.mean_score, "audience": answer.percentile}
                if row.is_humor is not None and answer.admissible is not None:
                    values["right"] = float(row.is_humor == answer.admissible)
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


def items_csv(items: Iterable[Item], columns: Sequence[str] = COLUMNS) -> Iterator[bytes]:
    """Yield the table as CSV (UTF-8), a line at a time, the columns' names first."""
    table = CsvLines()
    yield table.line(columns)
    for item in items:
        yield table.line(map(item.get, columns))


# The run


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

    def rows(self) -> dict[str, tuple[Row, str | None]]:
        """Return the rows to ask about by key, each with its id in the file, in the order drawn, one from each file in
        turn, so that an interrupted run has some of each."""
        rows: dict[str, tuple[Row, str | None]] = {}
        for turn in range(max((len(places) for _, places in self.drawn), default=0)):
            for file, places in self.drawn:
                if turn < len(places):
                    label, name = file.rows[places[turn]], file.ids[places[turn]]
                    rows.setdefault(key_of(label), (label, name))
        return rows

    def items(self) -> Iterator[Item]:
        """Yield the drawn rows that have an answer, one by one, in the files' order."""
        for file, places in self.drawn:
            for place, answer in sorted(self._answers(file, places).items()):
                yield _item(file, place, answer)

    def measured(self, model: ModelRef | None, mode: Mode, *, whole: bool) -> Report:
        """Measure the known answers. Takes seconds where files are large. ``macro``: means over the files of pairs,
        each counted once; ``whole`` False: stopped before all the rows drawn were judged."""
        reports: dict[str, list[Report]] = {"pairs": [], "ratings": [], "reference": []}
        for file, places in self.drawn:
            part, report = self._report(file, places)
            reports[part].append(report)
        pairs, ratings = reports["pairs"], reports["ratings"]
        return {
            "model": model.model_dump() if model is not None else None, "mode": mode, "seed": self.seed,
            "limit": self.limit, "whole": whole, "pairs": pairs, "ratings": ratings, "macro": macro(pairs),
            "validation": validation(pairs, ratings), "reference": reports["reference"],
        }  # fmt: skip

    def _answers(self, file: LabelledFile[Row], places: Sequence[int]) -> dict[int, Answer]:
        known = ((place, self.known.get(key_of(file.rows[place]))) for place in places)
        return {place: answer for place, answer in known if answer is not None}

    def _report(self, file: LabelledFile[Any], places: Sequence[int]) -> tuple[str, Report]:
        given = self._answers(file, places)
        done = {place: answer for place, answer in given.items() if answer.answered}
        left: dict[str, Any] = {"bad": len(file.bad), "errors": len(given) - len(done)}
        match file.rows[0]:
            case LabelledPair():
                return "pairs", measure_pairs(file.name, file.rows, done, ties=file.ties, seed=self.seed, **left)
            case LabelledText():
                return "ratings", measure_ratings(
                    file.name, file.column, file.rows, done, seed=self.seed, **left
                )  # fmt: skip
            case _:
                shown = {place: answer.found for place, answer in done.items() if answer.found is not None}
                learned = sum(file.rows[place].text in self.learned for place in shown)
                left["errors"] = len(given) - len(shown)
                return "reference", measure_reference(file.name, file.rows, shown, learned=learned, **left)


@last_event
def ask(
    session: Session,
    plan: Plan,
    *,
    answers: Callable[[Session], Out] = lambda _session: Out(),
    cancel: CancelToken,
) -> Iterator[Event]:
    """Ask about the rows that have no answer; the answers are added to the plan, nothing to the history. ``answers``:
    opens the file of answers, once the model is loaded. Yields what ``each_row`` yields, and the model's loading
    before."""
    labels = plan.rows()
    made: dict[str, str] = {}

    def asked(row: BatchRow) -> Iterator[Event]:
        label, _ = labels[row.id or ""]
        if isinstance(label, LabelledPair):
            return session.duel(*label.texts, explain=False, record=False, cancel=cancel)
        events = session.rate(label.text, explain=False, record=False, cancel=cancel)
        return _until_checked(events, session, label.text) if label.asked == "check" else events

    def line(row: BatchRow, last: Last) -> Line:
        (label, name), error = labels[row.id or ""], last.error if isinstance(last, Failed) else None
        texts = dict(zip(("text_a", "text_b") if len(label.texts) == 2 else ("text",), label.texts, strict=True))
        blank = DuelResult(id="", **texts) if isinstance(label, LabelledPair) else RatingResult(id="", **texts)
        result = (last.result or blank).replaced(id=row.id, error=error, mode=session.settings.mode)
        rated = result if isinstance(result, RatingResult) else None
        read = isinstance(label, ReadText) and error is None and rated is not None
        return {
            **kind_of(result).contract(result),
            "row": name,
            "mode": result.mode,
            "program": __version__,
            "shares": [share.model_dump() for share in result.shares] if isinstance(result, DuelResult) else [],
            "people": {
                name: sorted(value) if isinstance(value, frozenset) else value
                for name, value in asdict(label).items()
                if name not in texts
            },
            "estimate": rated.audience.model_dump() if rated is not None and rated.audience is not None else None,
            **({"found": ReferenceAnswer.of(rated).model_dump(mode="json")} if read and rated is not None else {}),
            "made_by": made,
        }

    yield from session.loaded(cancel)
    made |= made_by(session)
    with closing(answers(session)) as file:
        rows = [BatchRow(line=0, id=key, texts=()) for key in labels]
        tally = counted(rows, file)
        file.check(made, adding=tally.left > 0)
        for event in each_row(rows, asked, line, file, tally, shown=_slow, again=True):
            if isinstance(event, RowDone):
                answer = Answer.model_validate(event.line)
                plan.known[answer.id] = answer
            else:
                yield event


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
