"""The rules and parts that a model can judge: it is shown outputs that keep a rule and outputs that break it on
purpose, and sound and unsound reasoning. A rule or part on which it doesn't distinguish them is left open."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pydantic import ValidationError

from ...core.errors import InputError
from ...core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...core.files import read_model_file, write_model_file
from ...core.verdicts import Frozen
from ...engine.base import CancelToken, Choice, Engine, Prompt, Question, Sampling
from ...rubric.prompts import PromptBuilder
from ...rubric.templates import Case, Module, Pack, Rule, template_prompts
from ..asking.questions import LEAST_MASS, yes_log_odds
from ..main_judge import MainJudge
from .types import PART_POINTS, PARTS, text_of

# -- Questions to the model about a row --------------------------------------------------------------------------------

_QUOTE_TOKENS = 40
_LEAST_QUOTE = 4
"""A shorter quote is no evidence, unless it is the whole output."""


@dataclass(frozen=True)
class ShownRow:
    """A row as shown to the model."""

    input: str
    output: str
    reasoning: str

    @classmethod
    def of(cls, given: Any, output: Any, reasoning: str) -> ShownRow:
        return cls(text_of(given), text_of(output), reasoning or "(none)")

    def quotes(self, words: str) -> bool:
        """Whether the output or its reasoning contains exactly these words."""
        words = words.strip()
        enough = len(words) >= _LEAST_QUOTE or words == self.output.strip()
        return bool(words) and enough and (words in self.output or words in self.reasoning)


@dataclass(frozen=True)
class RuleAnswer:
    """Log-odds (nats) that a rule is kept: asked whether it is kept, and whether it is broken (with its sign
    reversed)."""

    kept: float
    unbroken: float

    def says(self, least: float) -> bool | None:
        """Return kept or broken where both answers exceed ``least`` nats; else None."""
        if self.kept > least and self.unbroken > least:
            return True
        if self.kept < -least and self.unbroken < -least:
            return False
        return None


class Asker:
    """Asks one model about the rows of one module."""

    def __init__(self, engine: Engine, module: Module) -> None:
        self._engine = engine
        self._builder = PromptBuilder(template_prompts(), engine.frame, {"task": module.task})

    def ask(
        self, row: ShownRow, rules: Sequence[Rule], parts: Sequence[str], cancel: CancelToken | None = None
    ) -> tuple[dict[str, RuleAnswer], dict[str, float]]:
        """Return answers by a rule's name, and expected points by part of the reasoning, asked together on one reading;
        parts for which the model gave no number are missing."""
        questions = [question for rule in rules for question in self._rule_questions(rule)]
        questions += [
            Question(self._builder.answer("audit", part), tuple(str(n) for n in range(PART_POINTS[part] + 1)))
            for part in parts
        ]
        if not questions:
            return {}, {}
        choices = self._engine.choose(self._prompt(row), questions, cancel)
        answers = {
            rule.name: RuleAnswer(_odds(choices[2 * at]), -_odds(choices[2 * at + 1])) for at, rule in enumerate(rules)
        }
        levels = zip(parts, choices[2 * len(rules) :], strict=True)
        return answers, {part: _expected(choice.logprobs) for part, choice in levels if choice.mass >= LEAST_MASS}

    def evidence(self, row: ShownRow, rules: Sequence[Rule], cancel: CancelToken | None = None) -> dict[str, str]:
        """Return the model's quotation for each rule, by the rule's name; only those that the output or its reasoning
        contains exactly."""
        if not rules:
            return {}
        branches: list[Prompt] = [
            self._builder.answer("audit", "evidence", {"rule": _rule_text(rule)}) for rule in rules
        ]
        texts = [""] * len(rules)
        sampling = Sampling(max_tokens=_QUOTE_TOKENS, stop=('"', "\n"))
        for piece in self._engine.generate(self._prompt(row), branches, sampling, cancel):
            texts[piece.branch] += piece.text
        quotes = {rule.name: text.split('"')[0].strip() for rule, text in zip(rules, texts, strict=True)}
        return {name: words for name, words in quotes.items() if row.quotes(words)}

    def _prompt(self, row: ShownRow) -> Prompt:
        return self._builder.prompt("audit", {"input": row.input, "output": row.output, "reasoning": row.reasoning})

    def _rule_questions(self, rule: Rule) -> list[Question]:
        return [
            self._builder.question(self._builder.form("audit", side), {"rule": _rule_text(rule)})
            for side in ("kept", "broken")
        ]


def _rule_text(rule: Rule) -> str:
    return f"{rule.name}: {rule.says.rstrip('.')}."


def _odds(choice: Choice) -> float:
    """Log-odds of yes; 0 where the model didn't answer."""
    return yes_log_odds(choice) if choice.mass >= LEAST_MASS else 0.0


