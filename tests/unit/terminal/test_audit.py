"""``jokejudge audit`` as it is typed, on a model that is asked."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.planted_judges import answers, cases, emoji_lover

Run = Callable[..., Any]


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    path = tmp_path / "pairs.csv"
    rows = [f'"{case.text_a}","{case.text_b}",{case.winner}' for case in cases(40)]
    path.write_text("\n".join(["text_a,text_b,winner", *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_an_audit_says_what_moves_the_judge_and_opens_again_whole(
    run: Run, stage: Any, pairs: str, tmp_path: Path
) -> None:
    stage.answer = answers(emoji_lover)
    report = tmp_path / "audit.html"
    found = run("audit", "--pairs", pairs, "--probe", "sentiment", "--html", str(report))
    assert found.status == 0, found.err
    assert "strongly moved by sentiment" in found.out
    assert "Sentiment: Emoji" in found.out
    page = report.read_text(encoding="utf-8")
    assert "strongly moved by sentiment" in page
    assert "http" not in page.replace("Content-Security-Policy", "").replace("http-equiv", "")
    again = run("history", "show", "last", "--json").object["result"]
    assert again["voices"][0]["voice"] == "asked"
    assert len(again["pairs"]) == 40
    assert "Audit on 40 pairs" in run("history", "list", "--kind", "audit").out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--probe", "vanity"), "E_AUDIT_PROBE"),
        (("--html", "-"), "E_USAGE"),
        (("--limit", "0"), "E_USAGE"),
    ],
)
def test_what_makes_no_sense_is_said(run: Run, arguments: tuple[str, ...], code: str) -> None:
    found = run("audit", *arguments, "--json")
    assert found.status in (1, 2)
    assert json.loads(found.out)["error"]["code"] == code


def test_an_audit_that_is_stopped_goes_on_where_it_was(run: Run, stage: Any, pairs: str) -> None:
    stage.answer = answers(emoji_lover)
    counted: list[str] = []

    def hook(_text: str, method: str) -> None:
        counted.append(method)
        if len(counted) == 60:
            signal.raise_signal(signal.SIGINT)

    stage.hook = hook
    stopped = run("audit", "--pairs", pairs, "--probe", "sentiment")
    assert stopped.status == 130
    assert "Run the same command again" in stopped.err
    stage.hook = lambda _text, method: counted.append(method)
    counted.clear()
    whole = run("audit", "--pairs", pairs, "--probe", "sentiment", "--json", "--no-history").object
    rest = len(counted)
    counted.clear()
    anew = run("audit", "--pairs", pairs, "--probe", "sentiment", "--json", "--no-history").object
    assert rest < len(counted)
    assert (whole["voices"], whole["pairs"]) == (anew["voices"], anew["pairs"])
