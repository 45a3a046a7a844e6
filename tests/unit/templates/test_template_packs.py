"""Packs of judge templates are read with care."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import CriteriaError, UsageError
from jokejudge_gui.rubric.templates import find_pack, shipped_packs, templates_dir

SEEDS = "M01 M01a M01b M02 M04 M05 M06 M07 M08 M09 M11 M12 M12b M13 M14 M15 M16"


def changed(tmp_path: Path, before: str, after: str) -> str:
    text = (templates_dir() / "seeds.xml").read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "own.xml"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    return str(path)


def test_the_seeds_modules_and_the_programs_own_stages_ship() -> None:
    seeds, stages = shipped_packs()
    assert [module.id for module in seeds.modules] == SEEDS.split()
    assert {module.type for module in stages.modules} == {"boolean", "label", "extraction"}
    assert all(len(module.rules) == 4 for pack in (seeds, stages) for module in pack.modules)


def test_every_rule_of_the_seeds_is_in_the_pack_word_for_word() -> None:
    """``seeds_rules.md`` is the part of seeds/unified_judge_template.txt that names the modules and their rules."""
    text = (Path(__file__).parent / "seeds_rules.md").read_text(encoding="utf-8")
    wanted: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for line in text.splitlines():
        if module := re.fullmatch(r"#### (\S+): (.+)", line):
            wanted[module[1], module[2]] = rules = []
        elif rule := re.fullmatch(r"[1-4]\. \*\*(.+)\*\* - (.+)", line):
            rules.append((rule[1], rule[2]))
    found = {
        (module.id, module.name): [(rule.name, rule.says) for rule in module.rules]
        for module in find_pack("seeds").modules
    }
    assert found == wanted
    assert sum(map(len, found.values())) == 68


def test_the_seeds_modules_have_the_types_that_the_seeds_say() -> None:
    types = {
        "boolean": "M04 M12 M13 M14 M15 M16",
        "label": "M02 M12b",
        "extraction": "M01 M01a M01b M05 M06 M07 M08 M09 M11",  # of M05 the seeds don't say it; it lists keywords
    }
    found = {module.id: module.type for module in find_pack("seeds").modules}
    assert found == {id: kind for kind, ids in types.items() for id in ids.split()}


def test_one_word_of_a_pack_changes_its_version(tmp_path: Path) -> None:
    own = find_pack(changed(tmp_path, "not excessive", "not too many"))
    assert own.version != find_pack("seeds").version


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("</pack>", ""),
        ('<?xml version="1.0" encoding="UTF-8"?>', '<!DOCTYPE pack [<!ENTITY x SYSTEM "/etc/passwd">]>'),
        ('type="extraction"', 'type="free"'),
        ('check="items"', 'check="run-this"'),
        ("</module>", '<rule name="Fifth"><says>One too many</says></rule></module>'),
        ('least="3" most="10"', ""),
        ('least="3" most="10"', 'least="9" most="3"'),
        ('id="M01a"', 'id="M01"'),
        ('name="Generate Variations"', 'name="Include Original Brand"'),
    ],
)  # fmt: skip
def test_a_damaged_or_tampered_pack_is_refused_with_its_name(tmp_path: Path, before: str, after: str) -> None:
    with pytest.raises(CriteriaError, match=r"own\.xml") as caught:
        find_pack(changed(tmp_path, before, after))
    assert caught.value.hint


def test_an_unknown_pack_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no pack"):
        find_pack("nonesuch")
