"""Lists as people have them: every command finds the same jokes in one, or says what is wrong."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import InputError
from tests.kinds_of_file import BAD, KINDS, NOTES, jokes, write

from .conftest import Run, Stage, fail_at, lines

JOKES = (
    "Mind, body, and soul walk into a bar.",
    "I used to be indecisive; now I’m not so sure.",
    "Knock knock.\nWho’s there?\n“Déjà.”\nDéjà who?\nKnock knock.",
    'He said "a | b" was a pipe dream.',
    "The café closed. No latte, never.",
    "Parallel lines\thave so much in common.",
)


def table(delimiter: str, column: str = "joke") -> str:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter)
    writer.writerow([column, "rating", "author"])
    writer.writerows([joke, 1, "Ann"] for joke in JOKES)
    return buffer.getvalue()


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
        "duel --batch BAD --out OUT",
        "contest BAD",
        "screen BAD",
        "audit --pairs BAD",
        "evaluate --pairs BAD",
        "evaluate --ratings BAD",
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


BANKER = "I used to be a banker, but I lost interest."


DOG = "My dog is called Five Miles, so I walk Five Miles a day."


LINES = "Parallel lines have so much in common. Shame they'll never meet."


ALL = [BANKER, DOG, LINES]


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    return tmp_path / "jokes.csv"


def texts(stage: Stage) -> list[str]:
    return [text for one in stage.texts for text in one]


def ranked(run: Run, path: Path, *more: str) -> list[str]:
    outcome = run("contest", str(path), "--duels", "0", "--json", *more)
    assert outcome.status == 0, outcome.err
    return sorted(entry["text"] for entry in outcome.object["entries"] if entry["rank"] is not None)


def test_commas_without_quotes_are_that_rows_error_elsewhere(run: Run, stage: Stage, listed: Path, out: Path) -> None:
    listed.write_text(f"id,text,author\n1,{BANKER},Ann\n2,{LINES},Bob,,\n", encoding="utf-8")
    run("rate", "--batch", str(listed), "--out", str(out))
    bad, good = lines(out)
    assert bad["error"]["sentence"] == "The row on line 2 has 4 cells, the header 3."
    assert (bad["id"], good["error"], texts(stage)) == ("1", None, [LINES])
    assert ranked(run, listed) == [LINES]
    out.unlink()
    listed.write_text(f"text_a,text_b\n{BANKER},{LINES}\n{LINES},{LINES}\n", encoding="utf-8")
    run("duel", "--batch", str(listed), "--out", str(out))
    assert [(line["error"] or {}).get("code") for line in lines(out)] == ["E_BATCH_CELLS", None]
    listed.write_text(f"text,rating\n{BANKER},3\n{LINES},2\n{LINES} Ha.,1\n", encoding="utf-8")
    assert "the row on line 2 has 3 cells, the header 2" in run("evaluate", "--ratings", str(listed)).err


WRAPPED = json.dumps({"version": 1, "jokes": [{"text": joke} for joke in ALL]})


FIELDS = {
    "wrapped": (WRAPPED, None),
    "wrapped on several lines": (json.dumps(json.loads(WRAPPED), indent=1), None),
    "one object on several lines": (json.dumps({"text": "\n".join(ALL)}, indent=1), None),
    "body": (json.dumps([{"body": joke, "score": 1} for joke in ALL]), None),
    "setup and punchline": (
        "".join(json.dumps({"setup": joke[:10], "punchline": joke[10:]}) + "\n" for joke in ALL), None
    ),
    "nested": (json.dumps({"data": {"children": [{"data": {"text": joke}} for joke in ALL]}}), "data.text"),
    "chats": (
        json.dumps([{"messages": [{"role": "user", "content": "One!"}, {"role": "assistant", "content": joke}]}
                    for joke in ALL]), None
    ),
    "joined": (json.dumps([{"title": joke[:10], "selftext": joke[10:]} for joke in ALL]), "title+selftext"),
}  # fmt: skip


@pytest.mark.parametrize("form", FIELDS)
def test_json_is_read_wherever_its_jokes_are(run: Run, stage: Stage, tmp_path: Path, out: Path, form: str) -> None:
    content, column = FIELDS[form]
    file = tmp_path / "jokes.json"
    file.write_text(content, encoding="utf-8")
    named = ["--text-column", column] if column else []
    assert run("rate", "--batch", str(file), "--out", str(out), *named).status == 0
    assert "".join(texts(stage)).replace("\n", "") == "".join(ALL)
    assert "".join(ranked(run, file, *named)).replace("\n", "") == "".join(ALL)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0xl/workbook.xml" + b"\0" * 200, "is an Excel workbook"),
        (gzip.compress(b"id,text\n1,One.\n", mtime=0), "is a gzip archive"),
        (b"PAR1\x15\x04\x15" + bytes(range(256)), "is a Parquet file"),
        (b"%PDF-1.7\n\xff\xfe", "is a PDF file"),
    ],
)
def test_what_is_no_text_is_named(run: Run, listed: Path, out: Path, data: bytes, words: str) -> None:
    listed.write_bytes(data)
    for command in (["rate", "--batch"], ["duel", "--batch"], ["contest"], ["screen"], ["evaluate", "--pairs"]):
        outcome = run(*command, str(listed), *(["--out", str(out)] if "--batch" in command else []))
        assert outcome.status == 1
        assert words in outcome.err
        assert "iconv" not in outcome.err


def test_texts_of_web_pages_are_told_and_read_if_asked(run: Run, stage: Stage, listed: Path, out: Path) -> None:
    scraped = [
        "I &quot;lost&quot; &amp; found<br> interest.", "A &amp;#x200B;dog.", "Itâ€™s a cafÃ©\u200b.", "1 < 2 & 3 > 2.",
    ]  # fmt: skip
    meant = ['I "lost" & found\ninterest.', "A dog.", "It’s a café.", "1 < 2 & 3 > 2."]
    listed.write_text("joke\n" + "\n".join(scraped) + "\n", encoding="utf-8")
    outcome = run("rate", "--batch", str(listed), "--out", str(out))
    assert "3 texts hold HTML or misread characters" in outcome.err
    assert texts(stage) == scraped
    assert "unless it is unescaped" in run("contest", str(listed)).err
    stage.asked.clear()
    out.unlink()
    run("rate", "--batch", str(listed), "--out", str(out), "--unescape")
    assert texts(stage) == meant
    assert ranked(run, listed, "--unescape") == sorted(meant)


def test_a_batch_of_failures_says_so(run: Run, stage: Stage, listed: Path, out: Path) -> None:
    listed.write_text("id,text\n1,One.\n2,Two.\n", encoding="utf-8")
    stage.hook = fail_at(None, InputError("E_X", "It failed.", ""))
    outcome = run("rate", "--batch", str(listed), "--out", str(out), "--fail-on-error")
    assert outcome.status == 1
    assert "every row failed" in outcome.err.splitlines()[-1]
    assert run("rate", "--batch", str(listed), "--out", str(out), "--fail-on-error").status == 1
    assert run("rate", "--batch", str(listed), "--out", str(out), "--retry-errors").status == 0


EACH_KIND = pytest.mark.parametrize("kind", KINDS)


@EACH_KIND
def test_a_batch_of_ratings_reads_every_kind_of_file(run: Run, tmp_path: Path, out: Path, kind: str) -> None:
    outcome = run("rate", "--batch", str(write(tmp_path, kind)), "--out", str(out))
    assert outcome.status == 0
    assert NOTES.get(kind, "") in outcome.err
    good, bad = lines(out)[:3], lines(out)[3:]
    assert [(line["text"], line["error"]) for line in good] == [(joke, None) for joke in jokes(kind)]
    assert [line["error"]["code"] for line in bad] == ([BAD[kind]] if kind in BAD else [])


@EACH_KIND
def test_a_contest_reads_every_kind_of_file(run: Run, tmp_path: Path, kind: str) -> None:
    outcome = run("contest", str(write(tmp_path, kind)), "--duels", "0", "--json")
    assert outcome.status == 0
    assert NOTES.get(kind, "") in outcome.err
    entries = outcome.object["entries"]
    assert sorted(entry["text"] for entry in entries if entry["rank"] is not None) == sorted(jokes(kind))
