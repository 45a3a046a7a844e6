"""Evaluations and comparisons in words: pages of sentences and tables, the same for terminal, window and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..core.pages import Page, Row, Table
from ..core.statistics import Correlation, Difference, Fraction
from ..core.texts import listed
from .comparison import PARTS, Comparison, Paired
from .evaluation import MARGINS, Agreement, Evaluation, PairsReport, RatingsReport
from .reference import Named, ReferenceItem, ReferenceReport, Section

CAUTION = (
    "An audience head that was fitted on such a file is flattered by it: measure on votes that it never saw. "
    "Intervals (95 %) take rows as independent; where one text stands in many pairs they are wider in truth. The ridge "
    "over wording learns from the file itself, but never from the texts that it is asked about."
)
REFERENCE_CAUTION = (
    "What a verdict shows is measured: a kind or fault that it doesn't name counts as not found, and a factor that it "
    "doesn't show has no figure. Heads that learned from these texts are flattered by them: measure on readings that "
    "they never saw."
)
COMPARED = (
    "Plus: the first does better. Intervals (95 %) are by bootstrap over rows, which takes rows as independent; where "
    "one text stands in many pairs they are wider in truth."
)
_SECTIONS: dict[Section, str] = {
    "check": "Checks, area under the curve",
    "kind": "Kinds, area under the curve",
    "factor": "Factors, correlation with the readings",
    "fault": "Faults, area under the curve",
}
_OUTCOMES: dict[bool | None, str] = {True: "pass", False: "fail", None: "not measured"}


def evaluation_pages(evaluation: Evaluation) -> Iterator[Page]:
    """Yield one page for each file with judged rows, one for all files of pairs, and the validation table."""
    if not evaluation.whole:
        yield Page("Not finished", lead=("This is about the rows judged so far.",))
    yield from map(_pairs, (report for report in evaluation.pairs if report.judged))
    if evaluation.macro is not None and evaluation.macro["sets"] > 1:
        mean = evaluation.macro
        shares = [f"{100 * mean[name]:.0f}" for name in ("agreement", "length", "ngrams")]
        row = (f"Mean of {mean['sets']} files", *shares, "50", number(mean["ece"], 3), number(mean["log_loss"], 3))
        head = ("Right in 100 pairs", "judge", "longer", "wording", "chance", "calibration error", "log-loss")
        yield Page("All files of pairs", tables=(Table("", head, (row,), brief=False),))
    yield from map(_ratings, (report for report in evaluation.ratings if report.judged))
    yield from map(_reference, (report for report in evaluation.reference if report.judged))
    people = bool(evaluation.pairs or evaluation.ratings or not evaluation.reference)
    validation = tuple(
        (
            row.measure[:1].upper() + row.measure[1:],
            number(row.value),
            f"{'≥' if row.at_least else '≤'} {row.threshold:.2f}",
            _OUTCOMES[row.passed],
        )
        for row in evaluation.validation
        if people
    )
    model = (f"{evaluation.model.name}, SHA-256 {evaluation.model.sha256}",) if evaluation.model else ("No model",)
    limit = f", at most {evaluation.limit} rows of each file" if evaluation.limit is not None else ""
    yield Page(
        "Validation table" if people else "How it was measured",
        rows=tuple(
            Row(text, quiet=True)
            for text, told in ((CAUTION, people), (REFERENCE_CAUTION, bool(evaluation.reference)))
            if told
        ),
        tables=_tables(Table("", ("Measure", "found", "threshold", "verdict"), validation)),
        foot=(*model, f"{evaluation.mode} mode", f"seed {evaluation.seed}{limit}"),
    )


def number(value: float | None, digits: int = 2, *, sign: str = "-") -> str:
    """Return a figure with a true minus; ``sign`` "+" shows plus signs, too; a dash for None."""
    return "–" if value is None else f"{value:{sign}.{digits}f}".replace("-", "−")


def with_interval(estimate: Correlation | Difference | None, times: float = 1, digits: int = 2) -> str:
    """Return a figure with its 95 % interval, where it has one."""
    if estimate is None or estimate.value is None:
        return "–"
    ends = [number(times * end, digits, sign="+") for end in (estimate.low, estimate.high) if end is not None]
    return number(times * estimate.value, digits, sign="+") + (f" ({' to '.join(ends)})" if len(ends) == 2 else "")


def hundred(share: Fraction) -> str:
    """Return a share in hundredths, rounded to whole ones."""
    return "-" if share.share is None else f"{100 * share.share:.0f}"


def interval(share: Fraction) -> str:
    """Return the interval in hundredths, such as 66–72."""
    return "-" if share.low is None or share.high is None else f"{100 * share.low:.0f}–{100 * share.high:.0f}"


def share_words(share: Fraction) -> str:
    """Return a share in hundredths with its interval; a dash where there is none."""
    return f"{hundred(share)} ({interval(share)})" if share.share is not None else "–"


def _headline(report: PairsReport | RatingsReport | ReferenceReport, what: str) -> str:
    left = [(report.bad, "that can't be used"), (report.errors, "without an answer")]
    if isinstance(report, PairsReport):
        left.insert(0, (report.ties, "ties among people left out"))
    rest = "".join(f", {count} {why}" for count, why in left if count)
    return f"{report.name}: {report.judged} of {report.rows} {what} judged{rest}"


def _tables(*tables: Table) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.rows)


def _beyond(*rows: tuple[str, Correlation | None]) -> Table:
    known = tuple((name, with_interval(one), f"{one.n:,}") for name, one in rows if one is not None)
    return Table("Agreement beyond chance", ("Measure", "found", "rows"), known)


def _pairs(report: PairsReport) -> Page:
    trust, pull = report.trust, report.length
    rows = [Row(in_words(report))]
    if trust.ece is not None and trust.log_loss is not None:
        rows.append(
            Row(
                f"Its stated chances are off by {100 * trust.ece:.0f} of 100 on average (calibration error "
                f"{trust.ece:.3f}); log-loss {trust.log_loss:.3f}, where a coin has 0.693."
            )
        )
    agreement = tuple(
        (MARGINS[row.margin], *map(share_words, (row.judge, row.length, row.ngrams)), "50", f"{row.judge.n:,}")
        for row in report.agreement
    )
    bands = tuple(
        (_odds(band.low, band.high), f"{100 * band.stated:.0f}", share_words(band.found), f"{band.found.n:,}")
        for band in trust.bands
    )
    habits = (
        ("The two orders disagree, of 100 pairs", share_words(report.flips)),
        ("Mean position bias, in probability (plus: the first place)", number(report.position_bias, 3)),
        ("Length and the judge's odds (Spearman)", with_interval(pull["raw"])),
        ("the same with length taken out", with_interval(pull["controlled"])),
        ("Length and people's choice", with_interval(pull["people"])),
    )
    head = ("Right in 100 pairs", "judge", "longer", "wording", "chance", "pairs")
    parts = tuple((name, share_words(share)) for name, share in report.parts.items())
    return Page(
        _headline(report, "pairs"),
        rows=tuple(rows),
        tables=_tables(
            Table("", head, agreement, brief=False),
            Table("Each of its measurements alone", ("Measurement", "right in 100 pairs"), parts),
            _beyond(
                ("Cohen's kappa, the judge and people", report.kappa),
                ("Krippendorff's alpha, the judge and people", report.alpha),
                ("Krippendorff's alpha, people among themselves", report.alpha_people),
            ),
            Table("Stated odds", ("Odds", "says, of 100", "right in 100", "pairs"), bands),
            Table("Habits", ("Habit", "found"), tuple(row for row in habits if row[1] != "–")),
        ),
    )


def _odds(low: float, high: float) -> str:
    first = f"{low / (1 - low):.3g}"
    return f"{first} to {high / (1 - high):.3g}" if high < 1 else f"over {first}"


def in_words(report: PairsReport) -> str:
    """Return the agreement in a sentence or two."""
    row = report.agreement[0]
    if row.judge.share is None:
        return "No pair was judged."
    text = f"It agrees with most people in {hundred(row.judge)} of 100 pairs ({interval(row.judge)})"
    if report.one_person is not None and report.one_person.share is not None:
        text += f"; one person agrees with most of the others in {hundred(report.one_person)}"
    return (
        f"{text}. Choosing the longer text is right in {hundred(row.length)}, a coin in 50, and a ridge over this "
        f"file's own wording in {hundred(row.ngrams)}. {_beaten(row)}"
    )


def _beaten(row: Agreement) -> str:
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


def _ratings(report: RatingsReport) -> Page:
    rows: list[tuple[str, ...]] = []
    if report.column is not None:
        for name, part in (("score", report.score), ("audience", report.audience)):
            if part is not None:
                figures = (with_interval(part.spearman), with_interval(part.pearson), number(part.mae))
                rows.append((f"People and the {name}", *figures))
        for name, alone in (("length", report.length), ("wording", report.ngrams)):
            rows.append((f"People and {name}", with_interval(alone), "", ""))
    rejected = tuple(
        (name, f"{share.right:.0f} of {share.n:,}", share_words(share))
        for name, key in (
            ("Humour that was rejected", "false_reject"),
            ("What isn't humour and was accepted", "false_accept"),
            ("Rejected among the half that people found funnier", "funny_rejected"),
        )
        if (share := report.admission[key]) is not None
    )
    return Page(
        _headline(report, "texts"),
        tables=_tables(
            Table("With people's ratings", ("", "Spearman", "Pearson", "mean error"), tuple(rows)),
            _beyond(
                ("Cohen's kappa, in the funnier half", report.kappa_half),
                ("Cohen's kappa, humour and admission", report.kappa_humor),
                ("Krippendorff's alpha, ratings", report.alpha),
            ),
            Table("Admission", ("Texts", "count", "of 100"), rejected),
        ),
    )


def _reference(report: ReferenceReport) -> Page:
    def items() -> Iterable[Table]:
        head = ("Item", "worth", "texts", "named", "right of 100", "found of 100")
        for section, some in groupby(report.items, key=lambda item: item.section):
            rows = []
            for item in some:
                shares = [share_words(share) if share is not None else "" for share in (item.precision, item.recall)]
                rows.append((item.id, _worth(item), f"{item.n:,}", f"{item.named:,}", *shares))
            yield Table(_SECTIONS[section], head, tuple(rows), brief=False)

    learned = (
        f"{report.learned:,} of these texts come with the program, and the heads that ship learned from them: their "
        "figures flatter."
    )
    return Page(
        _headline(report, "texts"),
        notes=(learned,) if report.learned else (),
        rows=(
            *(
                Row(_named(part), title)
                for title, part in (("Kinds", report.kinds), ("Faults", report.faults))
                if part.precision.n or part.recall.n
            ),
            Row(
                f"The likeliest kind is a reader's in {share_words(report.first_kind)} of 100 jokes; the words on "
                f"which a joke turns are found in {share_words(report.turn)} of 100."
            ),
        ),
        tables=_tables(*items()),
    )


def _named(part: Named) -> str:
    error = f"; stated chances are off by {part.calibration_error:.3f}" if part.calibration_error is not None else ""
    return (
        f"of those that verdicts name {share_words(part.precision)} of 100 are right; of those that readers name "
        f"{share_words(part.recall)} of 100 are found{error}."
    )


def _worth(item: ReferenceItem) -> str:
    """Return ``.75 (.73 to .76)``; a dash where it isn't defined."""
    if item.worth is None:
        return "–"
    spread = f" ({item.low:.2f} to {item.high:.2f})" if item.low is not None and item.high is not None else ""
    return f"{item.worth:.2f}{spread}".replace("-", "−")


