"""The editor's heads: they learn what states know, say honestly how well, and are read as they were fitted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import Cancelled, InputError, ModelError
from jokejudge_gui.core.events import Event
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.editor import EditorHeads
from jokejudge_gui.heads.editor_file import EditorCard
from jokejudge_gui.heads.features import SURE_FORMS
from jokejudge_gui.learning.editor_data import read_drafts, read_readings
from jokejudge_gui.learning.editor_lesson import EditorLesson
from jokejudge_gui.learning.teacher import Teacher
from tests.editor_engine import EditorEngine, knack, readings, turn_of
from tests.editor_fitted import DRAFTS, NEW, READINGS, SHA, fit, parts, read


@pytest.fixture(scope="module")
def fit_of_all(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Event]]:
    """The folder of a fit, and what was told of it."""
    folder = tmp_path_factory.mktemp("editor")
    return folder, list(
        Teacher(EditorEngine(), folder / "states").teach(EditorLesson(READINGS, DRAFTS), folder / "editor")
    )


@pytest.fixture(scope="module")
def fitted(fit_of_all: tuple[Path, list[Event]]) -> Path:
    return fit_of_all[0]


@pytest.fixture(scope="module")
def heads(fitted: Path) -> EditorHeads:
    found = EditorHeads.find(SHA, fitted / "editor")
    assert found is not None
    return found


def test_what_the_states_know_is_read_in_texts_that_nobody_read(heads: EditorHeads) -> None:
    found = [read(heads, text) for text in NEW]
    knacks = [knack(text) for text in NEW]
    expected = [reading.factors["wit"].expected for reading in found]
    assert np.corrcoef(expected, knacks)[0, 1] > 0.8
    assert np.corrcoef([reading.factors["wit"].standing for reading in found], knacks)[0, 1] > 0.8
    clear = [(reading, value) for reading, value in zip(found, knacks, strict=True) if abs(value) > 0.7]
    assert np.mean([(reading.kinds["pun"] > reading.kinds["irony"]) == (value > 0) for reading, value in clear]) > 0.9
    assert np.mean([(reading.faults["padding"] > 0.5) == (value < 0) for reading, value in clear]) > 0.9


def test_the_words_on_which_it_turns_are_found(heads: EditorHeads) -> None:
    hits = []
    for text in NEW:
        turn = read(heads, text).turn
        assert text[turn.start : turn.end] == turn.text
        start = text.index(turn_of(text))
        hits.append(turn.start < start + len(turn_of(text)) and turn.end > start)
    assert np.mean(hits) > 0.9


def test_words_that_a_better_draft_does_without_may_go(heads: EditorHeads) -> None:
    text = "On day 7 the owl really quite rows and leaves one flat note."
    assert any("really quite" in cut.text for cut in read(heads, text).cuts)
    assert not any("rows" in cut.text for cut in read(heads, text.replace("really quite ", "")).cuts)


def test_the_card_tells_knowledge_from_its_absence(fitted: Path) -> None:
    card = EditorCard.load(fitted / "editor" / f"{SHA[:16]}.json")
    wit, intent = card.items["factor"]["wit"], card.items["check"]["intent"]
    assert wit.low > 0.7
    assert wit.low <= wit.worth <= wit.high
    assert card.figures.factors_shown == 16
    assert intent.low < 0.6
    assert card.figures.turn > 0.9
    assert card.figures.kinds_precision > 0.8
    assert card.readings == len(READINGS)


def test_forms_are_known_by_their_letters() -> None:
    shown = {
        "knock_knock": "Knock knock.\nWho's there?\nAn owl.",
        "lightbulb": "How many owls does it take to change a light bulb?",
        "bar_joke": "An owl walks into a bar.",
        "question_answer": "Why did the owl row? Nobody else would.",
        "swifty": "“I only hoot at night,” Tom added owlishly.",
        "frame": "Old owls never die, they just wing it.",
        "yo_mama": "Yo mama so slow that owls perch on her.",
    }
    for name, pattern in SURE_FORMS.items():
        assert [other for other, text in shown.items() if pattern.search(text)] == [name]
    plain = (
        "My name is Tom. Tom said hello.",
        "When Ann left, Tom cried.",
        "He said Tom was old. Your mother is so kind; I like your mama.",
        "Old dogs never died out.",
    )
    assert not [name for name, pattern in SURE_FORMS.items() if any(pattern.search(text) for text in plain)]


def test_a_stopped_fit_goes_on_where_it_was_and_leaves_nothing_behind(tmp_path: Path, fitted: Path) -> None:
    token = CancelToken()
    first = EditorEngine(reading=lambda count: token.cancel() if count == 95 else None)
    with pytest.raises(Cancelled):
        fit(first, tmp_path, token)
    assert not (tmp_path / "editor").exists()
    second = EditorEngine()
    fit(second, tmp_path)
    assert len(set(first.read[:90]) & set(second.read)) == 0
    assert not list((tmp_path / "states").iterdir())
    name = f"editor/{SHA[:16]}.npz"
    assert parts(tmp_path / name) == parts(fitted / name)


def test_damaged_states_are_read_again(tmp_path: Path) -> None:
    token = CancelToken()
    with pytest.raises(Cancelled):
        fit(EditorEngine(reading=lambda count: token.cancel() if count == 55 else None), tmp_path, token)
    for path in (tmp_path / "states" / SHA[:16] / "editor").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    engine = EditorEngine()
    fit(engine, tmp_path)
    assert len(engine.read) == len(READINGS) + len(DRAFTS)


def test_too_few_readings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        list(Teacher(EditorEngine(), tmp_path / "states").teach(EditorLesson(readings(60), []), tmp_path / "editor"))
    assert error.value.code == "E_FIT_FEW"


def test_readings_and_drafts_are_read_from_their_files(tmp_path: Path) -> None:
    row = {"text": "An owl rows.\r\n", "joke": 1, "complete": 1, "kinds": ["pun"], "core": [1] * 16, "turn": "rows"}
    lines = [{**row, "faults": ["tail"]}, {**row, "core": [3] * 16, "faults": []}]
    path = tmp_path / "readings.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    found = read_readings(path)
    assert found.texts == ("An owl rows.",)
    assert found.factors[0].tolist() == [2.0] * 16
    assert found.faults[0].tolist() == [0.5]
    joke = {"id": "a", "best": "One.", "turn": "One", "equal": "Uno.", "worse": [{"text": "One, so.", "fault": "tail"}]}
    path.write_text(json.dumps(joke), "utf-8")
    assert [draft.fault for draft in read_drafts(path)] == [None, None, "tail"]
    path.write_text("{", "utf-8")
    with pytest.raises(ModelError) as error:
        read_readings(path)
    assert error.value.code == "E_FILE_DAMAGED"


def test_a_reading_that_counts_little_teaches_little_and_measures_nothing(tmp_path: Path) -> None:
    row = {"joke": 1, "complete": 1, "kinds": ["pun"], "turn": "", "faults": []}
    lines = [
        {**row, "text": "An owl rows.", "core": [4] * 16},
        {**row, "text": "An owl rows.", "core": [0] * 16, "weight": 0.4},
        {**row, "text": "A cat naps.", "core": [1] * 16, "weight": 0.4},
    ]
    path = tmp_path / "readings.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = read_readings(path)
    assert found.weight.tolist() == [1.0, 0.4]
    assert found.factors[:, 0].tolist() == [4.0, 1.0]
    assert found.full().tolist() == [0]
    assert found.keep(np.array([1])).full().tolist() == [0]  # where none counts in full, all do
