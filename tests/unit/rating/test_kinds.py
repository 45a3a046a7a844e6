"""Which kinds a reading names."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from jokejudge_gui.judge.rating.admissibility_checker import Evidence
from jokejudge_gui.judge.rating.category_classifier import NOTHING_READ, CategoryClassifier
from jokejudge_gui.judge.rating.record import CategoryScore, RatingResult
from jokejudge_gui.judge.rating.words import kinds_of

LEAST = {"pun": 0.6, "anti_joke": 0.4, "dry": 0.6}
NAMES = ("pun", "anti_joke", "dry", "exaggeration", "family")


@pytest.mark.parametrize(
    ("kinds", "puns", "named"),
    [
        ({"pun": 0.9, "family": 0.55}, {}, ["pun", "family"]),
        ({"pun": 0.9}, {"pun": 0.55}, []),  # a pun is called one by what was learned from more jokes
        ({"pun": 0.2}, {"pun": 0.7}, ["pun"]),
        ({"pun": 0.2, "anti_joke": 0.45}, {}, ["anti_joke"]),  # each kind from a probability of its own
        ({"pun": 0.9, "anti_joke": 0.8}, {"pun": 0.7}, ["anti_joke"]),  # these exclude each other
        ({"dry": 0.7, "exaggeration": 0.8}, {}, ["exaggeration"]),
    ],
)
def test_kinds_are_named_from_their_own_probability_and_none_with_one_that_excludes_it(
    kinds: dict[str, float], puns: dict[str, float], named: list[str]
) -> None:
    categories = [SimpleNamespace(id=name, name=name, group="Form") for name in NAMES]
    judge = SimpleNamespace(
        criteria=SimpleNamespace(categories=categories),
        shown={"kind": dict.fromkeys(NAMES, 0.9)},
        reader=SimpleNamespace(editor=SimpleNamespace(meta=SimpleNamespace(least=LEAST))),
    )
    evidence = Evidence(None, NOTHING_READ.replaced(kinds={**dict.fromkeys(NAMES, 0.1), **kinds}, puns=puns))
    found = CategoryClassifier(judge).classify_joke(evidence)  # type: ignore[arg-type]
    assert [kind.id for kind in found if kind.chosen] == named
    assert {kind.id for kind in found if kind.sure} <= LEAST.keys()


@pytest.mark.parametrize(("p", "sure", "shown"), [(0.55, True, True), (0.55, False, False), (0.7, False, True)])
def test_a_page_names_a_device_below_its_limit_only_where_one_of_its_own_was_measured(
    p: float, sure: bool, shown: bool
) -> None:
    kind = CategoryScore(id="sarcasm", name="Sarcasm", p=p, z=0.0, chosen=True, sure=sure)
    assert kinds_of(RatingResult(id="r", text="A joke with a plain end.", categories=(kind,))) == (
        ("Sarcasm",) if shown else ()
    )
