"""The audit as a kind of verdict: its request, and the words for its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.statistics import Fraction
from ...core.texts import listed
from ...core.verdict_kinds import Fact, Headline, Subject
from ...rubric.perturbations import Form, Perturbations, Probe, parse_perturbations
from ..judged_kind import JudgedKind, Work
from .judge import AuditJudge
from .statistics import Strength
from .types import (
    ADMISSIONS,
    FIELD_NAMES,
    AuditDraft,
    AuditedPair,
    AuditRequest,
    AuditResult,
    Finding,
    Voice,
    VoiceAudit,
)

# -- An audit's findings in words --------------------------------------------------------------------------------------

VOICE: dict[Voice, str] = {
    "audience": "The audience's estimate",
    "editor": "The editor's reading",
    "asked": "The model's answer",
    "rated": "The model's scores",
    "admission": "Admission",
    "checks": "The model's checks",
}
STRENGTH: dict[Strength, str] = {"none": "no sign", "some": "some", "strong": "strong"}
_TELLS_APART = 0.02
"""Least root mean square of a voice's log-odds; below it the voice hardly distinguishes jokes."""
UNKNOWN = "No part of this model's verdicts could be audited."
_RANK: dict[Strength, int] = {"none": 0, "some": 1, "strong": 2}


class Names:
    """Names of probes and forms by id, including ids that are no longer among the criteria."""

    def __init__(self, perturbations: Perturbations) -> None:
        self._probes = {probe.id: probe for probe in perturbations.probes}

    def probe(self, id: str) -> str:
        return self._probes[id].name if id in self._probes else id

    def says(self, id: str) -> str:
        """Return a probe's description; empty if the probe isn't known."""
        return self._probes[id].says if id in self._probes else ""

    def not_run(self, result: AuditResult, *, biases: bool = False) -> tuple[str, ...]:
        """Return the ids of the probes that were run on no voice; ``biases``: only those that change a joke to find a
        bias."""
        ran = {finding.probe for voice in result.voices for finding in voice.findings}
        roles = {
            role for voice in result.voices for role in ("order", "own", "broken") if getattr(voice, role) is not None
        }
        if not result.probes and result.voice("asked") is None:
            roles.add("order")  # # texts are read one by one, so there is no order to test
        others = (probe for probe in self._probes.values() if probe.role != "control" and probe.role not in roles)
        return tuple(probe.id for probe in others if probe.id not in ran and (probe.role == "bias" or not biases))

    def form(self, finding: Finding) -> str:
        """Return a form's name, prefixed with its probe's name where that has several forms."""
        probe, form = self._of(finding)
        if probe is None or form is None:
            return f"{finding.probe}: {finding.form}"
        return probe.name if len(probe.forms) == 1 else f"{probe.name}: {form.name}"

    def is_base(self, finding: Finding) -> bool:
        """Whether a form is a base that others are compared with."""
        probe, _ = self._of(finding)
        return probe is not None and any(form.than == finding.form for form in probe.forms)

    def _of(self, finding: Finding) -> tuple[Probe | None, Form | None]:
        probe = self._probes.get(finding.probe)
        form = next((form for form in probe.forms if form.id == finding.form), None) if probe else None
        return probe, form


def effects(voice: VoiceAudit, names: Names, *, least: Strength = "some") -> Iterator[tuple[str, Strength]]:
    """Yield the names of the probes in which a voice shows an effect of at least strength ``least``."""
    found: dict[str, Strength] = {}
    for finding in voice.findings:
        if finding.role == "bias":
            found[finding.probe] = max(finding.strength, found.get(finding.probe, "none"), key=_RANK.__getitem__)
    if voice.order is not None:
        found["position"] = voice.order.strength
    if voice.own is not None:
        found["own"] = voice.own.strength
    for id, strength in found.items():
        if _RANK[strength] >= _RANK[least]:
            yield names.probe(id), strength


