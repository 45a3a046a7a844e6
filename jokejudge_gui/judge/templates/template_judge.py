"""The judge of one row: what the program can count it counts; the rest is asked of the model, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.events import Event, Stage
from ...engine.base import Choice, Prompt, Question, Sampling
from ...rubric.prompts import PromptBuilder
from ...rubric.templates import Rule, find_pack, template_prompts
from ..asking.questions import LEAST_MASS, expected, yes_log_odds
from ..judged_kind import Work, staged
from .record import TemplateRequest, TemplateResult
from .scoring import PART_POINTS, check_rule, correctness, judged, rule_of, text_of

MARGIN = 0.2
"""Nats: a smaller difference is numerical noise (METHODS, numbers depend on batches)."""
_QUOTE_TOKENS = 40
_LEAST_QUOTE = 4
"""A shorter quote is no evidence, unless it is the whole output."""
NO_QUOTE = "The model quoted no words of the output for its answer, so it doesn't count."
NO_ANSWER = "Asked both ways, the model contradicts itself."


class TemplateJudge:
    """Judges one output of a module."""

    def __init__(self, draft: TemplateResult, request: TemplateRequest, work: Work) -> None:
        """Raises ``UsageError`` ``E_TEMPLATE_PACK`` and ``E_TEMPLATE_MODULE``, and ``CriteriaError``."""
        self._draft, self._request, self._work = draft, request, work
        pack = find_pack(request.pack)
        module = self._module = pack.module(request.module)
        draft.pack_version, draft.module_name = pack.version, module.name
        draft.prompt_version, draft.calibrated = template_prompts().version, True
        self._builder = PromptBuilder(template_prompts(), work.judge.engine.frame, {"task": module.task})

    def run(self) -> Iterator[Event | TemplateResult]:
        """Fill the draft. Raises ``InputError`` for an output of another type, and the engine's errors."""
        yield from staged(self._draft, Stage.READING, self._judge)

    def _judge(self) -> None:
        row, module, cancel = self._request, self._module, self._work.judge.cancel
        correct = correctness(module, row.output, row.expected)
        if cancel is not None:
            cancel.check()
        parts = tuple(PART_POINTS) if row.reasoning.strip() else ()
        answers, points = self._ask([rule for rule in module.rules if rule.check is None], parts)
        quotes = self._quotes([rule for rule in module.rules if answers.get(rule.name) is not None])
        rules = []
        for rule in module.rules:
            if rule.check is not None:
                rules.append(rule_of(rule.name, *check_rule(module, rule.check, row), "program"))
            elif rule.name in quotes:
                rules.append(rule_of(rule.name, answers[rule.name], quotes[rule.name], "model"))
            else:
                rules.append(rule_of(rule.name, None, NO_ANSWER if answers[rule.name] is None else NO_QUOTE, "model"))
        # "No reasoning: 0 points"
        for name, value in judged(correct, rules, points if parts else dict.fromkeys(PART_POINTS, 0)).items():
            setattr(self._draft, name, value)

    def _ask(self, rules: Sequence[Rule], parts: Sequence[str]) -> tuple[dict[str, bool | None], dict[str, int]]:
        """Return by a rule's name whether it is kept, None where the model contradicts itself or doesn't answer; and by
        part of the reasoning its points, without those for which the model gave no number."""
        questions = [
            self._builder.question(self._builder.form("audit", side), {"rule": _text(rule)})
            for rule in rules
            for side in ("kept", "broken")
        ]
        questions += [
            Question(self._builder.answer("audit", part), tuple(str(n) for n in range(PART_POINTS[part] + 1)))
            for part in parts
        ]
        if not questions:
            return {}, {}
        choices = self._work.judge.engine.choose(self._prompt(), questions, self._work.judge.cancel)
        answers: dict[str, bool | None] = {}
        for at, rule in enumerate(rules):
            kept, unbroken = _odds(choices[2 * at]), -_odds(choices[2 * at + 1])
            sure = min(abs(kept), abs(unbroken)) > MARGIN and (kept > 0) == (unbroken > 0)
            answers[rule.name] = kept > 0 if sure else None
        levels = {part: expected(level) for part, level in zip(parts, choices[2 * len(rules) :], strict=True)}
        return answers, {part: round(level) for part, level in levels.items() if level is not None}

    def _quotes(self, rules: Sequence[Rule]) -> dict[str, str]:
        """Return the model's quotation for each rule, by the rule's name; only those that the output or its reasoning
        contains exactly."""
        if not rules:
            return {}
        branches: list[Prompt] = [self._builder.answer("audit", "evidence", {"rule": _text(rule)}) for rule in rules]
        texts = [""] * len(rules)
        sampling = Sampling(max_tokens=_QUOTE_TOKENS, stop=('"', "\n"))
        for piece in self._work.judge.engine.generate(self._prompt(), branches, sampling, self._work.judge.cancel):
            texts[piece.branch] += piece.text
        quotes = {rule.name: text.split('"')[0].strip() for rule, text in zip(rules, texts, strict=True)}
        return {name: words for name, words in quotes.items() if self._contains(words)}

    def _contains(self, words: str) -> bool:
        output = text_of(self._request.output)
        enough = len(words) >= _LEAST_QUOTE or words == output.strip()
        return bool(words) and enough and (words in output or words in self._request.reasoning)

    def _prompt(self) -> Prompt:
        row = self._request
        shown = {"input": text_of(row.input), "output": text_of(row.output), "reasoning": row.reasoning or "(none)"}
        return self._builder.prompt("audit", shown)


def _text(rule: Rule) -> str:
    return f"{rule.name}: {rule.says.rstrip('.')}."


def _odds(choice: Choice) -> float:
    """Log-odds of yes; 0 where the model didn't answer."""
    return yes_log_odds(choice) if choice.mass >= LEAST_MASS else 0.0
