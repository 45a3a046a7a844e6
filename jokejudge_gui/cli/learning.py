"""``jokejudge models fit``: fits an audience head to votes, kept only if it is good enough, or, with ``--editor``,
heads that read jokes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, get_args

from ..core.events import Event
from ..core.verdicts import ModelRef
from ..learning.drafts_fit import DraftsFitted
from ..learning.editor_lesson import EditorFitted
from ..learning.fitting import HeadFitted, HeadRemoved
from ..learning.learner import Learned
from ..learning.sense_lesson import SenseFitted
from ..learning.words import in_words
from ..library.catalogue import load_catalogue
from ..measure.labelled import PairsFile, RatingsFile, read_pairs, read_ratings, vote_sets
from ..measure.model.figures import TrustFiles, plan_of
from ..measure.model.words import plan_pages
from . import options
from .console import Console
from .context import Context, misuse
from .evaluate import note_bad_rows
from .options import argument, command, option
from .running import end, failure, noting, run_job, stopped
from .trust import named_model

if TYPE_CHECKING:
    from ..engine.base import CancelToken
    from ..session.session import Session


_KEPT = stopped("Stopped. What was read is kept.", "The same command goes on from there.")


def learn(context: Context, job: Callable[[Session, CancelToken], Iterator[Event]]) -> tuple[int, ModelRef | None]:
    """Run a job that fits a model's heads, and report its results; return exit status and model."""
    console = context.console
    seen: list[Learned] = []
    last, model = run_job(context, lambda session, cancel: noting(job(session, cancel), get_args(Learned), seen))
    error = failure(last, _KEPT)
    fields = {
        "model": model.model_dump() if model else None,
        "learned": [_fields(event) for event in seen],
        "sentences": [in_words(event) for event in seen],
    }

    def show() -> None:
        for event in seen:
            console.paragraph(in_words(event))
        if not seen and error is None:
            again = context.with_models("jokejudge models fit --editor --again")
            console.paragraph(f"Nothing was left to learn. To learn it all again: {again}")

    return end(console, last, fields, show, error=error), model


def _fields(event: Learned) -> dict[str, object]:
    match event:
        case EditorFitted():
            return {"part": "editor", "figures": event.card.figures.model_dump(mode="json")}
        case DraftsFitted():
            return {"part": "drafts", "figures": event.figures.model_dump(mode="json")}
        case SenseFitted():
            return {"part": "sense", "kept": event.kept, "figures": event.figures.model_dump(mode="json")}
    return {"part": "plan", "texts": event.plan.texts, "tokens": event.plan.tokens}


_HINT = "Votes of your own (--pairs, --ratings) or a larger model may help."


@command("fit", judges=True)
@argument("name [PATH|NAME]", "The model, as for --model; otherwise the one in use.")
@options.labelled
@option("--only-given", "Don't learn from the votes that come with the program.")
@option("--remove", "Delete the estimate that was fitted on this computer.")
@option(
    "--editor",
    "Learn to read jokes with the model: what an editor says of them, which draft is better, what only looks like a "
    "joke, and what is worth asking the model (a large model takes an hour or more).",
)
@option("--again", "With --editor: also learn again what was learned before.")
def fit(context: Context) -> int:
    """Fit, or delete the fitted head; exit status 0 whether the head was kept or not."""
    args, console = context.args, context.console
    if args.editor:
        if args.remove or args.pairs or args.ratings or args.only_given:
            raise misuse("--editor learns from an editor's readings; it takes no votes.", "Leave the others out.")
        again = bool(args.again)  # every part, or those that are missing
        named = with_model(context, args.name)
        return learn(named, lambda session, cancel: session.fit_editor(again=again, cancel=cancel))[0]
    if args.again:
        raise misuse("--again belongs to --editor.", "Write: jokejudge models fit --editor --again")
    if args.remove and (args.pairs or args.ratings or args.only_given):
        raise misuse("--remove deletes what was fitted; it takes no votes.", "Leave the files out.")
    files: list[PairsFile | RatingsFile] = [*map(read_pairs, args.pairs), *map(read_ratings, args.ratings)]
    for file in files:
        note_bad_rows(console, file)
    votes = vote_sets(files)
    seen: list[HeadFitted | HeadRemoved] = []

    def job(session: Session, cancel: CancelToken) -> Iterator[Event]:
        if args.remove:
            return session.remove_head(cancel=cancel)
        return session.fit(votes, shipped=not args.only_given, cancel=cancel)

    last, model = run_job(
        with_model(context, args.name),
        lambda session, cancel: noting(job(session, cancel), (HeadFitted, HeadRemoved), seen),
    )
    error = failure(last, stopped("Stopped: nothing was fitted, and nothing was changed."))
    outcome = seen[-1] if seen else None
    of_model = outcome.model if isinstance(outcome, HeadRemoved) else model
    report = outcome.report if isinstance(outcome, HeadFitted) else None
    fields = {
        "model": of_model.model_dump() if of_model else None,
        "kept": report.kept if report else None,
        "removed": outcome.removed if isinstance(outcome, HeadRemoved) else None,
        "report": report.model_dump(mode="json") if report else None,
        "sentences": list(report.sentences) if report else [],
    }

    show = None if error is not None or outcome is None else partial(_show, console, outcome)
    return end(console, last, fields, show, error=error)


def with_model(context: Context, name: str | None) -> Context:
    """Return the call with the model ``name`` instead of the one in use."""
    if name is None:
        return context
    entry = load_catalogue().find(name)
    spec = None if name == "embedded" or (entry is not None and entry.embedded) else name
    return context.judging_with(spec or "embedded")


def _show(console: Console, outcome: HeadFitted | HeadRemoved) -> None:
    if isinstance(outcome, HeadRemoved):
        console.paragraph(outcome.sentence)
        return
    report = outcome.report
    for sentence in report.sentences:
        console.paragraph(sentence)
    if report.left_out:
        console.note(f"{report.left_out:,} texts weren't read: too many, or too long for the model.")
    console.text("")
    console.table(report.table())
    if not report.kept:
        console.note(_HINT)


@command("plan", judges=True)
@options.model_spec
@option("--measure", "Measure first what asking the model adds (takes minutes).")
def plan(context: Context) -> int:
    """Print the plan of the named model, or of the one in use; with ``--measure`` first measure the gain from asking.
    Exit status 0, also if there is no plan."""
    if context.args.measure:
        named = with_model(context, context.args.spec)
        status, model = learn(named, lambda session, cancel: session.measure_plan(cancel=cancel))
        if status or model is None or context.console.json:
            return status
    else:
        model = named_model(context, TrustFiles(context.profile))
    measured, faults = plan_of(model, context.profile)
    if context.console.json:
        context.console.object(measured)
    else:
        context.console.pages(plan_pages(measured, faults))
    return 0
