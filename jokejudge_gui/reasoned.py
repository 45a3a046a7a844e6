"""The tree of a deep verdict: what was doubted, which independent readings were made of it, and what they came to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .frozen import Frozen

NodeKind = Literal["check", "kind", "factor", "verdict"]
How = Literal[
    "as in quick mode", "another wording", "another form", "other examples", "written steps", "a strict reader",
    "without its turn", "another listener",
]  # fmt: skip
"""How a branch reads its node anew."""
Ended = Literal["settled", "branches", "tokens", "seconds", "stopped", "nothing to ask"]
"""Why no further branch was opened: all doubt was settled, a budget was spent, the user stopped it, or no further
reading is worth anything on this model."""


class Budget(Frozen):
    """How far reasoning may go beyond quick mode. ``tokens``: of all prompts, those included whose state is kept, so
    that the same joke gets the same tree whatever is kept; ``seconds``: wall time, which depends on the machine; None:
    no limit."""

    branches: int = Field(default=48, ge=0, le=1000)
    tokens: int = Field(default=60_000, ge=0, le=10**8)
    seconds: float | None = Field(default=None, ge=0.0, le=86_400.0)


class Branch(Frozen):
    """One independent reading of a node. ``value`` on the node's scale; None where the model gave no answer (label
    ``mass`` 0…1 under one half). ``distribution``: of the levels 0…5, for factors. ``reason``: what the model wrote
    after "because", empty where it wrote nothing that holds, or isn't let to. ``counts``: it is averaged into the node;
    a branch that doesn't tells what hangs on the part that was taken away (``taken``), asked in the same way as the
    branch ``beside`` it. ``listener``: who was asked for."""

    how: How
    value: float | None = None
    mass: float = 1.0
    distribution: tuple[float, ...] = ()
    reason: str = ""
    counts: bool = True
    taken: str = ""
    beside: How | None = None
    listener: str = ""


AUDIENCE, LAUGHS = "verdict:audience", "verdict:laughs"
"""The nodes of the audience's estimate, and of who would laugh as the model answers."""


class Node(Frozen):
    """A question with its readings. ``before`` and ``after``: its value in quick mode and now: a factor 0…5, checks and
    kinds as log-odds (nats), the verdict as a percentile 0…100, who laughs as a probability in 100. ``error``: standard
    error of ``after`` over the branches, None for fewer than two. ``doubts``: why it was opened, in words; ``loops``:
    how often a contradiction led back to it. ``power`` 0…1: how far the branches count, by what is found in the joke's
    mirror; the rest goes to ``usual``, what the model says of jokes at large."""

    id: str
    kind: NodeKind
    name: str
    before: float | None = None
    after: float | None = None
    error: float | None = None
    doubts: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    settled: bool = True
    loops: int = 0
    power: float = 1.0
    usual: float | None = None


class ReasoningTree(Frozen):
    """All nodes in the order of their stages. ``contradictions``: what led back to an earlier stage, in words;
    ``used_…``: branches, tokens and seconds beyond quick mode."""

    nodes: tuple[Node, ...] = ()
    contradictions: tuple[str, ...] = ()
    budget: Budget = Budget()
    used_branches: int = 0
    used_tokens: int = 0
    used_seconds: float = 0.0
    ended: Ended = "settled"
    prompts: str = ""

    @property
    def opened(self) -> tuple[Node, ...]:
        """The nodes that have branches."""
        return tuple(node for node in self.nodes if node.branches)

    @property
    def answers(self) -> tuple[Node, ...]:
        """The opened nodes that the model was asked about."""
        return tuple(node for node in self.opened if node.id != AUDIENCE)
