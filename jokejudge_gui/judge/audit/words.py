"""An audit as a kind of verdict, and its findings in words: a sentence for each voice, and a table of everything that
was tried on each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.pages import Page, Row, Table
from ...core.statistics import Fraction
from ...core.texts import listed
from ...core.verdict_kinds import Subject
from ...core.verdicts import VerdictResult
from ...core.words import of_100
from ...rubric.perturbations import Form, Probe, parse_perturbations
from ..judged_kind import JudgedKind, Work
from .findings import FALSE_DISCOVERIES, Strength
from .record import FIELD_NAMES, AuditRequest, AuditResult, Voice, VoiceAudit

_MOST_SEARCHED = 200_000
VOICE: dict[Voice, str] = {
    "audience": "The audience's estimate",
    "editor": "The editor's reading",
    "asked": "The model's answer",
    "admission": "Admission",
}
STRENGTH: dict[Strength, str] = {"none": "no sign", "some": "some", "strong": "strong"}
_HOW: dict[str, Strength] = {"strongly": "strong", "somewhat": "some"}
_SHOULDNT = ("bias", "injection")
"""The roles of probes that shouldn't move a verdict."""
UNKNOWN = "No part of this model's verdicts could be audited."
HOW = (
    "One joke of each pair is changed in a way that shouldn't matter. A verdict is unchanged if the same joke is ahead "
    "afterwards. The pull is the mean change of the log-odds towards the changed joke, with what its length alone "
    "does taken out, and a 95 % interval over jokes. An effect is reported if it lies above that of the neutral change "
    "and above a tenth of the spread of the judge's log-odds, and if at most one in twenty effects reported for this "
    f"part of the judge is expected to be false (q ≤ {FALSE_DISCOVERIES:.2f}, Benjamini and Hochberg). It is strong "
    "from half that spread on, or if it changes 15 verdicts in 100 more than the neutral change does. For admission "
    "the pull is a share of texts, reported from 2 in 100 on and strong from 10 in 100 on."
)
FEW = 30
"""With fewer pairs an audit that finds nothing says nothing."""
_TELLS_APART = 0.02
"""Least root mean square of a voice's log-odds; below it the voice hardly distinguishes jokes."""


def page(result: AuditResult) -> Page:
    """Return the page of an audit."""
    strong, sentence = headline(result)
    ran, probes = dict.fromkeys(one["probe"] for voice in result.voices for one in voice.findings), _probes()
    agrees = tuple(
        Row(f"{in_hundred(voice.agrees)} pairs.", f"{VOICE[voice.voice]} agrees with people on", quiet=True)
        for voice in result.voices
        if voice.agrees is not None
    )
    changes = tuple(Row(probes[id].says, probes[id].name, quiet=True) for id in ran if id in probes)
    how = (Row(HOW, "How it was measured", quiet=True, rows=changes),) if changes else ()
    return Page(
        sentence,
        badge=str(strong) if result.voices else "–",
        notes=result.warnings,
        rows=(*(Row(line) for line in summary(result) if result.voices), *agrees, *how),
        tables=tuple(map(_table, result.voices)),
        foot=(
            f"On {len(result.pairs):,} pairs: {result.source or 'a list'}. Probes {result.perturbations}, JokeJudge "
            f"{result.program}.",
            *((f"{result.model.name}, SHA-256 {result.model.sha256}",) if result.model else ()),
        ),
    )


def headline(result: AuditResult) -> tuple[int, str]:
    """Return the number of strong biases over all voices, and a sentence about it."""
    strengths = [strength for voice in result.voices for strength in _strengths(voice).values()]
    strong, some = strengths.count("strong"), strengths.count("some")
    if parts := [f"{count} {what}" for count, what in ((strong, "strong"), (some, "weaker")) if count]:
        return strong, f"{' and '.join(parts)} {'bias' if strong + some == 1 else 'biases'}"
    if not strengths:
        return 0, UNKNOWN
    if len(result.pairs) < FEW:
        return 0, "Too few pairs to see a bias"
    return 0, f"No sign of a bias{' in the probes that were run' if not_run(result) else ''}"


def summary(result: AuditResult) -> tuple[str, ...]:
    """Return the audit in sentences: one for each voice, and the probes that weren't run."""
    if not result.voices:
        return (UNKNOWN,)
    lines = [line for voice in result.voices if (line := _voice_line(voice))]
    if left := not_run(result):
        lines.append(f"Not run, so nothing is known of: {_lower([probe_name(id) for id in left])}.")
    return tuple(lines)


def effects(voice: VoiceAudit) -> dict[str, Strength]:
    """Return the probes, by name, in which a voice shows some or a strong effect."""
    return {name: strength for name, strength in _strengths(voice).items() if strength != "none"}


def _strengths(voice: VoiceAudit) -> dict[str, Strength]:
    """Return the strongest effect of each probe that shouldn't move a verdict, by the probe's name."""
    strengths: dict[str, Strength] = {}
    for finding in voice.findings:
        if finding["role"] in _SHOULDNT:
            name = probe_name(finding["probe"])
            strengths[name] = max(finding["strength"], strengths.get(name, "none"), key=[*STRENGTH].index)
    if voice.order is not None:
        strengths[probe_name("position")] = voice.order["strength"]
    return strengths


def not_run(result: AuditResult) -> list[str]:
    """Return the ids of the probes of which the pairs gave no case, or which an earlier program left out."""
    ran = {finding["probe"] for voice in result.voices for finding in voice.findings}
    roles = _SHOULDNT if any(voice.broken for voice in result.voices) else (*_SHOULDNT, "broken")
    return [id for id, probe in _probes().items() if probe.role in roles and id not in ran]


