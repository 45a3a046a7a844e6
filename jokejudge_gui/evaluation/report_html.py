"""An evaluation as one HTML file that needs nothing else: tables, and plots as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..statistics import Correlation, Fraction
from .evaluation_types import MARGINS, BeyondChance, Evaluation, PairsReport, RatingsReport, Validation
from .reference_words import REFERENCE_CAUTION, reference_section
from .report_svg import agreement_plot, calibration_plot, ratings_plot
from .validation import CAUTION, hundred, in_words, interval

# The window's tokens (its light and dark scheme), so that a report looks like the program.
STYLE = """
:root{color-scheme:light dark;--bg:#F6F5F2;--surface:#FFF;--line:#E1DED7;--track:#E4E1DA;--text:#1C1B19;
--text2:#524E47;--accent:#3346C8;--tint2:#7F8BDD;--good:#1A7346;--bad:#B0251D;--mid:#805300;--midsoft:#F8EDD3}
@media(prefers-color-scheme:dark){:root{--bg:#131211;--surface:#1F1E1B;--line:#34322E;--track:#38352F;--text:#F1EFEA;
--text2:#C2BDB3;--accent:#A5B1FF;--tint2:#6470B8;--good:#63CF98;--bad:#FF958B;--mid:#EDBB5B;--midsoft:#3A2E14}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:900px;padding:24px;background:var(--bg);color:var(--text);
font:14px/1.5 Inter,system-ui,sans-serif}
h1{font-size:24px;font-weight:600;margin:0 0 4px}h2{font-size:20px;font-weight:600;margin:0 0 8px;
overflow-wrap:anywhere}h3{font-size:15px;font-weight:600;margin:20px 0 6px}
section{background:var(--surface);border:1px solid var(--line);border-radius:12px;padding:20px;margin:14px 0}
p{margin:0 0 8px}.lead{font-size:15px}.small{font-size:13px;color:var(--text2)}
.banner{background:var(--midsoft);color:var(--mid);border-radius:10px;padding:10px 14px;margin:14px 0}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:5px 8px;border-bottom:1px solid var(--line);text-align:right;font-weight:400;white-space:nowrap}
th{color:var(--text2);font-size:13px}th:first-child,td:first-child{text-align:left;white-space:normal}
.pass{color:var(--good);font-weight:600}.fail{color:var(--bad);font-weight:600}
svg{display:block;max-width:100%;height:auto}svg text{fill:var(--text2);font:12px Inter,system-ui,sans-serif}
svg .strong{fill:var(--text)}svg .axis{stroke:var(--line)}svg .guide{stroke:var(--text2);stroke-dasharray:3 4}
svg .judge{stroke:var(--accent);fill:var(--accent)}svg .other{stroke:var(--text2);fill:var(--text2)}
svg .dot{fill:var(--accent);fill-opacity:.45}
"""


def page(found: Evaluation) -> str:
    """The report as a whole HTML document; every name in it is escaped."""
    model = found.model.name if found.model else "no model"
    body = [
        "<h1>How far to trust this judge</h1>",
        f'<p class="small">{escape(model)}, {escape(found.mode)} mode, seed {found.seed}'
        + (f", at most {found.limit} rows of each file" if found.limit is not None else "")
        + (f"<br>SHA-256 {escape(found.model.sha256)}" if found.model else "")
        + "</p>",
    ]
    if not found.whole:
        body.append('<p class="banner">Not finished: this is about the rows judged so far.</p>')
    body += [_pairs(report) for report in found.pairs if report.judged]
    body += _macro(found)
    body += [_ratings(report) for report in found.ratings if report.judged]
    body += [reference_section(report) for report in found.reference if report.judged]
    if found.pairs or found.ratings or not found.reference:
        body += [_validation(found.validation), f'<p class="small">{escape(CAUTION)}</p>']
    if found.reference:
        body.append(f'<p class="small">{escape(REFERENCE_CAUTION)}</p>')
    return document(f"JokeJudge: {model}", body)


def document(title: str, body: Sequence[str]) -> str:
    """A whole HTML document that needs nothing else. ``title`` is text; ``body`` is HTML already."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table that scrolls where it must. Cells are HTML already."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _share(share: Fraction) -> str:
    return f"{hundred(share)} ({interval(share)})"


def _correlation(found: Correlation | BeyondChance) -> str:
    if found.value is None:
        return "-"
    spread = f" ({found.low:.2f} to {found.high:.2f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:.2f}{spread}".replace("-", "−")


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}".replace("-", "−")


def _left_out(ties: int, bad: int, errors: int) -> str:
    parts = [(ties, "ties among people left out"), (bad, "that can't be used"), (errors, "without an answer")]
    return "".join(f", {count} {what}" for count, what in parts if count)


