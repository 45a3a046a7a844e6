"""Evaluations, audits and comparisons as one HTML file each that needs nothing else: sentences, tables, and plots as
inline SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ...core.pages import Markup, document, paragraph, section, table
from ...core.verdicts import ModelRef
from ...judge.audit.kind import STRENGTH, VOICE, Names, in_hundred, summary
from ...judge.audit.statistics import FALSE_DISCOVERIES
from ...judge.audit.types import AuditResult, Finding, VoiceAudit
from ..comparison import COMPARED, Comparison, PairedRank, RunRef, comparison_words, rank_words
from ..drift import Drift, drift_lines
from ..evaluation import Evaluation, PairsReport, RatingsReport
from ..validation import (
    CAUTION,
    REFERENCE_CAUTION,
    share_words,
)
from .rows import Part, evaluation_parts, number, with_interval
from .svg import agreement_plot, calibration_plot, pulls_plot, ratings_plot


def _marked(look: str, text: str) -> Markup:
    return Markup(f'<span class="{look}">{escape(text)}</span>')


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
    for part in evaluation_parts(found):
        warned = paragraph(part.warning, look="banner") if part.warning else ""
        judged = paragraph(f"{part.judged}.", look="small") if part.judged else ""
        tables = [table(each.head, map(_coloured, each.rows), each.title) for each in part.tables]
        body.append(section(part.title, *map(paragraph, part.words), judged, warned, *_plots(part), *tables))
    if found.pairs or found.ratings or not found.reference:
        body.append(paragraph(CAUTION, look="small"))
    if found.reference:
        body.append(paragraph(REFERENCE_CAUTION, look="small"))
    return document(f"JokeJudge: {model}", body)


def _plots(part: Part) -> list[str]:
    match part.about:
        case PairsReport():
            return [agreement_plot(part.about), calibration_plot(part.about.trust)]
        case RatingsReport():
            return [ratings_plot(part.about)]
    return []


def _coloured(cells: tuple[str, ...]) -> tuple[str, ...]:
    """A row with its verdict in colour, where it has one."""
    return *cells[:-1], _marked(cells[-1], cells[-1]) if cells[-1] in ("pass", "fail") else cells[-1]


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
        with_interval(finding.pull),
        with_interval(finding.beyond),
        in_hundred(finding.kept),
        *parts,
        number(finding.rating, 1, sign="+", none="–"),
        f"{finding.q:.3f}" if words != "beside" else "–",
        str(finding.pull.n),
    )


def _rest(voice: VoiceAudit, ordered: bool) -> Iterator[tuple[str, str, str]]:
    if voice.order is not None:
        pull = with_interval(voice.order.pull)
        yield "Position: pull towards the first place", STRENGTH[voice.order.strength], pull
        yield "The same joke ahead in both orders", "", in_hundred(voice.order.same)
    elif ordered and voice.voice in ("audience", "editor"):
        yield "Position", STRENGTH["none"], "each joke is read alone, so the order can't matter"
    if voice.own is not None:
        name = "Log-odds for a joke that surprises the model by one nat a token more"
        yield name, STRENGTH[voice.own.strength], with_interval(voice.own.slope)
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
            share_words(part.first),
            share_words(part.second),
            with_interval(part.difference, 100, 1),
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
    row = (*map(with_interval, (part.first, part.second, part.difference)), f"{part.first.n:,}")
    return section(
        "People's ratings, rank correlation",
        paragraph(rank_words(part), look="lead"),
        table(("first", "second", "difference", "texts"), [row]),
    )
