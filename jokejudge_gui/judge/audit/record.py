"""An audit: what is asked, and what was found."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import AfterValidator, Field, InstanceOf, model_validator

from ...core.errors import InputError
from ...core.statistics import Fraction
from ...core.texts import clean_text
from ...core.verdict_kinds import Request
from ...core.verdicts import Frozen, Side, VerdictResult, having

if TYPE_CHECKING:
    from ..asking.measured import MeasuredFiles

MOST_PAIRS = 2000
MOST_ASKED = 60
"""Pairs about which the model itself is asked unless more are requested: a question costs many times a reading."""
Voice = Literal["audience", "editor", "asked", "admission"]
"""The estimates that an audit tests: ``audience``, the audience head's; ``editor``, the editor head's; ``asked``, the
model's answer to which of two jokes is the funnier; ``admission``, whether a text is admitted by the head. Log-odds are
for A; admission is 1 or 0."""
VOICES: tuple[Voice, ...] = get_args(Voice)
Readings = dict[str | tuple[str, str], Any]
"""Everything that an audit has read or asked so far. By text what is read of it by voice, where that is known: the
audience head's features, the editor's log-odds of the mean percentile over the shown factors, and 1 or 0 for admission.
By pair the model's log-odds for A with A first and with B first."""


class AuditPair(Frozen):
    """A pair to audit. ``winner``: the joke that people like better, None if unknown; ``id``: of its texts; ``odds``:
    the log-odds for A of each voice, once known."""

    id: str
    text_a: str
    text_b: str
    winner: Side | None = None
    odds: dict[str, float] = Field(default_factory=dict)


def _clean(pair: AuditPair) -> AuditPair:
    return pair.replaced(text_a=clean_text(pair.text_a), text_b=clean_text(pair.text_b), odds={})


class AuditRequest(Request):
    """An audit of the loaded model on ``cases``. ``source``: a label of the jokes' origin; ``program``: its version;
    ``known``: readings that needn't be repeated, by who made them; new ones are added. ``ask`` "all": the model is also
    asked, whatever its answers are worth; ``most_asked``: the number of pairs asked about, the first ones, None for
    all."""

    cases: tuple[Annotated[AuditPair, AfterValidator(_clean)], ...] = ()
    source: str = ""
    program: str = ""
    known: InstanceOf[dict[tuple[str, ...], Readings]] = Field(default_factory=dict)
    most_asked: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if len(self.cases) > MOST_PAIRS:
            raise InputError(
                "E_AUDIT_TOO_MANY",
                f"{len(self.cases):,} pairs were given; at most {MOST_PAIRS:,} can be audited at once.",
                "Give fewer; two hundred already tell what matters.",
            )
        return self


_FINDING = having("probe", "form", "role", "strength", "q", "beyond", "kept", "pull")


class VoiceAudit(Frozen):
    """One voice. ``spread``: root mean square of its log-odds over the pairs; ``broken``: share of jokes preferred to
    themselves with another joke's end; ``agrees``: agreement with people, None if unknown.

    ``findings``: the effect of each form of each probe, as an object with ``probe``, ``form``, ``role``; ``kept``:
    verdicts unchanged, ``control``: the same under the neutral change; ``pull``: mean change of the log-odds towards
    the changed joke (of the share admitted, for admission), ``beyond``: without the effect of length, each
    with interval and p; ``floor``: the largest pull that is no effect; ``q``: false discovery rate at which the effect
    would count; ``strength``: none, some or strong; ``clear``, ``close`` and ``rating`` are None. ``order``: the two
    orders of a pair (``same``: share that name the same joke; ``pull`` towards the first place)."""

    voice: Voice
    n: int
    spread: float
    agrees: Fraction | None = None
    findings: tuple[Annotated[dict[str, Any], _FINDING], ...] = ()
    order: dict[str, Any] | None = None
    broken: Fraction | None = None


class AuditResult(VerdictResult):
    """An audit, complete or stopped. ``perturbations``: version of the probes; ``program``: version that made it;
    ``unread``: number of texts that the model couldn't read; ``most_asked``: limit on the pairs that it was asked
    about; ``probes`` and ``factors``: of earlier versions of the program."""

    kind: ClassVar[str] = "audit"
    source: str = ""
    probes: tuple[str, ...] = ()
    perturbations: str = ""
    program: str = ""
    pairs: tuple[AuditPair, ...] = ()
    voices: tuple[VoiceAudit, ...] = ()
    readings: int = 0
    unread: int = 0
    everything_asked: bool = False
    most_asked: int | None = None
    factors: tuple[str, ...] = ()

    def voice(self, name: str) -> VoiceAudit | None:
        return next((voice for voice in self.voices if voice.voice == name), None)


FIELD_NAMES = {"criteria": "criteria_version", "prompts": "prompt_version", "head": "head_version"}
"""The fields whose name in JSON differs."""


def parse_audit(data: dict[str, Any]) -> AuditResult:
    """Return the audit in the terminal's JSON object. Raises ``ValueError`` or ``KeyError``."""
    same = {name: data[name] for name in AuditResult.model_fields if name in data}
    return AuditResult.model_validate(same | {field: data[name] for name, field in FIELD_NAMES.items()})


def audit_for(sha256: str, files: MeasuredFiles) -> AuditResult | None:
    """Return the audit of the model with this hash: the user's own, else the shipped one; None without a valid one."""
    for section in files.sections(sha256, "audit"):
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            return parse_audit(section)
    return None
