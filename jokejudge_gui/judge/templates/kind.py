"""A judged row as a kind of verdict: its request, and the words for its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.errors import UsageError
from ...core.events import Event, Stage
from ...core.pages import Tone
from ...core.verdict_kinds import Fact, Headline, Subject
from ...rubric.templates import Module, Rule, find_pack, template_prompts
from ..judged_kind import JudgedKind, Work, staged
from .power import MARGIN, Asker, Power, ShownRow, asked_rules, power_of
from .scoring import RULE, check_rule, correctness, judged
from .types import (
    PART_POINTS,
    PARTS,
    By,
    Finding,
    RuleVerdict,
    TemplateDraft,
    TemplateRequest,
    TemplateResult,
    text_of,
)

_MOST_SEARCHED = 20_000
_TONES: dict[str | None, Tone] = {"PASS": "high", "FAIL": "low", None: "none"}


class TemplateKind(JudgedKind[TemplateRequest, TemplateResult, TemplateDraft]):
    """The verdict on an output of another judge's module by the module's template."""

    name: ClassVar[str] = "template"
    noun: ClassVar[str] = "template verdict"
    verb: ClassVar[str] = "Template"
    request = TemplateRequest
    result = TemplateResult
    grows = TemplateDraft

    def subjects(self, request: TemplateRequest) -> tuple[Subject, ...]:
        """Return one text with module, input and output, so that a search for any of them finds the row."""
        parts = (request.module, text_of(request.input), text_of(request.output))
        return (Subject(text="\n".join(part for part in parts if part)[:_MOST_SEARCHED]),)

    def run(self, draft: TemplateDraft, request: TemplateRequest, work: Work) -> Iterator[Event | TemplateDraft]:
        """Raises ``UsageError`` ``E_TEMPLATE_PACK`` and ``E_TEMPLATE_MODULE``, ``CriteriaError``, ``InputError``."""
        pack = find_pack(request.pack)
        module = pack.module(request.module)
        if module is None:
            raise unknown_module(pack.source, request.module, tuple(each.id for each in pack.modules))
        draft.pack_version, draft.module_name = pack.version, module.name
        draft.prompt_version = template_prompts().version
        correct = correctness(module, request.output, request.expected)
        power = yield from power_of(work.judge, pack, module, work.cancel)
        draft.calibrated = True

        def find() -> None:
            draft.finding = judged(correct, *_answers(request, module, power, work))

        yield from staged(draft, Stage.READING, find)

    def contract(self, result: TemplateResult) -> dict[str, Any]:
        found = result.finding
        judged = found.model_dump(mode="json", include=set(OBJECT)) if found is not None else {}
        return {
            **{name: getattr(result, name) for name in ("id", "pack", "pack_version", "module", "input", "reasoning")},
            **{name: judged.get(name) for name in OBJECT},
            **result.contract_end(),
        }

    def headline(self, result: TemplateResult) -> Headline:
        """Return the total, or its range where it is open."""
        found = result.finding
        name = f"{result.module} {result.module_name}".strip()
        if found is None:
            return Headline(badge="–", tone="none", sentence=f"{name}: not judged")
        low = found.total_range.least
        badge = f"{low:.0f}" if found.total_score is not None else f"{low:.0f}+"
        return Headline(badge=badge, tone=_TONES[found.verdict], sentence=f"{name}: {outcome_of(found)}", value=low)

    def facts(self, result: TemplateResult) -> Iterator[Fact]:
        found = result.finding
        yield Fact(name="Module", text=f"{result.module} {result.module_name}".strip())
        yield Fact(name="Input", text=text_of(result.input))
        yield Fact(name="Output", text=text_of(result.output))
        yield Fact(name="Expected", text=text_of(result.expected))
        if found is None:
            return
        correct = found.evaluation.correctness
        yield Fact(name="Verdict", text=outcome_of(found))
        yield Fact(name="Correctness", text=f"{correct.score:g} of 40. {correct.details}")
        for rule in found.evaluation.rule_compliance.rules:
            yield Fact(name=rule.name, text=rule_words(rule.compliant, rule.evidence, rule.why))
        yield Fact(name="Reasoning", text=reasoning_words(found))
        for tip in found.improvement_suggestions:
            yield Fact(name="Suggestion", text=tip)

    def columns(self, result: TemplateResult) -> dict[str, object]:
        found = result.finding
        return {
            "text_a": text_of(result.output),
            "module": result.module,
            "passed": found.verdict if found else None,
            "points_least": found.total_range.least if found else None,
            "points_most": found.total_range.most if found else None,
        }


# -- Judging one row: first the computed part, then the model's answers

NO_POWER = "This model can't distinguish planted violations of this rule from outputs that keep it."
NO_QUOTE = "The model quoted no words of the output for its answer, so it doesn't count."
NO_ANSWER = "Asked both ways, the model contradicts itself."
PLANT = "The pack plants too few violations of this rule to measure whether a model recognises them."


def _answers(
    row: TemplateRequest, module: Module, power: Power, work: Work
) -> tuple[list[RuleVerdict], dict[str, int]]:
    """The rules' verdicts, and points of those parts of the reasoning on which the model is reliable."""
    cancel = work.cancel
    if cancel is not None:
        cancel.check()
    asker = Asker(work.judge.engine, module)
    shown = ShownRow.of(row.input, row.output, row.reasoning)
    rules = [rule for rule in asked_rules(module) if power.tells_rule(rule.name)]
    reasons = bool(row.reasoning.strip())
    answers, points = asker.ask(shown, rules, power.reliable_parts() if reasons else (), cancel)
    kept = {name: answer.says(MARGIN) for name, answer in answers.items()}
    quotes = asker.evidence(shown, [rule for rule in rules if kept[rule.name] is not None], cancel)
    found = []
    for rule in module.rules:
        if rule.check is not None:
            found.append(_verdict(rule, *check_rule(module, rule.check, row), "program"))
        elif rule.name in quotes:
            found.append(_verdict(rule, kept[rule.name], quotes[rule.name], "model"))
        else:
            planted = power.rules.get(rule.name)
            why = PLANT if planted is None or planted.asked == 0 else NO_POWER
            if rule.name in kept:
                why = NO_ANSWER if kept[rule.name] is None else NO_QUOTE
            found.append(_verdict(rule, None, why, "model"))
    if not reasons:  # "no reasoning: 0 points"
        return found, dict.fromkeys(PARTS, 0)
    return found, {part: min(PART_POINTS[part], round(value)) for part, value in points.items()}


