"""One reader of lists: however a list is written, every command finds the same jokes in it."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.batch.rows import Rows
from jokejudge_gui.core.errors import InputError

from .conftest import lines

if TYPE_CHECKING:
    from .conftest import Run, Stage

JOKES = (
    "Mind, body, and soul walk into a bar.",
    "I used to be indecisive; now I’m not so sure.",
    "Knock knock.\nWho’s there?\n“Déjà.”\nDéjà who?\nKnock knock.",
    'He said "a | b" was a pipe dream.',
    "The café closed. No latte, never.",
    "Parallel lines\thave so much in common.",
)
RATINGS = ("3.5", "1.5", "4", "2", "2.5", "3")


def table(delimiter: str, column: str = "joke") -> str:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter)
    writer.writerow([column, "rating", "author"])
    writer.writerows([joke, rating, "Ann"] for joke, rating in zip(JOKES, RATINGS, strict=True))
    return buffer.getvalue()


def objects() -> list[dict[str, Any]]:
    return [
        {"text": joke, "rating": float(rating), "author": "Ann"} for joke, rating in zip(JOKES, RATINGS, strict=True)
    ]


FORMS: dict[str, tuple[str, bytes]] = {
    "tab": ("jokes.tsv", table("\t", "caption").encode()),
    "pipe": ("jokes.csv", table("|", "content").encode()),
    "utf-16 without its mark": ("jokes.csv", table(";").encode("utf-16-le")),
    "json array": ("jokes.json", json.dumps(objects(), indent=1).encode()),
    "json array without a name": ("jokes", json.dumps(objects(), ensure_ascii=False).encode()),
    "json lines": ("jokes.jsonl", "".join(json.dumps(each) + "\n" for each in objects()).encode()),
}


@pytest.fixture(params=FORMS)
def listed(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    name, data = FORMS[request.param]
    path = tmp_path / name
    path.write_bytes(data)
    return str(path)


def test_a_list_in_any_form_is_the_same_six_jokes(run: Run, stage: Stage, listed: str, out: Path) -> None:
    assert run("rate", "--batch", listed, "--out", str(out)).status == 0
    assert [line["columns"]["author"] for line in lines(out)] == ["Ann"] * 6
    assert [text for (text,) in stage.texts] == list(JOKES)


def test_the_column_with_the_jokes_can_be_told(run: Run, stage: Stage, tmp_path: Path, out: Path) -> None:
    file = tmp_path / "jokes.csv"
    file.write_text(table(";", "Witz"), encoding="utf-8")
    assert "“Witz” was taken for the jokes" in run("contest", str(file), "--duels", "0").err
    stage.asked.clear()
    assert run("rate", "--batch", str(file), "--out", str(out), "--text-column", "WITZ").status == 0
    assert [text for (text,) in stage.texts] == list(JOKES)
    found = run("contest", str(file), "--text-column", "witz", "--duels", "0", "--json")
    assert len(found.object["entries"]) == 6
    assert run("contest", str(file), "--text-column", "joke").status == 1


def test_a_table_is_written_and_gone_on_with(run: Run, csv_file: Path, tmp_path: Path, stage: Stage) -> None:
    out = tmp_path / "verdicts.csv"
    csv_file.write_text("id,text,author\na,first,Ann\nb,=second,Bob\n", encoding="utf-8")
    assert run("rate", "--batch", str(csv_file), "--out", str(out)).status == 0
    rows = list(csv.DictReader(out.read_text(encoding="utf-8-sig").splitlines()))
    assert [(row["id"], row["text"], row["author"]) for row in rows] == [
        ("a", "first", "Ann"),
        ("b", "'=second", "Bob"),
    ]
    assert {"mean_score", "admissible", "model.name", "error"} <= set(rows[0])
    assert run("rate", "--batch", str(csv_file), "--out", str(out)).status == 0
    assert len(stage.asked) == 2


@pytest.mark.parametrize(
    "words",
    [
        "rate --file BAD",
        "rate --batch BAD --out OUT",
        "duel A --file-b BAD",
        "duel --batch BAD --out OUT",
        "contest BAD",
        "screen BAD",
        "workshop --file BAD",
        "audit --pairs BAD",
        "merge BAD --out OUT",
        "evaluate --pairs BAD",
        "evaluate --ratings BAD",
        "evaluate --compare BAD BAD",
        "models fit --pairs BAD",
        "template run seeds BAD --out OUT",
        "criteria import BAD",
    ],
)
@pytest.mark.parametrize("bad", ["/dev/zero", "word"])
def test_a_file_without_an_end_is_a_sentence(run: Run, tmp_path: Path, out: Path, words: str, bad: str) -> None:
    if bad != "/dev/zero":
        with (tmp_path / bad).open("wb") as stream:
            stream.write(b"text\n")
            stream.truncate(3 << 30)
        bad = str(tmp_path / bad)
    named = {"BAD": bad, "OUT": str(out)}
    outcome = run(*(named.get(word, word) for word in words.split()))
    assert outcome.status in (1, 2)
    assert outcome.err.strip()
    assert "fault" not in outcome.err


def test_a_row_that_a_quote_never_ends_is_not_collected(tmp_path: Path) -> None:
    path = tmp_path / "jokes.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.write('id,text\n1,"open\n')
        for _ in range(12):
            stream.write("and no end of it, not on this very long line nor on any other one that comes\n" * 50_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="line 2"):
            Rows(str(path), "rate")
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_rows_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "jokes.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.write("id;joke\n")
        stream.writelines(f"{n};Joke {n} of a cow in a bar.{' Moo.' * 1_700}\n" for n in range(2_000))
    tracemalloc.start()
    try:
        with closing(Rows(str(path), "rate")) as rows:
            assert sum(1 for row in rows if row.problem is None) == 2_000
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
