"""What every command answers is what it was. ``python -m tests.net.freeze --check`` says the same without pytest;
after a change on purpose, ``python -m tests.net.freeze`` freezes the new answers, which the commit mentions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.net.answers import FROZEN, report
from tests.net.cases import FILES
from tests.net.freeze import answers


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("name", FILES)
def test_the_answers_are_what_they_were(name: str, tmp_path: Path) -> None:
    found = report(name, answers(name, tmp_path / name))
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_every_frozen_file_is_compared() -> None:
    assert {path.stem for path in FROZEN.iterdir()} == set(FILES)