# Two judges


def comparison_pages(comparison: Comparison) -> Iterator[Page]:
    """Yield the two runs, and a page for everything that was compared."""
    runs = tuple(
        (
            name,
            run["model"]["name"] if run["model"] is not None else "no model",
            run["file"],
            run["mode"],
            f"{run['answers']:,}",
            f"{run['unused']:,}",
        )
        for name, run in (("First", comparison.first), ("Second", comparison.second))
    )
    head = ("Run", "model", "file", "mode", "answers", "not compared")
    yield Page("Two judges on the same rows", tables=(Table("", head, runs),))
    for name, title in PARTS.values():
        part: Paired | None = getattr(comparison, name)
        if part is not None:
            yield _compared(title, part)
    yield Page("How it was compared", lead=(COMPARED,))


def _compared(title: str, part: Paired) -> Page:
    first, second = part.first, part.second
    if isinstance(first, Correlation) and isinstance(second, Correlation):
        cells = (with_interval(first), with_interval(second), with_interval(part.difference), f"{first.n:,}")
        return Page(
            title,
            rows=(Row(rank_words(part)),),
            tables=(Table("", ("First", "second", "difference", "texts"), (cells,)),),
        )
    assert isinstance(first, Fraction)
    assert isinstance(second, Fraction)
    row = (
        share_words(first),
        share_words(second),
        with_interval(part.difference, 100, 1),
        f"{part.only_first:,}",
        f"{part.only_second:,}",
        f"{part.p:.2g}" if part.p is not None else "–",
        f"{first.n:,}",
    )
    head = ("First, of 100", "second, of 100", "difference", "first better", "second better", "McNemar's p", "rows")
    return Page(title, rows=(Row(comparison_words(part)),), tables=(Table("", head, (row,)),))


