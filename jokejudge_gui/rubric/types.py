"""What the criteria files say, as values."""

from __future__ import annotations

from ..verdicts import Frozen


class Category(Frozen):
    """A kind of joke. ``ask``: what such a joke does, in a few words; ``factors``: ids, most specific first; ``was``:
    ids of kinds that were merged into it."""

    id: str
    name: str
    group: str
    description: str
    ask: str
    example: str
    factors: tuple[str, ...] = ()
    was: tuple[str, ...] = ()


class Factor(Frozen):
    """What a joke is scored on, with what 0 and 5 look like and a short example of each end."""

    id: str
    name: str
    explanation: str
    zero: str
    five: str
    good_example: str
    bad_example: str


class FactorSet(Frozen):
    """All factors, and for each category id the ids of its factors."""

    factors: tuple[Factor, ...]
    of_category: dict[str, tuple[str, ...]]


class ExampleSet(Frozen):
    """Funny jokes and boring texts, place by place alike in subject and length, and how to compare."""

    method: str
    good: tuple[str, ...]
    boring: tuple[str, ...]


class ContrastSet(Frozen):
    """Texts whose answer is known. ``inadmissible``: by check id; ``neutral``: plain statements; ``baseline``: varied
    jokes."""

    admissible: tuple[str, ...]
    inadmissible: dict[str, tuple[str, ...]]
    neutral: tuple[str, ...]
    baseline: tuple[str, ...]


class Check(Frozen):
    """An admissibility check with its two questions: ``admits`` where yes admits, ``rejects`` where yes rejects."""

    id: str
    name: str
    description: str
    rejects_when: str
    admits: str
    rejects: str


class JudgeTemplate(Frozen):
    """The admissibility checks in order."""

    checks: tuple[Check, ...]


class Criteria(Frozen):
    """All criteria, checked against each other. ``version`` (12 hex digits) changes with any of their words."""

    version: str
    categories: tuple[Category, ...]
    factors: tuple[Factor, ...]
    examples: ExampleSet
    contrast: ContrastSet
    template: JudgeTemplate

    def factor(self, identity: str) -> Factor:
        """The factor with this id; ``KeyError`` if there is none."""
        for factor in self.factors:
            if factor.id == identity:
                return factor
        raise KeyError(identity)
