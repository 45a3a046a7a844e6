"""Prompts as data: an XML file of texts and slots, built into ordered segments for a model's own chat frame.

A slot becomes a segment of its own. Nothing is formatted into a text, so a joke that looks like a slot, a
template or a control token stays plain text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import CriteriaError
from ..core.paths import criteria_dir
from ..engine.base import ChatFrame, Prompt, Question, Segment
from .own_types import Section, factor_of
from .xml_parser import Criteria, Factor, digest_of, read_xml, texts

if TYPE_CHECKING:
    from lxml import etree  # slow to import, and not needed to show a verdict

Part = tuple[str, str]
"""("text", the text) or ("slot", its name)."""


@dataclass(frozen=True)
class AnswerForm:
    """A way to ask for an answer: its opening words and the two sides' labels, spelling by spelling. ``labels``
    alternate: for, against, for, against … Each begins with a blank, unless a bracket was opened before it."""

    name: str
    opening: tuple[Part, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class PromptText:
    """One prompt: the content of the system's and the user's turn, the beginnings of answers by name, and for an answer
    with several forms all of them, the default first (it is also the one in ``answers``)."""

    system: tuple[Part, ...]
    user: tuple[Part, ...]
    answers: Mapping[str, tuple[Part, ...]]
    forms: Mapping[str, tuple[AnswerForm, ...]]


@dataclass(frozen=True)
class PromptSet:
    """All prompts of a file; ``version`` changes with any of their words."""

    version: str
    prompts: Mapping[str, PromptText]

    def words(self, name: str, constants: Mapping[str, str], answers: Sequence[str]) -> tuple[object, ...]:
        """Return all words of a question, for a digest: the prompt's, and those of the named answers with all their
        forms. Slots appear as their text where ``constants`` has it, else as their name."""
        text = self.prompts[name]

        def filled(parts: tuple[Part, ...]) -> tuple[Part, ...]:
            return tuple(
                ("text", constants[value]) if kind == "slot" and value in constants else (kind, value)
                for kind, value in parts
            )

        beginnings = tuple(
            (
                answer,
                filled(text.answers[answer]),
                tuple((form.name, filled(form.opening), form.labels) for form in text.forms.get(answer, ())),
            )
            for answer in answers
        )
        return filled(text.system), filled(text.user), beginnings


def parse_prompts(path: Path | None = None, schema: Path | None = None) -> PromptSet:
    """Read a prompts file (``criteria/prompts.xml``) and check it against its ``schema`` (beside it); the shipped ones
    once. Raises ``CriteriaError`` with file and line."""
    path = path or criteria_dir() / "prompts.xml"
    return _shipped(path, schema) if path.parent == criteria_dir() else _parsed(path, schema)


@cache
def _shipped(path: Path, schema: Path | None) -> PromptSet:
    return _parsed(path, schema)


def _parsed(path: Path, schema: Path | None) -> PromptSet:
    root = read_xml(path, schema)
    prompts = {
        element.get("id", ""): PromptText(
            _parts(element.find("system")), _parts(element.find("user")), *_answers(element)
        )
        for element in root.iterfind("prompt")
    }
    return PromptSet(version=f"{root.get('version', '0')}-{digest_of(root)}", prompts=prompts)


class PromptBuilder:
    """Builds prompts for one model. ``constants`` fill the slots that are the same for every joke."""

    def __init__(self, prompts: PromptSet, frame: ChatFrame, constants: Mapping[str, str]) -> None:
        self._prompts = prompts
        self._frame = frame
        self._constants = dict(constants)

    @property
    def version(self) -> str:
        return self._prompts.version

    def prompt(self, name: str, variables: Mapping[str, str] | None = None) -> Prompt:
        """Return the prompt up to the end of the user's turn. Raises ``CriteriaError`` for an unknown slot."""
        text = self._prompts.prompts[name]
        return self._turns(text.system, text.user, variables or {})

    def constant_part(self, name: str) -> Prompt:
        """Return the leading segments of a prompt that don't depend on the joke, for warming."""
        text = self._prompts.prompts[name]
        same = takewhile(lambda part: part[0] == "text" or part[1] in self._constants, text.user)
        return self._turns(text.system, tuple(same), {})

    def _turns(self, system: tuple[Part, ...], user: tuple[Part, ...], variables: Mapping[str, str]) -> Prompt:
        return (
            Segment(self._frame.before_system, constant=True, markup=True),
            *self._fill(system, variables),
            Segment(self._frame.before_user, constant=True, markup=True),
            *self._fill(user, variables),
        )

    def answer(self, name: str, answer: str, variables: Mapping[str, str] | None = None) -> Prompt:
        """Return the beginning of the model's answer, with the opening of its turn."""
        return self._opening(self._prompts.prompts[name].answers[answer], variables or {})

    def forms(self, name: str, answer: str) -> tuple[AnswerForm, ...]:
        """Return the forms of an answer, the default first. Raises ``CriteriaError`` for an answer without labels."""
        if forms := self._prompts.prompts[name].forms.get(answer):
            return forms
        raise _faulty(f"doesn't say with which words “{answer}” of the prompt “{name}” is answered")

    def form(self, name: str, answer: str, wanted: str | None = None) -> AnswerForm:
        """Return the form named ``wanted``; the default for None, or where there is no such form (any more)."""
        forms = self.forms(name, answer)
        return next((form for form in forms if form.name == wanted), forms[0])

    def question(self, form: AnswerForm, variables: Mapping[str, str] | None = None) -> Question:
        """Return the answer's beginning in this form, with its labels."""
        return Question(self._opening(form.opening, variables or {}), form.labels)

    def _opening(self, parts: tuple[Part, ...], variables: Mapping[str, str]) -> Prompt:
        return (
            Segment(self._frame.before_answer, constant=True, markup=True),
            *self._fill(parts, variables, constant_variables=True),
        )

    def _fill(
        self, parts: tuple[Part, ...], variables: Mapping[str, str], *, constant_variables: bool = False
    ) -> Prompt:
        """Fill the slots. Neighbouring constant texts become one segment: fewer cuts, larger batches."""
        segments: list[Segment] = []
        for kind, value in parts:
            if kind == "text":
                segment = Segment(value, constant=True)
            elif value in self._constants:
                segment = Segment(self._constants[value], constant=True)
            elif value in variables:
                segment = Segment(variables[value], constant=constant_variables)
            else:
                raise _faulty(f"uses the slot “{value}”, which the program doesn't fill")
            if segments and segments[-1].constant and segment.constant:
                segments[-1] = Segment(segments[-1].text + segment.text, constant=True)
            else:
                segments.append(segment)
        return tuple(segments)


