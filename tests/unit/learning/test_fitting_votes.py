"""The votes that a head is fitted on: those that ship, the user's own, and the session that fits with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.events import Finished, Last
from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.core.vote_sets import shipped_votes
from jokejudge_gui.learning.fitting import HeadRemoved, HeadReport
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.wit_engine import RATED, WitEngine, texts


def test_the_votes_that_ship_are_whole_and_credited() -> None:
    votes = shipped_votes()
    assert len(votes.ratings) == 731
    assert all(1.0 <= rated.value <= 5.0 for rated in votes.ratings)
    readme = (models_dir() / "votes" / "README.md").read_text(encoding="utf-8")
    assert "MIT License" in readme
    assert "Copyright (c) 2024 Aleksey Tikhonov" in readme
    assert "altsoph/humor-mechanics" in readme
    assert votes.credit == "altsoph/humor-mechanics, MIT"
    assert [path.name for path in (models_dir() / "votes").glob("*.csv")] == ["humor_mechanics.csv"], (
        "no other may ship"
    )


HARM: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda _data: None,
    "no text": lambda data: data.replace(b"funniness", b"fun", 1),
    "no number": lambda data: data.replace(b",3.2,", b",nan,", 1),
    "not text": lambda _data: b"id,text,funniness\n1,\xff\xfe,2\n",
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_damaged_votes_are_one_sentence(tmp_path: Path, harm: Callable[[bytes], bytes | None]) -> None:
    data = harm((models_dir() / "votes" / "humor_mechanics.csv").read_bytes())
    if data is not None:
        (tmp_path / "humor_mechanics.csv").write_bytes(data)
    with pytest.raises(ModelError) as raised:
        shipped_votes(tmp_path)
    assert raised.value.code == "E_FILE_DAMAGED"
    assert raised.value.hint


# -- the user's own votes --------------------------------------------------------------------------------------------


def test_a_rating_after_a_fit_is_told_by_the_new_heads_card_and_after_its_removal_by_the_old_ones(
    monkeypatch: pytest.MonkeyPatch, profile: Profile, tmp_path: Path
) -> None:
    engine = WitEngine()
    column = {"head": {"all": [0.55, 0.5, 0.6]}, "head without this set": {"all": [0.51, 0.5, 0.52]}}
    card = {"model": {"sha256": engine.info.sha256, "name": "fake"}, "figures": {"ukp": {"agreement": column}}}
    (tmp_path / "models" / "cards").mkdir(parents=True)
    (tmp_path / "models" / "cards" / f"{engine.info.sha256[:16]}.json").write_text(json.dumps(card), encoding="utf-8")
    monkeypatch.setattr("jokejudge_gui.session.session.models_dir", lambda: tmp_path / "models")
    session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine)
    events = list(session.fit((RATED,), shipped=False))
    (kept,) = [event.kept for event in events if isinstance(event, HeadReport)]
    assert kept
    assert isinstance(events[-1], Finished)
    assert sum(isinstance(event, Last) for event in events) == 1

    def heard(of: Session) -> object:
        last = finished(of.rate(texts(200)[190], force=True, explain=False, record=False))
        return last.audience

    at_once = heard(session)
    again = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine)
    assert at_once == heard(again)
    assert at_once.heard  # type: ignore[attr-defined]
    events = list(session.remove_head())
    assert [(e.removed, e.in_use) for e in events if isinstance(e, HeadRemoved)] == [(True, "none")]
    assert session.judge.head is None
    assert session.judge.reader.agreements.unknown is not None
    session.close()
    again.close()