def rank_words(part: Paired) -> str:
    """Return a sentence on which run correlates better with people's ratings."""
    first, second, gap = getattr(part.first, "value", None), getattr(part.second, "value", None), part.difference
    if first is None or second is None or gap is None:
        return "For at least one of the two the correlation with people's ratings isn't known."
    text = f"Ranked beside people's ratings the first has {first:.2f}, the second {second:.2f}".replace("-", "−")
    if gap.low > 0 or gap.high < 0:
        return f"{text}. The {'first' if gap.value > 0 else 'second'} does better by more than chance."
    return f"{text}. The difference may be chance."


def comparison_words(part: Paired) -> str:
    """Return a sentence or two on which run does better."""
    first, second = part.first, part.second
    if part.p is None or part.difference is None or isinstance(first, Correlation) or isinstance(second, Correlation):
        return "No row has an answer in both runs."
    gap, one, two = 100 * part.difference.value, 100 * (first.share or 0.0), 100 * (second.share or 0.0)
    text = f"The first is right in {one:.0f} of 100, the second in {two:.0f}, on the same {first.n:,}"
    if part.only_first == part.only_second:
        return f"{text}. Neither does better."
    better = "first" if gap > 0 else "second"
    low, high = sorted(
        abs(end) if (end > 0) == (gap > 0) else -abs(end)
        for end in (100 * part.difference.low, 100 * part.difference.high)
    )
    span = f"{abs(gap):.1f} more of 100 ({low:.1f} to {high:.1f})".replace("-", "−")
    sure = "That is more than chance" if part.p < 0.05 else "That may be chance"
    return f"{text}. The {better} has {span}. {sure} (McNemar, p = {part.p:.2g})."
