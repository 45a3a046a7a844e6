"""``jokejudge models …``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..core.config import JOINED, load_settings, save_settings
from ..core.errors import Cancelled as Stopped
from ..core.events import Cancelled as CancelledEvent
from ..core.events import Stage, StageProgress
from ..core.pages import Table
from ..engine.base import CancelToken
from ..engine.gguf import read_gguf
from ..library import fetch
from ..library.catalogue import load_catalogue
from ..library.embedded import embedded_path, ensure_embedded
from ..library.finder import find_models, resolve_model
from ..library.probe import forgive, probe
from ..session.ensemble import members_of
from .console import printable
from .context import Context
from .options import Group, argument
from .running import end, failure, interruptible, run_job, waiting

_EMBEDDED = "embedded"


models = Group(
    "models",
    elsewhere={
        "trust": ("trust", "How far a model can be trusted, what was measured of it, and what it is not for."),
        "plan": ("trust", "What each part of a verdict is worth on a model, and where it comes from."),
        "fit": ("trust", "Learn from people's votes, or with --editor to read jokes."),
    },
)


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


@models.command("list")
def show_list(context: Context) -> int:
    """Models in the catalogue and on this computer."""
    chosen, profile = context.settings.model, context.profile
    listed = ((entry, fetch.target_of(entry, profile)) for entry in load_catalogue().listed)
    rows = [(entry, target if target.is_file() else None) for entry, target in listed]
    cells = (
        (entry.id, _size(entry.size), f"{entry.ram_gb:.1f} GB", entry.licence,
         "embedded" if entry.embedded else "here" if path else "")
        for entry, path in rows
    )  # fmt: skip
    names = ("id", "name", "quantisation", "ram_gb", "licence", "recommended", "embedded")
    objects = [
        {**{name: getattr(entry, name) for name in names}, "bytes": entry.size, "path": str(path) if path else None}
        for entry, path in rows
    ]
    return context.console.answer(
        {"model": chosen, "models": objects},
        "",
        f"In use: {' '.join(chosen.split()) if chosen else 'the embedded model'}\n",
        Table("", ("name", "size", "memory", "licence", ""), tuple(cells)),
        "\njokejudge models get NAME fetches one, jokejudge models use NAME or PATH judges with it. Larger models take "
        "longer, and none that was measured is clearly better than the embedded one (jokejudge models trust NAME).",
    )


@models.command("find")
def find(context: Context) -> int:
    """GGUF files that other programs keep on this computer."""
    models = find_models(context.profile)
    files = [
        {"path": str(m.path), "label": m.label, "origin": m.origin, "bytes": m.size, "sha256": m.sha256} for m in models
    ]
    if context.console.json or not models:
        return context.console.answer({"models": files}, "There are no GGUF files where other programs keep them.")
    for model in models:  # unwrapped, so that a path can be copied
        path = printable(str(model.path), lines=False)
        context.console.text(f"{_size(model.size):>8}  {model.origin}  {path}")
    return 0


@models.command("use")
@argument("spec PATH|NAME|embedded")
def use(context: Context) -> int:
    """Judge with this model from now on."""
    profile, console = context.profile, context.console
    spec = None if context.args.spec == _EMBEDDED else str(context.args.spec)
    if members := members_of(spec):
        for member in members:
            resolve_model(member, profile)
        together = JOINED.join(members)
        _use_from_now_on(context, together)
        fields = {"model": together, "name": together, "path": None}
        return console.answer(fields, f"From now on together: {together}.")
    file = resolve_model(spec, profile)
    facts = read_gguf(file.path)
    with waiting(console, f"Trying {file.name}"), interruptible() as cancel:
        probe(file.path, profile, cancel, context=context.settings.context)
    forgive(file.path, profile)
    entry = load_catalogue().find(spec) if spec is not None else None
    name = str(file.path.absolute()) if entry is None else entry.id
    model = None if spec is None or (entry is not None and entry.embedded) else name
    _use_from_now_on(context, model)
    sentence = f"From now on: {file.name} ({facts.quantisation}, {_size(facts.size_bytes)})."
    return console.answer({"model": model, "name": file.name, "path": str(file.path)}, sentence)


def _use_from_now_on(context: Context, model: str | None) -> None:
    settings = load_settings(context.profile)  # as saved, without this call's options
    settings.model = model
    save_settings(settings, context.profile)


@models.command("get")
@argument("name NAME")
def get(context: Context) -> int:
    """Fetch a model from the catalogue (uses the network)."""
    console, profile, catalogue = context.console, context.profile, load_catalogue()
    embedded = next(entry for entry in catalogue.models if entry.embedded)
    entry = embedded if context.args.name == _EMBEDDED else catalogue.get(context.args.name)
    target = embedded_path(profile) if entry.embedded else fetch.target_of(entry, profile)

    def steps(cancel: CancelToken) -> Iterator[StageProgress]:
        if not (entry.embedded and target.is_file()):
            yield from fetch.get(entry, profile, cancel)
        if entry.embedded:
            yield StageProgress(stage=Stage.LOADING, done=entry.size, total=entry.size, note="turning it into Q8_0")
            ensure_embedded(profile)

    try:
        with waiting(console, entry.label), interruptible() as cancel:
            for step in steps(cancel):
                text = f"{_size(step.done)} of {_size(entry.size)}  {entry.label}: {step.note}"
                console.line.show(text, step.done // 10**6, max(1, entry.size // 10**6))
    except Stopped:
        note = "The part that was fetched is kept: the same command goes on from there."
        return end(console, CancelledEvent(), {"id": entry.id, "path": None}, note=note)
    more = "" if entry.embedded else f" To judge with it: jokejudge models use {entry.id}"
    return console.answer(
        {"id": entry.id, "path": str(target), "bytes": entry.size, "sha256": entry.sha256[0]},
        f"{entry.label} is on this computer now.{more}",
    )


@models.command("calibrate", judges=True)
def calibrate(context: Context) -> int:
    """Measure the model's habits now, instead of with the first verdict."""
    last, model = run_job(context, lambda session, cancel: session.calibrate(cancel=cancel))
    show = None if failure(last) else partial(context.console.note, "The model's habits are measured.")
    return end(context.console, last, {"model": model.model_dump() if model else None}, show)
