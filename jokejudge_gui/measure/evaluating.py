"""An evaluation as a job: the judge is asked about labelled rows, and its answers are measured."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from .. import __version__
from ..batch.batch import made_by
from ..batch.lines import Line, Out, RowDone, counted, each_row
from ..batch.lines import Row as BatchRow
from ..core.events import Event, Failed, Last, Stage, StageProgress, last_event
from ..core.verdicts import Mode, ModelRef
from ..engine.base import CancelToken
from ..judge.duel.record import DuelResult
from ..judge.kinds import kind_of
from ..judge.rating.record import RatingResult
from ..session.session import Session
from .evaluation import Answer, Report, answered, draw, macro, measure_pairs, measure_ratings, validation
from .labelled import Labelled, LabelledFile, read_pairs, read_ratings


def key_of(row: Labelled) -> str:
    """Return a key of the question about a row, whatever its file: the same texts are judged once."""
    digest = hashlib.sha256("\0".join(row.texts).encode("utf-8", "surrogatepass"))
    return f"{row.asked}-{digest.hexdigest()[:24]}"


@dataclass
class Plan:
    """The rows drawn from each file, by index, and the answers so far, by key."""

    limit: int | None = None
    seed: int = 1
    drawn: list[tuple[LabelledFile, list[int]]] = field(default_factory=list)
    known: dict[str, Answer] = field(default_factory=dict)

    @classmethod
    def read(cls, pairs: Sequence[str], ratings: Sequence[str], limit: int | None, seed: int) -> Plan:
        """Read the files and draw at most ``limit`` rows of each. Raises what ``read_pairs`` raises."""
        files = [*map(read_pairs, pairs), *map(read_ratings, ratings)]
        return cls(limit, seed, [(file, draw(len(file.rows), limit, seed)) for file in files])

    @property
    def files(self) -> list[LabelledFile]:
        """All files, those of pairs first."""
        return [file for file, _ in self.drawn]

    def rows(self) -> dict[str, tuple[Labelled, str | None]]:
        """Return the rows to ask about by key, each with its id in the file, in the order drawn, one from each file in
        turn, so that an interrupted run has some of each."""
        rows: dict[str, tuple[Labelled, str | None]] = {}
        for turn in range(max((len(places) for _, places in self.drawn), default=0)):
            for file, places in self.drawn:
                if turn < len(places):
                    label = file.rows[places[turn]]
                    rows.setdefault(key_of(label), (label, file.ids[places[turn]]))
        return rows

    def measured(self, model: ModelRef | None, mode: Mode, *, whole: bool) -> Report:
        """Measure the known answers. Takes seconds where files are large. ``macro``: means over the files of pairs,
        each counted once; ``whole`` False: stopped before all the rows drawn were judged."""
        pairs: list[Report] = []
        ratings: list[Report] = []
        for file, places in self.drawn:
            answers = {place: self.known[key] for place in places if (key := key_of(file.rows[place])) in self.known}
            done = {place: answer for place, answer in answers.items() if answered(answer)}
            left = {"bad": len(file.bad), "errors": len(answers) - len(done), "seed": self.seed}
            if file.rows[0].winner is not None:
                pairs.append(measure_pairs(file.name, file.rows, done, ties=file.ties, **left))
            else:
                ratings.append(measure_ratings(file.name, file.column, file.rows, done, **left))
        return {
            "model": model.model_dump() if model is not None else None, "mode": mode, "seed": self.seed,
            "limit": self.limit, "whole": whole, "pairs": pairs, "ratings": ratings, "macro": macro(pairs),
            "validation": validation(pairs, ratings),
        }  # fmt: skip


@last_event
def ask(session: Session, plan: Plan, *, out: Out | None = None, cancel: CancelToken) -> Iterator[Event]:
    """Ask about the rows that have no answer; the answers are added to the plan and ``out``, nothing to the history.
    Yields what ``each_row`` yields, and the model's loading before."""
    labels = plan.rows()
    made: dict[str, str] = {}

    def asked(row: BatchRow) -> Iterator[Event]:
        label, _ = labels[row.id or ""]
        judge = session.duel if label.asked == "duel" else session.rate
        return judge(*label.texts, explain=False, record=False, cancel=cancel)

    def line(row: BatchRow, last: Last) -> Line:
        (label, name), error = labels[row.id or ""], last.error if isinstance(last, Failed) else None
        texts = dict(zip(("text_a", "text_b") if len(label.texts) == 2 else ("text",), label.texts, strict=True))
        blank = DuelResult(id="", **texts) if label.asked == "duel" else RatingResult(id="", **texts)
        result = (last.result or blank).replaced(id=row.id, error=error, mode=session.settings.mode)
        estimate = result.audience if isinstance(result, RatingResult) else None
        return {
            **kind_of(result).contract(result),
            "row": name,
            "mode": result.mode,
            "program": __version__,
            "shares": list(result.shares) if isinstance(result, DuelResult) else [],
            "people": label.people,
            "estimate": estimate.model_dump() if estimate is not None else None,
            "made_by": made,
        }

    def slow(event: Event) -> bool:
        return isinstance(event, StageProgress) and event.stage is Stage.CALIBRATION

    yield from session.loaded(cancel)
    made |= made_by(session)
    with closing(out or Out()) as file:
        rows = [BatchRow(line=0, id=key, texts=()) for key in labels]
        tally = counted(rows, file)
        file.check(made, adding=tally.left > 0)
        unread = ((text, "") for row in rows if not file.has(row) for text in labels[row.id or ""][0].texts)
        with session.expecting(unread, tally.left):
            for event in each_row(rows, asked, line, file, tally, shown=slow, again=True):
                if isinstance(event, RowDone):
                    plan.known[event.line["id"]] = event.line
                else:
                    yield event
