"""``jokejudge models trust``: reports in words how far a model can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ..core.errors import UsageError
from ..core.events import Cancelled, Event
from ..core.files import sha256_of
from ..core.outputs import keep_foreign
from ..core.pages import Part, Table
from ..core.texts import pace
from ..core.verdicts import ModelRef
from ..learning import trust_cards as words
from ..learning.trust_cards import KindFigures
from ..library.catalogue import load_catalogue
from ..library.embedded import EMBEDDED_NAME, EMBEDDED_SHA256
from ..library.finder import resolve_model
from ..measure.comparison import Comparison, ModelBegun, ModelsCompared, SideBySide
from ..measure.evaluating import RowsDone
from ..measure.kept import KeptEvaluation, KeptEvaluations
from ..measure.model_page import as_html, as_markdown, habit_parts, made_parts, model_page, write_page
from ..measure.validation import in_words
from ..measure.worths import ModelTrust, TrustFiles
from ..session.session import Session
from . import options
from .console import printable
from .context import Context, check_files
from .evaluate import show_comparison, write_comparison
from .options import command, option
from .running import Last, Progress, end, follow, interruptible, noting

_EMBEDDED = "embedded"
_LEAST_DIGITS = 8
_PARTS = {"jokes": "real jokes", "strong jokes": "real jokes, clear", "all": "all pairs", "strong": "clear pairs"}


@command("trust")
@options.model_spec
def trust(context: Context) -> int:
    """Print the trust card of the named model, or of the one in use. Exit status 0, also if there is no card."""
    measurements = TrustFiles(context.profile)
    found = measurements.of(named_model(context, measurements))
    if context.console.json:
        context.console.object(measurements.fields(found))
    else:
        context.console.heading(printable(found.model.name, lines=False))
        for part in _parts(found):
            context.console.part(part)
    return 0


def named_model(context: Context, measurements: TrustFiles) -> ModelRef:
    """Return the named model: by name, catalogue name, beginning of its hash, or file. Raises ``ModelError``."""
    spec = (context.args.spec or context.settings.model or _EMBEDDED).strip()
    entry = load_catalogue().find(spec)
    if spec == _EMBEDDED or (entry is not None and entry.embedded):
        return ModelRef(name=EMBEDDED_NAME, sha256=EMBEDDED_SHA256)
    wanted = spec.casefold()
    for model in measurements.models():
        digits = len(wanted) >= _LEAST_DIGITS and model.sha256.startswith(wanted)
        if digits or wanted == model.name.casefold() or (entry is not None and model.sha256 in entry.sha256):
            return model
    if entry is not None:
        return ModelRef(name=entry.label, sha256=entry.sha256[0])
    file = resolve_model(spec, context.profile)
    sha256 = file.sha256
    if sha256 is None:
        progress = Progress(context.console)
        total = max(1, file.path.stat().st_size // 10**6)
        try:
            sha256 = sha256_of(
                file.path, lambda done: progress.line(f"Reading {file.name}", done // 10**6, total, now=False)
            )
        finally:
            progress.clear()
    return ModelRef(name=file.name, sha256=sha256)


def _parts(found: ModelTrust) -> Iterator[Part]:
    """Yield the parts of the report on a model."""
    how = f"{words.HOW_TO_MEASURE} In the terminal: jokejudge evaluate --pairs FILE.csv --html report.html"
    said: tuple[str, ...] = ()
    if found.fault is not None:
        said = (f"{found.fault.sentence} {found.fault.hint}",)
    elif found.card is not None:
        said = (words.headline(found.card),)
    elif found.own_head:
        said = (f"Its audience head was fitted on this machine and has no card. {how}",)
    elif not found.measured:
        said = (f"How far it agrees with people hasn't been measured. {how}",)
    yield Part("Agreement with people", said)
    card = found.card if found.fault is None else None
    if card is not None:
        yield from map(_kind, card.kinds)
        if unseen := words.across_summary(card):
            yield Part("A kind of joke it never saw", (unseen,))
    if found.sense:
        yield Part("What isn't a joke", (found.sense,))
    yield from habit_parts(found.calibration, found.card)
    yield from made_parts(card)
    if found.measured:
        yield Part("Measured on your own files", tuple(line for kept in found.measured for line in _measured(kept)))


def _kind(kind: KindFigures) -> Part:
    across = (kind.head_across.get("all"), kind.longer.get("all"), kind.ngrams_across.get("all"), kind.pairs.get("all"))
    rows = [
        (name, kind.head.get(part), kind.longer.get(part), kind.ngrams.get(part), kind.pairs.get(part))
        for part, name in _PARTS.items()
    ]
    figures = tuple(
        (name, *map(words.between, (judge, longer, ngrams)), "50", "" if pairs is None else f"{pairs:,}")
        for name, judge, longer, ngrams, pairs in (*rows, ("without having learned from any", *across))
        if judge is not None
    )
    head = ("Right, of 100 pairs", "judge", "longer", "words", "chance", "pairs")
    said = tuple(filter(None, (words.kind_words(kind), words.calibration_words(kind))))
    return Part(words.title(kind.name), said, (Table("", head, figures),) if figures else ())


def _measured(kept: KeptEvaluation) -> Iterator[str]:
    whole = "" if kept.found.whole else ", not finished"
    yield f"{kept.moment[:10]}, {kept.source} ({kept.found.judged:,} judged{whole}):"
    yield from map(in_words, kept.found.pairs)
    for row in kept.found.validation:
        if row.passed is not None:
            yield f"{row.measure}: {row.value:.2f}, {'pass' if row.passed else 'fail'}"


@command("card")
@options.model_spec
@option("--markdown", metavar="OUT.md", help="Write it as Markdown.")
@option("--html", metavar="OUT.html", help="Write it as one web page.")
def card(context: Context) -> int:
    """Print the card of the named model, or of the one in use, as Markdown; or write it to files. Exit status 0, also
    if nothing was measured."""
    args, console = context.args, context.console
    check_files(markdown=args.markdown, html=args.html)
    page = model_page(named_model(context, TrustFiles(context.profile)), context.profile)
    for name, text in ((args.markdown, as_markdown(page)), (args.html, as_html(page))):
        if name is not None:
            keep_foreign(Path(name), text.encode("utf-8"))
    if args.markdown is not None:
        write_page(page, Path(args.markdown), "markdown")
    if args.html is not None:
        write_page(page, Path(args.html), "html")
    if console.json:
        console.object(page.fields() | {"error": None})
    elif args.markdown is None and args.html is None:
        console.text(printable(as_markdown(page)))
    return 0


_SEED = 1
"""The seed for drawing rows, the same as in the Trust tab, so that rows measured there aren't asked again."""


