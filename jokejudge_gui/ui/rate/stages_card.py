"""The stages of a rating, filled in as they happen: four of one whose questions are asked, two of one reading."""

from __future__ import annotations

import time

from ...events import Stage
from ...verdicts import CategoryScore
from ..look import wording
from ..widgets.cards import Card
from ..widgets.chips import Chip
from ..widgets.stage_list import StageList
from ..widgets.text import Label
from .state import RateState, StageView

_STAGES = [
    (Stage.ADMISSIBILITY.value, "Admissible", "Is it a joke, complete and easy to follow?"),
    (Stage.CATEGORIES.value, "Categories", "Which kinds of joke could it be?"),
    (Stage.FACTORS.value, "Factors", "What should it be judged on?"),
    (Stage.SCORES.value, "Scores", "0 to 5 on every factor."),
]
_READ = [
    (Stage.READING.value, "Reading", "One reading of the joke tells what people and editors would say."),
    (Stage.EXPLANATION.value, "Words", "What works, what weakens it, and what to try."),
]


class StagesCard(Card):
    """``show`` draws what changed since it was last called."""

    def __init__(self) -> None:
        self.time = Label("", 13, 400, "text2", tabular=True)
        super().__init__("Stages", right=self.time)
        self.asked = StageList(_STAGES)
        self.read = StageList(_READ)
        self.list = self.read
        """The one that is shown."""
        self.asked.hide()
        for stages in (self.asked, self.read):
            self.add(stages)
        self._drawn: dict[str, object] = {}

    def show_state(self, state: RateState) -> None:
        seconds = None if state.phase in ("empty", "waiting") else state.seconds
        self.time.setText("" if seconds is None else wording.seconds(seconds))
        self.list = self.read if state.reads else self.asked
        self.asked.setVisible(not state.reads)
        self.read.setVisible(state.reads)
        for stage in state.shown_stages:
            view = StageView() if state.phase in ("empty", "waiting") else state.stages.get(stage, StageView())
            body = _body(state, stage, view)
            self._once(f"{stage}.state", (view.state, view.seconds), lambda s=stage, v=view: self._set_state(s, v))
            if view.state != "idle":
                self._once(f"{stage}.body", body, lambda s=stage, b=body: self._set_body(s, b))
            if view.state == "running" and view.begun is not None:
                self.list.item(stage.value).seconds.setText(f"{time.monotonic() - view.begun:.1f} s")

    def _once(self, key: str, value: object, act: object) -> None:
        if key not in self._drawn or self._drawn[key] != value:
            self._drawn[key] = value
            act()  # type: ignore[operator]

    def _set_state(self, stage: Stage, view: StageView) -> None:
        self.list.set_state(stage.value, view.state, view.seconds)
        self._drawn.pop(f"{stage}.body", None)

    def _set_body(self, stage: Stage, body: _Body) -> None:
        chips, text, fraction = body
        self.list.set_chips(stage.value, [Chip(kind, label, value) for kind, label, value in chips])  # type: ignore[arg-type]
        self.list.set_text(stage.value, text)
        self.list.set_progress(stage.value, fraction)


_Body = tuple[tuple[tuple[str, str, str], ...], str, float | None]


def _body(state: RateState, stage: Stage, view: StageView) -> _Body:
    """Chips, sentence and share of a stage. Of the checks that a reading makes those that can tell something."""
    if stage is Stage.EXPLANATION:
        return (), "", None
    if stage in (Stage.ADMISSIBILITY, Stage.READING):
        return (
            tuple(
                (
                    "passed" if check.passed else "failed",
                    wording.CHECK_LABELS.get(check.check, check.check),
                    wording.probability(check.p_admit),
                )
                for check in state.checks
                if stage is Stage.ADMISSIBILITY or check.reliable
            ),
            "",
            None,
        )
    if stage is Stage.CATEGORIES:
        chips = [("chosen" if c.chosen else "outline", c.name, wording.probability(c.p)) for c in _readable(state)]
        text = ""
        if state.categories_known and state.independent:
            chips.insert(0, ("dashed", "Independent", ""))
            text = "No category stands out: the factors were chosen from the joke alone."
        return tuple(chips), text, None
    if stage is Stage.FACTORS:
        return tuple(("written" if f.written else "plain", f.name, "") for f in state.factors), "", None
    return (), *_scores(state, view)


_MOST_UNCHOSEN = 3


def _readable(state: RateState) -> list[CategoryScore]:
    """The chosen categories, and the few nearest ones that weren't."""
    chosen = [c for c in state.categories if c.chosen]
    others = sorted((c for c in state.categories if not c.chosen), key=lambda c: -c.p)
    return [*chosen, *others[: _MOST_UNCHOSEN if not chosen else 1]]


def _scores(state: RateState, view: StageView) -> tuple[str, float | None]:
    total = len(state.factors) or view.total or 0
    done = state.scored
    if view.state == "running":
        now = next((f.name for f in state.factors if f.running), "")
        return f"{done} of {total} scored" + (f" · now {now}" if now else ""), done / total if total else 0.0
    if view.state == "stopped":
        if done == total:
            # Of a stored rating only what was scored is known, not how many there would have been.
            return (f"Stopped: {done} scored", None) if done else ("Stopped", None)
        return f"Stopped: {done} of {total} scored", done / total
    if view.state in ("done", "failed") and total:
        return f"{done} of {total} scored", None
    return "", None
