"""Other listeners as branches of deep mode's tree: those that the model was measured to know from others."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.base import CancelToken
from ...reasoned import LAUGHS, Branch, Node
from ...rubric.audiences import Listener
from ...statistics import sigmoid
from ..main_judge import MainJudge
from ..plan.listeners import reason_of
from ..reasoning.grow import mean_of


def told_apart(judge: MainJudge) -> tuple[Listener, ...]:
    """The listeners that may be asked for on this model; none where that wasn't measured. Raises
    ``CriteriaError``."""
    worths, own = judge.listener_worths(), judge.own_listener_worths()
    return tuple(each for each in judge.listener_asker.audiences.listeners if not reason_of(each, worths, own))


def listeners_node(
    judge: MainJudge, text: str, listeners: Sequence[Listener], cancel: CancelToken | None = None
) -> Node:
    """Who would laugh: an ordinary listener first, then each of ``listeners``, all asked on one reading of the joke;
    probabilities in 100. It tells how tastes divide, and has no part in the audience's estimate. Raises what the engine
    raises."""
    asker = judge.listener_asker
    usual, *others = asker.ask(text, [asker.audiences.anyone[0], *(each.words for each in listeners)], cancel)
    values = [100.0 * sigmoid(odds) for odds in (usual, *others)]
    mean, error = mean_of(values)
    branches = tuple(
        Branch(how="another listener", value=value, listener=each.name)
        for each, value in zip(listeners, values[1:], strict=True)
    )
    return Node(
        id=LAUGHS, kind="verdict", name="Would laugh", before=values[0], after=mean, error=error, branches=branches,
        doubts=("tastes differ",),
    )  # fmt: skip
