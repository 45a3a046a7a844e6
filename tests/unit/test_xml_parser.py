"""The criteria reader refuses what is wrong with a coded error that names the file and the line."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from jokejudge_gui.core.errors import CriteriaError
from jokejudge_gui.core.paths import criteria_dir, resources_dir
from jokejudge_gui.rubric import xml_parser

CATEGORIES, FACTORS = xml_parser.CATEGORIES, xml_parser.FACTORS
EXAMPLES, CONTRAST, TEMPLATE = xml_parser.EXAMPLES, xml_parser.CONTRAST, xml_parser.TEMPLATE
FILES = (CATEGORIES, FACTORS, EXAMPLES, CONTRAST, TEMPLATE)
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped criteria that a test may spoil."""
    copy = tmp_path / "criteria"
    shutil.copytree(criteria_dir(), copy)
    return copy


def spoil(file: Path, old: str, new: str) -> None:
    """Replace the first place that matches the pattern, which has to be there."""
    text, count = re.subn(old, lambda match: match.expand(new), file.read_text(encoding="utf-8"), count=1, flags=re.S)
    assert count == 1
    file.write_text(text, encoding="utf-8")


def refusal(folder: Path) -> CriteriaError:
    with pytest.raises(CriteriaError) as caught:
        xml_parser.load_criteria(folder)
    assert caught.value.hint
    return caught.value


def test_the_shipped_criteria_load_and_keep_the_order_of_the_file() -> None:
    criteria = xml_parser.load_criteria()
    written = re.findall(r'<category\s+id="([^"]+)"', (criteria_dir() / CATEGORIES).read_text(encoding="utf-8"))
    assert [category.id for category in criteria.categories] == written


def test_each_parser_reads_its_shipped_file_without_a_path() -> None:
    criteria = xml_parser.load_criteria()
    assert [c.id for c in xml_parser.parse_categories()] == [c.id for c in criteria.categories]
    assert xml_parser.parse_factors().factors == criteria.factors
    assert xml_parser.parse_examples() == criteria.examples
    assert xml_parser.parse_contrast() == criteria.contrast
    assert xml_parser.parse_template() == criteria.template


def test_criteria_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        xml_parser.load_criteria().version = "other"  # type: ignore[misc]


def test_a_factor_is_found_by_its_id_and_an_unknown_one_is_a_key_error() -> None:
    criteria = xml_parser.load_criteria()
    assert criteria.factor(criteria.factors[3].id) is criteria.factors[3]
    with pytest.raises(KeyError):
        criteria.factor("no-such-factor")


def test_the_version_is_twelve_hex_digits_and_the_same_every_time(folder: Path) -> None:
    version = xml_parser.load_criteria(folder).version
    assert re.fullmatch(r"[0-9a-f]{12}", version)
    assert xml_parser.load_criteria(folder).version == version


@pytest.mark.parametrize(
    ("name", "element"),
    [
        (CATEGORIES, "description"),
        (FACTORS, "explanation"),
        (EXAMPLES, "method"),
        (CONTRAST, "text"),
        (TEMPLATE, "admits"),
    ],
)
def test_a_changed_word_in_any_file_changes_the_version(folder: Path, name: str, element: str) -> None:
    before = xml_parser.load_criteria(folder).version
    spoil(folder / name, f"<{element}>", f"<{element}>Indeed ")
    assert xml_parser.load_criteria(folder).version != before


