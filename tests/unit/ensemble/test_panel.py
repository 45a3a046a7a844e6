"""A panel of models over fake engines."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import EngineError, ModelError
from jokejudge_gui.core.events import Event, Failed, Finished, ModelReady
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import DuelResult
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.types import ContestRequest
from jokejudge_gui.judge.duel.kind import DUEL, DuelRequest
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.session.panels import LoadedModels
from jokejudge_gui.session.session import Session
from tests.fake_engine import Bias, FakeEngine
from tests.known_calibration import known
from tests.rating_helpers import pun

A = "I bought shoes from a drug dealer. I was tripping all day."
B = "My cat is a good listener. It never listens."


def loud(better: str, by: float) -> Bias:
    """A model that finds one text the funnier by so much."""

    def bias(prompt: str, question: str, label: str) -> float:
        if "Funnier" in question:
            named = "1" if f"Joke 1: {better}" in prompt else "2"
            return by if named in label else 0.0
        return pun(prompt, question, label)

    return bias


MakePanel = Callable[..., Session]


@pytest.fixture
def make_panel(profile: Profile) -> Iterator[MakePanel]:
    sessions: list[Session] = []

    def make(
        *, panels: dict[str, list[str]] | None = None, model: str | None = None, memory: int = 4 * 10**9, **members: Any
    ) -> Session:
        def load(_file: object, settings: Settings, _cancel: object) -> FakeEngine:
            name = settings.model or "single"
            engine = members.get(name)
            if isinstance(engine, Exception):
                raise engine
            fake = FakeEngine(engine or pun, name=name, sha256=hashlib.sha256(name.encode()).hexdigest())
            files = MeasuredFiles(Path("nowhere"), profile.models)
            files.save_calibration(known(MainJudge(fake, files)))
            return fake

        together = list(members) if panels is None else []
        settings = Settings(together=together, panels=panels or {}, model=model, panel_memory_bytes=memory)
        session = Session(profile, settings, loader=load)
        sessions.append(session)
        return session

    yield make
    for session in sessions:
        session.close()


def last(events: Iterator[Event]) -> Any:
    found = list(events)[-1]
    assert isinstance(found, Finished), found
    return found.result


def test_the_models_answer_one_by_one_and_their_verdicts_are_children_of_the_panels_row(make_panel: MakePanel) -> None:
    session = make_panel(one=pun, other=pun)
    result: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
    assert result.panel is not None
    assert [member.model.name for member in result.panel.members] == ["one", "other"]
    assert result.model is not None
    assert result.model.name == "one + other"
    rows = session.store.search(HistoryQuery())
    assert [(row.id, row.kind) for row in rows] == [(result.id, "rate")]
    children = session.store.search(HistoryQuery(parent=result.id))
    assert {row.id for row in children} == {member.verdict for member in result.panel.members}
    kept = session.store.get(result.id).result
    assert kept == result


def test_a_panel_of_like_models_says_what_one_of_them_says(make_panel: MakePanel) -> None:
    single: RatingResult = last(make_panel(panels={}).run(RATING, RatingRequest(text=A), record=False))
    panel: RatingResult = last(make_panel(one=pun, other=pun).run(RATING, RatingRequest(text=A), record=False))
    assert panel.admissible == single.admissible
    assert panel.mean_score == pytest.approx(single.mean_score)
    assert [factor.id for factor in panel.factors] == [factor.id for factor in single.factors]


def test_models_that_disagree_in_a_duel_are_told_apart_and_a_swapped_duel_mirrors(make_panel: MakePanel) -> None:
    session = make_panel(one=loud(A, 3.0), other=loud(A, 2.0), third=loud(B, 0.5))
    found: DuelResult = last(session.run(DUEL, DuelRequest(text_a=A, text_b=B)))
    swapped: DuelResult = last(session.run(DUEL, DuelRequest(text_a=B, text_b=A)))
    assert (found.winner, swapped.winner) == ("A", "B")
    assert found.p_a is not None
    assert swapped.p_a == 1.0 - found.p_a
    assert found.confidence_factor == swapped.confidence_factor
    assert found.panel is not None
    verdict = next(each for each in found.panel.dissent if each.voice == "verdict")
    assert (verdict.finding, verdict.agree, verdict.of) == ("A is funnier", 2, 3)
    assert 1.0 <= found.panel.votes < 3.0


def test_the_order_of_the_models_changes_nothing(make_panel: MakePanel) -> None:
    one: DuelResult = last(make_panel(x=loud(A, 3.0), yy=loud(B, 1.0)).run(DUEL, DuelRequest(text_a=A, text_b=B)))
    two: DuelResult = last(make_panel(yy=loud(B, 1.0), x=loud(A, 3.0)).run(DUEL, DuelRequest(text_a=A, text_b=B)))
    assert one.p_a == pytest.approx(two.p_a)
    assert one.model is not None
    assert two.model is not None
    assert one.model.sha256 == two.model.sha256


def test_a_named_panel_is_chosen_as_a_model_is(make_panel: MakePanel) -> None:
    session = make_panel(panels={"both": ["one", "other"]}, model="both")
    result: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
    assert result.model is not None
    assert result.model.name == "both (one + other)"
    assert list(session.load("one"))[-1] == Finished()
    single: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
    assert single.panel is None


def test_a_model_that_can_not_be_loaded_fails_the_panel_and_the_next_verdict_may_go_on(make_panel: MakePanel) -> None:
    session = make_panel(one=pun, other=ModelError("E_MODEL_MISSING", "It is gone.", "Choose another."))
    end = list(session.run(RATING, RatingRequest(text=A)))[-1]
    assert isinstance(end, Failed)
    assert end.error.code == "E_MODEL_MISSING"


def test_a_text_that_one_model_can_not_read_is_judged_by_the_others(
    make_panel: MakePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make_panel(one=pun, other=pun)
    assert list(session.load())[-1] == Finished()
    plain = FakeEngine.choose

    def choose(self: FakeEngine, *args: Any, **options: Any) -> Any:
        if self.info.name == "other":
            raise EngineError("E_CONTEXT", "The text is too long for this model.", "Shorten it.")
        return plain(self, *args, **options)

    monkeypatch.setattr(FakeEngine, "choose", choose)
    result: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
    assert result.panel is not None
    assert [member.error is None for member in result.panel.members] == [True, False]
    assert any("other has no verdict" in warning for warning in result.warnings)


def test_a_contest_needs_one_model_and_says_so(make_panel: MakePanel) -> None:
    session = make_panel(one=pun, other=pun)
    end = list(session.run(CONTEST, ContestRequest.model_construct()))[-1]
    assert isinstance(end, Failed)
    assert end.error.code == "E_PANEL_KIND"


@pytest.mark.parametrize(("members", "code"), [(["one"], "E_PANEL_SIZE"), (["one", "One"], "E_PANEL_TWICE")])
def test_what_is_no_panel_is_refused(make_panel: MakePanel, members: list[str], code: str) -> None:
    end = list(make_panel(panels={"few": members}, model="few").run(RATING, RatingRequest(text=A)))[-1]
    assert isinstance(end, Failed)
    assert end.error.code == code


def test_only_the_writers_own_kin_is_cautioned_about(make_panel: MakePanel) -> None:
    text = RatingRequest(text=A, generator="Qwen 2.5 7B")
    kin: RatingResult = last(make_panel(qwen=pun, qwen_coder=pun).run(RATING, text))
    mixed: RatingResult = last(make_panel(qwen=pun, llama=pun).run(RATING, text))
    alone: RatingResult = last(make_panel(panels={}, model="qwen").run(RATING, text))
    assert any("same family" in warning for warning in kin.warnings)
    assert any("the only judge" in warning for warning in alone.warnings)
    assert not any("same family" in warning for warning in mixed.warnings)
    assert RATING.request_of(kin).generator == "Qwen 2.5 7B"


def test_loaded_models_never_take_more_than_the_budget_and_stay_where_it_holds_them() -> None:
    opened: list[str] = []
    held: set[str] = set()
    most = 0

    def open_engine(spec: str, _cancel: object) -> Generator[Event, None, Any]:
        nonlocal most
        opened.append(spec)
        held.add(spec)
        most = max(most, sum(size[each] for each in held))
        engine = FakeEngine(name=spec)
        engine.close = lambda: held.discard(spec)  # type: ignore[method-assign]
        return engine
        yield

    size = {"small": 1, "middle": 2, "large": 4}
    loaded = LoadedModels(
        open_engine,
        lambda engine: MainJudge(engine, MeasuredFiles(Path("x"), Path("y"))),
        size.get,  # type: ignore[arg-type]
        4,
    )
    for spec in ("small", "middle", "small", "large", "small", "middle"):
        list(loaded.judge(spec, None))
    assert opened == ["small", "middle", "large", "small", "middle"]
    assert most <= 4
    size["huge"] = 5
    with pytest.raises(ModelError) as refused:
        loaded.check(["small", "huge"])
    assert refused.value.code == "E_PANEL_MEMORY"
    loaded.close()
    assert not held


def test_a_deep_verdict_of_a_panel_stays_deep(make_panel: MakePanel) -> None:
    session = make_panel(one=pun, other=pun)
    result: RatingResult = last(session.run(RATING, RatingRequest(text=A, mode="deep", seed=5, ask="all")))
    stored = session.store.get(result.id)
    assert (stored.mode, stored.seed) == ("deep", 5)
    assert stored.result is not None
    again = RATING.request_of(stored.result)
    assert (again.mode, again.seed, again.ask) == ("deep", 5, "all")


def versions_of(session: Session, result: RatingResult) -> set[str]:
    """The criteria that the panel and each of its models judged by."""
    children = session.store.search(HistoryQuery(parent=result.id))
    found = [session.store.get(row.id).result for row in children]
    return {result.criteria_version, *(each.criteria_version for each in found if each is not None)}


def test_a_panel_takes_up_changed_criteria_and_not_before_it_is_asked_to(
    make_panel: MakePanel, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = LoadedModels.__init__

    def small(self: LoadedModels, open_engine: Any, judge_of: Any, _need: Any, budget: int) -> None:
        made(self, open_engine, judge_of, lambda _spec: 10**9, budget)

    monkeypatch.setattr(LoadedModels, "__init__", small)
    session = make_panel(one=pun, other=pun, memory=15 * 10**8)  # one model at a time
    before = versions_of(session, last(session.run(RATING, RatingRequest(text=A))))
    OwnFile(profile.criteria).set_weights({"surprise": 1.0})
    assert session.criteria_changed
    assert versions_of(session, last(session.run(RATING, RatingRequest(text=A)))) == before
    assert list(session.take_up_criteria())[-1] == Finished()
    assert not session.criteria_changed
    after = versions_of(session, last(session.run(RATING, RatingRequest(text=A))))
    assert len(before) == len(after) == 1
    assert before != after


@pytest.mark.parametrize("damaged", ["one", "other"])
def test_a_damaged_head_is_told_beside_its_own_model_in_every_verdict(
    make_panel: MakePanel, profile: Profile, damaged: str
) -> None:
    head = profile.heads / f"{hashlib.sha256(damaged.encode()).hexdigest()[:16]}.npz"
    head.parent.mkdir(parents=True)
    head.write_bytes(b"PK\x03\x04 cut off")
    session = make_panel(one=pun, other=pun)
    ready = next(event for event in session.load() if isinstance(event, ModelReady))
    assert head.name in ready.note
    for _ in range(2):
        result: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
        assert [each.split(":")[0] for each in result.warnings if head.name in each] == [damaged]
        assert result.panel is not None
        for member in result.panel.members:
            own = session.store.get(member.verdict).result
            assert own is not None
            assert any(head.name in warning for warning in own.warnings) == (member.model.name == damaged)


def test_a_panel_that_fails_to_load_leaves_the_model_that_was_there(make_panel: MakePanel) -> None:
    session = make_panel(panels={"both": ["one", "other"]}, other=ModelError("E_MODEL_MISSING", "It is gone.", "No."))
    assert list(session.load("one"))[-1] == Finished()
    end = list(session.load("both"))[-1]
    assert isinstance(end, Failed)
    assert session.model is not None
    assert session.model.name == "one"
    result: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
    assert result.model == session.model
    assert result.panel is None


def test_a_panel_that_could_not_be_loaded_is_no_model(make_panel: MakePanel) -> None:
    session = make_panel(one=pun, other=ModelError("E_MODEL_MISSING", "It is gone.", "Choose another."))
    assert isinstance(list(session.run(RATING, RatingRequest(text=A)))[-1], Failed)
    assert session.model is None
