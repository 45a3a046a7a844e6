"""The rating judge: admission, categories, factors, scores, and then words.

A joke is read once by the heads; the model is asked about factors of the user's own at most, or about everything in all
four stages. No word is generated, unless the model passed the prose test or
everything is asked: the editor's note is composed from the findings, and edits are read again before they are shown."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import TypeVar

from ...core.events import Interim, Stage
from ...core.languages import NOT_ENGLISH, is_english
from ...heads.told import heard
from ..judged_kind import staged
from ..main_judge import MainJudge
from ..reader import Predictions
from .admissibility_checker import AdmissibilityChecker, Evidence
from .against_itself import against_itself
from .category_classifier import NOTHING_READ, CategoryClassifier
from .factor_analyzer import Chosen, FactorAnalyzer
from .factor_scorer import FactorScorer
from .longer import cuts_of, in_a_room, remarks_on, sense_of
from .note import LEAST_P, Piece, compose, find, misses_its_name
from .record import FaultScore, Prose, RatingResult, Remark, Step
from .references import find_references
from .words import NO_TURN

_MOST_FAULTS = 3
NOTHING = "None of this model's findings about a joke was measured to be good enough to show."
_PRAISED = 0.6
"""Least probability that a text works as a joke at which positive remarks are shown."""
_OF_WORDPLAY = ("two_meanings", "pun", "homophone", "double_entendre")
"""Notes that a named second meaning replaces."""
T = TypeVar("T")
Steps = Generator[Step, None, T]


class RatingJudge:
    """Rates one cleaned joke. Yields stage events, and the draft after each result."""

    def __init__(self, judge: MainJudge, *, explain: bool = True, critique: bool = False, seed: int = 1) -> None:
        """``explain``: with words, and edits that are tried; ``critique``: the model criticises its own sentences and
        revises them."""
        self._judge, self._explain = judge, explain
        self._checker, self._classifier = AdmissibilityChecker(judge), CategoryClassifier(judge)
        self._analyzer, self._scorer = FactorAnalyzer(judge, seed), FactorScorer(judge)
        self._writer = partial(judge.explainer, seed, critique=critique)
        self._weakest: Piece | None = None

    def rate(self, draft: RatingResult) -> Iterator[Step]:
        """Fill ``draft``, which begins with the request's fields; at the end it is complete."""
        if is_english(draft.text):
            draft.references = find_references(draft.text, self._judge.common_names)
        draft.heard = heard(draft.text)
        draft.calibrated = self._judge.calibration.rates if draft.everything_asked else True
        # Where reading alone decides, the stages are one stage of reading for whoever watches.
        steps = self._rated(draft)
        evidence = yield from steps if draft.everything_asked else staged(draft, Stage.READING, steps)
        if evidence is not None and (evidence.editor is not None or (draft.everything_asked and self._explain)):
            yield from staged(draft, Stage.EXPLANATION, partial(self._explained, draft, evidence))

    def note_on(self, predicted: Predictions) -> str:
        """Return a rating's note on a text that was already read, without edits, which aren't tried; empty if there is
        none."""
        sense = predicted.sense.sense if predicted.sense is not None else None
        draft = RatingResult(id="", text=predicted.text, sense=sense)
        if predicted.editor is None or not is_english(predicted.text) or draft.turns_nowhere:
            return ""
        draft.wordplay = predicted.wordplay.said if predicted.wordplay is not None else None
        evidence = Evidence(predicted, predicted.editor.without(self._judge.criteria.unread))
        self._score(draft, evidence, ((), {}))
        return in_words(self._remarks(draft, evidence, tries=False))

    # -- The four stages

    def _rated(self, draft: RatingResult) -> Steps[Evidence | None]:
        """Return what is known of a text that can be described; None for another one."""
        admit = partial(self._checker.evaluate_admissibility, draft)
        evidence = yield from _stage(draft, Stage.ADMISSIBILITY, admit)
        if not (draft.admissible or draft.forced):
            return None
        self._read_whole(draft, evidence)
        described = draft.everything_asked or self._can_be_described(draft, evidence)
        if described:
            yield from _stage(draft, Stage.CATEGORIES, partial(self._classify, draft, evidence))
            choose = partial(self._analyzer.determine_relevant_factors, draft)
            choice = yield from _stage(draft, Stage.FACTORS, choose)
            yield from _stage(draft, Stage.SCORES, partial(self._score, draft, evidence, choice))
        yield Interim(result=draft.freeze())
        return evidence if described else None

    def _read_whole(self, draft: RatingResult, evidence: Evidence) -> None:
        """Set the findings on the text as a whole: whether it works as a joke, its audience, offence and wordplay."""
        predicted, reader, english = evidence.predicted, self._judge.reader, is_english(draft.text)
        if predicted is None:
            return
        if not draft.context and not draft.everything_asked:
            draft.sense = predicted.sense.sense if predicted.sense is not None else None
            if predicted.sense is None and english:
                draft.sense, self._weakest = sense_of(reader, draft.text, self._judge.cancel)
            if draft.sense is not None and draft.heard is not None and draft.heard.settles:
                draft.sense = draft.sense.replaced(said="joke")
        if (english or draft.everything_asked) and not (draft.turns_nowhere and (draft.asked_turn or not draft.forced)):
            draft.audience = reader.audience(predicted)
        if english:
            draft.offence = predicted.offence
            works = draft.sense is not None and draft.sense.said == "joke"
            draft.laughs = in_a_room(draft.text, predicted.laughs) if works else predicted.laughs
        meaning = predicted.wordplay.said if predicted.wordplay is not None and not draft.everything_asked else None
        if meaning is not None and not _is_spelling(meaning.text, meaning.second):
            draft.wordplay = self._judge.words.notes.with_sentence(meaning)

    def _can_be_described(self, draft: RatingResult, evidence: Evidence) -> bool:
        """Whether there are categories and factors to find; where there aren't, the draft says why."""
        if not is_english(draft.text):
            draft.warn(NOT_ENGLISH)
        elif draft.turns_nowhere and not (draft.forced or draft.asked_turn):
            draft.explanation = NO_TURN
        elif evidence.editor is not None or self._judge.criteria.always:
            return True
        elif draft.audience is None:
            draft.warn(NOTHING)
        return False

    def _classify(self, draft: RatingResult, evidence: Evidence) -> None:
        doubted = _doubted(draft) and draft.wordplay is None
        draft.categories = self._classifier.classify_joke(evidence, doubted=doubted)

    def _score(self, draft: RatingResult, evidence: Evidence, choice: Chosen) -> None:
        """Set the factors, the faults and the turn."""
        scores = self._scorer.score_factors(draft, choice, evidence)
        self._scorer.calculate_aggregated_scores(draft, scores)
        read, shown = evidence.editor, self._judge.shown
        if read is None:
            return
        faults = [
            FaultScore(id=fault.id, name=fault.name, p=read.faults[fault.id], trust=shown["fault"][fault.id])
            for fault in self._judge.words.faults
            if fault.id in shown["fault"] and read.faults.get(fault.id, 0.0) >= LEAST_P
        ]
        draft.faults = tuple(sorted(faults, key=lambda fault: -fault.p))[:_MOST_FAULTS]
        if draft.asked_turn is None and read.turn is not None and read.turn.p >= LEAST_P and shown["turn"]:
            draft.turn = read.turn

    # -- Words

    def _explained(self, draft: RatingResult, evidence: Evidence) -> None:
        lines = []
        if evidence.editor is not None:
            tries = self._explain and draft.edits
            draft.remarks = self._remarks(draft, evidence, tries=tries)
            lines.append(in_words(draft.remarks))
        if draft.everything_asked and self._explain:
            answered = sorted((s for s in draft.factors if s.expected is not None), key=lambda s: -(s.expected or 0.0))
            text, revised = self._writer().rating(draft.text, [score.name for score in answered])
            draft.prose = Prose(text=text, revised=revised) if text else None
            lines.append(text)
        draft.explanation = "\n".join(filter(None, lines)) or None

    def _remarks(self, draft: RatingResult, evidence: Evidence, *, tries: bool) -> tuple[Remark, ...]:
        """The note's remarks with the words that they are about: a positive one, a fault, an edit, the form; no
        positive one where it is in doubt that the text works as a joke."""
        read, judge = evidence.editor or NOTHING_READ, self._judge
        findings = find(
            judge.words.notes,
            draft.text,
            read,
            kinds={kind.id for kind in judge.criteria.categories},
            faults={fault.id for fault in judge.words.faults},
            turn=draft.turn,
        )
        elsewhere = draft.wordplay is not None or misses_its_name(draft.text, findings.turn)
        figures = judge.editor_card.notes if judge.editor_card is not None else {}
        remarks = compose(judge.words.notes, findings, figures, _OF_WORDPLAY if elsewhere else ())
        if draft.sense is not None and draft.sense.joke < _PRAISED and draft.asked_turn is None:
            remarks = tuple(remark for remark in remarks if remark.about != "heard")
        if draft.laughs:
            cuts = cuts_of(judge.reader, draft.text, draft.laughs, judge.cancel) if tries else ()
            own = remarks_on(draft.text, self._weakest, cuts)
            return (*own, *(remark for remark in remarks if remark.about == "fault"))
        if tries and is_english(draft.text):
            return (*against_itself(judge.reader, draft, read.faults.get("padding", 1.0), judge.cancel), *remarks)
        return remarks


