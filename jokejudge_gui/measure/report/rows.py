"""Results of evaluations, audits and comparisons, as titled parts of sentences and tables of text, the same for the
terminal, the web page and the window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ...core.pages import Part, Table
from ...core.statistics import Correlation, Difference
from ..comparison import Comparison, comparison_words, rank_words
from ..evaluation import MARGINS, ChanceCorrected, Evaluation, PairsReport, RatingsReport
from ..reference import ReferenceReport
from ..validation import LEARNED, SECTIONS, in_words, item_worth, named_words, share_words

Report = PairsReport | RatingsReport | ReferenceReport
OUTCOMES: dict[bool | None, str] = {True: "pass", False: "fail", None: "not measured"}


def evaluation_parts(found: Evaluation) -> Iterator[Part]:
    """Yield one part for each file with judged rows, one for all files of pairs, and the validation table."""
    yield from (_pairs(report) for report in found.pairs if report.judged)
    whole = found.macro
    if whole is not None and whole.sets > 1:
        shares = [f"{100 * value:.0f}" for value in (whole.agreement, whole.length, whole.ngrams)]
        row = (f"Mean of {whole.sets} files", *shares, "50", number(whole.ece, 3), number(whole.log_loss, 3))
        head = ("Right in 100 pairs", "judge", "longer", "wording", "chance", "calibration error", "log-loss")
        yield Part("All files of pairs", tables=(Table("", head, (row,), brief=False),))
    yield from (_ratings(report) for report in found.ratings if report.judged)
    yield from (_reference(report) for report in found.reference if report.judged)
    if found.pairs or found.ratings or not found.reference:
        rows = tuple(
            (
                row.measure[:1].upper() + row.measure[1:],
                number(row.value),
                f"{'≥' if row.at_least else '≤'} {row.threshold:.2f}",
                OUTCOMES[row.passed],
            )
            for row in found.validation
        )
        yield Part("Validation table", tables=(Table("", ("Measure", "found", "threshold", "verdict"), rows),))


def number(value: float | None, digits: int = 2, *, sign: str = "-", none: str = "–") -> str:
    """Return a figure with a true minus; ``sign`` "+" shows plus signs, too."""
    return none if value is None else f"{value:{sign}.{digits}f}".replace("-", "−")


def with_interval(
    found: Correlation | ChanceCorrected | Difference | None,
    times: float = 1,
    digits: int = 2,
) -> str:
    """Return a figure with its 95 % interval, where it has one."""
    if found is None or found.value is None:
        return "–"
    ends = [number(times * end, digits, sign="+") for end in (found.low, found.high) if end is not None]
    return number(times * found.value, digits, sign="+") + (f" ({' to '.join(ends)})" if len(ends) == 2 else "")


def _judged(report: Report, what: str) -> str:
    left = [(report.bad, "that can't be used"), (report.errors, "without an answer")]
    if isinstance(report, PairsReport):
        left.insert(0, (report.ties, "ties among people left out"))
    parts = "".join(f", {count} {why}" for count, why in left if count)
    return f"{report.judged} of {report.rows} {what} judged{parts}"


def _tables(*tables: Table) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.rows)


def _beyond(*rows: tuple[str, ChanceCorrected | None]) -> Table:
    found = tuple((name, with_interval(one), f"{one.n:,}") for name, one in rows if one is not None)
    return Table("Agreement beyond chance", ("Measure", "found", "rows"), found)


def _odds(low: float, high: float) -> str:
    first = f"{low / (1 - low):.3g}"
    return f"{first} to {high / (1 - high):.3g}" if high < 1 else f"over {first}"


def _pairs(report: PairsReport) -> Part:
    trust, pull = report.trust, report.length
    words = [in_words(report)]
    if trust.ece is not None and trust.log_loss is not None:
        words.append(
            f"Its stated chances are off by {100 * trust.ece:.0f} of 100 on average (calibration error "
            f"{trust.ece:.3f}); log-loss {trust.log_loss:.3f}, where a coin has 0.693."
        )
    agreement = (
        (MARGINS[row.margin], *map(share_words, (row.judge, row.length, row.ngrams)), "50", f"{row.judge.n:,}")
        for row in report.agreement
    )
    bands = (
        (_odds(band.low, band.high), f"{100 * band.stated:.0f}", share_words(band.found), f"{band.found.n:,}")
        for band in trust.bands
    )
    habits = (
        ("The two orders disagree, of 100 pairs", share_words(report.flips)),
        ("Mean position bias, in probability (plus: the first place)", number(report.position_bias, 3)),
        ("Length and the judge's odds (Spearman)", with_interval(pull.raw)),
        ("the same with length taken out", with_interval(pull.controlled)),
        ("Length and people's choice", with_interval(pull.people)),
    )
    head = ("Right in 100 pairs", "judge", "longer", "wording", "chance", "pairs")
    parts = tuple((name, share_words(share)) for name, share in report.parts.items())
    return Part(
        report.name,
        tuple(words),
        judged=_judged(report, "pairs"),
        tables=_tables(
            Table("", head, tuple(agreement), brief=False),
            Table("Each of its measurements alone", ("Measurement", "right in 100 pairs"), parts),
            _beyond(
                ("Cohen's kappa, the judge and people", report.kappa),
                ("Krippendorff's alpha, the judge and people", report.alpha),
                ("Krippendorff's alpha, people among themselves", report.alpha_people),
            ),
            Table("Stated odds", ("Odds", "says, of 100", "right in 100", "pairs"), tuple(bands)),
            Table("Habits", ("Habit", "found"), tuple(row for row in habits if row[1] != "–")),
        ),
        about=report,
    )


def _ratings(report: RatingsReport) -> Part:
    rows: list[tuple[str, ...]] = []
    if report.column is not None:
        for name, part in (("score", report.score), ("audience", report.audience)):
            if part is not None:
                found = (with_interval(part.spearman), with_interval(part.pearson), number(part.mae))
                rows.append((f"People and the {name}", *found))
        for name, alone in (("length", report.length), ("wording", report.ngrams)):
            rows.append((f"People and {name}", with_interval(alone), "", ""))
    admission = report.admission
    rejected = (
        (name, f"{share.right:.0f} of {share.n:,}", share_words(share))
        for name, share in (
            ("Humour that was rejected", admission.false_reject),
            ("What isn't humour and was accepted", admission.false_accept),
            ("Rejected among the half that people found funnier", admission.funny_rejected),
        )
        if share is not None
    )
    return Part(
        report.name,
        judged=_judged(report, "texts"),
        tables=_tables(
            Table("With people's ratings", ("", "Spearman", "Pearson", "mean error"), tuple(rows)),
            _beyond(
                ("Cohen's kappa, in the funnier half", report.kappa_half),
                ("Cohen's kappa, humour and admission", report.kappa_humor),
                ("Krippendorff's alpha, ratings", report.alpha),
            ),
            Table("Admission", ("Texts", "count", "of 100"), tuple(rejected)),
        ),
        about=report,
    )


def _reference(report: ReferenceReport) -> Part:
    def items() -> Iterable[Table]:
        head = ("Item", "worth", "texts", "named", "right of 100", "found of 100")
        for section, some in groupby(report.items, key=lambda item: item.section):
            rows = []
            for item in some:
                shares = [share_words(share) if share is not None else "" for share in (item.precision, item.recall)]
                rows.append((item.id, item_worth(item), f"{item.n:,}", f"{item.named:,}", *shares))
            yield Table(SECTIONS[section], head, tuple(rows), brief=False)

    words = [
        f"{title}: {named_words(part)}"
        for title, part in (("Kinds", report.kinds), ("Faults", report.faults))
        if part.precision.n or part.recall.n
    ]
    words.append(
        f"The likeliest kind is a reader's in {share_words(report.first_kind)} of 100 jokes; the words on which a joke "
        f"turns are found in {share_words(report.turn)} of 100."
    )
    return Part(
        report.name,
        tuple(words),
        _tables(*items()),
        judged=_judged(report, "texts"),
        warning=LEARNED.format(count=f"{report.learned:,}") if report.learned else "",
        about=report,
    )


# -- a comparison ------------------------------------------------------------------------------------------------------


def comparison_parts(found: Comparison) -> Iterator[Part]:
    """Yield the two runs, and a part for everything that was compared."""
    runs = tuple(
        (name, run.model.name if run.model is not None else "no model", run.file, run.mode, f"{run.answers:,}",
         f"{run.unused:,}")
        for name, run in (("First", found.first), ("Second", found.second))
    )  # fmt: skip
    yield Part("Runs", tables=(Table("", ("Run", "model", "file", "mode", "answers", "not compared"), runs),))
    head = ("First, of 100", "second, of 100", "difference", "first better", "second better", "McNemar's p", "rows")
    for name, part in found.parts:
        row = (
            share_words(part.first),
            share_words(part.second),
            with_interval(part.difference, 100, 1),
            f"{part.only_first:,}",
            f"{part.only_second:,}",
            f"{part.p:.2g}" if part.p is not None else "–",
            f"{part.first.n:,}",
        )
        yield Part(name, (comparison_words(part),), (Table("", head, (row,)),))
    if (ranks := found.ratings) is not None:
        figures = (*map(with_interval, (ranks.first, ranks.second, ranks.difference)), f"{ranks.first.n:,}")
        table = Table("", ("First", "second", "difference", "texts"), (figures,))
        yield Part("People's ratings, rank correlation", (rank_words(ranks),), (table,))
