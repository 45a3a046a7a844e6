"""What someone else's file is to every option that names a file to write: it stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FOREIGN = {
    "text": "My novel.\n",
    "table": "id,text\n1,A joke.\n",
    "spreadsheet": '\ufeff"name","price"\r\n"Tea","3"\r\n',
    "list": '{"id": "1", "text": "A horse walks into a bar."}\n',
    "page": '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n<title>JokeJudge: a review</title></head>',
    "notes": "# Notes\n\nBuy milk.\n",
    "bytes": "\x00\x01",
}
CALLS = {
    "rate": ("rate", "--batch", "LIST", "--out", "F.jsonl"),
    "contest": ("contest", "LIST", "--out", "F.jsonl"),
    **{f"contest {end}": ("contest", "LIST", "--out", f"F{end}") for end in (".txt", ".csv", ".md", ".html")},
    "pairs": ("contest", "LIST", "--out", "F.dpo.jsonl"),
    **{f"history {end}": ("history", "export", f"F{end}") for end in (".csv", ".jsonl", ".md", ".html")},
    **{f"votes {end}": ("votes", "export", f"F{end}") for end in (".csv", ".jsonl")},
    "evaluate": ("evaluate", "--pairs", "PAIRS", "--out", "F.jsonl"),
    "evaluate page": ("evaluate", "--pairs", "PAIRS", "--html", "F.html"),
    "audit": ("audit", "--pairs", "PAIRS", "--html", "F.html"),
    "criteria": ("criteria", "export", "F.xml"),
}


@pytest.fixture
def named(run: Run, tmp_path: Path) -> Callable[[str], str]:
    """A call's words with the files that they stand for."""
    files = {"LIST": "jokes.csv", "PAIRS": "pairs.csv"}
    (tmp_path / "jokes.csv").write_text("id,text\n1,A horse walks into a bar.\n2,A cow asks for the bill.\n")
    (tmp_path / "pairs.csv").write_text("text_a,text_b,winner\nA horse walks in.,A cow asks for the bill.,A\n")
    assert run("rate", "A joke about a horse.").status == 0
    return lambda word: str(tmp_path / files.get(word, word)) if word in files or word.startswith("F.") else word


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_foreign_file_is_untouched_and_an_own_one_is_written_again(
    run: Run, named: Callable[[str], str], call: tuple[str, ...], tmp_path: Path
) -> None:
    words = [named(word) for word in call]
    (target,) = [Path(word) for word in words if Path(word).name.startswith("F.")]
    for text in FOREIGN.values():
        target.write_bytes(text.encode("utf-8"))
        found = run(*words)
        assert found.status != 0, text
        assert target.name in found.err
        if words[0] == "contest" and target.suffix in (".html", ".txt"):
            assert not found.out, "nothing is ranked for a file that isn't written"
        assert target.read_bytes() == text.encode("utf-8")
    target.unlink()
    first = run(*words)
    if target.exists() and target.suffix != ".txt" and target.stat().st_size:
        assert run(*words).status == first.status, target.read_bytes()[:300]
