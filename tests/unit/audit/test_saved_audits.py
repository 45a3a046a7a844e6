"""Audits as files: what the terminal prints, what the window saves, and what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.judge.audit.kind import AUDIT
from jokejudge_gui.judge.audit.types import AuditedPair, AuditResult, VoiceAudit, read_audit

AUDITED = AuditResult(
    id="a",
    source="a list",
    perturbations="1-abc",
    program="0.3",
    criteria_version="c1",
    prompt_version="p1",
    head_version="h1",
    model=ModelRef(name="m", sha256="a" * 64),
    pairs=(AuditedPair(id="1", text_a="one", text_b="two", odds={"asked": 0.5}),),
    voices=(VoiceAudit(voice="rated", n=1, spread=1.0),),
    most_asked=60,
    factors=("wit",),
)


def told(result: AuditResult) -> Any:
    names = ("source", "perturbations", "program", "criteria_version", "prompt_version", "head_version", "model")
    return [getattr(result, name) for name in (*names, "pairs", "voices", "most_asked", "factors")]


@pytest.mark.parametrize("form", ["terminal", "earlier window", "history"])
def test_every_form_in_which_an_audit_was_ever_saved_is_read_whole(tmp_path: Path, form: str) -> None:
    contract = AUDIT.contract(AUDITED)
    data = {"terminal": contract, "earlier window": AUDITED.model_dump(mode="json"), "history": {"result": contract}}
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(data[form]), encoding="utf-8")
    assert told(read_audit(path)) == told(AUDITED)


def test_an_audit_of_an_earlier_version_has_no_later_fields_and_is_read(tmp_path: Path) -> None:
    data = AUDIT.contract(AUDITED)
    for name in ("everything_asked", "most_asked", "factors"):
        del data[name]
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert read_audit(path).most_asked is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"voices": 3}', '{"result": null}', "\0", '{"voices": NaN}'])
def test_anything_else_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "audit.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"No audit can be read from audit\.json"):
        read_audit(path)
