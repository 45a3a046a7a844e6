"""The criteria reader refuses what is wrong with a coded error that names the file and the line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import CriteriaError
from jokejudge_gui.core.paths import criteria_dir
from jokejudge_gui.rubric import xml_parser

CATEGORIES, FACTORS = xml_parser.CATEGORIES, xml_parser.FACTORS
EXAMPLES, CONTRAST, TEMPLATE = xml_parser.EXAMPLES, xml_parser.CONTRAST, xml_parser.TEMPLATE
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


REFUSED = {
    "empty": b"",
    "plain text": b"two jokes walk into a file",
    "binary": b"\x00\x01\x02\x03",
    "not UTF-8": XML.encode() + b"<a>caf\xe9</a>",
    "an unknown entity": XML.encode() + b"<a>&nosuch;</a>",
    "too large": XML.encode() + b"<a>" + b" " * (4 << 20) + b"</a>",
    "another root": XML.encode() + b'<recipes version="1"/>',
    "a billion laughs": f'{XML}<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l9;</a>'.encode(),
    "a billion laughs in an attribute": f'{XML}<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a x="&l9;"/>'.encode(),
}


@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED)
def test_content_that_is_no_criteria_file_is_refused(folder: Path, content: bytes) -> None:
    (folder / FACTORS).write_bytes(content)
    error = refusal(folder)
    assert FACTORS in error.sentence
    assert len(error.sentence) < 500


@pytest.mark.parametrize(
    "doctype",
    [
        pytest.param("<!DOCTYPE a>", id="bare"),
        pytest.param('<!DOCTYPE a [<!ENTITY x "y">]>', id="entity"),
        pytest.param('<!DOCTYPE a SYSTEM "rules.dtd">', id="external DTD"),
        pytest.param(f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]>', id="billion laughs, unused"),
    ],
)
def test_a_document_type_is_refused_in_an_otherwise_sound_file(folder: Path, doctype: str) -> None:
    spoil(folder / CATEGORIES, r"\?>\n", f"?>\n{doctype}\n")
    assert "document type" in refusal(folder).sentence


def drop(tag: str) -> tuple[str, str]:
    return f"<{tag}[ >].*?</{tag}>", ""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        pytest.param(CATEGORIES, *drop("ask"), id="a category without its question"),
        pytest.param(CATEGORIES, r"<example>.*?<", "<example>  <", id="an empty example"),
        pytest.param(CATEGORIES, "<description>", "<remark/><description>", id="an unknown element"),
        pytest.param(FACTORS, *drop("bad"), id="a factor without a bad example"),
        pytest.param(EXAMPLES, "<joke>", "<joke>One <b>bold</b> ", id="markup in a text"),
        pytest.param(CONTRAST, 'check="intent"', 'check="spelling"', id="an unknown check"),
    ],
)
def test_a_wrong_criterion_is_refused_with_file_and_line(folder: Path, name: str, old: str, new: str) -> None:
    spoil(folder / name, old, new)
    error = refusal(folder)
    assert error.code == "E_CRITERIA"
    assert re.search(rf"{re.escape(name)}, line \d+", error.sentence)
