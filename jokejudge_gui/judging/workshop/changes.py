"""What a change to a joke did, voice by voice, and which words it changed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ...verdicts import DuelResult
from .types import Change, FactorChange, ReadVersion

_PIECE = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]")

Mark = Literal["same", "gone", "new"]


@dataclass(frozen=True)
class Words:
    """A run of a text's characters, in both versions or in one of them."""

    text: str
    mark: Mark


def changed_words(before: str, after: str) -> tuple[Words, ...]:
    """Both texts woven into one, in whole words: those ``same`` and ``gone`` make up ``before`` to the letter, those
    ``same`` and ``new`` make up ``after``."""
    found: list[Words] = []
    for mark, text in _woven(_PIECE.findall(before), _PIECE.findall(after)):
        if not text:
            continue
        if found and found[-1].mark == mark:
            found[-1] = Words(found[-1].text + text, mark)
        else:
            found.append(Words(text, mark))
    return tuple(found)


def _woven(before: list[str], after: list[str]) -> Iterator[tuple[Mark, str]]:
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield "same", "".join(before[i:j])
        else:
            yield "gone", "".join(before[i:j])
            yield "new", "".join(after[k:m])


def change_between(
    version: ReadVersion, other: ReadVersion, duel: DuelResult, fault_names: Mapping[str, str]
) -> Change:
    """What ``version`` changed against ``other``; ``duel`` has the version as A; ``fault_names``: of faults, by id."""
    assert duel.p_a is not None
    drafts = duel.drafts
    names = [{fault.name: None for fault in each.faults} for each in (version, other)]
    return Change(
        against=other.id,
        p_better=duel.p_a,
        p_editor=drafts.p_a if drafts else None,
        p_audience=duel.audience.p_a if duel.audience else None,
        p_length_controlled=duel.length_controlled.p_a if duel.length_controlled else None,
        agreement=drafts.agreement if drafts else None,
        fault=drafts.fault if drafts else None,
        fault_name=fault_names.get(drafts.fault, "") if drafts and drafts.fault else "",
        fault_p=drafts.fault_p if drafts else None,
        factors=_factors(version, other),
        faults_gone=tuple(name for name in names[1] if name not in names[0]),
        faults_new=tuple(name for name in names[0] if name not in names[1]),
        verdict=duel.id,
    )


def _factors(version: ReadVersion, other: ReadVersion) -> tuple[FactorChange, ...]:
    """Factors of both, by how far they moved beside their uncertainty."""
    before = {factor.id: factor for factor in other.factors}
    found = []
    for now in version.factors:
        then = before.get(now.id)
        if then is None or then.expected is None or now.expected is None or now.sd is None or now.sd <= 0.0:
            continue
        found.append(
            FactorChange(
                id=now.id, name=now.name, before=then.expected, after=now.expected, sd=max(now.sd, then.sd or 0)
            )
        )
    return tuple(sorted(found, key=lambda each: (-abs(each.after - each.before) / each.sd, each.id)))
