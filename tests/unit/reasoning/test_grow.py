"""Branches open where there is doubt, and close where they agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from jokejudge_gui.core.verdicts import Budget, Usage
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.editor_file import CORE
from jokejudge_gui.judge.rating.deep_judge import nearest, shipped_examples
from jokejudge_gui.judge.rating.reasoning import MOST_BRANCHES, Reasoner, Source, with_branch
from jokejudge_gui.judge.rating.record import Branch, How, Node

WAYS: tuple[How, ...] = (
    "as in quick mode", "another wording", "another form", "other examples", "a strict reader", "another listener",
)  # fmt: skip


def factor(id: str, settled: bool = False) -> Node:
    return Node(id=f"factor:{id}", kind="factor", name=id, before=2.0, after=2.0, settled=settled)


def saying(how: How, value: float | None, kind: str = "factor", asked: list[int] | None = None) -> Source:
    def ask(ids: Sequence[str], _cancel: CancelToken | None) -> Mapping[str, Branch]:
        if asked is not None:
            asked.append(len(ids))
        return {id: Branch(how=how, value=value) for id in ids}

    return Source(how, "kind" if kind == "kind" else "factor", ask)


def reasoner(
    nodes: Sequence[Node], values: Sequence[float | None], budget: Budget | None = None,
    usage: Callable[[], Usage] = Usage, clock: Callable[[], float] = lambda: 0.0,
) -> Reasoner:  # fmt: skip
    sources = [saying(how, value) for how, value in zip(WAYS, values, strict=False)]
    return Reasoner(nodes, sources, budget or Budget(), usage, clock=clock)


def test_agreement_closes_a_node() -> None:
    found = reasoner([factor("wit")], [3.0, 3.1, 0.0])
    list(found.grow())
    node = found.nodes["factor:wit"]
    assert len(node.branches) == 2
    assert node.settled
    assert node.after == pytest.approx(3.05)


def test_disagreement_opens_every_way_and_then_ends() -> None:
    found = reasoner([factor("wit")], [0.0, 5.0, 0.0, 5.0, 0.0, 5.0])
    list(found.grow())
    assert len(found.nodes["factor:wit"].branches) == MOST_BRANCHES
    assert found.nodes["factor:wit"].after == pytest.approx(2.5)
    assert found.nodes["factor:wit"].error == pytest.approx(1.118, abs=1e-3)


def test_a_yes_or_no_is_settled_where_it_is_clear() -> None:
    node = Node(id="kind:pun", kind="kind", name="Pun", before=0.2, settled=False)
    for value in (2.0, 2.2):
        node = with_branch(node, Branch(how="another wording", value=value))
    assert node.settled
    torn = Node(id="kind:pun", kind="kind", name="Pun", before=0.2, settled=False)
    for value in (2.0, -2.2):
        torn = with_branch(torn, Branch(how="another wording", value=value))
    assert not torn.settled


def test_each_budget_ends_it() -> None:
    few = reasoner([factor("wit"), factor("truth"), factor("logic")], [0.0, 5.0] * 3, Budget(branches=4))
    list(few.grow())
    assert (few.ended, few.used) == ("branches", 4)

    total = 0

    def usage() -> Usage:
        nonlocal total
        total += 60
        return Usage(tokens_evaluated=total, tokens_reused=total)

    poor = reasoner([factor("wit")], [0.0, 5.0] * 3, Budget(tokens=200), usage)
    list(poor.grow())
    assert poor.ended == "tokens"

    moments = iter(range(0, 1000, 5))
    slow = reasoner([factor("wit")], [0.0, 5.0] * 3, Budget(seconds=12), clock=lambda: float(next(moments)))
    list(slow.grow())
    assert slow.ended == "seconds"
    nothing = reasoner([factor("wit")], [0.0, 5.0] * 3, Budget(branches=0))
    assert list(nothing.grow()) == []


def test_a_contradiction_leads_back_while_there_are_ways_left() -> None:
    found = reasoner([factor("wit")], [3.0, 3.1, 3.0, 3.0, 3.0, 3.0])
    list(found.grow())
    before = found.used
    assert found.reopen(["factor:wit", "factor:unknown"], "It was taken for a pun, but wordplay 0.2.")
    list(found.grow())
    assert found.used > before
    assert found.nodes["factor:wit"].loops == 1
    assert found.tree.contradictions == ("It was taken for a pun, but wordplay 0.2.",)
    for _ in range(6):
        found.reopen(["factor:wit"], "again")
        list(found.grow())
    assert not found.reopen(["factor:wit"], "and again")


def test_examples_lie_near_the_joke_and_are_never_the_joke_itself() -> None:
    examples = shipped_examples()
    assert len(examples) > 500
    joke = examples[7]
    near = nearest(joke.text, examples, 3)
    assert joke not in near
    assert len(near) == 3
    assert set(joke.scores) == set(CORE)


def test_damaged_readings_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "readings.jsonl"
    whole = json.dumps({"joke": 1, "text": "A joke.", "core": [2] * len(CORE)})
    path.write_text(f'{{"text": 3}}\nnot json\n{whole}\n', encoding="utf-8")
    assert [example.text for example in shipped_examples(path)] == ["A joke."]
    assert shipped_examples(tmp_path / "missing") == ()
