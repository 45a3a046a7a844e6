"""``jokejudge models fit --editor`` and ``models plan --measure``: teaching the program to read jokes with a model, and
measuring what asking it adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..errors import restore
from ..events import Cancelled, Event, Failed
from ..judging.plan.worth import Plan
from ..learning.drafts_job import DraftsFitted
from ..learning.editor_job import EditorFitted
from ..learning.plan_job import PlanMeasured
from ..verdicts import ErrorInfo, ModelRef
from .context import Context
from .judge_commands import INTERRUPTED
from .running import Progress, follow, interruptible

if TYPE_CHECKING:
    from ..engine.base import CancelToken
    from ..session import Session

_STOPPED = ErrorInfo(
    code="E_INTERRUPTED",
    sentence="Stopped. What was read is kept.",
    hint="The same command goes on from there.",
)
Learned = EditorFitted | DraftsFitted | PlanMeasured


def learn(context: Context, job: Callable[[Session, CancelToken], Iterator[Event]]) -> tuple[int, ModelRef | None]:
    """Run a job that learns of jokes with a model, and tell what came of it; exit status and model."""
    console = context.console
    seen: list[Learned] = []
    with context.session() as session, interruptible() as cancel:
        last = follow(_noting(job(session, cancel), seen), Progress(console))
        model = session.model
    error = last.error if isinstance(last, Failed) else _STOPPED if isinstance(last, Cancelled) else None
    if console.json:
        console.object(
            {
                "model": model.model_dump() if model else None,
                "learned": [_fields(event) for event in seen],
                "sentences": [said(event) for event in seen],
                "error": error.model_dump() if error else None,
            }
        )
    else:
        for event in seen:
            console.paragraph(said(event))
        if not seen and error is None:
            again = context.told("jokejudge models fit --editor --again")
            console.paragraph(f"Nothing was left to learn. To learn it all again: {again}")
    if error is not None:
        console.error(restore(error))
        return (INTERRUPTED if isinstance(last, Cancelled) else 1), model
    return 0, model


def fit_editor(context: Context) -> int:
    """Fit editor's and draft heads and measure the plan, each part that is missing; exit status."""
    again = bool(context.args.again)
    return learn(context, lambda session, cancel: session.fit_editor(again=again, cancel=cancel))[0]


def _noting(events: Iterator[Event], seen: list[Learned]) -> Iterator[Event]:
    for event in events:
        if isinstance(event, Learned):
            seen.append(event)
        yield event


def _fields(event: Learned) -> dict[str, object]:
    if isinstance(event, EditorFitted):
        return {"part": "editor", "figures": event.card.figures.model_dump(mode="json")}
    if isinstance(event, DraftsFitted):
        return {"part": "drafts", "figures": event.figures.model_dump(mode="json")}
    return {"part": "plan", "texts": event.plan.texts, "tokens": event.plan.tokens}


def said(event: Learned) -> str:
    """What was learned, in a sentence or two."""
    if isinstance(event, EditorFitted):
        figures, count = event.card.figures, event.card.readings
        return (
            f"It reads jokes now: learned from {count:,} texts that an editor read, scores agree with the editor's at "
            f"r {figures.factors:.2f}, {figures.factors_shown} of 16 factors are worth showing, and the likeliest kind "
            f"is right in {100 * figures.kinds_first:.0f} of 100 jokes."
        )
    if isinstance(event, DraftsFitted):
        return (
            f"It compares drafts now: of two drafts of one joke it prefers the editor's in "
            f"{100 * event.figures.agreement:.0f} of 100."
        )
    return plan_said(event.plan)


def plan_said(plan: Plan) -> str:
    """What asking adds, in a sentence."""
    asked = [item for item in plan.items if item.ask]
    begin = f"Asked about {plan.texts} texts that an editor read,"
    if not asked:
        return f"{begin} the model's answers add too little to what is read off its states: nothing is asked."
    return f"{begin} the model's answers are worth it for {len(asked)} items: {plan.tokens:,} tokens more a verdict."