def _faulty(what: str) -> CriteriaError:
    return CriteriaError("E_CRITERIA", f"prompts.xml {what}.", "Restore the file.")


def _answers(prompt: etree._Element) -> tuple[dict[str, tuple[Part, ...]], dict[str, tuple[AnswerForm, ...]]]:
    """Return a prompt's answers by name, and the forms of those that have some."""
    answers: dict[str, tuple[Part, ...]] = {}
    forms: dict[str, tuple[AnswerForm, ...]] = {}
    for element in prompt.iterfind("answer"):
        answer, name, opening = element.get("id", ""), element.get("form"), _parts(element)
        answers.setdefault(answer, opening)
        if name is not None:
            forms[answer] = (*forms.get(answer, ()), AnswerForm(name, opening, _labels(element)))
    return answers, forms


def _labels(element: etree._Element) -> tuple[str, ...]:
    """Return the words of both sides in turn."""
    blank = "" if "".join(element.itertext()).rstrip().endswith("(") else " "
    sides = (element.get(side, "").split() for side in ("positive", "negative"))
    return tuple(blank + word for pair in zip(*sides, strict=True) for word in pair)


def _parts(element: etree._Element | None) -> tuple[Part, ...]:
    """Return texts and slots in order, without the indentation of lines and without blanks at both ends."""
    if element is None:
        return ()
    parts: list[Part] = [("text", _unindent(element.text or "").lstrip())]
    for child in element:
        if child.tag == "slot":
            parts.append(("slot", child.get("name", "")))
        parts.append(("text", _unindent(child.tail or "")))
    parts[-1] = ("text", parts[-1][1].rstrip())
    return tuple(part for part in parts if part[1])


