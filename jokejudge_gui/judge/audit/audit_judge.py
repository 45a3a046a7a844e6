"""The audit: each joke and each of its changed forms is read once, pairs are asked about where requested, and the
findings are summed up."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from ...core.errors import InputError, JokeJudgeError
from ...core.events import Event, Stage, StageProgress
from ...core.statistics import logit
from ...rubric.perturbations import parse_perturbations
from ..duel.bias_mitigation import both_orders
from ..judged_kind import Work, own_error, staged
from ..main_judge import MainJudge
from ..rating.admissibility_checker import REJECT_BELOW
from .findings import SURE, Findings
from .record import AuditRequest, AuditResult, Voice
from .trials import all_trials, pairs_of, texts_of

Step = Event | AuditResult


def run_audit(draft: AuditResult, request: AuditRequest, work: Work) -> Iterator[Step]:
    """Run the whole audit. Yields events, and the draft when it is complete; a stopped audit is summed up as far as it
    got. Raises ``InputError`` ``E_AUDIT_EMPTY``, and the errors that end every verdict."""
    if not request.cases:
        raise InputError(
            "E_AUDIT_EMPTY", "There are no pairs of jokes to audit with.", "Give a file with at least one pair."
        )
    judge, probes = work.judge, parse_perturbations()
    trials = list(all_trials(request.cases, probes))
    asks = request.ask == "all" or judge.duels_ask
    readings = request.known.setdefault(_made_by(judge), {})
    draft.perturbations, draft.program, draft.calibrated = probes.version, request.program, True
    if asks:
        yield from judge.calibrate(duel=True)
    yield draft

    def read(text: str) -> dict[Voice, Any]:
        reading = judge.reader.read(text, judge.cancel)
        factors = reading.editor.factors if reading.editor is not None else {}
        places = [factors[id].standing for id in judge.shown["factor"] if id in factors]
        return {
            "audience": reading.features,
            "editor": logit(sum(places) / len(places), SURE) if places else None,
            "admission": None if reading.joke is None else float(reading.joke >= REJECT_BELOW),
        }

    def ask(pair: tuple[str, str]) -> tuple[float, float]:
        a_first, b_first = both_orders(judge.measure, *pair)
        return a_first.log_odds_a, b_first.log_odds_a

    bad: set[str | tuple[str, str]] = set()

    def through(stage: Stage, note: str, keys: Sequence[Any], find: Callable[..., Any]) -> Generator[Step, None, None]:
        todo = [key for key in keys if key not in readings]
        for done, key in enumerate(todo, start=len(keys) - len(todo)):
            yield StageProgress(stage=stage, done=done, total=len(keys), note=note)
            try:
                readings[key] = find(key)
            except JokeJudgeError as fault:
                own_error(fault)
                bad.add(key)  # one text that can't be read is left out

    reads = judge.head is not None or judge.reader.editor is not None
    texts = texts_of(request.cases, trials) if reads else []
    pairs = pairs_of(request.cases[: request.most_asked], trials) if asks else []
    try:
        if texts:
            steps = through(Stage.READING, "Reading jokes and their changes", texts, read)
            yield from staged(draft, Stage.READING, steps, total=len(texts))
        if pairs:
            steps = through(Stage.DUELS, "Asking the model about pairs", pairs, ask)
            yield from staged(draft, Stage.DUELS, steps, total=len(pairs))
    finally:
        findings = Findings(request.cases, trials, judge.head, readings)
        draft.voices, draft.pairs = findings.voices, findings.pairs
        draft.readings, draft.unread = len(readings), len(bad)
    yield draft


def _made_by(judge: MainJudge) -> tuple[str, ...]:
    """Everything that readings depend on: model, heads and prompts, from which the calibration follows."""
    editor = judge.reader.editor.mark if judge.reader.editor is not None else ""
    return judge.model.sha256, judge.reader.version, editor, judge.prompts.version
