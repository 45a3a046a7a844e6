"""Prompts as data: an XML file of texts and slots, built into ordered segments for a model's own chat frame.

A slot becomes a segment of its own. Nothing is formatted into a text, so a joke that looks like a slot, a
template or a control token stays plain text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import CriteriaError
from ..core.paths import criteria_dir
from ..engine.base import ChatFrame, Prompt, Question, Segment
from .xml_parser import Criteria, Factor, read_xml, texts, wrong

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

    id: str
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
    prompts: dict[str, PromptText] = {}
    for element in root.iterfind("prompt"):
        name = element.get("id", "")
        if name in prompts:
            what = f"the prompt “{name}” appears twice"
            raise wrong(path, element, what, "Give each prompt its own id.")
        system, user = element.find("system"), element.find("user")
        answers, forms = _answers(path, element)
        prompts[name] = PromptText(
            id=name,
            system=_parts(system) if system is not None else (),
            user=_parts(user) if user is not None else (),
            answers=answers,
            forms=forms,
        )
    from lxml import etree

    digest = hashlib.sha256(etree.tostring(root, method="c14n")).hexdigest()[:12]
    return PromptSet(version=f"{root.get('version', '0')}-{digest}", prompts=prompts)


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
        return (
            Segment(self._frame.before_system, constant=True, markup=True),
            *self._fill(text.system, variables or {}),
            Segment(self._frame.before_user, constant=True, markup=True),
            *self._fill(text.user, variables or {}),
        )

    def constant_part(self, name: str) -> Prompt:
        """Return the leading segments of a prompt that don't depend on the joke, for warming."""
        text = self._prompts.prompts[name]
        user = []
        for part in text.user:
            if part[0] == "slot" and part[1] not in self._constants:
                break
            user.append(part)
        return (
            Segment(self._frame.before_system, constant=True, markup=True),
            *self._fill(text.system, {}),
            Segment(self._frame.before_user, constant=True, markup=True),
            *self._fill(tuple(user), {}),
        )

    def answer(self, name: str, answer: str, variables: Mapping[str, str] | None = None) -> Prompt:
        """Return the beginning of the model's answer, with the opening of its turn."""
        return self._opening(self._prompts.prompts[name].answers[answer], variables or {})

    def forms(self, name: str, answer: str) -> tuple[AnswerForm, ...]:
        """Return the forms of an answer, the default first. Raises ``CriteriaError`` for an answer without labels."""
        forms = self._prompts.prompts[name].forms.get(answer)
        if not forms:
            raise CriteriaError(
                "E_CRITERIA",
                f"prompts.xml doesn't say with which words “{answer}” of the prompt “{name}” is answered.",
                "Give it a form with words for and against, or restore the file.",
            )
        return forms

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

    def names(self) -> tuple[str, ...]:
        return tuple(self._prompts.prompts)

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
                raise CriteriaError(
                    "E_CRITERIA",
                    f"prompts.xml uses the slot “{value}”, which the program doesn't fill.",
                    "Remove the slot, or restore the file.",
                )
            if segments and segments[-1].constant and segment.constant:
                segments[-1] = Segment(segments[-1].text + segment.text, constant=True)
            else:
                segments.append(segment)
        return tuple(segments)


def _answers(
    path: Path, prompt: etree._Element
) -> tuple[dict[str, tuple[Part, ...]], dict[str, tuple[AnswerForm, ...]]]:
    """Return a prompt's answers by name, and the forms of those that have some. Raises ``CriteriaError``."""
    answers: dict[str, tuple[Part, ...]] = {}
    forms: dict[str, tuple[AnswerForm, ...]] = {}
    for element in prompt.iterfind("answer"):
        answer, name = element.get("id", ""), element.get("form")
        earlier = forms.get(answer, ())
        if (answer in answers and not earlier) or (earlier and name in (None, *(form.name for form in earlier))):
            raise wrong(
                path,
                element,
                f"the answer “{name or answer}” appears twice",
                "Give each answer its own id, or each of its forms its own name.",
            )
        opening = _parts(element)
        answers.setdefault(answer, opening)
        if name is not None:
            forms[answer] = (*earlier, AnswerForm(name, opening, _labels(path, element)))
    return answers, forms


def _labels(path: Path, element: etree._Element) -> tuple[str, ...]:
    """Return the words of both sides in turn. Raises ``CriteriaError`` where one word begins another, as it would count
    twice, or the sides differ in number."""
    blank = "" if "".join(element.itertext()).rstrip().endswith("(") else " "
    sides = [element.get(side, "").split() for side in ("positive", "negative")]
    words = [word for side in sides for word in side]
    clear = not any(a.startswith(b) for i, a in enumerate(words) for j, b in enumerate(words) if i != j)
    if not clear or len(sides[0]) != len(sides[1]):
        what = f"the words {', '.join(words)} don't make two sides"
        hint = "Give as many words for as against, none of which begins another."
        raise wrong(path, element, what, hint)
    return tuple(blank + word for pair in zip(*sides, strict=True) for word in pair)


def _parts(element: etree._Element) -> tuple[Part, ...]:
    """Return texts and slots in order, without the indentation of lines and without blanks at both ends."""
    raw: list[Part] = [("text", element.text or "")]
    for child in element:
        if child.tag == "slot":
            raw.append(("slot", child.get("name", "")))
        raw.append(("text", child.tail or ""))
    parts = [(kind, _unindent(value) if kind == "text" else value) for kind, value in raw]
    if parts and parts[0][0] == "text":
        parts[0] = ("text", parts[0][1].lstrip())
    if parts and parts[-1][0] == "text":
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


# The principles of an explanation of a joke: criteria/constitution.xml.


def load_constitution(folder: Path | None = None) -> tuple[str, ...]:
    """Return the principles, a sentence or two each, in file order. Raises ``CriteriaError``."""
    path = (folder or criteria_dir()) / "constitution.xml"
    return texts(read_xml(path), "principle")
