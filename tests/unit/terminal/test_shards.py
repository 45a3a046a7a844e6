"""Parts of a batch and of a contest, and ``jokejudge merge``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_the_parts_of_a_batch_make_its_whole(run: Run, tmp_path: Path) -> None:
    rows = tmp_path / "jokes.csv"
    rows.write_text("id,text\n" + "".join(f"{n},Joke number {n}.\n" for n in range(6)), encoding="utf-8")
    parts = [str(tmp_path / f"part{k}.jsonl") for k in (1, 2)]
    for k, part in enumerate(parts, start=1):
        assert run("rate", "--batch", str(rows), "--shard", f"{k}/2", "--out", part, "--anyway").status == 0
    out = tmp_path / "all.jsonl"
    found = run("merge", *(part for part in parts if Path(part).exists()), "--out", str(out), "--json")
    assert found.object["rows"] == 6
    assert run("rate", "--batch", str(rows), "--out", str(out), "--anyway", "--json").object["judged"] == 0


def test_what_makes_no_sense_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    jokes = tmp_path / "jokes.txt"
    jokes.write_text("One.\nTwo.\n", encoding="utf-8")
    for arguments in (
        ("merge",),
        ("merge", str(jokes)),
        ("contest", str(jokes), "--shard", "1/2"),
        ("contest", str(jokes), "--shard", "5/2", "--out", str(tmp_path / "o.jsonl")),
        ("rate", "A joke.", "--shard", "1/2"),
    ):
        assert run(*arguments).status == 2, arguments
