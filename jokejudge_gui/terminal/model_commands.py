"""``jokejudge models …``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import load_settings, save_settings
from ..engine import state_folder
from ..engine.gguf_file import read_gguf
from ..errors import Cancelled as Stopped
from ..errors import ErrorInfo, restore
from ..events import Cancelled, Event, Failed
from ..library import fetch
from ..library.attempts import forgive
from ..library.catalogue import CatalogueEntry, load_catalogue
from ..library.finder import find_models, resolve_model
from ..library.probe import probe
from ..library.requantise import TYPE, copy_path, requantise
from ..paths import expanded
from .card_command import card
from .console import printable, shorten
from .context import Context
from .deep_command import deep
from .fit_command import fit
from .judge_commands import INTERRUPTED, STOPPED
from .listeners_command import listeners
from .panel_command import list_panels, panel, use_panel
from .plan_command import plan
from .running import Progress, follow, interruptible
from .side_by_side_command import side_by_side
from .trust_command import trust

if TYPE_CHECKING:
    from ..engine.base import CancelToken
    from ..session import Session

_EMBEDDED = "embedded"


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def _catalogue_object(entry: CatalogueEntry, path: Path | None) -> dict[str, object]:
    return {
        "id": entry.id,
        "name": entry.name,
        "quantisation": entry.quantisation,
        "bytes": entry.size,
        "ram_gb": entry.ram_gb,
        "licence": entry.licence,
        "recommended": entry.recommended,
        "embedded": entry.embedded,
        "path": str(path) if path else None,
    }


def _list(context: Context) -> int:
    console = context.console
    chosen = context.settings.model
    rows: list[tuple[CatalogueEntry, Path | None]] = []
    for entry in load_catalogue().listed:
        target = fetch.target_of(entry, context.profile)
        rows.append((entry, target if target.is_file() else None))
    if console.json:
        panels = [{"name": name, "models": members} for name, members in context.settings.panels.items()]
        models = [_catalogue_object(*row) for row in rows]
        console.object({"model": chosen, "models": models, "panels": panels, "error": None})
        return 0
    console.text(f"In use: {printable(chosen, lines=False) if chosen else 'the embedded model'}")
    console.text("")
    for entry, path in rows:
        state = "embedded" if entry.embedded else "here" if path else "recommended" if entry.recommended else ""
        console.text(
            f"{shorten(entry.id, 34)} {_size(entry.size):>8}  {entry.ram_gb:>4.1f} GB of memory  "
            f"{shorten(entry.licence, 18)} {state}".rstrip()
        )
    if context.settings.panels:
        console.text("")
        console.text("Panels, several models as one judge:")
        list_panels(console, context.settings)
    console.text("")
    console.paragraph("jokejudge models get NAME fetches one, jokejudge models use NAME or PATH judges with it.")
    return 0


def _find(context: Context) -> int:
    console = context.console
    found = find_models(context.profile)
    if console.json:
        models = [
            {"path": str(m.path), "label": m.label, "origin": m.origin, "bytes": m.size, "sha256": m.sha256}
            for m in found
        ]
        console.object({"models": models, "error": None})
        return 0
    for model in found:
        console.text(f"{_size(model.size):>8}  {model.origin}  {printable(str(model.path), lines=False)}")
    if not found:
        console.note("There are no GGUF files where other programs keep them.")
    return 0


def _use(context: Context) -> int:
    console = context.console
    if context.args.spec in load_settings(context.profile).panels:
        return use_panel(context, context.args.spec)
    spec = None if context.args.spec == _EMBEDDED else context.args.spec
    file = resolve_model(spec, context.profile)
    facts = read_gguf(file.path)
    progress = Progress(console)
    progress.line(f"Trying {file.name}", None, None, now=True)
    try:
        with interruptible() as cancel:
            probe(file.path, context.profile, cancel, context=context.settings.context)
        forgive(file.path, context.profile)
    finally:
        progress.clear()
    # The settings as saved, without what this call's options changed.
    settings = load_settings(context.profile)
    entry = load_catalogue().find(spec) if spec is not None else None
    if spec is None or (entry is not None and entry.embedded):
        settings.model = None
    else:
        settings.model = entry.id if entry is not None else str(file.path.absolute())
    save_settings(settings, context.profile)
    if console.json:
        console.object({"model": settings.model, "name": file.name, "path": str(file.path), "error": None})
    else:
        console.note(f"From now on: {file.name} ({facts.quantisation}, {_size(facts.size_bytes)}).")
    return 0


def _get(context: Context) -> int:
    console = context.console
    entry = load_catalogue().get(context.args.name)
    progress = Progress(console)
    target = fetch.target_of(entry, context.profile)
    try:
        with interruptible() as cancel:
            for step in fetch.get(entry, context.profile, cancel):
                text = f"{_size(step.done_bytes)} of {_size(step.total_bytes)}  {entry.label}: {step.note}"
                progress.line(text, step.done_bytes // 10**6, max(1, step.total_bytes // 10**6))
    except Stopped:
        error = restore(STOPPED)
        if console.json:
            console.object({"id": entry.id, "path": None, "error": STOPPED.model_dump()})
        progress.clear()
        console.error(error)
        console.note("What has come is kept: the same command goes on from there.")
        return INTERRUPTED
    finally:
        progress.clear()
    if console.json:
        known = {"id": entry.id, "path": str(target), "bytes": entry.size, "sha256": entry.sha256[0]}
        console.object({**known, "error": None})
    else:
        console.note(f"{entry.label} is here. To judge with it: jokejudge models use {entry.id}")
    return 0


def _requantise(context: Context) -> int:
    console = context.console
    file = resolve_model(None if context.args.spec == _EMBEDDED else context.args.spec, context.profile)
    facts = read_gguf(file.path)
    out = expanded(context.args.out).absolute() if context.args.out is not None else None
    target = out or copy_path(file.path, facts.quantisation, context.profile)
    progress = Progress(console)
    try:
        with interruptible() as cancel:
            for step in requantise(file.path, context.profile, cancel, out=out):
                text = f"{_size(step.done_bytes)} of {_size(step.total_bytes)}  {file.name}: {step.note}"
                progress.line(text, step.done_bytes // 10**6, max(1, step.total_bytes // 10**6))
    except Stopped:
        stopped = ErrorInfo(code=STOPPED.code, sentence="Stopped; nothing is left of the copy.")
        if console.json:
            console.object({"path": None, "error": stopped.model_dump()})
        progress.clear()
        console.error(restore(stopped))
        return INTERRUPTED
    finally:
        progress.clear()
    size = target.stat().st_size
    if console.json:
        console.object({"path": str(target), "bytes": size, "source": str(file.path), "error": None})
    else:
        console.note(
            f"A copy in {TYPE} is here: {target} ({_size(size)}; {facts.quantisation} took {_size(facts.size_bytes)}). "
            "It reads faster and answers slightly differently, so its habits are measured again. "
            f"To judge with it: jokejudge models use {shlex.quote(str(target))}"
        )
    return 0


def _warm(context: Context) -> int:
    folder, limit = context.profile.states, context.settings.state_cache_bytes
    before = state_folder.measure(folder)

    def states() -> tuple[dict[str, object], str]:
        now = state_folder.measure(folder)
        new = max(0, now.files - before.files)
        said = f"Kept on the disk: {new} new, {now.files} in all, {_size(now.bytes)} of {_size(limit)} in {folder}."
        fields = {"folder": str(folder), "new": new, "files": now.files, "bytes": now.bytes, "limit": limit}
        return {"states": fields}, said

    done = "The model's prompts are prepared."
    return _job(context, lambda session, cancel: session.warm(cancel=cancel), done, states)


def _calibrate(context: Context) -> int:
    return _job(context, lambda session, cancel: session.calibrate(cancel=cancel), "The model's habits are measured.")


def _job(
    context: Context,
    job: Callable[[Session, CancelToken], Iterator[Event]],
    said: str,
    more: Callable[[], tuple[dict[str, object], str]] | None = None,
) -> int:
    """Run a job that gives no verdict. ``more``: what else is known after it, as fields and as a sentence."""
    console = context.console
    with context.session() as session, interruptible() as cancel:
        last = follow(job(session, cancel), Progress(console))
        model = session.model
    error = last.error if isinstance(last, Failed) else STOPPED if isinstance(last, Cancelled) else None
    fields, sentence = more() if more is not None else ({}, "")
    if console.json:
        known = {"model": model.model_dump() if model else None, **fields}
        console.object({**known, "error": error.model_dump() if error else None})
    if error is not None:
        console.error(restore(error))
        return INTERRUPTED if isinstance(last, Cancelled) else 1
    if not console.json:
        console.note(said)
        if sentence:
            console.note(sentence)
    return 0


COMMANDS: dict[str, Callable[[Context], int]] = {
    "list": _list,
    "use": _use,
    "get": _get,
    "find": _find,
    "panel": panel,
    "requantise": _requantise,
    "warm": _warm,
    "calibrate": _calibrate,
    "fit": fit,
    "card": card,
    "compare": side_by_side,
    "plan": plan,
    "listeners": listeners,
    "deep": deep,
    "trust": trust,
}
