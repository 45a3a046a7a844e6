"""Kinds of verdicts (a rating, a duel, …): the interface through which verdicts are stored, shown, exported and voted
on without knowledge of the single kinds. ``judge/kinds.py`` holds the registry of the program's kinds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import ModelWrapValidatorHandler, ValidationError, model_validator

from .errors import ErrorInfo, unfit
from .pages import Page, Tone
from .verdicts import Asked, Audience, Frozen, Heard, Mode, VerdictResult


class Subject(Frozen):
    """A text of a verdict. ``label``: its name among the subjects ("A", "B", "3"); empty if it is the only one."""

    text: str
    label: str = ""


HALVES: dict[str, tuple[str, Tone]] = {"upper": ("▲", "high"), "lower": ("▼", "low"), "unclear": ("○", "middle")}
"""Badge and tone for each value of ``Audience.said``."""
NOTHING = "–"
"""The badge of a verdict without a finding."""


def lean_of(audience: Audience) -> str:
    """Return the half that people's votes lean to, with its odds rounded down to tenths; empty where they are nearly
    even."""
    if audience.said == "unclear":
        return ""
    tenths = math.floor(10.0 * max(audience.upper, 1.0 - audience.upper) + 1e-9)
    return f"Leans to the {audience.said} half, {tenths} in 10"


def told_in_words(place: Heard | None) -> str:
    """Return where a joke is told, to follow its facts; empty where that isn't known."""
    if place is None:
        return ""
    return f"{'told' if place.same == 'joke' else 'its punchline is told'} in {place.where}"


def dumped(result: VerdictResult, *names: str) -> dict[str, Any]:
    """Return fields of a result as in its JSON object, in this order."""
    values = result.model_dump(include=set(names))
    return {name: list(values[name]) if isinstance(values[name], tuple) else values[name] for name in names}


class VoteScore(Frozen):
    """The judge's own number that a person's vote is compared with. Only values of the same ``scale`` are comparable:
    it names the measurement and its model, head, prompts and criteria. ``centred``: 0 is the natural middle, as of
    log-odds for A, and the opposite vote belongs to the negated value; otherwise the middle is learned from votes."""

    scale: str
    value: float
    centred: bool = False


class Request(Frozen):
    """A request for a verdict. A subclass adds its texts and cleans them once, in its validators or in a classmethod,
    so the texts of a request are always clean. ``explain``: with an explanation, if the model's plan has one; ``ask``:
    the questions that are worth their tokens on this model (plan), or all of the pipeline. ``continues``: id of an
    earlier verdict of this kind, which is continued in its own row; None: a new one. ``not_repeated``: fields left out
    when a stored verdict is requested again: those known from earlier runs.

    A field of a wrong type or out of range raises ``UsageError`` ``E_REQUEST``, which names it by its ``title``."""

    not_repeated: ClassVar[frozenset[str]] = frozenset({"continues", "known", "program"})
    mode: Mode = "quick"
    seed: int = 1
    explain: bool = True
    ask: Asked = "plan"
    continues: str | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _or_a_sentence(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(given)
        except ValidationError as error:
            field, *_ = error.errors()[0]["loc"] or ("request",)
            declared = cls.model_fields.get(str(field))
            raise unfit(error, str((declared.title if declared else None) or field)) from error


class MadeBy(Frozen):
    """Versions on which a verdict's parts depend: parts of another model, head or wording can't be reused."""

    model: str = ""
    head: str = ""
    prompts: str = ""
    criteria: str = ""


Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=VerdictResult)


