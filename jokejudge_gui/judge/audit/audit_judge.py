"""The audit: each joke and each of its changed forms is read once, pairs are asked about where requested, and the
findings are summed up."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from ...core.errors import InputError, JokeJudgeError, info
from ...core.events import Event, Stage, StageProgress
from ...core.statistics import logit
from ...engine.base import CancelToken
from ...rubric.perturbations import parse_perturbations
from ..duel.bias_mitigation import both_orders
from ..judged_kind import Work, staged
from ..main_judge import MainJudge
from ..rating.admissibility_checker import REJECT_BELOW
from .findings import SURE, Findings
from .record import AuditRequest, AuditResult, Voice
from .trials import pairs_of, texts_of

Step = Event | AuditResult


def run_audit(draft: AuditResult, request: AuditRequest, work: Work) -> Iterator[Step]:
    """Run the whole audit. Yields events, and the draft when it is complete; a stopped audit is summed up as far as it
    got. Raises ``InputError`` ``E_AUDIT_EMPTY``, and the errors that end every verdict."""
    if not request.cases:
        raise InputError(
            "E_AUDIT_EMPTY", "There are no pairs of jokes to audit with.", "Give a file with at least one pair."
        )
    judge, cancel = work.judge, work.cancel
    reader, probes = AuditReader(judge, everything=request.ask == "all"), parse_perturbations()
    readings = request.known.setdefault(reader.made_by, {})
    draft.perturbations, draft.program, draft.calibrated = probes.version, request.program, True
    if reader.asks:
        yield from judge.calibrate(duel=True, cancel=cancel)
    yield draft
    pairs = pairs_of(request.cases[: request.most_asked], probes) if reader.asks else []
    texts = texts_of(request.cases, probes) if reader.reads else []
    parts: tuple[tuple[Stage, str, Sequence[Any], Callable[..., Any]], ...] = (
        (Stage.READING, "Reading jokes and their changes", texts, reader.read),
        (Stage.DUELS, "Asking the model about pairs", pairs, reader.ask),
    )
    bad: set[str | tuple[str, str]] = set()

    def through(stage: Stage, note: str, keys: Sequence[Any], find: Callable[..., Any]) -> Generator[Step, None, None]:
        todo = [key for key in keys if key not in readings]
        for done, key in enumerate(todo, start=len(keys) - len(todo)):
            yield StageProgress(stage=stage, done=done, total=len(keys), note=note)
            try:
                readings[key] = find(key, cancel)
            except JokeJudgeError as fault:
                if info(fault).ends_the_run:
                    raise
                bad.add(key)  # one text that can't be read is left out

    try:
        for stage, note, keys, find in parts:
            if keys:
                yield from staged(draft, stage, through(stage, note, keys, find), total=len(keys))
    finally:
        findings = Findings(request.cases, probes, judge.head, readings)
        draft.voices = findings.voices()
        draft.pairs = tuple(case.replaced(odds=findings.odds(case)) for case in request.cases)
        draft.readings, draft.unread = len(readings), len(bad)
    yield draft


class AuditReader:
    """Reads texts, and where ``asks`` asks the model about pairs."""

    def __init__(self, judge: MainJudge, *, everything: bool) -> None:
        self._judge = judge
        self.asks = everything or judge.duels_ask
        self.reads = judge.head is not None or judge.reader.editor is not None
        """Whether a head is there to read a text with."""

    @property
    def made_by(self) -> tuple[str, ...]:
        """Everything that readings depend on: model, heads and prompts, from which the calibration follows."""
        judge = self._judge
        editor = judge.reader.editor.mark if judge.reader.editor is not None else ""
        return judge.model.sha256, judge.reader.version, editor, judge.prompts.version

    def read(self, text: str, cancel: CancelToken | None) -> dict[Voice, Any]:
        """Read one cleaned text. Raises the engine's errors."""
        reading = self._judge.reader.read(text, cancel)
        factors = reading.editor.factors if reading.editor is not None else {}
        places = [factors[id].standing for id in self._judge.shown["factor"] if id in factors]
        return {
            "audience": reading.features,
            "editor": logit(sum(places) / len(places), SURE) if places else None,
            "admission": None if reading.joke is None else float(reading.joke >= REJECT_BELOW),
        }

    def ask(self, pair: tuple[str, str], cancel: CancelToken | None) -> tuple[float, float]:
        """Ask which text is the funnier, in both orders. Raises the engine's errors."""
        a_first, b_first = both_orders(self._judge.measure, *pair, cancel)
        return a_first.log_odds_a, b_first.log_odds_a
