"""What a kind of verdict is (a rating, a duel, …), for all who store, show, export or vote on verdicts without knowing
which kinds there are. ``judging/kinds.py`` holds the registry of those that the program has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, Literal, TypeVar

from .verdicts import Frozen, VerdictResult

Tone = Literal["high", "middle", "low", "A", "B", "tie", "none"]
"""What a badge says at a glance: the upper, middle or lower third of the audience; the winner; or nothing."""


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


class Standing(Frozen):
    """The judge's own number that a person's vote is held against. Values of one ``scale`` alone may be compared:
    it names what was measured and by which head, prompts and criteria."""

    scale: str
    value: float


class Fact(Frozen):
    """One line about a verdict in an export: its name in words, and its value."""

    name: str
    text: str


class Request(Frozen):
    """What a verdict is asked for. A subclass adds its texts and cleans them once, in its validators or in a
    classmethod; whoever holds a request holds clean texts. ``explain``: with words, where the model's plan has any."""

    mode: Literal["quick", "deep"] = "quick"
    seed: int = 1
    explain: bool = True


Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=VerdictResult)


class VerdictKind(ABC, Generic[Q, R]):
    """One kind of verdict. Adding one means a subclass in a room of its own and a line in the registry."""

    name: ClassVar[str]
    """As stored in the history and written in JSON: ``rate``, ``duel``, …"""
    noun: ClassVar[str]
    """As said in a sentence: "rating"."""
    verb: ClassVar[str]
    """As on a button or in a history row: "Rate"."""
    request: type[Q]
    result: type[R]
    choices: ClassVar[tuple[str, ...]] = ()
    """What a person's vote on it may be, the favourable one first; empty: it isn't voted on."""
    question: ClassVar[str] = ""
    """What a vote answers: "Do you find it funny?"."""

    @abstractmethod
    def subjects(self, request: Q) -> tuple[Subject, ...]:
        """The texts that it is about, in their order."""

    @abstractmethod
    def request_of(self, result: R) -> Q:
        """The request that would ask for this verdict again, ``forced`` and context included."""

    @abstractmethod
    def empty(self, request: Q, id: str) -> R:
        """A result that knows no more than what was asked for."""

    @abstractmethod
    def contract(self, result: R) -> dict[str, Any]:
        """The terminal's JSON object (DESIGN, Terminal): names are fixed, fields are only added."""

    @abstractmethod
    def headline(self, result: R) -> Headline:
        """The verdict at a glance."""

    @abstractmethod
    def facts(self, result: R) -> Iterator[Fact]:
        """The verdict's findings, line by line, for exports that people read and for the clipboard."""

    @abstractmethod
    def columns(self, result: R) -> dict[str, object]:
        """Values by CSV column; the union over all kinds makes the header, in the registry's order."""

    def standing(self, result: R) -> Standing | None:
        """What a vote on this verdict is held against; None where the verdict has no number."""
        return None


Kinds = Mapping[str, VerdictKind[Any, Any]]
"""The kinds that a program knows, by name."""
