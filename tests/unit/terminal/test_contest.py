"""``jokejudge contest`` as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
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


def test_the_same_command_goes_on_and_more_jokes_are_added(run: Run, jokes: str, tmp_path: Path) -> None:
    out = str(tmp_path / "run.jsonl")
    assert run("contest", jokes, "--out", out).status == 0
    size = Path(out).stat().st_size
    assert run("contest", jokes, "--out", out).status == 0
    assert Path(out).stat().st_size == size


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a", "b"),
        ("LIST", "--out", "x.docx"),
        ("LIST", "--out", "a.jsonl", "--out", "b.jsonl"),
        ("LIST", "--out", "-"),
        ("LIST", "--rounds", "21"),
        ("LIST", "--shard", "1/2"),
        ("LIST", "--shard", "5/2", "--out", "o.jsonl"),
        ("LIST", "--rounds", "2", "--shard", "1/2", "--out", "x.jsonl"),
        ("--resume", "last", "--generator", "Qwen 3"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(run: Run, jokes: str, arguments: tuple[str, ...]) -> None:
    found = run("contest", *(jokes if word == "LIST" else word for word in arguments))
    assert found.status == 2
    assert found.err


def test_a_contest_goes_on_as_the_call_says_and_else_as_it_was(
    run: Run, stage: Any, jokes: str, tmp_path: Path
) -> None:
    begun = ("--topic", "shoes", "--title", "Friday set", "--top", "2", "--ask", "all", "--duels", "1")
    assert run("contest", jokes, *begun).status == 0
    first = stage.asked[-1].request
    assert run("contest", "--resume", "last").status == 0
    again = stage.asked[-1].request
    names = ("context", "title", "top", "budget", "shuffled", "mode", "seed", "ask", "explain", "entries")
    for name in names:
        assert getattr(again, name) == getattr(first, name), name
    more = tmp_path / "more.txt"
    more.write_text("A horse walks into a bar.\n", encoding="utf-8")
    changed = ("--topic", "horses", "--title", "Monday", "--top", "1", "--mode", "deep", "--ask", "plan")
    found = run("contest", str(more), "--resume", "last", *changed, "--generator", "Qwen 3", "--no-explain")
    assert found.status == 0, found.err
    other = stage.asked[-1].request
    assert [getattr(other, name) for name in names] == [
        "horses", "Monday", 1, 1, first.shuffled, "deep", first.seed, "plan", False, other.entries,
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