@command("compare", judges=True)
@click.argument(
    "specs", metavar="MODEL MODEL", nargs=2, required=True, help="Path or name of each; embedded is one, too."
)
@option(
    "--list",
    metavar="FILE",
    multiple=True,
    help="Pairs or ratings as for evaluate, or readings (.jsonl); several may be given; without it, jokes that come "
    "with the program.",
)
@options.at_most
@option("--html", metavar="OUT.html", help="Write the comparison as one web page.")
@option("--items", metavar="OUT.csv", help="Write a table of the rows: people's labels and both models' answers.")
def compare(context: Context) -> int:
    """Ask two models about the same rows and print the comparison. The answers are kept, so that the same command
    continues after a stop. Exit status 0, 1 for a failure, 130 when stopped."""
    args, console = context.args, context.console
    first, second = args.specs
    if first == second:
        raise UsageError("E_COMPARE_SAME", "Both names mean the same model.", "Name two different models.")
    kept = KeptEvaluations(context.profile.evaluations)
    work = SideBySide((first, second), args.list or (), args.limit, _SEED, kept)
    found, last = _followed(context, work)
    if found is not None:
        one, two = work.runs
        write_comparison(found, one, two, work.labels, html=args.html, items=args.items)

    def show() -> None:
        if found is not None:
            show_comparison(console, found)

    go_on = "What was answered is kept. Run the same command again to go on from there."
    fields = found.model_dump(mode="json") if found is not None else {}
    return end(console, last, fields, show, note=go_on if isinstance(last, Cancelled) else "")


def _followed(context: Context, work: SideBySide) -> tuple[Comparison | None, Last]:
    @contextmanager
    def session_of(spec: str) -> Iterator[Session]:
        settings = context.settings.model_copy()
        settings.model = None if spec == "embedded" else spec
        session = context.open_session(context.profile, settings)
        try:
            yield session
        finally:
            session.close()

    seen: list[ModelsCompared] = []
    name = ""

    def say(event: Event) -> str | None:
        nonlocal name
        if isinstance(event, ModelBegun):
            name = f"{'First' if event.place == 0 else 'Second'} model, {event.spec}: "
        return f"{name}{pace(event.done, event.total, event.seconds)}" if isinstance(event, RowsDone) else None

    with interruptible() as cancel:
        last = follow(noting(work.run(session_of, cancel), ModelsCompared, seen), Progress(context.console), say)
    return (seen[-1].found if seen else None), last
