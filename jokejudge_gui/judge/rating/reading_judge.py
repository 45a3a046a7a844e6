"""The rating by a model's plan: one reading of the joke, the heads' findings, and the questions that are worth their
tokens on this model, none with a small model.

No word is generated, unless the model passed the prose test. The editor's note is composed from the findings; edits are
read again before they are shown.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.events import ChecksDone, Interim, Stage, TextPiece
from ...core.languages import is_english
from ...core.statistics import logit, sigmoid
from ...core.texts import plain_rejection
from ...core.verdicts import CheckResult, Source, Span
from ...engine.base import CancelToken
from ...heads.editor import EditorReading, FactorReading
from ..asking.explanation import Explainer
from ..asking.questions import factor_ref
from ..asking.worth import ItemWorth, Kind
from ..judged_kind import staged
from ..main_judge import MainJudge
from ..reader import Predictions
from .admissibility_checker import INTENT, admit, answered, evaluate, reasons_against, unread
from .edits import BETTER, cut_of, edit_remark, try_edits
from .note import LEAST_CASES, LEAST_P, LEAST_RIGHT, compose, find, misses_its_name
from .rating_judge import prose_of
from .record import CategoryScore, EditorNote, FactorScore, FaultScore, Prose, RatingDraft, Remark, Step
from .scores import level_of, put_scores, score_factors, standardise
from .words import NO_TURN

_HOW_IT_WORKS = frozenset(["Wordplay", "Ideas"])
"""Groups of kinds that name how a joke works, not its form, subject or tone."""
_MOST_KINDS = 3
_MOST_FAULTS = 3
NOTHING = "None of this model's findings about a joke was measured to be good enough to show."
MOST_REMARKS = 3
_NEVER = 2.0
_PRAISED = 0.6
"""Least probability that a text works as a joke at which positive remarks are shown."""
_OF_WORDPLAY = ("two_meanings", "pun", "homophone", "double_entendre")
"""Notes that a named second meaning replaces."""


_SURE = 6.0
"""Largest log-odds of a reading when it is summed with an answer."""


@dataclass(frozen=True)
class EditorFindings:
    """The combined findings of answers and heads on one joke. ``sources``: of kinds and factors not from the reading
    alone."""

    found: EditorReading | None
    sources: Mapping[tuple[Kind, str], Source] = field(default_factory=dict)

    def source(self, kind: Kind, id: str) -> Source:
        return self.sources.get((kind, id), "read")


class ReadingJudge:
    """Rates one cleaned joke by reading it once, and asking the questions of its plan. Yields stage events, and the
    draft after each result."""

    def __init__(
        self, judge: MainJudge, *, try_edits: bool, asks: bool = False, writer: Explainer | None = None
    ) -> None:
        """``try_edits``: also read edits of the joke; ``asks``: ask the plan's questions, and about the factors that
        the user wants asked about in each rating; ``writer``: of the model's sentences beside the note, None where its
        prose isn't used."""
        self._judge = judge
        self._try_edits = try_edits
        self._asks = asks
        self._writer = writer

    def rate(self, draft: RatingDraft, cancel: CancelToken | None = None) -> Iterator[Step]:
        """Fill ``draft``, which begins with id, text, context and ``forced``; at the end it is complete."""
        draft.calibrated = True
        found = yield from staged(draft, Stage.READING, self._read(draft, cancel))
        if found is not None:
            yield from staged(draft, Stage.EXPLANATION, self._note(draft, found, cancel))

    def note_on(self, predicted: Predictions) -> str:
        """Return a rating's note on a text that was already read, without edits, which aren't tried; empty if there is
        none."""
        sense = predicted.sense.sense if predicted.sense is not None else None
        if (
            predicted.editor is None
            or not is_english(predicted.text)
            or (sense is not None and sense.said == "no turn")
        ):
            return ""
        read = predicted.editor.without(self._judge.criteria.unread)
        draft = RatingDraft(id="", text=predicted.text, sense=sense)
        self._describe(draft, read, EditorFindings(read))
        note, remarks = self._said(draft, read, None)
        return in_words(remarks, note)

    def _read(self, draft: RatingDraft, cancel: CancelToken | None) -> Generator[Step, None, EditorReading | None]:
        """Fills everything but the words. Returns the combined findings on the joke; None where there are none."""
        plain = plain_rejection(draft.text)
        predicted = None
        checks: tuple[CheckResult, ...] = ()
        names: dict[str, float] = {}
        if plain is None or draft.forced:
            predicted = self._judge.reader.read(draft.text, cancel, context=draft.context)
            if self._asks:
                checks, names = self._asked(draft.text, predicted.joke, cancel)
        self._admit(draft, predicted, plain, checks)
        yield ChecksDone(checks=draft.admissibility)
        if predicted is None or (draft.admissible is False and not draft.forced):
            return None
        if not draft.context:
            draft.sense = predicted.sense.sense if predicted.sense is not None else None
        draft.audience = self._judge.reader.audience(predicted)
        draft.offence = predicted.offence
        said = predicted.wordplay.said if predicted.wordplay is not None else None
        draft.wordplay = self._judge.words.notes.with_sentence(said) if said is not None else None
        if draft.sense is not None and draft.sense.said == "no turn" and (draft.asked_turn or not draft.forced):
            draft.audience = None
        if draft.sense is not None and draft.sense.said == "no turn" and not (draft.forced or draft.asked_turn):
            draft.explanation = NO_TURN
            yield Interim(result=draft.freeze())
            yield TextPiece(text=NO_TURN)
            return None
        findings = EditorFindings(None)
        read = predicted.editor.without(self._judge.criteria.unread) if predicted.editor is not None else None
        if not is_english(draft.text):
            draft.audience, draft.offence = None, None
            draft.warn("This text doesn't seem to be English, and the estimates were learned from English jokes alone.")
        else:
            findings = EditorFindings(read)
            if self._asks:
                findings = self._joined(draft.text, names, read, cancel)
            if findings.found is not None:
                self._describe(draft, findings.found, findings)
            elif draft.audience is None:
                draft.warn(NOTHING)
        yield Interim(result=draft.freeze())
        return findings.found

    def _admit(
        self, draft: RatingDraft, predicted: Predictions | None, plain: str | None, asked: tuple[CheckResult, ...]
    ) -> None:
        """Sets the checks with an answer, and whether the text is admitted."""
        checks = []
        answers = {check.check: check for check in asked}
        for check in self._judge.criteria.template.checks:
            result = unread(check.id, no_text=predicted is None, source="read")
            if predicted is None:
                pass
            elif check.id in answers:
                result = answers[check.id]
            elif check.id == INTENT and predicted.joke is not None:
                result = answered(check.id, predicted.joke, source="read")
            checks.append(result)
        admit(draft, checks, [plain] if predicted is None and plain else reasons_against(checks, self._judge.criteria))

    def _describe(self, draft: RatingDraft, found: EditorReading, findings: EditorFindings) -> None:
        doubted = draft.sense is not None and draft.sense.said != "joke" and draft.wordplay is None
        draft.categories = self._kinds(found, findings, doubted and draft.asked_turn is None)
        draft.pathway = "standard" if any(kind.chosen for kind in draft.categories) else "independent"
        scores = self._factors(found, findings)
        if draft.sense is not None and draft.sense.said == "unsure":  # nothing is praised
            scores = tuple(each.replaced(standing=None) if each.stands_out == "strong" else each for each in scores)
        put_scores(draft, scores, self._judge.criteria.weights)
        draft.faults = self._faults(found)
        if draft.asked_turn is None and found.turn is not None and found.turn.p >= LEAST_P and self._judge.shown.turn:
            draft.turn = Span.model_validate(found.turn.model_dump())
        if any(fault.id == "padding" for fault in draft.faults):
            draft.cuts = tuple(Span.model_validate(cut.model_dump()) for cut in found.cuts)

    def _kinds(self, found: EditorReading, findings: EditorFindings, doubted: bool) -> tuple[CategoryScore, ...]:
        """The shown kinds first, by probability, then the nearest others. A kind that names how a joke works is
        recognised by its form: it isn't shown where it is ``doubted`` that the text works."""
        rows = [
            CategoryScore(
                id=kind.id,
                name=kind.name,
                p=found.kinds[kind.id],
                z=0.0,
                chosen=False,
                source=findings.source("kind", kind.id),
                trust=self._judge.shown.kinds.get(kind.id),
            )
            for kind in self._judge.criteria.categories
            if kind.id in found.kinds
        ]
        rows.sort(key=lambda row: -row.p)
        silent = {kind.id for kind in self._judge.criteria.categories if doubted and kind.group in _HOW_IT_WORKS}
        shown = [
            row for row in rows if row.id in self._judge.shown.kinds and (row.id not in silent or row.source != "read")
        ]
        chosen = [row for row in shown if row.p >= LEAST_P][:_MOST_KINDS]
        names = {row.id for row in chosen}
        rest = [row for row in rows if row.id not in names][: 2 * _MOST_KINDS]
        return (*(row.replaced(chosen=True) for row in chosen), *rest)

    def _factors(self, found: EditorReading, findings: EditorFindings) -> tuple[FactorScore, ...]:
        """The factors worth showing, and those that the user wants to see anyway; strongest first."""
        scores = [
            FactorScore(
                id=factor.id,
                name=factor.name,
                origin="shared",
                score=level_of(read.expected),
                expected=read.expected,
                sd=read.sd,
                separates=True,
                source=findings.source("factor", factor.id),
                trust=self._judge.shown.factors.get(factor.id),
                standing=read.standing if findings.source("factor", factor.id) == "read" else None,
                own=factor.id in self._judge.criteria.unread.get("factor", ()),
            )
            for factor in self._judge.criteria.factors
            if (factor.id in self._judge.shown.factors or factor.id in self._judge.criteria.always)
            and (read := found.factors.get(factor.id)) is not None
        ]
        return tuple(sorted(scores, key=lambda score: -(score.expected or 0.0)))

    def _faults(self, found: EditorReading) -> tuple[FaultScore, ...]:
        rows = [
            FaultScore(id=fault.id, name=fault.name, p=found.faults[fault.id], trust=self._judge.shown.faults[fault.id])
            for fault in self._judge.words.faults
            if fault.id in self._judge.shown.faults and found.faults.get(fault.id, 0.0) >= LEAST_P
        ]
        return tuple(sorted(rows, key=lambda row: -row.p))[:_MOST_FAULTS]

    # -- Questions that are worth their tokens -----------------------------------------------------------------------

    def _asked(
        self, text: str, joke: float | None, cancel: CancelToken | None
    ) -> tuple[tuple[CheckResult, ...], dict[str, float]]:
        """All checks, if at least one is worth asking (they share one reading of the text), and the log-probability of
        each kind's name, if that is. ``joke``: the heads' log-odds that the text is meant as a joke."""
        planned = self._judge.plan.asked("check")
        if self._judge.plan.asked("kind"):
            reading = self._judge.measure.reading(text, cancel)
            odds, names = reading.checks, reading.categories
        elif planned:
            odds, names = self._judge.measure.checks(text, cancel), {}
        else:
            return (), {}
        if not planned:
            return (), names
        checks = evaluate(self._judge.calibration, odds)
        if joke is not None and INTENT not in planned:
            read = answered(INTENT, joke, source="read")
            checks = tuple(read if check.check == INTENT else check for check in checks)
        return checks, names

    def _joined(
        self, text: str, names: Mapping[str, float], found: EditorReading | None, cancel: CancelToken | None
    ) -> EditorFindings:
        """The heads' findings ``found`` (None: no heads), combined with the answers that are worth asking: kinds by the
        ``names`` from ``_asked``, and factors, which are asked about here."""
        plan, criteria = self._judge.plan, self._judge.criteria
        known = {factor.id for factor in criteria.factors}
        planned = [id for id in plan.asked("factor") if id in known]
        always = [id for id in criteria.always if id not in planned]
        if not names and not planned and not always:
            return EditorFindings(found)
        sources: dict[tuple[Kind, str], Source] = {}
        kinds = dict(found.kinds) if found is not None else {}
        z = standardise(names, self._judge.calibration.categories) if names else {}
        for id, value in z.items():
            item = plan.of("kind", id)
            joined = _joined(item, value, _odds(kinds.get(id)))
            if item is not None and joined is not None and item.source is not None:
                kinds[id] = sigmoid(max(-30.0, min(30.0, joined)))
                sources["kind", id] = item.source
        factors = dict(found.factors) if found is not None else {}
        refs = [factor_ref(id, criteria) for id in (*planned, *always)]
        for score in score_factors(self._judge, text, refs, cancel) if refs else ():
            item = plan.of("factor", score.id)
            read = factors.get(score.id)
            if score.expected is None:
                continue  # # no answer: the reading stays, if there is one
            if score.id in always:  # # its standing among jokes is unknown, so the middle is used
                factors[score.id] = FactorReading(expected=score.expected, sd=score.sd or 0.0, standing=0.5)
                sources["factor", score.id] = "asked"
                continue
            joined = _joined(item, score.expected, read.expected if read is not None else None)
            if item is not None and joined is not None and item.source is not None:
                factors[score.id] = _reading(item, joined, score.sd or 0.0)
                sources["factor", score.id] = item.source
        nothing = EditorReading(factors={}, kinds={}, faults={}, turn=None, cuts=(), joke=0.5, complete=0.5)
        return EditorFindings((found or nothing).replaced(factors=factors, kinds=kinds), sources)

    # -- Words -----------------------------------------------------------------------------------------------------

    def _note(
        self, draft: RatingDraft, found: EditorReading, cancel: CancelToken | None
    ) -> Generator[Step, None, None]:
        draft.note, draft.remarks = self._said(draft, found, cancel)
        draft.explanation = in_words(draft.remarks, draft.note) or None
        if self._writer is not None:
            draft.prose = prose_of(self._writer, draft, cancel)
            said = [draft.explanation, model_says(draft.prose)]
            draft.explanation = "\n".join(part for part in said if part) or None
        if draft.explanation:
            yield TextPiece(text=draft.explanation)

    def _said(
        self, draft: RatingDraft, found: EditorReading, cancel: CancelToken | None
    ) -> tuple[EditorNote, tuple[Remark, ...]]:
        """The note and its remarks with the words that they are about: a positive one, a fault, an edit, the form; no
        positive one where it is in doubt that the text works as a joke."""
        findings = find(
            self._judge.words.notes,
            draft.text,
            found,
            kinds={kind.id for kind in self._judge.criteria.categories},
            factors=[score.id for score in draft.factors if score.trust is not None],
            faults={fault.id for fault in self._judge.words.faults},
            turn=draft.turn,
            cut=cut_of(draft.text, draft.turn, found.cuts),
            known=[(each.start, each.end) for each in draft.references if each.why == "name"],
        )
        elsewhere = draft.wordplay is not None or misses_its_name(draft.text, findings.turn)
        without = {*(_OF_WORDPLAY if elsewhere else ())}
        figures = self._judge.editor_card.notes if self._judge.editor_card is not None else {}
        remarks = list(compose(self._judge.words.notes, findings, figures, without))
        if draft.sense is not None and draft.sense.said == "unsure":
            remarks = [remark for remark in remarks if remark.about == "fault"]
        if draft.sense is not None and draft.sense.joke < _PRAISED and draft.asked_turn is None:
            remarks = [remark for remark in remarks if remark.about != "heard"]
        known = figures.get("edit")
        if known is not None and (known.right < LEAST_RIGHT or known.cases < LEAST_CASES):
            known, least = None, _NEVER
        else:
            least = known.least if known is not None else BETTER
        trials = try_edits(self._judge.reader, draft, found.cuts, cancel, least=least) if self._try_edits else ()
        if trials:
            remarks = [remark for remark in remarks if remark.about != "fault"]
            at = sum(remark.about == "heard" for remark in remarks)
            remarks.insert(at, edit_remark(draft.text, trials[0], known))
        remarks = remarks[:MOST_REMARKS]
        note = EditorNote(
            works=" ".join(remark.text for remark in remarks if remark.about == "heard"),
            weakens=" ".join(remark.text for remark in remarks if remark.about != "heard"),
            trials=trials,
        )
        return note, tuple(remarks)


