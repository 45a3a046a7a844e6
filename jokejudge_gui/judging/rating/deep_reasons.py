"""Why a model answered as it did, in a clause of its own, where it passed the prose test.

The answer stands before its reason is asked for, so a reason changes no score. One that gives the joke back, quotes
what isn't in it, breaks off or was already given for the same finding is left out."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...engine.base import CancelToken, Prompt, Sampling
from ...reasoned import Branch
from ..asking.sentences import flaws
from ..main_judge import MainJudge
from .deep_nodes import kind_of, part_of

_TOKENS = 40
_REPEAT_PENALTY = 1.15
GRAMMAR = r"""root ::= " " [A-Za-z“"‘'] [^\n\r.!?]{12,90} [.!?]"""
"""GBNF of one short clause that ends."""


class Reasons:
    """Asks one model for reasons about one joke. ``seed``: of the verdict."""

    def __init__(self, judge: MainJudge, joke: str, seed: int) -> None:
        self._judge = judge
        self._joke = joke
        self._seed = seed
        self._given: dict[str, set[str]] = {}

    def add(self, prompt: Prompt, found: Mapping[str, Branch], cancel: CancelToken | None) -> dict[str, Branch]:
        """The branches by id of their node, each with its reason as far as it holds. ``prompt``: the one that they
        were asked with; all reasons are written together behind it. Raises what the engine raises."""
        told = {id: branch.value for id, branch in found.items() if branch.value is not None}
        if not told:
            return dict(found)
        openings = [self._opening(id, value) for id, value in told.items()]
        texts = [""] * len(openings)
        sampling = Sampling(
            max_tokens=_TOKENS, repeat_penalty=_REPEAT_PENALTY, seed=self._seed, grammar=GRAMMAR, stop=("\n",)
        )
        for piece in self._judge.engine.generate(prompt, openings, sampling, cancel):
            texts[piece.branch] += piece.text
        reasons = {id: self._holding(id, text) for id, text in zip(told, texts, strict=True)}
        return {id: branch.replaced(reason=reasons.get(id, "")) for id, branch in found.items()}

    def _opening(self, id: str, value: float) -> Prompt:
        prompts, criteria, part = self._judge.deep_prompts, self._judge.criteria, part_of(id)
        answer = "yes" if value >= 0.0 else "no"
        match kind_of(id):
            case "factor":
                level = str(max(0, min(5, math.floor(value + 0.5))))
                return prompts.answer("reasons", "factor", {"factor": criteria.factor(part).name, "level": level})
            case "kind":
                name = next(kind.name.lower() for kind in criteria.categories if kind.id == part)
                return prompts.answer("reasons", "kind", {"kind": name, "answer": answer})
        question = next(check.admits for check in criteria.template.checks if check.id == part)
        return prompts.answer("reasons", "check", {"question": question, "answer": answer})

    def _holding(self, id: str, text: str) -> str:
        reason = " ".join(text.split())
        given = self._given.setdefault(id, set())
        if flaws(reason, self._joke) or reason.lower() in given:
            return ""
        given.add(reason.lower())
        return reason
