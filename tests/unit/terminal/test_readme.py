"""The README says what the program does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from jokejudge_gui.terminal.arguments import build, parse
from jokejudge_gui.verdicts import DuelResult, RatingResult

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if "jokejudge" in line]


def test_there_are_commands_to_check() -> None:
    assert len(COMMANDS) >= 20


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_readme_can_be_typed(line: str) -> None:
    words = shlex.split(line)
    arguments = words[words.index("jokejudge") + 1 :]
    assert parse(arguments).command in " ".join(arguments)


@pytest.mark.parametrize("line", re.findall(r"^python3 (packaging/\S+)", README, re.MULTILINE))
def test_every_script_of_the_readme_is_there(line: str) -> None:
    assert (ROOT / line).is_file()


def test_the_fields_of_the_readme_are_those_of_the_contract() -> None:
    block = re.search(r"^```\nrate: (.*?)\nduel: (.*?)\n```$", README, re.MULTILINE | re.DOTALL)
    assert block is not None
    for text, contract in (
        (block[1], RatingResult(id="", text="").contract()),
        (block[2], DuelResult(id="", text_a="", text_b="").contract()),
    ):
        bare = re.sub(r"[\[{(][^\])}]*[\])}]+", "", text).replace("|null", "")
        assert bare.split() == list(contract)


def test_every_option_that_the_readme_names_exists() -> None:
    root, tree = build()
    parsers = [root]
    for node in tree.values():
        parsers += [node[0], *(leaf for leaf in node[1].values() if not isinstance(leaf, tuple))] if isinstance(
            node, tuple
        ) else [node]  # fmt: skip
    known = {option for parser in parsers for action in parser._actions for option in action.option_strings}
    named = set(re.findall(r"`(--[a-z-]+)", README))
    assert named
    assert named <= known


def test_every_command_is_in_the_readme() -> None:
    _, tree = build()
    for name, node in tree.items():
        for sub in node[1] if isinstance(node, tuple) else [""]:
            wanted = f"jokejudge {name} {sub}".strip()
            assert wanted in README, wanted


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_every_file_that_the_readme_links_to_is_there(target: str) -> None:
    assert (ROOT / target).is_file()
