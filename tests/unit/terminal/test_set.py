"""``jokejudge set`` as it is typed."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

BITS = {
    "airport": "They X-rayed my boots at the airport. [laugh] The boots are fine. I have six weeks. [laugh 3]",
    "lawyer": "My wife is a lawyer, so I lose every argument. Even the dog objects.",
    "closer": "So the dog and I both bought boots.",
}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, text in BITS.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.txt") for name in BITS]


def names(answer: Any) -> list[str]:
    return [bit["title"] for bit in answer["bits"]]


def glyphs(pdf: bytes) -> int:
    """How many runs of letters the pages of a PDF show."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    inflated = (zlib.decompressobj().decompress(stream) for stream in streams if stream[:1] == b"x")
    return sum(content.count(b"Tj") for content in inflated if b" Tf" in content)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["set"], "no bit for the set"),
        (["set", "{file}", "--out", "sheet.doc"], "in which format"),
        (["set", "{file}", "--order", "2"], "isn't an order of bits"),
        (["set", "--resume", "last"], "holds no set"),
        (["set", "{file}", "--minutes", "0"], "--minutes"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, files: list[str], arguments: list[str], sentence: str) -> None:
    outcome = run(*(part.format(file=files[0]) for part in arguments))
    assert outcome.status in (1, 2)
    assert sentence in outcome.err


def test_files_are_bits_with_their_names_and_their_times_add_up(run: Run, files: list[str]) -> None:
    answer = run("set", *files, "--minutes", "0.5", "--json").object
    assert names(answer) == [*BITS]
    first = answer["bits"][0]
    assert first["text"] == "They X-rayed my boots at the airport. The boots are fine. I have six weeks."
    assert first["room"] == [{"at": 37, "strength": 1}, {"at": 75, "strength": 3}]
    assert [bit["words"] for bit in answer["bits"]] == [16, 14, 8]
    assert sum(bit["seconds"] for bit in answer["bits"]) == answer["bits"][-1]["total"] == round(38 / 2.83)
    assert answer["seconds"] == round(38 / 2.83)
    assert answer["left"] == round(30 - 38 / 2.83)
    back = [(one["text"], one["of"]) for one in answer["bits"][2]["callbacks"]]
    assert back == [("boots", "1")]  # the room laughed at them; nobody did at the dog
    moved = run("set", "--resume", "last", "--order", "3").out
    assert "Callback   “boots” from" not in moved  # it is first now: nothing comes back before it was told


def test_the_history_keeps_a_set_whose_order_is_changed_and_which_gets_more_bits(
    run: Run, files: list[str], stage: Any, tmp_path: Path
) -> None:
    run("set", *files[:2], "--title", "Friday")
    shown = run("set", "--resume", "last", "--order", "2")
    assert shown.out.index("lawyer") < shown.out.index("airport")
    before = len(stage.asked)
    answer = run("set", "--resume", "last", files[2], "--json").object
    assert names(answer) == ["lawyer", "airport", "closer"]
    texts = [event.request.bits for event in stage.asked[before:]]
    assert len(texts) == 1
    kept = run("history", "show", "last", "--json").object["result"]
    assert names(kept) == names(answer)
    assert kept["title"] == "Friday"
    assert len(run("history", "list", "--json").object["rows"]) == 1
    sheet = tmp_path / "sheet.md"
    run("set", "--resume", "last", "--out", str(sheet))
    lines = sheet.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Friday"
    assert "They X-rayed my boots at the airport. |" in sheet.read_text(encoding="utf-8")
    assert [line.split(" | ")[1] for line in lines if line.startswith("| ") and "Total" not in line] == names(answer)


def test_one_file_is_a_list_with_titles_in_a_column(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "bits.csv"
    table.write_text("title,text\nDOG,The dog objects.\n,\nBOOTS,I bought boots.\n", encoding="utf-8")
    assert names(run("set", str(table), "--json").object) == ["DOG", "BOOTS"]
    alone = tmp_path / "alone.md"
    shown = run("set", "--out", str(alone), stdin=b"21. My ex said that I never listen. Or so.").out
    assert "1 bit, 3 s of words" in shown
    assert all(part not in alone.read_text(encoding="utf-8") for part in ("21.", "21\\.", "Begins"))
    piped = run("set", "--json", stdin=b"One bit is short.\n\nTHE OTHER BIT\nhas a title.\n").object
    assert [(bit["title"], bit["text"]) for bit in piped["bits"]] == [
        ("", "One bit is short."), ("THE OTHER BIT", "has a title."),
    ]  # fmt: skip


def test_a_sheet_is_printed_again_but_nobody_elses_file_is_replaced(run: Run, files: list[str], tmp_path: Path) -> None:
    pdf, page, other = tmp_path / "sheet.pdf", tmp_path / "sheet.html", tmp_path / "other.pdf"
    other.write_bytes(b"%PDF-1.4 somebody's")
    run("set", *files, "--out", str(pdf), "--out", str(page))
    once = glyphs(pdf.read_bytes())
    assert once > 30
    assert page.read_text(encoding="utf-8").count("<tr>") == 1 + len(files)
    assert run("set", "--resume", "last", files[0], "--out", str(pdf)).status == 0
    assert glyphs(pdf.read_bytes()) > once
    assert run("set", "--resume", "last", "--out", str(other)).status == 1
    assert other.read_bytes() == b"%PDF-1.4 somebody's"
