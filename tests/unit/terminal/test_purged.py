"""What is left of a text anywhere in the profile once it was deleted and purged: nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jokejudge_gui.core.paths import Profile

Run = Callable[..., Any]
SECRET = "zebrafinch"


def test_a_purge_leaves_nothing_of_a_deleted_text_or_of_an_unfinished_audit(run: Run, profile: Profile) -> None:
    assert run("rate", f"A {SECRET} walks into a bar, and the bar walks out.").status == 0
    audits = profile.cache / "audits"
    audits.mkdir(parents=True, exist_ok=True)
    (audits / "0123456789abcdef.jsonl").write_text(SECRET, encoding="utf-8")
    rows = run("history", "list", "--json").object["rows"]
    assert run("history", "delete", *(row["id"] for row in rows)).status == 0
    assert run("history", "purge").status == 0
    files = [path for folder in (profile.data, profile.cache) for path in folder.rglob("*") if path.is_file()]
    assert [str(path) for path in files if SECRET.encode() in path.read_bytes()] == []
