"""The four questions about a model: answers by rule, from what ships, and nothing where nothing was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.audit.record import AuditResult, audit_for
from jokejudge_gui.learning.trust_cards import TrustCard, card_for
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.measure.model.figures import ModelTrust
from jokejudge_gui.measure.model.words import UNKNOWN_KIND, Answers, answer_word, answers


@pytest.fixture
def card() -> TrustCard:
    found = card_for(EMBEDDED_SHA256, models_dir() / "cards", own=False)
    assert found is not None
    return found


def answers_in(profile: Profile) -> Answers:
    return answers(ModelTrust(ModelRef(name="SmolLM2", sha256=EMBEDDED_SHA256), profile))


@pytest.fixture
def audit() -> AuditResult:
    found = audit_for(EMBEDDED_SHA256, MeasuredFiles(models_dir(), Path("nowhere")))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("figure", "low", "word"),
    [
        (54.0, 49.0, "No"), (50.0, 50.0, "No"), (49.0, None, "No"), (58.0, 51.0, "Hardly"), (59.9, 55.0, "Hardly"),
        (60.0, 55.0, "A little"), (69.9, 61.0, "A little"), (70.0, 65.0, "Often"), (86.0, None, "Often"),
    ],
)  # fmt: skip
def test_the_first_word_follows_the_figure_and_its_band(figure: float, low: float | None, word: str) -> None:
    assert answer_word(figure, low) == word


def test_a_figure_and_its_rival_are_of_the_same_pairs(card: TrustCard, profile: Profile) -> None:
    found = answers_in(profile)
    liners = found["kind"]["one-liners"]
    (kind,) = [each for each in card.kinds if each.name == "ukp"]
    assert liners.figure == pytest.approx(100 * kind.head["jokes"].value)
    assert liners.rival[1] == pytest.approx(100 * kind.longer["jokes"].value)
    assert f"{kind.pairs['jokes']:,} pairs" in liners.more[0][1]
    posts = found["kind"]["short texts from social media"]
    (kind,) = [each for each in card.kinds if each.name == "hahackathon"]
    assert posts.figure == pytest.approx(100 * kind.head["all"].value)
    assert posts.rival == ("longer wins", pytest.approx(100 * kind.longer["all"].value))


def test_of_a_kind_that_was_not_learned_the_mean_over_kinds_is_given(card: TrustCard, profile: Profile) -> None:
    other = answers_in(profile)["kind"][UNKNOWN_KIND]
    across = [kind.head_across["all"].value for kind in card.kinds if "all" in kind.head_across]
    assert other.figure == pytest.approx(100 * sum(across) / len(across))
    assert (other.low, other.rival) == (None, None)


def test_the_audit_answers_for_the_punchline_and_for_what_moves_it(audit: AuditResult, profile: Profile) -> None:
    found = answers_in(profile)
    voice = audit.voice("audience")
    assert found["broken"][""].figure == pytest.approx(100 * voice.broken.share)
    moves = found["moves"][""]
    strongest = max(
        (each for each in voice.findings if each["strength"] == "strong"), key=lambda each: abs(each["pull"]["value"])
    )
    assert strongest["form"] == "muslim"
    assert moves.first == "“My Muslim neighbour told me this one” does"
    assert moves.tick == "no effect 50"
    assert (moves.figure < 50.0) == (strongest["pull"]["value"] < 0.0)
