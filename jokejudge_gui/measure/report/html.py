"""Evaluations, audits and comparisons as one HTML file each that needs nothing else: sentences, tables, and plots as
inline SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from ...core.pages import Markup, document, paragraph, section, table
from ...core.statistics import Correlation, Difference, Fraction
from ...core.verdicts import ModelRef
from ...judge.audit.kind import STRENGTH, VOICE, Names, in_hundred, summary
from ...judge.audit.statistics import FALSE_DISCOVERIES, Pull, Slope
from ...judge.audit.types import AuditResult, Finding, VoiceAudit
from ..comparison import COMPARED, Comparison, PairedRank, RunRef, comparison_words, rank_words
from ..drift import Drift, drift_lines
from ..evaluation import MARGINS, BeyondChance, Evaluation, PairsReport, RatingsReport, Validation
from ..reference import ReferenceReport
from ..validation import (
    CAUTION,
    LEARNED,
    REFERENCE_CAUTION,
    SECTIONS,
    hundred,
    in_words,
    interval,
    item_worth,
    named_words,
    share_words,
)
from .svg import agreement_plot, calibration_plot, pulls_plot, ratings_plot


def _marked(look: str, text: str) -> Markup:
    return Markup(f'<span class="{look}">{escape(text)}</span>')


def _number(value: float | None, digits: int = 2, *, sign: str = "-", none: str = "-") -> str:
    return none if value is None else f"{value:{sign}.{digits}f}".replace("-", "−")


def _with_interval(
    found: Correlation | BeyondChance | Difference | Pull | Slope | None,
    times: float = 1,
    digits: int = 2,
    *,
    sign: str = "+",
    none: str = "–",
) -> str:
    """A figure with its 95 % interval, where it has one."""
    if found is None or found.value is None:
        return none
    ends = [_number(times * end, digits, sign=sign) for end in (found.low, found.high) if end is not None]
    return _number(times * found.value, digits, sign=sign) + (f" ({' to '.join(ends)})" if len(ends) == 2 else "")


# -- an evaluation -----------------------------------------------------------------------------------------------------


def evaluation_page(found: Evaluation) -> str:
    """The report as a whole HTML document; every name in it is escaped."""
    model = found.model.name if found.model else "no model"
    limit = f", at most {found.limit} rows of each file" if found.limit is not None else ""
    hash = f"SHA-256 {found.model.sha256}" if found.model else ""
    body = [
        "<h1>How far to trust this judge</h1>",
        paragraph(f"{model}, {found.mode} mode, seed {found.seed}{limit}", hash, look="small"),
    ]
    if not found.whole:
        body.append(paragraph("Not finished: this is about the rows judged so far.", look="banner"))
    body += [_pairs(report) for report in found.pairs if report.judged]
    body += _macro(found)
    body += [_ratings(report) for report in found.ratings if report.judged]
    body += [_reference(report) for report in found.reference if report.judged]
    if found.pairs or found.ratings or not found.reference:
        body += [_validation(found.validation), paragraph(CAUTION, look="small")]
    if found.reference:
        body.append(paragraph(REFERENCE_CAUTION, look="small"))
    return document(f"JokeJudge: {model}", body)


def _share(share: Fraction) -> str:
    return f"{hundred(share)} ({interval(share)})"


def _judged(report: PairsReport | RatingsReport | ReferenceReport, what: str) -> str:
    left = [(report.errors, "without an answer")]
    if not isinstance(report, ReferenceReport):
        left.insert(0, (report.bad, "that can't be used"))
    if isinstance(report, PairsReport):
        left.insert(0, (report.ties, "ties among people left out"))
    parts = "".join(f", {count} {why}" for count, why in left if count)
    return paragraph(f"{report.judged} of {report.rows} {what} judged{parts}.", look="small")


def _pairs(report: PairsReport) -> str:
    trust, pull = report.trust, report.length
    correlation = [_with_interval(each, sign="-", none="-") for each in (pull.raw, pull.controlled, pull.people)]
    return section(
        report.name,
        paragraph(in_words(report), look="lead"),
        _judged(report, "pairs"),
        agreement_plot(report),
        table(
            ("Right in 100 pairs", "judge", "longer", "wording", "chance", "pairs"),
            [
                (MARGINS[row.margin], *map(_share, (row.judge, row.length, row.ngrams)), "50", str(row.judge.n))
                for row in report.agreement
            ],
        ),
        table(
            ("Measurement", "right in 100 pairs"),
            [(name, _share(share)) for name, share in report.parts.items()],
            "Each of its measurements alone",
        ),
        _beyond(
            ("Cohen's kappa, the judge and people", report.kappa),
            ("Krippendorff's alpha, the judge and people", report.alpha),
            ("Krippendorff's alpha, people among themselves", report.alpha_people),
        ),
        "<h3>Does a stated probability mean what it says?</h3>",
        f"<p>Expected calibration error {_number(trust.ece, 3)}; log-loss {_number(trust.log_loss, 3)}, ",
        "where a coin has 0.693.</p>",
        calibration_plot(trust),
        table(
            ("Confidence factor", "says, of 100", "right in 100", "pairs"),
            [
                (_odds(band.low, band.high), f"{100 * band.stated:.0f}", _share(band.found), str(band.found.n))
                for band in trust.bands
            ],
        ),
        table(
            ("Habit", "found"),
            [
                ("The two orders disagree, of 100 pairs", _share(report.flips)),
                (
                    "Mean position bias, in probability (plus: the first place is favoured)",
                    _number(report.position_bias, 3),
                ),
                ("Length and the judge's odds (Spearman)", correlation[0]),
                ("the same with length taken out", correlation[1]),
                ("Length and people's choice", correlation[2]),
            ],
            "Habits",
        ),
    )


def _beyond(*rows: tuple[str, BeyondChance | None]) -> str:
    """A table of what was measured; nothing where nothing was."""
    cells = [(name, _with_interval(one, sign="-", none="-"), str(one.n)) for name, one in rows if one is not None]
    return table(("Measure", "found", "rows"), cells, "Agreement beyond chance")


def _odds(low: float, high: float) -> str:
    first = f"{low / (1 - low):.3g}"
    return f"{first} to {high / (1 - high):.3g}" if high < 1 else f"over {first}"


def _macro(found: Evaluation) -> Iterator[str]:
    whole = found.macro
    if whole is not None and whole.sets > 1:
        cells = [f"{100 * value:.0f}" for value in (whole.agreement, whole.length, whole.ngrams)]
        row = [f"Mean of {whole.sets} files", *cells, "50", _number(whole.ece, 3), _number(whole.log_loss, 3)]
        head = ("Right in 100 pairs", "judge", "longer", "wording", "chance", "calibration error", "log-loss")
        yield section("All files of pairs", table(head, [row]))


def _ratings(report: RatingsReport) -> str:
    def cell(found: Correlation) -> str:
        return _with_interval(found, sign="-", none="-")

    rows: list[tuple[str, ...]] = []
    if report.column is not None:
        for name, part in (("score", report.score), ("audience", report.audience)):
            if part is not None:
                rows.append((name, cell(part.spearman), cell(part.pearson), _number(part.mae)))
        rows += [("length", cell(report.length), "", ""), ("wording", cell(report.ngrams), "", "")]
    admission = report.admission
    rejected = [
        (name, f"{share.right:.0f} of {share.n}", _share(share))
        for name, share in (
            ("Humour that was rejected", admission.false_reject),
            ("What isn't humour and was accepted", admission.false_accept),
            ("Rejected among the half that people found funnier", admission.funny_rejected),
        )
        if share is not None
    ]
    return section(
        report.name,
        _judged(report, "texts"),
        ratings_plot(report),
        table(("With people's ratings", "Spearman", "Pearson", "mean error"), rows),
        _beyond(
            ("Cohen's kappa, in the funnier half", report.kappa_half),
            ("Cohen's kappa, humour and admission", report.kappa_humor),
            ("Krippendorff's alpha, ratings", report.alpha),
        ),
        table(("Texts", "count", "of 100"), rejected, "Admission"),
    )


def _reference(report: ReferenceReport) -> str:
    parts = [_judged(report, "texts")]
    if report.learned:
        parts.append(paragraph(LEARNED.format(count=f"{report.learned:,}"), look="banner"))
    parts += [
        paragraph(f"Kinds: {named_words(report.kinds)}"),
        paragraph(f"Faults: {named_words(report.faults)}"),
        paragraph(
            f"The likeliest kind is a reader's in {share_words(report.first_kind)} of 100 jokes; the words on which a "
            f"joke turns are found in {share_words(report.turn)} of 100."
        ),
    ]
    head = ("Item", "worth", "texts", "named", "right of 100", "found of 100")
    for name, items in groupby(report.items, key=lambda item: item.section):
        rows = []
        for item in items:
            shares = [share_words(share) if share is not None else "" for share in (item.precision, item.recall)]
            rows.append((item.id, item_worth(item), str(item.n), str(item.named), *shares))
        parts.append(table(head, rows, SECTIONS[name]))
    return section(report.name, *parts)


def _validation(rows: tuple[Validation, ...]) -> str:
    words = {True: _marked("pass", "pass"), False: _marked("fail", "fail"), None: "not measured"}
    cells = [
        (
            row.measure[:1].upper() + row.measure[1:],
            f"{'≥' if row.at_least else '≤'} {row.threshold:.2f}",
            _number(row.value),
            words[row.passed],
        )
        for row in rows
    ]
    return section("Validation table", table(("Measure", "threshold", "found", "verdict"), cells))


# -- an audit ----------------------------------------------------------------------------------------------------------

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
    about = f"{model.name}, {len(result.pairs):,} pairs, {result.source or 'a list'}, probes {result.perturbations}"
    body = [
        "<h1>What moves this judge though it shouldn't</h1>",
        paragraph(f"{about}, JokeJudge {result.program}", f"SHA-256 {model.sha256}", look="small"),
        section("In short", *map(paragraph, summary(result, names))),
    ]
    if against is not None:
        flips = [
            (VOICE[voice.voice], flip.text_a, flip.text_b, flip.was, flip.now)
            for voice in against.voices
            for flip in voice.flips[:_MOST_FLIPS]
        ]
        lines = map(paragraph, drift_lines(against))
        body.append(section("Beside the earlier audit", *lines, table(("Voice", "A", "B", "before", "now"), flips)))
    ordered = not result.probes or "position" in result.probes
    body += [_voice(voice, names, ordered) for voice in result.voices]
    body.append(paragraph(HOW, look="small"))
    return document(f"JokeJudge: audit of {model.name}", body)


def _voice(voice: VoiceAudit, names: Names, ordered: bool) -> str:
    agrees = f"It agrees with people on {in_hundred(voice.agrees)} pairs." if voice.agrees is not None else ""
    return section(
        VOICE[voice.voice],
        paragraph(agrees, look="small") if agrees else "",
        pulls_plot(voice, names),
        _findings("Changes that shouldn't matter", voice, names, ("control", "bias")),
        table(("Question", "said", "found"), _rest(voice, ordered), "Order, own taste, broken punchlines"),
        _findings("Words that speak to the judge", voice, names, ("injection",)),
    )


def _findings(title: str, voice: VoiceAudit, names: Names, roles: Sequence[str]) -> str:
    rows = [_finding(finding, names) for finding in voice.findings if finding.role in roles]
    head = ("Change", "said", "pull", "beyond its length", "unchanged, of 100", "clear pairs", "close pairs", "rating",
            "q", "jokes")  # fmt: skip
    return table(head, rows, title)


def _finding(finding: Finding, names: Names) -> tuple[str, ...]:
    words = STRENGTH[finding.strength] if finding.role != "control" and not names.is_base(finding) else "beside"
    parts = [
        f"{100 * part.kept.share:.0f}" if part is not None and part.kept.share is not None else "–"
        for part in (finding.clear, finding.close)
    ]
    return (
        Markup(f'<span title="{escape(names.says(finding.probe))}">{escape(names.form(finding))}</span>'),
        _marked("fail", words) if finding.strength == "strong" else words,
        _with_interval(finding.pull),
        _with_interval(finding.beyond),
        in_hundred(finding.kept),
        *parts,
        _number(finding.rating, 1, sign="+", none="–"),
        f"{finding.q:.3f}" if words != "beside" else "–",
        str(finding.pull.n),
    )


def _rest(voice: VoiceAudit, ordered: bool) -> Iterator[tuple[str, str, str]]:
    if voice.order is not None:
        pull = _with_interval(voice.order.pull)
        yield "Position: pull towards the first place", STRENGTH[voice.order.strength], pull
        yield "The same joke ahead in both orders", "", in_hundred(voice.order.same)
    elif ordered and voice.voice in ("audience", "editor"):
        yield "Position", STRENGTH["none"], "each joke is read alone, so the order can't matter"
    if voice.own is not None:
        name = "Log-odds for a joke that surprises the model by one nat a token more"
        yield name, STRENGTH[voice.own.strength], _with_interval(voice.own.slope)
    if voice.broken is not None:
        yield "The joke ahead of itself with another one's end", "", in_hundred(voice.broken)


# -- a comparison ------------------------------------------------------------------------------------------------------


def comparison_page(found: Comparison) -> str:
    """The comparison as a whole HTML document; every name in it is escaped."""
    runs = [_run("First", found.first), _run("Second", found.second)]
    body = ["<h1>Two judges on the same rows</h1>", table(("Run", "model", "file", "mode", "answers"), runs)]
    head = ("first, of 100", "second, of 100", "difference", "first better", "second better", "McNemar's p", "rows")
    for name, part in found.parts:
        row = (
            _share(part.first),
            _share(part.second),
            _with_interval(part.difference, 100, 1),
            f"{part.only_first:,}",
            f"{part.only_second:,}",
            f"{part.p:.2g}" if part.p is not None else "–",
            f"{part.first.n:,}",
        )
        body.append(section(name, paragraph(comparison_words(part), look="lead"), table(head, [row])))
    if found.ratings is not None:
        body.append(_compared_ratings(found.ratings))
    body.append(paragraph(COMPARED, look="small"))
    return document("JokeJudge: two judges compared", body)


def _run(name: str, run: RunRef) -> tuple[str, ...]:
    model = run.model.name if run.model is not None else "no model"
    return name, model, run.file, run.mode, f"{run.answers:,}"


def _compared_ratings(part: PairedRank) -> str:
    row = (*map(_with_interval, (part.first, part.second, part.difference)), f"{part.first.n:,}")
    return section(
        "People's ratings, rank correlation",
        paragraph(rank_words(part), look="lead"),
        table(("first", "second", "difference", "texts"), [row]),
    )