def probe_name(id: str) -> str:
    """Return a probe's name, or its id if it is no longer among the criteria."""
    return _probes()[id].name if id in _probes() else id


def changed_words(finding: dict[str, Any]) -> str:
    """Return a joke's change: the words that were added, quoted, or the form's name; empty if it is no longer among the
    criteria."""
    _, form = _form_of(finding)
    if form is None:
        return ""
    words = (form.before or form.after).strip().strip("():").strip()
    return f"“{words}”" if words else form.name.lower()


def in_hundred(share: Fraction | dict[str, Any]) -> str:
    """Format a share as ``73 of 100 (65 to 79)``."""
    figures = share if isinstance(share, dict) else share.model_dump()
    return of_100(figures["share"], figures["low"], figures["high"], " of 100")


def _table(voice: VoiceAudit) -> Table:
    """Return everything that was tried on a voice."""
    rows: list[tuple[str, ...]] = []
    for one in voice.findings:
        probe, form = _form_of(one)
        named, tested = f"{one['probe']}: {one['form']}", one["role"] in _SHOULDNT
        if probe is not None and form is not None:
            named = probe.name if len(probe.forms) == 1 else f"{probe.name}: {form.name}"
            tested = tested and all(other.than != form.id for other in probe.forms)  # else only a base of others
        effect, q = (STRENGTH[one["strength"]], f"{one['q']:.3f}") if tested else ("beside", "")
        cells = (effect, _interval(one["beyond"]), in_hundred(one["kept"]), q, str(one["pull"]["n"]))
        rows.append((named, *cells))
    if (order := voice.order) is not None:
        pull, same, q = _interval(order["pull"]), in_hundred(order["same"]), f"{order['q']:.3f}"
        label = "Position, towards the first place"
        rows.append((label, STRENGTH[order["strength"]], pull, same, q, str(voice.n)))
    if (broken := voice.broken) is not None:
        seen = "not seen" if broken.low is not None and broken.low <= 0.5 else ""
        rows.append(("Ahead of itself with another joke's end", seen, "", in_hundred(broken), "", ""))
    head = ("Change", "effect", "pull beyond its length", "unchanged, of 100", "q", "jokes")
    return Table(VOICE[voice.voice], head, tuple(rows), narrow=4)


def _voice_line(voice: VoiceAudit) -> str:
    """Return a sentence that names a voice's biases."""
    tried = _strengths(voice)
    named = {how: [probe for probe, effect in tried.items() if effect == strength] for how, strength in _HOW.items()}
    moved = [f"{how} moved by {_lower(probes)}" for how, probes in named.items() if probes]
    # A voice that hardly distinguishes texts can't be moved, so "no sign" means little.
    blind = voice.voice != "admission" and voice.spread < _TELLS_APART
    calm = f"no sign of a bias{', but it hardly tells jokes apart at all' if blind else ''}"
    return f"{VOICE[voice.voice]}: {' and '.join(moved) or calm}." if tried else ""


def _probes() -> dict[str, Probe]:
    return {probe.id: probe for probe in parse_perturbations().probes}


def _form_of(finding: dict[str, Any]) -> tuple[Probe | None, Form | None]:
    probe = _probes().get(finding["probe"])
    return probe, next((form for form in probe.forms if form.id == finding["form"]), None) if probe else None


def _interval(estimate: dict[str, Any]) -> str:
    value, low, high = (f"{estimate[name]:+.2f}".replace("-", "−") for name in ("value", "low", "high"))
    return f"{value} ({low} to {high})"


def _lower(names: list[str]) -> str:
    return listed([name[:1].lower() + name[1:] for name in names])


class AuditKind(JudgedKind[AuditRequest, AuditResult]):
    """The biases of a model's verdicts."""

    name: ClassVar[str] = "audit"
    noun: ClassVar[str] = "audit"
    verb: ClassVar[str] = "Audit"
    request = AuditRequest
    result = AuditResult

    def subjects(self, request: AuditRequest) -> tuple[Subject, ...]:
        """Return one text with all jokes after the name of their list, so that a search for any of them finds the
        audit."""
        name = f"Audit on {len(request.cases):,} pairs of {request.source or 'a list'}"
        lines = [name, *(text for case in request.cases for text in (case.text_a, case.text_b))]
        return (Subject(text="\n".join(lines)[:_MOST_SEARCHED]),)

    def given(self, result: AuditResult) -> dict[str, Any]:
        return {"cases": result.pairs}

    def asked(self, request: AuditRequest) -> dict[str, Any]:
        return {"everything_asked": request.ask == "all", "pairs": request.cases}

    def run(self, draft: AuditResult, request: AuditRequest, work: Work) -> Iterator[Event | AuditResult]:
        from .audit_judge import run_audit  # a stored audit is shown without its judge

        yield from run_audit(draft, request, work)

    def contract(self, result: AuditResult) -> dict[str, Any]:
        return {
            **result.model_dump(
                mode="json", include={"id", *(AuditResult.model_fields.keys() - VerdictResult.model_fields)}
            ),
            **{name: getattr(result, field) for name, field in FIELD_NAMES.items()},
            "not_run": not_run(result) if result.voices else [],
            "summary": list(summary(result)),
            **result.contract_end(),
        }

    def words(self, result: AuditResult) -> Page:
        return page(result)

    def columns(self, result: AuditResult) -> dict[str, object]:
        strong, sentence = headline(result)
        return {
            "text_a": f"Audit on {len(result.pairs):,} pairs",
            "strong_biases": strong if result.voices else None,
            "finding": sentence,
        }


AUDIT = AuditKind()
