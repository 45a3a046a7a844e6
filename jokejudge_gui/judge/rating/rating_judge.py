"""The rating judge: admissibility, categories, factors, scores, and then words."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from typing import TypeVar

from ...core.errors import SettingsError
from ...core.events import ChecksDone, Interim, Stage, StageFinished, StageStarted, TextPiece
from ...core.languages import is_english
from ...core.texts import listed, plain_rejection
from ...engine.base import CancelToken
from ..asking.explanation import Explainer
from ..asking.questions import Reading
from ..asking.worth import Kind
from ..judged_kind import staged
from ..main_judge import MainJudge
from ..reader import Predictions
from .admissibility_checker import admit, evaluate, reasons_against, unread
from .factor_writer import FactorWriter
from .record import CategoryScore, Prose, RatingDraft, Step
from .scores import FactorResult, choose_factors, classify, put_scores, score_factors

T = TypeVar("T")
Found = Generator[Step, None, T]


class RatingJudge:
    """Rates one cleaned joke by asking the loaded model. Yields stage events, and the draft after each result."""

    def __init__(self, judge: MainJudge, writer: Explainer | None, seed: int) -> None:
        """``writer``: None for a rating without words."""
        self._judge = judge
        self._writer = writer
        self._factor_writer = FactorWriter(judge, seed)

    def rate(self, draft: RatingDraft, cancel: CancelToken | None = None) -> Iterator[Step]:
        """Fill ``draft``, which begins with id, text and ``forced``; at the end it is complete."""
        draft.calibrated = self._judge.calibration.rates
        read = yield from staged(draft, Stage.ADMISSIBILITY, self._admissibility(draft, cancel))
        if read is None or (draft.admissible is False and not draft.forced):
            return
        reading, predicted = read
        chosen = yield from self._categories(draft, reading)
        factors = yield from staged(draft, Stage.FACTORS, partial(self._factors, draft, chosen, cancel))
        yield from staged(draft, Stage.SCORES, self._scores(draft, factors, predicted, cancel))
        if self._writer is not None:
            yield from staged(draft, Stage.EXPLANATION, self._explanation(draft, self._writer, cancel))

    def _admissibility(
        self, draft: RatingDraft, cancel: CancelToken | None
    ) -> Found[tuple[Reading, Predictions] | None]:
        """Sets the checks' results, and returns the model's answers about the joke and the heads' readings of it. None:
        the text isn't read, as it is plainly no joke."""
        criteria = self._judge.criteria
        plain = plain_rejection(draft.text)
        read = None
        if plain is not None and not draft.forced:
            checks = tuple(unread(check.id, no_text=True) for check in criteria.template.checks)
            admit(draft, checks, [plain])
        else:
            # The categories don't depend on the checks: asked in the same batch they cost only their tokens.
            reading = self._judge.measure.reading(draft.text, cancel)
            predicted = self._judge.reader.read(draft.text, cancel, context=draft.context)
            read = reading, predicted
            checks = evaluate(self._judge.calibration, reading.checks, predicted.joke)
            admit(draft, checks, reasons_against(checks, criteria))
        yield ChecksDone(checks=checks)
        silent = [check.check for check in checks if not check.reliable]
        if plain is None and silent:
            names = {check.id: check.name for check in criteria.template.checks}
            blind = "whether a text is a joke at all" if len(silent) == len(checks) else None
            what = blind or f"whether a text is {listed([names[check] for check in silent])}"
            draft.warn(f"This model can't tell {what}, so every text passes there.")
        return read

    def _categories(self, draft: RatingDraft, reading: Reading) -> Found[tuple[CategoryScore, ...]]:
        yield StageStarted(stage=Stage.CATEGORIES)
        found = classify(self._judge, reading.categories)
        chosen = tuple(category for category in found if category.chosen)
        draft.categories = tuple(kind.replaced(trust=self._trust("kind", kind.id)) for kind in found)
        yield draft
        # No time of its own: this was answered together with the checks.
        yield StageFinished(stage=Stage.CATEGORIES, seconds=None)
        return chosen

    def _trust(self, kind: Kind, id: str) -> float | None:
        """The worth of the model's own answer; None if unknown."""
        item = self._judge.plan.of(kind, id)
        return item.asked.value if item is not None and item.asked is not None else None

    def _factors(
        self, draft: RatingDraft, chosen: tuple[CategoryScore, ...], cancel: CancelToken | None
    ) -> FactorResult:
        found = choose_factors(self._judge, self._factor_writer, draft.text, chosen, cancel)
        draft.pathway = found.pathway
        if found.warning:
            draft.warn(found.warning)
        return found

    def _scores(
        self, draft: RatingDraft, found: FactorResult, predicted: Predictions, cancel: CancelToken | None
    ) -> Found[None]:
        count = len(found.factors)
        answers = score_factors(self._judge, draft.text, found.factors, cancel, known=found.levels)
        scores = tuple(score.replaced(trust=self._trust("factor", score.id)) for score in answers)
        answered = {score.id for score in scores if score.score is not None}
        try:
            self._factor_writer.served([factor for factor in found.factors if factor.id in answered], draft.text)
        except SettingsError as error:
            draft.warn(f"The factor that was written for this joke can't be kept: {error.sentence} {error.hint}")
        put_scores(draft, scores, self._judge.criteria.weights)
        draft.audience = self._judge.reader.audience(predicted)
        draft.offence = predicted.offence if is_english(draft.text) else None
        silent = [score.name for score in scores if score.score is None]
        if silent:
            draft.warn(f"This model gave no answer on {listed(silent)}.")
        flat = [score.name for score in scores if score.separates is False]
        if len(flat) * 2 > count:
            share = "these factors" if len(flat) == count else f"{len(flat)} of these {count} factors"
            better = "; the audience estimate says more" if draft.audience is not None else ""
            draft.warn(f"It gives nearly every joke the same score on {share}{better}.")
        yield draft
        yield Interim(result=draft.freeze())

    def _explanation(self, draft: RatingDraft, writer: Explainer, cancel: CancelToken | None) -> Found[None]:
        draft.prose = prose_of(writer, draft, cancel)
        if draft.prose is not None:
            draft.explanation = draft.prose.text
            yield TextPiece(text=draft.prose.text)


def prose_of(writer: Explainer, draft: RatingDraft, cancel: CancelToken | None) -> Prose | None:
    """Return the model's sentences about the joke; None where it finds none."""
    answered = [score for score in draft.factors if score.expected is not None]
    ranked = [score.name for score in sorted(answered, key=lambda score: -(score.expected or 0.0))]
    text, revised = writer.rating(draft.text, ranked, cancel)
    return Prose(text=text, passed=writer.passed, revised=revised) if text else None
