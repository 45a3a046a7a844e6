"""A joke that the head has read isn't read again, and nothing else is different."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken, FloatArray, Prompt
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.reader import Reader
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.head_builder import joint_parts, meta, parts, save
from tests.known_calibration import MakeSession
from tests.rating_helpers import JOKE, rate, result_of

OTHER = "My boss told me to have a good day, so I went home."


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that engines have read for their states, in order."""
    texts: list[str] = []
    embed = FakeEngine.embed

    def counted(
        self: FakeEngine, asked: Sequence[str], cancel: CancelToken | None = None, *, prompt: Prompt = ()
    ) -> list[FloatArray]:
        states = embed(self, asked, cancel, prompt=prompt)
        texts.extend(asked)
        return states

    monkeypatch.setattr(FakeEngine, "embed", counted)
    return texts


def head_of(profile: Profile, **changes: object) -> AudienceHead:
    sha256 = FakeEngine().info.sha256
    name = f"{sha256[:16]}.npz"
    return AudienceHead.load(save(profile.heads, parts() | {"meta": meta(model_sha256=sha256, **changes)}, name))


def duel_of(session: Session, a: str, b: str) -> DuelResult:
    result = list(session.duel(a, b, explain=False))[-1].result  # type: ignore[union-attr]
    assert isinstance(result, DuelResult)
    return result


def test_jokes_that_were_rated_cost_a_duel_nothing_and_the_verdict_is_that_of_a_fresh_start(
    make_session: MakeSession, profile: Profile, read: list[str]
) -> None:
    head_of(profile)
    fresh = make_session()
    expected = duel_of(fresh, JOKE, OTHER)
    assert sorted(read) == sorted([JOKE, OTHER])
    read.clear()
    session = make_session()
    first = result_of(rate(session, JOKE))
    result_of(rate(session, OTHER))
    assert read == [JOKE, OTHER]
    found = duel_of(session, JOKE, OTHER)
    turned = duel_of(session, OTHER, JOKE)
    assert result_of(rate(session, JOKE)).audience == first.audience is not None
    assert read == [JOKE, OTHER]
    assert (found.p_a, found.shares, found.audience) == (expected.p_a, expected.shares, expected.audience)
    assert turned.p_a + found.p_a == 1.0


class Findings:
    """Editor's heads that always find the same."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def found(self, *_: object) -> tuple[None, np.ndarray]:
        return None, np.array([1.0, 1.0, 0.0])


def test_a_head_hears_the_editors_heads_that_it_was_fitted_with_and_no_others(tmp_path: Path) -> None:
    head = AudienceHead.load(save(tmp_path, joint_parts("0123abcd")))
    found = {}
    for name, editor in {"its own": Findings("0123abcd"), "others": Findings("ffff0000"), "none": None}.items():
        reader = Reader(FakeEngine(), head, editor)  # type: ignore[arg-type]
        features = reader.read(JOKE).features
        found[name] = (reader.version, features.scores)
    assert found["others"] == found["none"]
    assert found["its own"][0] == head.version
    assert found["others"][0] not in ("", head.version)
    assert found["its own"][1][0] != found["others"][1][0]
    assert found["its own"][1][1:] == found["others"][1][1:]


def test_curly_and_straight_marks_are_one_to_the_heads(make_session: MakeSession, profile: Profile) -> None:
    head_of(profile)
    session = make_session()
    curly = "“I’m fine,” said the boss. It’s the others who aren’t."
    straight = "\"I'm fine,\" said the boss. It's the others who aren't."
    first, second = (result_of(rate(session, text)) for text in (curly, straight))
    assert first.text == curly
    assert first.audience == second.audience
    assert duel_of(session, curly, straight).winner == "tie"
