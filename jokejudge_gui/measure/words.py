"""Evaluations and comparisons in words: pages of sentences and tables, the same for terminal, window and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from ..core.pages import Page, Row, Table
from ..core.texts import listed
from .comparison import PARTS
from .evaluation import MARGINS, Report

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
_SECTIONS = {
    "check": "Checks, area under the curve",
    "kind": "Kinds, area under the curve",
    "factor": "Factors, correlation with the readings",
    "fault": "Faults, area under the curve",
}
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
        yield Page("All files of pairs", tables=(Table("", head, (row,), brief=False),))
    yield from map(_ratings, (report for report in evaluation["ratings"] if report["judged"]))
    yield from map(_reference, (report for report in evaluation["reference"] if report["judged"]))
    read = bool(evaluation["reference"])
    people = bool(evaluation["pairs"] or evaluation["ratings"] or not read)
    table = validation_table(evaluation, ("Measure", "found", "threshold", "verdict")) if people else ()
    model = evaluation["model"]
    limit = f", at most {evaluation['limit']} rows of each file" if evaluation["limit"] is not None else ""
    yield Page(
        "Validation table" if people else "How it was measured",
        rows=tuple(Row(text, quiet=True) for text, told in ((CAUTION, people), (REFERENCE_CAUTION, read)) if told),
        tables=table,
        foot=(
            f"{model['name']}, SHA-256 {model['sha256']}" if model else "No model",
            f"{evaluation['mode']} mode", f"seed {evaluation['seed']}{limit}",
        ),
    )  # fmt: skip


def validation_table(evaluation: Report, head: tuple[str, ...], *, every: bool = True) -> tuple[Table, ...]:
    """Return the table by which a judge is accepted, if it has rows. ``every``: also what wasn't measured."""
    return _tables(
        Table(
            "",
            head,
            tuple(
                (
                    row["measure"][:1].upper() + row["measure"][1:], number(row["value"]),
                    f"{'≥' if row['at_least'] else '≤'} {row['threshold']:.2f}", _OUTCOMES[row["passed"]],
                )
                for row in evaluation["validation"]
                if every or row["passed"] is not None
            ),
        )
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


def hundred(share: Report) -> str:
    """Return a share in hundredths, rounded to whole ones."""
    return "-" if share["share"] is None else f"{100 * share['share']:.0f}"


def interval(share: Report) -> str:
    """Return the interval in hundredths, such as 66–72."""
    return "-" if share["low"] is None else f"{100 * share['low']:.0f}–{100 * share['high']:.0f}"


def share_words(share: Report | None) -> str:
    """Return a share in hundredths with its interval; a dash where there is none."""
    return f"{hundred(share)} ({interval(share)})" if share is not None and share["share"] is not None else "–"


def _headline(report: Report, what: str) -> str:
    left = [
        (report.get("ties", 0), "ties among people left out"), (report["bad"], "that can't be used"),
        (report["errors"], "without an answer"),
    ]  # fmt: skip
    rest = "".join(f", {count} {why}" for count, why in left if count)
    return f"{report['name']}: {report['judged']} of {report['rows']} {what} judged{rest}"


def _tables(*tables: Table) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.rows)


def _beyond(*rows: tuple[str, Report | None]) -> Table:
    known = tuple((name, with_interval(one), f"{one['n']:,}") for name, one in rows if one is not None)
    return Table("Agreement beyond chance", ("Measure", "found", "rows"), known)


def _pairs(report: Report) -> Page:
    trust, pull = report["trust"], report["length"]
    rows = [Row(in_words(report))]
    if trust["ece"] is not None and trust["log_loss"] is not None:
        rows.append(
            Row(
                f"Its stated chances are off by {100 * trust['ece']:.0f} of 100 on average (calibration error "
                f"{trust['ece']:.3f}); log-loss {trust['log_loss']:.3f}, where a coin has 0.693."
            )
        )
    agreement = tuple(
        (
            MARGINS[row["margin"]], *(share_words(row[name]) for name in ("judge", "length", "ngrams")), "50",
            f"{row['judge']['n']:,}",
        )
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
    return Page(
        _headline(report, "pairs"),
        rows=tuple(rows),
        tables=_tables(
            Table("", head, agreement, brief=False),
            Table("Each of its measurements alone", ("Measurement", "right in 100 pairs"), parts),
            _beyond(
                ("Cohen's kappa, the judge and people", report["kappa"]),
                ("Krippendorff's alpha, the judge and people", report["alpha"]),
                ("Krippendorff's alpha, people among themselves", report["alpha_people"]),
            ),
            Table("Stated odds", ("Odds", "says, of 100", "right in 100", "pairs"), bands),
            Table("Habits", ("Habit", "found"), tuple(row for row in habits if row[1] != "–")),
        ),
    )


def _odds(low: float, high: float) -> str:
    first = f"{low / (1 - low):.3g}"
    return f"{first} to {high / (1 - high):.3g}" if high < 1 else f"over {first}"


def in_words(report: Report) -> str:
    """Return the agreement in a sentence or two."""
    row = report["agreement"][0]
    if row["judge"]["share"] is None:
        return "No pair was judged."
    text = f"It agrees with most people in {hundred(row['judge'])} of 100 pairs ({interval(row['judge'])})"
    if (one := report["one_person"]) is not None and one["share"] is not None:
        text += f"; one person agrees with most of the others in {hundred(one)}"
    return (
        f"{text}. Choosing the longer text is right in {hundred(row['length'])}, a coin in 50, and a ridge over this "
        f"file's own wording in {hundred(row['ngrams'])}. {_beaten(row)}"
    )


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
        tables=_tables(
            Table("With people's ratings", ("", "Spearman", "Pearson", "mean error"), tuple(rows)),
            _beyond(
                ("Cohen's kappa, in the funnier half", report["kappa_half"]),
                ("Cohen's kappa, humour and admission", report["kappa_humor"]),
                ("Krippendorff's alpha, ratings", report["alpha"]),
            ),
            Table("Admission", ("Texts", "count", "of 100"), rejected),
        ),
    )