def _expected(logprobs: Sequence[float]) -> float:
    """The mean level of a distribution over 0, 1, 2 …"""
    top = max(logprobs)
    weights = [math.exp(value - top) for value in logprobs]
    return math.fsum(level * weight for level, weight in enumerate(weights)) / math.fsum(weights)


MARGIN = 0.2
"""Nats: a smaller difference is numerical noise (METHODS, numbers depend on batches)."""
LEAST_PLANTED = 2
_MOST_CASES = 12
"""Number of cases whose reasoning is asked about, one from each module in turn."""
_LEAST_CASES = 6
_MOST_BYTES = 4 << 20
_FORMAT = 1
_Power = TypeVar("_Power", "RulePower", "PartPower")
_FOUND: WeakKeyDictionary[MainJudge, dict[tuple[str, str, str], Power]] = WeakKeyDictionary()
"""By judge, so that only the first of many rows reads the stored measurements."""
_BARE = "The answer is as it should be."
_BLUSTER = "There can be no doubt whatsoever, and nobody needs to look at the input to know it."


class RulePower(Frozen):
    """``right`` of ``asked`` answers about planted violations and kept rules; ``reliable``: all are right."""

    right: int
    asked: int

    @property
    def reliable(self) -> bool:
        return self.asked >= 4 * LEAST_PLANTED and self.right == self.asked


class PartPower(Frozen):
    """Mean points (0…most) of sound and of unsound reasoning, and the number of ``pairs`` in which the sound one gets
    more. Reliable if that holds for 5 in 6 of the pairs, and the means lie on both sides of half the points and a
    quarter of the points apart."""

    sound: float
    unsound: float
    right: int
    pairs: int
    most: int

    @property
    def reliable(self) -> bool:
        enough = self.pairs >= _LEAST_CASES and 6 * self.right >= 5 * self.pairs
        apart = self.sound - self.unsound >= self.most / 4
        return enough and apart and self.unsound < self.most / 2 <= self.sound


class Power(Frozen):
    """A model's power on a module: by a rule's name, and by a part of the reasoning."""

    rules: dict[str, RulePower]
    parts: dict[str, PartPower]

    def tells_rule(self, name: str) -> bool:
        return name in self.rules and self.rules[name].reliable

    def reliable_parts(self) -> tuple[str, ...]:
        return tuple(part for part in PARTS if part in self.parts and self.parts[part].reliable)


def asked_rules(module: Module) -> tuple[Rule, ...]:
    """Return the rules that the program can't check."""
    return tuple(rule for rule in module.rules if rule.check is None)


def power_of(judge: MainJudge, pack: Pack, module: Module, cancel: CancelToken | None) -> Generator[Event, None, Power]:
    """Return the power of the judge's model on a module, as stored, or measured now and stored. Raises
    ``SettingsError`` where it can't be stored."""
    found = _FOUND.setdefault(judge, {})
    prompts = template_prompts().version
    known = found.get((pack.version, module.id, prompts))
    if known is not None:
        return known
    folder, sha256 = judge.templates_folder, judge.model.sha256
    file = read_model_file(folder, sha256, format=_FORMAT, most=_MOST_BYTES) if folder is not None else {}
    entries = file.get("entries")
    kept: dict[str, Any] = dict(entries) if isinstance(entries, dict) else {}

    def keep(key: str, found: Mapping[str, RulePower | PartPower]) -> None:
        kept[key] = {name: power.model_dump() for name, power in found.items()}
        if folder is not None:
            write_model_file(folder, {"format": _FORMAT, "model_sha256": sha256, "entries": kept})

    keys = _key(module.model_dump(), prompts), _key(pack.version, prompts)
    rules, parts = _of(kept.get(keys[0]), RulePower), _of(kept.get(keys[1]), PartPower)
    if rules is None or parts is None:
        yield StageStarted(stage=Stage.CALIBRATION)
        if rules is None:
            rules = yield from _measure_rules(judge, module, cancel)
            keep(keys[0], rules)
        if parts is None:
            parts = yield from _measure_parts(judge, pack, cancel)
            keep(keys[1], parts)
        yield StageFinished(stage=Stage.CALIBRATION, seconds=None)
    found[pack.version, module.id, prompts] = power = Power(rules=rules, parts=parts)
    return power