def _stage(draft: RatingResult, stage: Stage, work: Callable[[], T]) -> Steps[T]:
    return (yield from staged(draft, stage, work)) if draft.everything_asked else work()


def _doubted(draft: RatingResult) -> bool:
    return draft.sense is not None and draft.sense.said != "joke" and draft.asked_turn is None


_SPELLINGS = (("ou", "o"), ("ise", "ize"), ("yse", "yze"), ("ae", "e"), ("ogue", "og"), ("ll", "l"), ("ence", "ense"),
              ("tre", "ter"), ("grey", "gray"), ("gramme", "gram"), ("plough", "plow"), ("tyre", "tire"))  # fmt: skip
"""British spellings and American ones."""


def _is_spelling(word: str, other: str) -> bool:
    """Whether two words differ in their spelling alone."""
    plain = [one.lower() for one in (word, other)]
    for british, american in _SPELLINGS:
        plain = [one.replace(british, american) for one in plain]
    return plain[0] == plain[1]


def in_words(remarks: Sequence[Remark]) -> str:
    """Return the remarks as text, a line each, with the proposed edit below its remark."""
    edits = (f"\nTry: {remark.trial.text}" if remark.trial is not None else "" for remark in remarks)
    return "\n".join(remark.text + edit for remark, edit in zip(remarks, edits, strict=True))