def unknown_module(pack: str, module: str, known: tuple[str, ...]) -> UsageError:
    shown = module if len(module) <= 40 else module[:39] + "…"
    return UsageError("E_TEMPLATE_MODULE", f"The pack {pack} has no module {shown!r}.", f"It has {', '.join(known)}.")


def _verdict(rule: Rule, kept: bool | None, seen: str, by: By) -> RuleVerdict:
    """``seen``: the evidence, or the reason why nothing is known."""
    if kept is None:
        return RuleVerdict(name=rule.name, compliant=None, score=None, evidence="", why=seen)
    return RuleVerdict(name=rule.name, compliant=kept, score=RULE if kept else 0, evidence=seen, told_by=by)


# -- A row in words

OBJECT = ("evaluation", "total_score", "total_range", "verdict", "summary", "improvement_suggestions")
"""The fields of the object of seeds/unified_judge_template.txt, with some added."""


def points_of(found: Finding) -> str:
    """Return "85 points", or "58 to 88 points" where some are open."""
    low, high = found.total_range.least, found.total_range.most
    return f"{low:g} points" if found.total_score is not None else f"{low:g} to {high:g} points"


def outcome_of(found: Finding) -> str:
    return f"{found.verdict or 'not told'}, {points_of(found)}"


def rule_words(compliant: bool | None, evidence: str, why: str) -> str:
    if compliant is None:
        return f"Not told. {why}"
    return f"{'Kept' if compliant else 'Broken'}. {evidence}"


def reasoning_words(found: Finding) -> str:
    """Return the points of the reasoning in a sentence."""
    quality = found.evaluation.reasoning_quality
    if quality.score is not None:
        return f"{quality.score} of 20."
    known = sum(quality.parts.values())
    return f"{known} points so far; the rest can't be judged with this model."


TEMPLATE = TemplateKind()