def _measure_rules(
    judge: MainJudge, module: Module, cancel: CancelToken | None
) -> Generator[Event, None, dict[str, RulePower]]:
    asker = Asker(judge.engine, module)
    rules = asked_rules(module)
    # Outputs that keep all rules, then outputs that break one of them.
    tried = [(case, case.output, rules, 1) for case in module.cases]
    tried += [(module.cases[each.case - 1], each.output, (rule,), -1) for rule in rules for each in rule.violated]
    right = dict.fromkeys((rule.name for rule in rules), 0)
    asked = dict(right)
    for done, (case, output, about, sign) in enumerate(tried):
        yield _progress(f"Planting violations in {module.id}", done, len(tried))
        answers, _ = asker.ask(ShownRow.of(case.input, output, case.reasoning), about, (), cancel)
        for name, answer in answers.items():
            right[name] += (sign * answer.kept > MARGIN) + (sign * answer.unbroken > MARGIN)
            asked[name] += 2
    few = {rule.name for rule in rules if len(rule.violated) < LEAST_PLANTED or len(module.cases) < LEAST_PLANTED}
    return {
        rule.name: RulePower(right=right[rule.name], asked=0 if rule.name in few else asked[rule.name])
        for rule in rules
    }


def _measure_parts(
    judge: MainJudge, pack: Pack, cancel: CancelToken | None
) -> Generator[Event, None, dict[str, PartPower]]:
    # One case of each module in turn.
    turns = zip_longest(*([(module, case) for case in module.cases] for module in pack.modules))
    chosen = [each for turn in turns for each in turn if each is not None][:_MOST_CASES]
    points: dict[str, list[tuple[float, float]]] = {part: [] for part in PARTS}
    for done, (module, case) in enumerate(chosen):
        yield _progress("Comparing sound and unsound reasoning", done, len(chosen))
        asker = Asker(judge.engine, module)
        foreign = chosen[(done + 1) % len(chosen)][1].reasoning

        def points_of(
            reasoning: str, parts: tuple[str, ...], asker: Asker = asker, case: Case = case
        ) -> dict[str, float]:
            return asker.ask(ShownRow.of(case.input, case.output, reasoning), (), parts, cancel)[1]

        sound = points_of(case.reasoning, PARTS)
        unsound = {
            **points_of(foreign, ("progression", "evidence_selected")),
            **points_of(_BARE, ("evidence_referenced", "quotes")),
            **points_of(_BLUSTER, ("confidence_matches", "uncertainty_acknowledged")),
        }
        for part in PARTS:
            if part in sound and part in unsound:
                points[part].append((sound[part], unsound[part]))
    return {
        part: PartPower(
            sound=sum(a for a, _ in pairs) / max(1, len(pairs)),
            unsound=sum(b for _, b in pairs) / max(1, len(pairs)),
            right=sum(a > b for a, b in pairs),
            pairs=len(pairs),
            most=PART_POINTS[part],
        )
        for part, pairs in points.items()
    }


def _progress(note: str, done: int, total: int) -> StageProgress:
    return StageProgress(stage=Stage.CALIBRATION, done=done, total=total, note=note)


def _key(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


def _of(entry: Any, kind: type[_Power]) -> dict[str, _Power] | None:
    if not isinstance(entry, dict):
        return None
    try:
        return {str(name): kind.model_validate(value) for name, value in entry.items()}
    except (ValidationError, InputError):
        return None
