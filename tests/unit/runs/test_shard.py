"""Parts of a run: each row in exactly one of them, and put together again only if they belong together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.batch.contest import ContestFile, contest
from jokejudge_gui.batch.lines import Shard
from jokejudge_gui.batch.merge import merge
from jokejudge_gui.core.errors import InputError, UsageError
from jokejudge_gui.core.events import Finished
from jokejudge_gui.judge.contest.record import ContestRequest, ContestResult
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession

JOKES = tuple(f"A horse of {number} words walks into a bar." for number in range(12))


def ranked(session: Session, texts: tuple[str, ...], path: Path) -> tuple[ContestResult, int]:
    """The ranking, and the bytes that it added to the file."""
    file = ContestFile(path, "")
    before = file.size
    events = list(contest(session, ContestRequest.of_texts(texts, budget=0), file))
    file.close()
    assert isinstance(events[-1], Finished)
    assert isinstance(events[-1].result, ContestResult)
    return events[-1].result, file.size - before


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_every_row_is_in_exactly_one_part(parts: int) -> None:
    shards = [Shard.parse(f"{k}/{parts}") for k in range(1, parts + 1)]
    for name in (*JOKES, None, ""):
        assert sum(shard.holds(name) for shard in shards) == 1


def test_two_parts_read_what_one_run_reads_and_rank_the_same(make_session: MakeSession, tmp_path: Path) -> None:
    session = make_session()
    whole, _ = ranked(session, JOKES, tmp_path / "whole.jsonl")
    parts = []
    for k in (1, 2):
        shard = Shard(k, 2)
        parts.append(tmp_path / f"part{k}.jsonl")
        ranked(session, tuple(joke for joke in JOKES if shard.holds(joke)), parts[-1])
    assert merge(parts, tmp_path / "all.jsonl") == (12, 0)

    def rows(path: Path) -> set[str]:
        return set(path.read_text(encoding="utf-8").splitlines())

    assert rows(tmp_path / "all.jsonl") == rows(tmp_path / "whole.jsonl")
    merged, added = ranked(session, JOKES, tmp_path / "all.jsonl")
    assert added == 0
    assert [(e.id, e.score, e.rank, e.rank_low) for e in merged.entries] == [
        (e.id, e.score, e.rank, e.rank_low) for e in whole.entries
    ]


HEAD: dict[str, object] = {"id": None, "run": "rate", "program": "1", "error": None}


def lines(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in (HEAD, *rows)), encoding="utf-8")
    return path


def test_an_answer_goes_before_an_error_of_the_same_row(tmp_path: Path) -> None:
    model = {"sha256": "ab"}
    one = lines(tmp_path / "1.jsonl", {"id": "a", "model": None, "error": {"code": "E_X"}})
    other = lines(tmp_path / "2.jsonl", {"id": "a", "model": model, "error": None}, {"id": "b", "error": None})
    assert merge([one, other], tmp_path / "all.jsonl") == (2, 1)
    told = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert told == [HEAD, {"id": "a", "model": model, "error": None}, {"id": "b", "error": None}]


def test_a_last_line_that_was_cut_off_is_passed_over_and_anything_else_refused(tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    lines(cut, {"id": "a", "error": None})
    cut.write_text(cut.read_text(encoding="utf-8") + '{"id": "b", "err', encoding="utf-8")
    assert merge([cut], tmp_path / "all.jsonl") == (1, 0)
    notes = tmp_path / "notes.txt"
    notes.write_text("My notes.\n", encoding="utf-8")
    with pytest.raises(InputError, match="Line 1"):
        merge([notes], tmp_path / "more.jsonl")
    with pytest.raises(InputError, match="isn't of a run"):
        merge([tmp_path / "missing.jsonl"], tmp_path / "more.jsonl")


@pytest.mark.parametrize(
    ("name", "words"), [("build", "build of the program"), ("plan", "plan of what is asked"), ("heads", "heads")]
)
def test_parts_that_were_made_otherwise_are_not_mixed(tmp_path: Path, name: str, words: str) -> None:
    made = {"build": "b", "plan": "p", "heads": "h"}
    one = lines(tmp_path / "1.jsonl", {"id": "a", "error": None, "made_by": made})
    other = lines(tmp_path / "2.jsonl", {"id": "b", "error": None, "made_by": {**made, name: "x"}})
    with pytest.raises(UsageError, match=f"another {words}"):
        merge([one, other], tmp_path / "all.jsonl")
