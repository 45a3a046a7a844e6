"""What a kind of verdict is (a rating, a duel, …), for all who store, show, export or vote on verdicts without knowing
which kinds there are. ``judging/kinds.py`` holds the registry of those that the program has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import ModelWrapValidatorHandler, ValidationError, model_validator

from .errors import ErrorInfo, unusable
from .verdicts import Asked, Audience, Frozen, Mode, VerdictResult

Tone = Literal["high", "middle", "low", "A", "B", "tie", "none"]
"""What a badge says at a glance: probably the upper half of the audience, can't tell, probably the lower half; the
winner; or nothing."""


class Subject(Frozen):
    """A text that a verdict is about. ``label``: its name among the subjects ("A", "B", "3"); empty where it is the
    only one."""

    text: str
    label: str = ""


class Headline(Frozen):
    """A verdict in a history row. ``badge``: at most four characters; ``sentence``: the same in words, for a screen
    reader and a tooltip; ``value``: what rows are sorted by (higher first), None where the verdict has none."""

    badge: str
    tone: Tone
    sentence: str
    value: float | None = None


HALVES: dict[str, tuple[str, Tone, str]] = {
    "upper": ("▲", "high", "Probably in the upper half"),
    "lower": ("▼", "low", "Probably in the lower half"),
    "unclear": ("○", "middle", "Can't tell"),
}
"""Badge, tone and words for what ``Audience.said`` says."""
NOTHING = "–"
"""The badge of a verdict that says nothing."""


def of_audience(audience: Audience) -> Headline:
    """What an estimate comes to; rows are sorted by the number that is shown."""
    badge, tone, words = HALVES[audience.said]
    return Headline(badge=badge, tone=tone, sentence=words, value=audience.percentile if audience.heard else None)


def dumped(result: VerdictResult, *names: str) -> dict[str, Any]:
    """Fields of a result as its JSON object has them, in this order."""
    found = result.model_dump(include=set(names))
    return {name: list(found[name]) if isinstance(found[name], tuple) else found[name] for name in names}


class VoteScore(Frozen):
    """The judge's own number that a person's vote is compared with. Values of one ``scale`` alone may be compared:
    it names what was measured and by which model, head, prompts and criteria. ``centred``: 0 is the middle by nature,
    as of log-odds for A, and the opposite vote belongs to the negated value; else the middle is learned from votes."""

    scale: str
    value: float
    centred: bool = False


class Fact(Frozen):
    """One line about a verdict in an export: its name in words, and its value."""

    name: str
    text: str


class Outline(Frozen):
    """A finding that opens: a line, what is said beside it (``notes``), a distribution as shares 0…1 by label, and what
    stands under it."""

    text: str
    notes: tuple[str, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()
    children: tuple[Outline, ...] = ()

    def lines(self, depth: int = 0) -> Iterator[str]:
        """It and all under it as plain lines, each level two blanks further in."""
        yield "  " * depth + "; ".join((self.text, *self.notes))
        for child in self.children:
            yield from child.lines(depth + 1)


class Request(Frozen):
    """What a verdict is asked for. A subclass adds its texts and cleans them once, in its validators or in a
    classmethod; whoever holds a request holds clean texts. ``explain``: with words, where the model's plan has any;
    ``ask``: what is worth its tokens on this model, or every question of the pipeline, whatever it is worth.
    ``continues``: id of an earlier verdict of this kind, which goes on in its own row; None: a new one.
    ``not_repeated``: fields that aren't asked for again with a stored verdict: what is known from earlier runs.

    A field of a wrong type or out of range raises ``UsageError`` ``E_REQUEST``, which calls it by its ``title``."""

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
            fault = error.errors(include_url=False, include_context=False)[0]
            field, *rest = fault["loc"] or ("request",)
            known = cls.model_fields.get(str(field))
            numbers = "".join(f", number {part + 1}" for part in rest if isinstance(part, int))
            name = f"“{(known.title if known else None) or field}”{numbers}"
            raise unusable(name, fault["msg"].removeprefix("Input "), fault["input"]) from error


class MadeBy(Frozen):
    """What a verdict's parts depend on, as versions: parts of another model, head or wording can't be used again."""

    model: str = ""
    head: str = ""
    prompts: str = ""
    criteria: str = ""


Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=VerdictResult)


class Draft(VerdictResult, Generic[R], frozen=False):
    """A verdict while it grows: a result whose fields can be set (``class D(Draft[R], R, frozen=False)``). A name that
    the result doesn't have is an error where it is set, a value of a wrong type one where the draft is frozen."""

    def warn(self, sentence: str) -> None:
        """Add a warning."""
        self.warnings = (*self.warnings, sentence)

    def freeze(self) -> R:
        """The result as far as it has come."""
        results = (base for base in type(self).__mro__ if issubclass(base, VerdictResult))
        result: type[R] = next(base for base in results if not issubclass(base, Draft))  # type: ignore[assignment]
        return result.model_validate(dict(self))


