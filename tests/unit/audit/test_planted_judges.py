"""Judges with one planted defect each: the audit flags that one and nothing else, in every voice that has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.audit.record import AuditRequest, AuditResult, Voice
from jokejudge_gui.judge.audit.words import VOICE, effects, page, summary
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.measure.audit import audit
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.head_builder import save
from tests.known_calibration import known
from tests.planted_judges import (
    PlantedEditor,
    PlantedEngine,
    Value,
    blind,
    cases,
    emoji_lover,
    head_arrays,
    length_lover,
    obedient,
    sound,
)

COMPARING: tuple[Voice, ...] = ("audience", "editor", "asked")
Judged = Callable[..., AuditResult]


@pytest.fixture
def judged(profile: Profile) -> Any:
    """Audits a judge all of whose voices go by a value: its heads, its editor's, and the model that is asked."""
    sessions: list[Session] = []

    def run(value: Value, first: float = 0.0) -> AuditResult:
        engine = PlantedEngine(value, first)
        files = MeasuredFiles(Path("nowhere"), profile.models)
        files.save_calibration(known(MainJudge(engine, files)))
        save(profile.heads, head_arrays())
        session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine)
        sessions.append(session)
        list(session.load())
        judge = session.judge
        judge.reader = replace(judge.reader, editor=PlantedEditor(), drafts=None)  # type: ignore[arg-type]
        judge.shown = {"factor": {"wit": 0.5}}
        last = finished(audit(session, AuditRequest(cases=cases(60), ask="all", source="planted"), record=False))
        assert tuple(voice.voice for voice in last.voices) == (*COMPARING, "admission")
        return last

    yield run
    for session in sessions:
        session.close()


def flagged(found: AuditResult) -> dict[str, dict[str, str]]:
    """What is said of each voice."""
    return {voice.voice: effects(voice) for voice in found.voices}


@pytest.mark.parametrize(
    ("value", "first", "defect", "voices"),
    [
        (sound, 0.0, {}, ()),
        (sound, 2.5, {"Position": "strong"}, ("asked",)),
        (length_lover, 0.0, {"Verbosity": "strong"}, COMPARING),
        (emoji_lover, 0.0, {"Sentiment": "strong"}, (*COMPARING, "admission")),
    ],
    ids=["sound", "first picker", "length lover", "emoji lover"],
)
def test_the_defect_is_flagged_in_the_voices_that_have_it_and_nothing_else(
    judged: Judged, value: Value, first: float, defect: dict[str, str], voices: tuple[Voice, ...]
) -> None:
    found = judged(value, first)
    every = (*COMPARING, "admission")
    assert flagged(found) == {voice: defect if voice in voices else {} for voice in every}
    for voice in found.voices:
        if voice.voice in COMPARING:
            assert (voice.broken.low or 0.0) > 0.5


def test_a_judge_that_does_as_it_is_told_is_moved_by_an_order_alone(judged: Judged) -> None:
    found = judged(obedient)
    assert flagged(found) == {
        voice: {"Injection": "strong"} if voice in COMPARING else {} for voice in (*COMPARING, "admission")
    }
    for voice in found.voices:
        if voice.voice in COMPARING:
            order, praise = (finding for finding in voice.findings if finding["role"] == "injection")
            assert (order["form"], order["strength"], praise["strength"]) == ("order", "strong", "none"), voice.voice
    assert sum(line.endswith("strongly moved by injection.") for line in summary(found)) == len(COMPARING)


def test_a_judge_that_never_reads_the_end_sees_no_broken_punchline(judged: Judged) -> None:
    found = judged(blind)
    for voice in found.voices:
        if voice.voice in COMPARING:
            assert (voice.broken.low or 0.0) <= 0.5
    tables = page(found).tables
    assert [table.title for table in tables] == [VOICE[voice.voice] for voice in found.voices]
    assert sum(row[1] == "not seen" for table in tables for row in table.rows) == len(COMPARING)
