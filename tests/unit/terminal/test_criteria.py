"""``jokejudge criteria``: what jokes are judged by, from the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run

MINE = """<own_criteria version="1">
  <factor id="politeness" name="Politeness" kinds="pun"{always}>
    <explanation>It is kind.</explanation><zero>rude</zero><five>kind</five>
    <good>Do laugh, if you please.</good><bad>Laugh, you.</bad>
  </factor>
  <fault id="dull" name="Dull"><says>puts one to sleep</says></fault>
  {weights}
</own_criteria>
"""


def take_in(run: Run, folder: Path, always: str = "", weights: str = "") -> None:
    (folder / "mine.xml").write_text(MINE.format(always=always, weights=weights), encoding="utf-8")
    assert run("criteria", "import", str(folder / "mine.xml")).status == 0


def test_a_factor_is_taken_in_shown_changed_weighed_and_takes_part(run: Run, tmp_path: Path) -> None:
    take_in(run, tmp_path)
    shown = run("criteria", "show", "factor", "politeness", "--json").object
    assert shown["item"]["origin"] == "own"
    assert shown["item"]["read"] is False
    assert any("score for Politeness is" in line for line in shown["asked"])
    assert "--ask all" in shown["effect"]
    weights = "".join(f'<weight factor="{id}" share="0.5"/>' for id in ("politeness", "wit"))
    take_in(run, tmp_path, ' always="yes"', weights)
    verdict = run("rate", "a joke", "--json").object
    assert "Politeness" in [factor["name"] for factor in verdict["factors"]]
    assert verdict["weights"]["politeness"] == 0.5
    assert verdict["weighted_score"] is not None
    assert "by your weights" in run("rate", "a joke").out


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["show", "factor", "nonsense"], 1, "There is no factor"),
        (["reset"], 2, "Which one"),
        (["import", "nowhere.xml"], 1, "Check its name and that you may read it."),
    ],
)
def test_what_cannot_be_done_is_a_sentence(run: Run, arguments: list[str], status: int, said: str) -> None:
    outcome = run("criteria", *arguments)
    assert outcome.status == status
    assert said in outcome.err


def test_a_fault_is_taken_in_shown_and_asked_about(run: Run, tmp_path: Path) -> None:
    take_in(run, tmp_path)
    shown = run("criteria", "show", "fault", "dull")
    assert "never a finding" in shown.err
    assert "Fault: it puts one to sleep" in shown.out
    voice = run("rate", "a joke", "--json").object["own_faults"][0]
    assert (voice["name"], voice["p"] is None) == ("Dull", bool(voice["reason"]))
    assert "Dull:" in run("rate", "a joke").out
