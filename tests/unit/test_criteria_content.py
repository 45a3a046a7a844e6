"""What the shipped criteria hold: enough of everything, nothing twice, nothing that gives an answer away."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest
from lxml import etree

from jokejudge_gui.core.paths import criteria_dir
from jokejudge_gui.core.verdicts import CHECKS
from jokejudge_gui.rubric.notes import load_editor_words
from jokejudge_gui.rubric.prompts import parse_prompts
from jokejudge_gui.rubric.xml_parser import Criteria, load_criteria


@pytest.fixture(scope="module")
def criteria() -> Criteria:
    return load_criteria()


def words(text: str) -> int:
    return len(text.split())


def bare(text: str) -> str:
    """Letters and digits only: quotation marks and spelling of apostrophes make no new joke."""
    return re.sub(r"\W+", "", text.lower())


def test_no_old_id_of_a_kind_belongs_to_two_and_kinds_lie_within_wide_ones(criteria: Criteria) -> None:
    ids = [id for kind in criteria.categories for id in (kind.id, *kind.was)]
    assert len(set(ids)) == len(ids)
    wide = {kind.id for kind in criteria.categories if not kind.within}
    assert {kind.within for kind in criteria.categories if kind.within} <= wide


def test_no_id_and_no_name_is_given_twice() -> None:
    for name in ("criteria_categories_jokes", "factors_to_judge_jokes", "faults", "audiences", "prompts"):
        root = etree.parse(criteria_dir() / f"{name}.xml").getroot()
        for attribute, tag in ((attribute, tag) for attribute in ("id", "name") for tag in {one.tag for one in root}):
            values = [one.get(attribute, "").lower() for one in root.iter(tag) if one.get(attribute)]
            assert len({*values}) == len(values), (name, attribute)


def test_the_factors_of_kinds_are_those_that_there_are(criteria: Criteria) -> None:
    factors = {factor.id for factor in criteria.factors}
    assert {id for kind in criteria.categories for id in kind.factors} <= factors


def test_the_sentences_of_notes_can_be_filled() -> None:
    notes = load_editor_words().notes
    for rule in sum(notes.parts.values(), ()):
        assert rule.text.format(turn="it", after="it")
    assert all(sentence.format(word="it", second="it") for sentence in notes.wordplay.values())


@pytest.mark.parametrize(
    "path", [*criteria_dir().glob("*prompts.xml"), criteria_dir() / "judge_templates" / "prompts.xml"], ids=str
)
def test_the_answers_of_prompts_have_names_of_their_own_and_two_sides(path: Path) -> None:
    for prompt in etree.parse(path).getroot():
        answers = [(answer.get("id"), answer.get("form")) for answer in prompt.iterfind("answer")]
        assert len({*answers}) == len(answers)
    for text in parse_prompts(path, criteria_dir() / "prompts.rng").prompts.values():
        for form in (form for forms in text.forms.values() for form in forms):
            assert not any(one.startswith(other) for one, other in permutations(form.labels, 2))


def test_each_check_has_contrast_texts_enough_to_measure_it(criteria: Criteria) -> None:
    contrast = criteria.contrast
    assert set(contrast.inadmissible) == set(CHECKS)
    assert min(map(len, (contrast.admissible, *contrast.inadmissible.values()))) >= 8


def test_each_note_names_conditions_that_there_are(criteria: Criteria) -> None:
    words = load_editor_words()
    kinds = {kind.id for kind in criteria.categories}
    faults = {fault.id for fault in words.faults}
    for rule in sum(words.notes.parts.values(), ()):
        assert {*rule.kinds, *rule.any} <= kinds
        assert {*rule.faults, *rule.unless} <= faults
        assert rule.kinds or rule.any or rule.faults


def test_each_category_has_three_to_eight_distinct_factors(criteria: Criteria) -> None:
    for category in criteria.categories:
        assert 3 <= len(set(category.factors)) == len(category.factors) <= 8, category.id


def test_categories_are_told_apart_by_description_and_question(criteria: Criteria) -> None:
    for attribute in ("description", "ask"):
        texts = [bare(getattr(category, attribute)) for category in criteria.categories]
        assert len(set(texts)) == len(texts)
    assert all(words(category.ask) <= 9 for category in criteria.categories)


def test_each_check_asks_two_different_short_questions(criteria: Criteria) -> None:
    assert tuple(check.id for check in criteria.template.checks) == CHECKS
    for check in criteria.template.checks:
        assert check.admits.endswith("?")
        assert check.rejects.endswith("?")
        assert check.admits != check.rejects
        assert max(words(check.admits), words(check.rejects)) <= 14
        assert check.rejects_when[0].islower()
        assert not check.rejects_when.endswith(".")
