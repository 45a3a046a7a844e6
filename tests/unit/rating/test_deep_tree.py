"""Branches open where there is doubt, and close where they agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from jokejudge_gui.core.verdicts import Budget, Usage
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.editor_file import CORE
from jokejudge_gui.judge.rating.deep_judge import MOST_BRANCHES, Reasoner, nearest, shipped_examples, with_branch
from jokejudge_gui.judge.rating.record import Branch, How, Node

WAYS: tuple[How, ...] = (
    "as in quick mode", "another wording", "another form", "other examples", "a strict reader", "another listener",
)  # fmt: skip


def reasoner(
    values: Sequence[float], budget: Budget | None = None, usage: Callable[[], Usage] = Usage,
    clock: Callable[[], float] = lambda: 0.0, nodes: Sequence[str] = ("wit",),
) -> Reasoner:  # fmt: skip
    """A tree whose ways give these values, in their order."""

    def ask(value: float, ids: Sequence[str], _cancel: CancelToken | None) -> Mapping[str, Branch]:
        return {id: Branch(how="as in quick mode", value=value) for id in ids}

    ways = {("factor", how): partial(ask, value) for how, value in zip(WAYS, values, strict=False)}
    tree = Reasoner(ways, budget or Budget(), usage, clock=clock)  # type: ignore[arg-type]
    for id in nodes:
        tree.add(Node(id=f"factor:{id}", kind="factor", name=id, before=2.0, after=2.0, settled=False))
    return tree


def test_agreement_closes_a_node_and_disagreement_opens_every_way() -> None:
    agreeing = reasoner([3.0, 3.1, 0.0])
    list(agreeing.grow())
    node = agreeing.nodes["factor:wit"]
    assert (len(node.branches), node.settled, node.after) == (2, True, pytest.approx(3.05))
    torn = reasoner([0.0, 5.0] * 3)
    list(torn.grow())
    node = torn.nodes["factor:wit"]
    assert (len(node.branches), node.after) == (MOST_BRANCHES, pytest.approx(2.5))
    assert node.error == pytest.approx(1.118, abs=1e-3)


@pytest.mark.parametrize(("values", "settled"), [((2.0, 2.2), True), ((2.0, -2.2), False)])
def test_a_yes_or_no_is_settled_where_it_is_clear(values: tuple[float, ...], settled: bool) -> None:
    node = Node(id="kind:pun", kind="kind", name="Pun", before=0.2, settled=False)
    for value in values:
        node = with_branch(node, Branch(how="another wording", value=value))
    assert node.settled is settled


def test_each_budget_ends_it() -> None:
    few = reasoner([0.0, 5.0] * 3, Budget(branches=4), nodes=("wit", "truth", "logic"))
    list(few.grow())
    assert (few.ended, few.used) == ("branches", 4)
    spent = iter(range(0, 10_000, 60))
    poor = reasoner([0.0, 5.0] * 3, Budget(tokens=200), lambda: Usage(tokens_evaluated=next(spent)))
    list(poor.grow())
    assert poor.ended == "tokens"
    moments = iter(range(0, 1000, 5))
    slow = reasoner([0.0, 5.0] * 3, Budget(seconds=12), clock=lambda: float(next(moments)))
    list(slow.grow())
    assert slow.ended == "seconds"
    assert list(reasoner([0.0, 5.0] * 3, Budget(branches=0)).grow()) == []


def test_a_contradiction_leads_back_while_there_are_ways_left() -> None:
    tree = reasoner([3.0, 3.1, 3.0, 3.0, 3.0, 3.0])
    list(tree.grow())
    before = tree.used
    assert tree.reopen(["factor:wit", "factor:unknown"], "It was taken for a pun, but wordplay 0.2.")
    list(tree.grow())
    assert tree.used > before
    assert tree.nodes["factor:wit"].loops == 1
    assert tree.tree.contradictions == ("It was taken for a pun, but wordplay 0.2.",)
    for _ in range(6):
        tree.reopen(["factor:wit"], "again")
        list(tree.grow())
    assert not tree.reopen(["factor:wit"], "and again")


def test_examples_lie_near_the_joke_and_damaged_ones_are_left_out(tmp_path: Path) -> None:
    examples = shipped_examples()
    near = nearest(examples[7]["text"], examples, 3)
    assert (len(near), examples[7] in near, set(near[0]["scores"])) == (3, False, set(CORE))
    path = tmp_path / "readings.jsonl"
    whole = json.dumps({"joke": 1, "text": "A joke.", "core": [2] * len(CORE)})
    path.write_text(f'{{"text": 3}}\nnot json\n{whole}\n', encoding="utf-8")
    assert [example["text"] for example in shipped_examples(path)] == ["A joke."]
    assert shipped_examples(tmp_path / "missing") == ()
