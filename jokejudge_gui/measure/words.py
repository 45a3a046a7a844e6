"""Evaluations and comparisons in words: pages of sentences and tables, the same for terminal, window and files."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.pages import Page, Row, Table
from ..core.texts import listed
from ..core.words import of_100
from .evaluation import MARGINS, Report

CAUTION = (
    "An audience head that was fitted on such a file is flattered by it: measure on votes that it never saw. "
    "Intervals (95 %) take rows as independent; where one text stands in many pairs they are wider in truth. The ridge "
    "over wording learns from the file itself, but never from the texts that it is asked about."
)
_OUTCOMES: dict[bool | None, str] = {True: "pass", False: "fail", None: "not measured"}


def evaluation_pages(evaluation: Report) -> Iterator[Page]:
    """Yield one page for each file with judged rows, one for all files of pairs, and the validation table."""
    if not evaluation["whole"]:
        yield Page("Not finished", lead=("This is about the rows judged so far.",))
    yield from map(_pairs, (report for report in evaluation["pairs"] if report["judged"]))
    if (mean := evaluation["macro"]) is not None and mean["sets"] > 1:
        shares = [f"{100 * mean[name]:.0f}" for name in ("agreement", "length", "ngrams")]
        row = (f"Mean of {mean['sets']} files", *shares, "50", number(mean["ece"], 3), number(mean["log_loss"], 3))
        head = ("Right in 100 pairs", "judge", "longer", "wording", "chance", "calibration error", "log-loss")
        yield Page("All files of pairs", tables=(Table("", head, (row,)),))
    yield from map(_ratings, (report for report in evaluation["ratings"] if report["judged"]))
    outcomes = tuple(
        (row["measure"][:1].upper() + row["measure"][1:], number(row["value"]),
         f"{'≥' if row['at_least'] else '≤'} {row['threshold']:.2f}", _OUTCOMES[row["passed"]])
        for row in evaluation["validation"]
    )  # fmt: skip
    model = evaluation["model"]
    limit = f", at most {evaluation['limit']} rows of each file" if evaluation["limit"] is not None else ""
    yield Page(
        "Validation table",
        tables=_tables(Table("", ("Measure", "found", "threshold", "verdict"), outcomes)),
        foot=(
            f"{model['name']}, SHA-256 {model['sha256']}" if model else "No model",
            f"{evaluation['mode']} mode", f"seed {evaluation['seed']}{limit}", CAUTION,
        ),
    )  # fmt: skip


def number(value: float | None, digits: int = 2, *, sign: str = "-") -> str:
    """Return a figure with a true minus; ``sign`` "+" shows plus signs, too; a dash for None."""
    return "–" if value is None else f"{value:{sign}.{digits}f}".replace("-", "−")


def with_interval(estimate: Report | None, times: float = 1, digits: int = 2) -> str:
    """Return a figure with its 95 % interval, where it has one."""
    if estimate is None or estimate["value"] is None:
        return "–"
    value, *ends = (
        number(times * estimate[name], digits, sign="+")
        for name in ("value", "low", "high")
        if estimate[name] is not None
    )
    return f"{value} ({' to '.join(ends)})" if len(ends) == 2 else value


def share_words(share: Report | None) -> str:
    """Return a share in hundredths with its interval; a dash where there is none."""
    return of_100(share["share"], share["low"], share["high"]) if share is not None else "–"


def _headline(report: Report, what: str) -> str:
    ties = report.get("ties", 0)
    left = {
        f"tie{'s' * (ties != 1)} among people left out": ties, "that can't be used": report["bad"],
        "without an answer": report["errors"],
    }  # fmt: skip
    rest = "".join(f", {count} {why}" for why, count in left.items() if count)
    return f"{report['name']}: {report['judged']} of {report['rows']} {what} judged{rest}"


def _tables(*tables: Table) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.rows)


def _pairs(report: Report) -> Page:
    trust, pull = report["trust"], report["length"]
    rows = [Row(in_words(report))]
    if trust["ece"] is not None and trust["log_loss"] is not None:
        off = f"{100 * trust['ece']:.0f} of 100 on average (calibration error {trust['ece']:.3f})"
        rows.append(
            Row(f"Its stated chances are off by {off}; log-loss {trust['log_loss']:.3f}, where a coin has 0.693.")
        )
    agreement = tuple(
        (MARGINS[row["margin"]], *(share_words(row[name]) for name in ("judge", "length", "ngrams")), "50",
         f"{row['judge']['n']:,}")
        for row in report["agreement"]
    )  # fmt: skip
    bands = tuple(
        (_odds(band["low"], band["high"]), f"{100 * band['stated']:.0f}", share_words(band["found"]),
         f"{band['found']['n']:,}")
        for band in trust["bands"]
    )  # fmt: skip
    habits = (
        ("The two orders disagree, of 100 pairs", share_words(report["flips"])),
        ("Mean position bias, in probability (plus: the first place)", number(report["position_bias"], 3)),
        ("Length and the judge's odds (Spearman)", with_interval(pull["raw"])),
        ("the same with length taken out", with_interval(pull["controlled"])),
        ("Length and people's choice", with_interval(pull["people"])),
    )
    head = ("Right in 100 pairs", "judge", "longer", "wording", "chance", "pairs")
    parts = tuple((name, share_words(share)) for name, share in report["parts"].items())
    tables = _tables(
        Table("", head, agreement),
        Table("Each of its measurements alone", ("Measurement", "right in 100 pairs"), parts),
        Table("Stated odds", ("Odds", "says, of 100", "right in 100", "pairs"), bands),
        Table("Habits", ("Habit", "found"), tuple(row for row in habits if row[1] != "–")),
    )
    return Page(_headline(report, "pairs"), rows=tuple(rows), tables=tables)


def _odds(low: float, high: float) -> str:
    first = f"{low / (1 - low):.3g}"
    return f"{first} to {high / (1 - high):.3g}" if high < 1 else f"over {first}"


def in_words(report: Report) -> str:
    """Return the agreement in a sentence or two."""
    row = report["agreement"][0]
    if row["judge"]["share"] is None:
        return "No pair was judged."
    judge = row["judge"]
    agreement = of_100(judge["share"], judge["low"], judge["high"], " of 100 pairs")
    text = f"It agrees with most people in {agreement}"
    if (one := report["one_person"]) is not None and one["share"] is not None:
        text += f"; one person agrees with most of the others in {of_100(one['share'])}"
    return (
        f"{text}. Choosing the longer text is right in {of_100(row['length']['share'])}, a coin in 50, and a ridge "
        f"over this file's own wording in {of_100(row['ngrams']['share'])}. {_beaten(row)}"
    )


def ratings_in_words(report: Report) -> str:
    """Return how far the judge's order of texts is people's, in a sentence."""
    part = report["audience"] or report["score"] if report["column"] is not None else None
    if part is None or part["spearman"]["value"] is None:
        return "No text has both a rating by people and a number of the judge's."
    figure = with_interval(part["spearman"])
    return f"Its order of the texts and people's have a rank correlation of {figure}; 0 is chance, 1 the same order."


def _beaten(row: Report) -> str:
    ahead = {
        "chance": (row["judge"]["low"] or 0) > 0.5,
        "length": row["over_length"] is not None and row["over_length"]["low"] > 0,
        "wording": row["over_ngrams"] is not None and row["over_ngrams"]["low"] > 0,
    }
    beaten = [name for name, better in ahead.items() if better]
    if len(beaten) in (0, 3):
        return "It surely beats all three." if beaten else "It isn't surely better than any of the three."
    return f"It surely beats {listed(beaten)}, but not {listed([name for name in ahead if not ahead[name]])}."


def _ratings(report: Report) -> Page:
    rows: list[tuple[str, ...]] = []
    if report["column"] is not None:
        for name in ("score", "audience"):
            if (part := report[name]) is not None:
                figures = (with_interval(part["spearman"]), with_interval(part["pearson"]), number(part["mae"]))
                rows.append((f"People and the {name}", *figures))
        rows += [("People and length", with_interval(report["length"]), "", ""),
                 ("People and wording", with_interval(report["ngrams"]), "", "")]  # fmt: skip
    rejected = tuple(
        (name, f"{share['right']:.0f} of {share['n']:,}", share_words(share))
        for name, key in (
            ("Humour that was rejected", "false_reject"),
            ("What isn't humour and was accepted", "false_accept"),
            ("Rejected among the half that people found funnier", "funny_rejected"),
        )
        if (share := report["admission"][key]) is not None
    )
    return Page(
        _headline(report, "texts"),
        rows=(Row(ratings_in_words(report)),),
        tables=_tables(
            Table("With people's ratings", ("", "Spearman", "Pearson", "mean error"), tuple(rows)),
            Table("Admission", ("Texts", "count", "of 100"), rejected),
        ),
    )
