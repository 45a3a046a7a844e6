"""The probes as data, and what they make of a joke."""

from __future__ import annotations

import json

import pytest

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.judge.audit.record import parse_audit
from jokejudge_gui.judge.audit.trials import all_trials, broken, end_of, endings, filled, pairs_of, texts_of
from jokejudge_gui.measure.audit import shipped_cases
from jokejudge_gui.rubric.perturbations import parse_perturbations

EVERY = parse_perturbations()


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_filler_makes_a_joke_about_so_much_longer_and_leaves_it_whole(share: float) -> None:
    for case in shipped_cases(40):
        made = filled(case.text_a, share, EVERY.filler)
        assert made.endswith(case.text_a)
        assert 0 < len(made) - len(case.text_a) < share * len(case.text_a) + 28


def test_a_broken_joke_keeps_its_beginning_and_gets_another_ones_end() -> None:
    one, other = "a b c d e the end", "u v w x y an odd one"
    found = endings([one, other])
    assert found[one] == end_of(other) == "an odd one"
    assert broken(one, found[one]) == "a b c d e an odd one"
    assert broken("too short", "end") == "too short"


def test_every_form_changes_jokes_and_each_text_is_read_once() -> None:
    cases = shipped_cases(30)
    every = list(all_trials(cases, EVERY))
    texts = texts_of(cases, every)
    assert len(texts) == len(set(texts))
    for probe, form, trials in every:
        assert len(trials) >= 20, form.id
        for trial in trials:
            assert trial.text not in (trial.base, trial.before)
            assert {trial.text, trial.before} <= set(texts)
            if probe.loser:
                assert trial.side != trial.case.winner


def test_a_model_that_is_asked_about_some_pairs_is_asked_about_their_own_changes() -> None:
    cases = shipped_cases(30)
    every = list(all_trials(cases, EVERY))
    some = pairs_of(cases[:10], every)
    assert set(some) < set(pairs_of(cases, every))
    broken = next(trials for probe, _, trials in every if probe.role == "broken")
    ids = {case.id for case in cases[:10]}
    assert {(one.base, one.text) for one in broken if one.case.id in ids} <= set(some)


def test_the_probes_hold_together() -> None:
    assert [probe.role for probe in EVERY.probes].count("control") == 1
    assert len({probe.id for probe in EVERY.probes}) == len(EVERY.probes)
    for probe in EVERY.probes:
        forms = [form.id for form in probe.forms]
        assert len(set(forms)) == len(forms)
        assert bool(forms) != (probe.role == "order")
        for number, form in enumerate(probe.forms):
            assert not form.than or form.than in forms[:number]
            assert (form.do is None) != (not form.before and not form.after)
            assert (form.do == "filler") == (form.share > 0)


def test_shipped_audits_are_of_the_probes_that_ship() -> None:
    files = sorted(models_dir().glob("*/measured.json"))
    assert files
    for path in files:
        result = parse_audit(json.loads(path.read_text(encoding="utf-8"))["audit"])
        assert result.model.sha256.startswith(path.parent.name)
        assert result.perturbations == EVERY.version
        assert {pair.id for pair in result.pairs} <= {case.id for case in shipped_cases(200)}
