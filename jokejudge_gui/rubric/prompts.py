"""Prompts as data: an XML file of texts and slots, built into ordered segments for a model's own chat frame.

A slot is filled by putting a segment there. Nothing is ever formatted into a text, so a joke that looks like a slot, a
template or a control token stays the text that it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ..engine.base import ChatFrame, Prompt, Segment
from ..errors import CriteriaError
from ..paths import criteria_dir
from .xml_file import read_xml

Part = tuple[str, str]
"""("text", the text) or ("slot", its name)."""


@dataclass(frozen=True)
class PromptText:
    """One prompt: what stands in the system's and the user's turn, and the beginnings of answers by name."""

    id: str
    system: tuple[Part, ...]
    user: tuple[Part, ...]
    answers: Mapping[str, tuple[Part, ...]]


@dataclass(frozen=True)
class PromptSet:
    """All prompts of a file; ``version`` changes with any of their words."""

    version: str
    prompts: Mapping[str, PromptText]

    def digest(self, names: Sequence[str]) -> str:
        """12 hex digits that change with the words of the named prompts only."""
        texts = [(name, self.prompts[name].system, self.prompts[name].user) for name in names]
        answers = [sorted(self.prompts[name].answers.items()) for name in names]
        return hashlib.sha256(repr((texts, answers)).encode("utf-8")).hexdigest()[:12]


def parse_prompts(path: Path | None = None) -> PromptSet:
    """Read and check a prompts file (``criteria/prompts.xml``). Raises ``CriteriaError`` with file and line."""
    path = path or criteria_dir() / "prompts.xml"
    root = read_xml(path, path.with_suffix(".rng"))
    prompts: dict[str, PromptText] = {}
    for element in root.iterfind("prompt"):
        name = element.get("id", "")
        if name in prompts:
            raise CriteriaError(
                "E_CRITERIA_DUPLICATE",
                f"{path.name}, line {element.sourceline}: the prompt “{name}” stands there twice.",
                "Give each prompt its own id.",
            )
        system, user = element.find("system"), element.find("user")
        prompts[name] = PromptText(
            id=name,
            system=_parts(system) if system is not None else (),
            user=_parts(user) if user is not None else (),
            answers={answer.get("id", ""): _parts(answer) for answer in element.iterfind("answer")},
        )
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

    def digest(self, names: Sequence[str]) -> str:
        """See ``PromptSet.digest``."""
        return self._prompts.digest(names)

    def prompt(self, name: str, variables: Mapping[str, str] | None = None) -> Prompt:
        """The prompt up to the end of the user's turn. Unknown slots are a ``CriteriaError``."""
        text = self._prompts.prompts[name]
        return (
            Segment(self._frame.before_system, constant=True, markup=True),
            *self._fill(text.system, variables or {}),
            Segment(self._frame.before_user, constant=True, markup=True),
            *self._fill(text.user, variables or {}),
        )

    def constant_part(self, name: str) -> Prompt:
        """The leading segments of a prompt that don't depend on the joke: what can be warmed."""
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
        """The beginning of the model's answer, its turn opened first."""
        parts = self._prompts.prompts[name].answers[answer]
        return (
            Segment(self._frame.before_answer, constant=True, markup=True),
            *self._fill(parts, variables or {}, constant_variables=True),
        )

    def names(self) -> tuple[str, ...]:
        return tuple(self._prompts.prompts)

    def _fill(
        self, parts: tuple[Part, ...], variables: Mapping[str, str], *, constant_variables: bool = False
    ) -> Prompt:
        """Neighbouring constant texts become one segment: fewer cuts, larger batches."""
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
                    "E_CRITERIA_SLOT",
                    f"prompts.xml uses the slot “{value}”, which the program doesn't fill.",
                    "Remove the slot, or restore the file.",
                )
            if segments and segments[-1].constant and segment.constant:
                segments[-1] = Segment(segments[-1].text + segment.text, constant=True)
            else:
                segments.append(segment)
        return tuple(segments)


def _parts(element: etree._Element) -> tuple[Part, ...]:
    """Texts and slots in order; indentation of lines and blanks at both ends don't count."""
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
