"""Records the questions of a verdict, so that others can be asked the very same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jokejudge_gui.engine.base import CancelToken, Choice, Engine, Piece, Prompt, Question, Sampling


@dataclass(frozen=True)
class Call:
    """One ``choose``: the prompt up to the end of the user's turn, and each question's text after it. A question with
    labels of several words is listed once for each place where a label's probability must be read."""

    prompt: str
    questions: tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """One verdict's questions about one joke (or pair). ``answers``: for each call, the argmax label of each
    question."""

    kind: str
    text: str
    calls: tuple[Call, ...]
    answers: tuple[tuple[str, ...], ...]

    @property
    def questions(self) -> int:
        return sum(len(call.questions) for call in self.calls)


@dataclass
class Note:
    """A recorder's notes on one verdict. ``generated``: tokens of text, ``branches`` together."""

    calls: list[Call] = field(default_factory=list)
    answers: list[tuple[str, ...]] = field(default_factory=list)
    generated: int = 0
    branches: int = 0


class Recorder:
    """An engine that passes calls on to the one under it, and records the questions."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.note = Note()

    def __getattr__(self, name: str) -> Any:
        """Attributes that aren't recorded."""
        return getattr(self._engine, name)

    def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> list[Choice]:
        choices = self._engine.choose(prompt, questions, cancel)
        self._take_down(prompt, questions, choices)
        return choices

    def choose_each(
        self, cases: Sequence[tuple[Prompt, Sequence[Question]]], cancel: CancelToken | None = None
    ) -> list[list[Choice]]:
        found = self._engine.choose_each(cases, cancel)
        for (prompt, questions), choices in zip(cases, found, strict=True):
            self._take_down(prompt, questions, choices)
        return found

    def generate(
        self, prompt: Prompt, branches: Sequence[Prompt], sampling: Sampling, cancel: CancelToken | None = None
    ) -> Iterator[Piece]:
        before = self._engine.usage
        yield from self._engine.generate(prompt, branches, sampling, cancel)
        spent = self._engine.usage - before
        evaluated = spent.tokens_evaluated
        read = self.count(prompt) - spent.tokens_reused
        self.note.generated += evaluated - read - sum(self.count(branch) for branch in branches)
        self.note.branches = max(self.note.branches, len(branches))

    def _take_down(self, prompt: Prompt, questions: Sequence[Question], choices: Sequence[Choice]) -> None:
        asked = tuple(place for question in questions for place in reading_places(question))
        self.note.calls.append(Call(_text(prompt), asked))
        self.note.answers.append(
            tuple(
                question.labels[max(range(len(choice.logprobs)), key=choice.logprobs.__getitem__)]
                for question, choice in zip(questions, choices, strict=True)
            )
        )


def reading_places(question: Question) -> list[str]:
    """The texts after which a label's next word must be read for its whole log-probability. By words: a tokenizer may
    cut them finer still, so no contender is asked too much."""
    suffix = _text(question.suffix)
    places = {suffix: None}
    for label in question.labels:
        words = label.split(" ")
        for count in range(2, len(words)):
            places[suffix + " ".join(words[:count])] = None
    return list(places)


def chosen(count: int, wanted: int) -> list[int]:
    """At most ``wanted`` places of 0…count−1, the first always, the others spread evenly."""
    if wanted >= count:
        return list(range(count))
    if wanted <= 1:
        return [0]
    return [0, *sorted({1 + round(step * (count - 2) / max(wanted - 2, 1)) for step in range(wanted - 1)})]


def scaled(first: float, rest: float, asked: int, count: int) -> float:
    """Seconds of ``count`` questions on one prompt, of which ``asked`` were: ``first`` for the first one (it may decode
    the prompt), ``rest`` for the others together."""
    if asked <= 1:
        return first * count
    return first + rest / (asked - 1) * (count - 1)


def _text(prompt: Prompt) -> str:
    return "".join(segment.text for segment in prompt)
