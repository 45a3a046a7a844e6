"""An evaluation as one HTML file that needs nothing else: tables, and plots as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ...core.statistics import Correlation, Difference, Fraction
from ...core.verdicts import ModelRef
from ...judge.audit.kind import STRENGTH, VOICE, Names, in_hundred, summary
from ...judge.audit.statistics import FALSE_DISCOVERIES, Pull
from ...judge.audit.types import AuditResult, Finding, VoiceAudit
from ..comparison import COMPARED, Comparison, PairedRank, RunRef, comparison_words, rank_words
from ..drift import Drift, drift_lines
from ..evaluation import MARGINS, BeyondChance, Evaluation, PairsReport, RatingsReport, Validation
from ..validation import CAUTION, REFERENCE_CAUTION, hundred, in_words, interval, reference_section
from .svg import agreement_plot, calibration_plot, pulls_plot, ratings_plot

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


def evaluation_page(found: Evaluation) -> str:
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


# --------------------------------------------------------------------------------------------------------------------
# An audit as one HTML file that needs nothing else: sentences, plots as inline SVG, and tables.

_MOST_FLIPS = 200
HOW = (
    "One joke of each pair is changed in a way that shouldn't matter. A verdict is unchanged if the same joke is ahead "
    "afterwards. The pull is the mean change of the log-odds towards the changed joke, with what its length alone "
    "does taken out, and a 95 % interval over jokes. An effect is told if it lies above that of the neutral change and "
    "above a tenth of the spread of the judge's log-odds, and if at most one in twenty effects told for this voice is "
    f"expected to be false (q ≤ {FALSE_DISCOVERIES:.2f}, Benjamini and Hochberg). It is strong from half that spread "
    "on, or if it changes 15 verdicts in 100 more than the neutral change does. For admission the pull is a share of "
    "texts, told from 2 in 100 on and strong from 10 in 100 on."
)


def audit_page(result: AuditResult, names: Names, against: Drift | None = None) -> str:
    """The report as a whole HTML document; every name in it is escaped. ``against``: what changed since an earlier
    audit."""
    model = result.model or ModelRef(name="no model", sha256="")
    pairs = f"{len(result.pairs):,} pairs, {escape(result.source or 'a list')}"
    body = [
        "<h1>What moves this judge though it shouldn't</h1>",
        f'<p class="small">{escape(model.name)}, {pairs}, probes {escape(result.perturbations)}, '
        f"JokeJudge {escape(result.program)}<br>SHA-256 {escape(model.sha256)}</p>",
        f"<section><h2>In short</h2>{''.join(f'<p>{escape(line)}</p>' for line in summary(result, names))}</section>",
    ]
    if against is not None:
        body.append(_drift(against))
    ordered = not result.probes or "position" in result.probes
    body += [_voice(voice, names, ordered) for voice in result.voices]
    body.append(f'<p class="small">{escape(HOW)}</p>')
    return document(f"JokeJudge: audit of {model.name}", body)


def _voice(voice: VoiceAudit, names: Names, ordered: bool) -> str:
    parts = [f"<section><h2>{escape(VOICE[voice.voice])}</h2>"]
    if voice.agrees is not None:
        parts.append(f'<p class="small">It agrees with people on {in_hundred(voice.agrees)} pairs.</p>')
    parts.append(pulls_plot(voice, names))
    parts.append(_findings("Changes that shouldn't matter", voice, names, ("control", "bias")))
    parts.append(_rest(voice, ordered))
    parts.append(_findings("Words that speak to the judge", voice, names, ("injection",)))
    return "".join(parts) + "</section>"


def _findings(title: str, voice: VoiceAudit, names: Names, roles: Sequence[str]) -> str:
    rows = [_row(finding, names) for finding in voice.findings if finding.role in roles]
    if not rows:
        return ""
    head = ["Change", "said", "pull", "beyond its length", "unchanged, of 100", "clear pairs", "close pairs", "rating",
            "q", "jokes"]  # fmt: skip
    return f"<h3>{escape(title)}</h3>{table(head, rows)}"


def _row(finding: Finding, names: Names) -> list[str]:
    told = STRENGTH[finding.strength] if finding.role != "control" and not names.is_base(finding) else "beside"
    parts = [
        f"{100 * part.kept.share:.0f}" if part is not None and part.kept.share is not None else "–"
        for part in (finding.clear, finding.close)
    ]
    return [
        f'<span title="{escape(names.says(finding.probe))}">{escape(names.form(finding))}</span>',
        f'<span class="fail">{told}</span>' if finding.strength == "strong" else told,
        _pull(finding.pull),
        _pull(finding.beyond),
        in_hundred(finding.kept),
        *parts,
        _signed(finding.rating, 1),
        f"{finding.q:.3f}" if told != "beside" else "–",
        str(finding.pull.n),
    ]


def _rest(voice: VoiceAudit, ordered: bool) -> str:
    rows = []
    if voice.order is not None:
        rows.append(["Position: pull towards the first place", STRENGTH[voice.order.strength], _pull(voice.order.pull)])
        rows.append(["The same joke ahead in both orders", "", in_hundred(voice.order.same)])
    elif ordered and voice.voice in ("audience", "editor"):
        rows.append(["Position", STRENGTH["none"], "each joke is read alone, so the order can't matter"])
    if voice.own is not None:
        found = voice.own.slope
        shown = f"{_signed(found.value)} ({_signed(found.low)} to {_signed(found.high)})"
        rows.append(["Log-odds for a joke that surprises the model by one nat a token more",
                     STRENGTH[voice.own.strength], shown])  # fmt: skip
    if voice.broken is not None:
        rows.append(["The joke ahead of itself with another one's end", "", in_hundred(voice.broken)])
    return f"<h3>Order, own taste, broken punchlines</h3>{table(['Question', 'said', 'found'], rows)}" if rows else ""


def _drift(found: Drift) -> str:
    lines = "".join(f"<p>{escape(line)}</p>" for line in drift_lines(found))
    rows = [
        [escape(VOICE[voice.voice]), escape(flip.text_a), escape(flip.text_b), flip.was, flip.now]
        for voice in found.voices
        for flip in voice.flips[:_MOST_FLIPS]
    ]
    flips = table(["Voice", "A", "B", "before", "now"], rows) if rows else ""
    return f"<section><h2>Beside the earlier audit</h2>{lines}{flips}</section>"


def _pull(found: Pull) -> str:
    return f"{_signed(found.value)} ({_signed(found.low)} to {_signed(found.high)})"


def _signed(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:+.{digits}f}".replace("-", "−")


# --------------------------------------------------------------------------------------------------------------------
# Two runs held against each other, as one HTML file that needs nothing else.


def comparison_page(found: Comparison) -> str:
    """The comparison as a whole HTML document; every name in it is escaped."""
    runs = [_run("First", found.first), _run("Second", found.second)]
    body = ["<h1>Two judges on the same rows</h1>", table(["Run", "model", "file", "mode", "answers"], runs)]
    for name, part in found.parts:
        row = [
            [
                f"{hundred(part.first)} ({interval(part.first)})",
                f"{hundred(part.second)} ({interval(part.second)})",
                _difference(part.difference, 100, 1),
                f"{part.only_first:,}",
                f"{part.only_second:,}",
                f"{part.p:.2g}" if part.p is not None else "–",
                f"{part.first.n:,}",
            ]
        ]
        head = ["first, of 100", "second, of 100", "difference", "first better", "second better", "McNemar's p", "rows"]
        words = f'<p class="lead">{escape(comparison_words(part))}</p>'
        body.append(f"<section><h2>{escape(name)}</h2>{words}{table(head, row)}</section>")
    if found.ratings is not None:
        body.append(_compared_ratings(found.ratings))
    body.append(f'<p class="small">{escape(COMPARED)}</p>')
    return document("JokeJudge: two judges compared", body)


def _run(name: str, run: RunRef) -> list[str]:
    model = run.model.name if run.model is not None else "no model"
    return [name, escape(model), escape(run.file), run.mode, f"{run.answers:,}"]


def _compared_ratings(part: PairedRank) -> str:
    row = [
        [
            _compared_correlation(part.first),
            _compared_correlation(part.second),
            _difference(part.difference, 1, 2),
            f"{part.first.n:,}",
        ]
    ]
    words = f'<p class="lead">{escape(rank_words(part))}</p>'
    return (
        "<section><h2>People's ratings, rank correlation</h2>"
        f"{words}{table(['first', 'second', 'difference', 'texts'], row)}</section>"
    )


def _compared_correlation(found: Correlation) -> str:
    if found.value is None:
        return "–"
    spread = f" ({found.low:+.2f} to {found.high:+.2f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:+.2f}{spread}".replace("-", "−")


def _difference(found: Difference | None, times: int, digits: int) -> str:
    if found is None:
        return "–"
    value, low, high = (f"{times * end:+.{digits}f}" for end in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})".replace("-", "−")