def injections(voice: VoiceAudit) -> Strength:
    found = (finding.strength for finding in voice.findings if finding.role == "injection")
    return max(found, key=_RANK.__getitem__, default="none")


def voice_line(voice: VoiceAudit, names: Names, *, some_run: bool = False) -> str:
    """Return a sentence that names a voice's biases; empty where no probe of a bias was run. ``some_run``: only some of
    them were run."""
    tried = len(list(effects(voice, names, least="none")))
    if not tried:
        return ""
    name = VOICE[voice.voice]
    moved = []
    for how, strength in (("strongly", "strong"), ("somewhat", "some")):
        if by := [name for name, found in effects(voice, names) if found == strength]:
            moved.append(f"{how} moved by {_listed(by)}")
    if moved:
        return f"{name}: {' and '.join(moved)}."
    # A voice that hardly distinguishes texts can't be moved, so "no sign" means little.
    blind = voice.voice not in ADMISSIONS and voice.spread < _TELLS_APART
    but = ", but it hardly tells jokes apart at all" if blind else ""
    return f"{name}: no sign of a bias{_of_those_run(tried) if some_run else ''}{but}."


def _of_those_run(count: int) -> str:
    return f" in the {count} {'probe that was' if count == 1 else 'probes that were'} run"


def broken_line(voice: VoiceAudit) -> str:
    """Return how often a voice detects another joke's punchline; empty where that wasn't tested."""
    if voice.broken is None or voice.broken.low is None or voice.broken.share is None:
        return ""
    name = VOICE[voice.voice]
    found = f"{name} puts a joke above the same one with another joke's end in {in_hundred(voice.broken)}"
    return f"{found}, so it doesn't see a broken punchline." if voice.broken.low <= 0.5 else f"{found}."


def injection_line(voice: VoiceAudit) -> str:
    """Return the effect on a voice of words addressed to the judge; empty where that wasn't tested."""
    if all(finding.role != "injection" for finding in voice.findings):
        return ""
    name = VOICE[voice.voice]
    name = name[:1].lower() + name[1:]
    how: dict[Strength, str] = {"none": "don't change {}", "some": "change {} somewhat", "strong": "change {} strongly"}
    return f"Words in a joke that tell the judge what to answer {how[injections(voice)].format(name)}."


def summary(result: AuditResult, names: Names) -> tuple[str, ...]:
    """Return the audit in sentences: each voice, then broken punchlines and injections, and the probes not run."""
    if not result.voices:
        return (UNKNOWN,)
    some_run = bool(names.not_run(result, biases=True))
    lines = [voice_line(voice, names, some_run=some_run) for voice in result.voices]
    lines += [*map(broken_line, result.voices), *map(injection_line, result.voices)]
    lines = list(filter(None, lines))
    if left := names.not_run(result):
        lines.append(f"Not run, so nothing is known of: {_listed([names.probe(id) for id in left])}.")
    return tuple(lines)


def headline(result: AuditResult, names: Names) -> tuple[int, str]:
    """Return the number of strong biases over all voices, and a sentence about it."""
    found = [strength for voice in result.voices for _, strength in effects(voice, names)]
    strong, some = found.count("strong"), found.count("some")
    if not result.voices:
        return 0, UNKNOWN
    if not found:
        tried = {name for voice in result.voices for name, _ in effects(voice, names, least="none")}
        if not tried:
            return 0, "No probe of a bias was run"
        return 0, f"No sign of a bias{_of_those_run(len(tried)) if names.not_run(result, biases=True) else ''}"
    parts = [f"{count} {what}" for count, what in ((strong, "strong"), (some, "weaker")) if count]
    return strong, f"{' and '.join(parts)} {'bias' if strong + some == 1 else 'biases'}"


def in_hundred(share: Fraction) -> str:
    """Format a share as ``73 of 100 (65 to 79)``."""
    if share.share is None or share.low is None or share.high is None:
        return "–"
    return f"{100 * share.share:.0f} of 100 ({100 * share.low:.0f} to {100 * share.high:.0f})"


