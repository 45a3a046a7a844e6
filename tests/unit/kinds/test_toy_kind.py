"""A kind that is added by its own file and one line of the registry: it runs, is kept, shown, exported and voted on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.cli.console import Console
from jokejudge_gui.cli.running import show_verdict
from jokejudge_gui.core.events import Finished
from jokejudge_gui.history.export import export
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.kinds import KINDS, REGISTRY
from jokejudge_gui.learning.taste import cast_vote, taste_of
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession
from tests.unit.kinds.toy_kinds import COUNT, CountRequest, CountResult


@pytest.fixture
def session(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setitem(REGISTRY, COUNT.name, COUNT)
    return make_session()


def count(session: Session, text: str) -> CountResult:
    *_, last = session.run(COUNT, CountRequest(text=text))
    assert isinstance(last, Finished)
    assert isinstance(last.result, CountResult)
    return last.result


def test_it_gets_a_row_that_can_be_found_and_opened(session: Session) -> None:
    result = count(session, "  A horse walks in.  ")
    (row,) = session.store.search(HistoryQuery(text="horse", kinds=("count",)))
    assert (row.id, row.kind, [subject.text for subject in row.subjects]) == (result.id, "count", ["A horse walks in."])
    assert row.glance == COUNT.glance(result)
    assert session.store.get(result.id).result == result


@pytest.mark.parametrize("name", ["verdicts.csv", "verdicts.jsonl", "verdicts.md", "verdicts.html"])
def test_it_is_exported_beside_the_others(session: Session, tmp_path: Path, name: str) -> None:
    count(session, "A horse walks in.")
    assert isinstance([*session.rate("A horse walks in.", force=True, explain=False)][-1], Finished)
    path = tmp_path / name
    format = {".csv": "csv", ".jsonl": "jsonl", ".md": "markdown", ".html": "html"}[path.suffix]
    assert export(session.store.entries(), format, path, KINDS) == 2  # type: ignore[arg-type]
    written = path.read_text(encoding="utf-8-sig")
    assert "A horse walks in." in written
    if name == "verdicts.csv":
        header = written.splitlines()[0].replace('"', "").split(",")
        assert {"words", "mean_score", "winner"} <= set(header)
    if name == "verdicts.jsonl":
        assert sorted(json.loads(line)["kind"] for line in written.splitlines()) == ["count", "rate"]
        assert [json.loads(line).get("words") for line in written.splitlines()].count(4) == 1


def test_the_terminal_prints_it(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    result = count(session, "A horse walks in.")
    show_verdict(Console(), result)
    shown = capsys.readouterr().out
    assert "4 words" in shown
    assert "A horse walks in." in shown
    assert result.id in shown


def test_it_is_voted_on_with_its_own_choices(session: Session) -> None:
    result = count(session, "A horse walks in.")
    vote = cast_vote(session.store, result.id, "many")
    assert (vote.kind, vote.choice, vote.value) == ("count", "many", 4.0)
    assert session.model is not None
    assert taste_of(session.store, session.model.sha256).votes == 1


def test_a_verdict_says_what_it_was_made_with(make_session: MakeSession) -> None:
    session = make_session()
    *_, last = session.run(COUNT, CountRequest(text="one two three"), record=False)
    assert isinstance(last, Finished)
    assert isinstance(last.result, CountResult)
    assert last.result.words == 3
    assert last.result.model == session.model
    assert last.result.criteria_version
    assert last.result.usage.tokens_evaluated > 0


def test_deep_mode_is_not_claimed(make_session: MakeSession) -> None:
    session = make_session()
    *_, last = session.run(COUNT, CountRequest(text="one two", mode="deep"), record=False)
    assert isinstance(last, Finished)
    assert last.result is not None
    assert last.result.warnings == ("Deep mode does no more than quick mode here.",)
