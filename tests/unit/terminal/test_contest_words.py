"""What one says of a contest's jokes in the terminal: marks, stars, tags, votes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run


@pytest.fixture
def contest(run: Run, tmp_path: Path) -> str:
    """The id of a contest of three jokes."""
    file = tmp_path / "list.txt"
    file.write_text("First joke.\nSecond joke.\nThird joke.\n", encoding="utf-8")
    return str(run("contest", str(file), "--json").object["id"])


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["history", "mark", "last", "9", "--keep"], "E_CONTEST_ENTRY"),
        (["votes", "add", "last", "up", "--joke", "9"], "E_VOTE_ENTRY"),
        (["votes", "add", "last", "A", "--joke", "1", "--joke", "2", "--joke", "3"], "E_VOTE_JOKES"),
    ],
)
def test_what_there_is_not_is_said(run: Run, contest: str, command: list[str], code: str) -> None:
    outcome = run(*command, "--json")
    assert outcome.status != 0
    assert outcome.object["error"]["code"] == code
