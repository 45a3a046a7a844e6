"""Scores in one line, on the embedded model."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

import jokejudge_gui
from jokejudge_gui import JokeJudge, api
from jokejudge_gui.core.errors import UsageError
from jokejudge_gui.session.decisions import answers
from jokejudge_gui.session.session import Session
from tests.hacks import HACKS

from .conftest import NewProfile

JOKE = "I told my doctor I broke my arm in two places. He told me to stop going to those places."
BANKER = "I used to be a banker, but I lost interest."
NEWS = "The council approved a budget of four million pounds for road repairs on Tuesday evening."
TEXTS = [NEWS, BANKER, "", JOKE, "x" * 30_000, "?!", "Ein Mann geht in eine Bar, und der Wirt ist nicht da.", BANKER]


@pytest.fixture(scope="module")
def folder(new_profile: NewProfile, embedded_model: Path) -> Path:
    folder = new_profile("score").data
    (folder / "models").symlink_to(embedded_model.parent)
    return folder


@pytest.fixture(scope="module")
def judge(folder: Path) -> Iterator[JokeJudge]:
    with JokeJudge(data_dir=folder, threads=1, jobs=1) as judge:
        yield judge


def test_a_score_is_a_number_for_every_text_and_none_is_worth_nothing(judge: JokeJudge) -> None:
    scores = judge.score(TEXTS)
    assert [score > 0.5 for score in scores] == [False, True, False, True, False, False, False, True]
    assert [scores[place] for place in (2, 4, 5, 6)] == [0.0] * 4
    assert scores[1] == scores[7] == judge.score([BANKER])[0]
    assert scores[3] == pytest.approx(getattr(judge.rate_joke(JOKE).audience, "upper"))  # noqa: B009
    assert judge.score([]) == []
    assert judge.score([float("nan"), BANKER]) == [0.0, scores[1]]  # type: ignore[list-item]  # of a data frame


def test_texts_are_ranked_and_the_best_ones_taken(judge: JokeJudge) -> None:
    assert judge.rank([NEWS, BANKER, JOKE]) == [2, 1, 0]
    assert judge.best([NEWS, BANKER, JOKE], 2) == [JOKE, BANKER]
    assert judge.best([NEWS]) == [NEWS]
    padded = f"{BANKER[:-1]}, and that is number 42."
    assert judge.best([padded, BANKER]) == [BANKER], "words behind a joke make it no better one"


def test_a_context_is_that_of_all_or_of_each(judge: JokeJudge) -> None:
    scene = "A moose is stuck in a lift between two businessmen."
    alone, within = judge.score([BANKER]), judge.score([BANKER], context=scene)
    assert alone != within
    assert judge.score([BANKER, BANKER], context=["", scene]) == alone + within
    for wrong in ({"context": [scene]}, {"context": 5}):
        with pytest.raises(UsageError):
            judge.score([BANKER, JOKE], **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        judge.score(BANKER)  # type: ignore[arg-type]


def test_other_processes_score_the_same_and_stay_for_the_next_list(judge: JokeJudge, folder: Path) -> None:
    texts = [f"{BANKER} Number {number}." for number in range(30)]
    with JokeJudge(data_dir=folder, jobs=2) as two:
        assert two.score(texts) == judge.score(texts)
        assert two.score(texts[::-1]) == judge.score(texts)[::-1]


def spawned(folder: Path) -> list[float]:
    with JokeJudge(data_dir=folder, threads=1) as judge:
        return judge.score([BANKER])


def test_the_shared_judge_serves_all_threads_and_spawned_processes_have_their_own(
    judge: JokeJudge, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_shared", lambda: judge)
    scores: list[list[float]] = []
    threads = [threading.Thread(target=lambda: scores.append(jokejudge_gui.score([BANKER]))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert [*scores, pool.apply(spawned, (folder,))] == [judge.score([BANKER])] * 4
    assert jokejudge_gui.best([NEWS, BANKER]) == [BANKER]
    assert jokejudge_gui.rank([NEWS, BANKER]) == [1, 0]


def terminal(folder: Path, *arguments: str, given: str) -> str:
    command = [sys.executable, "-m", "jokejudge_gui", *arguments, "--data-dir", str(folder), "--threads", "1"]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=300, check=True).stdout


def test_the_terminal_scores_each_line_as_it_comes(judge: JokeJudge, folder: Path) -> None:
    command = [sys.executable, "-m", "jokejudge_gui", "score", "--data-dir", str(folder), "--threads", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as program:
        assert program.stdout is not None
        lines = []
        for text in (NEWS, "", JOKE):
            program.stdin.write(f"{text}\n")
            program.stdin.flush()
            lines.append(float(program.stdout.readline()))  # before the next line is written
        program.stdin.close()
    assert lines == pytest.approx(judge.score([NEWS, "", JOKE]), abs=1e-4)


def test_the_terminal_reads_lists_as_a_contest_does(judge: JokeJudge, folder: Path, tmp_path: Path) -> None:
    given = f'Sure! Here are 3 jokes:\n\n1. "{NEWS}"\n2. "{BANKER}"\n3. "{JOKE}"\n'
    assert terminal(folder, "best", "-n", "2", given=given) == f"{JOKE}\n{BANKER}\n"
    found = json.loads(terminal(folder, "best", "--json", given=given))["best"]
    assert [(row["id"], row["text"]) for row in found] == [("3", JOKE)]
    (score,) = judge.score([JOKE])
    assert terminal(folder, "score", given=f"30. {JOKE}\n\n- {JOKE}\n") == f"{score:.4f}\n0.0000\n{score:.4f}\n"
    table = tmp_path / "jokes.csv"
    table.write_text(f'id,text\n7,"{BANKER}"\n8,{JOKE}\n', encoding="utf-8")
    assert len(terminal(folder, "score", str(table), given="").split()) == 2
    assert terminal(folder, "best", str(table), given="") == f"{JOKE}\n"


def test_a_system_one_request_is_answered(judge: JokeJudge, folder: Path) -> None:
    questions = {
        "funny": {"type": "noul", "instructions": "Is this funny?"},
        "level": {"type": "score", "instructions": "How funny is it?", "criteria": ["not at all", "so so", "very"]},
        "pick": {"type": "choice", "instructions": "Which is the best joke?", "criteria": {NEWS: None, "b": JOKE}},
        "list": {"type": "choice", "options": [NEWS, JOKE]},
        "angry": {"type": "noul", "instructions": "Is the customer angry?"},
    }
    response = json.loads(terminal(folder, "decide", given=json.dumps({"state": JOKE, "questions": questions})))
    given = response["answers"]
    assert given["funny"] == {"type": "noul", "noul": judge.score([JOKE])[0]}
    assert given["pick"]["choice"] == "b"
    assert given["list"] == given["pick"] | {"choice": JOKE, "probabilities": given["list"]["probabilities"]}
    for name in ("level", "pick"):
        assert sum(given[name]["probabilities"].values()) == pytest.approx(1.0)
    assert 1.0 < given["level"]["score"] < 2.0
    assert "angry" not in given
    assert response["warnings"] == ["The question angry isn't about how funny a text is."]
    assert response["usage"]["output_tokens"] == 0


@pytest.mark.parametrize(
    ("question", "field"),
    [({"type": "choice"}, "questions.q.criteria"), ({"type": "choice", "options": 5}, "questions.q.options")],
)
def test_of_a_wrong_request_the_field_is_named(question: object, field: str) -> None:
    with pytest.raises(UsageError, match=field):
        answers(cast("Session", None), {"state": JOKE, "questions": {"q": question}})


@pytest.mark.parametrize("hack", ["bar", "filler before", "two jokes"])
def test_another_sentence_before_a_joke_or_another_joke_behind_it_makes_it_no_better(
    judge: JokeJudge, hack: str
) -> None:
    jokes = [
        "My smoke alarm and I have an understanding: it lets the whole street know when dinner's ready.",
        "The estate agent called the flat close to everything, by which he meant the bed and the stove.",
        BANKER,
    ]
    clean, changed = judge.score(jokes), judge.score([HACKS[hack](joke) for joke in jokes])
    assert sum(changed) / 3 < sum(clean) / 3 + 0.05
