"""The judge for other Python programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from jokejudge_gui import JokeJudge
from jokejudge_gui.core.errors import Cancelled, UsageError
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from tests.fake_engine import FakeEngine

JOKE = "I told my doctor I broke my arm in two places. He told me to stop going to those places."
Open = Callable[..., JokeJudge]


@pytest.fixture
def open_judge(tmp_path: Path) -> Open:
    def call(**options: object) -> JokeJudge:
        return JokeJudge(data_dir=tmp_path / "data", loader=lambda _file, _settings, _cancel: FakeEngine(), **options)

    return call


def kept(tmp_path: Path) -> list[str]:
    store = HistoryStore(tmp_path / "data" / "history.sqlite3", KINDS)
    try:
        return [row.text_a for row in store.search(HistoryQuery())]
    finally:
        store.close()


GIVEN = {
    "rate_joke": lambda judge, **how: judge.rate_joke(JOKE, context="A zoo.", **how),
    "compare_jokes": lambda judge, **how: judge.compare_jokes(JOKE, "A short one.", context="A zoo.", **how),
    "rank_jokes": lambda judge, **how: judge.rank_jokes([JOKE, "A short one."], topic="A zoo.", duels=0, **how),
    "rate_many": lambda judge, **how: next(judge.rate_many([JOKE], context="A zoo.", **how)),
    "compare_many": lambda judge, **how: next(judge.compare_many([(JOKE, "B")], context="A zoo.", **how)),
}


@pytest.mark.parametrize("call", GIVEN.values(), ids=GIVEN)
def test_every_call_hears_context_mode_questions_generator_and_words(
    open_judge: Open, call: Callable[..., object]
) -> None:
    """As told by the request that the history keeps."""
    with open_judge() as judge:
        call(judge, mode="deep", ask="all", generator="GPT-4o", explain=False)
        store = judge._session.store
        asked = store.get(store.search(HistoryQuery(limit=1))[0].id)
    assert asked.result is not None
    request = KINDS[asked.row.kind].request_of(asked.result)
    assert (asked.mode, request.mode, request.ask, request.explain) == ("deep", "deep", "all", False)
    assert request.context == "A zoo."
    written = [entry.columns["generator"] for entry in getattr(request, "entries", ())] or [request.generator]
    assert set(written) == {"GPT-4o"}


def test_a_list_is_ranked_and_bad_texts_say_why(open_judge: Open) -> None:
    with open_judge() as judge:
        result = judge.rank_jokes([JOKE, "A short one.", "  ", "Parallel lines have so much in common.", None], duels=2)  # type: ignore[list-item]
        assert judge.rate_joke(JOKE, context=None).error is None
    assert [entry.rank for entry in result.entries] == [1, 2, 3, None, None]
    assert {entry.id for entry in result.entries} == {"1", "2", "3", "4", "5"}
    assert all(entry.error is not None for entry in result.entries[3:])
    assert len(result.held) == 2


Wrong = tuple[Callable[[JokeJudge], object], str]
WRONG: dict[str, Wrong] = {
    "no text": (lambda judge: judge.rate_joke(None), "“text” should be a valid string, and is None."),  # type: ignore[arg-type]
    "a number": (lambda judge: judge.rate_joke(5), "“text” should be a valid string, and is 5."),  # type: ignore[arg-type]
    "no A": (lambda judge: judge.compare_jokes(None, JOKE), "“text_a” should be a valid string, and is None."),  # type: ignore[arg-type]
    "no list but a text": (
        lambda judge: judge.rank_jokes(JOKE),
        "“texts” should be a list, and is another text.",
    ),
    "no list of texts": (lambda judge: judge.rank_jokes([JOKE, 3]), "“texts”, number 2 should be a valid string"),  # type: ignore[list-item]
    "rounds": (
        lambda judge: judge.rank_jokes([JOKE], rounds=21),
        "“rounds” should be less than or equal to 20, and is 21.",
    ),
    "top": (lambda judge: judge.rank_jokes([JOKE], top=0), "“top” should be greater than or equal to 1, and is 0."),
    "context": (lambda judge: judge.rate_joke(JOKE, context=5), "“context” should be a valid string, and is 5."),  # type: ignore[arg-type]
    "mode": (lambda judge: judge.rate_joke(JOKE, mode="slow"), "“mode” should be 'quick' or 'deep', and is “slow”."),  # type: ignore[arg-type]
    "listeners": (lambda judge: judge.rate_joke(JOKE, listeners="all"), "“listeners” should be a valid list"),
    "many a text": (lambda judge: judge.rate_many(JOKE), "“jokes” should be a list, or a Path of one"),
    "many numbers": (lambda judge: judge.rate_many([5]), "“jokes, number 1, text” should be a valid string, and is 5."),  # type: ignore[list-item]
    "three of a pair": (lambda judge: judge.compare_many([("a", "b", "c")]), "“pairs, number 1” should be two texts"),
    "no order": (lambda judge: judge.score({JOKE}), "“texts” should be in an order, and is a set."),  # type: ignore[arg-type]
    "no such option": (lambda judge: judge.rate_joke(JOKE, colour=1), "“colour” isn't known here."),  # type: ignore[call-arg]
    "titles": (
        lambda judge: judge.make_set([JOKE], titles=["a", "b"]),
        "“titles” should be as many as the texts, 1, and is 2.",
    ),
    "no drafts": (lambda judge: judge.workshop_drafts(JOKE), "“texts” should be a list, and is"),
}


@pytest.mark.parametrize(("ask", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_of_a_wrong_type_or_out_of_range_is_a_coded_error(
    open_judge: Open, ask: Callable[[JokeJudge], object], sentence: str
) -> None:
    with open_judge() as judge:
        with pytest.raises(UsageError) as caught:
            ask(judge)
        assert caught.value.code == "E_REQUEST"
        assert caught.value.sentence.startswith(sentence)
        assert caught.value.hint
        assert judge.rate_joke(JOKE).error is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.parametrize("whose", ["inherited", "new", "closed"])
def test_a_forked_process_is_told_at_once_that_it_cannot_judge(tmp_path: Path, whose: str) -> None:
    program = """
