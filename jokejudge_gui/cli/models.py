"""``jokejudge models …``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.config import Settings, load_settings, save_settings
from ..core.errors import Cancelled as Stopped
from ..core.errors import ErrorInfo, UsageError, restore
from ..core.events import Cancelled, Event, Failed
from ..core.paths import expanded
from ..engine import prefix_cache as state_folder
from ..engine.gguf import read_gguf
from ..library import fetch
from ..library.attempts import forgive
from ..library.catalogue import CatalogueEntry, load_catalogue
from ..library.finder import find_models, resolve_model
from ..library.panel_list import keep_panel, no_panel, remove_panel
from ..library.probe import probe
from ..library.requantise import TYPE, copy_path, requantise
from .arguments import gigabytes
from .console import Console, printable, shorten
from .context import Context
from .learning import deep, fit, listeners, plan
from .rate import INTERRUPTED, STOPPED
from .running import Progress, follow, interruptible
from .trust import card, side_by_side, trust

if TYPE_CHECKING:
    from ..engine.base import CancelToken
    from ..session.session import Session


# --------------------------------------------------------------------------------------------------------------------
# ``jokejudge models panel …``: several models that judge together, kept under a name in the settings.


def panel(context: Context) -> int:
    """Add, rename, list or remove panels, or say how much memory one may take."""
    action = _ACTIONS.get(context.args.action)
    if action is None:
        raise UsageError(
            "E_USAGE",
            f"There's no {context.args.action!r} for panels.",
            "Known are add NAME MODEL MODEL…, rename OLD NEW, list, remove NAME and memory GB.",
        )
    return action(context, list(context.args.given))


def _add(context: Context, given: list[str]) -> int:
    name, members = (given[0].strip(), given[1:]) if given else ("", [])
    if not name or not members:
        raise UsageError(
            "E_USAGE",
            "A panel needs a name and its models.",
            "For instance: jokejudge models panel add both embedded qwen2.5-coder-0.5b-q4_k_m",
        )
    settings = load_settings(context.profile)
    name = keep_panel(settings, name, members, context.profile)
    save_settings(settings, context.profile)
    if context.console.json:
        context.console.object({"name": name, "models": settings.panels[name], "error": None})
    else:
        context.console.note(f'The panel is kept. To judge with it: jokejudge rate "…" --model {name}')
    return 0


def _rename(context: Context, given: list[str]) -> int:
    if len(given) != 2:
        raise UsageError(
            "E_USAGE", "rename takes the panel's name and its new one.", "See jokejudge models panel --help."
        )
    settings = load_settings(context.profile)
    if given[0] not in settings.panels:
        raise no_panel()
    name = keep_panel(settings, given[1], settings.panels[given[0]], context.profile, instead_of=given[0])
    save_settings(settings, context.profile)
    _said(context, settings, f"The panel is called {name} from now on.")
    return 0


def _list_panels(context: Context, given: list[str]) -> int:
    if given:
        raise UsageError("E_USAGE", "list takes no names.", "See jokejudge models panel --help.")
    settings = load_settings(context.profile)
    console = context.console
    if console.json:
        panels = [{"name": name, "models": members} for name, members in settings.panels.items()]
        console.object({"panels": panels, "memory_bytes": settings.panel_memory_bytes, "error": None})
        return 0
    list_panels(console, settings)
    if not settings.panels:
        console.note("There are no panels. Add one: jokejudge models panel add NAME MODEL MODEL")
    console.note(f"A panel may take {settings.panel_memory_bytes / 1e9:.1f} GB of memory.")
    return 0


def list_panels(console: Console, settings: Settings) -> None:
    """A line for each panel."""
    for name, members in settings.panels.items():
        console.text(f"{printable(name, lines=False)}: {printable(', '.join(members), lines=False)}")


def _remove(context: Context, given: list[str]) -> int:
    settings = load_settings(context.profile)
    if len(given) != 1:
        raise UsageError("E_PANEL_NONE", "Which panel?", "jokejudge models panel list names them.")
    remove_panel(settings, given[0])
    save_settings(settings, context.profile)
    _said(context, settings, "The panel is removed; its models stay.")
    return 0


def _memory(context: Context, given: list[str]) -> int:
    try:
        size = gigabytes(given[0]) if len(given) == 1 else None
    except ValueError:
        size = None
    if size is None:
        raise UsageError(
            "E_USAGE", "memory takes a number of gigabytes.", "For instance: jokejudge models panel memory 6"
        )
    settings = load_settings(context.profile)
    settings.panel_memory_bytes = size
    save_settings(settings, context.profile)
    _said(context, settings, f"The models of a panel may take {size / 1e9:g} GB of memory.")
    return 0


def _said(context: Context, settings: Settings, sentence: str) -> None:
    if context.console.json:
        panels = [{"name": name, "models": members} for name, members in settings.panels.items()]
        context.console.object({"panels": panels, "memory_bytes": settings.panel_memory_bytes, "error": None})
    else:
        context.console.note(sentence)


def use_panel(context: Context, name: str) -> int:
    """Judge with a panel from now on."""
    settings = load_settings(context.profile)
    for member in settings.panels[name]:
        resolve_model(member, context.profile)
    settings.model = name
    save_settings(settings, context.profile)
    if context.console.json:
        context.console.object({"model": name, "name": name, "path": None, "error": None})
    else:
        context.console.note(f"From now on: {name} ({', '.join(settings.panels[name])}).")
    return 0


_ACTIONS: dict[str, Callable[[Context, list[str]], int]] = {
    "add": _add,
    "rename": _rename,
    "list": _list_panels,
    "remove": _remove,
    "memory": _memory,
}


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
