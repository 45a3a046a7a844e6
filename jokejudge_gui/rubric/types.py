"""What the criteria files say, as values."""

from __future__ import annotations

import hashlib

from pydantic import Field

from ..verdicts import Frozen


class Category(Frozen):
    """A kind of joke. ``ask``: what such a joke does, in a few words; ``factors``: ids, most specific first; ``was``:
    ids of kinds that were merged into it; ``within``: id of the wider kind that every such joke is of, too, or ""."""

    id: str
    name: str
    group: str
    description: str
    ask: str
    example: str
    factors: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    within: str = ""


class Factor(Frozen):
    """What a joke is scored on, with what 0 and 5 look like and a short example of each end. ``middle``: what half of
    the scale looks like, empty where that isn't said."""

    id: str
    name: str
    explanation: str
    zero: str
    five: str
    good_example: str
    bad_example: str
    middle: str = ""


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


class OwnFault(Frozen):
    """A fault of the user's own, or one whose meaning they changed: no head finds it, so it is never a finding.
    ``says``: what such a text does, after "it"; ``ask``: a model is asked about it in each rating."""

    id: str
    name: str
    says: str
    ask: bool = False


class Criteria(Frozen):
    """All criteria, checked against each other. ``version`` (12 hex digits) changes with any of their words.

    Of a user's own criteria: ``unread``: ids by section (kind, factor, fault) of items that no head has learned, or
    only in an earlier meaning; ``always``: ids of factors that the model is asked about in each rating; ``weights``: of
    factors, in 0…1, one together; empty: none are set; ``own_faults``: those that only a model could be asked about."""

    version: str
    categories: tuple[Category, ...]
    factors: tuple[Factor, ...]
    examples: ExampleSet
    contrast: ContrastSet
    template: JudgeTemplate
    unread: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    always: tuple[str, ...] = ()
    weights: dict[str, float] = Field(default_factory=dict)
    own_faults: tuple[OwnFault, ...] = ()

    def factor(self, identity: str) -> Factor:
        """The factor with this id; ``KeyError`` if there is none."""
        for factor in self.factors:
            if factor.id == identity:
                return factor
        raise KeyError(identity)

    def versioned(self) -> Criteria:
        """The same with the version that its words have. What a file needn't say is left out of it, so that the shipped
        criteria keep theirs when the program learns to say more."""
        words = self.replaced(version="").model_dump_json(exclude_defaults=True)
        return self.replaced(version=hashlib.sha256(words.encode("utf-8")).hexdigest()[:12])