import sys, multiprocessing
from pathlib import Path
from jokejudge_gui import JokeJudge
from tests.fake_engine import FakeEngine
def judge():
    return JokeJudge(data_dir=Path(sys.argv[1]), loader=lambda *_: FakeEngine())
def child(text):
    if sys.argv[2] == "inherited":
        return first.rate_joke(text)
    with judge() as mine:
        return mine.rate_joke(text)
first = judge()
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(child, ["A joke of a child, before."])[0].error)
first.rate_joke("A joke of the parent.")
if sys.argv[2] == "closed":
    first.close()
with multiprocessing.get_context("fork").Pool(1) as pool:
    try:
        pool.map_async(child, ["A joke of a child."]).get(20)
    except Exception as error:
        print(error.code, error.hint)
first.close()
"""
    done = run_python(program, tmp_path, whose)
    assert done.stdout.splitlines()[0] == "None", done.stderr
    assert done.stdout.splitlines()[1].startswith("E_FORKED")
    assert '"spawn"' in done.stdout


def run_python(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=path)


@pytest.mark.parametrize("history", [True, False])
def test_a_closed_judge_says_so_whatever_is_asked_of_it(open_judge: Open, history: bool) -> None:
    judge = open_judge(history=history)
    judge.rate_joke(JOKE)
    judge.close()
    judge.close()
    asks: tuple[Callable[[], object], ...] = (
        lambda: judge.rate_joke(JOKE),
        lambda: judge.compare_jokes(JOKE, "A short one."),
        lambda: judge.rank_jokes([JOKE]),
        judge.__enter__,
    )
    for ask in asks:
        with pytest.raises(UsageError) as caught:
            ask()
        assert caught.value.code == "E_CLOSED"


def test_two_threads_take_turns(tmp_path: Path) -> None:
    """Told by the calls of the engine: those of one verdict aren't mixed with those of another."""
    calls: list[int] = []
    judge = JokeJudge(
        data_dir=tmp_path,
        loader=lambda _file, _settings, _cancel: FakeEngine(gate=lambda _method: calls.append(threading.get_ident())),
    )
    texts = [f"{JOKE} Number {number}." for number in range(8)]
    alone = [judge.rate_joke(text).factors for text in texts]
    calls.clear()
    found: dict[str, object] = {}
    start = threading.Barrier(2)

    def work(mine: list[str]) -> None:
        start.wait(20)
        for text in mine:
            found[text] = judge.rate_joke(text).factors

    threads = [threading.Thread(target=work, args=(texts[number::2],)) for number in range(2)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(before)
    judge.close()
    assert [found.get(text) for text in texts] == alone
    assert len(calls) > len(texts)
    assert len(list(groupby(calls))) <= len(texts)


# -- as able as the terminal -------------------------------------------------------------------------------------------


def test_results_are_json_rows_and_html_whose_texts_are_escaped(open_judge: Open) -> None:
    evil = "Why <script>alert(1)</script> & \x1b[31m? Because it can."
    with open_judge(history=False) as judge:
        results = [
            judge.rate_joke(evil, anyway=True),
            judge.compare_jokes(evil, JOKE),
            judge.rank_jokes([evil, JOKE]),
            judge.workshop_drafts([evil, JOKE]),
        ]
        lines = list(judge.rate_many([evil]))
    for result in results:
        known = json.loads(json.dumps(result.to_dict()))
        assert known["error"] is None
        assert result.rows()
        assert not any(isinstance(cell, dict | list) for row in result.rows() for cell in row.values())
    for shown in (*results, *lines):
        page = shown._repr_html_()
        assert "<script" not in page
        assert "\x1b" not in page
    assert "&lt;script&gt;" in results[0]._repr_html_()
    assert results[0].rows()[0]["text"] == results[0].text
    assert [row["rank"] for row in results[2].rows()] == [1, 2]


TEXTS = [f"{JOKE} Number {number}." for number in range(5)]


def test_rows_carry_ids_scenes_and_other_columns_and_a_bad_one_its_error(open_judge: Open, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "text": TEXTS[0], "context": "A lift.", "author": "Ann"},
        {"id": "b", "text": "  "},
        {"id": "a", "text": TEXTS[1]},
    ]
    with open_judge() as judge:
        found = list(judge.rate_many(rows, context="A zoo."))
        pairs = list(judge.compare_many([(JOKE, "A short one."), {"text_a": JOKE, "text_b": ""}], context="A zoo."))
    assert [line["context"] for line in (*found, *pairs)] == ["A lift.", *["A zoo."] * 4]
    assert found[0]["columns"]["author"] == "Ann"
    assert found[0].rows()[0]["author"] == "Ann"
    assert [line["error"] and line["error"]["code"] for line in found] == [
        None, "E_BATCH_TEXT", "E_BATCH_DUPLICATE_ID"
    ]  # fmt: skip
    assert pairs[0]["winner"] in ("A", "B", "tie")
    assert pairs[1]["error"]["code"] == "E_BATCH_TEXT"
    assert kept(tmp_path) == [JOKE, TEXTS[0]]


