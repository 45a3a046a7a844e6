"""Summaries of an evaluation: means over files, the validation table, and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..core.statistics import Fraction
from ..core.texts import listed
from .evaluation import Agreement, Macro, PairsReport, RatingsReport, Validation
from .reference import Named, ReferenceItem, Section

CAUTION = (
    "An audience head that was fitted on such a file is flattered by it: measure on votes that it never saw. "
    "Intervals (95 %) take rows as independent; where one text stands in many pairs they are wider in truth. The ridge "
    "over wording learns from the file itself, but never from the texts that it is asked about."
)


def macro(reports: Sequence[PairsReport]) -> Macro | None:
    """Return means over the files of pairs that have answers; None where none has."""
    found = []
    for report in reports:
        row = report.agreement[0]
        shares = (row.judge.share, row.length.share, row.ngrams.share, report.trust.ece, report.trust.log_loss)
        if all(share is not None for share in shares):
            found.append([share for share in shares if share is not None])
    if not found:
        return None
    means = [math.fsum(column) / len(found) for column in zip(*found, strict=True)]
    agreement, length, ngrams, ece, loss = means
    return Macro(sets=len(found), agreement=agreement, length=length, ngrams=ngrams, ece=ece, log_loss=loss)


def validation(pairs: Sequence[PairsReport], ratings: Sequence[RatingsReport]) -> tuple[Validation, ...]:
    """Return the table by which a judge is accepted: agreement ≥ 70 %, mean absolute error ≤ .15, Pearson ≥ .60, false
    rejects ≤ 20 %, false accepts ≤ 10 %. Over several files, agreement, error and correlation are means of the files;
    rejects and accepts are of all texts together. The audience's lines are included where the model has an audience
    estimate."""
    whole = macro(pairs)
    score, audience = [r.score for r in ratings], [r.audience for r in ratings if r.audience is not None]
    rows = [
        _row("agreement in pairs", 0.70, True, whole.agreement if whole else None),
        _row("mean absolute error of the score", 0.15, False, _mean(part.mae for part in score)),
        _row("Pearson correlation of the score", 0.60, True, _mean(part.pearson.value for part in score)),
    ]
    if audience:
        rows += [
            _row("mean absolute error of the audience", 0.15, False, _mean(part.mae for part in audience)),
            _row("Pearson correlation of the audience", 0.60, True, _mean(part.pearson.value for part in audience)),
        ]
    return (
        *rows,
        _row("false rejects", 0.20, False, _pooled(report.admission.false_reject for report in ratings)),
        _row("false accepts", 0.10, False, _pooled(report.admission.false_accept for report in ratings)),
    )


def _row(measure: str, threshold: float, at_least: bool, value: float | None) -> Validation:
    passed = None if value is None else value >= threshold if at_least else value <= threshold
    return Validation(measure=measure, threshold=threshold, at_least=at_least, value=value, passed=passed)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _pooled(parts: Iterable[Fraction | None]) -> float | None:
    known = [part for part in parts if part is not None]
    count = sum(part.n for part in known)
    return math.fsum(part.right for part in known) / count if count else None


def in_words(report: PairsReport) -> str:
    """Return the agreement in a sentence or two."""
    row = report.agreement[0]
    if row.judge.share is None:
        return "No pair was judged."
    text = f"It agrees with most people in {hundred(row.judge)} of 100 pairs ({interval(row.judge)})"
    if report.one_person is not None and report.one_person.share is not None:
        text += f"; one person agrees with most of the others in {hundred(report.one_person)}"
    text += (
        f". Choosing the longer text is right in {hundred(row.length)}, a coin in 50, and a ridge over this file's own "
        f"wording in {hundred(row.ngrams)}."
    )
    return text + f" {_compared(row)}"


def _compared(row: Agreement) -> str:
    beaten: list[str] = []
    not_beaten: list[str] = []
    coin = row.judge.low is not None and row.judge.low > 0.5
    for name, ahead in (
        ("chance", coin),
        ("length", row.over_length is not None and row.over_length.low > 0),
        ("wording", row.over_ngrams is not None and row.over_ngrams.low > 0),
    ):
        (beaten if ahead else not_beaten).append(name)
    if not not_beaten:
        return "It surely beats all three."
    if not beaten:
        return "It isn't surely better than any of the three."
    return f"It surely beats {listed(beaten)}, but not {listed(not_beaten)}."


def hundred(share: Fraction) -> str:
    """Return a share in hundredths, rounded to whole ones."""
    return "-" if share.share is None else f"{100 * share.share:.0f}"


def interval(share: Fraction) -> str:
    """Return the interval in hundredths, such as 66–72."""
    return "-" if share.low is None or share.high is None else f"{100 * share.low:.0f}–{100 * share.high:.0f}"


# -- figures of the comparison with readings, in words -----------------------------------------------------------------

SECTIONS: dict[Section, str] = {
    "check": "Checks, area under the curve",
    "kind": "Kinds, area under the curve",
    "factor": "Factors, correlation with the readings",
    "fault": "Faults, area under the curve",
}
LEARNED = (
    "{count} of these texts come with the program, and the heads that ship learned from them: their figures flatter."
)
REFERENCE_CAUTION = (
    "What a verdict shows is measured: a kind or fault that it doesn't name counts as not found, and a factor that it "
    "doesn't show has no figure. Heads that learned from these texts are flattered by them: measure on readings that "
    "they never saw."
)


def named_words(part: Named) -> str:
    """Return the precision and recall of named kinds or faults, and their calibration error, in words."""
    error = f"; stated chances are off by {part.calibration_error:.3f}" if part.calibration_error is not None else ""
    return (
        f"of those that verdicts name {share_words(part.precision)} of 100 are right; of those that readers name "
        f"{share_words(part.recall)} of 100 are found{error}."
    )


def share_words(share: Fraction) -> str:
    """Return a share in hundredths with its interval; a dash where there is none."""
    return f"{hundred(share)} ({interval(share)})" if share.share is not None else "–"


def item_worth(item: ReferenceItem) -> str:
    """Return ``.75 (.73 to .76)``; a dash where it isn't defined."""
    if item.worth is None:
        return "–"
    spread = f" ({item.low:.2f} to {item.high:.2f})" if item.low is not None and item.high is not None else ""
    return f"{item.worth:.2f}{spread}".replace("-", "−")
