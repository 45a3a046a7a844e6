"""Answer words: a model is asked with those that order texts kept apart, and with yes and no where none do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.verdicts import DuelResult, RatingResult
from jokejudge_gui.core.vote_sets import Rated, shipped_votes
from jokejudge_gui.engine.base import CancelToken, Choice, Prompt, Question, Segment
from jokejudge_gui.judge.asking.questions import LogOdds, yes_no
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan import answer_words as verbalisers
from jokejudge_gui.judge.plan.answer_words import (
    TEXTS,
    FormPower,
    Measured,
    alone_words,
    choose_words,
    extremes,
    signed_d_prime,
    words_from,
    words_from_checks,
)
from jokejudge_gui.judge.plan.calibration import Calibration, CalibrationFiles
from jokejudge_gui.learning.trust_cards import asked_line, asked_words
from jokejudge_gui.session.session import Session
from tests.fake_engine import Bias, FakeEngine
from tests.known_calibration import MakeSession

RATINGS = {row.text: row.value for row in shipped_votes().ratings}
FUNNY_BORING = "Is it (funny) or (boring)?"
PLAIN = "Is it funny?"


def knows(form: str, words: Sequence[str]) -> Bias:
    """A model that gives people's rating away when asked in ``form``, and in no other."""

    def bias(prompt: str, question: str, label: str) -> float:
        rating = RATINGS.get(prompt.rpartition("Text: ")[2], 2.6)
        return 3.0 * (rating - 2.6) if form in question and label.strip() in words else 0.0

    return bias


class Mumbling(FakeEngine):
    """Gives questions that hold ``unanswered`` hardly any label mass."""

    def __init__(self, unanswered: str, bias: Bias) -> None:
        super().__init__(bias)
        self._unanswered = unanswered

    def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> list[Choice]:
        found = super().choose(prompt, questions, cancel)
        asked = ["".join(segment.text for segment in question.suffix) for question in questions]
        return [
            Choice(tuple(value - 3.0 for value in choice.logprobs), 0.9 * 0.05) if self._unanswered in text else choice
            for text, choice in zip(asked, found, strict=True)
        ]


def judge_of(engine: FakeEngine, folder: Path) -> MainJudge:
    return MainJudge(engine, CalibrationFiles(Path("nowhere"), folder))


def form_of(engine: FakeEngine, folder: Path) -> str:
    (*_, words) = alone_words(judge_of(engine, folder).measure)
    assert words is not None
    return words.form


def ended(session: Session, a: str, b: str) -> DuelResult:
    last = list(session.duel(a, b, explain=False))[-1]
    assert isinstance(last, Finished), last
    assert isinstance(last.result, DuelResult)
    return last.result


def power(form: str, first: float, second: float, *, over: float = 0.0, error: float = 0.1, **more: float) -> FormPower:
    """A form that orders ``first`` and ``second`` of the pairs of either half, ``over`` more than the default."""
    return FormPower(
        form=form,
        mass=more.get("mass", 1.0),
        answered=more.get("answered", 1.0),
        power=(Measured(value=first, error=error), Measured(value=second, error=error)),
        gain=(Measured(value=over, error=error), Measured(value=over, error=error)),
    )


# -- a whole calibration ---------------------------------------------------------------------------------------------


def test_a_model_whose_yes_means_nothing_is_asked_with_the_words_that_do(make_session: MakeSession) -> None:
    asked: list[str] = []

    def listening(prompt: str, question: str, label: str) -> float:
        asked.append(question)
        return knows(FUNNY_BORING, ["funny", "Funny"])(prompt, question, label)

    session = make_session(listening, calibrated=False)
    ended(session, "one joke", "another joke")
    assert session.judge is not None
    words = session.judge.calibration.alone_words
    assert words is not None
    assert (words.form, words.named, words.texts) == ("funny/boring", ("funny/boring",) * 2, TEXTS)
    assert words.apart.value > 0.9 > 0.7 > words.default.value
    asked.clear()
    ended(session, "one joke", "a third joke")
    assert any(FUNNY_BORING in question for question in asked)
    assert not any(PLAIN in question for question in asked)


@pytest.mark.parametrize(("known", "far"), [(FUNNY_BORING, True), (PLAIN, False)])
def test_a_duels_figures_are_measured_in_the_chosen_form(make_session: MakeSession, known: str, far: bool) -> None:
    knowing = knows(known, ["funny", "Funny", "yes", "Yes"])

    def bias(prompt: str, question: str, label: str) -> float:
        text = prompt.rpartition("Text: ")[2]
        if text in RATINGS or FUNNY_BORING not in question or "unny" not in label:
            return knowing(prompt, question, label)
        return 10.0 * (len(text) % 2)

    session = make_session(bias, calibrated=False)
    ended(session, "a", "b")
    assert session.judge is not None
    assert session.judge.calibration.duel is not None
    assert (session.judge.calibration.duel.sd_alone > 3) == far


