"""``jokejudge contest``, ``workshop``, ``screen`` and ``set`` as they are typed."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.contest.record import ContestMadeBy, ContestResult, RankedEntry, Reading
from jokejudge_gui.judge.kinds import KINDS
from tests.records import record

from .conftest import Run

LIST = "1. I bought running shoes.\n2. I used to be indecisive.\n3.\n4. Parallel lines.\n5. I bought running shoes.\n"


@pytest.fixture
def jokes(tmp_path: Path) -> str:
    path = tmp_path / "jokes.txt"
    path.write_text(LIST, encoding="utf-8")
    return str(path)


def test_a_list_is_read_told_and_ranked(run: Run, jokes: str) -> None:
    found = run("contest", jokes, "--title", "Friday set")
    assert found.status == 0, found.err
    assert "3 jokes found, 1 empty, 1 the same." in found.err
    assert "Friday set: 5 jokes" in found.out
    assert "(empty)" not in found.out
    for text in ("running shoes", "indecisive", "Parallel"):
        assert found.out.count(text) == 1


def test_a_contest_goes_on_as_the_call_says_and_else_as_it_was(
    run: Run, stage: Any, jokes: str, tmp_path: Path
) -> None:
    begun = ("--topic", "shoes", "--title", "Friday set", "--top", "2", "--ask", "all", "--duels", "1")
    assert run("contest", jokes, *begun).status == 0
    first = stage.asked[-1].request
    assert run("contest", "--resume", "last").status == 0
    again = stage.asked[-1].request
    names = ("context", "title", "top", "budget", "shuffled", "mode", "seed", "ask", "explain")
    for name in names:
        assert getattr(again, name) == getattr(first, name), name
    texts = [[(entry.id, entry.text, entry.columns) for entry in request.entries] for request in (first, again)]
    assert texts[0] == texts[1]
    more = tmp_path / "more.txt"
    more.write_text("A horse walks into a bar.\n", encoding="utf-8")
    changed = ("--topic", "horses", "--title", "Monday", "--top", "1", "--mode", "deep", "--ask", "plan")
    found = run("contest", str(more), "--resume", "last", *changed, "--generator", "Qwen 3", "--no-explain")
    assert found.status == 0, found.err
    other = stage.asked[-1].request
    assert [getattr(other, name) for name in names] == [
        "horses", "Monday", 1, 1, first.shuffled, "deep", first.seed, "plan", False,
    ]  # fmt: skip
    assert [entry.columns.get("generator") for entry in other.entries] == [None] * 5 + ["Qwen 3"]
    found = run("contest", "--resume", "last", "--topic", "cows", "--json")
    assert any("another topic" in warning for warning in json.loads(found.out)["warnings"])


def test_jokes_that_stand_in_collections_are_left_out_of_a_fresh_list(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    told = "Why did the scarecrow win an award? Because he was outstanding in his field."
    path.write_text(f"{told}\nMy kettle has joined a union.\n", encoding="utf-8")
    found = run("contest", str(path), "--fresh", "--json")
    assert [entry["text"] for entry in json.loads(found.out)["entries"]] == ["My kettle has joined a union."]
    assert "Line 1 is left out as told in " in found.err
    entries = json.loads(run("contest", str(path), "--json").out)["entries"]
    assert {entry["text"]: entry["heard"] is not None for entry in entries}[told]


FIRST = "I bought some really nice shoes from a drug dealer. I was tripping all day."


SECOND = "I bought shoes from a drug dealer. I was tripping all day."


def test_a_joke_goes_on_as_the_call_says_and_else_as_it_was(run: Run, stage: Any) -> None:
    run("workshop", FIRST, "--ask", "all", "--no-explain", "--context", "shoes")
    run("workshop", "--resume", "last", SECOND)
    found = stage.asked[-1].request
    assert (found.ask, found.explain, found.mode) == ("all", False, "quick")
    run("workshop", "--resume", "last", "--mode", "deep", "--ask", "plan", "Shoes from a dealer.")
    found = stage.asked[-1].request
    assert (found.ask, found.mode) == ("plan", "deep")


@pytest.fixture
def stored(tmp_path: Path) -> ContestResult:
    """A contest in the history of the profile that ``run`` uses: thirty jokes, the first ones clearly best."""
    entries = tuple(
        RankedEntry(
            id=str(n),
            text=f"Joke {n}.",
            rank=n,
            reading=Reading(value=0.0, percentile=99.0 - 3.0 * n, agreement=0.85),
        )
        for n in range(1, 31)
    )
    model = ModelRef(name="small", sha256="ab" * 32)
    result = ContestResult(id="c1", entries=entries, model=model, made_by=ContestMadeBy(model=model.sha256, head="h"))
    with closing(HistoryStore(Profile.at(tmp_path / "profile").database, KINDS)) as store:
        record(store, result)
    return result


def test_a_contest_of_the_history_is_screened_and_keeps_its_votes(run: Run, stored: ContestResult) -> None:
    first = run("screen", "--of", "last", "--json", "--reject", "0.6").object
    assert [entry["id"] for entry in first["entries"] if entry["decision"] == "show"] == ["1", "2", "3"]
    for voter in ("Ann", "Bob", "Cy"):
        value = run("screen", "--of", "c1", "--vote", "2", "--voter", voter, "--json").object
    assert value["votes"]["count"] == 3
    assert value["votes"]["leader"] == "2"
    assert value["thresholds"]["reject"] == 0.6
    kept = run("history", "show", "c1", "--json").object["result"]["screening"]
    assert [ballot["voter"] for ballot in kept["ballots"]] == ["Ann", "Bob", "Cy"]
    assert kept["thresholds"]["reject"] == 0.6


@pytest.mark.parametrize(("choice", "why"), [("99", "No joke of this list"), ("9", "isn't among those")])
def test_only_what_is_shown_can_be_voted_for(run: Run, stored: ContestResult, choice: str, why: str) -> None:
    found = run("screen", "--of", "c1", "--vote", choice)
    assert found.status == 1
    assert why in found.err
    assert run("screen", "--of", "c1", "--json").object["votes"]["count"] == 0


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
