"""An evaluation as a job: the judge is asked about labelled rows, and its answers are measured."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from .. import __version__
from ..batch.build import made_by
from ..batch.lines import Line, Out, RowDone, RowsFile, counted, each_row
from ..batch.lines import Row as BatchRow
from ..core.events import ChecksDone, Event, Failed, Finished, Last, Stage, StageProgress, last_event
from ..core.verdicts import Mode, ModelRef
from ..engine.base import CancelToken
from ..judge.duel.record import DuelResult
from ..judge.kinds import kind_of
from ..judge.rating.record import RatingResult
from ..session.session import Session
from .evaluation import Answer, Report, draw, macro, measure_pairs, measure_ratings, validation
from .labelled import LabelledFile, LabelledPair, LabelledText, Row, read_pairs, read_ratings


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
    kind: TypeAdapter(kind) for kind in (LabelledPair, LabelledText)
}  # fmt: skip


def label_of(answer: Answer) -> Row | None:
    """Return people's label in an answer's line; None where the line has none, or an invalid one."""
    people = answer.people or {}
    kind: type[Row] = LabelledPair if answer.text is None else LabelledText
    texts = {"text": answer.text, "text_a": answer.text_a, "text_b": answer.text_b}
    try:
        label: Row | None = _LABELS[kind].validate_python({**texts, **people}) if people else None
    except ValidationError:
        return None
    return label


def pair_hit(p_a: float, label: LabelledPair) -> float:
    """Return 1 where the judge leans to people's winner, 0 where it doesn't. ½ only at even odds: a slight lean is an
    answer, too."""
    lean = (p_a > 0.5) - (p_a < 0.5)
    return 0.5 + 0.5 * lean * (1 if label.winner == "A" else -1)


# The run


@dataclass
class Plan:
    """The rows drawn from each file, by index, and the answers so far, by key."""

    limit: int | None = None
    seed: int = 1
    drawn: list[tuple[LabelledFile[Row], list[int]]] = field(default_factory=list)
    known: dict[str, Answer] = field(default_factory=dict)

    @classmethod
    def read(cls, pairs: Sequence[str], ratings: Sequence[str], limit: int | None, seed: int) -> Plan:
        """Read the files and draw at most ``limit`` rows of each. Raises what ``read_pairs`` raises."""
        plan = cls(limit, seed)
        files: list[LabelledFile[Row]] = [*map(read_pairs, pairs), *map(read_ratings, ratings)]
        plan.drawn = [(file, draw(len(file.rows), limit, seed)) for file in files]
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

    def measured(self, model: ModelRef | None, mode: Mode, *, whole: bool) -> Report:
        """Measure the known answers. Takes seconds where files are large. ``macro``: means over the files of pairs,
        each counted once; ``whole`` False: stopped before all the rows drawn were judged."""
        reports: dict[str, list[Report]] = {"pairs": [], "ratings": []}
        for file, places in self.drawn:
            part, report = self._report(file, places)
            reports[part].append(report)
        pairs, ratings = reports["pairs"], reports["ratings"]
        return {
            "model": model.model_dump() if model is not None else None, "mode": mode, "seed": self.seed,
            "limit": self.limit, "whole": whole, "pairs": pairs, "ratings": ratings, "macro": macro(pairs),
            "validation": validation(pairs, ratings),
        }  # fmt: skip

    def _answers(self, file: LabelledFile[Row], places: Sequence[int]) -> dict[int, Answer]:
        known = ((place, self.known.get(key_of(file.rows[place]))) for place in places)
        return {place: answer for place, answer in known if answer is not None}

    def _report(self, file: LabelledFile[Any], places: Sequence[int]) -> tuple[str, Report]:
        given = self._answers(file, places)
        done = {place: answer for place, answer in given.items() if answer.answered}
        left: dict[str, Any] = {"bad": len(file.bad), "errors": len(given) - len(done)}
        if isinstance(file.rows[0], LabelledPair):
            return "pairs", measure_pairs(file.name, file.rows, done, ties=file.ties, seed=self.seed, **left)
        return "ratings", measure_ratings(file.name, file.column, file.rows, done, seed=self.seed, **left)


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
        return {
            **kind_of(result).contract(result),
            "row": name,
            "mode": result.mode,
            "program": __version__,
            "shares": [share.model_dump() for share in result.shares] if isinstance(result, DuelResult) else [],
            "people": {name: value for name, value in asdict(label).items() if name not in texts},
            "estimate": rated.audience.model_dump() if rated is not None and rated.audience is not None else None,
            "made_by": made,
        }

    yield from session.loaded(cancel)
    made |= made_by(session)
    with closing(answers(session)) as file:
        rows = [BatchRow(line=0, id=key, texts=()) for key in labels]
        tally = counted(rows, file)
        file.check(made, adding=tally.left > 0)
        unread = ((text, "") for row in rows if not file.has(row) for text in labels[row.id or ""][0].texts)
        with session.expecting(unread, tally.left):
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