def test_a_model_without_power_keeps_yes_and_no(make_session: MakeSession) -> None:
    session = make_session(calibrated=False)
    ended(session, "one joke", "another joke")
    assert session.judge is not None
    assert session.judge.calibration.alone_form == "yes/no"
    assert any("none proved better" in text for text in asked_words(session.judge.calibration))


def test_a_model_whose_yes_is_good_keeps_it(tmp_path: Path) -> None:
    assert form_of(FakeEngine(knows(PLAIN, ["yes", "Yes"])), tmp_path) == "yes/no"


def test_a_model_that_has_it_the_wrong_way_round_is_not_believed(tmp_path: Path) -> None:
    assert form_of(FakeEngine(knows(FUNNY_BORING, ["boring", "Boring"])), tmp_path) == "yes/no"


def test_words_that_the_model_hardly_gives_are_not_adopted(tmp_path: Path) -> None:
    bias = knows(FUNNY_BORING, ["funny", "Funny"])
    assert form_of(FakeEngine(bias), tmp_path) == "funny/boring"
    assert form_of(Mumbling(FUNNY_BORING, bias), tmp_path) == "yes/no"


@pytest.mark.parametrize(("a", "b"), [("Two lines meet.", "A book floats."), ("x y", "x z"), ("long " * 50, "short")])
def test_swapped_duels_mirror_exactly_in_another_form(make_session: MakeSession, a: str, b: str) -> None:
    session = make_session(knows(FUNNY_BORING, ["funny", "Funny"]), calibrated=False)
    one, two = ended(session, a, b), ended(session, b, a)
    assert session.judge is not None
    assert session.judge.calibration.alone_form == "funny/boring"
    assert one.p_a is not None
    assert two.p_a == 1.0 - one.p_a
    assert one.confidence_factor == two.confidence_factor


def test_all_forms_are_asked_together_on_one_reading_of_each_text(tmp_path: Path) -> None:
    calls: list[str] = []
    engine = FakeEngine(gate=calls.append)
    judge = judge_of(engine, tmp_path)
    steps = list(alone_words(judge.measure))
    assert len(steps) == TEXTS + 1
    assert calls == ["choose"] * TEXTS


def test_the_default_form_asks_what_was_always_asked(tmp_path: Path) -> None:
    prompts = judge_of(FakeEngine(), tmp_path).prompts
    opening = (Segment("<|assistant|>", constant=True, markup=True), Segment("Is it funny? Answer:", constant=True))
    assert prompts.question(prompts.form("alone", "verdict")) == yes_no(opening)
    assert prompts.question(prompts.form("reading", "check"), {"question": "Is it?"}) == yes_no(
        (opening[0], Segment("Is it? Answer:", constant=True))
    )