class VerdictKind(ABC, Generic[Q, R]):
    """A kind of verdict. A new one needs a subclass in a folder of its own and a line in the registry."""

    name: ClassVar[str]
    """Its name in the history and in JSON: ``rate``, ``duel``, …"""
    noun: ClassVar[str]
    """Its name within a sentence: "rating"."""
    verb: ClassVar[str]
    """Its name on a button or in a history row: "Rate"."""
    fields: ClassVar[tuple[str, ...]] = ()
    """Names of its texts in the request, in the result and in JSON, in their order: ``text_a``, ``text_b``."""
    request: type[Q]
    result: type[R]
    choices: ClassVar[tuple[str, ...]] = ()
    """Possible votes, the favourable one first; empty if it isn't voted on."""
    question: ClassVar[str] = ""
    """The question that a vote answers: "Do you find it funny?"."""
    deep: ClassVar[bool] = False
    """Whether deep mode does more than quick mode, also within the verdicts that it consists of."""

    @abstractmethod
    def subjects(self, request: Q) -> tuple[Subject, ...]:
        """Return the texts of the request, in their order."""

    def request_of(self, result: R) -> Q:
        """Return a request for the same verdict, every field as it was."""
        return self.request.model_validate({**repeated(self.request, result), **self.given(result)})

    def given(self, _result: R) -> dict[str, Any]:
        """Return the fields of the request that a result holds under another name or in another form."""
        return {}

    @abstractmethod
    def empty(self, request: Q, id: str) -> R:
        """Return a result that holds the request alone."""

    @abstractmethod
    def contract(self, result: R) -> dict[str, Any]:
        """Return the terminal's JSON object: names are fixed, fields are only added."""

    @abstractmethod
    def words(self, result: R) -> Page:
        """Return the verdict in words, which every surface draws."""

    def glance(self, result: R) -> Page:
        """Return the verdict in words for a row of a list: headline, badge, tone and value. A kind whose page takes
        time overrides it."""
        page = self.words(result)
        return Page(page.headline, page.badge, page.tone, page.value)

    @abstractmethod
    def columns(self, result: R) -> dict[str, object]:
        """Return the values by CSV column, the texts included; the header is the union over all kinds in the registry's
        order. Every result of a kind has the same columns."""

    def vote_score(self, result: R) -> VoteScore | None:
        """Return the number that a vote on this verdict is compared with; None for a verdict without one."""
        return None

    def unread(self, texts: Sequence[str | None], error: ErrorInfo, id: str | None = None) -> dict[str, Any]:
        """Return the JSON object of a verdict without a result: the given ``texts``, and the error."""
        given = dict(zip(self.fields, texts, strict=True))
        result = self.result.model_validate({"id": "", "error": error, **dict.fromkeys(self.fields, "")})
        return self.contract(result) | {"id": id} | given


def notes_of(result: VerdictResult) -> tuple[str, ...]:
    """Return the notes of a page that every kind has: the warnings, and why it ended early."""
    error = result.error
    return (*result.warnings, *((f"It ended early: {error.sentence} {error.hint}".strip(),) if error else ()))


def foot_of(result: VerdictResult) -> tuple[str, ...]:
    """Return the foot of a page that every kind has: model, time and tokens."""
    read, reused = result.usage.tokens_evaluated, result.usage.tokens_reused
    parts = (
        result.model.name if result.model else "",
        f"{result.seconds:.1f} s" if result.seconds else "",
        f"{read} tokens evaluated, {reused} reused" if read or reused else "",
    )
    return tuple(filter(None, parts))


def repeated(request: type[Request], result: VerdictResult) -> dict[str, Any]:
    """Return the fields of a request that a result of its kind holds."""
    names = (request.model_fields.keys() & type(result).model_fields.keys()) - request.not_repeated
    return {name: value for name in names if (value := getattr(result, name)) is not None}


Kinds = Mapping[str, VerdictKind[Any, Any]]
"""The kinds that a program knows, by name."""


def scale_of(measured: str, result: VerdictResult) -> str:
    """Return the name of a score's scale: the measurement and everything that it depends on."""
    model = result.model.sha256 if result.model else ""
    made_by = (model, result.head_version, result.prompt_version, result.criteria_version)
    return "/".join((measured, *(part[:16] or "-" for part in made_by)))
