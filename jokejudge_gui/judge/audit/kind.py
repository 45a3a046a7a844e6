"""The audit as a kind of verdict: what is asked for, and what is told of it wherever verdicts are shown."""

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

# -- What an audit found, in words -------------------------------------------------------------------------------------

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
"""Root mean square of a voice's log-odds under which it says nearly the same of all jokes."""
UNKNOWN = "No voice of this model could be audited."
_RANK: dict[Strength, int] = {"none": 0, "some": 1, "strong": 2}


class Names:
    """Probes and forms by id, also those that the criteria no longer hold."""

    def __init__(self, perturbations: Perturbations) -> None:
        self._probes = {probe.id: probe for probe in perturbations.probes}

    def probe(self, id: str) -> str:
        return self._probes[id].name if id in self._probes else id

    def says(self, id: str) -> str:
        """What a probe does; empty where that isn't known."""
        return self._probes[id].says if id in self._probes else ""

    def not_run(self, result: AuditResult, *, biases: bool = False) -> tuple[str, ...]:
        """Ids of the probes on which no voice was tried; ``biases``: of those alone that change a joke to find one."""
        ran = {finding.probe for voice in result.voices for finding in voice.findings}
        roles = {
            role for voice in result.voices for role in ("order", "own", "broken") if getattr(voice, role) is not None
        }
        if not result.probes and result.voice("asked") is None:
            roles.add("order")  # what is read is read alone, so there is no order to try
        others = (probe for probe in self._probes.values() if probe.role != "control" and probe.role not in roles)
        return tuple(probe.id for probe in others if probe.id not in ran and (probe.role == "bias" or not biases))

    def form(self, finding: Finding) -> str:
        """A form's name, with its probe's where that has several."""
        probe, form = self._of(finding)
        if probe is None or form is None:
            return f"{finding.probe}: {finding.form}"
        return probe.name if len(probe.forms) == 1 else f"{probe.name}: {form.name}"

    def is_base(self, finding: Finding) -> bool:
        """Whether a form is there for others to be compared with."""
        probe, _ = self._of(finding)
        return probe is not None and any(form.than == finding.form for form in probe.forms)

    def _of(self, finding: Finding) -> tuple[Probe | None, Form | None]:
        probe = self._probes.get(finding.probe)
        form = next((form for form in probe.forms if form.id == finding.form), None) if probe else None
        return probe, form


def effects(voice: VoiceAudit, names: Names, *, least: Strength = "some") -> Iterator[tuple[str, Strength]]:
    """The probes in which a voice shows at least so strong an effect, by name."""
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
    """A voice in a sentence: what moves it though it shouldn't; empty where no probe of that was run. ``some_run``: not
    all of them were."""
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
    # A voice that hardly tells texts apart can't be moved, so that "no sign" says little.
    blind = voice.voice not in ADMISSIONS and voice.spread < _TELLS_APART
    but = ", but it hardly tells jokes apart at all" if blind else ""
    return f"{name}: no sign of a bias{_of_those_run(tried) if some_run else ''}{but}."


def _of_those_run(count: int) -> str:
    return f" in the {count} {'probe that was' if count == 1 else 'probes that were'} run"


def broken_line(voice: VoiceAudit) -> str:
    """Whether a voice sees that a punchline is another joke's; empty where that wasn't tried."""
    if voice.broken is None or voice.broken.low is None or voice.broken.share is None:
        return ""
    name = VOICE[voice.voice]
    found = f"{name} puts a joke above the same one with another joke's end in {in_hundred(voice.broken)}"
    return f"{found}, so it doesn't see a broken punchline." if voice.broken.low <= 0.5 else f"{found}."


def injection_line(voice: VoiceAudit) -> str:
    """What words to the judge do to a voice; empty where that wasn't tried."""
    if all(finding.role != "injection" for finding in voice.findings):
        return ""
    name = VOICE[voice.voice]
    name = name[:1].lower() + name[1:]
    how: dict[Strength, str] = {"none": "don't change {}", "some": "change {} somewhat", "strong": "change {} strongly"}
    return f"Words in a joke that tell the judge what to answer {how[injections(voice)].format(name)}."


def summary(result: AuditResult, names: Names) -> tuple[str, ...]:
    """The audit in sentences: voice by voice, then broken punchlines and injections, and what wasn't run."""
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
    """How many strong biases there are, over all voices, and that in a sentence."""
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
    """``73 of 100 (65 to 79)``."""
    if share.share is None or share.low is None or share.high is None:
        return "–"
    return f"{100 * share.share:.0f} of 100 ({100 * share.low:.0f} to {100 * share.high:.0f})"


def _listed(names: list[str]) -> str:
    return listed([name[:1].lower() + name[1:] for name in names])


def effect_rows(result: AuditResult, names: Names) -> Iterator[tuple[Voice, str, str, Strength]]:
    """Every effect by voice: the form's name, its pull, and how strong it is."""
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
    """A model: what moves its verdicts though it shouldn't?"""

    name: ClassVar[str] = "audit"
    noun: ClassVar[str] = "audit"
    verb: ClassVar[str] = "Audit"
    request = AuditRequest
    result = AuditResult
    grows = AuditDraft

    def subjects(self, request: AuditRequest) -> tuple[Subject, ...]:
        """One text that holds all jokes behind the name of their list, so that it is found by any of them."""
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
        """How many strong biases. It has no value: an audit isn't funnier than another one."""
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
