"""An evaluation for people to read in a terminal."""

from __future__ import annotations

from ..evaluation.evaluation_types import BeyondChance, Evaluation, PairsReport, RatingsReport, Validation
from ..evaluation.reference_words import REFERENCE_CAUTION
from ..evaluation.validation import CAUTION, hundred, in_words, interval
from ..statistics import Bin, Correlation, Fraction
from .console import Console, printable
from .reference_text import show_reference


def show_evaluation(console: Console, found: Evaluation) -> None:
    """The whole report on stdout."""
    if not found.whole:
        console.paragraph("Not finished: this is about the rows judged so far.", paint="amber")
        console.text("")
    for pairs in found.pairs:
        if pairs.judged:
            _pairs(console, pairs)
    if found.macro is not None and found.macro.sets > 1:
        whole = found.macro
        _heading(console, f"Mean of {whole.sets} files, each counted once")
        _label(console, "Agreement", f"judge {_cents(whole.agreement)}   longer {_cents(whole.length)}   "
               f"wording {_cents(whole.ngrams)}   chance 50 of 100")  # fmt: skip
        _label(console, "Calibration error", f"{whole.ece:.3f}   log-loss {whole.log_loss:.3f}")
        console.text("")
    for ratings in found.ratings:
        if ratings.judged:
            _ratings(console, ratings)
    for reference in found.reference:
        if reference.judged:
            show_reference(console, reference)
    if found.pairs or found.ratings:
        _heading(console, "Validation table")
        for row in found.validation:
            console.text(_validation(console, row))
        console.text("")
    if found.pairs or found.ratings:
        console.paragraph(CAUTION, paint="dim")
    if found.reference:
        console.paragraph(REFERENCE_CAUTION, paint="dim")
    model = printable(found.model.name, lines=False) if found.model else "no model"
    console.text(console.style.paint(f"{model} · {found.mode} · seed {found.seed}", "dim"))


def _heading(console: Console, text: str) -> None:
    console.text(console.style.paint(printable(text, lines=False), "bold"))


def _label(console: Console, name: str, text: str) -> None:
    console.text(f"  {console.style.paint(f'{name:<24}', 'dim')}{text}")


def _cents(value: float) -> str:
    return f"{100 * value:.0f}"


def _share(share: Fraction) -> str:
    return f"{hundred(share):>3} ({interval(share)})"


def _pairs(console: Console, report: PairsReport) -> None:
    left = [f"{report.ties} ties among people left out"] if report.ties else []
    left += [f"{report.bad} rows that can't be used"] if report.bad else []
    left += [f"{report.errors} without an answer"] if report.errors else []
    _heading(console, f"{report.name}: {report.judged} of {report.rows} pairs judged" + "".join(f", {x}" for x in left))
    console.paragraph(in_words(report))
    console.text("")
    console.text(console.style.paint(
        f"  {'of 100 pairs, right':<28}{'judge':>15}{'longer':>15}{'wording':>15}{'chance':>8}{'pairs':>8}", "dim"
    ))  # fmt: skip
    for row in report.agreement:
        name = {"all": "all", "clear": "≥ 4 votes, ≥ 80 % agreed"}[row.margin]
        shares = "".join(f"{_share(share):>15}" for share in (row.judge, row.length, row.ngrams))
        console.text(f"  {name:<28}{shares}{'50':>8}{row.judge.n:>8}")
    console.text("")
    if report.parts:
        _label(console, "Its parts alone", "   ".join(f"{k} {_share(v).strip()}" for k, v in report.parts.items()))
    _beyond(console, ("Cohen's kappa", report.kappa), ("Krippendorff's alpha", report.alpha),
            ("Alpha among people", report.alpha_people))  # fmt: skip
    trust = report.trust
    if trust.ece is not None and trust.log_loss is not None:
        _label(console, "Calibration error", f"{trust.ece:.3f}   log-loss {trust.log_loss:.3f} (a coin: 0.693)")
    for band in trust.bands:
        _label(console, _band_name(band), f"says {_cents(band.stated)} of 100, right in {_share(band.found).strip()}, "
               f"{band.found.n} pair{'s' * (band.found.n != 1)}")  # fmt: skip
    _label(console, "The orders disagree", f"in {_share(report.flips).strip()} of 100")
    if report.position_bias is not None:
        _label(console, "Mean position bias", f"{report.position_bias:+.3f} in probability (plus: the first place)")
    pull = report.length
    _label(console, "Pull of length", f"judge {_correlation(pull.raw)}   controlled {_correlation(pull.controlled)}   "
           f"people {_correlation(pull.people)}")  # fmt: skip
    console.text("")


def _beyond(console: Console, *rows: tuple[str, BeyondChance | None]) -> None:
    for name, found in rows:
        if found is not None:
            _label(console, name, f"{_correlation(found)}, {found.n:,} rows")


def _band_name(band: Bin) -> str:
    low, high = band.low / (1 - band.low), band.high / (1 - band.high) if band.high < 1 else 0.0
    return f"Odds {low:.3g} to {high:.3g}" if high else f"Odds over {low:.3g}"


def _correlation(found: Correlation | BeyondChance) -> str:
    if found.value is None:
        return "-"
    spread = f" ({found.low:+.2f} to {found.high:+.2f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:+.2f}{spread}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _ratings(console: Console, report: RatingsReport) -> None:
    left = [f"{report.bad} rows that can't be used"] if report.bad else []
    left += [f"{report.errors} without an answer"] if report.errors else []
    _heading(console, f"{report.name}: {report.judged} of {report.rows} texts judged" + "".join(f", {x}" for x in left))
    if report.column is not None:
        for name, part in (("score", report.score), ("audience", report.audience)):
            if part is not None:
                _label(console, f"People and the {name}", f"Spearman {_correlation(part.spearman)}   Pearson "
                       f"{_correlation(part.pearson)}   mean error {_number(part.mae)} of the scale")  # fmt: skip
        _label(console, "People and length", f"Spearman {_correlation(report.length)}")
        _label(console, "People and wording", f"Spearman {_correlation(report.ngrams)}")
    _beyond(console, ("Kappa, funnier half", report.kappa_half), ("Kappa, admission", report.kappa_humor),
            ("Krippendorff's alpha", report.alpha))  # fmt: skip
    for name, share in (
        ("Humour rejected", report.admission.false_reject),
        ("No humour, accepted", report.admission.false_accept),
        ("Funnier half rejected", report.admission.funny_rejected),
    ):
        if share is not None:
            _label(console, name, f"{share.right:.0f} of {share.n}: {_share(share).strip()} of 100")
    console.text("")


def _validation(console: Console, row: Validation) -> str:
    said, colour = {True: ("pass", "green"), False: ("fail", "red"), None: ("not measured", "dim")}[row.passed]
    sign = "≥" if row.at_least else "≤"
    verdict = console.style.paint(said, colour)
    return f"  {row.measure:<36}{_number(row.value):>6}   {sign} {row.threshold:.2f}   {verdict}"