def test_a_list_that_was_cut_off_goes_on_and_gives_every_line(open_judge: Open, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    texts = [*TEXTS, "", TEXTS[0]]
    with open_judge(history=False) as judge:
        whole = list(judge.rate_many(texts))
        with judge.rate_many(texts, out=out) as lines:
            first = [next(lines) for _ in range(3)]
        began: list[int] = []
        found = list(judge.rate_many(texts, out=out, progress=lambda done, _total, _id: began.append(done)))
        assert [line["text"] for line in found] == [line["text"] for line in whole]
        assert found[:3] == first
        assert began == [3, 4, 5, 6, 7]
        size = out.stat().st_size
        assert list(judge.rate_many(texts, out=str(out))) == found
        assert out.stat().st_size == size
        with pytest.raises(UsageError) as caught:
            judge.compare_many([("a", "b")], out=out)
        assert caught.value.code == "E_BATCH_OUT"
        with pytest.raises(UsageError):
            judge.rate_many(texts, out=tmp_path / "out.csv")


def test_lines_that_nobody_takes_leave_their_file_whole_and_free(open_judge: Open, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with open_judge(history=False) as judge:
        next(judge.rate_many(TEXTS, out=out))
        assert judge.rate_many(TEXTS, out=out) is not None
        found = list(judge.rate_many(TEXTS, out=out))
    assert [line["text"] for line in found] == TEXTS


def test_a_ranking_can_be_stopped(tmp_path: Path) -> None:
    engine = FakeEngine()
    judge = JokeJudge(data_dir=tmp_path / "data", history=False, loader=lambda _file, _settings, _cancel: engine)
    told: list[tuple[int, int, str]] = []

    def halt(done: int, total: int, note: str) -> None:
        told.append((done, total, note))
        if done == 3:
            judge.stop()

    with judge:
        with pytest.raises(Cancelled):
            judge.rank_jokes(TEXTS, duels=0, progress=halt)
        whole = judge.rank_jokes(TEXTS, duels=0)
    assert told[0][1] > 0
    assert {entry.rank for entry in whole.entries} == {1, 2, 3, 4, 5}


def test_stop_ends_a_list_from_another_thread_and_the_judge_goes_on(open_judge: Open) -> None:
    with open_judge(history=False) as judge:
        lines = judge.rate_many(TEXTS)
        next(lines)
        stopped: list[str] = []

        def taken() -> None:
            try:
                for _ in lines:
                    judge.stop()
            except Cancelled:
                stopped.append("yes")

        thread = threading.Thread(target=taken)
        thread.start()
        thread.join(60)
        assert stopped == ["yes"]
        assert judge.rate_joke(JOKE).error is None


def test_a_set_has_its_bits_as_rows_and_its_sheet_as_a_file(open_judge: Open, tmp_path: Path) -> None:
    made = open_judge().make_set([f"{JOKE} [laugh 2]", "A short one."], titles=["FIRST", ""], minutes=1)
    assert [row["title"] for row in made.rows()] == ["FIRST", ""]
    assert made.bits[0].text == JOKE
    assert made.left == 60 - made.spoken
    for name in ("sheet.html", "sheet.html", "sheet.md"):  # again, too
        made.sheet(tmp_path / name)
        assert "FIRST" in (tmp_path / name).read_text(encoding="utf-8")
    with pytest.raises(UsageError):
        made.sheet(tmp_path / "sheet.doc")


def test_results_are_short_in_print_and_the_same_by_their_id(open_judge: Open) -> None:
    with open_judge() as judge:
        one, other = judge.rate_joke(JOKE), judge.rate_joke(JOKE)
        [line] = judge.rate_many([JOKE])
    assert len({one, other, one}) == 2
    assert repr(one) == f"<Rating {one.id[:8]}: {JOKE[:40]}>"
    assert repr(line) == f"<Line 1: {JOKE[:40]}>"