class VerdictKind(ABC, Generic[Q, R]):
    """One kind of verdict. Adding one means a subclass in a room of its own and a line in the registry."""

    name: ClassVar[str]
    """As stored in the history and written in JSON: ``rate``, ``duel``, …"""
    noun: ClassVar[str]
    """As said in a sentence: "rating"."""
    verb: ClassVar[str]
    """As on a button or in a history row: "Rate"."""
    fields: ClassVar[tuple[str, ...]] = ()
    """What its texts are called in the request, in the result and in JSON, in their order: ``text_a``, ``text_b``."""
    request: type[Q]
    result: type[R]
    choices: ClassVar[tuple[str, ...]] = ()
    """What a person's vote on it may be, the favourable one first; empty: it isn't voted on."""
    question: ClassVar[str] = ""
    """What a vote answers: "Do you find it funny?"."""
    deep: ClassVar[bool] = False
    """Whether deep mode does more than quick mode, be it in the verdicts that it is made of."""

    @abstractmethod
    def subjects(self, request: Q) -> tuple[Subject, ...]:
        """The texts that it is about, in their order."""

    def request_of(self, result: R) -> Q:
        """The request that would ask for this verdict again, every field as it was."""
        return self.request.model_validate({**repeated(self.request, result), **self.given(result)})

    def given(self, _result: R) -> dict[str, Any]:
        """Fields of the request that a result holds under another name or in another form."""
        return {}

    @abstractmethod
    def empty(self, request: Q, id: str) -> R:
        """A result that knows no more than what was asked for."""

    def opened(self, result: R) -> R:
        """A stored result in today's words."""
        return result

    @abstractmethod
    def contract(self, result: R) -> dict[str, Any]:
        """The terminal's JSON object: names are fixed, fields are only added."""

    @abstractmethod
    def headline(self, result: R) -> Headline:
        """The verdict at a glance."""

    @abstractmethod
    def facts(self, result: R) -> Iterator[Fact]:
        """The verdict's findings beside the headline, line by line, for exports that people read and for the clipboard.
        What verdicts of all kinds hold (warnings, explanation, error, model) isn't among them."""

    def outlines(self, _result: R) -> Iterator[Outline]:
        """Findings that stand on others, for exports that people read and for the clipboard."""
        yield from ()

    @abstractmethod
    def columns(self, result: R) -> dict[str, object]:
        """Values by CSV column, the texts included; the union over all kinds makes the header, in the registry's
        order. Every result of a kind gives the same columns."""

    def vote_score(self, result: R) -> VoteScore | None:
        """What a vote on this verdict is compared with; None where the verdict has no number."""
        return None

    def unread(self, texts: Sequence[str | None], error: ErrorInfo, id: str | None = None) -> dict[str, Any]:
        """The JSON object of a verdict without a result: ``texts`` as far as they are known, and why there is none."""
        known = dict(zip(self.fields, texts, strict=True))
        result = self.result.model_validate({"id": "", "error": error, **dict.fromkeys(self.fields, "")})
        return self.contract(result) | {"id": id} | known


def repeated(request: type[Request], result: VerdictResult) -> dict[str, Any]:
    """The fields of a request as a result of its kind holds them."""
    names = (request.model_fields.keys() & type(result).model_fields.keys()) - request.not_repeated
    found = {name: value for name in names if (value := getattr(result, name)) is not None}
    # What older versions of the program kept of it.
    usual: Asked = "all" if getattr(result, "everything_asked", False) else "plan"
    return {"ask": usual, **found}


Kinds = Mapping[str, VerdictKind[Any, Any]]
"""The kinds that a program knows, by name."""


def scale_of(measured: str, result: VerdictResult) -> str:
    """The name of a standing's scale: what was measured, and everything that it depends on."""
    model = result.model.sha256 if result.model else ""
    made_by = (model, result.head_version, result.prompt_version, result.criteria_version)
    return "/".join((measured, *(part[:16] or "-" for part in made_by)))
