"""A verdict is asked for again as it was: request, stored verdict, request again, over every kind and field."""

from __future__ import annotations

from typing import Any

import pytest

from jokejudge_gui.core.verdict_kinds import Request
from jokejudge_gui.judge.contest.record import EntryNote, Notes, RankedEntry
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.set.record import SetRequest
from jokejudge_gui.judge.versions import WorkshopRequest
from tests.ends import finished
from tests.known_calibration import MakeSession

A = "I bought shoes from a drug dealer. I was tripping all day."
B = "My cat is a good listener. It never listens."
COMMON = {"mode": "deep", "seed": 7, "explain": False, "ask": "all"}
OWN: dict[str, dict[str, Any]] = {
    "rate": {
        "text": A, "forced": True, "context": "shoes", "generator": "Qwen 3",
        "budget": 2, "listeners": ("workplace", "my aunt"),
        "edits": False, "room": ({"at": 35, "strength": 2},),
        "turn": (36, 58),
    },
    "duel": {"text_a": A, "text_b": B, "context": "shoes", "generator": "Qwen 3"},
    "contest": {
        "entries": (RankedEntry(id="z", text=B, columns={"author": "me"}), RankedEntry(id="a", text=A),
                    RankedEntry(id="m", text="No.")),
        "context": "shoes", "title": "Mine", "top": 1, "budget": 0, "shuffled": 1,
        "notes": Notes({"a": EntryNote("keep", True, ("x",))}), "seen": {A: "0" * 32},
        "screening": {"promoted": "a"},
    },
    "workshop": {"versions": WorkshopRequest.of(A, B).versions, "context": "shoes"},
    "set": {"bits": SetRequest.of([("Shoes", f"{A} [laugh 2]"), B]).bits, "title": "Friday", "minutes": 5.0,
            "contest": "1" * 32},
    "audit": {
        "cases": ({"id": "1", "text_a": A, "text_b": B, "winner": "A"},),
        "source": "mine", "most_asked": 1,
    },
    "template": {
        "pack": "stages", "module": "intent", "input": A, "output": True, "expected": False, "reasoning": "It is.",
        "confidence": 0.9,
    },
}  # fmt: skip


def asked(kind: str) -> Request:
    """A request in which every field that a verdict keeps is set."""
    request: Request = KINDS[kind].request.model_validate({**COMMON, **OWN[kind]})
    return request


def repeated(request: Request) -> dict[str, Any]:
    return {name: value for name, value in request if name not in request.not_repeated}


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_the_request_is_tried(kind: str) -> None:
    assert KINDS[kind].name == kind
    request = asked(kind)
    for name, field in type(request).model_fields.items():
        if name not in request.not_repeated:
            assert getattr(request, name) != field.get_default(call_default_factory=True), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("plain", [False, True], ids=["every field set", "as usual"])
def test_a_stored_verdict_is_asked_for_again_as_it_was(kind: str, plain: bool, make_session: MakeSession) -> None:
    request = asked(kind)
    if plain:
        needed = {"pack", "module", "output", "expected", "entries", "versions", "bits", "cases", *KINDS[kind].fields}
        request = KINDS[kind].request.model_validate({n: v for n, v in OWN[kind].items() if n in needed})
    session = make_session()
    last = finished(session.run(KINDS[kind], request))
    stored = session.store.get(last.id).result
    assert stored is not None
    again = KINDS[kind].request_of(stored)
    assert repeated(again) == repeated(request)
    assert (again.continues, again.seed) == (None, request.seed)
