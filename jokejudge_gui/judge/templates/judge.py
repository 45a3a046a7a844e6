"""One row judged: what the program can compute, then what the model can tell."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from ...core.errors import UsageError
from ...core.events import Event, Stage
from ...rubric.templates import Module, Rule, find_pack, template_prompts
from ..judged_kind import Work, staged
from .power import MARGIN, Asker, Power, Shown, asked_rules, power_of
from .scoring import RULE, check_rule, correctness, judged
from .types import PART_POINTS, PARTS, By, RuleVerdict, TemplateDraft, TemplateRequest

NO_POWER = "This model doesn't know planted violations of this rule from outputs that keep it."
NO_QUOTE = "The model quoted no words of the output for its answer, so it doesn't count."
NO_ANSWER = "Asked both ways, the model contradicts itself."
PLANT = "The pack plants too few violations of this rule to know what a model can tell of it."


class TemplateJudge:
    """Judges one row. Yields events, and the draft when it is complete."""

    def __init__(self, draft: TemplateDraft, request: TemplateRequest, work: Work) -> None:
        self._draft = draft
        self._row = request
        self._work = work

    def run(self) -> Iterator[Event | TemplateDraft]:
        """Raises ``UsageError`` ``E_TEMPLATE_PACK`` and ``E_TEMPLATE_MODULE``, ``CriteriaError``, ``InputError``."""
        row, draft, judge = self._row, self._draft, self._work.judge
        pack = find_pack(row.pack)
        module = pack.module(row.module)
        if module is None:
            raise unknown_module(pack.source, row.module, tuple(each.id for each in pack.modules))
        draft.pack_version, draft.module_name = pack.version, module.name
        draft.prompt_version = template_prompts().version
        correct = correctness(module, row.output, row.expected)
        power = yield from power_of(judge, pack, module, self._work.cancel)
        draft.calibrated = True

        def finding() -> Generator[Event | TemplateDraft, None, None]:
            draft.finding = judged(correct, *self._answers(module, power))
            yield from ()

        yield from staged(draft, Stage.READING, finding())

    def _answers(self, module: Module, power: Power) -> tuple[list[RuleVerdict], dict[str, int]]:
        """The rules, and points of those parts of the reasoning that the model can tell."""
        row, cancel = self._row, self._work.cancel
        if cancel is not None:
            cancel.check()
        asker = Asker(self._work.judge.engine, template_prompts(), module)
        shown = Shown.of(row.input, row.output, row.reasoning)
        rules = [rule for rule in asked_rules(module) if power.tells_rule(rule.name)]
        reasons = bool(row.reasoning.strip())
        answers, points = asker.ask(shown, rules, power.told_parts() if reasons else (), cancel)
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
    """Why a row of this module can't be judged."""
    shown = module if len(module) <= 40 else module[:39] + "…"
    return UsageError("E_TEMPLATE_MODULE", f"The pack {pack} has no module {shown!r}.", f"It has {', '.join(known)}.")


def _verdict(rule: Rule, kept: bool | None, seen: str, by: By) -> RuleVerdict:
    """``seen``: the evidence, or where nothing can be told why not."""
    if kept is None:
        return RuleVerdict(name=rule.name, compliant=None, score=None, evidence="", why=seen)
    return RuleVerdict(name=rule.name, compliant=kept, score=RULE if kept else 0, evidence=seen, told_by=by)