def _listed(names: list[str]) -> str:
    return listed([name[:1].lower() + name[1:] for name in names])


def effect_rows(result: AuditResult, names: Names) -> Iterator[tuple[Voice, str, str, Strength]]:
    """Yield each effect by voice: the form's name, its pull and its strength."""
    for voice in result.voices:
        found = [(names.form(each), each.beyond.value, each.strength) for each in voice.findings]
        if voice.order is not None:
            found.append((names.probe("position"), voice.order.pull.value, voice.order.strength))
        if voice.own is not None:
            found.append((names.probe("own"), voice.own.slope.value, voice.own.strength))
        for name, value, strength in found:
            if strength != "none":
                yield voice.voice, name, f"{value:+.2f}".replace("-", "−"), strength


_MOST_SEARCHED = 200_000


class AuditKind(JudgedKind[AuditRequest, AuditResult, AuditDraft]):
    """The biases of a model's verdicts."""

    name: ClassVar[str] = "audit"
    noun: ClassVar[str] = "audit"
    verb: ClassVar[str] = "Audit"
    request = AuditRequest
    result = AuditResult
    grows = AuditDraft

    def subjects(self, request: AuditRequest) -> tuple[Subject, ...]:
        """Return one text with all jokes after the name of their list, so that a search for any of them finds the
        audit."""
        lines = [name_of(request), *(text for case in request.cases for text in (case.text_a, case.text_b))]
        return (Subject(text="\n".join(lines)[:_MOST_SEARCHED]),)

    def given(self, result: AuditResult) -> dict[str, Any]:
        return {"cases": [pair.model_dump(exclude={"odds"}) for pair in result.pairs]}

    def asked(self, request: AuditRequest) -> dict[str, Any]:
        pairs = tuple(AuditedPair.model_validate(dict(case)) for case in request.cases)
        return {"everything_asked": request.ask == "all", "pairs": pairs}

    def run(self, draft: AuditDraft, request: AuditRequest, work: Work) -> Iterator[Event | AuditDraft]:
        yield from AuditJudge(draft, request, work).run()

    def contract(self, result: AuditResult) -> dict[str, Any]:
        names = Names(parse_perturbations())
        dumped = result.model_dump(mode="json")
        same = ("readings", "unread", "everything_asked", "most_asked", "factors")
        return {
            **{name: dumped[name] for name in ("id", "source", "probes")},
            "not_run": list(names.not_run(result)) if result.voices else [],
            **{name: dumped[name] for name in ("perturbations", "program")},
            **{name: dumped[field] for name, field in FIELD_NAMES.items()},
            **{name: dumped[name] for name in same},
            "summary": list(summary(result, names)),
            "voices": dumped["voices"],
            "pairs": dumped["pairs"],
            **result.contract_end(),
        }

    def headline(self, result: AuditResult) -> Headline:
        """Return the number of strong biases. There is no value: audits aren't ranked."""
        strong, sentence = headline(result, Names(parse_perturbations()))
        badge = "–" if not result.voices else str(strong)
        return Headline(badge=badge, tone="none", sentence=sentence)

    def facts(self, result: AuditResult) -> Iterator[Fact]:
        yield Fact(name="Pairs", text=f"{len(result.pairs):,} from {result.source or 'a list'}")
        for line in summary(result, Names(parse_perturbations())):
            yield Fact(name="Finding", text=line)

    def columns(self, result: AuditResult) -> dict[str, object]:
        strong, sentence = headline(result, Names(parse_perturbations()))
        return {
            "text_a": f"Audit on {len(result.pairs):,} pairs",
            "strong_biases": strong if result.voices else None,
            "finding": sentence,
        }


def name_of(request: AuditRequest) -> str:
    return f"Audit on {len(request.cases):,} pairs of {request.source or 'a list'}"


AUDIT = AuditKind()
