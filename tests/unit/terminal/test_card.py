"""``jokejudge models card``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jokejudge_gui.core.paths import models_dir

if TYPE_CHECKING:
    from .conftest import Run, Stage


def test_the_card_of_the_embedded_model_is_printed_and_written(run: Run, stage: Stage, tmp_path: Path) -> None:
    shipped = (models_dir() / "cards" / "7b46609d11703c05.md").read_text(encoding="utf-8")
    file, page = tmp_path / "card.md", tmp_path / "card.html"
    said = run("models", "card", "embedded")
    assert said.status == 0
    assert "## What it is not for" in said.out
    written = run("models", "card", "embedded", "--markdown", str(file), "--html", str(page))
    assert (written.status, written.out) == (0, "")
    assert file.read_text(encoding="utf-8") == shipped
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    fields = run("models", "card", "embedded", "--json").object
    assert set(fields) == {
        "model",
        "agreement",
        "items",
        "editor",
        "audit",
        "effects",
        "not_for",
        "sense",
        "error",
    }
    assert stage.loaded == []