def test_comments_and_indentation_do_not_change_the_version(folder: Path) -> None:
    before = xml_parser.load_criteria(folder).version
    spoil(folder / CATEGORIES, "<description>", "<!-- a remark -->\n\t<description>\n      ")
    assert xml_parser.load_criteria(folder).version == before


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    error = refusal(folder)
    assert error.code == "E_CRITERIA_MISSING"
    assert name in error.sentence


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(b"", "E_CRITERIA_XML", id="empty"),
        pytest.param(b"two jokes walk into a file", "E_CRITERIA_XML", id="plain text"),
        pytest.param(b"\x00\x01\x02\x03", "E_CRITERIA_XML", id="binary"),
        pytest.param(XML.encode() + b"<a>caf\xe9</a>", "E_CRITERIA_XML", id="not UTF-8"),
        pytest.param(XML.encode() + b"<a>&nosuch;</a>", "E_CRITERIA_XML", id="unknown entity"),
        pytest.param(XML.encode() + b"<a>" + b" " * (4 << 20) + b"</a>", "E_CRITERIA_XML", id="too large"),
        pytest.param(XML.encode() + b'<recipes version="1"/>', "E_CRITERIA_SCHEMA", id="another root"),
    ],
)
def test_content_that_is_no_criteria_file_is_refused(folder: Path, name: str, content: bytes, code: str) -> None:
    (folder / name).write_bytes(content)
    error = refusal(folder)
    assert error.code == code
    assert name in error.sentence


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "doctype",
    [
        pytest.param("<!DOCTYPE a>", id="bare"),
        pytest.param('<!DOCTYPE a [<!ENTITY x "y">]>', id="entity"),
        pytest.param('<!DOCTYPE a SYSTEM "rules.dtd">', id="external DTD"),
        pytest.param('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>', id="external entity"),
        pytest.param(f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]>', id="billion laughs, unused"),
    ],
)
def test_a_document_type_is_refused_in_an_otherwise_sound_file(folder: Path, name: str, doctype: str) -> None:
    file = folder / name
    file.write_text(file.read_text(encoding="utf-8").replace("?>\n", f"?>\n{doctype}\n", 1), encoding="utf-8")
    error = refusal(folder)
    assert error.code == "E_CRITERIA_DTD"
    assert name in error.sentence


@pytest.mark.parametrize("place", ["<a>&l9;</a>", '<a x="&l9;"/>'], ids=["in a text", "in an attribute"])
def test_a_billion_laughs_are_never_expanded(folder: Path, place: str) -> None:
    (folder / CATEGORIES).write_text(f'{XML}<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]>{place}', encoding="utf-8")
    error = refusal(folder)
    assert error.code in ("E_CRITERIA_DTD", "E_CRITERIA_XML")
    assert len(error.sentence) < 500


def test_an_external_entity_is_not_read(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the butler did it", encoding="utf-8")
    doctype = f'<!DOCTYPE categories [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    spoil(folder / CATEGORIES, r"\?>\n", f"?>\n{doctype}\n")
    spoil(folder / CATEGORIES, "<description>", "<description>&x;")
    error = refusal(folder)
    assert error.code == "E_CRITERIA_DTD"
    assert "butler" not in str(error)


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_refused_with_its_line(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: len(data) // 2])
    error = refusal(folder)
    assert error.code == "E_CRITERIA_XML"
    assert re.search(rf"{re.escape(name)}, line \d+", error.sentence)


def drop(tag: str) -> tuple[str, str]:
    return f"<{tag}[ >].*?</{tag}>", ""


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        pytest.param(CATEGORIES, *drop("ask"), "E_CRITERIA_SCHEMA", id="a category without its question"),
        pytest.param(CATEGORIES, r"<example>.*?<", "<example>  <", "E_CRITERIA_SCHEMA", id="an empty example"),
        pytest.param(CATEGORIES, r' version="\d+"', "", "E_CRITERIA_SCHEMA", id="no version"),
        pytest.param(
            CATEGORIES, "<description>", "<remark/><description>", "E_CRITERIA_SCHEMA", id="an unknown element"
        ),
        pytest.param(FACTORS, *drop("bad"), "E_CRITERIA_SCHEMA", id="a factor without a bad example"),
        pytest.param(
            FACTORS, r'(<of category="[^"]+">)', r"\1nonesuch ", "E_CRITERIA_FACTOR", id="an undefined factor"
        ),
        pytest.param(FACTORS, *drop("factor"), "E_CRITERIA_FACTOR", id="a factor taken out but still listed"),
        pytest.param(FACTORS, *drop("of"), "E_CRITERIA_FACTOR", id="a category without factors"),
        pytest.param(
            FACTORS, r'<of category="[^"]+">', '<of category="nonesuch">', "E_CRITERIA_FACTOR", id="a renamed category"
        ),
        pytest.param(
            FACTORS,
            r'(<of category=")[^"]+(">[^<]*</of>)',
            r"\g<0>\1nonesuch\2",
            "E_CRITERIA_CATEGORY",
            id="factors of a category that doesn't exist",
        ),
        pytest.param(
            FACTORS, r'(<of category="[^"]+">)(\S+)', r"\1\2 \2", "E_CRITERIA_DUPLICATE", id="a factor listed twice"
        ),
        pytest.param(EXAMPLES, *drop("joke"), "E_CRITERIA_EXAMPLES", id="one good example fewer"),
        pytest.param(EXAMPLES, r"(<joke>.*?</joke>)", r"\1\1", "E_CRITERIA_DUPLICATE", id="an example twice"),
        pytest.param(CONTRAST, 'check="intent"', 'check="spelling"', "E_CRITERIA_SCHEMA", id="an unknown check"),
        pytest.param(CONTRAST, *drop("inadmissible"), "E_CRITERIA_CONTRAST", id="a check without contrast"),
        pytest.param(
            CONTRAST, 'check="intent"', 'check="coherence"', "E_CRITERIA_DUPLICATE", id="contrast for a check twice"
        ),
        pytest.param(TEMPLATE, 'id="intent"', 'id="spelling"', "E_CRITERIA_SCHEMA", id="a check of another name"),
        pytest.param(TEMPLATE, *drop("check"), "E_CRITERIA_CHECK", id="a check left out"),
        pytest.param(TEMPLATE, 'id="intent"', 'id="coherence"', "E_CRITERIA_DUPLICATE", id="a check twice"),
    ],
)
def test_a_wrong_criterion_is_refused_with_file_and_line(
    folder: Path, name: str, old: str, new: str, code: str
) -> None:
    spoil(folder / name, old, new)
    error = refusal(folder)
    assert error.code == code
    assert re.search(rf"{re.escape(name)}, line \d+", error.sentence)


