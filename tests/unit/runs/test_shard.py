"""Parts of a run: each row in exactly one of them, and put together again only if they belong together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.batch.lines import Row, RowsFile, Shard
from jokejudge_gui.core.errors import UsageError

JOKES = tuple(f"A horse of {number} words walks into a bar." for number in range(12))


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_every_row_is_in_exactly_one_part(parts: int) -> None:
    shards = [Shard.parse(f"{k}/{parts}") for k in range(1, parts + 1)]
    for name in (*JOKES, None, ""):
        assert sum(shard.holds(name) for shard in shards) == 1


def lines(path: Path, *rows: dict[str, object], run: str = "rate") -> Path:
    head = {"id": None, "run": run, "program": "1", "error": None}
    path.write_text("".join(json.dumps(row) + "\n" for row in (head, *rows)), encoding="utf-8")
    return path


def row(id: str, **made: str) -> dict[str, object]:
    return {"id": id, "text": f"Joke {id}.", "error": None, "made_by": {"build": "b", "plan": "p", "heads": "h"} | made}


def test_the_files_of_parts_one_behind_another_are_one_file(tmp_path: Path) -> None:
    path = lines(tmp_path / "all.jsonl", row("a"))
    more = lines(tmp_path / "2.jsonl", row("b")).read_bytes()
    path.write_bytes(path.read_bytes() + more)
    file = RowsFile(path, "rate", ("text",))
    asked = [Row(line=1, id=id, texts=(f"Joke {id}.",)) for id in "abc"]
    assert [file.has(one) for one in asked] == [True, True, False]
    assert file.earlier(asked[1])["id"] == "b"
    file.close()
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == [None, "a", "b"]
    path.write_bytes(path.read_bytes() + lines(tmp_path / "3.jsonl", row("c"), run="duel").read_bytes())
    with pytest.raises(UsageError, match="Line 4"):
        RowsFile(path, "rate", ("text",))


def test_the_last_line_of_a_part_that_was_stopped_is_cut_off(tmp_path: Path) -> None:
    path = lines(tmp_path / "all.jsonl", row("a"), row("b"))
    cut = path.read_bytes()[:-20]
    path.write_bytes(cut + lines(tmp_path / "2.jsonl", row("c")).read_bytes())
    file = RowsFile(path, "rate", ("text",))
    assert [file.has(Row(line=1, id=id, texts=(f"Joke {id}.",))) for id in "abc"] == [True, False, True]
    file.close()
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == [None, "a", "c"]
    path.write_bytes(cut + lines(tmp_path / "3.jsonl", row("c"), run="duel").read_bytes())
    with pytest.raises(UsageError, match="Line 3"):
        RowsFile(path, "rate", ("text",))


@pytest.mark.parametrize(
    ("name", "words"), [("build", "build of the program"), ("plan", "plan of what is asked"), ("heads", "heads")]
)
def test_parts_that_were_made_otherwise_are_not_mixed(tmp_path: Path, name: str, words: str) -> None:
    file = RowsFile(lines(tmp_path / "1.jsonl", row("a"), row("b", **{name: "x"})), "rate", ("text",))
    with pytest.raises(UsageError, match=f"another {words}"):
        file.check({"build": "b", "plan": "p", "heads": "h"})
    file.close()
