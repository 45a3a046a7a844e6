"""An audit's request, result and draft, and audits as files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, InstanceOf, model_validator

from ...core.errors import InputError
from ...core.files import read_json
from ...core.statistics import Fraction
from ...core.texts import clean_text
from ...core.verdict_kinds import Draft, Request
from ...core.verdicts import Frozen, Side, VerdictResult
from ...rubric.perturbations import Role
from .statistics import Pull, Slope, Strength

MOST_PAIRS = 2000

MOST_ASKED = 60
"""Pairs about which the model itself is asked unless more are requested: a question costs many times a reading."""

Voice = Literal["audience", "editor", "asked", "rated", "admission", "checks"]
"""The estimates that an audit tests: ``audience``, the audience head's; ``editor``, the editor head's; ``asked``, the
model's answer to which of two jokes is the funnier; ``rated``, the scores that the model gives each joke when asked;
``admission`` and ``checks``, whether a text is admitted, by the head and by the model's answers. Log-odds are for A;
admission is 1 or 0."""
ADMISSIONS: tuple[Voice, ...] = ("admission", "checks")
"""Voices that decide whether a single text is admitted."""


class Case(Frozen):
    """A pair to audit. ``winner``: the joke that people like better, None if unknown; ``gap``: by how much they like A
    better, in any unit; ``id``: of its texts."""

    id: str
    text_a: Annotated[str, AfterValidator(clean_text)]
    text_b: Annotated[str, AfterValidator(clean_text)]
    winner: Side | None = None
    gap: float = 0.0


class TextReading(Frozen):
    """The heads' estimates of one text. ``scores``, ``kinds``, ``across``: as in the audience head's ``Features``;
    ``percentile``: the audience's estimate; ``editor``: log-odds of the mean percentile among jokes over the shown
    factors; ``mean``: mean of their scores, 0…5; ``joke``: log-odds that it is meant as a joke. None: no such head.
    ``surprise``: mean −log-probability of the tokens (nats), for unchanged jokes."""

    scores: tuple[float, ...] | None = None
    kinds: tuple[float, ...] = ()
    across: float | None = None
    percentile: float | None = None
    editor: float | None = None
    mean: float | None = None
    joke: float | None = None
    surprise: float | None = None


class Asking(Frozen):
    """The model's answers about a pair, as log-odds for A, with A first and with B first."""

    a_first: float
    b_first: float


class TextAnswer(Frozen):
    """The model's answers about one text. ``mean``: of its scores for some factors, 0…5; ``admitted``: 1 where its
    checks admit the text as a joke, else 0. None: not asked, or no answer."""

    mean: float | None = None
    admitted: float | None = None


class ReadBy(Frozen):
    """The versions that readings depend on; ``asked``: the questions about a text."""

    model: str = ""
    head: str = ""
    editor: str = ""
    prompts: str = ""
    asked: str = ""


KnownPart = Literal["texts", "answers", "pairs"]


Known = TextReading | TextAnswer | Asking


def pair_key(text_a: str, text_b: str) -> str:
    return f"{text_a}\0{text_b}"


@dataclass
class KnownReadings:
    """Earlier readings by text, answers by text, and answers by pair of texts (``pair_key``). ``keep``: called for each
    addition to store it; None: nothing is stored."""

    read_by: ReadBy = field(default_factory=ReadBy)
    texts: dict[str, TextReading] = field(default_factory=dict)
    answers: dict[str, TextAnswer] = field(default_factory=dict)
    pairs: dict[str, Asking] = field(default_factory=dict)
    keep: Callable[[KnownPart, str, Known], None] | None = None

    def __len__(self) -> int:
        return len(self.texts) + len(self.answers) + len(self.pairs)

    def add(self, part: KnownPart, key: str, found: Known) -> None:
        getattr(self, part)[key] = found
        if self.keep is not None:
            self.keep(part, key, found)


class AuditRequest(Request):
    """An audit of the loaded model on ``cases``. ``probes``: ids, none for all; ``source``: a label of the jokes'
    origin; ``program``: version of the program; ``known``: readings that needn't be repeated. ``ask`` "all": the model
    is also asked, whatever its answers are worth; ``most_asked``: the number of pairs asked about, the first ones, None
    for all."""

    cases: tuple[Case, ...] = ()
    probes: tuple[str, ...] = ()
    source: str = ""
    program: str = ""
    known: InstanceOf[KnownReadings] = Field(default_factory=KnownReadings)
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


class Part(Frozen):
    """A subset of the pairs: the share that kept their verdict, and the mean pull on them."""

    kept: Fraction
    pull: float | None = None


class Effect(Frozen):
    """``q``: false discovery rate at which the effect would count; ``strength``: its reported strength."""

    q: float = 1.0
    strength: Strength = "none"


