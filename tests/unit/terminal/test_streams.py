"""Colours, progress, widths, encodings, and how a page is drawn."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.cli import console
from jokejudge_gui.cli.console import Console, printable
from jokejudge_gui.cli.main import main
from jokejudge_gui.cli.running import follow
from jokejudge_gui.core.events import Finished, Stage, StageProgress, StageStarted
from jokejudge_gui.core.pages import Mark, MarkedText, Page, Row, Table
from jokejudge_gui.core.texts import json_line

from .conftest import Run


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def written(self) -> str:
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined, no-any-return]


Terminals = Callable[[], tuple[Terminal, Terminal]]


@pytest.fixture
def terminals(monkeypatch: pytest.MonkeyPatch) -> Terminals:
    """Puts terminals in the place of both streams; called by the test, since pytest sets its own just before."""

    def put() -> tuple[Terminal, Terminal]:
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        out, err = Terminal(), Terminal()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        return out, err

    return put


@pytest.mark.parametrize(
    ("call", "says"),
    [(("doctor",), ("Checking: history", "Checking: model")), (("history", "list"), ("Reading the history",))],
)
def test_what_may_take_long_says_what_it_does_and_leaves_no_trace(
    terminals: Terminals, tmp_path: Path, call: tuple[str, ...], says: tuple[str, ...]
) -> None:
    _, err = terminals()
    main([*call, "--data-dir", str(tmp_path)])
    assert all(line in err.written for line in says)
    left = err.written.rpartition("\r\x1b[K")[2]
    assert not any(line in left for line in says)


def test_progress_is_one_line_that_leaves_no_trace(terminals: Terminals) -> None:
    out, err = terminals()
    events = (
        StageStarted(stage=Stage.SCORES, total=4), StageProgress(stage=Stage.SCORES, done=2, total=4),
        Finished(),
    )  # fmt: skip
    follow(iter(events), Console())
    assert "Scores" in err.written
    assert "0/4" in err.written
    assert "\n" not in err.written
    assert err.written.endswith("\r\x1b[K")
    assert out.written == ""


@given(st.text(st.characters()))
def test_any_text_can_be_printed_and_encoded(text: str) -> None:
    assert "\x1b" not in printable(text)
    assert "\n" not in printable(text, lines=False)
    assert json.loads(json_line(text)) is not None


HEAVY = (
    "numpy", "PySide6", "lxml", "rich", "sqlite_utils", "jinja2", "pydantic", "click",
    "jokejudge_gui.judge.main_judge",
)  # fmt: skip


@pytest.mark.parametrize(
    ("call", "loads"),
    [
        ("None", set()),
        ("main(['--version'])", {"pydantic", "click"}),
        ("main([*place, 'history', 'search', 'joke'])", {"pydantic", "click", "rich"}),  # a table
        ("main([*place, 'history', 'list', '--json'])", {"pydantic", "click"}),
        ("main([*place, 'votes', 'list'])", {"pydantic", "click"}),
    ],
)
def test_what_needs_no_judge_starts_without_its_libraries(run: Run, tmp_path: Path, call: str, loads: set[str]) -> None:
    run("rate", "a joke")
    code = (
        f"import sys, os, jokejudge_gui; place = ['--data-dir', {str(tmp_path / 'profile')!r}]\n"
        f"if {call!r} != 'None': from jokejudge_gui.cli.main import main\n"
        f"{call}\n"
        "assert os.environ['OMP_WAIT_POLICY'] == 'passive'\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        f"assert set(loaded) <= {loads!r}, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()


TURNING = "A \u202ehorse\u2066 walks\u200f in.\u2069\x9b2J"


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_nothing_that_is_printed_turns_a_line_or_steers_the_terminal(
    run: Callable[..., Any], more: tuple[str, ...]
) -> None:
    calls = (
        ("rate", TURNING), ("duel", TURNING, "Another."), ("contest", "-"), ("history", "list"),
        ("history", "show", "last"), ("history", "export", "-"),
    )  # fmt: skip
    for call in calls:
        found = run(*call, *(more if "export" not in call else ()), stdin=f"{TURNING}\nAnother.\n".encode())
        assert found.status == 0, found.err
        assert not set("\u202e\u2066\u2069\u200f\x9b") & set(found.out + found.err), call


def test_a_long_step_is_seen_to_go_on_and_its_line_goes_before_anything_is_printed(
    terminals: Terminals, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, (out, err) = threading.Event(), terminals()
    write = err.write

    def seen(text: str) -> int:
        if "Working" in text:
            drawn.set()
        return write(text)

    before = list[str]()
    put = out.write
    monkeypatch.setattr(err, "write", seen)
    monkeypatch.setattr(out, "write", lambda text: before.append(err.written[-4:]) or put(text))
    monkeypatch.setattr(console, "_ALIVE_S", 0.01)
    sheet = Console()
    with sheet.line.kept_alive():
        assert drawn.wait(30)
        sheet.text("A result.")
    assert before == ["\r\x1b[K"]
    assert out.written == "A result.\n"
    assert err.written.endswith("\r\x1b[K")


JOKE = "I told my plants a joke.\nThey were rooting for me."


PAGE = Page(
    headline="Probably in the upper half",
    lead=("People would put it between 70 and 98 of 100.",),
    notes=("It doesn't seem to be English.",),
    texts=(MarkedText(JOKE, marks=(Mark(35, 46, "turn"),)),),
    rows=(
        Row("in the mood of [bold]markup[/bold]", "Quiet", quiet=True),
        Row("Pun", "Kinds", beside="right in 9 of 10", rows=(Row("below it", shares=(("0", 0.25), ("5", 0.75))),)),
    ),
    tables=(Table("Factors", ("name", "score"), (("Wit", "4.0"), ("A long name " * 12, "3.0"))),),
    foot=("a model", "0.3 s"),
)


def drawn(capsys: pytest.CaptureFixture[str], page: Page = PAGE) -> str:
    capsys.readouterr()
    Console().page(page, "verdict v1")
    return capsys.readouterr().out


def test_a_page_is_drawn_from_its_notes_to_its_foot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert drawn(capsys).splitlines() == [
        "Note: It doesn't seem to be English.",
        "",
        "Probably in the upper half",
        "People would put it between 70 and 98 of 100.",
        "",
        "I told my plants a joke.",
        "They were «rooting for» me.",
        "",
        "Kinds  Pun (right in 9 of 10)",
        "         below it (0: 25 %, 5: 75 %)",
        "Quiet  in the mood of [bold]markup[/bold]",
        "",
        "Factors",
        "name                                                   score",
        "Wit                                                      4.0",
        "A long name A long name A long name A long name A l…     3.0",
        "",
        "a model · 0.3 s · verdict v1",
    ]


def test_on_a_terminal_the_words_that_it_turns_on_are_underlined(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    out = drawn(capsys)
    assert "They were \x1b[4mrooting for\x1b[0m me." in out
    assert "\x1b[1mProbably in the upper half\x1b[0m" in out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in drawn(capsys)
