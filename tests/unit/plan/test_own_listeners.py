"""Listeners of the user's own: measured by themselves, asked where they are told apart, and otherwise greyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jokejudge_gui.core.events import Finished, StageProgress
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.verdicts import ListenerVoice
from jokejudge_gui.judge.plan.listeners import LISTENERS_UNMEASURED as UNMEASURED
from jokejudge_gui.judge.plan.listeners import OWN, SAME, UNMEASURED_OWN, ListenerWorth, ListenerWorths
from jokejudge_gui.judge.plan.worth import ItemWorth, Plan, PlanFiles, ProseFigures, Worth
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.listeners import listener_in_words
from jokejudge_gui.rubric.audiences import described, parse_audiences
from jokejudge_gui.rubric.own_file import OwnFile
from tests.rating_helpers import JOKE, pun, result_of

if TYPE_CHECKING:
    from jokejudge_gui.core.paths import Profile
    from jokejudge_gui.session.session import Session
    from tests.known_calibration import MakeSession

SHIPPED = parse_audiences()
LIKES = ("The waiter brought the coffee and his contempt.", "The tram is late, but so is the emperor.")
VIENNA = {"name": "Viennese", "description": "people who know Vienna", "likes": "\n".join(LIKES)}
BEES = "people who keep bees"


def knows_vienna(prompt: str, question: str, label: str) -> float:
    """A model that knows what people in Vienna laugh at, and what beekeepers do; all others are anyone to it."""
    if "Listener:" not in question:
        return pun(prompt, question, label)
    known = "Vienna" in question or "bees" in question
    laughs = 3.0 if "Vienna" in question and any(text in prompt for text in LIKES) else 0.0
    laughs += 0.05 * (len(prompt) % 7) * (SHIPPED.anyone[1] in question)
    laughs += 0.8 * (len(prompt) % 5) * known
    return laughs if ("yes" in label.lower()) != ("cold" in question) else 0.0


def voices(session: Session, *wanted: str, explain: bool = True) -> dict[str, ListenerVoice]:
    found = result_of(list(session.ask(RATING, (JOKE,), listeners=wanted, explain=explain)))
    return {voice.name: voice for voice in found.listeners}


def measure(session: Session, *wanted: str) -> int:
    """How many texts that took."""
    *events, last = session.measure_listeners(wanted)
    assert isinstance(last, Finished), last
    return sum(isinstance(event, StageProgress) for event in events)


def test_a_listener_of_ones_own_is_measured_by_itself_and_then_asked(
    make_session: MakeSession, profile: Profile
) -> None:
    OwnFile(profile.criteria).set_item("listener", "vienna", VIENNA, new=True)
    session = make_session(knows_vienna)
    assert voices(session, "viennese")["Viennese"].reason == UNMEASURED
    texts = sum(len(each.likes) for each in SHIPPED.listeners) + len(LIKES)
    assert measure(session, "viennese") == 60 + texts
    found = voices(session, "viennese", "family")
    assert found["Viennese"].p is not None
    assert found["Viennese"].id == "vienna"
    assert found["Family"].reason == UNMEASURED  # those that ship were left as they were
    assert measure(session) == 60 + texts - len(LIKES) + 60 + texts
    assert voices(session, "family")["Family"].reason == SAME


def test_a_changed_listener_is_to_be_measured_anew_and_no_other_one(
    make_session: MakeSession, profile: Profile
) -> None:
    own = OwnFile(profile.criteria)
    own.set_item("listener", "vienna", VIENNA, new=True)
    session = make_session(knows_vienna)
    measure(session)
    own.set_item("listener", "vienna", {"description": "tourists in Vienna"})
    list(session.take_up_criteria())
    assert voices(session, "viennese")["Viennese"].reason == UNMEASURED_OWN
    own.set_item("listener", "vienna", {"description": VIENNA["description"], "name": "From Vienna"})
    list(session.take_up_criteria())
    assert voices(session, "from vienna")["From Vienna"].p is not None


def test_a_model_that_answers_against_the_texts_is_not_asked(make_session: MakeSession, profile: Profile) -> None:
    own = OwnFile(profile.criteria)
    own.set_item("listener", "keepers", {"name": "Keepers", "description": BEES, "likes": "a\nb"}, new=True)
    session = make_session(knows_vienna)
    measure(session, "keepers")
    assert "don't match" in voices(session, "keepers")["Keepers"].reason


def test_who_is_only_described_needs_a_model_that_tells_listeners_and_a_measurement(
    make_session: MakeSession, profile: Profile
) -> None:
    session = make_session(knows_vienna)
    list(session.load())
    assert voices(session, BEES)[BEES].reason == UNMEASURED
    measure(session, BEES)  # those that ship with it: without them nothing could be said
    assert voices(session, BEES)[BEES].reason == OWN
    judge = session.judge
    assert judge is not None
    files, version = judge._listeners, judge.listener_asker.version
    assert files is not None
    told = {each.id: ListenerWorth(ratio=3.0, area=0.9, low=0.8) for each in SHIPPED.listeners}
    files.save(ListenerWorths(model_sha256=judge.model.sha256, version=version, texts=60, worth=told))
    assert voices(session, BEES)[BEES].p is not None
    assert voices(session, "people at sea")["people at sea"].reason == UNMEASURED_OWN
    assert described(BEES).key in files.load_own(judge.model.sha256, version)


def test_a_damaged_measurement_counts_as_none(make_session: MakeSession, profile: Profile) -> None:
    OwnFile(profile.criteria).set_item("listener", "vienna", VIENNA, new=True)
    session = make_session(knows_vienna)
    measure(session, "vienna")
    (path,) = profile.listeners.glob("*-own.json")
    path.write_text("[" * 50_000)
    assert voices(session, "vienna")["Viennese"].reason == UNMEASURED


def test_a_model_that_passed_the_prose_test_says_why(make_session: MakeSession, profile: Profile) -> None:
    OwnFile(profile.criteria).set_item("listener", "vienna", VIENNA, new=True)

    def write(prompt: str, branch: str) -> str:
        return " “broke my arm” happens to everyone there. More." if "Vienna" in branch else " it breaks"

    session = make_session(knows_vienna, write=write)
    measure(session, "vienna")
    assert not voices(session, "vienna")["Viennese"].why
    assert session.judge is not None
    sha256 = session.judge.model.sha256
    worth = Worth(value=0.9, low=0.8, high=1.0, n=30)
    figures = ProseFigures(texts=30, turn=0.9, alike=1, echoes=0, contradictions=0, broken=0)
    prose = ItemWorth(
        kind="prose", id="prose", measured="share", asked=worth, tokens=1, prose=figures,
        question=session.judge.questions.prose,
    )  # fmt: skip
    PlanFiles(models_dir() / "plans", profile.plans).save(Plan(model_sha256=sha256, texts=30, items=(prose,)))
    session.judge.plan_again()
    assert session.judge.writes
    voice = voices(session, "vienna")["Viennese"]
    assert voice.why == "“broke my arm” happens to everyone there."
    assert "Its reason: “broke my arm” happens to everyone there" in listener_in_words(voice)
    assert not voices(session, "vienna", explain=False)["Viennese"].why
