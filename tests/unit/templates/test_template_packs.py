"""Packs of judge templates are read with care."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.errors import CriteriaError, UsageError
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
        ('<violated case="2">', '<violated case="7">'),
        ('["Northpeak", "Northpeak tents", "Northpeak shop"]', '["Northpeak", '),
        ('name="Generate Variations"', 'name="Include Original Brand"'),
    ],
)  # fmt: skip
def test_a_damaged_or_tampered_pack_is_refused_with_its_name(tmp_path: Path, before: str, after: str) -> None:
    with pytest.raises(CriteriaError, match=r"own\.xml"):
        find_pack(changed(tmp_path, before, after))


def test_an_unknown_pack_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no pack"):
        find_pack("nonesuch")