@pytest.mark.parametrize("change", [str, str.upper], ids=["same case", "other case"])
@pytest.mark.parametrize(("name", "tag"), [(CATEGORIES, "category"), (FACTORS, "factor")])
def test_a_name_given_twice_is_refused_whatever_its_case(
    folder: Path, name: str, tag: str, change: Callable[[str], str]
) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    first, second = list(re.finditer(rf'<{tag} id="[^"]+" name="([^"]+)">', text))[:2]
    text = text[: second.start(1)] + change(first[1]) + text[second.end(1) :]
    (folder / name).write_text(text, encoding="utf-8")
    error = refusal(folder)
    assert error.code == "E_CRITERIA_DUPLICATE"
    line = text[: second.start()].count("\n") + 1
    assert f"{name}, line {line}:" in error.sentence


def test_too_few_contrast_texts_are_refused(folder: Path) -> None:
    text = (folder / CONTRAST).read_text(encoding="utf-8")
    side = re.search(r'<inadmissible check="intent">.*?</inadmissible>', text, flags=re.S)
    assert side is not None
    few = '<inadmissible check="intent"><text>Only this one.</text></inadmissible>'
    (folder / CONTRAST).write_text(text.replace(side[0], few), encoding="utf-8")
    error = refusal(folder)
    assert error.code == "E_CRITERIA_CONTRAST"
    assert "intent" in error.sentence


def test_blanks_and_line_ends_in_a_text_become_single_spaces(folder: Path) -> None:
    spoil(
        folder / CATEGORIES, "<description>.*?</description>", "<description>\r\n  One \t word,\n two.  </description>"
    )
    assert xml_parser.parse_categories(folder / CATEGORIES)[0].description == "One word, two."


def test_a_text_with_markup_inside_is_refused_rather_than_cut_short(folder: Path) -> None:
    spoil(folder / EXAMPLES, "<joke>", "<joke>One <b>bold</b> ")
    assert refusal(folder).code == "E_CRITERIA_SCHEMA"


def test_the_first_examples_are_read_and_a_missing_file_is_named(tmp_path: Path) -> None:
    assert len(xml_parser.parse_first_examples()) >= 3
    shutil.copy(resources_dir() / "examples.rng", tmp_path)
    with pytest.raises(CriteriaError, match=r"examples\.xml is missing") as caught:
        xml_parser.parse_first_examples(tmp_path / "examples.xml")
    assert caught.value.code == "E_CRITERIA_MISSING"


def test_a_kind_may_have_been_several_and_no_old_id_belongs_to_two(folder: Path) -> None:
    kinds = {kind.id: kind for kind in xml_parser.load_criteria(folder).categories}
    assert set(kinds["dry"].was) == {"deadpan", "understatement"}
    spoil(folder / CATEGORIES, r' was="surreal"', ' was="surreal deadpan"')
    assert refusal(folder).code == "E_CRITERIA_DUPLICATE"
    spoil(folder / CATEGORIES, r' was="surreal deadpan"', ' was="pun"')
    assert refusal(folder).code == "E_CRITERIA_DUPLICATE"
