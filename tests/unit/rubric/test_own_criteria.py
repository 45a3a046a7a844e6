"""The user's own criteria over those that ship: what is added, changed and switched off, and what is refused."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import CriteriaError
from jokejudge_gui.rubric.overlay import Rubric
from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.rubric.own_types import Item

POLITE = {
    "name": "Politeness",
    "explanation": "It is kind to all whom it names.",
    "zero": "rude to everybody",
    "five": "kind to everybody",
    "good": "My doctor is so gentle that he apologises to the scales.",
    "bad": "My doctor is an idiot.",
    "kinds": "pun",
}
OFFICE = {
    "name": "Office joke",
    "description": "Laughs at work in an office.",
    "ask": "laughs at office life",
    "example": "The printer and I have an understanding: it doesn't.",
    "factors": "wit recognition",
}
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


@pytest.fixture
def own(tmp_path: Path) -> OwnFile:
    return OwnFile(tmp_path / "criteria")


def item(own: OwnFile, section: str, id: str) -> Item:
    return next(each for each in own.items() if each.key == (section, id))


def weigh(own: OwnFile, **weights: float) -> None:
    own.change(lambda before: before.replaced(weights=weights))


def write(own: OwnFile, content: str) -> None:
    own.path.parent.mkdir(exist_ok=True)
    own.path.write_text(HEAD + content, encoding="utf-8")


def test_without_a_file_the_criteria_are_those_that_ship(own: OwnFile) -> None:
    assert own.rubric() == Rubric.shipped()
    assert {each.origin for each in own.items()} == {"shipped"}
    assert not own.path.exists()


def test_what_is_added_stands_beside_what_ships_and_changes_the_version(own: OwnFile) -> None:
    own.set_item("factor", "politeness", POLITE, new=True)
    own.set_item("kind", "office", OFFICE, new=True)
    shipped, found = Rubric.shipped(), own.rubric()
    assert found.criteria.factors[:-1] == shipped.criteria.factors
    assert found.criteria.factors[-1].name == "Politeness"
    kinds = {kind.id: kind for kind in found.criteria.categories}
    assert kinds["office"].factors == ("wit", "recognition")
    assert kinds["pun"].factors[-1] == "politeness"
    assert found.criteria.version != shipped.criteria.version
    assert found.criteria.unread == {"kind": ("office",), "factor": ("politeness",)}


def test_only_a_changed_meaning_makes_what_was_learned_void(own: OwnFile) -> None:
    own.set_item("factor", "wit", {"name": "Sharpness", "good": "Two nuns met. One was habit-forming."})
    own.set_item("kind", "pun", {"description": "Two meanings of one word meet."})
    own.set_item("fault", "padding", {"name": "Waffle"})
    own.set_item("fault", "tail", {"says": "never stops"})
    found = own.rubric()
    assert found.criteria.factor("wit").name == "Sharpness"
    assert found.criteria.unread == {"kind": ("pun",), "fault": ("tail",)}
    faults = {fault.id: fault.name for fault in found.words.faults}
    assert faults["padding"] == "Waffle"
    assert "tail" not in faults


def test_each_item_can_be_reset_and_so_can_all(own: OwnFile) -> None:
    own.set_item("factor", "politeness", POLITE, new=True)
    own.set_item("kind", "pun", {"name": "Quibble"})
    weigh(own, politeness=0.5, wit=0.5)
    own.reset_item("factor", "politeness")
    assert own.load().weights == {}  # they would no longer sum to one
    assert [each.key for each in own.load().items] == [("kind", "pun")]
    with pytest.raises(CriteriaError, match="Nothing of the factor"):
        own.reset_item("factor", "wit")
    aside = own.reset()
    assert own.rubric() == Rubric.shipped()
    assert "Quibble" in aside.read_text(encoding="utf-8")
    assert own.reset() is None


def test_what_is_exported_is_imported_as_it_was(own: OwnFile, tmp_path: Path) -> None:
    own.set_item("factor", "politeness", {**POLITE, "middle": "polite to most & <some>", "always": "yes"}, new=True)
    own.set_item("kind", "office", OFFICE, new=True)
    own.set_item("fault", "vague", {}, off=True)
    weigh(own, politeness=1 / 3, wit=2 / 3)
    file = tmp_path / "mine.xml"
    assert own.export(file) == 3
    other = OwnFile(tmp_path / "other")
    other.set_item("factor", "politeness", {**POLITE, "name": "Manners"}, new=True)
    other.set_item("kind", "pun", {"name": "Quibble"})
    assert other.take_in(file) == 3
    assert item(other, "factor", "politeness").name == "Politeness"
    assert item(other, "kind", "pun").name == "Quibble"
    other.reset_item("kind", "pun")
    assert sorted(other.load().items, key=lambda item: item.id) == sorted(own.load().items, key=lambda item: item.id)
    assert sum(other.load().weights.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"wit": 0.5, "clarity": 0.4}, "sum to 0.9, not to 1"),
        ({"wit": 1.5, "clarity": -0.5}, "weight of “wit” is 1.5"),
        ({"nonsense": 1.0}, "no such factor"),
        ({"wit": float("nan")}, "weight of “wit” is nan"),
    ],
)
def test_weights_that_cannot_be_are_refused(own: OwnFile, weights: dict[str, float], said: str) -> None:
    with pytest.raises(CriteriaError, match=said):
        weigh(own, **weights)
    assert own.load().empty


@pytest.mark.parametrize(
    ("section", "id", "fields", "said"),
    [
        ("factor", "Polite ness", POLITE, "can't be an id"),
        ("factor", "wit", POLITE, "already"),
        ("factor", "politeness", {**POLITE, "zero": ""}, "“At 0” of the factor “politeness” is empty"),
        ("factor", "politeness", {**POLITE, "name": "wit"}, "Two factors are called"),
        ("factor", "politeness", {**POLITE, "name": "x" * 41}, "41 characters"),
        ("factor", "politeness", {**POLITE, "good": "a\x1bb"}, r"U\+001B"),
        ("factor", "politeness", {**POLITE, "kinds": "pun nonsense"}, "names “nonsense”"),
        ("factor", "politeness", {**POLITE, "kinds": "pun pun"}, "twice"),
        ("factor", "politeness", {**POLITE, "always": "maybe"}, "can't be “maybe”"),
        ("factor", "politeness", {**POLITE, "colour": "red"}, "no field “colour”"),
        ("kind", "office", {**OFFICE, "factors": ""}, "“Factors” of the kind “office” is empty"),
        ("fault", "dull", {"name": "Dull", "says": ""}, "“What it does” of the fault “dull” is empty"),
        ("fault", "dull", {"name": "Padding", "says": "is dull"}, "Two faults are called"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_next_step(
    own: OwnFile, section: Any, id: str, fields: dict[str, str], said: str
) -> None:
    with pytest.raises(CriteriaError, match=said) as caught:
        own.set_item(section, id, fields, new=True)
    assert caught.value.hint
    assert not own.path.exists()


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("<own_criteria version='1'>\n<factor id='wit'", 3, "not sound XML"),
        ("<own_criteria version='1'>\n<joke/>\n</own_criteria>", 3, "own_criteria.rng"),
        ("<own_criteria version='1'>\n<factor id='wit' colour='red'/>\n</own_criteria>", 3, "own_criteria.rng"),
        ("<own_criteria version='1'>\n<kind id='pun'/>\n<kind id='pun'/>\n</own_criteria>", 4, "twice"),
        ("<own_criteria version='1'>\n\n<weight factor='wit' share='half'/>\n</own_criteria>", 4, "no number"),
        ("<own_criteria version='1'>\n\n<weight factor='wit' share='0.5'/>\n</own_criteria>", 4, "sum to 0.5"),
        ("<own_criteria version='1'>\n\n<kind id='pun'><ask/></kind>\n</own_criteria>", 4, "is empty"),
        (f"<!DOCTYPE x [<!ENTITY l0 'ha'>{LAUGHS}]><own_criteria version='1'>&l9;</own_criteria>", 1, "not sound XML"),
        ("<own_criteria version='1'>" + "<kind>" * 5000 + "</kind>" * 5000 + "</own_criteria>", 2, "depth"),
    ],
)
def test_a_bad_file_is_refused_by_its_line_and_verdicts_do_without_it(
    own: OwnFile, content: str, line: int, said: str
) -> None:
    write(own, content)
    with pytest.raises(CriteriaError, match=said) as caught:
        own.rubric()
    assert f"own_criteria.xml, line {line}" in caught.value.sentence
    assert caught.value.hint
    assert own.check()
    found, why = own.in_use()
    assert found == Rubric.shipped()
    assert why.startswith("Your own criteria aren't used: own_criteria.xml")


def test_what_names_something_that_there_is_not_is_refused_by_its_line(own: OwnFile) -> None:
    write(
        own, "<own_criteria version='1'>\n<kind id='gone' off='yes'/><kind id='pun' factors='wit gone'/></own_criteria>"
    )
    assert [error.sentence.split(":")[0] for error in own.check()] == ["own_criteria.xml, line 3"] * 2
    with pytest.raises(CriteriaError, match="no kind “gone” comes with"):
        own.rubric()


def _add(folder: str, name: str) -> None:
    OwnFile(Path(folder)).set_item("factor", name, {**POLITE, "name": name}, new=True)


def test_two_processes_lose_nothing_of_each_other(own: OwnFile) -> None:
    names = [f"factor_{n}" for n in range(6)]
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_add, args=(str(own.path.parent), name)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * len(names)
    assert sorted(each.id for each in own.load().items) == names