def _unindent(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(line.lstrip() for line in rest)])


# The texts for the constant slots of the prompts, made from the criteria.


def constant_texts(criteria: Criteria) -> dict[str, str]:
    """Return texts by slot name, the same for every joke."""
    good, boring = criteria.examples.good, criteria.examples.boring
    return {
        "checks": "\n".join(f"- {check.description}" for check in criteria.template.checks),
        # Names only: their meanings cost twice the tokens and distinguished kinds no better.
        "categories": ", ".join(category.name.lower() for category in criteria.categories),
        "factors": "\n".join(factor_line(factor) for factor in criteria.factors),
        "method": criteria.examples.method,
        "pair_examples": _pairs(good, boring),
        "alone_examples": "\n\n".join(
            f"Text: {text}\nIs it funny? Answer: {answer}"
            for pair in zip(good, boring, strict=True)
            for text, answer in zip(pair, ("yes", "no"), strict=True)
        ),
    }


def factor_line(factor: Factor) -> str:
    """Return a factor's line in the list of all factors."""
    middle = f"the middle is {factor.middle}, " if factor.middle else ""
    return f"- {factor.name} ({factor.explanation} 0 is {factor.zero}, {middle}5 is {factor.five}.)"


def _pairs(good: tuple[str, ...], boring: tuple[str, ...]) -> str:
    """Return each example pair in both orders, so that the examples themselves favour no place."""
    lines = []
    for index, (funny, dull) in enumerate(zip(good, boring, strict=True)):
        orders = [(funny, dull, "1"), (dull, funny, "2")]
        for first, second, answer in orders if index % 2 == 0 else reversed(orders):
            lines.append(f"Joke 1: {first}\nJoke 2: {second}\nFunnier: ({answer})")
    return "\n\n".join(lines)


# The prompts about items of the user's own, and about listeners.

_FAULTS = (
    "Faults that the program has learned are read from the model's states. About a fault of your own, or one whose "
    "meaning you changed, a model is asked:"
)
_EMPTY = "…"


def asked_about(section: Section, fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines of the prompts about an item with these fields. Raises ``CriteriaError``."""

    def line(prompt: str, answer: str, end: str, **slots: str) -> str:
        return "".join(segment.text for segment in prompts.answer(prompt, answer, slots)) + end

    given = {name: fields.get(name, "").strip() or _EMPTY for name in ("name", "says")}
    name, plain = given["name"], ChatFrame("", "", "")
    prompts = (
        prompts_in("own_fault_prompts.xml", plain) if section == "fault" else PromptBuilder(parse_prompts(), plain, {})
    )
    if section == "fault":
        return _FAULTS, *(line("own_fault", way, " yes or no", says=given["says"]) for way in ("has", "free"))
    if section == "kind":
        listed = f"The name stands in the list of kinds: … {name.lower()} …"
        return listed, line("reading", "category", f" {name.lower()}")
    filled = {
        field: fields.get(field, "").strip() or _EMPTY for field in ("explanation", "zero", "five", "good", "bad")
    }
    return (
        factor_line(factor_of("factor", {**filled, "name": name, "middle": fields.get("middle", "").strip()})),
        line("scoring", "relevance", " yes or no", factor=name.lower()),
        line("scoring", "ascending", "0 to 5)", factor=name),
        line("scoring", "descending", "5 to 0)", factor=name),
    )


def prompts_in(name: str, frame: ChatFrame, constants: Mapping[str, str] | None = None) -> PromptBuilder:
    """Return the prompts of a file of the criteria. Raises ``CriteriaError``."""
    return PromptBuilder(parse_prompts(criteria_dir() / name, criteria_dir() / "prompts.rng"), frame, constants or {})


# The principles of an explanation of a joke: criteria/constitution.xml.


def load_constitution(folder: Path | None = None) -> tuple[str, ...]:
    """Return the principles, a sentence or two each, in file order. Raises ``CriteriaError``."""
    path = (folder or criteria_dir()) / "constitution.xml"
    return texts(read_xml(path), "principle")
