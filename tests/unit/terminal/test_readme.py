"""The README and the manual say what the program does."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from jokejudge_gui.cli.main import jokejudge
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.record import ContestResult, RankedEntry
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.kinds import contract
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.judge.versions import WORKSHOP, WorkshopResult

from .conftest import Run, commands, typed

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "resources" / "manual").glob("*.md"))]
README = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if "jokejudge" in line]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_readme_can_be_typed(line: str) -> None:
    words = shlex.split(line)
    arguments = words[words.index("jokejudge") + 1 :]
    assert typed(*arguments).name in " ".join(arguments)


_ELSEWHERE = (
    "template", "screen", "audit", "models plan", "models get", "models use", "models find", "models fit",
    "rate … --model embedded", "doctor",
)  # fmt: skip
"""Need a network or a real model; tests of their own run them."""


def test_the_examples_of_the_readme_run_as_they_stand_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    draft = "I used to be a baker, but I couldn't make enough dough."
    given = {
        **dict.fromkeys(
            ("draft.txt", "bit.txt", "airport.txt", "lawyer.txt", "gym.txt", "closer.txt", "encore.txt"), draft
        ),
        "mine.xml": re.findall(r"^```xml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[0],
        "jokes.csv": "id,text,model,prompt\n1,First joke.,a,x\n2,Second joke.,b,y\n",
        "pairs.csv": "id,text_a,text_b\n1,First joke.\n2,Third joke.,Fourth joke.\n",
        "votes.csv": "text_a,text_b,winner\nFirst joke.,Second joke.,A\nThird joke.,Fourth joke.,B\n",
        "grades.csv": "text,rating\nFirst joke.,1\nSecond joke.,2\n",
    }
    ran = 0
    for line in COMMANDS:
        for name, content in given.items():  # anew each time: an example may write a file that another one reads
            (tmp_path / name).write_text(content, encoding="utf-8")
        shown = line.split("#")[0].strip()
        words = shlex.split(shown.rpartition("|")[2])
        arguments = words[words.index("jokejudge") + 1 :]
        if " ".join(arguments).startswith(_ELSEWHERE):
            continue
        if arguments[:2] == ["votes", "export"]:
            (tmp_path / arguments[2]).unlink()  # a file that the program didn't write isn't overwritten
        if arguments[:2] == ["votes", "add"] and arguments[3:4] == ["B"]:
            run("duel", "One joke.", "Another joke.")  # the README says it of the newest verdict, here a duel
        if arguments[:2] == ["votes", "add"] and arguments[3:4] == ["up"]:
            run("rate", draft)
        outcome = run(*arguments, stdin=draft.encode())
        (tmp_path / "verdicts.jsonl").unlink(missing_ok=True)  # examples stand for themselves
        assert outcome.status == 0, (line, outcome.err)
        ran += 1
    assert ran >= 25


def test_the_fields_of_the_readme_are_those_of_the_contract() -> None:
    block = re.search(r"^```\n(rate: .*?)\n```$", README, re.MULTILINE | re.DOTALL)
    told = dict(re.findall(r"^(\w+): (.*?)(?=^\w+: |\Z)", block[1], re.MULTILINE | re.DOTALL))
    assert _bare(told["rate"]) == list(contract(RatingResult(id="", text="")))
    assert _bare(told["duel"]) == list(contract(DuelResult(id="", text_a="", text_b="")))
    assert set(_bare(told["workshop"])) <= set(WORKSHOP.contract(WorkshopResult(id="")))
    contest = CONTEST.contract(ContestResult(id="", entries=(RankedEntry(id="1", text="A joke."),)))
    assert _bare(told["contest"]) == list(contest)
    entry = re.search(r"entries\[\{(.*?)\}\]", told["contest"], re.DOTALL)
    assert "".join(entry[1].replace("|null", "").split()).split(",") == list(contest["entries"][0])
    with (ROOT / "tests" / "net" / "frozen" / "screen.jsonl").open(encoding="utf-8") as frozen:
        assert set(_bare(told["screen"])) == {*json.loads(frozen.readline())["answer"], "usage"}


def _bare(text: str) -> list[str]:
    """The names of the fields without what is in them."""
    return re.sub(r"[\[{(][^\])}]*[\])}]+", "", text).replace("|null", "").split()


def test_every_option_that_the_readme_names_exists() -> None:
    every = (jokejudge, *(command for _, command in commands()))
    parameters = [parameter for command in every for parameter in command.params]
    known = {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}
    named = set(re.findall(r"`(--[a-z-]+)", README))
    assert named
    assert named <= known


def test_every_command_is_in_the_readme() -> None:
    for name, _ in commands():
        assert f"jokejudge {name}" in README, name


_LINKS = [
    (page, target) for page in PAGES for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("page", "target"), _LINKS, ids=lambda part: part.name if isinstance(part, Path) else part)
def test_every_file_that_a_page_links_to_is_there(page: Path, target: str) -> None:
    assert (page.parent / target).is_file()


def test_the_readme_leads_to_every_page_of_the_manual() -> None:
    linked = {(page.parent / target).resolve() for page, target in _LINKS if page.name == "README.md"}
    assert set(PAGES[1:]) <= linked