class Finding(Effect):
    """The effect of one form on one voice. ``kept``: verdicts unchanged (the robustness rate), ``control``: the same
    under the neutral change; ``pull``: mean change of the log-odds towards the changed joke (of the share admitted, for
    voices on admission); ``beyond``: the pull without the effect of length; ``floor``: the largest pull that is no
    effect; ``clear``, ``close``: pairs by the voice's certainty before the change; ``rating``: mean change of the
    rating, in percentiles or points of 5."""

    probe: str
    form: str
    role: Role
    kept: Fraction
    control: float | None = None
    pull: Pull
    beyond: Pull
    floor: float
    clear: Part | None = None
    close: Part | None = None
    rating: float | None = None


class Order(Effect):
    """The two orders of a pair. ``same``: share that name the same joke; ``pull``: log-odds towards the first place."""

    same: Fraction
    pull: Pull


class OwnTaste(Effect):
    """Self-preference: ``slope`` of the log-odds on the difference in surprisal, A minus B (nats per token), with
    people's votes held fixed; below 0 the model prefers text that it expects."""

    slope: Slope


class VoiceAudit(Frozen):
    """One voice. ``spread``: root mean square of its log-odds over the pairs; ``broken``: share of jokes preferred to
    themselves with another joke's end; ``agrees``: agreement with people, None if unknown."""

    voice: Voice
    n: int
    spread: float
    agrees: Fraction | None = None
    findings: tuple[Finding, ...] = ()
    order: Order | None = None
    own: OwnTaste | None = None
    broken: Fraction | None = None


class AuditedPair(Frozen):
    """A pair with the log-odds for A of each voice."""

    id: str
    text_a: str
    text_b: str
    winner: Side | None = None
    gap: float = 0.0
    odds: dict[str, float] = Field(default_factory=dict)


class AuditResult(VerdictResult):
    """An audit, complete or stopped. ``perturbations``: version of the probes; ``program``: version that made it;
    ``unread``: number of texts that the model couldn't read; ``most_asked``: limit on the pairs that it was asked
    about; ``factors``: ids of the factors that it was asked to score."""

    kind: ClassVar[str] = "audit"
    source: str = ""
    probes: tuple[str, ...] = ()
    perturbations: str = ""
    program: str = ""
    pairs: tuple[AuditedPair, ...] = ()
    voices: tuple[VoiceAudit, ...] = ()
    readings: int = 0
    unread: int = 0
    everything_asked: bool = False
    most_asked: int | None = None
    factors: tuple[str, ...] = ()

    def voice(self, name: str) -> VoiceAudit | None:
        return next((voice for voice in self.voices if voice.voice == name), None)


class AuditDraft(Draft[AuditResult], AuditResult, frozen=False):
    """An ``AuditResult`` in progress."""


# -- Audits as files ---------------------------------------------------------------------------------------------------

_MOST_BYTES = 32 << 20
FIELD_NAMES = {"criteria": "criteria_version", "prompts": "prompt_version", "head": "head_version"}
"""The fields whose name in JSON differs."""
_FIELDS = (
    "id", "source", "probes", "perturbations", "program", "readings", "unread", "voices", "pairs", "usage", "model",
)  # fmt: skip
_LATER_FIELDS = ("everything_asked", "most_asked", "factors")
"""Missing in audits of earlier versions."""


def read_audit(path: Path) -> AuditResult:
    """Read the audit in a file. Raises ``InputError`` ``E_AUDIT_FILE`` for anything else."""
    try:
        return parse_audit(read_json(path, _MOST_BYTES))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        raise InputError(
            "E_AUDIT_FILE",
            f"No audit can be read from {path.name}{why}.",
            "Give a file that jokejudge audit --json wrote, or a report that the window saved as JSON.",
        ) from error


def parse_audit(data: Any) -> AuditResult:
    """Return the audit in the terminal's JSON object, in one of ``history show``, or in a file saved by an earlier
    version's window. Raises ``ValueError``, ``KeyError``, ``TypeError`` or ``AttributeError``."""
    if "voices" not in data and "result" in data:
        data = data["result"]
    known = {name: data[name] for name in _FIELDS}
    known |= {name: data[name] for name in _LATER_FIELDS if name in data}
    names = {field: data.get(name, data.get(field, "")) for name, field in FIELD_NAMES.items()}
    return AuditResult.model_validate(known | names)


def audit_for(sha256: str, *folders: Path) -> AuditResult | None:
    """Return the audit of the model with this hash from the first folder with a valid one (``<16 digits>.json``)."""
    for folder in folders:
        path = folder / f"{sha256[:16]}.json"
        if not path.is_file():
            continue
        try:
            found = read_audit(path)
        except InputError:
            continue
        if found.model is not None and found.model.sha256 == sha256:
            return found
    return None
