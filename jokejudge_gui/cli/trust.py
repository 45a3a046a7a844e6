"""``jokejudge models trust``, ``plan`` and ``fit``: how far a model can be trusted, what each part of a verdict is
worth on it, and learning from votes, or with ``--editor`` to read jokes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..core.events import Event
from ..core.pages import Page
from ..core.verdicts import ModelRef
from ..judge.judged_kind import without_events
from ..learning import words as learned
from ..learning.fitting import HeadRemoved, HeadReport
from ..learning.teacher import Learned
from ..library.catalogue import load_catalogue
from ..library.embedded import EMBEDDED_NAME, EMBEDDED_SHA256
from ..measure.labelled import LabelledFile, read_pairs, read_ratings, vote_sets
from ..measure.model.figures import ModelTrust, measured_models
from ..measure.model.words import fields, plan_pages, report
from ..session.loading import identify
from . import options
from .context import Context, refuse
from .evaluate import note_bad_rows
from .options import argument, command, option
from .running import end, failure, interruptible, run_job, stopped, waiting

if TYPE_CHECKING:
    from ..engine.base import CancelToken
    from ..session.session import Session


_EMBEDDED = "embedded"


@command("trust")
@options.model_spec
def trust(context: Context) -> int:
    """Print the report on the named model, or on the one in use. Exit status 0, also if nothing was measured."""
    measured = ModelTrust(named_model(context), context.profile)
    pages = () if context.console.json else report(measured)
    return context.console.answer(fields(measured), "", Page(measured.model.name), *pages)


def named_model(context: Context) -> ModelRef:
    """Return the model that is named as it was measured, as in the catalogue, or by a file. Raises ``ModelError``."""
    spec = (context.args.spec or context.settings.model or _EMBEDDED).strip()
    entry = load_catalogue().find(spec)
    if spec == _EMBEDDED or (entry is not None and entry.embedded):
        return ModelRef(name=EMBEDDED_NAME, sha256=EMBEDDED_SHA256)
    for model in measured_models(context.profile):
        if spec.casefold() == model.name.casefold() or (entry is not None and model.sha256 in entry.sha256):
            return model
    if entry is not None:
        return ModelRef(name=entry.label, sha256=entry.sha256[0])
    with waiting(context.console, f"Reading {spec}"), interruptible() as cancel:
        file, sha256 = without_events(identify(spec, context.profile, cancel))
    return ModelRef(name=file.name, sha256=sha256)


@command("plan", judges=True)
@options.model_spec
@option("--measure", "Measure first what the model's answers are worth (takes minutes).")
def plan(context: Context) -> int:
    """Print the plan of the named model, or of the one in use; with ``--measure`` first measure what its answers
    are worth. Exit status 0, also if there is no plan."""
    if context.args.measure:
        asked = context.judging_with(context.args.spec)
        status, model = _learn(asked, lambda session, cancel: session.measure_plan(cancel=cancel))
        if status or model is None or context.console.json:
            return status
    else:
        model = named_model(context)
    measured = ModelTrust(model, context.profile)
    pages = () if context.console.json else plan_pages(measured)
    return context.console.answer(measured.plan, "", *pages)


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
    votes_given = args.pairs or args.ratings or args.only_given
    asked, editor = context.judging_with(args.name), bool(args.editor)
    others = "Leave the others out."
    refuse(
        (editor and (args.remove or votes_given), "--editor learns from readings; it takes no votes.", others),
        (args.again and not editor, "--again belongs to --editor.", "Write: jokejudge models fit --editor --again"),
        (args.remove and votes_given, "--remove deletes what was fitted; it takes no votes.", others),
    )
    if editor:
        again = bool(args.again)  # every part, or those that are missing
        return _learn(asked, lambda session, cancel: session.fit_editor(again=again, cancel=cancel))[0]
    files: list[LabelledFile] = [*map(read_pairs, args.pairs), *map(read_ratings, args.ratings)]
    for file in files:
        note_bad_rows(console, file)
    votes = vote_sets(files)

    def job(session: Session, cancel: CancelToken) -> Iterator[Event]:
        if args.remove:
            return session.remove_head(cancel=cancel)
        return session.fit(votes, shipped=not args.only_given, cancel=cancel)

    last, model = run_job(asked, job, seen := list[Event]())
    error = failure(last, stopped("Stopped: nothing was fitted, and nothing was changed."))
    outcome = next((event for event in seen if isinstance(event, HeadReport | HeadRemoved)), None)
    removed = outcome if isinstance(outcome, HeadRemoved) else None
    of_model = removed.model if removed else model
    report = outcome if isinstance(outcome, HeadReport) else None
    fields = {
        "model": of_model.model_dump() if of_model else None,
        "kept": report.kept if report else None,
        "removed": removed.removed if removed else None,
        "report": report.model_dump(mode="json") if report else None,
        "sentences": list(learned.fitted(report)) if report else [],
    }

    def show() -> None:
        if report is None:
            console.answer({}, "", *([learned.removed(removed)] if removed else []))
            return
        if report.left_out:
            console.note(f"{report.left_out:,} texts weren't read: too many, or too long for the model.")
        hint = "" if report.kept else "Votes of your own (--pairs, --ratings) or a larger model may help."
        console.answer({}, hint, *learned.fitted(report))

    return end(console, last, fields, None if error else show, error=error)


def _learn(context: Context, job: Callable[[Session, CancelToken], Iterator[Event]]) -> tuple[int, ModelRef | None]:
    """Run a job that fits a model's heads, and report its results; return exit status and model."""
    last, model = run_job(context, job, events := list[Event]())
    seen = [event for event in events if isinstance(event, Learned)]
    error = failure(last, stopped("Stopped. What was read is kept.", "The same command goes on from there."))
    sentences = [learned.in_words(event) for event in seen]
    fields = {
        "model": model.model_dump() if model else None,
        "learned": [
            {"part": event.part, **event.card}
            if event.part == "plan"
            else {"part": event.part, "kept": event.kept, "figures": event.card["figures"]}
            for event in seen
        ],
        "sentences": sentences,
    }
    if not seen and error is None:
        again = context.with_models("jokejudge models fit --editor --again")
        sentences = [f"Nothing was left to learn. To learn it all again: {again}"]
    return end(context.console, last, fields, lambda: context.console.answer({}, "", *sentences), error=error), model
