"""``jokejudge doctor``: checks the installation, the history and the model."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import tempfile
import time
from typing import Literal, TypeAlias

from .. import __version__
from ..core.config import Settings, load_settings
from ..core.errors import JokeJudgeError
from ..core.paths import how_to_mend
from ..engine.base import CancelToken
from ..engine.gguf import read_gguf
from ..history.query import HistoryQuery
from ..library.finder import resolve_model
from ..library.probe import probe
from ..rubric.overlay import Rubric
from ..rubric.own_file import OwnFile
from .context import Context
from .options import command
from .running import waiting

Finding: TypeAlias = tuple[Literal["ok", "warning", "failed"], str, str]
"""What a check finds: the state, what it is, and the next step."""
_COLOURS = {"ok": "", "warning": "yellow", "failed": "red"}
_LITTLE_SPACE = 500 * 10**6
_MOST_NAMED = 10


@command("doctor", judges=True)
def doctor(context: Context) -> int:
    """Run every check, whatever the others find; exit status 1 if one failed."""
    console, report = context.console, list[dict[str, object]]()
    for check in (_program, _folders, _settings, _criteria, _history, _model):
        name, began = check.__name__[1:], time.monotonic()
        with waiting(console, f"Checking: {name}"):
            try:
                state, detail, hint = check(context)
            except JokeJudgeError as error:
                state, detail, hint = "failed", error.sentence, error.hint
            except (ImportError, OSError, RuntimeError, AttributeError) as error:
                # A missing or broken library, or a refusal by the system, in its own words.
                why = " ".join(str(error).split())[:300] or type(error).__name__
                state, detail, hint = "failed", f"it can't be used ({why})", how_to_mend()
        seconds = time.monotonic() - began
        report.append({"name": name, "state": state, "detail": detail, "hint": hint, "seconds": round(seconds, 3)})
        if not console.json:
            took = f"  ({seconds:.1f} s)" if seconds >= 0.05 else ""
            console.paragraph(f"{state:<8} {name}: {detail}{took}", style=_COLOURS[state])
            if hint:
                console.paragraph(hint, indent=9)
    failed = any(line["state"] == "failed" for line in report)
    if console.json:
        console.object({"ok": not failed, "checks": report, "error": None})
    else:
        console.section("Something needs to be fixed, see above." if failed else "All is well.")
    return 1 if failed else 0


def _program(_context: Context) -> Finding:
    # llama.cpp may be the missing or broken library.
    from ..engine.binding import can_offload, library
    from ..engine.loader import physical_cores

    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    backend = f"{library()}, built {'with' if can_offload() else 'without'} a GPU backend"
    machine = f"{platform.system()} {platform.machine()}, {physical_cores()} cores for the model"
    return "ok", f"JokeJudge {__version__}, {python}, {machine}, {backend}", ""


def _folders(context: Context) -> Finding:
    """Test each folder, or the existing one above it, by writing and removing a file."""
    profile = context.profile
    for folder in (profile.data, profile.config, profile.cache):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        try:
            with tempfile.NamedTemporaryFile(prefix=".jokejudge-doctor-", dir=there):
                pass
            free = shutil.disk_usage(there).free
        except OSError as error:
            why = f"{folder} can't be written: {error.strerror or error}"
            return "failed", why, "Make it writable, or use --data-dir."
        if free < _LITTLE_SPACE:
            return "warning", f"{folder} has {free / 1e6:.0f} MB left", "Free some space."
    return "ok", f"data in {profile.data}, settings in {profile.config}, cache in {profile.cache}", ""


def _settings(context: Context) -> Finding:
    file, mode = context.profile.settings_file, load_settings(context.profile).mode
    return "ok", f"{file if file.exists() else 'defaults'}, mode {mode}", ""


def _criteria(context: Context) -> Finding:
    """Check the criteria that ship and the user's own; unusable ones are named with their line."""
    own, shipped = OwnFile(context.profile.criteria), Rubric.shipped().criteria  # raises if they are damaged
    if problems := own.check():
        more = f" There are {len(problems) - 1} more such things." if len(problems) > 1 else ""
        hint = f"{problems[0].hint} {own.path} is the file; `jokejudge criteria check` says what is wrong with it."
        return "failed", f"{problems[0].sentence}{more}", hint.strip()
    count = len(own.load().items)
    mine = f"{count} of your own or changed, sound" if own.path.exists() else "none of your own"
    return "ok", f"{len(shipped.categories)} kinds, {len(shipped.factors)} factors, {mine}", ""


def _history(context: Context) -> Finding:
    path = context.profile.database
    if not path.exists():
        return "ok", f"{path} will be made with the first verdict", ""
    with context.history() as store:
        count, damage = store.count(HistoryQuery()), store.check()
    if damage:
        more = f" and {len(damage) - _MOST_NAMED} more" if len(damage) > _MOST_NAMED else ""
        hint = "Export what can be read (jokejudge history export), then move the file away."
        return "failed", f"{path} is damaged; it can't read {', '.join(damage[:_MOST_NAMED])}{more}", hint
    return "ok", f"{count} verdicts, {path.stat().st_size / 1e6:.1f} MB, sound", ""


def _model(context: Context) -> Finding:
    """Try the model in a process of its own, in the context in which verdicts use it: it may work in a smaller one."""
    try:
        settings = context.settings
    except JokeJudgeError:
        settings = context.applied(Settings())
    file = resolve_model(settings.model, context.profile)
    facts = read_gguf(file.path)
    probe(file.path, context.profile, CancelToken(), context=settings.context)
    hint = "A smaller model, or one in Q8_0 or Q4_K_M, would be quicker." if facts.slow_kernels else ""
    detail = f"{file.name}, {facts.quantisation}, {facts.size_bytes / 1e6:.0f} MB, answers"
    return "warning" if hint else "ok", detail, hint