def _pairs(report: PairsReport) -> str:
    rows = [
        [escape(MARGINS[row.margin]), _share(row.judge), _share(row.length), _share(row.ngrams), "50", str(row.judge.n)]
        for row in report.agreement
    ]
    trust = report.trust
    bands = [
        [_odds(band.low, band.high), f"{100 * band.stated:.0f}", _share(band.found), str(band.found.n)]
        for band in trust.bands
    ]
    pull = report.length
    habits = [
        ["The two orders disagree, of 100 pairs", _share(report.flips)],
        ["Mean position bias, in probability (plus: the first place is favoured)", _number(report.position_bias, 3)],
        ["Length and the judge's odds (Spearman)", _correlation(pull.raw)],
        ["the same with length taken out", _correlation(pull.controlled)],
        ["Length and people's choice", _correlation(pull.people)],
    ]
    parts = [[escape(name), _share(share)] for name, share in report.parts.items()]
    chance = _beyond(
        ("Cohen's kappa, the judge and people", report.kappa),
        ("Krippendorff's alpha, the judge and people", report.alpha),
        ("Krippendorff's alpha, people among themselves", report.alpha_people),
    )
    return (
        f"<section><h2>{escape(report.name)}</h2>"
        f'<p class="lead">{escape(in_words(report))}</p>'
        f'<p class="small">{report.judged} of {report.rows} pairs judged'
        f"{_left_out(report.ties, report.bad, report.errors)}.</p>"
        + agreement_plot(report)
        + table(["Right in 100 pairs", "judge", "longer", "wording", "chance", "pairs"], rows)
        + (
            "<h3>Each of its measurements alone</h3>" + table(["Measurement", "right in 100 pairs"], parts)
            if parts
            else ""
        )
        + chance
        + "<h3>Does a stated probability mean what it says?</h3>"
        + f"<p>Expected calibration error {_number(trust.ece, 3)}; log-loss {_number(trust.log_loss, 3)}, "
        + "where a coin has 0.693.</p>"
        + calibration_plot(trust)
        + table(["Confidence factor", "says, of 100", "right in 100", "pairs"], bands)
        + "<h3>Habits</h3>"
        + table(["Habit", "found"], habits)
        + "</section>"
    )


def _beyond(*rows: tuple[str, BeyondChance | None]) -> str:
    """A table of what was measured; nothing where nothing was."""
    cells = [[escape(name), _correlation(found), str(found.n)] for name, found in rows if found is not None]
    return "<h3>Agreement beyond chance</h3>" + table(["Measure", "found", "rows"], cells) if cells else ""


def _odds(low: float, high: float) -> str:
    first = f"{low / (1 - low):.3g}"
    return f"{first} to {high / (1 - high):.3g}" if high < 1 else f"over {first}"


def _macro(found: Evaluation) -> list[str]:
    whole = found.macro
    if whole is None or whole.sets < 2:
        return []
    cells = [f"{100 * value:.0f}" for value in (whole.agreement, whole.length, whole.ngrams)]
    row = [f"Mean of {whole.sets} files", *cells, "50", _number(whole.ece, 3), _number(whole.log_loss, 3)]
    head = ["Right in 100 pairs", "judge", "longer", "wording", "chance", "calibration error", "log-loss"]
    return [f"<section><h2>All files of pairs</h2>{table(head, [row])}</section>"]


def _ratings(report: RatingsReport) -> str:
    rows = []
    if report.column is not None:
        for name, part in (("score", report.score), ("audience", report.audience)):
            if part is not None:
                rows.append([name, _correlation(part.spearman), _correlation(part.pearson), _number(part.mae)])
        rows += [["length", _correlation(report.length), "", ""], ["wording", _correlation(report.ngrams), "", ""]]
    admission = report.admission
    rejected = [
        [name, f"{share.right:.0f} of {share.n}", _share(share)]
        for name, share in (
            ("Humour that was rejected", admission.false_reject),
            ("What isn't humour and was accepted", admission.false_accept),
            ("Rejected among the half that people found funnier", admission.funny_rejected),
        )
        if share is not None
    ]
    return (
        f"<section><h2>{escape(report.name)}</h2>"
        f'<p class="small">{report.judged} of {report.rows} texts judged{_left_out(0, report.bad, report.errors)}.</p>'
        + ratings_plot(report)
        + (table(["With people's ratings", "Spearman", "Pearson", "mean error"], rows) if rows else "")
        + _beyond(
            ("Cohen's kappa, in the funnier half", report.kappa_half),
            ("Cohen's kappa, humour and admission", report.kappa_humor),
            ("Krippendorff's alpha, ratings", report.alpha),
        )
        + ("<h3>Admission</h3>" + table(["Texts", "count", "of 100"], rejected) if rejected else "")
        + "</section>"
    )


def _validation(rows: tuple[Validation, ...]) -> str:
    words = {True: '<span class="pass">pass</span>', False: '<span class="fail">fail</span>', None: "not measured"}
    cells = [
        [
            escape(row.measure[:1].upper() + row.measure[1:]),
            f"{'≥' if row.at_least else '≤'} {row.threshold:.2f}",
            _number(row.value),
            words[row.passed],
        ]
        for row in rows
    ]
    return f"<section><h2>Validation table</h2>{table(['Measure', 'threshold', 'found', 'verdict'], cells)}</section>"