def in_words(remarks: Sequence[Remark], note: EditorNote) -> str:
    """Return the remarks as text, a line each, with the proposed edit below its remark."""
    lines = []
    for remark in remarks:
        lines.append(remark.text)
        if remark.trial is not None:
            lines.append(f"Try: {note.trials[remark.trial].text}")
    return "\n".join(lines)


def model_says(prose: Prose | None) -> str:
    """Return the model's sentences as a paragraph beside the note."""
    if prose is None:
        return ""
    lines = [line.partition(". ")[2] for line in prose.text.split("\n")]
    return f"The model. {' '.join(lines)}"


def _joined(item: ItemWorth | None, asked: float, read: float | None) -> float | None:
    return item.joined(asked, read) if item is not None and item.ask else None


def _odds(p: float | None) -> float | None:
    return None if p is None else max(-_SURE, min(_SURE, logit(p)))


def _reading(item: ItemWorth, value: float, sd: float) -> FactorReading:
    """A joined score in the form of a reading; without weights its standing among jokes is unknown, so the middle is
    used."""
    weights = item.weights
    expected = max(0.0, min(5.0, value))
    if weights is None:
        return FactorReading(expected=expected, sd=sd, standing=0.5)
    standing = 0.5 * (1.0 + math.erf((value - weights.usual) / weights.spread / math.sqrt(2.0)))
    return FactorReading(expected=expected, sd=weights.sd, standing=standing)
