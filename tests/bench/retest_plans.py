"""One plan in three wordings: criteria folders whose prompts ask the same in other words, and judges that use them."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Sequence
from pathlib import Path

from lxml import etree

from jokejudge_gui.core.paths import criteria_dir, models_dir
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.calibration import CalibrationFiles
from jokejudge_gui.judge.reader import Reader
from jokejudge_gui.rubric.xml_parser import read_xml

_OWN = Path(__file__).with_name("retest_prompts.xml")
_WORDINGS = ("scoring", "scoring_reworded", "scoring_strict")
"""Wordings of the question for scores. In plan n the n-th is Quick's, and the rest are Deep's others."""
_PARTS = ("ascending", "descending")
PLANS = len(_WORDINGS)


def reworded_folder(folder: Path, number: int) -> Path:
    """Criteria in ``folder`` with the questions in the wording ``number`` (0: as they ship)."""
    shutil.copytree(criteria_dir(), folder, dirs_exist_ok=True)
    if number == 0:
        return folder
    prompts, deep = folder / "prompts.xml", folder / "deep_prompts.xml"
    quick, further = _root(prompts), _root(deep)
    own = {prompt.get("id"): prompt for prompt in _root(_OWN).iterfind("prompt")}
    base, other = _prompt(quick, "scoring"), _prompt(further, _WORDINGS[number])
    before = copy.deepcopy(base)
    _put(base, other)
    _put(other, before)
    _replace(_prompt(quick, "reading"), own[f"reading_{number + 1}"])
    for root, path in ((quick, prompts), (further, deep)):
        path.write_bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8"))
    return folder


def reworded_judges(judge: MainJudge, folder: Path) -> Sequence[MainJudge]:
    """The loaded judge, and two with its heads and its plan that ask in other words. Their calibrations are kept in
    ``folder``."""
    found = [judge]
    for number in range(1, PLANS):
        own = CalibrationFiles(models_dir() / "calibrations", folder / f"calibrations-{number}")
        reader = judge.reader
        other = MainJudge(
            judge.engine,
            own,
            Reader(judge.engine, reader.head, reader.editor, reader.agreements, reader.drafts),
            editor_card=judge.editor_card,
            criteria_folder=reworded_folder(folder / f"criteria-{number}", number),
        )
        # The measurements of the first wording decide the questions of all of them.
        other.plan, other.shown = judge.plan, judge.shown
        found.append(other)
    return found


def _root(path: Path) -> etree._Element:
    return read_xml(path, criteria_dir() / "prompts.rng")


def _prompt(root: etree._Element, id: str) -> etree._Element:
    return next(prompt for prompt in root.iterfind("prompt") if prompt.get("id") == id)


def _put(prompt: etree._Element, other: etree._Element) -> None:
    """Put the words of another prompt for scores in place; parts without words there stay."""
    for name in ("system", "user"):
        _replace(prompt.find(name), other.find(name))
    for part in _PARTS:
        _replace(_answer(prompt, part), _answer(other, part))


def _answer(prompt: etree._Element, id: str) -> etree._Element:
    return next(answer for answer in prompt.iterfind("answer") if answer.get("id") == id)


def _replace(old: etree._Element | None, new: etree._Element | None) -> None:
    assert old is not None
    assert new is not None
    parent = old.getparent()
    assert parent is not None
    fresh = copy.deepcopy(new)
    if fresh.tag == "prompt":
        fresh.set("id", old.get("id", ""))
    fresh.tail = old.tail
    parent.replace(old, fresh)
