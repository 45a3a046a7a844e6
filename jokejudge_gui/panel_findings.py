"""What several models said that gave a verdict together, and how they divide."""

from __future__ import annotations

from typing import Literal

from .errors import ErrorInfo
from .frozen import Frozen
from .model_ref import ModelRef


class PanelMember(Frozen):
    """What one model of a panel said. ``verdict``: the id of its own verdict; ``worth``: share of held-out pairs of
    this kind of text that it puts in people's order, None where that wasn't measured; ``weight`` 0…1: its part in what
    leads (the audience of a rating, the answer of a duel), 1 over all members; ``headline``: its verdict in a
    sentence; ``percentile`` of a rating or ``p_a`` of a duel; ``error``: why it has no verdict."""

    model: ModelRef
    verdict: str | None = None
    worth: float | None = None
    weight: float = 0.0
    headline: str = ""
    percentile: float | None = None
    p_a: float | None = None
    error: ErrorInfo | None = None


class Dissent(Frozen):
    """How many of the models that said anything of it side with a panel's finding. ``voice``: whose finding it is;
    ``finding``: as a sentence without its stop."""

    voice: Literal["audience", "editor", "admission", "verdict"]
    finding: str
    agree: int
    of: int


class PanelFindings(Frozen):
    """A verdict that several models gave together. ``votes``: as how many independent ones they count, from how far
    their errors correlate (``correlation``, −1…1); ``measured``: whether that correlation was measured for all of them
    or some of it is taken from other models."""

    name: str
    members: tuple[PanelMember, ...]
    votes: float = 1.0
    correlation: float | None = None
    measured: bool = False
    dissent: tuple[Dissent, ...] = ()
