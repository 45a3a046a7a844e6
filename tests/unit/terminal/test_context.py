"""A topic or scene given with a joke: kept with the verdict, and read again with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.core.events import Finished
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.judged_kind import JudgedKind
from jokejudge_gui.judge.rating.kind import RATING
from tests.known_calibration import MakeSession

if TYPE_CHECKING:
    from .conftest import Run


@pytest.mark.parametrize(
    ("kind", "texts"), [(RATING, {"text": "I said moose."}), (DUEL, {"text_a": "I said moose.", "text_b": "Going up?"})]
)
def test_a_scene_stays_with_the_verdict_and_its_rerun(
    make_session: MakeSession, kind: JudgedKind[Any, Any, Any], texts: dict[str, str]
) -> None:
    request = kind.request.model_validate({**texts, "context": " A moose \n in a lift. ", "explain": False})
    *_, last = make_session().run(kind, request, record=False)
    assert isinstance(last, Finished)
    assert last.result is not None
    assert kind.request_of(last.result).context == "A moose in a lift."


def test_a_batch_takes_no_scene(run: Run, tmp_path: Path) -> None:
    rows = tmp_path / "in.txt"
    rows.write_text("I said moose.\n")
    found = run("rate", "--batch", str(rows), "--out", str(tmp_path / "out.jsonl"), "--context", "A lift.")
    assert found.status == 2
    assert "--context" in found.err