def _reference(report: Report) -> Page:
    def items() -> Iterable[Table]:
        head = ("Item", "worth", "texts", "named", "right of 100", "found of 100")
        for section, some in groupby(report["items"], key=lambda item: str(item["section"])):
            rows = []
            for item in some:
                shares = [share_words(share) if share else "" for share in (item["precision"], item["recall"])]
                rows.append((item["id"], _worth(item), f"{item['n']:,}", f"{item['named']:,}", *shares))
            yield Table(_SECTIONS[section], head, tuple(rows), brief=False)

    learned = (
        f"{report['learned']:,} of these texts come with the program, and the heads that ship learned from them: their "
        "figures flatter."
    )
    named = (("Kinds", report["kinds"]), ("Faults", report["faults"]))
    return Page(
        _headline(report, "texts"),
        notes=(learned,) if report["learned"] else (),
        rows=(
            *(Row(_named(part), title) for title, part in named if part["precision"]["n"] or part["recall"]["n"]),
            Row(
                f"The likeliest kind is a reader's in {share_words(report['first_kind'])} of 100 jokes; the words on "
                f"which a joke turns are found in {share_words(report['turn'])} of 100."
            ),
        ),
        tables=_tables(*items()),
    )


def _named(part: Report) -> str:
    off = part["calibration_error"]
    error = f"; stated chances are off by {off:.3f}" if off is not None else ""
    return (
        f"of those that verdicts name {share_words(part['precision'])} of 100 are right; of those that readers name "
        f"{share_words(part['recall'])} of 100 are found{error}."
    )


def _worth(item: Report) -> str:
    """Return ``.75 (.73 to .76)``; a dash where it isn't defined."""
    if item["worth"] is None:
        return "–"
    spread = f" ({item['low']:.2f} to {item['high']:.2f})" if item["low"] is not None else ""
    return f"{item['worth']:.2f}{spread}".replace("-", "−")


# Two judges


def comparison_pages(comparison: Report) -> Iterator[Page]:
    """Yield the page of two runs: sentences and a row of a table for everything that was compared."""
    runs = tuple(
        (
            run.capitalize(), given["model"]["name"] if given["model"] is not None else "no model", given["file"],
            given["mode"], f"{given['answers']:,}", f"{given['unused']:,}",
        )
        for run, given in ((run, comparison[run]) for run in ("first", "second"))
    )  # fmt: skip
    rows: list[Row] = []
    figures: list[tuple[str, ...]] = []
    for name, title in PARTS.values():
        if (part := comparison[name]) is not None:
            rows.append(Row(comparison_words(part), title))
            figures.append((title, *_compared(part)))
    head = ("Of 100; of ratings, a rank correlation", "first", "second", "difference", "first better", "second better",
            "McNemar's p", "rows")  # fmt: skip
    yield Page(
        "Two judges on the same rows",
        rows=(*rows, Row(COMPARED, "How it was compared", quiet=True)),
        tables=(
            Table("", ("Run", "model", "file", "mode", "answers", "not compared"), runs),
            Table("", head, tuple(figures), brief=False),
        ),
    )


def _compared(part: Report) -> tuple[str, ...]:
    first, second = part["first"], part["second"]
    if part["p"] is None:
        gap = with_interval(part["difference"])
        return with_interval(first), with_interval(second), gap, "", "", "", f"{first['n']:,}"
    return (
        share_words(first), share_words(second), with_interval(part["difference"], 100, 1), f"{part['only_first']:,}",
        f"{part['only_second']:,}", f"{part['p']:.2g}", f"{first['n']:,}",
    )  # fmt: skip


def comparison_words(part: Report) -> str:
    """Return a sentence or two on which run does better."""
    gap: dict[str, Any] | None = part["difference"]
    first, second = part["first"], part["second"]
    if part["p"] is None:
        if gap is None:
            return "For at least one of the two the correlation with people's ratings isn't known."
        text = (
            f"Ranked beside people's ratings the first has {first['value']:.2f}, the second {second['value']:.2f}"
        ).replace("-", "−")
        if gap["low"] > 0 or gap["high"] < 0:
            return f"{text}. The {'first' if gap['value'] > 0 else 'second'} does better by more than chance."
        return f"{text}. The difference may be chance."
    text = f"The first is right in {hundred(first)} of 100, the second in {hundred(second)}, on the same {first['n']:,}"
    if gap is None or part["only_first"] == part["only_second"]:
        return f"{text}. Neither does better."
    sign = 100 if gap["value"] > 0 else -100
    value, low, high = sign * gap["value"], *sorted((sign * gap["low"], sign * gap["high"]))
    span = f"{value:.1f} more of 100 ({low:.1f} to {high:.1f})".replace("-", "−")
    sure = "That is more than chance" if part["p"] < 0.05 else "That may be chance"
    return f"{text}. The {'first' if sign > 0 else 'second'} has {span}. {sure} (McNemar, p = {part['p']:.2g})."
