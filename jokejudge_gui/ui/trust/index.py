"""What the window knows of how far models can be trusted, read once until something changes."""

from __future__ import annotations

from ...judging.plan.deep_worth import DeepWorth
from ...runs.shelf import ModelTrust, TrustShelf, measured_line
from ...runs.worths import ModelPlan, plan_of
from ...session import Session
from ...trust.words import agrees, kind_name
from ...verdicts import ModelRef


class TrustIndex:
    """Over the profile's and the program's folders. Read again after ``forget``."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.shelf = TrustShelf(session.profile)
        self._known: dict[str, ModelTrust] = {}
        self._plans: dict[str, ModelPlan] = {}
        self._deep: dict[str, DeepWorth | None] = {}

    def forget(self) -> None:
        """Something was measured or deleted, or another model is in use."""
        self._known.clear()
        self._plans.clear()
        self._deep.clear()

    @property
    def in_use(self) -> ModelRef | None:
        return self._session.model

    def models(self) -> list[ModelRef]:
        """The model in use first, then all that something is known of."""
        used = self._session.model
        others = [model for model in self.shelf.models() if used is None or model.sha256 != used.sha256]
        return [*([used] if used is not None else []), *others]

    def of(self, model: ModelRef) -> ModelTrust:
        found = self._known.get(model.sha256)
        if found is None:
            found = self._known[model.sha256] = self.shelf.of(model)
        return found

    def plan(self, model: ModelRef) -> ModelPlan:
        """What each part of a verdict is worth on a model, and where it comes from."""
        found = self._plans.get(model.sha256)
        if found is None:
            found = self._plans[model.sha256] = plan_of(model, self._session.profile)
        return found

    def deep(self, model: ModelRef) -> DeepWorth | None:
        """What Deep was measured to be worth beside Quick; None where it wasn't."""
        if model.sha256 not in self._deep:
            self._deep[model.sha256] = self.shelf.deep.load(model.sha256)
        return self._deep[model.sha256]

    def line(self, model: ModelRef, audience: bool) -> str:
        """What is measured of a verdict's model, as a sentence; ``audience``: the verdict holds its estimate. Never
        empty: what isn't measured is said."""
        found = self.of(model)
        if audience:
            stated = found.line or self._of_head(model)
            if stated:
                return f"The audience estimate {stated}."
        for kept in found.measured:
            if line := measured_line(kept):
                return f"This model {line}."
        return "How far this model agrees with people hasn't been measured."

    def _of_head(self, model: ModelRef) -> str:
        """What the head in use states of itself, for a head that has no card."""
        judge = self._session.judge
        if judge is None or judge.head is None or judge.model.sha256 != model.sha256:
            return ""
        head = judge.head
        return agrees(head.agreement, head.one_person or None, kind_name(head.kinds[0]))