def test_without_the_rated_texts_the_default_serves(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged() -> Any:
        raise ModelError("E_VOTES_DAMAGED", "They can't be read.", "Install again.")

    monkeypatch.setattr(verbalisers, "shipped_votes", damaged)
    session = make_session(calibrated=False)
    assert ended(session, "one joke", "another joke").calibrated
    assert session.judge is not None
    assert session.judge.calibration.alone_words is None
    assert session.judge.measure.alone_form is None


# -- checks ----------------------------------------------------------------------------------------------------------


def test_checks_are_asked_with_the_words_that_tell_clear_cases_apart(make_session: MakeSession) -> None:
    asked: list[str] = []
    folder = Path("nowhere")
    contrast = MainJudge(FakeEngine(), CalibrationFiles(folder, folder)).criteria.contrast

    def bias(prompt: str, question: str, label: str) -> float:
        asked.append(question)
        text = prompt.rpartition("Text: ")[2]
        admits = any(start in question for start in ("meant to be", "finished", "acceptable", "make sent", "anyone"))
        if "(True)" not in question or text not in contrast.admissible:
            return 0.0
        return 3.0 if ("rue" in label) == admits else 0.0

    session = make_session(bias, calibrated=False)
    last = list(session.rate("A new joke.", explain=False))[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.result, RatingResult)
    assert session.judge is not None
    calibration = session.judge.calibration
    assert calibration.check_words is not None
    assert calibration.check_form == "true/false"
    assert all(check.d_prime > 1 for check in calibration.checks.values()), "measured in the chosen form"
    asked.clear()
    list(session.rate("Another joke.", explain=False))
    assert any("(True) or (false)?" in question for question in asked)
    assert not any("Is it a finished text? Answer:" in question for question in asked)


def test_checks_without_power_are_asked_as_before(make_session: MakeSession) -> None:
    session = make_session(calibrated=False)
    list(session.rate("A new joke.", explain=False))
    assert session.judge is not None
    assert session.judge.calibration.check_form == "yes/no"


def test_d_prime_of_checks_is_negative_for_those_that_point_the_wrong_way() -> None:
    assert signed_d_prime([2.0, 4.0], [0.0, 2.0]) == pytest.approx(2 / 2**0.5)
    assert signed_d_prime([0.0, 2.0], [2.0, 4.0]) == pytest.approx(-2 / 2**0.5)
    assert signed_d_prime([1.0, 1.0], [0.0, 0.0]) == 5.0, "no less than the noise of .2 nats"


def test_a_form_must_prove_its_checks_on_the_other_half() -> None:
    def sides(step: Sequence[float]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
        return {"intent": [0.1, 0.2, 0.3, 0.4, 0.2, 0.1]}, {"intent": [value + 0.25 for value in step]}

    flat = sides([0.0] * 6)
    good = sides([-1.0, -1.1, -0.9, -1.0, -1.2, -1.0])
    lucky = sides([-1.0, 0.0, -0.9, 0.1, -1.2, 0.0])
    assert words_from_checks({"yes/no": flat, "a/b": good}, {"yes/no": [1.0], "a/b": [1.0]}, 12).form == "a/b"
    words = words_from_checks({"yes/no": flat, "a/b": lucky}, {"yes/no": [1.0], "a/b": [1.0]}, 12)
    assert (words.named, words.form) == (("a/b", "yes/no"), "yes/no")


# -- the rule --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forms", "adopted"),
    [
        ([power("yes", 0.5, 0.5), power("new", 0.7, 0.7, over=0.2)], "new"),
        ([power("yes", 0.5, 0.5), power("new", 0.5, 0.5)], "yes"),
        ([power("yes", 0.5, 0.5), power("new", 0.9, 0.5, over=0.02)], "yes"),
        ([power("yes", 0.2, 0.2), power("new", 0.5, 0.5, over=0.3)], "yes"),
        ([power("yes", 0.5, 0.5), power("new", 0.9, 0.9, over=0.4, mass=0.49)], "yes"),
        ([power("yes", 0.5, 0.5), power("new", 0.9, 0.9, over=0.4, answered=0.89)], "yes"),
        ([power("yes", 0.9, 0.9, mass=0.1), power("new", 0.8, 0.8, over=-0.1)], "yes"),
        ([power("yes", 0.5, 0.5, mass=0.1), power("new", 0.8, 0.8, over=0.3)], "new"),
        ([power("yes", 0.5, 0.5, mass=0.1), power("new", 0.8, 0.8, over=0.3, mass=0.1)], "yes"),
        ([power("yes", 0.5, 0.5), power("new", 1.0, 1.0, over=0.5, error=0.0)], "new"),
        ([power("yes", 1.0, 1.0, error=0.0), power("new", 1.0, 1.0, error=0.0)], "yes"),
    ],
    ids=["better", "tie", "luck", "at chance", "mute", "often mute", "best", "mute old", "all mute", "sure", "both"],
)  # fmt: skip
def test_another_form_must_be_answered_beat_the_default_and_chance(forms: list[FormPower], adopted: str) -> None:
    words = choose_words(forms, texts=80, chance=0.5)
    assert (words.form, words.changed) == (adopted, adopted != "yes")


def test_what_is_stated_comes_from_texts_that_the_form_was_not_chosen_on() -> None:
    forms = [power("yes", 0.5, 0.4), power("one", 0.9, 0.6, over=0.1), power("two", 0.55, 0.8, over=0.1)]
    words = choose_words(forms, texts=80, chance=0.5)
    assert words.named == ("one", "two")
    assert words.apart.value == pytest.approx((0.6 + 0.55) / 2)
    assert words.apart.error == pytest.approx(0.1 / 2**0.5)
    assert words.default.value == pytest.approx(0.45)


def test_power_is_the_share_of_pairs_in_the_right_order_with_ties_by_half() -> None:
    funny, dull = ["f1", "f2", "f3", "f4"], ["d1", "d2", "d3", "d4"]
    values = {"f1": 2, "f2": 1, "f3": 0, "f4": 1, "d1": 1, "d2": 0, "d3": 0, "d4": 0}
    answers = {text: {"yes": LogOdds(0, 1), "new": LogOdds(value, 0.8)} for text, value in values.items()}
    words = words_from(answers, funny, dull)
    yes, new = words.forms
    # First half: 2 and 0 against 1 and 0; second half: 1 and 1 against 0 and 0.
    assert [half.value for half in yes.power] == [0.5, 0.5]
    assert [half.value for half in new.power] == [2.5 / 4, 1.0]
    assert [half.value for half in new.gain] == [0.125, 0.5]
    assert (new.power[1].error, new.mass, new.answered) == (0.0, pytest.approx(0.8), 1.0)


def test_the_texts_read_are_the_extremes_whatever_order_they_come_in() -> None:
    rated = [Rated(f"text {place}", float(place % 10)) for place in range(100)]
    funny, dull = extremes(rated, 30)
    assert (funny, dull) == extremes(rated[::-1], 30)
    assert len(funny) == len(dull) == 15
    assert min(row.value for row in funny) == 8
    assert max(row.value for row in dull) == 1
    assert not set(funny) & set(dull)


# -- files -----------------------------------------------------------------------------------------------------------


def changed_words(session: Session, change: Callable[[dict[str, Any]], None]) -> None:
    (file,) = session.profile.calibrations.iterdir()
    data = json.loads(file.read_text(encoding="utf-8"))
    change(next(value for key, value in data["entries"].items() if key.startswith("alone_words:")))
    file.write_text(json.dumps(data), encoding="utf-8")


def test_a_calibration_without_words_is_read_and_asks_in_the_default_form(make_session: MakeSession) -> None:
    session = make_session()
    ended(session, "one", "two")
    assert session.judge is not None
    assert session.judge.calibration.rates
    assert session.judge.measure.alone_form is None
    assert asked_words(session.judge.calibration) == []
    assert asked_line(session.judge.calibration) == ""


@pytest.mark.parametrize("damage", [{"mass": None}, {"mass": float("nan")}, {"power": []}, {"gain": [1, 2]}])
def test_damaged_words_are_measured_again(make_session: MakeSession, damage: dict[str, Any]) -> None:
    session = make_session(calibrated=False)
    ended(session, "one", "two")
    assert session.judge is not None
    before = session.judge.calibration.alone_words
    session.close()
    changed_words(session, lambda words: words["forms"][0].update(damage))
    again = make_session(calibrated=False)
    ended(again, "one", "two")
    assert again.judge is not None
    assert before is not None
    assert again.judge.calibration.alone_words == before


def test_a_form_that_there_is_not_any_more_is_the_default(make_session: MakeSession) -> None:
    session = make_session(calibrated=False)
    plain = ended(session, "one", "two")
    session.close()
    changed_words(session, lambda words: words.update(form="gone/lost"))
    again = make_session(calibrated=False)
    assert ended(again, "one", "two").p_a == plain.p_a


# -- words -----------------------------------------------------------------------------------------------------------


def calibration(**fields: Any) -> Calibration:
    return Calibration(model_sha256="c" * 64, **fields)


def test_what_was_tried_and_what_it_is_worth_is_said() -> None:
    better = choose_words([power("yes/no", 0.5, 0.5), power("a/b", 0.7, 0.72, over=0.2)], texts=80, chance=0.5)
    kept = choose_words([power("yes/no", 0.2, 0.2), power("a/b", -0.1, 0.3)], texts=53, chance=0.0)
    words = asked_words(calibration(alone_words=better, check_words=kept))
    assert words == [
        "Whether a joke alone is funny is asked with “a/b”, the best of 2 forms tried on 80 rated jokes. On jokes that "
        "they weren't chosen on, the best forms order 71 (57 to 85) of 100 pairs rightly, “yes/no” 50 and a coin 50.",
        "The checks are asked with “yes/no”: of 2 forms tried on 53 clear cases, none proved better. On cases that "
        "they weren't chosen on, the best forms reach a mean d′ of 0.1 (−0.1 to 0.2), “yes/no” 0.2.",
    ]
    assert asked_line(calibration(alone_words=better, check_words=kept)) == (
        "jokes alone: “a/b” of 2 forms (71% of pairs right on texts kept apart, “yes/no” 50% of pairs right); "
        "checks: “yes/no” of 2 forms (no other form proved better)"
    )
    assert asked_words(None) == []
