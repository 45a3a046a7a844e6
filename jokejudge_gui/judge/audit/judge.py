"""The audit: each joke and each of its changed forms is read once, pairs are asked about where requested, and the
findings are summed up."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from ...core.errors import Cancelled, InputError, JokeJudgeError, UsageError, info
from ...core.events import Event, Stage, StageProgress
from ...rubric.perturbations import Perturbations, parse_perturbations
from ..asking.worth import ASKED, NOTHING_FOUND, AnswersLeft, Kind
from ..judged_kind import Work, staged
from .findings import Findings
from .trials import pairs_of, texts_of
from .types import (
    Asking,
    AuditDraft,
    AuditedPair,
    AuditRequest,
    AuditResult,
    Finding,
    Known,
    KnownPart,
    KnownReadings,
    TextAnswer,
    TextReading,
    Voice,
    pair_key,
)
from .voices import Answers, VoiceReader, read_by

Step = Event | AuditDraft

OTHER_MODEL = "The earlier run's readings come from another model or version, so everything was read again."


class AuditJudge:
    """One audit. Yields events, and the draft when it is complete; a stopped audit is summed up as far as it got."""

    def __init__(self, draft: AuditDraft, request: AuditRequest, work: Work) -> None:
        self._draft = draft
        self._request = request
        self._work = work
        self._reader = VoiceReader(work.judge, everything=request.ask == "all")
        self._perturbations = chosen(request.probes)
        self._known = KnownReadings()
        self._bad: set[str] = set()

    def run(self) -> Iterator[Step]:
        """Run the whole audit. Raises ``InputError`` ``E_AUDIT_EMPTY``, and the errors that end every verdict."""
        if not self._request.cases:
            raise InputError(
                "E_AUDIT_EMPTY", "There are no pairs of jokes to audit with.", "Give a file with at least one pair."
            )
        draft = self._draft
        draft.perturbations, draft.program = self._perturbations.version, self._request.program
        draft.calibrated = True
        known = self._request.known
        if len(known) and known.read_by != read_by(self._work.judge, everything=self._request.ask == "all"):
            draft.warn(OTHER_MODEL)
        else:
            self._known = known
        if self._reader.asks_of_texts:
            yield from self._work.judge.calibrate(duel=False, cancel=self._work.cancel)
        if self._reader.asks:
            yield from self._work.judge.calibrate(duel=True, cancel=self._work.cancel)
        draft.factors = self._reader.factors
        yield draft
        try:
            yield from self._read_all()
        except Cancelled:
            self._sum_up()
            raise
        self._sum_up()
        yield draft

    def _read_all(self) -> Iterator[Step]:
        reader, cancel = self._reader, self._work.cancel
        cases = self._request.cases
        asked = cases[: self._request.most_asked]
        jokes = dict.fromkeys(text for case in cases for text in (case.text_a, case.text_b))
        # Without heads, reading gives only the jokes' surprisal.
        texts = texts_of(cases, self._perturbations) if reader.reads else list(jokes)

        def read(text: str) -> TextReading:
            return reader.read(text, cancel, surprise=text in jokes)

        def ask(text: str) -> TextAnswer:
            return reader.answer(text, cancel)

        def ask_pair(key: str) -> Asking:
            return reader.ask(*pairs[key], cancel)

        pairs = {pair_key(*pair): pair for pair in pairs_of(asked, self._perturbations)} if reader.asks else {}
        parts: list[tuple[KnownPart, Stage, str, Sequence[str], Callable[[str], Known]]]
        parts = [("texts", Stage.READING, "Reading jokes and their changes", texts, read)]
        if reader.asks:
            parts.append(("pairs", Stage.DUELS, "Asking the model about pairs", list(pairs), ask_pair))
        if reader.asks_of_texts:
            every = texts_of(asked, self._perturbations)
            parts.append(("answers", Stage.SCORES, "Asking the model about jokes", every, ask))
        for part, stage, note, keys, find in parts:
            yield from staged(self._draft, stage, self._through(part, stage, note, keys, find), total=len(keys))

    def _through(
        self,
        part: KnownPart,
        stage: Stage,
        note: str,
        keys: Sequence[str],
        find: Callable[[str], Known],
    ) -> Generator[Step, None, None]:
        """Call ``find`` for each of the ``keys`` that isn't known yet, and keep the result under the key."""
        todo = [key for key in keys if key not in getattr(self._known, part)]
        for done, key in enumerate(todo, start=len(keys) - len(todo)):
            yield StageProgress(stage=stage, done=done, total=len(keys), note=note)
            try:
                found = find(key)
            except JokeJudgeError as fault:
                if info(fault).ends_the_run:
                    raise
                self._bad.add(key)  # one text that can't be read is left out
                continue
            self._known.add(part, key, found)

    def _sum_up(self) -> None:
        draft, cases = self._draft, self._request.cases
        noise = self._work.judge.calibration.noise_floor.odds
        findings = Findings(cases, self._perturbations, Answers(self._work.judge.head, self._known), noise)
        draft.voices = findings.voices()
        draft.pairs = tuple(AuditedPair.model_validate({**dict(case), "odds": findings.odds(case)}) for case in cases)
        draft.readings = len(self._known)
        draft.unread = len(self._bad)


def chosen(names: Sequence[str]) -> Perturbations:
    """Return the probes with these ids, and the control; all if no names are given. Raises ``UsageError``
    ``E_AUDIT_PROBE``."""
    every = parse_perturbations()
    known = [probe.id for probe in every.probes if probe.role != "control"]
    for name in names:
        if name not in known:
            raise UsageError("E_AUDIT_PROBE", f"There is no probe {name!r}.", f"There are {', '.join(known)}.")
    return every.only(tuple(names))


# -- The worth of a model's answers after an audit ---------------------------------------------------------------------

_KINDS: dict[Voice, Kind] = {"asked": "duel", "rated": "factor", "checks": "check"}
_NAMES: dict[Kind, str] = {"duel": "answers in duels", "factor": "scores", "check": "answers on admission"}


def answers_left(result: AuditResult | None) -> AnswersLeft:
    """Return, by kind of item, the least share of verdicts that a strong bias left unchanged, relative to that under
    the neutral change. 1 where the model wasn't asked or no bias is strong. Position doesn't count: both orders are
    asked, and the worth was measured on their mean. Items from heads keep their worth: nothing else is available
    without asking, and the card names their biases."""
    if result is None:
        return NOTHING_FOUND
    found = {}
    for name, kind in _KINDS.items():
        if (voice := result.voice(name)) is not None:
            strong = [each for each in voice.findings if (each.role, each.strength) == ("bias", "strong")]
            found[kind] = min(map(_left, strong), default=1.0)
    return AnswersLeft.model_validate(found)


def left_lines(left: AnswersLeft) -> tuple[str, ...]:
    """Return a sentence about each kind of answer whose worth a bias reduces."""
    return tuple(
        f"Because of its strongest bias, the lead of the model's {_NAMES[kind]} over chance counts only "
        f"{100 * left.of(kind):.0f} % as much as was measured; they are asked for only if that is still enough."
        for kind in ASKED
        if left.of(kind) < 1.0
    )


def _left(finding: Finding) -> float:
    calm = finding.control if finding.control else 1.0
    return min(1.0, (finding.kept.share or 0.0) / calm)
